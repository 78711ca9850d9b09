"""Decisions of the bots that value positions, for many games at once; in the compilable subset."""

from __future__ import annotations

from typing import TYPE_CHECKING

from foxtray.bots import planner, search
from foxtray.core import chance, rules

if TYPE_CHECKING:
    from foxtray.bots.desk import Array, Desk, Net
    from foxtray.core.layout import Tables
    from foxtray.core.state import State

NOISE = 21
"""The purpose of draws that blur a value."""


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
                rules.apply(t, desk.nodes[0], seat, desk.legal[k], desk.log)
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
    net: Net,
    desk: Desk,
    actions: Array,
) -> None:
    """The best action of each game by its value, blurred by some noise in points."""
    for k in range(len(which)):
        n = consider(tables, states, which[k], seats[k], bound, noise > 0, net, desk)
        where = planner.fingerprint(desk.words, 0) & chance.MASK
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
    margin: float,
    most: int,
    net: Net,
    desk: Desk,
    inner: Desk,
    actions: Array,
) -> None:
    """The best action of each game by value and one throw of look-ahead."""
    for k in range(len(which)):
        desk.nodes[0] = states[which[k]]
        where = planner.fingerprint(desk.words, 0) & chance.MASK
        node = search.best_node(
            tables, seats[k], lows[k], highs[k], where, bound, reply_bound, throws, margin, most,
            net, desk, inner,
        )  # fmt: skip
        actions[k] = desk.firsts[node]
