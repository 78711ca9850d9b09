"""A server takes the socket that systemd holds: a restart turns nobody away."""

import asyncio
import os
import socket
import sys
import threading
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Self

import pytest
from websockets.asyncio.client import connect

from foxtray.server.listening import inherited
from foxtray.server.settings import BadSetting
from server.harness import LATE, Client, Server, until
from server.test_tables import solo

REQUEST = b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n"


@pytest.fixture
def listener() -> Iterator[socket.socket]:
    """What systemd opens for a foxtray.socket, and keeps for good."""
    with socket.create_server(("127.0.0.1", 0), backlog=4096) as opened:
        yield opened


def activated(db: Path, *listeners: socket.socket) -> Server:
    """A server as systemd starts it."""
    handles = tuple(listener.fileno() for listener in listeners)
    launch = (sys.executable, str(Path(__file__).with_name("activate.py")))
    command = (*launch, ",".join(map(str, handles)), sys.executable, "-m", "foxtray")
    server = Server(db, command=command, pass_fds=handles)
    server.port = listeners[0].getsockname()[1]
    return server


class Visitors:
    """Some who come again and again, each time by a new connection."""

    def __init__(self, port: int, count: int = 6) -> None:
        self.port = port
        self.outcomes: Counter[str] = Counter()
        self._over = threading.Event()
        self._threads = [threading.Thread(target=self._visit) for _ in range(count)]

    def __enter__(self) -> Self:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def come(self, more: int) -> None:
        """Wait until some more of them were answered."""
        wanted = self.outcomes.total() + more
        until(lambda: self.outcomes.total() >= wanted)

    def stop(self) -> None:
        self._over.set()
        for thread in self._threads:
            thread.join()

    def _visit(self) -> None:
        while not self._over.is_set():
            self.outcomes[self._ask()] += 1

    def _ask(self) -> str:
        try:
            with socket.create_connection(("127.0.0.1", self.port), 60) as line:
                line.sendall(REQUEST)
                answer = b"".join(iter(lambda: line.recv(65_536), b""))
        except OSError as error:
            return repr(error)
        return answer.partition(b"\r\n")[0].decode() or "no answer"


def test_a_deploy_turns_no_visitor_away(tmp_path: Path, listener: socket.socket) -> None:
    with Visitors(listener.getsockname()[1]) as visitors:
        for _ in range(5):
            with activated(tmp_path / "store.db", listener) as server:
                visitors.come(50)
            assert server.process
            assert server.process.returncode == 0
        with activated(tmp_path / "store.db", listener):
            visitors.stop()
    assert set(visitors.outcomes) == {"HTTP/1.1 200 OK"}
    assert visitors.outcomes.total() > 250


def test_a_table_goes_on_at_the_next_server(tmp_path: Path, listener: socket.socket) -> None:
    async def main() -> None:
        with activated(tmp_path / "store.db", listener) as server:
            made, token = await asyncio.to_thread(solo, server)
            client = Client(server.port, made["id"], token)
            await client.__aenter__()
            await client.command("roll")
        # No server runs: a visitor who comes now waits for the next one.
        url = f"ws://127.0.0.1:{server.port}/api/tables/{made['id']}/live"
        early = asyncio.create_task(connect(url, open_timeout=LATE).__aenter__())
        await asyncio.sleep(0.3)
        assert not early.done()
        with activated(tmp_path / "store.db", listener):
            await (await early).close()
            async with asyncio.timeout(LATE):
                await client.play()
            await client.__aexit__()

    asyncio.run(main())


def test_the_socket_replaces_host_and_port_of_the_command_line(
    tmp_path: Path, listener: socket.socket
) -> None:
    server = activated(tmp_path / "store.db", listener)
    server.options = ("--no-limits", "--workers", "1", "--host", "192.0.2.1")
    with server:
        port = listener.getsockname()[1]
        assert f"Foxtray is ready: http://127.0.0.1:{port}/\n" in server.log.read_text()
        assert server.process
        environment = Path(f"/proc/{server.process.pid}/environ").read_bytes()
        assert b"LISTEN_FDS=1" in environment
        children = Path(f"/proc/{server.process.pid}/task/{server.process.pid}/children")
        until(lambda: children.read_text().split())
        for child in children.read_text().split():
            held = {os.readlink(path) for path in Path(f"/proc/{child}/fd").iterdir()}
            inode = os.fstat(listener.fileno()).st_ino
            assert f"socket:[{inode}]" not in held, "a bot's process would keep the socket open"


def test_sockets_for_another_process_are_left_alone() -> None:
    told = {"LISTEN_PID": "1", "LISTEN_FDS": "1", "LISTEN_FDNAMES": "foxtray.socket", "A": "b"}
    assert inherited(told) == []
    assert told == {"A": "b"}
    assert inherited({}) == []
    assert inherited({"LISTEN_PID": str(os.getpid())}) == []


@pytest.mark.parametrize(
    ("kind", "why"),
    [
        ("file", "is not a socket"),
        ("datagram", "does not listen for TCP"),
        ("unix", "does not listen for TCP"),
        ("connecting", "does not listen for TCP"),
    ],
)
def test_unusable_sockets_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str, why: str
) -> None:
    if kind == "file":
        handle = os.open(tmp_path, os.O_RDONLY)
    else:
        family = socket.AF_UNIX if kind == "unix" else socket.AF_INET
        form = socket.SOCK_DGRAM if kind == "datagram" else socket.SOCK_STREAM
        made = socket.socket(family, form)
        if kind == "unix":
            made.bind(str(tmp_path / "socket"))
            made.listen()
        handle = made.detach()
    monkeypatch.setattr("foxtray.server.listening.FIRST_INHERITED", handle)
    with pytest.raises(BadSetting, match=why):
        inherited({"LISTEN_PID": str(os.getpid()), "LISTEN_FDS": "1"})
    if kind == "file":
        os.close(handle)


def test_two_sockets_are_served(tmp_path: Path, listener: socket.socket) -> None:
    second = socket.create_server(("127.0.0.1", 0))
    with second, activated(tmp_path / "store.db", listener, second) as server:
        for one in (listener, second):
            server.port = one.getsockname()[1]
            assert server.http("GET", "/healthz")[0] == 200
