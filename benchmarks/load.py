"""Load on a live server: sockets, moves, latencies, CPU, memory; everything on loopback.

    python benchmarks/load.py                    the comparison, and the scenes of the goals
    python benchmarks/load.py --compare          Foxtray and boardgame.io, one after the other
    python benchmarks/load.py --tables 100 --moves 200 --seconds 5

Server and clients are processes of their own. Moves come at a fixed rate, whether or not the
server keeps up, so that a slow answer is seen as such. The game of boardgame.io is trivial: one
number is added to another. It runs in memory or with its own flat files, which do not wait for the
disk; Foxtray writes every move to the disk before anybody is told.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import importlib
import json
import os
import random
import resource
import secrets
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Awaitable
from pathlib import Path
from typing import Any

import msgspec
import uvloop
from websockets.asyncio.client import connect

from foxtray.dice import Throw
from foxtray.game import RULES_VERSION, Game
from foxtray.server.database import Database
from foxtray.server.players import digest
from foxtray.server.protocol import inputs
from foxtray.server.protocol.inputs import SeatSetup, TableSetup
from foxtray.server.store import Addition, LogRow, PlayerRow, TableRow
from foxtray.server.store.opening import open_store
from foxtray.server.wall_clock import now

ROOT = Path(__file__).parent.parent
RIVAL = Path(__file__).parent / "boardgame"
SEATS = 4
GAMES = ("clever", "twice")


# --- preparing a store ----------------------------------------------------------------------------


async def prepare(db: Database, tables: int) -> list[list[str]]:
    """Fill a store with tables before their first roll; returns the tokens of their players."""
    store = open_store(db)
    tokens: list[list[str]] = []
    work, logs = [], []
    for number in range(tables):
        mine = [secrets.token_urlsafe(24) for _ in range(SEATS)]
        tokens.append(mine)
        names = [f"p{number}-{seat}" for seat in range(SEATS)]
        for name, token in zip(names, mine, strict=True):
            work.append(store.add_player(PlayerRow(name, "Ana", digest(token), 0)))
        game = GAMES[number % 2]
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
        logs.append(store.append(Addition(row.id, rows)))
    await asyncio.gather(*work)
    await asyncio.gather(*logs)
    await store.close()
    return tokens


# --- clients --------------------------------------------------------------------------------------


class Board:
    """One table and its sockets in this process; it sends one command at a time."""

    def __init__(self, load: Load, name: str) -> None:
        self.load = load
        self.name = name
        self.players: list[Player] = []
        """In the order of seats."""
        self.sent = 0.0
        self.pending: str | None = None

    def send(self, number: int) -> Awaitable[None] | None:
        """The next command on its way; None if this table waits for something."""
        found = None if self.pending else self.players[0].choose(self)
        if found is None:
            return None
        player, text = found
        self.pending, self.sent = f"m{number}", time.perf_counter()
        return player.socket.send(text % self.pending)

    def told(self) -> None:
        """A socket was told of a move."""
        if self.load.measuring and self.sent:
            self.load.screens.append(time.perf_counter() - self.sent)

    def answered(self, name: str | None, error: str = "") -> None:
        """A socket was told that its command was carried out, or why not."""
        if error:
            self.load.errors.append(error)
        if name == self.pending or error:
            self.load.acks += [] if error else [time.perf_counter() - self.sent]
            self.pending = None


class Player:
    """One socket, and what it was told."""

    path = ""

    def __init__(self, board: Board, seat: int, token: str) -> None:
        self.board = board
        self.seat = seat
        self.token = token
        self.ready = asyncio.Event()
        self.bytes = 0

    async def open(self, port: int) -> None:
        self.socket = await connect(
            f"ws://127.0.0.1:{port}{self.path.format(self.board.name)}",
            additional_headers={"Authorization": f"Bearer {self.token}"},
            compression=None, ping_interval=None, open_timeout=60, max_queue=None, max_size=None,
        )  # fmt: skip
        await self.greet()
        self.task = asyncio.create_task(self.listen())
        await self.ready.wait()

    async def listen(self) -> None:
        load = self.board.load
        try:
            async for text in self.socket:
                if load.measuring:
                    self.bytes += len(text)
                await self.hear(text)
        except Exception as error:
            load.errors.append(repr(error))
        if load.measuring:
            load.errors.append("closed")

    async def greet(self) -> None:
        """Say who this is."""

    async def hear(self, text: Any) -> None:
        """Take a message."""

    async def beat(self) -> None:
        """Show that this socket lives."""

    def choose(self, board: Board) -> tuple[Player, str] | None:
        """A player of the board and a command, which gets its id; None if nobody can act."""


class Place(msgspec.Struct):
    action: str


class SeatPart(msgspec.Struct):
    legal: list[Place] | msgspec.UnsetType = msgspec.UNSET


class GamePart(msgspec.Struct):
    """The parts of a game, or of a patch, that a random player needs."""

    rolling: list[str] | msgspec.UnsetType = msgspec.UNSET
    awaiting: list[int] | msgspec.UnsetType = msgspec.UNSET
    active: int | msgspec.UnsetType = msgspec.UNSET
    over: bool | msgspec.UnsetType = msgspec.UNSET
    seats: list[SeatPart] | dict[str, SeatPart] | msgspec.UnsetType = msgspec.UNSET


class EventPart(msgspec.Struct):
    event: str
    faces: tuple[int, ...] = ()


class EntryPart(msgspec.Struct):
    seat: int = 0
    action: str | None = None
    events: list[EventPart] = []


class Heard(msgspec.Struct):
    type: str
    id: str | None = None
    seq: int = 0
    code: str = ""
    game: GamePart | None = None
    patch: GamePart | None = None
    entries: list[EntryPart] = []


decode = msgspec.json.Decoder(Heard).decode


class Seen(Player):
    """A client of Foxtray that is told the whole game, as docs/protocol.md has it."""

    path = "/api/tables/{}/live"
    hello = '{"type":"hello"}'

    def __init__(self, board: Board, seat: int, token: str) -> None:
        super().__init__(board, seat, token)
        self.seq = 0
        self.rolling: list[str] = []
        self.awaiting: list[int] = []
        self.active = 0
        self.over = False
        self.legal: list[Place] = []

    async def greet(self) -> None:
        await self.socket.send(self.hello)

    async def beat(self) -> None:
        await self.socket.send('{"type":"ping"}')

    async def hear(self, text: Any) -> None:
        heard = decode(text)
        if heard.type in ("update", "snapshot"):
            self.seq = heard.seq
            self.see(heard)
            self.board.told()
            self.ready.set()
        elif heard.type == "ack":
            self.board.answered(heard.id)
        elif heard.type == "refused":
            self.board.answered(heard.id, heard.code)

    def see(self, heard: Heard) -> None:
        part = heard.game or heard.patch
        if part is None:
            return
        for name in ("rolling", "awaiting", "active", "over"):
            if (value := getattr(part, name)) is not msgspec.UNSET:
                setattr(self, name, value)
        seats = part.seats
        own = seats.get(str(self.seat)) if isinstance(seats, dict) else None
        if isinstance(seats, list):
            own = seats[self.seat]
        if own and isinstance(own.legal, list):
            self.legal = own.legal

    def choose(self, board: Board) -> tuple[Player, str] | None:
        players: list[Any] = board.players
        if self.over or any(player.seq != self.seq for player in players):
            return None
        if self.rolling:
            return players[self.active], '{"type":"roll","id":"%s"}'
        player = players[random.choice(self.awaiting)]
        action = random.choice(player.actions())
        return player, f'{{"type":"play","id":"%s","action":"{action}"}}'

    def actions(self) -> list[str]:
        return [place.action for place in self.legal]


class Patched(Seen):
    """A client that is told what changed, and what its own seat may do."""

    hello = '{"type":"hello","patches":true,"legal":"mine"}'


class Knowing(Seen):
    """A client that is told what changed, and knows the rules itself."""

    hello = '{"type":"hello","patches":true,"legal":"none"}'
    game: Game | None = None

    def see(self, heard: Heard) -> None:
        super().see(heard)
        if self.seat:
            return  # one of them plays along for all four
        game = self.game or Game.new(self.kind, SEATS)
        for entry in heard.entries:
            faces = next((event.faces for event in entry.events if event.event == "thrown"), ())
            if faces:
                game = game.roll(Throw(faces)).game
            elif entry.action:
                game = game.play(entry.seat, entry.action).game
        self.game = game

    @property
    def kind(self) -> str:
        return GAMES[int(self.board.name[1:]) % 2]

    def actions(self) -> list[str]:
        game = self.board.players[0].game  # type: ignore[attr-defined]
        return [action.text for action in game.legal(self.seat)]


class Rival(Player):
    """A client of boardgame.io, by the protocols of Socket.IO 4 and Engine.IO 4."""

    path = "/socket.io/?EIO=4&transport=websocket"
    state = 0

    async def hear(self, text: Any) -> None:
        kind, _, rest = text.partition(",")
        if text.startswith("0"):
            await self.socket.send("40/count,")
        elif kind == "40/count":
            sync = ["sync", self.board.name, str(self.seat), None, SEATS]
            await self.socket.send("42/count," + json.dumps(sync))
        elif text == "2":
            await self.socket.send("3")
        elif kind == "42/count":
            event, _, told, *_ = msgspec.json.decode(rest)
            if event in ("sync", "update"):
                self.state = (told["state"] if event == "sync" else told)["_stateID"]
                self.ready.set()
            if event == "update":
                self.board.told()
                if self.board.players[self.state % SEATS] is self:
                    self.board.answered(self.board.pending)

    def choose(self, board: Board) -> tuple[Player, str] | None:
        players: list[Any] = board.players
        if any(player.state != self.state for player in players):
            return None
        player = players[(self.state + 1) % SEATS]
        payload = {"type": "add", "args": [1], "playerID": str(player.seat), "credentials": None}
        action = {"type": "MAKE_MOVE", "payload": payload, "id": "%s"}
        update = ["update", action, self.state, board.name, str(player.seat)]
        return player, "42/count," + json.dumps(update)


CLIENTS: dict[str, type[Player]] = {
    "whole": Seen,
    "patches": Patched,
    "rules": Knowing,
    "rival": Rival,
}


class Load:
    """The clients of one process."""

    def __init__(self, port: int, kind: str, first: int, tokens: list[list[str]]) -> None:
        self.port = port
        self.boards = [Board(self, f"t{first + i}") for i in range(len(tokens))]
        for board, mine in zip(self.boards, tokens, strict=True):
            board.players = [CLIENTS[kind](board, seat, token) for seat, token in enumerate(mine)]
        self.acks: list[float] = []
        self.screens: list[float] = []
        self.errors: list[str] = []
        self.unsent = 0
        self.measuring = False

    async def open_all(self) -> None:
        gate = asyncio.Semaphore(12)

        async def open_board(board: Board) -> None:
            async with gate:
                for player in board.players:
                    await player.open(self.port)

        await asyncio.gather(*(open_board(board) for board in self.boards))

    async def play(self, rate: float, seconds: float) -> None:
        """Moves at a fixed rate, spread over the tables."""
        self.measuring = True
        start = time.perf_counter()
        number = 0
        while (elapsed := time.perf_counter() - start) < seconds:
            while number < elapsed * rate:
                number += 1
                for _ in range(20):
                    if sending := random.choice(self.boards).send(number):
                        await sending
                        break
                else:
                    self.unsent += 1
            await asyncio.sleep(0.001)
        await asyncio.sleep(1)
        self.measuring = False

    async def heartbeat(self) -> None:
        """A sign of life from every client every 12 seconds, spread evenly as with real people."""
        while True:
            for board in self.boards:
                await asyncio.sleep(12 / len(self.boards))
                for player in board.players:
                    if player.ready.is_set():
                        await player.beat()

    def results(self) -> dict[str, Any]:
        return {
            "acks": self.acks,
            "screens": self.screens,
            "errors": self.errors[:20],
            "failed": len(self.errors),
            "unsent": self.unsent,
            "bytes": sum(player.bytes for board in self.boards for player in board.players),
        }


def client(port: int) -> None:
    """A process of clients, controlled through standard input."""
    raise_limit()
    job = json.loads(sys.stdin.readline())

    async def main() -> None:
        load = Load(port, job["clients"], job["first"], job["tokens"])
        beat = asyncio.create_task(load.heartbeat())
        await load.open_all()
        gc.collect()
        gc.freeze()
        gc.disable()  # so that the clients' own pauses are not measured
        print("open", flush=True)
        await asyncio.to_thread(sys.stdin.readline)
        await load.play(job["rate"], job["seconds"])
        print(json.dumps(load.results()), flush=True)
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


def launch(port: int, db: Path, clients: str = "whole") -> subprocess.Popen[bytes]:
    command = [
        sys.executable, "-m", "foxtray", "serve", "--port", str(port), "--db", str(db),
        "--no-limits", "--workers", "1", "--log-level", "warning",
    ]  # fmt: skip
    if clients == "rival":
        folder = [str(db.parent / "flat")] if "flat" in db.name else []
        command = [node(), str(RIVAL / "server.cjs"), str(port), *folder]
    return subprocess.Popen(
        command,
        stdout=subprocess.DEVNULL,
        start_new_session=True,
        # No bots play here, and boardgame.io runs as it would for its users.
        env={**os.environ, "FOXTRAY_WARM": "off", "NODE_ENV": "production"},
    )


def node() -> str:
    """Node, with boardgame.io installed as the lock file says."""
    sys.path.insert(0, str(ROOT))
    building = importlib.import_module("hatch_build")
    building.install(RIVAL)
    return str(building.node())


def get(port: int, path: str) -> str:
    with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=10) as answer:
        return str(answer.read().decode())


def wait_until_up(port: int) -> None:
    while True:
        try:
            get(port, "/healthz")
            return
        except urllib.error.HTTPError:
            return  # boardgame.io has no such page
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


def scene(
    tables: int, rate: float, seconds: float, processes: int, clients: str, flat: bool = False
) -> dict[str, float]:
    """One load; prints and returns its figures."""
    sockets = tables * SEATS
    rival = clients == "rival"
    server_name = f"boardgame.io, {'flat files' if flat else 'in memory'}" if rival else "Foxtray"
    print(
        f"{server_name}: {sockets} sockets ({clients}) at {tables} tables, "
        f"{rate:g} moves a second, {seconds:g} s"
    )
    with tempfile.TemporaryDirectory() as folder:
        db = Path(folder) / ("flat.db" if flat else "load.db")
        tokens = [[""] * SEATS] * tables if rival else asyncio.run(prepare(db, tables))
        port = free_port()
        server = launch(port, db, clients)
        started: list[subprocess.Popen[str]] = []
        try:
            wait_until_up(port)
            empty = resident(server.pid)
            share = -(-tables // processes)
            for i in range(processes):
                part = tokens[i * share : (i + 1) * share]
                job = {"first": i * share, "tokens": part, "seconds": seconds, "clients": clients}
                started.append(start_client(port, job | {"rate": rate * len(part) / tables}))
            begun = time.perf_counter()
            for one in started:
                assert answer(one) == "open\n"
            opening = time.perf_counter() - begun
            full = resident(server.pid)
            before, busy = "" if rival else get(port, "/metrics"), cpu(server.pid)
            for one in started:
                tell(one, "go")
            results = [json.loads(answer(one)) for one in started]
            busy = cpu(server.pid) - busy
            after = "" if rival else get(port, "/metrics")
            back = 0.0 if rival else seconds_to_come_back(port, db, server)
        finally:
            for one in started:
                one.kill()
                one.wait()
            server.kill()
            server.wait()
    acks = [x for result in results for x in result["acks"]]
    screens = [x for result in results for x in result["screens"]]
    moves = max(1, len(acks))

    def mean(name: str) -> float:
        total = figure(after, f"foxtray_{name}_sum") - figure(before, f"foxtray_{name}_sum")
        return total / max(
            1.0, figure(after, f"foxtray_{name}_count") - figure(before, f"foxtray_{name}_count")
        )

    told = {
        "moves a second": len(acks) / seconds,
        "CPU of a move, ms": 1000 * busy / moves,
        "bytes of a move to each listener": sum(r["bytes"] for r in results) / moves / SEATS,
        "kB of memory a socket, with its table": (full - empty) / sockets / 1024,
        "to the answer, p50 ms": centile(acks, 0.5),
        "to the answer, p99 ms": centile(acks, 0.99),
        "to the answer, max ms": centile(acks, 1),
        "to everyone's screen, p50 ms": centile(screens, 0.5),
        "to everyone's screen, p99 ms": centile(screens, 0.99),
        "server's share of a core, %": 100 * busy / (seconds + 1),
        "errors": sum(result["failed"] for result in results),
        "moves not sent in time": sum(result["unsent"] for result in results),
        "seconds to open all sockets": opening,
    }
    if not rival:
        told |= {
            "mean in the server, ms": 1000 * mean("command_seconds"),
            "mean of a commit, ms": 1000 * mean("commit_seconds"),
            "moves in a commit": mean("commit_writes"),
            "seconds to come back after kill -9": back,
        }
    for name, value in told.items():
        print(f"  {name:40} {value:10.2f}")
    for result in results:
        if result["errors"]:
            print("  ", result["errors"])
    sys.stdout.flush()
    return told


def start_client(port: int, job: dict[str, Any]) -> subprocess.Popen[str]:
    command = [sys.executable, __file__, "--client", str(port)]
    pipe = subprocess.PIPE
    started = subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True)
    tell(started, json.dumps(job))
    return started


def tell(process: subprocess.Popen[str], text: str) -> None:
    assert process.stdin
    process.stdin.write(text + "\n")
    process.stdin.flush()


def answer(process: subprocess.Popen[str]) -> str:
    assert process.stdout
    return process.stdout.readline()


def seconds_to_come_back(port: int, db: Path, server: subprocess.Popen[bytes]) -> float:
    """Kill a server, and start it again."""
    server.kill()
    server.wait()
    killed = time.perf_counter()
    again = launch(port, db)
    try:
        wait_until_up(port)
        return time.perf_counter() - killed
    finally:
        again.terminate()
        again.wait()


def compare(tables: int, rate: float, seconds: float) -> None:
    """Foxtray and boardgame.io under the same load, and the ratios of what a move costs."""
    loads = [("whole", False), ("patches", False), ("rules", False), ("rival", False)]
    figures = {
        (clients, flat): scene(tables, rate, seconds, 1, clients, flat)
        for clients, flat in [*loads, ("rival", True)]
    }
    memory = figures["rival", False]
    print("boardgame.io in memory, as a multiple of")
    for (clients, flat), told in figures.items():
        name = f"boardgame.io, {'flat files' if flat else 'in memory'}"
        print(f"  {name if clients == 'rival' else f'Foxtray ({clients})':30}", end="")
        for what in ("CPU of a move, ms", "bytes of a move to each listener"):
            print(f" {what.partition(' of')[0]} {memory[what] / told[what]:5.2f}", end="")
        print()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--client", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--tables", type=int)
    parser.add_argument("--moves", type=float)
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--clients", choices=CLIENTS, default="patches")
    parser.add_argument("--flat", action="store_true", help="boardgame.io with its flat files")
    parser.add_argument("--compare", action="store_true", help="Foxtray and boardgame.io in turn")
    args = parser.parse_args()
    if args.client:
        client(args.client)
        return
    raise_limit()
    if args.tables and not args.compare:
        rate = args.moves or 500
        scene(args.tables, rate, args.seconds, args.processes, args.clients, args.flat)
        return
    compare(args.tables or 50, args.moves or 150, args.seconds)
    if not args.compare:
        scene(500, 1_000, args.seconds, args.processes, args.clients)
        scene(500, 2_000, args.seconds, args.processes, args.clients)
        scene(2_500, 500, args.seconds, args.processes, args.clients)


if __name__ == "__main__":
    main()
