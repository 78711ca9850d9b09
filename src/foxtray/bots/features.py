"""Describes a seat to the value network, as the numbers of its active inputs.

`Inputs` says what each number means. In the compilable subset of the rules.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from foxtray.bots.inputs import DIE_STATES, MISSING, MOMENTS
from foxtray.core import rules
from foxtray.core.codes import (
    AREAS,
    DICE,
    FALLING,
    FIELD,
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
    from foxtray.bots.inputs import Inputs
    from foxtray.bots.workspace import Singles
    from foxtray.core.layout import Tables
    from foxtray.core.state import State

    Ints = list[int]

DENSE = AREAS + 4
"""A multiple of three: the net adds them three at a time."""
MOST = 160
"""The most active inputs of any state."""

WAITING = 3
"""Before being served; 0 to 2 mean before the first to third roll."""


def moment(s: State, seat: int) -> int:
    """The moment of a seat at a chance node: its next turn times four, plus what comes first."""
    turn = s.turn
    own = rules.active_seat(s) == seat and not rules.solo_serving(s)
    if s.phase == THROW and own:
        return turn * MOMENTS + s.rolls - 1
    if s.phase == SERVING:
        # This seat is done with the turn while others still choose.
        turn += 1
        own = s.seats > 1 and (s.first + turn) % s.seats == seat
    return turn * MOMENTS + (0 if own else WAITING)


def own_turns_left(t: Tables, s: State, seat: int, turn: int) -> int:
    """How many turns as the active player a seat has left at the start of a turn."""
    if s.seats == 1:
        return t.rounds[1] - (turn + 1) // 2
    before = (turn + s.seats - 1 - (seat - s.first) % s.seats) // s.seats
    return t.rounds[s.seats] - before


def coming_track(t: Tables, s: State) -> int:
    """The track on which everyone gets an action before the next throw; -1: none.

    A seat that is done with the last turn of a round is valued at the start of the next round, and
    the net has never seen that moment without the action.
    """
    turn = s.turn + 1
    if s.phase != SERVING or turn % rules.turns_in_round(s) != 0:
        return -1
    coming = turn // rules.turns_in_round(s)
    if coming == t.rounds[s.seats] or t.bonus_kind[t.round_bonus[coming]] != TRACK:
        return -1
    return t.bonus_track[t.round_bonus[coming]]


def describe(t: Tables, s: State, seat: int, inputs: Inputs, active: Ints, dense: Singles) -> int:
    """Write the active and the dense inputs; returns the number of active ones."""
    n = 0
    row = s.cells[seat]
    for area in range(t.areas):
        filled = s.filled[seat][area]
        active[n] = inputs.count[area] + filled
        n += 1
        first = t.first_cell[area]
        if t.grid[area]:
            for cell in range(first, t.end_cell[area]):
                mark = row[cell]
                if mark:
                    active[n] = inputs.cell[cell] + mark - 1
                    n += 1
        elif filled > 0:
            entry = t.entry[area]
            if entry in (RISING, FALLING):
                active[n] = inputs.last[area] + row[first + filled - 1]
                n += 1
            elif t.scores[area] == PAIRS and filled % 2 == 1:
                cell = first + filled - 1
                active[n] = inputs.last[area] + row[cell] // t.factor[cell]
                n += 1
    for g in range(t.lines):
        missing = s.missing[seat][g]
        if missing < MISSING and (t.line_bonus[g] > 0 or t.line_points[g] > 0):
            active[n] = inputs.line + MISSING * g + missing
            n += 1
    coming = coming_track(t, s)
    for track in range(TRACKS):
        circled = s.circled[seat][track]
        if track == coming and circled < t.track_fields[track]:
            circled += 1
        active[n] = inputs.left[track] + circled - s.spent[seat][track]
        n += 1
        if t.track_bonus[track]:
            active[n] = inputs.circled[track] + circled
            n += 1
    active[n] = inputs.foxes + s.foxes[seat]
    n += 1

    when = moment(s, seat)
    turn = when // MOMENTS
    kind = when % MOMENTS
    turns = t.rounds[s.seats] * rules.turns_in_round(s)
    mine = own_turns_left(t, s, seat, turn)
    active[n] = inputs.own_turns + mine * MOMENTS + kind
    n += 1
    active[n] = inputs.other_turns + turns - turn - mine
    n += 1
    active[n] = inputs.seats + s.seats - 1
    n += 1
    if s.seats > 1:
        active[n] = inputs.wait + (seat - s.first - turn) % s.seats
        n += 1
    if kind in (1, 2):
        for d in range(DICE):
            place = s.place[d]
            if place == POOL:
                active[n] = inputs.die + DIE_STATES * d
            elif place >= FIELD:
                active[n] = inputs.die + DIE_STATES * d + s.face[d]
            else:
                active[n] = inputs.die + DIE_STATES * d + 6 + s.face[d]
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
    active[n] = inputs.lowest + least
    n += 1
    dense[AREAS] = lowest * 0.02
    dense[AREAS + 1] = (second - lowest) * 0.02
    dense[AREAS + 2] = s.foxes[seat] * lowest * 0.01
    dense[AREAS + 3] = total * 0.005
    return n


def ended(t: Tables, s: State, seat: int) -> bool:
    """Whether a seat has nothing left to do in the game."""
    if s.phase == OVER:
        return True
    turns = t.rounds[s.seats] * rules.turns_in_round(s)
    return s.phase == SERVING and s.turn + 1 == turns
