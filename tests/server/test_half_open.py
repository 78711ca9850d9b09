"""Silent connections and incomplete requests are closed; those that wait for an answer are not."""

import asyncio
import json
import math
import socket
import time
from collections.abc import Iterator
from contextlib import suppress

import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed

from foxtray.server.settings import BadSetting, Settings
from server.harness import LATE, Server, until
from server.test_tables import run, solo

PATIENCE = 2.0
"""Long enough for a busy machine to say something in it."""
SILENCE = 4.0
HEADER = "Host: 127.0.0.1\r\nContent-Type: application/json\r\n"
GET = f"GET /healthz HTTP/1.1\r\n{HEADER}\r\n".encode()
PUT = f"PUT /api/me HTTP/1.1\r\n{HEADER}Content-Length: 40\r\n\r\n".encode()


@pytest.fixture(scope="module")
def hasty(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server with very short timeouts."""
    environment = {"FOXTRAY_PATIENCE": str(PATIENCE), "FOXTRAY_SILENCE": str(SILENCE)}
    db = tmp_path_factory.mktemp("hasty") / "store.db"
    with Server(db, environment=environment) as server:
        yield server
    assert '"level": "error"' not in server.log.read_text()


@pytest.fixture
def line(hasty: Server) -> Iterator[socket.socket]:
    with socket.create_connection(("127.0.0.1", hasty.port), LATE) as raw:
        yield raw


def answer(line: socket.socket) -> bytes:
    """One answer with its body."""
    data = b""
    while b"\r\n\r\n" not in data:
        data += some(line)
    head, _, body = data.partition(b"\r\n\r\n")
    size = int(head.lower().partition(b"content-length: ")[2].split()[0])
    while len(body) < size:
        body += some(line)
    return head + b"\r\n\r\n" + body


def some(line: socket.socket) -> bytes:
    data = line.recv(65_536)
    assert data, "the connection was closed"
    return data


def expect_the_end(line: socket.socket, last: bytes) -> None:
    """Send some bytes and wait until the server closes the connection without an answer."""
    with suppress(ConnectionError):
        line.sendall(last)
        assert line.recv(1) == b""


def cut_short(line: socket.socket, data: bytes) -> bool:
    """Whether the server closes the connection while byte after byte arrives."""
    line.settimeout(PATIENCE / 5)
    for byte in data:
        try:
            line.sendall(bytes((byte,)))
            if line.recv(1) == b"":
                return True
        except TimeoutError:
            continue
        except ConnectionError:
            return True
    return False


@pytest.mark.parametrize("begun", [b"", GET[:30], PUT[:-2]], ids=["nothing", "line", "header"])
def test_a_connection_without_a_request_is_closed(line: socket.socket, begun: bytes) -> None:
    expect_the_end(line, begun)


def test_a_request_may_come_in_pieces(line: socket.socket) -> None:
    line.sendall(GET[:30])
    time.sleep(PATIENCE / 10)
    line.sendall(GET[30:])
    assert b"200 OK" in answer(line)


def test_half_a_second_request_is_no_reason_to_wait_longer(line: socket.socket) -> None:
    line.sendall(GET)
    assert b"200 OK" in answer(line)
    time.sleep(1.5 * PATIENCE)  # between two requests a connection may rest
    line.sendall(GET)
    assert b"200 OK" in answer(line)
    expect_the_end(line, GET[:30])


def test_single_bytes_buy_no_time(line: socket.socket) -> None:
    assert cut_short(line, GET[:30])


def test_half_a_body_is_refused_and_the_connection_closed(line: socket.socket) -> None:
    line.sendall(PUT + b'{"name":')
    told = answer(line)
    assert b" 400 " in told
    assert json.loads(told.partition(b"\r\n\r\n")[2]) == {
        "code": "malformed",
        "message": "the message did not arrive in time",
    }
    expect_the_end(line, b'"')


def test_a_body_after_its_answer_keeps_no_connection(line: socket.socket) -> None:
    """uvicorn's timer stops with the last byte of such a body, and nothing starts it again."""
    line.sendall(GET[:-2] + b"Content-Length: 1\r\n\r\n")
    assert b"200 OK" in answer(line)
    expect_the_end(line, b"x")


def test_who_leaves_in_the_middle_of_a_body_is_no_error(hasty: Server) -> None:
    refused = 'foxtray_refusals_total{code="malformed"}'
    before = hasty.figure(refused)
    with socket.create_connection(("127.0.0.1", hasty.port)) as raw:
        raw.sendall(PUT + b"{")
        hasty.http("GET", "/healthz")  # who came before is listened to by then
    until(lambda: hasty.figure(refused) == before + 1)
    assert '"level": "error"' not in hasty.log.read_text()


def test_who_waits_for_an_answer_is_not_cut(hasty: Server) -> None:
    made, token = solo(hasty)
    path = f"/api/tables/{made['id']}/updates?since=2&wait=3"
    assert PATIENCE < 3
    status, update = hasty.http("GET", path, None, token)
    assert (status, update["seq"]) == (200, 2)


def test_a_silent_socket_is_dropped_and_one_that_pings_is_not(hasty: Server) -> None:
    made, token = solo(hasty)
    url = f"ws://127.0.0.1:{hasty.port}/api/tables/{made['id']}/live"
    headers = {"Authorization": f"Bearer {token}"}
    dropped = 'foxtray_dropped_total{reason="silent"}'
    assert SILENCE > PATIENCE

    async def main() -> None:
        already = hasty.figure(dropped)
        async with (
            connect(url, additional_headers=headers, ping_interval=None) as alive,
            connect(url, additional_headers=headers, ping_interval=None) as silent,
        ):
            for live in (alive, silent):
                await live.send('{"type":"hello"}')
            gone = asyncio.create_task(silent.wait_closed())
            while not gone.done():
                await alive.send('{"type":"ping"}')
                await asyncio.sleep(SILENCE / 10)
            await alive.send('{"type":"ping"}')
            while json.loads(await alive.recv())["type"] != "pong":
                pass
            with pytest.raises(ConnectionClosed):
                async for _ in silent:
                    pass
        until(lambda: hasty.figure(dropped) == already + 1)

    run(main())


def test_a_server_has_some_patience() -> None:
    with pytest.raises(BadSetting, match="patience must be"):
        Settings(patience=0)
    for silence in (0, math.inf, math.nan):
        with pytest.raises(BadSetting, match="silence must be"):
            Settings(silence=silence)
