"""Room for the samples of one round of self-play."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from foxtray.bots.desk import Array
from foxtray.bots.features import DENSE, MOST


class Samples(NamedTuple):
    """Chance nodes as the net saw them, and what it should have said."""

    active: Array
    counts: Array
    dense: Array
    guesses: Array
    totals: Array
    seats: Array
    targets: Array


def new_samples(size: int) -> Samples:
    return Samples(
        np.zeros((size, MOST), np.int16),
        np.zeros(size, np.int16),
        np.zeros((size, DENSE), np.float32),
        np.zeros(size, np.float64),
        np.zeros(size, np.float64),
        np.zeros(size, np.int16),
        np.zeros(size, np.float64),
    )
