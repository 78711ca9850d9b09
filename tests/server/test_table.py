"""One table from the inside: what it shows while it writes, its host, and who is present."""

from __future__ import annotations

import asyncio
import json
import random
import sqlite3
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Protocol

import pytest

from foxtray import FoxtrayError
from foxtray.server.bots.pool import WorkerPool
from foxtray.server.protocol import inputs, messages
from foxtray.server.protocol.codec import encode
from foxtray.server.protocol.messages import (
    Leave,
    LegalOf,
    Play,
    Preview,
    Reseat,
    Roll,
    SeatWish,
    Sit,
    Start,
    Takeover,
    Undo,
    You,
)
from foxtray.server.protocol.refusals import Refusal
from foxtray.server.settings import Settings
from foxtray.server.store import Addition, LogRow, PlayerRow, StorageFailing
from foxtray.server.store.sqlite import SqliteStore
from foxtray.server.tables.commands import UNDOS, Bot, Person
from foxtray.server.tables.registry import TableRegistry
from foxtray.server.tables.table import Table
from foxtray.server.tables.turn_clock import TurnClock
from foxtray.server.tables.views import TableViews
from foxtray.server.wall_clock import DAY, now
from server.harness import LATE, Json, LoopFactory, created

ENTROPY = "00112233445566778899aabbccddeeff"
PEOPLE = [PlayerRow(f"p{n}", f"P{n}", bytes([n] * 32), 0) for n in range(3)]


class GatedStore(SqliteStore):
    """A write waits until it is let through, and may then fail."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self.open = asyncio.Event()
        self.open.set()
        self.reached = asyncio.Event()
        self.fails = False
        self.fails_late = False
        """Whether commits fail although the data is written."""

    def commit(self, connection: sqlite3.Connection) -> None:
        super().commit(connection)
        if vars(self).get("fails_late"):
            raise sqlite3.OperationalError("disk I/O error")

    async def append(self, addition: Addition) -> None:
        self.reached.set()
        await self.open.wait()
        if self.fails:
            raise StorageFailing("the disk is gone")
        await super().append(addition)


class Listener:
    """A connection that remembers what it receives."""

    def __init__(self, player: str) -> None:
        self.player: str | None = player
        self.patches = False
        self.legal: LegalOf = "all"
        self.told = 0
        self.dropped = ""
        self.heard: list[Json] = []

    def push(self, data: bytes) -> None:
        self.heard.append(json.loads(data))

    def drop(self, reason: str) -> None:
        self.dropped = reason

    def kinds(self) -> list[str]:
        return [entry["what"] for told in self.heard for entry in told.get("entries", [])]


class Scene:
    """A registry with a store that can be held up, and people to sit there."""

    def __init__(self, store: GatedStore, absence: float) -> None:
        self.store = store
        self.registry = TableRegistry(
            store, WorkerPool(1), Settings(limits=False, absence=absence, bot_pause=1e6)
        )
        self.number = 0

    def name(self) -> str:
        self.number += 1
        return f"c{self.number}"

    async def lobby(self, seats: int, **wish: object) -> Table:
        wishes = [SeatWish("me")] + [SeatWish("open")] * (seats - 1)
        table = await created(
            self.registry,
            PEOPLE[0],
            messages.TableWish("clever", wishes, **wish),  # type: ignore[arg-type]
        )
        for seat in range(seats):
            await self.sit(table, seat)
        return table

    async def sit(self, table: Table, seat: int, player: int | None = None) -> None:
        command = Sit(id=self.name(), seat=seat, entropy=ENTROPY)
        owner = seat if player is None else player
        await table.execute(Person(f"p{owner}", table.state.row.invite), command)

    async def playing(self, seats: int, **wish: object) -> Table:
        table = await self.lobby(seats, **wish)
        await table.execute(Person("p0"), Start(id=self.name()))
        return table

    async def begin_as_host(self, table: Table, player: str) -> None:
        """Do what only a host may: give the first seat to a bot, and begin."""
        await table.execute(Person(player), Reseat(id=self.name(), seat=0, bot="greedy"))
        await table.execute(Person(player), Start(id=self.name()))
        assert table.state.status == "playing"

    def next_move(self, table: Table, rng: random.Random) -> tuple[Person, messages.TableCommand]:
        assert table.state.record
        game = table.state.record.game
        if game.rolling():
            return Person(f"p{game.active}"), Roll(id=self.name())
        seat = rng.choice(game.awaiting())
        return Person(f"p{seat}"), Play(id=self.name(), action=str(rng.choice(game.legal(seat))))

    def ends(self, table: Table, move: messages.TableCommand) -> bool:
        assert table.state.record
        game = table.state.record.game
        return isinstance(move, Play) and game.play(game.awaiting()[0], move.action).game.over

    async def play(self, table: Table) -> None:
        rng = random.Random(table.id)
        while table.state.status != "over":
            await table.execute(*self.next_move(table, rng))


Tell = Callable[[Scene], Awaitable[None]]


class Run(Protocol):
    """Lets something happen at a table, in a loop of its own."""

    def __call__(self, tell: Tell, absence: float = 60) -> None: ...


@pytest.fixture
def scene(tmp_path: Path, loop_factory: LoopFactory) -> Run:
    def run(tell: Tell, absence: float = 60) -> None:
        async def main() -> None:
            async with asyncio.timeout(60), opened(tmp_path, absence) as made:
                await tell(made)

        with asyncio.Runner(loop_factory=loop_factory) as runner:
            runner.run(main())

    return run


@asynccontextmanager
async def opened(tmp_path: Path, absence: float) -> AsyncIterator[Scene]:
    store = GatedStore(tmp_path / "store.db")
    made = Scene(store, absence)
    for player in PEOPLE:
        await store.add_player(player)
    yield made
    await made.registry.close()
    await store.close()


def shown(table: Table) -> tuple[Json, Json]:
    """Everything that a client sees now, without cached messages."""
    views = TableViews(table.log, table.presence, table.clock, table.context.workers)
    preview = views.preview("p0", Preview(id="x")) if table.state.record else None
    return json.loads(encode(views.snapshot(You(0, True)))), json.loads(encode(preview))


@pytest.mark.parametrize("fails", [False, True])
def test_nothing_is_shown_before_it_is_written(scene: Run, fails: bool) -> None:
    async def tell(here: Scene) -> None:
        table = await here.playing(1)
        rng = random.Random(3)
        while table.state.status != "over":
            player, move = here.next_move(table, rng)
            last = here.ends(table, move)
            if last or rng.random() < 0.1:
                before = shown(table)
                here.store.open.clear()
                here.store.reached.clear()
                here.store.fails = fails
                writing = asyncio.create_task(table.execute(player, move))
                await here.store.reached.wait()
                assert shown(table) == before
                here.store.open.set()
                if fails:
                    with pytest.raises(FoxtrayError, match="cannot be saved"):
                        await writing
                    assert shown(table) == before
                    here.store.fails = False
                else:
                    await writing
                    continue
            await table.execute(player, move)
        assert before[0]["table"]["dice"]["secret"] is None
        assert shown(table)[0]["table"]["dice"]["secret"] is not None

    scene(tell)


def test_a_move_that_was_written_though_it_failed_is_told_without_another_move(scene: Run) -> None:
    async def tell(here: Scene) -> None:
        table = await here.playing(1)
        looking = Listener("p0")
        table.join(looking)
        here.store.fails_late = True
        with pytest.raises(Refusal, match="cannot be saved"):
            await table.execute(Person("p0"), Roll(id=here.name()))
        assert "threw" not in looking.kinds()
        here.store.fails_late = False
        async with asyncio.timeout(LATE):
            while "threw" not in looking.kinds():
                await asyncio.sleep(0.05)

    scene(tell)


def test_a_refused_move_costs_no_replay(scene: Run) -> None:
    async def tell(here: Scene) -> None:
        table = await here.playing(1)
        await table.execute(Person("p0"), Roll(id="r"))
        state = table.state
        with pytest.raises(FoxtrayError):
            await table.execute(Person("p0"), Play(id="x", action="return"))
        assert table.state is state

    scene(tell)


def test_absence_belongs_to_whoever_has_the_seat(scene: Run) -> None:
    async def tell(here: Scene) -> None:
        table = await here.lobby(3)
        assert table.views.presence().present == [False, False, False]  # all of them by HTTP
        host, guest = Listener("p0"), Listener("p1")
        for listener in (host, guest):
            table.join(listener)
            await table.enter(listener)
        assert table.views.presence().present == [True, True, False]
        # The third leaves, and the next owner of the seat is not absent because they were.
        await table.execute(Person("p2"), messages.Leave(id="l"))
        await table.execute(Person("p1"), messages.Leave(id="m"))
        await here.sit(table, 2, player=1)
        assert table.views.presence().present == [True, False, True]
        await table.execute(Person("p0"), Reseat(id="b", seat=1, bot="greedy"))
        await table.execute(Person("p0"), Reseat(id="o", seat=1, bot=None))
        assert table.views.presence().absent == [None, None, None]

    scene(tell)


def test_a_player_who_acts_before_the_clock_runs_out_keeps_the_seat(scene: Run) -> None:
    async def tell(here: Scene) -> None:
        table = await here.playing(1, clock=1)
        ana = Listener("p0")
        table.join(ana)
        await table.enter(ana)
        here.store.open.clear()
        here.store.reached.clear()
        writing = asyncio.create_task(table.execute(Person("p0"), Roll(id="r")))
        await here.store.reached.wait()
        while not table.clock.late([0]):  # it runs out while this is being written
            await asyncio.sleep(0.05)
        await asyncio.sleep(0.05)
        here.store.open.set()
        await writing
        async with table.lock:  # the clock has waited for it too, and has had it before us
            pass
        assert table.state.seats[0].stand_in is None
        assert ana.kinds() == ["threw"]
        while ana.kinds() != ["threw", "took_over"]:  # for the next decision it runs again
            await asyncio.sleep(0.05)

    scene(tell)


def test_a_clock_that_can_replace_nobody_does_not_ring_without_a_pause() -> None:
    rung = 0

    async def main() -> None:
        async def expired(late: list[int]) -> None:
            nonlocal rung
            rung += 1
            clock.run([0])  # nothing could be written: the seat is as late as before

        clock = TurnClock(1, expired)
        clock.run([0])
        await asyncio.sleep(2)
        await clock.close()

    asyncio.run(main())
    assert 1 <= rung <= 3


def test_who_comes_back_alone_is_told_how_much_time_there_is(scene: Run) -> None:
    async def tell(here: Scene) -> None:
        table = await here.playing(1, clock=10)
        ana = Listener("p0")
        table.join(ana)
        assert table.views.catch_up(None, You(0, True)).deadlines.keys() == {0}
        await table.enter(ana)
        table.depart(ana)
        table.join(ana)
        assert table.views.catch_up(table.log.seq, You(0, True)).deadlines.keys() == {0}

    scene(tell)


def test_whoever_wants_a_rematch_is_its_host_and_there_is_only_one(scene: Run) -> None:
    async def tell(here: Scene) -> None:
        table = await here.playing(2)
        await here.play(table)
        here.store.fails = True
        with pytest.raises(FoxtrayError, match="cannot be saved"):
            await table.execute(Person("p1"), messages.Rematch(id="again"))
        here.store.fails = False
        assert await here.store.tables_of("p1", over=False) == []
        ack = await table.execute(Person("p1"), messages.Rematch(id="again"))
        assert await here.store.tables_of("p0", over=False) == [ack.table]
        assert (await table.execute(Person("p0"), messages.Rematch(id="too"))).table == ack.table
        assert ack.table
        rematch = await here.registry.table(ack.table)
        await here.sit(rematch, 1)
        await here.begin_as_host(rematch, "p1")

    scene(tell)


def test_a_host_who_leaves_is_followed_by_another(scene: Run) -> None:
    async def tell(here: Scene) -> None:
        table = await here.lobby(2)
        with pytest.raises(FoxtrayError, match="host"):
            await table.execute(Person("p1"), Start(id="s"))
        await table.execute(Person("p0"), messages.Leave(id="l"))
        assert table.state.info({}).host == 1
        await here.begin_as_host(table, "p1")

    scene(tell)


def test_an_answer_of_a_bot_is_out_of_date_once_the_owner_was_back(scene: Run) -> None:
    async def tell(here: Scene) -> None:
        table = await here.playing(2)
        before = table.state.epoch
        await table.execute(Person("p1"), messages.Leave(id="l"))
        await table.execute(Person("p1"), messages.Resume(id="r"))
        await table.execute(Person("p1"), messages.Leave(id="m"))
        assert table.state.epoch == before + 3

    scene(tell)


def test_a_bot_goes_through_the_checks_of_everybody(scene: Run) -> None:
    async def tell(here: Scene) -> None:
        table = await here.playing(2)
        assert table.state.record
        first = table.state.record.setup.first
        other = 1 - first
        for seat in (0, 1):
            await table.execute(Person(f"p{seat}"), messages.Leave(id="l"))
        before = table.log.seq
        driver = table.state.seats[first].driver
        assert driver

        def bot(seat: int) -> Bot:
            return Bot(seat, driver, table.state.epoch)

        with pytest.raises(Refusal, match="active player"):
            await table.execute(bot(other), Roll(id="b"))
        with pytest.raises(FoxtrayError) as refused:
            await table.execute(bot(first), Play(id="b", action="pass"))
        assert refused.value.code == "dice_wanted"
        # An answer that is out of date, or of a bot that no longer has the seat, adds nothing.
        await table.execute(Bot(first, driver, table.state.epoch - 1), Roll(id="b"))
        await table.execute(Bot(first, "random", table.state.epoch), Roll(id="b"))
        assert table.log.seq == before
        await table.execute(bot(first), Roll(id="b"))
        action = str(table.state.record.game.legal(first)[0])
        await table.execute(bot(first), Play(id="b", action=action))
        threw, played = (inputs.decode(row.data) for row in table.log.rows[before:])
        assert isinstance(threw, inputs.Threw)
        assert played == inputs.Played(first, action, driver)
        assert [row.command for row in table.log.rows[before:]] == [None, None]

    scene(tell)


def test_a_seat_that_was_given_up_is_not_taken_back_by_looking_on(scene: Run) -> None:
    async def tell(here: Scene) -> None:
        table = await here.playing(2)
        await table.execute(Person("p1"), messages.Leave(id="l"))
        listener = Listener("p1")
        table.join(listener)
        await table.enter(listener)
        assert table.state.seats[1].stand_in
        assert await here.store.tables_of("p1", over=False) == []
        assert await here.store.tables_of("p0", over=False) == [table.id]
        await table.execute(Person("p1"), messages.Resume(id="r"))
        assert not table.state.seats[1].stand_in
        assert await here.store.tables_of("p1", over=False) == [table.id]
        # A player who did not leave is back as soon as they are here.
        table.depart(listener)
        await table.execute(Person("p0"), messages.Takeover(id="t", seat=1))
        table.join(listener)
        await table.enter(listener)
        assert not table.state.seats[1].stand_in

    scene(tell, absence=0)


def test_a_command_that_also_takes_the_seat_back_is_acknowledged_by_one_number(
    scene: Run,
) -> None:
    async def tell(here: Scene) -> None:
        table = await here.playing(2)
        active = table.state.to_throw()
        assert active is not None
        owner = Person(f"p{active}")
        await table.execute(owner, messages.Leave(id="l"))
        first = await table.execute(owner, Roll(id="r"))
        assert table.state.seats[active].stand_in is None
        assert await table.execute(owner, Roll(id="r")) == first
        assert first.seq == table.log.seq

    scene(tell)


def test_a_reroll_and_its_throw_are_one_command(scene: Run) -> None:
    async def tell(here: Scene) -> None:
        table = await here.playing(1)
        await table.execute(Person("p0"), Roll(id="r"))
        watcher = Listener("p1")
        table.join(watcher)
        before = table.log.seq
        ack = await table.execute(Person("p0"), Play(id="x", action="reroll", roll=True))
        assert ack.seq == table.log.seq == before + 2
        (update,) = [told for told in watcher.heard if told["type"] == "update"]
        assert [entry["what"] for entry in update["entries"]] == ["played", "threw"]
        assert update["game"]["reroll"] == 1
        assert await table.execute(Person("p0"), Play(id="x", action="reroll", roll=True)) == ack
        assert [row.command for row in table.log.rows[before:]] == [None, "p0 x"]

    scene(tell)


def test_a_play_that_is_refused_rolls_nothing(scene: Run) -> None:
    async def tell(here: Scene) -> None:
        table = await here.playing(1)
        await table.execute(Person("p0"), Roll(id="r"))
        before = table.log.seq
        with pytest.raises(FoxtrayError):
            await table.execute(Person("p0"), Play(id="x", action="return", roll=True))
        assert table.log.seq == before

    scene(tell)


def test_rolling_at_once_plays_the_same_game(scene: Run) -> None:
    async def tell(here: Scene) -> None:
        records = []
        for at_once in (False, True):
            table = await here.playing(1, seed=11)
            rng = random.Random(8)
            while table.state.status != "over":
                player, move = here.next_move(table, rng)
                if isinstance(move, Play):
                    move.roll = at_once
                await table.execute(player, move)
            records.append(table.state.record_text({}))
        assert records[0] == records[1]

    scene(tell)


def test_only_the_active_seat_rolls_at_once(scene: Run) -> None:
    async def tell(here: Scene) -> None:
        table = await here.playing(3)
        assert table.state.record
        coming = (table.state.record.setup.first + 1) % 3
        await table.execute(Person(f"p{table.state.wanted()[0]}"), Roll(id="r"))
        while (thrower := table.state.to_throw()) is None:
            # The next to be active acts as soon as it may, so that another seat ends the turn.
            seat = min(table.state.wanted(), key=lambda seat: seat != coming)
            action = str(table.state.record.game.legal(seat)[0])
            await table.execute(Person(f"p{seat}"), Play(id=here.name(), action=action, roll=True))
        assert thrower == coming != seat

    scene(tell)


def test_taking_back_comes_to_an_end(scene: Run) -> None:
    async def tell(here: Scene) -> None:
        table = await here.playing(1)
        await table.execute(Person("p0"), Roll(id="r"))
        assert table.state.record
        action = str(table.state.record.game.legal(0)[0])
        for number in range(UNDOS):
            await table.execute(Person("p0"), Play(id=f"p{number}", action=action))
            await table.execute(Person("p0"), messages.Undo(id=f"u{number}"))
        await table.execute(Person("p0"), Play(id="p", action=action))
        with pytest.raises(Refusal, match="undo limit"):
            await table.execute(Person("p0"), messages.Undo(id="u"))
        while table.state.to_throw() != 0:
            await table.execute(*here.next_move(table, random.Random(1)))
        await table.execute(Person("p0"), Roll(id="again"))
        assert table.state.seats[0].undos == 0

    scene(tell)


def test_a_log_does_not_grow_without_bound(scene: Run) -> None:
    async def tell(here: Scene) -> None:
        table = await here.playing(1)
        before = table.log.seq
        await table.execute(Person("p0"), messages.Pause(id="same", on=True))
        assert table.log.seq == before, "nothing changed"
        context = replace(here.registry.context, longest=before)
        table = Table(table.state.row, await here.store.log(table.id), context)
        with pytest.raises(Refusal, match="log is full"):
            await table.execute(Person("p0"), messages.Pause(id="other", on=False))
        await here.play(table)
        assert table.state.status == "over"
        with pytest.raises(Refusal):
            await table.execute(Person("p0"), messages.Pause(id="late", on=False))

    scene(tell)


def test_a_result_is_of_whoever_did_at_least_half_of_it(scene: Run) -> None:
    async def tell(here: Scene) -> None:
        for share, owner in ((0.2, "p0"), (0.8, None)):
            table = await here.playing(1)
            rng = random.Random(5)
            while table.state.status != "over":
                assert table.state.record
                game = table.state.record.game
                if game.rolling() or rng.random() > share:
                    await table.execute(*here.next_move(table, rng))
                else:
                    async with table.lock:
                        await table._write([inputs.TookOver(0, "greedy")])
                    bot = Bot(0, "greedy", table.state.epoch)
                    action = str(rng.choice(game.legal(0)))
                    await table.execute(bot, Play(id="b", action=action))
            (result,) = await here.store.results(table.id)
            assert (result.player, result.bot) == (owner, None if owner else "greedy")

    scene(tell)


def test_a_damaged_log_harms_no_other_table(scene: Run) -> None:
    async def tell(here: Scene) -> None:
        bad, good = await here.playing(1), await here.playing(1)
        await here.registry.put_away(bad)
        await here.store.append(Addition(bad.id, [LogRow(bad.log.seq + 1, 0, b"{}", None)]))
        with pytest.raises(Refusal) as refused:
            await here.registry.table(bad.id)
        assert refused.value.code == "table_damaged"
        await here.registry.part(PEOPLE[0])
        assert good.closed, "nobody else plays there: it is about to be deleted"

    scene(tell)


def test_whoever_looks_on_at_a_table_that_goes_is_sent_away(scene: Run) -> None:
    async def tell(here: Scene) -> None:
        table = await here.playing(1)
        watcher = Listener("p2")
        table.join(watcher)
        await here.registry.part(PEOPLE[0])
        assert watcher.dropped
        before = table.log.seq
        with pytest.raises(Refusal, match="try again"):
            await table.execute(Bot(0, "greedy", table.state.epoch), Roll(id="b"))
        assert table.log.seq == before, "nothing is written any more"

    scene(tell)


def test_a_table_that_expires_while_it_is_brought_back_is_gone(
    scene: Run,
) -> None:
    async def tell(here: Scene) -> None:
        table = await here.playing(1)
        await here.play(table)
        await here.registry.put_away(table)
        read, names = asyncio.Event(), here.store.names

        async def late(players: Sequence[str]) -> dict[str, str]:
            read.set()
            await expired.wait()
            return await names(players)

        expired = asyncio.Event()
        here.store.names = late  # type: ignore[method-assign]
        loading = asyncio.create_task(here.registry.table(table.id))
        await read.wait()
        expiring = asyncio.create_task(here.registry.expire(now() + 1_000 * DAY))
        while await here.store.table(table.id):
            pass
        expired.set()
        await asyncio.gather(loading, expiring)
        with pytest.raises(Refusal):
            await here.registry.table(table.id)

    scene(tell)


def choices(table: Table) -> list[str]:
    assert table.state.record
    return [str(action) for action in table.state.record.game.legal(0)]


@pytest.mark.parametrize("seats", [1, 2])
def test_what_was_answered_in_another_window_is_stale(scene: Run, seats: int) -> None:
    """Two tabs could play two different actions in a row without seeing the first."""

    async def tell(here: Scene) -> None:
        table = await here.playing(seats)
        assert table.state.record
        me = Person(f"p{table.state.record.game.active}")
        seat = table.state.record.game.active
        seen = table.log.seq
        await table.execute(me, Roll(id="a", seen=seen))
        with pytest.raises(Refusal) as refused:
            await table.execute(me, Roll(id="b", seen=seen))
        assert refused.value.code == "stale"
        first, second = [str(a) for a in table.state.record.game.legal(seat)][:2]
        seen = table.log.seq
        await table.execute(me, Play(id="c", action=first, seen=seen))
        before = table.log.seq
        for command in (
            Play(id="d", action=second, seen=seen),
            Play(id="e", action=first, seen=seen),
            Undo(id="f", seen=seen),
            Roll(id="g", seen=seen),
        ):
            with pytest.raises(Refusal) as refused:
                await table.execute(me, command)
            assert refused.value.code == "stale"
        assert table.log.seq == before
        # Sent again, the first one is still acknowledged; and what was seen can be undone.
        assert (await table.execute(me, Play(id="c", action=first, seen=seen))).seq == before
        await table.execute(me, Undo(id="h", seen=before))
        with pytest.raises(Refusal):
            await table.execute(me, Undo(id="i", seen=before))

    scene(tell)


def test_what_others_do_makes_no_answer_stale(scene: Run) -> None:
    async def tell(here: Scene) -> None:
        table = await here.playing(3)
        rng = random.Random(5)
        used = 0
        while table.state.status != "over":
            assert table.state.record
            game = table.state.record.game
            if game.rolling():
                await table.execute(Person(f"p{game.active}"), Roll(id=here.name()))
                continue
            # Everybody looks at the same moment, then they answer one after the other.
            awaited = game.awaiting()
            seen = table.log.seq
            for seat in awaited:
                action = str(rng.choice(game.legal(seat)))
                play = Play(id=here.name(), action=action, seen=seen)
                await table.execute(Person(f"p{seat}"), play)
            used += len(awaited) > 1
        assert used > 10

    scene(tell)


def test_an_id_names_one_command(scene: Run) -> None:
    """A different command under a used id was acknowledged as if it had been carried out."""

    async def tell(here: Scene) -> None:
        table = await here.playing(1)
        me = Person("p0")
        assert (await table.execute(me, Roll(id="x"))).seq == table.log.seq
        assert (await table.execute(me, Roll(id="x"))).seq == table.log.seq
        first, second = choices(table)[:2]
        for other in (Play(id="x", action=first), Undo(id="x"), Leave(id="x"), Start(id="x")):
            with pytest.raises(Refusal) as refused:
                await table.execute(me, other)
            assert refused.value.code == "id_used"
        await table.execute(me, Play(id="y", action=first, roll=True))
        before = table.log.seq
        assert (await table.execute(me, Play(id="y", action=first, roll=True))).seq == before
        for another in (Play(id="y", action=second, roll=True), Roll(id="y"), Undo(id="y")):
            with pytest.raises(Refusal) as refused:
                await table.execute(me, another)
            assert refused.value.code == "id_used"
        assert table.log.seq == before

    scene(tell)


def test_the_stand_in_is_the_tables_choice(scene: Run) -> None:
    """A rival could ask for `random` to play for somebody who was away."""

    async def tell(here: Scene) -> None:
        for weak in ("random", "greedy", "casual", "nobody"):
            with pytest.raises(Refusal):
                await here.lobby(2, stand_in=weak)
        for bot in ("solid", "strong"):
            table = await here.playing(2, stand_in=bot)
            await table.execute(Person("p0"), Takeover(id="t", seat=1, bot="random"))
            assert table.state.seats[1].stand_in == bot
            assert table.state.info({}).stand_in == bot

    scene(tell, absence=0)
