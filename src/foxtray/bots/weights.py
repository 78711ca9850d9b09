"""Weights files: the trained nets of a game and their model card."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from functools import cache
from importlib.resources import as_file
from pathlib import Path
from typing import Any

import numpy as np

from foxtray.bots.base import NoWeights
from foxtray.bots.network import EARLY, LATE
from foxtray.bots.old_weights import renewed
from foxtray.bots.workspace import Array, net_of, roomy, weights_in
from foxtray.core.codes import SEATS
from foxtray.errors import FoxtrayError
from foxtray.files import replacing_bytes
from foxtray.games.registry import SHEETS, folder_of
from foxtray.sim.arrays import Records

VERSION = 3
"""The format of weights files and checkpoints.

In version 2 the size of a net depends on its sheet; version 3 adds inputs.
"""


class DamagedWeights(FoxtrayError):
    """A weights file that cannot be used."""

    code = "damaged_weights"


class Weights:
    """The nets of a game, and the model card that says how they were trained."""

    def __init__(
        self, flats: list[Array], serves: list[int], late: list[int], card: dict[str, Any]
    ) -> None:
        self.flats, self.serves, self.late, self.card = flats, serves, late, card
        pairs = list(zip(serves, late, strict=True))
        made = {pair: net_of(np.concatenate([roomy(flats[k]) for k in pair])) for pair in pairs}
        self.pairs = [made[pair] for pair in pairs]

    def nets(self, seats: int) -> Records:
        """The net for a number of seats, and the one for the last round."""
        return self.pairs[seats - 1]

    def digest(self, seats: int) -> str:
        """The first digits of the hash of the nets for a number of seats."""
        nets = self.nets(seats)
        alike = nets[EARLY] == nets[LATE]
        return hashlib.sha256((nets[:1] if alike else nets).tobytes()).hexdigest()[:16]


def save_weights(
    path: Path,
    flats: Sequence[Array],
    serves: Sequence[int],
    card: dict[str, Any],
    late: Sequence[int] | None = None,
) -> None:
    """Write a weights file: flat weights, which of them serve 1 to 4 seats, and the card.

    `late` says which of them serve the last round; by default the same.
    """
    size = weights_in(card["game"])
    with replacing_bytes(path) as file:
        np.savez_compressed(
            file,
            weights=np.array([flat[:size] for flat in flats], np.float32),
            serves=np.array(serves),
            late=np.array(serves if late is None else late),
            card=json.dumps(card),
            version=VERSION,
        )


def read_weights(path: Path, game: str | None = None) -> Weights:
    """The nets of a weights file and its card; refuses a file for another game."""
    try:
        with path.open("rb") as file, np.load(file, allow_pickle=False) as stored:
            flats = list(np.ascontiguousarray(stored["weights"], np.float32))
            serves = stored["serves"].tolist()
            late = stored["late"].tolist() if "late" in stored else serves
            card = json.loads(str(stored["card"]))
            of = card["game"]
            version = int(stored["version"]) if "version" in stored else 1
    except FileNotFoundError:
        raise DamagedWeights(f"there is no weights file {path.name}") from None
    except Exception:  # numpy's own message may advise trusting the file
        raise DamagedWeights(f"the weights file {path.name} is damaged") from None
    if game is not None and of != game:
        raise DamagedWeights(f"the weights file {path.name} is not for {game}")
    if of not in SHEETS:
        raise DamagedWeights(f"the weights file {path.name} is for {of!r}, which is not installed")
    if version < VERSION:
        flats = [renewed(of, flat) for flat in flats]
    fits = version <= VERSION and all(flat.shape == (weights_in(of),) for flat in flats)
    finite = fits and all(np.isfinite(flat).all() for flat in flats)
    known = all(len(which) == SEATS for which in (serves, late)) and all(
        0 <= k < len(flats) for k in (*serves, *late)
    )
    if not finite or not known:
        raise DamagedWeights(f"the weights file {path.name} does not fit this version of foxtray")
    return Weights(flats, serves, late, card)


@cache
def weights_of(game: str) -> Weights:
    """The shipped nets of a game."""
    file = folder_of(game).weights
    if file is None:
        raise NoWeights(game)
    with as_file(file) as path:
        return read_weights(path, game)
