"""The interface of a store of players, tables and logs, and its rows.

An implementation is correct if it passes tests/server/test_store.py. When an awaited method
returns, everything it wrote is durable. If it cannot write, it raises StorageFailing.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from typing import Literal, Protocol

from msgspec import Struct

from foxtray.errors import FoxtrayError


class StorageFailing(FoxtrayError):
    """The store cannot write at the moment."""

    code = "storage_failing"


class Conflict(FoxtrayError):
    """The row already exists; use another number, id or command."""

    code = "conflict"


class Superseded(FoxtrayError):
    """Another server has claimed the table; nothing was written."""

    code = "moved"


class StoreError(FoxtrayError):
    """The store cannot be opened: it is in use, has another version, or is not a store."""

    code = "store"


CLOCK = "daily"
"""The mark of the time when a day of the daily dice last began or closed."""


class PlayerRow(Struct, frozen=True):
    """A player on one of their devices; the token itself is known to the device only."""

    id: str
    name: str
    token: bytes
    created: int
    device: str = ""
    seen: int = 0
    """When the device was last used, by day."""
    admin: bool = False
    banned: bool = False


class NewDevice(Struct, frozen=True):
    """A device that is about to be signed in."""

    id: str
    token: bytes
    name: str
    created: int


class DeviceRow(Struct, frozen=True):
    """Where a player is signed in; `id` is unique for the player, `seen` is a day."""

    id: str
    name: str
    created: int
    seen: int


class PasskeyRow(Struct, frozen=True):
    """A passkey of a player: the public key, and how often the authenticator says it was used."""

    player: str
    id: str
    credential: bytes
    key: bytes
    count: int
    name: str
    created: int
    used: int | None = None


class AccountRow(Struct, frozen=True):
    """A player as the host of the server sees them."""

    id: str
    name: str
    created: int
    admin: bool
    banned: int | None
    recovery: int | None
    """When the recovery code was made."""
    devices: int
    passkeys: int
    seen: int
    unfinished: int
    finished: int


class AuditRow(Struct, frozen=True):
    """What somebody did as host: `operator` is a player, or null for the one at the machine."""

    at: int
    operator: str | None
    operator_name: str
    action: str
    player: str | None = None
    detail: str = ""
    number: int = 0
    """Given by the store, ascending."""


class TableRow(Struct, frozen=True):
    """The fixed properties of a table. `setup` is JSON; `secret` determines the dice."""

    id: str
    rules: int
    setup: bytes
    secret: bytes
    host: str
    invite: str
    watch: str
    created: int


class Claim(Struct, frozen=True):
    """A table, and the number under which this server may add to its log."""

    row: TableRow
    epoch: int = 0
    """Higher than that of everybody who claimed the table before."""


class News(Struct, frozen=True):
    """What other servers on the same store have to know."""

    kind: Literal["table", "renamed", "changed", "expelled", "mark"]
    """A table was claimed or deleted; a player has a new name, or must be read again, or is signed
    out; a mark was set."""
    subject: str
    """The table, the player or the mark."""
    detail: str = ""
    """The epoch of the claim, or the device that was signed out; empty: none, or all of them."""


class LogRow(Struct, frozen=True):
    """One input of a table's log; `command`, if any, is unique within the table."""

    seq: int
    at: int
    data: bytes
    command: str | None = None


class ResultRow(Struct, frozen=True):
    """The result of a seat in a finished game; `player` is null for bots and deleted players."""

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
    """The player's current name; filled in when read."""
    kept: bool = True
    """Whether its table still exists; filled in when read."""
    apart: bool = False
    """Played with real dice, guests or hints for all, so that it stands apart in statistics."""
    guest: str | None = None
    """The name of a guest."""
    daily: str = ""
    """The day whose dice they were, if any; filled in when read."""
    hints: int = 0
    """How many hints the seat asked for."""
    setup: bytes = b""
    """The setup of its table, if it is practice or stands apart; filled in when read."""


class SoloStart(Struct, frozen=True):
    """A player started a solo game that counts."""

    player: str
    game: str


class SoloCount(Struct, frozen=True):
    """A player's solo games of one kind without a result of theirs."""

    abandoned: int
    unfinished: int


class SeatReviewRow(Struct, frozen=True):
    """What a review says of one seat, in short."""

    seat: int
    result: float
    expected: float
    luck: float
    influence: float
    price: float
    correction: float
    error: float
    kinds: dict[str, float]
    """What decisions cost, by what was asked."""
    areas: tuple[float, ...]
    """What decisions cost in each area."""
    foxes: float
    """What they cost in foxes."""


class ExerciseRow(Struct, frozen=True):
    """A position to be asked again: of a player, or for everybody (`player` is null)."""

    id: str
    player: str | None
    game: str
    data: bytes
    due: int
    days: int = 0
    """The days between the last two times it was asked."""


class ReviewRow(Struct, frozen=True):
    """A review, gzipped JSON, with what is kept beside it."""

    table: str
    data: bytes
    made: int
    seats: Sequence[SeatReviewRow]
    exercises: Sequence[ExerciseRow] = ()


class ReviewedRow(Struct, frozen=True):
    """A reviewed game of a player."""

    table: str
    game: str
    seats: int
    finished: int
    hints: int
    figures: SeatReviewRow
    apart: bool = False


class AnswerCount(Struct, frozen=True):
    """How many answered an exercise, and how many of them were right."""

    answers: int
    right: int


class NewTable(Struct, frozen=True):
    """A table to create, and the players of its seats."""

    row: TableRow
    seating: Sequence[tuple[int, str | None]]
    root: str | None = None
    """The table whose dice are used again, in a challenge."""


class Departure(Struct, frozen=True):
    """A player gave up their seat in a game, or took it back."""

    player: str
    game: str
    seats: int
    at: int
    back: bool = False


class GivenUpRow(Struct, frozen=True):
    """A game that a player gave up and that has no result of theirs."""

    table: str
    game: str
    seats: int
    at: int
    daily: str = ""
    """The day whose dice they were, if any."""
    kept: bool = True
    """Whether its table still exists."""


MatchState = Literal["playing", "finished", "given_up", "gone"]


class MatchRow(Struct, frozen=True):
    """One of the games that are played with the same dice."""

    table: str
    player: str | None
    name: str
    state: MatchState
    total: int | None
    at: int
    """When it ended; while it is played, when it was created."""
    kept: bool
    hints: int


DailyState = Literal["playing", "finished", "given_up", "unfinished"]
"""`unfinished`: the day closed before the end of the game."""


class DailyDiceRow(Struct, frozen=True):
    """The secret of the dice of a day, for one game."""

    day: str
    game: str
    secret: bytes
    made: int
    closed: bool = False
    """Whether nobody can play them any more for the ranking, so that the secret may be told."""


class DailyAttempt(Struct, frozen=True):
    """The one attempt of a player at the dice of a day."""

    day: str
    game: str
    player: str
    table: str
    state: DailyState = "playing"
    total: int | None = None
    finished: int | None = None


class DailyResult(Struct, frozen=True):
    """A finished attempt that counts, with the player's current name."""

    day: str
    player: str
    name: str
    total: int
    finished: int


class Addition(Struct, frozen=True):
    """What one transaction adds to a table: log rows, changed seats, the results at its end.

    A rematch creates its table in the same transaction, so that there is never more than one.
    """

    table: str
    rows: Sequence[LogRow]
    seating: Sequence[tuple[int, str | None]] = ()
    results: Sequence[ResultRow] = ()
    opened: NewTable | None = None
    solo_start: SoloStart | None = None
    departures: Sequence[Departure] = ()
    epoch: int = 0
    """Of the claim under which the table is written."""


class CoachStore(Protocol):
    """Reviews of games, and exercises."""

    async def add_review(self, review: ReviewRow) -> None:
        """Keep a review, unless there is one or its table is gone."""

    async def review(self, table: str) -> bytes | None:
        """The review of a table, gzipped."""

    async def reviewed(self, player: str) -> list[ReviewedRow]:
        """A player's reviewed games without practice, the oldest first."""

    async def add_exercise(self, exercise: ExerciseRow) -> None:
        """Keep an exercise, unless there is one with this id."""

    async def exercise(self, name: str) -> ExerciseRow | None: ...
    async def due(self, player: str, now: int, limit: int) -> list[ExerciseRow]:
        """The exercises that a player is to be asked again, the longest due first."""

    async def due_count(self, player: str, now: int) -> int: ...
    async def settle(self, exercise: ExerciseRow, due: int, days: int) -> bool:
        """Put off an exercise that was answered, or remove it if `days` is 0.

        False if it was answered meanwhile: then nothing changes.
        """

    async def add_answer(self, exercise: str, player: str, action: str, right: bool) -> bool:
        """Note the first answer of a player to an exercise for everybody; False if there is one."""

    async def answer_of(self, exercise: str, player: str) -> str | None: ...
    async def answers(self, exercise: str) -> AnswerCount: ...


class Accounts(Protocol):
    """How players sign in, and what the host does about them."""

    async def devices(self, player: str) -> list[DeviceRow]:
        """The last one seen first."""

    async def signed_in(self, players: Sequence[str]) -> set[tuple[str, str]]:
        """Of some players, those who are not banned, each with each of their devices."""

    async def see(self, player: str, device: str, day: int) -> None: ...
    async def sign_out(self, player: str, device: str) -> bool: ...
    async def set_recovery(self, player: str, code: bytes, made: int) -> None:
        """The code replaces the one before."""

    async def recover(self, code: bytes, device: NewDevice) -> PlayerRow | None:
        """Sign in with a recovery code; the banned stay signed out."""

    async def add_passkey(self, passkey: PasskeyRow) -> None: ...
    async def passkey(self, credential: bytes) -> PasskeyRow | None: ...
    async def passkeys(self, player: str) -> list[PasskeyRow]: ...
    async def use_passkey(
        self, passkey: PasskeyRow, count: int, device: NewDevice
    ) -> PlayerRow | None:
        """Sign in with a passkey; the banned stay signed out."""

    async def remove_passkey(self, player: str, passkey: str) -> bool: ...

    # The host's.
    async def find(self, text: str, limit: int, *, exact: bool = False) -> list[AccountRow]:
        """Players by id, or by their name or a part of it, the newest first."""

    async def account(self, player: str) -> AccountRow | None: ...
    async def set_admin(self, player: str, admin: bool) -> None: ...
    async def set_banned(self, player: str, since: int | None) -> None: ...
    async def add_invitation(self, code: bytes, uses: int, expires: int) -> None: ...
    async def note(self, entry: AuditRow) -> None: ...
    async def audit(
        self, *, before: int | None = None, limit: int | None = 100, player: str | None = None
    ) -> list[AuditRow]:
        """What was done as host, the newest first; all of it, or what concerns one player."""


class Daily(Protocol):
    """The dice of every day, and who played them."""

    async def turn(self, at: int, closed: str, dice: Sequence[DailyDiceRow]) -> None:
        """Note the time under `CLOCK`, close the days up to one, and add dice that are new."""

    async def dice(self, day: str, game: str) -> DailyDiceRow | None: ...
    async def begin(self, attempt: DailyAttempt, table: NewTable, seen: Sequence[bytes]) -> None:
        """Create the table of an attempt; Conflict if the player had theirs, if the day is closed,
        or if one of the marks of the place they play from was seen at another attempt."""

    async def attempt(self, day: str, game: str, player: str) -> DailyAttempt | None: ...
    async def attempts(self, game: str, player: str) -> list[DailyAttempt]:
        """All attempts of a player at a game, the latest day first."""

    async def results(self, game: str, first: str, last: str) -> list[DailyResult]:
        """The attempts of some days that count, without those of banned players; the best first."""

    async def played(self, day: str, game: str) -> int:
        """How many players began an attempt."""


class Store(Protocol):
    """A durable store of one server."""

    @property
    def accounts(self) -> Accounts: ...

    @property
    def daily(self) -> Daily: ...

    @property
    def coach(self) -> CoachStore: ...

    @property
    def failing(self) -> str | None:
        """Why the data cannot be written or read at the moment."""

    def watch(self, changed: Callable[[str | None], None]) -> None:
        """Call a function when writing or reading starts to fail, and when both work again."""

    async def close(self) -> None: ...

    # Other servers on the same store.
    def hear(self, heard: Callable[[News], None], revalidate: Callable[[], None]) -> None:
        """Call one function with what other servers tell, the other one when something of it may
        have been missed."""

    async def claim(self, table: str) -> Claim | None:
        """Become the owner of a table: from now on only this server can add to its log."""

    async def lost(self, claims: Mapping[str, int]) -> list[str]:
        """Of some tables with the epochs of their claims, those that this server lost."""

    # Players.
    async def add_player(
        self, player: PlayerRow, device: str = "", invitation: bytes | None = None
    ) -> None:
        """A player with a first device of that name; Conflict if the invitation is of no use."""

    async def player_by_token(self, token: bytes) -> PlayerRow | None: ...
    async def names(self, players: Sequence[str]) -> dict[str, str]: ...
    async def rename(self, player: str, name: str) -> None: ...
    async def add_link(self, code: bytes, player: str, expires: int) -> None: ...
    async def use_link(self, code: bytes, now: int, device: NewDevice) -> PlayerRow | None:
        """Sign in with a link, which works once; the banned stay signed out."""

    async def delete_player(self, player: str) -> None:
        """Forget a player: tables nobody else played at, names, results, all they sign in with."""

    # Tables.
    async def add_table(
        self,
        table: TableRow,
        seating: Sequence[tuple[int, str | None]],
        root: str | None = None,
    ) -> None: ...
    async def table(self, table: str) -> TableRow | None: ...
    async def append(self, addition: Addition) -> None:
        """Add to a log, all or nothing.

        Raises Conflict if a number or command is taken, Superseded if another server has claimed
        the table since `epoch`.
        """

    async def log(self, table: str, after: int = 0) -> list[LogRow]: ...
    async def delete_table(self, table: str) -> None:
        """Delete a table. Results stay for statistics, and the secret of an unfinished game."""

    async def tables_of(self, player: str, *, over: bool, limit: int = 50) -> list[str]:
        """The tables a player sits at, newest first."""

    async def tables_with(self, player: str) -> list[str]:
        """Every table that names a player, also one that they left."""

    async def unfinished(self, player: str) -> int:
        """How many unfinished tables a player has created and still sits at."""

    async def unattended(self, host: str) -> list[bytes]:
        """The setups of a host's unfinished tables that have no seated player."""

    async def results_of(
        self, player: str, *, before: int | None = None, limit: int | None = None
    ) -> list[list[ResultRow]]:
        """The results of all seats of a player's finished games, newest first."""

    async def given_up(self, player: str, limit: int) -> list[GivenUpRow]:
        """The games that a player gave up and that have no result of theirs, newest first."""

    async def matches(self, tables: Sequence[str]) -> dict[str, list[MatchRow]]:
        """The games with the same dice as each of these tables, where there are any: the one that
        the others were challenged by first, then in the order in which they were created."""

    async def met(self, player: str) -> set[str]:
        """The players with whom a player finished a game, or who played the same dice."""

    async def solo_counts(self, player: str) -> dict[str, SoloCount]:
        """A player's solo games without a result of theirs, by game."""

    async def best(self, player: str) -> dict[str, int]:
        """A player's best total in each game that counts."""

    async def results(self, table: str) -> list[ResultRow]:
        """The results of all seats of a table, in seat order; empty until it is finished."""

    def finished(self) -> AsyncIterator[str]:
        """Every finished table."""

    async def mark(self, name: str) -> int | None:
        """A number stored under a name."""

    async def set_mark(self, name: str, value: int) -> None: ...
    async def expire(
        self, *, finished_before: int, idle_before: int, limit: int | None = None
    ) -> list[str]:
        """Delete some old tables as `delete_table` does. Returns their ids."""

    async def expired_secret(self, table: str) -> bytes | None:
        """The secret of the dice of a table that was deleted before it was finished."""
