"""Hints for players who may ask for them."""

from __future__ import annotations

import asyncio
from typing import Any

import msgspec

from foxtray import bots
from foxtray.bots import BotError
from foxtray.server.bots.pool import WorkerPool
from foxtray.server.protocol.refusals import Refusal
from foxtray.server.tables.state import TableState

LEVEL = "strong"
"""Hints are given in games that this level can play."""
PATIENCE = 20.0
"""Seconds that somebody waits for a hint."""
KEPT = 200
"""How many hints are remembered: a question that is repeated costs nothing."""
SEED = 1
"""Of all hints: the same position gets the same one, whoever asks."""


def check_advised(game: str) -> None:
    """Refuse hints in a game without trained weights, before the log tells of one."""
    if not bots.can_play(LEVEL, game):
        raise Refusal("cannot_review")


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
            self._make_room()
            asking = self._workers.hint(position, seat, SEED, state.row.id)
            self._asked[key] = asyncio.create_task(asking)
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

    def _make_room(self) -> None:
        """Forget the oldest hints; somebody still waits for those that are not answered yet."""
        spare = len(self._asked) - KEPT + 1
        answered = [key for key, task in self._asked.items() if task.done()]
        for key in answered[: max(0, spare)]:
            del self._asked[key]
        if len(self._asked) >= KEPT:
            raise Refusal("hint_late")

    async def close(self) -> None:
        asked = list(self._asked.values())
        for task in asked:
            task.cancel()
        await asyncio.gather(*asked, return_exceptions=True)
