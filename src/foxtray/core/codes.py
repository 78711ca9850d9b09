"""The small integers that the rules speak, and the names people read beside them.

Plain module-level ints: they unify with ints under numba and cost nothing when interpreted.
Where names leave the core, in views and events, they are a type of their own.
"""

from typing import Literal, get_args

# Sizes that every table and state is padded to, so that all sheets share one compiled form.
SEATS = 4
DICE = 6
AREAS = 5
TRACKS = 3
CELLS = 80
LINES = 24
BONUSES = 16
ACTIONS = 256
VALUES = 13
EVERY_VALUE = (1 << VALUES) - 1
EVERY_DIE = (1 << DICE) - 1
HITS = 4
CELL_LINES = 3
ROUNDS = 6

ROLLS = 3
HIGHEST_FACE = 6
SOLO_TRAY = 3

# What may enter an area.
MATCH, STAGED, AT_LEAST, ANY, RISING, FALLING = range(6)
ENTRY_NAMES = ("match", "staged", "at_least", "any", "rising", "falling")

# How an area scores.
BY_COUNT, BY_LINES, BY_ROWS, SUM, PAIRS = range(5)
SCORE_NAMES = ("count", "lines", "rows", "sum", "pairs")

# What a bonus is.
NO_BONUS, MARK, TRACK, FOX, CHOICE = range(5)
BONUS_NAMES = ("none", "mark", "action", "fox", "choice")

# The action tracks, in this order on every sheet that has them.
REROLLS, RETURNS, EXTRAS = range(3)
TrackName = Literal["reroll", "return", "extra"]
TRACK_NAMES: tuple[TrackName, ...] = get_args(TrackName)

# Where a die lies; the die fields are FIELD, FIELD + 1, FIELD + 2.
POOL, TRAY, ASIDE, FIELD = range(4)
PlaceName = Literal["pool", "tray", "aside", "field1", "field2", "field3"]
PLACE_NAMES: tuple[PlaceName, ...] = get_args(PlaceName)

# Where the game stands.
OPENING, THROW, CHOOSING, SERVING, OVER = range(5)
PHASE_NAMES = ("opening", "throw", "choosing", "serving", "over")

# What a seat is asked for, once its open bonuses are used.
IDLE, PICK, WINDOW, FOLLOW, SERVED, EXTRA = range(6)
StageName = Literal["idle", "pick", "window", "follow", "served", "extra"]
STAGE_NAMES: tuple[StageName, ...] = get_args(StageName)

# Kinds of action. The first two are also the ids of their only action.
PASS, REROLL, RETURN, ENTER, USE = range(5)
ACTION_NAMES = ("pass", "reroll", "return", "enter", "use")

# How a die came to be entered.
FROM_POOL, FROM_TRAY, FROM_FIELD, AS_EXTRA, AS_CROSS = range(5)
MannerName = Literal["pool", "tray", "field", "extra", "cross"]
MANNER_NAMES: tuple[MannerName, ...] = get_args(MannerName)

# Why a die moved.
LOWER, LEFT_OVER, RETURNED, HIGHER, CHOSEN = range(5)
MoveName = Literal["lower", "left_over", "returned", "set_aside", "taken"]
MOVE_NAMES: tuple[MoveName, ...] = get_args(MoveName)

# What a bonus came from.
BY_CELL, BY_LINE, BY_TRACK, BY_ROUND = range(4)
SourceName = Literal["cell", "line", "track", "round"]
SOURCE_NAMES: tuple[SourceName, ...] = get_args(SourceName)

# Entries of the log: a code and four numbers each.
(
    ROUND_STARTED,
    TURN_STARTED,
    THROWN,
    TAKEN,
    MOVED,
    MARKED,
    LINE_COMPLETED,
    BONUS_EARNED,
    BONUS_USED,
    BONUS_LOST,
    TRACK_CIRCLED,
    ACTION_SPENT,
    PASSED,
    SERVING_STARTED,
    TURN_ENDED,
    ROUND_ENDED,
    GAME_ENDED,
) = range(17)
ENTRY_WIDTH = 5
LOG_SIZE = 4096
