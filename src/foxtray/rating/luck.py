"""The luck of rated games, on several processes."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterable
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import NamedTuple

from foxtray.bots.weights import weights_of
from foxtray.rating.certificate import Luck, Part, replay
from foxtray.review import reviewing

DIGITS = 2
"""Decimal places of a luck in a certificate."""


class Played(NamedTuple):
    """A finished game."""

    game: str
    seed: int
    moves: str


def luck_of(played: Played) -> float:
    """The luck of a game; the same game and net always give the same."""
    return round(reviewing.luck_of(replay(*played), 0, "quick", played.seed), DIGITS)


def net_of(game: str) -> str:
    """The first digits of the hash of the nets that value luck."""
    return weights_of(game).digest(1)


def games_of(part: Part) -> list[Played]:
    return [Played(part.game, part.seed(i), moves) for i, moves in enumerate(part.moves)]


def lucks(
    games: list[Played], jobs: int, watch: Callable[[int], None] | None = None
) -> list[float]:
    """The luck of every game, in order."""
    if jobs == 1:
        return counted(map(luck_of, games), watch)
    with ProcessPoolExecutor(jobs, get_context("spawn"), ignore_interrupts) as pool:
        try:
            return counted(pool.map(luck_of, games), watch)
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise


def counted(values: Iterable[float], watch: Callable[[int], None] | None) -> list[float]:
    found: list[float] = []
    for value in values:
        found.append(value)
        if watch:
            watch(len(found))
    return found


def ignore_interrupts() -> None:
    """Leave Ctrl-C to the parent."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def with_luck(part: Part, jobs: int, watch: Callable[[int], None] | None = None) -> Part:
    """The same games with their luck."""
    values = tuple(lucks(games_of(part), jobs, watch))
    return Part(part.game, part.totals, part.moves, Luck(net_of(part.game), values))
