"""The server is killed at random moments while 20 clients play: nothing acknowledged is lost."""

import asyncio
import json
import random
import sqlite3
import sys
from pathlib import Path

from server.harness import Client, Server, key_of

TABLES = [("clever", "m"), ("twice", "m"), ("clever", "mo"), ("twice", "mooo")]


async def new_table(server: Server, number: int, rng: random.Random) -> list[Client]:
    """A table with everybody seated and the game begun; one client for each person."""
    game, seats = TABLES[number % len(TABLES)]
    people = [await asyncio.to_thread(server.player, f"P{number} {seat}") for seat in seats]
    made = await asyncio.to_thread(server.table, people[0][1], game, seats, pause=False)
    key = key_of(made["you"]["invite"])
    clients = [
        Client(server.port, made["id"], token, key, random.Random(rng.random()))
        for _, token in people
    ]
    for seat, client in enumerate(clients):
        await client.__aenter__()
        await client.sit(seat)
    await clients[0].command("start")
    return clients


async def keep_playing(
    server: Server, number: int, rng: random.Random, met: list[Client], stop: asyncio.Event
) -> None:
    """Play table after table until told to stop."""
    while not stop.is_set():
        clients: list[Client] = []
        try:
            clients = await new_table(server, number, rng)
            met += clients
            tasks = [asyncio.create_task(client.play(undos=0.05)) for client in clients]
            while not stop.is_set() and not all(task.done() for task in tasks):
                await asyncio.sleep(0.05)
            for task in tasks:
                if task.done():
                    task.result()
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
        except OSError:
            await asyncio.sleep(0.2)  # the server is down just now
        finally:
            for client in clients:
                await client.__aexit__()


def check(db: Path, met: list[Client]) -> int:
    """Every acknowledged command is in the log, once, under its number; returns how many."""
    connection = sqlite3.connect(db)
    assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    acknowledged = 0
    for client in met:
        rows = connection.execute(
            'SELECT seq, command FROM events WHERE "table"=?', (client.table_id,)
        ).fetchall()
        seqs = sorted(seq for seq, _ in rows)
        assert seqs == list(range(1, len(seqs) + 1)), "a hole in the log"
        commands = [command.partition(" ")[2] for _, command in rows if command]
        assert len(commands) == len(set(commands)), "executed twice"
        by_name = {c.partition(" ")[2]: seq for seq, c in rows if c}
        for name, seq in client.acked.items():
            assert by_name.get(name) == seq, f"acknowledged but lost: {name}"
            acknowledged += 1
        # What was seen before the crash is what the log says after it.
        for seq, entry in client.entries.items():
            (data,) = connection.execute(
                'SELECT data FROM events WHERE "table"=? AND seq=?', (client.table_id, seq)
            ).fetchone()
            assert json.loads(data)["t"] == entry["what"]
    connection.close()
    return acknowledged


def test_nothing_acknowledged_is_lost_by_kill_9(tmp_path: Path, long_run: bool) -> None:
    kills = 200 if long_run else 30

    async def main() -> None:
        rng = random.Random(9)
        met: list[Client] = []
        stop = asyncio.Event()
        with Server(tmp_path / "store.db") as server:
            # Ten tables of 1, 1, 2, 4, ... people: 20 clients.
            tables = [
                asyncio.create_task(keep_playing(server, n, random.Random(n), met, stop))
                for n in range(10)
            ]
            for _ in range(kills):
                await asyncio.sleep(0.1 + rng.random() * 0.6)
                await asyncio.to_thread(server.kill)
                await asyncio.to_thread(server.start)
            await asyncio.sleep(1)
            before = sum(len(client.acked) for client in met)
            await asyncio.sleep(1)
            assert sum(len(client.acked) for client in met) > before, "nobody went on"
            stop.set()
            await asyncio.gather(*tables)
        acknowledged = check(tmp_path / "store.db", met)
        print(f"{kills} kills, {len(met)} clients, {acknowledged} acknowledged, none lost")
        assert acknowledged > 10 * kills

    asyncio.run(main())


def test_a_backup_under_load_restores_to_a_consistent_state(tmp_path: Path) -> None:
    async def main() -> None:
        met: list[Client] = []
        stop = asyncio.Event()
        with Server(tmp_path / "store.db") as server:
            tables = [
                asyncio.create_task(keep_playing(server, n, random.Random(n), met, stop))
                for n in range(6)
            ]
            await asyncio.sleep(1.5)
            before = {client.table_id: client.seq for client in met}
            moves = sum(before.values())
            copying = await asyncio.create_subprocess_exec(
                sys.executable, "-m", "foxtray", "backup", tmp_path / "copy.db", "--db", server.db
            )
            assert await copying.wait() == 0
            assert sum(client.seq for client in met) > moves, "the copy held up everybody"
            stop.set()
            await asyncio.gather(*tables)
        connection = sqlite3.connect(tmp_path / "copy.db")
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        connection.close()
        with Server(tmp_path / "copy.db") as server:
            for client in met:
                if client.table_id not in before:
                    continue
                path = f"/api/tables/{client.table_id}"
                status, snapshot = server.http("GET", path, token=client.token)
                assert status == 200
                assert before[client.table_id] <= snapshot["seq"] <= client.seq
                for entry in snapshot["entries"]:
                    assert client.entries.get(entry["seq"], entry) == entry

    asyncio.run(main())
