"""What the value network sees of a seat, as the numbers of its active inputs.

One layout serves every sheet and number of seats; inputs that a sheet lacks are never active.
In the compilable subset of the rules.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from foxtray.core import rules
from foxtray.core.codes import (
    AREAS,
    CELLS,
    DICE,
    FALLING,
    FIELD,
    GROUPS,
    OVER,
    PAIRS,
    POOL,
    RISING,
    SERVING,
    THROW,
    TRACK,
    TRACKS,
)

if TYPE_CHECKING:
    from foxtray.core.layout import Tables
    from foxtray.core.state import State

    Ints = list[int]
    Floats = list[float]

STEPS = 14
"""Room for the count of an area, or a value."""
LEFT = 8
"""Room for what is left on a track, and for foxes."""

CELL = 0
COUNT = CELL + 2 * CELLS
LAST = COUNT + AREAS * STEPS
LINE = LAST + AREAS * STEPS
ACTIONS_LEFT = LINE + 3 * GROUPS
CIRCLES = ACTIONS_LEFT + TRACKS * LEFT
FOXES = CIRCLES + TRACKS * LEFT
OWN_TURNS = FOXES + LEFT
OTHER_TURNS = OWN_TURNS + 4 * LEFT
TABLE = OTHER_TURNS + 16
DIE = TABLE + 4
LOWEST = DIE + 13 * DICE
SPARSE = LOWEST + AREAS
DENSE = AREAS + 4
INPUTS = SPARSE + DENSE
MOST = 160
"""No state has more active inputs."""

WAITING = 3
"""About to be served; 0 to 2: about to make one's first to third roll."""


def moment(s: State, seat: int) -> int:
    """Where a seat stands at a chance node: the coming turn, times four, plus what comes there."""
    turn = s.turn
    own = rules.active_seat(s) == seat and not rules.solo_serving(s)
    if s.phase == THROW and own:
        return turn * 4 + s.rolls - 1
    if s.phase == SERVING:
        # Done with this turn while others still choose.
        turn += 1
        own = s.seats > 1 and (s.first + turn) % s.seats == seat
    return turn * 4 + (0 if own else WAITING)


def own_turns_left(t: Tables, s: State, seat: int, turn: int) -> int:
    """How often a seat will still be active from the start of a turn on."""
    if s.seats == 1:
        return t.rounds[1] - (turn + 1) // 2
    before = (turn + s.seats - 1 - (seat - s.first) % s.seats) // s.seats
    return t.rounds[s.seats] - before


def coming_track(t: Tables, s: State) -> int:
    """The track on which everybody gets an action before the coming throw; -1: none.

    A seat that is done with the last turn of a round is valued at the start of the next, and the
    net has never seen such a start without its action.
    """
    turn = s.turn + 1
    if s.phase != SERVING or turn % rules.turns_in_round(s) != 0:
        return -1
    coming = turn // rules.turns_in_round(s)
    if coming == t.rounds[s.seats] or t.bonus_kind[t.round_bonus[coming]] != TRACK:
        return -1
    return t.bonus_track[t.round_bonus[coming]]


def describe(t: Tables, s: State, seat: int, active: Ints, dense: Floats) -> int:
    """Write the active inputs and the dense ones; returns how many are active."""
    n = 0
    row = s.cells[seat]
    for area in range(t.areas):
        filled = s.filled[seat][area]
        active[n] = COUNT + area * STEPS + filled
        n += 1
        first = t.first_cell[area]
        if t.grid[area]:
            for cell in range(first, t.end_cell[area]):
                mark = row[cell]
                if mark:
                    active[n] = CELL + 2 * cell + mark - 1
                    n += 1
        elif filled > 0:
            entry = t.entry[area]
            if entry in (RISING, FALLING):
                active[n] = LAST + area * STEPS + row[first + filled - 1]
                n += 1
            elif t.scores[area] == PAIRS and filled % 2 == 1:
                cell = first + filled - 1
                active[n] = LAST + area * STEPS + row[cell] // t.factor[cell]
                n += 1
    for g in range(t.groups):
        missing = s.missing[seat][g]
        if missing <= 2 and (t.group_bonus[g] > 0 or t.group_points[g] > 0):
            active[n] = LINE + 3 * g + missing
            n += 1
    coming = coming_track(t, s)
    for track in range(TRACKS):
        circled = s.circled[seat][track]
        if track == coming and circled < t.track_fields[track]:
            circled += 1
        active[n] = ACTIONS_LEFT + track * LEFT + circled - s.spent[seat][track]
        n += 1
        if t.track_bonus[track]:
            active[n] = CIRCLES + track * LEFT + circled
            n += 1
    active[n] = FOXES + s.foxes[seat]
    n += 1

    when = moment(s, seat)
    turn = when // 4
    kind = when % 4
    turns = t.rounds[s.seats] * rules.turns_in_round(s)
    mine = own_turns_left(t, s, seat, turn)
    active[n] = OWN_TURNS + mine * 4 + kind
    n += 1
    active[n] = OTHER_TURNS + turns - turn - mine
    n += 1
    active[n] = TABLE + s.seats - 1
    n += 1
    if kind in (1, 2):
        for d in range(DICE):
            place = s.place[d]
            if place == POOL:
                active[n] = DIE + 13 * d
            elif place >= FIELD:
                active[n] = DIE + 13 * d + s.face[d]
            else:
                active[n] = DIE + 13 * d + 6 + s.face[d]
            n += 1

    lowest = 10000
    second = 10000
    least = 0
    total = 0
    for area in range(t.areas):
        points = rules.area_points(t, s, seat, area)
        dense[area] = points * 0.02
        total += points
        if points < lowest:
            second = lowest
            lowest = points
            least = area
        elif points < second:
            second = points
    active[n] = LOWEST + least
    n += 1
    dense[AREAS] = lowest * 0.02
    dense[AREAS + 1] = (second - lowest) * 0.02
    dense[AREAS + 2] = s.foxes[seat] * lowest * 0.01
    dense[AREAS + 3] = total * 0.005
    return n


def ended(t: Tables, s: State, seat: int) -> bool:
    """Whether nothing more can come for a seat."""
    if s.phase == OVER:
        return True
    turns = t.rounds[s.seats] * rules.turns_in_round(s)
    return s.phase == SERVING and s.turn + 1 == turns
