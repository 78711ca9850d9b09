"""The settings of a server, from flags or from environment variables of the same name."""

from __future__ import annotations

import ipaddress
import math
import os
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Literal, get_args
from urllib.parse import urlsplit

from foxtray.errors import FoxtrayError
from foxtray.folders import data_folder
from foxtray.server.daily.calendar import zone_of
from foxtray.server.database import Database, database, told

PREFIX = "FOXTRAY_"
PEOPLE_PER_ADDRESS = 20
Registration = Literal["open", "invitation", "closed"]
REGISTRATION: tuple[Registration, ...] = get_args(Registration)
"""Noted in databases by their numbers: never reordered."""
OncePer = Literal["player", "device", "address"]
LOOPBACK = "127.0.0.1"
EVERYWHERE = ("0.0.0.0", "::")
"""All interfaces, for IPv4 or IPv6."""


class BadSetting(FoxtrayError):
    """An invalid setting."""

    code = "bad_setting"


def default_file() -> Path:
    return data_folder() / "foxtray.db"


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings of a server."""

    host: str = LOOPBACK
    port: int = 8750
    lan: bool = False
    public_url: str = ""
    db: Database = field(default_factory=default_file)
    """A file, or the URL of a PostgreSQL database."""
    open: bool = False
    trusted_proxies: str = ""
    """Addresses, separated by commas, whose X-Forwarded-For header is trusted."""
    keep_finished: int = 365
    """Days."""
    keep_unfinished: int = 90
    """Days."""
    backup_dir: Path | None = None
    """Where the running server puts copies of its data; none are made without it."""
    backup_every: float = 24.0
    """Hours."""
    backup_keep: int = 7
    """Copies."""
    workers: int = 0
    """Worker processes for bots; 0 chooses a number that suits this machine."""
    warm: bool = True
    """Whether workers compile at the start instead of with their first decision."""
    bot_pause: float = 1.0
    absence: float = 60.0
    reveal: float = 5.0
    """Seconds within which browsers must reveal their entropy when a game starts."""
    patience: float = 10.0
    """Seconds within which the header of a request must arrive, and then its body."""
    silence: float = 40.0
    """Seconds after which a silent socket counts as half open."""
    drain: float = 0.0
    """Seconds from the signal to stop until sockets are closed, in which proxies find out."""
    limits: bool = True
    people_per_address: int = PEOPLE_PER_ADDRESS
    """How many people may share one address, such as that of a club or a school."""
    tables_per_player: int = 60
    """How many unfinished tables a player may have created and still sit at."""
    limit: str = ""
    """Individual limits: `command.player=120/30,socket.address=500`."""
    registration: str = ""
    """Who may become a player: open, invitation or closed; empty: as the host last decided."""
    timezone: str = "UTC"
    """The time zone in which the days of the daily dice begin."""
    daily_once_per: OncePer = "device"
    """What can play the daily dice only once: a player, a device, or everybody at an address."""
    refused_names: str = ""
    """A file with names that nobody may take."""
    log_level: str = "info"

    def __post_init__(self) -> None:
        if not 0 <= self.port < 65_536:
            raise BadSetting(f"invalid port {self.port}; choose 0 to 65535")
        if self.lan and self.host not in (LOOPBACK, *EVERYWHERE):
            raise BadSetting(
                f"--lan listens on all interfaces, --host {self.host} on one; use only one of them"
            )
        url = urlsplit(self.public_url)
        if self.public_url and (url.scheme not in ("http", "https") or not url.hostname):
            raise BadSetting(
                f"invalid public URL {self.public_url!r}; use one like https://games.example"
            )
        if url.path.strip("/") or url.query or url.fragment:
            raise BadSetting(
                f"the public URL {self.public_url!r} has a path; use a host name without a path"
            )
        if self.trusted_proxies not in ("", "*"):
            for proxy in self.trusted_proxies.split(","):
                check_proxy(proxy.strip())
        if self.keep_finished < 1 or self.keep_unfinished < 1:
            raise BadSetting("tables must be kept for at least one day; choose 1 or more")
        if not 0 < self.backup_every < math.inf:
            raise BadSetting("the time between two backups must be above 0 hours")
        if self.backup_keep < 1:
            raise BadSetting("choose 1 or more backups to keep")
        if self.backup_dir and not isinstance(self.db, Path):
            raise BadSetting(
                f"{told(self.db)} is not a file that can be copied; "
                "leave --backup-dir out and back PostgreSQL up with pg_dump"
            )
        if self.workers < 0:
            raise BadSetting(
                "the number of workers cannot be negative; choose 1 or more, or 0 for automatic"
            )
        if not (0 <= self.bot_pause < math.inf and 0 <= self.absence < math.inf):
            raise BadSetting("bot_pause and absence must be 0 seconds or more")
        if not 0 < self.reveal <= 60:
            raise BadSetting("reveal must be more than 0 seconds and at most 60")
        if not self.patience > 0:
            raise BadSetting("patience must be more than 0 seconds")
        if not 0 < self.silence < math.inf:
            raise BadSetting("silence must be more than 0 seconds and finite")
        if not 0 <= self.drain <= 300:
            raise BadSetting("drain must be 0 to 300 seconds")
        if self.people_per_address < 1 or self.tables_per_player < 1:
            raise BadSetting("people_per_address and tables_per_player must be 1 or more")
        self.chosen_limits()  # raises BadSetting if one is invalid
        if self.registration not in ("", *REGISTRATION):
            known = ", ".join(REGISTRATION)
            raise BadSetting(f"registration {self.registration!r} is not one of {known}")
        try:
            zone_of(self.timezone)
        except ValueError:
            raise BadSetting(
                f"unknown time zone {self.timezone!r}; use a name like Europe/Belgrade"
            ) from None
        if self.daily_once_per not in get_args(OncePer):
            known = ", ".join(get_args(OncePer))
            raise BadSetting(
                f"unknown daily_once_per {self.daily_once_per!r}; choose one of {known}"
            )
        if self.log_level not in ("debug", "info", "warning", "error"):
            raise BadSetting(
                f"unknown log level {self.log_level!r}; choose one of debug, info, warning, error"
            )

    @property
    def listen(self) -> str:
        """The address to listen on."""
        return "0.0.0.0" if self.lan and self.host == LOOPBACK else self.host

    def chosen_limits(self) -> dict[str, tuple[float, float | None]]:
        """The individual limits by name: the burst, and the rate per second if given."""
        found: dict[str, tuple[float, float | None]] = {}
        for part in filter(None, (part.strip() for part in self.limit.split(","))):
            name, _, numbers = part.partition("=")
            burst, slash, speed = numbers.partition("/")
            try:
                found[name] = float(burst), float(speed) if slash else None
                usable = 1 <= found[name][0] < math.inf and 0 <= (found[name][1] or 0) < math.inf
            except ValueError:
                usable = False
            if not usable:
                raise BadSetting(f"invalid limit {part!r}; use a form like command.player=120/30")
        return found


def check_proxy(text: str) -> None:
    """Refuse an invalid address, which would otherwise be ignored without a warning."""
    try:
        ipaddress.ip_network(text)
    except ValueError:
        raise BadSetting(
            f"invalid proxy address {text!r}; use one like 127.0.0.1 or 10.0.0.0/8"
        ) from None


def from_environment(environment: Mapping[str, str] = os.environ) -> dict[str, object]:
    """The settings given in the environment."""
    found: dict[str, object] = {}
    for setting in fields(Settings):
        text = environment.get(PREFIX + setting.name.upper())
        if text is not None:
            found[setting.name] = read(setting.name, str(setting.type), text)
    return found


def read(name: str, kind: str, text: str) -> object:
    """Parse the text of a setting."""
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
        wanted = {"bool": "on or off", "int": "a whole number", "float": "a number"}[kind]
        raise BadSetting(f"invalid {PREFIX}{name.upper()}={text}; use {wanted}") from None
    if kind == "Database":
        return database(text)
    return Path(text) if kind.startswith("Path") else text
