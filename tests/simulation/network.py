"""The network between clients and a server: late, doubled, lost and cut, as a seed decides.

Within one connection nothing is doubled or overtaken, as TCP promises; what was on its way when a
connection is cut is lost. A request over HTTP may come twice, the second time much later.
"""

from __future__ import annotations

import asyncio
import contextvars
import random
from collections import deque
from collections.abc import Callable, Coroutine
from typing import Any, Protocol

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from foxtray.server.http.live import WIRE
from simulation import said
from simulation.audit import Audit
from simulation.loop import Process, SimulatedLoop, settle

LATENCY = 0.05
"""Seconds that a message travels at most on a good day."""
STALL = 4.0
"""Seconds that it travels at most on a bad one."""
PATIENCE = 30.0
"""Seconds that a client waits for the answer to a request."""
LATE = 6.0
"""Seconds until a doubled request arrives again, at most."""
OUTSIDE = contextvars.Context()
"""Belongs to no process: what is on its way arrives even if its sender dies."""
HOST = (b"host", b"localhost")

Answered = Callable[[int, bytes], object]


class Peer(Protocol):
    """The client's end of a socket."""

    def heard(self, wire: Wire, message: said.AnySaid) -> None: ...
    def lost(self, wire: Wire, code: int) -> None: ...


class Serving(Protocol):
    """A server process, as the network sees it."""

    process: Process
    app: ASGIApp
    listening: bool
    wires: dict[Wire, None]
    requests: dict[Request, None]


class Network:
    """All connections, and how bad they are at the moment."""

    def __init__(self, loop: SimulatedLoop, audit: Audit, seed: int) -> None:
        self.loop = loop
        self.audit = audit
        self.seed = seed
        self.server: Serving | None = None
        self.trouble = 0.0
        """How often a message is late, and a request lost or doubled."""
        self.note: Callable[[str], None] = lambda text: None
        self._number = 0
        self._last: tuple[bytes, said.AnySaid] | None = None

    def rng(self) -> random.Random:
        """Every connection has chances of its own, so that one does not change all others."""
        self._number += 1
        return random.Random(self.seed << 20 | self._number)

    def open(self, peer: Peer, table: str, player: str | None) -> Wire:
        return Wire(self, peer, table, player)

    def request(
        self,
        player: str | None,
        method: str,
        path: str,
        answered: Answered,
        body: bytes = b"",
        query: str = "",
    ) -> None:
        Request(self, player, method, path, query, body, answered)

    def read(self, data: bytes) -> said.AnySaid:
        """A message; what is told to many is read once."""
        if self._last is None or self._last[0] is not data:
            self._last = data, said.read.decode(data)
        return self._last[1]

    def delay(self, rng: random.Random) -> float:
        most = STALL if rng.random() < self.trouble / 4 else LATENCY
        return 0.001 + rng.random() * most


def scope_of(kind: str, path: str, query: str, player: str | None) -> Scope:
    headers = [HOST, (b"content-type", b"application/json")]
    if player:
        headers.append((b"authorization", b"Bearer " + player.encode()))
    return {
        "type": kind,
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "scheme": "http" if kind == "http" else "ws",
        "path": path,
        "raw_path": path.encode(),
        "query_string": query.encode(),
        "root_path": "",
        "headers": headers,
        "client": ("127.0.0.1", 1),
        "server": ("127.0.0.1", 8000),
        "extensions": {},
    }


async def handle(app: ASGIApp, scope: Scope, receive: Receive, send: Send) -> None:
    await app(scope, receive, send)


class Wire:
    """One socket of a client to the live endpoint of a table."""

    def __init__(self, network: Network, peer: Peer, table: str, player: str | None) -> None:
        self.network = network
        self.loop = network.loop
        self.rng = network.rng()
        self.peer: Peer | None = peer
        self.table = table
        self.player = player
        self.server: Serving | None = None
        self._inbox: deque[Message] = deque([{"type": "websocket.connect"}])
        self._waiter: asyncio.Future[Any] | None = None
        self._up = self._down = 0.0
        """When the last message of each direction arrives."""
        self._unsent = 0
        self._accepted = self._cut = False
        self.loop.call_later(network.delay(self.rng), self._arrived)

    def _arrived(self) -> None:
        server = self.network.server
        if self._cut:
            return
        if server is None or not server.listening:
            self._lose(1006)
            return
        self.server = server
        server.wires[self] = None
        scope = scope_of("websocket", f"/api/tables/{self.table}/live", "", self.player)
        scope["extensions"][WIRE] = {"write": self.write, "cut": self.abort, "leave": self.shut}
        task = server.process.spawn(handle(server.app, scope, self._receive, self._send))
        task.add_done_callback(lambda _: server.wires.pop(self, None))

    # --- the client's end ---------------------------------------------------------------------

    def send(self, data: bytes) -> None:
        """A message of the client."""
        self._up = max(self._up, self.loop.time() + self.network.delay(self.rng))
        self.loop.call_at(self._up, self._put, {"type": "websocket.receive", "text": data.decode()})

    def close(self) -> None:
        """The client goes."""
        self.peer = None
        self._disconnect(self.network.delay(self.rng), 1001)

    def _lose(self, code: int) -> None:
        peer, self.peer = self.peer, None
        if peer:
            peer.lost(self, code)

    # --- the server's end ---------------------------------------------------------------------

    async def _receive(self) -> Message:
        while not self._inbox:
            self._waiter = self.loop.create_future()
            await self._waiter
        return self._inbox.popleft()

    def _put(self, event: Message) -> None:
        if self._cut and event["type"] != "websocket.disconnect":
            return
        self._inbox.append(event)
        if self._waiter:
            settle(self._waiter, None, None)

    def _disconnect(self, delay: float, code: int) -> None:
        self._up = max(self._up, self.loop.time() + delay)
        self.loop.call_at(self._up, self._put, {"type": "websocket.disconnect", "code": code})

    async def _send(self, event: Message) -> None:
        if event["type"] == "websocket.accept":
            self._accepted = True
        elif event["type"] == "websocket.close":
            # A socket that never opened is refused over HTTP, and no code reaches the client.
            self._leave(event.get("code", 1000) if self._accepted else 1006)

    def write(self, data: bytes) -> int:
        """A message of the server; returns how much is still on its way."""
        if self.server is None or not self.server.process.alive:
            return 0
        message = self.network.read(data)
        self.network.audit.says(self.table, self.player, message)
        self._unsent += len(data)
        self._down = max(self._down, self.loop.time() + self.network.delay(self.rng))
        self.loop.call_at(self._down, self._deliver, message, len(data), context=OUTSIDE)
        return self._unsent

    def _deliver(self, message: said.AnySaid, size: int) -> None:
        self._unsent -= size
        if self.peer and not self._cut:
            self.peer.heard(self, message)

    def abort(self) -> None:
        """The server cuts the connection."""
        self._leave(1006)
        self._disconnect(0.0, 1006)

    def _leave(self, code: int) -> None:
        """What was said before is still heard."""
        self._down = max(self._down, self.loop.time() + self.network.delay(self.rng))
        self.loop.call_at(self._down, self._lose, code, context=OUTSIDE)

    def shut(self) -> None:
        """The server stops, and says so."""
        self._leave(1012)
        self._disconnect(0.0, 1012)

    def server_died(self) -> None:
        self._leave(1006)

    # --- between them -------------------------------------------------------------------------

    def cut(self) -> None:
        """Everything on its way is lost; each side hears of it late, or never."""
        self._cut = True
        if self.rng.random() < 0.7:
            self.loop.call_later(self.rng.random() * 2, self._lose, 1006)
        if self.rng.random() < 0.7:
            self._disconnect(self.rng.random() * 2, 1006)


class Request:
    """One request over HTTP, perhaps delivered twice."""

    def __init__(
        self,
        network: Network,
        player: str | None,
        method: str,
        path: str,
        query: str,
        body: bytes,
        answered: Answered,
    ) -> None:
        self.network = network
        self.loop = network.loop
        self.rng = network.rng()
        self.player = player
        self.method, self.path, self.query, self.body = method, path, query, body
        self._answered: Answered | None = answered
        self._deadline = self.loop.call_later(PATIENCE, self._answer, 0, b"")
        trouble = network.trouble
        if self.rng.random() >= trouble / 4:
            self.loop.call_later(network.delay(self.rng), self._arrive)
        if method == "POST" and self.rng.random() < trouble:
            network.note(f"{player}: {path} will arrive twice")
            self.loop.call_later(self.rng.random() * LATE, self._arrive)

    def _arrive(self) -> None:
        server = self.network.server
        if server is None or not server.listening:
            self._answer(0, b"")
            return
        scope = scope_of("http", self.path, self.query, self.player)
        scope["method"] = self.method
        server.requests[self] = None
        handling = handle(server.app, scope, self._receiver(), self._sender())
        task = server.process.spawn(handling)
        task.add_done_callback(lambda _: server.requests.pop(self, None))

    def _receiver(self) -> Callable[[], Coroutine[Any, Any, Message]]:
        events = iter([{"type": "http.request", "body": self.body, "more_body": False}])

        async def receive() -> Message:
            event = next(events, None)
            if event is None:
                await self.loop.create_future()  # the client stays until it is answered
            assert event is not None
            return event

        return receive

    def _sender(self) -> Callable[[Message], Coroutine[Any, Any, None]]:
        status = 0

        async def send(event: Message) -> None:
            nonlocal status
            if event["type"] == "http.response.start":
                status = event["status"]
                return
            body = event.get("body", b"")
            parts = self.path.split("/")
            if len(parts) > 3 and body.startswith(b'{"type"'):
                self.network.audit.says(parts[3], self.player, said.read.decode(body))
            if self.rng.random() >= self.network.trouble / 4:
                delay = self.network.delay(self.rng)
                self.loop.call_later(delay, self._answer, status, body, context=OUTSIDE)

        return send

    def server_died(self) -> None:
        self.loop.call_later(self.network.delay(self.rng), self._answer, 0, b"", context=OUTSIDE)

    def _answer(self, status: int, body: bytes) -> None:
        answered, self._answered = self._answered, None
        if answered:
            self._deadline.cancel()
            answered(status, body)
