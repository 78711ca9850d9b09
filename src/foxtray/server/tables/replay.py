"""A finished game, step by step."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from foxtray.dice import Throw
from foxtray.events import Event
from foxtray.game import Game
from foxtray.history import PlayInput, step
from foxtray.record import Record, input_lines
from foxtray.server.protocol.messages import Course, CourseRoll, Step, Steps
from foxtray.views import game_view


class Moment(NamedTuple):
    """A game after an input; the first moment has none."""

    line: str | None
    seat: int | None
    events: tuple[Event, ...]
    game: Game
    throw: Throw | None = None
    """What was thrown, if dice were, and its address."""
    address: tuple[int, int, int] | None = None


def moments(record: Record) -> Iterator[Moment]:
    """Every moment of a record."""
    game = record.setup.start()
    yield Moment(None, None, game.opening, game)
    for entry, line in zip(record.inputs, input_lines(record), strict=True):
        address = game.address()
        game, events = step(game, entry)
        if isinstance(entry, PlayInput):
            yield Moment(line, entry.seat, events, game)
        else:
            yield Moment(line, None, events, game, entry.throw, address)


def steps(record: Record, first: int, count: int) -> Steps:
    """Some of the steps, as sent to clients."""
    found: list[Step] = []
    for number, moment in enumerate(moments(record)):
        if number >= first + count:
            break
        if number >= first:
            events = [event.as_dict() for event in moment.events]
            found.append(Step(number, moment.line, moment.seat, events, game_view(moment.game)))
    return Steps(len(record.inputs) + 1, found)


def course(record: Record) -> Course:
    """The points of every seat after each step, the turn of each step, and all rolls."""
    totals: list[list[int]] = []
    turns: list[int] = []
    rolls: list[CourseRoll] = []
    for moment in moments(record):
        totals.append([card.total for card in moment.game.scores()])
        turns.append(moment.game.turn)
        if moment.throw is not None and moment.address is not None:
            rolls.append(CourseRoll(*moment.address, list(moment.throw.faces)))
    return Course(totals, turns, rolls)
