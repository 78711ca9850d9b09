"""One live table: the only writer of its game.

People and bots enter by the same door. A command becomes inputs; the inputs are tried on a copy of
the table, written and committed; only then the copy takes its place, and everybody is told.
"""

from __future__ import annotations

import asyncio
import random
import secrets
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Protocol, cast

import msgspec
import structlog
from msgspec import Raw

from foxtray.bots import SUBSTITUTE, BotError
from foxtray.errors import FoxtrayError
from foxtray.game import Game
from foxtray.server import inputs, messages
from foxtray.server.crew import Crew
from foxtray.server.inputs import AnyInput
from foxtray.server.messages import Ack, Entry, Presence, Previews, Snapshot, Update, You
from foxtray.server.refusals import Refusal
from foxtray.server.state import Happened, TableState
from foxtray.server.store import (
    Addition,
    Conflict,
    LogRow,
    NewTable,
    StorageFailing,
    Store,
    TableRow,
)
from foxtray.server.timing import now
from foxtray.views import GameView, PreviewView, game_view, previews

log = structlog.get_logger()
encode = msgspec.json.Encoder().encode

MISSED = 200
"""Whoever missed more than this many entries gets a snapshot."""
STORY = 60
"""How many entries a snapshot tells."""
LONGEST = 5_000
"""Rows of a log, ten times those of a long game: after these only what brings it to its end."""
FORWARD = (messages.Start, messages.Roll, messages.Play, messages.Rematch)
HTTP_PRESENCE = 30.0
CLOCK = -1


class Listener(Protocol):
    """Somebody connected to a table."""

    player: str | None

    def push(self, data: bytes) -> None:
        """Queue a message; never waits."""

    def drop(self, reason: str) -> None:
        """End the connection; a client comes back."""


@dataclass(slots=True)
class Surroundings:
    """What all tables of a server share."""

    store: Store
    crew: Crew
    make_rematch: Callable[[TableState, str], NewTable]
    absence: float = 60.0
    """Seconds until a seat counts as absent."""
    bot_pause: float = 1.0
    """Seconds a bot pauses on average, where the table wants that."""


def entry_of(row: LogRow, entry: AnyInput, happened: Happened) -> Raw:
    """An input as clients are told it."""
    told = Entry(
        seq=row.seq,
        at=row.at,
        what=type(entry).__struct_config__.tag,  # type: ignore[arg-type]
        seat=getattr(entry, "seat", None),
        action=happened.undone or getattr(entry, "action", None),
        bot=getattr(entry, "bot", None),
        events=[event.as_dict() for event in happened.events],
    )
    return Raw(encode(told))


class Table:
    """A table in memory, with everybody who is connected to it."""

    def __init__(
        self, row: TableRow, rows: list[LogRow], names: dict[str, str], around: Surroundings
    ) -> None:
        self.around = around
        self.names = names
        self.lock = asyncio.Lock()
        self.listeners: set[Listener] = set()
        self.changed = asyncio.Event()
        self.touched = time.monotonic()
        self.closed = False
        self.doubtful = False
        """A write failed: what the log holds is known only after reading it again."""
        self._away: dict[int, int] = {}
        self._visited = -HTTP_PRESENCE
        """When somebody was here over HTTP."""
        self._deadlines: dict[int, int] = {}
        self._alarm: asyncio.TimerHandle | None = None
        self._tasks: dict[int, asyncio.Task[None]] = {}
        """The bots at work, by seat, and under CLOCK the one who looks after it."""
        self._hurry = asyncio.Event()
        """Set where bots do not pause."""
        self._row = row
        self._replay(rows)
        for seat, owner in enumerate(self.state.seats):
            if owner.player:
                self._away[seat] = now()

    def _replay(self, rows: list[LogRow]) -> None:
        self.rows: list[LogRow] = []
        self.entries: list[Raw] = []
        self.commands: dict[str, int] = {}
        self.state = TableState(self._row)
        for row in rows:
            entry = inputs.decode(row.data)
            self._keep(row, entry, self.state.apply(entry))
        self._previews: dict[int, tuple[int, Raw]] = {}
        self._view: tuple[int, Raw | None] = (-1, None)
        self._earlier: tuple[Game, GameView] | None = None

    def _keep(self, row: LogRow, entry: AnyInput, happened: Happened) -> None:
        self.rows.append(row)
        self.entries.append(entry_of(row, entry, happened))
        if row.command is not None:
            self.commands[row.command] = row.seq

    @property
    def id(self) -> str:
        return self._row.id

    @property
    def seq(self) -> int:
        return len(self.rows)

    # --- commands ----------------------------------------------------------------------------

    async def execute(self, player: str, command: messages.TableCommand, key: str = "") -> Ack:
        """Carry out a command once, however often it comes; raises FoxtrayError if refused."""
        async with self.lock:
            if self.closed:
                raise Refusal("no_table")
            await self._settle_doubt()
            tag = f"{player} {command.id}"
            if tag in self.commands:
                return self._ack(command, self.commands[tag])
            if self.seq >= LONGEST and not isinstance(command, FORWARD):
                raise Refusal("too_long")
            wanted = self.state.decide(player, command, key, self.absent, self.around.crew.bots)
            opened = None
            if isinstance(command, messages.Rematch) and self.state.rematch is None:
                opened = self.around.make_rematch(self.state, player)
                wanted = [inputs.Rematched(opened.row.id)]
            if wanted:
                await self._commit(wanted, tag, opened)
            return self._ack(command, self.seq)

    def _ack(self, command: messages.TableCommand, seq: int) -> Ack:
        if isinstance(command, messages.Rematch) and self.state.rematch:
            return Ack(command.id, seq, self.state.rematch)
        return Ack(command.id, seq)

    async def _settle_doubt(self) -> None:
        """After a failed write, read what the log really holds before going on."""
        if not self.doubtful:
            return
        if self.around.store.failing:
            raise Refusal("storage_failing")
        before = self.seq
        self._replay(await self.around.store.log(self.id))
        self.doubtful = False
        if self.seq > before:
            await self._learn_names()
            self._broadcast(before, whole=True)

    async def _commit(
        self, wanted: Sequence[AnyInput], tag: str | None, opened: NewTable | None = None
    ) -> None:
        """Try, write, and only then let anybody know. Called with the lock held."""
        before = self.seq
        at = now()
        state = self.state.copy()
        happened = [state.apply(entry) for entry in wanted]
        rows = [
            LogRow(
                before + number, at, inputs.encode(entry), tag if number == len(wanted) else None
            )
            for number, entry in enumerate(wanted, 1)
        ]
        over = state.status == "over" and self.state.status != "over"
        try:
            await self.around.store.append(
                Addition(
                    self.id,
                    rows,
                    seating=self._seating(wanted),
                    results=state.results(at) if over else (),
                    opened=opened,
                )
            )
        except asyncio.CancelledError:
            self.doubtful = True
            raise
        except (StorageFailing, Conflict) as error:
            self.doubtful = True
            raise Refusal("storage_failing") from error
        self.state = state
        for row, entry, what in zip(rows, wanted, happened, strict=True):
            self._keep(row, entry, what)
            self._note_presence(entry)
        if any(isinstance(entry, inputs.Sat) for entry in wanted):
            await self._learn_names()
        if self.state.pause:
            self._hurry.clear()
        else:
            self._hurry.set()
        for entry in wanted:
            acted = getattr(entry, "seat", None)
            if acted is not None:
                self._deadlines.pop(acted, None)
            elif isinstance(entry, inputs.Threw):
                # Only the thrower was waited for; what to do with the dice is another decision.
                self._deadlines.clear()
        whole = over or any(
            not isinstance(e, inputs.Threw | inputs.Played | inputs.Undid) for e in wanted
        )
        self.drive()
        self._broadcast(before, whole=whole)

    def _seating(self, wanted: Sequence[AnyInput]) -> list[tuple[int, str | None]]:
        """Whose list a table is on: it leaves that of whoever gives up his seat."""
        changed: list[tuple[int, str | None]] = []
        for entry in wanted:
            match entry:
                case inputs.Sat(seat, player, _):
                    changed.append((seat, player))
                case inputs.Left(seat) | inputs.Reseated(seat, _):
                    changed.append((seat, None))
                case inputs.TookOver(seat, _, True):
                    changed.append((seat, None))
                case inputs.Resumed(seat):
                    changed.append((seat, self.state.seats[seat].player))
        return changed

    async def _learn_names(self) -> None:
        try:
            self.names = await self.around.store.names(self.state.players())
        except StorageFailing as error:
            log.warning("names_unknown", table=self.id, cause=str(error))

    # --- telling -----------------------------------------------------------------------------

    def _game(self) -> Raw | None:
        """The view of the game, made once for each number."""
        if self._view[0] != self.seq:
            record = self.state.record
            if record:
                self._earlier = record.game, game_view(record.game, self._earlier)
            self._view = (self.seq, Raw(encode(self._earlier[1])) if self._earlier else None)
        return self._view[1]

    def update(self, since: int, *, whole: bool = True) -> Update:
        """What happened after a number."""
        made = Update(
            seq=self.seq,
            previous=since,
            entries=cast("list[Entry]", self.entries[since:]),
            undo=self.state.undoable(),
            deadlines=dict(self._deadlines),
        )
        if whole:
            made.table = self.state.info(self.names)
        game = self._game()
        if game is not None:
            made.game = game  # type: ignore[assignment]
        return made

    def _broadcast(self, since: int, *, whole: bool) -> None:
        self.touched = time.monotonic()
        self.changed.set()
        self.changed = asyncio.Event()
        if self.listeners:
            self.tell(encode(self.update(since, whole=whole)))

    def tell(self, data: bytes) -> None:
        """Queue a message for everybody."""
        for listener in list(self.listeners):
            listener.push(data)

    def snapshot(self, you: You) -> Snapshot:
        """The whole table."""
        present, absent = self._presence()
        return Snapshot(
            seq=self.seq,
            you=you,
            table=self.state.info(self.names),
            game=cast("GameView | None", self._game()),
            undo=self.state.undoable(),
            deadlines=dict(self._deadlines),
            present=present,
            absent=absent,
            watching=self._watching(),
            thinking=self._thinking(),
            entries=cast("list[Entry]", self.entries[-STORY:]),
        )

    def catch_up(self, since: int | None, you: You) -> bytes:
        """What somebody needs who has seen everything up to a number."""
        if since is None or since > self.seq or self.seq - since > MISSED:
            return encode(self.snapshot(you))
        return encode(self.update(since))

    def preview(self, player: str, command: messages.Preview) -> bytes:
        """What each legal action of a player would set off."""
        seat = self.state.seat_of(player)
        if seat is None:
            raise Refusal("not_seated")
        record = self.state.record
        if record is None:
            raise Refusal("not_started")
        if self._previews.get(seat, (-1, None))[0] != self.seq:
            self._previews[seat] = self.seq, Raw(encode(previews(record.game, seat)))
        shown = cast("list[PreviewView]", self._previews[seat][1])
        return encode(Previews(command.id, self.seq, shown))

    # --- presence ----------------------------------------------------------------------------

    def join(self, listener: Listener) -> None:
        """Somebody connects; if nobody was here before, clocks run again."""
        self.listeners.add(listener)
        self.touched = time.monotonic()
        seat = self.state.seat_of(listener.player)
        if seat is not None:
            self._away.pop(seat, None)
        self._set_clock(self.state.wanted())

    async def enter(self, listener: Listener) -> None:
        """Somebody is up to date; an owner who was stood in for has his seat back."""
        seat = self.state.seat_of(listener.player)
        if seat is not None and self._may_return(seat):
            await self._resume(seat)
        self.announce()
        self.drive()

    def _note_presence(self, entry: AnyInput) -> None:
        """A seat with another owner, or none, begins anew; an owner may be here already."""
        if isinstance(entry, inputs.Sat | inputs.Left | inputs.Reseated):
            self._away.pop(entry.seat, None)
        if isinstance(entry, inputs.Sat) and not self._is_connected(entry.player):
            self._away[entry.seat] = now()

    def _is_connected(self, player: str | None) -> bool:
        return any(listener.player == player for listener in self.listeners)

    def _may_return(self, seat: int) -> bool:
        """Whether being here is enough to have a seat back."""
        owner = self.state.seats[seat]
        return owner.stand_in is not None and not owner.given_up

    async def _resume(self, seat: int) -> None:
        async with self.lock:
            if self._may_return(seat) and self.state.status == "playing" and not self.closed:
                try:
                    await self._settle_doubt()
                    await self._commit([inputs.Resumed(seat)], None)
                except FoxtrayError as error:
                    log.warning("resume_failed", table=self.id, cause=str(error))

    def depart(self, listener: Listener) -> None:
        """Somebody's connection ends."""
        self.listeners.discard(listener)
        self.touched = time.monotonic()
        seat = self.state.seat_of(listener.player)
        if seat is not None and not self._is_connected(listener.player):
            self._away[seat] = now()
        self.announce()
        self.drive()

    def visit(self, player: str) -> None:
        """A player was here over HTTP."""
        self.touched = self._visited = time.monotonic()
        seat = self.state.seat_of(player)
        if seat is not None and seat in self._away:
            self._away[seat] = now()
        self.drive()

    def absent(self, seat: int) -> bool:
        """Whether a seat has been away for long enough to be stood in for."""
        since = self._away.get(seat)
        return since is not None and now() - since >= self.around.absence * 1000

    def _presence(self) -> tuple[list[bool], list[int | None]]:
        seats = self.state.seats
        present = [
            bool(s.bot) or (bool(s.player) and i not in self._away) for i, s in enumerate(seats)
        ]
        return present, [self._away.get(i) if s.player else None for i, s in enumerate(seats)]

    def _watching(self) -> int:
        return sum(1 for li in self.listeners if self.state.seat_of(li.player) is None)

    @property
    def driven(self) -> bool:
        """Whether a bot has a seat, or plays for somebody."""
        return any(seat.driver for seat in self.state.seats)

    def _thinking(self) -> bool:
        return self.driven and self.around.crew.state != "ready"

    def presence(self) -> Presence:
        present, absent = self._presence()
        names = [seat.info(self.names).name for seat in self.state.seats]
        return Presence(present, absent, self._watching(), names, self._thinking())

    def announce(self) -> None:
        """Tell everybody who is there, and whether the bots are ready."""
        if self.listeners:
            self.tell(encode(self.presence()))

    async def renamed(self) -> None:
        """A player changed his name."""
        await self._learn_names()
        self.announce()

    def inhabited(self) -> bool:
        """Whether a person is connected, or was here over HTTP a moment ago."""
        return bool(self.listeners) or time.monotonic() - self._visited < HTTP_PRESENCE

    # --- bots and the clock --------------------------------------------------------------------

    def drive(self) -> None:
        """Let bots act and clocks run for those the game waits for."""
        wanted = self.state.wanted() if self.inhabited() else ()
        for seat in wanted:
            if self.state.seats[seat].driver and seat not in self._tasks and not self.closed:
                task = asyncio.create_task(self._play_bot(seat))
                self._tasks[seat] = task
                task.add_done_callback(partial(self._rested, seat))
        self._set_clock(wanted)

    def _rested(self, seat: int, task: asyncio.Task[None]) -> None:
        self._tasks.pop(seat, None)
        if not task.cancelled() and (error := task.exception()):
            log.error("bot_task_failed", table=self.id, cause=repr(error))
        if seat in self.state.wanted() and not task.cancelled():
            asyncio.get_running_loop().call_later(0.5, self.drive)

    async def _play_bot(self, seat: int) -> None:
        """Act for a seat as long as the game waits for it and a bot drives it."""
        while seat in self.state.wanted() and self.inhabited():
            bot = self.state.seats[seat].driver
            if bot is None or self.around.store.failing:
                return
            if self.state.pause and self.around.bot_pause:
                await self._pause()
                if seat not in self.state.wanted() or self.state.seats[seat].driver != bot:
                    continue  # what it was to answer has been taken back, or its owner is here
            epoch = self.state.epoch
            action = None
            if self.state.to_throw() is None:
                action = await self._ask(seat, bot)
            try:
                await self._act_for(seat, bot, epoch, action)
            except FoxtrayError as error:
                log.warning("bot_refused", table=self.id, seat=seat, bot=bot, cause=str(error))
                return

    async def _pause(self) -> None:
        """As long as people look at the dice, or until the table wants no pauses any more."""
        try:
            async with asyncio.timeout(self.around.bot_pause * random.uniform(0.6, 1.4)):
                await self._hurry.wait()
        except TimeoutError:
            pass

    async def _ask(self, seat: int, bot: str) -> str | None:
        record = self.state.record
        assert record is not None
        try:
            position = record.game.position()
            return await self.around.crew.choose(position, seat, bot, secrets.randbits(63))
        except BotError as error:
            log.error("bot_failed", table=self.id, seat=seat, bot=bot, cause=str(error))
            await asyncio.sleep(5)
            return None

    async def _act_for(self, seat: int, bot: str, epoch: int, action: str | None) -> None:
        """Carry out what a bot decided, unless things have changed meanwhile."""
        async with self.lock:
            await self._settle_doubt()
            changed = self.state.seats[seat].driver != bot or self.state.epoch != epoch
            if changed or self.closed:
                return
            if self.state.to_throw() == seat:
                await self._commit([self.state.throw()], None)
            elif action is not None and seat in self.state.wanted():
                await self._commit([inputs.Played(seat, action, bot)], None)

    def _set_clock(self, wanted: Sequence[int]) -> None:
        """Note until when people have to act, and wake up at the first of these moments."""
        if self._alarm:
            self._alarm.cancel()
            self._alarm = None
        clock = self.state.setup.clock
        if not clock:
            return
        slow = [seat for seat in wanted if not self.state.seats[seat].driver]
        self._deadlines = {seat: self._deadlines.get(seat, now() + clock * 1000) for seat in slow}
        if slow:
            delay = max(0, min(self._deadlines.values()) - now()) / 1000
            self._alarm = asyncio.get_running_loop().call_later(delay, self._ring)

    def _ring(self) -> None:
        late = [seat for seat, until in self._deadlines.items() if until <= now()]
        task = asyncio.create_task(self._step_in(late))
        self._tasks[CLOCK] = task
        task.add_done_callback(lambda done: self._tasks.pop(CLOCK, None))

    async def _step_in(self, late: list[int]) -> None:
        """The clock ran out: a bot acts for those who are late, until they return."""
        async with self.lock:
            try:
                await self._settle_doubt()
                # Whoever acted while the lock was taken has a new deadline.
                due = [s for s in late if self._deadlines.get(s, now() + 1) <= now()]
                waiting = [s for s in due if s in self.state.wanted()]
                wanted = [inputs.TookOver(s, SUBSTITUTE) for s in waiting]
                wanted = [w for w in wanted if not self.state.seats[w.seat].driver]
                if wanted and not self.closed:
                    await self._commit(wanted, None)
            except FoxtrayError as error:
                log.warning("clock_failed", table=self.id, cause=str(error))
        self.drive()

    async def close(self) -> None:
        """Stop everything that still runs for this table."""
        self.closed = True
        if self._alarm:
            self._alarm.cancel()
        tasks = list(self._tasks.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
