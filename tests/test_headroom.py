"""Headroom: what a review adds to the values of the weights."""

from __future__ import annotations

import pytest

from foxtray import Game, SeededDice
from foxtray.bots import bot
from foxtray.core.codes import ROLLS
from foxtray.games.registry import SHEETS, folder_of
from foxtray.review.headroom import Headroom, finished


@pytest.mark.parametrize("seats", [1, 2, 4])
def test_a_decision_uses_up_its_share_of_the_headroom(
    seats: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It falls from one moment of a seat to its next, as the mean of a decision does, to zero."""
    rounds = SHEETS["clever"].rounds[seats - 1]
    lines = [[1.0, 0.01]] * rounds
    monkeypatch.setitem(folder_of("clever").headroom, str(seats), lines)
    headroom, greedy = Headroom("clever", seats), bot("greedy", 1)
    game, dice = Game.new("clever", seats), SeededDice(5)
    each = ROLLS + max(1, seats - 1)
    assert headroom.lift(100.0, game.state, 0) == pytest.approx(100 + rounds * each * 2)
    last = [float(rounds * each * 2)] * seats
    while not game.over:
        for seat in range(seats):
            left = headroom.lift(100.0, game.state, seat) - 100
            assert 0 <= left <= last[seat]
            if left and game.rolling():
                after = headroom.lift(100.0, game.state, seat, done=True) - 100
                assert after == pytest.approx(left - 2)
            # The last replies are found by plans: nothing is left for look-ahead.
            assert (left == 0) == finished(rounds, game.state)
            last[seat] = left
        address = game.address()
        if address is not None:
            game = game.roll(dice.throw(*address)).game
        else:
            seat = min(game.awaiting())
            game = game.play(seat, greedy.choose(game, seat)).game
    assert finished(rounds, game.state)
    assert headroom.lift(100.0, game.state, 0) == 100.0


def test_without_a_measurement_there_is_none() -> None:
    assert Headroom("twice", 3).lift(123.0, Game.new("twice", 3).state, 0) == 123.0
