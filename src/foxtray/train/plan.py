"""The plan of a training run. Imports nothing heavy, so that bad input is reported at once."""

from __future__ import annotations

from dataclasses import dataclass

from foxtray.core.codes import SEATS
from foxtray.errors import BadSetup
from foxtray.games.folder import LONGEST_PLAN
from foxtray.games.registry import SHEETS
from foxtray.position import OPTIONS

LAST_SEED = 1 << 62
"""Compiled code counts up from the seed in 63 bits."""
MOST_THREADS = 256
MOST_IN_A_ROUND = 4096
MOST_THROWS = 72
MOST_PASSES = 64


def whole_number(value: object) -> bool:
    """Whether a value read from a file is a whole number, 0 or more."""
    return type(value) is int and value >= 0


@dataclass(frozen=True, slots=True)
class Plan:
    """The plan of a training run; stored in its checkpoints."""

    game: str
    games: int
    seats: tuple[int, ...] = (1,)
    """The numbers of seats, which alternate from game to game."""
    seed: int = 1 << 40
    """Self-play uses seeds from here on; evaluation never does."""
    threads: int = 2
    per_round: int = 64
    batch: int = 256
    passes: int = 1
    """How often a round's samples are learned from."""
    rate: float = 1e-3
    decay: float = 0.8
    """The lambda of TD(lambda)."""
    share: float = 0.7
    """The share of games played with random area preferences."""
    strength: float = 0.3
    """The most that a preference adds per point; it fades to 0 at `fade` of the run."""
    fade: float = 0.6
    bound: int = 64
    """How many states a plan explores completely."""
    last_bound: int = 0
    """The same in the last round; 0: as in the others."""
    openings: float = 0.0
    """The share of games whose first turns are played by weak or one-sided players."""
    throws: int = 0
    """Throws of look-ahead that replace the luck in a target; 0: no look-ahead."""
    ending: bool = False
    """Whether a net for the last round is trained. It needs throws."""
    keep: float = 0.999
    """The decay of the averaged weights, which are the ones that play."""
    options: tuple[str, ...] = ()
    """The rules options that are on."""

    def __post_init__(self) -> None:
        """Check the numbers: compiled code trusts them, and a file may contain anything."""
        counts = (
            self.games, self.seed, self.threads, self.per_round, self.batch, self.passes,
            self.bound,
        )  # fmt: skip
        shares = (
            self.rate, self.decay, self.share, self.strength, self.fade, self.keep, self.openings,
        )  # fmt: skip
        fits = (
            self.game in SHEETS
            and all(map(whole_number, (*counts, self.throws, *self.seats)))
            and all(type(share) in (int, float) and 0 <= share <= 1 for share in shares)
            and len(self.seats) > 0
            and all(1 <= seats <= SEATS for seats in self.seats)
            and self.seed <= LAST_SEED
            and 1 <= self.threads <= MOST_THREADS
            and self.threads <= self.per_round <= MOST_IN_A_ROUND
            and self.per_round % self.threads == 0
            and self.batch > 0
            and 1 <= self.passes <= MOST_PASSES
            and 1 <= self.bound <= LONGEST_PLAN
            and whole_number(self.last_bound)
            and self.last_bound <= LONGEST_PLAN
            and self.throws <= MOST_THROWS
            and (self.throws > 0 or not self.ending)
            and self.fade > 0
            and set(self.options) <= set(OPTIONS)
        )
        if not fits:
            raise BadSetup("invalid training plan")
