"""Rate limits: token buckets and counters for addresses and players."""

from __future__ import annotations

import ipaddress
import time
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import lru_cache
from typing import NamedTuple

from foxtray.server.protocol.refusals import Refusal
from foxtray.server.settings import PEOPLE_PER_ADDRESS, BadSetting, Settings


class Rate(NamedTuple):
    """How many at once, and how many per second in the long run."""

    burst: float
    per_second: float


RateKey = tuple[str, str]
"""The kind of request, and whether the rate is for an address or for a player."""

# Many people may share an address, such as a household or a school.
RATES: Mapping[RateKey, Rate] = {
    ("request", "address"): Rate(120, 30),
    ("heavy", "address"): Rate(20, 2),
    ("name", "address"): Rate(30, 30 / 3600),
    ("sign_in", "address"): Rate(30, 30 / 3600),
    ("table", "address"): Rate(120, 240 / 3600),
    ("table", "player"): Rate(30, 60 / 3600),
    ("record", "address"): Rate(120, 240 / 3600),
    ("record", "player"): Rate(60, 60 / 3600),
    ("join", "address"): Rate(200, 10),
    ("join", "player"): Rate(60, 3),
    ("command", "address"): Rate(600, 150),
    ("command", "player"): Rate(60, 15),
    ("say", "player"): Rate(6, 0.2),
}
THINGS = {
    "request": "requests",
    "heavy": "requests of this kind",
    "name": "new players",
    "sign_in": "attempts to sign in",
    "table": "new tables",
    "record": "games handed over",
    "join": "new connections",
    "command": "commands",
    "say": "phrases",
}
SOCKETS: Mapping[str, int] = {"address": 100, "player": 12}
CROWD = 100_000
"""The maximum number of buckets in memory."""

Bucket = tuple[str, str, str]


@lru_cache(CROWD)
def household(address: str) -> str:
    """The household of an address: with IPv6 it has a whole network of addresses."""
    try:
        found = ipaddress.ip_address(address)
    except ValueError:
        return address
    if isinstance(found, ipaddress.IPv4Address):
        return address
    return str(found.ipv4_mapped or ipaddress.ip_network((int(found) >> 64 << 64, 64)))


def limits_of(settings: Settings, rates: Mapping[RateKey, Rate] = RATES) -> Limits:
    """The limits that the settings ask for."""
    share = settings.people_per_address / PEOPLE_PER_ADDRESS
    chosen = {
        key: Rate(rate.burst * share, rate.per_second * share) if key[1] == "address" else rate
        for key, rate in rates.items()
    }
    sockets = {**SOCKETS, "address": round(SOCKETS["address"] * share)}
    for name, (burst, speed) in settings.chosen_limits().items():
        what, _, kind = name.partition(".")
        if what == "socket" and kind in sockets:
            sockets[kind] = round(burst)
        elif (what, kind) in chosen:
            before = chosen[what, kind].per_second
            chosen[what, kind] = Rate(burst, before if speed is None else speed)
        else:
            known = [f"{what}.{kind}" for what, kind in rates] + [f"socket.{k}" for k in SOCKETS]
            raise BadSetting(f"unknown limit {name!r}; choose one of {', '.join(known)}")
    return Limits(settings.limits, chosen, sockets)


class Limits:
    """Token buckets by the kind of request and its sender."""

    def __init__(
        self,
        on: bool = True,
        rates: Mapping[RateKey, Rate] = RATES,
        sockets: Mapping[str, int] = SOCKETS,
        crowd: int = CROWD,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.on = on
        self.rates = rates
        self.sockets = sockets
        self.crowd = crowd
        self._clock = clock
        self._buckets: OrderedDict[Bucket, tuple[float, float]] = OrderedDict()
        self._open: Counter[tuple[str, str]] = Counter()

    def spend(self, what: str, address: str | None, player: str | None = None) -> None:
        """Take one from the buckets of an address and a player; refuse if one is empty."""
        if not self.on:
            return
        now = self._clock()
        filled: dict[Bucket, tuple[float, float]] = {}
        home = None if address is None else household(address)
        for kind, who in (("address", home), ("player", player)):
            rate = self.rates.get((what, kind))
            if rate is None or who is None:
                continue
            key = what, kind, who
            left, since = self._buckets.setdefault(key, (rate.burst, now))
            self._buckets.move_to_end(key)
            left = min(rate.burst, left + (now - since) * rate.per_second)
            if left < 1:
                raise Refusal("too_many", f"too many {THINGS[what]}; wait a moment")
            filled[key] = left - 1, now
        self._buckets.update(filled)
        while len(self._buckets) > self.crowd:
            self._buckets.popitem(last=False)  # the longest unused, so likely full again

    @property
    def remembered(self) -> int:
        """How many buckets are kept."""
        return len(self._buckets)

    @contextmanager
    def socket(self, address: str, player: str | None) -> Iterator[None]:
        """Count an open socket while it is open."""
        keys = [("address", household(address))] + ([("player", player)] if player else [])
        if self.on and any(self._open[key] >= self.sockets[key[0]] for key in keys):
            raise Refusal("too_many", "too many open connections; close another one first")
        self._open.update(keys)
        try:
            yield
        finally:
            for key in keys:
                self._open[key] -= 1
                if not self._open[key]:
                    del self._open[key]
