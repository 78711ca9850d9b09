"""States and tables as numpy records with the same field names as the plain ones."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from foxtray.core.layout import Tables, layout
from foxtray.core.state import FIELD_NAMES, State, Work
from foxtray.game import Game

Records = npt.NDArray[Any]


def record_type(example: Any, number: type) -> np.dtype[Any]:
    """The record type of a dataclass of ints, nested lists of ints and dataclasses like it."""
    parts: list[Any] = []
    for part in fields(example):
        value = getattr(example, part.name)
        if is_dataclass(value):
            parts.append((part.name, record_type(value, number)))
        else:
            parts.append((part.name, number, np.asarray(value).shape))
    tight = np.dtype(parts, align=True)
    assert tight.fields is not None and tight.names is not None
    # Padded to whole 64-bit words: states are copied all the time.
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
TABLES = record_type(Tables(), np.int16)
WORK = record_type(Work(), np.int64)


def new_work() -> Records:
    """An array of one `Work`, without a log."""
    array = np.zeros(1, WORK)
    array["log"]["size"] = -1
    return array


@cache
def tables_of(game: str) -> Records:
    """The tables of a game, as an array of one record."""
    array = np.zeros(1, TABLES)
    write(array, 0, layout(game).tables)
    array.flags.writeable = False
    return array


def write(array: Records, index: int, plain: Any) -> None:
    """Copy a plain state or plain tables into a record."""
    for part in fields(plain):
        array[part.name][index] = getattr(plain, part.name)


def state_array(game: Game) -> Records:
    """The state of a game as an array of one record."""
    array = np.zeros(1, STATE)
    write(array, 0, game.state)
    return array


def from_array(name: str, array: Records, index: int = 0) -> Game:
    """The game of a record; the record is trusted to be a state of this game."""
    return Game(layout(name), read_state(array, index))


def read_state(array: Records, index: int) -> State:
    """The plain state of a record."""
    return State(**{name: array[name][index].tolist() for name in FIELD_NAMES})
