"""Plays chunks of games on independent processes and returns the results in order.

A game depends only on its seed and bots, so the number of processes and the size of the chunks do
not affect any result. If a process dies, another one plays its chunk again.
"""

from __future__ import annotations

import contextlib
import os
import signal
import threading
import traceback
from collections.abc import Callable, Generator, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import chain, islice
from multiprocessing import connection, get_context
from multiprocessing.context import SpawnProcess
from time import process_time
from typing import Any, NamedTuple

from foxtray.errors import BadSetup, FoxtrayError
from foxtray.sim import compiled
from foxtray.sim.batch import INSIDE, Chooser, Games, play

Find = Callable[[str, str], Chooser]
"""Finds a bot outside the loop by name and game; must be importable by other processes."""

AHEAD = 2
"""Chunks per process that may finish ahead of their turn; this limits the memory used."""
ATTEMPTS = 3
"""Give up on a chunk after this many processes have died on it."""


@dataclass(frozen=True, slots=True)
class Chunk:
    """Games to play: the seeds `seed`, `seed + 1`, ... with a bot for each seat."""

    game: str
    bots: tuple[str, ...]
    seed: int
    count: int
    moves: bool = False
    options: tuple[str, ...] = ()
    """The rules options that are on."""


class PlayedChunk(NamedTuple):
    """A finished chunk, and the CPU time it took."""

    games: Games
    cpu_seconds: float


@cache
def find_bot(name: str, game: str, find: Find | None) -> str | Chooser:
    """A bot by name, compiled and ready to play."""
    if name not in INSIDE and find is None:
        raise BadSetup(
            f"unknown bot {name!r}; choose one of {', '.join(INSIDE)}, "
            "or pass find=foxtray.bots.chooser for all levels"
        )
    bot = name if name in INSIDE or find is None else find(name, game)
    play(game, [bot], 0, 1)
    return bot


def play_chunk(chunk: Chunk, find: Find | None) -> PlayedChunk:
    bots = [find_bot(name, chunk.game, find) for name in chunk.bots]
    began = process_time()
    options = dict.fromkeys(chunk.options, True)
    games = play(chunk.game, bots, chunk.seed, chunk.count, moves=chunk.moves, options=options)
    return PlayedChunk(games, process_time() - began)


def stream(
    chunks: Iterable[Chunk], jobs: int = 1, find: Find | None = None
) -> Generator[PlayedChunk]:
    """Play chunks on up to `jobs` processes; with 1, in the calling process."""
    if jobs == 1:
        for chunk in chunks:
            yield play_chunk(chunk, find)
        return
    left = iter(chunks)
    first = list(islice(left, jobs))
    pool = ProcessPool(len(first), find)  # no more processes than chunks
    try:
        yield from pool.play(chain(first, left))
    finally:
        pool.stop()


# --- in the parent --------------------------------------------------------------------------------


@dataclass(slots=True)
class Worker:
    """A process, the connection to it, and the number and chunk it is working on."""

    process: SpawnProcess
    line: connection.Connection[Any, Any]
    task: tuple[int, Chunk] | None = None


class ProcessPool:
    """Processes that play one chunk at a time."""

    def __init__(self, jobs: int, find: Find | None) -> None:
        self.find = find
        self.workers = [self._start() for _ in range(jobs)]

    def _start(self) -> Worker:
        context = get_context("spawn")
        ours, theirs = context.Pipe()
        process = context.Process(
            target=serve, args=(theirs, str(compiled.cache_path().parent), self.find), daemon=True
        )
        with interrupts_ignored():
            process.start()
        theirs.close()
        return Worker(process, ours)

    def play(self, chunks: Iterable[Chunk]) -> Iterator[PlayedChunk]:
        """Play chunks; yields their results in the order of the chunks."""
        fresh = enumerate(chunks)
        lost: list[tuple[int, Chunk]] = []
        deaths: dict[int, int] = {}
        finished: dict[int, PlayedChunk] = {}
        handed = told = 0
        while True:
            for worker in self.workers:
                if worker.task is None:
                    if lost:
                        worker.task = lost.pop()
                    elif handed - told < AHEAD * len(self.workers):
                        worker.task = next(fresh, None)
                        handed += worker.task is not None
                    if worker.task is not None:
                        # A dead process is noticed below.
                        with contextlib.suppress(OSError):
                            worker.line.send(worker.task[1])
            busy = {worker.line: worker for worker in self.workers if worker.task is not None}
            if not busy:
                return
            for line in connection.wait(list(busy)):
                worker = busy[line]  # type: ignore[index]
                assert worker.task is not None
                number, chunk = worker.task
                try:
                    answer = worker.line.recv()
                except (EOFError, OSError):
                    lost.append(worker.task)
                    deaths[number] = deaths.get(number, 0) + 1
                    self._replace(worker, chunk, deaths[number])
                    continue
                if isinstance(answer, Exception):
                    raise answer
                finished[number] = answer
                worker.task = None
            while told in finished:
                yield finished.pop(told)
                told += 1

    def _replace(self, worker: Worker, chunk: Chunk, deaths: int) -> None:
        worker.line.close()
        worker.process.join()
        if deaths == ATTEMPTS:
            last = chunk.seed + chunk.count - 1
            raise FoxtrayError(
                f"cannot play the games with seeds {chunk.seed} to {last}: "
                f"{ATTEMPTS} processes died on them (status {worker.process.exitcode})"
            )
        self.workers[self.workers.index(worker)] = self._start()

    def stop(self) -> None:
        for worker in self.workers:
            worker.line.close()
            worker.process.terminate()
        for worker in self.workers:
            worker.process.join()


@contextlib.contextmanager
def interrupts_ignored() -> Iterator[None]:
    """Make processes started meanwhile ignore Ctrl-C, which their parent handles."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


# --- in the other processes -----------------------------------------------------------------------


def serve(line: connection.Connection[Any, Any], folder: str, find: Find | None) -> None:
    """Play chunks until the parent hangs up."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.environ["FOXTRAY_CACHE"] = folder
    with contextlib.suppress(EOFError, OSError):
        while True:
            line.send(answer(line.recv(), find))


def answer(chunk: Chunk, find: Find | None) -> PlayedChunk | Exception:
    try:
        return play_chunk(chunk, find)
    except FoxtrayError as error:
        return FoxtrayError(str(error))
    except Exception:
        return RuntimeError(traceback.format_exc())
