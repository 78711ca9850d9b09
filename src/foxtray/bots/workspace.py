"""The working memory of the bots, allocated once and used for every decision.

It is one record, not separate arrays: numba counts references to arrays at every call.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from foxtray.bots.features import DENSE, MOST
from foxtray.bots.inputs import MOST_INPUTS, Inputs, inputs_of
from foxtray.bots.network import FIRST, OUTPUTS, QUANTILES, SECOND
from foxtray.bots.planner import NODES, SLOTS
from foxtray.bots.search import BATCH
from foxtray.core.codes import ACTIONS, AREAS, DICE, SEATS
from foxtray.sim.arrays import STATE, WORK, Records, record_type, write

# The compilable modules are written for lists and objects but get arrays and records, so these
# types stay open.
Array = Any
Workspace = Any
Net = Any

MOST_CANDIDATES = 32

NET = np.dtype(
    [
        ("dense", np.float32, (DENSE, FIRST)),
        ("b1", np.float32, FIRST),
        ("w2", np.float32, (FIRST, SECOND)),
        ("b2", np.float32, SECOND),
        # A row per output; the last weight of a row is its bias.
        ("w3", np.float32, (OUTPUTS, SECOND + 1)),
        # A row per sparse input. It comes last and has room for the largest sheet, so that one
        # compiled version works for all sheets.
        ("w1", np.float32, (MOST_INPUTS, FIRST)),
    ]
)
ROOM = NET.itemsize // 4
"""The length of a flat array that can be viewed as a net."""
INPUTS = record_type(Inputs(), np.int64)


def weights_in(game: str) -> int:
    """The number of weights in a game's net; in a flat array they come first."""
    return ROOM - (MOST_INPUTS - inputs_of(game).size) * FIRST


def roomy(flat: Array) -> Array:
    """A copy of a flat array of weights, padded to the size of a net."""
    room = np.zeros(ROOM, np.float32)
    room[: len(flat)] = flat
    return room


def net_of(flat: Array) -> Records:
    """A view of a padded flat array of weights as a net: an array of one record."""
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


def workspace_type() -> np.dtype[Any]:
    """The working memory of a planner."""
    parts: list[tuple[Any, ...]] = [
        ("nodes", STATE, NODES),
        ("firsts", np.int64, NODES),  # the first action on the way to a node
        ("parents", np.int64, NODES),  # the node before a node, and the action that leads on
        ("steps", np.int64, NODES),
        ("origins", np.int64, NODES),  # the node itself, or the last one without a bonus in advance
        ("heirs", np.int64, NODES),  # the node itself, or the best one with a bonus in advance
        ("open", np.int8, NODES),  # whether a node can still be expanded
        ("values", np.float64, NODES),
        # What a point of each area, and a fox, counts in addition; 0 except in training.
        ("preferences", np.float64, AREAS + 1),
        ("keys", np.int64, SLOTS),
        ("stamps", np.int64, SLOTS),
        ("stamp", np.int64),  # the number of the current plan
        ("work", WORK),
        ("inputs", INPUTS),
        ("active", np.int64, MOST),
        ("dense", np.float32, DENSE),
        ("h1", np.float32, FIRST),
        ("h2", np.float32, SECOND),
        ("loud", np.int64, FIRST),  # the units of the first layer that are not zero
        ("back", np.float32, FIRST),
        ("back2", np.float32, SECOND),
        ("root", np.int64, MOST),  # the active inputs of the root, their count, their sum
        ("roots", np.int64),
        ("base", np.float32, FIRST),
        ("seen", np.int64, MOST_INPUTS),  # inputs of the root: the current turn, or one more
        ("turn", np.int64),
        ("legal", np.int64, ACTIONS),
        ("offers", np.float64, ACTIONS),  # the best value that each legal action can lead to
        ("taken", np.int8, NODES),
        ("picked", np.int64, MOST_CANDIDATES),  # the candidates of a search
        ("sums", np.float64, MOST_CANDIDATES),
        ("thrown", np.int64, MOST_CANDIDATES),  # 1: sampled; 0: exact; -1: dropped
        ("ranks", np.int64, MOST_CANDIDATES),
        ("sheet", np.int64, (BATCH, DICE)),  # a batch of throws
        ("effort", np.int64),  # states looked at so far
        ("rivals", np.int64),  # opponents to beat; 0: play for points
        ("rival_ends", np.float64, (SEATS, QUANTILES)),  # their final totals, ascending
        ("ends", np.float64, QUANTILES),
    ]
    plain = np.dtype(parts, align=True)
    assert plain.fields is not None and plain.names is not None
    # The same memory as the nodes, as 64-bit numbers to hash.
    words = np.dtype((np.int64, (NODES, STATE.itemsize // 8)))
    return np.dtype(
        {
            "names": [*plain.names, "words"],
            "formats": [*(plain.fields[name][0] for name in plain.names), words],
            "offsets": [
                *(plain.fields[name][1] for name in plain.names),
                plain.fields["nodes"][1],
            ],
            "itemsize": plain.itemsize,
        },
        align=True,
    )


WORKSPACE = workspace_type()


def new_workspace(game: str) -> Records:
    """An array of one workspace, for the net of a game."""
    workspace = np.zeros(1, WORKSPACE)
    write(workspace["inputs"], 0, inputs_of(game))
    workspace["work"]["log"]["size"] = -1
    return workspace
