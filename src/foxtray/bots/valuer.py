"""Values of moments before a throw, for reviews and hints: see `valuing` for how they arise."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import numpy as np

from foxtray.bots import compiled
from foxtray.bots.levels import LEVELS
from foxtray.bots.planner import UNKNOWN
from foxtray.bots.valuing import (
    ANOTHER,
    DEPTH,
    OTHERS_BOUND,
    PLAN_BOUND,
    SHORT,
    STRATUM,
    last_throws,
)
from foxtray.bots.weights import read_weights, weights_of
from foxtray.bots.workspace import Array, new_workspace
from foxtray.core import rules
from foxtray.core.chance import MASK
from foxtray.core.codes import ACTIONS, AREAS, DICE, IDLE, PASS
from foxtray.core.layout import layout
from foxtray.core.state import State, no_log
from foxtray.sim.arrays import STATE, Records, read_state, tables_of, write

STEP_BOUND = 256
"""How many states the plan after one of its actions explores completely."""
EXACT_DICE = 3
"""The most dice whose throws are enumerated; one more in the last turn."""
ROUND = 24
"""The throws that are sampled before the candidates are compared again."""
STEPS = 6
"""The rolls that a game is played on for; then the net values it."""
TRUST = 0.7
"""The usual error of the look-ahead's difference between two lines, in points."""
LAST_SAMPLES = 432
"""How many throws there are for the end of a solo game; the reply to each throw tries a few."""
LATER = 1 << 11
"""The place of the last throws of a game, which all moments share; no input of a record has it."""
GLANCE = LATER + 1
"""The place of the throws that a favourite reply is chosen by."""
GLANCES = 6
AHEAD = 18
"""With how many throws `finds` values the favourite reply to a throw."""
BETWEEN = 2.0
"""How much what look-ahead finds differs from moment to moment, in points."""
WITHIN = 3.2
"""And from throw to throw of one moment."""
SURE = 3.0
"""A candidate this many standard errors behind is not sampled any further."""


class Reply(NamedTuple):
    """A way to use the dice until the next throw: the actions, and the moment they lead to."""

    line: tuple[int, ...]
    state: Records
    """An array of one record: the moment before the next throw."""
    points: float
    """The points that the net expects."""


class Outlook(NamedTuple):
    """What a moment promises in detail."""

    areas: tuple[float, ...]
    foxes: float
    win_chance: float | None
    """None in a solo game."""


NOTHING = Outlook((), 0.0, None)


@dataclass(slots=True)
class Worth:
    """The value of one of several moments that were compared."""

    points: float = 0.0
    error: float = 0.0
    """The standard error of the points."""
    outlook: Outlook = NOTHING
    enumerated: bool = False
    """Whether every throw was tried, or nothing is left to chance."""

    @property
    def exact(self) -> bool:
        """Whether there is no error at all: the end of a game may be sampled beyond that throw."""
        return self.enumerated and self.error == 0.0


@dataclass(frozen=True, slots=True)
class Comparison:
    """Moments under the same throws."""

    worths: list[Worth]
    samples: Array = field(repr=False)
    """A row per moment; exact values are repeated."""
    counts: list[int]
    """How many of the throws each moment was sampled with."""
    residuals: dict[int, Array] = field(default_factory=dict, repr=False)
    """By moment, what playing on added to its value in each game that was played out."""

    def difference(self, a: int, b: int) -> tuple[float, float]:
        """How much more moment a is worth than moment b, and the standard error of that."""
        count = min(self.counts[a], self.counts[b])
        gap, error = mean_and_error(self.samples[a, :count] - self.samples[b, :count])
        if a != b:
            # The samples of an enumerated moment are all equal.
            own = [self.worths[i].error for i in (a, b) if self.worths[i].enumerated]
            error = math.hypot(error, *own)
        if a != b and a in self.residuals and b in self.residuals:
            more, doubt = believed(self.residuals[a] - self.residuals[b])
            gap, error = gap + more, math.hypot(error, doubt)
        return gap, error

    def best(self, among: Sequence[int] = ()) -> int:
        """The most valuable moment, of some or of all."""
        return max(among or range(len(self.worths)), key=lambda i: self.worths[i].points)


@dataclass(frozen=True, slots=True)
class Depth:
    """How thoroughly moments are compared."""

    throws: int
    """The throws that the remaining candidates are sampled with."""
    most: int
    """The throws for close calls."""
    tried: int = 0
    """With how many throws the value of a roll includes what look-ahead will find in the reply;
    0: it does not. Twice as many if plans are short."""
    rollouts: int = 0
    """How many times close and costly decisions are played out."""
    error: float = 0.3
    """A difference with a smaller standard error is not sampled further."""


def believed(differences: Array) -> tuple[float, float]:
    """What playing out two lines says about their difference, and how sure that is.

    The look-ahead is rarely wrong by much more than TRUST points, so a noisy result counts less.
    """
    noise = float(differences.var(ddof=1)) / len(differences)
    weight = TRUST**2 / (TRUST**2 + noise)
    return weight * float(differences.mean()), TRUST * math.sqrt(1 - weight)


def mean_and_error(values: Array) -> tuple[float, float]:
    """The mean of stratified samples and its standard error, from the means of the strata."""
    strata = values.reshape(-1, STRATUM).mean(axis=1)
    if len(strata) < 2:
        return float(strata.mean()), float("inf")
    return float(strata.mean()), float(strata.std(ddof=1)) / math.sqrt(len(strata))


class Valuer:
    """Values the moments of one game; a seed always gives the same values."""

    def __init__(self, game: str, seats: int, seed: int = 0, weights: Path | None = None) -> None:
        self.game, self.seats, self.seed = game, seats, seed
        self.layout = layout(game)
        self.tables = tables_of(game)
        found = weights_of(game) if weights is None else read_weights(weights, game)
        self.nets, self.digest = found.nets(seats), found.digest(seats)
        self.bound = LEVELS["expert"].suited(game).reply_bound
        self.plan = new_workspace(game)
        self.inner = new_workspace(game)
        self.deeper = new_workspace(game, 2)
        self.code = compiled.valuing()
        self.more = 2 if self.bound <= SHORT else 1
        self.later = np.zeros((LAST_SAMPLES, DEPTH, DICE), np.int64)
        self.code.deal(seed & MASK, seed >> 32, LATER, 0, self.later)
        self.glance = np.zeros((GLANCES, DEPTH, DICE), np.int64)
        self.code.deal(seed & MASK, seed >> 32, GLANCE, 0, self.glance)

    def record(self, state: State) -> Records:
        """A state as an array of one record."""
        array = np.zeros(1, STATE)
        write(array, 0, state)
        return array

    # --- replies ----------------------------------------------------------------------------------

    def reply_value(self, state: State, seat: int) -> float:
        """The expected points after the best reply, as the samples of a throw count it."""
        with compiled.announced_values():
            value: float = self.code.worth_of(
                self.tables, self.record(state), seat, self.bound, self.nets, self.plan,
                self.deeper, self.later,
            )  # fmt: skip
        return value

    def replies(
        self, state: State, seat: int, most: int, margin: float, bound: int = PLAN_BOUND
    ) -> list[Reply]:
        """The best ways to go on until the next throw, best first."""
        with compiled.announced_values():
            count = self.code.survey(
                self.tables, self.record(state), seat, bound, self.nets, self.plan
            )
        values = self.plan["values"][0][:count]
        order = np.argsort(-values, kind="stable")[:most]
        found = []
        for node in order:
            if values[node] <= UNKNOWN or values[node] < values[order[0]] - margin:
                break
            line = self.path(state, int(node), seat)
            end = np.zeros(1, STATE)  # copying would leave chance in the padding of the record
            end[0] = self.plan["nodes"][0][node]
            found.append(Reply(line, end, float(values[node])))
        return found

    def favourite(self, state: State, seat: int) -> Reply:
        """The reply that `finds` counts on: the best after a glance at the throws that follow."""
        with compiled.announced_values():
            node = self.code.prefer(
                self.tables, self.record(state), seat, self.bound, self.nets, self.plan,
                self.inner, np.zeros(1, STATE), self.glance,
            )  # fmt: skip
        end = np.zeros(1, STATE)
        end[0] = self.plan["nodes"][0][node]
        return Reply(self.path(state, node, seat), end, float(self.plan["values"][0][node]))

    def expected_reply(self, state: State, seat: int) -> State:
        """Where a player goes whose choices are foreseen rather than reviewed."""
        bound = min(self.bound, OTHERS_BOUND)
        return plain(self.replies(state, seat, 1, 0.0, bound)[0].state)

    def path(self, state: State, node: int, seat: int) -> tuple[int, ...]:
        """The actions that lead to a node of the plan."""
        line: list[int] = []
        while node:
            line.append(int(self.plan["steps"][0][node]))
            node = int(self.plan["parents"][0][node])
        line.reverse()
        end, out, log = state.copy(), [0] * ACTIONS, no_log()
        for action in line:
            rules.apply(self.layout.tables, end, seat, action, log)
        # A plan that ran out of room does as little as possible in the end: `planner.hasten`.
        while end.pending[seat] > 0 or end.stage[seat] != IDLE:
            n = rules.legal_actions(self.layout.tables, end, seat, out)
            line.append(PASS if out[0] == PASS else out[n - 1])
            rules.apply(self.layout.tables, end, seat, line[-1], log)
        return tuple(line)

    # --- values -----------------------------------------------------------------------------------

    def compare(
        self,
        states: Sequence[Records],
        seat: int,
        where: int,
        depth: Depth,
        keep: Collection[int] = (),
    ) -> Comparison:
        """Value moments under the same throws; `where` names these throws.

        The moments in `keep` are sampled to the end, however bad they are.
        """
        count = len(states)
        every = np.zeros(count, STATE)  # concatenate would drop the padding of the records
        for i, state in enumerate(states):
            every[i] = state[0]
        with compiled.announced_values():
            kinds = [
                self.code.settle(self.tables, every, i, seat, self.bound, self.nets, self.inner)
                for i in range(count)
            ]
            rivals = self.code.rivals_of(
                self.tables, every[:1].copy(), seat, self.bound, self.nets, self.inner
            )
        points = np.zeros((count, max(depth.most, 1)))
        outlooks = np.zeros((count, AREAS + 2))
        worths = [Worth() for _ in states]
        counts = [0] * count
        open_ones = []
        last = self.last_turn(every)
        for i, mask in enumerate(kinds):
            dice = int(mask).bit_count() if mask != ANOTHER else DICE
            if mask != ANOTHER and dice <= EXACT_DICE + bool(last[i]):
                error = self.enumerate(every, i, seat, int(mask), rivals, outlooks, points)
                worths[i] = Worth(float(points[i, 0]), error, enumerated=True)
                counts[i] = points.shape[1]
            else:
                open_ones.append(i)
        done = 0
        while open_ones and done < depth.most:
            size = min(ROUND, depth.most - done)
            self.sample(every, open_ones, seat, where, done, size, rivals, points, outlooks)
            done += size
            for i in open_ones:
                counts[i] = done
            open_ones = self.undecided(points, counts, worths, open_ones, done, depth, keep)
        leader = self.leading(points, counts, worths)
        for i, worth in enumerate(worths):
            if not worth.enumerated:
                if counts[i] == counts[leader] or worths[leader].enumerated:
                    worth.points, worth.error = mean_and_error(points[i, : counts[i]])
                else:
                    # Fewer throws than the leader: the difference is known better than the value.
                    lead, error = mean_and_error(points[leader, : counts[leader]])
                    gap, more = mean_and_error((points[i] - points[leader])[: counts[i]])
                    worth.points, worth.error = lead + gap, math.hypot(error, more)
            outlook = outlooks[i] / (1 if worth.enumerated else counts[i])
            areas = len(self.layout.sheet.areas)
            worth.outlook = Outlook(
                tuple(outlook[:areas].tolist()),
                float(outlook[areas]),
                float(outlook[areas + 1]) if self.seats > 1 else None,
            )
        return Comparison(worths, points, counts)

    def last_turn(self, states: Records) -> Array:
        """Which states are in the last turn of the game."""
        turns = self.layout.tables.rounds[self.seats] * (2 if self.seats == 1 else self.seats)
        return states["turn"] == turns - 1

    def enumerate(
        self,
        states: Records,
        i: int,
        seat: int,
        mask: int,
        rivals: int,
        outlooks: Array,
        points: Array,
    ) -> float:
        """Value a moment by all throws of its dice; returns the error."""
        throws = np.ones((6 ** mask.bit_count(), DEPTH, DICE), np.int64)
        self.code.enumerate_faces(mask, throws)
        found = np.zeros((len(states), len(throws)))
        variance = self.code.sample(
            self.tables, states, np.array([i]), seat, throws, 0, self.bound, rivals, self.nets,
            self.inner, self.deeper, self.later, found, outlooks,
        )  # fmt: skip
        outlooks[i] /= len(throws)
        points[i, :] = found[i].mean()
        # Every so many throws are followed by the same last ones.
        return math.sqrt(variance / min(len(throws), LAST_SAMPLES // last_throws(self.bound)))

    def sample(
        self,
        states: Records,
        which: Sequence[int],
        seat: int,
        where: int,
        first: int,
        size: int,
        rivals: int,
        points: Array,
        outlooks: Array,
    ) -> None:
        """Value moments under some more throws."""
        throws = np.zeros((size, DEPTH, DICE), np.int64)
        self.code.deal(self.seed & MASK, self.seed >> 32, where, first, throws)
        self.code.sample(
            self.tables, states, np.array(which), seat, throws, first, self.bound, rivals,
            self.nets, self.inner, self.deeper, self.later, points, outlooks,
        )  # fmt: skip

    def leading(self, points: Array, counts: list[int], worths: list[Worth]) -> int:
        """The best moment so far among those with the most throws."""
        most = max(counts)
        return max(
            (i for i in range(len(counts)) if counts[i] == most or worths[i].enumerated),
            key=lambda i: (
                worths[i].points if worths[i].enumerated else float(points[i, : counts[i]].mean())
            ),
        )

    def undecided(
        self,
        points: Array,
        counts: list[int],
        worths: list[Worth],
        open_ones: list[int],
        done: int,
        depth: Depth,
        keep: Collection[int],
    ) -> list[int]:
        """The moments that need more throws: close to the best, or to be kept."""
        leader = self.leading(points, counts, worths)
        rest, close = [], False
        for i in open_ones:
            gap, error = mean_and_error(points[leader, :done] - points[i, :done])
            if i == leader or i in keep:
                rest.append(i)
                close |= i != leader and error > depth.error
            elif gap < SURE * error:
                rest.append(i)
                close |= error > depth.error
        if done >= depth.throws and not close:
            return []
        return rest

    def play_out(
        self, states: Sequence[Records], found: Comparison, which: Sequence[int], seat: int,
        where: int, count: int,
    ) -> Comparison:  # fmt: skip
        """The same comparison after playing on from some of the moments, with the luck taken out.

        The other moments change as the best of these does.
        """
        every = np.zeros(len(states), STATE)
        for i, state in enumerate(states):
            every[i] = state[0]
        residuals = np.zeros((len(states), count))
        for i in which:
            self.code.settle(self.tables, every, i, seat, self.bound, self.nets, self.inner)
        self.code.roll_out(
            self.tables, every, np.array(which), seat, self.seed & MASK, self.seed >> 32, where,
            STEPS, self.bound, self.nets, self.inner, self.plan, self.deeper, self.later,
            np.zeros((STRATUM, DEPTH, DICE), np.int64), residuals,
        )  # fmt: skip
        leader = max(which, key=lambda i: found.worths[i].points)
        worths = []
        shift = float(residuals[leader].mean())
        doubt = float(residuals[leader].std(ddof=1)) / math.sqrt(count)
        for i, worth in enumerate(found.worths):
            more = 0.0
            if i in which and i != leader:
                more = believed(residuals[i] - residuals[leader])[0]
            error = math.hypot(worth.error, doubt)
            # Where the game ends with this throw, nothing is misvalued.
            known = worth.enumerated and not residuals[i].any()
            worths.append(Worth(worth.points + shift + more, error, worth.outlook, known))
        kept = {i: residuals[i] for i in which}
        return Comparison(worths, found.samples, found.counts, kept)

    def finds(self, state: State, seat: int, where: int, depth: Depth) -> tuple[float, float]:
        """How much more look-ahead makes of the next throw than the net says, and its error.

        It is the mean over a few throws, in each of which the favourite reply is valued by looking
        at the throw after it. Any other throw brings as much on average, however wrong the net is.
        `trust` says how far to believe it against what look-ahead finds in other moments.
        """
        throws = np.zeros((depth.tried * self.more, DEPTH, DICE), np.int64)
        ahead = np.zeros((AHEAD, DEPTH, DICE), np.int64)
        found = np.zeros(len(throws))
        low, high, place = self.seed & MASK, self.seed >> 32, GLANCE + 1 + where
        self.code.deal(low, high, place, 0, throws)
        self.code.finds(
            self.tables, self.record(state), seat, low, high, place, self.bound, self.nets,
            self.plan, self.inner, self.deeper, self.later, np.zeros(1, STATE), self.glance,
            throws, ahead, found,
        )  # fmt: skip
        return float(found.mean()), float(found.std(ddof=1)) / math.sqrt(len(found))

    def trust(self, depth: Depth) -> float:
        """The weight of what `finds` says against the mean over all moments, from 0 to 1."""
        return 1 / (1 + (WITHIN / BETWEEN) ** 2 / (depth.tried * self.more))

    def value(self, state: State, seat: int, where: int, depth: Depth) -> Worth:
        """The value of one moment."""
        return self.compare([self.record(state)], seat, where, depth).worths[0]


def plain(states: Records) -> State:
    """The state of an array of one record."""
    return read_state(states, 0)
