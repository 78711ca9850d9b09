"""Where players, tables and their logs are kept: the protocol, and the rows it speaks of.

An implementation is right when it passes tests/server/test_store.py. Everything that an awaited
method wrote is durable when it returns; what it could not write raises StorageFailing.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from typing import Protocol

from msgspec import Struct

from foxtray.errors import FoxtrayError


class StorageFailing(FoxtrayError):
    """Nothing can be written at the moment."""

    code = "storage_failing"


class Conflict(FoxtrayError):
    """The row exists already: another number, id or command is wanted."""

    code = "conflict"


class StoreError(FoxtrayError):
    """The store cannot be opened: it is in use, of another version, or no store at all."""

    code = "store"


class PlayerRow(Struct, frozen=True):
    """A player; the token itself is known to its owner only."""

    id: str
    name: str
    token: bytes
    created: int


class TableRow(Struct, frozen=True):
    """What is fixed when a table is made. `setup` is JSON; `secret` the secret of its dice."""

    id: str
    rules: int
    setup: bytes
    secret: bytes
    host: str
    invite: str
    watch: str
    created: int


class LogRow(Struct, frozen=True):
    """One input of a table's log; `command` is unique within the table, if there is one."""

    seq: int
    at: int
    data: bytes
    command: str | None = None


class ResultRow(Struct, frozen=True):
    """How a seat did in a finished game; `player` is null for bots and the deleted."""

    table: str
    seat: int
    player: str | None
    bot: str | None
    game: str
    seats: int
    finished: int
    total: int
    areas: tuple[int, ...]
    foxes: int
    fox_value: int
    won: bool
    practice: bool
    name: str = ""
    """The player's name now; filled in when read."""
    kept: bool = True
    """Whether its table is still there; filled in when read."""


class NewTable(Struct, frozen=True):
    """A table about to be made, and who has which seat of it."""

    row: TableRow
    seating: Sequence[tuple[int, str | None]]


class Addition(Struct, frozen=True):
    """What is added to a table in one piece: log, changed seats, the results at its end.

    A rematch opens its table in the same piece, so that there is never more than one.
    """

    table: str
    rows: Sequence[LogRow]
    seating: Sequence[tuple[int, str | None]] = ()
    results: Sequence[ResultRow] = ()
    opened: NewTable | None = None


class Store(Protocol):
    """A durable store of one server."""

    @property
    def failing(self) -> str | None:
        """Why nothing can be written at the moment."""

    def watch(self, changed: Callable[[str | None], None]) -> None:
        """Be told when writing begins to fail, and when it works again."""

    async def close(self) -> None: ...

    # Players.
    async def add_player(self, player: PlayerRow) -> None: ...
    async def player_by_token(self, token: bytes) -> PlayerRow | None: ...
    async def names(self, players: Sequence[str]) -> dict[str, str]: ...
    async def rename(self, player: str, name: str) -> None: ...
    async def add_link(self, code: bytes, player: str, expires: int) -> None: ...
    async def use_link(self, code: bytes, now: int, token: bytes) -> PlayerRow | None:
        """Give a link's player a new token; a link works once."""

    async def delete_player(self, player: str) -> None:
        """Forget a player: tables nobody else played at, names, results."""

    # Tables.
    async def add_table(
        self, table: TableRow, seating: Sequence[tuple[int, str | None]]
    ) -> None: ...
    async def table(self, table: str) -> TableRow | None: ...
    async def append(self, addition: Addition) -> None:
        """Add to a log, all or nothing; Conflict if a number or command is taken."""

    async def log(self, table: str) -> list[LogRow]: ...
    async def tables_of(self, player: str, *, over: bool, limit: int = 50) -> list[str]:
        """The tables a player sits at, newest first."""

    async def unfinished(self, player: str) -> int:
        """How many unfinished tables a player has made and still sits at."""

    async def results_of(
        self, player: str, *, before: int | None = None, limit: int | None = None
    ) -> list[list[ResultRow]]:
        """The results of all seats of a player's finished games, newest first."""

    async def best(self, player: str) -> dict[str, int]:
        """A player's best total of each game, practice aside."""

    async def results(self, table: str) -> list[ResultRow]:
        """The results of all seats of a table in their order; none while it is not finished."""

    def finished(self) -> AsyncIterator[str]:
        """Every finished table."""

    async def expire(self, *, finished_before: int, idle_before: int) -> list[str]:
        """Delete old tables; results stay for statistics. Returns their ids."""
