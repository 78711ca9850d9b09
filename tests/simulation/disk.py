"""A disk that fails but never lies: what was committed stays, what was not is lost in a crash.

The server's own store runs on it. Its statements, group commit and recovery are the real ones;
only files and threads are replaced: a file is a database in memory that outlives the process, and
the work of a thread happens at some moment of virtual time.
"""

from __future__ import annotations

import asyncio
import random
import sqlite3
from collections import Counter
from collections.abc import Callable, Mapping
from typing import TypeVar, cast

from foxtray.server.store import Claim, LogRow, News, StoreError, Superseded, TableRow
from foxtray.server.store.gathering import GROUP, RETRY
from foxtray.server.store.migrations import migrate
from foxtray.server.store.sqlite import CHECKPOINT, Append, Job, SqliteStore
from simulation.loop import settle

T = TypeVar("T")

QUICK = 0.004
SLOW = 3.0
"""Seconds that a commit takes at most, on a good day and on a bad one."""


class File(sqlite3.Connection):
    """A database file; closing a connection to it loses only what was not committed."""

    number = 0

    def close(self) -> None:
        if self.in_transaction:
            self.rollback()

    def log(self, table: str) -> list[LogRow]:
        """The log of a table, as a restart would find it."""
        query = 'SELECT seq, at, data, command FROM inputs WHERE "table"=? ORDER BY seq'
        return [LogRow(*row) for row in self.execute(query, (table,))]

    def length(self, table: str) -> int:
        """The last number in the log of a table."""
        query = 'SELECT max(seq) FROM inputs WHERE "table"=?'
        return self.execute(query, (table,)).fetchone()[0] or 0

    def found(self, table: str, command: str) -> int | None:
        """The number of a command's row."""
        query = 'SELECT seq FROM inputs WHERE "table"=? AND command=?'
        row = self.execute(query, (table, command)).fetchone()
        return row[0] if row else None

    def tables(self) -> list[TableRow]:
        query = "SELECT id, rules, setup, secret, host, invite, watch, created FROM tables"
        return [TableRow(*row) for row in self.execute(query)]

    def results(self, table: str) -> int:
        """How many results a table has."""
        query = 'SELECT count(*) FROM results WHERE "table"=?'
        return int(self.execute(query, (table,)).fetchone()[0])


def new_file(content: bytes) -> File:
    file = sqlite3.connect(":memory:", isolation_level=None, factory=File)
    file.deserialize(content)
    return file


def blank() -> bytes:
    """An empty database of today's version."""
    connection = sqlite3.connect(":memory:", isolation_level=None)
    migrate(connection)
    content = connection.serialize()
    connection.close()
    return content


class Disk:
    """The file that the server's path leads to, and what is wrong with the disk at the moment."""

    def __init__(self, file: File, rng: random.Random) -> None:
        self.rng = rng
        self.file = file
        """What a restart would open."""
        self.missing = False
        """Whether the file was moved away."""
        self.failing = 0.0
        """How many commits fail."""
        self.epochs: Counter[str] = Counter()
        """How often each table was claimed, as if many servers used this disk."""
        self.unreadable = False
        self.slow = False

    def heal(self) -> None:
        self.failing, self.unreadable, self.slow, self.missing = 0.0, False, False, False

    def replace(self) -> None:
        """Put a copy of the file in its place, as a careless tool does."""
        number = self.file.number
        self.file = new_file(self.file.serialize())
        self.file.number = number + 1

    def delay(self) -> float:
        """How long the disk works on something."""
        most = SLOW if self.slow and self.rng.random() < 0.3 else QUICK
        return self.rng.random() * most


class Reader:
    """A connection that reads, if the disk lets it."""

    def __init__(self, disk: Disk, file: File) -> None:
        self.disk = disk
        self.file = file

    def execute(self, *query: object) -> sqlite3.Cursor:
        if self.disk.unreadable:
            raise sqlite3.OperationalError("disk I/O error while reading")
        return self.file.execute(*query)  # type: ignore[arg-type]

    def close(self) -> None:
        pass


class SimulatedStore(SqliteStore):
    """The server's store on a simulated disk."""

    def __init__(self, disk: Disk) -> None:
        self.disk = disk
        self.file = disk.file
        """What this process has open, wherever the path leads now."""
        self._waiting: list[Job] = []
        self._writing = False
        self._read_by = 0.0
        """When the reader will be done with what it has to do."""
        super().__init__("simulated.db")

    # --- files --------------------------------------------------------------------------------

    def open_files(self) -> None:
        if self.disk.missing:
            raise StoreError("the file is missing, but not what lies beside it")
        try:
            self._writer = self.connect()
            self._try_writing(self._writer)
        except sqlite3.Error as error:
            self.file.close()
            raise StoreError(f"the file cannot be used: {error}") from None
        reader = cast(sqlite3.Connection, Reader(self.disk, self.file))
        self._reader = self._checkpointer = reader

    def found(self) -> list[tuple[int, int] | None]:
        return [None if self.disk.missing else (0, self.disk.file.number)]

    def connect(self) -> sqlite3.Connection:
        if self.disk.missing:
            raise sqlite3.OperationalError("unable to open database file")
        return self.file

    def commit(self, connection: sqlite3.Connection) -> None:
        """Nobody can know whether a commit that fails has written its data."""
        fails = self.disk.rng.random() < self.disk.failing
        if not fails or self.disk.rng.random() < 0.5:
            super().commit(connection)
        if fails:
            raise sqlite3.OperationalError("disk I/O error")

    # --- threads ------------------------------------------------------------------------------

    def start(self) -> None:
        self._loop.call_later(CHECKPOINT, self._keep_looking)
        self._loop.call_later(RETRY, self._keep_trying)

    def _keep_looking(self) -> None:
        self.look_after()
        self._loop.call_later(CHECKPOINT, self._keep_looking)

    def _keep_trying(self) -> None:
        if self._unwritable and not self._writing:
            self._write_group()
        self._loop.call_later(RETRY, self._keep_trying)

    def submit(self, job: Job) -> None:
        self._waiting.append(job)
        if not self._writing:
            self._write_soon()

    def _write_soon(self) -> None:
        self._writing = True
        self._loop.call_later(self.disk.delay(), self._write_group)

    def _write_group(self) -> None:
        self._writing = False
        group, self._waiting = self._waiting[:GROUP], self._waiting[GROUP:]
        self.commit_group([job for job in group if not self._is_late(job)])
        if self._waiting:
            self._write_soon()

    # --- other servers ------------------------------------------------------------------------

    async def claim(self, table: str) -> Claim | None:
        row = await self.table(table)
        if row is None:
            return None
        self.disk.epochs[table] += 1
        return Claim(row, self.disk.epochs[table])

    def _is_late(self, job: Job) -> bool:
        """Whether a job adds to a table that another server has claimed; then it is refused."""
        work, future = job
        if not isinstance(work, Append) or work.addition.opened:
            return False
        late = self.disk.epochs[work.addition.table] != work.addition.epoch
        if late:
            settle(future, None, Superseded("another server has claimed the table"))
        return late

    async def lost(self, claims: Mapping[str, int]) -> list[str]:
        await asyncio.sleep(self.disk.delay())
        return [table for table, epoch in claims.items() if self.disk.epochs[table] != epoch]

    def hear(self, heard: Callable[[News], None], revalidate: Callable[[], None]) -> None:
        self.heard, self.revalidate = heard, revalidate

    def look_up(self, read: Callable[[], T]) -> asyncio.Future[T]:
        """One thread reads, so that reads do not overtake each other."""
        future: asyncio.Future[T] = self._loop.create_future()
        self._read_by = max(self._read_by, self._loop.time() + self.disk.delay() / 4)
        self._loop.call_at(self._read_by, self._look, read, future)
        return future

    def _look(self, read: Callable[[], T], future: asyncio.Future[T]) -> None:
        try:
            found = read()
        except Exception as error:
            self._loop.call_soon_threadsafe(settle, future, None, error)
        else:
            self._loop.call_soon_threadsafe(settle, future, found, None)

    async def stop(self) -> None:
        while self._writing or self._waiting:
            await asyncio.sleep(QUICK)
