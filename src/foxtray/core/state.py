"""Everything that changes during a game, as small integers.

The compiled twin derives its record type from these fields and their lengths, so every field is
an int, a list of ints or a list of such lists, always of the full padded length.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields

from foxtray.core.codes import ACTIONS, AREAS, BONUSES, CELLS, DICE, LINES, LOG_SIZE, SEATS, TRACKS


def per_die() -> list[int]:
    return [0] * DICE


def per_seat() -> list[int]:
    return [0] * SEATS


def per_seat_and(count: int) -> list[list[int]]:
    return [[0] * count for _ in range(SEATS)]


@dataclass(slots=True)
class State:
    """A game at one moment; chance is not in it."""

    seats: int = 1
    first: int = 0
    solo_fallback: int = 0
    fox_floor: int = 0

    turn: int = 0
    phase: int = 0
    rolls: int = 0
    """The number of the current roll of this turn: 1 to 3, and 0 before it and in solo serving."""
    rerolls: int = 0
    """Rerolls spent on the current roll."""
    follow: int = 0
    """The dice, as bits, that the active player may still cross beside the one taken."""

    face: list[int] = field(default_factory=per_die)
    place: list[int] = field(default_factory=per_die)

    stage: list[int] = field(default_factory=per_seat)
    used: list[int] = field(default_factory=per_seat)
    """The dice, as bits, that a seat has used as extra dice in this turn."""
    foxes: list[int] = field(default_factory=per_seat)
    pending: list[int] = field(default_factory=per_seat)
    """How many bonuses of a seat are open."""

    cells: list[list[int]] = field(default_factory=lambda: per_seat_and(CELLS))
    """What stands in a cell: a written value, 1 for a cross; where crosses follow circles 1, 2."""
    filled: list[list[int]] = field(default_factory=lambda: per_seat_and(AREAS))
    """Crosses or entries per area: also the index of the next field of a row."""
    fits: list[list[int]] = field(default_factory=lambda: per_seat_and(AREAS))
    """The values, as bits, that an area has a place for; it follows from the cells."""
    missing: list[list[int]] = field(default_factory=lambda: per_seat_and(LINES))
    """Cells of a line that are still unmarked."""
    circled: list[list[int]] = field(default_factory=lambda: per_seat_and(TRACKS))
    spent: list[list[int]] = field(default_factory=lambda: per_seat_and(TRACKS))
    open: list[list[int]] = field(default_factory=lambda: per_seat_and(BONUSES))
    """Open bonuses of a seat, by kind."""

    def copy(self) -> State:
        """An independent copy; by hand, because deepcopy is twenty times slower."""
        return State(
            self.seats,
            self.first,
            self.solo_fallback,
            self.fox_floor,
            self.turn,
            self.phase,
            self.rolls,
            self.rerolls,
            self.follow,
            self.face[:],
            self.place[:],
            self.stage[:],
            self.used[:],
            self.foxes[:],
            self.pending[:],
            [row[:] for row in self.cells],
            [row[:] for row in self.filled],
            [row[:] for row in self.fits],
            [row[:] for row in self.missing],
            [row[:] for row in self.circled],
            [row[:] for row in self.spent],
            [row[:] for row in self.open],
        )


@dataclass(slots=True)
class Log:
    """What happened, in entries of five numbers: a code of `codes` and what it says."""

    size: int = 0
    """How many numbers are written; below zero no log is kept."""
    entries: list[int] = field(default_factory=lambda: [0] * LOG_SIZE)


@dataclass(slots=True)
class Work:
    """The buffers of the compiled and translated rules: legal actions, a throw and the log.

    It is one record, not separate arrays: numba counts references to arrays at every call.
    """

    out: list[int] = field(default_factory=lambda: [0] * ACTIONS)
    faces: list[int] = field(default_factory=per_die)
    order: list[int] = field(default_factory=per_die)
    log: Log = field(default_factory=Log)


def no_log() -> Log:
    return Log(-1, [])


FIELD_NAMES = tuple(f.name for f in fields(State))
