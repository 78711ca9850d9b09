"""True strength: what a player scores on average, with the luck of the dice taken out."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean, stdev
from typing import TYPE_CHECKING, Any

from foxtray.review.model import Review, plain

if TYPE_CHECKING:
    from foxtray.sim.batch import Games
    from foxtray.sim.summary import Counts


@dataclass(frozen=True, slots=True)
class Strength:
    """A player's mean points in one kind of game."""

    name: str
    game: str
    seats: int
    games: int
    mean: float
    """The mean of the results without their luck."""
    error: float | None
    """Its standard error; None for a single game."""
    plain_mean: float
    """The mean of the results."""
    plain_error: float | None
    luck: float
    """The mean luck; over many games it is close to 0."""
    price: float
    """The mean sum of prices."""

    @property
    def gain(self) -> float | None:
        """How many times as many games the plain mean needs for the same error."""
        if not self.error or self.plain_error is None:
            return None
        return (self.plain_error / self.error) ** 2

    def as_json(self) -> dict[str, Any]:
        """The strength as plain data."""
        found: dict[str, Any] = plain(self)
        return found


def mean_error(values: Sequence[float]) -> tuple[float, float | None]:
    """A mean and its standard error."""
    if len(values) < 2:
        return fmean(values), None
    return fmean(values), stdev(values) / math.sqrt(len(values))


def strengths(reviews: Iterable[Review]) -> list[Strength]:
    """The strength of every player in finished games, by game and number of seats.

    Players without a name are told apart by their seat.
    """
    found: dict[tuple[str, str, int], list[tuple[float, float, float]]] = {}
    for review in reviews:
        for player in review.players if review.finished else ():
            key = (player.name or str(player.seat + 1), review.game, review.seats)
            found.setdefault(key, []).append((player.result, player.luck, player.price))
    every = []
    for (name, game, seats), rows in found.items():
        results, lucks, prices = zip(*rows, strict=True)
        adjusted = [result - luck for result, luck, _ in rows]
        every.append(
            Strength(
                name,
                game,
                seats,
                len(rows),
                *mean_error(adjusted),
                *mean_error(results),
                fmean(lucks),
                fmean(prices),
            )
        )
    return every


def lucks(games: Games, bots: Sequence[str]) -> Counts:
    """The luck of each seat in games of an arena, in thousandths of a point."""
    import numpy as np

    from foxtray.review.reviewing import luck_of

    found = np.zeros((len(games), games.seats), np.int64)
    for i in range(len(games)):
        record = games.record(i, bots)
        for seat in range(games.seats):
            found[i, seat] = round(1000 * luck_of(record, seat))
    return found
