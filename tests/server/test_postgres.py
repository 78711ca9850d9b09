"""What only the store in PostgreSQL does: owners, news, lost connections, moving in."""

import asyncio
import itertools
import random
import sqlite3
import subprocess
import sys
from collections import Counter
from collections.abc import Awaitable, Callable
from pathlib import Path

import psycopg
import pytest
from cluster import Postgres, free_port

from foxtray import cli, extras
from foxtray.server.store import (
    Addition,
    AuditRow,
    Conflict,
    LogRow,
    News,
    SoloStart,
    StorageFailing,
    Store,
    StoreError,
    Superseded,
)
from foxtray.server.store.migrations import migrate
from foxtray.server.store.moving import ONLY_POSTGRES
from foxtray.server.store.postgres import PostgresStore
from foxtray.server.store.postgres_connection import Session
from foxtray.server.store.postgres_migrations import POSTGRES_MIGRATIONS
from foxtray.server.store.sqlite import SqliteStore
from server.harness import LATE, until, until_async
from server.test_store import device, player, result, rows, table

Two = Callable[[PostgresStore, PostgresStore], Awaitable[None]]


def run(url: str, scenario: Two) -> None:
    """Runs a scenario with two servers' stores on one database."""

    async def main() -> None:
        stores = [PostgresStore(url), PostgresStore(url)]
        try:
            await scenario(*stores)
        finally:
            for store in stores:
                await store.close()

    asyncio.run(main())


Told = tuple[int, str, str]
"""What a command returned and printed."""


@pytest.fixture
def foxtray(capsys: pytest.CaptureFixture[str]) -> Callable[..., Told]:
    """Runs a command in this process."""

    def run_command(*arguments: str) -> Told:
        status = cli.main(list(arguments))
        return status, *capsys.readouterr()

    return run_command


# --- owners ---------------------------------------------------------------------------------------


def test_only_the_last_owner_adds_to_a_log(database: str) -> None:
    async def scenario(one: PostgresStore, two: PostgresStore) -> None:
        await one.add_table(table(1), [(0, "p1")])
        first = await one.claim("t1")
        assert first
        assert first.row == table(1)
        await one.append(Addition("t1", rows(1), epoch=first.epoch))
        second = await two.claim("t1")
        assert second
        assert second.epoch > first.epoch
        # Both ways of writing: a move, and what changes seats too.
        for more in ({}, {"seating": [(0, None)]}, {"solo_start": SoloStart("p1", "clever")}):
            late = Addition("t1", rows(2), epoch=first.epoch, **more)
            with pytest.raises(Superseded):
                await one.append(late)
        await two.append(Addition("t1", rows(2), epoch=second.epoch))
        assert await one.log("t1") == rows(1, 2)
        assert await one.log("t1", after=1) == rows(2)
        assert await one.lost({"t1": first.epoch}) == ["t1"]
        assert await two.lost({"t1": second.epoch, "t9": 1}) == ["t9"]
        assert await one.claim("t9") is None
        await one.delete_table("t1")
        with pytest.raises(Superseded):
            await two.append(Addition("t1", rows(3), epoch=second.epoch))

    run(database, scenario)


def test_a_lost_table_harms_no_other_in_its_group(database: str) -> None:
    async def scenario(one: PostgresStore, two: PostgresStore) -> None:
        for n in range(20):
            await one.add_table(table(n), [])
        claims = [await one.claim(f"t{n}") for n in range(20)]
        for n in range(0, 20, 2):
            await two.claim(f"t{n}")
        additions = [
            Addition(f"t{n}", rows(1), epoch=claim.epoch) for n, claim in enumerate(claims) if claim
        ]
        doubled = Addition("t1", rows(1), epoch=additions[1].epoch)
        done = await asyncio.gather(
            *(one.append(a) for a in (*additions, doubled)), return_exceptions=True
        )
        kinds = Counter(type(d) for d in done)
        assert kinds == {Superseded: 10, type(None): 10, Conflict: 1}

    run(database, scenario)


INSERT = "INSERT INTO counted VALUES (?)"


@pytest.mark.parametrize(
    "talk",
    [
        lambda session: session.execute(INSERT, (1,)),
        lambda session: session.executemany(INSERT, [(1,), (2,)]),
    ],
    ids=["one statement", "many"],
)
def test_postgres_ends_the_transaction_of_a_server_that_stops_talking(
    database: str, talk: Callable[[Session], object]
) -> None:
    """Whatever it said last: a table in it could otherwise not move to another server."""
    watching, session = Session(database), Session(database)
    watching.execute("CREATE TABLE counted (number bigint)")
    session.execute("SET idle_in_transaction_session_timeout='200ms'")
    (number,) = session.execute("SELECT pg_backend_pid()").fetchone()
    session.execute("BEGIN")
    talk(session)
    query = "SELECT 1 FROM pg_stat_activity WHERE pid=?"
    try:
        until(lambda: not watching.execute(query, (number,)).fetchall())
    finally:
        session.close()
        watching.close()


def test_two_owners_race_for_tables(database: str, long_run: bool) -> None:
    """Each append follows from the log as its owner knows it; nobody's view is ever stale."""
    rounds = 400 if long_run else 40

    async def compete(store: Store, name: int, counts: Counter[str]) -> None:
        rng = random.Random(name)
        for turn in range(rounds):
            which = f"t{rng.randrange(3)}"
            claim = await store.claim(which)
            assert claim
            counts["claims"] += 1
            known = [row.data for row in await store.log(which)]
            for step in range(rng.randrange(4)):
                before = known[-1] if known else b""
                data = (
                    f"{name}.{turn}.{step} after ".encode() + before.split()[0] if before else b"0"
                )
                row = LogRow(len(known) + 1, 1, data, f"{name} {turn}.{step}")
                try:
                    await store.append(Addition(which, [row], epoch=claim.epoch))
                except Superseded:
                    counts["superseded"] += 1
                    break
                counts["written"] += 1
                known.append(data)

    async def scenario(one: PostgresStore, two: PostgresStore) -> None:
        for n in range(3):
            await one.add_table(table(n), [])
        counts: Counter[str] = Counter()
        # A Conflict, the sign of a stale owner, would end the race.
        await asyncio.gather(*(compete(s, n, counts) for n, s in enumerate((one, two, one, two))))
        written = 0
        for n in range(3):
            log = await one.log(f"t{n}")
            assert [row.seq for row in log] == list(range(1, len(log) + 1))
            for row, following in itertools.pairwise(log):
                assert following.data.endswith(b" after " + row.data.split()[0])
            written += len(log)
        assert written == counts["written"]
        assert counts["superseded"]
        print(dict(counts))

    run(database, scenario)


# --- news -----------------------------------------------------------------------------------------


def test_servers_hear_of_what_others_do(database: str) -> None:
    async def scenario(one: PostgresStore, two: PostgresStore) -> None:
        heard: list[News] = []
        own: list[News] = []
        one.hear(own.append, lambda: None)
        two.hear(heard.append, lambda: None)
        await one.add_player(player(1))
        await one.add_table(table(1), [(0, "p1")])
        await two.claim("t1")
        claim = await one.claim("t1")
        assert claim
        await one.claim("t1")  # from ourselves: nobody else has to know
        await one.rename("p1", "Bo")
        await one.accounts.set_admin("p1", True)
        await one.accounts.sign_out("p1", "d")
        await one.accounts.set_banned("p1", 5)
        await one.set_mark("registration", 1)
        await one.append(Addition("t1", rows(1), epoch=claim.epoch + 1))
        await one.delete_table("t1")
        await until_async(lambda: len(heard) >= 7)
        await asyncio.sleep(0.1)
        assert heard == [
            News("table", "t1", str(claim.epoch)),
            News("renamed", "p1"),
            News("changed", "p1"),
            News("expelled", "p1", "d"),
            News("expelled", "p1"),
            News("mark", "registration"),
            News("table", "t1", str(claim.epoch + 2)),
        ]
        assert own == [], "nobody hears what they said"

    run(database, scenario)


def test_who_may_have_missed_news_is_told(database: str) -> None:
    async def scenario(one: PostgresStore, two: PostgresStore) -> None:
        missed: list[bool] = []
        one.hear(lambda news: None, lambda: missed.append(True))
        await until_async(lambda: missed)
        missed.clear()
        await end_connections(database)
        await until_async(lambda: len(missed) >= 2)  # when it is lost, and when it is back
        assert not one.failing

    run(database, scenario)


async def end_connections(url: str) -> None:
    """What happens to every connection when PostgreSQL restarts."""
    async with await psycopg.AsyncConnection.connect(url, autocommit=True) as connection:
        await connection.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid<>pg_backend_pid() "
            "AND backend_type='client backend'"
        )


def test_broken_connections_are_replaced(database: str) -> None:
    async def scenario(one: PostgresStore, two: PostgresStore) -> None:
        await one.add_table(table(1), [])
        claim = await one.claim("t1")
        assert claim
        await one.append(Addition("t1", rows(1), epoch=claim.epoch))
        await end_connections(database)
        assert await one.log("t1") == rows(1), "a read is asked again"
        await one.add_player(player(1))
        # Nobody can say whether a move was written whose answer was lost.
        with pytest.raises(StorageFailing):
            await one.append(Addition("t1", rows(2), epoch=claim.epoch))
        await until_async(lambda: not one.failing)
        assert await one.log("t1") == rows(1)
        await one.append(Addition("t1", rows(2), epoch=claim.epoch))

    run(database, scenario)


# --- the database ---------------------------------------------------------------------------------


def columns_of(url: str) -> set[tuple[str, str]]:
    with psycopg.connect(url) as connection:
        return set(
            connection.execute(
                "SELECT table_name, column_name FROM information_schema.columns "
                "WHERE table_schema='public' AND table_name<>'foxtray_version'"
            ).fetchall()
        )


def test_both_databases_have_the_same_tables(database: str) -> None:
    """Whoever adds a migration for one adds it for the other."""

    async def nothing(one: PostgresStore, two: PostgresStore) -> None: ...

    run(database, nothing)
    file = sqlite3.connect(":memory:", isolation_level=None)
    migrate(file)
    names = [n for (n,) in file.execute("SELECT name FROM sqlite_master WHERE type='table'")]
    found = {(n, c[1]) for n in names for c in file.execute(f'PRAGMA table_info("{n}")')}
    file.close()
    own = {(name, column) for name, columns in ONLY_POSTGRES.items() for column in columns}
    assert columns_of(database) == found | own


def test_migrations_run_once_and_newer_data_is_refused(database: str) -> None:
    async def main() -> None:
        await PostgresStore(database).close()
        more = (*POSTGRES_MIGRATIONS, "CREATE TABLE later (id TEXT PRIMARY KEY)")
        opened = await asyncio.gather(
            *(asyncio.to_thread(asyncio.run, open_and_close(database, more)) for _ in range(3))
        )
        assert opened == [None] * 3
        assert ("later", "id") in columns_of(database)
        with pytest.raises(StoreError, match="newer foxtray"):
            PostgresStore(database)

    asyncio.run(main())


async def open_and_close(url: str, migrations: tuple[str, ...]) -> None:
    await PostgresStore(url, migrations=migrations).close()


def test_text_that_postgres_cannot_hold_is_found_nowhere(database: str) -> None:
    async def scenario(one: PostgresStore, two: PostgresStore) -> None:
        assert await one.table("t\0") is None
        assert await one.names(["\0"]) == {}
        assert await one.names([]) == {}

    run(database, scenario)


def test_what_cannot_be_opened_is_refused_in_a_sentence(postgres: Postgres) -> None:
    port = free_port()
    with psycopg.connect(postgres.url, autocommit=True) as connection:
        connection.execute("DROP DATABASE IF EXISTS latin")
        connection.execute("CREATE DATABASE latin TEMPLATE template0 ENCODING 'SQL_ASCII'")
    unreachable = f"postgresql://ana:geheim@127.0.0.1:{port}/x"
    command = [sys.executable, "-m", "foxtray", "serve", "--port", "0", "--db", unreachable]
    done = subprocess.run(command, capture_output=True, text=True, timeout=LATE, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("foxtray: PostgreSQL cannot be reached: ")
    assert done.stderr.count("\n") == 1
    assert "geheim" not in done.stderr

    async def main() -> None:
        for url, problem in (
            (postgres.url.replace(postgres.password, "wrong"), "cannot be reached: .*password"),
            (postgres.url_at(postgres.port, "latin"), "the database has the encoding"),
            (postgres.url_at(postgres.port, "none"), "cannot be reached: .*does not exist"),
            ("postgresql://127.0.0.1:port/x", "cannot be reached: "),
        ):
            with pytest.raises(StoreError, match=problem):
                PostgresStore(url)

    asyncio.run(main())


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["backup", "x.db"], "is not a file; back PostgreSQL up with pg_dump"),
        (["restore", "x.db"], "is not a file; restore PostgreSQL with pg_restore"),
        (["serve", "--backup-dir", "."], "back PostgreSQL up with pg_dump"),
    ],
)
def test_what_works_with_files_only_says_what_to_use(
    arguments: list[str], problem: str, foxtray: Callable[..., Told]
) -> None:
    status, _, complaint = foxtray(*arguments, "--db", "postgresql://ana:geheim@db.example/foxtray")
    assert status == 2
    assert problem in complaint
    assert "geheim" not in complaint


def test_without_psycopg_there_is_a_sentence(
    foxtray: Callable[..., Told], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(extras, "find_spec", lambda name: None)
    for arguments in (["move-store", "x", "postgres://x/y"], ["export", str(tmp_path)]):
        url = [] if arguments[0] == "move-store" else ["--db", "postgresql://x/y"]
        status, out, complaint = foxtray(*arguments, *url)
        assert (status, out) == (2, "")
        assert complaint == (
            "foxtray: a database in PostgreSQL needs psycopg; "
            "to install: python -m pip install 'foxtray[postgres]'\n"
        )


# --- moving in ------------------------------------------------------------------------------------


async def fill(path: Path) -> None:
    """Something in many tables of a file."""
    store = SqliteStore(path)
    for n in (1, 2):
        await store.add_player(player(n))
    await store.rename("p2", "Žarko \\ \t'quoted'\n")
    await store.accounts.set_admin("p1", True)
    await store.add_link(b"code\0\xff\\", "p1", 10)
    await store.add_table(table(1), [(0, "p1"), (1, "p2")])
    odd = [LogRow(1, 1, bytes(range(256)), "p1 c"), LogRow(2, 2, b"")]
    both = [result("t1", 0, "p1"), result("t1", 1, None)]
    await store.append(Addition("t1", odd, results=both))
    await store.set_mark("registration", 2)
    await store.accounts.note(AuditRow(5, None, "root", "ban", "p1", "spam"))
    await store.coach.add_answer("e", "p1", "w", True)
    await store.close()


def test_a_club_moves_in_row_by_row(
    tmp_path: Path, database: str, foxtray: Callable[..., Told]
) -> None:
    path = tmp_path / "club.db"
    asyncio.run(fill(path))
    status, out, complaint = foxtray("move-store", str(path), database)
    assert (status, complaint) == (0, "")
    assert "inputs: 2\n" in out
    assert out.endswith("and compared.\n")

    async def check(one: PostgresStore, two: PostgresStore) -> None:
        file = SqliteStore(path)
        try:
            for store in (one, file):
                assert (await store.names(["p2"]))["p2"] == "Žarko \\ \t'quoted'\n"
            assert await one.table("t1") == await file.table("t1")
            assert await one.log("t1") == await file.log("t1")
            assert await one.results("t1") == await file.results("t1")
            assert await one.accounts.audit() == await file.accounts.audit()
            assert await one.player_by_token(player(1).token) == await file.player_by_token(
                player(1).token
            )
            await one.accounts.note(AuditRow(6, None, "root", "unban"))
            assert [row.number for row in await one.accounts.audit()] == [2, 1]
            assert await one.use_link(b"code\0\xff\\", 5, device(b"new"))
        finally:
            await file.close()

    run(database, check)
    status, _, complaint = foxtray("move-store", str(path), database)
    assert (status, "has data already" in complaint) == (2, True)


def test_what_cannot_move_is_refused_in_a_sentence(
    tmp_path: Path, database: str, foxtray: Callable[..., Told]
) -> None:
    status, _, complaint = foxtray("move-store", str(tmp_path / "none.db"), database)
    assert (status, "there is no data at" in complaint) == (2, True)
    path = tmp_path / "club.db"
    asyncio.run(fill(path))
    status, _, complaint = foxtray("move-store", str(path), "elsewhere.db")
    assert (status, "is not a URL" in complaint) == (2, True)
    with SqliteStoreHolder(path):
        status, _, complaint = foxtray("move-store", str(path), database)
    assert (status, "another server" in complaint) == (2, True)


class SqliteStoreHolder:
    """A server that uses a file."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __enter__(self) -> None:
        self.runner = asyncio.Runner()
        self.store = self.runner.run(self._open())

    async def _open(self) -> SqliteStore:
        return SqliteStore(self.path)

    def __exit__(self, *_: object) -> None:
        self.runner.run(self.store.close())
        self.runner.close()
