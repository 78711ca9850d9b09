"""A table for PettingZoo: every seat is an agent, and acts when it is awaited."""

from __future__ import annotations

from typing import Any

import numpy as np
from pettingzoo import AECEnv, ParallelEnv
from pettingzoo.utils.wrappers import OrderEnforcingWrapper

from foxtray.core.codes import PASS
from foxtray.core.layout import layout
from foxtray.envs.pictures import as_picture, as_text
from foxtray.envs.seating import (
    LegalActions,
    Reward,
    check_reward,
    observation_space,
    read_position,
    seat_rewards,
)
from foxtray.errors import BadSetup
from foxtray.game import Game
from foxtray.sim.lockstep import Array, Batch

SEEDS = 1 << 62
MODES = ("ansi", "rgb_array", "human")


def env(game: str, seats: int = 2, **settings: Any) -> Any:
    """One decision at a time; raises when it is used in the wrong order."""
    return OrderEnforcingWrapper(raw_env(game, seats, **settings))


class Table:
    """What both kinds of environment have in common."""

    def __init__(
        self,
        game: str,
        seats: int = 2,
        *,
        reward: Reward = "points",
        fox_floor: bool = False,
        solo_fallback: bool = False,
        render_mode: str | None = None,
    ) -> None:
        if render_mode is not None and render_mode not in MODES:
            raise BadSetup(f"unknown render mode {render_mode!r}; choose one of {', '.join(MODES)}")
        check_reward(reward, seats)
        self.batch = Batch(game, 1, seats, fox_floor=fox_floor, solo_fallback=solo_fallback)
        self.reward, self.render_mode = reward, render_mode
        self.possible_agents = [f"player_{seat}" for seat in range(seats)]
        self.agents: list[str] = []
        self.seat_of = {agent: seat for seat, agent in enumerate(self.possible_agents)}
        space, actions = observation_space(game, seats), len(layout(game).actions)
        self.observation_spaces = dict.fromkeys(self.possible_agents, space)
        self.action_spaces = {
            agent: LegalActions(SeatView(self, seat), actions)
            for agent, seat in self.seat_of.items()
        }
        self._mask: Array = self.batch.action_mask[0]
        self._seeds = np.random.default_rng()

    def observation_space(self, agent: str) -> Any:
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Any:
        return self.action_spaces[agent]

    @property
    def game(self) -> Game:
        """The game at this moment."""
        return self.batch.game(0)

    def begin(self, seed: int | None, options: dict[str, Any] | None) -> None:
        """Start a game with the dice of the seed, or at `options["position"]`."""
        game = read_position(self.batch, options)
        if seed is None:
            seed = int(self._seeds.integers(SEEDS))
        else:
            self._seeds = np.random.default_rng(seed)
        self.batch.start([0], [seed])
        if game:
            self.batch.put(0, game)
        for space in self.action_spaces.values():
            space.settle()
        self.agents = self.possible_agents[:]

    def seen(self, agent: str, mask: Array) -> dict[str, Array]:
        """What an agent sees."""
        return {
            "observation": self.batch.observe(None, self.seat_of[agent])[0],
            "action_mask": mask,
        }

    def render(self) -> str | Array | None:
        """The sheet of the seat that has to decide, as text or as a picture."""
        seat = max(0, int(self.batch.cases["seat"][0]))
        if self.render_mode == "rgb_array":
            return as_picture(self.game, seat)
        text = as_text(self.game, seat)
        if self.render_mode == "human":
            print(text, end="\n\n")
            return None
        return text

    def close(self) -> None:
        """Nothing has to be closed."""


class SeatView:
    """What the action space of a seat knows about its table."""

    def __init__(self, table: Table, seat: int) -> None:
        self.table, self.seat = table, seat

    def legal_mask(self, seed: int | None = None) -> Array:
        """What the seat may do now; just a pass, which is ignored, if it has nothing to decide."""
        batch = self.table.batch.copy()
        mask: Array = batch.action_mask[0]
        if batch.awaiting[0, self.seat]:
            batch.ask(0, self.seat)
        else:
            mask[:] = 0
            mask[PASS] = 1
        return mask


class raw_env(Table, AECEnv[str, Any, Any]):  # noqa: N801  (the name that PettingZoo expects)
    """One decision at a time: the lowest seat that is awaited."""

    metadata: dict[str, Any] = {  # noqa: RUF012
        "name": "table_v0",
        "render_modes": list(MODES),
        "render_fps": 2,
        "is_parallelizable": False,
    }

    def __init__(self, game: str, seats: int = 2, **settings: Any) -> None:
        AECEnv.__init__(self)
        Table.__init__(self, game, seats, **settings)

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        self.begin(seed, options)
        self.rewards: dict[str, float] = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards: dict[str, float] = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self.agent_selection = self.agents[int(self.batch.cases["seat"][0])]

    def observe(self, agent: str) -> dict[str, Array]:
        """What an agent sees; its mask is empty while another agent decides."""
        awaited = agent == self.agent_selection
        return self.seen(agent, self._mask.copy() if awaited else np.zeros_like(self._mask))

    def step(self, action: int | None) -> None:
        """Let the selected agent act by the id of an action; an illegal one raises."""
        agent = self.agent_selection
        if self.terminations[agent]:
            self._was_dead_step(action)
            return
        if action is None:
            raise BadSetup(f"{agent} has to decide; pass the id of an action")
        self.batch.step([int(action)])
        self._cumulative_rewards[agent] = 0.0
        case = self.batch.cases[0]
        over = case["seat"] < 0
        if self.reward == "points":
            gained = case["gained"].tolist()
        else:
            gained = seat_rewards(self.batch, self.reward)[0].tolist()
        for seat, other in enumerate(self.agents):
            self.rewards[other] = float(gained[seat])
            self._cumulative_rewards[other] += self.rewards[other]
        if over:
            self.terminations = dict.fromkeys(self.agents, True)
            self.agent_selection = self._deads_step_first()
        else:
            self.agent_selection = self.possible_agents[case["seat"]]
        if self.render_mode == "human":
            self.render()


class parallel_env(Table, ParallelEnv[str, Any, Any]):  # noqa: N801
    """All decisions that can be made at the same time; agents that are not awaited are ignored."""

    metadata: dict[str, Any] = raw_env.metadata | {"name": "parallel_table_v0"}

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        self.begin(seed, options)
        return self._seen(), {agent: {} for agent in self.agents}

    def step(self, actions: dict[str, int]) -> tuple[dict[str, Any], ...]:
        """Let every agent that is awaited act; if one action is illegal, nothing changes."""
        awaited = np.flatnonzero(self.batch.awaiting[0]).tolist()
        missing = [agent for agent in self.agents if agent not in actions]
        if missing:
            raise BadSetup(f"no action for {', '.join(missing)}; agents that wait need one too")
        trial = self.batch.copy()
        gained = np.zeros(len(self.agents))
        for seat in awaited:
            trial.ask(0, seat)
            trial.step([int(actions[self.agents[seat]])])
            gained += seat_rewards(trial, self.reward)[0]
        self.batch.states[:], self.batch.cases[:] = trial.states, trial.cases
        self._mask[:] = trial.legal_action_mask[0]
        seen, everyone = self._seen(), self.agents
        over = bool(self.batch.terminated[0])
        if over:
            self.agents = []
        if self.render_mode == "human":
            self.render()
        return (
            seen,
            dict(zip(everyone, gained.tolist(), strict=True)),
            dict.fromkeys(everyone, over),
            dict.fromkeys(everyone, False),
            {agent: {} for agent in everyone},
        )

    def _seen(self) -> dict[str, Any]:
        return {
            agent: self.seen(agent, SeatView(self, seat).legal_mask())
            for agent, seat in self.seat_of.items()
        }
