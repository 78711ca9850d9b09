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
from foxtray.server.background import Background
from foxtray.server.http.services import Services
from foxtray.server.protocol.codec import decode, decode_refusal, encode, id_of
from foxtray.server.protocol.messages import (
    CLOSE_GONE,
    CLOSE_MALFORMED,
    PROTOCOL,
    Greeting,
    Hello,
    Ping,
    Pong,
)
from foxtray.server.protocol.refusals import Refusal
from foxtray.server.store import PlayerRow
from foxtray.server.tables.table import Table

log = structlog.get_logger()

OUTBOX = 256 * 1024
ROUNDS = 8
"""How often silent sockets are looked for in the time that they have."""
LITTER = 500
"""Ended sockets that may lie about, about 10 MB."""
NOT_TO_BE_SEEN = ("no_table", "rules_changed", "daily_open")
"""Refusals of a table that will not change by saying hello again."""
OFFENCES = 100
SLICE = 4096
"""Bytes that are parsed before anybody looks at how many frames they held."""
FRAMES = 200
FRAMES_PER_SECOND = 20.0
"""Fragments and control frames, which no command needs: so many at once and in the long run."""
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

    _frames: float = FRAMES
    _counted = 0.0

    def handle_connect(self, event: Any) -> None:
        super().handle_connect(event)
        if hasattr(self, "scope"):
            self.scope["extensions"][WIRE] = {"write": self.write, "cut": self.transport.abort}

    def data_received(self, data: bytes) -> None:
        """Parse what arrives bit by bit: a read can hold tens of thousands of empty frames."""
        for start in range(0, len(data), SLICE):
            if self.transport.is_closing():
                return
            super().data_received(data[start : start + SLICE])

    def handle_cont(self, event: Any) -> None:
        self._spend_frame()
        super().handle_cont(event)

    def handle_ping(self) -> None:
        self._spend_frame()
        super().handle_ping()

    def handle_pong(self, event: Any) -> None:
        self._spend_frame()
        super().handle_pong(event)

    def _spend_frame(self) -> None:
        """Cut a connection with too many frames that are not messages: no limit counts them."""
        now = self.loop.time()
        self._frames = min(FRAMES, self._frames + (now - self._counted) * FRAMES_PER_SECOND) - 1
        self._counted = now
        if self._frames < 0:
            self.transport.abort()

    def write(self, data: bytes) -> int:
        """Write a text message; returns how much is waiting to be sent."""
        if self.close_sent or self.transport.is_closing():
            return 0
        self.transport.write(frame(data))
        return self.transport.get_write_buffer_size()


class Connection:
    """A socket with a bounded outbox: whoever writes never waits for whoever reads."""

    __slots__ = ("_cut", "_write", "device", "dropped", "heard", "key", "player", "table")

    def __init__(
        self,
        write: Callable[[bytes], int],
        cut: Callable[[], None],
        player: str | None,
        device: str = "",
    ) -> None:
        self.player = player
        self.device = device
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

    def __init__(self, services: Services) -> None:
        self.services = services
        self.connections: dict[Connection, None] = {}
        """In the order in which they came."""
        self.ended = 0
        self.tasks = Background()

    def start(self) -> None:
        self.tasks.start("patrol", self._keep_order())

    async def close(self) -> None:
        await self.tasks.close()

    async def _keep_order(self) -> None:
        while True:
            await asyncio.sleep(self.services.settings.silence / ROUNDS)
            self._drop_silent()
            self.clear_ended()

    def _drop_silent(self) -> None:
        """Drop sockets that are half open: a client that lives sends pings."""
        limit = asyncio.get_running_loop().time() - self.services.settings.silence
        for connection in list(self.connections):
            if connection.heard < limit:
                connection.drop("silent")

    def clear_ended(self) -> None:
        """Collect what ended sockets left; the cost grows with the number of open ones."""
        if self.ended > max(LITTER, len(self.connections)):
            self.ended = 0
            gc.collect()

    def expel(self, player: str, device: str | None = None) -> None:
        """Cut the sockets of somebody who is no longer a player, or not on one device."""
        for connection in list(self.connections):
            if connection.player == player and device in (None, connection.device):
                connection.drop("expelled")

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await receive()
        services = self.services
        address = scope["client"][0] if scope.get("client") else ""
        try:
            services.limits.spend("join", address)
            player = await services.player(scope)
            if player:
                services.limits.spend("join", None, player.id)
            with services.limits.socket(address, player.id if player else None):
                await send({"type": "websocket.accept"})
                await self._serve(scope, receive, send, player, address)
        except FoxtrayError as error:
            services.metrics.refusals.labels(error.code).inc()
            if error.code == "banned":  # only an open socket can say why it is closed
                await send({"type": "websocket.accept"})
            await send({"type": "websocket.close", "code": CLOSE_GONE, "reason": error.code})

    async def _serve(
        self, scope: Scope, receive: Receive, send: Send, player: PlayerRow | None, address: str
    ) -> None:
        wire = scope["extensions"][WIRE]
        connection = Connection(
            wire["write"],
            wire["cut"],
            player.id if player else None,
            player.device if player else "",
        )
        self.connections[connection] = None
        self.services.metrics.sockets.inc()
        moment, absence = self.services.machine.now(), self.services.settings.absence
        connection.push(encode(Greeting(PROTOCOL, __version__, moment, absence)))
        try:
            close = await self._turned_away(scope, player)
            if close is None:
                close = await self._listen(scope, receive, connection, player, address)
        finally:
            del self.connections[connection]
            self.ended += 1
            self.services.metrics.sockets.dec()
            if connection.table:
                connection.table.depart(connection)
            if connection.dropped:
                self.services.metrics.dropped.labels(connection.dropped).inc()
        if close and not connection.dropped:
            with suppress(OSError, RuntimeError):
                await send({"type": "websocket.close", "code": close[0], "reason": close[1]})

    async def _turned_away(self, scope: Scope, player: PlayerRow | None) -> tuple[int, str] | None:
        """How to close for somebody who was signed out or banned while their socket was opened."""
        try:
            gone = player is not None and await self.services.player(scope) is None
        except Refusal as error:
            return CLOSE_GONE, error.code
        return (CLOSE_GONE, "stranger") if gone else None

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
                self.services.limits.spend("command", address, connection.player)
                message = decode(text)
                if isinstance(message, Ping):
                    connection.push(encode(Pong(self.services.machine.now())))
                elif isinstance(message, Hello):
                    await self._greet(scope, connection, message)
                elif connection.table is None:
                    raise Refusal("hello_first")
                else:
                    answer = await self.services.carry_out(
                        connection.table, player, message, connection.key
                    )
                    connection.push(encode(answer))
            except (msgspec.DecodeError, UnicodeError) as error:
                offences += 1
                self._refuse(connection, decode_refusal(error), text)
            except FoxtrayError as error:
                offences += error.code == "too_many"
                self._refuse(connection, error, text)
                if connection.table is None and error.code in NOT_TO_BE_SEEN:
                    return CLOSE_GONE, error.code
            except Exception:
                log.exception("command_failed")
                self._refuse(connection, Refusal("internal"), text)
            if offences > OFFENCES:
                return CLOSE_MALFORMED, "malformed"

    def _refuse(self, connection: Connection, error: FoxtrayError, text: bytes | str) -> None:
        connection.push(encode(self.services.refuse(error, id_of(text))))

    async def _greet(self, scope: Scope, connection: Connection, hello: Hello) -> None:
        """Bring somebody up to date, now and from now on."""
        name = scope["path_params"]["table"]
        table = await self.services.registry.visible(name, connection.player, hello.key)
        if connection.table and connection.table is not table:
            connection.table.depart(connection)
        connection.table, connection.key = table, hello.key
        you = self.services.you(scope, table, connection.player, hello.key)
        table.join(connection)
        connection.push(encode(table.views.catch_up(hello.since, you)))
        await table.enter(connection)
