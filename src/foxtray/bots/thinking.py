"""Decisions of the bots that value positions, for many games at once; in the compilable subset."""

from __future__ import annotations

from typing import TYPE_CHECKING

from foxtray.bots import features, network, planner, search, winning
from foxtray.bots.network import QUANTILES
from foxtray.core import chance, rules

if TYPE_CHECKING:
    from foxtray.bots.desk import Array, Desk, Net
    from foxtray.core.layout import Tables
    from foxtray.core.state import State

NOISE = 21
"""The purpose of draws that blur a value."""
LAST_ROUNDS = 2
"""So many rounds before the end the look-ahead plays to win, not for points."""


def blur(low: int, high: int, where: int, action: int) -> float:
    """A number of mean 0 and spread 1, nearly normal: six uniform draws together."""
    total = 0.0
    for k in range(6):
        total += chance.draw(low, high, NOISE + k, where ^ action << 20, 4096) / 4095.0 - 0.5
    return total * 1.41421356


def first_values(desk: Desk, count: int, offers: Array, n: int) -> None:
    """For every legal action the best value it can lead to, in `offers`."""
    for k in range(n):
        offers[k] = planner.UNKNOWN
    for i in range(1, count):
        if desk.values[i] > planner.UNKNOWN:
            for k in range(n):
                if desk.legal[k] == desk.firsts[i]:
                    offers[k] = max(offers[k], desk.values[i])


def consider(
    tables: list[Tables],
    states: list[State],
    i: int,
    seat: int,
    bound: int,
    every: bool,
    net: Net,
    desk: Desk,
) -> int:
    """Plan from a state; fills `legal` and `offers` of the desk; returns how many are legal.

    A plan merges equal states, so an action that leads only where another one leads too stays
    without a value, unless `every` action is to have one.
    """
    t = tables[0]
    desk.nodes[0] = states[i]
    count = planner.plan(tables, seat, bound, net, desk)
    n = rules.legal_actions(t, desk.nodes[0], seat, desk.legal)
    first_values(desk, count, desk.offers, n)
    if every:
        for k in range(n):
            if desk.offers[k] == planner.UNKNOWN:
                rules.apply(t, desk.nodes[0], seat, desk.legal[k], desk.work.log)
                count = planner.plan(tables, seat, bound, net, desk)
                desk.offers[k] = desk.values[planner.best(desk.values, count)]
                desk.nodes[0] = states[i]
    return n


def choose(
    tables: list[Tables],
    states: list[State],
    which: Array,
    seats: Array,
    lows: Array,
    highs: Array,
    bound: int,
    noise: float,
    nets: list[Net],
    desks: list[Desk],
    actions: Array,
) -> None:
    """The best action of each game by its value, blurred by some noise in points."""
    net = nets[0]
    desk = desks[0]
    desk.rivals = 0
    for k in range(len(which)):
        n = consider(tables, states, which[k], seats[k], bound, noise > 0, net, desk)
        where = planner.fingerprint(desk.words[0]) & chance.MASK
        best = 0
        best_value = planner.UNKNOWN
        for j in range(n):
            value = desk.offers[j]
            if noise > 0 and n > 1:
                value += noise * blur(lows[k], highs[k], where, desk.legal[j])
            if value > best_value:
                best_value = value
                best = j
        actions[k] = desk.legal[best]


def search_all(
    tables: list[Tables],
    states: list[State],
    which: Array,
    seats: Array,
    lows: Array,
    highs: Array,
    bound: int,
    reply_bound: int,
    throws: int,
    effort: int,
    margin: float,
    most: int,
    nets: list[Net],
    desks: list[Desk],
    inners: list[Desk],
    actions: Array,
) -> None:
    """The best action of each game by value and one throw of look-ahead.

    In the last two rounds it is the chance to win that counts, if there are others to beat.
    """
    t = tables[0]
    net = nets[0]
    desk = desks[0]
    inner = inners[0]
    for k in range(len(which)):
        set_rivals(desk, inner, 0)
        if plays_to_win(t, states[which[k]]):
            count = weigh_rivals(tables, states, which[k], seats[k], bound, net, desk, inner)
            set_rivals(desk, inner, count)
        desk.nodes[0] = states[which[k]]
        where = planner.fingerprint(desk.words[0]) & chance.MASK
        node = search.best_node(
            tables, seats[k], lows[k], highs[k], where, bound, reply_bound, throws, effort, margin,
            most, net, desk, inner,
        )  # fmt: skip
        actions[k] = desk.firsts[node]


def plays_to_win(t: Tables, s: State) -> bool:
    """Whether the look-ahead cares for the chance to win by now, and not for points."""
    return s.seats > 1 and t.rounds[s.seats] - rules.round_of(s) <= LAST_ROUNDS


def weigh_rivals(
    tables: list[Tables],
    states: list[State],
    i: int,
    seat: int,
    bound: int,
    net: Net,
    desk: Desk,
    inner: Desk,
) -> int:
    """Write to both desks where the others may end; returns how many they are.

    Who is asked at the same time does its best first: what it has now is not what it ends with.
    """
    t = tables[0]
    set_rivals(desk, inner, 0)
    count = 0
    for other in range(states[i].seats):
        if other != seat:
            inner.nodes[0] = states[i]
            s = inner.nodes[best_end(tables, other, bound, net, inner)]
            network.points_to_come(t, s, other, net, inner)
            ended = features.ended(t, s, other)
            winning.set_ends(ended, rules.total_score(t, s, other), net, inner)
            for k in range(QUANTILES):
                desk.rival_ends[count][k] = inner.ends[k]
                inner.rival_ends[count][k] = inner.ends[k]
            count += 1
    return count


def set_rivals(desk: Desk, inner: Desk, count: int) -> None:
    """From now on value by the chance to beat so many rivals, or with none of them by points."""
    desk.rivals = count
    inner.rivals = count


def appraise(
    tables: list[Tables],
    states: list[State],
    seat: int,
    low: int,
    high: int,
    bound: int,
    reply_bound: int,
    throws: int,
    margin: float,
    nets: list[Net],
    desks: list[Desk],
    inners: list[Desk],
    legal: Array,
    points: Array,
    chances: Array,
    errors: Array,
    worths: Array,
) -> int:
    """For each legal action its expected final points, the chance to win and the standard error.

    With `throws` the actions within a margin of the best are looked at one throw ahead. Their worth
    is what decides: the points, or the chance to win where `search_all` plays for that.
    """
    t = tables[0]
    net = nets[0]
    desk = desks[0]
    inner = inners[0]
    desk.nodes[0] = states[0]
    where = planner.fingerprint(desk.words[0]) & chance.MASK
    rivals = weigh_rivals(tables, states, 0, seat, bound, net, desk, inner)
    to_win = throws > 0 and plays_to_win(t, states[0])
    reckoned = rivals if to_win else 0
    n = rules.legal_actions(t, states[0], seat, desk.legal)
    top = planner.UNKNOWN
    for k in range(n):
        legal[k] = desk.legal[k]
        set_rivals(desk, inner, reckoned)
        leaf = lead_on(tables, states, seat, legal[k], bound, net, desk)
        worths[k] = desk.values[leaf]
        top = max(top, worths[k])
        total = rules.total_score(t, desk.nodes[leaf], seat)
        points[k] = total + network.points_to_come(t, desk.nodes[leaf], seat, net, desk)
        desk.rivals = rivals
        ended = features.ended(t, desk.nodes[leaf], seat)
        chances[k] = winning.chance_to_win(ended, total, net, desk)
        errors[k] = 0.0
    set_rivals(desk, inner, reckoned)
    for k in range(n):
        if throws > 0 and worths[k] >= top - margin:
            leaf = lead_on(tables, states, seat, legal[k], bound, net, desk)
            worths[k], error = search.look_ahead(
                tables,
                leaf,
                seat,
                low,
                high,
                where,
                reply_bound,
                search.EXACT,
                throws,
                net,
                desk,
                inner,
            )
            if to_win:
                # The points hardly count in a worth; those of the leaf will do to leave them out.
                chance_only = (worths[k] - planner.POINTS_BESIDE * points[k]) / 100.0
                chances[k] = min(1.0, max(0.0, chance_only))
            else:
                points[k] = worths[k]
                errors[k] = error
    return n


def lead_on(
    tables: list[Tables],
    states: list[State],
    seat: int,
    action: int,
    bound: int,
    net: Net,
    desk: Desk,
) -> int:
    """Do an action in the state and the best of what can follow; returns the node it ends in."""
    desk.nodes[0] = states[0]
    rules.apply(tables[0], desk.nodes[0], seat, action, desk.work.log)
    return best_end(tables, seat, bound, net, desk)


def best_end(tables: list[Tables], seat: int, bound: int, net: Net, desk: Desk) -> int:
    """The best chance node that can be reached from node 0, which may be one itself."""
    t = tables[0]
    if not planner.asked(desk.nodes[0], seat):
        network.set_root(t, desk.nodes[0], seat, net, desk)
        desk.values[0] = planner.leaf_value(t, desk.nodes[0], seat, net, desk)
        return 0
    count = planner.plan(tables, seat, bound, net, desk)
    return planner.best(desk.values, count)


def forecast(
    tables: list[Tables],
    states: list[State],
    seat: int,
    bound: int,
    nets: list[Net],
    desks: list[Desk],
    outputs: Array,
) -> bool:
    """All outputs of the network where the best play leads to; whether nothing more can come."""
    t = tables[0]
    desk = desks[0]
    desk.rivals = 0
    desk.nodes[0] = states[0]
    leaf = best_end(tables, seat, bound, nets[0], desk)
    s = desk.nodes[leaf]
    states[0] = s
    network.set_root(t, s, seat, nets[0], desk)
    network.points_to_come(t, s, seat, nets[0], desk)
    for k in range(len(outputs)):
        outputs[k] = winning.output(nets[0], desk.h2, k)
    return features.ended(t, s, seat)
