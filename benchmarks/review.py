"""Measure reviews on games of every level, and write the table of docs/review.md.

    python benchmarks/review.py [--games N] [--game GAME] [--only LEVEL,...] [--pairs N]

Held-out seeds. `--pairs` games of each level are reviewed with a second seed as well. Results are
kept in a file, so that a run can be continued; `--fresh` starts again.
"""

from __future__ import annotations

import argparse
import json
import math
import time
from pathlib import Path
from statistics import fmean, stdev
from typing import Any

from foxtray import bots
from foxtray.bots.weights import weights_of
from foxtray.games.registry import SHEETS, folder_of
from foxtray.review import review
from foxtray.sim import batch

PAGE = Path(__file__).parent.parent / "docs" / "review.md"
KEPT = Path(__file__).parent.parent / ".venv" / "review-figures.json"
FIRST_SEED = 9_000_000_000
LEVELS = ("random", "casual", "solid", "strong")
START, END = "<!-- figures -->", "<!-- /figures -->"


def measure(level: str, game: str, seed: int, pair: bool) -> dict[str, Any]:
    """One game: its review, and what a second seed says of the same prices."""
    played = batch.play(game, [bots.chooser(level, game)], seed, 1, moves=True)
    record = played.record(0)
    began = time.process_time()
    found = review(record, seed=1)
    seconds = time.process_time() - began
    player = found.players[0]
    row: dict[str, Any] = {
        "result": player.result,
        "luck": player.luck,
        "price": player.price,
        "correction": player.correction,
        "errors": [decision.error for decision in player.decisions],
        "price_error": player.price_error,
        "seconds": seconds,
    }
    if pair:
        other = review(record, seed=2).players[0]
        prices = {decision.at: decision.price for decision in other.decisions}
        row["apart"] = [d.price - prices[d.at] for d in player.decisions if d.at in prices]
        row["sum_apart"] = player.price - other.price
    return row


def rms(values: list[float]) -> float:
    return math.sqrt(fmean(value * value for value in values)) if values else float("nan")


def table(kept: dict[str, list[dict[str, Any]]]) -> list[str]:
    """The table as Markdown."""
    lines = [
        "| game | level | games | result | luck | price | `expert` scores more by | correction | "
        "error of a price | of the sum | CPU s |",
        "|---|---|---|---|---|---|---|---|---|---|---|",
    ]
    for key, rows in kept.items():
        game, level = key.split()
        columns = {name: [row[name] for row in rows] for name in ("result", "luck", "price")}
        corrections = [row["correction"] for row in rows]
        strength = folder_of(game).strength
        behind = strength["expert"]["mean"] - strength[level]["mean"]
        apart = [gap / math.sqrt(2) for row in rows for gap in row.get("apart", ())]
        sums = [row["sum_apart"] / math.sqrt(2) for row in rows if "sum_apart" in row]
        error = stdev(columns["luck"]) / math.sqrt(len(rows))
        lines.append(
            f"| {SHEETS[game].title} | `{level}` | {len(rows)} | {fmean(columns['result']):.1f} | "
            f"{fmean(columns['luck']):+.1f} ± {error:.1f} | {fmean(columns['price']):.1f} | "
            f"{behind:.1f} | {fmean(corrections):+.1f} (sd {stdev(corrections):.1f}) | "
            f"{rms(apart):.2f} | {rms(sums):.1f} | {fmean(row['seconds'] for row in rows):.1f} |"
        )
    return lines


def write_page(kept: dict[str, list[dict[str, Any]]]) -> None:
    """Put the table between its marks in the page."""
    text = PAGE.read_text(encoding="utf-8")
    before, _, rest = text.partition(START)
    after = rest.partition(END)[2]
    whole = "\n".join([before + START, *table(kept), END + after])
    PAGE.write_text(whole, encoding="utf-8", newline="\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=100)
    parser.add_argument("--pairs", type=int, default=20)
    parser.add_argument("--game", choices=tuple(SHEETS))
    parser.add_argument("--only", type=lambda text: text.split(","), default=LEVELS)
    parser.add_argument("--fresh", action="store_true")
    args = parser.parse_args()
    cards = {game: str(weights_of(game).card) for game in SHEETS if folder_of(game).weights}
    kept: dict[str, Any] = {"cards": cards, "rows": {}}
    if KEPT.exists() and not args.fresh:
        earlier = json.loads(KEPT.read_text())
        if earlier["cards"] == cards:
            kept = earlier
    games = [args.game] if args.game else list(cards)
    for number in range(args.games):
        for game in games:
            for level in args.only:
                rows = kept["rows"].setdefault(f"{game} {level}", [])
                if len(rows) <= number:
                    seed = FIRST_SEED + number
                    rows.append(measure(level, game, seed, number < args.pairs))
        KEPT.write_text(json.dumps(kept))
        print(f"{number + 1} games of each level", flush=True)
        if number:
            write_page(kept["rows"])
    print("\n".join(table(kept["rows"])))


if __name__ == "__main__":
    main()
