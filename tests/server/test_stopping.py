"""A server stops at once when told to, and still answers every request."""

import asyncio
import socket
import time
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from foxtray.server.http.long_polls import LongPolls
from server.harness import LATE, Json, Server, until
from server.test_tables import solo


def stop(server: Server) -> None:
    """Stop a server; it logs an error if it gives up waiting for requests."""
    assert server.stop() == 0
    log = server.log.read_text()
    assert '"level": "error"' not in log
    assert "Traceback" not in log


def last_visit(server: Server, made: Json) -> int:
    """When the player of a solo table was there, as whoever watches is told."""
    _, view = server.http("GET", f"/api/tables/{made['id']}?key={made['you']['key']}")
    return int(view["absent"][0])


def poll(
    server: Server, made: Json, token: str, threads: ThreadPoolExecutor
) -> Future[tuple[int, Any]]:
    """A request that is already waiting for something to happen."""
    before = last_visit(server, made)
    time.sleep(0.002)  # visits are told by the millisecond
    path = f"/api/tables/{made['id']}/updates?since=2"
    waiting = threads.submit(server.http, "GET", path, None, token)
    until(lambda: last_visit(server, made) > before)
    return waiting


def test_those_who_wait_are_answered_with_what_there_is(tmp_path: Path) -> None:
    with Server(tmp_path / "store.db") as server:
        made, token = solo(server)
        with ThreadPoolExecutor(5) as threads:
            waiting = [poll(server, made, token, threads) for _ in range(5)]
            assert not any(answer.done() for answer in waiting)
            stop(server)
            for answer in waiting:
                status, update = answer.result()
                assert status == 200
                assert (update["type"], update["seq"], update["entries"]) == ("update", 2, [])


def test_half_a_request_does_not_delay_the_end(tmp_path: Path) -> None:
    head = (
        b"PUT /api/me HTTP/1.1\r\nHost: 127.0.0.1\r\n"
        b"Content-Type: application/json\r\nContent-Length: 40\r\n\r\n"
    )
    with Server(tmp_path / "store.db") as server, ExitStack() as lines:
        for begun in (b"", head[:30], head + b"{"):
            line = socket.create_connection(("127.0.0.1", server.port))
            lines.enter_context(line).sendall(begun)
        server.http("GET", "/healthz")  # earlier connections are accepted by then
        stop(server)


def test_whoever_comes_in_the_last_moment_does_not_wait() -> None:
    async def main() -> None:
        long_polls = LongPolls()
        long_polls.end()
        async with asyncio.timeout(LATE):
            await long_polls.wait(asyncio.Event(), 2 * LATE)

    asyncio.run(main())
