"""Measure how strong the bots are alone, and write it to the folder of each game.

    python benchmarks/strength.py [--games N] [--search-games N] [--only NAME,...] [--game GAME]

The levels that play by the net without noise are told in its model card too.

Held-out seeds: training uses those from 2^40 on, choosing among nets those below 10^9.
"""

from __future__ import annotations

import argparse
import json
import os
import time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np

from foxtray import bots, games
from foxtray.bots.weights import save_weights, weights_of
from foxtray.games.registry import SHEETS
from foxtray.sim import batch

GAMES = Path(games.__file__).parent
PAGE = Path(__file__).parent.parent / "docs" / "bots.md"
FIRST_SEED = 8_000_000_000


def play(name: str, game: str, seed: int, games: int) -> tuple[Any, int, float]:
    """Totals, decisions and CPU seconds of some games."""
    chooser = bots.chooser(name, game)
    batch.play(game, [chooser], 1, 1)
    started = time.process_time()
    played = batch.play(game, [chooser], seed, games)
    return played.totals[:, 0], int(played.decisions.sum()), time.process_time() - started


def measure(name: str, game: str, games: int) -> dict[str, float]:
    jobs = os.cpu_count() or 1
    each = -(-games // jobs)
    with ProcessPoolExecutor(jobs, get_context("spawn")) as pool:
        calls = [
            pool.submit(play, name, game, FIRST_SEED + job * each, each) for job in range(jobs)
        ]
        parts = [call.result() for call in calls]
    totals = np.concatenate([part[0] for part in parts])
    seconds = sum(part[2] for part in parts)
    best = SHEETS[game].ratings[0].lowest or 0
    p10, median, p90 = np.percentile(totals, [10, 50, 90])
    return {
        "mean": round(float(totals.mean()), 2),
        "se": round(float(totals.std() / len(totals) ** 0.5), 2),
        "games": len(totals),
        "ms_per_decision": round(seconds * 1000 / sum(part[1] for part in parts), 4),
        "p10": float(p10),
        "median": float(median),
        "p90": float(p90),
        "top_band": round(float((totals >= best).mean()), 4),
        "games_per_cpu_second": round(len(totals) / seconds, 1),
    }


def table() -> str:
    """The measurements as a Markdown table."""
    lines = [
        "| bot | game | mean | error | games | p10 | median | p90 | top band | ms a decision |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    for name in bots.LEVELS:
        for game, found in {game: known(game) for game in SHEETS}.items():
            if name not in found:
                continue
            m = found[name]
            lines.append(
                f"| `{name}` | {game} | {m['mean']:.1f} | {m['se']:.2f} | {m['games']} "
                f"| {m['p10']:.0f} | {m['median']:.0f} | {m['p90']:.0f} "
                f"| {m['top_band']:.1%} | {m['ms_per_decision']:.3g} |"
            )
    return "\n".join(lines)


def known(game: str) -> dict[str, Any]:
    """The measurements of a game so far, by bot."""
    path = GAMES / game / "strength.json"
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    return found


def write_table() -> None:
    """Put the table into docs/bots.md."""
    text = PAGE.read_text(encoding="utf-8")
    before, rest = text.split("<!-- strength -->")
    after = rest.split("<!-- /strength -->")[1]
    text = f"{before}<!-- strength -->\n{table()}\n<!-- /strength -->{after}"
    PAGE.write_text(text, encoding="utf-8")


def write_card(game: str, found: dict[str, Any]) -> None:
    """Write the strength of a game's solo net into its model card."""
    weights = weights_of(game)
    told = {
        name: {key: found[name][key] for key in ("mean", "se", "games")}
        for name in ("strong", "expert")
        if name in found
    }
    card = {**weights.card, "strength": told}
    path = GAMES / game / "weights.npz"
    save_weights(path, weights.flats, weights.serves, card, weights.late)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=10_000)
    parser.add_argument("--search-games", type=int, default=500)
    parser.add_argument("--only", default=",".join(bots.LEVELS))
    parser.add_argument("--game", choices=tuple(SHEETS))
    args = parser.parse_args()
    for name in args.only.split(","):
        for game in [args.game] if args.game else SHEETS:
            count = args.search_games if bots.LEVELS[name].throws else args.games
            found = known(game) | {name: measure(name, game, count)}
            print(name, game, found[name], flush=True)
            ordered = {level: found[level] for level in bots.LEVELS if level in found}
            text = json.dumps(ordered, indent=1) + "\n"
            (GAMES / game / "strength.json").write_text(text, encoding="utf-8")
            write_table()
            write_card(game, found)


if __name__ == "__main__":
    main()
