"""People come back: several devices, sign out there, recovery codes; and what they are called."""

from __future__ import annotations

import asyncio
import re
import sqlite3
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed

from foxtray.server import recovery
from foxtray.server.devices import device_name
from foxtray.server.http.limits import RATES
from foxtray.server.names import RefusedNames, clean_name
from foxtray.server.players import Players, digest
from foxtray.server.protocol.refusals import Refusal
from foxtray.server.settings import BadSetting
from foxtray.server.store.sql_accounts import DEVICES
from foxtray.server.store.sqlite import SqliteStore
from foxtray.server.wall_clock import DAY, day_of, now
from server.harness import TIMEOUT, Json, Server

PHONE = "Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36 Chrome/130.0 Mobile Safari/537"
LAPTOP = "Mozilla/5.0 (X11; Linux x86_64; rv:133.0) Gecko/20100101 Firefox/133.0"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with Server(tmp_path_factory.mktemp("accounts") / "store.db") as running:
        yield running


def sign_in(server: Server, path: str, code: str, agent: str = LAPTOP) -> str:
    """The token of a new device."""
    body = {"code": code, "bearer": True}
    status, me = server.http("POST", path, body, headers={"User-Agent": agent})
    assert status == 200, me
    return str(me["token"])


def by_link(server: Server, token: str, agent: str = LAPTOP) -> str:
    status, link = server.http("POST", "/api/me/link", token=token)
    assert status == 200
    return sign_in(server, "/api/link", link["code"], agent)


def who(server: Server, token: str) -> Json | None:
    player: Json | None = server.http("GET", "/api/me", token=token)[1]["player"]
    return player


def devices(server: Server, token: str) -> list[Json]:
    status, answer = server.http("GET", "/api/me/devices", token=token)
    assert status == 200
    return list(answer["devices"])


# --- devices ------------------------------------------------------------------------------------


def test_a_link_adds_a_device_and_each_is_listed(server: Server) -> None:
    body = {"name": "Ana", "bearer": True}
    _, me = server.http("PUT", "/api/me", body, headers={"User-Agent": PHONE})
    phone = me["token"]
    laptop = by_link(server, phone)
    assert who(server, phone) == who(server, laptop) == {"id": me["id"], "name": "Ana"}
    listed = devices(server, laptop)
    assert {d["name"]: d["here"] for d in listed} == {
        "Chrome on Android": False,
        "Firefox on Linux": True,
    }
    assert all(d["seen"] == day_of(now()) and d["created"] > d["seen"] for d in listed)
    # A new name is known on all of them.
    assert server.http("PUT", "/api/me", {"name": "Anna"}, laptop)[0] == 200
    assert who(server, phone) == {"id": me["id"], "name": "Anna"}
    assert server.http("GET", "/api/me/devices")[1]["code"] == "stranger"


def test_signing_out_there_ends_the_token_and_cuts_the_sockets(server: Server) -> None:
    _, phone = server.player("Bo")
    laptop = by_link(server, phone)
    made = server.table(phone)
    there = next(d["id"] for d in devices(server, laptop) if not d["here"])

    async def sockets() -> None:
        async with (
            live(server, made["id"], phone) as lost,
            live(server, made["id"], laptop) as kept,
        ):
            for socket in (lost, kept):
                await socket.recv()
            path = f"/api/me/devices/{there}"
            status, left = await asyncio.to_thread(server.http, "DELETE", path, token=laptop)
            assert status == 200
            assert [d["here"] for d in left["devices"]] == [True]
            async with asyncio.timeout(TIMEOUT):
                with suppress(ConnectionClosed):
                    while True:
                        await lost.recv()
            await kept.send('{"type":"ping"}')
            async with asyncio.timeout(TIMEOUT):
                assert "pong" in str(await kept.recv())

    asyncio.run(sockets())
    assert who(server, phone) is None
    assert server.http("GET", f"/api/tables/{made['id']}", token=phone)[0] == 404
    assert who(server, laptop)
    again = server.http("DELETE", f"/api/me/devices/{there}", token=laptop)
    assert (again[0], again[1]["code"]) == (404, "no_device")


def live(server: Server, table: str, token: str) -> connect:
    url = f"ws://127.0.0.1:{server.port}/api/tables/{table}/live"
    return connect(url, additional_headers={"Authorization": f"Bearer {token}"})


def test_nobody_signs_out_the_devices_of_others(server: Server) -> None:
    _, ana = server.player("Ana")
    _, eve = server.player("Eve")
    (device,) = devices(server, ana)
    answer = server.http("DELETE", f"/api/me/devices/{device['id']}", token=eve)
    assert answer[1]["code"] == "no_device"
    assert who(server, ana)


def test_signing_out_here_forgets_the_cookie(server: Server) -> None:
    _, token = server.player("Cleo")
    (device,) = devices(server, token)
    path = f"/api/me/devices/{device['id']}"
    status, body, headers = server.exchange("DELETE", path, token=token)
    assert (status, body[:13]) == (200, b'{"devices":[]')
    assert re.match(r'foxtray="?"?; .*Max-Age=0', headers["set-cookie"] or "")
    assert who(server, token) is None


def test_a_waiting_request_of_a_signed_out_device_learns_nothing(server: Server) -> None:
    _, phone = server.player("Dora")
    laptop = by_link(server, phone)
    made = server.table(phone)
    there = next(d["id"] for d in devices(server, laptop) if not d["here"])
    path = f"/api/tables/{made['id']}"

    async def main() -> tuple[int, Json]:
        waiting = asyncio.create_task(
            asyncio.to_thread(server.http, "GET", f"{path}/updates?since=0&wait=25", token=phone)
        )
        await asyncio.sleep(0.5)
        await asyncio.to_thread(server.http, "DELETE", f"/api/me/devices/{there}", token=laptop)
        sit = {"type": "sit", "id": "a", "seat": 0, "entropy": "0" * 32}
        await asyncio.to_thread(server.http, "POST", f"{path}/commands", sit, laptop)
        return await waiting

    status, answer = asyncio.run(main())
    assert (status, answer["code"]) == (404, "no_table")


def test_devices_are_seen_by_the_day_and_few_are_kept(tmp_path: Path) -> None:
    async def main() -> None:
        store = SqliteStore(tmp_path / "store.db")
        players = Players(store)
        player, first = await players.create("Ana", "Firefox on Linux")
        day = day_of(now())
        await store.accounts.see(player.id, player.device, day - 3 * DAY)
        players.forget(player.id)
        assert await players.by_token(first)
        (device,) = await store.accounts.devices(player.id)
        assert device.seen == day
        # Those that were not used for longest make room.
        await store.accounts.see(player.id, player.device, day - 3 * DAY)
        tokens = []
        for _ in range(DEVICES):
            code, _ = await players.make_link(player.id)
            tokens.append((await players.use_link(code))[1])
        assert len(await store.accounts.devices(player.id)) == DEVICES
        assert await players.by_token(first) is None
        assert all([await players.by_token(token) for token in tokens])
        await store.close()

    asyncio.run(main())


@pytest.mark.parametrize(
    ("agent", "name"),
    [
        (PHONE, "Chrome on Android"),
        (LAPTOP, "Firefox on Linux"),
        (
            "Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 "
            "(KHTML, like Gecko) Version/18.1 Mobile/15E148 Safari/604.1",
            "Safari on iPhone",
        ),
        (
            "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) "
            "Chrome/130.0.0.0 Safari/537.36 Edg/130.0.0.0",
            "Edge on Windows",
        ),
        (
            "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like "
            "Gecko) Version/18.1 Safari/605.1.15",
            "Safari on macOS",
        ),
        ("curl/8.5.0", "curl"),
        ("Python-urllib/3.11", "Python-urllib"),
        ("", ""),
        ("Mozilla/5.0", ""),
        ("<script>alert(1)</script>", ""),
        ("x" * 5_000, ""),
    ],
)
def test_a_device_has_a_short_name(agent: str, name: str) -> None:
    assert device_name(agent) == name


# --- the recovery code --------------------------------------------------------------------------


def test_a_code_signs_in_again_and_again_until_it_is_replaced(server: Server) -> None:
    player, phone = server.player("Emil")
    assert server.http("GET", "/api/me/devices", token=phone)[1]["recovery"] is None
    status, made = server.http("POST", "/api/me/recovery", token=phone)
    assert status == 200
    assert re.fullmatch("([0-9A-HJKMNP-TV-Z]{4}-){4}[0-9A-HJKMNP-TV-Z]{4}", made["code"])
    assert server.http("GET", "/api/me/devices", token=phone)[1]["recovery"] == made["made"]
    sloppy = f" {made['code'].lower().replace('-', ' ').replace('1', 'l').replace('0', 'o')} "
    for spelling in (made["code"], made["code"].replace("-", ""), sloppy):
        found = who(server, sign_in(server, "/api/recover", spelling))
        assert found == {"id": player, "name": "Emil"}
    assert len(devices(server, phone)) == 4
    _, newer = server.http("POST", "/api/me/recovery", token=phone)
    old = server.http("POST", "/api/recover", {"code": made["code"]})
    assert (old[0], old[1]["code"]) == (403, "bad_code")
    assert sign_in(server, "/api/recover", newer["code"])


def test_all_wrong_codes_get_the_same_answer(server: Server) -> None:
    codes = ["", "x", "AAAA-AAAA-AAAA-AAAA-AAAA", recovery.new_code(), "ž" * 64, "'; --"]
    answers = [
        server.exchange("POST", "/api/recover", b'{"code":"%s"}' % c.encode()) for c in codes
    ]
    assert {(status, body) for status, body, _ in answers} == {
        (403, b'{"code":"bad_code","message":"this recovery code is wrong, or was replaced by a '
              b'newer one"}')
    }  # fmt: skip
    assert not any(headers["set-cookie"] for _, _, headers in answers)
    assert server.http("POST", "/api/me/recovery")[1]["code"] == "stranger"


def test_codes_and_tokens_are_kept_as_hashes_only(server: Server) -> None:
    _, token = server.player("Fay")
    _, made = server.http("POST", "/api/me/recovery", token=token)
    files = [path.read_bytes() for path in server.db.parent.glob("store.db*")]
    for secret in (token, made["code"], recovery.plain(made["code"])):
        assert not any(secret.encode() in data for data in files)
    assert any(digest(token) in data for data in files)
    assert any(digest(recovery.plain(made["code"])) in data for data in files)
    assert len(recovery.ALPHABET) ** (recovery.GROUPS * recovery.LETTERS) >= 2**80


def test_guessing_is_limited(tmp_path: Path) -> None:
    with Server(tmp_path / "store.db", "--workers", "1") as strict:
        burst = int(RATES["sign_in", "address"].burst)
        answers = [
            strict.http("POST", "/api/recover", {"code": recovery.new_code()})[1]["code"]
            for _ in range(burst + 5)
        ]
    assert answers == ["bad_code"] * burst + ["too_many"] * 5


def test_a_deleted_player_leaves_no_way_in(server: Server) -> None:
    player, token = server.player("Gus")
    laptop = by_link(server, token)
    _, made = server.http("POST", "/api/me/recovery", token=token)
    _, link = server.http("POST", "/api/me/link", token=token)
    assert server.http("DELETE", "/api/me", token=token)[0] == 200
    assert who(server, laptop) is None
    assert server.http("POST", "/api/recover", {"code": made["code"]})[1]["code"] == "bad_code"
    assert server.http("POST", "/api/link", {"code": link["code"]})[1]["code"] == "bad_link"
    connection = sqlite3.connect(server.db)
    for table in ("devices", "passkeys", "links"):
        count = f"SELECT count(*) FROM {table} WHERE player=?"
        assert connection.execute(count, (player,)).fetchone() == (0,)
    connection.close()


def test_devices_and_codes_survive_a_crash(tmp_path: Path) -> None:
    with Server(tmp_path / "store.db") as server:
        _, phone = server.player("Hana")
        laptop = by_link(server, phone)
        _, made = server.http("POST", "/api/me/recovery", token=phone)
        server.kill()
        server.start()
        assert who(server, phone) == who(server, laptop)
        assert who(server, sign_in(server, "/api/recover", made["code"])) == who(server, phone)


# --- names --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("\u3164", "name_empty"),
        ("\u2800 \u2800", "name_empty"),
        ("\u0301\u0302", "name_empty"),
        ("\u200b\u200d", "name_empty"),
        ("\ufe0f", "name_empty"),
        ("\u115f\u1160\uffa0", "name_empty"),
        ("\U000e0061", "name_empty"),
        ("Ana\u3164", "name_unprintable"),
        ("A\u034fna", "name_unprintable"),
        ("A\u2800na", "name_unprintable"),
        ("Admin", "name_refused"),
        ("аdmіn", "name_refused"),  # in part Cyrillic
        ("Ａｄｍｉｎ", "name_refused"),
        ("Ádm1n!", "name_refused"),
        ("Adm!n", "name_refused"),
        ("adrnin", "name_refused"),
        ("F 0 x t r a y", "name_refused"),
        ("Greedy", "name_refused"),
    ],
)
def test_a_name_is_visible_and_ones_own(server: Server, name: str, code: str) -> None:
    status, answer = server.http("PUT", "/api/me", {"name": name})
    assert (status, answer["code"]) == (409, code)
    _, token = server.player("Ida")
    assert server.http("PUT", "/api/me", {"name": name}, token)[1]["code"] == code


@pytest.mark.parametrize(
    "name",
    ["Žofie", "Ελένη", "Лазар", "李", "R2-D2", "❤️", "Adminka", "é", "e\u0301", "!?", "Guest"],
)
def test_names_of_all_kinds_are_welcome(server: Server, name: str) -> None:
    assert server.http("PUT", "/api/me", {"name": name})[0] == 200


def test_the_host_can_refuse_more_names(tmp_path: Path) -> None:
    file = tmp_path / "names.txt"
    file.write_text("# for everybody's peace\nRiver  # a name\n*darn*\n***\n\n", encoding="utf-8")
    names = RefusedNames(str(file))

    def refused(name: str) -> bool:
        try:
            names.check(clean_name(name))
        except Refusal as refusal:
            return refusal.code == "name_refused"
        return False

    assert [refused(n) for n in ("RIVER", "Rivers", "Ana", "so D4RN good")] == [
        True, False, False, True,
    ]  # fmt: skip
    # A change counts at once; while the file cannot be read, what was read last does.
    time.sleep(0.01)
    file.write_text("Lake\n", encoding="utf-8")
    assert [refused(n) for n in ("River", "Lake", "Admin")] == [False, True, True]
    file.unlink()
    assert refused("Lake")
    with pytest.raises(BadSetting, match="cannot be read"):
        RefusedNames(str(file))
