"""Asks a server as its host: the one that runs, or one that exists only for the question."""

from __future__ import annotations

import asyncio
import getpass
import http.client
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import msgspec
from starlette.applications import Starlette

from foxtray.errors import FoxtrayError
from foxtray.server import host_key
from foxtray.server.app import create_app
from foxtray.server.bots.pool import WorkerPool
from foxtray.server.host_key import HostKey
from foxtray.server.http.admin_api import OPERATOR
from foxtray.server.protocol.messages import Problem
from foxtray.server.settings import Settings
from foxtray.server.store import StoreError
from foxtray.server.store.opening import open_store

PATIENCE = 60.0
Send = Callable[[str, str, dict[str, str], bytes], Awaitable[tuple[int, bytes]]]


class AdminRefused(FoxtrayError):
    """The server did not do what the host asked for."""

    code = "admin_refused"


class Host:
    """The host of a server, who asks by HTTP."""

    def __init__(self, send: Send, token: str) -> None:
        self._send = send
        self._token = token

    async def ask(self, method: str, path: str, body: object = None) -> Any:
        """The answer as JSON; raises AdminRefused with the sentence of the server."""
        headers = {"authorization": f"Bearer {self._token}", OPERATOR.lower(): login()}
        data = b""
        if body is not None:
            headers["content-type"] = "application/json"
            data = msgspec.json.encode(body)
        status, answer = await self._send(method, f"/api/admin/{path}", headers, data)
        if status != 200:
            try:
                sentence = msgspec.json.decode(answer, type=Problem).message
            except msgspec.DecodeError:
                sentence = f"the server answered with status {status}"
            raise AdminRefused(sentence)
        return msgspec.json.decode(answer)


def login() -> str:
    """Who sits at the machine, for the audit log."""
    try:
        name = getpass.getuser()
    except (OSError, KeyError, ImportError):
        return ""
    return name.encode("ascii", "replace").decode()


@asynccontextmanager
async def reach(settings: Settings) -> AsyncIterator[Host]:
    """The host of the server with these data, whether it runs or not.

    Servers on PostgreSQL hear of what is done there, whoever does it.
    """
    if isinstance(settings.db, Path):
        key = host_key.read(settings.db)
        if key and await is_running(key):
            yield by_http(key)
            return
        if not settings.db.is_file():
            raise StoreError(f"there is no data at {settings.db}")
    store = open_store(settings.db)  # a file that a server uses after all is refused
    try:
        # The bots stay out: they go on when the server runs again.
        app = create_app(settings, store, WorkerPool(1))
        try:
            yield by_call(app, settings)
        finally:
            await app.state.services.registry.close()
    finally:
        await store.close()


async def is_running(key: HostKey) -> bool:
    """Whether a server answers to a key: one that was killed left its key behind."""
    try:
        await by_http(key).ask("GET", "registration")
    except (OSError, http.client.HTTPException, AdminRefused):
        return False
    return True


def by_http(key: HostKey) -> Host:
    where = urlsplit(key.url)

    def exchange(method: str, path: str, headers: dict[str, str], body: bytes) -> tuple[int, bytes]:
        line = http.client.HTTPConnection(where.hostname or "", where.port, timeout=PATIENCE)
        try:
            line.request(method, path, body or None, headers)
            answer = line.getresponse()
            return answer.status, answer.read()
        finally:
            line.close()

    async def send(
        method: str, path: str, headers: dict[str, str], body: bytes
    ) -> tuple[int, bytes]:
        return await asyncio.to_thread(exchange, method, path, headers, body)

    return Host(send, key.token)


def by_call(app: Starlette, settings: Settings) -> Host:
    """Without a network: the application is called as a server would."""

    async def send(
        method: str, path: str, headers: dict[str, str], body: bytes
    ) -> tuple[int, bytes]:
        path, _, query = path.partition("?")
        told = {"host": f"localhost:{settings.port}", **headers}
        scope = {
            "type": "http",
            "asgi": {"version": "3.0"},
            "http_version": "1.1",
            "method": method,
            "scheme": "http",
            "path": path,
            "raw_path": path.encode(),
            "root_path": "",
            "query_string": query.encode(),
            "headers": [(name.encode(), value.encode()) for name, value in told.items()],
            "client": ("127.0.0.1", 0),
            "server": ("localhost", settings.port),
        }
        coming = [{"type": "http.request", "body": body, "more_body": False}]
        status, answer = 500, bytearray()

        async def receive() -> Any:
            return coming.pop() if coming else {"type": "http.disconnect"}

        async def respond(message: Any) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            else:
                answer.extend(message.get("body", b""))

        await app(scope, receive, respond)
        return status, bytes(answer)

    return Host(send, app.state.services.host_token)
