"""A sheet as plain data, for those who draw it: what is printed where; never pixels."""

from __future__ import annotations

from functools import cache
from typing import TypedDict

from foxtray.core import codes
from foxtray.core.layout import layout
from foxtray.sheets.model import Area, Bonus, Sheet


class DieView(TypedDict):
    """A die and the letter that stands for it in actions."""

    colour: str
    letter: str


class CellView(TypedDict):
    """A cell: where it is printed, what may enter (0: nothing said), what it gives."""

    name: str
    row: int
    column: int
    number: int
    minimum: int
    factor: int
    bonus: str | None
    bonus_minimum: int


class LineView(TypedDict):
    """A row, column or diagonal and what it pays when it is full."""

    kind: str
    index: int
    cells: list[str]
    bonus: str | None
    points: int


class AreaView(TypedDict):
    """An area; `points` by number of crosses or entries (of one row where rows score)."""

    colour: str
    letter: str
    grid: bool
    entry: str
    writes: str
    scores: str
    adds_joker: bool
    row_dice: list[str]
    rows: int
    columns: int
    cells: list[CellView]
    printed: list[tuple[int, int]]
    lines: list[LineView]
    points: list[int]


class TrackView(TypedDict):
    """An action track; `last` is the bonus of its last circle."""

    name: str
    fields: int
    last: str | None


class RatingView(TypedDict):
    """A band of solo totals, from its lowest total on; the last band is open."""

    lowest: int | None
    title: str


class ActionView(TypedDict):
    """An action by its text; `cell` is null where the next field of a row is meant."""

    action: str
    kind: str
    die: str | None
    area: str | None
    cell: str | None
    value: int


class SheetView(TypedDict):
    """A whole sheet. A bonus is its text: `yellow`, `orange=4`, `reroll`, `fox`, `choice`."""

    id: str
    title: str
    dice: list[DieView]
    die_fields: int
    may_decline: bool
    areas: list[AreaView]
    tracks: list[TrackView]
    rounds: list[int]
    round_bonus: list[str | None]
    choice: list[str]
    ratings: list[RatingView]
    actions: list[ActionView]


def text(bonus: Bonus | None) -> str | None:
    return str(bonus) if bonus else None


def area_view(area: Area) -> AreaView:
    names = area.cell_names()
    spots = [(c.row, c.column) for c in area.cells] + list(area.printed)
    return {
        "colour": area.colour,
        "letter": area.letter,
        "grid": area.grid,
        "entry": area.entry,
        "writes": area.writes,
        "scores": area.scores,
        "adds_joker": area.adds_joker,
        "row_dice": list(area.row_dice),
        "rows": 1 + max(row for row, _ in spots),
        "columns": 1 + max(column for _, column in spots),
        "cells": [
            {
                "name": name,
                "row": cell.row,
                "column": cell.column,
                "number": cell.number,
                "minimum": cell.minimum,
                "factor": cell.factor,
                "bonus": text(cell.bonus),
                "bonus_minimum": cell.bonus_minimum,
            }
            for name, cell in zip(names, area.cells, strict=True)
        ],
        "printed": list(area.printed),
        "lines": [
            {
                "kind": group.kind,
                "index": group.index,
                "cells": [names[c] for c in group.cells],
                "bonus": text(group.bonus),
                "points": group.points,
            }
            for group in area.groups
        ],
        "points": list(area.points),
    }


def action_views(sheet: Sheet) -> list[ActionView]:
    known = layout(sheet.id)
    return [
        {
            "action": action.text,
            "kind": codes.ACTION_NAMES[action.kind],
            "die": sheet.dice[action.die][0] if action.die >= 0 else None,
            "area": sheet.areas[action.area].colour if action.area >= 0 else None,
            "cell": known.cell_names[action.cell] if action.cell >= 0 else None,
            "value": action.value,
        }
        for action in known.actions
    ]


@cache
def sheet_view(game: str) -> SheetView:
    """The sheet of a game; made once, not to be changed."""
    sheet = layout(game).sheet
    choices = [bonus for bonus in sheet.bonuses() if bonus.kind == "choice"]
    return {
        "id": sheet.id,
        "title": sheet.title,
        "dice": [{"colour": colour, "letter": colour[0]} for colour in sheet.dice],
        "die_fields": sheet.die_fields,
        "may_decline": sheet.may_decline,
        "areas": [area_view(area) for area in sheet.areas],
        "tracks": [
            {"name": track.name, "fields": track.fields, "last": text(track.last)}
            for track in sheet.tracks
        ],
        "rounds": list(sheet.rounds),
        "round_bonus": [text(bonus) for bonus in sheet.round_bonus],
        "choice": [str(option) for bonus in choices for option in bonus.options],
        "ratings": [{"lowest": rating.lowest, "title": rating.title} for rating in sheet.ratings],
        "actions": action_views(sheet),
    }
