"""Clever (Ganz schön clever, 2018): every printed cell."""

from foxtray.sheets.model import (
    FOX,
    Area,
    Cell,
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

REROLL = action("reroll")
EXTRA = action("extra")
PURPLE_6 = mark("purple", 6)

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
YELLOW = grid_cells(YELLOW_GRID)
BLUE = grid_cells(BLUE_GRID)

GREEN_MINIMUM = (1, 2, 3, 4, 5, 1, 2, 3, 4, 5, 6)
GREEN_BONUS = (
    None, None, None, EXTRA, None, mark("blue"), FOX, None, PURPLE_6, REROLL, None,
)  # fmt: skip
ORANGE_FACTOR = (1, 1, 1, 2, 1, 1, 2, 1, 2, 1, 3)
ORANGE_BONUS = (
    None, None, REROLL, None, mark("yellow"), EXTRA, None, FOX, None, PURPLE_6, None,
)  # fmt: skip
PURPLE_BONUS = (
    None, None, REROLL, mark("blue"), EXTRA, mark("yellow"), FOX, REROLL, mark("green"),
    mark("orange", 6), EXTRA,
)  # fmt: skip

CLEVER = Sheet(
    id="clever",
    title="Clever",
    dice=("white", "yellow", "blue", "green", "orange", "purple"),
    may_decline=False,
    rounds=(6, 6, 5, 4),
    round_bonus=(
        REROLL,
        EXTRA,
        REROLL,
        choice(mark("yellow"), mark("blue"), mark("green"), mark("orange", 6), PURPLE_6),
        None,
        None,
    ),
    tracks=(Track("reroll", 7), Track("extra", 7)),
    areas=(
        Area(
            "yellow",
            entry="match",
            writes="cross",
            scores="groups",
            cells=YELLOW,
            printed=printed_crosses(YELLOW_GRID),
            groups=(
                *lines("row", YELLOW, (mark("blue"), mark("orange", 4), mark("green"), FOX)),
                *lines("column", YELLOW, points=(10, 14, 16, 20)),
                *lines("diagonal", YELLOW, (EXTRA,)),
            ),
        ),
        Area(
            "blue",
            entry="match",
            writes="cross",
            scores="count",
            cells=BLUE,
            adds_joker=True,
            points=(0, 1, 2, 4, 7, 11, 16, 22, 29, 37, 46, 56),
            groups=(
                *lines("row", BLUE, (mark("orange", 5), mark("yellow"), FOX)),
                *lines("column", BLUE, (REROLL, mark("green"), PURPLE_6, EXTRA)),
            ),
        ),
        Area(
            "green",
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
            "orange",
            entry="any",
            writes="value",
            scores="sum",
            cells=tuple(
                Cell(0, i, factor=factor, bonus=bonus)
                for i, (factor, bonus) in enumerate(zip(ORANGE_FACTOR, ORANGE_BONUS, strict=True))
            ),
        ),
        Area(
            "purple",
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
        Rating(180, "Good head"),
        Rating(160, "Warming up"),
        Rating(140, "Finding the way"),
        Rating(None, "First steps"),
    ),
)
