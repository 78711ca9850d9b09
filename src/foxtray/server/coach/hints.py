"""Hints for players who may ask for them."""

from __future__ import annotations

import asyncio
from typing import Any

import msgspec

from foxtray.bots import BotError
from foxtray.server.bots.pool import WorkerPool
from foxtray.server.protocol.refusals import Refusal
from foxtray.server.tables.state import TableState

PATIENCE = 20.0
"""Seconds that somebody waits for a hint."""
KEPT = 200
"""How many hints are remembered: a question that is repeated costs nothing."""
SEED = 1
"""Of all hints: the same position gets the same one, whoever asks."""


class Hints:
    """Asks the bots' workers what to do."""

    def __init__(self, workers: WorkerPool) -> None:
        self._workers = workers
        self._asked: dict[tuple[str, int], asyncio.Task[bytes]] = {}
        """Also those that are not answered yet: a client that got no answer asks again."""

    async def hint(self, state: TableState, seat: int) -> dict[str, Any]:
        """The best line for a seat now."""
        assert state.record
        position = state.record.game.position()
        key = (position, seat)
        if key not in self._asked:
            asking = self._workers.hint(position, seat, SEED, state.row.id)
            self._asked[key] = asyncio.create_task(asking)
            while len(self._asked) > KEPT:
                self._asked.pop(next(iter(self._asked))).cancel()
        try:
            async with asyncio.timeout(PATIENCE):
                data = await asyncio.shield(self._asked[key])
        except TimeoutError:
            raise Refusal("hint_late") from None
        except BotError:
            self._asked.pop(key, None)
            raise Refusal("hint_late") from None
        found: dict[str, Any] = msgspec.json.decode(data)
        return found

    async def close(self) -> None:
        asked = list(self._asked.values())
        for task in asked:
            task.cancel()
        await asyncio.gather(*asked, return_exceptions=True)
