"""Frames that are not messages: the limits do not count them, so a socket may send only a few."""

import json
import os
import random
import re
import socket
import time
from contextlib import suppress

import pytest

from server.harness import LATE, Client, Server
from server.test_tables import run, solo

MASK = b"\x80\0\0\0\0"
CONTINUED, PING, PONG = b"\x00" + MASK, b"\x89" + MASK, b"\x8a" + MASK
FIRST = b"\x01" + MASK
"""The first of several fragments of a text."""


def socket_of(server: Server, table: str) -> socket.socket:
    """A WebSocket without a library, which would not send such frames."""
    line = socket.create_connection(("127.0.0.1", server.port), LATE)
    line.sendall(
        f"GET /api/tables/{table}/live HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\n"
        "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n".encode()
    )
    answer = b""
    while b"\r\n\r\n" not in answer:
        answer += line.recv(1)
    assert answer.startswith(b"HTTP/1.1 101")
    return line


@pytest.mark.parametrize("frame", [CONTINUED, PING, PONG], ids=["fragment", "ping", "pong"])
def test_a_flood_of_empty_frames_is_cut(server: Server, frame: bytes) -> None:
    """200,000 of them took a second of the server's time."""
    made, _ = solo(server)
    with socket_of(server, made["id"]) as line, suppress(ConnectionError):
        if frame == CONTINUED:
            line.sendall(FIRST)
        line.settimeout(20)  # a socket that is silent would be dropped after 40 seconds
        line.sendall(frame * 20_000)
        while line.recv(65_536):
            pass


def test_a_few_frames_harm_nobody(server: Server) -> None:
    made, token = solo(server)

    async def main() -> None:
        async with Client(server.port, made["id"], token) as client:
            assert client.socket
            for _ in range(50):
                await (await client.socket.ping(os.urandom(4)))
            text = [part.encode() for part in ('{"type"', ': "pi', 'ng"}')]
            await client.socket.send(text)
            await client.command("roll")

    run(main())


def masked(text: bytes, first: int = 0x81) -> bytes:
    """A frame of a client."""
    mask = os.urandom(4)
    size = bytes([0x80 | len(text)]) if len(text) < 126 else b"\xfe" + len(text).to_bytes(2, "big")
    return bytes([first]) + size + mask + bytes(c ^ mask[i % 4] for i, c in enumerate(text))


def name_of(number: int, text: str = "") -> bytes:
    """A message whose refusal names it."""
    return json.dumps({"type": "roll", "id": f"n{number}", "pad": text}).encode()


def refusals(line: socket.socket, last: int) -> list[str]:
    """The ids of all refusals up to that of one message."""
    line.settimeout(LATE)
    heard = b""
    while b'"id":"n%d"' % last not in heard:
        part = line.recv(65_536)
        assert part, heard
        heard += part
    return re.findall(r'"id":"(n[0-9]+)"', heard.decode(errors="replace"))


def test_messages_come_through_in_order_however_they_are_cut(server: Server) -> None:
    """Short and long, in fragments, with pings between them, split anywhere, many at once."""
    made, _ = solo(server)
    rng = random.Random(7)
    for _ in range(12):
        sent, count = b"", 20
        for number in range(count):
            text = name_of(number, rng.choice(("", "x" * 200, "ä")))
            if rng.random() < 0.3:
                cut = rng.randrange(len(text))
                sent += masked(text[:cut], 0x01) + PING + masked(text[cut:], 0x80)
            else:
                sent += rng.choice((b"", PING)) + masked(text)
        with socket_of(server, made["id"]) as line:
            line.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            while sent:
                size = rng.choice((1, 5, 40, 300, 5_000))
                line.sendall(sent[:size])
                sent = sent[size:]
                if rng.random() < 0.2:
                    time.sleep(0.001)
            assert refusals(line, count - 1) == [f"n{number}" for number in range(count)]


def test_a_message_in_the_middle_of_another_one_ends_the_socket(server: Server) -> None:
    made, _ = solo(server)
    with socket_of(server, made["id"]) as line:
        line.settimeout(LATE)
        line.sendall(FIRST + masked(name_of(1)))
        heard = b""
        while part := line.recv(65_536):
            heard += part
        assert b"n1" not in heard
        assert b"\x03\xea" in heard, "1002: a protocol error"
