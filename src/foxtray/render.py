"""Sheets and dice as text: letters first, colour on top, at most 80 columns.

Everything is drawn from the sheet's geometry; nothing here knows a game or a rule.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from foxtray.games.model import Area, Bonus, Cell, Die, Line, Sheet, Track

WIDTH = 80
CELL = 5
MARGIN = 16

RED = (160, 231)
"""The terminal colours of a fox: background and text."""

ACTION_CODES = {"reroll": "rr", "return": "rt", "extra": "+1"}
ACTION_WORDS = {"reroll": "re-roll", "return": "return", "extra": "additional die"}
ESCAPE = re.compile(r"\x1b\[[0-9;]*m")


@dataclass(frozen=True, slots=True)
class Ink:
    """How to emphasise text: with colour, or not at all."""

    colour: bool = False

    def on(self, colours: tuple[int, int], text: str) -> str:
        """Text on a patch of colour."""
        back, front = colours
        return self._wrap(f"48;5;{back};38;5;{front}", text)

    def strong(self, text: str) -> str:
        return self._wrap("1", text)

    def faint(self, text: str) -> str:
        return self._wrap("2", text)

    def _wrap(self, codes: str, text: str) -> str:
        return f"\x1b[{codes}m{text}\x1b[0m" if self.colour else text


PLAIN = Ink()


def bare(text: str) -> str:
    """The text without its colours."""
    return ESCAPE.sub("", text)


def pad(text: str, width: int) -> str:
    """The text padded with spaces to a visible width."""
    return text + " " * (width - len(bare(text)))


# --- dice -------------------------------------------------------------------------------------


def die(of: Die, face: int, ink: Ink = PLAIN) -> str:
    """A die, as in `[w4]`; a die with face 0 has yet to be rolled."""
    text = f"{of.letter}{face or '?'}"
    return ink.on(of.paint.terminal, f" {text} ") if ink.colour else f"[{text}]"


def dice(
    sheet: Sheet,
    faces: Sequence[int],
    places: Sequence[str],
    wanted: Iterable[int] = (),
    ink: Ink = PLAIN,
) -> str:
    """Where the six dice lie: pool or set aside, platter, dice fields; and any sum with white."""
    shown = [0 if i in set(wanted) else face for i, face in enumerate(faces)]

    def lying(place: str) -> str:
        there = [i for i in range(len(places)) if places[i] == place]
        return " ".join(die(sheet.dice[i], shown[i], ink) for i in there)

    solo_serving = "aside" in places
    places_shown = [("set aside", "aside") if solo_serving else ("pool", "pool")]
    places_shown.append(("platter", "tray"))
    parts = [f"{ink.strong(name)} {lying(place) or '--'}" for name, place in places_shown]
    if not solo_serving:
        fields = (lying(f"field{n}") or "--" for n in range(1, sheet.die_fields + 1))
        parts.append(f"{ink.strong('dice fields')} {' '.join(fields)}")
    for area in sheet.areas:
        own = shown[sheet.dice.index(area.die)]
        if area.adds_joker and own and shown[0]:
            letters = f"{sheet.dice[0].letter}+{area.letter}"
            parts.append(f"{letters}={own + shown[0]}")
    return " " + "   ".join(parts)


# --- sheet ------------------------------------------------------------------------------------


def bonus_code(bonus: Bonus) -> str:
    """A bonus in at most three letters."""
    if bonus.die:
        return f"+{bonus.die.letter}{bonus.value or ''}"
    if bonus.kind == "action":
        return ACTION_CODES[bonus.track]
    return "fox" if bonus.kind == "fox" else "any"


def bonus_cell(bonus: Bonus | None, got: bool, ink: Ink) -> str:
    """A bonus in the width of a cell, in brackets once it is earned."""
    if bonus is None:
        return " " * CELL
    text = bonus_code(bonus)
    if got:
        return ink.faint(f"({text})".center(CELL))
    block = f"{text:^3}"
    if bonus.die:
        return f" {ink.on(bonus.die.paint.terminal, block)} "
    return f" {ink.on(RED, block) if bonus.kind == 'fox' else ink.strong(block)} "


def print_of(cell: Cell) -> str:
    """What is printed in a field of a row: its minimum, its factor, both, or nothing."""
    least = f"{cell.minimum or cell.bonus_minimum}+" if cell.minimum or cell.bonus_minimum else ""
    return least + (f"x{cell.factor}" if cell.factor > 1 else "") or "_"


def cell_text(area: Area, cell: Cell, value: int) -> str:
    """What a cell shows."""
    if not area.grid:
        return (str(value) if area.writes == "value" else "X") if value else print_of(cell)
    if area.entry == "staged" and value == 1:
        return f"({cell.number})"
    return "X" if value else str(cell.number)


def is_done(area: Area, value: int) -> bool:
    """Whether nothing can be marked here any more."""
    return value >= (2 if area.entry == "staged" else 1)


def one_cell(area: Area, cell: Cell, value: int, ink: Ink, after: str = " ") -> str:
    """A cell: a patch of colour while it is open, four columns wide, and what follows it."""
    text = cell_text(area, cell, value).center(4)
    return (
        ink.strong(text) if is_done(area, value) else ink.on(area.die.paint.terminal, text)
    ) + after


def is_full(line: Line, values: Sequence[int]) -> bool:
    return all(values[i] for i in line.cells)


def title(area: Area, points: int | None, ink: Ink) -> str:
    """The head of an area: its letter, its name, its points."""
    name = ink.on(area.die.paint.terminal, f" {area.letter} {area.colour.upper()} ")
    return name if points is None else f"{name} {points}"


def scale(area: Area, count: int, ink: Ink) -> str:
    """Points by number of marks, the number reached in brackets."""
    steps = (
        ink.strong(f"[{points}]") if i == count else str(points)
        for i, points in enumerate(area.points)
        if i
    )
    return " ".join(steps)


def grid_panel(area: Area, values: Sequence[int], points: int | None, ink: Ink) -> list[str]:
    """A grid and what its lines give: rows on the right, columns and the diagonal below."""
    lines = {(line.kind, line.index): line for line in area.lines}
    at = {(cell.row, cell.column): i for i, cell in enumerate(area.cells)}
    rows = 1 + max(row for row, _ in (*at, *area.printed))
    columns = 1 + max(column for _, column in (*at, *area.printed))
    indent = " " * (2 if area.row_dice else 0)
    panel = [title(area, points, ink)]
    for row in range(rows):
        text = ""
        if area.row_dice:
            text = ink.on(area.row_dice[row].paint.terminal, area.row_dice[row].letter) + " "
        for column in range(columns):
            if (row, column) in at:
                i = at[row, column]
                text += one_cell(area, area.cells[i], values[i], ink)
            else:
                text += ink.strong(" X   ") if (row, column) in area.printed else " " * CELL
        line = lines.get(("row", row))
        if line and line.bonus:
            text += bonus_cell(line.bonus, is_full(line, values), ink)
        if line and area.scores == "rows":
            text += f" {area.points[sum(bool(values[i]) for i in line.cells)]}"
        panel.append(text)
    below = ""
    for column in range(columns):
        line = lines.get(("column", column))
        if line is None:
            below += " " * CELL
        elif line.points:
            worth = f"({line.points})" if is_full(line, values) else str(line.points)
            below += worth.center(4) + " "
        else:
            below += bonus_cell(line.bonus, is_full(line, values), ink)
    for line in area.lines:
        if line.kind == "diagonal":
            below += bonus_cell(line.bonus, is_full(line, values), ink) + "\\"
    panel.append(indent + below)
    if area.scores == "count":
        panel.append(" " + scale(area, sum(is_done(area, value) for value in values), ink))
    elif area.scores == "rows":
        panel.append(indent + " " + " ".join(map(str, area.points[1:])) + " for each row")
    return panel


def row_panel(area: Area, values: Sequence[int], points: int | None, ink: Ink) -> list[str]:
    """A row of fields: the next one in brackets, bonuses below, points by count above."""
    count = sum(map(bool, values))
    panel = []
    if area.scores == "count":
        stars = (
            (ink.strong(f"({worth})".center(4)) if i == count else str(worth).center(4)) + " "
            for i, worth in enumerate(area.points)
            if i
        )
        panel.append(" " * MARGIN + "".join(stars))
    line = pad(title(area, points, ink), MARGIN)
    for i, (cell, value) in enumerate(zip(area.cells, values, strict=True)):
        after = "-|"[i % 2] if area.scores == "pairs" else " "
        if i == count:
            line += (
                ink.strong(ink.on(area.die.paint.terminal, f"[{print_of(cell)}]".center(4))) + after
            )
        else:
            line += one_cell(area, cell, value, ink, after)
    panel.append(line)
    below = ""
    for cell, value in zip(area.cells, values, strict=True):
        missed = cell.bonus and 0 < value < cell.bonus_minimum
        below += ink.faint(" --  ") if missed else bonus_cell(cell.bonus, value > 0, ink)
    panel.append(" " * MARGIN + below)
    return panel


def beside(panels: Sequence[Sequence[str]], gap: int = 4) -> list[str]:
    """Panels side by side."""
    widths = [max(len(bare(line)) for line in panel) for panel in panels]
    lines = []
    for i in range(max(map(len, panels))):
        cells = (
            pad(panel[i] if i < len(panel) else "", width)
            for panel, width in zip(panels, widths, strict=True)
        )
        lines.append((" " * gap).join(cells))
    return lines


def track(of: Track, circled: int, spent: int, ink: Ink) -> str:
    """An action track: `x` is spent, `o` can be used, `.` has yet to be earned."""
    fields = "x" * spent + ink.strong("o" * (circled - spent)) + "." * (of.fields - circled)
    text = f"{ink.strong(ACTION_WORDS[of.name])} {ACTION_CODES[of.name]} {fields}"
    if of.last:
        text += bonus_cell(of.last, circled == of.fields, ink)
    return text


def rounds(sheet: Sheet, seats: int, now: int | None, ink: Ink = PLAIN) -> str:
    """The rounds and what each gives; the current one in brackets."""
    parts = []
    for i in range(sheet.rounds[seats - 1]):
        bonus = sheet.round_bonus[i]
        text = f"{i + 1}{' ' + bonus_code(bonus) if bonus else ''}"
        parts.append(ink.strong(f"[{text}]") if i == now else f" {text} ")
    return f"{ink.strong('rounds')} " + " ".join(parts)


def sheet(
    of: Sheet,
    marks: Mapping[str, int] | None = None,
    tracks: Mapping[str, tuple[int, int]] | None = None,
    areas: Sequence[int] | None = None,
    ink: Ink = PLAIN,
    *,
    roomy: bool = False,
) -> str:
    """A whole sheet: grids side by side where they fit, rows below, then the tracks."""
    marked = marks or {}
    lines: list[str] = []
    waiting: list[list[str]] = []

    def add(panel: Iterable[str]) -> None:
        lines.extend(panel)
        lines.extend([""] * roomy)

    def flush() -> None:
        if waiting:
            add(beside(waiting))
            waiting.clear()

    for i, area in enumerate(of.areas):
        values = [marked.get(name, 0) for name in area.cell_names()]
        worth = areas[i] if areas else None
        if area.grid:
            panel = grid_panel(area, values, worth, ink)
            if len(bare(beside([*waiting, panel])[0])) > WIDTH - 2:
                flush()
            waiting.append(panel)
        else:
            flush()
            add(row_panel(area, values, worth, ink))
    flush()
    counts = tracks or {}
    lines.append("  ".join(track(t, *counts.get(t.name, (0, 0)), ink) for t in of.tracks))
    return "\n".join(f" {line}".rstrip() for line in lines)


def points(of: Sheet, areas: Sequence[int], foxes: int, fox_value: int, total: int) -> str:
    """The points of a seat: every area, the foxes at what each is worth, the total."""
    parts = [f"{area.letter} {worth}" for area, worth in zip(of.areas, areas, strict=True)]
    return f"{'  '.join(parts)}   foxes {foxes} x {fox_value} = {foxes * fox_value}   total {total}"


def legend(of: Sheet) -> str:
    """What the codes on the sheet mean."""
    marks = [b for b in of.bonuses() if b.kind == "mark"]
    valued = [b for b in marks if b.value]
    codes = [f"{bonus_code(b)} mark in {b.area}" for b in marks[:1]]
    codes += [f"{bonus_code(b)} a {b.value} in {b.area}" for b in valued[:1]]
    codes += [f"{ACTION_CODES[t.name]} {ACTION_WORDS[t.name]}" for t in of.tracks]
    signs = ["[ ] next field", "4+ at least 4", "x2 doubled", "( ) earned", "-- missed", "X done"]
    return " " + "   ".join([*codes, "any mark"]) + "\n " + "   ".join(signs)
