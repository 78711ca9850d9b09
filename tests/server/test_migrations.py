"""A file of an older version is migrated with its data; each step is a transaction."""

import asyncio
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from foxtray.server.store import (
    Addition,
    Conflict,
    LogRow,
    NewDevice,
    PlayerRow,
    ResultRow,
    StoreError,
    TableRow,
)
from foxtray.server.store.migrations import MIGRATIONS, migrate
from foxtray.server.store.sqlite import SqliteStore

FIRST = """
    INSERT INTO players VALUES ('p1', 'Ana', x'01', 1000), ('p2', 'Bo', x'02', 1001);
    INSERT INTO links VALUES (x'0a', 'p2', 9000);
    INSERT INTO tables VALUES ('t1', 1, x'7b7d', x'53', 'p1', 'i1', 'w1', 2000, 5000);
    INSERT INTO tables VALUES ('t2', 1, x'7b7d', x'54', 'p1', 'i2', 'w2', 2001, NULL);
    INSERT INTO events VALUES ('t1', 1, 3000, x'61', 'p1 c1'), ('t1', 2, 3001, x'62', NULL);
    INSERT INTO seats VALUES ('t1', 0, 'p1'), ('t2', 0, 'p1'), ('t2', 1, NULL);
    INSERT INTO results VALUES
        ('t1', 0, 'p1', NULL, 'clever', 1, 5000, 15, '[1,2,3,4,5]', 2, 1, 1, 0);
"""
"""What a server of the first version wrote: it stays as it is, whatever the versions to come."""

SECOND = """
    INSERT INTO players VALUES ('p1', 'Ana', x'01', 1000), ('p2', 'Bo', x'02', 1001);
    INSERT INTO links VALUES (x'0a', 'p2', 9000);
    INSERT INTO tables VALUES ('t1', 1, x'7b7d', x'53', 'p1', 'i1', 'w1', 2000, 5000);
    INSERT INTO tables VALUES ('t2', 1, x'7b7d', x'54', 'p1', 'i2', 'w2', 2001, NULL);
    INSERT INTO inputs VALUES ('t1', 1, 3000, x'61', 'p1 c1'), ('t1', 2, 3001, x'62', NULL);
    INSERT INTO seats VALUES ('t1', 0, 'p1'), ('t2', 0, 'p1'), ('t2', 1, NULL);
    INSERT INTO results VALUES
        ('t1', 0, 'p1', NULL, 'clever', 1, 5000, 15, '[1,2,3,4,5]', 2, 1, 1, 0);
"""
"""The same in the second version, which calls the log what it holds."""

THIRD = f"{SECOND} INSERT INTO marks VALUES ('clock', 4000);"
"""The third version notes the time."""

FOURTH = f"""
    INSERT INTO players VALUES ('p1', 'Ana', 1000, x'0b', 1500, 1, NULL);
    INSERT INTO players VALUES ('p2', 'Bo', 1001, NULL, NULL, 0, NULL);
    INSERT INTO devices VALUES ('p1', 'd1', x'01', 'Chrome on Android', 1000, 1000);
    INSERT INTO devices VALUES ('p2', 'd2', x'02', '', 1001, 1001);
    INSERT INTO passkeys VALUES ('p1', 'k1', x'0c', x'0d', 0, 'Firefox on Linux', 1600, NULL);
    INSERT INTO invitations VALUES (x'0e', 3, 9000);
    INSERT INTO audit VALUES (1, 1700, NULL, 'root', 'grant', 'p1', '');
    {THIRD[THIRD.index("INSERT INTO links") :]}
"""
"""The fourth version has devices, and knows how players come back and what the host did."""

FIFTH = f"""{FOURTH}
    INSERT INTO expired VALUES ('t0', x'52');
    INSERT INTO solo_starts VALUES ('t1', 'p1', 'clever');
"""
"""The fifth version remembers games that were not finished."""

SIXTH = FIFTH.replace("2, 1, 1, 0);", "2, 1, 1, 0, 0, NULL);")
"""The sixth version tells games apart that were played with real dice or guests."""

SEVENTH = f"""{SIXTH}
    INSERT INTO daily_dice VALUES ('2026-11-17', 'clever', x'55', 4500, 1);
    INSERT INTO daily_attempts VALUES ('2026-11-17', 'clever', 'p1', 't1', 'finished', 15, 5000);
    INSERT INTO daily_seen VALUES ('2026-11-17', 'clever', x'56');
    INSERT INTO matches VALUES ('t1', 't1'), ('t2', 't1');
    INSERT INTO given_up VALUES ('t2', 'p2', 'clever', 2, 4600);
"""
"""The seventh version has the dice of the day, challenges and games given up."""

EIGHTH = f"""{SEVENTH.replace("1, 0, 0, NULL);", "1, 0, 0, NULL, 0);")}
    INSERT INTO reviews VALUES ('t1', x'1f8b', 5100);
    INSERT INTO seat_reviews VALUES ('t1', 0, '{{}}');
    INSERT INTO exercises VALUES ('e1', 'p1', 'clever', '{{}}', 6000, 2);
    INSERT INTO exercise_answers VALUES ('daily-clever-1', 'p1', 'g>g', 1);
"""
"""The eighth version has the coach's reviews and exercises, and counts hints."""

WRITTEN = {
    1: FIRST,
    2: SECOND,
    3: THIRD,
    4: FOURTH,
    5: FIFTH,
    6: SIXTH,
    7: SEVENTH,
    8: EIGHTH,
}

STEP = """
    CREATE TABLE ages (player TEXT PRIMARY KEY, created INTEGER NOT NULL) WITHOUT ROWID;
    INSERT INTO ages SELECT id, created FROM players;
    CREATE INDEX ages_created ON ages (created);
    UPDATE players SET name = name || '!';
"""
"""A step as one to come may be: it changes what the file holds, and how."""


def file_of(version: int, path: Path, data: str = "") -> Path:
    """A file as that version of foxtray left it."""
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA journal_mode=WAL")
    steps = "".join(MIGRATIONS[:version])
    connection.executescript(f"{steps} {data} PRAGMA user_version={version};")
    connection.close()
    return path


def contents(path: Path) -> list[str]:
    """Everything in a file: its version, its schema, its rows."""
    connection = sqlite3.connect(path)
    assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    lines = [f"version {version}", *connection.iterdump()]
    connection.close()
    return lines


def schema(path: Path) -> set[tuple[str, str]]:
    """Tables and indexes with their columns, however they were written."""
    connection = sqlite3.connect(path)
    names = connection.execute("SELECT type, name FROM sqlite_master").fetchall()
    found = {
        (name, str(connection.execute(f'PRAGMA {kind}_xinfo("{name}")').fetchall()))
        for kind, name in names
    }
    connection.close()
    return found


async def check_data(path: Path, *steps: str, mark: str = "") -> None:
    """Open a file with some steps more, and find in it all that its version wrote."""
    store = SqliteStore(path, migrations=(*MIGRATIONS, *steps))
    try:
        found = await store.player_by_token(b"\x01")
        assert found
        (device,) = await store.accounts.devices("p1")
        assert (device.created, device.seen) == (1000, 1000)
        assert found == PlayerRow(
            "p1", f"Ana{mark}", b"\x01", 1000, device.id, device.seen, found.admin
        )
        assert await store.names(["p2"]) == {"p2": f"Bo{mark}"}
        assert await store.table("t1") == TableRow("t1", 1, b"{}", b"S", "p1", "i1", "w1", 2000)
        assert await store.log("t1") == [
            LogRow(1, 3000, b"a", "p1 c1"),
            LogRow(2, 3001, b"b", None),
        ]
        with pytest.raises(Conflict):  # a command stays one of a kind
            await store.append(Addition("t1", [LogRow(3, 3002, b"c", "p1 c1")]))
        assert await store.tables_of("p1", over=False) == ["t2"]
        assert await store.tables_of("p1", over=True) == ["t1"]
        assert [name async for name in store.finished()] == ["t1"]
        (result,) = await store.results("t1")
        assert result == ResultRow(
            "t1", 0, "p1", None, "clever", 1, 5000, 15, (1, 2, 3, 4, 5), 2, 1, True, False,
            f"Ana{mark}", True, daily=result.daily,
        )  # fmt: skip
        moved = await store.use_link(b"\x0a", 8000, NewDevice("new", b"\x03", "", 8000))
        assert moved
        assert moved.id == "p2"
        assert await store.player_by_token(b"\x02"), "the old device stays signed in"
    finally:
        await store.close()


def test_the_data_of_every_version_is_kept_here() -> None:
    assert set(WRITTEN) == set(range(1, len(MIGRATIONS) + 1))


@pytest.mark.parametrize("version", WRITTEN)
def test_the_data_of_every_version_is_all_there_today(tmp_path: Path, version: int) -> None:
    asyncio.run(check_data(file_of(version, tmp_path / "store.db", WRITTEN[version])))


@pytest.mark.parametrize("version", range(len(MIGRATIONS) + 1))
def test_every_version_arrives_at_the_same_schema(tmp_path: Path, version: int) -> None:
    old, new = file_of(version, tmp_path / "old.db"), tmp_path / "new.db"
    for path in (old, new):
        connection = sqlite3.connect(path)
        migrate(connection)
        assert connection.execute("PRAGMA user_version").fetchone() == (len(MIGRATIONS),)
        connection.close()
    assert schema(old) == schema(new)


@pytest.mark.parametrize("version", WRITTEN)
def test_a_step_takes_the_data_along(tmp_path: Path, version: int) -> None:
    path = file_of(version, tmp_path / "store.db", WRITTEN[version])
    asyncio.run(check_data(path, STEP, mark="!"))
    lines = contents(path)
    assert lines[0] == f"version {len(MIGRATIONS) + 1}"
    assert """INSERT INTO "ages" VALUES('p1',1000);""" in lines
    # When the file is opened again, the step does not run again.
    asyncio.run(open_and_close(path, STEP))
    assert contents(path) == lines
    # And a server that does not know the step leaves the file alone.
    with pytest.raises(StoreError, match="newer foxtray"):
        asyncio.run(open_and_close(path))
    assert contents(path) == lines


async def open_and_close(path: Path, *steps: str) -> None:
    await SqliteStore(path, migrations=(*MIGRATIONS, *steps)).close()


OPENING = """
import asyncio, os, sys
from foxtray.server.store import StoreError
from foxtray.server.store.migrations import MIGRATIONS
from foxtray.server.store.sqlite import SqliteStore

class Stopping(SqliteStore):
    def connect(self):
        connection = super().connect()
        # Little memory: what a step changes goes to the disk long before its end.
        connection.execute("PRAGMA cache_size=4")
        connection.create_function("stop_here", 0, lambda: os.kill(os.getpid(), 9))
        return connection

async def main():
    await Stopping(sys.argv[1], migrations=(*MIGRATIONS, sys.argv[2])).close()

try:
    asyncio.run(main())
except StoreError as error:
    sys.exit(str(error))
"""

BIG_STEP = f"""{STEP}
    CREATE TABLE copies AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n LIMIT 5000)
        SELECT i, hex(randomblob(40)) AS text FROM n;
    DELETE FROM inputs;
"""


def open_with(path: Path, step: str) -> subprocess.CompletedProcess[str]:
    """Open a file in a process that knows one step more."""
    command = [sys.executable, "-c", OPENING, str(path), step]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    ("end", "status", "told"),
    [
        ("INSERT INTO ages VALUES ('p9', NULL);", 1, "store.db cannot be used: NOT NULL"),
        ("SELECT stop_here();", -9, ""),
    ],
    ids=["a failure", "kill -9"],
)
def test_a_step_that_is_cut_short_leaves_the_old_version(
    tmp_path: Path, end: str, status: int, told: str
) -> None:
    path = file_of(1, tmp_path / "store.db", FIRST)
    asyncio.run(open_and_close(path))
    before = contents(path)
    cut = open_with(path, BIG_STEP + end)
    assert (cut.returncode, told in cut.stderr, "Traceback" in cut.stderr) == (status, True, False)
    if status == -9:
        written = path.with_name("store.db-wal").stat().st_size
        assert written > 100_000, "it was cut short before anything was written"
    assert contents(path) == before
    # The next start does the whole step.
    assert open_with(path, BIG_STEP).returncode == 0
    after = contents(path)
    assert after[0] == f"version {len(MIGRATIONS) + 1}"
    assert sum(line.startswith('INSERT INTO "copies"') for line in after) == 5000
    assert any("'Ana!'" in line for line in after)
