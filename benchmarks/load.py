"""Load on a live server: sockets, moves, latencies, memory; everything on loopback.

    python benchmarks/load.py                    both scenes of the goals
    python benchmarks/load.py --tables 100 --moves 200 --seconds 5

Server and clients are processes of their own. Moves come at a fixed rate, whether or not the
server keeps up, so that a slow answer is seen as such.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import json
import os
import random
import resource
import secrets
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path
from typing import Any

import msgspec
import uvloop
from websockets.asyncio.client import ClientConnection, connect

from foxtray.game import RULES_VERSION
from foxtray.server.players import digest
from foxtray.server.protocol import inputs
from foxtray.server.protocol.inputs import SeatSetup, TableSetup
from foxtray.server.store import Addition, LogRow, PlayerRow, TableRow
from foxtray.server.store.sqlite import SqliteStore
from foxtray.server.wall_clock import now

SEATS = 4


# --- preparing a store ----------------------------------------------------------------------------


async def prepare(path: Path, tables: int) -> list[list[str]]:
    """Fill a store with tables before their first roll; returns the tokens of their players."""
    store = SqliteStore(path)
    tokens: list[list[str]] = []
    work = []
    for number in range(tables):
        mine = [secrets.token_urlsafe(24) for _ in range(SEATS)]
        tokens.append(mine)
        names = [f"p{number}-{seat}" for seat in range(SEATS)]
        for name, token in zip(names, mine, strict=True):
            work.append(store.add_player(PlayerRow(name, "Ana", digest(token), 0)))
        game = ("clever", "twice")[number % 2]
        setup = TableSetup(game, [SeatSetup(player=name) for name in names])
        row = TableRow(
            f"t{number}", RULES_VERSION, inputs.encode_setup(setup), secrets.token_bytes(32),
            names[0], "invite", "watch", now(),
        )  # fmt: skip
        work.append(store.add_table(row, list(enumerate(names))))
        entries: list[inputs.AnyInput] = [
            inputs.Sat(seat, name, secrets.token_hex(16)) for seat, name in enumerate(names)
        ]
        entries.append(inputs.Started(0))
        rows = [LogRow(i, now(), inputs.encode(entry)) for i, entry in enumerate(entries, 1)]
        work.append(store.append(Addition(row.id, rows)))
    await asyncio.gather(*work)
    await store.close()
    return tokens


# --- clients --------------------------------------------------------------------------------------


class Place(msgspec.Struct):
    action: str


class SeatPart(msgspec.Struct):
    legal: list[Place]


class GamePart(msgspec.Struct):
    rolling: list[str]
    awaiting: list[int]
    active: int
    over: bool
    seats: list[SeatPart]


class Heard(msgspec.Struct):
    """The parts of a message that a random player needs."""

    type: str
    id: str | None = None
    seq: int = 0
    code: str = ""
    game: GamePart | None = None


decode = msgspec.json.Decoder(Heard).decode


class Board:
    """One table and its sockets in this process; it sends one command at a time."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.sockets: list[ClientConnection] = []
        self.game: GamePart | None = None
        self.sent = 0.0
        self.pending: str | None = None

    def move(self, number: int) -> tuple[int, str] | None:
        """A seat and its next command."""
        game = self.game
        if game is None or game.over:
            return None
        if game.rolling:
            return game.active, f'{{"type":"roll","id":"m{number}"}}'
        if not game.awaiting:
            return None
        seat = random.choice(game.awaiting)
        action = random.choice(game.seats[seat].legal).action
        return seat, f'{{"type":"play","id":"m{number}","action":"{action}"}}'


class Load:
    """The clients of one process."""

    def __init__(self, port: int, first: int, tokens: list[list[str]]) -> None:
        self.port = port
        self.boards = [Board(f"t{first + i}") for i in range(len(tokens))]
        self.tokens = tokens
        self.acks: list[float] = []
        self.screens: list[float] = []
        self.errors: list[str] = []
        self.unsent = 0
        self.measuring = False

    async def open_all(self) -> None:
        gate = asyncio.Semaphore(50)

        async def open_one(board: Board, token: str) -> None:
            async with gate:
                live = await connect(
                    f"ws://127.0.0.1:{self.port}/api/tables/{board.name}/live",
                    additional_headers={"Authorization": f"Bearer {token}"},
                    compression=None, ping_interval=None, open_timeout=60, max_queue=None,
                )  # fmt: skip
                await live.send('{"type":"hello"}')
                board.sockets.append(live)
                self.tasks.append(asyncio.create_task(self.listen(board, live)))
                while board.game is None:
                    await asyncio.sleep(0.01)

        self.tasks: list[asyncio.Task[None]] = []
        for board, tokens in zip(self.boards, self.tokens, strict=True):
            await asyncio.gather(*(open_one(board, tokens[seat]) for seat in range(SEATS)))

    async def listen(self, board: Board, live: ClientConnection) -> None:
        try:
            async for text in live:
                heard = decode(text)
                if heard.type in ("update", "snapshot"):
                    if heard.game is not None:
                        board.game = heard.game
                    if self.measuring and board.sent:
                        self.screens.append(time.perf_counter() - board.sent)
                elif heard.type == "ack" and heard.id == board.pending:
                    self.acks.append(time.perf_counter() - board.sent)
                    board.pending = None
                elif heard.type == "refused":
                    self.errors.append(heard.code)
                    board.pending = None
        except Exception as error:
            self.errors.append(repr(error))
        if self.measuring:
            self.errors.append("closed")

    async def play(self, rate: float, seconds: float) -> None:
        """Moves at a fixed rate, spread over the tables."""
        self.measuring = True
        start = time.perf_counter()
        number = 0
        order = list(range(len(self.boards)))
        random.shuffle(order)
        while (elapsed := time.perf_counter() - start) < seconds:
            while number < elapsed * rate:
                number += 1
                for _ in range(20):
                    board = self.boards[order[random.randrange(len(order))]]
                    if board.pending is None and (found := board.move(number)):
                        seat, text = found
                        board.pending, board.sent = f"m{number}", time.perf_counter()
                        await board.sockets[seat].send(text)
                        break
                else:
                    self.unsent += 1
            await asyncio.sleep(0.001)
        await asyncio.sleep(1)
        self.measuring = False

    async def heartbeat(self) -> None:
        """Ping from every client every 12 seconds, spread evenly as with real people."""
        while True:
            for board in self.boards:
                await asyncio.sleep(12 / len(self.boards))
                for live in list(board.sockets):
                    await live.send('{"type":"ping"}')


def client(port: int) -> None:
    """A process of clients, controlled through standard input."""
    raise_limit()
    job = json.loads(sys.stdin.readline())

    async def main() -> None:
        load = Load(port, job["first"], job["tokens"])
        beat = asyncio.create_task(load.heartbeat())
        await load.open_all()
        gc.collect()
        gc.freeze()
        gc.disable()  # so that the clients' own pauses are not measured
        print("open", flush=True)
        await asyncio.to_thread(sys.stdin.readline)
        await load.play(job["rate"], job["seconds"])
        print(
            json.dumps(
                {
                    "acks": load.acks,
                    "screens": load.screens,
                    "errors": load.errors[:20],
                    "failed": len(load.errors),
                    "unsent": load.unsent,
                }
            ),
            flush=True,
        )
        beat.cancel()
        os._exit(0)

    uvloop.run(main())


# --- the benchmark --------------------------------------------------------------------------------


def raise_limit() -> None:
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def launch(port: int, db: Path) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [
            sys.executable, "-m", "foxtray", "serve", "--port", str(port), "--db", str(db),
            "--no-limits", "--workers", "1", "--log-level", "warning",
        ],
        stdout=subprocess.DEVNULL,
        start_new_session=True,
        env={**os.environ, "FOXTRAY_WARM": "off"},  # no bots play here
    )  # fmt: skip


def get(port: int, path: str) -> str:
    with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=10) as answer:
        return str(answer.read().decode())


def wait_until_up(port: int) -> None:
    while True:
        try:
            get(port, "/healthz")
            return
        except OSError:
            time.sleep(0.01)


def resident(pid: int) -> int:
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * 4096


def cpu(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def figure(text: str, name: str) -> float:
    return next((float(x.split()[1]) for x in text.splitlines() if x.startswith(name + " ")), 0.0)


def centile(values: list[float], share: float) -> float:
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))] * 1000 if ordered else 0.0


def buckets(before: str, after: str) -> str:
    """The server's own latencies, as shares below each bound."""
    name = "foxtray_command_seconds_bucket"
    bounds = [line.partition(" ")[0] for line in after.splitlines() if line.startswith(name)]
    counts = {bound: figure(after, bound) - figure(before, bound) for bound in bounds}
    total = max(1.0, *counts.values())
    shares = [f"{b.partition('le=')[2][1:-2]}: {100 * c / total:.1f}%" for b, c in counts.items()]
    return "in the server, seconds: " + ", ".join(shares)


def scene(tables: int, rate: float, seconds: float, processes: int) -> dict[str, Any]:
    """One load; prints and returns its figures."""
    sockets = tables * SEATS
    print(f"{sockets} sockets at {tables} tables, {rate:g} moves a second, {seconds:g} s")
    with tempfile.TemporaryDirectory() as folder:
        db = Path(folder) / "load.db"
        tokens = asyncio.run(prepare(db, tables))
        port = free_port()
        server = launch(port, db)
        clients: list[subprocess.Popen[str]] = []
        try:
            wait_until_up(port)
            empty = resident(server.pid)
            share = -(-tables // processes)
            for i in range(processes):
                part = tokens[i * share : (i + 1) * share]
                started = subprocess.Popen(
                    [sys.executable, __file__, "--client", str(port)],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    text=True,
                )
                clients.append(started)
                job = {"first": i * share, "tokens": part, "seconds": seconds}
                job["rate"] = rate * len(part) / tables
                assert started.stdin
                started.stdin.write(json.dumps(job) + "\n")
                started.stdin.flush()
            begun = time.perf_counter()
            for started in clients:
                assert started.stdout
                assert started.stdout.readline() == "open\n"
            opening = time.perf_counter() - begun
            full = resident(server.pid)
            before, busy = get(port, "/metrics"), cpu(server.pid)
            for started in clients:
                assert started.stdin
                started.stdin.write("go\n")
                started.stdin.flush()
            results = []
            for started in clients:
                assert started.stdout
                results.append(json.loads(started.stdout.readline()))
            busy = cpu(server.pid) - busy
            after = get(port, "/metrics")
            os.kill(server.pid, signal.SIGKILL)
            server.wait()
            killed = time.perf_counter()
            server = launch(port, db)
            wait_until_up(port)
            back = time.perf_counter() - killed
        finally:
            for started in clients:
                started.kill()
                started.wait()
            server.terminate()
            server.wait()
    acks = [x for result in results for x in result["acks"]]
    screens = [x for result in results for x in result["screens"]]
    failed = sum(result["failed"] for result in results)
    commits = figure(after, "foxtray_commit_seconds_count") - figure(
        before, "foxtray_commit_seconds_count"
    )

    def mean(name: str) -> float:
        total = figure(after, f"foxtray_{name}_sum") - figure(before, f"foxtray_{name}_sum")
        return total / max(
            1.0, figure(after, f"foxtray_{name}_count") - figure(before, f"foxtray_{name}_count")
        )

    told = {
        "moves a second": len(acks) / seconds,
        "to the acknowledgement, p50 ms": centile(acks, 0.5),
        "to the acknowledgement, p99 ms": centile(acks, 0.99),
        "to the acknowledgement, max ms": centile(acks, 1),
        "to everyone's screen, p50 ms": centile(screens, 0.5),
        "to everyone's screen, p99 ms": centile(screens, 0.99),
        "to everyone's screen, max ms": centile(screens, 1),
        "commits a second": commits / seconds,
        "mean in the server, ms": 1000 * mean("command_seconds"),
        "mean of a commit, ms": 1000 * mean("commit_seconds"),
        "moves in a commit": mean("commit_writes"),
        "kB a socket, its table included": (full - empty) / sockets / 1024,
        "errors": failed,
        "moves not sent in time": sum(result["unsent"] for result in results),
        "server's share of a core, %": 100 * busy / (seconds + 1),
        "seconds to open all sockets": opening,
        "seconds to come back after kill -9": back,
    }
    for name, value in told.items():
        print(f"  {name:40} {value:10.1f}")
    print("  " + buckets(before, after))
    for result in results:
        if result["errors"]:
            print("  ", result["errors"])
    sys.stdout.flush()
    return told


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--client", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--tables", type=int)
    parser.add_argument("--moves", type=float, default=500)
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--processes", type=int, default=1)
    args = parser.parse_args()
    if args.client:
        client(args.client)
        return
    raise_limit()
    if args.tables:
        scene(args.tables, args.moves, args.seconds, args.processes)
        return
    scene(500, 1_000, args.seconds, args.processes)
    scene(2_500, 500, args.seconds, args.processes)


if __name__ == "__main__":
    main()
