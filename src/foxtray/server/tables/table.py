"""One live table: the only writer of its game.

People and bots enter by the same door: a command becomes inputs; the inputs are tried on a copy of
the table, written and committed; only then the copy takes its place, and everybody is told.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Sequence

import structlog

from foxtray.errors import FoxtrayError
from foxtray.server.protocol import inputs, messages
from foxtray.server.protocol.codec import encode
from foxtray.server.protocol.messages import Ack, Answer, TableCommand
from foxtray.server.protocol.refusals import Refusal
from foxtray.server.store import (
    Conflict,
    LogRow,
    NewTable,
    StorageFailing,
    Superseded,
    TableRow,
)
from foxtray.server.tables.bot_driver import BotDriver
from foxtray.server.tables.commands import (
    Actor,
    Person,
    check_not_stale,
    decide,
    led_to,
    returning,
    standing_in,
    starting_late,
)
from foxtray.server.tables.context import TableContext
from foxtray.server.tables.log import Draft, TableLog
from foxtray.server.tables.presence import Listener, PresenceTracker
from foxtray.server.tables.start_timer import StartTimer
from foxtray.server.tables.state import TableState
from foxtray.server.tables.turn_clock import TurnClock
from foxtray.server.tables.views import TableViews

logger = structlog.get_logger()

FORWARD = (
    messages.Start,
    messages.Reveal,
    messages.Roll,
    messages.EnterFaces,
    messages.Play,
    messages.Rematch,
)
"""Commands that bring a game to its end, however long its log is."""
SAID = 64
"""Phrases of which the ids are remembered, so that one that is sent again is told once."""


class Table:
    """A table in memory: its log, who is there, its clock and its bots."""

    def __init__(
        self, row: TableRow, rows: Sequence[LogRow], context: TableContext, epoch: int = 0
    ) -> None:
        self.context = context
        self.epoch = epoch
        """Of the claim under which this server writes."""
        self.on_lost: Callable[[], None] = lambda: None
        """Called when it turns out that another server has claimed the table."""
        self.log = TableLog(row, rows, check_throws=context.check_throws)
        self.presence = PresenceTracker(self.state.seats, context.absence, context.machine)
        self.clock = TurnClock(self.state.setup.clock, self.replace_late, context.machine.now)
        self.start_timer = StartTimer(context.reveal, self.start_late)
        self.views = TableViews(self.log, self.presence, self.clock, context.workers)
        self.bots = BotDriver(self.log, self.presence, context, self.execute)
        self.lock = asyncio.Lock()
        """Held by the one who writes."""
        self._changed: asyncio.Event | None = None
        self._said: deque[str] = deque(maxlen=SAID)
        self.closed = False
        self.doubtful = False
        """A write failed: what the log holds is known only after reading it again."""

    @property
    def id(self) -> str:
        return self.log.table.id

    @property
    def changed(self) -> asyncio.Event:
        """Set when the next thing has been written."""
        self._changed = self._changed or asyncio.Event()
        return self._changed

    @property
    def state(self) -> TableState:
        return self.log.state

    # --- writing -----------------------------------------------------------------------------

    async def execute(self, actor: Actor, command: TableCommand) -> Ack:
        """Carry out a command once, however often it comes; raises FoxtrayError if refused."""
        async with self.lock:
            if self.closed:  # whoever comes back learns whether the table still exists
                raise Refusal("moved")
            await self._settle_doubt()
            tag = actor.tag(command)
            if tag is not None and tag in self.log.commands:
                seq = self.log.commands[tag]
                if not led_to(command, self.log, seq):
                    raise Refusal("id_used")
                return self._ack(command, seq)
            if self.log.seq >= self.context.longest and not isinstance(command, FORWARD):
                raise Refusal("too_long")
            if isinstance(actor, Person) and isinstance(command, Answer):
                check_not_stale(self.log, actor, command)
            machine = self.context.machine
            decision = decide(
                self.state,
                actor,
                command,
                self.presence.is_absent,
                self.context.workers.bots,
                machine,
            )
            if decision.inputs:
                draft = self.log.draft(decision.inputs, machine.now(), tag)
                await self._commit(draft, decision.opened)
            return self._ack(command, self.log.seq)

    def _ack(self, command: TableCommand, seq: int) -> Ack:
        if isinstance(command, messages.Rematch) and self.state.rematch:
            return Ack(command.id, seq, self.state.rematch)
        return Ack(command.id, seq)

    async def resume(self, player: str) -> None:
        """Give a player, who is here, their seats back, unless they gave them up."""
        async with self.lock:
            try:
                if not self.closed:
                    await self._settle_doubt()
                    await self._write(returning(self.state, player))
            except FoxtrayError as error:
                logger.warning("resume_failed", table=self.id, cause=str(error))

    async def replace_late(self, late: Sequence[int]) -> None:
        """The clock ran out for some seats: a bot acts for them."""
        async with self.lock:
            try:
                if not self.closed:
                    await self._settle_doubt()
                    # A seat that acted while the lock was taken has a new deadline.
                    await self._write(standing_in(self.state, self.clock.late(late)))
            except FoxtrayError as error:
                logger.warning("clock_failed", table=self.id, cause=str(error))
        self.drive()

    async def start_late(self) -> None:
        """The time to reveal entropy is over: the game begins without what is missing."""
        async with self.lock:
            try:
                if not self.closed:
                    await self._settle_doubt()
                    await self._write(starting_late(self.state))
            except FoxtrayError as error:
                logger.warning("start_failed", table=self.id, cause=str(error))
        self.drive()

    async def go_on(self) -> None:
        """Storage works again: tell the clients what was written although it seemed to fail."""
        async with self.lock:
            try:
                if not self.closed:
                    await self._settle_doubt()
            except FoxtrayError as error:
                logger.warning("doubt_remains", table=self.id, cause=str(error))
        self.drive()

    async def _write(self, entries: Sequence[inputs.AnyInput]) -> None:
        """Write what the table itself has decided. Called with the lock held."""
        if entries:
            await self._commit(self.log.draft(entries, self.context.machine.now()))

    async def _settle_doubt(self) -> None:
        """After a failed write, read what the log really holds before going on."""
        if not self.doubtful:
            return
        if self.context.store.failing:
            raise Refusal("storage_failing")
        before = self.log.seq
        self.log.replay(await self.context.store.log(self.id))
        self.doubtful = False
        if self.log.seq > before:
            await self.learn_names()
            self._broadcast(before, whole=True)

    async def _commit(self, draft: Draft, opened: NewTable | None = None) -> None:
        """Write a draft, and only then let anybody know. Called with the lock held."""
        before = self.log.seq
        try:
            await self.context.store.append(draft.addition(opened, self.epoch))
        except asyncio.CancelledError:
            self.doubtful = True
            raise
        except Superseded as error:
            self.on_lost()
            raise Refusal("moved") from error
        except (StorageFailing, Conflict) as error:
            self.doubtful = True
            raise Refusal("storage_failing") from error
        self.log.accept(draft)
        for entry in draft.inputs:
            self.presence.note(entry)
            self.clock.note(entry)
        if not draft.only_moves and any(isinstance(e, inputs.Sat) for e in draft.inputs):
            await self.learn_names()
        self.drive()
        self._broadcast(before, whole=not draft.only_moves)

    # --- telling -----------------------------------------------------------------------------

    def _broadcast(self, since: int, *, whole: bool) -> None:
        """Tell everybody what has been written after a number."""
        self.presence.touch()
        if self._changed:
            self._changed.set()
            self._changed = None
        if self.presence.listeners:
            self.presence.tell_each(self.views.news(since, whole=whole))

    def announce(self) -> None:
        """Tell everybody who is there, and whether the bots are ready."""
        if self.presence.listeners:
            self.presence.tell(encode(self.views.presence()))

    async def learn_names(self) -> None:
        """Ask what the players are called now."""
        try:
            self.views.names = await self.context.store.names(self.state.players())
        except StorageFailing as error:
            logger.warning("names_unknown", table=self.id, cause=str(error))

    async def renamed(self) -> None:
        """A player changed their name."""
        await self.learn_names()
        self.announce()

    def say(self, player: str, command: messages.Say) -> Ack:
        """Tell everybody a phrase; it is not kept."""
        seat = self.state.seat_of(player)
        if seat is None:
            raise Refusal("not_seated")
        if command.id not in self._said:
            self._said.append(command.id)
            said = messages.Said(seat, command.phrase, self.context.machine.now())
            self.presence.tell(encode(said))
        return Ack(command.id, self.log.seq)

    def set_pace(self, player: str, command: messages.Pace) -> Ack:
        """How fast a player wants bots to be; it is not kept."""
        if self.state.seat_of(player) is None:
            raise Refusal("not_seated")
        self.bots.set_pace(player, command.pace, skip=command.skip)
        return Ack(command.id, self.log.seq)

    # --- coming and going --------------------------------------------------------------------

    def join(self, listener: Listener) -> None:
        """Somebody connects; if nobody was here before, the clock runs again."""
        self.presence.connect(listener, self.state.seats_of(listener.player))
        self._run_clocks()

    async def enter(self, listener: Listener) -> None:
        """Somebody who has joined is up to date; an owner who was stood in for resumes."""
        if listener.player is not None and returning(self.state, listener.player):
            await self.resume(listener.player)
        self.announce()
        self.drive()

    def depart(self, listener: Listener) -> None:
        """Somebody's connection ends."""
        self.presence.disconnect(listener, self.state.seats_of(listener.player))
        self.announce()
        self.drive()

    def visit(self, player: str) -> None:
        """A player was here over HTTP."""
        self.presence.visit(self.state.seats_of(player))
        self.drive()

    # --- bots and the clock ------------------------------------------------------------------

    def drive(self) -> None:
        """Let bots act and the clocks run for those the game waits for."""
        self.bots.drive()
        self._run_clocks()

    def _run_clocks(self) -> None:
        here = self.presence.inhabited() and not self.closed
        self.start_timer.run(here and self.state.starting)
        if self.clock.seconds:
            waited_for = self.state.wanted() if here else ()
            self.clock.run([seat for seat in waited_for if not self.state.seats[seat].driver])

    def idle_since(self, moment: float) -> bool:
        """Whether nobody has been here since a moment, and nothing is being written."""
        quiet = not self.presence.listeners and self.presence.touched < moment
        return quiet and not self.lock.locked()

    async def close(self) -> None:
        """Stop everything that still runs for this table."""
        self.closed = True
        await asyncio.gather(self.clock.close(), self.start_timer.close(), self.bots.close())
