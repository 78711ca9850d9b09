"""A disk that is full, fails to sync or is read-only is reported, and nothing is lost."""

import asyncio
import sqlite3
import sys
from pathlib import Path

import pytest

from server.harness import Client, Server, until
from server.test_kill import Crowd, check, everybody_is_seated

FAULTY = (sys.executable, str(Path(__file__).with_name("faulty.py")))
HUMBLE = (sys.executable, str(Path(__file__).with_name("humble.py")))
RETRIES = 2.5
"""Seconds in which the server tries at least once whether writing works again."""


class Disk:
    """A disk that fails while a flag file exists next to the database."""

    command: tuple[str, ...]
    flag: str

    def __init__(self, server: Server) -> None:
        self.server = server

    def fail(self) -> None:
        self.server.db.with_name(self.flag).touch()

    def heal(self) -> None:
        self.server.db.with_name(self.flag).unlink()

    async def stay(self) -> None:
        """Wait until the failure is noticed, and a while longer."""
        await asyncio.sleep(0.7)


class FullDisk(Disk):
    """A disk on which files cannot grow."""

    command = HUMBLE
    flag = "full"


class ReadOnlyFile(FullDisk):
    """One write fails, and from then on the files can only be read.

    So does a file system that the kernel makes read-only after an error. A real one cannot be
    made so while a test has files open in it; to a server that opens its file anew it is the same.
    """

    def fail(self) -> None:
        set_mode(self.server.db, 0o444)
        super().fail()

    async def stay(self) -> None:
        super().heal()
        await asyncio.sleep(RETRIES)
        assert self.server.http("GET", "/healthz")[0] == 503

    def heal(self) -> None:
        set_mode(self.server.db, 0o644)


def set_mode(db: Path, mode: int) -> None:
    """Say who may write a database: the file, and those beside it while it is in use."""
    for end in ("", "-wal", "-shm"):
        path = db.with_name(db.name + end)
        if path.exists():
            path.chmod(mode)


class FailingSync(Disk):
    """Every commit fails, half of them after the data was written."""

    command = FAULTY
    flag = "broken"


@pytest.mark.parametrize("kind", [FullDisk, FailingSync, ReadOnlyFile])
def test_players_are_told_and_go_on_when_it_works_again(tmp_path: Path, kind: type[Disk]) -> None:
    async def main() -> None:
        crowd = Crowd()
        met = crowd.met
        with Server(tmp_path / "store.db", command=kind.command) as server:
            disk = kind(server)
            crowd.gather(server, 4)
            for _ in range(3):
                await everybody_is_seated(crowd, 6)
                await crowd.achieve(crowd.acknowledged() + 20)
                for client in met:
                    client.keep_heard = True
                    client.heard.clear()
                disk.fail()
                await asyncio.to_thread(until, lambda: server.http("GET", "/healthz")[0] == 503)
                await asyncio.to_thread(until, lambda: told_of_failing(met))
                assert server.figure("foxtray_healthy") == 0
                assert server.figure("foxtray_storage_failing") == 1
                # What was written before may still be on its way to the clients; nothing else may.
                written = commands_in(server.db)
                await disk.stay()
                early = {name for client in met for name in client.acked} - written
                assert not early, "acknowledged while nothing could be written"
                disk.heal()
                await asyncio.to_thread(until, lambda: server.http("GET", "/healthz")[0] == 200)
                assert server.figure("foxtray_healthy") == 1
                await crowd.achieve(crowd.acknowledged() + 1)
            await crowd.part()
        assert check(tmp_path / "store.db", met) > 60

    asyncio.run(main())


@pytest.mark.parametrize(
    "whole",
    [
        pytest.param(False, id="the file alone"),
        pytest.param(True, id="as on a read-only file system"),
    ],
)
def test_a_server_says_that_its_file_is_read_only(tmp_path: Path, whole: bool) -> None:
    db = tmp_path / "data" / "store.db"
    db.parent.mkdir()
    with Server(db) as server:
        player, token = server.player()
    before = db.read_bytes()
    locked = [db.with_name("store.db.lock"), db.parent] if whole else []
    set_mode(db, 0o444)
    for path in locked:
        path.chmod(0o555)
    server = Server(db, command=HUMBLE)
    server.log = tmp_path / "start.log"
    try:
        with pytest.raises(AssertionError):
            server.start()
        assert server.stop() == 2
    finally:
        server.stop()
        for path in locked:
            path.chmod(0o755)
    told = server.log.read_text()
    assert told.startswith(f"foxtray: {db} cannot be used: ")
    assert told.count("\n") == 1
    assert db.read_bytes() == before
    # Once it may be written, everything is as it was.
    set_mode(db, 0o644)
    with Server(db, command=HUMBLE) as server:
        assert server.http("PUT", "/api/me", {"name": "Bo"}, token)[1]["id"] == player


def commands_in(db: Path) -> set[str]:
    """The names of all commands in the log."""
    connection = sqlite3.connect(f"file:{db}?mode=ro", uri=True)
    rows = connection.execute("SELECT command FROM inputs WHERE command IS NOT NULL").fetchall()
    connection.close()
    return {command.partition(" ")[2] for (command,) in rows}


def told_of_failing(met: list[Client]) -> bool:
    return any('"code":"storage_failing"' in text for client in met for text in client.heard)
