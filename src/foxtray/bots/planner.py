"""All that a seat can do before the next throw, and which of it leads to the best value.

The value lives only at chance nodes. Between two of them the whole sequence of pick, bonuses and
extra dice is searched: completely up to a bound on the number of states, merging equal ones, and
best first beyond it. In the compilable subset.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from foxtray.bots import features, network, winning
from foxtray.core import rules
from foxtray.core.codes import IDLE, PASS

if TYPE_CHECKING:
    from foxtray.bots.desk import Array, Desk, Net
    from foxtray.core.layout import Tables
    from foxtray.core.state import State

NODES = 4096
"""Room for the states of one plan."""
SLOTS = 4 * NODES
"""Room for their fingerprints; a power of two."""
UNKNOWN = -1e9
POINTS_BESIDE = 0.02
"""What a point counts beside a hundredth of the chance to win."""


def asked(s: State, seat: int) -> bool:
    """Whether it is this seat that has to decide."""
    return s.pending[seat] > 0 or s.stage[seat] != IDLE


def fingerprint(row: Array) -> int:
    """A 64-bit hash of a state, from its memory; four lanes, so that they overlap in time."""
    size = len(row)
    a = 1469598103934665603
    b = 1099511628211
    c = 7809847782465536322
    d = 2870177450012600261
    for k in range(0, size - 3, 4):
        a = (a ^ row[k]) * 1099511628211
        b = (b ^ row[k + 1]) * 1099511628217
        c = (c ^ row[k + 2]) * 1099511628223
        d = (d ^ row[k + 3]) * 1099511628257
        a ^= (a >> 31) & 0x1FFFFFFFF
        b ^= (b >> 31) & 0x1FFFFFFFF
        c ^= (c >> 31) & 0x1FFFFFFFF
        d ^= (d >> 31) & 0x1FFFFFFFF
    for k in range(size - size % 4, size):
        a = (a ^ row[k]) * 1099511628211
        a ^= (a >> 31) & 0x1FFFFFFFF
    return (a * 31 + b) * 31 ^ (c * 37 + d) * 41


def is_new(desk: Desk, key: int) -> bool:
    """Whether a state was not seen in this plan; it is then remembered."""
    slot = (key ^ (key >> 32)) & (SLOTS - 1)
    while desk.stamps[slot] == desk.stamp:
        if desk.keys[slot] == key:
            return False
        slot = (slot + 1) & (SLOTS - 1)
    desk.stamps[slot] = desk.stamp
    desk.keys[slot] = key
    return True


def expand(t: Tables, desk: Desk, count: int, i: int, seat: int) -> int:
    """Append the states that follow node i; returns the new count."""
    n = rules.legal_actions(t, desk.nodes[i], seat, desk.work.out)
    for k in range(n):
        action = desk.work.out[k]
        desk.nodes[count] = desk.nodes[i]
        rules.apply(t, desk.nodes[count], seat, action, desk.work.log)
        if is_new(desk, fingerprint(desk.words[count])):
            desk.firsts[count] = action if i == 0 else desk.firsts[i]
            count += 1
    return count


def hasten(t: Tables, desk: Desk, i: int, seat: int) -> None:
    """Bring a node to its chance node by doing as little as possible."""
    while asked(desk.nodes[i], seat):
        n = rules.legal_actions(t, desk.nodes[i], seat, desk.work.out)
        action = PASS if desk.work.out[0] == PASS else desk.work.out[n - 1]
        rules.apply(t, desk.nodes[i], seat, action, desk.work.log)


def plan(tables: list[Tables], seat: int, bound: int, net: Net, desk: Desk) -> int:
    """Search from node 0 and value every leaf; returns how many nodes there are.

    Up to `bound` nodes the search is complete. Then the open states are valued as what they are
    when as little as possible is done with them, and the best is followed first, up to twice the
    bound; those still open at the end count as that.
    """
    t = tables[0]
    desk.stamp += 1
    network.set_root(t, desk.nodes[0], seat, net, desk)
    count = 1
    i = 0
    while i < count and count < bound:
        desk.values[i] = UNKNOWN
        if asked(desk.nodes[i], seat):
            count = expand(t, desk, count, i, seat)
        else:
            desk.values[i] = leaf_value(t, desk.nodes[i], seat, net, desk)
        i += 1
    if i < count:
        count = follow_best(t, desk, i, count, seat, 2 * bound, net)
    desk.effort += count
    return count


def follow_best(
    t: Tables, desk: Desk, first: int, count: int, seat: int, bound: int, net: Net
) -> int:
    """Value the nodes from `first` on, expanding the most promising while there is room."""
    for i in range(first, count):
        value_open(t, desk, i, seat, net)
    while count < bound:
        best_open = -1
        for i in range(first, count):
            if desk.open[i] and (best_open < 0 or desk.values[i] > desk.values[best_open]):
                best_open = i
        if best_open < 0:
            return count
        desk.open[best_open] = 0
        desk.values[best_open] = UNKNOWN
        before = count
        count = expand(t, desk, count, best_open, seat)
        for i in range(before, count):
            value_open(t, desk, i, seat, net)
    for i in range(first, count):
        if desk.open[i]:
            hasten(t, desk, i, seat)
    return count


def value_open(t: Tables, desk: Desk, i: int, seat: int, net: Net) -> None:
    """Value a node as what it is when as little as possible is done with it."""
    desk.open[i] = asked(desk.nodes[i], seat)
    desk.nodes[NODES - 1] = desk.nodes[i]
    hasten(t, desk, NODES - 1, seat)
    desk.values[i] = leaf_value(t, desk.nodes[NODES - 1], seat, net, desk)


def leaf_value(t: Tables, s: State, seat: int, net: Net, desk: Desk) -> float:
    """What a leaf is worth: the points expected at the end, with what a taste adds to them.

    Where rivals are weighed it is the chance to win in hundredths; points then hardly count.
    """
    total = rules.total_score(t, s, seat)
    value = network.points_to_come(t, s, seat, net, desk) + total
    if desk.rivals > 0:
        chance = winning.chance_to_win(features.ended(t, s, seat), total, net, desk)
        return 100.0 * chance + POINTS_BESIDE * value
    for area in range(t.areas):
        if desk.tastes[area] != 0:
            value += desk.tastes[area] * rules.area_points(t, s, seat, area)
    return value


def best(values: Array, count: int) -> int:
    """The node with the highest value, the first of equals."""
    found = 0
    for i in range(1, count):
        if values[i] > values[found]:
            found = i
    return found
