"""The memory that thinking needs, made once and used for every decision.

Records, not arrays of their own: numba counts references to arrays at every call.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from foxtray.bots.features import DENSE, INPUTS, MOST
from foxtray.bots.network import FIRST, OUTPUTS, QUANTILES, SECOND
from foxtray.bots.planner import NODES, SLOTS
from foxtray.bots.search import BATCH
from foxtray.core.codes import ACTIONS, AREAS, DICE, SEATS
from foxtray.sim.arrays import STATE, WORK, Records

# Arrays and records stand in for the lists and objects that the compilable modules speak of, so
# their types are left open there.
Array = Any
Desk = Any
Net = Any

MOST_CANDIDATES = 32

NET = np.dtype(
    [
        ("w1", np.float32, (INPUTS, FIRST)),
        ("b1", np.float32, FIRST),
        ("w2", np.float32, (FIRST, SECOND)),
        ("b2", np.float32, SECOND),
        # A row per output; the last weight of a row is its bias.
        ("w3", np.float32, (OUTPUTS, SECOND + 1)),
    ]
)
WEIGHTS = NET.itemsize // 4


def net_of(flat: Array) -> Records:
    """A net, as an array of one record, on the memory of a flat array of weights."""
    return flat.view(NET)  # type: ignore[no-any-return]


def random_weights(seed: int) -> Array:
    """Small random weights to start from."""
    random = np.random.default_rng(seed)
    flat = np.zeros(WEIGHTS, np.float32)
    net = net_of(flat)[0]
    net["w1"][:] = random.normal(0, 0.15, net["w1"].shape)
    net["w2"][:] = random.normal(0, (2 / FIRST) ** 0.5, net["w2"].shape)
    net["w3"][0, :SECOND] = random.normal(0, 0.1, SECOND)
    return flat


def desk_type() -> np.dtype[Any]:
    """The working memory of a planner."""
    parts: list[tuple[Any, ...]] = [
        ("nodes", STATE, NODES),
        ("firsts", np.int64, NODES),  # the action at the root that led to a node
        ("open", np.int8, NODES),  # whether a node is still to be followed
        ("values", np.float64, NODES),
        ("tastes", np.float64, AREAS),  # added per point of each area: 0 but for exploration
        ("keys", np.int64, SLOTS),
        ("stamps", np.int64, SLOTS),
        ("stamp", np.int64),  # the number of the current plan
        ("work", WORK),
        ("active", np.int64, MOST),
        ("dense", np.float32, DENSE),
        ("h1", np.float32, FIRST),
        ("h2", np.float32, SECOND),
        ("loud", np.int64, FIRST),  # the units of the first layer that are not zero
        ("back", np.float32, FIRST),
        ("back2", np.float32, SECOND),
        ("root", np.int64, MOST),  # the active inputs of the root, their number, their sum
        ("roots", np.int64),
        ("base", np.float32, FIRST),
        ("seen", np.int64, INPUTS),  # which inputs the root has: the last turn, or one more
        ("turn", np.int64),
        ("legal", np.int64, ACTIONS),
        ("offers", np.float64, ACTIONS),  # the best value that each legal action can lead to
        ("taken", np.int8, NODES),
        ("picked", np.int64, MOST_CANDIDATES),  # the candidates of a search
        ("sums", np.float64, MOST_CANDIDATES),
        ("thrown", np.int64, MOST_CANDIDATES),  # 1: by sampled throws; 0: known; -1: dropped
        ("ranks", np.int64, MOST_CANDIDATES),
        ("sheet", np.int64, (BATCH, DICE)),  # a batch of throws
        ("effort", np.int64),  # states looked at so far
        ("rivals", np.int64),  # how many the chance to win is reckoned against; 0: points count
        ("rival_ends", np.float64, (SEATS, QUANTILES)),  # where each of them may end, ascending
        ("ends", np.float64, QUANTILES),
    ]
    plain = np.dtype(parts, align=True)
    assert plain.fields is not None and plain.names is not None
    # The nodes once more, as 64-bit numbers, to be hashed.
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


DESK = desk_type()


def new_desk() -> Records:
    """An array of one desk."""
    desk = np.zeros(1, DESK)
    desk["work"]["log"]["size"] = -1
    return desk
