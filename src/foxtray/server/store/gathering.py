"""When a commit is worth waiting for others that will share it."""

from __future__ import annotations

from collections.abc import Iterable

GATHER = 0.02
"""Seconds that a commit waits for company at most, where there is any to expect.

A commit wakes two threads and the disk, however little it contains, and takes the interpreter from
the event loop a few times. Sharing one saves CPU even on a server that is not busy, and nobody
notices a fiftieth of a second.
"""
COMPANY = 6
"""How many others are enough: the busier a server is, the shorter it waits for them."""
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
        """How many seconds a commit should wait at a moment."""
        wrote = self._wrote
        while wrote and now - wrote[first := next(iter(wrote))] > LATELY:
            del wrote[first]
        if len(wrote) < TABLES:
            return 0.0
        return min(GATHER, COMPANY * LATELY / len(wrote))
