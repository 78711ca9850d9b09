"""Measure reviews on games of every level, and write the table of docs/review.md.

    python benchmarks/review.py [--games N] [--game GAME] [--only LEVEL,...] [--pairs N]
    python benchmarks/review.py --headroom [--games N] [--game GAME] [--seats N] [--fresh]

Held-out seeds. `--pairs` games of each level are reviewed with a second seed as well. Results are
kept in a file, so that a run can be continued; `--fresh` starts again.

`--headroom` measures on other seeds what reviews find beyond the weights, and writes it to the
game's headroom.json. It comes first whenever weights have changed: once with `--fresh`, and once
more for what the first headroom leaves.
"""

from __future__ import annotations

import argparse
import json
import math
import time
from pathlib import Path
from statistics import fmean, median, stdev
from typing import Any, NamedTuple

import numpy as np

from foxtray import bots, games
from foxtray.bots.weights import weights_of
from foxtray.bots.workspace import Array
from foxtray.core.codes import ROLLS
from foxtray.games.registry import SHEETS, folder_of
from foxtray.review import review
from foxtray.review.model import SeatReview
from foxtray.sim import batch

PAGE = Path(__file__).parent.parent / "docs" / "review.md"
KEPT = Path(__file__).parent.parent / ".venv" / "review-figures.json"
FIRST_SEED = 9_000_000_000
HEADROOM_SEED = 9_500_000_000
MIDDLE = 200.0
NOISE = 2.0
"""How much what the decisions of a round find differs from game to game, in points."""
USUAL = 1.0
"""The usual slope and bend of a curve per 100 points."""
LEVELS = ("random", "casual", "solid", "strong")
START, END = "<!-- figures -->", "<!-- /figures -->"


class Played(NamedTuple):
    """What a review said of a game."""

    level: str
    result: float
    luck: float
    rounds: list[tuple[int, float, float]]
    """The number of each round, the mean points expected in it, and the sum of its corrections."""

    @property
    def correction(self) -> float:
        """The sum of all corrections."""
        return math.fsum(correction for _, _, correction in self.rounds)


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


def measure_headroom(game: str, seats: int, count: int, fresh: bool) -> None:
    """Fit what reviews find beyond the weights and the known headroom, and add it to that."""
    path = Path(games.__file__).parent / game / "headroom.json"
    known = folder_of(game).headroom
    if fresh:
        known.clear()
    # At tables a game takes several times as long, and strong reaches much the same positions.
    levels = (*LEVELS, "expert") if seats == 1 else LEVELS
    means = {level: mean_of(game, level) for level in levels} if seats == 1 else {}
    played: list[Played] = []
    for level in levels:
        chosen = [bots.chooser(level, game)] * seats
        batched = batch.play(game, chosen, HEADROOM_SEED, count, moves=True)
        for number in range(count):
            found = review(batched.record(number), seed=1, seats=[number % seats])
            played.append(noted(level, found.players[0]))
        mean, error = centred([one for one in played if one.level == level], means.get(level))
        print(
            f"{count} games of {level}: corrections come to {mean:+.1f} ± {error:.1f}", flush=True
        )
    more = fit(played, means, ROLLS + max(1, seats - 1))
    earlier = known.get(str(seats), [[0.0] * 3] * len(more))
    known[str(seats)] = [
        [round(old + new, digits) for old, new, digits in zip(*each, (4, 6, 9), strict=True)]
        for each in zip(earlier, more, strict=True)
    ]
    parts = (f'"{key}": {json.dumps(value)}' for key, value in sorted(known.items()))
    path.write_text("{\n" + ",\n".join(parts) + "\n}\n", encoding="utf-8", newline="\n")
    print(f"{game} with {seats} seats: {known[str(seats)]}")


def noted(level: str, player: SeatReview) -> Played:
    """A review without what the headroom does not need."""
    rounds = []
    for now in sorted({moment.round for moment in player.moments}):
        moments = [moment for moment in player.moments if moment.round == now]
        points = fmean(moment.before for moment in moments)
        rounds.append((now, points, math.fsum(moment.correction for moment in moments)))
    return Played(level, player.result, player.luck, rounds)


def mean_of(game: str, level: str) -> float:
    """What a level scores alone, from thousands of games."""
    return float(folder_of(game).strength[level]["mean"])


def centre(corrections: list[float], gaps: list[float] | None = None) -> tuple[float, float]:
    """The mean of corrections, and its error.

    The gaps say how much better than usual the games went beyond their luck. Their true mean is 0,
    so what they have in common with the corrections can be taken out.
    """
    found = np.array(corrections)
    if gaps:
        apart = np.array(gaps)
        share = np.cov(found, apart)[0, 1] / apart.var(ddof=1)
        found = found - share * apart
    return float(found.mean()), float(found.std(ddof=1) / math.sqrt(len(found)))


def fit(played: list[Played], means: dict[str, float], each: int) -> list[list[float]]:
    """What one of the `each` decisions of a round finds: a parabola over the points, by round.

    Ridge regression, so that curves are flat where the games say little. The mean of each level
    counts for as much as it is certain.
    """
    rounds = 1 + max(now for one in played for now, _, _ in one.rounds)
    columns: list[Array] = []
    found: list[float] = []
    for level in sorted({one.level for one in played}):
        own = [one for one in played if one.level == level]
        total = np.zeros(3 * rounds)
        for one in own:
            for now, points, correction in one.rounds:
                place = (points - MIDDLE) / 100
                column = np.zeros(3 * rounds)
                column[3 * now : 3 * now + 3] = 1.0, place, place**2
                total += column / len(own)
                columns.append(column)
                found.append(correction / each)
        mean, error = centred(own, means.get(level))
        weight = NOISE * each / error
        columns.append(weight * total)
        found.append(weight * mean / each)
    rows = np.array(columns)
    ridge = np.diag([0.0, 1.0, 1.0] * rounds) * (NOISE / USUAL) ** 2
    solved = np.linalg.solve(rows.T @ rows + ridge, rows.T @ found)
    return [unscaled(*map(float, solved[at : at + 3])) for at in range(0, 3 * rounds, 3)]


def centred(played: list[Played], mean: float | None) -> tuple[float, float]:
    """The mean correction of games of one level, and its error; the mean is what it scores."""
    gaps = None if mean is None else [one.result - one.luck - mean for one in played]
    return centre([one.correction for one in played], gaps)


def unscaled(flat: float, slope: float, bend: float) -> list[float]:
    """A parabola around `MIDDLE` in hundreds of points as one in points."""
    b, c = slope / 100, bend / 10_000
    return [flat - b * MIDDLE + c * MIDDLE**2, b - 2 * c * MIDDLE, c]


def rms(values: list[float]) -> float:
    return math.sqrt(fmean(value * value for value in values)) if values else float("nan")


def table(kept: dict[str, list[dict[str, Any]]]) -> list[str]:
    """The table as Markdown."""
    lines = [
        "| game | level | games | result | luck | price | `expert` scores more by | correction | "
        "expected | error of a price | of the sum | CPU s |",
        "|---|---|---|---|---|---|---|---|---|---|---|---|",
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
        gaps = [row["result"] - row["luck"] - strength[level]["mean"] for row in rows]
        usual, doubt = centre(corrections, gaps)
        lines.append(
            f"| {SHEETS[game].title} | `{level}` | {len(rows)} | {fmean(columns['result']):.1f} | "
            f"{fmean(columns['luck']):+.1f} ± {error:.1f} | {fmean(columns['price']):.1f} | "
            f"{behind:.1f} | {fmean(corrections):+.1f} (sd {stdev(corrections):.1f}) | "
            f"{usual:+.1f} ± {doubt:.1f} | "
            f"{rms(apart):.2f} | {rms(sums):.1f} | {median(row['seconds'] for row in rows):.1f} |"
        )
    return lines


def basis(game: str) -> str:
    """What the figures of a game rest on: the nets for solo games, and the headroom."""
    return f"{weights_of(game).digest(1)} {json.dumps(folder_of(game).headroom)}"


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
            measure_headroom(game, args.seats, args.games, args.fresh)
        return
    bases = {game: basis(game) for game in SHEETS if folder_of(game).weights}
    kept: dict[str, Any] = {"bases": bases, "rows": {}}
    if KEPT.exists() and not args.fresh:
        earlier = json.loads(KEPT.read_text())
        same = [game for game in bases if earlier["bases"].get(game) == bases[game]]
        kept["rows"] = {
            key: rows for key, rows in earlier["rows"].items() if key.split()[0] in same
        }
    wanted = [args.game] if args.game else list(bases)
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
