"""Games for the tests of reviews."""

from __future__ import annotations

from functools import cache

from foxtray import bots
from foxtray.history import Setup
from foxtray.record import Record
from foxtray.review import EffortName, Review, review


@cache
def played(game: str, names: tuple[str, ...], seed: int = 1) -> Record:
    """A game between bots; do not change it."""
    record = Record(Setup(game, len(names), names=names, seed=seed))
    players = [bots.bot(name, seed + seat) for seat, name in enumerate(names)]
    while not record.game.over:
        if record.game.rolling():
            record.roll()
        else:
            seat = record.game.awaiting()[0]
            record.play(seat, players[seat].choose(record.game, seat))
    return record


@cache
def reviewed(
    game: str, names: tuple[str, ...], seed: int = 1, effort: EffortName = "quick"
) -> Review:
    """The review of such a game."""
    return review(played(game, names, seed), effort, seed=seed)
