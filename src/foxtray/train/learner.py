"""Gradient steps on the value network (Adam), in the compilable subset."""

from __future__ import annotations

from typing import TYPE_CHECKING

from foxtray.bots import network
from foxtray.bots.features import DENSE, SPARSE
from foxtray.bots.network import FIRST, SCALE, SECOND

if TYPE_CHECKING:
    from foxtray.bots.desk import Array, Desk, Net
    from foxtray.train.samples import Samples


def learn(
    order: Array,
    first: int,
    end: int,
    net: Net,
    slope: Net,
    desk: Desk,
    samples: Samples,
) -> float:
    """Add the gradient of a batch of samples to `slope`; returns the mean squared error."""
    share = 1.0 / (end - first)
    error = 0.0
    back = desk.back
    for k in range(first, end):
        i = order[k]
        n = samples.counts[i]
        active = samples.active[i]
        dense = samples.dense[i]
        y = network.forward(net, active, n, dense, desk.h1, desk.h2)
        miss = y - samples.targets[i] / SCALE
        error += miss * miss
        d = miss * share
        slope.w3[SECOND] += d
        for j in range(FIRST):
            back[j] = 0.0
        for j in range(SECOND):
            if desk.h2[j] > 0:
                slope.w3[j] += d * desk.h2[j]
                g = d * net.w3[j]
                slope.b2[j] += g
                desk.back2[j] = g
            else:
                desk.back2[j] = 0.0
        for i1 in range(FIRST):
            x = desk.h1[i1]
            if x > 0:
                line = net.w2[i1]
                steep = slope.w2[i1]
                total = 0.0
                for j in range(SECOND):
                    g = desk.back2[j]
                    steep[j] += x * g
                    total += line[j] * g
                back[i1] = total
                slope.b1[i1] += total
        for m in range(n):
            steep = slope.w1[active[m]]
            for j in range(FIRST):
                steep[j] += back[j]
        for m in range(DENSE):
            steep = slope.w1[SPARSE + m]
            x = dense[m]
            for j in range(FIRST):
                steep[j] += x * back[j]
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
    """One Adam step on flat arrays; the averaged copy follows; the slopes are cleared."""
    fix1 = 1.0 - 0.9**step
    fix2 = 1.0 - 0.999**step
    for k in range(len(weights)):
        g = slopes[k]
        slopes[k] = 0.0
        means[k] = 0.9 * means[k] + 0.1 * g
        squares[k] = 0.999 * squares[k] + 0.001 * g * g
        weights[k] -= rate * (means[k] / fix1) / ((squares[k] / fix2) ** 0.5 + 1e-6)
        averages[k] = keep * averages[k] + (1.0 - keep) * weights[k]
