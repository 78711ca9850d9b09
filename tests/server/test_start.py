"""The start of a game: seats commit to their entropy, reveal it, and only then are there dice."""

from __future__ import annotations

import asyncio
import math
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

import pytest

from foxtray import SecretDice, record
from foxtray.dice import entropy_commitment
from foxtray.server.protocol import inputs, messages
from foxtray.server.protocol.messages import Leave, Reseat, Resume, Reveal, Roll, Sit, Start
from foxtray.server.protocol.refusals import Refusal
from foxtray.server.settings import BadSetting, Settings
from foxtray.server.tables.commands import Person
from foxtray.server.tables.state import TableState
from foxtray.server.tables.table import Table
from server.harness import created, until_async
from server.test_table import PEOPLE, Listener, Run, Scene
from server.test_table import scene as scene

ENTROPIES = [f"{n}{n}" * 16 for n in (1, 2, 3)]


def commitment(table: Table, seat: int) -> str:
    promise = table.state.commitment()
    assert promise
    return entropy_commitment(promise, seat, bytes.fromhex(ENTROPIES[seat]))


async def commit(here: Scene, table: Table, seat: int) -> None:
    """Player n sits down on seat n and commits."""
    sit = Sit(id=here.name(), seat=seat, commitment=commitment(table, seat))
    await table.execute(Person(f"p{seat}", table.state.row.invite), sit)


async def reveal(here: Scene, table: Table, seat: int, entropy: str = "") -> messages.Ack:
    command = Reveal(id=here.name(), entropy=entropy or ENTROPIES[seat])
    return await table.execute(Person(f"p{seat}"), command)


async def start(here: Scene, table: Table) -> messages.Ack:
    return await table.execute(Person("p0"), Start(id=here.name()))


async def lobby(here: Scene, seats: int, seconds: float = 60, **wish: object) -> Table:
    """A table that everybody has sat down at; a start waits for so long."""
    here.registry.context = replace(here.registry.context, reveal=seconds)
    wishes = [messages.SeatWish("me")] + [messages.SeatWish("open")] * (seats - 1)
    wished = messages.TableWish("clever", wishes, **wish)  # type: ignore[arg-type]
    table = await created(here.registry, PEOPLE[0], wished)
    for seat in range(seats):
        await commit(here, table, seat)
    return table


@contextmanager
def refused(code: str) -> Iterator[None]:
    with pytest.raises(Refusal) as caught:
        yield
    assert caught.value.code == code


def kinds(table: Table) -> list[str]:
    return [type(table.log.input(n)).__name__ for n in range(1, table.log.seq + 1)]


def dice(table: Table) -> messages.DiceInfo:
    return table.state.info({}).dice


def test_dice_exist_only_after_everybody_has_revealed(scene: Run) -> None:
    async def tell(here: Scene) -> None:
        table = await lobby(here, 2)
        promises = [commitment(table, seat) for seat in (0, 1)]
        assert (dice(table).commitments, dice(table).entropies) == (promises, [])
        await start(here, table)
        info = table.state.info({})
        assert (info.status, info.starting, info.first) == ("lobby", True, None)
        assert info.dice.entropies == ["", ""]
        with pytest.raises(Refusal, match="has not started"):
            await table.execute(Person("p0"), Roll(id="early"))
        await reveal(here, table, 1)
        assert (table.state.status, dice(table).entropies) == ("lobby", ["", ENTROPIES[1]])
        ack = await reveal(here, table, 0)
        assert ack.seq == table.log.seq
        info = table.state.info({})
        assert (info.status, info.starting, info.dice.left_out) == ("playing", False, [])
        assert kinds(table)[2:] == ["Starting", "Revealed", "Revealed", "Started"]
        made = SecretDice(table.state.row.secret, tuple(map(bytes.fromhex, ENTROPIES[:2])))
        assert table.state.record
        assert table.state.record.dice == made
        assert info.first == made.first(2)
        await here.play(table)
        kept, verified = record.read(table.state.record_text({}))
        assert verified
        assert kept.setup.commitments == tuple(promises)

    scene(tell)


def test_the_data_do_not_tell_entropy_before_every_seat_has_committed(scene: Run) -> None:
    """Someone who reads the data and sits down last knows nothing to choose their entropy by."""

    async def tell(here: Scene) -> None:
        table = await lobby(here, 3)
        reading = sqlite3.connect(here.store.path)
        held = "\n".join(reading.iterdump()).lower()
        reading.close()
        assert commitment(table, 0).encode().hex() in held
        for entropy in ENTROPIES:
            assert entropy not in held
            assert entropy.encode().hex() not in held

    scene(tell)


def test_who_does_not_reveal_in_time_is_left_out_and_everybody_sees_it(scene: Run) -> None:
    async def tell(here: Scene) -> None:
        table = await lobby(here, 2, seconds=0.1)
        watcher = Listener("p0")
        table.join(watcher)
        await start(here, table)
        await reveal(here, table, 0)
        await until_async(lambda: table.state.status == "playing")
        assert (dice(table).left_out, dice(table).entropies) == ([1], [ENTROPIES[0], ""])
        (told,) = [e for m in watcher.heard for e in m.get("entries", ()) if e["what"] == "started"]
        assert told["left_out"] == [1]
        with refused("already_started"):
            await reveal(here, table, 1)
        await here.play(table)
        kept, verified = record.read(table.state.record_text({}))
        assert verified
        assert kept.setup.left_out() == [1]

    scene(tell)


def test_a_table_that_comes_back_in_the_middle_of_its_start_waits_anew(scene: Run) -> None:
    async def tell(here: Scene) -> None:
        table = await lobby(here, 2, seconds=0.1)
        await start(here, table)
        await reveal(here, table, 1)
        await here.registry.put_away(table)  # as when the server stops
        await asyncio.sleep(0.2)
        table = await here.registry.table(table.id)
        assert (table.state.starting, dice(table).entropies) == (True, ["", ENTROPIES[1]])
        # Nobody is there: nobody is left out.
        await asyncio.sleep(0.2)
        assert table.state.starting
        table.join(Listener("p1"))
        await until_async(lambda: table.state.status == "playing")
        assert dice(table).left_out == [0]

    scene(tell)


def test_whoever_is_back_in_time_after_a_restart_reveals(scene: Run) -> None:
    async def tell(here: Scene) -> None:
        table = await lobby(here, 1, seconds=5)
        await start(here, table)
        await here.registry.put_away(table)
        table = await here.registry.table(table.id)
        table.join(Listener("p0"))
        await reveal(here, table, 0)
        assert (table.state.status, dice(table).left_out) == ("playing", [])

    scene(tell)


def test_a_start_goes_on_once_the_disk_works_again(scene: Run) -> None:
    async def tell(here: Scene) -> None:
        table = await lobby(here, 1, seconds=0.1)
        table.join(Listener("p0"))
        await start(here, table)
        here.store.fails = True
        here.store.reached.clear()
        await here.store.reached.wait()
        assert table.state.starting
        here.store.fails = False
        await until_async(lambda: table.state.status == "playing")

    scene(tell)


def test_what_may_be_revealed_and_when(scene: Run) -> None:
    async def tell(here: Scene) -> None:
        table = await lobby(here, 2)
        with refused("not_starting"):
            await reveal(here, table, 0)
        await start(here, table)
        with refused("wrong_entropy"):
            await reveal(here, table, 0, "0" * 32)
        with refused("wrong_entropy"):
            await reveal(here, table, 0, ENTROPIES[1])
        with refused("not_seated"):
            await reveal(here, table, 2)
        command = Reveal(id="mine", entropy=ENTROPIES[0])
        first = await table.execute(Person("p0"), command)
        assert await table.execute(Person("p0"), command) == first
        before = table.log.seq
        await reveal(here, table, 0)  # once more, by another window: nothing happens
        assert table.log.seq == before
        with refused("id_used"):
            await table.execute(Person("p0"), Reveal(id="mine", entropy=ENTROPIES[1]))
        last = Reveal(id="last", entropy=ENTROPIES[1])
        done = await table.execute(Person("p1"), last)
        assert table.state.status == "playing"
        assert await table.execute(Person("p1"), last) == done
        with refused("id_used"):
            await table.execute(Person("p1"), Leave(id="last"))
        await reveal(here, table, 1)
        assert table.log.seq == done.seq

    scene(tell)


def test_while_the_seats_reveal_they_are_fixed(scene: Run) -> None:
    async def tell(here: Scene) -> None:
        table = await lobby(here, 2)
        await start(here, table)
        before = table.log.seq
        await start(here, table)  # pressed twice
        assert table.log.seq == before
        with refused("already_started"):
            await table.execute(Person("p0"), Reseat(id="r", seat=1, bot="greedy"))
        with refused("already_started"):
            await commit(here, table, 2)
        with refused("not_started"):
            await table.execute(Person("p0"), messages.Takeover(id="t", seat=1))

    scene(tell)


def test_who_leaves_while_the_seats_reveal_gives_up_a_game_that_begins(scene: Run) -> None:
    async def tell(here: Scene) -> None:
        table = await lobby(here, 2)
        await start(here, table)
        await reveal(here, table, 0)
        command = Leave(id="gone")
        done = await table.execute(Person("p1"), command)
        assert await table.execute(Person("p1"), command) == done
        assert kinds(table)[-2:] == ["TookOver", "Started"]
        assert (table.state.status, dice(table).left_out) == ("playing", [1])
        drivers = [table.state.seats[1].driver]
        await table.execute(Person("p1"), Resume(id="back"))
        drivers.append(table.state.seats[1].driver)
        assert drivers == [table.state.setup.stand_in, None]
        # The other way round: who stays is still waited for.
        table = await lobby(here, 2)
        await start(here, table)
        await table.execute(Person("p1"), Leave(id="gone"))
        assert kinds(table)[-1] == "TookOver"
        await reveal(here, table, 0)
        assert (table.state.status, dice(table).left_out) == ("playing", [1])

    scene(tell)


def test_a_player_who_is_deleted_while_the_seats_reveal_holds_up_nobody(scene: Run) -> None:
    async def tell(here: Scene) -> None:
        table = await lobby(here, 2)
        await start(here, table)
        await reveal(here, table, 0)
        await here.registry.part(PEOPLE[1])
        assert (table.state.status, dice(table).left_out) == ("playing", [1])

    scene(tell)


def test_older_clients_start_as_they_always_did(scene: Run) -> None:
    async def tell(here: Scene) -> None:
        table = await here.lobby(2)
        done = await start(here, table)
        assert (table.state.status, done.seq) == ("playing", table.log.seq)
        assert kinds(table) == ["Sat", "Sat", "Started"]
        await here.play(table)
        assert table.state.record_text({}).startswith("foxtray 1\n")

    scene(tell)


def test_an_older_client_beside_a_newer_one(scene: Run) -> None:
    """Its entropy counts, and is told before the newer one reveals: nobody can change it after."""

    async def tell(here: Scene) -> None:
        here.registry.context = replace(here.registry.context, reveal=60)
        wishes = [messages.SeatWish("me"), messages.SeatWish("open"), messages.SeatWish("bot")]
        table = await created(here.registry, PEOPLE[0], messages.TableWish("clever", wishes))
        await commit(here, table, 0)
        await here.sit(table, 1)
        await start(here, table)
        assert dice(table).commitments == [commitment(table, 0), "", ""]
        assert dice(table).entropies == ["", "00112233445566778899aabbccddeeff", ""]
        await reveal(here, table, 0)
        assert (table.state.status, dice(table).left_out) == ("playing", [])

    scene(tell)


@pytest.mark.parametrize("wish", [{"seed": 4}, {"tutorial": True}], ids=["seed", "tutorial"])
def test_dice_that_need_no_entropy_wait_for_none(scene: Run, wish: dict[str, object]) -> None:
    async def tell(here: Scene) -> None:
        here.registry.context = replace(here.registry.context, reveal=60)
        wishes = [messages.SeatWish("me")]
        wished = messages.TableWish("clever", wishes, **wish)  # type: ignore[arg-type]
        table = await created(here.registry, PEOPLE[0], wished)
        await table.execute(Person("p0"), Sit(id="s", seat=0, commitment="0" * 64))
        await start(here, table)
        assert (table.state.status, dice(table).left_out) == ("playing", [])
        assert dice(table).commitments == []

    scene(tell)


def test_the_same_dice_again_wait_for_none(scene: Run) -> None:
    async def tell(here: Scene) -> None:
        first = await lobby(here, 1)
        await start(here, first)
        await reveal(here, first, 0)
        await here.play(first)
        wish = messages.TableWish(
            "clever", [messages.SeatWish("me")],
            same_dice=messages.SameDice(first.id, first.state.row.watch),
        )  # fmt: skip
        again = await created(here.registry, PEOPLE[0], wish)
        await commit(here, again, 0)
        await start(here, again)
        assert again.state.status == "playing"
        assert first.state.record
        assert again.state.record
        assert again.state.record.dice == first.state.record.dice

    scene(tell)


def test_a_seat_commits_or_tells(scene: Run) -> None:
    async def tell(here: Scene) -> None:
        table = await created(
            here.registry, PEOPLE[0], messages.TableWish("clever", [messages.SeatWish("me")])
        )
        both = {"commitment": "0" * 64, "entropy": "0" * 32}
        for what in ({}, both):
            with refused("malformed"):
                await table.execute(Person("p0"), Sit(id=here.name(), seat=0, **what))
        await commit(here, table, 0)
        with refused("seated_already"):
            await commit(here, table, 0)
        # Whoever sits down anew may commit to something else.
        await table.execute(Person("p0"), Leave(id="l"))
        await table.execute(Person("p0"), Sit(id="s", seat=0, commitment="0" * 64))
        assert dice(table).commitments == ["0" * 64]

    scene(tell)


@pytest.mark.parametrize("seconds", [0, -1, 61, math.inf, math.nan])
def test_a_start_waits_for_some_seconds(seconds: float) -> None:
    with pytest.raises(BadSetting, match="at most 60"):
        Settings(reveal=seconds)


def test_a_log_of_an_earlier_version_is_replayed(scene: Run) -> None:
    async def tell(here: Scene) -> None:
        table = await here.playing(1)
        old = b'{"t":"sat","seat":0,"player":"p0","entropy":"00112233445566778899aabbccddeeff"}'
        assert table.log.rows[0].data == old
        assert table.log.rows[1].data == b'{"t":"started","first":0}'
        state = TableState(table.state.row)
        for data in (old, b'{"t":"started","first":0}'):
            state.apply(inputs.decode(data))
        assert state.record
        assert table.state.record
        assert state.record.dice == table.state.record.dice

    scene(tell)
