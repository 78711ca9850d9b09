"""Opens the store of a database, whichever kind it is."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from foxtray.extras import need
from foxtray.server.database import Database
from foxtray.server.store import Store


def open_store(db: Database, observe: Callable[[float, int], None] | None = None) -> Store:
    """Open a database, and bring it up to date."""
    if isinstance(db, Path):
        from foxtray.server.store.sqlite import SqliteStore

        return SqliteStore(db, observe)
    need("postgres", "a database in PostgreSQL")
    from foxtray.server.store.postgres import PostgresStore

    return PostgresStore(db, observe)
