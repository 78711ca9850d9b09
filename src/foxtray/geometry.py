"""A sheet as plain data, for those who draw it: what is printed where; never pixels."""

from __future__ import annotations

from functools import cache
from typing import Literal, TypedDict, cast

from foxtray.core.codes import TrackName
from foxtray.core.layout import layout
from foxtray.games.model import (
    Area,
    Bonus,
    Die,
    Entry,
    FreeSign,
    LineKind,
    ShapeName,
    Tones,
    Writes,
)


class TonesView(TypedDict):
    """The tones of a colour as `#rrggbb`: `on` is written on `strong`, `ink` on `soft`."""

    strong: str
    on: str
    soft: str
    ink: str


class PaintView(TypedDict):
    """A colour on a light and on a dark page."""

    light: TonesView
    dark: TonesView


class DieView(TypedDict):
    """A die: the letter that stands for it in actions, its shape by name, and its paint."""

    colour: str
    letter: str
    shape: ShapeName
    paint: PaintView


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

    kind: LineKind
    index: int
    cells: list[str]
    bonus: str | None
    points: int


class AreaView(TypedDict):
    """An area; `points` by number of crosses or entries (of one row where rows score)."""

    colour: str
    letter: str
    grid: bool
    entry: Entry
    writes: Writes
    scores: Literal["count", "groups", "rows", "sum", "pairs"]
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

    name: TrackName
    fields: int
    last: str | None


class RatingView(TypedDict):
    """A band of solo totals, from its lowest total on; the last band is open."""

    lowest: int | None
    title: str


class SheetView(TypedDict):
    """A whole sheet. A bonus is its text: a colour or `COLOUR=4`, `reroll`, `fox`, `choice`."""

    id: str
    title: str
    dice: list[DieView]
    free_sign: FreeSign
    """What is printed for a bonus mark without a value: `X` or `?`."""
    die_fields: int
    may_decline: bool
    areas: list[AreaView]
    tracks: list[TrackView]
    rounds: list[int]
    round_bonus: list[str | None]
    choice: list[str]
    ratings: list[RatingView]


class SheetList(TypedDict):
    """All sheets: together they are hardly larger than one, compressed."""

    sheets: list[SheetView]


def text(bonus: Bonus | None) -> str | None:
    return str(bonus) if bonus else None


def tones_view(tones: Tones) -> TonesView:
    return {"strong": tones.strong, "on": tones.on, "soft": tones.soft, "ink": tones.ink}


def die_view(die: Die) -> DieView:
    return {
        "colour": die.colour,
        "letter": die.letter,
        "shape": die.shape,
        "paint": {"light": tones_view(die.paint.light), "dark": tones_view(die.paint.dark)},
    }


def area_view(area: Area) -> AreaView:
    names = area.cell_names()
    spots = [(c.row, c.column) for c in area.cells] + list(area.printed)
    return {
        "colour": area.colour,
        "letter": area.letter,
        "grid": area.grid,
        "entry": area.entry,
        "writes": area.writes,
        "scores": "groups" if area.scores == "lines" else area.scores,  # as protocol 1 has it
        "adds_joker": area.adds_joker,
        "row_dice": [die.colour for die in area.row_dice],
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
                "kind": line.kind,
                "index": line.index,
                "cells": [names[c] for c in line.cells],
                "bonus": text(line.bonus),
                "points": line.points,
            }
            for line in area.lines
        ],
        "points": list(area.points),
    }


@cache
def sheet_view(game: str) -> SheetView:
    """The sheet of a game; made once, not to be changed."""
    sheet = layout(game).sheet
    choices = [bonus for bonus in sheet.bonuses() if bonus.kind == "choice"]
    return {
        "id": sheet.id,
        "title": sheet.title,
        "dice": [die_view(die) for die in sheet.dice],
        "free_sign": sheet.free_sign,
        "die_fields": sheet.die_fields,
        "may_decline": sheet.may_decline,
        "areas": [area_view(area) for area in sheet.areas],
        "tracks": [
            {
                "name": cast("TrackName", track.name),
                "fields": track.fields,
                "last": text(track.last),
            }
            for track in sheet.tracks
        ],
        "rounds": list(sheet.rounds),
        "round_bonus": [text(bonus) for bonus in sheet.round_bonus],
        "choice": [str(option) for bonus in choices for option in bonus.options],
        "ratings": [{"lowest": rating.lowest, "title": rating.title} for rating in sheet.ratings],
    }
