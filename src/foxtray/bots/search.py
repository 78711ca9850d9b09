"""Looks one throw ahead: the value of a leaf after the best reply to each throw.

Candidates are the leaves within a few points of the best. Throws of up to three dice are
enumerated. Others are sampled: all candidates get the same stratified throws, in batches, and the
worse half of the candidates is dropped after each batch. In the compilable subset.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from foxtray.bots import network, planner
from foxtray.core import chance, rules
from foxtray.core.codes import DICE, THROW

if TYPE_CHECKING:
    from foxtray.bots.workspace import Net, Rows, Workspace
    from foxtray.core.chance import Word
    from foxtray.core.layout import Tables
    from foxtray.core.state import State

SHUFFLE = 31
"""The purpose of the draws that arrange a batch of throws."""
BATCH = 24
"""The throws in a batch: every die shows every face equally often."""
LEAST = 64
"""The fewest sampled throws before a single candidate may remain, unless the effort runs out."""
EXACT = 3
"""The most dice whose throws are enumerated."""
MARGIN = 8.0
"""Only leaves within this many points of the best are searched."""
CANDIDATES = 8
"""The most leaves that are searched."""


def own_throw(s: State, seat: int) -> bool:
    """Whether the next throw is this seat's own."""
    return s.phase == THROW and rules.active_seat(s) == seat


def pick_candidates(workspace: Workspace, count: int, margin: float, most: int) -> int:
    """Write the best leaves to `workspace.picked`, best first; returns how many."""
    n = 0
    top = planner.UNKNOWN
    while n < most:
        found = -1
        for i in range(1, count):
            if workspace.values[i] > planner.UNKNOWN and not workspace.taken[i]:
                if found < 0 or workspace.values[i] > workspace.values[found]:
                    found = i
        if found < 0:
            break
        if n == 0:
            top = workspace.values[found]
        elif workspace.values[found] < top - margin:
            break
        workspace.taken[found] = 1
        workspace.picked[n] = found
        n += 1
    for k in range(n):
        workspace.taken[workspace.picked[k]] = 0
    return n


def reply(
    tables: list[Tables], leaf: State, seat: int, bound: int, nets: list[Net], inner: Workspace
) -> float:
    """The best value after the throw that `inner.work` describes."""
    rules.roll(tables[0], leaf, inner.work.faces, inner.work.order, inner.work.log)
    return best_value(tables, seat, bound, nets, inner)


def best_value(
    tables: list[Tables], seat: int, bound: int, nets: list[Net], inner: Workspace
) -> float:
    """The best value that a plan finds from node 0."""
    if not planner.unfinished(tables[0], inner, 0, seat):
        network.set_root(tables[0], inner.nodes[0], seat, nets, inner)
        return planner.leaf_value(tables[0], inner.nodes[0], seat, nets, inner)
    count = planner.plan(tables, seat, bound, nets, inner)
    value: float = inner.values[planner.best(inner.values, count)]
    return value


def arrange(low: Word, high: Word, where: Word, batch: int, size: int, sheet: Rows) -> None:
    """A batch of stratified throws: for each die, all faces in random order."""
    for d in range(DICE):
        for k in range(size):
            sheet[k][d] = k % 6 + 1
        for k in range(size - 1, 0, -1):
            place = (where ^ (batch << 16 | d << 8 | k)) & chance.MASK
            j = chance.draw(low, high, SHUFFLE, place, k + 1)
            held = sheet[k][d]
            sheet[k][d] = sheet[j][d]
            sheet[j][d] = held


def enumerate_throws(
    tables: list[Tables],
    node: int,
    seat: int,
    bound: int,
    nets: list[Net],
    workspace: Workspace,
    inner: Workspace,
) -> float:
    """The exact expected value over all faces of the dice to throw."""
    mask = rules.rolling(tables[0], workspace.nodes[node])
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
        inner.nodes[0] = workspace.nodes[node]
        total += reply(tables, inner.nodes[0], seat, bound, nets, inner)
    return total / outcomes


def look_ahead(
    tables: list[Tables],
    node: int,
    seat: int,
    low: Word,
    high: Word,
    where: Word,
    bound: int,
    exact: int,
    throws: int,
    nets: list[Net],
    workspace: Workspace,
    inner: Workspace,
) -> tuple[float, float]:
    """The value of a leaf after the next throw, and its standard error.

    Up to `exact` dice are enumerated; more are sampled, in whole batches or six times.
    """
    if not own_throw(workspace.nodes[node], seat):
        return workspace.values[node], 0.0
    if dice_wanted(tables[0], workspace.nodes[node]) <= exact:
        return enumerate_throws(tables, node, seat, bound, nets, workspace, inner), 0.0
    size = min(BATCH, throws)
    total = 0.0
    squares = 0.0
    done = 0
    while done < throws:
        arrange(low, high, where, done // size, size, workspace.sheet)
        for m in range(size):
            take_throw(workspace, m, inner)
            inner.nodes[0] = workspace.nodes[node]
            value = reply(tables, inner.nodes[0], seat, bound, nets, inner)
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
    low: Word,
    high: Word,
    where: Word,
    bound: int,
    reply_bound: int,
    throws: int,
    effort: int,
    margin: float,
    most: int,
    nets: list[Net],
    workspace: Workspace,
    inner: Workspace,
) -> int:
    """The leaf to aim for from node 0; `workspace.values` then holds its searched value.

    Visits about `effort` states at most. It counts states, not time, so that a decision is the same
    on every machine; when they run short, the weaker candidates are dropped.
    """
    t = tables[0]
    count = planner.plan(tables, seat, bound, nets, workspace)
    n = pick_candidates(workspace, count, margin, most)
    inner.effort = 0
    sampled = 0
    k = 0
    while k < n:
        node = workspace.picked[k]
        workspace.sums[k] = workspace.values[node]
        workspace.thrown[k] = 0
        if n > 1 and own_throw(workspace.nodes[node], seat):
            if dice_wanted(t, workspace.nodes[node]) <= EXACT:
                workspace.sums[k] = enumerate_throws(
                    tables, node, seat, reply_bound, nets, workspace, inner
                )
            else:
                workspace.sums[k] = 0.0
                workspace.thrown[k] = 1
                sampled += 1
        k += 1
        # Keep as many candidates as the effort allows if the rest cost as much as those so far.
        n = min(n, max(k, effort * k // max(1, inner.effort)))
    alive = n
    done = 0
    batch = 0
    while sampled > 0 and done < throws and alive > 1 and (done == 0 or inner.effort < effort):
        arrange(low, high, where, batch, BATCH, workspace.sheet)
        for m in range(BATCH):
            for k in range(n):
                if workspace.thrown[k] == 1:
                    take_throw(workspace, m, inner)
                    inner.nodes[0] = workspace.nodes[workspace.picked[k]]
                    workspace.sums[k] += reply(
                        tables, inner.nodes[0], seat, reply_bound, nets, inner
                    )
        done += BATCH
        batch += 1
        alive, sampled = drop_half(workspace, n, done)
    top = -1
    top_value = planner.UNKNOWN
    for k in range(n):
        if workspace.thrown[k] >= 0:
            value = (
                workspace.sums[k] / done
                if workspace.thrown[k] == 1 and done > 0
                else workspace.sums[k]
            )
            workspace.values[workspace.picked[k]] = value
            if value > top_value:
                top_value = value
                top = workspace.picked[k]
    return top


def take_throw(workspace: Workspace, m: int, inner: Workspace) -> None:
    """Copy throw m of the batch for the reply."""
    for d in range(DICE):
        inner.work.faces[d] = workspace.sheet[m][d]
        inner.work.order[d] = (d + m) % DICE


def drop_half(workspace: Workspace, n: int, done: int) -> tuple[int, int]:
    """Drop the worse half of the sampled candidates; returns how many remain, and are sampled."""
    alive = 0
    for k in range(n):
        if workspace.thrown[k] == 1:
            better = 0
            for j in range(n):
                if workspace.thrown[j] == 1 and workspace.sums[j] > workspace.sums[k]:
                    better += 1
            workspace.ranks[k] = better
            alive += 1
    # The last two get enough throws to tell them apart.
    kept = max(1 if done >= LEAST else 2, (alive + 1) // 2)
    rest = 0
    sampled = 0
    for k in range(n):
        if workspace.thrown[k] == 1 and workspace.ranks[k] >= kept:
            workspace.thrown[k] = -1
        if workspace.thrown[k] >= 0:
            rest += 1
        if workspace.thrown[k] == 1:
            sampled += 1
    return rest, sampled
