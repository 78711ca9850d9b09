"""The suite: the games that every rated bot plays.

It never changes: other games would be another suite, with a new number.
"""

from __future__ import annotations

import hashlib

from foxtray.errors import BadSetup
from foxtray.games.registry import SHEETS

SUITE = 1
GAMES = 1000
"""Solo games of each game, by the printed rules."""


def first_seed(game: str) -> int:
    """The seed of the first game; the others follow it.

    A hash, so that nobody chose it, far above the seeds that training uses, and exact as a double.
    """
    digest = hashlib.sha256(f"foxtray suite {SUITE} {game}".encode()).digest()
    return (1 << 52) + int.from_bytes(digest[:5], "big")


def check_games(games: int) -> None:
    """Refuse a number of games that the suite does not have."""
    if not 2 <= games <= GAMES:
        raise BadSetup(f"suite {SUITE} has 2 to {GAMES} games, not {games}")


def check_game(game: str) -> None:
    if game not in SHEETS:
        raise BadSetup(f"the game {game!r} is not installed; choose one of {', '.join(SHEETS)}")
