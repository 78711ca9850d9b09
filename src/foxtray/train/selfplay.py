"""Games by the net that learns, and what every moment of them should have said.

A sample is the description of a chance node and its target: the points still to come as
TD(lambda) sees them, from the values that the playing net gave. With look-ahead, alone, the
luck of the throws is taken out of the target. In the compilable subset.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from foxtray.bots import features, network, planner, search
from foxtray.bots.features import DENSE
from foxtray.core import chance, rules
from foxtray.core.codes import AREAS, OVER, THROW
from foxtray.sim import loops

if TYPE_CHECKING:
    from foxtray.bots.desk import Array, Desk, Net
    from foxtray.core.layout import Tables
    from foxtray.core.state import State
    from foxtray.train.samples import Samples

TASTE = 11
"""The purpose of the draws that settle a taste."""


def settle_tastes(low: int, high: int, share: float, strength: float, tastes: Array) -> None:
    """Give a game a taste for some areas, with a probability."""
    chosen = chance.draw(low, high, TASTE, 0, 1000) < share * 1000
    for area in range(len(tastes)):
        tastes[area] = 0.0
        if chosen and strength > 0:
            tastes[area] = strength * (chance.draw(low, high, TASTE, 1 + area, 2001) - 1000) * 0.001


def sample(t: Tables, s: State, seat: int, at: int, net: Net, desk: Desk, samples: Samples) -> None:
    """Write down what the net sees of a seat now and what it says."""
    n = features.describe(t, s, seat, desk.active, desk.dense)
    samples.counts[at] = n
    for k in range(n):
        samples.active[at][k] = desk.active[k]
    for k in range(DENSE):
        samples.dense[at][k] = desk.dense[k]
    samples.guesses[at] = (
        network.forward(net, desk.active, n, desk.dense, desk.h1, desk.h2, desk.loud)
        * network.SCALE
    )
    samples.hopes[at] = planner.UNKNOWN
    samples.totals[at] = rules.total_score(t, s, seat)
    samples.seats[at] = seat


def decide(
    tables: list[Tables], states: list[State], seat: int, bound: int, net: Net, desk: Desk
) -> None:
    """Let a seat do all that it does before the next throw: the state jumps to the best leaf."""
    desk.nodes[0] = states[0]
    count = planner.plan(tables, seat, bound, net, desk)
    states[0] = desk.nodes[planner.best(desk.values, count)]


def play_game(
    tables: list[Tables],
    states: list[State],
    low: int,
    high: int,
    seats: int,
    bound: int,
    throws: int,
    share: float,
    strength: float,
    at: int,
    net: Net,
    desk: Desk,
    inner: Desk,
    samples: Samples,
) -> int:
    """Play one game; its samples go to the rows from `at` on; returns the row after them.

    With `throws` every throw of a solo game is looked at beforehand. At a table that would not do:
    what follows a throw there is not the next sample but what the others make of it.
    """
    t = tables[0]
    states[0] = states[1]
    states[0].seats = seats
    if seats > 1:
        states[0].first = chance.draw(low, high, chance.FIRST, 0, seats)
    rules.begin(t, states[0], desk.work.log)
    settle_tastes(low, high, share, strength, desk.tastes)
    while states[0].phase != OVER:
        s = states[0]
        if s.phase == THROW:
            at = sample_node(t, s, at, net, desk, samples)
            if throws > 0:
                desk.nodes[0] = s
                value, _ = search.look_ahead(
                    tables, 0, 0, low, high, at, bound, 1, throws, net, desk, inner
                )
                samples.hopes[at - 1] = value - samples.totals[at - 1]
            loops.throw(t, s, low, high, desk.work)
        else:
            seat = loops.lowest_seat(rules.awaiting(t, s))
            decide(tables, states, seat, bound, net, desk)
    return at


def sample_node(t: Tables, s: State, at: int, net: Net, desk: Desk, samples: Samples) -> int:
    """Sample the seats for which a throw is a moment of their own: at its start all of them."""
    active = rules.active_seat(s)
    for seat in range(s.seats):
        if seat == active or (s.rolls <= 1 and s.rerolls == 0):
            sample(t, s, seat, at, net, desk, samples)
            at += 1
    return at


def set_targets(t: Tables, s: State, first: int, end: int, decay: float, samples: Samples) -> None:
    """The TD(lambda) targets of one finished game, from its end backwards, for each seat.

    What a throw led to is replaced by what it was worth, where that is known: the same in the mean,
    and without the luck.
    """
    for seat in range(s.seats):
        coming = 0.0
        guess = 0.0
        final = rules.total_score(t, s, seat)
        total = final
        for i in range(end - 1, first - 1, -1):
            if samples.seats[i] == seat:
                step = total - samples.totals[i] + guess
                if samples.hopes[i] > planner.UNKNOWN:
                    step = samples.hopes[i]
                coming = step + decay * (coming - guess)
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
    throws: int,
    decay: float,
    share: float,
    strength: float,
    nets: list[Net],
    desks: list[Desk],
    inners: list[Desk],
    samples: Samples,
    results: Array,
) -> int:
    """Play games with the seeds from `seed` on; results are their mean totals.

    The numbers of seats are taken in turn. Returns how many samples there are.
    """
    net = nets[0]
    desk = desks[0]
    inner = inners[0]
    at = 0
    for g in range(games):
        now = seed + g
        low = now & chance.MASK
        high = now >> 32
        first = at
        at = play_game(
            tables, states, low, high, seats[now % len(seats)], bound, throws, share, strength, at,
            net, desk, inner, samples,
        )  # fmt: skip
        s = states[0]
        results[g] = 0.0
        for seat in range(s.seats):
            results[g] += rules.total_score(tables[0], s, seat) / s.seats
        set_targets(tables[0], s, first, at, decay, samples)
    return at
