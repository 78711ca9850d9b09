"""Checks whether the wall clock can be trusted, because a wrong one would delete too much."""

from __future__ import annotations

import time
from collections.abc import Callable

import structlog

from foxtray.server.store import Store
from foxtray.server.wall_clock import now

logger = structlog.get_logger()

MARK = "clock"
HOUR = 3_600_000
STOPPED = 7 * 24 * HOUR
"""A server that was stopped for longer than this does not trust the time at first."""
GRACE = 24 * 3600.0
"""Seconds after which a time that seemed wrong is trusted."""


class TrustedClock:
    """Compares the wall clock with the monotonic one and with the time stored by the last run."""

    def __init__(
        self,
        store: Store,
        now: Callable[[], int] = now,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._store = store
        self._now = now
        self._monotonic = monotonic
        self._last: tuple[int, float] | None = None
        self._believed_from = 0.0

    async def time(self) -> int | None:
        """The time in milliseconds since 1970; None while it cannot be trusted."""
        wall, moment = self._now(), self._monotonic()
        if self._last is None:
            noted = await self._store.mark(MARK)
            if noted is None:  # the first run: nothing tells whether the time is right
                await self._store.set_mark(MARK, wall)
                self._believed_from = moment + GRACE
            plausible = noted is None or -HOUR <= wall - noted <= STOPPED
        else:
            before, since = self._last
            plausible = abs((wall - before) - (moment - since) * 1000) <= HOUR
        self._last = wall, moment
        if not plausible:
            self._believed_from = moment + GRACE
            logger.warning("clock_leapt", hours_until_deletions=GRACE / 3600)
        if moment < self._believed_from:
            return None
        await self._store.set_mark(MARK, wall)
        return wall
