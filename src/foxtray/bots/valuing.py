"""Values of the moments before a throw, under throws that all candidates share.

A moment before a throw is worth the mean, over many throws, of the value after the best reply.
While another player is active, it is worth the mean over the rest of their turn, in which they
play their own best. In the compilable subset.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from foxtray.bots import features, network, planner, search, winning
from foxtray.bots.network import AREA, AREA_SCALE, FOX_SCALE, FOXES
from foxtray.core import chance, rules
from foxtray.core.codes import CHOOSING, DICE, OVER, ROLLS, THROW

if TYPE_CHECKING:
    from foxtray.bots.workspace import Array, Net, Workspace
    from foxtray.core.layout import Tables
    from foxtray.core.state import State

SHUFFLE = 41
"""The purpose of the draws that arrange throws."""
PICK = 42
"""The purpose of the draws that choose the throw to play on with."""
STRATUM = 6
"""The throws in a stratum: each die shows each face once."""
DEPTH = 6
"""The most throws that are arranged for one turn; later ones use these again."""
OTHERS_BOUND = 48
"""How many states the plans of other players explore completely."""
NET_ERROR = 5.0
"""The usual error of the net in the last turns of a solo game, in points."""
ON_BOUND = 48
"""How many states the reply to a last roll explores completely if the roll before is tried, too."""
SHORT = 64
"""Plans of up to this many states are short: there is time to try more throws."""
LAST_THROWS = 12
"""How often the last throw of a solo game is tried after a reply; twice as often if plans are
short."""
PLAN_BOUND = 1024
"""How many states the plan of a decision explores completely."""
FEW = 4
"""How many replies to a roll of the future are glanced at."""
NEAR = 8.0
"""They must be within this many points of the best by the net."""
ANOTHER = -1
"""The next throw is another seat's."""


def deal(low: int, high: int, where: int, first: int, throws: Array) -> None:
    """Arrange throws from number `first` on: in each stratum, each die shows each face once."""
    for start in range(0, len(throws), STRATUM):
        stratum = (first + start) // STRATUM
        for j in range(DEPTH):
            for d in range(DICE):
                for k in range(STRATUM):
                    throws[start + k][j][d] = k + 1
                for k in range(STRATUM - 1, 0, -1):
                    place = (where << 20 ^ stratum << 10 ^ j << 7 ^ d << 3 ^ k) & chance.MASK
                    other = chance.draw(low, high, SHUFFLE, place, k + 1)
                    held = throws[start + k][j][d]
                    throws[start + k][j][d] = throws[start + other][j][d]
                    throws[start + other][j][d] = held


def enumerate_faces(mask: int, throws: Array) -> None:
    """Arrange every throw of the dice in a mask."""
    for k in range(len(throws)):
        left = k
        for d in range(DICE):
            throws[k][0][d] = 1
            if mask >> d & 1:
                throws[k][0][d] = left % 6 + 1
                left //= 6


def settle(
    tables: list[Tables],
    states: list[State],
    i: int,
    seat: int,
    bound: int,
    nets: list[Net],
    inners: list[Workspace],
) -> int:
    """Carry a state on to the next throw; returns its dice if it is the seat's own.

    Returns 0 if the seat has finished, and ANOTHER if someone else throws. Before a throw, nobody's
    choices concern another seat, so the others do as little as possible. What a new round brings to
    the seat itself is used well.
    """
    t = tables[0]
    inner = inners[0]
    inner.rivals = 0
    inner.nodes[0] = states[i]
    s = inner.nodes[0]
    while True:
        if s.phase == OVER:
            break
        if planner.asked(s, seat):
            count = planner.plan(tables, seat, bound, nets, inner)
            inner.nodes[0] = inner.nodes[planner.best(inner.values, count)]
        elif s.phase in (THROW, CHOOSING) or features.ended(t, s, seat):
            break
        else:
            for other in range(s.seats):
                if other != seat:
                    planner.hasten(t, inner, 0, other)
    states[i] = inner.nodes[0]
    if features.ended(t, s, seat):
        return 0
    if s.phase == THROW and rules.active_seat(s) == seat:
        return rules.rolling(t, s)
    return ANOTHER


def arrive(
    tables: list[Tables], seat: int, k: int, bound: int, nets: list[Net], inner: Workspace,
    throws: Array,
) -> None:  # fmt: skip
    """Play from node 0 until the seat can reply to a throw. The other seats play their best too."""
    t = tables[0]
    s = inner.nodes[0]
    thrown = 0
    turn = s.turn
    while s.phase in (THROW, CHOOSING) and not planner.asked(s, seat):
        if s.phase == CHOOSING:
            other = rules.active_seat(s)
            now = planner.bound_at(t, s, min(bound, OTHERS_BOUND), planner.LAST_BOUND)
            count = planner.plan(tables, other, now, nets, inner)
            inner.nodes[0] = inner.nodes[planner.best(inner.values, count)]
            continue
        if thrown > 0 and s.turn != turn:
            break
        own = rules.active_seat(s) == seat
        for d in range(DICE):
            inner.work.faces[d] = throws[k][thrown % DEPTH][d]
            inner.work.order[d] = (d + k) % DICE
        rules.roll(t, s, inner.work.faces, inner.work.order, inner.work.log)
        thrown += 1
        if own:
            break


def consider(
    tables: list[Tables], seat: int, bound: int, last_bound: int, nets: list[Net], inner: Workspace
) -> int:
    """Plan from node 0; if there is nothing to plan, value it. Returns the number of nodes."""
    t = tables[0]
    if not planner.unfinished(t, inner, 0, seat):
        network.set_root(t, inner.nodes[0], seat, nets, inner)
        inner.values[0] = planner.leaf_value(t, inner.nodes[0], seat, nets, inner)
        inner.origins[0] = 0
        inner.heirs[0] = 0
        return 1
    now = planner.bound_at(t, inner.nodes[0], bound, last_bound)
    return planner.plan(tables, seat, now, nets, inner)


def reply(
    tables: list[Tables],
    seat: int,
    k: int,
    bound: int,
    last_bound: int,
    nets: list[Net],
    inner: Workspace,
    throws: Array,
) -> int:
    """Play from node 0 until the seat has replied to a throw; returns the node of its reply.

    Its value is in `inner.values`.
    """
    arrive(tables, seat, k, bound, nets, inner, throws)
    count = consider(tables, seat, bound, last_bound, nets, inner)
    return planner.best_leaf(inner, count)


def throws_left(t: Tables, s: State) -> int:
    """How many throws are left in a solo game, if there are at most two; else 0."""
    last = t.rounds[1] * rules.turns_in_round(s) - 1
    if s.seats > 1 or s.phase != THROW or s.turn < last - 1:
        return 0
    if s.turn == last:
        return 1
    return 2 if s.rolls == ROLLS else 0


def play_on(
    tables: list[Tables],
    seat: int,
    bound: int,
    nets: list[Net],
    inner: Workspace,
    node: int,
    number: int,
    deeper: list[Workspace],
    later: Array,
) -> float:
    """Value a reply by the last throws of the game, if only these are left; returns its variance.

    There single cells decide, which a net of this size cannot tell apart. The more these throws
    differ, the less their mean counts against the net's value. Two throws are tried only where
    plans are short. The reply to throw `number` has throws of its own, so that the errors of
    different replies cancel out, while all candidates still share them.
    """
    left = throws_left(tables[0], inner.nodes[node])
    if left == 0 or (left == 2 and bound > SHORT):
        return 0.0
    first = deeper[0]
    second = deeper[1]
    first.rivals = 0
    second.rivals = 0
    total = 0.0
    squares = 0.0
    tried = last_throws(bound) if left == 1 else STRATUM
    start = number * last_throws(bound)
    for k in range(tried):
        first.nodes[0] = inner.nodes[node]
        which = (start + k) % len(later)
        found = reply(tables, seat, which, bound, planner.LAST_BOUND, nets, first, later)
        value = first.values[found]
        if throws_left(tables[0], first.nodes[found]) == 1:
            value = 0.0
            for m in range(STRATUM):
                second.nodes[0] = first.nodes[found]
                which = (start + (k + 1) * STRATUM + m) % len(later)
                end = reply(tables, seat, which, bound, ON_BOUND, nets, second, later)
                value += second.values[end] / STRATUM
        total += value
        squares += value * value
    mean = total / tried
    doubt = max(0.0, (squares / tried - mean * mean) / (tried - 1))
    weight = NET_ERROR * NET_ERROR / (NET_ERROR * NET_ERROR + doubt)
    inner.values[node] += weight * (mean - inner.values[node])
    return weight * weight * doubt


def last_throws(bound: int) -> int:
    """How often the last throw of a game is tried after a reply."""
    return LAST_THROWS * 2 if bound <= SHORT else LAST_THROWS


def add_outlook(
    t: Tables, node: int, seat: int, nets: list[Net], inner: Workspace, rivals: int, outlook: Array
) -> None:
    """Add what a node promises: each area, the foxes, and the chance to win if there are rivals."""
    s = inner.nodes[node]
    network.set_root(t, s, seat, nets, inner)
    network.points_to_come(t, s, seat, nets, inner)
    ended = features.ended(t, s, seat)
    for area in range(t.areas):
        if ended:
            outlook[area] += rules.area_points(t, s, seat, area)
        else:
            outlook[area] += winning.output(nets[inner.net], inner.h2, AREA + area) * AREA_SCALE
    if ended:
        outlook[t.areas] += s.foxes[seat]
    else:
        outlook[t.areas] += winning.output(nets[inner.net], inner.h2, FOXES) * FOX_SCALE
    if rivals > 0:
        inner.rivals = rivals
        total = rules.total_score(t, s, seat)
        outlook[t.areas + 1] += winning.chance_to_win(ended, total, nets, inner)
        inner.rivals = 0


def sample(
    tables: list[Tables],
    states: list[State],
    which: Array,
    seat: int,
    throws: Array,
    first: int,
    bound: int,
    rivals: int,
    nets: list[Net],
    inners: list[Workspace],
    deeper: list[Workspace],
    later: Array,
    points: list[Array],
    outlooks: list[Array],
) -> float:
    """Value settled states under each throw: the points of each, and the sum of the outlooks.

    Returns the mean variance of these points, which are exact unless they were found by playing on.
    """
    inner = inners[0]
    inner.rivals = 0
    variance = 0.0
    for i in which:
        for k in range(len(throws)):
            inner.nodes[0] = states[i]
            node = reply(tables, seat, k, bound, planner.LAST_BOUND, nets, inner, throws)
            variance += play_on(
                tables, seat, bound, nets, inner, node, first + k, deeper, later
            )  # fmt: skip
            points[i][first + k] = inner.values[node]
            add_outlook(tables[0], node, seat, nets, inner, rivals, outlooks[i])
    return variance / (len(which) * len(throws))


def look(
    tables: list[Tables],
    states: list[State],
    seat: int,
    bound: int,
    nets: list[Net],
    inners: list[Workspace],
    deeper: list[Workspace],
    later: Array,
    throws: Array,
) -> float:
    """The value of the first state by looking at the next throw."""
    settle(tables, states, 0, seat, bound, nets, inners)
    inner = inners[0]
    total = 0.0
    for k in range(len(throws)):
        inner.nodes[0] = states[0]
        node = reply(tables, seat, k, bound, planner.LAST_BOUND, nets, inner, throws)
        play_on(tables, seat, bound, nets, inner, node, k, deeper, later)
        total += inner.values[node]
    return total / len(throws)


def favourite(
    tables: list[Tables],
    seat: int,
    bound: int,
    nets: list[Net],
    outer: Workspace,
    inners: list[Workspace],
    leaves: list[State],
    glance: Array,
) -> int:
    """Plan from node 0; returns the best leaf after a glance at the throws that follow it."""
    count = consider(tables, seat, PLAN_BOUND, PLAN_BOUND, nets, outer)
    n = search.pick_candidates(outer, count, NEAR, FEW)
    if n < 2:
        return planner.best(outer.values, count)
    inner = inners[0]
    found = 0
    most = planner.UNKNOWN
    for j in range(n):
        leaves[0] = outer.nodes[outer.picked[j]]
        settle(tables, leaves, 0, seat, bound, nets, inners)
        value = 0.0
        for k in range(len(glance)):
            inner.nodes[0] = leaves[0]
            node = reply(tables, seat, k, bound, ON_BOUND, nets, inner, glance)
            value += inner.values[node]
        if value > most:
            most = value
            found = outer.picked[j]
    return found


def finds(
    tables: list[Tables],
    states: list[State],
    seat: int,
    low: int,
    high: int,
    where: int,
    bound: int,
    nets: list[Net],
    outers: list[Workspace],
    inners: list[Workspace],
    deeper: list[Workspace],
    later: Array,
    leaves: list[State],
    glance: Array,
    throws: Array,
    ahead: Array,
    found: Array,
) -> None:
    """Write how much more the favourite reply to each throw is worth than `sample` says."""
    outer = outers[0]
    outer.rivals = 0
    inner = inners[0]
    inner.rivals = 0
    for k in range(len(throws)):
        outer.nodes[0] = states[0]
        arrive(tables, seat, k, bound, nets, outer, throws)
        leaves[0] = outer.nodes[favourite(tables, seat, bound, nets, outer, inners, leaves, glance)]
        deal(low, high, where, len(throws) + k * len(ahead), ahead)
        found[k] = look(tables, leaves, seat, bound, nets, inners, deeper, later, ahead)
        inner.nodes[0] = states[0]
        node = reply(tables, seat, k, bound, planner.LAST_BOUND, nets, inner, throws)
        play_on(tables, seat, bound, nets, inner, node, k, deeper, later)
        found[k] -= inner.values[node]


def prefer(
    tables: list[Tables],
    states: list[State],
    seat: int,
    bound: int,
    nets: list[Net],
    outers: list[Workspace],
    inners: list[Workspace],
    leaves: list[State],
    glance: Array,
) -> int:
    """The favourite reply in a state, as `finds` chooses it: a node of the plan."""
    outer = outers[0]
    outer.rivals = 0
    inners[0].rivals = 0
    outer.nodes[0] = states[0]
    return favourite(tables, seat, bound, nets, outer, inners, leaves, glance)


def roll_out(
    tables: list[Tables],
    states: list[State],
    which: Array,
    seat: int,
    low: int,
    high: int,
    where: int,
    steps: int,
    bound: int,
    nets: list[Net],
    inners: list[Workspace],
    outers: list[Workspace],
    deeper: list[Workspace],
    later: Array,
    throws: Array,
    residuals: list[Array],
) -> None:
    """Play on from settled states, and write by how much the next throw alone misvalues them.

    At every step, six stratified throws say what the throw is worth, and one of them is played; the
    difference between the two is luck and is taken out. All states see the same throws.
    """
    t = tables[0]
    inner = inners[0]
    outer = outers[0]
    inner.rivals = 0
    for i in which:
        for number in range(len(residuals[i])):
            outer.nodes[0] = states[i]
            first = 0.0
            value = 0.0
            luck = 0.0
            for step in range(steps):
                if features.ended(t, outer.nodes[0], seat):
                    break
                deal(low, high, where, (1 + number * steps + step) * STRATUM, throws)
                mean = 0.0
                for k in range(STRATUM):
                    inner.nodes[0] = outer.nodes[0]
                    node = reply(tables, seat, k, bound, planner.LAST_BOUND, nets, inner, throws)
                    play_on(
                        tables, seat, bound, nets, inner, node, number * STRATUM + k, deeper, later
                    )
                    mean += inner.values[node] / STRATUM
                place = (where << 12 ^ number << 5 ^ step) & chance.MASK
                k = chance.draw(low, high, PICK, place, STRATUM)
                inner.nodes[0] = outer.nodes[0]
                node = reply(tables, seat, k, bound, planner.LAST_BOUND, nets, inner, throws)
                play_on(tables, seat, bound, nets, inner, node, number * STRATUM + k, deeper, later)
                value = inner.values[node]
                luck += value - mean
                if step == 0:
                    first = mean
                # The game goes on without the bonus of a new round that a plan used in advance.
                outer.nodes[0] = inner.nodes[inner.origins[node] if node > 0 else 0]
                settle(tables, outer.nodes, 0, seat, bound, nets, inners)
            residuals[i][number] = value - luck - first


def survey(
    tables: list[Tables],
    states: list[State],
    seat: int,
    bound: int,
    nets: list[Net],
    workspaces: list[Workspace],
) -> int:
    """Plan from a state by points; the plan stays in the workspace. Returns its size."""
    workspace = workspaces[0]
    workspace.rivals = 0
    workspace.nodes[0] = states[0]
    return consider(tables, seat, bound, max(bound, planner.LAST_BOUND), nets, workspace)


def worth_of(
    tables: list[Tables],
    states: list[State],
    seat: int,
    bound: int,
    nets: list[Net],
    workspaces: list[Workspace],
    deeper: list[Workspace],
    later: Array,
) -> float:
    """The expected points after the best reply, as `sample` counts them."""
    count = survey(tables, states, seat, bound, nets, workspaces)
    workspace = workspaces[0]
    node = planner.best(workspace.values, count)
    play_on(tables, seat, bound, nets, workspace, node, 0, deeper, later)
    value: float = workspace.values[node]
    return value


def rivals_of(
    tables: list[Tables],
    states: list[State],
    seat: int,
    bound: int,
    nets: list[Net],
    inners: list[Workspace],
) -> int:
    """Set the final totals of the opponents, each after their best choice; returns how many."""
    t = tables[0]
    inner = inners[0]
    inner.rivals = 0
    count = 0
    for other in range(states[0].seats):
        if other != seat:
            inner.nodes[0] = states[0]
            node = 0
            if planner.unfinished(t, inner, 0, other):
                node = planner.best_leaf(inner, planner.plan(tables, other, bound, nets, inner))
            else:
                network.set_root(t, inner.nodes[0], other, nets, inner)
            s = inner.nodes[node]
            network.points_to_come(t, s, other, nets, inner)
            winning.set_ends(
                features.ended(t, s, other), rules.total_score(t, s, other), nets, inner
            )
            winning.note_rival(inner.ends, inner.rival_ends[count])
            count += 1
    return count
