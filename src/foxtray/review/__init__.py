"""Reviews of games and hints: every decision has a price, every roll its luck (docs/review.md).

Importing this package imports neither numpy nor numba.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from foxtray.dice import SeededDice
from foxtray.review.model import (
    VERSION,
    Alternative,
    Decision,
    EffortName,
    Hint,
    Influence,
    Line,
    Moment,
    Reason,
    Review,
    Roll,
    SeatReview,
    Step,
    read_hint,
    read_review,
)

if TYPE_CHECKING:
    from foxtray.game import Game
    from foxtray.history import History

__all__ = [
    "VERSION",
    "Alternative",
    "Decision",
    "EffortName",
    "Hint",
    "Influence",
    "Line",
    "Moment",
    "Reason",
    "Review",
    "Roll",
    "SeatReview",
    "Step",
    "hint",
    "read_hint",
    "read_review",
    "review",
]


def review(
    game: History,
    effort: EffortName = "normal",
    seed: int = 0,
    *,
    seats: Sequence[int] | None = None,
    watch: Callable[[float], None] | None = None,
) -> Review:
    """Review a game (a `Record` or any `History`) for some of its seats, or for all.

    Seats count from 0. The same game, effort and seed always give the same review. `watch` is
    called with the share of the work that is done; an exception it raises stops the review. An
    unknown effort or seat, a seed of more than 64 bits or a game without trained weights raises a
    `FoxtrayError`.
    """
    from foxtray.review.reviewing import review_game

    SeededDice(seed)  # refuses a seed that does not fit into 64 bits
    return review_game(game, effort, seed, seats, watch)


def hint(game: Game, seat: int, effort: EffortName = "normal", seed: int = 0) -> Hint:
    """The best thing a seat can do now.

    Seats count from 0. A seat that has nothing to decide raises `IllegalAction`; other errors are
    those of `review`.
    """
    from foxtray.review.hints import hint_now

    SeededDice(seed)
    return hint_now(game, seat, effort, seed)
