"""The live protocol over a WebSocket; docs/protocol.md tells it in words."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import msgspec
import structlog
from starlette.types import Receive, Scope, Send
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

from foxtray import __version__
from foxtray.errors import FoxtrayError
from foxtray.server.desk import Desk, complaint, id_of
from foxtray.server.messages import (
    CLOSE_GONE,
    CLOSE_MALFORMED,
    PROTOCOL,
    Greeting,
    Hello,
    Incoming,
    Ping,
    Pong,
)
from foxtray.server.refusals import Refusal
from foxtray.server.store import PlayerRow
from foxtray.server.table import Table, encode
from foxtray.server.timing import now

log = structlog.get_logger()
decode = msgspec.json.Decoder(Incoming).decode

OUTBOX = 256 * 1024
SILENCE = 40.0
PATROL = 5.0
LITTER = 500
"""Ended sockets that may lie about, about 10 MB."""
OFFENCES = 100
WIRE = "foxtray.wire"


def frame(data: bytes) -> bytes:
    """A text frame as a server sends it."""
    size = len(data)
    if size < 126:
        return bytes((0x81, size)) + data
    if size < 1 << 16:
        return b"\x81\x7e" + size.to_bytes(2, "big") + data
    return b"\x81\x7f" + size.to_bytes(8, "big") + data


class WireProtocol(WebSocketsSansIOProtocol):
    """Lets the application write without waiting, and cut a connection that does not read.

    Sending as ASGI has it waits for a slow reader, so that every socket would need a task and a
    queue of its own; here the transport's buffer is the queue, and its size is known.
    """

    def handle_connect(self, event: Any) -> None:
        super().handle_connect(event)
        if hasattr(self, "scope"):
            self.scope["extensions"][WIRE] = {"write": self.write, "cut": self.transport.abort}

    def write(self, data: bytes) -> int:
        """Write a text message; returns how much is waiting to be sent."""
        if self.close_sent or self.transport.is_closing():
            return 0
        self.transport.write(frame(data))
        return self.transport.get_write_buffer_size()


class Connection:
    """A socket with a bounded outbox: whoever writes never waits for whoever reads."""

    __slots__ = ("_cut", "_write", "dropped", "heard", "key", "player", "table")

    def __init__(
        self, write: Callable[[bytes], int], cut: Callable[[], None], player: str | None
    ) -> None:
        self.player = player
        self.table: Table | None = None
        self.key = ""
        self.heard = asyncio.get_running_loop().time()
        self.dropped: str | None = None
        self._write = write
        self._cut = cut

    def push(self, data: bytes) -> None:
        """Send a message; a reader that is too slow is dropped and may come back."""
        if not self.dropped and self._write(data) > OUTBOX:
            self.drop("slow")

    def drop(self, reason: str) -> None:
        self.dropped = reason
        self._cut()


class Live:
    """The ASGI endpoint of /api/tables/ID/live."""

    def __init__(self, desk: Desk) -> None:
        self.desk = desk
        self.connections: set[Connection] = set()
        self.ended = 0
        self._patrol: asyncio.Task[None] | None = None

    def start(self) -> None:
        self._patrol = asyncio.create_task(self._keep_order())

    def close(self) -> None:
        if self._patrol:
            self._patrol.cancel()

    async def _keep_order(self) -> None:
        while True:
            await asyncio.sleep(PATROL)
            self._drop_silent()
            self.clear_ended()

    def _drop_silent(self) -> None:
        """Drop sockets that are half open: a client that lives sends pings."""
        limit = asyncio.get_running_loop().time() - SILENCE
        for connection in list(self.connections):
            if connection.heard < limit:
                connection.drop("silent")

    def clear_ended(self) -> None:
        """Collect what ended sockets left; as dear as the open ones are many, so in their time."""
        if self.ended > max(LITTER, len(self.connections)):
            self.ended = 0
            gc.collect()

    def expel(self, player: str) -> None:
        """Cut the sockets of somebody who is no longer a player on this device."""
        for connection in list(self.connections):
            if connection.player == player:
                connection.drop("expelled")

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await receive()
        desk = self.desk
        address = scope["client"][0] if scope.get("client") else ""
        try:
            desk.limits.spend("join", address)
            player = await desk.player(scope)
            if player:
                desk.limits.spend("join", None, player.id)
            with desk.limits.socket(address, player.id if player else None):
                await send({"type": "websocket.accept"})
                await self._serve(scope, receive, send, player, address)
        except FoxtrayError as error:
            desk.metrics.refusals.labels(error.code).inc()
            await send({"type": "websocket.close", "code": CLOSE_GONE, "reason": error.code})

    async def _serve(
        self, scope: Scope, receive: Receive, send: Send, player: PlayerRow | None, address: str
    ) -> None:
        wire = scope["extensions"][WIRE]
        connection = Connection(wire["write"], wire["cut"], player.id if player else None)
        self.connections.add(connection)
        self.desk.metrics.sockets.inc()
        connection.push(encode(Greeting(PROTOCOL, __version__, now())))
        try:
            close = await self._listen(scope, receive, connection, player, address)
        finally:
            self.connections.discard(connection)
            self.ended += 1
            self.desk.metrics.sockets.dec()
            if connection.table:
                connection.table.depart(connection)
            if connection.dropped:
                self.desk.metrics.dropped.labels(connection.dropped).inc()
        if close and not connection.dropped:
            with suppress(OSError, RuntimeError):
                await send({"type": "websocket.close", "code": close[0], "reason": close[1]})

    async def _listen(
        self,
        scope: Scope,
        receive: Receive,
        connection: Connection,
        player: PlayerRow | None,
        address: str,
    ) -> tuple[int, str] | None:
        """Answer what comes in; returns how to close, if that is ours to do."""
        loop = asyncio.get_running_loop()
        offences = 0
        while True:
            event = await receive()
            if event["type"] == "websocket.disconnect" or connection.dropped:
                return None
            connection.heard = loop.time()
            text = event.get("text") or event.get("bytes") or b""
            try:
                self.desk.limits.spend("command", address, connection.player)
                message = decode(text)
                if isinstance(message, Ping):
                    connection.push(encode(Pong(now())))
                elif isinstance(message, Hello):
                    await self._greet(scope, connection, message)
                elif connection.table is None:
                    raise Refusal("hello_first")
                else:
                    answer = await self.desk.carry_out(
                        connection.table, player, message, connection.key
                    )
                    connection.push(answer)
            except (msgspec.DecodeError, UnicodeError) as error:
                offences += 1
                refusal = (
                    complaint(error)
                    if isinstance(error, msgspec.DecodeError)
                    else Refusal("malformed")
                )
                connection.push(self.desk.refuse(refusal, id_of(text)))
            except FoxtrayError as error:
                offences += error.code == "too_many"
                connection.push(self.desk.refuse(error, id_of(text)))
                if connection.table is None and error.code in ("no_table", "rules_changed"):
                    return CLOSE_GONE, error.code
            except Exception:
                log.exception("command_failed")
                connection.push(self.desk.refuse(Refusal("internal"), id_of(text)))
            if offences > OFFENCES:
                return CLOSE_MALFORMED, "malformed"

    async def _greet(self, scope: Scope, connection: Connection, hello: Hello) -> None:
        """Bring somebody up to date, now and from now on."""
        name = scope["path_params"]["table"]
        table = await self.desk.hall.visible(name, connection.player, hello.key)
        if connection.table and connection.table is not table:
            connection.table.depart(connection)
        connection.table, connection.key = table, hello.key
        you = self.desk.you(scope, table, connection.player)
        table.join(connection)
        connection.push(table.catch_up(hello.since, you))
        await table.enter(connection)
