"""CPU per move of the same load on SQLite, on PostgreSQL, and on two servers behind HAProxy.

    python benchmarks/servers.py
    python benchmarks/servers.py --tables 100 --moves 300 --seconds 20

All of it runs on this machine, one setting after the other; trust the ratios. Also measured: how
long a revoked token is believed by another server, and the bytes that PostgreSQL writes for a move.
"""

from __future__ import annotations

import argparse
import asyncio
import http.client
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Coroutine, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "deploy"))

import psycopg
from cluster import HAProxy, Postgres, Process, free_port
from load import SEATS, cpu, prepare, resident

from foxtray.server.store import Addition, LogRow, TableRow
from foxtray.server.store.opening import open_store


@dataclass
class Setting:
    """What serves the players: where they come to, and whose CPU counts."""

    name: str
    port: int
    db: str
    servers: list[Process]
    helpers: dict[str, Process] = field(default_factory=dict)


class Server(Process):
    """A server without bots and limits."""

    def __init__(self, folder: Path, number: int, db: str) -> None:
        super().__init__(folder / f"server-{number}.log")
        self.port = free_port()
        self.db = db

    def start(self) -> None:
        options = ["--no-limits", "--workers", "1", "--log-level", "warning"]
        command = [sys.executable, "-m", "foxtray", "serve", "--port", str(self.port), *options]
        self.run(command, env={**os.environ, "FOXTRAY_WARM": "off", "FOXTRAY_DB": self.db})
        self.wait_for("Foxtray is ready")


@contextmanager
def started(name: str, folder: Path, tables: int) -> Iterator[tuple[Setting, list[list[str]]]]:
    """One of the three settings, with tables before their first roll."""
    with ExitStack() as parts:
        helpers: dict[str, Process] = {}
        db = str(folder / "load.db")
        if name != "SQLite":
            postgres = parts.enter_context(Postgres())
            helpers["PostgreSQL"] = postgres
            db = postgres.url
        tokens = asyncio.run(prepare(Path(db) if name == "SQLite" else db, tables))
        servers = [Server(folder, n, db) for n in range(2 if "two" in name else 1)]
        for server in servers:
            parts.callback(server.kill)
            server.start()
        port = servers[0].port
        if len(servers) == 2:
            proxy = HAProxy(folder, (servers[0].port, servers[1].port))
            parts.callback(proxy.stop)
            proxy.start()
            helpers["HAProxy"] = proxy
            port = proxy.port
        yield Setting(name, port, db, list(servers), helpers), tokens


def family(process: Process) -> list[int]:
    """A process and its children; those of a server are its workers, which do not count."""
    assert process.process
    parent = process.process.pid
    found = [parent]
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and not isinstance(process, Server):
            try:
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            if int(fields[1]) == parent:
                found.append(int(entry.name))
    return found


def busy(process: Process) -> float:
    """Seconds of CPU so far."""
    total = 0.0
    for pid in family(process):
        try:
            total += cpu(pid)
        except OSError:
            continue
    return total


def scene(name: str, tables: int, rate: float, seconds: float) -> dict[str, float]:
    """One load on one setting."""
    with (
        tempfile.TemporaryDirectory() as scratch,
        started(name, Path(scratch), tables) as (setting, tokens),
    ):
        empty = [resident(s.process.pid) for s in setting.servers if s.process]
        client = subprocess.Popen(
            [sys.executable, str(Path(__file__).with_name("load.py")), "--client",
             str(setting.port)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )  # fmt: skip
        try:
            assert client.stdin
            assert client.stdout
            job = {
                "clients": "patches", "first": 0, "tokens": tokens, "rate": rate,
                "seconds": seconds,
            }  # fmt: skip
            client.stdin.write(json.dumps(job) + "\n")
            client.stdin.flush()
            assert client.stdout.readline() == "open\n"
            full = [resident(s.process.pid) for s in setting.servers if s.process]
            before = {s: busy(s) for s in (*setting.servers, *setting.helpers.values())}
            written = wal(setting)
            client.stdin.write("go\n")
            client.stdin.flush()
            told: dict[str, Any] = json.loads(client.stdout.readline())
        finally:
            client.kill()
            client.wait()
        moves = len(told["acks"])
        used = {s: (busy(s) - then) / moves * 1e6 for s, then in before.items()}
        acks = sorted(told["acks"])
        figures = {
            "moves": moves,
            "failed": told["failed"],
            "us server": sum(used[s] for s in setting.servers),
            "p50 ms": acks[len(acks) // 2] * 1e3,
            "p99 ms": acks[len(acks) * 99 // 100] * 1e3,
            "MB servers": sum(full) / 1e6,
            "kB each socket": (sum(full) - sum(empty)) / 1e3 / tables / SEATS,
            "bytes to each": told["bytes"] / moves / SEATS,
        }
        for label, helper in setting.helpers.items():
            figures[f"us {label}"] = used[helper]
        if "PostgreSQL" in setting.helpers:
            figures["bytes written"] = (wal(setting) - written) / moves
            figures["bytes kept"] = kept(setting)
        if len(setting.servers) == 2:
            ports = [s.port for s in setting.servers if isinstance(s, Server)]
            figures["ms revoked"] = max(revoked(ports) for _ in range(20)) * 1e3
        return figures


def wal(setting: Setting) -> int:
    """Bytes that PostgreSQL has written to its log."""
    if "PostgreSQL" not in setting.helpers:
        return 0
    with psycopg.connect(setting.db) as connection:
        row = connection.execute("SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')").fetchone()
        assert row
        return int(row[0])


def kept(setting: Setting) -> float:
    """Bytes on disk for an input, with its indexes."""
    with psycopg.connect(setting.db, autocommit=True) as connection:
        query = "SELECT pg_total_relation_size('inputs')::float / count(*) FROM inputs"
        row = connection.execute(query).fetchone()
        assert row
        return float(row[0])


def ask(port: int, method: str, path: str, token: str = "", body: object = None) -> Any:
    line = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    headers = {"Content-Type": "application/json"}
    if token:
        headers["Authorization"] = f"Bearer {token}"
    line.request(method, path, None if body is None else json.dumps(body), headers)
    answer = json.loads(line.getresponse().read())
    line.close()
    return answer


def revoked(ports: list[int]) -> float:
    """Seconds for which a server believes a token that was revoked at another one."""
    one, two = ports
    token = ask(one, "PUT", "/api/me", body={"name": "Ana", "bearer": True})["token"]
    assert ask(two, "GET", "/api/me", token)["player"]
    device = ask(one, "GET", "/api/me/devices", token)["devices"][0]["id"]
    ask(one, "DELETE", f"/api/me/devices/{device}", token)
    begun = time.perf_counter()
    while ask(two, "GET", "/api/me", token)["player"]:
        pass
    return time.perf_counter() - begun


async def write_a_lot(url: str, postgres: Process) -> dict[str, float]:
    """What the store does by itself, with 1,000 tables that all move at once."""
    one, two = open_store(url), open_store(url)
    count = 1_000

    async def speed(calls: list[Coroutine[Any, Any, None]]) -> float:
        begun = time.perf_counter()
        await asyncio.gather(*calls)
        return len(calls) / (time.perf_counter() - begun)

    def table(number: int) -> TableRow:
        return TableRow(f"t{number}", 1, b"{}", bytes(32), "p", "i", "w", 1)

    def move(number: int, turn: int) -> Addition:
        data = b'{"t":"played","seat":0,"action":"y3 b4 pass"}'
        return Addition(f"t{number}", [LogRow(turn, 1, data, f"p {number} {turn}")])

    pair = (one, two)
    figures = {
        "new tables/s": await speed(
            [pair[n % 2].add_table(table(n), [(0, "p"), (1, None)]) for n in range(count)]
        ),
        "marks/s": await speed([pair[n % 2].set_mark(f"m{n % 9}", n) for n in range(count // 4)]),
    }
    before = busy(postgres)
    turns = range(1, 11)
    speeds = [await speed([one.append(move(n, turn)) for n in range(count)]) for turn in turns]
    figures["moves/s"] = sum(speeds) / len(speeds)
    figures["us PostgreSQL"] = (busy(postgres) - before) / (count * len(turns)) * 1e6
    await one.close()
    await two.close()
    return figures


def total(figures: dict[str, float]) -> float:
    """Microseconds of CPU per move, of everything."""
    return sum(value for key, value in figures.items() if key.startswith("us "))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--tables", type=int, default=50)
    parser.add_argument("--moves", type=float, default=150, help="a second")
    parser.add_argument("--seconds", type=float, default=15)
    parser.add_argument("--rounds", type=int, default=2, help="of which the quieter one counts")
    args = parser.parse_args()
    print(f"{args.tables * 4} sockets, {args.moves:g} moves a second, {args.seconds:g} s each")
    names = ("SQLite", "PostgreSQL, one server", "PostgreSQL, two servers")
    rounds = [
        {name: scene(name, args.tables, args.moves, args.seconds) for name in names}
        for _ in range(args.rounds)
    ]
    # What else the machine does only adds to the time that a move takes.
    found = {name: min((r[name] for r in rounds), key=total) for name in names}
    base = found["SQLite"]["us server"]
    for name, figures in found.items():
        told = f"{total(figures):.0f} us of CPU per move, {total(figures) / base:.2f} times SQLite"
        print(f"{name}: {told}")
        for key, value in figures.items():
            print(f"    {key:16} {value:10.1f}")
    with Postgres() as postgres:
        print("The store alone:")
        for key, value in asyncio.run(write_a_lot(postgres.url, postgres)).items():
            print(f"    {key:16} {value:10.1f}")


if __name__ == "__main__":
    main()
