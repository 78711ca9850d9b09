"""The copies that a running server makes: on time, whole, and not more than wanted."""

import asyncio
import json
import sqlite3
import threading
import time
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from foxtray.server.backups import Backups
from foxtray.server.metrics import Metrics
from foxtray.server.settings import BadSetting, Settings, from_environment
from foxtray.server.store import Addition, LogRow, PlayerRow, StoreError
from foxtray.server.store.sqlite import SqliteStore, backup, restore
from server.harness import LATE, Server, until
from server.test_tables import solo

SECOND = 1 / 3600
NOW = datetime(2026, 3, 1, 12, 0, 0, tzinfo=UTC)
LAST = "foxtray_backup_last_success_timestamp_seconds"
FAILURES = "foxtray_backup_failures_total"


def named(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def whole(folder: Path) -> list[Path]:
    """The backups in a folder, without those that are still being made."""
    return sorted(folder.glob("*Z.db"))


def verdict(path: Path) -> str:
    connection = sqlite3.connect(path)
    try:
        return str(connection.execute("PRAGMA integrity_check").fetchone()[0])
    finally:
        connection.close()


def events(server: Server, name: str) -> list[dict[str, str]]:
    lines = [line for line in server.log.read_text().splitlines() if line.startswith("{")]
    return [found for found in map(json.loads, lines) if found["event"] == name]


def every_two_seconds(folder: Path) -> tuple[str, ...]:
    return (
        *("--no-limits", "--workers", "1", "--bot-pause", "0"),
        *("--backup-dir", str(folder), "--backup-every", str(2 * SECOND), "--backup-keep", "2"),
    )


def test_a_server_that_is_played_at_keeps_its_newest_copies(tmp_path: Path) -> None:
    folder = tmp_path / "backups"
    folder.mkdir()

    with Server(tmp_path / "store.db", *every_two_seconds(folder)) as server:
        made, token = solo(server)
        begun, slowest, number = time.time(), 0.0, 0
        while len(events(server, "backup_made")) < 3:
            number += 1
            started = time.perf_counter()
            assert server.http("PUT", "/api/me", {"name": f"Ana {number}"}, token)[0] == 200
            slowest = max(slowest, time.perf_counter() - started)
            assert len(whole(folder)) <= 3, "two, and one that was just made"
            assert time.time() < begun + LATE
        assert slowest < 5
        until(lambda: len(whole(folder)) == 2)
        assert begun - 5 < server.figure(LAST) <= time.time()
        assert server.figure(FAILURES) == 0
        assert server.figure("foxtray_backup_interval_seconds") == 2
        assert server.http("GET", "/healthz")[0] == 200
    kept = whole(folder)
    assert len(kept) == 2
    assert named(folder) == [path.name for path in kept], "nothing half made is left"
    assert [verdict(path) for path in kept] == ["ok", "ok"]
    assert all(path.stat().st_mode & 0o077 == 0 for path in kept)
    times = [event["file"] for event in events(server, "backup_made")]
    assert times == sorted(times)
    # What is in a copy comes back.
    restore(kept[-1], tmp_path / "store.db")
    with Server(tmp_path / "store.db") as server:
        status, view = server.http("GET", f"/api/tables/{made['id']}", token=token)
        assert (status, view["you"]["seat"]) == (200, 0)


def test_a_failure_is_told_and_play_goes_on(tmp_path: Path) -> None:
    folder = tmp_path / "not-mounted"
    with Server(tmp_path / "store.db", *every_two_seconds(folder)) as server:
        until(lambda: server.figure(FAILURES) >= 1)
        assert server.http("GET", "/healthz")[0] == 200
        assert server.figure(LAST) == 0
        assert solo(server)
        cause = events(server, "backup_failed")[0]["cause"]
        assert cause == f"there is no folder {folder}: make it, or mount its disk"
        folder.mkdir()
        until(lambda: whole(folder))
        until(lambda: server.figure(LAST) > 0)
        # A disk that takes no more, as a folder that nobody can write into even as root.
        for path in folder.iterdir():
            path.unlink()
        folder.rmdir()
        folder.touch()
        failed = server.figure(FAILURES)
        until(lambda: server.figure(FAILURES) > failed)
        assert server.http("GET", "/healthz")[0] == 200
    assert "Traceback" not in server.log.read_text()


def test_nothing_is_copied_without_a_folder(server: Server) -> None:
    assert server.figure("foxtray_backup_interval_seconds") == 0
    assert not events(server, "backup_made")


# --- one at a time -------------------------------------------------------------------------------


def stamped(at: datetime) -> str:
    return f"store-{at:%Y%m%dT%H%M%SZ}.db"


def run_once(
    folder: Path, before: Iterable[datetime], keep: int = 3, now: datetime = NOW
) -> Metrics:
    """A server that starts at a time, with backups from others, and runs for a moment."""
    folder.mkdir(exist_ok=True)
    for at in before:
        (folder / stamped(at)).touch()
    db = folder.parent / "store.db"
    metrics = Metrics()

    async def main() -> None:
        store = SqliteStore(db)
        settings = Settings(db=db, backup_dir=folder, backup_every=24, backup_keep=keep)
        backups = Backups(settings, metrics, lambda: now)
        backups.start()
        deadline = time.monotonic() + 1.0
        while stamped(now) not in named(folder) and time.monotonic() < deadline:
            await asyncio.sleep(0.01)
        await asyncio.sleep(0.1)
        assert not backups.tasks.dead
        await backups.close()
        await store.close()

    asyncio.run(main())
    return metrics


def age(hours: float) -> datetime:
    return NOW - timedelta(hours=hours)


def last(metrics: Metrics) -> float | None:
    return metrics.registry.get_sample_value(LAST)


def test_a_restart_does_not_make_a_backup_before_it_is_due(tmp_path: Path) -> None:
    metrics = run_once(tmp_path / "b", [age(1), age(25)])
    assert named(tmp_path / "b") == [stamped(age(25)), stamped(age(1))]
    assert last(metrics) == age(1).timestamp()


def test_a_restart_makes_up_for_a_backup_that_is_overdue(tmp_path: Path) -> None:
    metrics = run_once(tmp_path / "b", [age(25), age(49), age(73)])
    assert named(tmp_path / "b") == [stamped(age(49)), stamped(age(25)), stamped(NOW)]
    assert last(metrics) == NOW.timestamp()


def test_backups_from_the_future_are_the_first_to_go(tmp_path: Path) -> None:
    """A clock that leapt must not let the old push out the new."""
    run_once(tmp_path / "b", [age(-9000), age(-9024), age(-9048), age(30)], keep=2)
    assert named(tmp_path / "b") == [stamped(age(30)), stamped(NOW)]


def test_only_its_own_files_are_deleted(tmp_path: Path) -> None:
    folder = tmp_path / "b"
    folder.mkdir()
    strange = [
        "store.db",
        "store-monday.db",
        "other-20200101T000000Z.db",
        "store-20200101T000000Z.db.gz",
        "notes.txt",
        "store-20201340T000000Z.db",
    ]
    for name in strange:
        (folder / name).touch()
    for end in ("", "-journal"):  # of a server that was killed while it copied
        (folder / f"{stamped(age(50))}.k2j3h4_x{end}").touch()
    run_once(folder, [age(25), age(49)], keep=1)
    assert named(folder) == sorted([*strange, stamped(NOW)])


class Later(threading.Event):
    """Is set after a number of looks."""

    def __init__(self, looks: int) -> None:
        super().__init__()
        self.looks = looks

    def is_set(self) -> bool:
        self.looks -= 1
        return self.looks < 0


def big_store(path: Path, rows: int) -> None:
    async def main() -> None:
        store = SqliteStore(path)
        data = [LogRow(n, 0, b"x" * 4000) for n in range(rows)]
        await store.append(Addition("t1", data))
        await store.close()

    asyncio.run(main())


def test_a_copy_can_be_stopped_and_leaves_nothing(tmp_path: Path) -> None:
    big_store(tmp_path / "store.db", 5_000)
    before = named(tmp_path)
    counting = Later(10**9)
    backup(tmp_path / "store.db", tmp_path / "copy.db", counting)
    looks = 10**9 - counting.looks
    assert looks > 5, "while it copies, and while it checks"
    (tmp_path / "copy.db").unlink()
    for number in (0, 2, looks - 1):
        with pytest.raises(StoreError, match=r"stopped|interrupted"):
            backup(tmp_path / "store.db", tmp_path / "copy.db", Later(number))
    assert named(tmp_path) == before


def test_stopping_a_server_does_not_wait_for_a_copy(tmp_path: Path) -> None:
    """The copy is given up: the next server makes another."""
    big_store(tmp_path / "store.db", 50_000)
    folder = tmp_path / "backups"
    folder.mkdir()
    options = ("--no-limits", "--workers", "1", "--backup-dir", str(folder))
    with Server(tmp_path / "store.db", *options) as server:
        until(lambda: named(folder))
        assert server.stop() == 0
    assert named(folder) == [path.name for path in whole(folder)]
    log = server.log.read_text()
    assert "backup_failed" not in log
    assert '"level": "error"' not in log


def test_deleting_a_player_while_a_copy_is_made_holds_up_nobody(tmp_path: Path) -> None:
    """Emptying the write-ahead log waited ten seconds for the reader, and everybody with it."""

    async def main() -> None:
        store = SqliteStore(tmp_path / "store.db")
        await store.add_player(PlayerRow("p1", "Ana", b"token", 0))
        reader = sqlite3.connect(tmp_path / "store.db", isolation_level=None)
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM players").fetchone()
        await store.delete_player("p1")
        slowest, until = 0.0, time.monotonic() + 2.5
        number = 0
        while time.monotonic() < until:
            number += 1
            started = time.monotonic()
            await store.append(Addition("t1", [LogRow(number, 0, b"{}")]))
            slowest = max(slowest, time.monotonic() - started)
        assert slowest < 5
        reader.close()
        async with asyncio.timeout(LATE):
            while (tmp_path / "store.db-wal").stat().st_size:
                await asyncio.sleep(0.1)
        await store.close()

    asyncio.run(main())


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        ({"backup_every": 0.0}, "above 0"),
        ({"backup_every": float("inf")}, "above 0"),
        ({"backup_every": float("nan")}, "above 0"),
        ({"backup_keep": 0}, "1 or more"),
    ],
)
def test_settings_that_cannot_be_are_refused(wrong: dict[str, float], why: str) -> None:
    with pytest.raises(BadSetting, match=why):
        Settings(**wrong)  # type: ignore[arg-type]


def test_backups_can_be_set_by_the_environment() -> None:
    told = {"FOXTRAY_BACKUP_DIR": "/backups", "FOXTRAY_BACKUP_EVERY": "6"}
    told["FOXTRAY_BACKUP_KEEP"] = "20"
    settings = Settings(**from_environment(told))  # type: ignore[arg-type]
    assert settings.backup_dir == Path("/backups")
    assert (settings.backup_every, settings.backup_keep) == (6, 20)
