"""What a bot is, and how to ask one that may misbehave."""

from __future__ import annotations

import time
from typing import NamedTuple, Protocol

from foxtray.core.layout import Action
from foxtray.errors import FoxtrayError
from foxtray.game import Game


class Opinion(NamedTuple):
    """What a bot thinks of an action."""

    action: Action
    points: float
    """The expected final points."""
    win_chance: float | None
    """None in a solo game, and where a bot does not know."""
    error: float
    """The standard error of the points; 0 where nothing was sampled."""


class Forecast(NamedTuple):
    """How a seat is expected to end."""

    points: float
    areas: tuple[float, ...]
    foxes: float
    quantiles: tuple[float, ...]
    """The final points that are exceeded with chances of 95 %, 85 %, and so on to 5 %."""


class Bot(Protocol):
    """A player. The same bot, seed and position always give the same action."""

    name: str

    def choose(self, game: Game, seat: int) -> Action:
        """What to do now, for a seat that is awaited."""

    def evaluate(self, game: Game, seat: int) -> list[Opinion]:
        """All legal actions with what they are worth, best first."""


class BotError(FoxtrayError):
    """A bot failed; the message names it. The game goes on without its answer."""

    code = "bot_failed"


def ask(bot: Bot, game: Game, seat: int, limit: float = 30.0) -> Action:
    """A bot's action, checked: whatever it does wrong becomes a BotError with its name."""
    started = time.monotonic()
    try:
        action = bot.choose(game, seat)
    except Exception as error:
        raise BotError(f"bot {bot.name} failed: {error!r}") from error
    if time.monotonic() - started > limit:
        raise BotError(f"bot {bot.name} took more than {limit:g} s for a decision")
    if action not in game.legal(seat):
        raise BotError(f"bot {bot.name} answered {action}, which is not legal here")
    return action
