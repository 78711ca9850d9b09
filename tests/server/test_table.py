"""One table from the inside: what it shows while it writes, whose it is, who is there."""

from __future__ import annotations

import asyncio
import json
import random
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from foxtray import FoxtrayError
from foxtray.server import inputs, messages, timing
from foxtray.server.crew import Crew
from foxtray.server.hall import DAY, Hall
from foxtray.server.messages import Play, Preview, Reseat, Roll, SeatWish, Sit, Start, You
from foxtray.server.refusals import Refusal
from foxtray.server.settings import Settings
from foxtray.server.state import UNDOS
from foxtray.server.store import Addition, LogRow, PlayerRow, StorageFailing
from foxtray.server.store.sqlite import SqliteStore
from foxtray.server.table import Table, encode
from server.harness import Json

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

    async def append(self, addition: Addition) -> None:
        self.reached.set()
        await self.open.wait()
        if self.fails:
            raise StorageFailing("the disk is gone")
        await super().append(addition)


class Listener:
    """Somebody connected, who remembers what he hears."""

    def __init__(self, player: str) -> None:
        self.player: str | None = player
        self.dropped = ""
        self.heard: list[Json] = []

    def push(self, data: bytes) -> None:
        self.heard.append(json.loads(data))

    def drop(self, reason: str) -> None:
        self.dropped = reason

    def kinds(self) -> list[str]:
        return [entry["what"] for told in self.heard for entry in told.get("entries", [])]


class Scene:
    """A hall with a store that can be held up, and people to sit there."""

    def __init__(self, store: GatedStore) -> None:
        self.store = store
        self.hall = Hall(store, Crew(1), Settings(limits=False, absence=60, bot_pause=1e6))
        self.number = 0

    def name(self) -> str:
        self.number += 1
        return f"c{self.number}"

    async def lobby(self, seats: int, **wish: object) -> Table:
        wishes = [SeatWish("me")] + [SeatWish("open")] * (seats - 1)
        table = await self.hall.create(
            PEOPLE[0],
            messages.TableWish("clever", wishes, **wish),  # type: ignore[arg-type]
        )
        for seat in range(seats):
            await self.sit(table, seat)
        return table

    async def sit(self, table: Table, seat: int, player: int | None = None) -> None:
        command = Sit(id=self.name(), seat=seat, entropy=ENTROPY)
        owner = seat if player is None else player
        await table.execute(f"p{owner}", command, table.state.row.invite)

    async def playing(self, seats: int, **wish: object) -> Table:
        table = await self.lobby(seats, **wish)
        await table.execute("p0", Start(id=self.name()))
        return table

    async def begin_as_host(self, table: Table, player: str) -> None:
        """Do what only a host may: give the first seat to a bot, and begin."""
        await table.execute(player, Reseat(id=self.name(), seat=0, bot="greedy"))
        await table.execute(player, Start(id=self.name()))
        assert table.state.status == "playing"

    def next_move(self, table: Table, rng: random.Random) -> tuple[str, messages.TableCommand]:
        assert table.state.record
        game = table.state.record.game
        if game.rolling():
            return f"p{game.active}", Roll(id=self.name())
        seat = rng.choice(game.awaiting())
        return f"p{seat}", Play(id=self.name(), action=str(rng.choice(game.legal(seat))))

    def ends(self, table: Table, move: messages.TableCommand) -> bool:
        assert table.state.record
        game = table.state.record.game
        return isinstance(move, Play) and game.play(game.awaiting()[0], move.action).game.over

    async def play(self, table: Table) -> None:
        rng = random.Random(table.id)
        while table.state.status != "over":
            await table.execute(*self.next_move(table, rng))


def scene(tmp_path: Path, tell: Callable[[Scene], Awaitable[None]]) -> None:
    async def main() -> None:
        async with asyncio.timeout(60), opened(tmp_path) as made:
            await tell(made)

    asyncio.run(main())


@asynccontextmanager
async def opened(tmp_path: Path) -> AsyncIterator[Scene]:
    store = GatedStore(tmp_path / "store.db")
    made = Scene(store)
    for player in PEOPLE:
        await store.add_player(player)
    yield made
    await made.hall.close()
    await store.close()


def shown(table: Table) -> tuple[Json, Json]:
    """All that somebody who asks now is told."""
    table._view = (-1, None)  # as if nobody had asked at this number before
    preview = table.preview("p0", Preview(id="x")) if table.state.record else b"null"
    return json.loads(encode(table.snapshot(You(0, True)))), json.loads(preview)


@pytest.mark.parametrize("fails", [False, True])
def test_nothing_is_shown_before_it_is_written(tmp_path: Path, fails: bool) -> None:
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
                    with pytest.raises(FoxtrayError, match="written"):
                        await writing
                    assert shown(table) == before
                    here.store.fails = False
                else:
                    await writing
                    continue
            await table.execute(player, move)
        assert before[0]["table"]["dice"]["secret"] is None
        assert shown(table)[0]["table"]["dice"]["secret"] is not None

    scene(tmp_path, tell)


def test_a_refused_move_costs_no_replay(tmp_path: Path) -> None:
    async def tell(here: Scene) -> None:
        table = await here.playing(1)
        await table.execute("p0", Roll(id="r"))
        state = table.state
        with pytest.raises(FoxtrayError):
            await table.execute("p0", Play(id="x", action="return"))
        assert table.state is state

    scene(tmp_path, tell)


def test_absence_belongs_to_whoever_has_the_seat(tmp_path: Path) -> None:
    async def tell(here: Scene) -> None:
        table = await here.lobby(3)
        assert table.presence().present == [False, False, False]  # all of them by HTTP
        host, guest = Listener("p0"), Listener("p1")
        for listener in (host, guest):
            table.join(listener)
            await table.enter(listener)
        assert table.presence().present == [True, True, False]
        # The third leaves, and whoever takes his seat is not absent because he was.
        await table.execute("p2", messages.Leave(id="l"))
        await table.execute("p1", messages.Leave(id="m"))
        await here.sit(table, 2, player=1)
        assert table.presence().present == [True, False, True]
        await table.execute("p0", Reseat(id="b", seat=1, bot="greedy"))
        await table.execute("p0", Reseat(id="o", seat=1, bot=None))
        assert table.presence().absent == [None, None, None]

    scene(tmp_path, tell)


def test_whoever_acts_before_the_clock_runs_out_keeps_his_seat(tmp_path: Path) -> None:
    async def tell(here: Scene) -> None:
        table = await here.playing(1, clock=10)
        ana = Listener("p0")
        table.join(ana)
        await table.enter(ana)
        here.store.open.clear()
        here.store.reached.clear()
        writing = asyncio.create_task(table.execute("p0", Roll(id="r")))
        await here.store.reached.wait()
        table._deadlines[0] = timing.now() - 1  # the clock runs out while this is being written
        table._ring()
        await asyncio.sleep(0)
        here.store.open.set()
        await writing
        await asyncio.gather(*table._tasks.values())
        assert table.state.seats[0].stand_in is None
        assert ana.kinds() == ["threw"]

    scene(tmp_path, tell)


def test_who_comes_back_alone_is_told_how_much_time_there_is(tmp_path: Path) -> None:
    async def tell(here: Scene) -> None:
        table = await here.playing(1, clock=10)
        ana = Listener("p0")
        table.join(ana)
        assert json.loads(table.catch_up(None, You(0, True)))["deadlines"].keys() == {"0"}
        await table.enter(ana)
        table.depart(ana)
        table.join(ana)
        assert json.loads(table.catch_up(table.seq, You(0, True)))["deadlines"].keys() == {"0"}

    scene(tmp_path, tell)


def test_whoever_wants_a_rematch_is_its_host_and_there_is_only_one(tmp_path: Path) -> None:
    async def tell(here: Scene) -> None:
        table = await here.playing(2)
        await here.play(table)
        here.store.fails = True
        with pytest.raises(FoxtrayError, match="written"):
            await table.execute("p1", messages.Rematch(id="again"))
        here.store.fails = False
        assert await here.store.tables_of("p1", over=False) == []
        ack = await table.execute("p1", messages.Rematch(id="again"))
        assert await here.store.tables_of("p0", over=False) == [ack.table]
        assert (await table.execute("p0", messages.Rematch(id="too"))).table == ack.table
        assert ack.table
        rematch = await here.hall.table(ack.table)
        await here.sit(rematch, 1)
        await here.begin_as_host(rematch, "p1")

    scene(tmp_path, tell)


def test_a_host_who_leaves_is_followed_by_another(tmp_path: Path) -> None:
    async def tell(here: Scene) -> None:
        table = await here.lobby(2)
        with pytest.raises(FoxtrayError, match="host"):
            await table.execute("p1", Start(id="s"))
        await table.execute("p0", messages.Leave(id="l"))
        assert table.state.info({}).host == 1
        await here.begin_as_host(table, "p1")

    scene(tmp_path, tell)


def test_an_answer_of_a_bot_is_out_of_date_once_the_owner_was_back(tmp_path: Path) -> None:
    async def tell(here: Scene) -> None:
        table = await here.playing(2)
        before = table.state.epoch
        await table.execute("p1", messages.Leave(id="l"))
        await table.execute("p1", messages.Resume(id="r"))
        await table.execute("p1", messages.Leave(id="m"))
        assert table.state.epoch == before + 3

    scene(tmp_path, tell)


def test_a_seat_that_was_given_up_is_not_taken_back_by_looking_on(tmp_path: Path) -> None:
    async def tell(here: Scene) -> None:
        table = await here.playing(2)
        await table.execute("p1", messages.Leave(id="l"))
        listener = Listener("p1")
        table.join(listener)
        await table.enter(listener)
        assert table.state.seats[1].stand_in
        assert await here.store.tables_of("p1", over=False) == []
        assert await here.store.tables_of("p0", over=False) == [table.id]
        await table.execute("p1", messages.Resume(id="r"))
        assert not table.state.seats[1].stand_in
        assert await here.store.tables_of("p1", over=False) == [table.id]
        # Who did not leave is back as soon as he is here.
        table._away[1] = 0
        await table.execute("p0", messages.Takeover(id="t", seat=1))
        await table.enter(listener)
        assert not table.state.seats[1].stand_in

    scene(tmp_path, tell)


def test_a_command_that_also_takes_the_seat_back_is_acknowledged_by_one_number(
    tmp_path: Path,
) -> None:
    async def tell(here: Scene) -> None:
        table = await here.playing(1)
        await table.execute("p0", messages.Leave(id="l"))
        first = await table.execute("p0", Roll(id="r"))
        assert table.state.seats[0].stand_in is None
        assert await table.execute("p0", Roll(id="r")) == first
        assert first.seq == table.seq

    scene(tmp_path, tell)


def test_taking_back_comes_to_an_end(tmp_path: Path) -> None:
    async def tell(here: Scene) -> None:
        table = await here.playing(1)
        await table.execute("p0", Roll(id="r"))
        assert table.state.record
        action = str(table.state.record.game.legal(0)[0])
        for number in range(UNDOS):
            await table.execute("p0", Play(id=f"p{number}", action=action))
            await table.execute("p0", messages.Undo(id=f"u{number}"))
        await table.execute("p0", Play(id="p", action=action))
        with pytest.raises(Refusal, match="enough was taken back"):
            await table.execute("p0", messages.Undo(id="u"))
        while table.state.to_throw() != 0:
            await table.execute(*here.next_move(table, random.Random(1)))
        await table.execute("p0", Roll(id="again"))
        assert table.state.seats[0].undos == 0

    scene(tmp_path, tell)


def test_a_log_does_not_grow_without_bound(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def tell(here: Scene) -> None:
        table = await here.playing(1)
        before = table.seq
        await table.execute("p0", messages.Pause(id="same", on=True))
        assert table.seq == before, "nothing changed"
        monkeypatch.setattr("foxtray.server.table.LONGEST", before)
        with pytest.raises(Refusal, match="seen too much"):
            await table.execute("p0", messages.Pause(id="other", on=False))
        await here.play(table)
        assert table.state.status == "over"
        with pytest.raises(Refusal):
            await table.execute("p0", messages.Pause(id="late", on=False))

    scene(tmp_path, tell)


def test_a_result_is_of_whoever_did_at_least_half_of_it(tmp_path: Path) -> None:
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
                    action = str(rng.choice(game.legal(0)))
                    await table._commit([inputs.Played(0, action, "greedy")], None)
            (result,) = await here.store.results(table.id)
            assert (result.player, result.bot) == (owner, None if owner else "greedy")

    scene(tmp_path, tell)


def test_a_damaged_log_harms_no_other_table(tmp_path: Path) -> None:
    async def tell(here: Scene) -> None:
        bad, good = await here.playing(1), await here.playing(1)
        await here.hall._put_away(bad)
        await here.store.append(Addition(bad.id, [LogRow(bad.seq + 1, 0, b"{}", None)]))
        with pytest.raises(Refusal) as refused:
            await here.hall.table(bad.id)
        assert refused.value.code == "table_damaged"
        await here.hall.part(PEOPLE[0])
        assert good.closed, "nobody else plays there: it is about to be deleted"

    scene(tmp_path, tell)


def test_whoever_looks_on_at_a_table_that_goes_is_sent_away(tmp_path: Path) -> None:
    async def tell(here: Scene) -> None:
        table = await here.playing(1)
        watcher = Listener("p2")
        table.join(watcher)
        await here.hall.part(PEOPLE[0])
        assert watcher.dropped
        before = table.seq
        await table._act_for(0, "greedy", table.state.epoch, None)
        assert table.seq == before, "nothing is written any more"

    scene(tmp_path, tell)


def test_a_table_that_expires_while_it_is_brought_back_is_gone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def tell(here: Scene) -> None:
        table = await here.playing(1)
        await here.play(table)
        await here.hall._put_away(table)
        monkeypatch.setattr("foxtray.server.hall.now", lambda: timing.now() + 1_000 * DAY)
        read, names = asyncio.Event(), here.store.names

        async def late(players: Sequence[str]) -> dict[str, str]:
            read.set()
            await expired.wait()
            return await names(players)

        expired = asyncio.Event()
        here.store.names = late  # type: ignore[method-assign]
        loading = asyncio.create_task(here.hall.table(table.id))
        await read.wait()
        expiring = asyncio.create_task(here.hall.expire())
        while await here.store.table(table.id):
            pass
        expired.set()
        await asyncio.gather(loading, expiring)
        with pytest.raises(Refusal):
            await here.hall.table(table.id)

    scene(tmp_path, tell)
