"""What a score sheet of this family is: frozen data, checked when it is made.

An area is three independent facts: what may enter it, what is written, and how it scores.
Nothing here knows a colour; a new sheet of the family is a new data file.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from foxtray.errors import FoxtrayError

Entry = Literal["match", "staged", "at_least", "any", "rising", "falling"]
Writes = Literal["cross", "value"]
Scores = Literal["count", "groups", "rows", "sum", "pairs"]
GRID_ENTRIES = ("match", "staged")
TRACK_ORDER = ("reroll", "return", "extra")


class SheetError(FoxtrayError):
    """A sheet that contradicts itself."""

    code = "bad_sheet"


@dataclass(frozen=True, slots=True)
class Bonus:
    """A mark in an area (with a value, or freely), an action, a fox, or a choice of marks."""

    kind: Literal["mark", "action", "fox", "choice"]
    area: str = ""
    value: int = 0
    track: str = ""
    options: tuple[Bonus, ...] = ()

    def __str__(self) -> str:
        if self.kind == "mark":
            return f"{self.area}={self.value}" if self.value else self.area
        return self.track if self.kind == "action" else self.kind


def mark(area: str, value: int = 0) -> Bonus:
    """A bonus that marks an area: with this value, or freely."""
    return Bonus("mark", area=area, value=value)


def action(track: str) -> Bonus:
    """A bonus that circles the next field of an action track."""
    return Bonus("action", track=track)


def choice(*options: Bonus) -> Bonus:
    """A bonus that is one of several marks."""
    return Bonus("choice", options=options)


FOX = Bonus("fox")


@dataclass(frozen=True, slots=True)
class Cell:
    """One place for a mark: where it is printed, what may enter, what it gives."""

    row: int
    column: int
    number: int = 0
    minimum: int = 0
    factor: int = 1
    bonus: Bonus | None = None
    bonus_minimum: int = 0


@dataclass(frozen=True, slots=True)
class Group:
    """A line of cells (indices within the area) that pays when all of them are marked."""

    kind: Literal["row", "column", "diagonal"]
    index: int
    cells: tuple[int, ...]
    bonus: Bonus | None = None
    points: int = 0


@dataclass(frozen=True, slots=True)
class Area:
    """An area of the sheet, named by its colour."""

    colour: str
    entry: Entry
    writes: Writes
    scores: Scores
    cells: tuple[Cell, ...]
    groups: tuple[Group, ...] = ()
    points: tuple[int, ...] = ()
    """Points by number of crosses or entries; by crosses of one row where rows score."""
    adds_joker: bool = False
    """The value entered is the sum of this area's die and the joker."""
    row_dice: tuple[str, ...] = ()
    """The die each row belongs to: dice moved by a pick into this area may be crossed there too."""
    printed: tuple[tuple[int, int], ...] = ()
    """Row and column of the cells that are crossed in print."""

    @property
    def grid(self) -> bool:
        """Whether a single cell is chosen; otherwise the next field is the only place."""
        return self.entry in GRID_ENTRIES

    @property
    def letter(self) -> str:
        return self.colour[0]

    @property
    def values(self) -> range:
        """The values a die can bring here."""
        return range(2, 13) if self.adds_joker else range(1, 7)

    def cell_names(self) -> tuple[str, ...]:
        """A name for each cell: the printed number in a grid, the field's number in a row."""
        if not self.grid:
            return tuple(f"{self.letter}{i + 1}" for i in range(len(self.cells)))
        if self.row_dice:
            return tuple(f"{self.letter}{self.row_dice[c.row][0]}{c.number}" for c in self.cells)
        often = Counter(c.number for c in self.cells)
        seen: Counter[int] = Counter()
        names = []
        for cell in self.cells:
            twin = chr(ord("a") + seen[cell.number]) if often[cell.number] > 1 else ""
            seen[cell.number] += 1
            names.append(f"{self.letter}{cell.number}{twin}")
        return tuple(names)


@dataclass(frozen=True, slots=True)
class Track:
    """A row of circles that counts the actions earned; its last circle may pay a bonus."""

    name: str
    fields: int
    last: Bonus | None = None


@dataclass(frozen=True, slots=True)
class Rating:
    """A band of solo totals, from its lowest total on."""

    lowest: int | None
    title: str


@dataclass(frozen=True, slots=True)
class Sheet:
    """A whole score sheet."""

    id: str
    title: str
    dice: tuple[str, ...]
    """Colours; the first die is the joker."""
    areas: tuple[Area, ...]
    tracks: tuple[Track, ...]
    round_bonus: tuple[Bonus | None, ...]
    rounds: tuple[int, ...]
    """Number of rounds with one, two, three and four seats."""
    may_decline: bool
    """Whether a usable die may be left: by the active player and by the passive ones."""
    ratings: tuple[Rating, ...]
    die_fields: int = 3

    def __post_init__(self) -> None:
        check(self)

    def area(self, colour: str) -> Area:
        return next(a for a in self.areas if a.colour == colour)

    def rating(self, total: int) -> int:
        """The index of the band that a solo total belongs to, best band first."""
        return next(i for i, r in enumerate(self.ratings) if r.lowest is None or total >= r.lowest)

    def bonuses(self) -> Iterator[Bonus]:
        """Every bonus printed on the sheet, in printed order."""
        for area in self.areas:
            yield from (c.bonus for c in area.cells if c.bonus)
            yield from (g.bonus for g in area.groups if g.bonus)
        yield from (t.last for t in self.tracks if t.last)
        yield from (b for b in self.round_bonus if b)


# --- building blocks of a data file -----------------------------------------------------------

Printed = Sequence[Sequence[int | str | None]]


def grid_cells(printed: Printed) -> tuple[Cell, ...]:
    """The markable cells of a printed grid; "X" is crossed in print, None is no cell."""
    return tuple(
        Cell(row, column, number=number)
        for row, numbers in enumerate(printed)
        for column, number in enumerate(numbers)
        if isinstance(number, int)
    )


def printed_crosses(printed: Printed) -> tuple[tuple[int, int], ...]:
    return tuple(
        (row, column)
        for row, numbers in enumerate(printed)
        for column, number in enumerate(numbers)
        if number == "X"
    )


def lines(
    kind: Literal["row", "column", "diagonal"],
    cells: tuple[Cell, ...],
    bonuses: Iterable[Bonus | None] = (),
    points: Iterable[int] = (),
) -> tuple[Group, ...]:
    """All rows or columns of a grid, or its main diagonal, with what each pays."""

    def index(cell: Cell) -> int:
        if kind == "diagonal":
            return 0 if cell.row == cell.column else -1
        return cell.row if kind == "row" else cell.column

    pays = list(bonuses)
    worth = list(points)
    return tuple(
        Group(
            kind,
            i,
            tuple(j for j, cell in enumerate(cells) if index(cell) == i),
            bonus=pays[i] if i < len(pays) else None,
            points=worth[i] if i < len(worth) else 0,
        )
        for i in range(max(map(index, cells)) + 1)
    )


# --- validation -------------------------------------------------------------------------------


def check(sheet: Sheet) -> None:
    """Raise SheetError unless every reference on the sheet resolves and every count agrees."""

    def need(holds: bool, complaint: str) -> None:
        if not holds:
            raise SheetError(f"sheet {sheet.id}: {complaint}")

    colours = [a.colour for a in sheet.areas]
    names = [t.name for t in sheet.tracks]
    need(len(sheet.dice) == 6, "there must be six dice")
    need(len(colours) == 5, "there must be five areas")
    for what, words in (("dice", sheet.dice), ("areas", colours)):
        need(len({w[0] for w in words}) == len(words), f"{what} must differ in their first letter")
    need(sorted(sheet.dice[1:]) == sorted(colours), "every die but the joker needs its own area")
    need(sheet.die_fields == 3, "there must be three die fields, one for each roll")
    need(names == [n for n in TRACK_ORDER if n in names], "tracks: reroll, return, extra")
    need({"reroll", "extra"} <= set(names), "a sheet needs a reroll and an extra track")
    need(len(sheet.rounds) == 4, "rounds are needed for one to four seats")
    need(len(sheet.round_bonus) >= max(sheet.rounds), "every round needs its entry")

    for area in sheet.areas:
        check_area(sheet, area, need)

    for bonus in sheet.bonuses():
        for part in (bonus, *bonus.options):
            need(bool(part.options) == (part.kind == "choice"), "a choice has options")
            need(part.kind != "mark" or part.area in colours, f"no area {part.area!r}")
            need(part.kind != "action" or part.track in names, f"no track {part.track!r}")
            need(part is bonus or part.kind == "mark", "a choice is between marks")
    choices = {b for b in sheet.bonuses() if b.kind == "choice"}
    need(len(choices) <= 1, "there can be only one kind of choice")
    marks = {
        part for bonus in sheet.bonuses() for part in (bonus, *bonus.options) if part.kind == "mark"
    }
    for area in sheet.areas:
        valued = {bool(m.value) for m in marks if m.area == area.colour}
        need(len(valued) <= 1, f"{area.colour}: its bonuses must all have values, or none")
        need(valued != {True} or area.writes == "value", f"{area.colour}: crosses have no value")
        for m in marks:
            fits = not m.value or m.value in area.values
            need(m.area != area.colour or fits, f"{area.colour}: no value {m.value}")
    need(
        all(t.last is None or t.last.kind in ("mark", "fox") for t in sheet.tracks),
        "the last circle of a track gives a mark or a fox",
    )
    sources = Counter(b.track for b in sheet.bonuses() if b.kind == "action")
    for track in sheet.tracks:
        need(
            sources[track.name] == track.fields,
            f"track {track.name}: {track.fields} fields but {sources[track.name]} sources",
        )
    bands = [r.lowest for r in sheet.ratings]
    need(bool(bands) and bands[-1] is None and None not in bands[:-1], "the last rating is open")
    floors = [b for b in bands if b is not None]
    need(floors == sorted(set(floors), reverse=True), "ratings go from best to worst")


def check_area(sheet: Sheet, area: Area, need: Callable[[bool, str], None]) -> None:
    """The checks of one area."""
    where = area.colour
    need(bool(area.cells), f"{where}: no cells")
    need(set(area.row_dice) <= set(sheet.dice), f"{where}: a row belongs to an unknown die")
    if area.row_dice:
        rows = {c.row for c in area.cells}
        need(rows == set(range(len(area.row_dice))), f"{where}: every row needs its die")
    names = area.cell_names()
    need(len(set(names)) == len(names), f"{where}: two cells share a name")
    spots = [(c.row, c.column) for c in area.cells] + list(area.printed)
    need(len(set(spots)) == len(spots), f"{where}: two cells share a place")
    need(not area.grid or area.writes == "cross", f"{where}: a grid is crossed")
    fits = all((c.number in area.values) == area.grid for c in area.cells)
    need(fits, f"{where}: grid cells carry numbers, fields do not")
    plain = all(c.factor == 1 for c in area.cells)
    need(plain or area.entry in ("any", "at_least"), f"{where}: factors need a free entry")
    follows = area.entry in ("rising", "falling")
    need(not follows or area.writes == "value", f"{where}: only values rise and fall")
    at_least = area.entry == "at_least"
    need(all(bool(c.minimum) == at_least for c in area.cells), f"{where}: minimum numbers")
    for group in area.groups:
        need(bool(group.cells), f"{where}: an empty line")
        need(set(group.cells) <= set(range(len(area.cells))), f"{where}: a line leaves the area")
        need(area.grid, f"{where}: only grids have lines")
    longest = len(area.cells)
    if area.scores == "rows":
        rows_of = [g for g in area.groups if g.kind == "row"]
        need(bool(rows_of), f"{where}: no rows to score")
        longest = max(len(g.cells) for g in rows_of)
    if area.scores in ("count", "rows"):
        need(len(area.points) == longest + 1, f"{where}: points for 0 to {longest} marks")
    else:
        need(not area.points, f"{where}: points by number belong to areas that count")
    need(area.scores != "groups" or any(g.points for g in area.groups), f"{where}: no line pays")
    need(area.scores != "pairs" or longest % 2 == 0, f"{where}: a field has no partner")
    adds = area.scores in ("sum", "pairs")
    need(not adds or area.writes == "value", f"{where}: only values add up")
