"""What a host can set: by flag, or by an environment variable of the same name."""

from __future__ import annotations

import ipaddress
import math
import os
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from urllib.parse import urlsplit

from foxtray.errors import FoxtrayError
from foxtray.folders import data_folder

PREFIX = "FOXTRAY_"
LOOPBACK = "127.0.0.1"
EVERYWHERE = ("0.0.0.0", "::")
"""All interfaces, by IP version 4 or 6."""


class BadSetting(FoxtrayError):
    """A setting that cannot be."""

    code = "bad_setting"


def default_file() -> Path:
    return data_folder() / "foxtray.db"


@dataclass(frozen=True, slots=True)
class Settings:
    """How a server runs."""

    host: str = LOOPBACK
    port: int = 8750
    lan: bool = False
    public_url: str = ""
    db: Path = field(default_factory=default_file)
    open: bool = False
    trusted_proxies: str = ""
    """Addresses, separated by commas, whose X-Forwarded-For is believed."""
    keep_finished: int = 365
    """Days."""
    keep_unfinished: int = 90
    """Days."""
    workers: int = 0
    """Bots' processes; 0: as many as fit."""
    warm: bool = True
    """Whether bots compile what they need at the start, and not with their first decision."""
    bot_pause: float = 1.0
    absence: float = 60.0
    patience: float = 10.0
    """Seconds in which the header of a request must arrive, and then its body."""
    limits: bool = True
    log_level: str = "info"

    def __post_init__(self) -> None:
        if not 0 <= self.port < 65_536:
            raise BadSetting(f"port {self.port} is not possible; choose 1 to 65535")
        if self.lan and self.host not in (LOOPBACK, *EVERYWHERE):
            raise BadSetting(
                f"--lan listens on all interfaces, --host {self.host} on one: choose either"
            )
        url = urlsplit(self.public_url)
        if self.public_url and (url.scheme not in ("http", "https") or not url.hostname):
            raise BadSetting(f"{self.public_url!r} is no address like https://games.example")
        if url.path.strip("/") or url.query or url.fragment:
            raise BadSetting(f"{self.public_url!r} has a path: a table needs an address of its own")
        if self.trusted_proxies not in ("", "*"):
            for proxy in self.trusted_proxies.split(","):
                check_proxy(proxy.strip())
        if self.keep_finished < 1 or self.keep_unfinished < 1:
            raise BadSetting("tables are kept for at least one day")
        if self.workers < 0:
            raise BadSetting("bots need processes: choose 1 or more workers, or 0 for what fits")
        if not (0 <= self.bot_pause < math.inf and 0 <= self.absence < math.inf):
            raise BadSetting("a pause or an absence lasts 0 seconds or more")
        if not self.patience > 0:
            raise BadSetting("requests need a moment to arrive: patience must be above 0")
        if self.log_level not in ("debug", "info", "warning", "error"):
            raise BadSetting(f"log level {self.log_level!r} is not debug, info, warning or error")

    @property
    def listen(self) -> str:
        """The address to listen on."""
        return "0.0.0.0" if self.lan and self.host == LOOPBACK else self.host


def check_proxy(text: str) -> None:
    """Refuse what no proxy has as its address: it would never be trusted, and nobody would know."""
    try:
        ipaddress.ip_network(text)
    except ValueError:
        raise BadSetting(
            f"{text!r} is no address of a proxy, like 127.0.0.1 or 10.0.0.0/8"
        ) from None


def from_environment(environment: Mapping[str, str] = os.environ) -> dict[str, object]:
    """The settings that the environment names."""
    found: dict[str, object] = {}
    for setting in fields(Settings):
        text = environment.get(PREFIX + setting.name.upper())
        if text is not None:
            found[setting.name] = read(setting.name, str(setting.type), text)
    return found


def read(name: str, kind: str, text: str) -> object:
    """A setting from its text."""
    try:
        if kind == "bool":
            return {"1": True, "on": True, "true": True, "0": False, "off": False, "false": False}[
                text.lower()
            ]
        if kind == "int":
            return int(text)
        if kind == "float":
            return float(text)
    except (KeyError, ValueError):
        raise BadSetting(f"{PREFIX}{name.upper()}={text} is not understood") from None
    return Path(text) if kind == "Path" else text
