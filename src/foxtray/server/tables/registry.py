"""All tables of a server: made, brought back from their logs when somebody comes, put away."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from contextlib import suppress

import structlog

from foxtray.bots import usual
from foxtray.errors import FoxtrayError
from foxtray.game import RULES_VERSION
from foxtray.games.registry import SHEETS
from foxtray.server.background import Background
from foxtray.server.bots.pool import WorkerPool
from foxtray.server.machine import MACHINE, Machine
from foxtray.server.players import new_id
from foxtray.server.protocol.codec import encode
from foxtray.server.protocol.inputs import decode_setup
from foxtray.server.protocol.messages import Leave, Notice, OfflineGame, TableWish
from foxtray.server.protocol.refusals import Refusal
from foxtray.server.settings import Settings
from foxtray.server.store import Addition, Conflict, PlayerRow, Store, TableRow
from foxtray.server.tables.commands import Person
from foxtray.server.tables.context import TableContext
from foxtray.server.tables.creation import check_wish, continued_table, wished_table
from foxtray.server.tables.day_open import check_closed
from foxtray.server.tables.log import TableLog
from foxtray.server.tables.offline import offline_table
from foxtray.server.tables.outdated import OutdatedTable
from foxtray.server.tables.reading import Reading, Readings
from foxtray.server.tables.state import TableState
from foxtray.server.tables.table import Table
from foxtray.server.tables.trusted_clock import TrustedClock
from foxtray.server.wall_clock import DAY

log = structlog.get_logger()

IDLE = 300.0
"""Seconds after which a table that nobody is at is put away."""
SWEEP = 30.0
EXPIRY = 3600.0
EXPIRE_AT_ONCE = 20


class TableRegistry:
    """The tables in memory, and the way to all others."""

    def __init__(
        self,
        store: Store,
        workers: WorkerPool,
        settings: Settings,
        machine: Machine = MACHINE,
        *,
        check_throws: bool = True,
    ) -> None:
        self.store = store
        self.settings = settings
        self.tables: dict[str, Table] = {}
        self.machine = machine
        self.context = TableContext(
            store,
            workers,
            absence=settings.absence,
            reveal=settings.reveal,
            bot_pause=settings.bot_pause,
            check_throws=check_throws,
            machine=machine,
        )
        self._clock = TrustedClock(store, machine.now, machine.monotonic)
        self._loading: dict[str, asyncio.Task[Table]] = {}
        self._claimed_since: dict[str, int] = {}
        """The epochs of claims by others that were heard of while a table was brought back."""
        self._readings = Readings()
        self._going_on: dict[asyncio.Task[None], None] = {}
        self.tasks = Background()
        store.watch(self._storage_changed)
        workers.watch(self._bots_changed)

    def start(self) -> None:
        self.tasks.start("sweeper", self._sweep())

    async def close(self) -> None:
        await self.tasks.close()
        for task in list(self._going_on):
            task.cancel()
        await asyncio.gather(*self._going_on, return_exceptions=True)
        await asyncio.gather(*(table.close() for table in self.tables.values()))

    # --- finding -----------------------------------------------------------------------------

    async def table(self, name: str) -> Table:
        """A table, brought back if it is not in memory."""
        if name in self.tables:
            return self.tables[name]
        if name not in self._loading:
            self._loading[name] = asyncio.create_task(self._load(name))
            self._loading[name].add_done_callback(lambda _: self._loading.pop(name, None))
        return await asyncio.shield(self._loading[name])

    async def visible(self, name: str, player: str | None, key: str) -> Table:
        """A table that somebody may see."""
        try:
            table = await self.table(name)
        except Refusal as error:
            if error.code in ("rules_changed", "unknown_game"):
                await self._visible_outdated(name, player, key)
            raise
        await self._check_seen(table.state, player, key)
        return table

    async def _visible_reading(self, name: str, player: str, key: str) -> TableState:
        """What somebody may see of a table, which stays with its owner."""
        state = (await self.read(name)).state
        await self._check_seen(state, player, key)
        return state

    async def _check_seen(self, state: TableState, player: str | None, key: str) -> None:
        """Refuse those who may not look at a table: at the dice of a day, all but their player."""
        if not state.may_see(player, key):
            raise Refusal("no_table")
        if player != state.row.host:
            await check_closed(self.store, state)

    async def _visible_outdated(self, name: str, player: str | None, key: str) -> OutdatedTable:
        """A table played under earlier rules that somebody may see."""
        outdated = await OutdatedTable.load(self.store, await self._row(name))
        await self._check_seen(outdated.state, player, key)
        return outdated

    async def _load(self, name: str) -> Table:
        """Claim a table, and bring it back; what is read after the claim is all there is."""
        self._claimed_since.pop(name, None)
        claim = await self.store.claim(name)
        if claim is None:
            raise Refusal("no_table")
        await self._check_playable(claim.row)
        rows = await self.store.log(name)
        try:
            # A long game takes a while, in which others want to move.
            table = await asyncio.to_thread(Table, claim.row, rows, self.context, claim.epoch)
        except Exception as error:
            raise self._damaged(name, error) from error
        table.views.names = await self.store.names(table.state.players())
        if self._claimed_since.pop(name, 0) > claim.epoch:
            raise Refusal("moved")
        table.on_lost = lambda: self.lose(table)
        self.tables[name] = table
        self._readings.forget(name)
        return table

    async def _check_playable(self, row: TableRow) -> None:
        if row.rules != RULES_VERSION:
            raise Refusal("rules_changed", (await OutdatedTable.load(self.store, row)).reason)
        game = decode_setup(row.setup).game
        if game not in SHEETS:
            raise Refusal("unknown_game", f"the game {game!r} is not installed on this server")

    def _damaged(self, name: str, error: Exception) -> Refusal:
        log.error("table_damaged", table=name, cause=repr(error))
        return Refusal("table_damaged")

    async def read(self, name: str) -> Reading:
        """A table to look at; whoever owns it keeps it."""
        if table := self.tables.get(name):
            return Reading(table.log, table.views.names)
        if known := self._readings.find(name):
            known.log.extend(await self.store.log(name, after=known.log.seq))
            return self._readings.keep(known)
        row = await self._row(name)
        await self._check_playable(row)
        rows = await self.store.log(name)
        checked = self.context.check_throws
        try:
            read = await asyncio.to_thread(TableLog, row, rows, check_throws=checked)
        except Exception as error:
            raise self._damaged(name, error) from error
        names = await self.store.names(read.state.players())
        return self._readings.keep(Reading(read, names))

    async def _row(self, name: str) -> TableRow:
        row = await self.store.table(name)
        if row is None:
            raise Refusal("no_table")
        return row

    async def record(self, name: str, player: str | None, key: str) -> str:
        """The record of a table; of one played under earlier rules as far as its log tells."""
        row = await self._row(name)
        if row.rules == RULES_VERSION:
            table = await self.visible(name, player, key)
            if not table.state.revealed:
                raise Refusal("not_over")
            await check_closed(self.store, table.state)
            return table.state.record_text(table.views.names)
        outdated = await self._visible_outdated(name, player, key)
        await check_closed(self.store, outdated.state)
        return outdated.record_text()

    async def secret(self, name: str, player: str | None, key: str) -> bytes:
        """The secret of the dice of a game that nobody plays any more.

        Of a table that has expired nothing else is left, also not who may see it: its id suffices.
        """
        if await self.store.table(name) is None:
            expired = await self.store.expired_secret(name)
            if expired is None:
                raise Refusal("no_table")
            return expired
        state = (await self.visible(name, player, key)).state
        if not state.has_secret:
            raise Refusal("not_found", "the dice of this game have no secret")
        if not state.revealed:
            raise Refusal("not_over")
        await check_closed(self.store, state)
        return state.row.secret

    # --- making ------------------------------------------------------------------------------

    async def _unfinished(self, player: str) -> int:
        """How many tables a player has going: where they sit, and where they let bots play."""
        setups = map(decode_setup, await self.store.unattended(player))
        among_bots = sum(all(seat.bot for seat in setup.seats) for setup in setups)
        return await self.store.unfinished(player) + among_bots

    async def create(self, player: PlayerRow, wish: TableWish) -> Reading:
        """A new table as wished."""
        check_wish(wish, self.context.workers.bots)
        if self.settings.limits:
            if await self._unfinished(player.id) >= self.settings.tables_per_player:
                raise Refusal("too_many_tables")
        if wish.play_on:
            return await self._play_on(player, wish)
        earlier = await self._same_dice(player, wish) if wish.same_dice else None
        opened = wished_table(player.id, wish, earlier, self.machine)
        await self.store.add_table(opened.row, opened.seating, opened.root)
        return await self.read(opened.row.id)

    async def _play_on(self, player: PlayerRow, wish: TableWish) -> Reading:
        """A table at which an earlier game is continued from one of its moments."""
        assert wish.play_on
        earlier = await self._visible_reading(wish.play_on.table, player.id, wish.play_on.key)
        if earlier.status != "over" or earlier.setup.game != wish.game:
            raise Refusal("no_such_moment")
        await check_closed(self.store, earlier)
        stand_in = wish.stand_in or usual(wish.game)
        opened, rows = continued_table(player, wish.play_on, earlier, stand_in, self.machine)
        await self.store.append(Addition(opened.row.id, rows, opened=opened))
        return await self.read(opened.row.id)

    async def keep(self, player: PlayerRow, game: OfflineGame) -> str:
        """Keep a game that was played without the server; handed over twice, it is kept once."""
        for seat in game.seats:
            if seat.kind == "bot" and seat.bot not in self.context.workers.bots:
                raise Refusal("unknown_bot")
        addition = await asyncio.to_thread(offline_table, player.id, game, self.machine)
        if await self.store.table(addition.table) is None:
            with suppress(Conflict):  # it was handed over at the same moment
                await self.store.append(addition)
        return addition.table

    async def _same_dice(self, player: PlayerRow, wish: TableWish) -> TableState:
        """The finished solo game whose dice are to be played again."""
        assert wish.same_dice
        earlier = await self._visible_reading(wish.same_dice.table, player.id, wish.same_dice.key)
        fits = earlier.setup.game == wish.game and len(earlier.seats) == 1
        if earlier.status != "over" or not fits or earlier.commitment() is None:
            raise Refusal("same_dice_unknown")
        await check_closed(self.store, earlier)
        return earlier

    # --- players -----------------------------------------------------------------------------

    async def renamed(self, player: str) -> None:
        """Let everybody know a new name."""
        self._readings.clear()
        for table in list(self.tables.values()):
            if table.state.seat_of(player) is not None:
                await table.renamed()

    async def replace_banned(self, player: str) -> None:
        """Let bots play on for a banned player, wherever others wait for them."""
        for name in await self.store.tables_of(player, over=False, limit=1_000):
            try:
                table = await self.table(name)
                if set(table.state.players()) - {player}:
                    await table.execute(
                        Person(player), Leave(id=f"banned-{new_id(self.machine.rng)}")
                    )
            except FoxtrayError as error:
                log.info("not_left", table=name, cause=str(error))

    async def remove(self, name: str) -> None:
        """Delete a table, whoever is there."""
        self._readings.forget(name)
        if name in self.tables:
            await self.put_away(self.tables[name])
        await self.store.delete_table(name)
        await self._finish_loading()  # somebody may have come back meanwhile
        if name in self.tables:
            await self.put_away(self.tables[name])

    async def part(self, player: PlayerRow) -> None:
        """A player is about to be deleted: bots play on for them."""
        for name in await self.store.tables_of(player.id, over=False, limit=1_000):
            try:
                table = await self.table(name)
                await table.execute(
                    Person(player.id), Leave(id=f"deleted-{new_id(self.machine.rng)}")
                )
                if not set(table.state.players()) - {player.id}:
                    await self.put_away(table)  # it will be deleted: no bot plays on there
            except FoxtrayError as error:
                log.info("not_left", table=name, cause=str(error))

    async def drop_deleted(self, player: PlayerRow) -> None:
        """Put away every table that knew a deleted player: it is gone, or its log has changed."""
        await self._finish_loading()
        self._readings.clear()
        for table in list(self.tables.values()):
            if player.id in (*table.state.players(), table.state.row.host):
                await self.put_away(table)

    # --- other servers -----------------------------------------------------------------------

    def claimed(self, name: str, epoch: int) -> None:
        """Another server has claimed a table, or deleted it."""
        self._readings.forget(name)
        if name in self._loading:
            self._claimed_since[name] = epoch
        table = self.tables.get(name)
        if table and table.epoch < epoch:
            self.lose(table)

    def lose(self, table: Table) -> None:
        """Another server has the table: everybody who is here goes there."""
        if self.tables.get(table.id) is table:
            log.info("table_moved", table=table.id)
            del self.tables[table.id]
        table.closed = True
        table.changed.set()  # who waits over HTTP is told, too
        table.presence.drop_all("moved")
        self._in_background(table.close())

    async def revalidate(self) -> None:
        """Claims of others may have been missed: ask which tables are still ours."""
        self._readings.clear()
        await self._finish_loading()
        claims = {name: table.epoch for name, table in self.tables.items()}
        try:
            lost = await self.store.lost(claims)
        except FoxtrayError as error:  # asked again when the store can be reached
            log.warning("claims_unknown", cause=str(error))
            return
        for name in lost:
            table = self.tables.get(name)
            if table and table.epoch == claims[name]:
                self.lose(table)

    def _in_background(self, work: Coroutine[object, object, None]) -> None:
        task = asyncio.create_task(work)
        self._going_on[task] = None
        task.add_done_callback(self._going_on.pop)

    # --- keeping house -----------------------------------------------------------------------

    async def put_away(self, table: Table) -> None:
        """Take a table out of memory; clients come back, and learn whether it still exists."""
        self.tables.pop(table.id, None)
        await table.close()
        table.presence.drop_all("put_away")

    async def _finish_loading(self) -> None:
        """Tables that are being brought back were perhaps read before they were deleted."""
        await asyncio.gather(*self._loading.values(), return_exceptions=True)

    async def _sweep(self) -> None:
        due = self.machine.monotonic()
        while True:
            if self.machine.monotonic() >= due and not self.store.failing:
                due = self.machine.monotonic() + EXPIRY
                await self._expire_by_the_clock()
            await asyncio.sleep(SWEEP)
            old = self.machine.monotonic() - IDLE
            for table in list(self.tables.values()):
                if table.idle_since(old):
                    await self.put_away(table)

    async def _expire_by_the_clock(self) -> None:
        try:
            at = await self._clock.time()
        except FoxtrayError as error:  # the next hour tries again
            log.warning("expire_failed", cause=str(error))
            return
        if at is not None:
            await self.expire(at)

    async def expire(self, at: int) -> None:
        """Delete what is older at that time than the host wants to keep."""
        count = 0
        # In small steps: moves are written between them.
        while gone := await self._expire_some(at):
            count += len(gone)
            await self._finish_loading()
            for name in gone:
                self._readings.forget(name)
                if name in self.tables:
                    await self.put_away(self.tables[name])
        if count:
            log.info("tables_expired", count=count)

    async def _expire_some(self, at: int) -> list[str]:
        try:
            return await self.store.expire(
                finished_before=at - self.settings.keep_finished * DAY,
                idle_before=at - self.settings.keep_unfinished * DAY,
                limit=EXPIRE_AT_ONCE,
            )
        except Exception as error:  # the next hour tries again
            log.warning("expire_failed", cause=str(error))
            return []

    def _storage_changed(self, failing: str | None) -> None:
        """Tell everybody that moves cannot be written, or can be again."""
        if failing is None:
            log.info("storage_back")
            notice = Notice("storage_back", "moves are written again")
        else:
            log.error("storage_failing", cause=failing)
            notice = Notice("storage_failing", Refusal("storage_failing").args[0])
        data = encode(notice)
        for table in list(self.tables.values()):
            table.presence.tell(data)
        if failing is None:
            self._in_background(self._go_on())

    async def _go_on(self) -> None:
        """Moves are written again: let every table find out what its log holds, and go on."""
        await asyncio.gather(*(table.go_on() for table in self.tables.values()))

    def _bots_changed(self) -> None:
        """Let tables with bots say that these are ready, or not."""
        for table in list(self.tables.values()):
            if table.state.driven:
                table.announce()
