"""What a value is: whole numbers with their bounds, fractions, truth, rows and records."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

SAFE = 2**53 - 1
"""The largest whole number up to which JavaScript counts exactly."""


@dataclass(frozen=True, slots=True)
class Whole:
    """A whole number between two bounds."""

    low: int
    high: int

    def within(self, other: Whole) -> bool:
        return other.low <= self.low and self.high <= other.high


@dataclass(frozen=True, slots=True)
class Real:
    """A fraction; a single one is rounded to 32 bits after every operation."""

    single: bool = False


@dataclass(frozen=True, slots=True)
class Truth:
    """True or false."""


@dataclass(frozen=True, slots=True)
class Row:
    """A sequence that is indexed."""

    of: Kind


@dataclass(frozen=True, slots=True)
class Record:
    """An object with named fields; assigning one to a place in a row copies it."""

    name: str


@dataclass(frozen=True, slots=True)
class Several:
    """What a function returns that returns several values."""

    parts: tuple[Kind, ...]


Kind: TypeAlias = Whole | Real | Truth | Row | Record | Several

SHORT = Whole(-(2**15), 2**15 - 1)
INT = Whole(-(2**31), 2**31 - 1)
WORD = Whole(0, 2**32 - 1)
WIDE = Whole(-SAFE, SAFE)

COUNTED = 2**52
"""No loop runs so often that a variable which it adds to gets beyond this."""
# The bounds that a variable in a loop is widened to, one after the other.
LOWS = (0, SHORT.low, INT.low, -COUNTED)
HIGHS = (SHORT.high, INT.high, WORD.high, COUNTED)


def hull(one: Whole, other: Whole) -> Whole:
    """The bounds of both."""
    return Whole(min(one.low, other.low), max(one.high, other.high))


def widened(kind: Whole) -> Whole:
    """The next bounds that a number may stay within however often a loop runs."""
    low = next((low for low in LOWS if low <= kind.low), -COUNTED)
    high = next((high for high in HIGHS if high >= kind.high), COUNTED)
    return Whole(low, high)


def exact(kind: Whole) -> Whole:
    """Bounds cut to what JavaScript counts exactly."""
    return Whole(max(kind.low, WIDE.low), min(kind.high, WIDE.high))


def join(one: Kind, other: Kind) -> Kind | None:
    """The kind of a value that is either; None if there is none."""
    if isinstance(one, Whole) and isinstance(other, Whole):
        return hull(one, other)
    if isinstance(one, Real) and isinstance(other, Real):
        return Real(one.single and other.single)
    if isinstance(one, Several) and isinstance(other, Several):
        parts = [join(a, b) for a, b in zip(one.parts, other.parts, strict=False)]
        if len(one.parts) != len(other.parts) or None in parts:
            return None
        return Several(tuple(part for part in parts if part is not None))
    return one if one == other else None
