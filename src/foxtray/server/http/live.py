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
from foxtray.server.machine import JUMP
from foxtray.server.protocol.codec import decode, decode_refusal, encode, id_of
from foxtray.server.protocol.messages import (
    CLOSE_GONE,
    CLOSE_MALFORMED,
    PROTOCOL,
    Greeting,
    Hello,
    LegalOf,
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
COME_BACK = ("moved", "storage_failing")
"""Refusals of a table that another server may not have, or this one not for long."""
OFFENCES = 100
WAITING = 32
"""Messages of a client that may wait until no more are read."""
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


def frame_size(data: bytes) -> int | None:
    """The length of the frame at the start of some data; None if the library should find out."""
    if len(data) < 6 or data[1] < 0x80 or data[1] == 0xFF:  # cut off, not masked, or long
        return None
    size = data[1] & 0x7F
    return 6 + size if size < 126 else 8 + (data[2] << 8 | data[3])


def short_message(piece: bytes) -> bytes | None:
    """The text of a frame that is a whole short message; None if the library should read it."""
    if piece[0] != 0x81 or piece[1] > 0xFD:
        return None
    size = len(piece) - 6
    mask = int.from_bytes((piece[2:6] * (size // 4 + 1))[:size])
    text = (int.from_bytes(piece[6:]) ^ mask).to_bytes(size)
    return text if text.isascii() else None


def goes_on(piece: bytes, fragments: bool) -> bool:
    """Whether a message goes on after a frame; control frames may stand between fragments."""
    last, kind = piece[0] & 0x80, piece[0] & 0x0F
    return fragments if kind >= 8 else not last


class WireProtocol(WebSocketsSansIOProtocol):
    """Lets the application write without waiting, cut a connection that does not read, and leave
    one whose client is to come back (close code 1012).

    Sending as ASGI has it waits for a slow reader, so that every socket would need a task and a
    queue of its own; here the transport's buffer is the queue, and its size is known.

    Almost everything that clients send is one short message in one frame. Such a frame is read
    here, in a tenth of the time; everything else is left to the library. Frames are handed to it
    whole, so that it is never in the middle of one when the next is read here.
    """

    _frames: float = FRAMES
    _counted = 0.0
    _between_frames = True
    """Whether the library has read whole frames only."""
    _fragments = False
    """Whether a message has begun whose other fragments are still to come."""

    def handle_connect(self, event: Any) -> None:
        super().handle_connect(event)
        if hasattr(self, "scope"):
            self.scope["extensions"][WIRE] = {
                "write": self.write,
                "cut": self.transport.abort,
                "leave": self.leave,
            }

    def data_received(self, data: bytes) -> None:
        """Parse what arrives bit by bit: a read can hold tens of thousands of empty frames."""
        while self._between_frames and self.handshake_complete and data:
            size = frame_size(data)
            if size is None or size > len(data) or self.transport.is_closing():
                self._between_frames = False
            else:
                self._take(data[:size])
                data = data[size:]
        if self.handshake_initiated and data:
            self._between_frames = False
        for start in range(0, len(data), SLICE):
            if self.transport.is_closing():
                return
            super().data_received(data[start : start + SLICE])

    def _take(self, piece: bytes) -> None:
        """Take one whole frame."""
        message = None if self._fragments else short_message(piece)
        if message is not None:
            self._hand_over(message)
        else:
            self._fragments = goes_on(piece, self._fragments)
            super().data_received(piece)

    def _hand_over(self, message: bytes) -> None:
        """Give a message to the application, and read no further if too many wait for it."""
        if self.close_sent:
            return
        self.queue.put_nowait({"type": "websocket.receive", "bytes": message})
        if self.queue.qsize() >= WAITING and not self.read_paused:
            self.read_paused = True
            self.transport.pause_reading()

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

    def leave(self) -> None:
        """Ask the client to come back (close code 1012), if it is still there."""
        if not self.transport.is_closing():
            self.shutdown()

    def write(self, data: bytes) -> int:
        """Write a text message; returns how much is waiting to be sent."""
        if self.close_sent or self.transport.is_closing():
            return 0
        self.transport.write(frame(data))
        return self.transport.get_write_buffer_size()


class Connection:
    """A socket with a bounded outbox: whoever writes never waits for whoever reads."""

    __slots__ = (
        "_cut", "_leave", "_write", "ahead", "device", "dropped", "heard", "key", "legal",
        "patches", "player", "table", "told",
    )  # fmt: skip

    def __init__(
        self,
        write: Callable[[bytes], int],
        cut: Callable[[], None],
        leave: Callable[[], None],
        player: str | None,
        device: str = "",
        ahead: float = 0.0,
    ) -> None:
        self.player = player
        self.device = device
        self.ahead = ahead
        """How far ahead the wall clock was by which the client was told who is away."""
        self.table: Table | None = None
        self.key = ""
        self.patches = False
        self.legal: LegalOf = "all"
        self.told = 0
        self.heard = asyncio.get_running_loop().time()
        self.dropped: str | None = None
        self._write = write
        self._cut = cut
        self._leave = leave

    def push(self, data: bytes) -> None:
        """Send a message; a reader that is too slow is dropped and may come back."""
        if not self.dropped and self._write(data) > OUTBOX:
            self.drop("slow")

    def drop(self, reason: str) -> None:
        if self.dropped:
            return
        self.dropped = reason
        if reason in COME_BACK:
            self._leave()
        else:
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

    async def revalidate(self) -> None:
        """Cut the sockets of those who were signed out or banned where nobody told us."""
        here = {(c.player, c.device) for c in self.connections if c.player is not None}
        welcome = await self.services.store.accounts.signed_in(sorted({p for p, _ in here}))
        for player, device in sorted(here - welcome):
            self.expel(player, device)

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
            wire["leave"],
            player.id if player else None,
            player.device if player else "",
            self.services.machine.ahead(),
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
                    self._tell_time(connection)
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
                if connection.table is None and error.code in COME_BACK:
                    connection.drop(error.code)
                    return None
                self._refuse(connection, error, text)
                if connection.table is None and error.code in NOT_TO_BE_SEEN:
                    return CLOSE_GONE, error.code
            except Exception:
                log.exception("command_failed")
                self._refuse(connection, Refusal("internal"), text)
            if offences > OFFENCES:
                return CLOSE_MALFORMED, "malformed"

    def _tell_time(self, connection: Connection) -> None:
        """Answer a ping. After a jump of the clock the client must hear anew who is away since
        when: by the old times it might never ask for a stand-in."""
        ahead = self.services.machine.ahead()
        connection.push(encode(Pong(self.services.machine.now())))
        if connection.table and abs(ahead - connection.ahead) > JUMP:
            connection.push(encode(connection.table.views.presence()))
            connection.ahead = ahead

    def _refuse(self, connection: Connection, error: FoxtrayError, text: bytes | str) -> None:
        connection.push(encode(self.services.refuse(error, id_of(text))))

    async def _greet(self, scope: Scope, connection: Connection, hello: Hello) -> None:
        """Bring somebody up to date, now and from now on."""
        name = scope["path_params"]["table"]
        table = await self.services.registry.visible(name, connection.player, hello.key)
        if table.closed:
            raise Refusal("moved")
        if connection.table and connection.table is not table:
            connection.table.depart(connection)
        connection.table, connection.key = table, hello.key
        connection.patches, connection.legal = hello.patches, hello.legal
        you = self.services.you(scope, table, connection.player, hello.key)
        table.join(connection)
        seats = table.views.shown_to(connection.player, hello.legal)
        connection.push(encode(table.views.catch_up(hello.since, you, seats)))
        connection.told = table.log.seq
        await table.enter(connection)
