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
import os
import shutil
import sqlite3
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import TypeVar

from foxtray.folders import data_folder
from foxtray.server.store import (
    Addition,
    Claim,
    Conflict,
    News,
    StorageFailing,
    StoreError,
)
from foxtray.server.store.gathering import Inbox
from foxtray.server.store.migrations import MIGRATIONS, migrate
from foxtray.server.store.sql import SqlStore, append

if sys.platform != "win32":
    import fcntl

T = TypeVar("T")
Work = Callable[[sqlite3.Connection], T]
Job = tuple[Work[object], "asyncio.Future[object]"]
Answer = tuple["asyncio.Future[object]", object, Exception | None]

CHUNK = 128
CHECKPOINT = 1.0
CHECKPOINT_WAIT = 20
"""Milliseconds."""
LAST_RESORT = 16_384
"""Pages of the write-ahead log after which a commit copies them itself."""
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


def identity(path: str) -> tuple[int, int] | None:
    """What a name leads to now; None if nothing."""
    try:
        found = os.stat(path)
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


class SqliteStore(SqlStore):
    """See foxtray.server.store.Store."""

    def __init__(
        self,
        path: str | Path,
        observe: Callable[[float, int], None] | None = None,
        migrations: Sequence[str] = MIGRATIONS,
    ) -> None:
        self.path = Path(path).resolve()  # one file, one lock, by whatever name
        self._names = [str(path) for path in (self.path, *sidecars(self.path))]
        self._unwritable: str | None = None
        self._unreadable: str | None = None
        self._telling = threading.Lock()
        self._observe = observe or (lambda seconds, jobs: None)
        self._watchers: list[Callable[[str | None], None]] = []
        self._jobs: Inbox[Job] = Inbox(table_of)
        self._loop = asyncio.get_running_loop()
        self._writer: sqlite3.Connection | None = None
        self._guard: Guard | None = None
        self._scrub = threading.Event()
        """Set when the write-ahead log holds what was deleted, and is to be emptied."""
        self._migrations = migrations
        self.open_files()
        self._files = self.found()
        self.start()
        super().__init__()

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

    def vouch(self) -> None:
        """A file that is gone can hold moves that were refused, and that nobody else will find."""
        try:
            self._check_files()
        except OSError as error:
            raise StorageFailing(f"nothing can be read: {error}") from error

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
        return [identity(name) for name in self._names]

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
        self._jobs.close()
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

    async def _execute(
        self, work: Work[T], news: Callable[[T], Sequence[News]] | None = None, /
    ) -> T:
        """Do work in the writer thread; durable when it returns. Nobody else has to know."""
        future: asyncio.Future[T] = self._loop.create_future()
        self.submit((work, future))  # type: ignore[arg-type]
        return await future

    async def _read(self, work: Work[T], /) -> T:
        def run() -> T:
            try:
                return work(self._reader)
            except sqlite3.Error as error:
                self._tell(self._unwritable, f"the data cannot be read: {error}")
                raise StorageFailing(f"the data cannot be read: {error}") from error

        return await self.look_up(run)

    def _write(self) -> None:
        for jobs in self._jobs.groups():
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

    # --- tables ------------------------------------------------------------------------------

    async def append(self, addition: Addition) -> None:
        await self._execute(Append(addition))

    async def delete_player(self, player: str) -> None:
        await super().delete_player(player)
        self._scrub.set()

    # A file has one server: it owns every table, and there is nobody to tell anything.

    def hear(self, heard: Callable[[News], None], revalidate: Callable[[], None]) -> None: ...

    async def claim(self, table: str) -> Claim | None:
        row = await self.table(table)
        return Claim(row) if row else None

    async def lost(self, claims: Mapping[str, int]) -> list[str]:
        return []


# --- statements -----------------------------------------------------------------------------------


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


def table_of(job: Job) -> str | None:
    """The table whose log a job adds to, if it does."""
    return job[0].addition.table if isinstance(job[0], Append) else None


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
