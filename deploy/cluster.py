#!/usr/bin/env python3
"""PostgreSQL, two servers and HAProxy on this machine, for a try: `make cluster`.

Everything listens on loopback, lives in a temporary folder and ends with Ctrl+C. A part that ends
is started again, so that one can kill it and see what players see. The tests start the same parts.
"""

from __future__ import annotations

import contextlib
import http.client
import os
import pwd
import random
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Any, Self

DEPLOY = Path(__file__).resolve().parent
FETCHED = DEPLOY.parent / ".venv" / "proxies"
"""Where `make proxies` unpacks the programs that the machine does not have."""
LATE = 60.0
"""Seconds after which what does not start has failed."""
PORTS = range(20_000, 32_000)
"""Below those that the system gives to outgoing connections: a client that comes back quickly to a
port where nobody listens could be connected to itself."""


class CannotStart(Exception):
    """A part of the cluster is missing or does not start."""


def free_port() -> int:
    """A port that nobody uses now."""
    while True:
        port = random.choice(PORTS)
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port


def program(name: str, *places: str) -> Path:
    """A program that is installed or was unpacked; Debian keeps PostgreSQL's apart."""
    usual = os.environ.get("PATH", "").split(os.pathsep)
    folders = [*usual, "/usr/sbin", f"{FETCHED}/usr/sbin", f"{FETCHED}/usr/bin"]
    for pattern in places:
        for root in (Path("/"), FETCHED):
            folders += sorted(map(str, root.glob(pattern)), reverse=True)
    found = shutil.which(name, path=os.pathsep.join(folders))
    if found is None:
        raise CannotStart(f"there is no {name} here; install it, or run: make proxies")
    return Path(found)


def libraries() -> dict[str, str]:
    """The environment in which unpacked programs find what was unpacked with them."""
    folders = [str(f) for f in FETCHED.glob("usr/lib/*-linux-gnu")]
    before = os.environ.get("LD_LIBRARY_PATH")
    return {"LD_LIBRARY_PATH": os.pathsep.join([*folders, *([before] if before else [])])}


class Process:
    """A program in the background, with everything it starts."""

    def __init__(self, log: Path) -> None:
        self.log = log
        self.process: subprocess.Popen[bytes] | None = None
        self._begun = 0

    def run(self, command: list[str], **more: Any) -> None:
        with self.log.open("ab") as log:
            self._begun = log.tell()
            self.process = subprocess.Popen(
                command, stdout=log, stderr=log, start_new_session=True, **more
            )

    @property
    def pid(self) -> int:
        assert self.process
        return self.process.pid

    @property
    def running(self) -> bool:
        return self.process is not None and self.process.poll() is None

    def wait_for(self, words: str) -> None:
        """Wait until the program says that it is ready."""
        self.wait_until(lambda: words in self.said())

    def wait_until(self, ready: Callable[[], bool]) -> None:
        """Wait until the program is ready."""
        deadline = time.monotonic() + LATE
        while not ready():
            if not self.running or time.monotonic() > deadline:
                raise CannotStart(self.said()[-2000:])
            time.sleep(0.02)

    def said(self) -> str:
        """What the program wrote since its last start."""
        return self.log.read_bytes()[self._begun :].decode(errors="replace")

    def send(self, number: int) -> None:
        os.killpg(self.pid, number)

    def kill(self) -> None:
        """End it at once, like a power cut."""
        if self.running:
            self.send(signal.SIGKILL)
        if self.process:
            self.process.wait()

    def stop(self, number: int = signal.SIGTERM) -> None:
        """End it as it wants to end."""
        if self.running:
            assert self.process
            self.process.send_signal(number)
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.process.wait(20)
        self.kill()


class Postgres(Process):
    """A PostgreSQL of its own. Root cannot run it, so that somebody else has to."""

    def __init__(self, **settings: str) -> None:
        self.user = stand_in()
        self.folder = Path(tempfile.mkdtemp(prefix="foxtray-postgres-"))
        super().__init__(self.folder / "log")
        self.port = free_port()
        self.password = secrets.token_hex(12)
        self.settings = {"fsync": "on", **settings}
        self.data = self.folder / "data"
        self.log.touch()
        if self.user:
            for path in (self.folder, self.log):
                os.chown(path, self.user.pw_uid, self.user.pw_gid)

    @property
    def url(self) -> str:
        return self.url_at(self.port)

    def url_at(self, port: int, database: str = "postgres") -> str:
        return f"postgresql://foxtray:{self.password}@127.0.0.1:{port}/{database}"

    def __enter__(self) -> Self:
        try:
            self.create()
            self.start()
        except BaseException:
            self.remove()
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.remove()

    def _as_user(self) -> dict[str, Any]:
        given: dict[str, Any] = {"cwd": self.folder, "env": {**os.environ, **libraries()}}
        if self.user:
            given |= {"user": self.user.pw_uid, "group": self.user.pw_gid, "extra_groups": []}
        return given

    def create(self) -> None:
        """Make an empty database."""
        secret = self.folder / "password"
        secret.write_text(self.password)
        if self.user:
            os.chown(secret, self.user.pw_uid, self.user.pw_gid)
        command = [
            *(str(program("initdb", "usr/lib/postgresql/*/bin")), "--pgdata", str(self.data)),
            *("--username", "foxtray", "--auth", "scram-sha-256", "--pwfile", str(secret)),
            *("--encoding", "UTF8", "--locale", "C", "--no-sync"),
        ]
        done = subprocess.run(command, capture_output=True, check=False, **self._as_user())
        if done.returncode:
            raise CannotStart(f"initdb: {done.stderr.decode(errors='replace').strip()}")

    def start(self) -> None:
        # After a kill, its last processes may need a moment to end.
        deadline = time.monotonic() + LATE
        while True:
            options = {
                "listen_addresses": "127.0.0.1",
                "unix_socket_directories": str(self.folder),
                "shared_buffers": "64MB",
                # After a kill: sync the disk once, instead of every file.
                "recovery_init_sync_method": "syncfs",
                **self.settings,
            }
            chosen = [x for key, value in options.items() for x in ("-c", f"{key}={value}")]
            binary = str(program("postgres", "usr/lib/postgresql/*/bin"))
            command = [binary, "-D", str(self.data), "-p", str(self.port), *chosen]
            self.run(command, **self._as_user())
            try:
                self.wait_for("ready to accept connections")
                return
            except CannotStart:
                if "pre-existing shared memory" not in self.said() or time.monotonic() > deadline:
                    raise
                time.sleep(0.2)

    def remove(self) -> None:
        self.stop(signal.SIGINT)  # a fast shutdown
        shutil.rmtree(self.folder, ignore_errors=True)


def stand_in() -> pwd.struct_passwd | None:
    """Who runs PostgreSQL if we are root."""
    if os.geteuid() != 0:
        return None
    for name in ("postgres", "nobody"):
        try:
            return pwd.getpwnam(name)
        except KeyError:
            continue
    raise CannotStart("PostgreSQL does not run as root, and there is no user postgres or nobody")


def replaced(text: str, changes: dict[str, str]) -> str:
    """A configuration with what another machine needs, all of which must be there."""
    for old, new in changes.items():
        if old not in text:
            raise CannotStart(f"the configuration has no {old!r} any more")
        text = text.replace(old, new)
    return text


class HAProxy(Process):
    """The proxy of this folder in front of two servers on this machine."""

    def __init__(self, folder: Path, servers: tuple[int, int]) -> None:
        super().__init__(folder / "haproxy.log")
        self.port = free_port()
        self.servers = servers
        self.file = folder / "haproxy.cfg"

    def start(self) -> None:
        one, two = self.servers
        changes = {
            "bind :8750": f"bind 127.0.0.1:{self.port}",
            "one:8750": f"127.0.0.1:{one}",
            "two:8750": f"127.0.0.1:{two}",
            "maxconn 50000": "maxconn 5000",
        }
        self.file.write_text(replaced((DEPLOY / "haproxy.cfg").read_text(), changes))
        command = [str(program("haproxy")), "-db", "-f", str(self.file)]
        environment = {**os.environ, **libraries()}
        done = subprocess.run([*command, "-c"], capture_output=True, check=False, env=environment)
        if done.returncode:
            raise CannotStart(done.stderr.decode(errors="replace"))
        self.run(command, env=environment)
        self.wait_until(lambda: answers(self.port, "/readyz"))


def answers(port: int, path: str) -> bool:
    """Whether a server says that it is well."""
    line = http.client.HTTPConnection("127.0.0.1", port, timeout=2)
    try:
        line.request("GET", path)
        return line.getresponse().status == 200
    except (OSError, http.client.HTTPException):
        return False
    finally:
        line.close()


class Server(Process):
    """A server on PostgreSQL."""

    def __init__(self, log: Path, url: str) -> None:
        super().__init__(log)
        self.port = free_port()
        self.url = url

    def start(self) -> None:
        options = ["--port", str(self.port), "--trusted-proxies", "127.0.0.1", "--drain", "2"]
        command = [sys.executable, "-m", "foxtray", "serve", *options]
        self.run(command, env={**os.environ, "FOXTRAY_DB": self.url})
        self.wait_for("Foxtray is ready")


def start_again(name: str, part: Postgres | HAProxy | Server) -> None:
    """Start a part that ended. A server cannot start while PostgreSQL is down: it has to wait."""
    try:
        part.start()
    except CannotStart as error:
        part.kill()
        print(f"Could not start {name}, trying again: {error}".rstrip(), flush=True)
    else:
        print(f"Started again: {name} ({part.pid})", flush=True)


def main() -> int:
    """Run a cluster until Ctrl+C."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    with contextlib.ExitStack() as parts, tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        try:
            postgres = parts.enter_context(Postgres())
            servers = [Server(folder / f"{n}.log", postgres.url) for n in ("one", "two")]
            for server in servers:
                parts.callback(server.stop)
                server.start()
            proxy = HAProxy(folder, (servers[0].port, servers[1].port))
            parts.callback(proxy.stop)
            proxy.start()
            print(f"Foxtray is ready: http://127.0.0.1:{proxy.port}/")
            print(f"Servers: {' and '.join(f'http://127.0.0.1:{s.port}/' for s in servers)}")
            print(f"Database: {postgres.url}")
            print(f"Logs: {folder} and {postgres.log}")
            running: dict[str, Postgres | HAProxy | Server] = {
                "PostgreSQL": postgres,
                "HAProxy": proxy,
                **{f"the server at {s.port}": s for s in servers},
            }
            told = [f"{part} ({process.pid})" for part, process in running.items()]
            print(f"Processes: {', '.join(told)}")
            print("Stop with Ctrl+C.", flush=True)
            while True:
                time.sleep(0.5)
                for part, process in running.items():
                    if not process.running:
                        start_again(part, process)
        except CannotStart as error:
            print(f"cluster: {error}", file=sys.stderr)
            return 2
        except KeyboardInterrupt:
            print("Stopping.", flush=True)
            return 0


if __name__ == "__main__":
    sys.exit(main())
