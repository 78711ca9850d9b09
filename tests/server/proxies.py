"""The reverse proxies of deploy/, as real processes on loopback."""

from __future__ import annotations

import http.client
import os
import ssl
import subprocess
from email.message import Message
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from cluster import DEPLOY, Process, program, replaced

from server.harness import LATE


class Proxy(Process):
    """A proxy in front of a server on this machine."""

    name: str

    def __init__(self, folder: Path, server: int, plain: int, secure: int) -> None:
        super().__init__(folder / f"{self.name}.log")
        self.folder = folder
        self.server = server
        self.plain = plain
        self.secure = secure

    @property
    def authority(self) -> Path:
        """The certificate that visitors have to trust."""
        raise NotImplementedError

    def command(self) -> list[str]:
        """Write the configuration; returns what to run."""
        raise NotImplementedError

    def __enter__(self) -> Self:
        environment = {**os.environ, "DOMAIN": "localhost", "HOME": str(self.folder)}
        self.run(self.command(), env=environment)
        try:
            self.wait_until(self._answers)
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()

    def _answers(self) -> bool:
        try:
            return self.authority.exists() and self.visit("GET", "/metrics")[0] == 404
        except OSError:
            return False

    def trust(self) -> ssl.SSLContext:
        return ssl.create_default_context(cafile=str(self.authority))

    def visit(
        self,
        method: str,
        path: str,
        body: bytes | None = None,
        headers: dict[str, str] | None = None,
        source: str = "127.0.0.1",
    ) -> tuple[int, bytes, Message]:
        """A request over TLS, from an address of this machine."""
        line = http.client.HTTPSConnection(
            "localhost", self.secure, timeout=LATE, context=self.trust(), source_address=(source, 0)
        )
        return exchange(line, method, path, body, headers)

    def visit_plain(self, path: str) -> tuple[int, bytes, Message]:
        line = http.client.HTTPConnection("localhost", self.plain, timeout=LATE)
        return exchange(line, "GET", path, None, None)


def exchange(
    line: http.client.HTTPConnection,
    method: str,
    path: str,
    body: bytes | None,
    headers: dict[str, str] | None,
) -> tuple[int, bytes, Message]:
    kind = {"Content-Type": "application/json"} if body is not None else {}
    try:
        line.request(method, path, body, {**kind, **(headers or {})})
        answer = line.getresponse()
        return answer.status, answer.read(), answer.headers
    finally:
        line.close()


class Nginx(Proxy):
    """As on a machine with systemd."""

    name = "nginx"

    @property
    def authority(self) -> Path:
        return self.folder / "certificate.pem"

    def command(self) -> list[str]:
        key = self.folder / "key.pem"
        make_certificate(self.authority, key)
        live = "/etc/letsencrypt/live/games.example"
        changes = {
            f"{live}/fullchain.pem": str(self.authority),
            f"{live}/privkey.pem": str(key),
            "/var/log/nginx/foxtray.log": str(self.folder / "access.log"),
            "games.example": "localhost",
            "    listen [::]:80;\n": "",
            "    listen [::]:443 ssl http2;\n": "",
            "listen 80;": f"listen 127.0.0.1:{self.plain};",
            "listen 443 ssl": f"listen 127.0.0.1:{self.secure} ssl",
            "http://127.0.0.1:8750": f"http://127.0.0.1:{self.server}",
        }
        site = self.folder / "site.conf"
        site.write_text(replaced((DEPLOY / "nginx.conf").read_text(), changes))
        main = self.folder / "main.conf"
        temporary = "".join(
            f"    {kind}_temp_path {self.folder / kind};\n"
            for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
        )
        user = "user root;\n" if os.geteuid() == 0 else ""
        main.write_text(
            f"{user}daemon off;\npid {self.folder / 'pid'};\nerror_log stderr;\nevents {{}}\n"
            f"http {{\n{temporary}    include {site};\n}}\n"
        )
        command = [str(program("nginx")), "-p", str(self.folder), "-e", "stderr", "-c", str(main)]
        done = subprocess.run([*command, "-t"], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return command


class Caddy(Proxy):
    """As in the compose file, with a certificate by its own authority."""

    name = "caddy"

    @property
    def authority(self) -> Path:
        return self.folder / "storage" / "pki" / "authorities" / "local" / "root.crt"

    def command(self) -> list[str]:
        options = (
            f"{{\n\tadmin off\n\tskip_install_trust\n\tdefault_bind 127.0.0.1\n"
            f"\thttp_port {self.plain}\n\thttps_port {self.secure}\n"
            f"\tstorage file_system {self.folder / 'storage'}\n}}\n"
        )
        site = replaced(
            (DEPLOY / "Caddyfile").read_text(), {"foxtray:8750": f"127.0.0.1:{self.server}"}
        )
        path = self.folder / "Caddyfile"
        path.write_text(options + site)
        given = ["--config", str(path), "--adapter", "caddyfile"]
        environment: dict[str, Any] = {**os.environ, "DOMAIN": "localhost"}
        environment["HOME"] = str(self.folder)
        done = subprocess.run(
            [str(program("caddy")), "validate", *given],
            capture_output=True,
            text=True,
            check=False,
            env=environment,
        )
        assert done.returncode == 0, done.stderr
        return [str(program("caddy")), "run", *given]


def make_certificate(certificate: Path, key: Path) -> None:
    """A certificate for this machine that nobody but the test trusts."""
    subprocess.run(
        [
            *("openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2"),
            *("-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"),
            *("-keyout", str(key), "-out", str(certificate)),
        ],
        capture_output=True,
        check=True,
    )
