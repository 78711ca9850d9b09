"""Requests that wait for something to happen."""

from __future__ import annotations

import asyncio


class Polls:
    """All who wait; a server that stops answers them first, and lets nobody wait any more."""

    def __init__(self) -> None:
        self._waiting: set[asyncio.Timeout] = set()
        self._ended = False

    async def wait(self, event: asyncio.Event, seconds: float) -> None:
        """Until it happens, the time is over, or the server stops."""
        if self._ended:
            return
        limit = asyncio.timeout(seconds)
        self._waiting.add(limit)
        try:
            async with limit:
                await event.wait()
        except TimeoutError:
            pass
        finally:
            self._waiting.discard(limit)

    def end(self) -> None:
        """Let everybody go on with what there is."""
        self._ended = True
        for limit in self._waiting:
            if not limit.expired():
                limit.reschedule(asyncio.get_running_loop().time())
