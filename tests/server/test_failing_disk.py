"""A full disk and a failing fsync: nothing is acknowledged, it is told, and nothing is lost."""

import asyncio
import resource
import sqlite3
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from server.harness import Client, Server
from server.test_kill import Crowd, check

FAULTY = (sys.executable, str(Path(__file__).with_name("faulty.py")))


class FullDisk:
    """The server's files may not grow any more."""

    def __init__(self, server: Server) -> None:
        assert server.process
        self.pid = server.process.pid

    def fail(self) -> None:
        resource.prlimit(self.pid, resource.RLIMIT_FSIZE, (4096, resource.RLIM_INFINITY))

    def heal(self) -> None:
        unlimited = (resource.RLIM_INFINITY, resource.RLIM_INFINITY)
        resource.prlimit(self.pid, resource.RLIMIT_FSIZE, unlimited)


class FailingSync:
    """Every commit fails, half of them after the data was written."""

    def __init__(self, server: Server) -> None:
        self.flag = server.db.with_name("broken")

    def fail(self) -> None:
        self.flag.touch()

    def heal(self) -> None:
        self.flag.unlink()


@pytest.mark.skipif(not hasattr(resource, "prlimit"), reason="limits are set from outside on Linux")
@pytest.mark.parametrize("kind", [FullDisk, FailingSync])
def test_players_are_told_and_go_on_when_it_works_again(
    tmp_path: Path, kind: type[FullDisk | FailingSync]
) -> None:
    command = FAULTY if kind is FailingSync else ()

    async def main() -> None:
        crowd = Crowd()
        met = crowd.met
        with Server(tmp_path / "store.db", command=command) as server:
            disk = kind(server)
            crowd.gather(server, 4)
            for _ in range(3):
                await asyncio.sleep(1)
                for client in met:
                    client.keep_heard = True
                disk.fail()
                await until(lambda: server.http("GET", "/healthz")[0] == 503)
                # What was written before may still be on its way to the clients; nothing else may.
                written = commands_in(server.db)
                await asyncio.sleep(0.7)
                early = {name for client in met for name in client.acked} - written
                assert not early, "acknowledged while nothing could be written"
                assert any('"code":"storage_failing"' in t for c in met for t in c.heard)
                disk.heal()
                await until(lambda: server.http("GET", "/healthz")[0] == 200)
                before = acknowledged(met)
                await until(partial(went_on, met, before))
            await crowd.part()
        assert check(tmp_path / "store.db", met) > 50

    asyncio.run(main())


def commands_in(db: Path) -> set[str]:
    """The names of all commands in the log."""
    connection = sqlite3.connect(f"file:{db}?mode=ro", uri=True)
    rows = connection.execute("SELECT command FROM events WHERE command IS NOT NULL").fetchall()
    connection.close()
    return {command.partition(" ")[2] for (command,) in rows}


def acknowledged(met: list[Client]) -> int:
    return sum(len(client.acked) for client in met)


def went_on(met: list[Client], before: int) -> bool:
    return acknowledged(met) > before


async def until(holds: Callable[[], bool]) -> None:
    async with asyncio.timeout(20):
        while not await asyncio.to_thread(holds):
            await asyncio.sleep(0.05)
