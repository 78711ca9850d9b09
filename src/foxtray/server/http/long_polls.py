"""Requests that wait for something to happen."""

from __future__ import annotations

import asyncio


class LongPolls:
    """The waiting requests. A server that stops answers them first and accepts no more."""

    def __init__(self) -> None:
        self._waiting: dict[asyncio.Timeout, None] = {}
        self._ended = False

    async def wait(self, event: asyncio.Event, seconds: float) -> None:
        """Wait until the event happens, the time is up, or the server stops."""
        if self._ended:
            return
        limit = asyncio.timeout(seconds)
        self._waiting[limit] = None
        try:
            async with limit:
                await event.wait()
        except TimeoutError:
            pass
        finally:
            del self._waiting[limit]

    def end(self) -> None:
        """Let all requests return what they have."""
        self._ended = True
        for limit in self._waiting:
            if not limit.expired():
                limit.reschedule(asyncio.get_running_loop().time())
