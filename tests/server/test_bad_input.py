"""Any bad input gets an error code and a sentence, or a clean close, and changes nothing."""

import asyncio
import json
import socket
import time
from contextlib import suppress
from typing import Any

import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, InvalidStatus

from foxtray.server.protocol.messages import REFUSAL_CODES
from server.harness import Client, Server
from server.test_tables import ENTROPY, run, snapshot, solo

BAD_FRAMES = [
    ("", "malformed"),
    ("{", "malformed"),
    ("[]", "malformed"),
    ("null", "malformed"),
    ('"roll"', "malformed"),
    ("{}", "malformed"),
    ('{"type":"dance","id":"a"}', "unknown_command"),
    ('{"type":7,"id":"a"}', "unknown_command"),
    ('{"type":"roll"}', "malformed"),
    ('{"type":"roll","id":""}', "malformed"),
    ('{"type":"roll","id":"' + "x" * 65 + '"}', "malformed"),
    ('{"type":"roll","id":"a b"}', "malformed"),
    ('{"type":"roll","id":5}', "malformed"),
    ('{"type":"roll","id":"a","more":1}', "malformed"),
    ('{"type":"play","id":"a"}', "malformed"),
    ('{"type":"play","id":"a","action":5}', "malformed"),
    ('{"type":"play","id":"a","action":"' + "w" * 100 + '"}', "malformed"),
    ('{"type":"play","id":"b","action":"dance"}', "malformed_action"),
    ('{"type":"play","id":"b2","action":"return:w"}', "malformed_action"),
    ('{"type":"play","id":"c","action":"w>y3a"}', "dice_wanted"),
    ('{"type":"play","id":"d","action":"pass"}', "dice_wanted"),
    ('{"type":"undo","id":"e"}', "nothing_to_undo"),
    ('{"type":"sit","id":"f","seat":0,"entropy":"xyz"}', "malformed"),
    ('{"type":"sit","id":"g","seat":9,"entropy":"' + ENTROPY + '"}', "malformed"),
    ('{"type":"sit","id":"h","seat":0,"entropy":"' + ENTROPY + '"}', "already_started"),
    ('{"type":"start","id":"i"}', "already_started"),
    ('{"type":"reseat","id":"j","seat":0,"bot":"greedy"}', "already_started"),
    ('{"type":"takeover","id":"k","seat":0}', "not_absent"),
    ('{"type":"takeover","id":"l","seat":3}', "no_such_seat"),
    ('{"type":"takeover","id":"l2","seat":0,"bot":"nobody"}', "not_absent"),
    ('{"type":"resume","id":"m"}', "not_stood_in"),
    ('{"type":"rematch","id":"n"}', "not_over"),
    ('{"type":"hello","since":-1}', "malformed"),
    ('{"type":"hello","since":"x"}', "malformed"),
    ('{"type":"hello","key":"' + "k" * 100 + '"}', "malformed"),
    ("[" * 5_000, "malformed"),
    ('{"type":"roll","id":"\\ud800"}', "malformed"),
]


@pytest.fixture(scope="module")
def table(server: Server) -> tuple[str, str]:
    made, token = solo(server, seed=1)
    return made["id"], token


@pytest.mark.parametrize(("frame", "code"), BAD_FRAMES)
def test_a_bad_frame_is_refused_and_changes_nothing(
    server: Server, table: tuple[str, str], frame: str, code: str
) -> None:
    async def main() -> None:
        async with Client(server.port, *table) as client:
            client.keep_heard = True
            assert client.socket
            await client.socket.send(frame)
            while not client.heard or '"refused"' not in client.heard[-1]:
                await client.wait()
            refusal = json.loads(client.heard[-1])
            assert refusal["code"] == code
            assert code in REFUSAL_CODES
            assert refusal["message"]

    before = snapshot(server, *table)
    run(main())
    after = snapshot(server, *table)
    assert (after["seq"], after["game"]) == (before["seq"], before["game"])


def test_bytes_that_are_no_text_are_refused(server: Server, table: tuple[str, str]) -> None:
    async def main() -> None:
        async with Client(server.port, *table) as client:
            client.keep_heard = True
            assert client.socket
            await client.socket.send(b"\xff\xfe\x00")
            while not client.heard or "malformed" not in client.heard[-1]:
                await client.wait()

    run(main())


@pytest.mark.parametrize("size", [20_000, 1_000_000])
def test_a_large_frame_closes_the_connection(
    server: Server, table: tuple[str, str], size: int
) -> None:
    async def main() -> None:
        url = f"ws://127.0.0.1:{server.port}/api/tables/{table[0]}/live"
        async with connect(url, compression=None) as live:
            with suppress(ConnectionClosed):
                await live.send("x" * size)
            await live.wait_closed()
            assert live.close_code == 1009

    run(main())


def test_a_socket_that_says_no_hello_is_asked_to(server: Server, table: tuple[str, str]) -> None:
    async def main() -> None:
        url = f"ws://127.0.0.1:{server.port}/api/tables/{table[0]}/live"
        async with connect(url) as live:
            assert json.loads(await live.recv())["type"] == "greeting"
            await live.send('{"type":"roll","id":"a"}')
            assert json.loads(await live.recv())["code"] == "hello_first"
            await live.send('{"type":"ping"}')
            assert json.loads(await live.recv())["type"] == "pong"
            # A stranger without a key learns nothing.
            await live.send('{"type":"hello"}')
            assert json.loads(await live.recv())["code"] == "no_table"
            with pytest.raises(ConnectionClosed):
                await live.recv()

    run(main())


@pytest.mark.parametrize(
    "headers",
    [{"Origin": "http://evil.example"}, {"Origin": "null"}, {"Host": "evil.example"}],
)
def test_other_pages_and_names_are_turned_away(
    server: Server, table: tuple[str, str], headers: dict[str, str]
) -> None:
    async def main() -> None:
        url = f"ws://127.0.0.1:{server.port}/api/tables/{table[0]}/live"
        with pytest.raises(InvalidStatus) as refused:
            async with connect(url, additional_headers=headers):
                pass
        assert refused.value.response.status_code in (400, 403)

    if "Origin" in headers:
        run(main())
    status, answer = server.http("PUT", "/api/me", {"name": "Eve"}, headers=headers)
    assert status in (403, 421)
    assert answer["code"] in ("bad_host", "bad_origin")


BAD_REQUESTS: list[tuple[str, str, Any, str]] = [
    ("PUT", "/api/me", {"name": "x" * 10_000}, "name_too_long"),
    ("PUT", "/api/me", {"name": "x" * 25}, "name_too_long"),
    ("PUT", "/api/me", {"name": "  \t "}, "name_empty"),
    ("PUT", "/api/me", {"name": "a\x00b"}, "name_unprintable"),
    ("PUT", "/api/me", {"name": "a\u202eb"}, "name_unprintable"),
    ("PUT", "/api/me", {"name": 5}, "malformed"),
    ("PUT", "/api/me", {"name": "x" * 40_000}, "too_large"),
    ("PUT", "/api/me", {}, "malformed"),
    ("POST", "/api/tables", {"game": "chess", "seats": [{"kind": "me"}]}, "unknown_game"),
    ("POST", "/api/tables", {"game": "clever", "seats": []}, "malformed"),
    ("POST", "/api/tables", {"game": "clever", "seats": [{"kind": "me"}] * 2}, "one_seat_each"),
    ("POST", "/api/tables", {"game": "clever", "seats": [{"kind": "me"}] * 5}, "malformed"),
    (
        "POST",
        "/api/tables",
        {"game": "clever", "seats": [{"kind": "bot", "bot": "hal"}]},
        "unknown_bot",
    ),
    (
        "POST",
        "/api/tables",
        {"game": "clever", "seats": [{"kind": "me"}], "same_dice": {"table": "x", "key": ""}},
        "no_table",
    ),
    ("GET", "/api/tables/none", None, "no_table"),
    ("GET", "/api/tables/none/updates?since=abc", None, "malformed"),
    ("GET", "/api/tables/none/updates?since=1&since=2", None, "malformed"),
    ("GET", "/api/tables/none/steps?count=100000", None, "malformed"),
    ("GET", "/api/sheets/chess", None, "unknown_game"),
    ("GET", "/api/nothing", None, "not_found"),
    ("POST", "/api/me", {"name": "x"}, "method_not_allowed"),
    ("POST", "/api/link", {"code": "none"}, "bad_link"),
]


@pytest.mark.parametrize(("method", "path", "body", "code"), BAD_REQUESTS)
def test_a_bad_request_is_refused_with_a_sentence(
    server: Server, table: tuple[str, str], method: str, path: str, body: Any, code: str
) -> None:
    status, answer = server.http(method, path, body, token=table[1])
    assert 400 <= status < 500
    assert answer["code"] == code
    assert answer["message"]
    assert "Traceback" not in answer["message"]


def test_strangers_are_told_to_say_who_they_are(server: Server, table: tuple[str, str]) -> None:
    for token in ("", "x" * 32, "x" * 10_000):
        assert server.http("POST", "/api/me/link", token=token)[1]["code"] == "stranger"
        path = f"/api/tables/{table[0]}/commands"
        answer = server.http("POST", path, {"type": "roll", "id": "a"}, token=token)
        assert answer[1]["code"] == "stranger"
        assert server.http("GET", f"/api/tables/{table[0]}", token=token)[0] == 404


def test_a_full_table_and_a_missing_invitation(server: Server) -> None:
    _, host = server.player("Ana")
    made = server.table(host, "clever", "mo")
    path = f"/api/tables/{made['id']}/commands"
    sit = {"type": "sit", "id": "a", "seat": 1, "entropy": ENTROPY}
    _, guest = server.player("Guest")
    key = made["you"]["key"]
    assert server.http("POST", f"{path}?key={key}", sit, guest)[1]["code"] == "invite_needed"
    invite = made["you"]["invite"].partition("key=")[2]
    assert server.http("POST", f"{path}?key={invite}", sit, guest)[0] == 200
    _, third = server.player("Third")
    assert server.http("POST", f"{path}?key={invite}", sit, third)[1]["code"] == "seat_taken"


def test_half_open_sockets_and_garbage_harm_nobody(server: Server, table: tuple[str, str]) -> None:
    for garbage in (b"", b"GET / HTTP/1.1\r\n", b"\x16\x03\x01" * 50, b"A" * 100_000):
        with socket.create_connection(("127.0.0.1", server.port)) as raw:
            raw.sendall(garbage)
            time.sleep(0.02)
    assert snapshot(server, *table)["seq"] == 2
    assert asyncio.run(still_answers(server, *table))


async def still_answers(server: Server, table: str, token: str) -> bool:
    async with Client(server.port, table, token) as client:
        return client.seen


def resident(server: Server) -> int:
    assert server.process
    with open(f"/proc/{server.process.pid}/statm") as file:
        return int(file.read().split()[1]) * 4096


def test_a_reader_that_never_reads_is_dropped(server: Server) -> None:
    """It costs less than a megabyte, and the others do not notice."""
    made, token = solo(server, seed=3)
    dropped = 'foxtray_dropped_total{reason="slow"}'

    async def main() -> None:
        url = f"ws://127.0.0.1:{server.port}/api/tables/{made['id']}/live"
        headers = {"Authorization": f"Bearer {token}"}
        async with Client(server.port, made["id"], token) as client:
            before, already = resident(server), server.figure(dropped)
            small = socket.socket()
            small.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            small.connect(("127.0.0.1", server.port))
            lazy = await connect(url, sock=small, additional_headers=headers, compression=None)
            lazy.transport.pause_reading()
            most = 0
            with suppress(ConnectionClosed):
                for number in range(6_000):
                    await lazy.send('{"type":"hello"}')
                    most = max(most, resident(server))
                    if number % 200 == 0 and server.figure(dropped) > already:
                        break
            assert server.figure(dropped) == already + 1
            assert most - before < 1_000_000
            await client.command("roll")
            lazy.transport.abort()

    run(main())
