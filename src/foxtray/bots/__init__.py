"""Bots of every strength. Importing this package imports neither numpy nor numba."""

from foxtray.bots.base import Bot, BotError, Forecast, Opinion, ask
from foxtray.bots.levels import (
    LEVELS,
    NAME_PATTERN,
    SUBSTITUTE,
    Level,
    bot,
    can_play,
    chooser,
    level_of,
    names,
)

__all__ = [
    "LEVELS",
    "NAME_PATTERN",
    "SUBSTITUTE",
    "Bot",
    "BotError",
    "Forecast",
    "Level",
    "Opinion",
    "ask",
    "bot",
    "can_play",
    "chooser",
    "level_of",
    "names",
]
