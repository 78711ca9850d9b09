"""The store in one SQLite file.

One thread writes: it takes all that waits, commits it in one transaction (WAL, synchronous=FULL)
and only then answers. Another thread reads, a third copies the write-ahead log into the file.
After a failed write the connection is given up; before the next one everything in the write-ahead
log is copied into the file and synced, because after a failed fsync the system may take pages for
written that are not. A commit counts only while the files it went to are still the ones that a
restart would open.
"""

from __future__ import annotations

import asyncio
import json
import os
import queue
import secrets
import shutil
import sqlite3
import sys
import tempfile
import threading
import time
from collections.abc import AsyncIterator, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import TypeVar

from foxtray.folders import data_folder
from foxtray.server.store import (
    Addition,
    Conflict,
    GivenUpRow,
    LogRow,
    MatchRow,
    NewDevice,
    NewTable,
    PlayerRow,
    ResultRow,
    SoloCount,
    StorageFailing,
    StoreError,
    TableRow,
)
from foxtray.server.store.migrations import MIGRATIONS, migrate
from foxtray.server.store.sqlite_accounts import (
    SqliteAccounts,
    find_player,
    forget_account,
    insert_player,
    sign_in,
)
from foxtray.server.store.sqlite_coach import SqliteCoach, forget_reviews, forget_trainee
from foxtray.server.store.sqlite_daily import SqliteDaily, note_result
from foxtray.server.store.sqlite_tables import (
    TABLE,
    insert_table,
    note_departures,
    read_given_up,
    read_matches,
    read_met,
    seat_players,
)

if sys.platform != "win32":
    import fcntl

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
CHECKPOINT_WAIT = 20
"""Milliseconds."""
LAST_RESORT = 16_384
"""Pages of the write-ahead log after which a commit copies them itself."""
RETRY = 1.0
BACKUP_STEP = 1_000
"""Pages that a backup copies before it looks whether to go on."""
REPAIR = "restore a backup with: foxtray restore FILE"


def connect(path: Path) -> sqlite3.Connection:
    """A connection for one thread."""
    connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False, timeout=10)
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA synchronous=FULL")
    connection.execute("PRAGMA busy_timeout=10000")
    connection.execute("PRAGMA secure_delete=ON")  # what is deleted is overwritten
    connection.execute(f"PRAGMA wal_autocheckpoint={LAST_RESORT}")
    return connection


SIDECARS = ("-wal", "-shm")


def sidecars(path: Path) -> list[Path]:
    """The files that SQLite keeps beside a database while it is in use."""
    return [path.with_name(path.name + end) for end in SIDECARS]


def identity(path: Path) -> tuple[int, int] | None:
    """What a name leads to now; None if nothing."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


class Guard:
    """Keeps a second server away from a database, for as long as this process lives.

    A lock file keeps away those who use the same name, a lock on the file itself those who use
    another name, such as a hard link.
    """

    def __init__(self, path: Path) -> None:
        self._beside = lock(path)
        self._handle = -1
        if sys.platform != "win32" and path.exists():
            self._handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
            try:
                # Unlike fcntl's, this kind of lock does not touch SQLite's own.
                fcntl.flock(self._handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                self.close()
                raise StoreError(f"another server is using {path} under another name") from None

    def close(self) -> None:
        self._beside.close()
        if self._handle >= 0:
            os.close(self._handle)
            self._handle = -1


def lock_file(path: Path) -> Path:
    return path.with_name(path.name + ".lock")


def lock(path: Path) -> sqlite3.Connection:
    """Keep away those who use the same name."""
    beside = lock_file(path)
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

    def __init__(
        self,
        path: str | Path,
        observe: Callable[[float, int], None] | None = None,
        migrations: Sequence[str] = MIGRATIONS,
    ) -> None:
        self.path = Path(path).resolve()  # one file, one lock, by whatever name
        self._unwritable: str | None = None
        self._unreadable: str | None = None
        self._telling = threading.Lock()
        self._observe = observe or (lambda seconds, jobs: None)
        self._watchers: list[Callable[[str | None], None]] = []
        self._jobs: queue.SimpleQueue[Job | None] = queue.SimpleQueue()
        self._loop = asyncio.get_running_loop()
        self._writer: sqlite3.Connection | None = None
        self._guard: Guard | None = None
        self._scrub = threading.Event()
        """Set when the write-ahead log holds what was deleted, and is to be emptied."""
        self._migrations = migrations
        self.open_files()
        self._files = self.found()
        self.start()
        self.accounts = SqliteAccounts(self._read, self._execute)
        self.daily = SqliteDaily(self._read, self._execute)
        self.coach = SqliteCoach(self._read, self._execute)

    @property
    def failing(self) -> str | None:
        return self._unwritable or self._unreadable

    def _check_files(self) -> None:
        """Complain when what is written here would not be found after a restart."""
        if self.found() != self._files:
            raise OSError(
                f"{self.path} or a file beside it was deleted or replaced while the server was "
                "running; put it back, or restart the server"
            )

    # --- files and threads, which a simulation replaces --------------------------------------

    def open_files(self) -> None:
        """Open a connection for each thread."""
        folder = self.path.parent
        try:
            if folder == data_folder():
                folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise StoreError(f"{folder} cannot be made: {error.strerror}") from None
        # Any other folder is the host's: with a wrong name, all tables would seem to be lost.
        if not folder.is_dir():
            raise StoreError(f"there is no folder {folder}; make it, or choose another --db")
        try:
            if not self.path.exists():
                if any(beside.exists() for beside in sidecars(self.path)):
                    raise StoreError(
                        f"{self.path} is missing, but not what lies beside it: {REPAIR}"
                    )
                self.path.touch(mode=0o600)  # secrets of dice and keys of links are in it
            self._guard = Guard(self.path)
            unclean = self.path.with_name(self.path.name + "-wal").exists()
            self._writer = self.connect()
            if unclean:
                check(self._writer, self.path)
            migrate(self._writer, self._migrations)
            self._try_writing(self._writer)
            self._reader = connect(self.path)
            self._checkpointer = connect(self.path)
            # While it waits for readers to finish, such as a backup, nobody can write.
            self._checkpointer.execute(f"PRAGMA busy_timeout={CHECKPOINT_WAIT}")
        except (sqlite3.Error, OSError, StoreError) as error:
            if self._writer:
                self._writer.close()
            if self._guard:
                self._guard.close()
            if isinstance(error, StoreError):
                raise
            if "malformed" in str(error):  # so much that it cannot even be checked
                raise StoreError(f"{self.path} is damaged ({error}): {REPAIR}") from None
            raise StoreError(f"{self.path} cannot be used: {error}") from None

    def found(self) -> list[tuple[int, int] | None]:
        """The files that a restart would open."""
        return [identity(path) for path in (self.path, *sidecars(self.path))]

    def connect(self) -> sqlite3.Connection:
        return connect(self.path)

    def commit(self, connection: sqlite3.Connection) -> None:
        connection.execute("COMMIT")

    def start(self) -> None:
        """Start the threads."""
        self._reading = ThreadPoolExecutor(1, thread_name_prefix="store-reader")
        self._thread = threading.Thread(target=self._write, name="store-writer", daemon=True)
        self._thread.start()
        self._ended = threading.Event()
        self._copier = threading.Thread(target=self._copy, name="store-copier", daemon=True)
        self._copier.start()

    def submit(self, job: Job) -> None:
        """Hand work to the writer thread."""
        self._jobs.put(job)

    def look_up(self, read: Callable[[], T]) -> asyncio.Future[T]:
        """Hand work to the reader thread."""
        return self._loop.run_in_executor(self._reading, read)

    async def stop(self) -> None:
        """End the threads once all that was submitted is written."""
        self._jobs.put(None)
        await asyncio.to_thread(self._thread.join)
        self._ended.set()
        await asyncio.to_thread(self._copier.join)
        self._reading.shutdown()

    # --- writing and reading -----------------------------------------------------------------

    def watch(self, changed: Callable[[str | None], None]) -> None:
        self._watchers.append(changed)

    async def close(self) -> None:
        await self.stop()
        self._reader.close()
        if self._guard:
            self._guard.close()

    async def _execute(self, work: Work[T]) -> T:
        """Do work in the writer thread; durable when it returns."""
        future: asyncio.Future[T] = self._loop.create_future()
        self.submit((work, future))  # type: ignore[arg-type]
        return await future

    async def _read(self, work: Work[T]) -> T:
        def run() -> T:
            try:
                return work(self._reader)
            except sqlite3.Error as error:
                self._tell(self._unwritable, f"the data cannot be read: {error}")
                raise StorageFailing(f"the data cannot be read: {error}") from error

        return await self.look_up(run)

    def _write(self) -> None:
        running, jobs = True, list[Job]()
        while running:
            busy, jobs = len(jobs) > 1, []
            try:
                job = self._jobs.get(timeout=RETRY)
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
            if jobs or self._unwritable:  # others notice too that nothing can be written
                self.commit_group(jobs)
        if self._writer:
            with suppress(sqlite3.Error):
                self._writer.close()

    def _copy(self) -> None:
        while not self._ended.wait(CHECKPOINT):
            self.look_after()
        self._checkpointer.close()

    def look_after(self) -> None:
        """Copy the write-ahead log into the file beside the writer, so that no commit waits.

        And look whether the files are still there, and can be read again where they could not.
        """
        connection = self._checkpointer
        try:
            self._check_files()
            kind = "TRUNCATE" if self._scrub.is_set() else "PASSIVE"
            busy, *_ = connection.execute(f"PRAGMA wal_checkpoint({kind})").fetchone()
            if kind == "TRUNCATE" and not busy:
                self._scrub.clear()
            if self._unreadable:
                check(connection, self.path)
                self._tell(self._unwritable, None)
        except sqlite3.Error:
            pass  # the writer will notice, and tell
        except StoreError as error:
            self._tell(self._unwritable, str(error))
        except OSError as error:
            self._tell(str(error), self._unreadable)

    def commit_group(self, jobs: list[Job]) -> None:
        started = time.perf_counter()
        try:
            if self._writer is None:
                self._writer = self._recover()
            answers = self._transaction(self._writer, jobs)
            self._check_files()
            self._tell(None, self._unreadable)
        except (sqlite3.Error, OSError) as error:
            with suppress(sqlite3.Error):
                if self._writer:
                    self._writer.close()
            self._writer = None
            self._tell(str(error), self._unreadable)
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
        self._check_files()
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

    def _tell(self, unwritable: str | None, unreadable: str | None) -> None:
        """Note what cannot be done now; the server hears of it when that changes."""
        with self._telling:
            before = self.failing
            self._unwritable, self._unreadable = unwritable, unreadable
            if (before is None) != (self.failing is None):
                with suppress(RuntimeError):
                    for watcher in self._watchers:
                        self._loop.call_soon_threadsafe(watcher, self.failing)

    # --- players -----------------------------------------------------------------------------

    async def add_player(
        self, player: PlayerRow, device: str = "", invitation: bytes | None = None
    ) -> None:
        await self._execute(lambda c: insert_player(c, player, device, invitation))

    async def player_by_token(self, token: bytes) -> PlayerRow | None:
        return await self._read(lambda c: find_player(c, token))

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

    async def use_link(self, code: bytes, now: int, device: NewDevice) -> PlayerRow | None:
        def work(c: sqlite3.Connection) -> PlayerRow | None:
            query = "DELETE FROM links WHERE code=? RETURNING player, expires"
            found = c.execute(query, (code,)).fetchall()
            if not found or found[0][1] < now:
                return None
            return sign_in(c, found[0][0], device)

        return await self._execute(work)

    async def delete_player(self, player: str) -> None:
        # Looked up beside the writer: the logs are long, and others want to move meanwhile.
        mentioned = await self._read(lambda c: tables_mentioning(c, player))

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
                for kept in ("results", "matches"):
                    c.execute(f'DELETE FROM {kept} WHERE "table"=?', (table,))
            c.execute("UPDATE seats SET player=NULL WHERE player=?", (player,))
            # Their guests are forgotten with them, also others' guests at the same tables.
            c.execute(
                "UPDATE results SET guest='' WHERE guest IS NOT NULL AND \"table\" IN "
                '(SELECT "table" FROM results WHERE player=?)',
                (player,),
            )
            c.execute("UPDATE results SET player=NULL WHERE player=?", (player,))
            # Of tables that have expired the results were left; nobody's are of no use.
            c.execute(
                'DELETE FROM results WHERE "table" NOT IN (SELECT id FROM tables) AND '
                '"table" NOT IN (SELECT "table" FROM results WHERE player IS NOT NULL)'
            )
            forget_account(c, player)
            forget_trainee(c, player)
            forget_reviews(c)
            for table in mentioned:
                forget_guests(c, table, player)
                replace_player(c, table, player, nobody_like(player))

        await self._execute(work)
        self._scrub.set()

    # --- tables ------------------------------------------------------------------------------

    async def add_table(
        self,
        table: TableRow,
        seating: Sequence[tuple[int, str | None]],
        root: str | None = None,
    ) -> None:
        await self._execute(lambda c: insert_table(c, NewTable(table, seating, root)))

    async def table(self, table: str) -> TableRow | None:
        def work(c: sqlite3.Connection) -> TableRow | None:
            row = c.execute(f"SELECT {TABLE} FROM tables WHERE id=?", (table,)).fetchone()
            return TableRow(*row) if row else None

        return await self._read(work)

    async def append(self, addition: Addition) -> None:
        await self._execute(Append(addition))

    async def log(self, table: str) -> list[LogRow]:
        query = 'SELECT seq, at, data, command FROM inputs WHERE "table"=? ORDER BY seq'
        return await self._read(lambda c: [LogRow(*row) for row in c.execute(query, (table,))])

    async def delete_table(self, table: str) -> None:
        await self._execute(lambda c: retire_table(c, table))

    async def tables_of(self, player: str, *, over: bool, limit: int = 50) -> list[str]:
        query = (
            'SELECT id FROM seats JOIN tables ON id="table" WHERE player=? '
            f"AND finished IS {'NOT ' if over else ''}NULL ORDER BY created DESC LIMIT ?"
        )
        return await self._read(lambda c: [row[0] for row in c.execute(query, (player, limit))])

    async def tables_with(self, player: str) -> list[str]:
        return await self._read(lambda c: tables_mentioning(c, player))

    async def unfinished(self, player: str) -> int:
        query = (
            'SELECT count(*) FROM tables JOIN seats ON id="table" AND player=host '
            "WHERE host=? AND finished IS NULL"
        )
        return await self._read(lambda c: int(c.execute(query, (player,)).fetchone()[0]))

    async def unattended(self, host: str) -> list[bytes]:
        query = (
            "SELECT setup FROM tables WHERE host=? AND finished IS NULL AND "
            'NOT EXISTS (SELECT 1 FROM seats WHERE "table"=id AND player IS NOT NULL)'
        )
        return await self._read(lambda c: [setup for (setup,) in c.execute(query, (host,))])

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

    async def given_up(self, player: str, limit: int) -> list[GivenUpRow]:
        return await self._read(lambda c: read_given_up(c, player, limit))

    async def matches(self, tables: Sequence[str]) -> dict[str, list[MatchRow]]:
        return await self._read(lambda c: read_matches(c, tables))

    async def met(self, player: str) -> set[str]:
        return await self._read(lambda c: read_met(c, player))

    async def solo_counts(self, player: str) -> dict[str, SoloCount]:
        query = (
            "SELECT game, sum(seats.player IS NULL OR finished IS NOT NULL), "
            "sum(seats.player IS NOT NULL AND finished IS NULL) FROM solo_starts AS start "
            'LEFT JOIN seats ON seats."table"=start."table" AND seats.player=start.player '
            'LEFT JOIN tables ON id=start."table" WHERE start.player=? AND NOT EXISTS (SELECT 1 '
            'FROM results WHERE results."table"=start."table" AND results.player=start.player) '
            "GROUP BY game"
        )

        def work(c: sqlite3.Connection) -> dict[str, SoloCount]:
            return {game: SoloCount(*counts) for game, *counts in c.execute(query, (player,))}

        return await self._read(work)

    async def best(self, player: str) -> dict[str, int]:
        query = (
            "SELECT game, max(total) FROM results "
            "WHERE player=? AND NOT practice AND NOT apart AND NOT hints GROUP BY game"
        )
        return await self._read(lambda c: dict(c.execute(query, (player,)).fetchall()))

    async def results(self, table: str) -> list[ResultRow]:
        return await self._read(lambda c: read_results(c, '"table"=?', (table,)))

    async def finished(self) -> AsyncIterator[str]:
        query = "SELECT id FROM tables WHERE finished IS NOT NULL ORDER BY finished, id"
        for (table,) in await self._read(lambda c: c.execute(query).fetchall()):
            yield table

    async def mark(self, name: str) -> int | None:
        def work(c: sqlite3.Connection) -> int | None:
            row = c.execute("SELECT value FROM marks WHERE name=?", (name,)).fetchone()
            return int(row[0]) if row else None

        return await self._read(work)

    async def set_mark(self, name: str, value: int) -> None:
        query = "INSERT OR REPLACE INTO marks VALUES (?,?)"
        await self._execute(lambda c: c.execute(query, (name, value)))

    async def expire(
        self, *, finished_before: int, idle_before: int, limit: int | None = None
    ) -> list[str]:
        old = (
            "(finished<:finished OR (finished IS NULL AND created<:idle AND "
            'NOT EXISTS (SELECT 1 FROM inputs WHERE "table"=id AND at>=:idle)))'
        )
        edge = {"finished": finished_before, "idle": idle_before, "limit": limit or -1}
        # Looked up beside the writer, which asks again: somebody may have come back meanwhile.
        query = f"SELECT id FROM tables WHERE {old} LIMIT :limit"
        found = await self._read(lambda c: [name for (name,) in c.execute(query, edge)])

        def work(c: sqlite3.Connection) -> list[str]:
            again = f"SELECT 1 FROM tables WHERE id=:table AND {old}"
            gone = [t for t in found if c.execute(again, {**edge, "table": t}).fetchone()]
            for table in gone:
                retire_table(c, table)
            return gone

        return await self._execute(work) if found else []

    async def expired_secret(self, table: str) -> bytes | None:
        def work(c: sqlite3.Connection) -> bytes | None:
            row = c.execute('SELECT secret FROM expired WHERE "table"=?', (table,)).fetchone()
            return bytes(row[0]) if row else None

        return await self._read(work)


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


@dataclass(frozen=True, slots=True, eq=False)
class Append:
    """The work of adding to a log."""

    addition: Addition

    @property
    def plain(self) -> bool:
        """Whether there is nothing but rows of the log."""
        more = self.addition
        others = (more.seating, more.results, more.opened, more.solo_start, more.departures)
        return not any(others)

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
        c.execute(f"INSERT INTO inputs VALUES {values}", list(chain.from_iterable(chunk)))


def append(c: sqlite3.Connection, addition: Addition) -> None:
    c.executemany(
        "INSERT INTO inputs VALUES (?,?,?,?,?)",
        [(addition.table, row.seq, row.at, row.data, row.command) for row in addition.rows],
    )
    if addition.seating:
        seat_players(c, addition.table, addition.seating)
    if addition.solo_start:
        start = (addition.table, addition.solo_start.player, addition.solo_start.game)
        c.execute("INSERT INTO solo_starts VALUES (?,?,?)", start)
    if addition.departures:
        note_departures(c, addition.table, addition.departures)
    if addition.opened:
        insert_table(c, addition.opened)
    if addition.results:
        c.executemany(
            "INSERT INTO results VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
            [
                (
                    r.table, r.seat, r.player, r.bot, r.game, r.seats, r.finished, r.total,
                    json.dumps(r.areas), r.foxes, r.fox_value, r.won, r.practice, r.apart, r.guest,
                    r.hints,
                )
                for r in addition.results
            ],
        )  # fmt: skip
        note_result(c, addition.results)
        done = (addition.results[0].finished, addition.table)
        c.execute("UPDATE tables SET finished=? WHERE id=?", done)


def read_results(
    c: sqlite3.Connection, which: str, values: tuple[str | int, ...]
) -> list[ResultRow]:
    """The results that a condition names, seat by seat."""
    query = (
        'SELECT "table", seat, player, bot, game, seats, finished, total, areas, foxes, fox_value,'
        " won, practice, ifnull(name, ''), \"table\" IN (SELECT id FROM tables), apart, guest,"
        ' ifnull((SELECT day FROM daily_attempts AS a WHERE a."table"=results."table"), \'\'),'
        " hints FROM results"
        f" LEFT JOIN players ON players.id=player WHERE {which} ORDER BY seat"
    )
    found: list[ResultRow] = []
    for row in c.execute(query, values):
        *before, areas, foxes, fox_value, won, practice, name, kept, apart, guest, day, hints = row
        fields = (
            *before,
            tuple(json.loads(areas)),
            foxes,
            fox_value,
            bool(won),
            bool(practice),
            name,
            bool(kept),
            bool(apart),
            guest,
            day,
            hints,
        )
        found.append(ResultRow(*fields))
    return found


def tables_mentioning(c: sqlite3.Connection, player: str) -> list[str]:
    """The tables whose log or setup holds the id of a player."""
    query = (
        'SELECT "table" FROM inputs WHERE instr(data, ?1) OR instr(command, ?2) UNION '
        "SELECT id FROM tables WHERE host=?2 OR instr(setup, ?1)"
    )
    return [table for (table,) in c.execute(query, (player.encode(), player))]


def nobody_like(player: str) -> str:
    """An id of the same length that belongs to nobody, for what others keep of a deleted player."""
    return secrets.token_urlsafe(len(player))[: len(player)]


def forget_guests(c: sqlite3.Connection, table: str, player: str) -> None:
    """Take the names of a player's guests out of a table's log and setup."""
    find = 'SELECT seq, data FROM inputs WHERE "table"=? AND instr(data, ?)'
    for seq, data in c.execute(find, (table, b'"guest"')).fetchall():
        entry = json.loads(data)
        if entry.get("player") == player:
            changed = json.dumps({**entry, "guest": ""}).encode()
            where = (changed, table, seq)
            c.execute('UPDATE inputs SET data=? WHERE "table"=? AND seq=?', where)
    find = "SELECT setup FROM tables WHERE id=? AND instr(setup, ?)"
    for (data,) in c.execute(find, (table, b'"guest"')).fetchall():
        setup = json.loads(data)
        for seat in setup["seats"]:
            if "guest" in seat and seat.get("player") == player:
                seat["guest"] = ""
        c.execute("UPDATE tables SET setup=? WHERE id=?", (json.dumps(setup).encode(), table))


def replace_player(c: sqlite3.Connection, table: str, player: str, other: str) -> None:
    """Write another id wherever a table names a player."""
    change = {"table": table, "old": player, "new": other}
    text = "CAST(replace(CAST({0} AS TEXT), :old, :new) AS BLOB)"
    c.execute(
        f"UPDATE inputs SET data={text.format('data')}, command=replace(command, :old, :new) "
        'WHERE "table"=:table',
        change,
    )
    c.execute(
        f"UPDATE tables SET setup={text.format('setup')}, host=replace(host, :old, :new) "
        "WHERE id=:table",
        change,
    )


def retire_table(c: sqlite3.Connection, table: str) -> None:
    """Delete a table but keep the secret of its dice if the game was not finished.

    The dice of a day are others' as well: their secret is told when the day is closed.
    """
    c.execute(
        "INSERT INTO expired SELECT id, secret FROM tables WHERE id=? AND finished IS NULL "
        'AND id NOT IN (SELECT "table" FROM daily_attempts)',
        (table,),
    )
    delete_table(c, table)


def delete_table(c: sqlite3.Connection, table: str) -> None:
    own = '"table"'
    for name, column in (("inputs", own), ("seats", own), ("reviews", own), ("tables", "id")):
        c.execute(f"DELETE FROM {name} WHERE {column}=?", (table,))


def check(connection: sqlite3.Connection, path: Path) -> None:
    """Complain about a damaged file: after an unclean stop, and before a copy is trusted."""
    try:
        (verdict,) = connection.execute("PRAGMA quick_check(1)").fetchone()
    except sqlite3.DatabaseError as error:
        verdict = str(error)
    if verdict != "ok":
        raise StoreError(f"{path} is damaged ({verdict}): {REPAIR}")


def restore(source: Path, target: Path) -> Path | None:
    """Put a backup in the place of a store; returns where the former one is kept, if there was one.

    What SQLite kept beside the former file must not be read into the new one: it goes first.
    """
    if not source.is_file():
        raise StoreError(f"there is no backup at {source}")
    draft = target.with_name(f"{target.name}.restoring")
    guard = Guard(target)
    try:
        draft.unlink(missing_ok=True)
        backup(source, draft)
        check_version(draft)
        kept = keep_aside(target) if target.exists() else None
        for beside in sidecars(target):
            beside.unlink(missing_ok=True)
        hand_over(target, draft, lock_file(target))
        os.replace(draft, target)
        sync_folder(target.parent)
    except OSError as error:
        raise StoreError(f"{target} could not be restored: {error}") from None
    finally:
        draft.unlink(missing_ok=True)
        guard.close()
    return kept


def check_version(path: Path) -> None:
    """Complain about a file that this version cannot open, without changing it."""
    connection = sqlite3.connect(path)
    try:
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        (tables,) = connection.execute(
            "SELECT count(*) FROM sqlite_master WHERE name IN ('players', 'tables', 'seats')"
        ).fetchone()
    finally:
        connection.close()
    if version > len(MIGRATIONS):
        raise StoreError("the backup is from a newer foxtray; update this one")
    if tables < 3:
        raise StoreError("this is not a backup of a foxtray server")


def keep_aside(path: Path) -> Path:
    """Keep a store under another name, with what lies beside it."""
    stamp = time.strftime("%Y%m%d-%H%M%S")
    kept = path.with_name(f"{path.stem}.before-restore-{stamp}{path.suffix}")
    shutil.copy2(path, kept)
    for beside, copy in zip(sidecars(path), sidecars(kept), strict=True):
        if beside.exists():
            shutil.copy2(beside, copy)
    return kept


def hand_over(target: Path, *files: Path) -> None:
    """Let files belong to the owner of a store, or of its folder: root may have made them."""
    if sys.platform != "win32" and os.geteuid() == 0:
        owner = (target if target.exists() else target.parent).stat()
        for file in files:
            os.chown(file, owner.st_uid, owner.st_gid)


def sync_folder(folder: Path) -> None:
    """Make sure that a file put into a folder is there after a power cut."""
    if sys.platform != "win32":
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def backup(source: Path, target: Path, stop: threading.Event | None = None) -> None:
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
        copy_whole(source, draft, stop or threading.Event())
        os.replace(draft, target)
        sync_folder(target.parent)
    except (sqlite3.Error, OSError) as error:
        raise StoreError(f"{source} could not be copied to {target}: {error}") from None
    finally:
        draft.unlink(missing_ok=True)


def copy_whole(source: Path, draft: Path, stop: threading.Event) -> None:
    """Copy a store into an empty file, check the copy, and make sure that it is on disk."""

    def go_on(*_: object) -> None:
        if stop.is_set():
            raise StoreError("the copy was stopped before it was complete")

    origin, copy = sqlite3.connect(source, timeout=10, isolation_level=None), sqlite3.connect(draft)
    try:
        # All steps read the same state: otherwise a write between two would start them again.
        origin.execute("BEGIN")
        origin.execute("SELECT 1 FROM sqlite_master").fetchone()
        origin.backup(copy, pages=BACKUP_STEP, progress=go_on)
        origin.execute("COMMIT")
        copy.execute("PRAGMA journal_mode=DELETE")
        copy.set_progress_handler(stop.is_set, 100_000)
        (verdict,) = copy.execute("PRAGMA integrity_check").fetchone()
    finally:
        origin.close()
        copy.close()
    if verdict != "ok":
        raise StoreError(f"the copy is damaged: {verdict}")
    with draft.open("rb") as file:
        os.fsync(file.fileno())
