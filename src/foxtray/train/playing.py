"""The self-play of a round: on threads here, or in a pool of processes, such as a cluster.

A round is played in as many shares as the plan has threads, wherever they are played, so both give
the same samples.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache, partial
from typing import NamedTuple, Protocol

import numpy as np

from foxtray.bots.network import EARLY, LATE
from foxtray.bots.valuing import DEPTH
from foxtray.bots.workspace import Array, new_workspace
from foxtray.core.codes import DICE
from foxtray.sim.arrays import STATE, Records, tables_of
from foxtray.sim.workers import Pool
from foxtray.train import compiled
from foxtray.train.plan import Plan
from foxtray.train.samples import Samples, new_samples

MOST_SAMPLES = 160
"""The most samples per seat in a game."""


class Share(NamedTuple):
    """Games to play: the seeds `seed`, `seed + 1`, ..."""

    seed: int
    games: int

    def __str__(self) -> str:
        return f"the self-play with seeds {self.seed} to {self.seed + self.games - 1}"


class Played(NamedTuple):
    """What was played: the first `size` samples, and the mean totals of the games."""

    size: int
    samples: Samples
    totals: Array


class Players(Protocol):
    """Whatever plays the shares of a round."""

    def play(self, shares: Sequence[Share], strength: float, nets: Records) -> list[Played]:
        """Play a round with these nets, and this strength of preferences."""

    def close(self) -> None:
        """Stop."""


def players(plan: Plan, pool: Pool | None) -> Players:
    return Threads(plan) if pool is None else Elsewhere(plan, pool)


class Player:
    """Plays one share after the other in the same memory."""

    def __init__(self, plan: Plan) -> None:
        each = -(-plan.per_round // plan.threads)
        self.plan = plan
        self.workspace, self.inner = new_workspace(plan.game), new_workspace(plan.game)
        self.states = np.zeros(2, STATE)
        for name in plan.options:
            self.states[name][1] = 1  # every game starts as a copy of the second state
        self.samples = new_samples(each * MOST_SAMPLES * max(plan.seats))
        self.results = np.zeros(each)
        self.dealt = np.zeros((plan.throws, DEPTH, DICE), np.int64)

    def play(self, share: Share, strength: float, nets: Records) -> Played:
        """Play a share; the samples are overwritten by the next one."""
        plan = self.plan
        apart = not plan.ending and nets[EARLY] != nets[LATE]
        count: int = compiled.selfplay().play_games(
            tables_of(plan.game), self.states, share.seed, share.games, np.array(plan.seats),
            plan.bound, plan.last_bound or plan.bound, plan.throws, plan.decay, plan.openings,
            plan.ending, apart, plan.share, strength, nets, self.workspace, self.inner, self.dealt,
            self.samples, self.results,
        )  # fmt: skip
        return Played(count, self.samples, self.results[: share.games])


class Threads:
    """A player for each thread of the plan."""

    def __init__(self, plan: Plan) -> None:
        compiled.selfplay()  # before there are threads, which would all compile it
        self.players = [Player(plan) for _ in range(plan.threads)]
        self.threads = ThreadPoolExecutor(plan.threads)

    def play(self, shares: Sequence[Share], strength: float, nets: Records) -> list[Played]:
        def one(k: int) -> Played:
            return self.players[k].play(shares[k], strength, nets)

        return list(self.threads.map(one, range(len(shares))))

    def close(self) -> None:
        self.threads.shutdown()


class Elsewhere:
    """Players in the processes of a pool; each keeps its memory for the next round."""

    def __init__(self, plan: Plan, pool: Pool) -> None:
        self.plan, self.pool = plan, pool

    def play(self, shares: Sequence[Share], strength: float, nets: Records) -> list[Played]:
        work = partial(play_share, plan=self.plan, strength=strength, nets=nets)
        # What came from elsewhere may be read-only, for which the learner is not compiled.
        return [
            Played(each.size, Samples(*map(np.array, each.samples)), each.totals)
            for each in self.pool.map(work, shares)
        ]

    def close(self) -> None:
        """The pool stays open: it belongs to the caller."""


@lru_cache(maxsize=1)
def player_of(plan: Plan) -> Player:
    return Player(plan)


def play_share(share: Share, plan: Plan, strength: float, nets: Records) -> Played:
    """Play a share in another process; returns only the samples there are."""
    count, samples, totals = player_of(plan).play(share, strength, np.array(nets))
    return Played(count, Samples(*(column[:count] for column in samples)), totals)
