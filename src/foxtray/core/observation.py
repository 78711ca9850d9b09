"""What a seat sees, as one row of numbers; in the compilable subset of the rules.

`foxtray.observation` names the parts of the row and their bounds.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from foxtray.core import rules
from foxtray.core.codes import DICE, TRACKS

if TYPE_CHECKING:
    from foxtray.core.layout import Tables
    from foxtray.core.state import State

    Ints = list[int]
    Row = memoryview[int]
    Rows = list[list[int]]


def add_up(t: Tables, s: State, points: Rows, totals: Ints, counted: Rows) -> None:
    """Write the points of every seat by area, and its total.

    `counted` is how full each area was when it was added up last, -1 at first. Points change with
    a mark, and a mark fills a place, except for a circle that a cross may follow.
    """
    for seat in range(s.seats):
        for area in range(t.areas):
            filled = s.filled[seat][area]
            if filled != counted[seat][area] or t.full[area] > 1:
                counted[seat][area] = filled
                points[seat][area] = rules.area_points(t, s, seat, area)
        totals[seat] = total(t, s, seat, points)


def total(t: Tables, s: State, seat: int, points: Rows) -> int:
    """The total of a seat by the points of its areas."""
    lowest = points[seat][0]
    found = lowest
    for area in range(1, t.areas):
        found += points[seat][area]
        lowest = min(lowest, points[seat][area])
    return found + s.foxes[seat] * rules.fox_worth(s, lowest)


def observe(t: Tables, s: State, points: Rows, totals: Ints, own: int, out: Row, n: int) -> int:
    """Write what a seat sees into `out` from index `n` on; returns the index after it."""
    # Counted by hand: a division costs more than all the writing for a seat's tracks.
    seat = own
    for _ in range(s.seats):
        n = observe_seat(t, s, points, totals, seat, out, n)
        seat = seat + 1 if seat + 1 < s.seats else 0
    for d in range(DICE):
        out[n + d] = s.face[d]
        out[n + DICE + d] = s.place[d]
        out[n + 2 * DICE + d] = s.follow >> d & 1
    n += 3 * DICE
    out[n] = s.turn
    out[n + 1] = s.phase
    out[n + 2] = s.rolls
    out[n + 3] = s.rerolls
    ahead = rules.active_seat(s) - own
    out[n + 4] = ahead if ahead >= 0 else ahead + s.seats
    return n + 5


def observe_seat(
    t: Tables, s: State, points: Rows, totals: Ints, seat: int, out: Row, n: int
) -> int:
    """Write the sheet of a seat."""
    cells = s.cells[seat]
    end = t.end_cell[t.areas - 1]
    # A slice of its own: this loop becomes a block copy.
    part = out[n : n + end]
    for cell in range(end):
        part[cell] = cells[cell]
    n += end
    for area in range(t.areas):
        out[n + area] = s.filled[seat][area]
        out[n + t.areas + area] = points[seat][area]
    n += 2 * t.areas
    out[n] = s.foxes[seat]
    out[n + 1] = totals[seat]
    n += 2
    for track in range(TRACKS):
        if t.track_fields[track]:
            out[n] = s.circled[seat][track]
            out[n + 1] = s.spent[seat][track]
            n += 2
    # The choice, if there is one, is numbered after the marks.
    for bonus in range(1, max(t.marks, t.choice) + 1):
        out[n] = s.open[seat][bonus]
        n += 1
    out[n] = s.stage[seat]
    n += 1
    for d in range(DICE):
        out[n + d] = s.used[seat] >> d & 1
    return n + DICE
