"""Clever (Ganz schön clever, 2018): every printed cell."""

from foxtray.games import palette
from foxtray.games.model import (
    FOX,
    Area,
    Cell,
    Die,
    Rating,
    Sheet,
    Track,
    action,
    choice,
    grid_cells,
    lines,
    mark,
    printed_crosses,
)

WHITE = Die("white", "w", "circle", palette.WHITE)
YELLOW = Die("yellow", "y", "star", palette.YELLOW)
BLUE = Die("blue", "b", "diamond", palette.BLUE)
GREEN = Die("green", "g", "triangle", palette.GREEN)
ORANGE = Die("orange", "o", "hexagon", palette.ORANGE)
PURPLE = Die("purple", "p", "shield", palette.PURPLE)

REROLL = action("reroll")
EXTRA = action("extra")
PURPLE_6 = mark(PURPLE, 6)

YELLOW_GRID = (
    (3, 6, 5, "X"),
    (2, 1, "X", 5),
    (1, "X", 2, 4),
    ("X", 3, 4, 6),
)
BLUE_GRID = (
    (None, 2, 3, 4),
    (5, 6, 7, 8),
    (9, 10, 11, 12),
)
YELLOW_CELLS = grid_cells(YELLOW_GRID)
BLUE_CELLS = grid_cells(BLUE_GRID)

GREEN_MINIMUM = (1, 2, 3, 4, 5, 1, 2, 3, 4, 5, 6)
GREEN_BONUS = (
    None, None, None, EXTRA, None, mark(BLUE), FOX, None, PURPLE_6, REROLL, None,
)  # fmt: skip
ORANGE_FACTOR = (1, 1, 1, 2, 1, 1, 2, 1, 2, 1, 3)
ORANGE_BONUS = (
    None, None, REROLL, None, mark(YELLOW), EXTRA, None, FOX, None, PURPLE_6, None,
)  # fmt: skip
PURPLE_BONUS = (
    None, None, REROLL, mark(BLUE), EXTRA, mark(YELLOW), FOX, REROLL, mark(GREEN),
    mark(ORANGE, 6), EXTRA,
)  # fmt: skip

SHEET = Sheet(
    id="clever",
    title="Clever",
    dice=(WHITE, YELLOW, BLUE, GREEN, ORANGE, PURPLE),
    may_decline=False,
    rounds=(6, 6, 5, 4),
    round_bonus=(
        REROLL,
        EXTRA,
        REROLL,
        choice(mark(YELLOW), mark(BLUE), mark(GREEN), mark(ORANGE, 6), PURPLE_6),
        None,
        None,
    ),
    tracks=(Track("reroll", 7), Track("extra", 7)),
    areas=(
        Area(
            YELLOW,
            entry="match",
            writes="cross",
            scores="lines",
            cells=YELLOW_CELLS,
            printed=printed_crosses(YELLOW_GRID),
            lines=(
                *lines("row", YELLOW_CELLS, (mark(BLUE), mark(ORANGE, 4), mark(GREEN), FOX)),
                *lines("column", YELLOW_CELLS, points=(10, 14, 16, 20)),
                *lines("diagonal", YELLOW_CELLS, (EXTRA,)),
            ),
        ),
        Area(
            BLUE,
            entry="match",
            writes="cross",
            scores="count",
            cells=BLUE_CELLS,
            adds_joker=True,
            points=(0, 1, 2, 4, 7, 11, 16, 22, 29, 37, 46, 56),
            lines=(
                *lines("row", BLUE_CELLS, (mark(ORANGE, 5), mark(YELLOW), FOX)),
                *lines("column", BLUE_CELLS, (REROLL, mark(GREEN), PURPLE_6, EXTRA)),
            ),
        ),
        Area(
            GREEN,
            entry="at_least",
            writes="cross",
            scores="count",
            cells=tuple(
                Cell(0, i, minimum=minimum, bonus=bonus)
                for i, (minimum, bonus) in enumerate(zip(GREEN_MINIMUM, GREEN_BONUS, strict=True))
            ),
            points=(0, 1, 3, 6, 10, 15, 21, 28, 36, 45, 55, 66),
        ),
        Area(
            ORANGE,
            entry="any",
            writes="value",
            scores="sum",
            cells=tuple(
                Cell(0, i, factor=factor, bonus=bonus)
                for i, (factor, bonus) in enumerate(zip(ORANGE_FACTOR, ORANGE_BONUS, strict=True))
            ),
        ),
        Area(
            PURPLE,
            entry="rising",
            writes="value",
            scores="sum",
            cells=tuple(Cell(0, i, bonus=bonus) for i, bonus in enumerate(PURPLE_BONUS)),
        ),
    ),
    ratings=(
        Rating(281, "Fox among foxes"),
        Rating(260, "Dice whisperer"),
        Rating(240, "Chain builder"),
        Rating(220, "Sharp eye"),
        Rating(200, "Steady hand"),
        Rating(180, "Clear head"),
        Rating(160, "Warming up"),
        Rating(140, "Finding your feet"),
        Rating(None, "First steps"),
    ),
)
