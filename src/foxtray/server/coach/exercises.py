"""Exercises: a position in which one answer is clearly best, and when it is asked again."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

from msgspec import Struct

from foxtray import bots
from foxtray.errors import FoxtrayError
from foxtray.game import Game
from foxtray.history import History, Setup, step
from foxtray.review import Alternative, Decision, Review, review
from foxtray.review import Step as Choice

CLEAR = 3.0
"""Points by which the best answer must be ahead."""
SURE = 4.0
"""Standard errors by which it must be ahead."""
EACH_GAME = 3
"""How many exercises one game of a player gives."""
CLOSE = 0.5
"""Points that an answer may cost and still count as right: nobody would call it a mistake."""
INTERVALS = (2, 5, 12, 30, 75)
"""Days until a mistake comes back as an exercise, and then after each right answer in a row."""
AGAIN = 1
"""Days until an exercise comes back after a wrong answer."""
LEVELS = ("solid", "casual")
"""Whose games the exercise of the day is taken from: mistakes that people make, too."""
TRIES = 40
"""Games in which an exercise of the day is looked for."""


class Answer(Struct, frozen=True):
    """One possible answer: the best line that begins with it, and what that is worth."""

    action: str
    line: tuple[str, ...]
    points: float
    error: float


class Exercise(Struct, frozen=True):
    """A position, whose turn it is, and every answer, the best one first."""

    game: str
    position: str
    seat: int
    answers: tuple[Answer, ...]

    def cost(self, action: str) -> float | None:
        """The points that an answer gives away; None if it is not among the answers."""
        for answer in self.answers:
            if answer.action == action:
                return max(0.0, self.answers[0].points - answer.points)
        return None


def is_right(cost: float) -> bool:
    return cost <= CLOSE


def next_interval(before: int, right: bool) -> int:
    """The days until an exercise is asked again; 0 once it is learnt."""
    if not right:
        return AGAIN
    return next((days for days in INTERVALS if days > before), 0)


def clearly_best(alternatives: tuple[Alternative, ...]) -> bool:
    """Whether the first of some alternatives is better than all others beyond doubt."""
    if len(alternatives) < 2:
        return False
    best = alternatives[0]
    return all(
        best.points - other.points > max(CLEAR, SURE * math.hypot(best.error, other.error))
        for other in alternatives[1:]
    )


def exercise_of(game: Game, seat: int, choice: Choice) -> Exercise:
    answers = tuple(Answer(a.action, a.line, a.points, a.error) for a in choice.alternatives)
    return Exercise(game.sheet.id, game.position(), seat, answers)


def choices(decision: Decision) -> Iterator[Choice]:
    """The steps of a decision at which something was at stake, the costliest first."""
    yield from sorted(decision.steps, key=lambda choice: -choice.price)


def from_mistakes(history: History, found: Review, seat: int) -> list[Exercise]:
    """Exercises from the costliest mistakes of a seat."""
    made: list[Exercise] = []
    for decision in found.player(seat).costliest(EACH_GAME * 3, CLEAR):
        choice = next(choices(decision), None)
        if choice is None or choice.price < max(CLEAR, SURE * decision.error):
            continue
        made.append(exercise_of(game_at(history, choice.at), seat, choice))
        if len(made) == EACH_GAME:
            break
    return made


def game_at(history: History, at: int) -> Game:
    """The game before an input."""
    game = history.setup.start()
    for entry in history.inputs[:at]:
        game = step(game, entry)[0]
    return game


def bot_game(game: str, level: str, seed: int) -> History:
    """A solo game of a bot."""
    history = History(Setup(game, seed=seed))
    bot = bots.bot(level, seed)
    while not history.game.over:
        if history.game.rolling():
            history.roll()
        else:
            history.play(0, bot.choose(history.game, 0))
    return history


def daily_exercise(game: str, seed: int, tell: Callable[[float], None]) -> Exercise:
    """An exercise for everybody, from a game between bots; the same for the same seed."""
    for number in range(TRIES):
        tell(number / TRIES)
        history = bot_game(game, LEVELS[number % len(LEVELS)], seed + number)
        clear = [
            (history, choice)
            for decision in review(history, "quick", seed).player(0).decisions
            for choice in choices(decision)
            if clearly_best(choice.alternatives)
        ]
        for history, choice in sorted(clear, key=lambda found: -found[1].price):
            # The quick look that found it is not enough to be sure.
            close = review(history, "normal", seed, seats=(0,)).player(0)
            for again in (c for d in close.decisions for c in d.steps if c.at == choice.at):
                if clearly_best(again.alternatives):
                    return exercise_of(game_at(history, choice.at), 0, again)
    raise FoxtrayError(f"no clear exercise found for {game}")
