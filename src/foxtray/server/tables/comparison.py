"""Two finished solo games with the same dice, roll by roll."""

from __future__ import annotations

from dataclasses import dataclass, field

from foxtray.core.codes import DICE
from foxtray.events import Event
from foxtray.record import Record
from foxtray.server.protocol.messages import MatchRoll, MatchSide
from foxtray.server.tables.replay import moments

Address = tuple[int, int, int]


@dataclass(slots=True)
class Stretch:
    """What happened in a game from one roll to the next."""

    round: int = 0
    faces: tuple[int, ...] = (0,) * DICE
    actions: list[str] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)
    total: int = 0


def stretches(record: Record) -> dict[Address, Stretch]:
    """A game cut at its rolls, by their addresses."""
    found: dict[Address, Stretch] = {}
    now = Stretch()
    for moment in moments(record):
        if moment.throw is not None and moment.address is not None:
            # What came before the first roll belongs to it.
            earlier = now.events if not found else []
            now = Stretch(moment.game.round, moment.throw.faces, [], earlier)
            found[moment.address] = now
        elif moment.line is not None:
            now.actions.append(moment.line.partition(" ")[2])
        now.events += moment.events
        now.total = moment.game.scores()[0].total
    return found


def compare(one: Record, other: Record) -> tuple[list[MatchRoll], int | None]:
    """The rolls of two games, and the index of the one after which they parted."""
    games = stretches(one), stretches(other)
    colours = [die.colour for die in one.game.sheet.dice]
    rolls: list[MatchRoll] = []
    parted: int | None = None
    before = [0, 0]
    for number, address in enumerate(sorted({*games[0], *games[1]})):
        found = [game.get(address) for game in games]
        done = [stretch.actions if stretch else None for stretch in found]
        if parted is None and (None in done or done[0] != done[1]):
            parted = number
        sides = []
        for side, stretch in enumerate(found):
            stretch = stretch or Stretch(total=before[side])
            before[side] = stretch.total
            sides.append(
                MatchSide(
                    dice=[c for c, face in zip(colours, stretch.faces, strict=True) if face],
                    actions=stretch.actions,
                    events=[event.as_dict() for event in stretch.events],
                    total=stretch.total,
                )
            )
        faces = [max(pair) for pair in zip(*(s.faces for s in found if s), strict=True)]
        number_of_round = max(stretch.round for stretch in found if stretch)
        rolls.append(MatchRoll(number_of_round, *address, faces, parted is None, sides))
    return rolls, parted
