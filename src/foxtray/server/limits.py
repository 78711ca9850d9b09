"""How much is too much: token buckets and counters, kept for those who use them."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

from foxtray.server.refusals import Refusal


class Rate(NamedTuple):
    """So many at once, and so many a second in the long run."""

    burst: float
    per_second: float


RATES = {
    "command": Rate(60, 15),
    "request": Rate(120, 30),
    "join": Rate(60, 3),
    "player": Rate(30, 30 / 3600),
    "table": Rate(30, 60 / 3600),
    "heavy": Rate(20, 2),
}
SOCKETS = {"address": 100, "player": 12}
UNFINISHED = 60
CROWD = 100_000


class Limits:
    """Buckets by what is done and who does it: an address or a player."""

    def __init__(self, on: bool = True) -> None:
        self.on = on
        self._buckets: dict[tuple[str, str], tuple[float, float]] = {}
        self._open: Counter[tuple[str, str]] = Counter()

    def spend(self, what: str, who: str) -> None:
        """Take one from a bucket; refuse if it is empty."""
        if not self.on:
            return
        rate, key, now = RATES[what], (what, who), time.monotonic()
        left, since = self._buckets.get(key, (rate.burst, now))
        left = min(rate.burst, left + (now - since) * rate.per_second)
        if left < 1:
            raise Refusal("too_many")
        self._buckets[key] = left - 1, now
        if len(self._buckets) > CROWD:
            self.sweep()

    @contextmanager
    def socket(self, address: str, player: str | None) -> Iterator[None]:
        """Count an open socket while it is open."""
        keys = [("address", address)] + ([("player", player)] if player else [])
        if self.on and any(self._open[key] >= SOCKETS[key[0]] for key in keys):
            raise Refusal("too_many")
        self._open.update(keys)
        try:
            yield
        finally:
            for key in keys:
                self._open[key] -= 1
                if not self._open[key]:
                    del self._open[key]

    def sweep(self) -> None:
        """Forget full buckets: they are as good as new."""
        now = time.monotonic()
        for key, (left, since) in list(self._buckets.items()):
            rate = RATES[key[0]]
            if left + (now - since) * rate.per_second >= rate.burst:
                del self._buckets[key]
