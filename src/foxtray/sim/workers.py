"""Chunks of games on processes that share nothing; the results come in order.

A game depends on its seed and bots only, so neither the number of processes nor the size of the
chunks shows in a result. The chunk of a process that dies is played again by another.
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
"""Finds a bot outside the loop by its name and the game; other processes must reach it by name."""

AHEAD = 2
"""Chunks per process that may be finished before their turn; it bounds the memory."""
ATTEMPTS = 3
"""A chunk that kills so many processes is to blame itself."""


@dataclass(frozen=True, slots=True)
class Chunk:
    """Games to play: the seeds `seed`, `seed + 1`, ... with a bot for each seat."""

    game: str
    bots: tuple[str, ...]
    seed: int
    count: int
    moves: bool = False


class Played(NamedTuple):
    """A finished chunk, and the CPU time it took."""

    games: Games
    cpu_seconds: float


@cache
def find_bot(name: str, game: str, find: Find | None) -> str | Chooser:
    """A bot by its name, compiled and ready to play."""
    if name not in INSIDE and find is None:
        raise BadSetup(
            f"there is no bot {name!r} without `find`; choose from {', '.join(INSIDE)}, "
            "or find all levels with find=foxtray.bots.chooser"
        )
    bot = name if name in INSIDE or find is None else find(name, game)
    play(game, [bot], 0, 1)
    return bot


def play_chunk(chunk: Chunk, find: Find | None) -> Played:
    bots = [find_bot(name, chunk.game, find) for name in chunk.bots]
    began = process_time()
    games = play(chunk.game, bots, chunk.seed, chunk.count, moves=chunk.moves)
    return Played(games, process_time() - began)


def stream(chunks: Iterable[Chunk], jobs: int = 1, find: Find | None = None) -> Generator[Played]:
    """Play chunks on up to this many processes; one is the calling process itself."""
    if jobs == 1:
        for chunk in chunks:
            yield play_chunk(chunk, find)
        return
    left = iter(chunks)
    first = list(islice(left, jobs))
    crew = Crew(len(first), find)  # a process without a chunk would be started in vain
    try:
        yield from crew.play(chain(first, left))
    finally:
        crew.stop()


# --- in the parent --------------------------------------------------------------------------------


@dataclass(slots=True)
class Worker:
    """A process, the line to it, and the number and chunk it is busy with."""

    process: SpawnProcess
    line: connection.Connection[Any, Any]
    task: tuple[int, Chunk] | None = None


class Crew:
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

    def play(self, chunks: Iterable[Chunk]) -> Iterator[Played]:
        """Play chunks; their results, in the order of the chunks."""
        fresh = enumerate(chunks)
        lost: list[tuple[int, Chunk]] = []
        deaths: dict[int, int] = {}
        finished: dict[int, Played] = {}
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
                        # A process that is dead already is noticed below.
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
                f"the games with the seeds {chunk.seed} to {last} could not be played: "
                f"{ATTEMPTS} processes died over them (status {worker.process.exitcode})"
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
    """Processes started meanwhile inherit that Ctrl-C is not for them but for their parent."""
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


def answer(chunk: Chunk, find: Find | None) -> Played | Exception:
    try:
        return play_chunk(chunk, find)
    except FoxtrayError as error:
        return FoxtrayError(str(error))
    except Exception:
        return RuntimeError(traceback.format_exc())
