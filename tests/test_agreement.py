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


@pytest.mark.parametrize("seats", [2, 3])
def test_engine_and_oracle_agree_on_ties(seats: int) -> None:
    """All small sheets against each other: many totals are equal, and some best areas too."""
    sheets = [{"o1": orange, "p1": purple} for orange, purple in product((1, 2, 3), repeat=2)]
    shared = 0
    for marks in product(sheets, repeat=seats):
        oracle = Oracle("clever", seats)
        oracle.phase = "over"
        for player, marked in zip(oracle.players, marks, strict=True):
            player.marks = marked
        outcome = Game.from_position(position(oracle)).outcome()
        assert outcome is not None
        assert (list(outcome.totals), list(outcome.winners)) == oracle.outcome()
        shared += len(outcome.winners) > 1
    assert shared > 10
