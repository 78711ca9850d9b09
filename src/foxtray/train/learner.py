"""Gradient steps on the value network (Adam), in the compilable subset."""

from __future__ import annotations

from typing import TYPE_CHECKING

from foxtray.bots import network, winning
from foxtray.bots.features import DENSE
from foxtray.bots.network import (
    AREA,
    AREA_SCALE,
    FIRST,
    FOX_SCALE,
    FOXES,
    OUTPUTS,
    QUANTILE,
    QUANTILES,
    SCALE,
    SECOND,
    VALUE,
)
from foxtray.core.codes import AREAS

if TYPE_CHECKING:
    from foxtray.bots.workspace import Array, Net, Workspace
    from foxtray.train.samples import Samples


BESIDE = 0.02
"""The weight of the auxiliary means in the loss, relative to the value."""
SPREAD = 0.005
"""The same for a quantile, whose gradient is large even for small errors."""


def slope_of(k: int, y: float, gained: float, ends: Array) -> float:
    """The derivative of the loss of an auxiliary output."""
    slope: float = 0.0
    if k < QUANTILE:
        slope = BESIDE * (y - ends[k - AREA] / (FOX_SCALE if k == FOXES else AREA_SCALE))
    else:
        # The quantile at the middle of its tenth.
        level = (k - QUANTILE + 0.5) / QUANTILES
        slope = SPREAD * (1.0 - level if y > gained else -level)
    return slope


def learn(
    order: Array,
    first: int,
    end: int,
    nets: list[Net],
    slopes: list[Net],
    workspaces: list[Workspace],
    samples: Samples,
) -> float:
    """Add the gradient of a batch to the slopes; returns the mean squared error."""
    net = nets[0]
    slope = slopes[0]
    workspace = workspaces[0]
    share = 1.0 / (end - first)
    error = 0.0
    back = workspace.back
    back2 = workspace.back2
    for k in range(first, end):
        i = order[k]
        n = samples.counts[i]
        active = samples.active[i]
        dense = samples.dense[i]
        y = network.forward(net, active, n, dense, workspace.h1, workspace.h2, workspace.loud)
        miss = y - samples.targets[i] / SCALE
        error += miss * miss
        for j in range(FIRST):
            back[j] = 0.0
        for j in range(SECOND):
            back2[j] = 0.0
        gained = (samples.ends[i][AREAS + 1] - samples.totals[i]) / SCALE
        for out in range(OUTPUTS):
            d = miss
            if out != VALUE:
                d = slope_of(out, winning.output(net, workspace.h2, out), gained, samples.ends[i])
            d *= share
            line = net.w3[out]
            steep = slope.w3[out]
            steep[SECOND] += d
            for j in range(SECOND):
                steep[j] += d * workspace.h2[j]
                back2[j] += d * line[j]
        for j in range(SECOND):
            if workspace.h2[j] > 0:
                slope.b2[j] += back2[j]
            else:
                back2[j] = 0.0
        for i1 in range(FIRST):
            x = workspace.h1[i1]
            if x > 0:
                line1 = net.w2[i1]
                steep1 = slope.w2[i1]
                total = 0.0
                for j in range(SECOND):
                    g = back2[j]
                    steep1[j] += x * g
                    total += line1[j] * g
                back[i1] = total
                slope.b1[i1] += total
        for m in range(n):
            steep2 = slope.w1[active[m]]
            for j in range(FIRST):
                steep2[j] += back[j]
        for m in range(DENSE):
            steep2 = slope.dense[m]
            x = dense[m]
            for j in range(FIRST):
                steep2[j] += x * back[j]
    return error * share


def adam(
    weights: Array,
    slopes: Array,
    means: Array,
    squares: Array,
    averages: Array,
    rate: float,
    step: int,
    keep: float,
) -> None:
    """One Adam step on flat arrays; updates the averaged copy and clears the slopes."""
    fix1 = 1.0 - 0.9**step
    fix2 = 1.0 - 0.999**step
    for k in range(len(weights)):
        g = slopes[k]
        slopes[k] = 0.0
        means[k] = 0.9 * means[k] + 0.1 * g
        squares[k] = 0.999 * squares[k] + 0.001 * g * g
        weights[k] -= rate * (means[k] / fix1) / ((squares[k] / fix2) ** 0.5 + 1e-6)
        averages[k] = keep * averages[k] + (1.0 - keep) * weights[k]
