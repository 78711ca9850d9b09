"""Plays any number of games with the same bots and summarises them as they finish."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from time import perf_counter
from types import MappingProxyType

from foxtray.errors import BadSetup
from foxtray.sim import batch
from foxtray.sim.batch import INSIDE, Games
from foxtray.sim.compiled import Announced
from foxtray.sim.interrupts import shielded
from foxtray.sim.summary import Summary
from foxtray.sim.workers import Chunk, Find, Pool, find_bot, stream

COMPILE_SECONDS = 25
FAST, LARGE, SLOW = 4096, 256, 32
"""Games in a chunk: for bots in the compiled loop, for them with moves kept, for other bots."""
WORTH_A_PROCESS = 50_000
"""The number of fast games that makes another process worthwhile."""
MOST_JOBS = 256
"""More processes would only exhaust the machine."""


def simulate(
    game: str,
    bots: Sequence[str],
    games: int,
    *,
    seed: int = 0,
    jobs: int | None = 1,
    find: Find | None = None,
    pool: Pool | None = None,
    moves: bool = False,
    options: Mapping[str, bool] = MappingProxyType({}),
    each: Callable[[Games], None] | None = None,
    watch: Callable[[Summary], None] | None = None,
) -> Summary:
    """Play games with the seeds `seed`, `seed + 1`, ... with a bot for each seat.

    `options` are the rules options, as in `Game.new`. `each` is called with batches of finished
    games, in order (with `moves` they can be written as records), and `watch` with the summary so
    far. Ctrl-C stops and returns the finished games. With a `pool` (`foxtray.sim.cluster`), the
    games are played there instead of on `jobs` processes here.
    """
    check(game, bots, games, seed, jobs)
    on = batch.turned_on(options)
    summary = Summary(game, tuple(bots), seed, on)
    summary.compile_seconds = prepare(game, bots, find)
    jobs = pool.jobs if pool else jobs or sensible_jobs(bots, games)
    size = chunk_size(most_at_once(game, bots, find, moves), games, jobs)
    began = perf_counter()
    todo = chunks(Chunk(game, tuple(bots), seed, games, moves, on), size)
    try:
        with shielded() as shield, closing(stream(todo, jobs, find, pool)) as results:
            for played in results:
                with shield.up():
                    summary.add(played)
                    summary.wall_seconds = perf_counter() - began
                    if each:
                        each(played.games)
                    if watch:
                        watch(summary)
    except KeyboardInterrupt:
        summary.interrupted = True
    return summary


def check(game: str, bots: Sequence[str], games: int, seed: int, jobs: int | None) -> None:
    """Refuse games that cannot be played."""
    batch.check(game, len(bots), games, seed)
    if jobs is not None and jobs < 1:
        raise BadSetup(f"{jobs} processes are too few; choose 1 or more")
    if jobs is not None and jobs > MOST_JOBS:
        raise BadSetup(f"{jobs} processes are too many; choose {MOST_JOBS} or fewer")


def prepare(game: str, bots: Sequence[str], find: Find | None = None) -> float:
    """Compile, or load compiled code; returns the seconds it took."""
    with Announced("the rules", COMPILE_SECONDS) as announced:
        find_bot("random", game, None)
    began = perf_counter()
    for name in bots:
        find_bot(name, game, find)
    return announced.seconds + perf_counter() - began


def is_fast(bots: Sequence[str]) -> bool:
    return all(name in INSIDE for name in bots)


def sensible_jobs(bots: Sequence[str], games: int) -> int:
    """One process per core, if there are enough games to make it worthwhile."""
    least = WORTH_A_PROCESS if is_fast(bots) else 2
    return max(1, min(os.cpu_count() or 1, games // least))


def most_at_once(game: str, bots: Sequence[str], find: Find | None, moves: bool = False) -> int:
    """The most games in a chunk, for about a second; slow bots state their own number."""
    if is_fast(bots):
        return LARGE if moves else FAST
    found = [find_bot(name, game, find) for name in bots]
    return min(getattr(bot, "games_at_once", SLOW) for bot in found)


def chunk_size(most: int, games: int, jobs: int) -> int:
    """A chunk size large enough to be fast and small enough to keep all processes busy."""
    return max(1, min(most, math.ceil(games / (4 * jobs))))


def chunks(whole: Chunk, size: int) -> Iterator[Chunk]:
    """The same games in chunks of a size."""
    for at in range(0, whole.count, size):
        yield replace(whole, seed=whole.seed + at, count=min(size, whole.count - at))
