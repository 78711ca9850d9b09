"""The wall clock of a server jumps while somebody is away: the others hear of it in time."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from websockets.asyncio.client import ClientConnection, connect

from server.harness import Json, key_of
from server.test_daily import DAY, HOUR, Dated
from server.test_tables import ENTROPY, post, run, snapshot


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Dated]:
    with Dated(tmp_path_factory.mktemp("jumping") / "store.db") as running:
        yield running


async def hear(socket: ClientConnection, kind: str) -> Json:
    """The next message of a kind."""
    while True:
        message = dict(json.loads(await socket.recv()))
        if message["type"] == kind:
            return message


async def told_by_pings(socket: ClientConnection) -> list[Json]:
    """All that two pings are answered with before the second pong, and that pong."""
    await hear_nothing_more(socket)
    for _ in range(2):
        await socket.send('{"type":"ping"}')
    told: list[Json] = []
    while sum(message["type"] == "pong" for message in told) < 2:
        told.append(json.loads(await socket.recv()))
    return told


async def hear_nothing_more(socket: ClientConnection) -> None:
    """Skip what was on its way: an answer comes after it."""
    await socket.send('{"type":"preview","id":"last"}')
    while json.loads(await socket.recv()).get("id") != "last":
        pass


@pytest.mark.parametrize("jump", [-400 * DAY, -2 * HOUR, 400 * DAY])
def test_who_is_away_is_told_by_the_clock_as_it_goes_now(server: Dated, jump: int) -> None:
    async def main() -> None:
        _, token = server.player("Ana")
        _, away = server.player("Ben")
        made = server.table(token, "clever", "mo")
        table, invite = made["id"], key_of(made["you"]["invite"])
        url = f"ws://127.0.0.1:{server.port}/api/tables/{table}/live"
        headers = {"Authorization": f"Bearer {token}"}
        async with connect(url, additional_headers=headers) as socket:
            await socket.send('{"type":"hello"}')
            await hear(socket, "presence")
            sat = post(server, table, away, "sit", invite, seat=1, entropy=ENTROPY)
            assert sat["type"] == "ack"
            assert [message["type"] for message in await told_by_pings(socket)] == ["pong"] * 2

            server.move(jump)
            pong, presence, again = await told_by_pings(socket)
            assert (presence["type"], again["type"]) == ("presence", "pong")
            assert abs(pong["time"] - presence["absent"][1]) < HOUR
            assert abs(pong["time"] - snapshot(server, table, token)["absent"][1]) < HOUR

    run(main())
