"""Whole games by scripted clients on a real server, over bad connections."""

import asyncio
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from foxtray import record
from server.harness import Client, Json, Server, key_of
from server.test_kill import check
from server.test_secrets import Heard, check_heard


async def gather_clients(
    server: Server, game: str, seats: str, rng: random.Random, trouble: float = 0.0
) -> tuple[Json, list[Client]]:
    """A table with a client for each person, seated; not started yet."""
    _, token = server.player("Ana")
    made = server.table(token, game, seats, pause=False)
    keys = {token: ""}
    for number in range(seats.count("o")):
        keys[server.player(f"Guest {number}")[1]] = key_of(made["you"]["invite"])
    clients = [
        Client(server.port, made["id"], token, key, random.Random(rng.random()), trouble)
        for token, key in keys.items()
    ]
    for client in clients:
        client.keep_heard = True
        await client.__aenter__()
    people = [number for wanted in "mo" for number, kind in enumerate(seats) if kind == wanted]
    for client, seat in zip(clients, people, strict=True):
        await client.sit(seat)
    return made, clients


def check_views(server: Server, made: Json, clients: list[Client], folder: Path) -> None:
    """Every client's view is the replay of the log, and the record verifies offline."""
    token = clients[0].token
    status, snapshot = server.http("GET", f"/api/tables/{made['id']}", token=token)
    assert status == 200
    for client in clients:
        assert client.seq == snapshot["seq"]
        assert client.game == snapshot["game"]
        assert client.table == snapshot["table"]
        numbers = sorted(client.entries)
        assert numbers == list(range(numbers[0], client.seq + 1)), "a gap"
    assert snapshot["table"]["status"] == "over"
    status, text = server.http("GET", f"/api/tables/{made['id']}/record", token=token)
    assert status == 200
    kept, verified = record.read(text)
    assert verified
    totals = [card.total for card in kept.game.scores()]
    assert totals == [seat["score"]["total"] for seat in snapshot["game"]["seats"]]
    path = folder / "game.fox"
    path.write_text(text)
    subprocess.run([sys.executable, "-m", "foxtray", "replay", str(path)], check=True)


TROUBLE = 0.2
"""How often a message is late, sent twice, or overtaken."""
TABLES = [
    ("clever", "m"),
    ("twice", "m"),
    ("clever", "mo"),
    ("twice", "om"),
    ("clever", "omo"),
    ("twice", "mob"),
    ("clever", "mooo"),
    ("twice", "ombo"),
]


@pytest.mark.parametrize(("game", "seats"), TABLES)
def test_whole_games_over_bad_connections(
    server: Server, tmp_path: Path, game: str, seats: str
) -> None:
    async def main() -> None:
        rng = random.Random(f"{game}{seats}")
        made, clients = await gather_clients(server, game, seats, rng, TROUBLE)
        watcher = Client(server.port, made["id"], "", made["you"]["key"], rng, TROUBLE)
        watcher.keep_heard = True
        await watcher.__aenter__()
        host = next(client for client in clients if client.token)
        await host.command("start")
        try:
            async with asyncio.timeout(180):
                await asyncio.gather(*(c.play(drops=0.03, undos=0.1) for c in clients))
                check_answers(clients)
                await asyncio.gather(*(client.repeat() for client in clients))
                everybody = [*clients, watcher]
                while len({client.seq for client in everybody}) > 1:
                    await asyncio.sleep(0.05)
        finally:
            for client in [*clients, watcher]:
                await client.__aexit__()
        check_answers(clients)
        assert check(server.db, clients) == sum(len(client.acked) for client in clients)
        check_views(server, made, [*clients, watcher], tmp_path)
        check_no_leak(made, [*clients, watcher])

    asyncio.run(main())


def check_answers(clients: list[Client]) -> None:
    """Every repeated command was acknowledged with the same number, and some were repeated."""
    for client in clients:
        assert client.acked
        for name, answers in client.answers.items():
            acks = [answer for answer in answers if answer["type"] == "ack"]
            # What was refused first may be carried out when it comes again; never the other way.
            assert not acks or answers[-len(acks) :] == acks
            assert all(ack == acks[0] for ack in acks)
            assert name not in client.acked or acks[0]["seq"] == client.acked[name]
        assert any(len(client.answers[name]) > 1 for name in client.acked)


def check_no_leak(made: Json, clients: list[Client]) -> None:
    """No message contained a secret, a token or a key that its reader may not know."""
    secret = clients[0].table["dice"]["secret"]
    assert secret
    heard = [
        Heard(reader, "message", text.encode(), '"status":"over"' in text)
        for reader, client in enumerate(clients)
        for text in client.heard
    ]
    tokens = [client.token for client in clients]
    check_heard(heard, tokens, key_of(made["you"]["invite"]), bytes.fromhex(secret))
    for client in clients:
        for text in client.heard:
            check_only_known_keys(text)


def check_only_known_keys(text: str) -> None:
    """Faces are told for dice on the table, and nowhere else."""
    assert '"order"' not in text
    assert '"token"' not in text


def test_duplicates_and_reordered_commands(server: Server) -> None:
    """A command that is sent ten times is executed once and acknowledged each time."""

    async def main() -> None:
        _, clients = await gather_clients(server, "clever", "m", random.Random(1))
        (client,) = clients
        await client.command("start")
        answers: list[Any] = []
        assert client.socket
        client.heard.clear()
        rolls = ['{"type":"roll","id":"same"}'] * 10
        for text in [*rolls, '{"type":"undo","id":"stale"}']:
            await client.socket.send(text)
        async with asyncio.timeout(10):
            while len(answers) < 11:
                await client.wait(0.1)
                answers = [t for t in client.heard if '"ack"' in t or '"refused"' in t]
        acks = {t for t in answers if '"ack"' in t}
        assert len(acks) == 1
        assert sum(t in acks for t in answers) == 10
        assert "nothing_to_undo" in answers[-1]
        assert sum(entry["what"] == "threw" for entry in client.entries.values()) == 1
        await client.__aexit__()

    asyncio.run(main())
