"""Room for the samples of one round of self-play."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from foxtray.bots.desk import Array
from foxtray.bots.features import DENSE, MOST
from foxtray.core.codes import AREAS


class Samples(NamedTuple):
    """Chance nodes as the net saw them, and what it should have said."""

    active: Array
    counts: Array
    dense: Array
    guesses: Array
    hopes: Array
    """What the throw was worth beforehand, by look-ahead; unknown where nobody looked."""
    totals: Array
    seats: Array
    targets: Array
    ends: Array
    """How it ended for the seat: its areas, foxes and total."""


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
