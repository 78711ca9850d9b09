"""Searches everything a seat can do before the next throw for the best value.

The net values only chance nodes. Between two of them, every sequence of picks, bonuses and extra
dice is searched: completely up to a number of states, merging equal ones, and best first beyond
that. In the compilable subset.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from foxtray.bots import features, network, winning
from foxtray.core import rules
from foxtray.core.chance import MASK
from foxtray.core.codes import AREAS, BY_ROUND, DICE, IDLE, PASS, SERVING, TRACK, TRACKS

if TYPE_CHECKING:
    from foxtray.bots.workspace import Doubles, Net, Workspace
    from foxtray.core.chance import Wide, Word
    from foxtray.core.layout import Tables
    from foxtray.core.state import State

NODES = 4096
"""The most states of one plan."""
SLOTS = 4 * NODES
"""The size of the hash table of their fingerprints; a power of two."""
FACES = 8
"""More than a face can be."""
LAST_BOUND = 256
"""How many states a plan explores completely in the last round, where mistakes cannot be made good:
nearly all of them."""
UNKNOWN = -1e9
POINTS_BESIDE = 0.02
"""The value of a point when one percent of the chance to win is worth 1."""
IN_ADVANCE = 1 << 52
"""Tells the fingerprint of a state with a round's bonus in advance from the same without it."""


def asked(s: State, seat: int) -> bool:
    """Whether this seat has something to decide."""
    return s.pending[seat] > 0 or s.stage[seat] != IDLE


def bonus_ahead(t: Tables, s: State, seat: int) -> int:
    """The bonus to use at the start of the next round, before the next throw; 0: none.

    A seat that is done with the last turn of a round is valued at the start of the next round, and
    the net has never seen that moment with the bonus still unused. Actions on a track need no
    decision: `features.describe` counts them.
    """
    turn = s.turn + 1
    if s.phase != SERVING or turn % rules.turns_in_round(s) != 0 or asked(s, seat):
        return 0
    coming = turn // rules.turns_in_round(s)
    if coming == t.rounds[s.seats] or t.bonus_kind[t.round_bonus[coming]] == TRACK:
        return 0
    return t.round_bonus[coming]


def unfinished(t: Tables, workspace: Workspace, i: int, seat: int) -> bool:
    """Whether the seat has something to decide in node i, now or at the start of the next round."""
    if asked(workspace.nodes[i], seat):
        return True
    return workspace.origins[i] == i and bonus_ahead(t, workspace.nodes[i], seat) > 0


def stir(key: Word, word: int) -> Word:
    """Stir one number into a 32-bit key."""
    key = ((key ^ word) * 0x2C1B3C6D) & MASK
    return key ^ key >> 15


def fingerprint(t: Tables, s: State, seat: int) -> Wide:
    """A 52-bit hash of a state within a plan of a seat.

    Only what can differ there: the sheets of others change only with the turn, and the rest of the
    seat's own sheet follows from its cells. In four lanes that the processor computes in parallel,
    and with 32-bit arithmetic, so that every twin computes the same.
    """
    a = 0x9E3779B1
    b = 0x85EBCA77
    c = 0xC2B2AE3D
    d = 0x27D4EB2F
    row = s.cells[seat]
    end = t.end_cell[t.areas - 1]
    for k in range(0, end - 3, 4):
        a = stir(a, row[k])
        b = stir(b, row[k + 1])
        c = stir(c, row[k + 2])
        d = stir(d, row[k + 3])
    for k in range(end - end % 4, end):
        a = stir(a, row[k])
    for die in range(DICE):
        b = stir(b, s.face[die] * FACES + s.place[die])
    for track in range(TRACKS):
        c = stir(c, s.circled[seat][track])
        d = stir(d, s.spent[seat][track])
    for bonus in range(1, max(t.marks, t.choice) + 1):
        c = stir(c, s.open[seat][bonus])
    a = stir(stir(a, s.turn), s.phase)
    b = stir(stir(b, s.rolls), s.rerolls)
    c = stir(stir(c, s.follow), s.used[seat])
    d = stir(stir(stir(d, s.stage[seat]), s.foxes[seat]), seat)
    low = ((a * 31 + b) * 31 ^ (c * 37 + d) * 41) & MASK
    high = ((a * 43 + c) * 29 ^ (b * 47 + d) * 53) & MASK
    return (high >> 12) * (MASK + 1) + low


def is_new(workspace: Workspace, key: Wide) -> bool:
    """Whether a state is new in this plan; if so, it is remembered."""
    slot = key & (SLOTS - 1)
    while workspace.stamps[slot] == workspace.stamp:
        if workspace.keys[slot] == key:
            return False
        slot = (slot + 1) & (SLOTS - 1)
    workspace.stamps[slot] = workspace.stamp
    workspace.keys[slot] = key
    return True


def expand(t: Tables, workspace: Workspace, count: int, i: int, seat: int) -> int:
    """Append the successors of node i; returns the new count.

    Where only the bonus of the next round is left to use, the successor has it in advance. The game
    gets there only after others have chosen, so such nodes remember their origin: the last node
    without it. `fold` gives their value to it.
    """
    if not asked(workspace.nodes[i], seat):
        workspace.nodes[count] = workspace.nodes[i]
        grant(t, workspace.nodes[count], seat, workspace)
        workspace.firsts[count] = workspace.firsts[i]
        workspace.parents[count] = i
        workspace.steps[count] = PASS
        workspace.origins[count] = i
        return count + 1
    advanced = workspace.origins[i] != i
    n = rules.legal_actions(t, workspace.nodes[i], seat, workspace.work.out)
    for k in range(n):
        action = workspace.work.out[k]
        workspace.nodes[count] = workspace.nodes[i]
        rules.apply(t, workspace.nodes[count], seat, action, workspace.work.log)
        key = fingerprint(t, workspace.nodes[count], seat)
        if is_new(workspace, key + IN_ADVANCE if advanced else key):
            workspace.firsts[count] = action if i == 0 else workspace.firsts[i]
            workspace.parents[count] = i
            workspace.steps[count] = action
            workspace.origins[count] = workspace.origins[i] if advanced else count
            count += 1
    return count


def grant(t: Tables, s: State, seat: int, workspace: Workspace) -> None:
    """Give a seat the bonus of the next round in advance."""
    bonus = bonus_ahead(t, s, seat)
    rules.earn(t, s, seat, bonus, BY_ROUND, rules.round_of(s) + 1, workspace.work.log)
    rules.settle(t, s, seat, workspace.work.log)


def hasten(t: Tables, workspace: Workspace, i: int, seat: int) -> None:
    """Bring a node to its chance node by doing as little as possible."""
    while asked(workspace.nodes[i], seat):
        n = rules.legal_actions(t, workspace.nodes[i], seat, workspace.work.out)
        action = PASS if workspace.work.out[0] == PASS else workspace.work.out[n - 1]
        rules.apply(t, workspace.nodes[i], seat, action, workspace.work.log)


def plan(tables: list[Tables], seat: int, bound: int, nets: list[Net], workspace: Workspace) -> int:
    """Search from node 0 and value every leaf; returns the number of nodes.

    Up to `bound` nodes the search is complete. Beyond that, each open state is valued as if the
    seat did as little as possible from there, and the best is expanded first, up to twice the
    bound. States that are still open at the end keep that value.
    """
    t = tables[0]
    workspace.stamp += 1
    workspace.origins[0] = 0
    network.set_root(t, workspace.nodes[0], seat, nets, workspace)
    count = 1
    i = 0
    while i < count and count < bound:
        workspace.values[i] = UNKNOWN
        if unfinished(t, workspace, i, seat):
            count = expand(t, workspace, count, i, seat)
        else:
            workspace.values[i] = leaf_value(t, workspace.nodes[i], seat, nets, workspace)
        i += 1
    if i < count:
        count = follow_best(t, workspace, i, count, seat, 2 * bound, nets)
    fold(workspace, count)
    workspace.effort += count
    return count


def fold(workspace: Workspace, count: int) -> None:
    """Give each node the value of its best successor with a bonus in advance: its heir."""
    for i in range(count):
        workspace.heirs[i] = i
        origin = workspace.origins[i]
        if origin != i:
            if workspace.values[i] > workspace.values[origin]:
                workspace.values[origin] = workspace.values[i]
                workspace.heirs[origin] = i
            workspace.values[i] = UNKNOWN


def bound_at(t: Tables, s: State, bound: int, last_bound: int) -> int:
    """The bound of a plan now: the last round may have its own."""
    return last_bound if rules.round_of(s) == t.rounds[s.seats] - 1 else bound


def follow_best(
    t: Tables, workspace: Workspace, first: int, count: int, seat: int, bound: int, nets: list[Net]
) -> int:
    """Value the nodes from `first` on, expanding the best one while there is room."""
    for i in range(first, count):
        value_open(t, workspace, i, seat, nets)
    while count < bound:
        best_open = -1
        for i in range(first, count):
            if workspace.open[i] and (
                best_open < 0 or workspace.values[i] > workspace.values[best_open]
            ):
                best_open = i
        if best_open < 0:
            return count
        workspace.open[best_open] = 0
        workspace.values[best_open] = UNKNOWN
        before = count
        count = expand(t, workspace, count, best_open, seat)
        for i in range(before, count):
            value_open(t, workspace, i, seat, nets)
    for i in range(first, count):
        if workspace.open[i]:
            hasten(t, workspace, i, seat)
    return count


def value_open(t: Tables, workspace: Workspace, i: int, seat: int, nets: list[Net]) -> None:
    """Value a node as if the seat did as little as possible from there."""
    workspace.open[i] = unfinished(t, workspace, i, seat)
    last = NODES - 1
    workspace.nodes[last] = workspace.nodes[i]
    hasten(t, workspace, last, seat)
    if workspace.origins[i] == i and bonus_ahead(t, workspace.nodes[last], seat) > 0:
        grant(t, workspace.nodes[last], seat, workspace)
        hasten(t, workspace, last, seat)
    workspace.values[i] = leaf_value(t, workspace.nodes[NODES - 1], seat, nets, workspace)


def leaf_value(t: Tables, s: State, seat: int, nets: list[Net], workspace: Workspace) -> float:
    """The value of a leaf: the expected final points, plus any preferences.

    With rivals it is the chance to win in percent; points then hardly count.
    """
    total = rules.total_score(t, s, seat)
    value = network.points_to_come(t, s, seat, nets, workspace) + total
    if workspace.rivals > 0:
        chance = winning.chance_to_win(features.ended(t, s, seat), total, nets, workspace)
        return 100.0 * chance + POINTS_BESIDE * value
    for area in range(t.areas):
        if workspace.preferences[area] != 0:
            value += workspace.preferences[area] * rules.area_points(t, s, seat, area)
    if workspace.preferences[AREAS] != 0:
        value += workspace.preferences[AREAS] * s.foxes[seat]
    return value


def best_leaf(workspace: Workspace, count: int) -> int:
    """The node that the best node is valued as: it has the bonus of the next round, if any."""
    found = best(workspace.values, count)
    leaf: int = workspace.heirs[found]
    workspace.values[leaf] = workspace.values[found]
    return leaf


def best(values: Doubles, count: int) -> int:
    """The node with the highest value; the first one if several are equal."""
    found = 0
    for i in range(1, count):
        if values[i] > values[found]:
            found = i
    return found
