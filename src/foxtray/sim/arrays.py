"""States and tables as numpy records with the same field names as the plain ones."""

from __future__ import annotations

from dataclasses import fields
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from foxtray.core.layout import Tables, layout
from foxtray.core.state import State

Records = npt.NDArray[Any]


def record_type(example: Any, number: type) -> np.dtype[Any]:
    """The record type of a dataclass of ints and nested lists of them."""
    parts: list[Any] = []
    for field in fields(example):
        shape = np.asarray(getattr(example, field.name)).shape
        parts.append((field.name, number, shape) if shape else (field.name, number))
    tight = np.dtype(parts, align=True)
    assert tight.fields is not None and tight.names is not None
    # Whole 64-bit words, so that a state can be hashed word by word.
    return np.dtype(
        {
            "names": tight.names,
            "formats": [tight.fields[name][0] for name in tight.names],
            "offsets": [tight.fields[name][1] for name in tight.names],
            "itemsize": -(-tight.itemsize // 8) * 8,
        },
        align=True,
    )


STATE = record_type(State(), np.int16)
TABLES = record_type(Tables(), np.int64)


@cache
def tables_of(game: str) -> Records:
    """The tables of a game, as an array of one record."""
    array = np.zeros(1, TABLES)
    write(array, 0, layout(game).tables)
    array.flags.writeable = False
    return array


def write(array: Records, index: int, plain: Any) -> None:
    """Copy a plain state or plain tables into a record."""
    for field in fields(plain):
        array[field.name][index] = getattr(plain, field.name)


def read_state(array: Records, index: int) -> State:
    """The plain state of a record."""
    return State(**{field.name: array[field.name][index].tolist() for field in fields(State)})
