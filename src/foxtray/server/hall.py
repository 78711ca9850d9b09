"""All tables of a server: made, brought back from their logs when somebody comes, put away."""

from __future__ import annotations

import asyncio
import secrets
import time

import structlog

from foxtray.errors import FoxtrayError
from foxtray.game import RULES_VERSION
from foxtray.server import inputs
from foxtray.server.bygone import Bygone
from foxtray.server.crew import Crew
from foxtray.server.inputs import SeatSetup, TableSetup
from foxtray.server.limits import UNFINISHED
from foxtray.server.messages import Leave, Notice, SeatWish, TableWish
from foxtray.server.players import new_id, new_key
from foxtray.server.refusals import Refusal
from foxtray.server.settings import Settings
from foxtray.server.state import TableState
from foxtray.server.store import NewTable, PlayerRow, Store, TableRow
from foxtray.server.table import Surroundings, Table, encode
from foxtray.server.timing import now
from foxtray.sheets import sheet_of

log = structlog.get_logger()

IDLE = 300.0
"""Seconds after which a table that nobody is at is put away."""
SWEEP = 30.0
EXPIRY = 3600.0
DAY = 86_400_000


class Hall:
    """The tables in memory, and the way to all others."""

    def __init__(self, store: Store, crew: Crew, settings: Settings) -> None:
        self.store = store
        self.settings = settings
        self.tables: dict[str, Table] = {}
        self.around = Surroundings(
            store, crew, self._make_rematch, settings.absence, settings.bot_pause
        )
        self._loading: dict[str, asyncio.Task[Table]] = {}
        self._sweeper: asyncio.Task[None] | None = None
        store.watch(self._storage_changed)
        crew.watch(self._bots_changed)

    def start(self) -> None:
        self._sweeper = asyncio.create_task(self._sweep())

    async def close(self) -> None:
        if self._sweeper:
            self._sweeper.cancel()
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
            if error.code == "rules_changed":
                await self._visible_bygone(name, player, key)
            raise
        if not table.state.may_see(player, key):
            raise Refusal("no_table")
        return table

    async def _visible_bygone(self, name: str, player: str | None, key: str) -> Bygone:
        """A table of rules gone by that somebody may see."""
        bygone = await self.bygone(await self._row(name))
        if not bygone.state.may_see(player, key):
            raise Refusal("no_table")
        return bygone

    async def bygone(self, row: TableRow) -> Bygone:
        """A table of rules gone by, as far as its log says."""
        log = [inputs.decode(entry.data) for entry in await self.store.log(row.id)]
        results = await self.store.results(row.id)
        bygone = Bygone(row, log, [result.total for result in results])
        bygone.names = await self.store.names(bygone.state.players())
        return bygone

    async def _load(self, name: str) -> Table:
        row = await self._row(name)
        if row.rules != RULES_VERSION:
            raise Refusal("rules_changed", (await self.bygone(row)).reason)
        rows = await self.store.log(name)
        try:
            # A long game takes a while, in which others want to move.
            table = await asyncio.to_thread(Table, row, rows, {}, self.around)
        except Exception as error:
            log.error("table_damaged", table=name, cause=repr(error))
            raise Refusal("table_damaged") from error
        table.names = await self.store.names(table.state.players())
        self.tables[name] = table
        return table

    async def _row(self, name: str) -> TableRow:
        row = await self.store.table(name)
        if row is None:
            raise Refusal("no_table")
        return row

    async def record(self, name: str, player: str | None, key: str) -> str:
        """The record of a table; of rules gone by as far as the log says."""
        row = await self._row(name)
        if row.rules == RULES_VERSION:
            table = await self.visible(name, player, key)
            if table.state.status != "over":
                raise Refusal("not_over")
            return table.state.record_text(table.names)
        return (await self._visible_bygone(name, player, key)).record_text()

    # --- making ------------------------------------------------------------------------------

    async def create(self, player: PlayerRow, wish: TableWish) -> Table:
        """A new table as wished."""
        sheet_of(wish.game)
        if self.settings.limits and await self.store.unfinished(player.id) >= UNFINISHED:
            raise Refusal("too_many_tables")
        wishes = [SeatWish("me")] if wish.tutorial else wish.seats
        if sum(seat.kind == "me" for seat in wishes) > 1:
            raise Refusal("one_seat_each")
        for seat in wishes:
            if seat.kind == "bot" and seat.bot not in self.around.crew.bots:
                raise Refusal("unknown_bot")
        if (wish.seed is not None or wish.same_dice) and len(wishes) > 1:
            raise Refusal("seed_not_solo")
        secret, again = secrets.token_bytes(32), None
        if wish.same_dice:
            secret, again = await self._dice_of(player, wish)
        setup = TableSetup(
            game=wish.game,
            seats=[
                SeatSetup(
                    bot=seat.bot if seat.kind == "bot" else None,
                    player=player.id if seat.kind == "me" else None,
                )
                for seat in wishes
            ],
            solo_fallback=wish.solo_fallback,
            fox_floor=wish.fox_floor,
            clock=wish.clock,
            pause=wish.pause,
            seed=None if wish.tutorial or again is not None else wish.seed,
            again=again,
            tutorial=wish.tutorial,
        )
        opened = self._open(player.id, setup, secret)
        await self.store.add_table(opened.row, opened.seating)
        return await self.table(opened.row.id)

    async def _dice_of(self, player: PlayerRow, wish: TableWish) -> tuple[bytes, list[str]]:
        """The revealed secret of a finished solo game, and what stirred it."""
        assert wish.same_dice
        earlier = (await self.visible(wish.same_dice.table, player.id, wish.same_dice.key)).state
        fits = earlier.setup.game == wish.game and len(earlier.seats) == 1
        if earlier.status != "over" or not fits or earlier.commitment() is None:
            raise Refusal("same_dice_unknown")
        return earlier.row.secret, [entropy.hex() for entropy in earlier.entropies()]

    def _open(self, host: str, setup: TableSetup, secret: bytes) -> NewTable:
        row = TableRow(
            id=new_id(),
            rules=RULES_VERSION,
            setup=inputs.encode_setup(setup),
            secret=secret,
            host=host,
            invite=new_key(),
            watch=new_key(),
            created=now(),
        )
        return NewTable(row, [(i, seat.player) for i, seat in enumerate(setup.seats)])

    def _make_rematch(self, state: TableState, player: str) -> NewTable:
        """A table for the same people and bots, with new dice; who wants it is its host."""
        setup = TableSetup(
            game=state.setup.game,
            seats=[SeatSetup(seat.bot, seat.player) for seat in state.seats],
            solo_fallback=state.setup.solo_fallback,
            fox_floor=state.setup.fox_floor,
            clock=state.setup.clock,
            pause=state.pause,
        )
        return self._open(player, setup, secrets.token_bytes(32))

    # --- players -----------------------------------------------------------------------------

    async def renamed(self, player: PlayerRow) -> None:
        """Let everybody know a new name."""
        for table in list(self.tables.values()):
            if table.state.seat_of(player.id) is not None:
                await table.renamed()

    async def part(self, player: PlayerRow) -> None:
        """A player is about to be deleted: bots play on for him."""
        for name in await self.store.tables_of(player.id, over=False, limit=1_000):
            try:
                table = await self.table(name)
                await table.execute(player.id, Leave(id=f"deleted-{new_id()}"))
                if not set(table.state.players()) - {player.id}:
                    await self._put_away(table)  # it will be deleted: no bot plays on there
            except FoxtrayError as error:
                log.info("not_left", table=name, cause=str(error))

    async def drop_deleted(self, player: PlayerRow) -> None:
        """Put away what was deleted with a player; the others learn that he has no name now."""
        await self._finish_loading()
        for table in list(self.tables.values()):
            if player.id in (*table.state.players(), table.state.row.host):
                if await self.store.table(table.id) is None:
                    await self._put_away(table)
                else:
                    await table.renamed()

    # --- keeping house -----------------------------------------------------------------------

    async def _put_away(self, table: Table) -> None:
        """Whoever is still there comes back, and learns whether the table is."""
        self.tables.pop(table.id, None)
        await table.close()
        for listener in list(table.listeners):
            listener.drop("put_away")

    async def _finish_loading(self) -> None:
        """Tables that are being brought back were perhaps read before they were deleted."""
        await asyncio.gather(*self._loading.values(), return_exceptions=True)

    async def _sweep(self) -> None:
        due = time.monotonic()
        while True:
            if time.monotonic() >= due and not self.store.failing:
                due = time.monotonic() + EXPIRY
                await self.expire()
            await asyncio.sleep(SWEEP)
            old = time.monotonic() - IDLE
            for table in list(self.tables.values()):
                if not table.listeners and table.touched < old and not table.lock.locked():
                    await self._put_away(table)

    async def expire(self) -> None:
        """Delete what is older than the host wants to keep."""
        try:
            gone = await self.store.expire(
                finished_before=now() - self.settings.keep_finished * DAY,
                idle_before=now() - self.settings.keep_unfinished * DAY,
            )
        except Exception as error:  # the next hour tries again
            log.warning("expire_failed", cause=str(error))
            return
        await self._finish_loading()
        for name in gone:
            if name in self.tables:
                await self._put_away(self.tables[name])
        if gone:
            log.info("tables_expired", count=len(gone))

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
            table.tell(data)
            if failing is None:
                table.drive()

    def _bots_changed(self) -> None:
        """Let tables with bots say that these are ready, or not."""
        for table in list(self.tables.values()):
            if table.driven:
                table.announce()
