"""The assembly: what a server is made of, put together in plain sight."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import structlog
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest
from starlette.applications import Starlette
from starlette.datastructures import MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route, WebSocketRoute
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from foxtray import __version__
from foxtray.errors import FoxtrayError
from foxtray.server.api import ENDPOINTS, json_response, problem, route
from foxtray.server.crew import Crew
from foxtray.server.desk import Desk
from foxtray.server.hall import Hall
from foxtray.server.hosts import Hosts, is_loopback
from foxtray.server.limits import Limits
from foxtray.server.live import Live
from foxtray.server.messages import Health
from foxtray.server.metrics import Metrics
from foxtray.server.openapi import document
from foxtray.server.players import Players
from foxtray.server.refusals import Refusal
from foxtray.server.settings import Settings
from foxtray.server.static import CLIENT, Client
from foxtray.server.store import Store
from foxtray.server.table import encode

log = structlog.get_logger()

SECURITY = {
    "Content-Security-Policy": (
        "default-src 'self'; img-src 'self' data:; object-src 'none'; base-uri 'none'; "
        "form-action 'self'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
}


class Gate:
    """Turns away what is addressed to another name or comes from another page."""

    def __init__(self, app: ASGIApp, desk: Desk) -> None:
        self.app = app
        self.desk = desk

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return

        async def secured(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in SECURITY.items():
                    headers[name] = value
            await send(message)

        try:
            self.desk.hosts.check(scope)
        except Refusal as error:
            answer = problem(self.desk, error)
            if scope["type"] == "http":
                await answer(scope, receive, secured)
            else:
                await receive()
                await send({"type": "websocket.close", "code": 1008, "reason": error.code})
            return
        # Sockets are handed on as they are: wrapping would cost each of their messages.
        http = scope["type"] == "http"
        await self.app(scope, receive, secured if http else send)


def create_app(
    settings: Settings,
    store: Store,
    crew: Crew,
    metrics: Metrics | None = None,
    client: Path = CLIENT,
) -> Starlette:
    """A server on a store, with bots; the caller opens and closes both."""
    metrics = metrics or Metrics()
    desk = Desk(
        settings=settings,
        store=store,
        hall=Hall(store, crew, settings),
        players=Players(store),
        limits=Limits(settings.limits),
        hosts=Hosts(settings),
        metrics=metrics,
    )
    live = Live(desk)
    metrics.tables.set_function(lambda: len(desk.hall.tables))
    metrics.storage_failing.set_function(lambda: int(store.failing is not None))

    async def health(request: Request) -> Response:
        failing = store.failing
        answer = Health(
            "storage_failing" if failing else "ok",
            Refusal("storage_failing").args[0] if failing else "moves are written",
            __version__,
            crew.state,
        )
        return json_response(encode(answer), 503 if failing else 200)

    async def figures(request: Request) -> Response:
        if not (request.client and is_loopback(request.client.host)):
            raise Refusal("not_found")
        return Response(generate_latest(metrics.registry), media_type=CONTENT_TYPE_LATEST)

    async def openapi(request: Request) -> Response:
        return json_response(encode(document()))

    async def refused(request: Request, error: Exception) -> Response:
        assert isinstance(error, FoxtrayError)
        return problem(desk, error)

    async def misdirected(request: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)
        code = "method_not_allowed" if error.status_code == 405 else "not_found"
        answer = problem(desk, Refusal(code))
        answer.headers.update(error.headers or {})
        return answer

    async def failed(request: Request, error: Exception) -> Response:
        log.error("request_failed", path=request.url.path, exc_info=error)
        return problem(desk, Refusal("internal"))

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        desk.hall.start()
        live.start()
        try:
            yield
        finally:
            live.close()
            await desk.hall.close()

    app = Starlette(
        routes=[
            *(route(endpoint, desk, live) for endpoint in ENDPOINTS),
            Route("/api/openapi.json", openapi),
            WebSocketRoute("/api/tables/{table}/live", live),
            Route("/healthz", health),
            Route("/metrics", figures),
            Route("/{path:path}", Client(client).page, methods=["GET"]),
        ],
        exception_handlers={
            FoxtrayError: refused,
            HTTPException: misdirected,
            Exception: failed,
        },
        lifespan=lifespan,
    )
    app.add_middleware(Gate, desk=desk)
    app.state.desk = desk
    return app
