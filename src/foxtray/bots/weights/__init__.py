"""The trained weights, one file per game, each with its model card."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from foxtray.bots.desk import WEIGHTS, Array, net_of
from foxtray.core.codes import SEATS
from foxtray.errors import FoxtrayError
from foxtray.sim.arrays import Records


class DamagedWeights(FoxtrayError):
    """A weights file that cannot be used."""

    code = "damaged_weights"


class Weights(NamedTuple):
    """The nets of a game, and the model card that tells how they came about."""

    nets: tuple[Records, ...]
    """A net for each number of seats; one may serve several."""
    card: dict[str, Any]

    def net(self, seats: int) -> Records:
        return self.nets[seats - 1]


def save_weights(
    path: Path, flats: Sequence[Array], serves: Sequence[int], card: dict[str, Any]
) -> None:
    """Write a weights file: flat weights, which of them serve 1 to 4 seats, and the card."""
    with path.open("wb") as file:
        np.savez_compressed(
            file,
            weights=np.array(flats, np.float32),
            serves=np.array(serves),
            card=json.dumps(card),
        )


def read_weights(path: Path, game: str | None = None) -> Weights:
    """The nets of a weights file, and its card; those of another game are refused."""
    try:
        with path.open("rb") as file, np.load(file, allow_pickle=False) as stored:
            flats = np.ascontiguousarray(stored["weights"], np.float32)
            serves = stored["serves"].tolist()
            card = json.loads(str(stored["card"]))
    except FileNotFoundError:
        raise DamagedWeights(f"there is no weights file {path.name}") from None
    except Exception:  # what numpy says of it may be advice to trust the file
        raise DamagedWeights(f"the weights file {path.name} is damaged") from None
    fits = flats.ndim == 2 and flats.shape[1] == WEIGHTS and np.isfinite(flats).all()
    if not fits or len(serves) != SEATS or not all(0 <= k < len(flats) for k in serves):
        raise DamagedWeights(f"the weights file {path.name} does not fit this version of foxtray")
    if game is not None and card.get("game") != game:
        raise DamagedWeights(f"the weights file {path.name} is not for {game}")
    return Weights(tuple(net_of(flats[k]) for k in serves), card)


@cache
def weights_of(game: str) -> Weights:
    """The shipped nets of a game."""
    with as_file(files(__package__) / f"{game}.npz") as path:
        return read_weights(path)
