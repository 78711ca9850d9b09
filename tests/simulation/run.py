"""Runs seeds, and tells the story of one that fails: python -m simulation.run --help."""

from __future__ import annotations

import argparse
import gc
import hashlib
import sys
import time
from collections.abc import Iterable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass

from simulation.audit import Violation
from simulation.planted import BUGS, Bug
from simulation.world import World

COLLECT = 20
"""Seeds after which garbage is collected; never while one runs, which would cost time."""


@dataclass
class Totals:
    """What some seeds did together."""

    seeds: int = 0
    steps: int = 0
    acks: int = 0
    boots: int = 0
    faults: int = 0
    seconds: float = 0.0

    def add(self, world: World) -> None:
        self.seeds += 1
        self.steps += world.loop.steps
        self.acks += world.audit.acks
        self.boots += world.boots
        self.faults += world.faults.count

    def __str__(self) -> str:
        rate = self.seeds / self.seconds
        return (
            f"{self.seeds} seeds in {self.seconds:.1f} s ({rate:.0f} a second): "
            f"{self.steps} steps, {self.acks} acks, {self.faults} faults, {self.boots} starts"
        )


class Failure(Exception):
    """A seed in which something happened that must not."""

    def __init__(self, seed: int, what: str) -> None:
        super().__init__(what)
        self.seed = seed


def run_seeds(seeds: Iterable[int], bug: Bug = nullcontext, fault: str | None = None) -> Totals:
    """Run some seeds, or those that choose a fault; raises Failure with the first that fails."""
    totals = Totals()
    begun = time.perf_counter()
    collecting = gc.isenabled()
    gc.disable()
    try:
        for seed in seeds:
            world = World(seed)
            if fault and fault not in world.faults.names:
                continue
            try:
                world.run(bug)
            except Violation as error:
                raise Failure(seed, str(error)) from error
            totals.add(world)
            if totals.seeds % COLLECT == 0:
                gc.collect()
    finally:
        if collecting:
            gc.enable()
    totals.seconds = time.perf_counter() - begun
    return totals


def story(seed: int, bug: Bug = nullcontext) -> tuple[list[str], str | None]:
    """What happens with a seed, line by line, and what goes wrong in the end, if anything."""
    world = World(seed, telling=True)
    try:
        world.run(bug)
    except Violation as error:
        return world.story, str(error)
    return world.story, None


def digest(lines: Sequence[str]) -> str:
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


def tell(seed: int, bug: str | None) -> int:
    """Print the story of a seed; returns the exit status."""
    lines, wrong = story(seed, BUGS[bug] if bug else nullcontext)
    print("\n".join(lines))
    print(f"seed {seed}, story {digest(lines)[:16]}: {wrong or 'all is well'}")
    return 1 if wrong else 0


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser("simulation.run", description=__doc__)
    parser.add_argument("--seed", type=int, help="tell the story of this seed")
    parser.add_argument("--seeds", type=int, default=2_000, help="how many seeds to run")
    parser.add_argument("--first", type=int, default=0, help="the first of them")
    parser.add_argument("--bug", choices=list(BUGS), help="plant this bug before")
    options = parser.parse_args(arguments)
    if options.seed is not None:
        return tell(options.seed, options.bug)
    seeds = range(options.first, options.first + options.seeds)
    try:
        print(run_seeds(seeds, BUGS[options.bug] if options.bug else nullcontext))
    except Failure as failure:
        print(f"seed {failure.seed} fails after {failure.seed - options.first + 1}: {failure}\n")
        tell(failure.seed, options.bug)
        planted = f" BUG={options.bug}" if options.bug else ""
        print(f"\nAgain: make simulate SEED={failure.seed}{planted}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
