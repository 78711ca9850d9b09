"""Lets a bot that decides for one game at a time take part in batch play."""

from __future__ import annotations

import numpy as np

from foxtray.bots import levels
from foxtray.bots.base import Bot, ask
from foxtray.core.layout import layout
from foxtray.game import Game
from foxtray.sim.arrays import Records, read_state
from foxtray.sim.batch import BLOCK, Array


class OneByOne:
    """An engine or a bot of another package, as a chooser for batch play."""

    games_at_once = 1

    def __init__(self, name: str, game: str) -> None:
        self.__name__ = name
        self.layout = layout(game)
        self.bots: dict[tuple[int, int], Bot] = {}
        """By the seed of a game and the seat, so that a game depends on nothing else."""

    def __call__(
        self, tables: Records, states: Records, which: Array, seats: Array, seeds: Array
    ) -> Array:
        """The actions for some of the games, each for the seat that has to decide."""
        actions = np.zeros(len(which), np.int64)
        for k, (i, seat, seed) in enumerate(zip(which, seats, seeds, strict=True)):
            game = Game(self.layout, read_state(states, i))
            actions[k] = ask(self._bot(int(seed), int(seat)), game, int(seat)).id
        return actions

    def _bot(self, seed: int, seat: int) -> Bot:
        if (seed, seat) not in self.bots:
            if len(self.bots) >= BLOCK * 4:  # older games are over
                self.bots.clear()
            self.bots[seed, seat] = levels.bot(self.__name__, seed ^ seat << 60)
        return self.bots[seed, seat]
