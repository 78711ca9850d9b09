"""A server that is told to stop does so at once, and leaves nobody without an answer."""

import asyncio
import socket
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path

from foxtray.server.polls import Polls
from server.harness import Server
from server.test_tables import solo

PROMPT = 3.0
"""A stop that waits for requests takes five seconds."""


def stop(server: Server) -> float:
    """How long it took."""
    started = time.monotonic()
    assert server.stop() == 0
    took = time.monotonic() - started
    log = server.log.read_text()
    assert '"level": "error"' not in log
    assert "Traceback" not in log
    return took


def test_those_who_wait_are_answered_with_what_there_is(tmp_path: Path) -> None:
    with Server(tmp_path / "store.db") as server:
        made, token = solo(server)
        path = f"/api/tables/{made['id']}/updates?since=2"
        with ThreadPoolExecutor(5) as threads:
            waiting = [threads.submit(server.http, "GET", path, None, token) for _ in range(5)]
            time.sleep(0.5)
            assert not any(poll.done() for poll in waiting)
            assert stop(server) < PROMPT
            for poll in waiting:
                status, update = poll.result()
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
        time.sleep(0.3)
        assert stop(server) < PROMPT


def test_whoever_comes_in_the_last_moment_does_not_wait() -> None:
    async def main() -> None:
        polls = Polls()
        polls.end()
        async with asyncio.timeout(PROMPT):
            await polls.wait(asyncio.Event(), 60)

    asyncio.run(main())
