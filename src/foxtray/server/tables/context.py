"""What all tables of a server share."""

from __future__ import annotations

from dataclasses import dataclass

from foxtray.server.bots.pool import WorkerPool
from foxtray.server.machine import MACHINE, Machine
from foxtray.server.store import Store

LONGEST = 5_000
"""Ten times the rows of a long game."""


@dataclass(frozen=True, slots=True)
class TableContext:
    """The store, the worker processes, and the settings of tables."""

    store: Store
    workers: WorkerPool
    absence: float = 60.0
    """Seconds until a seat counts as absent."""
    reveal: float = 5.0
    """Seconds that a start waits for the seats to reveal their entropy."""
    bot_pause: float = 1.0
    """Seconds a bot pauses on average, if the table has pauses on."""
    check_throws: bool = True
    """Whether to check that the dice in a log follow from the table's secret."""
    longest: int = LONGEST
    """Rows of a log after which only commands that bring the game to its end are accepted."""
    machine: Machine = MACHINE
