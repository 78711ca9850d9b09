"""The limits of addresses and players, with real addresses and proxies."""

import asyncio
import gc
import itertools
import json
import sys
import tempfile
import weakref
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any, cast

import pytest
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import InvalidStatus

from foxtray.game import RULES_VERSION
from foxtray.server.bots.pool import WorkerPool
from foxtray.server.http.limits import RATES, SOCKETS, Limits, Rate, household, limits_of
from foxtray.server.http.live import LITTER, Live
from foxtray.server.http.services import Services
from foxtray.server.players import digest
from foxtray.server.protocol import inputs
from foxtray.server.protocol.inputs import SeatSetup, TableSetup
from foxtray.server.protocol.messages import SeatWish, TableWish
from foxtray.server.protocol.refusals import Refusal
from foxtray.server.settings import BadSetting, Settings
from foxtray.server.store import PlayerRow, TableRow
from foxtray.server.store.sqlite import SqliteStore
from foxtray.server.tables.registry import TableRegistry
from foxtray.server.wall_clock import now
from server.harness import Json, Server
from server.test_tables import run

PROXY = "127.0.0.99"
FRUGAL = (sys.executable, str(Path(__file__).with_name("frugal.py")))
COLLECTOR = "the token of somebody with many tables"
fresh = (f"127.0.1.{number}" for number in itertools.count(1))
"""Addresses of this machine that nobody has used yet."""


async def collect(db: Path) -> None:
    """A store with a player who has as many unfinished tables as allowed."""
    store = SqliteStore(db)
    await store.add_player(PlayerRow("p", "Ana", digest(COLLECTOR), 0))
    setup = inputs.encode_setup(TableSetup("clever", [SeatSetup(player="p")]))
    for number in range(Settings().tables_per_player):
        row = TableRow(f"t{number}", RULES_VERSION, setup, b"s" * 32, "p", "i", "w", now())
        await store.add_table(row, [(0, "p")])
    await store.close()


@pytest.fixture(scope="module")
def strict(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server with limits, behind a proxy that it trusts."""
    db = tmp_path_factory.mktemp("strict") / "store.db"
    asyncio.run(collect(db))
    options = ("--workers", "1", "--trusted-proxies", PROXY)
    with Server(db, *options, command=FRUGAL) as running:
        yield running


def burst(what: str, kind: str) -> int:
    return int(RATES[what, kind].burst)


def newcomer(server: Server, source: str) -> tuple[str, str]:
    """A new player at an address: id and token."""
    status, me = server.http("PUT", "/api/me", {"name": "Ana", "bearer": True}, source=source)
    assert status == 200, me
    return me["id"], me["token"]


def new_table(server: Server, token: str, source: str) -> Json:
    """A new table; waits and tries again if only the request limit is reached."""
    wish = {"game": "clever", "seats": [{"kind": "me"}]}
    while True:
        status, made = server.http("POST", "/api/tables", wish, token, source=source)
        assert status in (200, 429), made
        if "requests" not in made.get("message", ""):
            return dict(made)


@asynccontextmanager
async def opened(
    server: Server, source: str, token: str = "", headers: dict[str, str] | None = None
) -> AsyncIterator[ClientConnection]:
    """A socket from an address."""
    known = {"Authorization": f"Bearer {token}"} if token else {}
    async with connect(
        f"ws://127.0.0.1:{server.port}/api/tables/none/live",
        additional_headers={**known, **(headers or {})},
        local_addr=(source, 0),
        ping_interval=None,
        compression=None,
    ) as live:
        assert json.loads(await live.recv())["type"] == "greeting"
        yield live


async def admitted(server: Server, source: str, token: str = "") -> bool:
    """Whether a socket is opened for somebody; it is closed again."""
    try:
        async with opened(server, source, token):
            return True
    except InvalidStatus:
        return False


async def answers(live: ClientConnection, count: int) -> list[Any]:
    """The answers to this many pings: `pong`, or the code of a refusal."""
    for _ in range(count):
        await live.send('{"type":"ping"}')
    heard = [json.loads(await live.recv()) for _ in range(count)]
    return [message.get("code", message["type"]) for message in heard]


def test_new_tables_of_a_player_and_of_an_address(strict: Server) -> None:
    home, elsewhere = next(fresh), next(fresh)
    _, token = newcomer(strict, home)
    own = burst("table", "player")
    for _ in range(own):
        assert "id" in new_table(strict, token, home)
    refused = new_table(strict, token, home)
    assert refused["code"] == "too_many"
    assert "new tables" in refused["message"]
    # The same player is refused everywhere; another one at the same address is not.
    assert new_table(strict, token, elsewhere)["code"] == "too_many"
    left = burst("table", "address") - own
    while left:
        _, token = newcomer(strict, home)
        for _ in range(min(left, own)):
            assert "id" in new_table(strict, token, home)
            left -= 1
    _, token = newcomer(strict, home)
    assert new_table(strict, token, home)["code"] == "too_many"
    assert "id" in new_table(strict, token, elsewhere)


def test_unfinished_tables_of_a_player(strict: Server) -> None:
    """The limit does not depend on time; leaving a table makes room for another."""
    home = next(fresh)
    refused = new_table(strict, COLLECTOR, home)
    assert refused["code"] == "too_many_tables"
    leave = {"type": "leave", "id": "a"}
    assert strict.http("POST", "/api/tables/t0/commands", leave, COLLECTOR, source=home)[0] == 200
    assert "id" in new_table(strict, COLLECTOR, home)
    assert new_table(strict, COLLECTOR, home)["code"] == "too_many_tables"


def test_new_players_of_an_address(strict: Server) -> None:
    home = next(fresh)
    for _ in range(burst("name", "address")):
        newcomer(strict, home)
    status, refused = strict.http("PUT", "/api/me", {"name": "Ana"}, source=home)
    assert (status, refused["code"]) == (429, "too_many")
    newcomer(strict, next(fresh))


def test_requests_of_an_address(strict: Server) -> None:
    home, statuses = next(fresh), set()
    while 429 not in statuses:
        statuses.add(strict.http("GET", "/api/sheets/clever", source=home)[0])
    assert statuses == {200, 429}
    assert strict.http("GET", "/api/sheets/clever", source=next(fresh))[0] == 200


def test_commands_of_a_player(strict: Server) -> None:
    async def main() -> None:
        home, own = next(fresh), burst("command", "player")
        (_, hasty), (_, calm) = newcomer(strict, home), newcomer(strict, home)
        async with opened(strict, home, hasty) as live, opened(strict, home, calm) as other:
            assert await answers(live, own + 1) == ["pong"] * own + ["too_many"]
            assert await answers(other, 1) == ["pong"]
            # Not by a socket more, nor from another address.
            async with opened(strict, next(fresh), hasty) as another:
                assert await answers(another, 1) == ["too_many"]

    run(main())


def test_commands_of_an_address(strict: Server) -> None:
    async def main() -> None:
        home, own = next(fresh), burst("command", "player")
        crowd = burst("command", "address") // own
        tokens = [newcomer(strict, home)[1] for _ in range(crowd + 1)]
        async with AsyncExitStack() as stack:
            lives = [await stack.enter_async_context(opened(strict, home, t)) for t in tokens]
            elsewhere = await stack.enter_async_context(opened(strict, next(fresh), tokens[-1]))
            for live in lives[:-1]:
                assert await answers(live, own) == ["pong"] * own
            assert await answers(lives[-1], 1) == ["too_many"]
            assert await answers(elsewhere, 1) == ["pong"]

    run(main())


def test_commands_over_http_are_counted_with_those_of_sockets(strict: Server) -> None:
    async def main() -> None:
        home, own = next(fresh), burst("command", "player")
        _, token = newcomer(strict, home)
        made = new_table(strict, token, home)
        path, roll = f"/api/tables/{made['id']}/commands", {"type": "roll", "id": "a"}
        async with opened(strict, home, token) as live:
            assert await answers(live, own - 1) == ["pong"] * (own - 1)
            assert strict.http("POST", path, roll, token, source=home)[0] == 409
            status, refused = strict.http("POST", path, roll, token, source=home)
            assert status == 429
            assert "commands" in refused["message"]

    run(main())


def test_open_sockets_of_a_player(strict: Server) -> None:
    async def main() -> None:
        home = next(fresh)
        (_, token), (_, other) = newcomer(strict, home), newcomer(strict, home)
        async with AsyncExitStack() as stack:
            for _ in range(SOCKETS["player"]):
                last = await stack.enter_async_context(opened(strict, home, token))
            assert not await admitted(strict, home, token)
            assert not await admitted(strict, next(fresh), token)
            assert await admitted(strict, home, other)
            await last.close()
            while not await admitted(strict, home, token):
                await asyncio.sleep(0.05)

    run(main())


def test_open_sockets_of_an_address(strict: Server) -> None:
    async def main() -> None:
        home = next(fresh)
        async with AsyncExitStack() as stack:
            for _ in range(SOCKETS["address"]):
                await stack.enter_async_context(opened(strict, home))
            _, token = newcomer(strict, home)
            assert not await admitted(strict, home, token)
            assert await admitted(strict, next(fresh), token)

    run(main())


def test_joins_of_a_player_and_of_an_address(strict: Server) -> None:
    async def main() -> None:
        home = next(fresh)
        (_, token), (_, other) = newcomer(strict, home), newcomer(strict, home)
        own, left = burst("join", "player"), burst("join", "address")
        for _ in range(own):
            assert await admitted(strict, home, token)
        assert not await admitted(strict, home, token)
        assert await admitted(strict, home, other)
        for _ in range(left - own - 2):  # refused as a player, it still counts for the address
            assert await admitted(strict, home)
        assert not await admitted(strict, home)
        assert not await admitted(strict, home, other)
        assert await admitted(strict, next(fresh), other)

    run(main())


def test_limits_count_visitors_where_a_proxy_is_trusted(strict: Server) -> None:
    def name(source: str, visitor: str) -> int:
        headers = {"X-Forwarded-For": visitor}
        return strict.http("PUT", "/api/me", {"name": "A"}, headers=headers, source=source)[0]

    for _ in range(burst("name", "address")):
        assert name(PROXY, "203.0.113.5") == 200
    assert name(PROXY, "203.0.113.5") == 429
    assert name(PROXY, "203.0.113.6") == 200
    # What visitors claim comes before what the proxy adds, and is ignored.
    assert name(PROXY, "198.51.100.7, 203.0.113.5") == 429
    # Nobody else is believed: other names do not make an address another one.
    home = next(fresh)
    statuses = [name(home, f"203.0.113.{n}") for n in range(burst("name", "address") + 1)]
    assert statuses == [200] * burst("name", "address") + [429]


def test_links_and_cookies_are_secure_behind_a_trusted_proxy_only(strict: Server) -> None:
    secure = {"X-Forwarded-For": "203.0.113.9", "X-Forwarded-Proto": "https"}
    body = json.dumps({"name": "Ana", "bearer": True}).encode()
    for source, scheme in ((PROXY, "https"), (next(fresh), "http")):
        _, answer, told = strict.exchange("PUT", "/api/me", body, "", secure, source)
        assert ("Secure" in told["Set-Cookie"]) == (scheme == "https")
        token = json.loads(answer)["token"]
        made = strict.http(
            "POST",
            "/api/tables",
            {"game": "clever", "seats": [{"kind": "me"}]},
            token,
            secure,
            source,
        )[1]
        assert made["you"]["invite"].startswith(f"{scheme}://127.0.0.1:{strict.port}/t/")

        async def main(table: str, token: str, source: str, scheme: str) -> None:
            url = f"ws://127.0.0.1:{strict.port}/api/tables/{table}/live"
            headers = {"Authorization": f"Bearer {token}", **secure}
            async with connect(url, additional_headers=headers, local_addr=(source, 0)) as live:
                await live.recv()
                await live.send('{"type":"hello"}')
                assert json.loads(await live.recv())["you"]["watch"].startswith(f"{scheme}://")

        run(main(made["id"], token, source, scheme))


def test_figures_are_for_this_machine_and_not_for_visitors_of_a_proxy(strict: Server) -> None:
    visitor = {"X-Forwarded-For": "203.0.113.5"}
    assert strict.exchange("GET", "/metrics", source=PROXY, headers=visitor)[0] == 404
    assert strict.exchange("GET", "/metrics")[0] == 200


def test_a_network_of_version_6_is_one_household() -> None:
    assert household("2001:db8::1") == household("2001:db8::ffff:1") != household("2001:db8:0:1::1")
    assert household("::ffff:192.0.2.1") == household("192.0.2.1") == "192.0.2.1"
    assert household("") == ""


def test_what_is_used_up_is_granted_again_after_a_while() -> None:
    time = 0.0
    kept, (most, per_second) = Limits(clock=lambda: time), RATES["join", "player"]

    def granted() -> int:
        for count in itertools.count():
            try:
                kept.spend("join", None, "ana")
            except Refusal:
                return count
        raise AssertionError

    assert granted() == most
    time += 2.5 / per_second
    assert granted() == 2
    time += 3600
    assert granted() == most


def test_buckets_do_not_grow_without_bound() -> None:
    kept = Limits(crowd=100)
    for _ in range(burst("name", "address")):
        kept.spend("name", "busy")
    for number in range(1_000):
        kept.spend("request", f"10.0.{number // 250}.{number % 250}")
        if number % 50 == 0:
            with pytest.raises(Refusal, match="new players"):
                kept.spend("name", "busy")
    assert kept.remembered <= 100


def test_a_proxy_without_an_address_is_refused() -> None:
    Settings(trusted_proxies="127.0.0.1, 10.0.0.0/8,::1")
    Settings(trusted_proxies="*")
    for text in ("nginx", "127.0.0.1,,", "10.0.0.1/8"):
        with pytest.raises(BadSetting, match="invalid proxy address"):
            Settings(trusted_proxies=text)


class Leftover:
    """An object that refers to itself, like what a socket leaves behind."""

    def __init__(self) -> None:
        self.me = self


def test_what_ended_sockets_leave_is_collected_once_it_is_much() -> None:
    live = Live(cast(Services, None))
    gc.disable()
    try:
        left = weakref.ref(Leftover())
        live.ended = LITTER
        live.clear_ended()
        assert left() is not None
        live.ended += 1
        live.clear_ended()
        assert left() is None
        assert live.ended == 0
    finally:
        gc.enable()


def test_tables_where_only_bots_play_count_too() -> None:
    async def main(folder: Path) -> None:
        store = SqliteStore(folder / "store.db")
        registry = TableRegistry(store, WorkerPool(1), Settings(tables_per_player=2))
        host = PlayerRow("p", "Ana", digest(COLLECTOR), 0)
        await store.add_player(host)
        wish = TableWish("clever", [SeatWish("bot", "greedy")] * 2)
        for _ in range(2):
            await registry.create(host, wish)
        with pytest.raises(Refusal, match="too many"):
            await registry.create(host, wish)
        await registry.close()
        await store.close()

    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(main(Path(folder)))


def test_a_host_sets_the_limits() -> None:
    plain, club = limits_of(Settings()), limits_of(Settings(people_per_address=200))
    for (what, kind), rate in RATES.items():
        share = 10 if kind == "address" else 1
        assert plain.rates[what, kind] == rate
        assert club.rates[what, kind] == Rate(rate.burst * share, rate.per_second * share)
    assert plain.sockets == SOCKETS
    assert club.sockets == {"address": 1000, "player": 12}
    single = limits_of(Settings(limit="command.player=120/30, name.address=5,socket.player=3"))
    assert single.rates["command", "player"] == Rate(120, 30)
    assert single.rates["name", "address"] == Rate(5, RATES["name", "address"].per_second)
    assert single.sockets["player"] == 3


@pytest.mark.parametrize(
    ("limit", "sentence"),
    [
        ("command.player", "invalid limit 'command.player'; use a form like command.player=120/30"),
        ("command.player=x/1", "invalid limit"),
        ("command.player=0/1", "invalid limit"),
        ("command.player=1/-1", "invalid limit"),
        ("command.player=inf", "invalid limit"),
        ("command.nobody=5", "unknown limit 'command.nobody'; choose one of request.address"),
    ],
)
def test_a_limit_that_cannot_be_is_refused(limit: str, sentence: str) -> None:
    with pytest.raises(BadSetting) as refused:
        limits_of(Settings(limit=limit))
    assert sentence in str(refused.value)
