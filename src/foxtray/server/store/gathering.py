"""What waits to be written, and when a commit is worth waiting for others that will share it."""

from __future__ import annotations

import queue
import time
from collections.abc import Callable, Iterable, Iterator
from typing import Generic, TypeVar

Job = TypeVar("Job")

GROUP = 512
"""Jobs that share a commit at most."""
RETRY = 1.0
"""Seconds after which a writer without work looks whether writing works again."""

GATHER = 0.03
"""Seconds between two commits at least, where many tables write.

A commit wakes two threads and the disk, however little it contains, and takes the interpreter from
the event loop a few times. Sharing one saves CPU even on a server that is not busy, and nobody
notices a thirtieth of a second. What comes meanwhile waits for half of it on average, and wakes
nobody.
"""
COMPANY = 6
"""How many others are enough: the busier a server is, the sooner it commits again."""
LATELY = 0.1
TABLES = 6
"""Company is expected if this many tables wrote lately. One table alone, however fast, never waits:
its next move comes after this one is written."""


class Gathering:
    """Remembers which tables wrote lately."""

    def __init__(self) -> None:
        self._wrote: dict[str, float] = {}

    def note(self, tables: Iterable[str], now: float) -> None:
        """These tables wrote at a moment."""
        for table in tables:
            self._wrote.pop(table, None)
            self._wrote[table] = now

    def wait(self, now: float) -> float:
        """For how many seconds to leave what comes alone, after a commit at a moment."""
        wrote = self._wrote
        while wrote and now - wrote[first := next(iter(wrote))] > LATELY:
            del wrote[first]
        if len(wrote) < TABLES:
            return 0.0
        return min(GATHER, COMPANY * LATELY / len(wrote))


class Inbox(Generic[Job]):
    """The jobs of a writer thread."""

    def __init__(self, table_of: Callable[[Job], str | None]) -> None:
        self._jobs: queue.SimpleQueue[Job | None] = queue.SimpleQueue()
        self._table_of = table_of
        """The table whose log a job adds to, if it does."""

    def put(self, job: Job) -> None:
        self._jobs.put(job)

    def close(self) -> None:
        """There is nothing more to come."""
        self._jobs.put(None)

    def groups(self) -> Iterator[list[Job]]:
        """The jobs in groups to be committed; an empty one now and then if there are none."""
        running, gathering = True, Gathering()
        while running:
            jobs: list[Job] = []
            if wait := gathering.wait(time.monotonic()):
                time.sleep(wait)
            try:
                job = self._jobs.get(timeout=RETRY)
                while job is not None:
                    jobs.append(job)
                    if len(jobs) == GROUP:
                        break
                    job = self._jobs.get_nowait()
                running = job is not None
            except queue.Empty:
                pass
            gathering.note(filter(None, map(self._table_of, jobs)), time.monotonic())
            yield jobs
