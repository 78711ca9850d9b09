"""The score sheet: immutable data, checked when it is created.

An area has three independent properties: what may enter it, what is written, and how it scores.
Nothing here depends on a colour; a new sheet of the family is a new data file.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import astuple, dataclass
from typing import Literal, get_args

from foxtray.core.codes import (
    ACTIONS,
    AREAS,
    BONUSES,
    CELL_LINES,
    CELLS,
    DICE,
    ENTRY_NAMES,
    HITS,
    LINES,
    ROUNDS,
    SCORE_NAMES,
    SEATS,
)
from foxtray.errors import FoxtrayError

Entry = Literal["match", "staged", "at_least", "any", "rising", "falling"]
Writes = Literal["cross", "value"]
Scores = Literal["count", "lines", "rows", "sum", "pairs"]
LineKind = Literal["row", "column", "diagonal"]
GRID_ENTRIES = ("match", "staged")
TRACK_ORDER = ("reroll", "return", "extra")
FreeSign = Literal["X", "?"]
ShapeName = Literal[
    "circle", "square", "star", "diamond", "triangle", "hexagon", "shield", "heart",
    "pentagon", "drop", "cross", "moon",
]  # fmt: skip
SHAPES: tuple[ShapeName, ...] = get_args(ShapeName)
"""The shapes the page can draw, so that dice never differ by colour alone."""


MOST_ACROSS = 24
"""The most rows or columns of an area."""
MOST_FACTOR = 9
MOST_POINTS = 999
OTHER_BONUSES = (*TRACK_ORDER, "fox", "choice")
"""The names of bonuses that are not a colour."""


class SheetError(FoxtrayError):
    """A sheet with an error."""

    code = "bad_sheet"


@dataclass(frozen=True, slots=True)
class Tones:
    """A colour on a page, each tone as `#rrggbb`."""

    strong: str
    """For dice and headings."""
    on: str
    """For text on the strong tone."""
    soft: str
    """For free cells."""
    ink: str
    """For text on the soft tone, and outlines."""


@dataclass(frozen=True, slots=True)
class Paint:
    """A colour on a light and on a dark page, and in a terminal."""

    light: Tones
    dark: Tones
    terminal: tuple[int, int]
    """Background and text, from the 256 terminal colours; set together, so that the contrast is
    the same on light and dark screens."""


@dataclass(frozen=True, slots=True)
class Die:
    """A die: the name of its colour, its letter in the notation, its shape and its paint."""

    colour: str
    letter: str
    shape: ShapeName
    paint: Paint


@dataclass(frozen=True, slots=True)
class Bonus:
    """A mark in an area (with or without a value), an action, a fox, or a choice of marks."""

    kind: Literal["mark", "action", "fox", "choice"]
    die: Die | None = None
    """The die whose area is marked."""
    value: int = 0
    track: str = ""
    options: tuple[Bonus, ...] = ()

    @property
    def area(self) -> str:
        """The colour of the area that is marked."""
        return self.die.colour if self.die else ""

    def __str__(self) -> str:
        if self.kind == "mark":
            return f"{self.area}={self.value}" if self.value else self.area
        return self.track if self.kind == "action" else self.kind


def mark(die: Die, value: int = 0) -> Bonus:
    """A bonus that marks the area of a die, with or without a value."""
    return Bonus("mark", die, value)


def action(track: str) -> Bonus:
    """A bonus that circles the next field of an action track."""
    return Bonus("action", track=track)


def choice(*options: Bonus) -> Bonus:
    """A bonus that offers a choice of marks."""
    return Bonus("choice", options=options)


FOX = Bonus("fox")


@dataclass(frozen=True, slots=True)
class Cell:
    """A place for a mark: where it is printed, what may enter it, and what it gives."""

    row: int
    column: int
    number: int = 0
    minimum: int = 0
    factor: int = 1
    bonus: Bonus | None = None
    bonus_minimum: int = 0


@dataclass(frozen=True, slots=True)
class Line:
    """A line of cells (indices within the area) that gives something once all are marked."""

    kind: LineKind
    index: int
    cells: tuple[int, ...]
    bonus: Bonus | None = None
    points: int = 0


@dataclass(frozen=True, slots=True)
class Area:
    """An area of the sheet, named by the colour of its die."""

    die: Die
    entry: Entry
    writes: Writes
    scores: Scores
    cells: tuple[Cell, ...]
    lines: tuple[Line, ...] = ()
    points: tuple[int, ...] = ()
    """Points by number of marks; by number of marks in a row if rows score."""
    adds_joker: bool = False
    """The value entered is the sum of this area's die and the joker."""
    row_dice: tuple[Die, ...] = ()
    """The die of each row: dice that a pick here sends to the tray may be crossed off here too."""
    printed: tuple[tuple[int, int], ...] = ()
    """Row and column of each cell that is printed crossed off."""

    @property
    def grid(self) -> bool:
        """Whether the player chooses a cell; otherwise only the next field can be marked."""
        return self.entry in GRID_ENTRIES

    @property
    def colour(self) -> str:
        return self.die.colour

    @property
    def letter(self) -> str:
        return self.die.letter

    @property
    def values(self) -> range:
        """The values that can be entered here."""
        return range(2, 13) if self.adds_joker else range(1, 7)

    def cell_names(self) -> tuple[str, ...]:
        """A name for each cell: the printed number in a grid, the field's number in a row."""
        if not self.grid:
            return tuple(f"{self.letter}{i + 1}" for i in range(len(self.cells)))
        if self.row_dice:
            return tuple(
                f"{self.letter}{self.row_dice[c.row].letter}{c.number}" for c in self.cells
            )
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
    """A track of circles that counts the actions earned; the last circle may give a bonus."""

    name: str
    fields: int
    last: Bonus | None = None


@dataclass(frozen=True, slots=True)
class Rating:
    """A band of solo totals; `lowest` is its lowest total."""

    lowest: int | None
    title: str


@dataclass(frozen=True, slots=True)
class Sheet:
    """A whole score sheet."""

    id: str
    title: str
    dice: tuple[Die, ...]
    """The first die is the joker."""
    areas: tuple[Area, ...]
    tracks: tuple[Track, ...]
    round_bonus: tuple[Bonus | None, ...]
    rounds: tuple[int, ...]
    """The number of rounds for one, two, three and four seats."""
    may_decline: bool
    """Whether players may decline a usable die."""
    ratings: tuple[Rating, ...]
    free_sign: FreeSign = "X"
    """The sign printed for a bonus mark without a value."""
    die_fields: int = 3

    def __post_init__(self) -> None:
        check(self)

    @property
    def colours(self) -> tuple[str, ...]:
        """The colours of the dice."""
        return tuple(die.colour for die in self.dice)

    @property
    def letters(self) -> tuple[str, ...]:
        """The letters of the dice."""
        return tuple(die.letter for die in self.dice)

    def area(self, colour: str) -> Area:
        return next(a for a in self.areas if a.colour == colour)

    def rating(self, total: int) -> int:
        """The index of the band that a solo total belongs to, best band first."""
        return next(i for i, r in enumerate(self.ratings) if r.lowest is None or total >= r.lowest)

    def bonuses(self) -> Iterator[Bonus]:
        """Every bonus printed on the sheet, in printed order."""
        return (bonus for _, bonus in places(self))


# --- building blocks of a data file -----------------------------------------------------------

Printed = Sequence[Sequence[int | str | None]]


def grid_cells(printed: Printed) -> tuple[Cell, ...]:
    """The markable cells of a printed grid; "X" is a printed cross, None an empty place."""
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
) -> tuple[Line, ...]:
    """All rows or columns of a grid, or its main diagonal, with what each gives."""

    def index(cell: Cell) -> int:
        if kind == "diagonal":
            return 0 if cell.row == cell.column else -1
        return cell.row if kind == "row" else cell.column

    pays = list(bonuses)
    worth = list(points)
    return tuple(
        Line(
            kind,
            i,
            tuple(j for j, cell in enumerate(cells) if index(cell) == i),
            bonus=pays[i] if i < len(pays) else None,
            points=worth[i] if i < len(worth) else 0,
        )
        for i in range(max(map(index, cells)) + 1)
    )


# --- validation -------------------------------------------------------------------------------

Need = Callable[[bool, str], None]


def check(sheet: Sheet) -> None:
    """Raise SheetError if a reference does not resolve or a count is wrong."""

    def need(holds: bool, complaint: str) -> None:
        if not holds:
            raise SheetError(f"sheet {sheet.id}: {complaint}")

    need(re.fullmatch("[a-z]{1,16}", sheet.id) is not None, "its id must be 1 to 16 letters a to z")
    check_dice(sheet, need)
    names = [t.name for t in sheet.tracks]
    need(sheet.die_fields == 3, "there must be three die fields, one for each roll")
    need(names == [n for n in TRACK_ORDER if n in names], "tracks must be reroll, return, extra")
    need({"reroll", "extra"} <= set(names), "it needs a reroll and an extra track")
    need(len(sheet.rounds) == SEATS, "rounds must be given for one to four seats")
    need(min(sheet.rounds) >= 1, "every number of seats needs at least one round")
    need(len(sheet.round_bonus) >= max(sheet.rounds), "round_bonus needs an entry for every round")
    need(len(sheet.round_bonus) <= ROUNDS, f"at most {ROUNDS} rounds are possible")
    for area in sheet.areas:
        check_area(sheet, area, need)
    check_bonuses(sheet, need)
    check_sizes(sheet, need)
    bands = [r.lowest for r in sheet.ratings]
    need(
        bool(bands) and bands[-1] is None and None not in bands[:-1],
        "only the last rating has no limit",
    )
    floors = [b for b in bands if b is not None]
    need(floors == sorted(set(floors), reverse=True), "ratings must go from best to worst")


def check_dice(sheet: Sheet, need: Need) -> None:
    """Check the dice, and that each has its area."""
    need(len(sheet.dice) == DICE, "there must be six dice")
    need(len(sheet.areas) == AREAS, "there must be five areas")
    for die in sheet.dice:
        check_die(die, need)
    shapes = tuple(die.shape for die in sheet.dice)
    for what, found in (("colour", sheet.colours), ("letter", sheet.letters), ("shape", shapes)):
        double = next((each for each in found if found.count(each) > 1), None)
        need(double is None, f"two dice share the {what} {double!r}")
    for die in sheet.dice[1:]:
        own = [area for area in sheet.areas if area.die == die]
        need(len(own) == 1, f"every die but the joker needs its own area: {die.colour}")


def check_die(die: Die, need: Need) -> None:
    """Check one die."""
    plain = re.fullmatch("[a-z]+", die.colour) is not None and die.colour not in OTHER_BONUSES
    need(plain, f"{die.colour!r} cannot be a colour; choose another lower-case word")
    letter = re.fullmatch("[a-z]", die.letter) is not None
    need(letter, f"{die.colour}: the letter {die.letter!r} must be one lower-case letter")
    need(
        die.shape in SHAPES,
        f"{die.colour}: unknown shape {die.shape!r}; choose one of {', '.join(SHAPES)}",
    )
    for tones in (die.paint.light, die.paint.dark):
        for tone in astuple(tones):
            known = re.fullmatch("#[0-9a-f]{6}", tone) is not None
            need(known, f"{die.colour}: the tone {tone!r} must be written as #rrggbb")
    for number in die.paint.terminal:
        need(0 <= number <= 255, f"{die.colour}: terminal colours are 0 to 255, not {number}")


def always_entered(area: Area) -> Collection[int]:
    """The values that fit an area as long as it has a field left; the rules count on it."""
    if area.entry == "rising":
        return (area.values[-1],)
    if area.entry == "falling":
        return (area.values[0],)
    if area.entry == "at_least":
        return [v for v in area.values if all(v >= cell.minimum for cell in area.cells)]
    return area.values


def check_area(sheet: Sheet, area: Area, need: Need) -> None:
    """Check one area."""
    where = area.colour
    need(bool(area.cells), f"{where}: it needs at least one cell")
    need(area.entry in ENTRY_NAMES, f"{where}: unknown entry {area.entry!r}")
    need(area.scores in SCORE_NAMES, f"{where}: unknown scores {area.scores!r}")
    need(not area.grid or area.writes == "cross", f"{where}: a grid must have writes='cross'")
    follows = area.entry in ("rising", "falling")
    need(not follows or area.writes == "value", f"{where}: only values can rise or fall")
    sums = area.entry == "rising" and area.adds_joker
    need(not sums, f"{where}: sums cannot rise, because any value may follow a 6")
    if area.row_dice:
        need(set(area.row_dice) <= set(sheet.dice), f"{where}: a row belongs to an unknown die")
        rows = {c.row for c in area.cells}
        need(rows == set(range(len(area.row_dice))), f"{where}: every row needs a die")
        plain = area.entry == "match" and not area.adds_joker
        need(plain, f"{where}: row_dice needs entry='match' without adds_joker")
        others = [a for a in sheet.areas if a.row_dice and a is not area]
        need(not others, f"{where}: only one area can have row_dice")
    check_cells(area, need)
    check_lines(area, need)
    longest = len(area.cells)
    if area.scores == "rows":
        rows_of = [g for g in area.lines if g.kind == "row"]
        need(bool(rows_of), f"{where}: it has no rows to score")
        longest = max(len(g.cells) for g in rows_of)
    if area.scores in ("count", "rows"):
        need(len(area.points) == longest + 1, f"{where}: it needs points for 0 to {longest} marks")
    else:
        need(not area.points, f"{where}: only scores='count' and 'rows' have points")
    for points in (*area.points, *(line.points for line in area.lines)):
        need(
            0 <= points <= MOST_POINTS, f"{where}: points must be 0 to {MOST_POINTS}, not {points}"
        )
    need(
        area.scores != "lines" or any(g.points for g in area.lines), f"{where}: no line has points"
    )
    need(
        area.scores != "pairs" or longest % 2 == 0, f"{where}: pairs need an even number of fields"
    )
    adds = area.scores in ("sum", "pairs")
    need(not adds or area.writes == "value", f"{where}: only values can be added up")


def check_cells(area: Area, need: Need) -> None:
    """Check the cells of an area."""
    often = Counter(c.number for c in area.cells)
    names = area.cell_names()
    spots: dict[tuple[int, int], str] = {}
    for row, column in area.printed:
        need(area.grid, f"{area.colour}: only grids have printed crosses")
        spots[row, column] = "a printed cross"
    for i, (name, cell) in enumerate(zip(names, area.cells, strict=True)):
        where = f"{area.colour}, cell {name}"
        need(names.index(name) == i, f"{where}: two cells share a name")
        spot = cell.row, cell.column
        need(spot not in spots, f"{where}: it has the same place as {spots.get(spot)}")
        spots[spot] = name
        inside = 0 <= cell.row < MOST_ACROSS and 0 <= cell.column < MOST_ACROSS
        need(inside, f"{where}: row and column must be 0 to {MOST_ACROSS - 1}")
        if area.grid:
            fits = cell.number in area.values
            need(fits, f"{where}: no die can give the number {cell.number}")
            count = often[cell.number]
            need(count <= HITS, f"{where}: {count} cells show {cell.number}; at most {HITS} can")
        else:
            need(not cell.number, f"{where}: only grid cells have numbers")
        free = area.entry in ("any", "at_least")
        need(cell.factor == 1 or free, f"{where}: a factor needs the entry any or at_least")
        need(1 <= cell.factor <= MOST_FACTOR, f"{where}: the factor must be 1 to {MOST_FACTOR}")
        if area.entry == "at_least":
            need(cell.minimum in area.values, f"{where}: its minimum must be a value of a die")
        else:
            need(not cell.minimum, f"{where}: only the entry at_least has a minimum")
        if cell.bonus_minimum:
            pays = cell.bonus is not None and cell.bonus_minimum in area.values
            need(pays, f"{where}: bonus_minimum needs a bonus, and must be a value of a die")


def check_lines(area: Area, need: Need) -> None:
    """Check the lines of an area."""
    names = area.cell_names()
    through: Counter[int] = Counter()
    seen = set()
    for line in area.lines:
        where = f"{area.colour}, {line.kind} {line.index + 1}"
        need(area.grid, f"{area.colour}: only grids have lines")
        need(bool(line.cells), f"{where}: it has no cells")
        need((line.kind, line.index) not in seen, f"{where}: it appears more than once")
        seen.add((line.kind, line.index))
        for c in line.cells:
            need(0 <= c < len(names), f"{where}: the area has no cell {c}")
            cell = area.cells[c]
            at = {"row": cell.row, "column": cell.column}.get(line.kind, line.index)
            need(at == line.index, f"{where}: cell {names[c]} is not in it")
            through[c] += 1
            possible = through[c] <= CELL_LINES
            need(possible, f"{area.colour}, cell {names[c]}: it is in more than {CELL_LINES} lines")


def check_bonuses(sheet: Sheet, need: Need) -> None:
    """Check all bonuses on the sheet."""
    tracks = {t.name for t in sheet.tracks}
    kinds = {part for _, bonus in places(sheet) for part in (bonus, *bonus.options)}
    marks = {bonus for bonus in kinds if bonus.kind == "mark"}
    for where, bonus in places(sheet):
        for part in (bonus, *bonus.options):
            need(
                bool(part.options) == (part.kind == "choice"), f"{where}: only a choice has options"
            )
            unknown = part.kind == "mark" and part.die not in sheet.dice[1:]
            need(not unknown, f"{where}: unknown area {part.area!r}")
            unknown = part.kind == "action" and part.track not in tracks
            need(not unknown, f"{where}: unknown track {part.track!r}")
            need(part is bonus or part.kind == "mark", f"{where}: a choice can offer only marks")
            if part.kind == "mark":
                area = sheet.area(part.area)
                alike = all(bool(m.value) == bool(part.value) for m in marks if m.die == part.die)
                told = f"{where}: the bonuses of {part.area}"
                need(alike, f"{told} must all have a value, or none of them")
                need(not part.value or area.writes == "value", f"{told}: crosses have no value")
                fits = not part.value or part.value in area.values
                need(fits, f"{told}: no die can give the value {part.value}")
                always = not part.value or part.value in always_entered(area)
                need(always, f"{told}: a {part.value} does not always fit there")
    choices = {bonus for bonus in kinds if bonus.kind == "choice"}
    need(len(choices) <= 1, "there can be only one kind of choice")
    need(len(kinds) < BONUSES, f"{len(kinds)} kinds of bonus; at most {BONUSES - 1} are possible")
    sources = Counter(b.track for b in sheet.bonuses() if b.kind == "action")
    for track in sheet.tracks:
        where = f"track {track.name}"
        lasts = track.last is None or track.last.kind in ("mark", "fox")
        need(lasts, f"{where}: its last circle must give a mark or a fox")
        count = sources[track.name]
        need(
            count == track.fields,
            f"{where}: {track.fields} fields need as many bonuses, not {count}",
        )


def check_sizes(sheet: Sheet, need: Need) -> None:
    """Check that the sheet fits the tables of the rules."""
    cells = sum(len(area.cells) for area in sheet.areas)
    need(cells <= CELLS, f"{cells} cells; at most {CELLS} are possible")
    lines = sum(len(area.lines) for area in sheet.areas)
    need(lines <= LINES, f"{lines} lines; at most {LINES} are possible")
    actions = count_actions(sheet)
    need(actions <= ACTIONS, f"{actions} actions; at most {ACTIONS} are possible")


def count_actions(sheet: Sheet) -> int:
    """The number of different actions on a sheet."""
    marks = {part for bonus in sheet.bonuses() for part in (bonus, *bonus.options) if part.die}
    count = 2 + DICE * any(track.name == "return" for track in sheet.tracks)
    for area in sheet.areas:
        own = {m.value for m in marks if m.die == area.die}
        if area.grid:
            # With the joker, its own die, the die of the row, and a bonus.
            reach = {sheet.dice[0], area.die}
            rows = sum(area.row_dice[c.row] not in reach for c in area.cells if area.row_dice)
            count += (2 + len(own)) * len(area.cells) + rows
        elif area.writes == "cross":
            count += 2 + len(own)
        else:
            count += 2 + sum(1 if value else len(area.values) for value in own)
    return count


def places(sheet: Sheet) -> Iterator[tuple[str, Bonus]]:
    """Every bonus and where it is printed, for error messages."""

    for area in sheet.areas:
        for name, cell in zip(area.cell_names(), area.cells, strict=True):
            if cell.bonus:
                yield f"{area.colour}, cell {name}", cell.bonus
        for line in area.lines:
            if line.bonus:
                yield f"{area.colour}, {line.kind} {line.index + 1}", line.bonus
    for track in sheet.tracks:
        if track.last:
            yield f"track {track.name}", track.last
    for number, bonus in enumerate(sheet.round_bonus, 1):
        if bonus:
            yield f"round {number}", bonus
