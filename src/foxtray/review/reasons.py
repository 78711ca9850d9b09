"""Why one line is better than another: differences between what the two lines lead to."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from foxtray.events import Marked
from foxtray.game import Game
from foxtray.review.model import Line, Reason

MOST = 3
"""The most reasons for one decision."""
LEAST_PRICE = 0.5
"""Nothing is said about cheaper decisions."""
LEAST_POINTS = 1.0
LEAST_FOXES = 0.15
LEAST_CHANCE = 0.02
FEW_FOXES = 0.75
"""With fewer expected foxes, the lowest area is not worth mentioning."""
# What an action, a mark, a die or going on with a turn counts when reasons are ordered, in points.
ACTION, MARK, DIE, TURN = 2.0, 0.5, 1.0, 8.0


class Facts(NamedTuple):
    """What a line has done when the next roll comes."""

    foxes: int
    marks: int
    dice: int | None
    """The dice of the seat's next roll in the same turn; None if the turn is over."""
    spent: dict[str, int]
    """By track, the actions spent in the whole game."""


def facts(game: Game, seat: int, line: Sequence[str]) -> Facts:
    """Play a line."""
    turn, marks = game.turn, 0
    for action in line:
        game, events = game.play(seat, action)
        marks += sum(isinstance(event, Marked) and event.seat == seat for event in events)
    rolls_on = game.turn == turn and bool(game.rolling()) and game.active == seat
    spent = {track: spent for track, (_, spent) in game.tracks(seat).items()}
    return Facts(game.state.foxes[seat], marks, len(game.rolling()) if rolls_on else None, spent)


def reasons(game: Game, seat: int, best: Line, chosen: Line) -> tuple[Reason, ...]:
    """The differences that speak for the best line, most important first."""
    found: list[tuple[float, Reason]] = []

    def add(weight: float, kind: str, amount: float, area: str = "", track: str = "") -> None:
        found.append((weight, Reason(kind, area, track, amount)))

    colours = [area.colour for area in game.sheet.areas]
    for colour, ours, theirs in zip(colours, best.areas, chosen.areas, strict=True):
        if ours - theirs >= LEAST_POINTS:
            add(ours - theirs, "area", ours - theirs, area=colour)
        elif theirs - ours >= LEAST_POINTS:
            # Weighs nothing: it does not explain the price, but that it is not higher.
            add(0.0, "instead", theirs - ours, area=colour)
    rise = min(best.areas) - min(chosen.areas)
    if rise >= LEAST_POINTS and chosen.foxes >= FEW_FOXES:
        lowest = colours[chosen.areas.index(min(chosen.areas))]
        add(rise * chosen.foxes, "lowest", rise, area=lowest)
    ours_now, theirs_now = facts(game, seat, best.actions), facts(game, seat, chosen.actions)
    more = best.foxes - chosen.foxes
    if more >= LEAST_FOXES:
        at_once = ours_now.foxes - theirs_now.foxes
        kind, amount = ("fox_now", float(at_once)) if at_once > 0 else ("foxes", more)
        add(more * max(min(best.areas), 1.0), kind, amount)
    for track, left in best.tracks.items():
        kept = left - chosen.tracks[track]
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
    found.sort(key=lambda weighed: -weighed[0])
    return tuple(reason for _, reason in found[:MOST])
