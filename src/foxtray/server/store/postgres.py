"""The store in a PostgreSQL database, which many servers share.

A table has one owner, the server that claimed it last. A claim raises the epoch of the table, and
whoever adds to its log names the epoch of their claim: the statement that writes holds the row of
the table (FOR SHARE) and writes nothing if the epoch is another one by now. So two servers can
never both add to a log, however late one of them hears of the other, and nothing depends on clocks.

One thread writes moves: it takes all that wait and writes them with one statement, which is a
transaction of its own; a server that freezes holds no lock. Other threads do everything else. What
looks before it writes is written by one server at a time, as in SQLite, so that what it saw stays
true.

A commit whose answer is lost may have happened or not: the table reads its log again.
"""

from __future__ import annotations

import asyncio
import os
import queue
import secrets
import socket
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TypeVar

import psycopg
import structlog
from psycopg import errors

from foxtray.server.store import (
    Addition,
    Claim,
    Conflict,
    News,
    NewTable,
    PlayerRow,
    StorageFailing,
    StoreError,
    Superseded,
    TableRow,
)
from foxtray.server.store.gathering import Inbox
from foxtray.server.store.postgres_connection import TROUBLE, Session, check, sentence
from foxtray.server.store.postgres_migrations import POSTGRES_MIGRATIONS, migrate
from foxtray.server.store.postgres_news import Listener, post
from foxtray.server.store.sql import SqlStore, append
from foxtray.server.store.sql_accounts import insert_player
from foxtray.server.store.sql_connection import Connection
from foxtray.server.store.sql_tables import TABLE, insert_table

log = structlog.get_logger()

T = TypeVar("T")
Work = Callable[[Session], T]
Job = tuple[Work[object], "asyncio.Future[object]"]
Move = tuple[Addition, "asyncio.Future[object]"]
Answer = tuple["asyncio.Future[object]", object, BaseException | None]

HANDS = 4
"""Threads for everything but moves, each with a connection."""
TRIES = 3
ONE_WRITER = 0x666F79
"""The advisory lock of the one who writes what is not a move."""

FLUSH = """
    WITH mine AS MATERIALIZED (
        SELECT tables.id, tables.epoch FROM tables
        JOIN unnest(?::text[], ?::bigint[]) AS claimed (id, epoch)
            ON claimed.id=tables.id AND claimed.epoch=tables.epoch
        ORDER BY tables.id FOR SHARE OF tables
    ), added AS (
        INSERT INTO inputs SELECT line."table", line.seq, line.at, line.data, line.command
        FROM unnest(?::text[], ?::bigint[], ?::bigint[], ?::bigint[], ?::bytea[], ?::text[])
            AS line ("table", epoch, seq, at, data, command)
        JOIN mine ON mine.id=line."table" AND mine.epoch=line.epoch
    )
    SELECT id, epoch FROM mine
"""
CLAIM = f"""
    WITH before AS MATERIALIZED (
        SELECT id, owner FROM tables WHERE id=?1 FOR UPDATE
    ), claimed AS (
        UPDATE tables SET owner=?2, epoch=tables.epoch+1 FROM before WHERE tables.id=before.id
        RETURNING tables.*, before.owner AS previous
    )
    SELECT {TABLE}, epoch, previous FROM claimed
"""


@dataclass(slots=True)
class Hand:
    """A thread's connection; None until it is needed."""

    session: Session | None = None
    busy_since: float = 0.0
    """When the current work began, 0 without any."""

    def drop(self) -> None:
        if self.session:
            self.session.close()
        self.session = None


class PostgresStore(SqlStore):
    """See foxtray.server.store.Store."""

    def __init__(
        self,
        url: str,
        observe: Callable[[float, int], None] | None = None,
        migrations: Sequence[str] = POSTGRES_MIGRATIONS,
    ) -> None:
        self.url = url
        self.owner = f"{socket.gethostname()}-{os.getpid()}-{secrets.token_hex(4)}"
        """The name under which this server claims tables."""
        self._observe = observe or (lambda seconds, jobs: None)
        self._loop = asyncio.get_running_loop()
        self._watchers: list[Callable[[str | None], None]] = []
        self._telling = threading.Lock()
        self._problems: dict[str, str | None] = {}
        """What cannot be done now: write, or reach PostgreSQL at all."""
        self._closing = False
        self._prepare(migrations)
        self._jobs: queue.SimpleQueue[Job | None] = queue.SimpleQueue()
        self._moves: Inbox[Move] = Inbox(lambda move: move[0].table)
        self._hands = [Hand() for _ in range(HANDS)]
        self._writer = Hand()
        self._threads = [
            threading.Thread(target=self._serve, args=(hand,), name="store-hand", daemon=True)
            for hand in self._hands
        ]
        self._threads.append(threading.Thread(target=self._write, name="store-writer", daemon=True))
        for thread in self._threads:
            thread.start()
        self._listener = Listener(url, self.owner, self._reachable)
        super().__init__()

    def _prepare(self, migrations: Sequence[str]) -> None:
        """Look at the database before anything is promised."""
        try:
            session = Session(self.url)
        except psycopg.Error as error:
            raise StoreError(f"PostgreSQL cannot be reached: {sentence(error)}") from None
        try:
            check(session)
            migrate(session, migrations)
            for setting in ("fsync", "full_page_writes", "synchronous_commit"):
                if session.setting(setting) == "off":
                    log.warning("not_durable", setting=setting, loses="acknowledged moves")
        except psycopg.Error as error:
            raise StoreError(f"the database cannot be used: {sentence(error)}") from None
        finally:
            session.close()

    # --- how it is ---------------------------------------------------------------------------

    @property
    def failing(self) -> str | None:
        return next(filter(None, self._problems.values()), None)

    def watch(self, changed: Callable[[str | None], None]) -> None:
        self._watchers.append(changed)

    def hear(self, heard: Callable[[News], None], revalidate: Callable[[], None]) -> None:
        self._listener.hear(heard, revalidate)

    def _tell(self, what: str, problem: str | None) -> None:
        """Note what cannot be done now; the server hears of it when that changes."""
        with self._telling:
            before = self.failing
            self._problems = {**self._problems, what: problem}
            if (before is None) != (self.failing is None) and not self._closing:
                with suppress(RuntimeError):
                    for watcher in self._watchers:
                        self._loop.call_soon_threadsafe(watcher, self.failing)

    def _reachable(self, problem: str | None) -> None:
        """The listener found out whether PostgreSQL answers. If not, nobody waits any longer."""
        self._tell("reach", problem)
        if problem:
            for hand in (*self._hands, self._writer):
                if hand.session and hand.busy_since:
                    hand.session.cut()

    async def close(self) -> None:
        self._closing = True
        self._moves.close()
        for _ in self._hands:
            self._jobs.put(None)
        for thread in self._threads:
            await asyncio.to_thread(thread.join)
        await self._listener.close()

    # --- moves -------------------------------------------------------------------------------

    async def append(self, addition: Addition) -> None:
        future: asyncio.Future[None] = self._loop.create_future()
        if is_plain(addition):
            self._moves.put((addition, future))  # type: ignore[arg-type]
        else:
            self._jobs.put((lambda session: add(session, addition), future))  # type: ignore[arg-type]
        await future

    def _write(self) -> None:
        """The thread that writes moves."""
        for moves in self._moves.groups():
            if moves:
                self._flush(moves)
            elif self._problems.get("write"):
                self._probe()
        self._writer.drop()

    def _flush(self, moves: list[Move]) -> None:
        started = self._writer.busy_since = time.perf_counter()
        try:
            answers = self._write_group(self._open(self._writer), moves)
            self._tell("write", None)
        except TROUBLE as error:
            self._writer.drop()
            self._tell("write", sentence(error))
            answers = [(future, None, failing(error)) for _, future in moves]
        except Exception as error:
            answers = [(future, None, error) for _, future in moves]
        self._writer.busy_since = 0.0
        self._observe(time.perf_counter() - started, len(moves))
        self._answer(answers)

    def _write_group(self, session: Session, moves: list[Move]) -> list[Answer]:
        """All moves with one statement; if one of them is wrong, each for itself."""
        try:
            written = flush(session, [addition for addition, _ in moves])
        except (psycopg.IntegrityError, errors.DeadlockDetected) as error:
            if len(moves) > 1:
                return [a for move in moves for a in self._write_group(session, [move])]
            if isinstance(error, errors.DeadlockDetected):
                raise
            return [(moves[0][1], None, Conflict(sentence(error)))]
        return [
            (future, None, None if (a.table, a.epoch) in written else superseded(a.table))
            for a, future in moves
        ]

    def _probe(self) -> None:
        """See whether writing works again."""
        self._writer.busy_since = time.perf_counter()
        try:
            query = "INSERT INTO marks VALUES ('probe', 1) ON CONFLICT (name) DO UPDATE SET value=1"
            self._open(self._writer).execute(query)
            self._tell("write", None)
        except TROUBLE as error:
            self._writer.drop()
            self._tell("write", sentence(error))
        self._writer.busy_since = 0.0

    # --- everything else ---------------------------------------------------------------------

    async def _read(self, work: Callable[[Connection], T], /) -> T:
        return await self._ask(work)

    async def _execute(
        self,
        work: Callable[[Connection], T],
        news: Callable[[T], Sequence[News]] | None = None,
        /,
    ) -> T:
        def alone(session: Session) -> T:
            with session.transaction():
                session.execute("SELECT pg_advisory_xact_lock(?)", (ONE_WRITER,))
                result = work(session)
                post(session, self.owner, news(result) if news else ())
                return result

        return await self._ask(alone)

    # What adds rows without looking at others need not wait for anybody.

    async def add_player(
        self, player: PlayerRow, device: str = "", invitation: bytes | None = None
    ) -> None:
        def work(session: Session) -> None:
            with session.transaction():
                insert_player(session, player, device, invitation)

        await self._ask(work)

    async def add_table(
        self,
        table: TableRow,
        seating: Sequence[tuple[int, str | None]],
        root: str | None = None,
    ) -> None:
        def work(session: Session) -> None:
            with session.transaction():
                insert_table(session, NewTable(table, seating, root))

        await self._ask(work)

    async def _ask(self, work: Work[T]) -> T:
        future: asyncio.Future[T] = self._loop.create_future()
        self._jobs.put((work, future))  # type: ignore[arg-type]
        return await future

    def _serve(self, hand: Hand) -> None:
        """A thread that does what is asked."""
        while (job := self._jobs.get()) is not None:
            work, future = job
            hand.busy_since = time.perf_counter()
            try:
                answer: Answer = (future, self._do(hand, work), None)
            except (psycopg.IntegrityError, Conflict) as error:
                answer = (future, None, Conflict(sentence(error)))
            except TROUBLE as error:
                hand.drop()
                answer = (future, None, failing(error))
            except Exception as error:
                answer = (future, None, error)
            hand.busy_since = 0.0
            self._answer([answer])
        hand.drop()

    def _do(self, hand: Hand, work: Work[T]) -> T:
        """Do work, again after a deadlock or with a new connection where the old one broke.

        What was interrupted while it was committed may have been written, and is not done again.
        """
        for attempt in range(TRIES):
            old = hand.session is not None
            try:
                return work(self._open(hand))
            except errors.DeadlockDetected:
                if attempt == TRIES - 1:
                    raise
            except psycopg.OperationalError:
                if not old or hand.session is None or hand.session.committing:
                    raise
                hand.drop()
        raise AssertionError("a loop that returns or raises")

    def _open(self, hand: Hand) -> Session:
        if hand.session and hand.session.broken:
            hand.drop()
        if hand.session is None:
            hand.session = Session(self.url)
        return hand.session

    def _answer(self, answers: list[Answer]) -> None:
        with suppress(RuntimeError):  # the loop may be gone when the process ends
            self._loop.call_soon_threadsafe(wake, answers)

    # --- owners ------------------------------------------------------------------------------

    async def claim(self, table: str) -> Claim | None:
        def work(session: Session) -> Claim | None:
            with session.transaction():
                row = session.execute(CLAIM, (table, self.owner)).fetchone()
                if row is None:
                    return None
                *fields, epoch, previous = row
                if previous not in (None, self.owner):
                    post(session, self.owner, [News("table", table, str(epoch))])
                return Claim(TableRow(*fields), epoch)

        return await self._ask(work)

    async def lost(self, claims: Mapping[str, int]) -> list[str]:
        def work(session: Session) -> list[str]:
            query = "SELECT id, epoch FROM tables WHERE id=ANY(?)"
            now = dict(session.execute(query, (list(claims),)).fetchall())
            return [table for table, epoch in claims.items() if now.get(table) != epoch]

        return await self._ask(work) if claims else []

    def supersede(self, c: Connection, tables: Sequence[str]) -> None:
        found = c.execute(
            "WITH mine AS MATERIALIZED "
            "(SELECT id FROM tables WHERE id=ANY(?) ORDER BY id FOR UPDATE) "
            "UPDATE tables SET owner=NULL, epoch=epoch+1 FROM mine WHERE tables.id=mine.id "
            "RETURNING tables.id, epoch",
            (list(tables),),
        )
        post(c, self.owner, [News("table", table, str(epoch)) for table, epoch in found])


# --- statements ---------------------------------------------------------------------------------


def is_plain(addition: Addition) -> bool:
    """Whether there is nothing but rows of the log."""
    more = (addition.results, addition.opened, addition.solo_start, addition.departures)
    return not (addition.seating or any(more))


def flush(session: Session, additions: Sequence[Addition]) -> set[tuple[str, int]]:
    """Write the rows of many logs; returns the claims that are still good."""
    claims = list({(a.table, a.epoch): None for a in additions})
    rows = [(a, row) for a in additions for row in a.rows]
    values = (
        [table for table, _ in claims],
        [epoch for _, epoch in claims],
        [a.table for a, _ in rows],
        [a.epoch for a, _ in rows],
        [row.seq for _, row in rows],
        [row.at for _, row in rows],
        [row.data for _, row in rows],
        [row.command for _, row in rows],
    )
    return set(session.execute(FLUSH, values).fetchall())


def add(session: Session, addition: Addition) -> None:
    """Write what is more than rows of a log, if the claim is still good."""
    opens_itself = addition.opened and addition.opened.row.id == addition.table
    with session.transaction():
        if not opens_itself:
            query = "SELECT 1 FROM tables WHERE id=? AND epoch=? FOR UPDATE"
            if not session.execute(query, (addition.table, addition.epoch)).fetchone():
                raise superseded(addition.table)
        append(session, addition)


def superseded(table: str) -> Superseded:
    return Superseded(f"another server has claimed the table {table}")


def failing(error: Exception) -> StorageFailing:
    return StorageFailing(f"nothing can be written or read: {sentence(error)}")


def wake(answers: list[Answer]) -> None:
    """Wake those who wait for an answer."""
    for future, result, error in answers:
        if future.cancelled():
            continue
        if error is None:
            future.set_result(result)
        else:
            future.set_exception(error)
