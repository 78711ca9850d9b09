"""All finished games of a store as records, whether its server is running or not."""

from __future__ import annotations

import tempfile
from pathlib import Path

from foxtray.game import RULES_VERSION
from foxtray.server import inputs
from foxtray.server.bygone import Bygone
from foxtray.server.state import TableState
from foxtray.server.store import Store, StoreError
from foxtray.server.store.sqlite import SqliteStore, backup


async def export(source: Path, folder: Path) -> tuple[int, int]:
    """Write the records; returns how many, and how many of them by rules gone by."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StoreError(f"{folder} cannot be made: {error.strerror}") from None
    with tempfile.TemporaryDirectory() as scratch:
        # From a copy: the file itself belongs to its server.
        copy = Path(scratch) / "copy.db"
        backup(source, copy)
        store = SqliteStore(copy)
        try:
            return await write_records(store, folder)
        finally:
            await store.close()


async def write_records(store: Store, folder: Path) -> tuple[int, int]:
    count = old = 0
    async for name in store.finished():
        row = await store.table(name)
        assert row is not None
        log = [inputs.decode(entry.data) for entry in await store.log(name)]
        if row.rules == RULES_VERSION:
            state = TableState(row)
            for entry in log:
                state.apply(entry)
            text = state.record_text(await store.names(state.players()))
        else:
            bygone = Bygone(row, log, [result.total for result in await store.results(name)])
            bygone.names = await store.names(bygone.state.players())
            text = bygone.record_text()
            old += 1
        (folder / f"{name}.fox").write_text(text, encoding="utf-8")
        count += 1
    return count, old
