"""The levels with a net: for many games at once, and for a single game."""

from __future__ import annotations

import threading
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from foxtray.bots import compiled
from foxtray.bots.base import Forecast, Opinion, check_awaited
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
from foxtray.bots.search import CANDIDATES, MARGIN
from foxtray.bots.weights import read_weights, weights_of
from foxtray.bots.workspace import Array, new_workspace
from foxtray.core.chance import MASK
from foxtray.core.codes import ACTIONS
from foxtray.core.layout import Action
from foxtray.game import Game
from foxtray.sim.arrays import STATE, Records, read_state, tables_of, write

OPINION_BOUND = 1024
"""How many states a plan explores completely for an opinion, which may take longer."""


class Chooser:
    """A level's decisions for a batch of games."""

    def __init__(self, level: Level, game: str, weights: Path | None = None) -> None:
        self.level, self.game = level.suited(game), game
        self.workspace = new_workspace(game)
        self.inner = new_workspace(game)
        self.weights = weights_of(game) if weights is None else read_weights(weights, game)

    @property
    def games_at_once(self) -> int:
        """How many games fit in about a second; with search, one takes that long."""
        return 1 if self.level.throws else 32

    def __call__(
        self, tables: Records, states: Records, which: Array, seats: Array, seeds: Array
    ) -> Array:
        """The actions for some of the games, each for the seat that has to decide."""
        actions = np.zeros(len(which), np.int64)
        lows = (seeds & np.uint64(MASK)).astype(np.int64)
        highs = (seeds >> np.uint64(32)).astype(np.int64)
        thinking = compiled.thinking()
        nets = self.weights.nets(int(states["seats"][which[0]]))
        common = (tables, states, which, seats, lows, highs)
        level = self.level
        with compiled.announced("search" if level.throws else "plan"):
            if level.throws:
                thinking.search_all(
                    *common, level.bound, level.last_bound, level.reply_bound, level.throws,
                    level.effort, MARGIN, CANDIDATES, nets, self.workspace, self.inner, actions,
                )  # fmt: skip
            else:
                thinking.choose(
                    *common, level.bound, level.last_bound, level.noise, nets, self.workspace,
                    actions,
                )  # fmt: skip
        return actions


class Choosers(threading.local):
    """The choosers of one thread: threads must not share a workspace."""

    def __init__(self) -> None:
        self.known: dict[tuple[Level, str, Path | None], Chooser] = {}


CHOOSERS = Choosers()


def chooser_of(level: Level, game: str, weights: Path | None = None) -> Chooser:
    """The chooser of a level, shared by all its bots: it keeps nothing between decisions."""
    key = level, game, weights and weights.resolve()
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
        """The action to play now; a single legal action is taken at once."""
        check_awaited(game, seat)
        legal = game.legal(seat)
        if len(legal) == 1:
            return legal[0]
        actions = self._chooser(game)(*self._batch(game, seat))
        return game.layout.actions[int(actions[0])]

    def forecast(self, game: Game, seat: int) -> Forecast:
        """The expected final score of a seat that plays well."""
        game.legal(seat)  # refuses a seat that does not exist
        chooser = self._chooser(game)
        tables, states, *_ = self._batch(game, seat)
        nets = chooser.weights.nets(game.seats)
        outputs = np.zeros(OUTPUTS)
        with compiled.announced("forecast"):
            ended = compiled.thinking().forecast(
                tables, states, seat, chooser.level.bound, chooser.level.last_bound, nets,
                chooser.workspace, outputs,
            )  # fmt: skip
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
        """All legal actions and their value, the best first.

        The best one has the most expected points. In the last two rounds of a shared game, a level
        that looks ahead ranks actions by the chance to win instead.
        """
        check_awaited(game, seat)
        chooser = self._chooser(game)
        tables, states, *_ = self._batch(game, seat)
        legal = np.zeros(ACTIONS, np.int64)
        points, chances, errors, worths = (np.zeros(ACTIONS) for _ in range(4))
        nets = chooser.weights.nets(game.seats)
        with compiled.announced("opinion"):
            n = compiled.thinking().appraise(
                tables, states, seat, self.seed & MASK, self.seed >> 32, OPINION_BOUND,
                chooser.level.reply_bound, chooser.level.throws, MARGIN, nets, chooser.workspace,
                chooser.inner, legal, points, chances, errors, worths,
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
