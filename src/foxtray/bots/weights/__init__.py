"""The trained weights, one file per game, each with its model card."""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any

import numpy as np

from foxtray.bots.desk import WEIGHTS, Array, Net, net_of
from foxtray.errors import FoxtrayError


class DamagedWeights(FoxtrayError):
    """A weights file that cannot be used."""

    code = "damaged_weights"


def save_weights(path: Path, flat: Array, card: dict[str, Any]) -> None:
    """Write a weights file: the flat weights, and the model card as JSON."""
    with path.open("wb") as file:
        np.savez_compressed(file, weights=flat.astype(np.float32), card=json.dumps(card))


def read_weights(path: Path) -> tuple[Net, dict[str, Any]]:
    """The net of a weights file, and its card."""
    try:
        with path.open("rb") as file, np.load(file, allow_pickle=False) as stored:
            flat = np.ascontiguousarray(stored["weights"], np.float32)
            card = json.loads(str(stored["card"]))
    except FileNotFoundError:
        raise DamagedWeights(f"there is no weights file {path.name}") from None
    except Exception as error:
        raise DamagedWeights(f"the weights file {path.name} is damaged ({error})") from None
    if flat.shape != (WEIGHTS,) or not np.isfinite(flat).all():
        raise DamagedWeights(f"the weights file {path.name} does not fit this version of foxtray")
    return net_of(flat), card


@cache
def weights_of(game: str) -> tuple[Net, dict[str, Any]]:
    """The shipped net of a game, and its card."""
    with as_file(files(__package__) / f"{game}.npz") as path:
        return read_weights(path)
