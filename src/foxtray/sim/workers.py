"""Plays chunks of games on independent processes and returns the results in order.

A game depends only on its seed and bots, so the number of processes and the size of the chunks do
not affect any result. If a process dies, another one plays its chunk again. `sim.cluster` does the
same on many machines.
"""

from __future__ import annotations

import contextlib
import os
import signal
import threading
import traceback
from collections.abc import Callable, Generator, Iterable, Iterator
from dataclasses import dataclass
from functools import cache, partial
from itertools import chain, islice
from multiprocessing import connection, get_context, resource_tracker
from multiprocessing.context import SpawnProcess
from time import process_time
from types import FrameType
from typing import Any, NamedTuple, Protocol, TypeVar

from foxtray.errors import BadSetup, FoxtrayError
from foxtray.sim import compiled
from foxtray.sim.batch import INSIDE, Chooser, Games, play

Find = Callable[[str, str], Chooser]
"""Finds a bot outside the loop by name and game; must be importable by other processes."""

Task = TypeVar("Task")
Result = TypeVar("Result")

AHEAD = 2
"""Tasks per process that may finish ahead of their turn; this limits the memory used."""
ATTEMPTS = 3
"""Give up on a task after this many processes have died on it."""


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

    def __str__(self) -> str:
        return f"the games with seeds {self.seed} to {self.seed + self.count - 1}"


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
    chunks: Iterable[Chunk], jobs: int = 1, find: Find | None = None, pool: Pool | None = None
) -> Generator[PlayedChunk]:
    """Play chunks in a pool, or on up to `jobs` processes; with 1, in the calling process."""
    work = partial(play_chunk, find=find)
    if pool is not None:
        yield from pool.map(work, chunks)
        return
    if jobs == 1:
        yield from map(work, chunks)
        return
    left = iter(chunks)
    first = list(islice(left, jobs))
    processes = ProcessPool(len(first))  # no more processes than chunks
    try:
        yield from processes.map(work, chain(first, left))
    finally:
        processes.stop()


class Pool(Protocol):
    """Other processes, here or elsewhere."""

    @property
    def jobs(self) -> int:
        """The number of tasks it works on at the same time."""

    def map(self, work: Callable[[Task], Result], tasks: Iterable[Task]) -> Iterator[Result]:
        """Do some work for every task; yields the results in the order of the tasks.

        Takes tasks only a little ahead of the results, so memory stays flat. If a process dies,
        another one does its task again; `ATTEMPTS` deaths on the same task are an error.
        """


def gave_up(task: object, why: str) -> FoxtrayError:
    """The error when too many processes died on a task."""
    return FoxtrayError(f"cannot finish {task}: {ATTEMPTS} processes died on it ({why})")


# --- in the parent --------------------------------------------------------------------------------


@dataclass(slots=True)
class Worker:
    """A process, the connection to it, and the number and task it is working on."""

    process: SpawnProcess
    line: connection.Connection[Any, Any]
    task: tuple[int, Any] | None = None


class ProcessPool:
    """Processes on this machine that work on one task at a time."""

    def __init__(self, jobs: int) -> None:
        self.workers = [self._start() for _ in range(jobs)]

    @property
    def jobs(self) -> int:
        return len(self.workers)

    def _start(self) -> Worker:
        context = get_context("spawn")
        ours, theirs = context.Pipe()
        process = context.Process(
            target=serve, args=(theirs, str(compiled.cache_path().parent)), daemon=True
        )
        with interrupts_held():
            process.start()
        theirs.close()
        return Worker(process, ours)

    def map(self, work: Callable[[Task], Result], tasks: Iterable[Task]) -> Iterator[Result]:
        """Do some work for every task; yields the results in the order of the tasks."""
        fresh = enumerate(tasks)
        lost: list[tuple[int, Task]] = []
        deaths: dict[int, int] = {}
        finished: dict[int, Result] = {}
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
                            worker.line.send((work, worker.task[1]))
            busy = {worker.line: worker for worker in self.workers if worker.task is not None}
            if not busy:
                return
            for line in connection.wait(list(busy)):
                worker = busy[line]  # type: ignore[index]
                assert worker.task is not None
                number, task = worker.task
                try:
                    answer = worker.line.recv()
                except (EOFError, OSError):
                    lost.append(worker.task)
                    deaths[number] = deaths.get(number, 0) + 1
                    self._replace(worker, task, deaths[number])
                    continue
                if isinstance(answer, Exception):
                    raise answer
                finished[number] = answer
                worker.task = None
            while told in finished:
                yield finished.pop(told)
                told += 1

    def _replace(self, worker: Worker, task: object, deaths: int) -> None:
        worker.line.close()
        worker.process.join()
        if deaths == ATTEMPTS:
            raise gave_up(task, f"status {worker.process.exitcode}")
        self.workers[self.workers.index(worker)] = self._start()

    def stop(self) -> None:
        for worker in self.workers:
            worker.line.close()
            worker.process.terminate()
        for worker in self.workers:
            worker.process.join()


@contextlib.contextmanager
def interrupts_held() -> Iterator[None]:
    """Let Ctrl-C wait: processes started meanwhile never see it, and their parent sees it after."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    resource_tracker.ensure_running()  # with the first process; it would let Ctrl-C through
    struck: list[tuple[int, FrameType | None]] = []
    # A mask is inherited by processes, but does not keep other threads from getting the signal.
    handler = signal.signal(signal.SIGINT, lambda number, frame: struck.append((number, frame)))
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        signal.signal(signal.SIGINT, handler or signal.SIG_DFL)
    if struck and callable(handler):
        handler(*struck[0])


# --- in the other processes -----------------------------------------------------------------------


def serve(line: connection.Connection[Any, Any], folder: str) -> None:
    """Do what the parent asks for until it hangs up."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.environ["FOXTRAY_CACHE"] = folder
    with contextlib.suppress(EOFError, OSError):
        while True:
            line.send(answer(*line.recv()))


def answer(work: Callable[[Task], Result], task: Task) -> Result | Exception:
    """The result of some work, or an error that can be sent."""
    try:
        return work(task)
    except FoxtrayError as error:
        return FoxtrayError(str(error))
    except Exception:
        return RuntimeError(traceback.format_exc())
