"""Tracks who is connected to a table, who is away, and since when."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple, Protocol

from foxtray.server.machine import JUMP, MACHINE, Machine
from foxtray.server.protocol import inputs
from foxtray.server.protocol.inputs import AnyInput
from foxtray.server.protocol.messages import LegalOf
from foxtray.server.tables.state import Seat

HTTP_PRESENCE = 30.0
"""Seconds for which a player counts as present after an HTTP request."""


class Listener(Protocol):
    """A connection to a table."""

    player: str | None
    patches: bool
    """Whether it wants patches of the game."""
    legal: LegalOf
    """Whose legal actions it wants to see."""
    told: int
    """The number up to which it was told the game."""

    def push(self, data: bytes) -> None:
        """Queue a message; never waits."""

    def drop(self, reason: str) -> None:
        """End the connection; the client may reconnect."""


class Since(NamedTuple):
    """A moment, by the wall clock as it went then and by the monotonic clock."""

    told: int
    moment: float


def entry_player(entry: inputs.Sat | inputs.Left | inputs.Reseated) -> str | None:
    """Who holds a seat after its owner changed."""
    return None if isinstance(entry, inputs.Left) else entry.player


class PresenceTracker:
    """The connections to a table, and the seats whose owners have none."""

    def __init__(self, seats: Sequence[Seat], absence: float, machine: Machine = MACHINE) -> None:
        self.listeners: dict[Listener, None] = {}
        """In the order in which they came."""
        self.absence = absence
        """Seconds until a seat counts as absent."""
        self._machine = machine
        self.touched = machine.monotonic()
        """The time of the last activity."""
        self._visited = -HTTP_PRESENCE
        """The time of the last HTTP request."""
        self._away = {seat: self._since() for seat, owner in enumerate(seats) if owner.player}

    # --- coming and going --------------------------------------------------------------------

    def _since(self) -> Since:
        return Since(self._machine.now(), self._machine.monotonic())

    def touch(self) -> None:
        self.touched = self._machine.monotonic()

    def connect(self, listener: Listener, seats: Sequence[int]) -> None:
        """Add a connection of somebody who holds these seats; a spectator holds none."""
        self.touch()
        self.listeners[listener] = None
        for seat in seats:
            self._away.pop(seat, None)

    def disconnect(self, listener: Listener, seats: Sequence[int]) -> None:
        self.touch()
        self.listeners.pop(listener, None)
        if not self.is_connected(listener.player):
            self._away.update((seat, self._since()) for seat in seats)

    def visit(self, seats: Sequence[int]) -> None:
        """Note an HTTP request by somebody who holds these seats."""
        self.touch()
        self._visited = self.touched
        self._away.update((seat, self._since()) for seat in seats if seat in self._away)

    def note(self, entry: AnyInput) -> None:
        """Start again for a seat whose owner changed; the new owner may already be connected."""
        if isinstance(entry, inputs.Sat | inputs.Left | inputs.Reseated):
            self._away.pop(entry.seat, None)
            if entry_player(entry) and not self.is_connected(entry_player(entry)):
                self._away[entry.seat] = self._since()

    # --- who is here -------------------------------------------------------------------------

    def is_connected(self, player: str | None) -> bool:
        return any(listener.player == player for listener in self.listeners)

    def is_absent(self, seat: int) -> bool:
        """Whether a seat has been away long enough for a bot to take over."""
        since = self._away.get(seat)
        return since is not None and self._machine.monotonic() - since.moment >= self.absence

    def inhabited(self) -> bool:
        """Whether a person is connected or has recently sent an HTTP request."""
        now = self._machine.monotonic()
        return bool(self.listeners) or now - self._visited < HTTP_PRESENCE

    def present(self, seats: Sequence[Seat]) -> list[bool]:
        """Whether each seat is present; bots always are."""
        return [
            bool(owner.bot) or (bool(owner.player) and seat not in self._away)
            for seat, owner in enumerate(seats)
        ]

    def away(self, seats: Sequence[Seat]) -> list[int | None]:
        """Since when each seat has been away, by the wall clock as it goes now."""
        away = {seat: self._by_the_clock(since) for seat, since in self._away.items()}
        return [away.get(seat) if owner.player else None for seat, owner in enumerate(seats)]

    def _by_the_clock(self, since: Since) -> int:
        """A moment by the wall clock as it goes now: as it was told, unless that jumped."""
        anew = round(since.moment * 1000 + self._machine.ahead())
        return anew if abs(anew - since.told) > JUMP else since.told

    def watching(self, seated: Sequence[str]) -> int:
        """How many connections belong to spectators."""
        return sum(1 for listener in self.listeners if listener.player not in seated)

    # --- telling -----------------------------------------------------------------------------

    def tell(self, data: bytes) -> None:
        """Queue a message for every connection."""
        for listener in list(self.listeners):
            listener.push(data)

    def tell_each(self, words: Callable[[Listener], bytes]) -> None:
        """Queue a message for every connection, in the words for each."""
        for listener in list(self.listeners):
            listener.push(words(listener))

    def drop_all(self, reason: str) -> None:
        for listener in list(self.listeners):
            listener.drop(reason)
