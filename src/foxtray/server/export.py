"""Exports all finished games of a store as records, whether its server is running or not."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass, field
from pathlib import Path

from foxtray.game import RULES_VERSION
from foxtray.server.database import Database
from foxtray.server.store import Store, StoreError, TableRow
from foxtray.server.store.opening import open_store
from foxtray.server.store.sqlite import backup
from foxtray.server.tables.day_open import is_open
from foxtray.server.tables.log import TableLog
from foxtray.server.tables.outdated import OutdatedTable
from foxtray.server.tables.state import TableState


@dataclass(slots=True)
class Exported:
    """The result of an export."""

    records: int = 0
    outdated: int = 0
    """How many of them were played under older rules."""
    waiting: int = 0
    """Games with the dice of a day that is not over."""
    damaged: dict[str, str] = field(default_factory=dict)
    """The tables that could not be read, with the cause."""


async def export(source: Database, folder: Path) -> Exported:
    """Write the records of all finished games."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StoreError(f"cannot create {folder}: {error.strerror}") from None
    with tempfile.TemporaryDirectory() as scratch:
        if isinstance(source, Path):
            # Read a copy: the file itself may be in use by its server.
            copy = Path(scratch) / "copy.db"
            backup(source, copy)
            source = copy
        store = open_store(source)
        try:
            return await write_records(store, folder)
        finally:
            await store.close()


async def write_records(store: Store, folder: Path) -> Exported:
    done = Exported()
    async for name in store.finished():
        row = await store.table(name)
        assert row is not None
        try:
            if await is_open(store, TableState(row)):
                done.waiting += 1
                continue
            text = await record_text(store, row)
        except Exception as error:  # one damaged table must not stop the export
            done.damaged[name] = str(error) or repr(error)
            continue
        (folder / f"{name}.fox").write_text(text, encoding="utf-8")
        done.records += 1
        done.outdated += row.rules != RULES_VERSION
    return done


async def record_text(store: Store, row: TableRow) -> str:
    if row.rules != RULES_VERSION:
        return (await OutdatedTable.load(store, row)).record_text()
    state = TableLog(row, await store.log(row.id)).state
    return state.record_text(await store.names(state.players()))
