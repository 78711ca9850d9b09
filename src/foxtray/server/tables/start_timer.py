"""How long a start waits for the seats to reveal their entropy."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any


class StartTimer:
    """Rings once, so many seconds after it was wound up; by the monotonic clock.

    It is not kept: a table that comes back in the middle of its start waits anew.
    """

    def __init__(self, seconds: float, expired: Callable[[], Coroutine[Any, Any, None]]) -> None:
        self._seconds = seconds
        self._expired = expired
        self._alarm: asyncio.TimerHandle | None = None
        self._task: asyncio.Task[None] | None = None

    def run(self, wanted: bool) -> None:
        """Let it run, or not; one that runs goes on."""
        if not wanted:
            self._cancel()
        elif self._alarm is None:
            loop = asyncio.get_running_loop()
            self._alarm = loop.call_later(self._seconds, self._ring)

    def _ring(self) -> None:
        self._alarm = None
        self._task = asyncio.create_task(self._expired())

    def _cancel(self) -> None:
        if self._alarm:
            self._alarm.cancel()
            self._alarm = None

    async def close(self) -> None:
        self._cancel()
        if self._task:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
