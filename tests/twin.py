"""The same games by the interpreted and the compiled rules, compared field by field.

`python tests/twin.py 20` compares that many games for every game and number of seats, and lets the
loop of the simulator play as many with bots inside and outside of it.
"""

import sys
from collections.abc import Sequence
from functools import cache
from types import ModuleType
from typing import Any

import numpy as np

from foxtray.core import chance, rules
from foxtray.core.codes import ACTIONS, DICE, SEATS
from foxtray.core.layout import Tables, layout
from foxtray.core.state import FIELD_NAMES, State, no_log
from foxtray.games.registry import SHEETS
from foxtray.sim import compiled
from foxtray.sim.arrays import STATE, new_work, tables_of
from foxtray.sim.batch import Chooser, play

LONGEST = 1024
SEED = 5 << 32


@cache
def traced() -> ModuleType:
    return compiled.compile_module("traced", rules=compiled.rules(), chance=compiled.chance())


def compare_games(game: str, seats: int, numbers: Sequence[int]) -> int:
    """Play these games in both worlds; returns the number of states compared."""
    t, tables = layout(game).tables, tables_of(game)
    moves = np.zeros((LONGEST, 2), np.int64)
    legal = np.zeros((LONGEST, ACTIONS + 1), np.int64)
    works = new_work()
    points = np.zeros((SEATS, 2), np.int64)
    compared = 0
    for number in numbers:
        seed = SEED + number
        s = State(seats, number % seats, number >> 1 & 1, number >> 2 & 1)
        states = np.zeros(LONGEST, STATE)
        for name in ("seats", "first", "solo_fallback", "fox_floor"):
            states[name][0] = getattr(s, name)
        low, high = seed & chance.MASK, seed >> 32
        last = traced().play(tables, states, low, high, moves, legal, works)
        columns = [(name, states[name][: last + 1].tolist()) for name in FIELD_NAMES]
        rules.begin(t, s, no_log())
        for k, (seat, action) in enumerate([*moves[:last].tolist(), (-1, 0)]):
            for name, column in columns:
                assert getattr(s, name) == column[k], (game, seats, number, k, name)
            if k < last:
                step(t, s, low, high, seat, action, legal[k, 1 : legal[k, 0] + 1].tolist())
        winners = traced().score(tables, states, last, points)
        assert winners == rules.winners(t, s)
        for seat in range(seats):
            own = [rules.total_score(t, s, seat), rules.fox_value(t, s, seat)]
            assert points[seat].tolist() == own
        compared += last + 1
    return compared


def step(
    t: Tables, s: State, low: int, high: int, seat: int, action: int, legal: list[int]
) -> None:
    """The same step by the interpreted rules."""
    if seat < 0:
        assert rules.awaiting(t, s) == 0
        faces, order = [0] * DICE, [0] * DICE
        where = chance.address(s.turn, s.rolls, s.rerolls)
        chance.throw_faces(low, high, where, faces)
        chance.throw_order(low, high, where, order)
        rules.roll(t, s, faces, order, no_log())
    else:
        assert rules.awaiting(t, s) >> seat & 1
        out = [0] * ACTIONS
        n = rules.legal_actions(t, s, seat, out)
        assert out[:n] == legal
        rules.apply(t, s, seat, action, no_log())


def last_action(tables: Any, states: Any, which: Any, seats: Any, seeds: Any) -> Any:
    """A bot outside the compiled loop: the last of the legal actions."""
    out = np.zeros(ACTIONS, np.int64)
    legal = compiled.rules().legal_actions
    return np.array(
        [
            out[legal(tables[0], states[i], seat, out) - 1]
            for i, seat in zip(which, seats, strict=True)
        ]
    )


if __name__ == "__main__":
    games = range(int(sys.argv[1]))
    for name in SHEETS:
        for count in range(1, SEATS + 1):
            print(name, count, len(games), compare_games(name, count, games))
            bots: list[str | Chooser] = ["greedy", last_action, "random", last_action, "greedy"]
            for first in (0, 1, 2):
                play(name, (bots + bots)[first : first + count], SEED, len(games), moves=True)
