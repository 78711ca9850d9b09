"""Decisions of the bots with a net, for many games at once; in the compilable subset."""

from __future__ import annotations

from typing import TYPE_CHECKING

from foxtray.bots import features, network, planner, search, winning
from foxtray.core import chance, rules

if TYPE_CHECKING:
    from foxtray.bots.workspace import Doubles, Net, Workspace
    from foxtray.core.chance import Word
    from foxtray.core.layout import Tables
    from foxtray.core.state import State

    Ints = list[int]
    Words = list[Word]

NOISE = 21
"""The purpose of the draws that add noise to a value."""
LAST_ROUNDS = 2
"""In this many rounds before the end, the look-ahead plays to win, not for points."""


def blur(low: Word, high: Word, where: Word, action: int) -> float:
    """A nearly normal number of mean 0 and standard deviation 1: the sum of six uniform draws."""
    place = (where ^ action << 20) & chance.MASK
    total = 0.0
    for k in range(6):
        total += chance.draw(low, high, NOISE + k, place, 4096) / 4095.0 - 0.5
    return total * 1.41421356


def first_values(workspace: Workspace, count: int, offers: Doubles, n: int) -> None:
    """Write the best value that each legal action can lead to into `offers`."""
    for k in range(n):
        offers[k] = planner.UNKNOWN
    for i in range(1, count):
        if workspace.values[i] > planner.UNKNOWN:
            for k in range(n):
                if workspace.legal[k] == workspace.firsts[i]:
                    offers[k] = max(offers[k], workspace.values[i])


def consider(
    tables: list[Tables],
    states: list[State],
    i: int,
    seat: int,
    bound: int,
    every: bool,
    nets: list[Net],
    workspace: Workspace,
) -> int:
    """Plan from a state; fills the workspace's `legal` and `offers`, returns the number of actions.

    A plan merges equal states, so an action that only leads to states reached by others has no
    value, unless `every` is set.
    """
    t = tables[0]
    workspace.nodes[0] = states[i]
    count = planner.plan(tables, seat, bound, nets, workspace)
    n = rules.legal_actions(t, workspace.nodes[0], seat, workspace.legal)
    first_values(workspace, count, workspace.offers, n)
    if every:
        for k in range(n):
            if workspace.offers[k] == planner.UNKNOWN:
                rules.apply(t, workspace.nodes[0], seat, workspace.legal[k], workspace.work.log)
                count = planner.plan(tables, seat, bound, nets, workspace)
                workspace.offers[k] = workspace.values[planner.best(workspace.values, count)]
                workspace.nodes[0] = states[i]
    return n


def choose(
    tables: list[Tables],
    states: list[State],
    which: Ints,
    seats: Ints,
    lows: Words,
    highs: Words,
    bound: int,
    last_bound: int,
    noise: float,
    nets: list[Net],
    workspaces: list[Workspace],
    actions: Ints,
) -> None:
    """The best action of each game by its value plus noise, in points."""
    workspaces[0].rivals = 0
    for k in range(len(which)):
        now = planner.bound_at(tables[0], states[which[k]], bound, last_bound)
        actions[k] = best_action(
            tables, states, which[k], seats[k], lows[k], highs[k], now, noise, nets,
            workspaces[0],
        )  # fmt: skip


def best_action(
    tables: list[Tables],
    states: list[State],
    i: int,
    seat: int,
    low: Word,
    high: Word,
    bound: int,
    noise: float,
    nets: list[Net],
    workspace: Workspace,
) -> int:
    """The best action of one game by its value plus noise, in points."""
    n = consider(tables, states, i, seat, bound, noise > 0, nets, workspace)
    where = planner.fingerprint(tables[0], workspace.nodes[0], seat) & chance.MASK
    best = 0
    best_value = planner.UNKNOWN
    for j in range(n):
        value = workspace.offers[j]
        if noise > 0 and n > 1:
            value += noise * blur(low, high, where, workspace.legal[j])
        if value > best_value:
            best_value = value
            best = j
    action: int = workspace.legal[best]
    return action


def search_all(
    tables: list[Tables],
    states: list[State],
    which: Ints,
    seats: Ints,
    lows: Words,
    highs: Words,
    bound: int,
    last_bound: int,
    reply_bound: int,
    throws: int,
    effort: int,
    margin: float,
    most: int,
    nets: list[Net],
    workspaces: list[Workspace],
    inners: list[Workspace],
    actions: Ints,
) -> None:
    """The best action of each game by its value after looking one throw ahead.

    In the last two rounds of a shared game, the chance to win counts instead.
    """
    t = tables[0]
    workspace = workspaces[0]
    inner = inners[0]
    for k in range(len(which)):
        now = planner.bound_at(t, states[which[k]], bound, last_bound)
        reply = planner.bound_at(t, states[which[k]], reply_bound, planner.LAST_BOUND)
        set_rivals(workspace, inner, 0)
        if plays_to_win(t, states[which[k]]):
            count = weigh_rivals(tables, states, which[k], seats[k], bound, nets, workspace, inner)
            set_rivals(workspace, inner, count)
        workspace.nodes[0] = states[which[k]]
        where = planner.fingerprint(t, workspace.nodes[0], seats[k]) & chance.MASK
        node = search.best_node(
            tables, seats[k], lows[k], highs[k], where, now, reply, throws, effort, margin, most,
            nets, workspace, inner,
        )  # fmt: skip
        actions[k] = workspace.firsts[node]


def plays_to_win(t: Tables, s: State) -> bool:
    """Whether the look-ahead now plays to win, not for points."""
    return s.seats > 1 and t.rounds[s.seats] - rules.round_of(s) <= LAST_ROUNDS


def weigh_rivals(
    tables: list[Tables],
    states: list[State],
    i: int,
    seat: int,
    bound: int,
    nets: list[Net],
    workspace: Workspace,
    inner: Workspace,
) -> int:
    """Write the final totals of the opponents to both workspaces; returns how many there are.

    An opponent who still has to decide is first moved to where its best choice leads.
    """
    t = tables[0]
    set_rivals(workspace, inner, 0)
    count = 0
    for other in range(states[i].seats):
        if other != seat:
            inner.nodes[0] = states[i]
            s = inner.nodes[best_end(tables, other, bound, nets, inner)]
            network.points_to_come(t, s, other, nets, inner)
            ended = features.ended(t, s, other)
            winning.set_ends(ended, rules.total_score(t, s, other), nets, inner)
            winning.note_rival(inner.ends, workspace.rival_ends[count])
            winning.note_rival(inner.ends, inner.rival_ends[count])
            count += 1
    return count


def set_rivals(workspace: Workspace, inner: Workspace, count: int) -> None:
    """Set the number of rivals to beat; with 0, value by points."""
    workspace.rivals = count
    inner.rivals = count


def appraise(
    tables: list[Tables],
    states: list[State],
    seat: int,
    low: Word,
    high: Word,
    bound: int,
    reply_bound: int,
    throws: int,
    margin: float,
    nets: list[Net],
    workspaces: list[Workspace],
    inners: list[Workspace],
    legal: Ints,
    points: Doubles,
    chances: Doubles,
    errors: Doubles,
    worths: Doubles,
) -> int:
    """The expected final points of each legal action, the chance to win and the standard error.

    With `throws`, actions within a margin of the best are searched one throw ahead. The worth
    decides: the points, or the chance to win if `search_all` would play to win.
    """
    t = tables[0]
    workspace = workspaces[0]
    inner = inners[0]
    workspace.nodes[0] = states[0]
    where = planner.fingerprint(t, workspace.nodes[0], seat) & chance.MASK
    rivals = weigh_rivals(tables, states, 0, seat, bound, nets, workspace, inner)
    to_win = throws > 0 and plays_to_win(t, states[0])
    reply = planner.bound_at(t, states[0], reply_bound, planner.LAST_BOUND)
    reckoned = rivals if to_win else 0
    n = rules.legal_actions(t, states[0], seat, workspace.legal)
    top = planner.UNKNOWN
    for k in range(n):
        legal[k] = workspace.legal[k]
        set_rivals(workspace, inner, reckoned)
        leaf = lead_on(tables, states, seat, legal[k], bound, nets, workspace)
        worths[k] = workspace.values[leaf]
        top = max(top, worths[k])
        total = rules.total_score(t, workspace.nodes[leaf], seat)
        points[k] = total + network.points_to_come(t, workspace.nodes[leaf], seat, nets, workspace)
        workspace.rivals = rivals
        ended = features.ended(t, workspace.nodes[leaf], seat)
        chances[k] = winning.chance_to_win(ended, total, nets, workspace)
        errors[k] = 0.0
    set_rivals(workspace, inner, reckoned)
    for k in range(n):
        if throws > 0 and worths[k] >= top - margin:
            leaf = lead_on(tables, states, seat, legal[k], bound, nets, workspace)
            worths[k], error = search.look_ahead(
                tables,
                leaf,
                seat,
                low,
                high,
                where,
                reply,
                search.EXACT,
                throws,
                nets,
                workspace,
                inner,
            )
            if to_win:
                # Points are a small part of the worth; subtracting the leaf's points is enough.
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
    nets: list[Net],
    workspace: Workspace,
) -> int:
    """Play an action and the best sequence after it; returns the node it ends in."""
    workspace.nodes[0] = states[0]
    rules.apply(tables[0], workspace.nodes[0], seat, action, workspace.work.log)
    return best_end(tables, seat, bound, nets, workspace)


def best_end(
    tables: list[Tables], seat: int, bound: int, nets: list[Net], workspace: Workspace
) -> int:
    """The best chance node that can be reached from node 0, or node 0 if it is one."""
    t = tables[0]
    if not planner.unfinished(t, workspace, 0, seat):
        network.set_root(t, workspace.nodes[0], seat, nets, workspace)
        workspace.values[0] = planner.leaf_value(t, workspace.nodes[0], seat, nets, workspace)
        return 0
    return planner.best_leaf(workspace, planner.plan(tables, seat, bound, nets, workspace))


def forecast(
    tables: list[Tables],
    states: list[State],
    seat: int,
    bound: int,
    last_bound: int,
    nets: list[Net],
    workspaces: list[Workspace],
    outputs: Doubles,
) -> bool:
    """Write the network's outputs after the best play; returns whether the seat is finished."""
    t = tables[0]
    workspace = workspaces[0]
    workspace.rivals = 0
    workspace.nodes[0] = states[0]
    now = planner.bound_at(t, states[0], bound, last_bound)
    leaf = best_end(tables, seat, now, nets, workspace)
    s = workspace.nodes[leaf]
    states[0] = s
    network.set_root(t, s, seat, nets, workspace)
    network.points_to_come(t, s, seat, nets, workspace)
    for k in range(len(outputs)):
        outputs[k] = winning.output(nets[workspace.net], workspace.h2, k)
    return features.ended(t, s, seat)
