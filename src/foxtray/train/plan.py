"""What a training run is to do. Imports nothing heavy, so that bad input is told at once."""

from __future__ import annotations

from dataclasses import dataclass

from foxtray.core.codes import SEATS
from foxtray.errors import BadSetup
from foxtray.sheets import SHEETS

LAST_SEED = 1 << 62
"""Compiled code counts on from here in 63 bits."""
MOST_THREADS = 256
MOST_IN_A_ROUND = 4096
MOST_THROWS = 72
LONGEST_PLAN = 1024
"""Twice as many states, and what follows the last of them, have room on a desk."""


def whole_number(value: object) -> bool:
    """Whether something read from a file counts things."""
    return type(value) is int and value >= 0


@dataclass(frozen=True, slots=True)
class Plan:
    """What a training run is to do; stored with its checkpoints."""

    game: str
    games: int
    seats: tuple[int, ...] = (1,)
    """The numbers of seats, which its games take in turn."""
    seed: int = 1 << 40
    """Self-play uses the seeds from here on; evaluation never does."""
    threads: int = 2
    per_round: int = 64
    batch: int = 256
    rate: float = 1e-3
    decay: float = 0.8
    """The lambda of TD(lambda)."""
    share: float = 0.7
    """The share of games whose behaviour has a taste for some areas."""
    strength: float = 0.3
    """The most that a taste adds per point; it fades to nothing at `fade` of the run."""
    fade: float = 0.6
    bound: int = 64
    throws: int = 0
    """How many throws of look-ahead take the luck out of a solo target; 0: none."""
    keep: float = 0.999
    """How slowly the averaged weights, which play, follow the learning ones."""

    def __post_init__(self) -> None:
        """Compiled code trusts these numbers, and a file may say anything."""
        counts = (self.games, self.seed, self.threads, self.per_round, self.batch, self.bound)
        shares = (self.rate, self.decay, self.share, self.strength, self.fade, self.keep)
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
            and 1 <= self.bound <= LONGEST_PLAN
            and self.throws <= MOST_THROWS
            and self.fade > 0
        )
        if not fits:
            raise BadSetup("its plan is none that can be carried out")
