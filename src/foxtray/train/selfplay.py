"""Self-play, and the training targets from it.

A sample is the description of a chance node and its target: the points still to come by
TD(lambda), from the values of the net that played. In solo games, look-ahead can remove the luck of
the throws from the target. In the compilable subset.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from foxtray.bots import features, network, planner, search, valuing
from foxtray.bots.features import DENSE
from foxtray.bots.network import LATE
from foxtray.core import chance, rules
from foxtray.core.codes import AREAS, OVER, THROW
from foxtray.sim import loops
from foxtray.train import openings

if TYPE_CHECKING:
    from foxtray.bots.workspace import Array, Net, Workspace
    from foxtray.core.layout import Tables
    from foxtray.core.state import State
    from foxtray.train.samples import Samples

PREFERENCE = 11
"""The purpose of the draws that set a preference."""
UNKNOWN = -1e9
"""The luck of a throw that others make: only the mean value of some throws is known."""
LUCK_BOUND = 16
"""How many states a plan explores completely to measure the luck of a throw. Any measure will do
that treats the real throw like the others; a short plan is nearly as good and far cheaper."""


def set_preferences(low: int, high: int, share: float, strength: float, preferences: Array) -> None:
    """Give a share of the games random preferences for areas."""
    chosen = chance.draw(low, high, PREFERENCE, 0, 1000) < share * 1000
    preferences[AREAS] = 0.0
    for area in range(AREAS):
        preferences[area] = 0.0
        if chosen and strength > 0:
            drawn = chance.draw(low, high, PREFERENCE, 1 + area, 2001)
            preferences[area] = strength * (drawn - 1000) * 0.001


def sample(
    t: Tables, s: State, seat: int, at: int, nets: list[Net], workspace: Workspace, samples: Samples
) -> None:
    """Store what the net sees of a seat now, and its value."""
    n = features.describe(t, s, seat, workspace.inputs, workspace.active, workspace.dense)
    samples.counts[at] = n
    for k in range(n):
        samples.active[at][k] = workspace.active[k]
    for k in range(DENSE):
        samples.dense[at][k] = workspace.dense[k]
    samples.guesses[at] = (
        network.forward(
            nets[network.net_for(t, s)],
            workspace.active,
            n,
            workspace.dense,
            workspace.h1,
            workspace.h2,
            workspace.loud,
        )
        * network.SCALE
    )
    samples.luck[at] = 0.0
    samples.totals[at] = rules.total_score(t, s, seat)
    samples.seats[at] = seat


def decide(
    tables: list[Tables],
    states: list[State],
    seat: int,
    bound: int,
    last_bound: int,
    nets: list[Net],
    workspace: Workspace,
) -> None:
    """Play what a seat does before the next throw, as `strong` does.

    If the plan is complete, the state jumps to the best leaf. If not, only one action is played:
    the plan after it finds more.
    """
    workspace.nodes[0] = states[0]
    now = planner.bound_at(tables[0], states[0], bound, last_bound)
    count = planner.plan(tables, seat, now, nets, workspace)
    best = planner.best(workspace.values, count)
    if count < now:
        states[0] = workspace.nodes[best]
    else:
        rules.apply(tables[0], states[0], seat, workspace.firsts[best], workspace.work.log)


def play_game(
    tables: list[Tables],
    states: list[State],
    low: int,
    high: int,
    seats: int,
    bound: int,
    last_bound: int,
    throws: int,
    opened: float,
    ending: bool,
    apart: bool,
    share: float,
    strength: float,
    at: int,
    nets: list[Net],
    workspace: Workspace,
    inner: Workspace,
    dealt: Array,
    samples: Samples,
) -> tuple[int, bool]:
    """Play one game, a share of them with an opening; stores its samples in the rows from `at` on.

    Returns the row after them, and whether the game had an opening. With `throws`, the luck of
    each throw is its value less the mean value of some throws, for the seat that throws; what the
    others get from it is left to chance. With `ending`, only the last round is sampled, and the
    target of a seat that does not throw is that mean itself. `apart`: the last round has a net of
    its own, which the other one learns from at its start.
    """
    t = tables[0]
    states[0] = states[1]
    states[0].seats = seats
    if seats > 1:
        states[0].first = chance.draw(low, high, chance.FIRST, 0, seats)
    rules.begin(t, states[0], workspace.work.log)
    length = openings.throws_of(t, states[0], low, high, opened, ending, apart)
    while openings.lasting(states[0], length):
        if states[0].phase == THROW:
            loops.throw(t, states[0], low, high, workspace.work)
        else:
            seat = loops.lowest_seat(rules.awaiting(t, states[0]))
            openings.play(tables, states, seat, low, high, nets, workspace)
    set_preferences(low, high, share, strength, workspace.preferences)
    while states[0].phase != OVER:
        s = states[0]
        if s.phase == THROW:
            first = at
            late = network.net_for(t, s) == LATE
            if ending == late or (late and not (apart and begun(s))):
                at = sample_node(t, s, at, nets, workspace, samples)
            if ending:
                for row in range(first, at):
                    back_up(tables, s, row, low, high, bound, dealt, nets, inner, samples)
                loops.throw(t, s, low, high, workspace.work)
                note_luck(tables, s, first, at, bound, nets, inner, samples)
            elif throws > 0 and at > first:
                seat = rules.active_seat(s)
                row = first
                while samples.seats[row] != seat:
                    row += 1
                workspace.nodes[0] = s
                value, _ = search.look_ahead(
                    tables, 0, seat, low, high, at, LUCK_BOUND, 1, throws, nets, workspace, inner
                )
                loops.throw(t, s, low, high, workspace.work)
                inner.nodes[0] = s
                value = search.best_value(tables, seat, LUCK_BOUND, nets, inner) - value
                samples.luck[row] = value
            else:
                loops.throw(t, s, low, high, workspace.work)
        else:
            seat = loops.lowest_seat(rules.awaiting(t, s))
            decide(tables, states, seat, bound, last_bound, nets, workspace)
    return at, length > 0


def begun(s: State) -> bool:
    """Whether the first throw of the round has been made."""
    return s.turn % rules.turns_in_round(s) > 0 or s.rolls > 1 or s.rerolls > 0


def back_up(
    tables: list[Tables],
    s: State,
    row: int,
    low: int,
    high: int,
    bound: int,
    dealt: Array,
    nets: list[Net],
    inner: Workspace,
    samples: Samples,
) -> None:
    """Set the target of a sample: the mean value after the best reply to each of some throws."""
    seat = samples.seats[row]
    total = 0.0
    valuing.deal(low, high, row, 0, dealt)
    for k in range(len(dealt)):
        inner.nodes[0] = s
        node = valuing.reply(tables, seat, k, bound, planner.LAST_BOUND, nets, inner, dealt)
        total += inner.values[node]
    samples.targets[row] = total / len(dealt) - samples.totals[row]
    samples.luck[row] = UNKNOWN


def note_luck(
    tables: list[Tables],
    s: State,
    first: int,
    end: int,
    bound: int,
    nets: list[Net],
    inner: Workspace,
    samples: Samples,
) -> None:
    """Note the luck of a throw for the seat that made it: its value less the mean in the target.

    The mean itself would be too low a target: a seat that plays on plans again after an action if
    its plan was not complete, and so finds more than the plan promised.
    """
    for row in range(first, end):
        seat = samples.seats[row]
        if seat == rules.active_seat(s):
            inner.nodes[0] = s
            count = valuing.consider(tables, seat, bound, planner.LAST_BOUND, nets, inner)
            value = inner.values[planner.best(inner.values, count)]
            samples.luck[row] = value - samples.totals[row] - samples.targets[row]


def sample_node(
    t: Tables, s: State, at: int, nets: list[Net], workspace: Workspace, samples: Samples
) -> int:
    """Sample the active seat, and at the start of a turn all seats."""
    active = rules.active_seat(s)
    for seat in range(s.seats):
        if seat == active or (s.rolls <= 1 and s.rerolls == 0):
            sample(t, s, seat, at, nets, workspace, samples)
            at += 1
    return at


def set_targets(
    t: Tables,
    s: State,
    first: int,
    end: int,
    decay: float,
    apart: bool,
    samples: Samples,
) -> None:
    """Set the TD(lambda) targets of a finished game, from its end backwards, for each seat.

    The luck of a throw is taken out, where it is known: the mean stays the same. Where only the
    mean value of some throws is known, it is the target, in which there is no luck; but it trusts
    the best of many guesses, which is too high, so what the rest of the game showed is added to it
    as well. If the last round has a net of its own, its value is the target at the start.
    """
    for seat in range(s.seats):
        coming = 0.0
        guess = 0.0
        final = rules.total_score(t, s, seat)
        total = final
        last = apart
        for i in range(end - 1, first - 1, -1):
            if samples.seats[i] == seat:
                step = total - samples.totals[i] + guess - samples.luck[i]
                if samples.luck[i] == UNKNOWN:
                    step = samples.targets[i]
                coming = samples.guesses[i] if last else step + decay * (coming - guess)
                last = False
                samples.targets[i] = coming
                for area in range(AREAS):
                    samples.ends[i][area] = rules.area_points(t, s, seat, area)
                samples.ends[i][AREAS] = s.foxes[seat]
                samples.ends[i][AREAS + 1] = final
                guess = samples.guesses[i]
                total = samples.totals[i]


def play_games(
    tables: list[Tables],
    states: list[State],
    seed: int,
    games: int,
    seats: Array,
    bound: int,
    last_bound: int,
    throws: int,
    decay: float,
    opened: float,
    ending: bool,
    apart: bool,
    share: float,
    strength: float,
    nets: list[Net],
    workspaces: list[Workspace],
    inners: list[Workspace],
    dealt: Array,
    samples: Samples,
    results: Array,
) -> int:
    """Play games with the seeds from `seed` on; `results` gets the mean totals of those without
    an opening, NaN for the others.

    The numbers of seats alternate. Returns the number of samples.
    """

    workspace = workspaces[0]
    inner = inners[0]
    at = 0
    for g in range(games):
        now = seed + g
        low = now & chance.MASK
        high = now >> 32
        first = at
        at, led = play_game(
            tables, states, low, high, seats[now % len(seats)], bound, last_bound, throws, opened,
            ending, apart, share, strength, at, nets, workspace, inner, dealt, samples,
        )  # fmt: skip
        s = states[0]
        results[g] = float("nan") if led else 0.0
        for seat in range(s.seats):
            results[g] += rules.total_score(tables[0], s, seat) / s.seats
        set_targets(tables[0], s, first, at, decay, apart, samples)
    return at
