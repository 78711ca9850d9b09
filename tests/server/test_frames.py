"""Frames that are not messages: the limits do not count them, so a socket may send only a few."""

import os
import socket
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
