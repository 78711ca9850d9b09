"""Bots of every strength. Importing this package imports neither numpy nor numba."""

from foxtray.bots.base import Bot, BotError, Forecast, Opinion, ask
from foxtray.bots.levels import (
    LEVELS,
    NAME_PATTERN,
    SUBSTITUTE,
    USUAL,
    Level,
    bot,
    can_play,
    chooser,
    level_of,
    names,
    usual,
)

__all__ = [
    "LEVELS",
    "NAME_PATTERN",
    "SUBSTITUTE",
    "USUAL",
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
    "usual",
]
