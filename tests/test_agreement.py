"""The engine and the oracle agree on everything a table shows, at every state of many games."""

import os
from concurrent.futures import ProcessPoolExecutor
from itertools import product
from multiprocessing import get_context

import pytest
from agreement import play_matches
from oracle import Oracle
from scribble import position

from foxtray import Game

GAMES = {1: 48, 2: 24, 3: 18, 4: 15}
LONG = 3_000  # every third starts late, so that 2,000 are played from the first throw
CHUNK = 25


@pytest.mark.parametrize("seats", [1, 2, 3, 4])
@pytest.mark.parametrize("game", ["clever", "twice"])
def test_engine_and_oracle_agree(game: str, seats: int, long_run: bool) -> None:
    if not long_run:
        assert play_matches(game, seats, range(GAMES[seats])) > 30 * GAMES[seats]
        return
    chunks = [range(start, start + CHUNK) for start in range(0, LONG, CHUNK)]
    with ProcessPoolExecutor(os.cpu_count(), get_context("spawn")) as pool:
        states = pool.map(play_matches, [game] * len(chunks), [seats] * len(chunks), chunks)
        assert sum(states) > 30 * LONG


Sheets = list[tuple[dict[str, int], int]]

SMALL: dict[str, Sheets] = {
    "clever": [
        ({"o1": orange, "p1": purple}, 0) for orange, purple in product((1, 2, 3), (1, 2, 3))
    ],
    # Green is 2 - 12, 2 - 10 or 4 - 2: with foxes most totals are negative, and many of them equal.
    "twice": [
        ({"g1": first, "g2": second} | ({"p1": pink} if pink else {}), foxes)
        for first, second in ((2, 12), (2, 10), (4, 2))
        for pink in (0, 2)
        for foxes in (0, 1)
    ],
}


@pytest.mark.parametrize("fox_floor", [False, True])
@pytest.mark.parametrize("seats", [2, 3])
@pytest.mark.parametrize("game", SMALL)
def test_engine_and_oracle_agree_on_ties(game: str, seats: int, fox_floor: bool) -> None:
    """All small sheets against each other: many totals are equal, and some best areas too."""
    shared = negative = 0
    for table in product(SMALL[game], repeat=seats):
        oracle = Oracle(game, seats, fox_floor=fox_floor)
        oracle.phase = "over"
        for player, (marks, foxes) in zip(oracle.players, table, strict=True):
            player.marks, player.foxes = marks, foxes
        outcome = Game.from_position(position(oracle)).outcome()
        assert outcome is not None
        assert (list(outcome.totals), list(outcome.winners)) == oracle.outcome()
        shared += len(outcome.winners) > 1
        negative += max(outcome.totals) < 0
    assert shared > 10
    assert (negative > 10) == (game == "twice")
