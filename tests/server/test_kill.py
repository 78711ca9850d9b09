"""The server is killed at random moments while 20 clients play: nothing acknowledged is lost."""

import asyncio
import json
import random
import sqlite3
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from server.harness import Client, Server, key_of, until

TABLES = [("clever", "m"), ("twice", "m"), ("clever", "mo"), ("twice", "mo"), ("clever", "mooo")]
"""Ten people; the game changes with every round of the five."""
PATIENCE = 90.0


@dataclass
class Crowd:
    """People at tables that are played one after another."""

    met: list[Client] = field(default_factory=list)
    """Everybody who ever sat down."""
    seated: dict[int, list[Client]] = field(default_factory=dict)
    """Who sits at a table now, by its number; nobody while the next game is being set up."""
    stop: asyncio.Event = field(default_factory=asyncio.Event)
    tasks: list[asyncio.Task[None]] = field(default_factory=list)

    def gather(self, server: Server, tables: int) -> None:
        """Let people play at this many tables."""
        for number in range(tables):
            playing = keep_playing(server, number, random.Random(number), self)
            self.tasks.append(asyncio.create_task(playing))

    async def part(self) -> None:
        """Let everybody stop; errors at tables are raised."""
        self.stop.set()
        await asyncio.gather(*self.tasks)

    async def achieve(self, acknowledged: int) -> None:
        """Wait until this many commands were acknowledged in total."""
        await asyncio.to_thread(until, lambda: self.acknowledged() >= acknowledged)

    def acknowledged(self) -> int:
        return sum(len(client.acked) for client in self.met)


async def new_table(server: Server, number: int, rng: random.Random) -> list[Client]:
    """A table with everybody seated and the game begun; one client for each person."""
    game, seats = TABLES[number % len(TABLES)]
    if number // len(TABLES) % 2:
        game = {"clever": "twice", "twice": "clever"}[game]
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


async def keep_playing(server: Server, number: int, rng: random.Random, crowd: Crowd) -> None:
    """Play table after table until told to stop."""
    while not crowd.stop.is_set():
        clients: list[Client] = []
        try:
            clients = await new_table(server, number, rng)
            crowd.met += clients
            crowd.seated[number] = clients
            tasks = [asyncio.create_task(client.play(undos=0.05)) for client in clients]
            while not crowd.stop.is_set() and not all(task.done() for task in tasks):
                await asyncio.sleep(0.05)
            for task in tasks:
                if task.done():
                    task.result()
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
        except OSError:
            await asyncio.sleep(0.2)  # the server is down just now
        finally:
            crowd.seated.pop(number, None)
            for client in clients:
                await client.__aexit__()


def log_lengths(db: Path) -> dict[str, int]:
    """How many entries the log of every table has."""
    connection = sqlite3.connect(f"file:{db}?mode=ro", uri=True)
    rows = connection.execute('SELECT "table", max(seq) FROM inputs GROUP BY "table"').fetchall()
    connection.close()
    return dict(rows)


async def everybody_is_seated(crowd: Crowd, people: int) -> list[Client]:
    """Wait until all are at a table whose game has begun."""
    async with asyncio.timeout(PATIENCE):
        while sum(map(len, crowd.seated.values())) < people:
            await asyncio.sleep(0.05)
    return [client for clients in crowd.seated.values() for client in clients]


async def everybody_goes_on(crowd: Crowd, people: int, db: Path) -> None:
    """Wait until everybody has seen the log of the table grow by then, or the game end."""
    waiting = await everybody_is_seated(crowd, people)
    written = await asyncio.to_thread(log_lengths, db)
    deadline = asyncio.get_running_loop().time() + PATIENCE
    while waiting:
        late = asyncio.get_running_loop().time() > deadline
        assert not late, f"stuck: {[(c.table_id, c.seq, written[c.table_id]) for c in waiting]}"
        await asyncio.sleep(0.05)
        waiting = [client for client in waiting if not went_on(client, written)]


def went_on(client: Client, written: dict[str, int]) -> bool:
    over = client.game is not None and client.game["over"]
    return over or client.seq > written[client.table_id]


def check(db: Path, met: list[Client]) -> int:
    """Nothing acknowledged is missing in a file; returns how much was."""
    connection = sqlite3.connect(db)
    assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    query = 'SELECT seq, command, data FROM inputs WHERE "table"=?'
    acknowledged = check_logs(lambda table: connection.execute(query, (table,)).fetchall(), met)
    connection.close()
    return acknowledged


def check_logs(read: Callable[[str], list[tuple[int, str, bytes]]], met: list[Client]) -> int:
    """Every acknowledged command is in the log, once, under its number; returns how many."""
    acknowledged = 0
    for client in met:
        found = read(client.table_id)
        rows = [(seq, command) for seq, command, _ in found]
        inputs = {seq: data for seq, _, data in found}
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
            assert json.loads(inputs[seq])["t"] == entry["what"]
    return acknowledged


def test_nothing_acknowledged_is_lost_by_kill_9(tmp_path: Path, long_run: bool) -> None:
    kills = 200 if long_run else 30

    async def main() -> None:
        rng = random.Random(9)
        crowd = Crowd()
        with Server(tmp_path / "store.db") as server:
            # Ten tables of 1, 1, 2, 2 and 4 people.
            crowd.gather(server, 10)
            for kill in range(1, kills + 1):
                await crowd.achieve(10 * kill)
                await asyncio.sleep(0.1 + rng.random() * 0.6)
                await asyncio.to_thread(server.kill)
                await asyncio.to_thread(server.start)
            await everybody_goes_on(crowd, 20, server.db)
            await crowd.part()
        acknowledged = check(tmp_path / "store.db", crowd.met)
        print(f"{kills} kills, {len(crowd.met)} players, {acknowledged} acknowledged, none lost")
        assert acknowledged >= 10 * kills

    asyncio.run(main())


def test_a_backup_under_load_restores_to_a_consistent_state(tmp_path: Path) -> None:
    async def main() -> None:
        crowd = Crowd()
        met = crowd.met
        with Server(tmp_path / "store.db") as server:
            crowd.gather(server, 6)
            await everybody_is_seated(crowd, 11)
            before = {client.table_id: client.seq for client in met}
            acknowledged = crowd.acknowledged()
            copying = await asyncio.create_subprocess_exec(
                sys.executable, "-m", "foxtray", "backup", tmp_path / "copy.db", "--db", server.db
            )
            assert await copying.wait() == 0
            assert crowd.acknowledged() > acknowledged, "the copy held up everybody"
            await crowd.part()
        connection = sqlite3.connect(tmp_path / "copy.db")
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        connection.close()
        written = log_lengths(tmp_path / "store.db")
        with Server(tmp_path / "copy.db") as server:
            copied = [client for client in met if client.table_id in before]
            assert len(copied) >= 11
            for client in copied:
                path = f"/api/tables/{client.table_id}"
                status, snapshot = server.http("GET", path, token=client.token)
                assert status == 200
                assert before[client.table_id] <= snapshot["seq"] <= written[client.table_id]
                seen = [entry for entry in snapshot["entries"] if entry["seq"] in client.entries]
                assert seen
                assert seen == [client.entries[entry["seq"]] for entry in seen]

    asyncio.run(main())
