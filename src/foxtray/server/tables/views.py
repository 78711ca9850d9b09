"""The messages of a table to its clients: snapshots, updates, previews and presence."""

from __future__ import annotations

from typing import cast

from msgspec import Raw

from foxtray.game import Game
from foxtray.server.bots.pool import WorkerPool
from foxtray.server.protocol.codec import encode
from foxtray.server.protocol.messages import (
    Entry,
    Presence,
    Preview,
    Previews,
    Snapshot,
    Update,
    You,
)
from foxtray.server.protocol.refusals import Refusal
from foxtray.server.tables.log import TableLog
from foxtray.server.tables.presence import PresenceTracker
from foxtray.server.tables.state import TableState, held_seat
from foxtray.server.tables.turn_clock import TurnClock
from foxtray.views import GameView, PreviewView, game_view, previews

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
        """The state that the next two were built for; every input replaces it."""
        self._game: Raw | None = None
        self._previews: dict[int, Raw] = {}
        self._last: tuple[Game, GameView] | None = None

    def snapshot(self, you: You) -> Snapshot:
        """The whole table."""
        state = self._log.state
        return Snapshot(
            seq=self._log.seq,
            you=you,
            table=state.info(self.names),
            game=cast("GameView | None", self._game_view()),
            undo=state.undoable(),
            deadlines=self._clock.deadlines(),
            present=self._presence.present(state.seats),
            absent=self._presence.away(state.seats),
            watching=self._presence.watching(state.players()),
            thinking=self._thinking(),
            entries=cast("list[Entry]", self._log.entries[-STORY:]),
        )

    def update(self, since: int, *, whole: bool = True) -> Update:
        """What happened after a number; `whole` adds the table."""
        state = self._log.state
        made = Update(
            seq=self._log.seq,
            previous=since,
            entries=cast("list[Entry]", self._log.entries[since:]),
            undo=state.undoable(),
            deadlines=self._clock.deadlines(),
        )
        if whole:
            made.table = state.info(self.names)
        game = self._game_view()
        if game is not None:
            made.game = game  # type: ignore[assignment]
        return made

    def catch_up(self, since: int | None, you: You) -> Snapshot | Update:
        """What a client needs that has seen all entries up to a number."""
        seq = self._log.seq
        if since is None or since > seq or seq - since > MISSED:
            return self.snapshot(you)
        return self.update(since)

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

    def _game_view(self) -> Raw | None:
        self._renew()
        record = self._log.state.record
        if record and self._game is None:
            self._last = record.game, game_view(record.game, self._last)
            self._game = Raw(encode(self._last[1]))
        return self._game

    def _renew(self) -> None:
        """Drop what was built for an earlier state."""
        if self._made_for is not self._log.state:
            self._made_for = self._log.state
            self._game = None
            self._previews.clear()

    def _thinking(self) -> bool:
        return self._log.state.driven and self._workers.state != "ready"
