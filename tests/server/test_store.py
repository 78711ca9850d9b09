"""What every store must do; run against each implementation there is."""

import asyncio
import os
import sqlite3
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import msgspec
import pytest

from foxtray.server.store import (
    Addition,
    Conflict,
    LogRow,
    PlayerRow,
    ResultRow,
    StorageFailing,
    Store,
    StoreError,
    TableRow,
)
from foxtray.server.store.sqlite import SqliteStore, backup
from server.harness import LATE

Opener = Callable[[Path], Store]
Scenario = Callable[[Store], Awaitable[None]]
IMPLEMENTATIONS: dict[str, Opener] = {"sqlite": lambda folder: SqliteStore(folder / "store.db")}


@asynccontextmanager
async def opened(opener: Opener, folder: Path) -> AsyncIterator[Store]:
    store = opener(folder)
    try:
        yield store
    finally:
        await store.close()


@pytest.fixture(params=IMPLEMENTATIONS)
def run(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[[Scenario], None]:
    """Runs a scenario on a store; called again, on the same store opened anew."""

    def go(scenario: Scenario) -> None:
        async def main() -> None:
            async with opened(IMPLEMENTATIONS[request.param], tmp_path) as store:
                await scenario(store)

        asyncio.run(main())

    return go


def player(number: int) -> PlayerRow:
    return PlayerRow(f"p{number}", f"Ana {number}", bytes([number]) * 32, 1_000 + number)


def table(number: int, host: str = "p1") -> TableRow:
    return TableRow(f"t{number}", 1, b"{}", b"s" * 32, host, f"i{number}", f"w{number}", 1_000)


def rows(*numbers: int, at: int = 2_000) -> list[LogRow]:
    return [LogRow(n, at, f"input {n}".encode(), f"c{n}") for n in numbers]


def result(name: str, seat: int, who: str | None, finished: int = 5_000) -> ResultRow:
    bot = None if who else "greedy"
    areas = (1, 2, 3, 4, 5)
    return ResultRow(name, seat, who, bot, "clever", 2, finished, 15, areas, 0, 1, seat == 0, False)


def test_players_are_found_by_their_token_and_renamed(run: Callable[[Scenario], None]) -> None:
    async def scenario(store: Store) -> None:
        await store.add_player(player(1))
        assert await store.player_by_token(b"\x01" * 32) == player(1)
        assert await store.player_by_token(b"?") is None
        await store.rename("p1", "Bo")
        assert await store.names(["p1", "p9"]) == {"p1": "Bo"}
        with pytest.raises(Conflict):
            await store.add_player(player(1))

    run(scenario)


def test_a_link_works_once_and_in_time(run: Callable[[Scenario], None]) -> None:
    async def scenario(store: Store) -> None:
        await store.add_player(player(1))
        await store.add_link(b"old", "p1", 10)
        assert await store.use_link(b"old", 11, b"new") is None
        await store.add_link(b"replaced", "p1", 20)
        await store.add_link(b"code", "p1", 20)
        assert await store.use_link(b"replaced", 15, b"new") is None
        moved = await store.use_link(b"code", 15, b"new")
        assert moved
        assert (moved.id, moved.token) == ("p1", b"new")
        assert await store.use_link(b"code", 15, b"again") is None
        assert await store.player_by_token(player(1).token) is None

    run(scenario)


def test_a_log_is_kept_in_order_and_survives(run: Callable[[Scenario], None]) -> None:
    async def write(store: Store) -> None:
        await store.add_table(table(1), [(0, "p1"), (1, None)])
        await store.append(Addition("t1", rows(1, 2)))
        await store.append(Addition("t1", rows(3)))

    async def read(store: Store) -> None:
        assert await store.table("t1") == table(1)
        assert await store.table("t2") is None
        assert await store.log("t1") == rows(1, 2, 3)
        assert await store.log("t2") == []

    run(write)
    run(read)


def test_a_number_and_a_command_are_taken_once(run: Callable[[Scenario], None]) -> None:
    async def scenario(store: Store) -> None:
        await store.add_table(table(1), [])
        await store.append(Addition("t1", rows(1)))
        with pytest.raises(Conflict):
            await store.append(Addition("t1", [LogRow(1, 0, b"")]))
        with pytest.raises(Conflict):
            await store.append(Addition("t1", [LogRow(2, 0, b""), LogRow(3, 0, b"", "c1")]))
        with pytest.raises(Conflict):
            await store.add_table(table(1), [])
        assert await store.log("t1") == rows(1)
        await store.append(Addition("t2", rows(1)))

    run(scenario)


def test_one_that_fails_in_a_group_harms_no_other(run: Callable[[Scenario], None]) -> None:
    async def scenario(store: Store) -> None:
        additions = [Addition(f"t{n % 50}", rows(1)) for n in range(100)]
        done = await asyncio.gather(*map(store.append, additions), return_exceptions=True)
        assert [type(d) for d in done] == [type(None)] * 50 + [Conflict] * 50
        for n in range(50):
            assert await store.log(f"t{n}") == rows(1)

    run(scenario)


def test_tables_are_listed_by_who_sits_there(run: Callable[[Scenario], None]) -> None:
    async def scenario(store: Store) -> None:
        await store.add_table(table(1), [(0, "p1"), (1, None)])
        await store.add_table(table(2, "p2"), [(0, "p2"), (1, "p1")])
        assert sorted(await store.tables_of("p1", over=False)) == ["t1", "t2"]
        assert await store.unfinished("p1") == await store.unfinished("p2") == 1
        await store.append(Addition("t2", rows(1), seating=[(1, None)]))
        assert await store.tables_of("p1", over=False) == ["t1"]
        await store.append(Addition("t1", rows(1), results=[result("t1", 0, "p1")]))
        assert await store.tables_of("p1", over=False) == []
        assert await store.tables_of("p1", over=True) == ["t1"]
        assert await store.unfinished("p1") == 0
        await store.append(Addition("t2", rows(2), seating=[(0, None)]))
        assert await store.unfinished("p2") == 0
        assert [name async for name in store.finished()] == ["t1"]

    run(scenario)


def test_results_come_newest_first_with_names(run: Callable[[Scenario], None]) -> None:
    async def scenario(store: Store) -> None:
        await store.add_player(player(1))
        await store.add_player(player(2))
        for n in (1, 2, 3):
            await store.add_table(table(n), [(0, "p1"), (1, "p2")])
            both = [result(f"t{n}", 0, "p1", n), result(f"t{n}", 1, "p2", n)]
            await store.append(Addition(f"t{n}", rows(1), results=both))
        found = await store.results_of("p1", limit=2)
        assert [games[0].table for games in found] == ["t3", "t2"]
        assert await store.results("t3") == found[0]
        assert await store.results("t9") == []
        assert [r.name for r in found[0]] == ["Ana 1", "Ana 2"]
        assert found[0][0].areas == (1, 2, 3, 4, 5)
        assert found[0][0].won
        assert found[0][0].kept
        assert [g[0].table for g in await store.results_of("p1", before=2)] == ["t1"]

    run(scenario)


def test_the_best_of_each_game_is_none_of_practice(run: Callable[[Scenario], None]) -> None:
    async def scenario(store: Store) -> None:
        for n, (total, practice) in enumerate([(200, False), (250, False), (330, True)]):
            await store.add_table(table(n), [(0, "p1")])
            made = msgspec.structs.replace(result(f"t{n}", 0, "p1"), total=total, practice=practice)
            await store.append(Addition(f"t{n}", rows(1), results=[made]))
        assert await store.best("p1") == {"clever": 250}
        assert await store.best("p9") == {}

    run(scenario)


def test_old_tables_go_and_their_results_stay(run: Callable[[Scenario], None]) -> None:
    async def scenario(store: Store) -> None:
        await store.add_player(player(1))
        for n in (1, 2, 3, 4):
            await store.add_table(table(n), [(0, "p1")])
        await store.append(Addition("t1", rows(1), results=[result("t1", 0, "p1")]))
        await store.append(Addition("t2", rows(1, at=3_000)))
        await store.append(Addition("t3", rows(1, at=9_000)))
        assert await store.expire(finished_before=5_000, idle_before=900) == []
        gone = await store.expire(finished_before=5_001, idle_before=8_000)
        assert sorted(gone) == ["t1", "t2", "t4"]
        assert await store.table("t1") is None
        assert await store.log("t1") == []
        ((result_left,),) = await store.results_of("p1")
        assert not result_left.kept
        assert await store.tables_of("p1", over=False) == ["t3"]

    run(scenario)


def test_a_deleted_player_leaves_nothing(run: Callable[[Scenario], None]) -> None:
    async def scenario(store: Store) -> None:
        await store.add_player(player(1))
        await store.add_player(player(2))
        await store.add_table(table(1), [(0, "p1")])
        await store.add_table(table(2), [(0, "p1"), (1, "p2")])
        await store.add_table(table(3), [(0, None)])
        await store.append(Addition("t1", rows(1), results=[result("t1", 0, "p1")]))
        both = [result("t2", 0, "p1"), result("t2", 1, "p2")]
        await store.append(Addition("t2", rows(1), results=both))
        await store.add_link(b"code", "p1", 10**6)
        await store.add_table(table(4), [(0, "p1")])
        await store.append(Addition("t4", rows(1), results=[result("t4", 0, "p1", finished=1)]))
        assert await store.expire(finished_before=2, idle_before=0) == ["t4"]
        assert await store.results("t4")
        await store.delete_player("p1")
        assert await store.player_by_token(player(1).token) is None
        assert await store.table("t1") is None
        assert await store.results("t4") == [], "its table had expired"
        assert await store.table("t3") is None
        assert await store.log("t2") == rows(1)
        assert await store.results_of("p1") == []
        assert [r.player for r in (await store.results_of("p2"))[0]] == [None, "p2"]
        assert await store.use_link(b"code", 0, b"x") is None

    run(scenario)


# --- SQLite's own ---------------------------------------------------------------------------------


def test_a_second_server_is_refused_until_the_first_ends(tmp_path: Path) -> None:
    async def main() -> None:
        first = SqliteStore(tmp_path / "store.db")
        with pytest.raises(StoreError, match="another server"):
            SqliteStore(tmp_path / "store.db")
        (tmp_path / "alias.db").symlink_to("store.db")
        with pytest.raises(StoreError, match="another server"):
            SqliteStore(tmp_path / "alias.db")
        await first.close()
        await SqliteStore(tmp_path / "store.db").close()

    asyncio.run(main())


def test_the_lock_of_a_killed_process_is_gone(tmp_path: Path) -> None:
    program = (
        "import os, sys; from pathlib import Path; from foxtray.server.store.sqlite import lock;"
        "guard = lock(Path(sys.argv[1])); os.kill(os.getpid(), 9)"
    )
    path = tmp_path / "store.db"
    subprocess.run([sys.executable, "-c", program, str(path)], check=False)

    async def main() -> None:
        await SqliteStore(path).close()

    asyncio.run(main())


def test_what_is_no_store_is_refused_in_a_sentence(tmp_path: Path) -> None:
    async def main() -> None:
        text = tmp_path / "notes.txt"
        text.write_text("no database at all, " * 100)
        with pytest.raises(StoreError, match="cannot be used"):
            SqliteStore(text)
        newer = tmp_path / "newer.db"
        connection = sqlite3.connect(newer)
        connection.execute("PRAGMA user_version=99")
        connection.close()
        with pytest.raises(StoreError, match="newer foxtray"):
            SqliteStore(newer)
        with pytest.raises(StoreError):
            SqliteStore(Path("/dev/null/store.db"))

    asyncio.run(main())


def test_a_folder_where_nothing_can_be_made_is_refused_in_a_sentence(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    path.with_name("store.db.lock").mkdir()  # even for root no file can have this name
    command = [sys.executable, "-m", "foxtray", "serve", "--port", "0", "--db", str(path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.splitlines() == [
        f"foxtray: {path}.lock cannot be made: unable to open database file"
    ]


class Failing(SqliteStore):
    """A disk that can be made to fail when it is asked to be sure."""

    broken = ""

    def commit(self, connection: sqlite3.Connection) -> None:
        if self.broken == "after":
            super().commit(connection)
        if self.broken:
            raise sqlite3.OperationalError("disk I/O error")
        super().commit(connection)


@pytest.mark.parametrize("moment", ["before", "after"])
def test_a_failing_disk_is_told_and_recovered_from(tmp_path: Path, moment: str) -> None:
    async def main() -> None:
        store = Failing(tmp_path / "store.db")
        told: list[str | None] = []
        store.watch(told.append)
        await store.append(Addition("t1", rows(1)))
        store.broken = moment
        for _ in range(2):
            with pytest.raises((StorageFailing, Conflict)):
                await store.append(Addition("t1", rows(2)))
        assert store.failing
        assert told == ["disk I/O error"]
        store.broken = ""
        async with asyncio.timeout(LATE):
            while len(told) < 2:
                await asyncio.sleep(0.05)
        assert not store.failing
        assert told == ["disk I/O error", None]
        # What was never acknowledged may be there or not; what was, is.
        kept = await store.log("t1")
        assert kept == rows(1, 2) if moment == "after" else kept == rows(1)
        await store.append(Addition("t1", rows(3)))
        assert (await store.log("t1"))[-1] == rows(3)[0]
        await store.close()

    asyncio.run(main())


def test_a_backup_under_load_is_whole(tmp_path: Path) -> None:
    async def main() -> None:
        store = SqliteStore(tmp_path / "store.db")
        await store.append(Addition("t1", rows(1)))
        stop = asyncio.Event()
        written = set()

        async def writing(name: str) -> None:
            n = 1
            while not stop.is_set():
                n += 2
                await store.append(Addition(name, [LogRow(n - 1, 0, b"a"), LogRow(n, 0, b"b")]))
                written.add(name)

        tasks = [asyncio.create_task(writing(f"t{i}")) for i in range(1, 9)]
        async with asyncio.timeout(LATE):
            while len(written) < len(tasks):
                await asyncio.sleep(0.01)
        await asyncio.to_thread(backup, store.path, tmp_path / "copy.db")
        stop.set()
        await asyncio.gather(*tasks)
        await store.close()
        copy = SqliteStore(tmp_path / "copy.db")
        lengths = [[row.seq for row in await copy.log(f"t{i}")] for i in range(1, 9)]
        assert all(lengths)
        assert all(seqs == list(range(seqs[0], seqs[-1] + 1)) for seqs in lengths)
        # Both rows of an addition, or none.
        assert all(len(seqs) % 2 == (1 if i == 0 else 0) for i, seqs in enumerate(lengths))
        await copy.close()

    asyncio.run(main())


def test_a_backup_complains_in_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="no data"):
        backup(tmp_path / "none.db", tmp_path / "copy.db")
    (tmp_path / "there").write_text("no database, " * 100)
    with pytest.raises(StoreError, match="exists already"):
        backup(tmp_path / "there", tmp_path / "there")
    (tmp_path / "copy.db.tmp").write_text("somebody else's")
    with pytest.raises(StoreError, match="could not be copied"):
        backup(tmp_path / "there", tmp_path / "copy.db")
    with pytest.raises(StoreError, match="cannot be written"):
        backup(tmp_path / "there", tmp_path / "nowhere" / "copy.db")
    assert sorted(os.listdir(tmp_path)) == ["copy.db.tmp", "there"]


def test_data_and_copies_are_for_their_owner_only(tmp_path: Path) -> None:
    async def main() -> None:
        store = SqliteStore(tmp_path / "store.db")
        backup(tmp_path / "store.db", tmp_path / "copy.db")
        for path in (*tmp_path.glob("store.db"), *tmp_path.glob("*-wal"), tmp_path / "copy.db"):
            assert path.stat().st_mode & 0o077 == 0, path
        await store.close()

    asyncio.run(main())
