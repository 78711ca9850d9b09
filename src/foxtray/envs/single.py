"""One table for Gymnasium: a learner and its opponents."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np

from foxtray.core.layout import layout
from foxtray.envs.pictures import as_picture, as_text
from foxtray.envs.seating import LegalActions, Opponents, Reward, Seating, read_position
from foxtray.errors import BadSetup
from foxtray.game import Game
from foxtray.sim.lockstep import Array

Observation = dict[str, Array]
SEEDS = 1 << 62


class TableEnv(gymnasium.Env[Observation, np.int64]):
    """A learner at a table; its opponents are bots and play by themselves."""

    metadata: dict[str, Any] = {"render_modes": ["ansi", "rgb_array", "human"], "render_fps": 2}  # noqa: RUF012

    def __init__(
        self,
        game: str,
        *,
        seats: int = 1,
        seat: int = 0,
        opponents: Opponents = "greedy",
        reward: Reward = "points",
        fox_floor: bool = False,
        solo_fallback: bool = False,
        render_mode: str | None = None,
    ) -> None:
        if render_mode is not None and render_mode not in self.metadata["render_modes"]:
            known = ", ".join(self.metadata["render_modes"])
            raise BadSetup(f"unknown render mode {render_mode!r}; choose one of {known}")
        self.seating = Seating(game, seats, seat, opponents, reward, fox_floor, solo_fallback)
        self.render_mode = render_mode
        self.batch = self.seating.batch(1)
        self.observation_space: Any = self.seating.observation_space()
        self.action_space: LegalActions = LegalActions(self, len(layout(game).actions))
        self._points = reward == "points"
        self._row = self.batch.observe(None, seat)
        self._mask: Array = self.batch.action_mask[0]
        self._actions = np.zeros(1, np.int64)

    @property
    def game(self) -> Game:
        """The game at this moment."""
        return self.batch.game(0)

    def legal_mask(self, seed: int | None = None) -> Array:
        """What is legal now, or at the start of the game with this seed."""
        if seed is None:
            return self._mask
        other = self.batch.copy()
        other.start([0], [seed])
        mask: Array = other.action_mask[0]
        return mask

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Start a game with the dice of the seed, or at `options["position"]`."""
        game = read_position(self.batch, options)
        super().reset(seed=seed)
        if seed is None:
            seed = int(self.np_random.integers(SEEDS))
        self.action_space.settle()
        self.batch.start([0], [seed])
        if game:
            self.batch.put(0, game)
        self.batch.observe(self._row, self.seating.seat)
        info = self._info()
        info["seed"] = seed
        self._show()
        return self._observation(), info

    def step(self, action: np.int64 | int) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Play an action by its id; an illegal one raises IllegalAction and changes nothing."""
        batch = self.batch
        self._actions[0] = action
        batch.step(self._actions, self._row, self.seating.seat)
        case = batch.cases[0]
        over = bool(case["seat"] < 0)
        if self._points:
            reward = float(case["gained"][self.seating.seat])
        else:
            reward = float(self.seating.rewards(batch)[0]) if over else 0.0
        self._show()
        return self._observation(), reward, over, False, self._info()

    def render(self) -> str | Array | None:
        """The table as text or as a picture."""
        if self.render_mode == "ansi":
            return as_text(self.game, self.seating.seat)
        if self.render_mode == "rgb_array":
            return as_picture(self.game, self.seating.seat)
        return None

    def _show(self) -> None:
        if self.render_mode == "human":
            print(as_text(self.game, self.seating.seat), end="\n\n")

    def _observation(self) -> Observation:
        return {"observation": self._row[0].copy(), "action_mask": self._mask.copy()}

    def _info(self) -> dict[str, Any]:
        totals = self.batch.cases["totals"][0]
        return {"action_mask": self._mask.copy(), "total": int(totals[self.seating.seat])}
