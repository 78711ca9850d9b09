"""What servers on one database tell each other: claims, new names, who was signed out.

It goes by NOTIFY, which takes a lock on the whole database when it commits: nothing that happens
with every move may use it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from contextlib import suppress

import msgspec
import psycopg
import structlog

from foxtray.server.background import Background
from foxtray.server.store import News
from foxtray.server.store.postgres_connection import cut, parameters, sentence
from foxtray.server.store.sql_connection import Connection

log = structlog.get_logger()

CHANNEL = "foxtray"
BEAT = 0.4
PATIENCE = 0.5
"""Seconds between two questions whether PostgreSQL is there, and until it must have answered:
a token that was revoked must not be believed for longer than both together."""
CONNECT = 1.0
"""Seconds after which nobody waits for PostgreSQL any longer."""
RETRY = 0.5


class Letter(msgspec.Struct, frozen=True):
    """News with the name of the server that they come from."""

    sender: str
    news: News


encode = msgspec.json.Encoder().encode
decode = msgspec.json.Decoder(Letter).decode


def post(c: Connection, sender: str, news: Sequence[News]) -> None:
    """Tell others when the transaction is committed."""
    for item in news:
        letter = encode(Letter(sender, item)).decode()
        c.execute("SELECT pg_notify(?, ?)", (CHANNEL, letter))


class Listener:
    """Hears what other servers tell, and knows whether PostgreSQL answers."""

    def __init__(self, url: str, name: str, reachable: Callable[[str | None], None]) -> None:
        self._url = url
        self._name = name
        self._reachable = reachable
        self._heard: Callable[[News], None] = lambda news: None
        self._revalidate: Callable[[], None] = lambda: None
        self._tasks = Background()
        self._tasks.start("listener", self._run())

    def hear(self, heard: Callable[[News], None], revalidate: Callable[[], None]) -> None:
        self._heard, self._revalidate = heard, revalidate

    async def close(self) -> None:
        await self._tasks.close()

    async def _run(self) -> None:
        while True:
            try:
                await self._listen()
            except (psycopg.Error, OSError) as error:
                log.warning("listening_lost", cause=sentence(error))
            except Exception:  # a server that hears nothing would believe revoked tokens
                log.exception("listening_failed")
                await asyncio.sleep(RETRY)
            # Whatever is told from now on until we listen again is missed.
            self._revalidate()

    async def _listen(self) -> None:
        """Listen until the connection is lost."""
        connection = await self._connect()
        try:
            await connection.execute(f"LISTEN {CHANNEL}")
            self._revalidate()
            self._reachable(None)
            while True:
                async for notify in connection.notifies(timeout=BEAT):
                    self._take(notify.payload)
                # Not cancelled: that would ask PostgreSQL to stop, and wait for its answer.
                late = asyncio.get_running_loop().call_later(PATIENCE, cut, connection)
                try:
                    await connection.execute("SELECT 1")
                finally:
                    late.cancel()
        finally:
            with suppress(psycopg.Error, asyncio.CancelledError):
                connection.pgconn.finish()

    async def _connect(self) -> psycopg.AsyncConnection:
        """A connection, however long that takes."""
        while True:
            try:
                async with asyncio.timeout(CONNECT):
                    return await psycopg.AsyncConnection.connect(
                        self._url, autocommit=True, **parameters(self._url)
                    )
            except (psycopg.Error, OSError) as error:  # a TimeoutError is an OSError
                self._reachable(sentence(error))
                await asyncio.sleep(RETRY)

    def _take(self, payload: str) -> None:
        with suppress(msgspec.DecodeError):  # somebody else's
            letter = decode(payload)
            if letter.sender != self._name:
                self._heard(letter.news)
