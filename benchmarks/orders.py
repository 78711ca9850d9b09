"""Measure what each place in the order of play is worth, and write it to docs/bots.md.

    python benchmarks/orders.py [--games N] [--game GAME] [--seats N,...] [--bot NAME]
        [--weights FILE] [--jobs J] [--dry]

One bot plays all seats. Held-out seeds. The seats of a game share its dice, so the error of the gap
between two orders is that of their difference within games. With few games, the largest of several
gaps is too large by about its error.
"""

from __future__ import annotations

import argparse
import os
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from itertools import combinations
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np

from foxtray import bots
from foxtray.games.registry import SHEETS
from foxtray.sim import batch

PAGE = Path(__file__).parent.parent / "docs" / "bots.md"
FIRST_SEED = 8_400_000_000
PART = 200
"""Games per task of a process."""
MARKS = "<!-- orders -->", "<!-- /orders -->"
HEAD = [
    "| game | seats | games | points by order | error | best over worst |",
    "|---|---|---|---|---|---|",
]


def play(start: int, count: int, game: str, seats: int, bot: str, weights: Path | None) -> Any:
    """The totals of some games, a column per place in the order of play."""
    chooser: Any = bot
    if bot not in batch.INSIDE:
        chooser = bots.chooser(bot, game, weights=weights)
    played = batch.play(game, [chooser] * seats, start, count)
    places = (played.firsts[:, None] + np.arange(seats)) % seats
    return np.take_along_axis(played.totals, places, axis=1)


def measure(game: str, seats: int, bot: str, games: int, jobs: int, weights: Path | None) -> str:
    """A row of the table."""
    starts = range(FIRST_SEED, FIRST_SEED + games, PART)
    counts = [min(PART, FIRST_SEED + games - start) for start in starts]
    work = partial(play, game=game, seats=seats, bot=bot, weights=weights)
    with ProcessPoolExecutor(jobs, get_context("spawn")) as pool:
        totals = np.concatenate(list(pool.map(work, starts, counts)))
    means = totals.mean(0)
    error = totals.std(0).mean() / games**0.5
    gaps = [
        (abs(gap.mean()), gap.std() / games**0.5)
        for a, b in combinations(range(seats), 2)
        for gap in [totals[:, a] - totals[:, b]]
    ]
    widest, doubt = max(gaps)
    points = " / ".join(f"{mean:.1f}" for mean in means)
    return (
        f"| {SHEETS[game].title} | {seats} | {games:,} | {points} | {error:.1f} "
        f"| {widest:.1f} ± {doubt:.1f} |"
    )


def write_table(rows: list[str]) -> None:
    """Put rows into the table of docs/bots.md, in place of earlier ones."""
    before, rest = PAGE.read_text(encoding="utf-8").split(MARKS[0])
    table, after = rest.split(MARKS[1])
    known = {tuple(row.split("|")[1:3]): row for row in [*table.strip().split("\n")[2:], *rows]}
    lines = "\n".join([*HEAD, *(known[key] for key in sorted(known))])
    PAGE.write_text(f"{before}{MARKS[0]}\n{lines}\n{MARKS[1]}{after}", encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=6_000)
    parser.add_argument("--game", choices=tuple(SHEETS))
    parser.add_argument("--seats", default="2,3,4")
    parser.add_argument("--bot", default="strong")
    parser.add_argument("--weights", type=Path, help="another weights file; implies --dry")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--dry", action="store_true", help="print only; leave the page alone")
    args = parser.parse_args()
    rows = []
    for game in [args.game] if args.game else SHEETS:
        for seats in map(int, args.seats.split(",")):
            rows.append(measure(game, seats, args.bot, args.games, args.jobs, args.weights))
            print(rows[-1], flush=True)
    if not (args.dry or args.weights or args.bot != "strong"):
        write_table(rows)


if __name__ == "__main__":
    main()
