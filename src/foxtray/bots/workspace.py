"""The working memory of the bots, allocated once and used for every decision.

It is one record, not separate arrays: numba counts references to arrays at every call.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from foxtray.bots import fields
from foxtray.bots.inputs import MOST_INPUTS, Inputs, inputs_of
from foxtray.bots.network import FIRST, SECOND
from foxtray.sim.arrays import STATE, WORK, Records, record_type, write

# The compilable modules are written for lists and objects but get arrays and records, so these
# types stay open.
Array = Any
Singles = Any
Doubles = Any
Rows = Any
Workspace = Any
Net = Any

INPUTS = record_type(Inputs(), np.int64)
KINDS: dict[str, Any] = {
    fields.INT: np.int64,
    fields.WIDE: np.int64,
    fields.FLAG: np.int8,
    fields.SINGLE: np.float32,
    fields.DOUBLE: np.float64,
    "State": STATE,
    "Work": WORK,
    "Inputs": INPUTS,
}
NET = np.dtype([(name, KINDS[kind], shape) for name, kind, shape in fields.NET])
ROOM = NET.itemsize // 4
"""The length of a flat array that can be viewed as a net."""


def weights_in(game: str) -> int:
    """The number of weights in a game's net; in a flat array they come first."""
    return ROOM - (MOST_INPUTS - inputs_of(game).size) * FIRST


def roomy(flat: Array) -> Array:
    """A copy of a flat array of weights, padded to the size of a net."""
    room = np.zeros(ROOM, np.float32)
    room[: len(flat)] = flat
    return room


def net_of(flat: Array) -> Records:
    """A view of padded flat arrays of weights as nets: an array of records."""
    return flat.view(NET)  # type: ignore[no-any-return]


def random_weights(game: str, seed: int) -> Array:
    """Small random weights to start from."""
    random = np.random.default_rng(seed)
    flat = np.zeros(ROOM, np.float32)
    net = net_of(flat)[0]
    net["dense"][:] = random.normal(0, 0.15, net["dense"].shape)
    net["w1"][: inputs_of(game).size] = random.normal(0, 0.15, (inputs_of(game).size, FIRST))
    net["w2"][:] = random.normal(0, (2 / FIRST) ** 0.5, net["w2"].shape)
    net["w3"][0, :SECOND] = random.normal(0, 0.1, SECOND)
    return flat


WORKSPACE = np.dtype(
    [(name, KINDS[kind], shape) for name, kind, shape in fields.WORKSPACE], align=True
)
"""The working memory of a planner."""


def new_workspace(game: str, count: int = 1) -> Records:
    """An array of workspaces, for the nets of a game."""
    workspace = np.zeros(count, WORKSPACE)
    for i in range(count):
        write(workspace["inputs"], i, inputs_of(game))
    workspace["work"]["log"]["size"] = -1
    return workspace
