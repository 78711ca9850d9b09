"""Games as tables, with a row for each game and seat: CSV and Parquet."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from foxtray import extras
from foxtray.files import replacing, replacing_bytes
from foxtray.games.registry import SHEETS
from foxtray.sim.batch import Games

Sink = Callable[[Games], None]


def column_names(game: str) -> list[str]:
    """The columns of a table, in order."""
    colours = [area.colour for area in SHEETS[game].areas]
    return [
        *("game", "seed", "seat", "bot", "total", *colours),
        *("foxes", "fox_points", "decisions", "won"),
    ]


def columns(games: Games, bots: Sequence[str], first_seed: int) -> dict[str, Any]:
    """The columns by name, each with a value for each game and seat; games and seats count from 1.

    `first_seed` is the seed of game 1.
    """
    count, seats = games.totals.shape
    seeds = np.repeat(games.seeds, seats)
    areas = games.areas.reshape(count * seats, -1)
    found = [
        seeds - np.uint64(first_seed) + np.uint64(1),
        seeds,
        np.tile(np.arange(1, seats + 1, dtype=np.int8), count),
        np.tile(np.array(bots, dtype=object), count),
        games.totals.ravel(),
        *areas.T,
        games.foxes.ravel(),
        (games.foxes * games.fox_values).ravel(),
        games.decisions.ravel(),
        (games.wins[:, None] >> np.arange(seats) & 1).ravel().astype(bool),
    ]
    return dict(zip(column_names(games.game), found, strict=True))


@contextmanager
def csv_file(path: Path, game: str, bots: Sequence[str], first_seed: int) -> Iterator[Sink]:
    """A CSV file to which games can be written."""
    with replacing(path) as file:
        file.write(",".join(column_names(game)) + "\n")

        def write(games: Games) -> None:
            found = columns(games, bots, first_seed)
            found["won"] = found["won"].astype(np.int8)
            rows = zip(*(column.tolist() for column in found.values()), strict=True)
            file.writelines(",".join(map(str, row)) + "\n" for row in rows)

        yield write


@contextmanager
def parquet_file(path: Path, game: str, bots: Sequence[str], first_seed: int) -> Iterator[Sink]:
    """A Parquet file to which games can be written; needs pyarrow."""
    extras.need("parquet", "a Parquet file")
    import pyarrow as pa
    from pyarrow import parquet

    types = {name: pa.int32() for name in column_names(game)}
    types |= {"game": pa.uint64(), "seed": pa.uint64(), "seat": pa.int8(), "won": pa.bool_()}
    types["bot"] = pa.dictionary(pa.int8(), pa.string())
    schema = pa.schema(list(types.items()))
    with replacing_bytes(path) as file, parquet.ParquetWriter(file, schema) as writer:

        def write(games: Games) -> None:
            found = columns(games, bots, first_seed)
            writer.write_table(pa.table({name: found[name] for name in types}, schema=schema))

        yield write
