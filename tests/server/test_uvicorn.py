"""What we rely on inside uvicorn. A failure here names the module to look at after an update."""

import asyncio
import inspect
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest
import uvicorn
from starlette.types import Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from uvicorn.server import Server, ServerState

from foxtray.server.http.live import WIRE, WireProtocol
from foxtray.server.http.slow_requests import TimelyProtocol
from foxtray.server.run import fastest_loop

SLOW_REQUESTS = "foxtray/server/http/slow_requests.py"
LIVE = "foxtray/server/http/live.py"
RUN = "foxtray/server/run.py"
HEADER = b"Host: localhost\r\n"
HALF = b"POST / HTTP/1.1\r\n" + HEADER + b"Content-Length: 4\r\n\r\nab"
UPGRADE = (
    b"GET / HTTP/1.1\r\n" + HEADER + b"Connection: Upgrade\r\nUpgrade: websocket\r\n"
    b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
)


def broken(what: str, module: str) -> str:
    return f"uvicorn {uvicorn.__version__} has changed {what}: look at {module}"


@pytest.mark.parametrize(
    ("owner", "method", "arguments", "module"),
    [
        (H11Protocol, "connection_made", ["self", "transport"], SLOW_REQUESTS),
        (H11Protocol, "data_received", ["self", "data"], SLOW_REQUESTS),
        (H11Protocol, "connection_lost", ["self", "exc"], SLOW_REQUESTS),
        (H11Protocol, "shutdown", ["self"], SLOW_REQUESTS),
        (WebSocketsSansIOProtocol, "handle_connect", ["self", "event"], LIVE),
        (WebSocketsSansIOProtocol, "data_received", ["self", "data"], LIVE),
        (WebSocketsSansIOProtocol, "handle_cont", ["self", "event"], LIVE),
        (WebSocketsSansIOProtocol, "handle_ping", ["self"], LIVE),
        (WebSocketsSansIOProtocol, "handle_pong", ["self", "event"], LIVE),
        (WebSocketsSansIOProtocol, "shutdown", ["self"], LIVE),
        (WebSocketsSansIOProtocol, "send", ["self", "message"], LIVE),
        (Server, "shutdown", ["self", "sockets"], RUN),
    ],
)
def test_what_we_override_is_there(
    owner: type, method: str, arguments: list[str], module: str
) -> None:
    found = getattr(owner, method, None)
    assert found, broken(f"{owner.__name__}.{method}", module)
    parameters = list(inspect.signature(found).parameters)
    assert parameters == arguments, broken(f"the arguments of {owner.__name__}.{method}", module)


@pytest.mark.parametrize(
    ("ours", "overridden", "module"),
    [
        (
            TimelyProtocol,
            {"connection_made", "data_received", "connection_lost", "shutdown"},
            SLOW_REQUESTS,
        ),
        (
            WireProtocol,
            {
                "handle_connect",
                "data_received",
                "handle_cont",
                "handle_ping",
                "handle_pong",
            },
            LIVE,
        ),
    ],
)
def test_what_we_add_has_names_of_its_own(ours: type, overridden: set[str], module: str) -> None:
    (base,) = ours.__bases__
    own = {name for name in vars(ours) if not name.startswith("__")} - overridden

    async def main() -> set[str]:
        made = base(uvicorn.Config(application), ServerState(), {})
        return set(dir(made)) & own

    taken = asyncio.run(main())
    assert not taken, broken(f"{base.__name__}: it uses {taken} too", module)


async def application(scope: Scope, receive: Receive, send: Send) -> None:
    """Answers a request once it is there, and accepts a socket."""
    if scope["type"] == "http":
        while (await receive()).get("more_body"):
            pass
        await send({"type": "http.response.start", "status": 204, "headers": []})
        await send({"type": "http.response.body"})
    elif scope["type"] == "websocket":
        await receive()
        await send({"type": "websocket.accept"})
        await receive()


@asynccontextmanager
async def connected(
    ws: type[WireProtocol],
) -> AsyncIterator[tuple[Any, asyncio.StreamReader, asyncio.StreamWriter]]:
    """A real connection, seen from both ends."""
    config = uvicorn.Config(application, ws=ws, lifespan="off")
    made = TimelyProtocol(config, ServerState(), {})
    server = await asyncio.get_running_loop().create_server(lambda: made, "127.0.0.1", 0)
    reader, writer = await asyncio.open_connection(*server.sockets[0].getsockname())
    try:
        yield made, reader, writer
    finally:
        writer.close()
        made.transport.abort()
        server.close()


async def until(holds: Callable[[], object], what: str, module: str) -> None:
    try:
        async with asyncio.timeout(10):
            while not holds():
                await asyncio.sleep(0.01)
    except (TimeoutError, AttributeError, KeyError) as error:
        raise AssertionError(broken(f"{what} ({error!r})", module)) from error


def test_a_connection_tells_how_far_its_request_is() -> None:
    async def main() -> None:
        async with connected(WireProtocol) as (http, reader, writer):
            await until(lambda: http.transport, "H11Protocol.transport", SLOW_REQUESTS)
            assert http.cycle is None, broken("H11Protocol.cycle before a request", SLOW_REQUESTS)
            assert http.timeout_keep_alive_task is None, broken("the timer", SLOW_REQUESTS)
            assert http.loop is asyncio.get_running_loop(), broken("the loop", SLOW_REQUESTS)
            writer.write(HALF)
            await until(lambda: http.cycle, "H11Protocol.cycle", SLOW_REQUESTS)
            begun: Any = http.cycle
            await until(lambda: begun.more_body is True, "cycle.more_body", SLOW_REQUESTS)
            await until(
                lambda: begun.response_complete is False, "cycle.response_complete", SLOW_REQUESTS
            )
            writer.write(b"cd")
            await reader.readuntil(b"\r\n\r\n")
            await until(lambda: begun.response_complete, "response_complete", SLOW_REQUESTS)
            await until(lambda: not begun.more_body, "cycle.more_body", SLOW_REQUESTS)
            await until(lambda: http.timeout_keep_alive_task, "the timer", SLOW_REQUESTS)

    asyncio.run(main())


def test_a_socket_lets_us_write_past_the_application() -> None:
    made: list[Any] = []

    class Seen(WireProtocol):
        def __init__(self, *parts: Any, **more: Any) -> None:
            super().__init__(*parts, **more)
            made.append(self)

    async def main() -> None:
        async with connected(Seen) as (http, reader, writer):
            writer.write(UPGRADE)
            await reader.readuntil(b"\r\n\r\n")
            (socket,) = made
            handed_over = http.transport.get_protocol() is socket
            assert handed_over, broken("the hand-over to a WebSocket", SLOW_REQUESTS)
            await until(lambda: socket.scope["extensions"][WIRE], "the scope's extensions", LIVE)
            assert socket.close_sent is False, broken("close_sent", LIVE)
            assert socket.scope["extensions"][WIRE]["write"](b"hi") == 0, "all of it is sent"
            assert await reader.readexactly(4) == b"\x81\x02hi", broken("the frames", LIVE)
            socket.scope["extensions"][WIRE]["write"](b"so")
            socket.scope["extensions"][WIRE]["leave"]()
            assert await reader.readexactly(4) == b"\x81\x02so", broken("shutdown", LIVE)
            assert await reader.readexactly(4) == b"\x88\x02\x03\xf4", broken("shutdown", LIVE)
            socket.scope["extensions"][WIRE]["leave"]()  # once is enough

    asyncio.run(main())


def test_what_is_written_at_once_is_sent_at_once() -> None:
    """The fast loop sends what was written in one pass with one system call at its end."""
    made: list[Any] = []

    class Seen(WireProtocol):
        def handle_connect(self, event: Any) -> None:
            super().handle_connect(event)
            made.append(self)

    async def main() -> None:
        async with connected(Seen) as (_, reader, writer):
            writer.write(UPGRADE)
            await reader.readuntil(b"\r\n\r\n")
            (socket,) = made
            write = socket.scope["extensions"][WIRE]["write"]
            write(b"hi")
            write(b"so")
            assert await reader.read(100) == b"\x81\x02hi\x81\x02so"
            await socket.send({"type": "websocket.close", "code": 1000})
            assert write(b"too late") == 0
            assert await reader.readexactly(4) == b"\x88\x02\x03\xe8"

    with asyncio.Runner(loop_factory=fastest_loop()) as runner:
        runner.run(main())
