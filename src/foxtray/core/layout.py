"""A sheet flattened into tables of integers, and its actions numbered.

The rules see only these tables. They are padded to the sizes in `codes`, so that all sheets have
the same shapes and one compiled form serves them all; a sheet that is too large for them is refused
when it is made.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache

from foxtray.core import codes
from foxtray.core.codes import (
    ACTIONS,
    AREAS,
    BONUSES,
    CELL_LINES,
    CELLS,
    DICE,
    HITS,
    LINES,
    ROUNDS,
    SEATS,
    TRACKS,
    VALUES,
)
from foxtray.errors import MalformedAction
from foxtray.games.model import Bonus, Sheet
from foxtray.games.registry import sheet_of

JOKER = 0


def zeros(*shape: int) -> list:  # type: ignore[type-arg]
    """Nested lists of zeros."""
    if len(shape) == 1:
        return [0] * shape[0]
    return [zeros(*shape[1:]) for _ in range(shape[0])]


@dataclass(slots=True)
class Tables:
    """What the rules know of a sheet. The shapes are those of the defaults."""

    may_decline: int = 0
    areas: int = AREAS
    lines: int = 0
    marks: int = 0
    """Mark bonuses are the kinds 1 to this one, in the order of their actions."""
    choice: int = 0
    """The kind of the bonus that is one of several marks; 0 if the sheet has none."""
    follow_area: int = -1
    """The area where dice moved by a pick may be crossed too; -1 if there is none."""
    rounds: list[int] = field(default_factory=lambda: zeros(SEATS + 1))
    round_bonus: list[int] = field(default_factory=lambda: zeros(ROUNDS))

    # Areas.
    entry: list[int] = field(default_factory=lambda: zeros(AREAS))
    grid: list[int] = field(default_factory=lambda: zeros(AREAS))
    scores: list[int] = field(default_factory=lambda: zeros(AREAS))
    writes_value: list[int] = field(default_factory=lambda: zeros(AREAS))
    first_cell: list[int] = field(default_factory=lambda: zeros(AREAS))
    end_cell: list[int] = field(default_factory=lambda: zeros(AREAS))
    full: list[int] = field(default_factory=lambda: zeros(AREAS))
    """A cell of a grid is full at this mark: 1, or 2 where a cross follows a circle."""
    adds_joker: list[int] = field(default_factory=lambda: zeros(AREAS))
    area_die: list[int] = field(default_factory=lambda: zeros(AREAS))
    points: list[list[int]] = field(default_factory=lambda: zeros(AREAS, CELLS))
    first_line: list[int] = field(default_factory=lambda: zeros(AREAS))
    end_line: list[int] = field(default_factory=lambda: zeros(AREAS))

    # Cells.
    number: list[int] = field(default_factory=lambda: zeros(CELLS))
    minimum: list[int] = field(default_factory=lambda: zeros(CELLS))
    factor: list[int] = field(default_factory=lambda: zeros(CELLS))
    bonus: list[int] = field(default_factory=lambda: zeros(CELLS))
    bonus_minimum: list[int] = field(default_factory=lambda: zeros(CELLS))
    cell_lines: list[int] = field(default_factory=lambda: zeros(CELLS))
    cell_line: list[list[int]] = field(default_factory=lambda: zeros(CELLS, CELL_LINES))

    # Lines.
    line_size: list[int] = field(default_factory=lambda: zeros(LINES))
    line_bonus: list[int] = field(default_factory=lambda: zeros(LINES))
    line_points: list[int] = field(default_factory=lambda: zeros(LINES))
    line_is_row: list[int] = field(default_factory=lambda: zeros(LINES))

    # Tracks: fields 0 where the sheet has none.
    track_fields: list[int] = field(default_factory=lambda: zeros(TRACKS))
    track_bonus: list[int] = field(default_factory=lambda: zeros(TRACKS))

    # Kinds of bonus, from 1.
    bonus_kind: list[int] = field(default_factory=lambda: zeros(BONUSES))
    bonus_area: list[int] = field(default_factory=lambda: zeros(BONUSES))
    bonus_value: list[int] = field(default_factory=lambda: zeros(BONUSES))
    bonus_track: list[int] = field(default_factory=lambda: zeros(BONUSES))
    in_choice: list[int] = field(default_factory=lambda: zeros(BONUSES))
    bonus_action: list[int] = field(default_factory=lambda: zeros(BONUSES))
    """The first action that uses a mark bonus."""
    bonus_end: list[int] = field(default_factory=lambda: zeros(BONUSES))
    """The end of the actions that use it."""

    # Dice: the areas it may be entered in, and by value the cells it may hit in a grid.
    die_first_area: list[int] = field(default_factory=lambda: zeros(DICE))
    die_end_area: list[int] = field(default_factory=lambda: zeros(DICE))
    die_action: list[list[int]] = field(default_factory=lambda: zeros(DICE, AREAS))
    """The action of entering a die in the next field of a row."""
    hits: list[list[list[int]]] = field(default_factory=lambda: zeros(DICE, AREAS, VALUES))
    hit_cell: list[list[list[list[int]]]] = field(
        default_factory=lambda: zeros(DICE, AREAS, VALUES, HITS)
    )
    hit_action: list[list[list[list[int]]]] = field(
        default_factory=lambda: zeros(DICE, AREAS, VALUES, HITS)
    )

    # Actions.
    actions: int = 0
    return_action: int = 0
    """The action that returns the first die; 0 where the sheet has no returns."""
    action_kind: list[int] = field(default_factory=lambda: zeros(ACTIONS))
    action_die: list[int] = field(default_factory=lambda: zeros(ACTIONS))
    action_area: list[int] = field(default_factory=lambda: zeros(ACTIONS))
    action_cell: list[int] = field(default_factory=lambda: zeros(ACTIONS))
    """The cell in a grid; -1 for the next field of a row."""
    action_value: list[int] = field(default_factory=lambda: zeros(ACTIONS))
    action_bonus: list[int] = field(default_factory=lambda: zeros(ACTIONS))


@dataclass(frozen=True, slots=True)
class Action:
    """One thing a seat can do. Its id is dense and fixed, its text round-trips."""

    game: str
    id: int
    text: str
    kind: int
    die: int = -1
    area: int = -1
    cell: int = -1
    """The cell in a grid; -1 for the next field of a row."""
    value: int = 0
    bonus: int = 0

    @classmethod
    def parse(cls, game: str, text: str) -> Action:
        """Read an action of a game from its text."""
        known = layout(game)
        if text not in known.action_ids:
            raise MalformedAction(f"{text!r} is not an action of {game}")
        return known.actions[known.action_ids[text]]

    def __hash__(self) -> int:
        return self.id

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"Action.parse({self.game!r}, {self.text!r})"


@dataclass(frozen=True, slots=True)
class Layout:
    """A sheet with its tables, and the names of what they number."""

    sheet: Sheet
    tables: Tables
    cell_names: tuple[str, ...]
    cell_area: tuple[int, ...]
    bonuses: tuple[Bonus | None, ...]
    """The kinds of bonus by number; 0 is none."""
    usable: dict[str, int]
    """The numbers of the bonuses that can be open, by their text."""
    bonus_places: int
    """How many bonuses are printed on the sheet."""
    fox_places: int
    """How many of them are foxes."""
    lines: tuple[tuple[int, int], ...]
    """Area and index within the area of every line."""
    actions: tuple[Action, ...]
    action_ids: dict[str, int]


@cache
def layout(game: str) -> Layout:
    """The layout of a game by its id, made once."""
    return lay_out(sheet_of(game))


def lay_out(sheet: Sheet) -> Layout:
    """Flatten a sheet."""
    t = Tables()
    bonuses = number_bonuses(sheet)
    number = {bonus: i for i, bonus in enumerate(bonuses) if bonus}
    t.may_decline = int(sheet.may_decline)
    t.rounds = [0, *sheet.rounds]
    t.round_bonus = padded([number[b] if b else 0 for b in sheet.round_bonus], ROUNDS)
    t.marks = sum(1 for b in bonuses if b and b.kind == "mark")
    fill_bonuses(t, sheet, bonuses)
    for track in sheet.tracks:
        i = codes.TRACK_NAMES.index(track.name)
        t.track_fields[i] = track.fields
        t.track_bonus[i] = number[track.last] if track.last else 0
    names, cell_area, lines = fill_areas(t, sheet, number)
    actions = list_actions(t, sheet, names)
    fill_actions(t, actions)
    printed = list(sheet.bonuses())
    return Layout(
        sheet,
        t,
        names,
        cell_area,
        bonuses,
        {str(b): i for i, b in enumerate(bonuses) if b and b.kind in ("mark", "choice")},
        len(printed),
        sum(bonus.kind == "fox" for bonus in printed),
        lines,
        actions,
        {action.text: action.id for action in actions},
    )


def padded(values: list[int], size: int) -> list[int]:
    return values + [0] * (size - len(values))


def number_bonuses(sheet: Sheet) -> tuple[Bonus | None, ...]:
    """Number the kinds of bonus: marks by area and value, then the choice, actions and fox."""
    kinds = {part for bonus in sheet.bonuses() for part in (bonus, *bonus.options)}
    colours = [area.colour for area in sheet.areas]

    def order(bonus: Bonus) -> tuple[int, int, int, str]:
        rank = ("mark", "choice", "action", "fox").index(bonus.kind)
        area = colours.index(bonus.area) if bonus.area else 0
        return rank, area, bonus.value, bonus.track

    return (None, *sorted(kinds, key=order))


def fill_bonuses(t: Tables, sheet: Sheet, bonuses: tuple[Bonus | None, ...]) -> None:
    colours = [area.colour for area in sheet.areas]
    for i, bonus in enumerate(bonuses):
        if bonus is None:
            continue
        t.bonus_kind[i] = codes.BONUS_NAMES.index(bonus.kind)
        if bonus.kind == "mark":
            t.bonus_area[i] = colours.index(bonus.area)
            t.bonus_value[i] = bonus.value
        elif bonus.kind == "action":
            t.bonus_track[i] = codes.TRACK_NAMES.index(bonus.track)
        elif bonus.kind == "choice":
            t.choice = i
            for option in bonus.options:
                t.in_choice[bonuses.index(option)] = 1


def fill_areas(
    t: Tables, sheet: Sheet, number: dict[Bonus, int]
) -> tuple[tuple[str, ...], tuple[int, ...], tuple[tuple[int, int], ...]]:
    names: list[str] = []
    cell_area: list[int] = []
    lines: list[tuple[int, int]] = []
    for a, area in enumerate(sheet.areas):
        first = len(names)
        names += area.cell_names()
        cell_area += [a] * len(area.cells)
        t.entry[a] = codes.ENTRY_NAMES.index(area.entry)
        t.grid[a] = int(area.grid)
        t.scores[a] = codes.SCORE_NAMES.index(area.scores)
        t.writes_value[a] = int(area.writes == "value")
        t.first_cell[a], t.end_cell[a] = first, len(names)
        t.full[a] = 2 if area.entry == "staged" else 1
        t.adds_joker[a] = int(area.adds_joker)
        t.area_die[a] = sheet.dice.index(area.die)
        t.points[a] = padded(list(area.points), CELLS)
        if area.row_dice:
            t.follow_area = a
        for i, cell in enumerate(area.cells, first):
            t.number[i] = cell.number
            t.minimum[i] = cell.minimum
            t.factor[i] = cell.factor
            t.bonus[i] = number[cell.bonus] if cell.bonus else 0
            t.bonus_minimum[i] = cell.bonus_minimum
        t.first_line[a] = len(lines)
        for number_in_area, line in enumerate(area.lines):
            i = len(lines)
            lines.append((a, number_in_area))
            t.line_size[i] = len(line.cells)
            t.line_bonus[i] = number[line.bonus] if line.bonus else 0
            t.line_points[i] = line.points
            t.line_is_row[i] = int(line.kind == "row")
            for c in line.cells:
                t.cell_line[first + c][t.cell_lines[first + c]] = i
                t.cell_lines[first + c] += 1
        t.end_line[a] = len(lines)
    t.lines = len(lines)
    return tuple(names), tuple(cell_area), tuple(lines)


def list_actions(t: Tables, sheet: Sheet, names: tuple[str, ...]) -> tuple[Action, ...]:
    """Every action of a sheet in its fixed order, and the tables that lead to it."""
    actions: list[Action] = []

    def add(text: str, kind: int, **what: int) -> int:
        actions.append(Action(sheet.id, len(actions), text, kind, **what))
        return actions[-1].id

    add("pass", codes.PASS)
    add("reroll", codes.REROLL)
    letters = sheet.letters
    if t.track_fields[codes.RETURNS]:
        t.return_action = len(actions)
        for d, letter in enumerate(letters):
            add(f"return:{letter}", codes.RETURN, die=d)
    for d, die in enumerate(sheet.dice):
        own = [a for a, area in enumerate(sheet.areas) if d == JOKER or area.die == die]
        t.die_first_area[d], t.die_end_area[d] = own[0], own[-1] + 1
        for a, area in enumerate(sheet.areas):
            if area.grid:
                for c, cell in enumerate(area.cells, t.first_cell[a]):
                    if a in own or (area.row_dice and area.row_dice[cell.row] == die):
                        i = add(f"{letters[d]}>{names[c]}", codes.ENTER, die=d, area=a, cell=c)
                        add_hit(t, d, a, cell.number, c, i)
            elif a in own:
                text = f"{letters[d]}>{area.letter}"
                t.die_action[d][a] = add(text, codes.ENTER, die=d, area=a)
    for b in range(1, t.marks + 1):
        a = t.bonus_area[b]
        area = sheet.areas[a]
        t.bonus_action[b] = len(actions)
        if area.grid:
            for c in range(t.first_cell[a], t.end_cell[a]):
                add(f"+{names[c]}", codes.USE, area=a, cell=c, bonus=b)
        elif area.writes == "cross":
            add(f"+{area.letter}", codes.USE, area=a, bonus=b)
        else:
            for v in (t.bonus_value[b],) if t.bonus_value[b] else area.values:
                add(f"+{area.letter}={v}", codes.USE, area=a, value=v, bonus=b)
        t.bonus_end[b] = len(actions)
    return tuple(actions)


def add_hit(t: Tables, die: int, area: int, number: int, cell: int, action: int) -> None:
    """Let a die that shows a number reach a cell of a grid."""
    k = t.hits[die][area][number]
    t.hit_cell[die][area][number][k] = cell
    t.hit_action[die][area][number][k] = action
    t.hits[die][area][number] += 1


def fill_actions(t: Tables, actions: tuple[Action, ...]) -> None:
    t.actions = len(actions)
    for action in actions:
        t.action_kind[action.id] = action.kind
        t.action_die[action.id] = action.die
        t.action_area[action.id] = action.area
        t.action_cell[action.id] = action.cell
        t.action_value[action.id] = action.value
        t.action_bonus[action.id] = action.bonus
