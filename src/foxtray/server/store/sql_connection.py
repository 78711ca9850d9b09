"""What the statements of a store need of a database, whichever it is.

Statements are written once, in the SQL that SQLite and PostgreSQL share. They name their values
`?`, `?1` or `:name`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Protocol, TypeVar

from foxtray.server.store import News

T = TypeVar("T")

UNLIMITED = 1 << 62
"""More than there can be: SQLite and PostgreSQL have no other limit in common that is none."""


CHUNK = 500
"""Values in one statement; older SQLite libraries accept 999."""


class Rows(Protocol):
    """What a statement found."""

    @property
    def rowcount(self) -> int: ...
    def fetchone(self) -> Any: ...
    def fetchall(self) -> list[Any]: ...
    def __iter__(self) -> Iterator[Any]: ...


class Connection(Protocol):
    """A connection to a database."""

    def execute(self, query: str, values: Any = (), /) -> Rows: ...
    def executemany(self, query: str, values: Iterable[Any], /) -> object: ...


class Reader(Protocol):
    """Reads with a connection, in the thread that it belongs to."""

    async def __call__(self, work: Callable[[Connection], T], /) -> T: ...


class Runner(Protocol):
    """Does work with a connection in one transaction, in the thread that it belongs to.

    Other servers on the same store hear the news that follow from its result, once it is written.
    """

    async def __call__(
        self,
        work: Callable[[Connection], T],
        news: Callable[[T], Sequence[News]] | None = None,
        /,
    ) -> T: ...
