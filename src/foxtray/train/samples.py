"""The samples of one round of self-play."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from foxtray.bots.features import DENSE, MOST
from foxtray.bots.workspace import Array
from foxtray.core.codes import AREAS


class Samples(NamedTuple):
    """Chance nodes as the net saw them, and their targets."""

    active: Array
    counts: Array
    dense: Array
    guesses: Array
    luck: Array
    """What the throw was worth more than the mean, by look-ahead; 0 without one."""
    totals: Array
    seats: Array
    targets: Array
    ends: Array
    """The seat's final areas, foxes and total."""


def new_samples(size: int) -> Samples:
    return Samples(
        np.zeros((size, MOST), np.int16),
        np.zeros(size, np.int16),
        np.zeros((size, DENSE), np.float32),
        np.zeros(size, np.float64),
        np.zeros(size, np.float64),
        np.zeros(size, np.float64),
        np.zeros(size, np.int16),
        np.zeros(size, np.float64),
        np.zeros((size, AREAS + 2), np.float64),
    )
