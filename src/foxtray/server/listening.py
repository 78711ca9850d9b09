"""The sockets that a server listens on: its own, or those that systemd holds for it."""

from __future__ import annotations

import os
import socket
from collections.abc import MutableMapping

from foxtray.server.settings import BadSetting, Settings

FIRST_INHERITED = 3
"""After standard input, output and error."""


def page(host: str, port: int) -> str:
    """The address of the page; one of version 6 stands in brackets."""
    return f"http://[{host}]:{port}/" if ":" in host else f"http://{host}:{port}/"


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


def inherited(environment: MutableMapping[str, str] = os.environ) -> list[socket.socket]:
    """The sockets that systemd opened for this process, by the protocol of sd_listen_fds(3).

    They stay open when a server stops: visitors wait there for the next one.
    """
    count = environment.pop("LISTEN_FDS", "")
    environment.pop("LISTEN_FDNAMES", None)
    if environment.pop("LISTEN_PID", "") != str(os.getpid()) or not count.isdecimal():
        return []
    return [adopt(FIRST_INHERITED + number) for number in range(int(count))]


def adopt(handle: int) -> socket.socket:
    """A socket that another process opened, if visitors can come by it."""
    try:
        listener = socket.socket(fileno=handle)
    except OSError as error:
        raise BadSetting(f"descriptor {handle} is not a socket: {error.strerror}") from None
    internet = listener.family in (socket.AF_INET, socket.AF_INET6)
    if not (internet and listener.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN)):
        listener.close()
        raise BadSetting(
            f"descriptor {handle} does not listen for TCP; use ListenStream=ADDRESS:PORT"
        )
    listener.setblocking(False)
    listener.set_inheritable(False)  # the bots' processes must not keep it
    return listener
