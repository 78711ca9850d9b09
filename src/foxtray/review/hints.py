"""Hints: the best line now, and why."""

from __future__ import annotations

from foxtray.bots.base import check_awaited
from foxtray.bots.levels import check
from foxtray.bots.valuer import Valuer
from foxtray.game import Game
from foxtray.review.judging import advise
from foxtray.review.model import EffortName, Hint, Reason
from foxtray.review.reasons import LEAST_PRICE, reasons
from foxtray.review.reviewing import depth_of


def hint_now(game: Game, seat: int, effort: EffortName = "normal", seed: int = 0) -> Hint:
    """The best thing a seat can do now."""
    check("strong", game=game.sheet.id)
    depth = depth_of(effort)
    check_awaited(game, seat)
    advice = advise(Valuer(game.sheet.id, game.seats, seed), game, seat, depth.own)
    gap, error = advice.gap, advice.error
    why: tuple[Reason, ...] = ()
    points = [each.points for each in advice.alternatives]
    if len(points) > 1 and points[0] - points[1] < gap:
        # Another order of the same actions is a different choice that is worth as much.
        gap, error = points[0] - points[1], 0.0 if points[0] == points[1] else error
    elif advice.second is not None and gap >= max(LEAST_PRICE, 2 * error):
        why = reasons(game, seat, advice.best, advice.second)
    return Hint(advice.best, advice.alternatives, gap, error, why)
