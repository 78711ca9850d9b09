"""Self-play, and the training targets from it.

A sample is the description of a chance node and its target: the points still to come by
TD(lambda), from the values of the net that played. In solo games, look-ahead can remove the luck of
the throws from the target. In the compilable subset.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from foxtray.bots import features, network, planner, search
from foxtray.bots.features import DENSE
from foxtray.core import chance, rules
from foxtray.core.codes import AREAS, OVER, THROW
from foxtray.sim import loops

if TYPE_CHECKING:
    from foxtray.bots.workspace import Array, Net, Workspace
    from foxtray.core.layout import Tables
    from foxtray.core.state import State
    from foxtray.train.samples import Samples

PREFERENCE = 11
"""The purpose of the draws that set a preference."""


def set_preferences(low: int, high: int, share: float, strength: float, preferences: Array) -> None:
    """Give a share of the games random preferences for areas."""
    chosen = chance.draw(low, high, PREFERENCE, 0, 1000) < share * 1000
    for area in range(len(preferences)):
        preferences[area] = 0.0
        if chosen and strength > 0:
            drawn = chance.draw(low, high, PREFERENCE, 1 + area, 2001)
            preferences[area] = strength * (drawn - 1000) * 0.001


def sample(
    t: Tables, s: State, seat: int, at: int, net: Net, workspace: Workspace, samples: Samples
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
            net, workspace.active, n, workspace.dense, workspace.h1, workspace.h2, workspace.loud
        )
        * network.SCALE
    )
    samples.hopes[at] = planner.UNKNOWN
    samples.totals[at] = rules.total_score(t, s, seat)
    samples.seats[at] = seat


def decide(
    tables: list[Tables], states: list[State], seat: int, bound: int, net: Net, workspace: Workspace
) -> None:
    """Play everything a seat does before the next throw: the state jumps to the best leaf."""
    workspace.nodes[0] = states[0]
    count = planner.plan(tables, seat, bound, net, workspace)
    states[0] = workspace.nodes[planner.best(workspace.values, count)]


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
    workspace: Workspace,
    inner: Workspace,
    samples: Samples,
) -> int:
    """Play one game; stores its samples in the rows from `at` on, returns the row after them.

    With `throws`, the value of each throw of a solo game is searched first. This does not work with
    several seats: there, the other players act between a throw and the seat's next sample.
    """
    t = tables[0]
    states[0] = states[1]
    states[0].seats = seats
    if seats > 1:
        states[0].first = chance.draw(low, high, chance.FIRST, 0, seats)
    rules.begin(t, states[0], workspace.work.log)
    set_preferences(low, high, share, strength, workspace.preferences)
    while states[0].phase != OVER:
        s = states[0]
        if s.phase == THROW:
            at = sample_node(t, s, at, net, workspace, samples)
            if throws > 0:
                workspace.nodes[0] = s
                value, _ = search.look_ahead(
                    tables, 0, 0, low, high, at, bound, 1, throws, net, workspace, inner
                )
                samples.hopes[at - 1] = value - samples.totals[at - 1]
            loops.throw(t, s, low, high, workspace.work)
        else:
            seat = loops.lowest_seat(rules.awaiting(t, s))
            decide(tables, states, seat, bound, net, workspace)
    return at


def sample_node(
    t: Tables, s: State, at: int, net: Net, workspace: Workspace, samples: Samples
) -> int:
    """Sample the active seat, and at the start of a turn all seats."""
    active = rules.active_seat(s)
    for seat in range(s.seats):
        if seat == active or (s.rolls <= 1 and s.rerolls == 0):
            sample(t, s, seat, at, net, workspace, samples)
            at += 1
    return at


def set_targets(t: Tables, s: State, first: int, end: int, decay: float, samples: Samples) -> None:
    """Set the TD(lambda) targets of a finished game, from its end backwards, for each seat.

    If the value of a throw was searched, it replaces the throw's outcome: the mean is the same,
    without the luck.
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
    workspaces: list[Workspace],
    inners: list[Workspace],
    samples: Samples,
    results: Array,
) -> int:
    """Play games with the seeds from `seed` on; `results` gets their mean totals.

    The numbers of seats alternate. Returns the number of samples.
    """

    net = nets[0]
    workspace = workspaces[0]
    inner = inners[0]
    at = 0
    for g in range(games):
        now = seed + g
        low = now & chance.MASK
        high = now >> 32
        first = at
        at = play_game(
            tables, states, low, high, seats[now % len(seats)], bound, throws, share, strength, at,
            net, workspace, inner, samples,
        )  # fmt: skip
        s = states[0]
        results[g] = 0.0
        for seat in range(s.seats):
            results[g] += rules.total_score(tables[0], s, seat) / s.seats
        set_targets(tables[0], s, first, at, decay, samples)
    return at
