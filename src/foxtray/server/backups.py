"""Copies of the data that a running server makes by itself."""

from __future__ import annotations

import asyncio
import re
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

import structlog

from foxtray.server.background import Background
from foxtray.server.metrics import Metrics
from foxtray.server.settings import Settings
from foxtray.server.store import StoreError
from foxtray.server.store.sqlite import backup

log = structlog.get_logger()

STAMP = "%Y%m%dT%H%M%SZ"
RETRY = 300.0
"""Seconds after which a backup that failed is tried again, if the next is not due before."""


class BackupFolder:
    """The backups of one database: files that are named after it and the time, in UTC."""

    def __init__(self, folder: Path, db: Path) -> None:
        self.folder = folder
        self.db = db
        stamped = rf"{re.escape(db.stem)}-(\d{{8}}T\d{{6}}Z)\.db"
        self._backup = re.compile(stamped)
        # As `backup` names its drafts, and SQLite what it keeps beside them.
        self._draft = re.compile(stamped + r"\.[a-z0-9_]{8}(-journal|-wal|-shm)?")

    def backups(self, now: datetime) -> dict[Path, datetime]:
        """All backups with their times, the newest first.

        Those from the future were made by a wrong clock: they count as the oldest.
        """
        found: dict[Path, datetime] = {}
        for path in self._matching(self._backup):
            stamp = path.stem.removeprefix(f"{self.db.stem}-")
            with suppress(ValueError):  # such as the 40th of May: not ours
                found[path] = datetime.strptime(stamp, STAMP).replace(tzinfo=UTC)
        by_age = sorted(found.items(), key=lambda item: (item[1] <= now, item[1]), reverse=True)
        return dict(by_age)

    def newest(self, now: datetime) -> datetime | None:
        """When the newest backup was made."""
        return next((at for at in self.backups(now).values() if at <= now), None)

    def make(self, at: datetime, stop: threading.Event) -> Path:
        """Make a backup, and delete what earlier attempts that were killed left behind."""
        if not self.folder.is_dir():
            raise StoreError(f"there is no folder {self.folder}: make it, or mount its disk")
        for draft in self._matching(self._draft):
            draft.unlink(missing_ok=True)
        path = self.folder / f"{self.db.stem}-{at.strftime(STAMP)}.db"
        backup(self.db, path, stop)
        return path

    def prune(self, now: datetime, keep: int) -> list[Path]:
        """Delete all but the newest backups; returns the deleted ones."""
        old = list(self.backups(now))[keep:]
        for path in old:
            path.unlink(missing_ok=True)
        return old

    def _matching(self, pattern: re.Pattern[str]) -> list[Path]:
        return [path for path in self.folder.iterdir() if pattern.fullmatch(path.name)]


def utc_now() -> datetime:
    return datetime.now(UTC).replace(microsecond=0)


class Backups:
    """Makes a backup whenever one is due. A failure is logged and retried; play goes on."""

    def __init__(
        self, settings: Settings, metrics: Metrics, now: Callable[[], datetime] = utc_now
    ) -> None:
        self.tasks = Background()
        self._metrics = metrics
        self._now = now
        self._every = settings.backup_every * 3600
        self._keep = settings.backup_keep
        self._folder: BackupFolder | None = None
        self._stop = threading.Event()
        if settings.backup_dir and isinstance(settings.db, Path):
            self._folder = BackupFolder(settings.backup_dir, settings.db)
            metrics.backup_interval.set(self._every)

    def start(self) -> None:
        if self._folder:
            self.tasks.start("backups", self._run(self._folder))

    async def close(self) -> None:
        self._stop.set()
        await self.tasks.close()

    async def _run(self, folder: BackupFolder) -> None:
        await asyncio.sleep(self._until_due(folder))
        while True:
            pause = self._every if await self._back_up(folder) else min(self._every, RETRY)
            await asyncio.sleep(pause)

    def _until_due(self, folder: BackupFolder) -> float:
        """Seconds until the first backup of this run."""
        now = self._now()
        try:
            newest = folder.newest(now)
        except OSError:
            return 0.0  # the attempt will fail and log why
        if newest is None:
            return 0.0
        self._metrics.backup_time.set(newest.timestamp())
        return max(0.0, self._every - (now - newest).total_seconds())

    async def _back_up(self, folder: BackupFolder) -> bool:
        """Make one backup in a thread; returns whether there is one now."""
        making = asyncio.ensure_future(asyncio.to_thread(self._make, folder))
        try:
            return await asyncio.shield(making)
        except asyncio.CancelledError:
            await making  # it was told to stop, and must not outlive the store
            raise

    def _make(self, folder: BackupFolder) -> bool:
        at, started = self._now(), time.monotonic()
        try:
            path = folder.make(at, self._stop)
        except (OSError, StoreError) as error:
            if not self._stop.is_set():
                self._metrics.backup_failures.inc()
                log.warning("backup_failed", cause=str(error))
            return False
        self._metrics.backup_time.set(at.timestamp())
        log.info("backup_made", file=str(path), seconds=round(time.monotonic() - started, 3))
        try:
            for old in folder.prune(at, self._keep):
                log.info("backup_deleted", file=str(old))
        except OSError as error:
            log.warning("backup_not_deleted", cause=str(error))
        return True
