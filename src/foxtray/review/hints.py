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
    why: tuple[Reason, ...] = ()
    if advice.second is not None and advice.gap >= max(LEAST_PRICE, 2 * advice.error):
        why = reasons(game, seat, advice.best, advice.second)
    return Hint(advice.best, advice.alternatives, advice.gap, advice.error, why)
