"""Runs a server process from start to shutdown."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import signal
import socket
import sys
import threading
import webbrowser
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import segno
import structlog
import uvicorn

from foxtray.server import host_key, logs
from foxtray.server.app import create_app
from foxtray.server.bots.pool import WORKER, WorkerPool
from foxtray.server.database import told
from foxtray.server.host_key import HostKey
from foxtray.server.http.hosts import is_address, is_loopback, lan_address
from foxtray.server.http.limits import RATES, Rate, RateKey, limits_of
from foxtray.server.http.live import WireProtocol
from foxtray.server.http.services import Services
from foxtray.server.http.slow_requests import timely
from foxtray.server.http.static import CLIENT, Client
from foxtray.server.listening import bind, inherited, page
from foxtray.server.metrics import Metrics
from foxtray.server.protocol.messages import MAX_FRAME
from foxtray.server.settings import EVERYWHERE, LOOPBACK, Settings
from foxtray.server.store import Store
from foxtray.server.store.opening import open_store

log = structlog.get_logger()

BACKLOG = 4096
LAST_REQUESTS = 0.2
"""Seconds in which the request of a connection that was accepted before the end may arrive."""
FindAddress = Callable[[], str | None]


def raise_file_limit() -> None:
    """Raise the limit of open files as far as the system allows: every socket is a file."""
    if sys.platform != "win32":
        import resource

        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        if soft != hard:
            with contextlib.suppress(ValueError, OSError):
                resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


def share_interpreter() -> None:
    """Give the writer thread the interpreter quickly: a late commit delays everybody."""
    sys.setswitchinterval(0.0005)


def calm_collector() -> None:
    """Let `Live` collect cycles: a collection stops everything, and only sockets leave cycles.

    Automatic collections are a last resort, after a million new objects.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(1_000_000, 1, 1)


def shared_host(listen: str, find_lan_address: FindAddress) -> str | None:
    """The host that others in the same network can use to reach us, if there is one."""
    if listen in EVERYWHERE:
        return find_lan_address()
    return listen if is_address(listen) and not is_loopback(listen) else None


def local_page(settings: Settings, port: int) -> str:
    """The address of the page for this machine."""
    listen = settings.listen
    return page({"0.0.0.0": LOOPBACK, "::": "::1"}.get(listen, listen), port)


def announce(settings: Settings, port: int, find_lan_address: FindAddress = lan_address) -> str:
    """Print the addresses of the server; returns the one to open on this machine.

    Links and QR codes use the address that the visitor used, so the page is opened with the
    address that phones can use too.
    """
    listen = settings.listen
    local = local_page(settings, port)
    print(f"Foxtray is ready: {settings.public_url or local}")
    shared = shared_host(listen, find_lan_address)
    best = settings.public_url or (page(shared, port) if shared else local)
    if shared:
        print(f"Phones in the same network: {best}")
        if sys.stdout.isatty():
            segno.make(best).terminal(compact=True)
    elif listen in EVERYWHERE:
        print("No network was found; phones need this machine's address in their network.")
    elif is_loopback(listen) and not settings.public_url:
        print("Only this machine can connect; --lan lets phones in the same network join.")
    print("Stop with Ctrl+C.", flush=True)
    return best


class Stopping(uvicorn.Server):
    """Leaves nobody without an answer.

    Requests that wait for something to happen are answered at once, and connections that were just
    accepted may still send their request. Later visitors wait for the next server if it takes over
    the socket.
    """

    def __init__(self, config: uvicorn.Config, services: Services) -> None:
        super().__init__(config)
        self.services = services

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self.services.stopping = True
        await asyncio.sleep(self.services.settings.drain)
        self.services.long_polls.end()
        for listening in (*self.servers, *(sockets or ())):
            listening.close()
        await asyncio.sleep(LAST_REQUESTS)
        await super().shutdown(sockets)


def fastest_loop() -> Callable[[], asyncio.AbstractEventLoop]:
    """The factory of event loops: uvloop where it is available."""
    if sys.platform == "win32":
        return asyncio.new_event_loop
    import uvloop

    return uvloop.new_event_loop


def open_database(settings: Settings, metrics: Metrics) -> Store:
    return open_store(settings.db, metrics.commit)


@dataclass(frozen=True, slots=True)
class Parts:
    """The parts of a server that tests can replace."""

    loop_factory: Callable[[], asyncio.AbstractEventLoop] = field(default_factory=fastest_loop)
    open_store: Callable[[Settings, Metrics], Store] = open_database
    worker: Sequence[str] = WORKER
    """The command that starts a worker process."""
    rates: Mapping[RateKey, Rate] = field(default_factory=lambda: RATES)
    check_throws: bool = True
    """Whether to check that the dice in a log follow from the table's secret."""
    open_page: Callable[[str], object] = webbrowser.open
    client: Path = CLIENT
    """The folder with the files of the page."""


async def serve(settings: Settings, parts: Parts) -> None:
    """Run until a signal stops the server."""
    metrics = Metrics()
    client = Client(parts.client)
    listeners = inherited()
    if listeners:
        host, port = listeners[0].getsockname()[:2]
        settings = replace(settings, host=host, port=port, lan=False)
    else:
        listeners = [bind(settings)]
    try:
        store = parts.open_store(settings, metrics)
    except BaseException:
        for listener in listeners:
            listener.close()
        raise
    workers = WorkerPool(settings.workers, parts.worker, warm=settings.warm)
    workers.start()
    app = create_app(
        settings,
        store,
        workers,
        metrics,
        limits_of(settings, parts.rates),
        client,
        check_throws=parts.check_throws,
    )
    server = Stopping(
        uvicorn.Config(
            app,
            http=timely(settings.patience),
            ws=WireProtocol,
            ws_max_size=MAX_FRAME,
            ws_ping_interval=None,
            ws_per_message_deflate=False,
            log_config=None,
            access_log=False,
            server_header=False,
            proxy_headers=bool(settings.trusted_proxies),
            forwarded_allow_ips=settings.trusted_proxies or None,
            timeout_graceful_shutdown=5,
            timeout_keep_alive=30,
            backlog=BACKLOG,
        ),
        app.state.services,
    )
    for listener in listeners:
        listener.listen(BACKLOG)  # from now on visitors may have to wait, but are not refused
    port = listeners[0].getsockname()[1]
    address = announce(settings, port)
    services = app.state.services
    services.address = address.rstrip("/")
    if isinstance(settings.db, Path):
        host_key.write(settings.db, HostKey(local_page(settings, port), services.host_token))
    if settings.open:
        threading.Thread(target=parts.open_page, args=(address,), daemon=True).start()
    share_interpreter()
    calm_collector()
    log.info("started", address=address, db=told(settings.db))
    try:
        await server.serve(listeners)
    finally:
        if isinstance(settings.db, Path):
            host_key.remove(settings.db)
        await workers.close()
        await store.close()
        log.info("stopped")


def run(settings: Settings, parts: Parts | None = None) -> int:
    """Run a server; returns the exit status."""
    parts = parts or Parts()
    logs.configure(settings.log_level)
    raise_file_limit()
    # uvicorn stops gracefully on a signal and then raises it again.
    previous = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        with asyncio.Runner(loop_factory=parts.loop_factory) as runner:
            runner.run(serve(settings, parts))
    except KeyboardInterrupt:
        pass
    finally:
        signal.signal(signal.SIGTERM, previous)
    return 0
