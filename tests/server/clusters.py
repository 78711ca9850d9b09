"""Two servers on one PostgreSQL behind HAProxy, with links to PostgreSQL that can be cut."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable
from contextlib import ExitStack, suppress
from pathlib import Path
from types import TracebackType
from typing import Self

import psycopg
from cluster import HAProxy, Postgres, answers, free_port

from foxtray.server.store import LogRow, TableRow
from server.harness import Server, until

DRAIN = "2"
OPTIONS = ("--no-limits", "--bot-pause", "0", "--workers", "1", "--trusted-proxies", "127.0.0.1")


class Link:
    """The network between a server and PostgreSQL. What is sent while it is cut arrives later."""

    def __init__(self, target: int) -> None:
        self.target = target
        self.port = free_port()
        self._whole = threading.Event()
        self._whole.set()
        self._ends: list[socket.socket] = []
        self._threads: list[threading.Thread] = []
        self._stopped = False

    def start(self) -> None:
        self._listener = socket.create_server(("127.0.0.1", self.port))
        self._spawn(self._listen)

    def _spawn(self, work: Callable[..., None], *args: socket.socket) -> None:
        thread = threading.Thread(target=work, args=args, daemon=True)
        self._threads.append(thread)
        thread.start()

    def _listen(self) -> None:
        with suppress(OSError):
            while True:
                near, _ = self._listener.accept()
                self._ends.append(near)
                self._spawn(self._connect, near)

    def _connect(self, near: socket.socket) -> None:
        self._whole.wait()
        try:
            far = socket.create_connection(("127.0.0.1", self.target))
        except OSError:
            near.close()
            return
        self._ends.append(far)
        self._spawn(self._pass_on, near, far)
        self._spawn(self._pass_on, far, near)

    def _pass_on(self, source: socket.socket, target: socket.socket) -> None:
        with suppress(OSError):
            while data := source.recv(65_536):
                self._whole.wait()
                if self._stopped:
                    return
                target.sendall(data)
        self._whole.wait()
        with suppress(OSError):
            target.shutdown(socket.SHUT_RDWR)

    def cut(self) -> None:
        self._whole.clear()

    def mend(self) -> None:
        self._whole.set()

    def stop(self) -> None:
        self._stopped = True
        for end in (self._listener, *self._ends):
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
        self._whole.set()
        for thread in self._threads:
            thread.join(10)
        for end in (self._listener, *self._ends):
            end.close()


class Cluster:
    """All of it; `front` is what players see."""

    def __init__(self, folder: Path, *options: str) -> None:
        self.folder = folder
        self.options = (*OPTIONS, *options)
        self._parts = ExitStack()

    def __enter__(self) -> Self:
        with ExitStack() as parts:
            self.postgres = parts.enter_context(Postgres())
            self.links = [Link(self.postgres.port) for _ in range(2)]
            self.servers = []
            for number, link in enumerate(self.links):
                link.start()
                parts.callback(link.stop)
                url = self.postgres.url_at(link.port)
                log = self.folder / f"server-{number}.log"
                server = Server(url, *self.options, "--drain", DRAIN, log=log)
                server.port = free_port()
                self.servers.append(server)
                parts.callback(self._end, server)
                server.start()
            self.proxy = HAProxy(self.folder, (self.servers[0].port, self.servers[1].port))
            parts.callback(self.proxy.stop)
            self.proxy.start()
            self.front = Server("", log=self.folder / "none.log")
            self.front.port = self.proxy.port
            until(lambda: answers(self.proxy.port, "/readyz"))
            self._parts = parts.pop_all()
        return self

    @staticmethod
    def _end(server: Server) -> None:
        if server.process and server.process.poll() is None:
            server.kill()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._parts.close()

    def ready(self, server: Server) -> bool:
        return answers(server.port, "/readyz")

    def owner(self, table: str) -> str | None:
        with psycopg.connect(self.postgres.url) as connection:
            row = connection.execute("SELECT owner FROM tables WHERE id=%s", (table,)).fetchone()
            return row[0] if row else None

    def log(self, table: str) -> list[LogRow]:
        query = 'SELECT seq, at, data, command FROM inputs WHERE "table"=%s ORDER BY seq'
        with psycopg.connect(self.postgres.url) as connection:
            return [LogRow(*row) for row in connection.execute(query, (table,))]

    def table(self, table: str) -> TableRow:
        query = "SELECT id, rules, setup, secret, host, invite, watch, created FROM tables"
        with psycopg.connect(self.postgres.url) as connection:
            found = connection.execute(f"{query} WHERE id=%s", (table,)).fetchone()
        assert found
        return TableRow(*found)
