"""The part of a review that is about a player's own moves, where a game was played on.

What came before was copied from another game, perhaps from another player.
"""

from __future__ import annotations

import math
from dataclasses import replace

from foxtray.history import History
from foxtray.review import Decision, Influence, Review, Roll, SeatReview
from foxtray.server.coach.exercises import game_at


def since(history: History, found: Review, at: int) -> Review:
    """A review from an input on; the first expectation is that before this input."""
    return replace(found, players=tuple(seat_since(history, each, at) for each in found.players))


def seat_since(history: History, player: SeatReview, at: int) -> SeatReview:
    moments: list[Roll | Decision | Influence] = []
    expected = player.expected
    for moment in player.moments:
        if moment.at >= at or moments:
            moments.append(moment)
        elif isinstance(moment, Decision) and moment.steps[-1].at >= at:
            rest = rest_of(history, player.seat, moment, at)
            moments.append(rest)
            expected = rest.before
        else:
            expected = moment.after
    rolls = [moment for moment in moments if isinstance(moment, Roll)]
    decisions = [moment for moment in moments if isinstance(moment, Decision)]
    luck = math.fsum(roll.luck for roll in rolls)
    price = math.fsum(decision.price for decision in decisions)
    gain = math.fsum(moment.gain for moment in moments if isinstance(moment, Influence))
    return replace(
        player,
        expected=expected,
        luck=luck,
        luck_error=math.hypot(*(roll.error for roll in rolls)),
        influence=gain,
        price=price,
        price_error=math.hypot(*(decision.error for decision in decisions)),
        correction=player.result - expected - luck - gain + price,
        moments=tuple(moments),
    )


def rest_of(history: History, seat: int, decision: Decision, at: int) -> Decision:
    """The steps of a decision from an input on. `best` remains that of the whole decision."""
    steps = tuple(step for step in decision.steps if step.at >= at)
    price = math.fsum(step.price for step in steps)
    # Reasons compare with the best line, which a costly earlier step has ruled out.
    free = math.isclose(price, decision.price, abs_tol=1e-9)
    return replace(
        decision,
        at=steps[0].at,
        stage=game_at(history, steps[0].at).stage(seat),
        correction=0.0,
        before=decision.after + price,
        price=price,
        steps=steps,
        reasons=decision.reasons if free else (),
    )
