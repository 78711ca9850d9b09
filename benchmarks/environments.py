"""Measures the learning environments: decisions per CPU second of a random policy."""

from __future__ import annotations

import pickle
import random
from collections.abc import Callable
from time import process_time
from typing import Any

import gymnasium
import numpy as np

from foxtray import Game, SeededDice
from foxtray.envs import env_id, table_v0
from foxtray.games.registry import SHEETS
from foxtray.position import parse_area, parse_sheet
from foxtray.sim import Batch, random_actions
from foxtray.sim.batch import play

BATCHES = 20
GAMES = 1024
SEATS = 4
RULES, MANY = "the rules alone", "Gymnasium, 1,024 games"
GOALS = {"Gymnasium": 50_000, MANY: 2_000_000, "PettingZoo, 2 seats": 30_000}


def fastest(play: Callable[[], int]) -> float:
    """Decisions per CPU second: the best of several batches, after one to warm up."""
    play()
    best = 0.0
    for _ in range(BATCHES):
        began = process_time()
        decisions = play()
        best = max(best, decisions / (process_time() - began))
    return best


def alone(game: str) -> Callable[[], int]:
    """The compiled rules alone: whole random games, one after the other."""

    def play_games(games: int = 1_000) -> int:
        return int(play(game, ["random"], 0, games).decisions.sum())

    return play_games


def single(game: str) -> Callable[[], int]:
    env: Any = gymnasium.make(env_id(game))
    choose = random.Random(0).choice

    def play(decisions: int = 2_000) -> int:
        seen, _ = env.reset()
        for _ in range(decisions):
            seen, _, over, _, _ = env.step(choose(seen["action_mask"].nonzero()[0].tolist()))
            if over:
                seen, _ = env.reset()
        return decisions

    return play


def vector(game: str) -> Callable[[], int]:
    env = gymnasium.make_vec(env_id(game), num_envs=GAMES)
    rng = np.random.default_rng(0)
    seen, _ = env.reset()

    def play(steps: int = 60) -> int:
        nonlocal seen
        for _ in range(steps):
            seen, *_ = env.step(random_actions(seen["action_mask"], rng))
        return steps * GAMES

    return play


def batch(game: str) -> Callable[[], int]:
    """The arrays alone, without Gymnasium; games that end are started again."""
    games, rng = Batch(game, GAMES), np.random.default_rng(0)
    rows = games.observe()

    def play(steps: int = 60) -> int:
        for _ in range(steps):
            games.step(random_actions(games.action_mask, rng), rows)
            over = np.flatnonzero(games.terminated)
            if len(over):
                games.start(over, rng.integers(1 << 62, size=len(over), dtype=np.uint64))
                games.observe(rows, which=over)
        return steps * GAMES

    return play


def agents(game: str) -> Callable[[], int]:
    env = table_v0.env(game, 2)
    choose = random.Random(0).choice

    def play(decisions: int = 2_000) -> int:
        env.reset()
        for _ in range(decisions):
            seen, _, over, _, _ = env.last()
            if over:
                env.reset()
            else:
                env.step(choose(seen["action_mask"].nonzero()[0].tolist()))
        return decisions

    return play


def spiel(name: str, games: int) -> Callable[[], int]:
    import pyspiel

    from foxtray.envs.spiel import register_games

    register_games()
    game, choose = pyspiel.load_game(name), random.Random(0).choice

    def play() -> int:
        decisions = 0
        for _ in range(games):
            state = game.new_initial_state()
            while not state.is_terminal():
                decisions += not state.is_chance_node()
                state.apply_action(choose(state.legal_actions()))
        return decisions

    return play


def values(game: str) -> list[tuple[str, float, str]]:
    """What a `Game` costs as a value, over the moments of a game for four."""
    choose, dice = random.Random(0), SeededDice(0)
    every = [Game.new(game, SEATS)]
    while not every[-1].over:
        now = every[-1]
        where = now.address()
        seat = now.awaiting()[0] if not where else 0
        step = (
            now.roll(dice.throw(*where))
            if where
            else now.play(seat, choose.choice(now.legal(seat)))
        )
        every.append(step.game)
    texts, stored = [each.position() for each in every], [pickle.dumps(each) for each in every]

    def micro(work: Callable[[Any], Any], items: list[Any]) -> float:
        best = 1e9
        for _ in range(BATCHES):
            parse_area.cache_clear()
            parse_sheet.cache_clear()
            began = process_time()
            for item in items:
                work(item)
            best = min(best, (process_time() - began) / len(items) * 1e6)
        return best

    return [
        ("from_position, microseconds", micro(Game.from_position, texts), ",.0f"),
        ("position, microseconds", micro(Game.position, every), ",.0f"),
        ("pickle, bytes", sum(map(len, stored)) / len(stored), ",.0f"),
        (
            "pickle and back, microseconds",
            micro(lambda g: pickle.loads(pickle.dumps(g)), every),
            ",.0f",
        ),
        ("hash, microseconds", micro(hash, every), ",.1f"),
    ]


def report() -> None:
    """Print the figures of all games side by side, and OpenSpiel's backgammon beside ours."""
    print(
        "\ndecisions per CPU second       "
        + "".join(f"{game:>12}" for game in SHEETS)
        + "        goal"
    )
    rows: dict[str, Callable[[str], Callable[[], int]]] = {
        RULES: alone,
        "Gymnasium": single,
        MANY: vector,
        "Batch, 1,024 games": batch,
        "PettingZoo, 2 seats": agents,
    }
    found = {name: [fastest(make(game)) for game in SHEETS] for name, make in rows.items()}
    for name, speeds in found.items():
        goal = f"{GOALS[name]:>12,}" if name in GOALS else ""
        print(f"{name:<31}" + "".join(f"{speed:>12,.0f}" for speed in speeds) + goal)
    shares = [one / other for one, other in zip(found[MANY], found[RULES], strict=True)]
    told = "".join(f"{share:>12.0%}" for share in shares)
    print(f"{'  as a share of these rules':<31}" + told)
    try:
        figures = [fastest(spiel(f"foxtray_{game}", 20)) for game in SHEETS]
        backgammon = fastest(spiel("backgammon", 20))
    except ModuleNotFoundError:
        print("OpenSpiel is not installed")
    else:
        print(f"{'OpenSpiel':<31}" + "".join(f"{figure:>12,.0f}" for figure in figures))
        print(f"{'OpenSpiel, its backgammon':<31}{backgammon:>12,.0f}")
    print("\na game for four as a value     " + "".join(f"{game:>12}" for game in SHEETS))
    for columns in zip(*(values(game) for game in SHEETS), strict=True):
        shown = "".join(f"{figure:>12{form}}" for _, figure, form in columns)
        print(f"{columns[0][0]:<31}" + shown)


if __name__ == "__main__":
    report()
