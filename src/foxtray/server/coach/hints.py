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
        self._known: dict[tuple[str, int], dict[str, Any]] = {}

    async def hint(self, state: TableState, seat: int) -> dict[str, Any]:
        """The best line for a seat now."""
        assert state.record
        position = state.record.game.position()
        known = self._known.get((position, seat))
        if known is None:
            try:
                async with asyncio.timeout(PATIENCE):
                    data = await self._workers.hint(position, seat, SEED, state.row.id)
            except (TimeoutError, BotError):
                raise Refusal("hint_late") from None
            known = msgspec.json.decode(data)
            self._known[position, seat] = known
            while len(self._known) > KEPT:
                del self._known[next(iter(self._known))]
        return known
