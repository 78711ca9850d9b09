"""Bots as people meet them: they pause, rest, step in for the late, and say when they are ready."""

import asyncio
import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from server.harness import Client, Server, until
from server.test_bad_input import figure
from server.test_kill import log_lengths
from server.test_tables import run, seated

WAITING = (sys.executable, str(Path(__file__).with_name("waiting.py")))
NEVER = "100000"


def by_bots(client: Client) -> list[int]:
    """The numbers of what bots did."""
    acts = [e for e in client.entries.values() if e["what"] == "threw" or e.get("bot")]
    return [e["seq"] for e in acts if e["what"] in ("threw", "played")]


async def where_a_bot_begins(server: Server, **wish: object) -> Client:
    """The host of a table whose game begins with a bot, which is up to the dice."""
    while True:
        _, (host,) = await seated(server, "mbb", **wish)
        await host.command("start")
        if host.table["first"] != 0:
            return host
        await host.__aexit__()


@pytest.fixture(scope="module")
def slow(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server whose bots pause for ever."""
    db = tmp_path_factory.mktemp("slow") / "store.db"
    with Server(db, "--no-limits", "--workers", "1", "--bot-pause", NEVER) as running:
        yield running


def test_bots_pause_until_the_host_switches_it_off(slow: Server) -> None:
    async def main() -> None:
        host = await where_a_bot_begins(slow)
        assert host.table["pause"]
        # Whatever is asked in between, the bot that begins takes its time, which is for ever here.
        for _ in range(3):
            await host.command("pause", on=True)
        assert by_bots(host) == []
        answer = await host.command("pause", on=False)
        while not any(seq > answer["seq"] for seq in by_bots(host)):
            await host.wait()
        assert not host.table["pause"]
        # And on again, for what comes next.
        while not host.my_move():
            await host.wait()
        await host.command("pause", on=True)
        assert host.table["pause"]
        await host.__aexit__()

    run(main())


def test_what_a_bot_pauses_over_may_be_taken_back(slow: Server) -> None:
    async def main() -> None:
        begins = 1
        while begins:
            _, (host,) = await seated(slow, "mb")
            await host.command("start")
            begins = host.table["first"]
            if begins:
                await host.__aexit__()
        while not (host.game and 1 in host.game["awaiting"]):
            move = host.my_move()
            assert move
            await host.command(**move)
        await host.command("undo")
        assert host.game
        assert 1 not in host.game["awaiting"]
        await host.command("pause", on=False)
        while not any(entry.get("bot") for entry in host.entries.values()):
            move = host.my_move()
            await (host.command(**move) if move else host.wait())
        await host.__aexit__()

    run(main())
    assert "worker_died" not in slow.log.read_text()
    assert "bot_failed" not in slow.log.read_text()


def test_a_table_may_be_made_without_pauses(slow: Server) -> None:
    async def main() -> None:
        _, (host,) = await seated(slow, "mbb", pause=False)
        await host.command("start")
        while not any(entry.get("bot") for entry in host.entries.values()):
            move = host.my_move()
            await (host.command(**move) if move else host.wait())
        await host.__aexit__()

    run(main())


def test_a_clock_that_runs_out_lets_a_bot_act(slow: Server) -> None:
    async def main() -> None:
        _, (host,) = await seated(slow, "m", clock=1)
        await host.command("start")
        while not host.table["seats"][0]["stand_in"]:
            await host.wait()
        # The bot takes its time: one can always come back before it acts, and be late again.
        answer = await host.command("resume")
        assert host.entries[answer["seq"]]["what"] == "resumed"
        assert by_bots(host) == []
        await host.command("pause", on=False)
        while not by_bots(host):
            await host.wait()
        await host.__aexit__()

    run(main())


def test_bots_rest_while_nobody_is_there(tmp_path: Path) -> None:
    async def main(server: Server) -> None:
        host = await where_a_bot_begins(server, pause=False)
        while not by_bots(host):
            await host.wait()
        # It has thrown, and cannot decide before the bots are ready.
        await host.__aexit__()
        await asyncio.to_thread(until, lambda: figure(server, "foxtray_sockets") == 0)
        (tmp_path / "ready").touch()
        # What it was asked while somebody was there is the last that it does.
        last = host.seq + 1
        await asyncio.to_thread(until, lambda: log_lengths(server.db)[host.table_id] >= last)
        await asyncio.sleep(0.5)  # time to go on, if it does
        assert log_lengths(server.db)[host.table_id] == last
        async with Client(server.port, host.table_id, host.token) as back:
            while back.seq == last:
                await back.wait()

    with Server(tmp_path / "store.db", command=WAITING) as server:
        run(main(server))


def test_a_table_says_that_its_bots_warm_up_and_that_they_are_ready(tmp_path: Path) -> None:
    def told(client: Client) -> list[bool]:
        messages = [json.loads(text) for text in client.heard]
        return [m["thinking"] for m in messages if m["type"] in ("snapshot", "presence")]

    async def main(server: Server) -> None:
        assert server.http("GET", "/healthz")[1]["bots"] == "warming"
        _, token = server.player()
        made = server.table(token, "clever", "mb", pause=False)
        alone = server.table(token, "clever", "m")
        async with (
            Client(server.port, made["id"], token) as host,
            Client(server.port, alone["id"], token) as solo,
        ):
            for client in (host, solo):
                client.keep_heard = True
            await host.sit(0)
            await host.command("start")
            await host._hello()
            while True not in told(host):
                await host.wait()
            assert False not in told(host)
            # Where no bot plays there is nothing to say, though they are not ready yet.
            await solo._hello()
            while not told(solo):
                await solo.wait()
            assert told(solo) == [False] * len(told(solo))
            # Nobody comes or goes: the table says by itself that they are ready.
            (tmp_path / "ready").touch()
            while told(host)[-1]:
                await host.wait()
            while not any(entry.get("bot") for entry in host.entries.values()):
                move = host.my_move()
                await (host.command(**move) if move else host.wait())
            assert server.http("GET", "/healthz")[1]["bots"] == "ready"

    with Server(tmp_path / "store.db", command=WAITING) as server:
        run(main(server))
