"""The time by which days begin and close: it never goes back, and follows no wild leap."""

from __future__ import annotations

import structlog

from foxtray.server.machine import Machine
from foxtray.server.store import CLOCK, Store
from foxtray.server.wall_clock import DAY

logger = structlog.get_logger()

LEAP = 31 * DAY
"""A wall clock that is ahead by more than this is not believed at first."""
PATIENCE = 24 * 3600.0
"""Seconds after which it is believed."""


class DayClock:
    """The wall clock, but never earlier than it was, here or before a restart.

    If it could go back, dice that were told at the end of a day could be played once more. A leap
    ahead by some days is harmless: the day it leads to lasts until the true time has caught up.
    """

    def __init__(self, store: Store, machine: Machine) -> None:
        self._store = store
        self._machine = machine
        self._latest: int | None = None
        self._ahead_since: float | None = None

    async def time(self) -> int:
        wall = self._machine.now()
        if self._latest is None:
            noted = await self._store.mark(CLOCK)
            self._latest = wall if noted is None else noted
        if wall - self._latest > LEAP and not self._stood():
            return self._latest
        self._ahead_since = None
        self._latest = max(self._latest, wall)
        return self._latest

    def _stood(self) -> bool:
        """Whether the wall clock has been far ahead for long enough to be believed."""
        now = self._machine.monotonic()
        if self._ahead_since is None:
            self._ahead_since = now
            logger.warning("clock_leapt", hours_until_next_day=PATIENCE / 3600)
        return now - self._ahead_since >= PATIENCE
