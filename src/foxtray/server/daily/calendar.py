"""The days of a server, in its time zone."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from zoneinfo import ZoneInfo

GRACE = 2 * 3_600_000
"""Milliseconds after the end of a day within which its games can be finished."""


def zone_of(name: str) -> tzinfo:
    """A time zone; UTC needs no data of the system. Raises ValueError if it is not known."""
    if name == "UTC":
        return UTC
    try:
        return ZoneInfo(name)
    except (KeyError, OSError, ValueError):  # ZoneInfoNotFoundError is a KeyError
        raise ValueError(name) from None


@dataclass(frozen=True, slots=True)
class Calendar:
    """Days are texts like 2026-11-17; times are milliseconds since 1970."""

    zone: tzinfo

    def day(self, at: int) -> str:
        """The day of a moment."""
        return datetime.fromtimestamp(at / 1000, self.zone).date().isoformat()

    def begins(self, day: str) -> int:
        """When a day begins; with summer time, days have 23 to 25 hours."""
        midnight = datetime.combine(date.fromisoformat(day), time(), self.zone)
        return round(midnight.timestamp() * 1000)

    def ends(self, day: str) -> int:
        return self.begins(later(day, 1))

    def closes(self, day: str) -> int:
        """When the games of a day have to be over."""
        return self.ends(day) + GRACE

    def closed(self, at: int) -> str:
        """The last day that is closed at a moment."""
        return later(self.day(at - GRACE), -1)


def later(day: str, days: int) -> str:
    return (date.fromisoformat(day) + timedelta(days)).isoformat()


def week(day: str) -> tuple[str, str]:
    """The Monday and the Sunday of the week of a day."""
    monday = later(day, -date.fromisoformat(day).weekday())
    return monday, later(monday, 6)
