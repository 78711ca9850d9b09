"""Measure reviews on games of every level, and write the table of docs/review.md.

    python benchmarks/review.py [--games N] [--game GAME] [--only LEVEL,...] [--pairs N]
    python benchmarks/review.py --headroom [--games N] [--game GAME] [--seats N]

Held-out seeds. `--pairs` games of each level are reviewed with a second seed as well. Results are
kept in a file, so that a run can be continued; `--fresh` starts again.

`--headroom` measures on other seeds what reviews find beyond the weights, and writes it to the
game's headroom.json. It comes first whenever weights have changed.
"""

from __future__ import annotations

import argparse
import json
import math
import time
from pathlib import Path
from statistics import fmean, median, stdev
from typing import Any

import numpy as np

from foxtray import bots, games
from foxtray.bots.weights import weights_of
from foxtray.core.codes import ROLLS
from foxtray.games.registry import SHEETS, folder_of
from foxtray.review import review
from foxtray.review.headroom import curve
from foxtray.sim import batch

PAGE = Path(__file__).parent.parent / "docs" / "review.md"
KEPT = Path(__file__).parent.parent / ".venv" / "review-figures.json"
FIRST_SEED = 9_000_000_000
HEADROOM_SEED = 9_500_000_000
WEAK = 100.0
"""The points of a weak player."""
MIDDLE = 200.0
RIDGE = 100.0
"""The square of: the noise of what a game finds (2 points) over the usual slope and bend (0.2 per
100 points)."""
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


def measure_headroom(game: str, seats: int, count: int) -> None:
    """Fit what a decision finds beyond the weights to the points expected, round by round."""
    folder_of(game).headroom.clear()
    rows: dict[int, list[tuple[float, float]]] = {}
    start = 0.0
    each = ROLLS + max(1, seats - 1)
    for level in LEVELS:
        chosen = [bots.chooser(level, game)] * seats
        played = batch.play(game, chosen, HEADROOM_SEED, count, moves=True)
        for number in range(count):
            player = review(played.record(number), seed=1, seats=[number % seats]).players[0]
            start = player.expected
            for now in sorted({moment.round for moment in player.moments}):
                moments = [moment for moment in player.moments if moment.round == now]
                found = sum(moment.correction for moment in moments) / each
                rows.setdefault(now, []).append((fmean(m.before for m in moments), found))
        print(f"{count} games of {level}", flush=True)
    curves = [fit(pairs) for _, pairs in sorted(rows.items())]
    curves = anchored(curves, start, found_by_expert(game, seats, count) / each)
    path = Path(games.__file__).parent / game / "headroom.json"
    kept = json.loads(path.read_text()) if path.exists() else {}
    kept[str(seats)] = curves
    parts = (f'"{key}": {json.dumps(value)}' for key, value in sorted(kept.items()))
    path.write_text("{\n" + ",\n".join(parts) + "\n}\n", encoding="utf-8", newline="\n")
    print(f"{game} with {seats} seats: {curves}")


def found_by_expert(game: str, seats: int, count: int) -> float:
    """What reviews of `expert` find beyond the weights in a game, on average.

    It plays what it finds, so this is what its results show, without the luck in them.
    """
    chosen = [bots.chooser("expert", game)] * seats
    played = batch.play(game, chosen, HEADROOM_SEED, count, moves=True)
    found = [
        review(played.record(n), seed=1, seats=[n % seats]).players[0].correction
        for n in range(count)
    ]
    error = stdev(found) / math.sqrt(count)
    print(f"{count} games of expert, where reviews find {fmean(found):.1f} ({error:.1f}) points")
    return fmean(found)


def fit(pairs: list[tuple[float, float]]) -> list[float]:
    """A parabola through points by ridge regression; where they say little, a flat one."""
    points, found = np.array(pairs).T
    places = (points - MIDDLE) / 100
    columns = np.stack([np.ones_like(places), places, places**2], axis=1)
    known = columns.T @ columns + np.diag([0.0, RIDGE, RIDGE])
    a, b, c = map(float, np.linalg.solve(known, columns.T @ found))
    flat, slope, bend = a, b / 100, c / 10_000
    return [flat - slope * MIDDLE + bend * MIDDLE**2, slope - 2 * bend * MIDDLE, bend]


def anchored(curves: list[list[float]], start: float, more: float) -> list[list[float]]:
    """Tilt the curves so that they come to `more` at the start, and as before for weak players."""
    gap = (more - sum(curve(each, start) for each in curves)) / len(curves)
    tilt = gap / (start - WEAK)
    return [[round(a - tilt * WEAK, 4), round(b + tilt, 6), round(c, 9)] for a, b, c in curves]


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
            f"{rms(apart):.2f} | {rms(sums):.1f} | {median(row['seconds'] for row in rows):.1f} |"
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
    parser.add_argument("--headroom", action="store_true")
    parser.add_argument("--seats", type=int, default=1, help="of the games for --headroom")
    args = parser.parse_args()
    if args.headroom:
        for game in [args.game] if args.game else SHEETS:
            measure_headroom(game, args.seats, args.games)
        return
    cards = {game: str(weights_of(game).card) for game in SHEETS if folder_of(game).weights}
    kept: dict[str, Any] = {"cards": cards, "rows": {}}
    if KEPT.exists() and not args.fresh:
        earlier = json.loads(KEPT.read_text())
        if earlier["cards"] == cards:
            kept = earlier
    wanted = [args.game] if args.game else list(cards)
    for number in range(args.games):
        for game in wanted:
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
