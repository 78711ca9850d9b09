"""The forward pass of the value network, in the compilable subset.

Sparse inputs - 128 - 32 - outputs, the first of which is the points still to come. On sparse inputs
the first layer only adds rows; the states of one plan differ little from its root, so only the rows
that differ are added.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from foxtray.bots import features
from foxtray.bots.features import DENSE
from foxtray.core import rules
from foxtray.core.codes import AREAS, SERVING

if TYPE_CHECKING:
    from foxtray.bots.workspace import Net, Singles, Workspace
    from foxtray.core.layout import Tables
    from foxtray.core.state import State

    Ints = list[int]

# The nets of a game: the last round, in which single cells decide, has its own.
EARLY = 0
LATE = 1
NETS = 2

FIRST = 128
SECOND = 32
SCALE = 100.0
"""An output of 1 means this many points."""
AREA_SCALE = 50.0
FOX_SCALE = 5.0

# The outputs: the points still to come; the final areas; the final foxes; quantiles of the points
# still to come.
VALUE = 0
AREA = 1
FOXES = AREA + AREAS
QUANTILE = FOXES + 1
QUANTILES = 10
OUTPUTS = QUANTILE + QUANTILES


def forward(
    net: Net, active: Ints, n: int, dense: Singles, h1: Singles, h2: Singles, loud: Ints
) -> float:
    """The value for one description; the hidden layers are left in h1 and h2."""
    for j in range(FIRST):
        h1[j] = net.b1[j]
    for k in range(n):
        row = net.w1[active[k]]
        for j in range(FIRST):
            h1[j] += row[j]
    return finish(net, dense, h1, h2, loud)


def finish(net: Net, dense: Singles, h1: Singles, h2: Singles, loud: Ints) -> float:
    """The rest of the pass, once the rows of the active inputs are summed up in h1."""
    for k in range(0, DENSE, 3):
        a = dense[k]
        b = dense[k + 1]
        c = dense[k + 2]
        row_a = net.dense[k]
        row_b = net.dense[k + 1]
        row_c = net.dense[k + 2]
        for j in range(FIRST):
            h1[j] = ((h1[j] + a * row_a[j]) + b * row_b[j]) + c * row_c[j]
    for j in range(SECOND):
        h2[j] = net.b2[j]
    # More than half of the units are not above 0 and count for nothing. Which ones cannot be
    # predicted, so this loop has no branch. The others are added four at a time, in registers.
    n = 0
    for i in range(FIRST):
        loud[n] = i
        n += 1 if h1[i] > 0 else 0
    for k in range(0, n - 3, 4):
        a = h1[loud[k]]
        b = h1[loud[k + 1]]
        c = h1[loud[k + 2]]
        d = h1[loud[k + 3]]
        row_a = net.w2[loud[k]]
        row_b = net.w2[loud[k + 1]]
        row_c = net.w2[loud[k + 2]]
        row_d = net.w2[loud[k + 3]]
        for j in range(SECOND):
            h2[j] += (a * row_a[j] + b * row_b[j]) + (c * row_c[j] + d * row_d[j])
    for k in range(n - n % 4, n):
        a = h1[loud[k]]
        row_a = net.w2[loud[k]]
        for j in range(SECOND):
            h2[j] += a * row_a[j]
    row_a = net.w3[VALUE]
    y: float = row_a[SECOND]
    for j in range(SECOND):
        h2[j] = h2[j] if h2[j] > 0 else 0.0
        y += h2[j] * row_a[j]
    return y


def net_for(t: Tables, s: State) -> int:
    """Which of the nets values a state: whoever is done with a turn is valued at the next one."""
    turn = s.turn + (1 if s.phase == SERVING else 0)
    return LATE if turn >= (t.rounds[s.seats] - 1) * rules.turns_in_round(s) else EARLY


def set_root(t: Tables, s: State, seat: int, nets: list[Net], workspace: Workspace) -> None:
    """Sum the rows of a state that the following states differ little from."""
    workspace.root_net = net_for(t, s)
    net = nets[workspace.root_net]
    n = features.describe(t, s, seat, workspace.inputs, workspace.root, workspace.dense)
    workspace.roots = n
    workspace.turn += 2
    for j in range(FIRST):
        workspace.base[j] = net.b1[j]
    for k in range(n):
        row = net.w1[workspace.root[k]]
        workspace.seen[workspace.root[k]] = workspace.turn
        for j in range(FIRST):
            workspace.base[j] += row[j]


def points_to_come(t: Tables, s: State, seat: int, nets: list[Net], workspace: Workspace) -> float:
    """The points a seat is expected to add to its total; needs `set_root` first."""
    if features.ended(t, s, seat):
        return 0.0
    workspace.net = net_for(t, s)
    net = nets[workspace.net]
    n = features.describe(t, s, seat, workspace.inputs, workspace.active, workspace.dense)
    now = workspace.turn
    h1 = workspace.h1
    if workspace.net != workspace.root_net:  # the last round begins with this state
        value = forward(net, workspace.active, n, workspace.dense, h1, workspace.h2, workspace.loud)
        return value * SCALE
    for j in range(FIRST):
        h1[j] = workspace.base[j]
    for k in range(n):
        f = workspace.active[k]
        if workspace.seen[f] == now:
            workspace.seen[f] = now + 1
        else:
            row = net.w1[f]
            for j in range(FIRST):
                h1[j] += row[j]
    for k in range(workspace.roots):
        f = workspace.root[k]
        if workspace.seen[f] == now:
            row = net.w1[f]
            for j in range(FIRST):
                h1[j] -= row[j]
        else:
            workspace.seen[f] = now
    return finish(net, workspace.dense, h1, workspace.h2, workspace.loud) * SCALE
