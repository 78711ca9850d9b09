"""Counts the game tree, to compare engines.

Depth counts decisions; throws come from the dice and do not count. If several seats may act, only
the lowest one decides. A game at depth 0, or one that is over, counts as one.
"""

from __future__ import annotations

from foxtray.dice import Dice
from foxtray.game import Game


def thrown(game: Game, dice: Dice) -> Game:
    """The game after all throws before the next decision."""
    while address := game.address():
        game = game.roll(dice.throw(*address)).game
    return game


def perft(game: Game, dice: Dice, depth: int) -> int:
    """The number of leaves at this depth below a game."""
    if depth == 0 or thrown(game, dice).over:
        return 1
    return sum(divide(game, dice, depth).values())


def divide(game: Game, dice: Dice, depth: int) -> dict[str, int]:
    """The leaves below each action of the seat that decides."""
    game = thrown(game, dice)
    return {
        str(action): perft(game.play(seat, action).game, dice, depth - 1)
        for seat in game.awaiting()[:1]
        for action in game.legal(seat)
    }
