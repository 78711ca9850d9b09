"""The messages of a table to its clients: snapshots, updates, previews and presence."""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

from msgspec import UNSET, Raw

from foxtray.server.bots.pool import WorkerPool
from foxtray.server.protocol.codec import encode
from foxtray.server.protocol.messages import (
    Entry,
    LegalOf,
    Presence,
    Preview,
    Previews,
    Snapshot,
    Update,
    You,
)
from foxtray.server.protocol.refusals import Refusal
from foxtray.server.tables.log import TableLog
from foxtray.server.tables.pictures import Picture, Seats
from foxtray.server.tables.presence import Listener, PresenceTracker
from foxtray.server.tables.state import TableState, held_seat
from foxtray.server.tables.turn_clock import TurnClock
from foxtray.views import GameView, PreviewView, previews

MISSED = 200
"""A client that missed more entries than this gets a snapshot."""
STORY = 60
"""How many entries a snapshot contains."""


class TableViews:
    """Builds the messages of a table; parts that are the same for everybody are built once."""

    def __init__(
        self, log: TableLog, presence: PresenceTracker, clock: TurnClock, workers: WorkerPool
    ) -> None:
        self.names: dict[str, str] = {}
        """The names of the players, by id."""
        self._log = log
        self._presence = presence
        self._clock = clock
        self._workers = workers
        self._made_for: TableState | None = None
        """The state that the previews were built for; every input replaces it."""
        self._previews: dict[int, Raw] = {}
        self._picture: Picture | None = None
        """The game as it was told last."""

    def shown_to(self, player: str | None, legal: LegalOf) -> Seats:
        """The seats whose legal actions a player wants to see."""
        if legal == "mine":
            return tuple(self._log.state.seats_of(player))
        return self._everybody() if legal == "all" else ()

    def snapshot(self, you: You, legal: Seats | None = None) -> Snapshot:
        """The whole table."""
        state = self._log.state
        return Snapshot(
            seq=self._log.seq,
            you=you,
            table=state.info(self.names),
            game=cast("GameView | None", self._game_view(legal)),
            undo=state.undoable(),
            deadlines=self._clock.deadlines(),
            present=self._presence.present(state.seats),
            absent=self._presence.away(state.seats),
            watching=self._presence.watching(state.players()),
            thinking=self._thinking(),
            entries=cast("list[Entry]", self._log.entries[-STORY:]),
        )

    def update(self, since: int, *, whole: bool = True, legal: Seats | None = None) -> Update:
        """What happened after a number; `whole` adds the table."""
        made = self._update(since, whole=whole)
        game = self._game_view(legal)
        if game is not None:
            made.game = game  # type: ignore[assignment]
        return made

    def _update(self, since: int, *, whole: bool) -> Update:
        """An update without the game."""
        state = self._log.state
        return Update(
            seq=self._log.seq,
            previous=since,
            entries=cast("list[Entry]", self._log.entries[since:]),
            undo=state.undoable(),
            deadlines=self._clock.deadlines(),
            table=state.info(self.names) if whole else UNSET,
        )

    def news(self, since: int, *, whole: bool) -> Callable[[Listener], bytes]:
        """What happened after a number, in the words that a listener wants.

        Inputs that change nothing but the game are told as a patch to those who asked for patches
        and have the game as it was at that number.
        """
        update = self._update(since, whole=whole)
        before, now = self._picture, self._renewed_picture()
        base = None if whole or before is None or before.seq != since else before
        told: dict[tuple[bool, Seats], bytes] = {}

        def tell(listener: Listener) -> bytes:
            seats = self.shown_to(listener.player, listener.legal)
            follows = listener.patches and listener.told == since
            listener.told = update.seq
            if follows and now and base:
                anew = now.chosen_anew(base, seats)
                if (True, anew) not in told:
                    update.game, update.patch = UNSET, now.patch(base, anew)
                    told[True, anew] = encode(update)
                return told[True, anew]
            if (False, seats) not in told:
                game = now.whole(seats) if now else UNSET
                update.game, update.patch = game, UNSET  # type: ignore[assignment]
                told[False, seats] = encode(update)
            return told[False, seats]

        return tell

    def catch_up(
        self, since: int | None, you: You, legal: Seats | None = None
    ) -> Snapshot | Update:
        """What a client needs that has seen all entries up to a number."""
        seq = self._log.seq
        if since is None or since > seq or seq - since > MISSED:
            return self.snapshot(you, legal)
        return self.update(since, legal=legal)

    def presence(self) -> Presence:
        """Who is present, and whether the bots are ready."""
        state = self._log.state
        return Presence(
            present=self._presence.present(state.seats),
            absent=self._presence.away(state.seats),
            watching=self._presence.watching(state.players()),
            names=[seat.info(self.names).name for seat in state.seats],
            thinking=self._thinking(),
        )

    def preview(self, player: str, command: Preview) -> Previews:
        """The effects of each legal action of one of a player's seats."""
        seat = held_seat(self._log.state, player, command.seat)
        record = self._log.state.record
        if record is None:
            raise Refusal("not_started")
        self._renew()
        if seat not in self._previews:
            self._previews[seat] = Raw(encode(previews(record.game, seat)))
        shown = cast("list[PreviewView]", self._previews[seat])
        return Previews(command.id, self._log.seq, shown)

    # --- the game ----------------------------------------------------------------------------

    def _everybody(self) -> Seats:
        return tuple(range(len(self._log.state.seats)))

    def _game_view(self, legal: Seats | None) -> Raw | None:
        picture = self._renewed_picture()
        return picture.whole(self._everybody() if legal is None else legal) if picture else None

    def _renewed_picture(self) -> Picture | None:
        """The game as it is now."""
        record = self._log.state.record
        if record is None:
            self._picture = None
        elif self._picture is None or self._picture.game is not record.game:
            self._picture = Picture(self._log.seq, record.game, self._picture)
        else:
            self._picture.seq = self._log.seq  # an input that did not change the game
        return self._picture

    def _renew(self) -> None:
        """Drop what was built for an earlier state."""
        if self._made_for is not self._log.state:
            self._made_for = self._log.state
            self._previews.clear()

    def _thinking(self) -> bool:
        return self._log.state.driven and self._workers.state != "ready"
