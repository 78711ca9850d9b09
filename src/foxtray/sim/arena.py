"""Bots against each other: every seating on the same dice, so that luck cancels out.

A deal is one seed, played in every seating of the bots (or solo by each of them). A bot's result
in a deal is the mean of its seats in those games. Deals are independent, so the confidence interval
of a difference comes from the differences deal by deal.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from itertools import combinations, permutations
from time import perf_counter, process_time
from types import MappingProxyType
from typing import Any

import numpy as np

from foxtray.core.codes import SEATS
from foxtray.errors import BadSetup
from foxtray.position import OPTIONS
from foxtray.sim.batch import Games, turned_on
from foxtray.sim.interrupts import shielded
from foxtray.sim.simulation import (
    check,
    chunk_size,
    chunks,
    most_at_once,
    prepare,
    sensible_jobs,
)
from foxtray.sim.summary import SHARES, Counts, win_shares
from foxtray.sim.workers import Chunk, Find, PlayedChunk, Pool, stream

Lucks = Callable[[Games, tuple[str, ...]], Counts]
"""The luck of each seat in some games, in thousandths of a point; takes the games and the bots."""
THOUSAND = 1000
SURE = 1.96
"""Standard errors on each side of the mean in a 95 % confidence interval."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean, its standard error and its 95 % confidence interval; one deal has only a mean."""

    mean: float
    se: float | None = None
    low: float | None = None
    high: float | None = None

    def turned(self) -> Estimate:
        """The same difference seen from the other side, with the opposite sign."""
        low, high = (None if end is None else -end for end in (self.high, self.low))
        return Estimate(-self.mean, self.se, low, high)


@dataclass(slots=True)
class Tally:
    """The sum of whole numbers, one per deal."""

    count: int = 0
    total: int = 0
    squares: int = 0

    def add(self, numbers: Counts) -> None:
        self.count += len(numbers)
        self.total += int(numbers.sum())
        self.squares += int((numbers * numbers).sum())

    def estimate(self, unit: int) -> Estimate:
        """The mean, divided by `unit`."""
        n = self.count
        mean = self.total / n / unit
        if n < 2:
            return Estimate(mean)
        spread = n * self.squares - self.total**2
        se = math.sqrt(spread / (n - 1)) / n / unit
        return Estimate(mean, se, mean - SURE * se, mean + SURE * se)

    def rate(self, unit: int) -> Estimate:
        """The same for a share from 0 to 1, with Wilson's interval, which stays in that range."""
        found = self.estimate(unit)
        if found.se is None:
            return found
        rate = found.mean
        # The number of independent games with the same error; identical deals count as one each.
        games = rate * (1 - rate) / found.se**2 if found.se else self.count
        pull = SURE**2 / games
        middle = (rate + pull / 2) / (1 + pull)
        reach = SURE * math.sqrt((rate * (1 - rate) + pull / 4) / games) / (1 + pull)
        return Estimate(rate, found.se, max(0.0, middle - reach), min(1.0, middle + reach))


@dataclass(slots=True)
class Standings:
    """The results of bots against each other."""

    game: str
    seats: int
    bots: tuple[str, ...]
    """Each bot once."""
    seed: int
    options: tuple[str, ...] = ()
    """The rules options that were on."""
    entries: tuple[str, ...] = ()
    """The bots as they were named: one that is named twice takes two seats. Empty: each once."""
    deals: int = 0
    cpu_seconds: float = 0.0
    wall_seconds: float = 0.0
    compile_seconds: float = 0.0
    interrupted: bool = False
    luck_adjusted: bool = False
    """Whether the luck of the dice is taken out of the points; wins always count as played."""
    points: list[Tally] = field(init=False)
    wins: list[Tally] = field(init=False)
    differences: dict[tuple[int, int], Tally] = field(init=False)
    ahead: dict[tuple[int, int], Tally] = field(init=False)

    def __post_init__(self) -> None:
        everyone = range(len(self.bots))
        self.points = [Tally() for _ in everyone]
        self.wins = [Tally() for _ in everyone]
        self.differences = {pair: Tally() for pair in combinations(everyone, 2)}
        self.ahead = {pair: Tally() for pair in self.differences}

    @property
    def seatings(self) -> list[tuple[str, ...]]:
        """Every way to seat the bots."""
        return list(dict.fromkeys(permutations(self.entries or self.bots, self.seats)))

    @property
    def appearances(self) -> list[int]:
        """By bot: the number of seats that it has in all seatings."""
        taken = [name for seating in self.seatings for name in seating]
        return [taken.count(name) for name in self.bots]

    @property
    def shares(self) -> int:
        """The results of a bot are counted in shares: as many of them make one seat's result."""
        return math.lcm(*self.appearances)

    @property
    def games(self) -> int:
        return self.deals * len(self.seatings)

    @property
    def unit(self) -> int:
        """Points are counted in whole numbers of this fraction."""
        return THOUSAND if self.luck_adjusted else 1

    def add(self, results: Sequence[PlayedChunk], lucks: Lucks | None = None) -> None:
        """Add the same deals in every seating."""
        deals = len(results[0].games)
        points = np.zeros((len(self.bots), deals), np.int64)
        wins, luck = np.zeros_like(points), np.zeros_like(points)
        for seating, played in zip(self.seatings, results, strict=True):
            shares = win_shares(played.games)
            if lucks is not None:
                began = process_time()
                for seat, found in enumerate(lucks(played.games, seating).T):
                    luck[self.bots.index(seating[seat])] += found
                self.cpu_seconds += process_time() - began
            for seat, name in enumerate(seating):
                points[self.bots.index(name)] += played.games.totals[:, seat]
                wins[self.bots.index(name)] += shares[:, seat]
            self.cpu_seconds += played.cpu_seconds
        if self.seats == 1:  # solo: the best bot wins the deal
            best = points == points.max(axis=0)
            wins = SHARES * best // best.sum(axis=0)
        points = points * self.unit - luck
        # A bot that took more seats than another still counts once.
        scale = np.array([[self.shares // taken] for taken in self.appearances])
        points = points * scale
        if self.seats > 1:
            wins = wins * scale
        for bot in range(len(self.bots)):
            self.points[bot].add(points[bot])
            self.wins[bot].add(wins[bot])
        for (a, b), tally in self.differences.items():
            tally.add(points[a] - points[b])
            self.ahead[a, b].add(1 + np.sign(points[a] - points[b]))
        self.deals += deals

    def mean(self, bot: int) -> Estimate:
        """Points per game."""
        return self.points[bot].estimate(self.shares * self.unit)

    def win_rate(self, bot: int) -> Estimate:
        """The share of games that a seat of the bot wins, or of all deals in solo games."""
        return self.wins[bot].rate(SHARES * (1 if self.seats == 1 else self.shares))

    def difference(self, a: int, b: int) -> Estimate:
        """A bot's lead over another in points, on the same dice."""
        return self.differences[a, b].estimate(self.shares * self.unit)

    def as_json(self) -> dict[str, Any]:
        """Everything as one object."""
        return {
            "game": self.game,
            "seats": self.seats,
            "options": {name: name in self.options for name in OPTIONS},
            "games": self.games,
            "deals": self.deals,
            "seatings": [list(seating) for seating in self.seatings],
            "seed": self.seed,
            "luck_adjusted": self.luck_adjusted,
            "bots": [
                {"bot": name, "mean": span(self.mean(i)), "win_rate": span(self.win_rate(i))}
                for i, name in enumerate(self.bots)
            ],
            "differences": [
                {
                    "bot": self.bots[a],
                    "other": self.bots[b],
                    "mean": span(self.difference(a, b)),
                    "ahead": self.ahead[a, b].estimate(2).mean,
                }
                for a, b in self.differences
            ],
            "cpu_seconds": self.cpu_seconds,
            "wall_seconds": self.wall_seconds,
            "compile_seconds": self.compile_seconds,
        }


def span(estimate: Estimate) -> dict[str, float | None]:
    return {
        "value": estimate.mean,
        "se": estimate.se,
        "low": estimate.low,
        "high": estimate.high,
    }


def arena(
    game: str,
    bots: Sequence[str],
    deals: int,
    *,
    seats: int | None = None,
    seed: int = 0,
    jobs: int | None = 1,
    find: Find | None = None,
    pool: Pool | None = None,
    options: Mapping[str, bool] = MappingProxyType({}),
    watch: Callable[[Standings], None] | None = None,
    lucks: Lucks | None = None,
) -> Standings:
    """Play deals in all seatings; Ctrl-C stops and returns the finished ones.

    Without `seats` there is one seat per bot, up to four. A bot that is named twice has two seats.
    `options` are the rules options, as in `Game.new`. With `lucks`, the luck of the dice is taken
    out of the points. With a `pool`, the games are played there, as in `simulate`.
    """
    if len(set(bots)) < 2:
        raise BadSetup("name at least two different bots")
    seats = min(len(bots), SEATS) if seats is None else seats
    if seats > len(bots):
        raise BadSetup(f"{len(bots)} bots cannot fill {seats} seats; name more bots")
    check(game, bots[:seats], deals, seed, jobs)
    each = tuple(dict.fromkeys(bots))
    standings = Standings(game, seats, each, seed, turned_on(options), tuple(bots))
    standings.luck_adjusted = lucks is not None
    standings.compile_seconds = prepare(game, bots, find)
    every = len(standings.seatings)
    jobs = pool.jobs if pool else jobs or sensible_jobs(bots, deals * every)
    size = 1 if lucks else chunk_size(most_at_once(game, bots, find), deals, jobs)
    todo = seated(standings, deals, size)
    began = perf_counter()
    results: list[PlayedChunk] = []
    try:
        with shielded() as shield, closing(stream(todo, jobs, find, pool)) as finished:
            for played in finished:
                with shield.up():
                    results.append(played)
                    if len(results) == every:
                        standings.add(results, lucks)
                        standings.wall_seconds = perf_counter() - began
                        results.clear()
                        if watch:
                            watch(standings)
    except KeyboardInterrupt:
        standings.interrupted = True
    return standings


def seated(standings: Standings, deals: int, size: int) -> Iterator[Chunk]:
    """Chunks of deals, each in every seating."""
    whole = Chunk(
        standings.game,
        (),
        standings.seed,
        deals,
        moves=standings.luck_adjusted,
        options=standings.options,
    )
    for chunk in chunks(whole, size):
        for seating in standings.seatings:
            yield replace(chunk, bots=seating)
