"""The machine that a server runs on: its clocks and its randomness."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from foxtray.server.wall_clock import now

JUMP = 1_000
"""Milliseconds by which a wall clock that goes as it should does not leave the monotonic one."""


@dataclass(frozen=True, slots=True)
class Machine:
    """Where a server takes the time and random numbers from; a simulation has both of its own."""

    now: Callable[[], int] = now
    """Milliseconds since 1970; this clock can jump."""
    monotonic: Callable[[], float] = time.monotonic
    """Seconds that only grow."""
    rng: random.Random = field(default_factory=random.SystemRandom)
    """Unguessable: secrets of dice, tokens and keys come from here."""

    def ahead(self) -> float:
        """Milliseconds that turn a monotonic time into one since 1970; they change with a jump."""
        return self.now() - self.monotonic() * 1000


MACHINE = Machine()
"""The one that this process runs on."""
