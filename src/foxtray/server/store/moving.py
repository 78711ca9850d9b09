"""Carries everything from an SQLite file to an empty PostgreSQL database, and compares it."""

from __future__ import annotations

import sqlite3
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import psycopg

from foxtray.server.store import StoreError
from foxtray.server.store.migrations import migrate as migrate_file
from foxtray.server.store.postgres_connection import Session, check, sentence
from foxtray.server.store.postgres_migrations import migrate
from foxtray.server.store.sqlite import Guard, backup

ONLY_POSTGRES = {"tables": ("owner", "epoch")}
"""Columns that a file does not have; they begin with their defaults."""

Row = tuple[object, ...]


def move(source: Path, url: str, tell: Callable[[str, int], None]) -> int:
    """Copy all rows; returns how many. The file stays as it is, and is locked meanwhile."""
    if not source.is_file():
        raise StoreError(f"there is no data at {source}")
    guard = Guard(source)
    try:
        with tempfile.TemporaryDirectory() as scratch:
            copy = Path(scratch) / "copy.db"
            backup(source, copy)  # an older version is brought up to date in the copy only
            with closing(sqlite3.connect(copy, isolation_level=None)) as origin:
                migrate_file(origin)
                return copy_all(origin, url, tell)
    except sqlite3.Error as error:
        raise StoreError(f"{source} cannot be read: {error}") from None
    finally:
        guard.close()


def copy_all(origin: sqlite3.Connection, url: str, tell: Callable[[str, int], None]) -> int:
    try:
        session = Session(url)
    except psycopg.Error as error:
        raise StoreError(f"PostgreSQL cannot be reached: {sentence(error)}") from None
    count = 0
    try:
        check(session)
        migrate(session)
        with session.transaction():  # all of it, or nothing
            for table in tables(session):
                if session.execute(f'SELECT 1 FROM "{table}" LIMIT 1').fetchone():
                    raise StoreError(f"the database has data already ({table}); name an empty one")
            for table in tables(session):
                rows = copy_table(origin, session, table)
                tell(table, rows)
                count += rows
            session.execute(
                "SELECT setval(pg_get_serial_sequence('audit', 'number'), "
                "(SELECT coalesce(max(number), 0) + 1 FROM audit), false)"
            )
    except psycopg.Error as error:
        raise StoreError(f"the data could not be copied: {sentence(error)}") from None
    finally:
        session.close()
    return count


def tables(session: Session) -> list[str]:
    """All tables with data, in the order of their names."""
    query = (
        "SELECT table_name FROM information_schema.tables WHERE table_schema=current_schema() "
        "AND table_name<>'foxtray_version' ORDER BY 1"
    )
    return [name for (name,) in session.execute(query)]


def columns(session: Session, table: str) -> list[tuple[str, str]]:
    """The columns of a table that a file has too, with their types."""
    query = (
        "SELECT column_name, data_type FROM information_schema.columns "
        "WHERE table_schema=current_schema() AND table_name=? ORDER BY ordinal_position"
    )
    found = session.execute(query, (table,)).fetchall()
    return [(name, kind) for name, kind in found if name not in ONLY_POSTGRES.get(table, ())]


def copy_table(origin: sqlite3.Connection, session: Session, table: str) -> int:
    """Copy a table, then read both sides and compare them row by row."""
    types = columns(session, table)
    names = ", ".join(f'"{name}"' for name, _ in types)
    key = ", ".join(f'"{name}"' for name in primary_key(origin, table))
    query = f'SELECT {names} FROM "{table}" ORDER BY {key}'
    flags = [kind == "boolean" for _, kind in types]

    def rows() -> Iterator[Row]:
        for row in origin.execute(query):
            yield tuple(bool(v) if flag else v for v, flag in zip(row, flags, strict=True))

    session.copy_in(f'COPY "{table}" ({names}) FROM STDIN', rows())
    count = 0
    there = session.stream(query)
    for here in rows():
        count += 1
        if next(there, None) != here:
            raise StoreError(f"row {count} of {table} arrived changed; nothing was kept")
    if next(there, None) is not None:
        raise StoreError(f"{table} has more rows than before; nothing was kept")
    return count


def primary_key(origin: sqlite3.Connection, table: str) -> list[str]:
    found = origin.execute(f'PRAGMA table_info("{table}")').fetchall()
    if not found:
        raise StoreError(f"the file has no table {table}")
    return [name for _, name, _, _, _, place in sorted(found, key=lambda c: c[5]) if place]
