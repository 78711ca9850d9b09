"""A server process from its first line to its last."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import signal
import socket
import sys
import threading
import webbrowser
from collections.abc import Callable

import segno
import structlog
import uvicorn

from foxtray.server import logs
from foxtray.server.app import create_app
from foxtray.server.arrival import timely
from foxtray.server.crew import Crew
from foxtray.server.hosts import is_address, is_loopback, lan_address
from foxtray.server.live import WireProtocol
from foxtray.server.messages import MAX_FRAME
from foxtray.server.metrics import Metrics
from foxtray.server.polls import Polls
from foxtray.server.settings import EVERYWHERE, LOOPBACK, BadSetting, Settings
from foxtray.server.store import Store
from foxtray.server.store.sqlite import SqliteStore

log = structlog.get_logger()

BACKLOG = 4096


def bind(settings: Settings) -> socket.socket:
    """The socket to listen on, taken before anything is promised."""
    family = socket.AF_INET6 if ":" in settings.listen else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((settings.listen, settings.port))
    except OSError as error:
        listener.close()
        where = page(settings.listen, settings.port)
        raise BadSetting(f"{where} cannot be used: {error.strerror}; try --port") from None
    listener.setblocking(False)
    return listener


def raise_file_limit() -> None:
    """Every socket is a file: allow as many as the system lets us."""
    if sys.platform != "win32":
        import resource

        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        if soft != hard:
            with contextlib.suppress(ValueError, OSError):
                resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


def share_interpreter() -> None:
    """Let the writer thread have the interpreter soon: a commit that waits holds up everybody."""
    sys.setswitchinterval(0.0005)


def calm_collector() -> None:
    """Leave cycles to `Live`: a pass stops everybody, and of all we do only sockets leave any.

    The automatic passes are a last resort, for a million objects more than at the last one.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(1_000_000, 1, 1)


def page(host: str, port: int) -> str:
    """The address of the page; one of version 6 stands in brackets."""
    return f"http://[{host}]:{port}/" if ":" in host else f"http://{host}:{port}/"


def shared_host(listen: str) -> str | None:
    """The host by which others in the same network reach us, where there is one."""
    if listen in EVERYWHERE:
        return lan_address()
    return listen if is_address(listen) and not is_loopback(listen) else None


def announce(settings: Settings, port: int) -> str:
    """Tell people where to go; returns the address to open on this machine.

    Links and QR codes use the address by which a visitor came: whoever invites phones must come by
    the one that phones can use.
    """
    listen = settings.listen
    local = page({"0.0.0.0": LOOPBACK, "::": "::1"}.get(listen, listen), port)
    print(f"Foxtray is ready: {settings.public_url or local}")
    shared = shared_host(listen)
    best = settings.public_url or (page(shared, port) if shared else local)
    if shared:
        print(f"Phones in the same network: {best}")
        if sys.stdout.isatty():
            segno.make(best).terminal(compact=True)
    elif listen in EVERYWHERE:
        print("No network was found; phones need the address of this machine in theirs.")
    elif is_loopback(listen) and not settings.public_url:
        print("Only this machine can connect; --lan lets phones in the same network join.")
    print("Stop with Ctrl+C.", flush=True)
    return best


class Stopping(uvicorn.Server):
    """Answers those who wait for something to happen before it waits for all to be answered."""

    def __init__(self, config: uvicorn.Config, polls: Polls) -> None:
        super().__init__(config)
        self.polls = polls

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self.polls.end()
        await super().shutdown(sockets)


async def serve(
    settings: Settings,
    open_store: Callable[[Settings, Metrics], Store] = (
        lambda settings, metrics: SqliteStore(settings.db, metrics.commit)
    ),
) -> None:
    """Run until a signal says to stop."""
    metrics = Metrics()
    listener = bind(settings)
    try:
        store = open_store(settings, metrics)
    except BaseException:
        listener.close()
        raise
    crew = Crew(settings.workers, warm=settings.warm)
    crew.start()
    app = create_app(settings, store, crew, metrics)
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
        app.state.desk.polls,
    )
    listener.listen(BACKLOG)  # from now on visitors may have to wait, but are not refused
    address = announce(settings, listener.getsockname()[1])
    if settings.open:
        threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()
    share_interpreter()
    calm_collector()
    log.info("started", address=address, db=str(settings.db))
    try:
        await server.serve([listener])
    finally:
        await crew.close()
        await store.close()
        log.info("stopped")


def run(settings: Settings) -> int:
    """Run a server; returns the exit status."""
    logs.configure(settings.log_level)
    raise_file_limit()
    factory = None
    if sys.platform != "win32":
        import uvloop

        factory = uvloop.new_event_loop
    # uvicorn answers a signal by stopping gracefully and then raises it once more.
    previous = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        with asyncio.Runner(loop_factory=factory) as runner:
            runner.run(serve(settings))
    except KeyboardInterrupt:
        pass
    finally:
        signal.signal(signal.SIGTERM, previous)
    return 0
