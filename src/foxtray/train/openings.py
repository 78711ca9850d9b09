"""The first turns of a training game as weak or one-sided players would play them.

A net that only sees its own games misjudges the positions of others. So in a share of the games,
each seat is first played by somebody else: at random, with errors of any size, for one area only,
without foxes or with a taste of its own. What follows is played well, and only that is learned.
In the compilable subset.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from foxtray.bots import planner, thinking
from foxtray.core import chance, rules
from foxtray.core.codes import AREAS, OVER, ROLLS, THROW

if TYPE_CHECKING:
    from foxtray.bots.workspace import Array, Net, Workspace
    from foxtray.core.layout import Tables
    from foxtray.core.state import State

OPENING = 12
"""The purpose of the draws that set up an opening."""
ODD_MOVE = 13
"""The purpose of the draws of random moves."""

# Who plays a seat's first turns.
WELL, RANDOM, ERRING, ONE_AREA, NO_FOXES, TASTE = range(6)
KINDS = 20
LARGEST_ERROR = 18.0
"""The highest standard deviation of the noise of players who err, in points."""
OPENING_BOUND = 24
"""How many states their plans explore completely."""
SINGLE = 4.0
"""What a point of the only area counts in addition."""
FOX_PENALTY = 40.0


def throws_of(
    t: Tables, s: State, low: int, high: int, share: float, ending: bool, apart: bool
) -> int:
    """How long the opening is: a turn of the game, times the rolls of a turn, plus one of these.

    It may end before any roll, since weak players also leave strange dice for their next roll, and
    ends with the start of the last turn at the latest. In a third of them late ends are more
    likely: there positions differ most, and what is left to play is short. Another third ends with
    the start of a round, after weak players have chosen what it brings. With `apart` an opening
    ends at the start of the last round at the latest. With `ending` half of them end in that round,
    and half before it: what good play makes of a bad start is overrated by a net that has not seen
    it.
    """
    if chance.draw(low, high, OPENING, 0, 1000) >= share * 1000:
        return 0
    each = rules.turns_in_round(s) * ROLLS
    start = (t.rounds[s.seats] - 1) * each
    longest = start + each - ROLLS
    if ending and chance.draw(low, high, OPENING, 6, 2) == 0:
        return start + chance.draw(low, high, OPENING, 1, longest - start + 1)
    if ending or apart:
        longest = start
    kind = chance.draw(low, high, OPENING, 12, 3)
    if kind == 0 and start > each:
        return each + each * chance.draw(low, high, OPENING, 13, start // each - 1)
    length = chance.draw(low, high, OPENING, 1, longest)
    if kind == 1:
        length = max(length, chance.draw(low, high, OPENING, 7, longest))
    return 1 + length


def lasting(s: State, throws: int) -> bool:
    """Whether an opening of a length still lasts; it ends only before a throw."""
    if s.phase != THROW:
        return s.phase != OVER and throws > 0
    return s.turn * ROLLS + max(0, s.rolls - 1) < throws


def kind_of(low: int, high: int, seat: int) -> int:
    """Who plays a seat's first turns."""
    drawn = chance.draw(low, high, OPENING, 2 + seat, KINDS)
    if drawn < 6:
        return RANDOM
    if drawn < 12:
        return ERRING
    if drawn < 15:
        return ONE_AREA
    if drawn < 16:
        return NO_FOXES
    if drawn < 17:
        return TASTE
    return WELL


def set_tastes(t: Tables, low: int, high: int, seat: int, kind: int, preferences: Array) -> None:
    """What a seat's opening player adds to the value of its areas, and of its foxes."""
    for area in range(len(preferences)):
        preferences[area] = 0.0
    if kind == ONE_AREA:
        preferences[chance.draw(low, high, OPENING, 8 + seat, t.areas)] = SINGLE
    elif kind == NO_FOXES:
        preferences[AREAS] = -FOX_PENALTY
    elif kind == TASTE:
        for area in range(AREAS):
            drawn = chance.draw(low, high, OPENING, 16 + seat * AREAS + area, 2001)
            preferences[area] = (drawn - 1000) * 0.0015


def play(
    tables: list[Tables],
    states: list[State],
    seat: int,
    low: int,
    high: int,
    nets: list[Net],
    workspace: Workspace,
) -> None:
    """Play one action of a seat in its opening."""
    kind = kind_of(low, high, seat)
    noise = 0.0
    if kind == ERRING:
        noise = LARGEST_ERROR * chance.draw(low, high, OPENING, 64 + seat, 1001) * 0.001
    act(tables, states, seat, low, high, kind, OPENING_BOUND, noise, nets, workspace)


def act(
    tables: list[Tables],
    states: list[State],
    seat: int,
    low: int,
    high: int,
    kind: int,
    bound: int,
    noise: float,
    nets: list[Net],
    workspace: Workspace,
) -> None:
    """Play one action of a seat as a kind of player does."""
    t = tables[0]
    workspace.nodes[0] = states[0]
    where = planner.fingerprint(t, workspace.nodes[0], seat) & chance.MASK
    if kind == RANDOM:
        n = rules.legal_actions(t, states[0], seat, workspace.legal)
        action = workspace.legal[chance.draw(low, high, ODD_MOVE, where, n)]
    else:
        set_tastes(t, low, high, seat, kind, workspace.preferences)
        action = thinking.best_action(
            tables, states, 0, seat, low, high, bound, noise, nets, workspace
        )
        set_tastes(t, low, high, seat, WELL, workspace.preferences)
    rules.apply(t, states[0], seat, action, workspace.work.log)
