"""What all environments have in common: the learner's seat, its opponents, its reward."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
from gymnasium import spaces

from foxtray import bots
from foxtray.core.layout import layout
from foxtray.errors import BadSetup
from foxtray.game import Game, check_seats
from foxtray.observation import observation_of
from foxtray.sim.batch import Chooser
from foxtray.sim.lockstep import Array, Batch

Reward = Literal["points", "final", "win"]
Opponents = str | Sequence[str]


@dataclass(frozen=True, slots=True)
class Seating:
    """A learner at a table with bots."""

    game: str
    seats: int = 1
    seat: int = 0
    opponents: Opponents = "greedy"
    reward: Reward = "points"
    fox_floor: bool = False
    solo_fallback: bool = False

    def __post_init__(self) -> None:
        layout(self.game)
        check_seats(self.seats)
        if not 0 <= self.seat < self.seats:
            raise BadSetup(f"seat must be 0 to {self.seats - 1}, not {self.seat}")
        check_reward(self.reward, self.seats)

    def names(self) -> list[str]:
        """The names of the opponents, in the order of their seats."""
        others = self.seats - 1
        if isinstance(self.opponents, str):
            return [self.opponents] * others
        if len(self.opponents) != others:
            raise BadSetup(f"{self.seats} seats need {others} opponents, not {self.opponents!r}")
        return list(self.opponents)

    def batch(self, n: int) -> Batch:
        """Games in which the opponents play by themselves."""
        found: list[str | Chooser | None] = [bots.chooser(name, self.game) for name in self.names()]
        found.insert(self.seat, None)
        return Batch(
            self.game,
            n,
            self.seats,
            bots=found,
            fox_floor=self.fox_floor,
            solo_fallback=self.solo_fallback,
        )

    def rewards(self, batch: Batch) -> Array:
        """What the learner gets for the last step of every game."""
        return seat_rewards(batch, self.reward)[:, self.seat]

    def observation_space(self) -> spaces.Dict:
        return observation_space(self.game, self.seats)


def check_reward(reward: str, seats: int) -> None:
    """Refuse an unknown reward, and a win in a solo game."""
    if reward not in get_args(Reward):
        raise BadSetup(f"unknown reward {reward!r}; choose one of {', '.join(get_args(Reward))}")
    if reward == "win" and seats == 1:
        raise BadSetup("nobody wins a solo game; choose the reward points or final")


def seat_rewards(batch: Batch, reward: str) -> Array:
    """What every seat gets for the last step, of shape (n, seats)."""
    if reward == "points":
        return batch.rewards.astype(np.float64)
    over = batch.terminated[:, None]
    return np.where(over, batch.totals if reward == "final" else batch.wins(), 0.0)


def observation_space(game: str, seats: int) -> spaces.Dict:
    """An observation and the mask of legal actions."""
    shape = observation_of(game, seats)
    bounds = np.array(shape.low, np.int16), np.array(shape.high, np.int16)
    return spaces.Dict(
        {
            "observation": spaces.Box(*bounds, dtype=np.int16),
            "action_mask": spaces.MultiBinary(len(layout(game).actions)),
        }
    )


def read_position(batch: Batch, options: dict[str, Any] | None) -> Game | None:
    """The game at `options["position"]`, if there is one; refuses one without a decision."""
    text = (options or {}).get("position")
    if text is None:
        return None
    game = Game.from_position(text)
    trial = batch.copy()
    trial.put(0, game)
    if trial.cases["seat"][0] < 0:
        raise BadSetup("there is nothing to decide from this position on; choose an earlier one")
    return game


class LegalActions(spaces.Discrete):
    """All actions by id; `sample` without a mask draws one that is legal now.

    Seeded like the next reset, it draws what will be legal then: `seed(7)`, `sample()` and
    `reset(seed=7)` fit together, in this order too, as Gymnasium's `check_env` expects.
    """

    def __init__(self, env: Any, n: int) -> None:
        super().__init__(n)
        self._env = env
        self._seeded: int | None = None

    def seed(self, seed: int | None = None) -> Any:
        self._seeded = seed
        return super().seed(seed)

    def sample(self, mask: Any = None, probability: Any = None) -> np.int64:
        if mask is None and probability is None:
            mask = self._env.legal_mask(self._seeded)
        return super().sample(mask, probability)

    def settle(self) -> None:
        """Draw from the current position from now on."""
        self._seeded = None

    def __reduce__(self) -> Any:
        return LegalActions, (self._env, int(self.n))
