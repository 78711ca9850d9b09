"""Players of every strength. Importing this imports neither numpy nor numba."""

from foxtray.bots.base import Bot, BotError, Forecast, Opinion, ask
from foxtray.bots.levels import LEVELS, SUBSTITUTE, Level, bot, chooser, names

__all__ = [
    "LEVELS",
    "SUBSTITUTE",
    "Bot",
    "BotError",
    "Forecast",
    "Level",
    "Opinion",
    "ask",
    "bot",
    "chooser",
    "names",
]
