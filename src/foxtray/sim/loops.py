"""Plays whole games in one loop, in the same compilable subset as the rules.

Every function takes arrays of records and indexes them itself: passing a single record from
Python is slow.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from foxtray.core import chance, rules
from foxtray.core.codes import ENTER, OVER, THROW, USE

if TYPE_CHECKING:
    from foxtray.core.chance import Word
    from foxtray.core.layout import Tables
    from foxtray.core.state import State, Work

    Ints = list[int]
    Rows = list[list[int]]

# What decides for a seat: a bot outside this loop, or one of these.
OUTSIDE, RANDOM, GREEDY = range(3)

SEAT_SHIFT = 10
"""A move is stored as its action, with the seat from this bit on."""


def start(
    tables: list[Tables], states: list[State], i: int, lows: Ints, highs: Ints, works: list[Work]
) -> None:
    """Start a game on a fresh state; the dice decide who starts."""
    s = states[i]
    if s.seats > 1:
        s.first = chance.draw(lows[i], highs[i], chance.FIRST, 0, s.seats)
    rules.begin(tables[0], s, works[0].log)


def throw(t: Tables, s: State, low: int, high: int, work: Work) -> None:
    """Throw the dice from the seed."""
    where = chance.address(s.turn, s.rolls, s.rerolls)
    chance.throw_faces(low, high, where, work.faces)
    if rules.solo_serving(s):
        chance.throw_order(low, high, where, work.order)
    rules.roll(t, s, work.faces, work.order, work.log)


def lowest_seat(mask: int) -> int:
    """The lowest seat in a mask; the order of seats does not affect any result."""
    seat = 0
    while not mask >> seat & 1:
        seat += 1
    return seat


def carry_on(
    tables: list[Tables],
    states: list[State],
    lows: Ints,
    highs: Ints,
    bots: Ints,
    moves: Rows,
    counts: Rows,
    asked: Ints,
    scratch: list[State],
    works: list[Work],
) -> int:
    """Play until games are over or an outside bot has to decide; returns how many are unfinished.

    `counts` holds each game's decisions per seat; `asked` the seat to decide, or -1 when over.
    """
    t = tables[0]
    work = works[0]
    unfinished = 0
    for i in range(len(states)):
        s = states[i]
        low = lows[i]
        high = highs[i]
        seat = -1
        while s.phase != OVER:
            if s.phase == THROW:
                throw(t, s, low, high, work)
                continue
            seat = lowest_seat(rules.awaiting(t, s))
            bot = bots[seat]
            if bot == OUTSIDE:
                break
            n = rules.legal_actions(t, s, seat, work.out)
            where = seat << 16 | counts[i][seat]
            if bot == RANDOM:
                action = random_action(low, high, where, n, work)
            else:
                action = greedy_action(t, s, seat, low, high, where, n, scratch, work)
            make_move(t, s, i, seat, action, moves, counts, work)
        if s.phase == OVER:
            asked[i] = -1
        else:
            asked[i] = seat
            unfinished += 1
    return unfinished


def make_move(
    t: Tables, s: State, i: int, seat: int, action: int, moves: Rows, counts: Rows, work: Work
) -> None:
    """Apply an action and remember it."""
    played = counts[i][0] + counts[i][1] + counts[i][2] + counts[i][3]
    moves[i][played] = seat << SEAT_SHIFT | action
    counts[i][seat] += 1
    rules.apply(t, s, seat, action, work.log)


def make_moves(
    tables: list[Tables],
    states: list[State],
    which: Ints,
    actions: Ints,
    asked: Ints,
    moves: Rows,
    counts: Rows,
    works: list[Work],
) -> int:
    """Apply the actions that an outside bot chose for some of the games.

    The rules trust actions, and the bot may be wrong: stops at the first illegal action and
    returns its index, or -1 if all are legal.
    """
    for k in range(len(which)):
        i = which[k]
        if not is_legal(tables[0], states[i], asked[i], actions[k], works[0]):
            return k
        make_move(tables[0], states[i], i, asked[i], actions[k], moves, counts, works[0])
    return -1


def is_legal(t: Tables, s: State, seat: int, action: int, work: Work) -> bool:
    n = rules.legal_actions(t, s, seat, work.out)
    for k in range(n):
        if work.out[k] == action:
            return True
    return False


def random_action(low: Word, high: Word, where: Word, n: int, work: Work) -> int:
    """Any of the legal actions."""
    return work.out[chance.draw(low, high, chance.CHOICE, where, n)]


def greedy_action(
    t: Tables,
    s: State,
    seat: int,
    low: Word,
    high: Word,
    where: Word,
    n: int,
    scratch: list[State],
    work: Work,
) -> int:
    """The action with the most points now; ties go to a mark, then to chance."""
    best = work.out[0]
    best_points = -10000
    best_marks = False
    ties = 0
    for k in range(n):
        action = work.out[k]
        kind = t.action_kind[action]
        marks = kind in (ENTER, USE)
        scratch[0] = s
        after = scratch[0]
        rules.apply(t, after, seat, action, work.log)
        points = rules.total_score(t, after, seat)
        if points > best_points or (points == best_points and marks and not best_marks):
            best, best_points, best_marks, ties = action, points, marks, 1
        elif points == best_points and marks == best_marks:
            ties += 1
            place = (where << 6 | ties) & chance.MASK
            if chance.draw(low, high, chance.TIE, place, ties) == 0:
                best = action
    return best


def score(
    tables: list[Tables],
    states: list[State],
    areas: list[Rows],
    foxes: Rows,
    values: Rows,
    totals: Rows,
    wins: Ints,
) -> None:
    """The points of finished games: areas, foxes, their value, totals, and winners as bits."""
    t = tables[0]
    for i in range(len(states)):
        s = states[i]
        for seat in range(s.seats):
            for a in range(t.areas):
                areas[i][seat][a] = rules.area_points(t, s, seat, a)
            foxes[i][seat] = s.foxes[seat]
            values[i][seat] = rules.fox_value(t, s, seat)
            totals[i][seat] = rules.total_score(t, s, seat)
        wins[i] = rules.winners(t, s)


def start_all(
    tables: list[Tables], states: list[State], lows: Ints, highs: Ints, works: list[Work]
) -> None:
    for i in range(len(states)):
        start(tables, states, i, lows, highs, works)
