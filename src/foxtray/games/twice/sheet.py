"""Twice as Clever (Doppelt so clever, 2019): every printed cell."""

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
)

WHITE = Die("white", "w", "circle", palette.WHITE)
SILVER = Die("silver", "s", "square", palette.SILVER)
YELLOW = Die("yellow", "y", "star", palette.YELLOW)
BLUE = Die("blue", "b", "diamond", palette.BLUE)
GREEN = Die("green", "g", "triangle", palette.GREEN)
PINK = Die("pink", "p", "heart", palette.PINK)

REROLL = action("reroll")
RETURN = action("return")
EXTRA = action("extra")
ANY_SILVER = mark(SILVER)
ANY_YELLOW = mark(YELLOW)
ANY_BLUE = mark(BLUE)
ANY_GREEN = mark(GREEN)
ANY_PINK = mark(PINK)

SILVER_CELLS = grid_cells(((1, 2, 3, 4, 5, 6),) * 4)
YELLOW_CELLS = grid_cells(
    (
        (None, 3, None, 6),
        (1, None, 2, None),
        (None, 4, None, 3),
        (2, None, 5, None),
        (None, 5, None, 4),
    )
)

BLUE_BONUS = (
    None, RETURN, ANY_YELLOW, None, EXTRA, REROLL, ANY_PINK, None, FOX, RETURN, None, ANY_GREEN,
)  # fmt: skip
GREEN_FACTOR = (2, 2, 2, 1, 3, 3, 3, 2, 3, 1, 4, 1)
GREEN_BONUS = (
    None, REROLL, None, ANY_BLUE, RETURN, None, FOX, ANY_SILVER, EXTRA, None, ANY_PINK, ANY_YELLOW,
)  # fmt: skip
PINK_MINIMUM = (0, 0, 2, 3, 4, 5, 6, 2, 3, 4, 5, 6)
PINK_BONUS = (
    None, None, REROLL, RETURN, EXTRA, ANY_GREEN, ANY_YELLOW, FOX, ANY_SILVER, REROLL, ANY_BLUE,
    ANY_YELLOW,
)  # fmt: skip

SHEET = Sheet(
    id="twice",
    title="Twice as Clever",
    dice=(WHITE, SILVER, YELLOW, BLUE, GREEN, PINK),
    free_sign="?",
    may_decline=True,
    rounds=(6, 6, 5, 4),
    round_bonus=(
        REROLL,
        EXTRA,
        RETURN,
        choice(ANY_SILVER, ANY_YELLOW, ANY_BLUE, ANY_GREEN, ANY_PINK),
        None,
        None,
    ),
    tracks=(Track("reroll", 6, FOX), Track("return", 6, ANY_PINK), Track("extra", 6, ANY_SILVER)),
    areas=(
        Area(
            SILVER,
            entry="match",
            writes="cross",
            scores="rows",
            cells=SILVER_CELLS,
            row_dice=(YELLOW, BLUE, GREEN, PINK),
            points=(0, 2, 4, 7, 11, 16, 22),
            lines=(
                *lines("row", SILVER_CELLS),
                *lines(
                    "column", SILVER_CELLS, (EXTRA, ANY_YELLOW, FOX, ANY_BLUE, ANY_GREEN, ANY_PINK)
                ),
            ),
        ),
        Area(
            YELLOW,
            entry="staged",
            writes="cross",
            scores="count",
            cells=YELLOW_CELLS,
            points=(0, 3, 10, 21, 36, 55, 75, 96, 118, 141, 165),
            lines=(
                *lines("row", YELLOW_CELLS, (ANY_BLUE, RETURN, ANY_YELLOW, ANY_GREEN, ANY_PINK)),
                *lines("column", YELLOW_CELLS, (REROLL, EXTRA, ANY_SILVER, FOX)),
            ),
        ),
        Area(
            BLUE,
            entry="falling",
            writes="value",
            scores="count",
            cells=tuple(Cell(0, i, bonus=bonus) for i, bonus in enumerate(BLUE_BONUS)),
            adds_joker=True,
            points=(0, 1, 3, 6, 10, 15, 21, 28, 36, 45, 55, 66, 78),
        ),
        Area(
            GREEN,
            entry="any",
            writes="value",
            scores="pairs",
            cells=tuple(
                Cell(0, i, factor=factor, bonus=bonus)
                for i, (factor, bonus) in enumerate(zip(GREEN_FACTOR, GREEN_BONUS, strict=True))
            ),
        ),
        Area(
            PINK,
            entry="any",
            writes="value",
            scores="sum",
            cells=tuple(
                Cell(0, i, bonus=bonus, bonus_minimum=minimum)
                for i, (minimum, bonus) in enumerate(zip(PINK_MINIMUM, PINK_BONUS, strict=True))
            ),
        ),
    ),
    ratings=(
        Rating(320, "Silver fox"),
        Rating(300, "Fox among foxes"),
        Rating(280, "Dice whisperer"),
        Rating(260, "Chain builder"),
        Rating(240, "Sharp eye"),
        Rating(220, "Steady hand"),
        Rating(200, "Clear head"),
        Rating(180, "Getting there"),
        Rating(160, "Warming up"),
        Rating(140, "Finding your feet"),
        Rating(None, "First steps"),
    ),
)
