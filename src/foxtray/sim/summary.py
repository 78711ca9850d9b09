"""Summarises many games in constant memory.

Everything is counted in whole numbers, so the order of adding does not matter.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from foxtray.core.codes import AREAS
from foxtray.games.registry import sheet_of
from foxtray.position import OPTIONS
from foxtray.sim.batch import Games
from foxtray.sim.workers import PlayedChunk

Counts = npt.NDArray[np.int64]

LOWEST, HIGHEST = -(1 << 14), 1 << 14
"""Bounds on totals, with ample room."""
SHARES = 12
"""Wins are counted in twelfths: two, three or four seats can share one."""


@dataclass(slots=True)
class Summary:
    """Scores by seat: how often each total occurred, and the sums of its parts."""

    game: str
    bots: tuple[str, ...]
    seed: int
    options: tuple[str, ...] = ()
    """The rules options that were on."""
    games: int = 0
    cpu_seconds: float = 0.0
    wall_seconds: float = 0.0
    compile_seconds: float = 0.0
    interrupted: bool = False
    """Whether Ctrl-C stopped the run early."""
    occurred: Counts = field(init=False)
    """How often each total occurred, starting at `LOWEST`, for every seat."""
    area_sums: Counts = field(init=False)
    fox_sums: Counts = field(init=False)
    fox_point_sums: Counts = field(init=False)
    decision_sums: Counts = field(init=False)
    win_sums: Counts = field(init=False)
    """In twelfths."""

    def __post_init__(self) -> None:
        self.occurred = np.zeros((self.seats, HIGHEST - LOWEST), np.int64)
        self.area_sums = np.zeros((self.seats, AREAS), np.int64)
        for name in ("fox_sums", "fox_point_sums", "decision_sums", "win_sums"):
            setattr(self, name, np.zeros(self.seats, np.int64))

    @property
    def seats(self) -> int:
        return len(self.bots)

    def add(self, played: PlayedChunk) -> None:
        """Add more games."""
        games = played.games
        size = HIGHEST - LOWEST
        for seat in range(self.seats):
            self.occurred[seat] += np.bincount(games.totals[:, seat] - LOWEST, minlength=size)
        self.area_sums += games.areas.sum(axis=0)
        self.fox_sums += games.foxes.sum(axis=0)
        self.fox_point_sums += (games.foxes * games.fox_values).sum(axis=0)
        self.decision_sums += games.decisions.sum(axis=0)
        self.win_sums += win_shares(games).sum(axis=0)
        self.games += len(games)
        self.cpu_seconds += played.cpu_seconds

    # --- figures of one seat ---------------------------------------------------------------------

    def totals(self, seat: int = 0) -> tuple[Counts, Counts]:
        """The totals that occurred, ascending, and how often."""
        found = np.flatnonzero(self.occurred[seat])
        return found + LOWEST, self.occurred[seat][found]

    def mean(self, seat: int = 0) -> float:
        values, counts = self.totals(seat)
        return int(values @ counts) / self.games

    def sd(self, seat: int = 0) -> float:
        """The sample standard deviation of the totals; 0 for a single game."""
        values, counts = self.totals(seat)
        n, total, squares = self.games, int(values @ counts), int(values * values @ counts)
        return math.sqrt((n * squares - total * total) / (n * (n - 1))) if n > 1 else 0.0

    def se(self, seat: int = 0) -> float:
        """The standard error of the mean."""
        return self.sd(seat) / math.sqrt(self.games)

    def quantile(self, share: float, seat: int = 0) -> float:
        """The total below which this share of games lies, interpolated between totals."""
        values, counts = self.totals(seat)
        last = np.cumsum(counts) - 1
        at = share * (self.games - 1)
        low, high = values[np.searchsorted(last, [math.floor(at), math.ceil(at)])].tolist()
        return float(low + (high - low) * (at - math.floor(at)))

    def bands(self, seat: int = 0) -> dict[str, float]:
        """The share of games in each rating band, best first."""
        sheet = sheet_of(self.game)
        found = dict.fromkeys((rating.title for rating in sheet.ratings), 0)
        for total, count in zip(*(column.tolist() for column in self.totals(seat)), strict=True):
            found[sheet.ratings[sheet.rating(total)].title] += count
        return {title: count / self.games for title, count in found.items()}

    def areas(self, seat: int = 0) -> dict[str, float]:
        """Mean points by colour."""
        colours = (area.colour for area in sheet_of(self.game).areas)
        sums = self.area_sums[seat].tolist()
        return {colour: total / self.games for colour, total in zip(colours, sums, strict=False)}

    def figures(self, seat: int = 0) -> dict[str, Any]:
        """All figures of a seat by name."""
        return {
            "mean": self.mean(seat),
            "se": self.se(seat),
            "sd": self.sd(seat),
            "min": int(self.totals(seat)[0][0]),
            "p10": plain(self.quantile(0.1, seat)),
            "median": plain(self.quantile(0.5, seat)),
            "p90": plain(self.quantile(0.9, seat)),
            "max": int(self.totals(seat)[0][-1]),
            "areas": self.areas(seat),
            "foxes": int(self.fox_sums[seat]) / self.games,
            "fox_points": int(self.fox_point_sums[seat]) / self.games,
            "bands": self.bands(seat),
            "decisions_per_game": int(self.decision_sums[seat]) / self.games,
        }

    def win_rate(self, seat: int = 0) -> float:
        """The share of games won; a shared win counts in part."""
        return int(self.win_sums[seat]) / SHARES / self.games

    # --- figures of all seats --------------------------------------------------------------------

    @property
    def games_per_cpu_second(self) -> float:
        return self.games / self.cpu_seconds if self.cpu_seconds else 0.0

    def as_json(self) -> dict[str, Any]:
        """Everything as one object: numbers for one seat, lists in seat order for more."""
        every = [self.figures(seat) for seat in range(self.seats)]
        return {
            "game": self.game,
            "seats": self.seats,
            "options": {name: name in self.options for name in OPTIONS},
            "bots": list(self.bots),
            "games": self.games,
            "seed": self.seed,
            **(every[0] if self.seats == 1 else side_by_side(every)),
            "games_per_cpu_second": self.games_per_cpu_second,
            "cpu_seconds": self.cpu_seconds,
            "wall_seconds": self.wall_seconds,
            "compile_seconds": self.compile_seconds,
        }


def win_shares(games: Games) -> Counts:
    """The win of every game in twelfths, split among the seats that share it."""
    won = games.wins[:, None] >> np.arange(games.seats) & 1
    shares: Counts = won * (SHARES // won.sum(axis=1, keepdims=True))
    return shares


def side_by_side(every: list[dict[str, Any]]) -> dict[str, Any]:
    """The figures of several seats as lists, by name."""
    return {
        name: side_by_side([figures[name] for figures in every])
        if isinstance(value, dict)
        else [figures[name] for figures in every]
        for name, value in every[0].items()
    }


def plain(number: float) -> float:
    """A whole number as an int."""
    return int(number) if number == int(number) else number
