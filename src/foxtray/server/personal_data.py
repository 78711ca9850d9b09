"""The tables of one player for an export of their data, read from the store."""

from __future__ import annotations

import asyncio
from typing import Any

from foxtray.game import RULES_VERSION
from foxtray.server.protocol.inputs import decode_setup
from foxtray.server.protocol.messages import TableData
from foxtray.server.store import Store, TableRow
from foxtray.server.tables.day_open import is_open
from foxtray.server.tables.log import TableLog
from foxtray.server.tables.outdated import OutdatedTable


async def tables_of(store: Store, player: str) -> list[TableData]:
    """Every table that a player made or sat at."""
    rows = [await store.table(name) for name in await store.tables_with(player)]
    return [await table_data(store, row, player) for row in rows if row]


async def table_data(store: Store, row: TableRow, player: str) -> TableData:
    """A table: its record, or while it is not over its log as everybody there is told it."""
    record: str | None = None
    entries: list[Any] = []
    damaged: str | None = None
    try:
        if row.rules != RULES_VERSION:
            outdated = await OutdatedTable.load(store, row)
            if not await is_open(store, outdated.state):
                record = outdated.record_text()
        else:
            log = await asyncio.to_thread(TableLog, row, await store.log(row.id))
            if await is_open(store, log.state):
                pass  # an admin may play the same dice today
            elif log.state.status == "over":
                record = log.state.record_text(await store.names(log.state.players()))
            else:
                entries = list(log.entries)
    except Exception as error:  # one damaged table must not keep the others back
        damaged = str(error) or repr(error)
    return TableData(
        id=row.id,
        game=decode_setup(row.setup).game,
        created=row.created,
        host=row.host == player,
        record=record,
        log=entries,
        damaged=damaged,
    )
