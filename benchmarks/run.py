"""Measures the speed of the rules and environments, and of a fixed loop to calibrate the machine.

Times are CPU seconds of one core. Divide a figure by the calibration to compare machines.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Callable
from time import process_time

import environments
from compiled import report

from foxtray.core import chance, rules
from foxtray.core.codes import ACTIONS, DICE, OVER, THROW
from foxtray.core.layout import Tables, layout
from foxtray.core.state import FIELD_NAMES, State, no_log
from foxtray.games.registry import SHEETS

NO_LOG = no_log()
BATCHES = 3


def calibrate(steps: int = 3_000_000) -> float:
    """Million steps per CPU second of a fixed plain loop."""
    began = process_time()
    total = 0
    for step in range(steps):
        total = (total * 31 + step) & 0xFFFF
    return steps / (process_time() - began) / 1e6


def throw(t: Tables, s: State, seed: int, faces: list[int], order: list[int]) -> None:
    """Throw the dice of a seed."""
    where = chance.address(s.turn, s.rolls, s.rerolls)
    chance.throw_faces(seed, 0, where, faces)
    if s.rolls == 0:  # solo serving, the only throw where the order of the dice matters
        chance.throw_order(seed, 0, where, order)
    rules.roll(t, s, faces, order, NO_LOG)


def solo_game(t: Tables, seed: int, visit: Callable[[State], None] | None = None) -> int:
    """Play a solo game with random actions; returns the number of decisions."""
    s = State()
    choose = random.Random(seed).random
    out, faces, order = [0] * ACTIONS, [0] * DICE, list(range(DICE))
    decisions = 0
    rules.begin(t, s, NO_LOG)
    while s.phase != OVER:
        if s.phase == THROW:
            throw(t, s, seed, faces, order)
            continue
        if visit:
            visit(s)
        count = rules.legal_actions(t, s, 0, out)
        rules.apply(t, s, 0, out[int(choose() * count)], NO_LOG)
        decisions += 1
    return decisions


def games_per_second(t: Tables, games: int) -> tuple[float, float]:
    """Random solo games per CPU second (the best of three batches), and decisions per game."""
    best = 0.0
    decisions = 0
    for batch in range(BATCHES):
        began = process_time()
        decisions += sum(solo_game(t, seed) for seed in range(batch * games, (batch + 1) * games))
        best = max(best, games / (process_time() - began))
    return best, decisions / games / BATCHES


def microseconds(t: Tables, games: int) -> tuple[float, float]:
    """Mean microseconds of legal_actions and of apply over the states of random games."""
    states: list[State] = []
    for seed in range(games):
        solo_game(t, seed, lambda s: states.append(s.copy()))
    out = [0] * ACTIONS
    began = process_time()
    for s in states:
        rules.legal_actions(t, s, 0, out)
    listed = process_time() - began
    choose = random.Random(0)
    chosen = [out[choose.randrange(rules.legal_actions(t, s, 0, out))] for s in states]
    began = process_time()
    for s, action in zip(states, chosen, strict=True):
        rules.apply(t, s, 0, action, NO_LOG)
    return listed / len(states) * 1e6, (process_time() - began) / len(states) * 1e6


def size(value: object) -> int:
    """The bytes of a nested list of small integers; the integers are shared and not counted."""
    inner = sum(map(size, value)) if isinstance(value, list) else 0
    return sys.getsizeof(value) + inner if isinstance(value, list) else 0


def copy_microseconds(s: State, copies: int = 20_000) -> float:
    began = process_time()
    for _ in range(copies):
        s.copy()
    return (process_time() - began) / copies * 1e6


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=1_500, help="random games per batch")
    parser.add_argument("--compiled", type=int, default=100_000, help="the same, compiled")
    args = parser.parse_args()
    games = args.games
    loop = calibrate()
    print(f"calibration loop               {loop:10.1f} million steps per CPU second\n")
    print("interpreted rules, one core    " + "".join(f"{game:>10}" for game in SHEETS))
    tables = [layout(game).tables for game in SHEETS]
    speeds = [games_per_second(t, games) for t in tables]
    micro = [microseconds(t, games // 10 + 1) for t in tables]
    state = State()
    numbers = sum(len(str(getattr(state, name)).split(",")) for name in FIELD_NAMES)
    memory = sys.getsizeof(state) + sum(size(getattr(state, name)) for name in FIELD_NAMES)
    rows: list[tuple[str, str, list[float]]] = [
        ("random solo games per CPU s", ",.0f", [speed for speed, _ in speeds]),
        ("  per million loop steps", ",.1f", [speed / loop for speed, _ in speeds]),
        ("decisions per game", ".1f", [decisions for _, decisions in speeds]),
        ("legal_actions, microseconds", ".2f", [listed for listed, _ in micro]),
        ("apply, microseconds", ".2f", [applied for _, applied in micro]),
        ("copy of a state, microseconds", ".2f", [copy_microseconds(state)] * len(tables)),
        ("size of a state, numbers", ",.0f", [numbers] * len(tables)),
        ("size of a state, bytes", ",.0f", [memory] * len(tables)),
    ]
    for name, form, values in rows:
        print(f"{name:<31}" + "".join(f"{value:>10{form}}" for value in values))
    report(loop, args.compiled)
    environments.report()


if __name__ == "__main__":
    main()
