"""Servers, PostgreSQL and the network between them fail while people play behind HAProxy."""

import asyncio
import json
import os
import random
import signal
import sys
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from functools import partial

import msgspec
import pytest

from foxtray.server.protocol.codec import encode
from foxtray.server.tables.log import TableLog
from foxtray.views import game_view
from server.clusters import Cluster
from server.harness import LATE, Client, Refused, Server, key_of, until
from server.test_kill import PATIENCE, Crowd, check_logs, everybody_is_seated

MORE = 2
"""Inputs that were perhaps on their way when something failed."""
FROZEN = 4.0
"""Seconds, longer than the proxy waits for a server."""
UNEXPECTED = ("task_died", "table_damaged", "request_failed", "listening_failed", "command_failed")
"""What no server may log, whatever fails."""
WANTED = 20_000
ROUNDS = 5
"""Acknowledged commands and how often everything fails in the long run, at least: some faults harm
only at the wrong moment."""


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    with Cluster(tmp_path_factory.mktemp("cluster")) as running:
        yield running


def other(cluster: Cluster, server: Server) -> Server:
    return next(s for s in cluster.servers if s is not server)


# --- what one server does is known to the other ---------------------------------------------------


def device_of(server: Server, token: str) -> str:
    status, found = server.http("GET", "/api/me/devices", token=token)
    assert status == 200
    return str(next(device["id"] for device in found["devices"] if device["here"]))


def known(server: Server, token: str) -> bool:
    status, me = server.http("GET", "/api/me", token=token)
    return status == 200 and me["player"] is not None


def test_a_token_revoked_at_one_server_is_refused_by_the_other(cluster: Cluster) -> None:
    one, two = cluster.servers
    _, token = one.player("Ana")
    assert known(two, token), "now it is cached there"
    assert one.http("DELETE", f"/api/me/devices/{device_of(one, token)}", token=token)[0] == 200
    until(lambda: not known(two, token))


def test_a_token_is_refused_by_a_server_that_hears_nothing(cluster: Cluster) -> None:
    """Cut off, it forgets whom it knew; whoever was signed out meanwhile is sent away."""
    one, two = cluster.servers

    def sign_out(token: str) -> None:
        cluster.links[1].cut()
        try:
            device = device_of(one, token)
            assert one.http("DELETE", f"/api/me/devices/{device}", token=token)[0] == 200
            until(lambda: not known(two, token))
        finally:
            cluster.links[1].mend()
        until(lambda: cluster.ready(two))
        assert not known(two, token)

    async def main() -> None:
        _, token = await asyncio.to_thread(one.player, "Ana")
        made = await asyncio.to_thread(one.table, token)
        assert await asyncio.to_thread(known, two, token)
        async with Client(two.port, made["id"], token) as client:
            socket = client.socket
            assert socket
            client.closed = True
            await asyncio.to_thread(sign_out, token)
            async with asyncio.timeout(LATE):
                await socket.wait_closed()

    asyncio.run(main())


def test_names_and_doors_are_known_everywhere(cluster: Cluster) -> None:
    one, two = cluster.servers

    async def main() -> None:
        _, token = await asyncio.to_thread(one.player, "Ana")
        made = await asyncio.to_thread(one.table, token, "clever", "m")
        async with Client(two.port, made["id"], token) as client:
            client.keep_heard = True
            await asyncio.to_thread(one.http, "PUT", "/api/me", {"name": "Bojana"}, token)
            async with asyncio.timeout(LATE):
                while not any("Bojana" in text for text in client.heard):
                    await asyncio.sleep(0.02)
        status, me = await asyncio.to_thread(two.http, "GET", "/api/me", None, token)
        assert (status, me["player"]["name"]) == (200, "Bojana")

    asyncio.run(main())


def test_looking_at_my_tables_takes_none_of_them(cluster: Cluster) -> None:
    one, two = cluster.servers

    async def main() -> None:
        _, token = await asyncio.to_thread(one.player, "Ana")
        made = await asyncio.to_thread(one.table, token, "clever", "m")
        assert cluster.owner(made["id"]) is None, "it belongs to whom its players come to"
        async with Client(one.port, made["id"], token) as client:
            await client.sit(0)
            await client.command("start")
            owner = cluster.owner(made["id"])
            assert owner
            before = client.seq
            for server in (one, two, cluster.front):
                status, me = await asyncio.to_thread(server.http, "GET", "/api/me", None, token)
                assert status == 200
                (line,) = me["tables"]
                assert (line["id"], line["status"], line["my_turn"]) == (
                    made["id"], "playing", True,
                )  # fmt: skip
            assert cluster.owner(made["id"]) == owner
            await client.command("roll")
            assert client.seq > before or client.acked

    asyncio.run(main())


def test_who_comes_to_another_server_takes_the_table_along(cluster: Cluster) -> None:
    """Sockets are closed with 1012, commands over HTTP are answered with 503 `moved`."""
    one, two = cluster.servers

    async def main() -> None:
        _, token = await asyncio.to_thread(one.player, "Ana")
        made = await asyncio.to_thread(one.table, token, "clever", "m")
        path = f"/api/tables/{made['id']}"
        async with Client(one.port, made["id"], token) as client:
            await client.sit(0)
            await client.command("start")
            socket = client.socket
            assert socket
            client.closed = True  # it shall not come back
            status, seen = await asyncio.to_thread(two.http, "GET", path, None, token)
            assert status == 200
            async with asyncio.timeout(LATE):
                await socket.wait_closed()
            assert socket.close_code == 1012
            assert seen["seq"] == client.seq
        # Who waits over HTTP is sent away, and does not take it back.
        waiting = asyncio.create_task(
            asyncio.to_thread(two.http, "GET", f"{path}/updates?since={seen['seq']}", None, token)
        )
        await asyncio.sleep(0.3)
        assert (await asyncio.to_thread(one.http, "GET", path, None, token))[0] == 200
        status, answer = await waiting
        assert (status, answer["code"]) == (503, "moved")
        # Both go on, in turns, and neither loses what the other has written.
        for number, server in enumerate((one, two, one, one, two)):
            body = {"type": "pause", "id": f"p{number}", "on": number % 2 == 0}
            status, answer = await asyncio.to_thread(
                server.http, "POST", f"{path}/commands", body, token
            )
            assert status == 200 or (status, answer["code"]) == (503, "moved")

    asyncio.run(main())


def test_a_closed_table_is_gone_everywhere(cluster: Cluster) -> None:
    one, two = cluster.servers
    _, token = one.player("Ana")
    made = one.table(token)
    path = f"/api/tables/{made['id']}"
    assert two.http("GET", path, token=token)[0] == 200
    assert one.http("DELETE", "/api/me", token=token)[0] == 200
    until(lambda: two.http("GET", path)[1]["code"] == "no_table")
    # The news of the account travels apart from that of its tables.
    until(lambda: not known(two, token))


def test_what_the_host_does_reaches_every_server(cluster: Cluster) -> None:
    """`foxtray admin` asks the database; the sockets of the banned are cut wherever they are."""
    one, two = cluster.servers

    async def main() -> None:
        player, token = await asyncio.to_thread(one.player, "Nemanja")
        made = await asyncio.to_thread(one.table, token, "clever", "mo")
        async with Client(two.port, made["id"], token) as client:
            socket = client.socket
            assert socket
            client.closed = True
            url = cluster.postgres.url
            banning = await asyncio.create_subprocess_exec(
                sys.executable, "-m", "foxtray", "admin", "ban", player, "--db", url
            )
            assert await banning.wait() == 0
            async with asyncio.timeout(LATE):
                await socket.wait_closed()
        for server in (one, two):
            status, answer = await asyncio.to_thread(server.http, "GET", "/api/me", None, token)
            assert (status, answer["code"]) == (403, "banned")

    asyncio.run(main())


# --- everything fails -----------------------------------------------------------------------------


async def everybody_goes_on(crowd: Crowd, people: int) -> float:
    """Wait until every table has gone on, or its game ended; returns the seconds it took."""
    started = time.monotonic()
    waiting = {client: client.seq for client in await everybody_is_seated(crowd, people)}
    async with asyncio.timeout(PATIENCE):
        while any(not went_on(crowd, client, seq) for client, seq in waiting.items()):
            await asyncio.sleep(0.02)
    return time.monotonic() - started


def went_on(crowd: Crowd, client: Client, seq: int) -> bool:
    here = any(client in clients for clients in crowd.seated.values())
    return not here or client.seq > seq + MORE or bool(client.game and client.game["over"])


class Chaos:
    """What goes wrong while a crowd plays, and how long it takes until everybody goes on."""

    def __init__(self, cluster: Cluster, crowd: Crowd, people: int, rng: random.Random) -> None:
        self.cluster = cluster
        self.crowd = crowd
        self.people = people
        self.rng = rng
        self.waits: dict[str, list[float]] = {}
        self.faults: tuple[Callable[[Server], Awaitable[None]], ...] = (
            self.kill_server,
            self.kill_postgres,
            self.freeze,
            self.cut_off,
            self.replace_servers,
        )

    async def strike(self, fault: Callable[[Server], Awaitable[None]]) -> None:
        await asyncio.sleep(self.rng.random() * 0.3)
        # The one that most players are at: they stay where they are when another comes back.
        victim = max(self.cluster.servers, key=lambda s: s.figure("foxtray_sockets"))
        await fault(victim)
        # What players see is over by now; the rest comes back in its own time.
        await self.well()

    async def wait(self, name: str) -> None:
        seconds = await everybody_goes_on(self.crowd, self.people)
        self.waits.setdefault(name, []).append(seconds)

    async def well(self) -> None:
        for server in self.cluster.servers:
            await asyncio.to_thread(until, partial(self.cluster.ready, server))

    async def kill_server(self, victim: Server) -> None:
        await asyncio.to_thread(victim.kill)
        await self.wait("a server is killed")
        await asyncio.to_thread(victim.start)

    async def kill_postgres(self, victim: Server) -> None:
        await asyncio.to_thread(self.cluster.postgres.kill)
        await asyncio.sleep(self.rng.random())
        await asyncio.to_thread(self.cluster.postgres.start)
        await self.wait("PostgreSQL is killed and started")

    async def freeze(self, victim: Server) -> None:
        assert victim.process
        os.kill(victim.process.pid, signal.SIGSTOP)
        try:
            begun = time.monotonic()
            await self.wait("a server freezes")
            await asyncio.sleep(max(0.0, FROZEN - (time.monotonic() - begun)))
        finally:
            os.kill(victim.process.pid, signal.SIGCONT)
        await self.wait("a frozen server comes back")

    async def cut_off(self, victim: Server) -> None:
        link = self.cluster.links[self.cluster.servers.index(victim)]
        link.cut()
        try:
            await self.wait("a server is cut off from PostgreSQL")
        finally:
            link.mend()
        await self.wait("a server that was cut off comes back")

    async def replace_servers(self, victim: Server) -> None:
        """A rolling deploy: no move and no request is refused."""
        await self.well()
        put_off = self._put_off()
        stop = asyncio.Event()
        watching = asyncio.create_task(self._visit(stop))
        for server in (victim, other(self.cluster, victim)):
            assert await asyncio.to_thread(server.stop) == 0
            await self.wait("a server is replaced")
            await asyncio.to_thread(server.start)
            await self.well()
            # The proxy looks twice a second, and twice before it believes it.
            await asyncio.sleep(1.5)
        stop.set()
        statuses = await watching
        assert set(statuses) == {200}, statuses
        assert self._put_off() == put_off, "a move was refused"

    def _put_off(self) -> Counter[str]:
        return Counter(code for client in self.crowd.met for code in client.put_off)

    async def _visit(self, stop: asyncio.Event) -> Counter[int]:
        """Ask for a page again and again."""
        statuses: Counter[int] = Counter()
        while not stop.is_set():
            status, _ = await asyncio.to_thread(self.cluster.front.http, "GET", "/api/me")
            statuses[status] += 1
            await asyncio.sleep(0.05)
        return statuses


def check_games(cluster: Cluster, met: list[Client]) -> int:
    """Every log replays with the dice of its secret, to the game that clients saw last."""
    compared = 0
    for table in {client.table_id for client in met}:
        log = TableLog(cluster.table(table), cluster.log(table))
        for client in met:
            if client.table_id == table and client.seq == log.seq and log.state.record:
                shown = msgspec.json.decode(encode(game_view(log.state.record.game)))
                assert client.game == shown
                compared += 1
    return compared


def test_nothing_acknowledged_is_lost_whatever_fails(cluster: Cluster, long_run: bool) -> None:
    async def main() -> None:
        rng = random.Random(15)
        tables, people = (10, 20) if long_run else (5, 10)
        wanted, least = (WANTED, ROUNDS) if long_run else (100, 1)
        crowd = Crowd()
        crowd.gather(cluster.front, tables)
        chaos = Chaos(cluster, crowd, people, rng)
        rounds = 0
        while rounds < least or crowd.acknowledged() < wanted:
            rounds += 1
            for fault in rng.sample(chaos.faults, len(chaos.faults)):
                await chaos.strike(fault)
                if long_run:
                    print(fault.__name__, crowd.acknowledged(), flush=True)
                    await asyncio.sleep(rng.random() * 5)
        await chaos.wait("nothing")
        await crowd.part()
        acknowledged = check_logs(
            lambda table: [(r.seq, r.command or "", r.data) for r in cluster.log(table)], crowd.met
        )
        compared = check_games(cluster, crowd.met)
        for server in cluster.servers:
            for line in server.log.read_text().splitlines():
                if line.startswith("{"):
                    assert json.loads(line)["event"] not in UNEXPECTED, line
        assert acknowledged >= wanted
        assert compared
        print(f"{acknowledged} acknowledged, none lost; {compared} games compared")
        for name, waits in chaos.waits.items():
            print(f"{name}: {', '.join(f'{wait:.1f}' for wait in waits)} s")

    asyncio.run(main())


# --- the proxy ------------------------------------------------------------------------------------


def test_everything_about_a_table_goes_to_one_server(cluster: Cluster) -> None:
    """Found by what the servers count: sockets, commands and pages of many tables."""
    front = cluster.front

    def served() -> list[float]:
        return [server.figure("foxtray_tables") for server in cluster.servers]

    async def main() -> None:
        before = served()
        people = [await asyncio.to_thread(front.player, f"P{n}") for n in range(4)]
        owners: dict[str, str | None] = {}
        for number in range(12):
            _, token = people[number % len(people)]
            made = await asyncio.to_thread(front.table, token, "clever", "mo")
            name = made["id"]
            async with Client(front.port, name, token, key_of(made["you"]["invite"])) as client:
                await client.sit(0)
                owners[name] = cluster.owner(name)
                for path in ("", "/updates?wait=0", "/qr.svg"):
                    status, _ = await asyncio.to_thread(
                        front.http, "GET", f"/api/tables/{name}{path}", None, token
                    )
                    assert status == 200
                body = {"type": "pause", "id": "p", "on": True}
                status, _ = await asyncio.to_thread(
                    front.http, "POST", f"/api/tables/{name}/commands", body, token
                )
                assert status == 200
                # The same table by another way to write its address.
                written = "".join(f"%{ord(c):02x}" for c in name)
                status, _ = await asyncio.to_thread(
                    front.http, "GET", f"/api/tables/{written}", None, token
                )
                assert status == 200
                assert cluster.owner(name) == owners[name], "it had to move"
                with pytest.raises(Refused):
                    await client.command("roll")
        assert len(set(owners.values())) == 2, "both servers have some"
        assert all(now > then for now, then in zip(served(), before, strict=True))

    asyncio.run(main())


def test_the_figures_are_closed_and_addresses_passed_on(cluster: Cluster) -> None:
    for path in ("/metrics", "/metrics?a=b"):
        assert cluster.front.http("GET", path)[0] == 404
    for path in ("/livez", "/readyz", "/healthz"):
        status, health = cluster.front.http("GET", path)
        assert (status, health["status"]) == (200, "ok")
