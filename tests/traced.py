"""One random game by the compiled rules with every state on the way, in the compilable subset."""

from __future__ import annotations

from typing import TYPE_CHECKING

from foxtray.core import chance, rules
from foxtray.core.codes import OVER, THROW

if TYPE_CHECKING:
    from foxtray.core.layout import Tables
    from foxtray.core.state import State, Work

    Rows = list[list[int]]

SEAT = 9  # a purpose of draws of its own


def play(
    tables: list[Tables],
    states: list[State],
    low: int,
    high: int,
    moves: Rows,
    legal: Rows,
    works: list[Work],
) -> int:
    """Play on from the fresh state 0; returns the index of the last state.

    State k + 1 follows from state k by `moves[k]`: a seat and an action, or -1 for a throw.
    `legal[k]` lists what the seat could do, after its count.
    """
    t = tables[0]
    work = works[0]
    rules.begin(t, states[0], work.log)
    k = 0
    while states[k].phase != OVER:
        states[k + 1] = states[k]
        s = states[k + 1]
        moves[k][0] = -1
        if s.phase == THROW:
            where = chance.address(s.turn, s.rolls, s.rerolls)
            chance.throw_faces(low, high, where, work.faces)
            chance.throw_order(low, high, where, work.order)
            rules.roll(t, s, work.faces, work.order, work.log)
        else:
            awaited = rules.awaiting(t, s)
            seat = chance.draw(low, high, SEAT, k, s.seats)
            while not awaited >> seat & 1:
                seat = (seat + 1) % s.seats
            n = rules.legal_actions(t, s, seat, work.out)
            legal[k][0] = n
            for j in range(n):
                legal[k][j + 1] = work.out[j]
            action = work.out[chance.draw(low, high, chance.CHOICE, k, n)]
            moves[k][0] = seat
            moves[k][1] = action
            rules.apply(t, s, seat, action, work.log)
        k += 1
    return k


def score(tables: list[Tables], states: list[State], k: int, points: Rows) -> int:
    """What each seat has reached in a state; returns the winners as bits."""
    t = tables[0]
    s = states[k]
    for seat in range(s.seats):
        points[seat][0] = rules.total_score(t, s, seat)
        points[seat][1] = rules.fox_value(t, s, seat)
    return rules.winners(t, s)
