"""Many games at once for Gymnasium, on the compiled rules."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from foxtray.core.layout import layout
from foxtray.envs.pictures import as_text
from foxtray.envs.seating import Opponents, Reward, Seating, read_position
from foxtray.errors import BadSetup
from foxtray.sim.lockstep import Array

Observations = dict[str, Array]


class VectorTableEnv(VectorEnv[Observations, Array, Array]):
    """A learner that plays many tables side by side."""

    metadata: dict[str, Any]

    def __init__(
        self,
        num_envs: int,
        game: str,
        *,
        seats: int = 1,
        seat: int = 0,
        opponents: Opponents = "greedy",
        reward: Reward = "points",
        fox_floor: bool = False,
        solo_fallback: bool = False,
        autoreset_mode: str | AutoresetMode = AutoresetMode.NEXT_STEP,
        render_mode: str | None = None,
        copy: bool = True,
    ) -> None:
        """With `copy=False` every step returns the same arrays with new contents."""
        self.seating = Seating(game, seats, seat, opponents, reward, fox_floor, solo_fallback)
        self.autoreset_mode = AutoresetMode(autoreset_mode)
        self.metadata = {"render_modes": ["ansi"], "autoreset_mode": self.autoreset_mode}
        if render_mode not in (None, "ansi"):
            raise BadSetup(f"unknown render mode {render_mode!r}; choose ansi")
        self.num_envs, self.render_mode, self.copy = num_envs, render_mode, copy
        self.batch = self.seating.batch(num_envs)
        self.single_observation_space = self.seating.observation_space()
        self.single_action_space = spaces.Discrete(len(layout(game).actions))
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._rows = self.batch.observe()
        self._over = np.zeros(num_envs, np.bool_)
        """The games that ended in the last step and were not started again."""

    def reset(
        self,
        *,
        seed: int | Sequence[int | None] | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[Observations, dict[str, Any]]:
        """Start all games, or those in `options["reset_mask"]`; with a seed, game i has `seed + i`.

        All games start at `options["position"]`, if there is one.
        """
        options = options or {}
        game = read_position(self.batch, options)
        if isinstance(seed, int | np.integer):
            super().reset(seed=int(seed))
            seeds = [int(seed) + i for i in range(self.num_envs)]
        else:
            seeds = self._drawn(self.num_envs).tolist()
            if seed is not None:
                if len(seed) != self.num_envs:
                    raise BadSetup(f"{self.num_envs} games need as many seeds, not {len(seed)}")
                seeds = [drawn if s is None else s for s, drawn in zip(seed, seeds, strict=True)]
        which = np.arange(self.num_envs)
        if "reset_mask" in options:
            chosen = np.asarray(options["reset_mask"])
            if chosen.shape != (self.num_envs,) or chosen.dtype != np.bool_ or not chosen.any():
                raise BadSetup(
                    f"reset_mask must be {self.num_envs} bools, at least one of them true"
                )
            which = np.flatnonzero(chosen)
        self.batch.start(which, [seeds[i] for i in which])
        if game:
            for i in which:
                self.batch.put(int(i), game)
        self._over[which] = False
        self._renew()
        self.batch.observe(self._rows, self.seating.seat)
        observations = self._observations()
        return observations, self._infos(observations["action_mask"])

    def step(self, actions: Array) -> tuple[Observations, Array, Array, Array, dict[str, Any]]:
        """Play an action in every game; what happens after its end is up to `autoreset_mode`."""
        mode = self.autoreset_mode
        batch, seat = self.batch, self.seating.seat
        ended = np.flatnonzero(self._over)
        if mode is AutoresetMode.DISABLED and len(ended):
            raise BadSetup(
                f"{len(ended)} games are over; reset them with options={{'reset_mask': ...}}"
            )
        self._renew()
        batch.step(actions, self._rows, seat)
        rewards = self.seating.rewards(batch)
        if len(ended):  # NEXT_STEP: these ignored their action
            rewards[ended] = 0.0
            self._start(ended)
        over = batch.terminated
        infos = {}
        if mode is AutoresetMode.SAME_STEP and over.any():
            infos = self._final(over)
            self._start(np.flatnonzero(over))
        self._over = np.zeros_like(over) if mode is AutoresetMode.SAME_STEP else over.copy()
        observations = self._observations()
        infos |= self._infos(observations["action_mask"])
        return observations, rewards, over, np.zeros(self.num_envs, np.bool_), infos

    def render(self) -> tuple[str, ...] | None:
        """Every table as text."""
        if self.render_mode is None:
            return None
        return tuple(as_text(self.batch.game(i), self.seating.seat) for i in range(self.num_envs))

    def _drawn(self, n: int) -> Array:
        """Seeds for new games."""
        # As `integers` would draw them, but several times faster.
        drawn: Array = self.np_random.bit_generator.random_raw(n) >> np.uint64(2)
        return drawn

    def _start(self, which: Array) -> None:
        self.batch.start(which, self._drawn(len(which)))
        self.batch.observe(self._rows, self.seating.seat, which)

    def _renew(self) -> None:
        """Let the caller keep the arrays of the last step."""
        if self.copy:
            self._rows = np.empty_like(self._rows)

    def _observations(self) -> Observations:
        mask = self.batch.action_mask
        return {"observation": self._rows, "action_mask": mask.copy() if self.copy else mask}

    def _infos(self, mask: Array) -> dict[str, Any]:
        """The mask again, and the learner's points."""
        return {
            "action_mask": mask,
            "_action_mask": np.ones(self.num_envs, np.bool_),
            "total": self.batch.totals[:, self.seating.seat].copy(),
            "_total": np.ones(self.num_envs, np.bool_),
        }

    def _final(self, over: Array) -> dict[str, Any]:
        """The last observations and infos of games that start again in the same step."""
        found = np.full(self.num_envs, None, object)
        masks = self.batch.action_mask.copy()
        for i in np.flatnonzero(over):
            found[i] = {"observation": self._rows[i].copy(), "action_mask": masks[i].copy()}
        infos = self._infos(masks)
        final = {name: np.zeros_like(infos[name]) for name in ("action_mask", "total")}
        for name, values in final.items():
            values[over] = infos[name][over]
        return {
            "final_obs": found,
            "_final_obs": over.copy(),
            "final_info": {
                **final,
                **{f"_{name}": over.copy() for name in final},
            },
            "_final_info": over.copy(),
        }
