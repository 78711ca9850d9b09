"""What a bot is, and how to ask one that may misbehave."""

from __future__ import annotations

import queue
import threading
from dataclasses import replace
from typing import NamedTuple, Protocol

from foxtray.core.layout import Action
from foxtray.errors import FoxtrayError, IllegalAction
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
        """All legal actions with what they are worth, the one that the bot prefers first."""


def check_awaited(game: Game, seat: int) -> None:
    """Complain about a seat that has nothing to decide; compiled code would not notice."""
    if seat not in game.awaiting():
        raise IllegalAction("not_awaited", f"seat {seat + 1} is not awaited")


class BotError(FoxtrayError):
    """A bot failed; the message names it. The game goes on without its answer."""

    code = "bot_failed"


def ask(bot: Bot, game: Game, seat: int, limit: float = 30.0) -> Action:
    """A bot's action, checked: whatever it does wrong becomes a BotError with its name.

    The limit is for bots of others: the levels bound their effort, and may have to compile first.
    """
    try:
        if getattr(bot, "bounded", False):
            answer = attempt(bot, game, seat)
        else:
            answer = attempt_in_time(bot, game, seat, limit)
    except queue.Empty:
        raise BotError(f"bot {bot.name} took more than {limit:g} s for a decision") from None
    if isinstance(answer, BaseException):
        raise BotError(f"bot {bot.name} failed: {answer!r}") from answer
    if not isinstance(answer, Action):
        raise BotError(f"bot {bot.name} answered with a {type(answer).__name__}, not an action")
    if answer not in game.legal(seat):
        raise BotError(f"bot {bot.name} answered {answer}, which is not legal here")
    return answer


def attempt(bot: Bot, game: Game, seat: int) -> object:
    """A bot's answer, or how it failed."""
    try:
        return bot.choose(game, seat)
    except (Exception, SystemExit) as error:
        return error


def attempt_in_time(bot: Bot, game: Game, seat: int, limit: float) -> object:
    """The same; raises `queue.Empty` after so many seconds."""
    answers: queue.SimpleQueue[object] = queue.SimpleQueue()
    # It may alter what it is given, even long after it was given up.
    own = replace(game, state=game.state.copy())

    def think() -> None:
        try:
            answers.put(bot.choose(own, seat))
        except BaseException as error:  # a thread has nobody above it to hear of it
            answers.put(error)

    # Nothing ends a thread from outside: one that takes too long is left behind.
    threading.Thread(target=think, daemon=True).start()
    return answers.get(timeout=limit)
