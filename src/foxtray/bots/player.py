"""The levels at work: for many games at once, and for one."""

from __future__ import annotations

import threading
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from foxtray.bots import machine
from foxtray.bots.base import Forecast, Opinion, check_awaited
from foxtray.bots.desk import Array, new_desk
from foxtray.bots.levels import Level
from foxtray.bots.network import (
    AREA,
    AREA_SCALE,
    FOX_SCALE,
    FOXES,
    OUTPUTS,
    QUANTILE,
    QUANTILES,
    SCALE,
    VALUE,
)
from foxtray.bots.weights import read_weights, weights_of
from foxtray.core.chance import MASK
from foxtray.core.codes import ACTIONS
from foxtray.core.layout import Action
from foxtray.game import Game
from foxtray.sim.arrays import STATE, Records, read_state, tables_of, write

REPLY_BOUND = 32
"""How many states a plan follows completely when it answers a throw that is only imagined."""
MARGIN = 8.0
"""Only leaves within so many points of the best are looked at closer."""
CANDIDATES = 8
OPINION_BOUND = 1024
"""How many states a plan follows completely for an opinion, which may take its time."""


class Chooser:
    """A level's decisions for a batch of games."""

    def __init__(self, level: Level, game: str, weights: Path | None = None) -> None:
        self.level, self.game = level, game
        self.noise = dict(level.noise)[game]
        self.bound = dict(level.bounds)[game]
        self.desk = new_desk()
        self.inner = new_desk()
        self.weights = weights_of(game) if weights is None else read_weights(weights, game)

    @property
    def games_at_once(self) -> int:
        """How many games take about a second at most; a search takes that long for one."""
        return 1 if self.level.throws else 32

    def __call__(
        self, tables: Records, states: Records, which: Array, seats: Array, seeds: Array
    ) -> Array:
        """The actions of some of the games, for the seats that are asked there."""
        actions = np.zeros(len(which), np.int64)
        lows = (seeds & np.uint64(MASK)).astype(np.int64)
        highs = (seeds >> np.uint64(32)).astype(np.int64)
        thinking = machine.thinking()
        net = self.weights.net(int(states["seats"][which[0]]))
        common = (tables, states, which, seats, lows, highs)
        with machine.announced("search" if self.level.throws else "plan"):
            if self.level.throws:
                thinking.search_all(
                    *common, self.bound, REPLY_BOUND, self.level.throws, self.level.effort, MARGIN,
                    CANDIDATES, net, self.desk, self.inner, actions,
                )  # fmt: skip
            else:
                thinking.choose(*common, self.bound, self.noise, net, self.desk, actions)
        return actions


class Choosers(threading.local):
    """The choosers of a thread. Two threads at once would write into the same desk."""

    def __init__(self) -> None:
        self.known: dict[tuple[Level, str, Path | None], Chooser] = {}


CHOOSERS = Choosers()


def chooser_of(level: Level, game: str, weights: Path | None = None) -> Chooser:
    """One chooser serves all bots of a level: it remembers nothing between decisions."""
    key = level, game, weights
    if key not in CHOOSERS.known:
        CHOOSERS.known[key] = Chooser(*key)
    return CHOOSERS.known[key]


class LevelBot:
    """A level as a bot for one game at a time."""

    bounded = True

    def __init__(self, level: Level, seed: int, weights: Path | None = None) -> None:
        self.level, self.seed, self.weights = level, seed, weights
        self.name = level.name

    def _chooser(self, game: Game) -> Chooser:
        return chooser_of(self.level, game.sheet.id, self.weights)

    def _batch(self, game: Game, seat: int) -> tuple[Any, ...]:
        states = np.zeros(1, STATE)
        write(states, 0, game.state)
        seeds = np.array([self.seed], np.uint64)
        return tables_of(game.sheet.id), states, np.zeros(1, np.int64), np.array([seat]), seeds

    def choose(self, game: Game, seat: int) -> Action:
        """What to do now; the only legal action without a thought."""
        check_awaited(game, seat)
        legal = game.legal(seat)
        if len(legal) == 1:
            return legal[0]
        actions = self._chooser(game)(*self._batch(game, seat))
        return game.layout.actions[int(actions[0])]

    def forecast(self, game: Game, seat: int) -> Forecast:
        """How a seat is expected to end if it plays on well."""
        game.legal(seat)  # complains about a seat that does not exist
        chooser = self._chooser(game)
        tables, states, *_ = self._batch(game, seat)
        net = chooser.weights.net(game.seats)
        outputs = np.zeros(OUTPUTS)
        with machine.announced("forecast"):
            ended = machine.thinking().forecast(
                tables, states, seat, chooser.bound, net, chooser.desk, outputs
            )
        score = replace(game, state=read_state(states, 0)).score(seat)
        if ended:
            return Forecast(score.total, score.areas, score.foxes, (score.total,) * QUANTILES)
        coming = np.sort(outputs[QUANTILE:]) * SCALE
        return Forecast(
            score.total + float(outputs[VALUE]) * SCALE,
            tuple((outputs[AREA:FOXES] * AREA_SCALE).tolist()),
            float(outputs[FOXES]) * FOX_SCALE,
            tuple((score.total + coming).tolist()),
        )

    def evaluate(self, game: Game, seat: int) -> list[Opinion]:
        """All legal actions with what they are worth, the best first.

        That is the one with the most points; but a level that looks ahead plays for the chance to
        win in the last two rounds at a table, and then that one with the best.
        """
        check_awaited(game, seat)
        chooser = self._chooser(game)
        tables, states, *_ = self._batch(game, seat)
        legal = np.zeros(ACTIONS, np.int64)
        points, chances, errors, worths = (np.zeros(ACTIONS) for _ in range(4))
        net = chooser.weights.net(game.seats)
        with machine.announced("opinion"):
            n = machine.thinking().appraise(
                tables, states, seat, self.seed & MASK, self.seed >> 32, OPINION_BOUND,
                REPLY_BOUND, self.level.throws, MARGIN, net, chooser.desk, chooser.inner, legal,
                points, chances, errors, worths,
            )  # fmt: skip
        actions = game.layout.actions
        alone = game.seats == 1
        return [
            Opinion(
                actions[int(legal[k])],
                float(points[k]),
                None if alone else float(chances[k]),
                float(errors[k]),
            )
            for k in np.argsort(-worths[:n], kind="stable")
        ]
