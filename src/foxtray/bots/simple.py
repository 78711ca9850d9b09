"""The two bots without a net, for one game at a time and in plain Python.

The simulator has its own versions in the compiled loop.
"""

from __future__ import annotations

import random

from foxtray.bots.base import Opinion, check_awaited
from foxtray.core.codes import ENTER, USE
from foxtray.core.layout import Action
from foxtray.errors import FoxtrayError
from foxtray.game import Game


class SimpleBot:
    """`random` or `greedy`; a seed and a position always give the same action."""

    bounded = True

    def __init__(self, name: str, seed: int) -> None:
        self.name, self.seed = name, seed

    def choose(self, game: Game, seat: int) -> Action:
        check_awaited(game, seat)
        legal = game.legal(seat)
        whim = random.Random(f"{self.seed} {game.position()}")
        if self.name == "random":
            return whim.choice(legal)

        def gain(action: Action) -> tuple[int, bool, float]:
            """Points first, then marks before anything else, then chance."""
            points = game.play(seat, action).game.scores()[seat].total
            return points, action.kind in (ENTER, USE), whim.random()

        return max(legal, key=gain)

    def evaluate(self, game: Game, seat: int) -> list[Opinion]:
        raise FoxtrayError(f"bot {self.name} cannot evaluate actions; choose another bot")
