"""Connections to PostgreSQL, for statements that SQLite understands too."""

from __future__ import annotations

import os
import re
import socket
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import lru_cache
from typing import Any

import psycopg
from psycopg.conninfo import conninfo_to_dict
from psycopg.rows import TupleRow
from psycopg.types.string import StrDumper

from foxtray.server.store import StoreError
from foxtray.server.store.sql_connection import Rows

CONNECT = 3
"""Seconds until a server that does not answer counts as unreachable."""
FROZEN = 5
"""Seconds after which PostgreSQL ends the transaction of a server that has stopped talking."""
OLDEST = 13_00_00
"""The oldest version of PostgreSQL."""
TROUBLE = (psycopg.OperationalError, psycopg.InterfaceError, psycopg.InternalError)
"""Errors of the database, not of what it was asked."""

VALUE = re.compile(r"'[^']*'|::|\?(\d*)|:([a-z_]+)")


class PlainText(StrDumper):
    """PostgreSQL has no text with a zero in it: what holds one is found nowhere."""

    def dump(self, obj: str) -> Any:
        return super().dump(obj.replace("\0", "\N{REPLACEMENT CHARACTER}"))


@lru_cache(1_000)
def translated(query: str) -> tuple[bytes, tuple[str, ...]]:
    """A query with its values as PostgreSQL numbers them, and their names if they have any."""
    names: list[str] = []
    count = 0

    def number(found: re.Match[str]) -> str:
        nonlocal count
        if found[2]:
            if found[2] not in names:
                names.append(found[2])
            return f"${names.index(found[2]) + 1}"
        if found[1] is None:
            return found[0]  # a text, or a cast
        count += 1
        return f"${found[1] or count}"

    return VALUE.sub(number, query).encode(), tuple(names)


class Session:
    """A connection that is used by one thread. See foxtray.server.store.sql_connection.

    Each statement is a transaction, if it is not in one.
    """

    def __init__(self, url: str) -> None:
        self._connection = psycopg.connect(
            url,
            autocommit=True,
            cursor_factory=psycopg.RawCursor[TupleRow],
            **parameters(url),
        )
        self._connection.adapters.register_dumper(str, PlainText)
        self.committing = False
        """Whether a lost connection leaves it open what was written."""
        self.execute(f"SET idle_in_transaction_session_timeout='{FROZEN}s'")

    def execute(self, query: str, values: Any = (), /) -> Rows:
        text, names = translated(query)
        if names:
            values = [values[name] for name in names]
        return self._connection.execute(text, values)

    def executemany(self, query: str, values: Iterable[Any], /) -> None:
        # One by one: psycopg would end them all with a Flush message, and any message stops the
        # clock by which PostgreSQL ends the transaction of a server that says nothing more.
        for row in values:
            self.execute(query, row)

    def script(self, text: str) -> None:
        """Several statements without values."""
        self._connection.execute(text.encode())

    @contextmanager
    def transaction(self) -> Iterator[None]:
        self.execute("BEGIN")
        try:
            yield
        except BaseException:
            with suppress(psycopg.Error):  # the connection may be the reason
                self.execute("ROLLBACK")
            raise
        self.committing = True
        self.execute("COMMIT")
        self.committing = False

    def setting(self, name: str) -> str:
        return str(self.execute(f"SHOW {name}").fetchone()[0])

    @property
    def broken(self) -> bool:
        return self._connection.broken or self._connection.closed

    @property
    def version(self) -> int:
        return self._connection.info.server_version

    def copy_in(self, statement: str, rows: Iterator[tuple[object, ...]]) -> None:
        with self._connection.cursor().copy(statement.encode()) as copy:
            for row in rows:
                copy.write_row(row)

    def stream(self, query: str) -> Iterator[tuple[Any, ...]]:
        """The rows of a query, a few at a time; in a transaction."""
        with self._connection.cursor("reading") as cursor:
            cursor.execute(query.encode())
            yield from cursor

    def cut(self) -> None:
        """End a connection that another thread waits on."""
        cut(self._connection)

    def close(self) -> None:
        with suppress(psycopg.Error):
            self._connection.close()


def cut(connection: psycopg.Connection[Any] | psycopg.AsyncConnection[Any]) -> None:
    """Let everybody who waits for an answer know that none comes."""
    with suppress(OSError, psycopg.Error):
        copy = socket.socket(fileno=os.dup(connection.fileno()))
        try:
            copy.shutdown(socket.SHUT_RDWR)
        finally:
            copy.close()


def parameters(url: str) -> dict[str, Any]:
    """The parameters of every connection, as far as the URL does not name them."""
    wanted: dict[str, Any] = {
        "application_name": "foxtray",
        "connect_timeout": CONNECT,
        "target_session_attrs": "read-write",  # never a standby
    }
    named = conninfo_to_dict(url)
    return {name: value for name, value in wanted.items() if name not in named}


def sentence(error: Exception) -> str:
    """The first line of what PostgreSQL says, which has more lines than anybody wants."""
    return str(error).strip().partition("\n")[0] or "PostgreSQL does not answer"


def check(session: Session) -> None:
    """Refuse databases that cannot hold what a store writes."""
    if session.version < OLDEST:
        raise StoreError(
            f"PostgreSQL {session.version // 10_000} is too old; use {OLDEST // 10_000} or newer"
        )
    encoding = session.setting("server_encoding")
    if encoding != "UTF8":
        raise StoreError(
            f"the database has the encoding {encoding}; "
            "make another one with: createdb -E UTF8 -T template0 NAME"
        )
