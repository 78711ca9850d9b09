"""The addresses of this server: requests are checked against them, and links use them."""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Iterator
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.types import Scope

from foxtray.server.protocol.refusals import Refusal
from foxtray.server.settings import Settings

SAFE_METHODS = ("GET", "HEAD", "OPTIONS")


def is_address(host: str) -> bool:
    """Whether a host is an IP address, which DNS rebinding cannot affect."""
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True


def is_loopback(host: str) -> bool:
    return host == "localhost" or (is_address(host) and ipaddress.ip_address(host).is_loopback)


def host_of(netloc: str) -> str:
    """The name in a Host header or address, without its port."""
    try:
        return (urlsplit(f"//{netloc}").hostname or "").rstrip(".")
    except ValueError:
        return ""


def local_addresses() -> Iterator[str]:
    """The addresses of this machine in its networks, most likely first."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            # Nothing is sent: connecting a datagram socket only selects the interface.
            probe.connect(("192.0.2.1", 9))
            yield probe.getsockname()[0]
        except OSError:
            pass
    try:
        for info in socket.getaddrinfo(socket.gethostname(), None, socket.AF_INET):
            yield str(info[4][0])
    except OSError:
        pass


def lan_address() -> str | None:
    """The address that others in the same network can use to reach this machine."""
    return next((a for a in local_addresses() if not is_loopback(a)), None)


class Hosts:
    """The names this server answers to."""

    def __init__(self, settings: Settings) -> None:
        self.public_url = settings.public_url.rstrip("/")
        name = socket.gethostname().lower()
        self.names = {"localhost", name, f"{name}.local", settings.host.lower()}
        if self.public_url:
            self.names.add(urlsplit(self.public_url).hostname or "")

    def check(self, scope: Scope) -> None:
        """Refuse a request for another host or from another origin."""
        headers = Headers(scope=scope)
        host = host_of(headers.get("host", ""))
        if not host or (host.lower() not in self.names and not is_address(host)):
            raise Refusal("bad_host")
        origin = headers.get("origin")
        unsafe = scope["type"] == "websocket" or scope["method"] not in SAFE_METHODS
        if origin is not None and unsafe and not self._same(origin, headers["host"]):
            raise Refusal("bad_origin")

    def _same(self, origin: str, host: str) -> bool:
        try:
            netloc = urlsplit(origin).netloc
        except ValueError:
            return False
        return netloc == host or (bool(self.public_url) and origin == self.public_url)

    def base(self, scope: Scope) -> str:
        """The address for links: the public one, or the one the visitor used."""
        if self.public_url:
            return self.public_url
        secure = scope["scheme"] in ("https", "wss")
        return f"{'https' if secure else 'http'}://{Headers(scope=scope).get('host', '')}"

    def loopback(self, scope: Scope) -> bool:
        """Whether the visitor used an address that works only on this machine."""
        return not self.public_url and is_loopback(host_of(Headers(scope=scope).get("host", "")))
