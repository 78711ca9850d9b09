"""Games for the tests of reviews."""

from __future__ import annotations

from functools import cache

from foxtray import Action, bots
from foxtray.history import PlayInput, Setup, ThrowInput
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


def interleaved(record: Record) -> Record:
    """The same game with the same decisions, but seats that may act at the same time alternate."""
    same = Record(record.setup)
    waiting: dict[int, list[Action]] = {seat: [] for seat in range(record.setup.seats)}
    last = 0
    for entry in [*record.inputs, None]:
        if isinstance(entry, PlayInput):
            waiting[entry.seat].append(entry.action)
            continue
        while any(waiting.values()):
            able = [seat for seat in same.game.awaiting() if waiting[seat]]
            last = next((seat for seat in able if seat != last), able[0])
            same.play(last, waiting[last].pop(0))
        if isinstance(entry, ThrowInput):
            same.roll(entry.throw)
    return same
