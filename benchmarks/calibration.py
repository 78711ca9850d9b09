"""Measure whether forecasts come true, and write it to docs/bots.md.

    python benchmarks/calibration.py [--games N] [--game GAME] [--seats N,...] [--led-by NAME,...]
        [--weights FILE] [--jobs J] [--dry]

Games are led by players of each level, by players of one area only and by players without foxes.
At the start of each round, every seat's forecast is noted, and the game is played out from there by
the plans of `strong`. Held-out seeds, as in strength.py.
"""

from __future__ import annotations

import argparse
import json
import os
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np

from foxtray.bots.levels import LEVELS
from foxtray.bots.network import QUANTILES
from foxtray.bots.weights import read_weights, weights_of
from foxtray.bots.workspace import new_workspace
from foxtray.games.registry import SHEETS
from foxtray.sim.arrays import STATE, tables_of
from foxtray.train import compiled, openings

PAGE = Path(__file__).parent.parent / "docs" / "bots.md"
KEPT = Path(__file__).parent / "calibration.json"
FIRST_SEED = 8_200_000_000
PART = 50
"""Games per task of a process."""
LEADERS = {
    "random": openings.RANDOM,
    "casual": openings.ERRING,
    "solid": openings.ERRING,
    "strong": openings.WELL,
    "one area": openings.ONE_AREA,
    "no foxes": openings.NO_FOXES,
}
MARKS = "<!-- calibration -->", "<!-- /calibration -->"


def lead(
    game: str, seats: int, leader: str, seed: int, games: int, weights: Path | None
) -> tuple[Any, ...]:
    """Forecast means, quantiles and chances by game, round and seat; then totals and wins."""
    rounds = SHEETS[game].rounds[seats - 1]
    each = games, rounds, seats
    means, chances, totals, wins = (np.full(each, np.nan) for _ in range(4))
    quantiles = np.full((*each, QUANTILES), np.nan)
    strong = LEVELS["strong"].suited(game)
    level = LEVELS.get(leader, LEVELS["strong"]).suited(game)
    nets = (read_weights(weights, game) if weights else weights_of(game)).nets(seats)
    compiled.playouts().calibrate(
        tables_of(game), np.zeros(3, STATE), seed, seats, 0 if leader == "strong" else 1,
        LEADERS[leader], max(1, level.bound), level.noise, strong.bound, strong.last_bound, nets,
        new_workspace(game), new_workspace(game), means, quantiles, chances, totals, wins,
    )  # fmt: skip
    return means, quantiles, chances, totals, wins


def measure(
    game: str, seats: int, leader: str, games: int, jobs: int, weights: Path | None
) -> dict[str, Any]:
    """The errors of the forecasts after one kind of leader, by round."""
    parts = [
        (game, seats, leader, FIRST_SEED + at, min(PART, games - at), weights)
        for at in range(0, games, PART)
    ]
    if jobs == 1:
        found = [lead(*part) for part in parts]
    else:
        with ProcessPoolExecutor(jobs, get_context("spawn")) as pool:
            found = list(pool.map(lead, *zip(*parts, strict=True)))
    means, quantiles, chances, totals, wins = map(np.concatenate, zip(*found, strict=True))
    # The seats of a game are not independent: the standard error is of games.
    errors = (means - totals).mean(2)
    below = (totals[..., None] < quantiles).mean((0, 2))
    levels = (np.arange(QUANTILES) + 0.5) / QUANTILES
    started = ~np.isnan(errors[0])
    tenths = []
    if seats > 1:
        said, won = chances[:, started].ravel(), wins[:, started].ravel()
        for tenth in range(10):
            inside = np.minimum(said * 10, 9).astype(int) == tenth
            if inside.sum():
                tenths.append(
                    [int(inside.sum()), float(said[inside].mean()), float(won[inside].mean())]
                )
    return {
        "games": games,
        "forecast": rounded(means.mean((0, 2))),
        "result": rounded(totals.mean((0, 2))),
        "error": rounded(errors.mean(0)),
        "se": rounded(errors.std(0) / games**0.5),
        "coverage": [rounded(row) for row in (below - levels)[started] * 100],
        "tenths": tenths,
    }


def rounded(row: Any) -> list[float | None]:
    return [None if np.isnan(x) else round(float(x), 2) for x in row]


def table(kept: dict[str, Any]) -> str:
    """The measurements as Markdown."""
    lines = [
        "| game | seats | led by | games | round 1 | 2 | 3 | 4 | 5 | 6 | quantiles | chances |",
        "|---|---|---|---|---|---|---|---|---|---|---|---|",
    ]
    for game in SHEETS:
        for seats in range(1, 5):
            for leader in LEADERS:
                m = kept.get(f"{game} {seats} {leader}")
                if m is None:
                    continue
                cells = [
                    "" if error is None else f"{error:+.1f} ({se:.1f})"
                    for error, se in zip(m["error"], m["se"], strict=True)
                ]
                cells += [""] * (6 - len(cells))
                worst = max(abs(x) for x in np.mean(m["coverage"], 0))
                lines.append(
                    f"| {game} | {seats} | {leader} | {m['games']} | {' | '.join(cells)} "
                    f"| {worst:.1f} % | {told(m['tenths'])} |"
                )
    return "\n".join(lines)


def told(tenths: list[list[float]]) -> str:
    """The largest difference between chances said and games won, among tenths with enough games."""
    misses = [abs(said - won) for n, said, won in tenths if n >= 200]
    return f"{100 * max(misses):.1f} %" if misses else ""


def write_table(kept: dict[str, Any]) -> None:
    """Put the table into docs/bots.md."""
    text = PAGE.read_text(encoding="utf-8")
    before, rest = text.split(MARKS[0])
    after = rest.split(MARKS[1])[1]
    PAGE.write_text(f"{before}{MARKS[0]}\n{table(kept)}\n{MARKS[1]}{after}", encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=2_000)
    parser.add_argument("--game", choices=tuple(SHEETS))
    parser.add_argument("--seats", default="1,2,3,4")
    parser.add_argument("--led-by", default=",".join(LEADERS))
    parser.add_argument("--weights", type=Path, help="another weights file; implies --dry")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--dry", action="store_true", help="print only; leave the files alone")
    args = parser.parse_args()
    kept = json.loads(KEPT.read_text(encoding="utf-8")) if KEPT.exists() else {}
    new = {}
    for game in [args.game] if args.game else SHEETS:
        for seats in map(int, args.seats.split(",")):
            for leader in args.led_by.split(","):
                found = measure(game, seats, leader, args.games, args.jobs, args.weights)
                new[f"{game} {seats} {leader}"] = found
                print(table({f"{game} {seats} {leader}": found}).split("\n")[-1], flush=True)
    if not (args.dry or args.weights):
        kept |= new
        KEPT.write_text(json.dumps(kept) + "\n", encoding="utf-8")
        write_table(kept)


if __name__ == "__main__":
    main()
