"""Assembles the application from its parts."""

from __future__ import annotations

import math
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Literal

import structlog
from msgspec.structs import replace
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
from foxtray.server.backups import Backups
from foxtray.server.bots.pool import WorkerPool
from foxtray.server.coach.hints import Hints
from foxtray.server.coach.reviewer import DailyExercises, Reviewer
from foxtray.server.daily.dailies import Dailies
from foxtray.server.database import Database
from foxtray.server.http.api import json_response, problem, route
from foxtray.server.http.endpoints import ENDPOINTS
from foxtray.server.http.hosts import Hosts, is_loopback
from foxtray.server.http.limits import Limits, limits_of
from foxtray.server.http.live import Live
from foxtray.server.http.openapi import document
from foxtray.server.http.services import Services
from foxtray.server.http.static import Client
from foxtray.server.machine import MACHINE, Machine
from foxtray.server.metrics import Metrics
from foxtray.server.names import RefusedNames
from foxtray.server.neighbours import Neighbours
from foxtray.server.players import Players
from foxtray.server.protocol.codec import encode
from foxtray.server.protocol.messages import Health
from foxtray.server.protocol.refusals import Refusal
from foxtray.server.registration import Door
from foxtray.server.settings import Settings
from foxtray.server.store import Store
from foxtray.server.tables.registry import TableRegistry

log = structlog.get_logger()

PAGES = "/{path:path}"
HICCUP = 2.0
"""Seconds for which a server may be unable to save and still counts as ready."""
SECURITY = {
    "X-Content-Type-Options": "nosniff",
    "Cross-Origin-Resource-Policy": "same-origin",
}
DOCUMENT_SECURITY = {
    "Content-Security-Policy": (
        "default-src 'self'; img-src 'self' data:; object-src 'none'; base-uri 'none'; "
        "form-action 'self'; frame-ancestors 'none'"
    ),
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
}
"""For everything that a browser may show as a document, and for workers."""
INERT = ("application/json", "text/css", "image/png")
"""Never run as a document, since their type is not guessed: the rest would only cost bytes."""


def is_inert(path: str, media: str) -> bool:
    """Whether an answer needs no policy: scripts have that of their page, but workers do not."""
    script = path.startswith("/assets/") and media.startswith("text/javascript")
    return media.startswith(INERT) or (script and not path.startswith("/assets/worker"))


class Gate:
    """Refuses requests for another host or from another origin."""

    def __init__(self, app: ASGIApp, services: Services) -> None:
        self.app = app
        self.services = services

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return

        async def secured(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in SECURITY.items():
                    headers[name] = value
                if not is_inert(scope["path"], headers.get("content-type", "")):
                    headers.update(DOCUMENT_SECURITY)
            await send(message)

        try:
            self.services.hosts.check(scope)
        except Refusal as error:
            answer = problem(self.services, error)
            if scope["type"] == "http":
                await answer(scope, receive, secured)
            else:
                await receive()
                await send({"type": "websocket.close", "code": 1008, "reason": error.code})
            return
        # Sockets are not wrapped: that would slow down each of their messages.
        http = scope["type"] == "http"
        await self.app(scope, receive, secured if http else send)


def free_space(db: Database) -> float:
    """Bytes that may still be written; 0 where the folder cannot be read."""
    if not isinstance(db, Path):
        return math.nan  # PostgreSQL's disk is elsewhere
    try:
        return shutil.disk_usage(db.parent).free
    except OSError:
        return 0


def create_app(
    settings: Settings,
    store: Store,
    workers: WorkerPool,
    metrics: Metrics | None = None,
    limits: Limits | None = None,
    client: Client | None = None,
    *,
    check_throws: bool = True,
    machine: Machine = MACHINE,
) -> Starlette:
    """The application for a store and a worker pool; the caller opens and closes both."""
    metrics = metrics or Metrics()
    reviewer = Reviewer(store.coach, machine, count=metrics.reviewed)
    services = Services(
        settings=settings,
        store=store,
        registry=TableRegistry(store, workers, settings, machine, check_throws=check_throws),
        dailies=Dailies(store, settings, machine),
        players=Players(store, RefusedNames(settings.refused_names, workers.bots), machine),
        limits=limits_of(settings) if limits is None else limits,
        hosts=Hosts(settings),
        metrics=metrics,
        door=Door(store, settings.registration),
        reviewer=reviewer,
        daily_exercises=DailyExercises(reviewer, machine),
        hints=Hints(workers),
        machine=machine,
    )
    live = Live(services)
    neighbours = Neighbours(services, live)
    backups = Backups(settings, metrics)
    metrics.tables.set_function(lambda: len(services.registry.tables))
    metrics.storage_failing.set_function(lambda: int(store.failing is not None))
    metrics.bot_queue.set_function(lambda: workers.waiting)
    metrics.worker_restarts.set_function(lambda: workers.restarts)
    metrics.review_queue.set_function(lambda: reviewer.waiting)
    metrics.workers_ready.set_function(lambda: workers.ready)
    metrics.disk_free.set_function(lambda: free_space(settings.db))

    def health() -> Health:
        tasks = (
            workers.tasks,
            services.registry.tasks,
            services.dailies.tasks,
            live.tasks,
            backups.tasks,
            reviewer.tasks,
        )
        dead = [name for group in tasks for name in group.dead]
        status: Literal["ok", "storage_failing", "task_died"] = "ok"
        message = "moves are saved"
        if store.failing:
            status, message = "storage_failing", Refusal("storage_failing").args[0]
        elif dead:
            status, message = "task_died", f"restart the server: {', '.join(dead)} died"
        return Health(status, message, __version__, workers.state)

    async def healthz(request: Request) -> Response:
        answer = health()
        return json_response(encode(answer), 200 if answer.status == "ok" else 503)

    async def livez(request: Request) -> Response:
        """Whether the process answers: a proxy that asks only this keeps sockets open while
        nothing can be saved."""
        return json_response(encode(health()))

    failing_since: float | None = None

    def storage_changed(problem: str | None) -> None:
        nonlocal failing_since
        failing_since = None if problem is None else machine.monotonic()

    store.watch(storage_changed)

    async def readyz(request: Request) -> Response:
        """Whether to send visitors here; 404 asks a proxy to send no new ones."""
        answer = health()
        if services.stopping:
            stopping = replace(answer, status="stopping", message="another server goes on")
            return json_response(encode(stopping), 404)
        waited = machine.monotonic() - failing_since if failing_since is not None else math.inf
        short = answer.status == "storage_failing" and waited < HICCUP
        return json_response(encode(answer), 200 if answer.status == "ok" or short else 503)

    metrics.healthy.set_function(lambda: int(health().status == "ok"))

    async def figures(request: Request) -> Response:
        if not (request.client and is_loopback(request.client.host)):
            raise Refusal("not_found")
        return Response(generate_latest(metrics.registry), media_type=CONTENT_TYPE_LATEST)

    async def openapi(request: Request) -> Response:
        return json_response(encode(document()))

    async def refused(request: Request, error: Exception) -> Response:
        assert isinstance(error, FoxtrayError)
        return problem(services, error)

    async def misdirected(request: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)
        code = "method_not_allowed" if error.status_code == 405 else "not_found"
        answer = problem(services, Refusal(code))
        if error.status_code == 405:
            answer.headers["Allow"] = ", ".join(sorted(methods_at(request)))
        return answer

    def methods_at(request: Request) -> set[str]:
        """All methods that an address accepts; several routes may share it."""
        at = [r for r in app.routes if isinstance(r, Route) and r.matches(request.scope)[0].value]
        exact = [r for r in at if r.path != PAGES] or at
        return {method for found in exact for method in found.methods or ()}

    async def failed(request: Request, error: Exception) -> Response:
        log.error("request_failed", path=request.url.path, exc_info=error)
        return problem(services, Refusal("internal"))

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        services.registry.start()
        services.dailies.start()
        live.start()
        backups.start()
        reviewer.start()
        try:
            yield
        finally:
            await services.hints.close()
            await services.daily_exercises.close()
            await reviewer.close()
            await backups.close()
            await neighbours.close()
            await live.close()
            await services.dailies.close()
            await services.registry.close()

    app = Starlette(
        routes=[
            *(route(endpoint, services, live) for endpoint in ENDPOINTS),
            Route("/api/openapi.json", openapi),
            WebSocketRoute("/api/tables/{table}/live", live),
            Route("/healthz", healthz),
            Route("/livez", livez),
            Route("/readyz", readyz),
            Route("/metrics", figures),
            Route(PAGES, (client or Client()).page, methods=["GET"]),
        ],
        exception_handlers={
            FoxtrayError: refused,
            HTTPException: misdirected,
            Exception: failed,
        },
        lifespan=lifespan,
    )
    app.add_middleware(Gate, services=services)
    app.state.services = services
    return app
