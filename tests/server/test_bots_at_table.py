"""Bots at a table: they pause, rest, play for absent players, and say when they are ready."""

import asyncio
import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from foxtray.bots import LEVELS
from server.harness import Client, Refused, Server, until
from server.test_kill import log_lengths
from server.test_tables import run, seated

WAITING = (sys.executable, str(Path(__file__).with_name("waiting.py")))
NEVER = "100000"


def by_bots(client: Client) -> list[int]:
    """The numbers of the entries that bots made."""
    acts = [e for e in client.entries.values() if e["what"] == "threw" or e.get("bot")]
    return [e["seq"] for e in acts if e["what"] in ("threw", "played")]


async def where_a_bot_begins(server: Server, **wish: object) -> Client:
    """The host of a table where a bot happens to play first."""
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
        # Whatever is asked in between, the bot that begins takes its time, which is for ever here.
        for _ in range(3):
            await host.command("pause", on=True)
        assert by_bots(host) == []
        answer = await host.command("pause", on=False)
        while not any(seq > answer["seq"] for seq in by_bots(host)):
            await host.wait()
        # And on again, for what comes next.
        while not host.my_move():
            await host.wait()
        await host.command("pause", on=True)
        await host.__aexit__()

    run(main())


def test_a_player_alone_with_bots_sets_their_pace(slow: Server) -> None:
    async def main() -> None:
        host = await where_a_bot_begins(slow)
        await host.command("pace", pace="quick")
        assert by_bots(host) == []
        # A touch skips what is shown, until something is asked of the player.
        answer = await host.command("pace", pace="calm", skip=True)
        assert answer["type"] == "ack"
        while not host.my_move():
            await host.wait()
        acted = by_bots(host)
        assert acted
        # From here on bots pause again.
        while move := host.my_move():
            await host.command(**move)
        await host.command("pace", pace="calm")
        assert by_bots(host) == acted
        await host.command("pace", pace="instant")
        while by_bots(host) == acted:
            await host.wait()
        await host.__aexit__()

    run(main())


def test_the_calmest_of_several_people_sets_the_pace(slow: Server) -> None:
    async def main() -> None:
        while True:
            made, (host, guest) = await seated(slow, "mob")
            await host.command("start")
            if host.table["first"] == 2:
                break
            for client in (host, guest):
                await client.__aexit__()
        for client in (host, guest):
            await client.command("pace", pace="calm", skip=True)
        await host.command("pace", pace="instant", skip=True)
        assert by_bots(host) == [], "the other one wants to see it"
        await guest.command("pace", pace="instant")
        while not by_bots(host):
            await host.wait()
        _, token = slow.player("Watcher")
        key = made["you"]["key"]
        async with Client(slow.port, made["id"], token, key) as watcher:
            with pytest.raises(Refused, match="not_seated"):
                await watcher.command("pace", pace="calm")
        for client in (host, guest):
            await client.__aexit__()

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
        await asyncio.to_thread(until, lambda: server.figure("foxtray_sockets") == 0)
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
            await host.hello()
            while True not in told(host):
                await host.wait()
            assert False not in told(host)
            # Where no bot plays there is nothing to say, though they are not ready yet.
            await solo.hello()
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


def test_every_bot_that_is_listed_can_have_a_seat(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Bots of another package too, whatever an entry point may be called."""
    package = tmp_path / "alpha2-1.0.dist-info"
    package.mkdir()
    (package / "METADATA").write_text("Metadata-Version: 2.1\nName: alpha2\nVersion: 1.0\n")
    names = ("alpha2", "Alpha_2.5-beta", "a" * 64)
    left_out = ("alpha 2", "alpha:2", "a" * 65)
    entries = [f"{name} = alpha2:Bot" for name in names + left_out]
    (package / "entry_points.txt").write_text("\n".join(["[foxtray.bots]", *entries, ""]))
    path = os.environ.get("PYTHONPATH", "")
    monkeypatch.setenv("PYTHONPATH", f"{tmp_path}{os.pathsep}{path}")

    async def main(server: Server) -> None:
        listed = server.http("GET", "/api/me")[1]["bots"]
        assert set(listed) == {*LEVELS, *names}
        _, token = server.player()
        table = server.table(token, "clever", "mo")["id"]
        async with Client(server.port, table, token) as host:
            for bot in listed:
                wish = {"game": "clever", "seats": [{"kind": "me"}, {"kind": "bot", "bot": bot}]}
                status, made = server.http("POST", "/api/tables", wish, token)
                assert status == 200, made
                await host.command("reseat", seat=1, bot=bot)
                assert host.table["seats"][1]["bot"] == bot

    with Server(tmp_path / "store.db") as server:
        run(main(server))
