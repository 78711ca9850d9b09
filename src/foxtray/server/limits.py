"""How much is too much: token buckets and counters, for addresses and for players."""

from __future__ import annotations

import ipaddress
import time
from collections import Counter, OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from typing import NamedTuple

from foxtray.server.refusals import Refusal


class Rate(NamedTuple):
    """So many at once, and so many a second in the long run."""

    burst: float
    per_second: float


# Many people may share an address: a household, a school. A player is one of them.
RATES = {
    ("request", "address"): Rate(120, 30),
    ("heavy", "address"): Rate(20, 2),
    ("name", "address"): Rate(30, 30 / 3600),
    ("table", "address"): Rate(120, 240 / 3600),
    ("table", "player"): Rate(30, 60 / 3600),
    ("join", "address"): Rate(200, 10),
    ("join", "player"): Rate(60, 3),
    ("command", "address"): Rate(600, 150),
    ("command", "player"): Rate(60, 15),
}
THINGS = {
    "request": "requests",
    "heavy": "requests of this kind",
    "name": "new players",
    "table": "new tables",
    "join": "new connections",
    "command": "commands",
}
SOCKETS = {"address": 100, "player": 12}
UNFINISHED = 60
CROWD = 100_000

Bucket = tuple[str, str, str]


@lru_cache(CROWD)
def household(address: str) -> str:
    """Whom an address stands for: with IPv6 everybody has a whole network of them."""
    try:
        found = ipaddress.ip_address(address)
    except ValueError:
        return address
    if isinstance(found, ipaddress.IPv4Address):
        return address
    return str(found.ipv4_mapped or ipaddress.ip_network((int(found) >> 64 << 64, 64)))


class Limits:
    """Buckets by what is done and who does it."""

    def __init__(self, on: bool = True) -> None:
        self.on = on
        self._buckets: OrderedDict[Bucket, tuple[float, float]] = OrderedDict()
        self._open: Counter[tuple[str, str]] = Counter()

    def spend(self, what: str, address: str | None, player: str | None = None) -> None:
        """Take one from the buckets of an address and a player; refuse if one is empty."""
        if not self.on:
            return
        now = time.monotonic()
        filled: dict[Bucket, tuple[float, float]] = {}
        home = None if address is None else household(address)
        for kind, who in (("address", home), ("player", player)):
            rate = RATES.get((what, kind))
            if rate is None or who is None:
                continue
            key = what, kind, who
            left, since = self._buckets.setdefault(key, (rate.burst, now))
            self._buckets.move_to_end(key)
            left = min(rate.burst, left + (now - since) * rate.per_second)
            if left < 1:
                raise Refusal(
                    "too_many", f"these were too many {THINGS[what]} in a short time: wait a moment"
                )
            filled[key] = left - 1, now
        self._buckets.update(filled)
        while len(self._buckets) > CROWD:
            self._buckets.popitem(last=False)  # unused for longest, and so the fullest

    @contextmanager
    def socket(self, address: str, player: str | None) -> Iterator[None]:
        """Count an open socket while it is open."""
        keys = [("address", household(address))] + ([("player", player)] if player else [])
        if self.on and any(self._open[key] >= SOCKETS[key[0]] for key in keys):
            raise Refusal("too_many", "too many connections are open: close another one first")
        self._open.update(keys)
        try:
            yield
        finally:
            for key in keys:
                self._open[key] -= 1
                if not self._open[key]:
                    del self._open[key]
