"""The store in one SQLite file.

One thread writes: it takes all that waits, commits it in one transaction (WAL, synchronous=FULL)
and only then answers. Another thread reads, a third copies the write-ahead log into the file.
After a failed write the connection is given up; before the next one everything in the write-ahead
log is copied into the file and synced, because after a failed fsync the system may take pages for
written that are not.
"""

from __future__ import annotations

import asyncio
import json
import os
import queue
import sqlite3
import tempfile
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import TypeVar

from foxtray.server.store import (
    Addition,
    Conflict,
    LogRow,
    PlayerRow,
    ResultRow,
    StorageFailing,
    StoreError,
    TableRow,
)
from foxtray.server.store.migrations import migrate

T = TypeVar("T")
Work = Callable[[sqlite3.Connection], T]
Job = tuple[Work[object], "asyncio.Future[object]"]
Answer = tuple["asyncio.Future[object]", object, Exception | None]

GROUP = 512
GATHER = 0.003
"""Seconds that a commit waits for company where the one before had some.

Every commit takes the interpreter from the event loop a few times: fewer of them leave it more.
"""
CHUNK = 128
CHECKPOINT = 1.0
LAST_RESORT = 16_384
"""Pages of the write-ahead log after which a commit copies them itself."""
RETRY = 1.0
PLAYER = "id, name, token, created"
TABLE = "id, rules, setup, secret, host, invite, watch, created"


def connect(path: Path) -> sqlite3.Connection:
    """A connection for one thread."""
    connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False, timeout=10)
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA synchronous=FULL")
    connection.execute("PRAGMA busy_timeout=10000")
    connection.execute(f"PRAGMA wal_autocheckpoint={LAST_RESORT}")
    return connection


def lock(path: Path) -> sqlite3.Connection:
    """Keep a second server away from a file, for as long as this process lives."""
    beside = path.with_name(path.name + ".lock")
    try:
        guard = sqlite3.connect(beside, isolation_level=None, timeout=0, check_same_thread=False)
    except sqlite3.Error as error:
        raise StoreError(f"{beside} cannot be made: {error}") from None
    try:
        guard.execute("BEGIN EXCLUSIVE")
    except sqlite3.OperationalError as error:
        guard.close()
        if "locked" in str(error):
            raise StoreError(f"another server is using {path}") from None
        raise StoreError(f"{path} cannot be used: {error}") from None
    return guard


class SqliteStore:
    """See foxtray.server.store.Store."""

    def __init__(self, path: str | Path, observe: Callable[[float, int], None] | None = None):
        self.path = Path(path).resolve()  # one file, one lock, by whatever name
        self.failing: str | None = None
        self._observe = observe or (lambda seconds, jobs: None)
        self._watchers: list[Callable[[str | None], None]] = []
        self._jobs: queue.SimpleQueue[Job | None] = queue.SimpleQueue()
        self._loop = asyncio.get_running_loop()
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise StoreError(f"{self.path.parent} cannot be made: {error.strerror}") from None
        self._guard = lock(self.path)
        self._writer: sqlite3.Connection | None = None
        try:
            if not self.path.exists():
                self.path.touch(mode=0o600)  # secrets of dice and keys of links are in it
            self._writer = self.connect()
            migrate(self._writer)
            self._try_writing(self._writer)
            self._reader = connect(self.path)
        except (sqlite3.Error, OSError, StoreError) as error:
            if self._writer:
                self._writer.close()
            self._guard.close()
            if isinstance(error, StoreError):
                raise
            raise StoreError(f"{self.path} cannot be used: {error}") from None
        self._reading = ThreadPoolExecutor(1, thread_name_prefix="store-reader")
        self._thread = threading.Thread(target=self._write, name="store-writer", daemon=True)
        self._thread.start()
        self._ended = threading.Event()
        self._copier = threading.Thread(target=self._copy, name="store-copier", daemon=True)
        self._copier.start()

    # For tests that make disks fail.
    def connect(self) -> sqlite3.Connection:
        return connect(self.path)

    def commit(self, connection: sqlite3.Connection) -> None:
        connection.execute("COMMIT")

    def watch(self, changed: Callable[[str | None], None]) -> None:
        self._watchers.append(changed)

    async def close(self) -> None:
        self._jobs.put(None)
        await asyncio.to_thread(self._thread.join)
        self._ended.set()
        await asyncio.to_thread(self._copier.join)
        self._reading.shutdown()
        self._reader.close()
        self._guard.close()

    # --- the two threads ---------------------------------------------------------------------

    async def _execute(self, work: Work[T]) -> T:
        """Do work in the writer thread; durable when it returns."""
        future: asyncio.Future[T] = self._loop.create_future()
        self._jobs.put((work, future))  # type: ignore[arg-type]
        return await future

    async def _read(self, work: Work[T]) -> T:
        def run() -> T:
            try:
                return work(self._reader)
            except sqlite3.Error as error:
                raise StorageFailing(f"the data cannot be read: {error}") from error

        return await self._loop.run_in_executor(self._reading, run)

    def _write(self) -> None:
        running, jobs = True, list[Job]()
        while running:
            busy, jobs = len(jobs) > 1, []
            try:
                job = self._jobs.get(timeout=RETRY if self.failing else None)
                if busy:
                    time.sleep(GATHER)
                while job is not None:
                    jobs.append(job)
                    if len(jobs) == GROUP:
                        break
                    job = self._jobs.get_nowait()
                running = job is not None
            except queue.Empty:
                pass
            self._commit_group(jobs)
        if self._writer:
            with suppress(sqlite3.Error):
                self._writer.close()

    def _copy(self) -> None:
        """Copy the write-ahead log into the file beside the writer, so that no commit waits."""
        connection = connect(self.path)
        while not self._ended.wait(CHECKPOINT):
            with suppress(sqlite3.Error):  # the writer will notice, and tell
                connection.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone()
        connection.close()

    def _commit_group(self, jobs: list[Job]) -> None:
        started = time.perf_counter()
        try:
            if self._writer is None:
                self._writer = self._recover()
            answers = self._transaction(self._writer, jobs)
            self._tell(None)
        except (sqlite3.Error, OSError) as error:
            with suppress(sqlite3.Error):
                if self._writer:
                    self._writer.close()
            self._writer = None
            self._tell(str(error))
            answers = [
                (f, None, StorageFailing(f"nothing can be written: {error}")) for _, f in jobs
            ]
        if jobs:
            self._observe(time.perf_counter() - started, len(jobs))
            with suppress(RuntimeError):  # the loop may be gone when the process ends
                self._loop.call_soon_threadsafe(answer, answers)

    def _transaction(self, connection: sqlite3.Connection, jobs: list[Job]) -> list[Answer]:
        """All jobs in one transaction; what one of them may not do is undone for it alone."""
        answers: list[Answer] = []
        connection.execute("BEGIN IMMEDIATE")
        plain: list[tuple[Append, asyncio.Future[object]]] = []
        others: list[Job] = []
        for work, future in jobs:
            if isinstance(work, Append) and work.plain:
                plain.append((work, future))
            else:
                others.append((work, future))
        try:
            insert_rows(connection, [work.addition for work, _ in plain])
            answers += [(future, None, None) for _, future in plain]
            jobs = others
        except sqlite3.IntegrityError:
            connection.execute("ROLLBACK")  # one of them is wrong: each for itself then
            connection.execute("BEGIN IMMEDIATE")
        for work, future in jobs:
            connection.execute("SAVEPOINT job")
            try:
                answers.append((future, work(connection), None))
            except (sqlite3.IntegrityError, Conflict) as error:
                connection.execute("ROLLBACK TO job")
                answers.append((future, None, Conflict(str(error))))
            connection.execute("RELEASE job")
        self.commit(connection)
        return answers

    def _recover(self) -> sqlite3.Connection:
        connection = self.connect()
        try:
            busy, _, _ = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
            if busy:
                raise sqlite3.OperationalError("the file is in use")
            self._try_writing(connection)
        except BaseException:
            connection.close()
            raise
        return connection

    def _try_writing(self, connection: sqlite3.Connection) -> None:
        """A write of no consequence, to see that writing works."""
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        connection.execute("BEGIN IMMEDIATE")
        connection.execute(f"PRAGMA user_version={version}")
        self.commit(connection)

    def _tell(self, failing: str | None) -> None:
        if failing != self.failing:
            changed = (failing is None) != (self.failing is None)
            self.failing = failing
            if changed:
                with suppress(RuntimeError):
                    for watcher in self._watchers:
                        self._loop.call_soon_threadsafe(watcher, failing)

    # --- players -----------------------------------------------------------------------------

    async def add_player(self, player: PlayerRow) -> None:
        row = (player.id, player.name, player.token, player.created)
        await self._execute(lambda c: c.execute("INSERT INTO players VALUES (?,?,?,?)", row))

    async def player_by_token(self, token: bytes) -> PlayerRow | None:
        return await self._read(lambda c: find_player(c, "token", token))

    async def names(self, players: Sequence[str]) -> dict[str, str]:
        marks = ",".join("?" * len(players))
        query = f"SELECT id, name FROM players WHERE id IN ({marks})"
        return await self._read(lambda c: dict(c.execute(query, list(players)).fetchall()))

    async def rename(self, player: str, name: str) -> None:
        query = "UPDATE players SET name=? WHERE id=?"
        await self._execute(lambda c: c.execute(query, (name, player)))

    async def add_link(self, code: bytes, player: str, expires: int) -> None:
        def work(c: sqlite3.Connection) -> None:
            c.execute("DELETE FROM links WHERE player=?", (player,))
            c.execute("INSERT INTO links VALUES (?,?,?)", (code, player, expires))

        await self._execute(work)

    async def use_link(self, code: bytes, now: int, token: bytes) -> PlayerRow | None:
        def work(c: sqlite3.Connection) -> PlayerRow | None:
            query = "DELETE FROM links WHERE code=? RETURNING player, expires"
            found = c.execute(query, (code,)).fetchall()
            if not found or found[0][1] < now:
                return None
            c.execute("UPDATE players SET token=? WHERE id=?", (token, found[0][0]))
            return find_player(c, "id", found[0][0])

        return await self._execute(work)

    async def delete_player(self, player: str) -> None:
        def work(c: sqlite3.Connection) -> None:
            alone = c.execute(
                'SELECT DISTINCT "table" FROM seats WHERE player=? AND "table" NOT IN '
                '(SELECT "table" FROM seats WHERE player IS NOT NULL AND player<>?)',
                (player, player),
            ).fetchall()
            hosted = c.execute(
                "SELECT id FROM tables WHERE host=? AND id NOT IN "
                '(SELECT "table" FROM seats WHERE player IS NOT NULL)',
                (player,),
            ).fetchall()
            for (table,) in alone + hosted:
                delete_table(c, table)
                c.execute('DELETE FROM results WHERE "table"=?', (table,))
            c.execute("UPDATE seats SET player=NULL WHERE player=?", (player,))
            c.execute("UPDATE results SET player=NULL WHERE player=?", (player,))
            # Of tables that have expired the results were left; nobody's are of no use.
            c.execute(
                'DELETE FROM results WHERE "table" NOT IN (SELECT id FROM tables) AND '
                '"table" NOT IN (SELECT "table" FROM results WHERE player IS NOT NULL)'
            )
            c.execute("DELETE FROM links WHERE player=?", (player,))
            c.execute("DELETE FROM players WHERE id=?", (player,))

        await self._execute(work)

    # --- tables ------------------------------------------------------------------------------

    async def add_table(self, table: TableRow, seating: Sequence[tuple[int, str | None]]) -> None:
        await self._execute(lambda c: insert_table(c, table, seating))

    async def table(self, table: str) -> TableRow | None:
        def work(c: sqlite3.Connection) -> TableRow | None:
            row = c.execute(f"SELECT {TABLE} FROM tables WHERE id=?", (table,)).fetchone()
            return TableRow(*row) if row else None

        return await self._read(work)

    async def append(self, addition: Addition) -> None:
        await self._execute(Append(addition))

    async def log(self, table: str) -> list[LogRow]:
        query = 'SELECT seq, at, data, command FROM events WHERE "table"=? ORDER BY seq'
        return await self._read(lambda c: [LogRow(*row) for row in c.execute(query, (table,))])

    async def tables_of(self, player: str, *, over: bool, limit: int = 50) -> list[str]:
        query = (
            'SELECT id FROM seats JOIN tables ON id="table" WHERE player=? '
            f"AND finished IS {'NOT ' if over else ''}NULL ORDER BY created DESC LIMIT ?"
        )
        return await self._read(lambda c: [row[0] for row in c.execute(query, (player, limit))])

    async def unfinished(self, player: str) -> int:
        query = (
            'SELECT count(*) FROM tables JOIN seats ON id="table" AND player=host '
            "WHERE host=? AND finished IS NULL"
        )
        return await self._read(lambda c: int(c.execute(query, (player,)).fetchone()[0]))

    async def results_of(
        self, player: str, *, before: int | None = None, limit: int | None = None
    ) -> list[list[ResultRow]]:
        def work(c: sqlite3.Connection) -> list[list[ResultRow]]:
            query = 'SELECT "table" FROM results WHERE player=? AND finished<? '
            query += "ORDER BY finished DESC LIMIT ?"
            edge = (player, 1 << 62 if before is None else before, -1 if limit is None else limit)
            games: dict[str, list[ResultRow]] = {t: [] for (t,) in c.execute(query, edge)}
            for result in read_results(c, f'"table" IN ({query})', edge):
                games[result.table].append(result)
            return list(games.values())

        return await self._read(work)

    async def best(self, player: str) -> dict[str, int]:
        query = "SELECT game, max(total) FROM results WHERE player=? AND NOT practice GROUP BY game"
        return await self._read(lambda c: dict(c.execute(query, (player,)).fetchall()))

    async def results(self, table: str) -> list[ResultRow]:
        return await self._read(lambda c: read_results(c, '"table"=?', (table,)))

    async def finished(self) -> AsyncIterator[str]:
        query = "SELECT id FROM tables WHERE finished IS NOT NULL ORDER BY finished, id"
        for (table,) in await self._read(lambda c: c.execute(query).fetchall()):
            yield table

    async def expire(self, *, finished_before: int, idle_before: int) -> list[str]:
        def work(c: sqlite3.Connection) -> list[str]:
            old = c.execute(
                "SELECT id FROM tables WHERE finished<? OR (finished IS NULL AND created<? AND "
                'NOT EXISTS (SELECT 1 FROM events WHERE "table"=id AND at>=?))',
                (finished_before, idle_before, idle_before),
            ).fetchall()
            for (table,) in old:
                delete_table(c, table)
            return [table for (table,) in old]

        return await self._execute(work)


# --- statements ---------------------------------------------------------------------------------


def answer(answers: list[Answer]) -> None:
    """Wake those who wait for a commit."""
    for future, result, error in answers:
        if future.cancelled():
            continue
        if error is None:
            future.set_result(result)
        else:
            future.set_exception(error)


def find_player(c: sqlite3.Connection, column: str, value: object) -> PlayerRow | None:
    row = c.execute(f"SELECT {PLAYER} FROM players WHERE {column}=?", (value,)).fetchone()
    return PlayerRow(*row) if row else None


def seat_players(
    c: sqlite3.Connection, table: str, seating: Iterable[tuple[int, str | None]]
) -> None:
    c.executemany(
        "INSERT OR REPLACE INTO seats VALUES (?,?,?)",
        [(table, seat, player) for seat, player in seating],
    )


@dataclass(frozen=True, slots=True, eq=False)
class Append:
    """The work of adding to a log."""

    addition: Addition

    @property
    def plain(self) -> bool:
        """Whether there is nothing but rows of the log."""
        more = self.addition
        return not more.seating and not more.results and more.opened is None

    def __call__(self, c: sqlite3.Connection) -> None:
        append(c, self.addition)


def insert_rows(c: sqlite3.Connection, additions: list[Addition]) -> None:
    """Insert the rows of many logs with few statements.

    Each statement gives up the interpreter and has to wait for it again: under load that wait
    costs more than the statement.
    """
    rows = [(a.table, row.seq, row.at, row.data, row.command) for a in additions for row in a.rows]
    for start in range(0, len(rows), CHUNK):
        chunk = rows[start : start + CHUNK]
        values = ",".join(["(?,?,?,?,?)"] * len(chunk))
        c.execute(f"INSERT INTO events VALUES {values}", list(chain.from_iterable(chunk)))


def append(c: sqlite3.Connection, addition: Addition) -> None:
    c.executemany(
        "INSERT INTO events VALUES (?,?,?,?,?)",
        [(addition.table, row.seq, row.at, row.data, row.command) for row in addition.rows],
    )
    if addition.seating:
        seat_players(c, addition.table, addition.seating)
    if addition.opened:
        insert_table(c, addition.opened.row, addition.opened.seating)
    if addition.results:
        c.executemany(
            "INSERT INTO results VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?)",
            [
                (
                    r.table, r.seat, r.player, r.bot, r.game, r.seats, r.finished, r.total,
                    json.dumps(r.areas), r.foxes, r.fox_value, r.won, r.practice,
                )
                for r in addition.results
            ],
        )  # fmt: skip
        done = (addition.results[0].finished, addition.table)
        c.execute("UPDATE tables SET finished=? WHERE id=?", done)


def insert_table(
    c: sqlite3.Connection, table: TableRow, seating: Sequence[tuple[int, str | None]]
) -> None:
    row = (
        table.id, table.rules, table.setup, table.secret, table.host, table.invite, table.watch,
        table.created,
    )  # fmt: skip
    c.execute(f"INSERT INTO tables ({TABLE}) VALUES (?,?,?,?,?,?,?,?)", row)
    seat_players(c, table.id, seating)


def read_results(
    c: sqlite3.Connection, which: str, values: tuple[str | int, ...]
) -> list[ResultRow]:
    """The results that a condition names, seat by seat."""
    query = (
        'SELECT "table", seat, player, bot, game, seats, finished, total, areas, foxes, fox_value,'
        " won, practice, ifnull(name, ''), \"table\" IN (SELECT id FROM tables) FROM results"
        f" LEFT JOIN players ON players.id=player WHERE {which} ORDER BY seat"
    )
    found: list[ResultRow] = []
    for row in c.execute(query, values):
        *before, areas, foxes, fox_value, won, practice, name, kept = row
        fields = (
            *before,
            tuple(json.loads(areas)),
            foxes,
            fox_value,
            bool(won),
            bool(practice),
            name,
            bool(kept),
        )
        found.append(ResultRow(*fields))
    return found


def delete_table(c: sqlite3.Connection, table: str) -> None:
    for name, column in (("events", '"table"'), ("seats", '"table"'), ("tables", "id")):
        c.execute(f"DELETE FROM {name} WHERE {column}=?", (table,))


def backup(source: Path, target: Path) -> None:
    """Copy a store, in use or not, to a new file that is whole or not there."""
    if not source.is_file():
        raise StoreError(f"there is no data at {source}")
    if target.exists():
        raise StoreError(f"{target} exists already: name another file")
    try:
        # A name that nothing has; and what is in a copy is for its owner's eyes only.
        handle, name = tempfile.mkstemp(dir=target.parent, prefix=f"{target.name}.")
    except OSError as error:
        raise StoreError(f"{target} cannot be written: {error.strerror}") from None
    os.close(handle)
    draft = Path(name)
    try:
        origin, copy = sqlite3.connect(source, timeout=10), sqlite3.connect(draft)
        try:
            origin.backup(copy)
            copy.execute("PRAGMA journal_mode=DELETE")
            (verdict,) = copy.execute("PRAGMA integrity_check").fetchone()
        finally:
            origin.close()
            copy.close()
        if verdict != "ok":
            draft.unlink()
            raise StoreError(f"the copy is damaged: {verdict}")
        with draft.open("rb") as file:
            os.fsync(file.fileno())
        os.replace(draft, target)
    except (sqlite3.Error, OSError) as error:
        draft.unlink(missing_ok=True)
        raise StoreError(f"{source} could not be copied to {target}: {error}") from None
