"""The clock of a table: the deadlines of the seats it waits for.

Deadlines use the monotonic clock, because the wall clock may jump. Clients see wall-clock times.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterable, Sequence
from typing import Any

from foxtray.server.protocol import inputs
from foxtray.server.protocol.inputs import AnyInput
from foxtray.server.wall_clock import now

RETRY = 0.5
"""Seconds between two alarms, at least: while the disk fails, nobody can be replaced at once."""

EARLY = 0.05
"""Seconds by which an event loop may fire too early, because its clock is coarse."""


class TurnClock:
    """Keeps the deadlines and reports when the first of them has passed."""

    def __init__(
        self,
        seconds: int,
        expired: Callable[[list[int]], Coroutine[Any, Any, None]],
        now: Callable[[], int] = now,
    ) -> None:
        self.seconds = seconds
        """Seconds per decision; 0 means no clock."""
        self._deadlines: dict[int, float] = {}
        self._expired = expired
        self._now = now
        self._alarm: asyncio.TimerHandle | None = None
        self._rang = -RETRY
        """When the last alarm was, by the loop's clock."""
        self._tasks: dict[asyncio.Task[None], None] = {}

    def run(self, seats: Sequence[int]) -> None:
        """Run the clock for exactly these seats."""
        self._cancel_alarm()
        if not self.seconds:
            return
        loop = asyncio.get_running_loop()
        until = loop.time() + self.seconds
        self._deadlines = {seat: self._deadlines.get(seat, until) for seat in seats}
        if seats:
            at = max(min(self._deadlines.values()), self._rang + RETRY)
            self._alarm = loop.call_at(at, self._ring)

    def deadlines(self) -> dict[int, int]:
        """The deadlines as clients see them: in milliseconds since 1970, by seat."""
        if not self._deadlines:
            return {}
        ahead = self._now() - asyncio.get_running_loop().time() * 1000
        return {seat: round(until * 1000 + ahead) for seat, until in self._deadlines.items()}

    def note(self, entry: AnyInput) -> None:
        """A seat that acted gets a new deadline for its next decision."""
        if isinstance(entry, inputs.Hinted):
            return  # the decision is still to be made: hints must not buy time
        acted = getattr(entry, "seat", None)
        if acted is not None:
            self._deadlines.pop(acted, None)
        if isinstance(entry, inputs.Threw | inputs.UndidThrow):
            # The game waited only for the roll; choosing a die is another decision.
            self._deadlines.clear()

    def late(self, seats: Iterable[int]) -> list[int]:
        """Which of these seats have missed their deadline."""
        moment = asyncio.get_running_loop().time() + EARLY
        return [seat for seat in seats if self._deadlines.get(seat, moment + 1) <= moment]

    def _ring(self) -> None:
        self._rang = asyncio.get_running_loop().time()
        task = asyncio.create_task(self._expired(self.late(self._deadlines)))
        self._tasks[task] = None
        task.add_done_callback(self._tasks.pop)

    def _cancel_alarm(self) -> None:
        if self._alarm:
            self._alarm.cancel()
            self._alarm = None

    async def close(self) -> None:
        self._cancel_alarm()
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
