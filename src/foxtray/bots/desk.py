"""The arrays that thinking needs, made once and used for every decision."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from foxtray.bots.features import DENSE, INPUTS, MOST
from foxtray.bots.network import FIRST, SECOND
from foxtray.bots.planner import NODES, SLOTS
from foxtray.bots.search import BATCH
from foxtray.core.codes import ACTIONS, AREAS, DICE
from foxtray.sim.arrays import STATE

# Arrays stand in for the lists that the rules speak of, so their type is left open.
Array = Any

MOST_CANDIDATES = 32


class Net(NamedTuple):
    """The weights of a value network."""

    w1: Array
    b1: Array
    w2: Array
    b2: Array
    w3: Array
    """The last weight is the bias."""


SHAPES = ((INPUTS, FIRST), (FIRST,), (FIRST, SECOND), (SECOND,), (SECOND + 1,))
WEIGHTS = sum(math.prod(shape) for shape in SHAPES)


def net_of(flat: Array) -> Net:
    """A net whose weights are views into one flat array."""
    parts = []
    at = 0
    for shape in SHAPES:
        size = math.prod(shape)
        parts.append(flat[at : at + size].reshape(shape))
        at += size
    return Net(*parts)


def random_weights(seed: int) -> Array:
    """Small random weights to start from."""
    random = np.random.default_rng(seed)
    flat = np.zeros(WEIGHTS, np.float32)
    net = net_of(flat)
    net.w1[:] = random.normal(0, 0.15, net.w1.shape)
    net.w2[:] = random.normal(0, (2 / FIRST) ** 0.5, net.w2.shape)
    net.w3[:SECOND] = random.normal(0, 0.1, SECOND)
    return flat


class Desk(NamedTuple):
    """Working memory of a planner."""

    nodes: Array
    words: Array
    """The memory of the nodes as 64-bit numbers."""
    firsts: Array
    """The action at the root that led to a node."""
    open: Array
    """Whether a node is still to be followed."""
    values: Array
    tastes: Array
    """What the player adds per point of each area: 0 but for exploration."""
    keys: Array
    stamps: Array
    stamp: Array
    """The number of the current plan."""
    out: Array
    faces: Array
    order: Array
    log: Array
    active: Array
    dense: Array
    h1: Array
    h2: Array
    back: Array
    back2: Array
    root: Array
    """The active inputs of the root, their number, and the sum of their rows."""
    roots: Array
    base: Array
    seen: Array
    """Which inputs the root has: the turn of the last root, or one more."""
    turn: Array
    legal: Array
    offers: Array
    """The best value that each legal action can lead to."""
    taken: Array
    picked: Array
    """The candidates of a search, with sums and squares of their values."""
    sums: Array
    squares: Array
    thrown: Array
    """1: valued by sampled throws; 0: known; -1: dropped."""
    ranks: Array
    sheet: Array
    """A batch of throws."""


def new_desk() -> Desk:
    nodes = np.zeros(NODES, STATE)
    return Desk(
        nodes=nodes,
        words=nodes.view(np.int64).reshape(NODES, -1),
        firsts=np.zeros(NODES, np.int64),
        open=np.zeros(NODES, np.int8),
        values=np.zeros(NODES, np.float64),
        tastes=np.zeros(AREAS, np.float64),
        keys=np.zeros(SLOTS, np.int64),
        stamps=np.zeros(SLOTS, np.int64),
        stamp=np.zeros(1, np.int64),
        out=np.zeros(ACTIONS, np.int64),
        faces=np.zeros(DICE, np.int64),
        order=np.zeros(DICE, np.int64),
        log=np.full(1, -1, np.int64),
        active=np.zeros(MOST, np.int64),
        dense=np.zeros(DENSE, np.float32),
        h1=np.zeros(FIRST, np.float32),
        h2=np.zeros(SECOND, np.float32),
        back=np.zeros(FIRST, np.float32),
        back2=np.zeros(SECOND, np.float32),
        root=np.zeros(MOST, np.int64),
        roots=np.zeros(1, np.int64),
        base=np.zeros(FIRST, np.float32),
        seen=np.zeros(INPUTS, np.int64),
        turn=np.zeros(1, np.int64),
        legal=np.zeros(ACTIONS, np.int64),
        offers=np.zeros(ACTIONS, np.float64),
        taken=np.zeros(NODES, np.int8),
        picked=np.zeros(MOST_CANDIDATES, np.int64),
        sums=np.zeros(MOST_CANDIDATES, np.float64),
        squares=np.zeros(MOST_CANDIDATES, np.float64),
        thrown=np.zeros(MOST_CANDIDATES, np.int64),
        ranks=np.zeros(MOST_CANDIDATES, np.int64),
        sheet=np.zeros((BATCH, DICE), np.int64),
    )
