"""The interface of a bot, and a safe way to ask one."""

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
    """None in a solo game, or if the bot does not know."""
    error: float
    """The standard error of the points; 0 if nothing was sampled."""


class Forecast(NamedTuple):
    """The expected final score of a seat."""

    points: float
    areas: tuple[float, ...]
    foxes: float
    quantiles: tuple[float, ...]
    """The final points that are exceeded with chances of 95 %, 85 %, and so on to 5 %."""


class Bot(Protocol):
    """A bot. The same bot, seed and position always give the same action."""

    name: str

    def choose(self, game: Game, seat: int) -> Action:
        """The action to play now; the seat must have something to decide."""

    def evaluate(self, game: Game, seat: int) -> list[Opinion]:
        """All legal actions and their value, the bot's favourite first."""


def check_awaited(game: Game, seat: int) -> None:
    """Refuse a seat that has nothing to decide; compiled code would not notice."""
    if seat not in game.awaiting():
        raise IllegalAction("not_awaited", f"seat {seat + 1} has nothing to decide now")


class BotError(FoxtrayError):
    """A bot failed; the message names it. The game continues without its answer."""

    code = "bot_failed"


class NoWeights(FoxtrayError):
    """A game without trained weights."""

    code = "no_weights"

    def __init__(self, game: str) -> None:
        super().__init__(
            f"no trained weights for {game!r}; "
            f"train some with foxtray train {game}, or choose random or greedy"
        )


def ask(bot: Bot, game: Game, seat: int, limit: float = 30.0) -> Action:
    """A bot's action, checked: any failure becomes a BotError that names the bot.

    The limit is for bots of other packages: the levels limit their effort themselves, and may
    have to compile first.
    """
    try:
        if getattr(bot, "bounded", False):
            answer = attempt(bot, game, seat)
        else:
            answer = attempt_in_time(bot, game, seat, limit)
    except queue.Empty:
        raise BotError(f"bot {bot.name} took more than {limit:g} s for a decision") from None
    if isinstance(answer, BotError):  # it knows its name
        raise answer
    if isinstance(answer, BaseException):
        raise BotError(f"bot {bot.name} failed: {answer!r}") from answer
    if not isinstance(answer, Action):
        raise BotError(f"bot {bot.name} returned a {type(answer).__name__}, not an action")
    if answer not in game.legal(seat):
        raise BotError(f"bot {bot.name} chose {answer}, which is not legal here")
    return answer


def attempt(bot: Bot, game: Game, seat: int) -> object:
    """A bot's answer, or the error it raised."""
    try:
        return bot.choose(game, seat)
    except (Exception, SystemExit) as error:
        return error


def attempt_in_time(bot: Bot, game: Game, seat: int, limit: float) -> object:
    """Like `attempt`, but raises `queue.Empty` after `limit` seconds."""
    answers: queue.SimpleQueue[object] = queue.SimpleQueue()
    # The bot may change what it is given, even long after the time limit.
    own = replace(game, state=game.state.copy())

    def think() -> None:
        try:
            answers.put(bot.choose(own, seat))
        except BaseException as error:  # nothing above a thread would catch it
            answers.put(error)

    # A thread cannot be stopped from outside: one that takes too long is abandoned.
    threading.Thread(target=think, daemon=True).start()
    return answers.get(timeout=limit)
