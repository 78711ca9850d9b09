"""Headroom: what look-ahead still finds beyond the value network in the rest of a game.

The network expects what `strong` makes of a position, and a review compares lines by looking one
roll ahead, which finds more at almost every decision. The mean of what it finds is measured by
round and by the points expected (`benchmarks/review.py --headroom`). With its headroom
added to every value, corrections centre on zero.
"""

from __future__ import annotations

from collections.abc import Sequence

from foxtray.core import rules
from foxtray.core.codes import OVER, ROLLS, SERVING
from foxtray.core.layout import layout
from foxtray.core.state import State
from foxtray.games.registry import folder_of


class Headroom:
    """The headroom of a seat in one game; none where it was not measured."""

    def __init__(self, game: str, seats: int) -> None:
        self.tables = layout(game).tables
        self.rounds: Sequence[Sequence[float]] = folder_of(game).headroom.get(str(seats), ())
        """By round: what one decision finds, as a curve over the expected points."""

    def lift(self, points: float, state: State, seat: int, done: bool = False) -> float:
        """Expected points with the headroom that a seat has left; `done`: after a decision now."""
        if not self.rounds or finished(self.tables.rounds[state.seats], state):
            return points
        turns = rules.turns_in_round(state)
        now, turn = divmod(state.turn, turns)
        # A round has three decisions in one's own turn and one in each of the others.
        passed = turn
        if state.seats == 1:
            passed = ROLLS if turn else max(0, state.rolls - 1)
        else:
            own = (seat - state.first) % turns
            passed += ROLLS - 1 if own < turn else max(0, state.rolls - 1) if own == turn else 0
        left = turns + ROLLS - 1 - passed - done
        found = left * curve(self.rounds[now], points)
        for coming in self.rounds[now + 1 :]:
            found += (turns + ROLLS - 1) * curve(coming, points)
        return points + found


def curve(found: Sequence[float], points: float) -> float:
    """The mean that one decision of a round finds at some expected points: a polynomial."""
    return sum(factor * points**power for power, factor in enumerate(found))


def finished(rounds: int, state: State) -> bool:
    """Whether look-ahead has nothing left to find: at most the last replies, which plans find."""
    if state.phase == OVER:
        return True
    last = state.turn + 1 == rounds * rules.turns_in_round(state)
    return state.phase == SERVING and last
