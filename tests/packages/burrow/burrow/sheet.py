"""The score sheet of Burrow."""

from foxtray.games import palette
from foxtray.games.model import (
    FOX,
    Area,
    Cell,
    Die,
    Paint,
    Rating,
    Sheet,
    Tones,
    Track,
    action,
    choice,
    grid_cells,
    lines,
    mark,
)

EARTH = Paint(
    light=Tones(strong="#7a4a21", on="#ffffff", soft="#ecd9c6", ink="#5b3413"),
    dark=Tones(strong="#a9713f", on="#1b0e03", soft="#3a2716", ink="#e6c3a0"),
    terminal=(94, 231),
)
STONE = Paint(
    light=Tones(strong="#5c6166", on="#ffffff", soft="#dfe2e5", ink="#3d4246"),
    dark=Tones(strong="#9aa1a8", on="#15181a", soft="#2c3135", ink="#c9d0d6"),
    terminal=(241, 231),
)
BERRY = Paint(
    light=Tones(strong="#b3262e", on="#ffffff", soft="#fadcdc", ink="#7f151c"),
    dark=Tones(strong="#e5686e", on="#220204", soft="#431719", ink="#f6bcbf"),
    terminal=(160, 231),
)

WHITE = Die("white", "w", "pentagon", palette.WHITE)
BLUE = Die("blue", "b", "drop", palette.BLUE)
BROWN = Die("brown", "n", "moon", EARTH)
GREY = Die("grey", "e", "cross", STONE)
GREEN = Die("green", "g", "triangle", palette.GREEN)
RED = Die("red", "r", "diamond", BERRY)

REROLL = action("reroll")
RETURN = action("return")
EXTRA = action("extra")

BLUE_CELLS = grid_cells(
    (
        (7, 4, 9, 6, 10, 8),
        (6, 8, 5, 7, 3, 11),
        (9, 7, 6, 10, 8, 4),
        (5, 6, 2, 9, 7, 12),
        (8, 10, 4, 5, 3, 11),
    )
)
BROWN_CELLS = grid_cells(
    (
        (1, 4, 2, 6),
        (5, 3, 6, 1),
        (2, 5, 4, 3),
    )
)
GREY_BONUS = (
    None, REROLL, None, mark(BROWN), EXTRA, None, mark(RED, 5), FOX, mark(BLUE), RETURN,
)  # fmt: skip
GREEN_MINIMUM = (1, 2, 3, 4, 2, 3, 4, 5)
GREEN_BONUS = (None, mark(GREY), None, EXTRA, mark(BLUE), None, REROLL, mark(BROWN))
RED_FACTOR = (2, 1, 3, 1, 2, 2)
RED_BONUS = (None, mark(BLUE), None, mark(GREEN), None, FOX)

SHEET = Sheet(
    id="burrow",
    title="Burrow",
    dice=(WHITE, BLUE, BROWN, GREY, GREEN, RED),
    free_sign="?",
    may_decline=True,
    rounds=(5, 4, 4, 3),
    round_bonus=(
        REROLL,
        EXTRA,
        RETURN,
        choice(mark(BLUE), mark(BROWN), mark(GREY), mark(GREEN), mark(RED, 6)),
        None,
    ),
    tracks=(Track("reroll", 5, mark(BROWN)), Track("return", 4, FOX), Track("extra", 5)),
    areas=(
        Area(
            BLUE,
            entry="match",
            writes="cross",
            scores="rows",
            cells=BLUE_CELLS,
            adds_joker=True,
            points=(0, 1, 3, 6, 10, 15, 21),
            lines=(
                *lines("row", BLUE_CELLS, (EXTRA, mark(BROWN), FOX, REROLL, mark(RED, 6))),
                *lines("column", BLUE_CELLS, (mark(GREY), None, RETURN, mark(GREEN), None, FOX)),
            ),
        ),
        Area(
            BROWN,
            entry="staged",
            writes="cross",
            scores="count",
            cells=BROWN_CELLS,
            points=(0, 2, 5, 9, 14, 20, 27, 35, 44, 54, 65, 77, 90),
            lines=(
                *lines("row", BROWN_CELLS, (REROLL, mark(GREY), EXTRA)),
                *lines("column", BROWN_CELLS, (mark(BLUE), RETURN, FOX, mark(RED, 4))),
            ),
        ),
        Area(
            GREY,
            entry="any",
            writes="cross",
            scores="count",
            cells=tuple(Cell(0, i, bonus=bonus) for i, bonus in enumerate(GREY_BONUS)),
            points=(0, 1, 2, 4, 6, 9, 12, 16, 20, 25, 30),
        ),
        Area(
            GREEN,
            entry="at_least",
            writes="value",
            scores="sum",
            cells=tuple(
                Cell(0, i, minimum=minimum, bonus=bonus)
                for i, (minimum, bonus) in enumerate(zip(GREEN_MINIMUM, GREEN_BONUS, strict=True))
            ),
        ),
        Area(
            RED,
            entry="any",
            writes="value",
            scores="pairs",
            cells=tuple(
                Cell(0, i, factor=factor, bonus=bonus)
                for i, (factor, bonus) in enumerate(zip(RED_FACTOR, RED_BONUS, strict=True))
            ),
        ),
    ),
    ratings=(
        Rating(130, "Master of tunnels"),
        Rating(100, "Old badger"),
        Rating(70, "Busy mole"),
        Rating(None, "First spadeful"),
    ),
)
