"""Why one line is better than another: differences between what the two lines lead to."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from foxtray.events import Marked
from foxtray.game import Game
from foxtray.games.model import Sheet
from foxtray.review.model import Line, Reason

MOST = 3
"""The most reasons for one decision."""
LEAST_PRICE = 0.5
"""Nothing is said about cheaper decisions."""
LEAST_POINTS = 1.0
"""The smallest difference in an area that is told if both lines are valued exactly."""
LEAST_FORECAST = 2.0
"""The smallest one that is told of forecasts. Games that were played on from both lines contradict
one smaller forecast in four, but few larger ones."""
LEAST_FOXES = 0.15
LEAST_CHANCE = 0.02
FEW_FOXES = 0.75
"""With fewer expected foxes, the lowest area is not worth mentioning."""
# What an action, a mark, a die or going on with a turn counts when reasons are ordered, in points.
ACTION, MARK, DIE, TURN = 2.0, 0.5, 1.0, 8.0


class Facts(NamedTuple):
    """What a line has done by the end of its turn, or when the next roll of the turn comes.

    What the next round brings after that is a decision of its own.
    """

    areas: tuple[int, ...]
    """The points of each area so far."""
    foxes: int
    marks: int
    dice: int | None
    """The dice of the seat's next roll in the same turn; None if the turn is over."""
    left: dict[str, int]
    """By track, the actions left."""
    spent: dict[str, int]
    """By track, the actions spent in the whole game."""


def facts(game: Game, seat: int, line: Sequence[str]) -> Facts:
    """Play a line."""
    turn, marks = game.turn, 0
    for action in line:
        if game.turn != turn:
            break
        game, events = game.play(seat, action)
        marks += sum(isinstance(event, Marked) and event.seat == seat for event in events)
    rolls_on = game.turn == turn and bool(game.rolling()) and game.active == seat
    tracks = game.tracks(seat)
    return Facts(
        game.scores()[seat].areas,
        game.state.foxes[seat],
        marks,
        len(game.rolling()) if rolls_on else None,
        {track: circled - spent for track, (circled, spent) in tracks.items()},
        {track: spent for track, (_, spent) in tracks.items()},
    )


def possible(sheet: Sheet, areas: Sequence[float]) -> list[float]:
    """Forecasts of areas, none above what a full area scores: a net may expect more."""
    return [
        min(points, area.points[-1]) if area.scores == "count" else points
        for area, points in zip(sheet.areas, areas, strict=True)
    ]


def reasons(game: Game, seat: int, best: Line, chosen: Line) -> tuple[Reason, ...]:
    """The differences that speak for the best line, most important first."""
    found: list[tuple[float, Reason]] = []

    def add(weight: float, kind: str, amount: float, area: str = "", track: str = "") -> None:
        found.append((weight, Reason(kind, area, track, amount)))

    ours_now, theirs_now = facts(game, seat, best.actions), facts(game, seat, chosen.actions)
    colours = [area.colour for area in game.sheet.areas]
    # What the best line scores more at once; a forecast that says the opposite is not trusted.
    at_once = [a - b for a, b in zip(ours_now.areas, theirs_now.areas, strict=True)]
    ours, theirs = possible(game.sheet, best.areas), possible(game.sheet, chosen.areas)
    changes = [a - b for a, b in zip(ours, theirs, strict=True)]
    lowest = theirs.index(min(theirs))
    rise = min(ours) - min(theirs)
    told = rise >= LEAST_POINTS and chosen.foxes >= FEW_FOXES and at_once[lowest] >= 0
    if told:
        add(rise * chosen.foxes, "lowest", rise, area=colours[lowest])
    exact = best.error == chosen.error == 0.0
    least = LEAST_POINTS if exact else LEAST_FORECAST
    for i, change in enumerate(changes):
        if abs(change) < least or change * at_once[i] < 0:
            continue
        if change < 0:
            # Weighs nothing: it does not explain the price, but that it is not higher.
            add(0.0, "instead", -change, area=colours[i])
        elif not (told and i == lowest and change - rise < least):
            add(change, "area", change, area=colours[i])
    more = best.foxes - chosen.foxes
    if more >= LEAST_FOXES:
        foxes = ours_now.foxes - theirs_now.foxes
        kind, amount = ("fox_now", float(foxes)) if foxes > 0 else ("foxes", more)
        add(more * max(min(best.areas), 1.0), kind, amount)
    for track, left in ours_now.left.items():
        kept = left - theirs_now.left[track]
        if kept > 0:
            add(ACTION * kept, "kept", kept, track=track)
        elif kept < 0 and ours_now.spent[track] > theirs_now.spent[track]:
            # Otherwise the chosen line has earned one more, and the best one uses none.
            add(ACTION / 2, "used", -kept, track=track)
    if ours_now.marks > theirs_now.marks:
        add(MARK, "marks", ours_now.marks - theirs_now.marks)
    if ours_now.dice is not None and theirs_now.dice is None:
        add(TURN, "turn", ours_now.dice)
    elif ours_now.dice is not None and theirs_now.dice is not None:
        if ours_now.dice > theirs_now.dice:
            add(DIE, "dice", ours_now.dice - theirs_now.dice)
    if best.win_chance is not None and chosen.win_chance is not None:
        rise = best.win_chance - chosen.win_chance
        if rise >= LEAST_CHANCE:
            add(100 * rise, "win", rise)
    if not any(weight for weight, _ in found):
        # Otherwise many small differences; what speaks for the chosen line explains nothing.
        total = math.fsum(changes)
        trusted = math.fsum(c for c, now in zip(changes, at_once, strict=True) if c * now >= 0)
        return (Reason("areas", amount=total),) if min(total, trusted) >= least else ()
    found.sort(key=lambda weighed: -weighed[0])
    return tuple(reason for _, reason in found[:MOST])
