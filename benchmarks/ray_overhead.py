"""Compares a Ray cluster on this machine with our own processes, for games of `strong`.

Both play the same chunks on as many processes. Runs alternate, and each counts from its first
finished chunk to its last, so that the start of processes, which a longer run would not notice, is
left out. The median of the ratios is the overhead.
"""

from __future__ import annotations

import argparse
import statistics
from time import perf_counter

from foxtray.bots import chooser
from foxtray.sim.cluster import connect
from foxtray.sim.simulation import prepare, simulate
from foxtray.sim.summary import Summary
from foxtray.sim.workers import Pool

BOTS = ["strong"]


def speed(games: int, jobs: int, pool: Pool | None) -> tuple[float, float]:
    """Games per second of wall time and of CPU time, from the first chunk to the last."""
    marks: list[tuple[int, float, float]] = []

    def watch(summary: Summary) -> None:
        marks.append((summary.games, perf_counter(), summary.cpu_seconds))

    simulate("clever", BOTS, games, jobs=jobs, find=chooser, pool=pool, watch=watch)
    (first, began, before), (last, ended, after) = marks[0], marks[-1]
    return (last - first) / (ended - began), (last - first) / (after - before)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=4_000, help="games per run")
    parser.add_argument("--jobs", type=int, default=2, help="processes")
    parser.add_argument("--pairs", type=int, default=5, help="runs of each")
    args = parser.parse_args()
    prepare("clever", BOTS, chooser)
    began = perf_counter()
    with connect("local", args.jobs) as pool:
        print(f"start of Ray                   {perf_counter() - began:10.1f} s")
        speed(args.games // 4, args.jobs, pool)  # its processes start with the first games
        pairs = []
        for _ in range(args.pairs):
            pairs.append((speed(args.games, args.jobs, None), speed(args.games, args.jobs, pool)))
            (ours, ours_cpu), (rays, rays_cpu) = pairs[-1]
            print(f"games per second, ours, Ray    {ours:10,.0f} {rays:10,.0f}")
            print(f"  per CPU second               {ours_cpu:10,.0f} {rays_cpu:10,.0f}")
    over = statistics.median(ours[0] / rays[0] - 1 for ours, rays in pairs)
    print(f"overhead, median               {over:10.1%}")


if __name__ == "__main__":
    main()
