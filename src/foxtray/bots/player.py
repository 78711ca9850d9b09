"""The levels at work: for many games at once, and for one."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from foxtray.bots import machine
from foxtray.bots.base import Opinion
from foxtray.bots.desk import Array, new_desk
from foxtray.bots.levels import Level
from foxtray.bots.weights import weights_of
from foxtray.core.chance import MASK
from foxtray.core.layout import Action
from foxtray.game import Game
from foxtray.sim.arrays import STATE, Records, tables_of, write

REPLY_BOUND = 32
"""How many states a plan follows completely when it answers a throw that is only imagined."""
MARGIN = 8.0
"""Only leaves within so many points of the best are looked at closer."""
CANDIDATES = 8


class Chooser:
    """A level's decisions for a batch of games."""

    def __init__(self, level: Level, game: str) -> None:
        self.level, self.game = level, game
        self.noise = dict(level.noise).get(game, 0.0)
        self.desk = new_desk()
        self.inner = new_desk() if level.throws else self.desk
        self.net = weights_of(game)[0]

    def __call__(
        self, tables: Records, states: Records, which: Array, seats: Array, seeds: Array
    ) -> Array:
        """The actions of some of the games, for the seats that are asked there."""
        actions = np.zeros(len(which), np.int64)
        lows = (seeds & np.uint64(MASK)).astype(np.int64)
        highs = (seeds >> np.uint64(32)).astype(np.int64)
        thinking = machine.thinking()
        common = (tables, states, which, seats, lows, highs)
        if self.level.throws:
            thinking.search_all(
                *common, self.level.bound, REPLY_BOUND, self.level.throws, MARGIN, CANDIDATES,
                self.net, self.desk, self.inner, actions,
            )  # fmt: skip
        else:
            thinking.choose(*common, self.level.bound, self.noise, self.net, self.desk, actions)
        return actions


@cache
def chooser_of(level: Level, game: str) -> Chooser:
    """One chooser serves all bots of a level: it remembers nothing between decisions."""
    return Chooser(level, game)


class LevelBot:
    """A level as a bot for one game at a time."""

    def __init__(self, level: Level, seed: int) -> None:
        self.level, self.seed = level, seed
        self.name = level.name

    def _batch(self, game: Game, seat: int) -> tuple[Any, ...]:
        states = np.zeros(1, STATE)
        write(states, 0, game.state)
        seeds = np.array([self.seed], np.uint64)
        return tables_of(game.sheet.id), states, np.zeros(1, np.int64), np.array([seat]), seeds

    def choose(self, game: Game, seat: int) -> Action:
        """What to do now; the only legal action without a thought."""
        legal = game.legal(seat)
        if len(legal) == 1:
            return legal[0]
        actions = chooser_of(self.level, game.sheet.id)(*self._batch(game, seat))
        return game.layout.actions[int(actions[0])]

    def evaluate(self, game: Game, seat: int) -> list[Opinion]:
        """All legal actions with what they are worth, best first."""
        chooser = chooser_of(self.level, game.sheet.id)
        tables, states, *_ = self._batch(game, seat)
        n = machine.thinking().consider(
            tables, states, 0, seat, self.level.bound, True, chooser.net, chooser.desk
        )
        actions = game.layout.actions
        opinions = [
            Opinion(actions[int(chooser.desk.legal[k])], float(chooser.desk.offers[k]), None, 0.0)
            for k in range(n)
        ]
        return sorted(opinions, key=lambda o: -o.points)
