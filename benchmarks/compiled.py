"""Measures the speed and the start-up time of the compiled rules."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
from time import perf_counter, process_time

from foxtray.games.registry import SHEETS
from foxtray.sim.batch import play
from foxtray.sim.simulation import prepare, simulate

BATCHES = 3
PAIRS = 5
WARM = 2_000
COMMAND = [sys.executable, "-m", "foxtray", "simulate", "clever", "--bot", "random", "--json"]


def games_per_second(game: str, games: int) -> float:
    """Random solo games per CPU second of this process: the best of three batches."""
    play(game, ["random"], 0, WARM)
    best = 0.0
    for batch in range(BATCHES):
        began = process_time()
        play(game, ["random"], batch * games, games)
        best = max(best, games / (process_time() - began))
    return best


def two_over_one(game: str, games: int) -> float:
    """The speed-up of two processes in wall time, once both have started."""

    def speed(jobs: int) -> float:
        marks: list[tuple[int, float]] = []
        simulate(
            game,
            ["random"],
            games,
            jobs=jobs,
            watch=lambda summary: marks.append((summary.games, perf_counter())),
        )
        # The start of the other processes is reported separately, as a start from the cache.
        skipped = len(marks) // 4
        (first, began), (last, ended) = marks[skipped], marks[-1]
        return (last - first) / (ended - began)

    # Runs are paired, and the median counts, because the speed of a machine drifts.
    return statistics.median(speed(2) / speed(1) for _ in range(PAIRS))


def seconds(command: list[str], **changes: str) -> float:
    began = perf_counter()
    subprocess.run(command, check=True, capture_output=True, env=os.environ | changes)
    return perf_counter() - began


def memory(games: int) -> float:
    """The peak memory of one process, in megabytes, in a run of this many games."""
    program = (
        "import resource as r, sys; from foxtray.cli import main; main(sys.argv[1:]); "
        "print(*(r.getrusage(who).ru_maxrss for who in (r.RUSAGE_SELF, r.RUSAGE_CHILDREN)))"
    )
    args = [*COMMAND[3:], "--games", str(games), "--jobs", "2"]
    done = subprocess.run(
        [sys.executable, "-c", program, *args], check=True, capture_output=True, text=True
    )
    unit = 1 << 20 if sys.platform == "darwin" else 1 << 10
    return max(map(int, done.stdout.split()[-2:])) / unit


def report(loop: float, games: int) -> None:
    """Print the figures; `loop` is the speed of the calibration."""
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            [*COMMAND, "--games", "1"],
            check=True,
            capture_output=True,
            env=os.environ | {"FOXTRAY_CACHE": folder},
        )
        compiling = json.loads(done.stdout)["compile_seconds"]
    prepare("clever", ["random"])
    print("\ncompiled rules, one core       " + "".join(f"{game:>10}" for game in SHEETS))
    speeds = [games_per_second(game, games) for game in SHEETS]
    ratios = [two_over_one(game, 8 * games) for game in SHEETS]
    start = min(seconds([*COMMAND, "--games", "1"]) for _ in range(BATCHES))
    plain = min(seconds([sys.executable, "-c", "import numba"]) for _ in range(BATCHES))
    rows: list[tuple[str, str, list[float]]] = [
        ("random solo games per CPU s", ",.0f", speeds),
        ("  per million loop steps", ",.0f", [speed / loop for speed in speeds]),
        ("two processes over one", ".2f", ratios),
    ]
    for name, form, values in rows:
        print(f"{name:<31}" + "".join(f"{value:>10{form}}" for value in values))
    print(f"first compilation, s           {compiling:10.1f}")
    print(f"start from the cache, s        {start:10.2f}  (import numba alone: {plain:.2f})")
    few, many = memory(10 * games), memory(40 * games)
    print(f"memory of a process, MB        {few:10.0f}  (four times the games: {many:.0f})")
