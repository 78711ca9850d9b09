"""Look one throw ahead: what a leaf is worth after the best reply to what the dice may show.

Candidates are the leaves within a few points of the best. Three dice or fewer are enumerated;
more are sampled by stratified throws that are common to all candidates, in batches after which
the worse half of the candidates is dropped. In the compilable subset.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from foxtray.bots import network, planner
from foxtray.core import chance, rules
from foxtray.core.codes import DICE, THROW

if TYPE_CHECKING:
    from foxtray.bots.desk import Array, Desk, Net
    from foxtray.core.layout import Tables
    from foxtray.core.state import State

SHUFFLE = 31
"""The purpose of the draws that arrange a batch of throws."""
BATCH = 24
"""Throws of a batch: every die shows every face equally often in it."""
LEAST = 64
"""No candidate wins by fewer sampled throws than this, unless the effort is spent."""
EXACT = 3
"""So many dice or fewer are enumerated."""


def own_throw(s: State, seat: int) -> bool:
    """Whether the next throw is this seat's own."""
    return s.phase == THROW and rules.active_seat(s) == seat


def pick_candidates(desk: Desk, count: int, margin: float, most: int) -> int:
    """The best leaves, best first, into `desk.picked`; returns how many."""
    n = 0
    top = planner.UNKNOWN
    while n < most:
        found = -1
        for i in range(1, count):
            if desk.values[i] > planner.UNKNOWN and not desk.taken[i]:
                if found < 0 or desk.values[i] > desk.values[found]:
                    found = i
        if found < 0:
            break
        if n == 0:
            top = desk.values[found]
        elif desk.values[found] < top - margin:
            break
        desk.taken[found] = 1
        desk.picked[n] = found
        n += 1
    for k in range(n):
        desk.taken[desk.picked[k]] = 0
    return n


def reply(tables: list[Tables], leaf: State, seat: int, bound: int, net: Net, inner: Desk) -> float:
    """The best value after the throw that `inner.work` describes."""
    rules.roll(tables[0], leaf, inner.work.faces, inner.work.order, inner.work.log)
    if not planner.asked(inner.nodes[0], seat):
        network.set_root(tables[0], inner.nodes[0], seat, net, inner)
        return planner.leaf_value(tables[0], inner.nodes[0], seat, net, inner)
    count = planner.plan(tables, seat, bound, net, inner)
    value: float = inner.values[planner.best(inner.values, count)]
    return value


def arrange(low: int, high: int, where: int, batch: int, size: int, sheet: Array) -> None:
    """A batch of stratified throws: per die a shuffled run of all faces."""
    for d in range(DICE):
        for k in range(size):
            sheet[k][d] = k % 6 + 1
        for k in range(size - 1, 0, -1):
            place = where ^ (batch << 16 | d << 8 | k)
            j = chance.draw(low, high, SHUFFLE, place, k + 1)
            held = sheet[k][d]
            sheet[k][d] = sheet[j][d]
            sheet[j][d] = held


def enumerate_throws(
    tables: list[Tables], node: int, seat: int, bound: int, net: Net, desk: Desk, inner: Desk
) -> float:
    """The exact expectation over all faces of the wanted dice."""
    mask = rules.rolling(tables[0], desk.nodes[node])
    outcomes = 1
    for d in range(DICE):
        if mask >> d & 1:
            outcomes *= 6
    total = 0.0
    for outcome in range(outcomes):
        left = outcome
        for d in range(DICE):
            if mask >> d & 1:
                inner.work.faces[d] = left % 6 + 1
                left //= 6
        inner.nodes[0] = desk.nodes[node]
        total += reply(tables, inner.nodes[0], seat, bound, net, inner)
    return total / outcomes


def look_ahead(
    tables: list[Tables],
    node: int,
    seat: int,
    low: int,
    high: int,
    where: int,
    bound: int,
    exact: int,
    throws: int,
    net: Net,
    desk: Desk,
    inner: Desk,
) -> tuple[float, float]:
    """What a leaf is worth after the next throw, and the standard error of that.

    Enumerates up to `exact` dice; more are thrown, in whole batches or six times.
    """
    if not own_throw(desk.nodes[node], seat):
        return desk.values[node], 0.0
    if dice_wanted(tables[0], desk.nodes[node]) <= exact:
        return enumerate_throws(tables, node, seat, bound, net, desk, inner), 0.0
    size = min(BATCH, throws)
    total = 0.0
    squares = 0.0
    done = 0
    while done < throws:
        arrange(low, high, where, done // size, size, desk.sheet)
        for m in range(size):
            take_throw(desk, m, inner)
            inner.nodes[0] = desk.nodes[node]
            value = reply(tables, inner.nodes[0], seat, bound, net, inner)
            total += value
            squares += value * value
        done += size
    mean = total / done
    return mean, ((squares / done - mean * mean) / (done - 1)) ** 0.5


def dice_wanted(t: Tables, s: State) -> int:
    mask = rules.rolling(t, s)
    n = 0
    for d in range(DICE):
        n += mask >> d & 1
    return n


def best_node(
    tables: list[Tables],
    seat: int,
    low: int,
    high: int,
    where: int,
    bound: int,
    reply_bound: int,
    throws: int,
    effort: int,
    margin: float,
    most: int,
    net: Net,
    desk: Desk,
    inner: Desk,
) -> int:
    """The leaf to steer for from node 0; its value in `desk.values` is the searched one.

    Looks at about `effort` states at most. They are counted instead of the time, so that a
    decision is the same on every machine; with little left the weaker candidates are given up.
    """
    t = tables[0]
    count = planner.plan(tables, seat, bound, net, desk)
    n = pick_candidates(desk, count, margin, most)
    inner.effort = 0
    sampled = 0
    k = 0
    while k < n:
        node = desk.picked[k]
        desk.sums[k] = desk.values[node]
        desk.thrown[k] = 0
        if n > 1 and own_throw(desk.nodes[node], seat):
            if dice_wanted(t, desk.nodes[node]) <= EXACT:
                desk.sums[k] = enumerate_throws(tables, node, seat, reply_bound, net, desk, inner)
            else:
                desk.sums[k] = 0.0
                desk.thrown[k] = 1
                sampled += 1
        k += 1
        # As many candidates as the effort allows if the next ones cost as much as those before.
        n = min(n, max(k, effort * k // max(1, inner.effort)))
    alive = n
    done = 0
    batch = 0
    while sampled > 0 and done < throws and alive > 1 and (done == 0 or inner.effort < effort):
        arrange(low, high, where, batch, BATCH, desk.sheet)
        for m in range(BATCH):
            for k in range(n):
                if desk.thrown[k] == 1:
                    take_throw(desk, m, inner)
                    inner.nodes[0] = desk.nodes[desk.picked[k]]
                    desk.sums[k] += reply(tables, inner.nodes[0], seat, reply_bound, net, inner)
        done += BATCH
        batch += 1
        alive, sampled = drop_half(desk, n, done)
    top = -1
    top_value = planner.UNKNOWN
    for k in range(n):
        if desk.thrown[k] >= 0:
            value = desk.sums[k] / done if desk.thrown[k] == 1 and done > 0 else desk.sums[k]
            desk.values[desk.picked[k]] = value
            if value > top_value:
                top_value = value
                top = desk.picked[k]
    return top


def take_throw(desk: Desk, m: int, inner: Desk) -> None:
    """Lay out throw m of the batch for the reply."""
    for d in range(DICE):
        inner.work.faces[d] = desk.sheet[m][d]
        inner.work.order[d] = (d + m) % DICE


def drop_half(desk: Desk, n: int, done: int) -> tuple[int, int]:
    """Drop the worse half of the sampled candidates; returns how many are left, and sampled."""
    alive = 0
    for k in range(n):
        if desk.thrown[k] == 1:
            better = 0
            for j in range(n):
                if desk.thrown[j] == 1 and desk.sums[j] > desk.sums[k]:
                    better += 1
            desk.ranks[k] = better
            alive += 1
    # Two of them are worth enough throws to tell them apart.
    kept = max(1 if done >= LEAST else 2, (alive + 1) // 2)
    rest = 0
    sampled = 0
    for k in range(n):
        if desk.thrown[k] == 1 and desk.ranks[k] >= kept:
            desk.thrown[k] = -1
        if desk.thrown[k] >= 0:
            rest += 1
        if desk.thrown[k] == 1:
            sampled += 1
    return rest, sampled
