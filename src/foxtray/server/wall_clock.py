"""The time that clients see."""

import time


def now() -> int:
    """Milliseconds since 1970."""
    return time.time_ns() // 1_000_000


DAY = 86_400_000


def day_of(at: int) -> int:
    """The start of a day in UTC: all that is kept of when a device was last used."""
    return at // DAY * DAY
