"""What compact nets cost: `strong` with the nets of the page against its own, on the same dice.

`python benchmarks/compact.py 10000` plays that many games of each kind.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import numpy as np

from foxtray.bots.compact import compact, unpacked
from foxtray.bots.levels import chooser
from foxtray.bots.weights import save_weights
from foxtray.games.registry import SHEETS
from foxtray.sim.batch import play

SEED = 1_000_000
CHUNK = 250


def totals(game: str, seats: int, games: int, weights: Path | None) -> np.ndarray:
    """The total of every seat of every game."""
    bot = chooser("strong", game, weights)
    found = []
    for first in range(0, games, CHUNK):
        result = play(game, [bot] * seats, SEED + first, min(CHUNK, games - first))
        found.append(result.totals[:, :seats])
    return np.concatenate(found).astype(float)


def main(games: int) -> None:
    print("game    seats  games  exact   compact  difference  error   bytes")
    with tempfile.TemporaryDirectory() as folder:
        for game in SHEETS:
            data = compact(game)
            header, nets = unpacked(data)
            path = Path(folder) / f"{game}.npz"
            flats = [np.array(net, np.float32) for net in nets]
            save_weights(path, flats, header["serves"], {"game": game}, header["late"])
            for seats, count in ((1, games), (2, games // 4), (4, games // 8)):
                exact = totals(game, seats, count, None)
                own = totals(game, seats, count, path)
                change = (own - exact).mean(axis=1)
                error = change.std(ddof=1) / len(change) ** 0.5
                print(
                    f"{game:7} {seats:5} {count:6} {exact.mean():7.2f} {own.mean():8.2f}"
                    f" {change.mean():+10.3f} {error:7.3f} {len(data):8}",
                    flush=True,
                )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 10_000)
