"""A sheet's tables and names as plain data, for those who carry out the rules elsewhere."""

from __future__ import annotations

from dataclasses import asdict
from functools import cache
from typing import Any, TypedDict

from foxtray.core.layout import layout
from foxtray.game import RULES_VERSION
from foxtray.games.registry import folder_of

LESSON_SEED = 2018
"""The seed of the dice of a guided game, once its script has ended."""


class LayoutView(TypedDict):
    """What the rules know of a sheet, and the names of what they number."""

    game: str
    rules: int
    """The version of the rules."""
    tables: dict[str, Any]
    """The fields of `foxtray.core.layout.Tables`."""
    cells: list[str]
    cell_area: list[int]
    bonuses: list[str]
    """The kinds of bonus; 0 is none."""
    lines: list[tuple[int, int]]
    """Area and index within the area of every line."""
    actions: list[str]
    lesson: list[str] | None
    """The faces of the rolls of the guided game; null if there is none."""
    lesson_seed: int
    """The seed of its dice once these have been rolled."""


@cache
def layout_view(game: str) -> LayoutView:
    """The layout of a game; made once, not to be changed."""
    known, lesson = layout(game), folder_of(game).lesson
    return {
        "game": game,
        "rules": RULES_VERSION,
        "tables": asdict(known.tables),
        "cells": list(known.cell_names),
        "cell_area": list(known.cell_area),
        "bonuses": [str(bonus) if bonus else "" for bonus in known.bonuses],
        "lines": list(known.lines),
        "actions": [action.text for action in known.actions],
        "lesson": list(lesson.throws) if lesson else None,
        "lesson_seed": LESSON_SEED,
    }
