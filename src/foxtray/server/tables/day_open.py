"""Whether others may still play the dice of a table: then nothing about them may be told."""

from __future__ import annotations

from foxtray.server.protocol.refusals import Refusal
from foxtray.server.store import Store
from foxtray.server.tables.state import TableState


async def is_open(store: Store, state: TableState) -> bool:
    """Whether a table has the dice of a day that is not closed."""
    if state.daily is None:
        return False
    dice = await store.daily.dice(state.daily.day, state.setup.game)
    return dice is not None and not dice.closed


async def check_closed(store: Store, state: TableState) -> None:
    """Refuse to tell anything about the dice of a day that is not closed."""
    if await is_open(store, state):
        raise Refusal("daily_open")
