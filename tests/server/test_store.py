"""What every store must do, tested with each implementation."""

import asyncio
import os
import random
import sqlite3
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from functools import cache
from pathlib import Path

import msgspec
import pytest
from simulation.disk import Disk, SimulatedStore, blank, new_file

from foxtray.server.settings import default_file
from foxtray.server.store import (
    CLOCK,
    Addition,
    AuditRow,
    Conflict,
    DailyAttempt,
    DailyDiceRow,
    DailyResult,
    Departure,
    GivenUpRow,
    LogRow,
    NewDevice,
    NewTable,
    PasskeyRow,
    PlayerRow,
    ResultRow,
    ReviewRow,
    SeatReviewRow,
    SoloCount,
    SoloStart,
    StorageFailing,
    Store,
    StoreError,
    TableRow,
)
from foxtray.server.store.postgres import PostgresStore
from foxtray.server.store.sqlite import SqliteStore, backup, restore
from server.harness import LATE, Json

Opener = Callable[[Path, str], Store]
Scenario = Callable[[Store], Awaitable[None]]


@cache
def disk_of(folder: Path) -> Disk:
    """A simulated disk, the same for everybody who opens this folder."""
    return Disk(new_file(blank()), random.Random(1))


IMPLEMENTATIONS: dict[str, Opener] = {
    "sqlite": lambda folder, url: SqliteStore(folder / "store.db"),
    "simulated": lambda folder, url: SimulatedStore(disk_of(folder)),
    "postgres": lambda folder, url: PostgresStore(url),
}


@asynccontextmanager
async def opened(opener: Opener, folder: Path, url: str) -> AsyncIterator[Store]:
    store = opener(folder, url)
    try:
        yield store
    finally:
        await store.close()


@pytest.fixture(params=IMPLEMENTATIONS)
def run(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[[Scenario], None]:
    """Runs a scenario on a store; a second call reopens the same store."""
    url = request.getfixturevalue("database") if request.param == "postgres" else ""

    def go(scenario: Scenario) -> None:
        async def main() -> None:
            async with opened(IMPLEMENTATIONS[request.param], tmp_path, url) as store:
                await scenario(store)

        asyncio.run(main())

    return go


def player(number: int) -> PlayerRow:
    return PlayerRow(f"p{number}", f"Ana {number}", bytes([number]) * 32, 1_000 + number)


def device(token: bytes) -> NewDevice:
    return NewDevice(f"d-{token.decode()}", token, "Firefox on Linux", 5_000)


def table(number: int, host: str = "p1") -> TableRow:
    return TableRow(f"t{number}", 1, b"{}", b"s" * 32, host, f"i{number}", f"w{number}", 1_000)


def rows(*numbers: int, at: int = 2_000) -> list[LogRow]:
    return [LogRow(n, at, f"input {n}".encode(), f"c{n}") for n in numbers]


def result(name: str, seat: int, who: str | None, finished: int = 5_000) -> ResultRow:
    bot = None if who else "greedy"
    areas = (1, 2, 3, 4, 5)
    return ResultRow(name, seat, who, bot, "clever", 2, finished, 15, areas, 0, 1, seat == 0, False)


def test_players_are_found_by_their_token_and_renamed(run: Callable[[Scenario], None]) -> None:
    async def scenario(store: Store) -> None:
        await store.add_player(player(1))
        assert await store.player_by_token(b"\x01" * 32) == player(1)
        assert await store.player_by_token(b"?") is None
        await store.rename("p1", "Bo")
        assert await store.names(["p1", "p9"]) == {"p1": "Bo"}
        with pytest.raises(Conflict):
            await store.add_player(player(1))

    run(scenario)


def test_a_link_works_once_and_in_time(run: Callable[[Scenario], None]) -> None:
    async def scenario(store: Store) -> None:
        await store.add_player(player(1))
        await store.add_link(b"old", "p1", 10)
        assert await store.use_link(b"old", 11, device(b"new")) is None
        await store.add_link(b"replaced", "p1", 20)
        await store.add_link(b"code", "p1", 20)
        assert await store.use_link(b"replaced", 15, device(b"new")) is None
        moved = await store.use_link(b"code", 15, device(b"new"))
        assert moved
        assert (moved.id, moved.token) == ("p1", b"new")
        assert await store.use_link(b"code", 15, device(b"again")) is None
        assert await store.player_by_token(player(1).token), "the other device stays signed in"

    run(scenario)


def test_players_sign_in_and_out(run: Callable[[Scenario], None]) -> None:
    async def scenario(store: Store) -> None:
        accounts = store.accounts
        await store.add_player(player(1), "Chrome on Android")
        await accounts.set_recovery("p1", b"code", 6_000)
        assert await accounts.recover(b"wrong", device(b"x")) is None
        back = await accounts.recover(b"code", device(b"two"))
        assert back
        assert (back.id, back.device) == ("p1", "d-two")
        assert {d.name for d in await accounts.devices("p1")} == {
            "Chrome on Android",
            "Firefox on Linux",
        }
        assert await accounts.signed_in(["p1", "p9"]) == {("p1", ""), ("p1", "d-two")}
        assert await accounts.signed_in([]) == set()
        await accounts.see("p1", "d-two", 86_400_000)
        assert (await accounts.devices("p1"))[0].id == "d-two", "the last one seen"
        await accounts.set_recovery("p1", b"newer", 7_000)
        assert await accounts.recover(b"code", device(b"x")) is None
        assert await accounts.sign_out("p1", "d-two")
        assert not await accounts.sign_out("p1", "d-two")
        assert await store.player_by_token(b"two") is None
        key = PasskeyRow("p1", "k", b"credential", b"key", 0, "Firefox on Linux", 8_000)
        await accounts.add_passkey(key)
        for other in (key, msgspec.structs.replace(key, id="k2", player="p9", credential=b"c")):
            with pytest.raises(Conflict):
                await accounts.add_passkey(other)
        assert await accounts.passkey(b"credential") == key
        assert await accounts.passkey(b"other") is None
        assert (await accounts.use_passkey(key, 3, device(b"three"))) is not None
        (used,) = await accounts.passkeys("p1")
        assert (used.count, used.used) == (3, 5_000)
        # The banned are told apart, and stay outside.
        await accounts.set_banned("p1", 9_000)
        assert await accounts.signed_in(["p1"]) == set()
        await store.add_link(b"link", "p1", 20_000)
        for refused in (
            await accounts.recover(b"newer", device(b"four")),
            await accounts.use_passkey(used, 4, device(b"four")),
            await store.use_link(b"link", 10_000, device(b"four")),
        ):
            assert refused
            assert refused.banned
        assert await store.player_by_token(b"four") is None
        found = await store.player_by_token(b"three")
        assert found
        assert found.banned
        assert await accounts.remove_passkey("p1", "k")
        assert not await accounts.remove_passkey("p1", "k")

    run(scenario)


def test_what_the_host_knows_and_does(run: Callable[[Scenario], None]) -> None:
    async def scenario(store: Store) -> None:
        accounts = store.accounts
        await accounts.add_invitation(b"invitation", 1, 2_000)
        for invitation in (b"wrong", b"invitation"):
            late = msgspec.structs.replace(player(1), created=3_000)
            with pytest.raises(Conflict):
                await store.add_player(late, invitation=invitation)
        await store.add_player(player(1), invitation=b"invitation")
        with pytest.raises(Conflict):
            await store.add_player(player(2), invitation=b"invitation")
        await store.add_player(player(2))
        await store.rename("p2", "Žarko")
        await store.add_table(table(1), [(0, "p1"), (1, "p2")])
        assert [row.id for row in await accounts.find("A", 10)] == ["p2", "p1"]
        assert [row.id for row in await accounts.find("A", 1)] == ["p2"]
        assert [row.id for row in await accounts.find("žARKO", 10, exact=True)] == ["p2"]
        assert [row.id for row in await accounts.find("p1", 10, exact=True)] == ["p1"]
        assert await accounts.find("žark", 10, exact=True) == []
        await accounts.set_admin("p2", True)
        await accounts.set_banned("p2", 4_000)
        seen = await accounts.account("p2")
        assert seen
        assert (seen.name, seen.admin, seen.banned, seen.unfinished) == ("Žarko", True, 4_000, 1)
        await accounts.set_banned("p2", None)
        assert await accounts.account("p9") is None
        assert await store.tables_with("p1") == ["t1"]
        await accounts.note(AuditRow(5_000, None, "root", "ban", "p1", "spam"))
        await accounts.note(AuditRow(6_000, "p2", "Žarko", "close", None, "t9"))
        newer, older = await accounts.audit()
        assert (newer.action, older.action, older.detail) == ("close", "ban", "spam")
        assert await accounts.audit(before=newer.number) == [older]
        assert await accounts.audit(limit=1) == [newer]
        assert await accounts.audit(player="p1") == [older]
        for gone in ("p1", "p2"):
            await store.delete_player(gone)
        assert [
            (e.operator, e.operator_name, e.player, e.detail) for e in await accounts.audit()
        ] == [
            ("", "", None, "t9"),
            (None, "root", None, ""),
        ]
        await store.add_table(table(2), [(0, None)])
        await store.delete_table("t2")
        assert await store.table("t2") is None
        assert await store.expired_secret("t2") == b"s" * 32

    run(scenario)


def test_a_log_is_kept_in_order_and_survives(run: Callable[[Scenario], None]) -> None:
    async def write(store: Store) -> None:
        await store.add_table(table(1), [(0, "p1"), (1, None)])
        await store.append(Addition("t1", rows(1, 2)))
        await store.append(Addition("t1", rows(3)))

    async def read(store: Store) -> None:
        assert await store.table("t1") == table(1)
        assert await store.table("t2") is None
        assert await store.log("t1") == rows(1, 2, 3)
        assert await store.log("t2") == []

    run(write)
    run(read)


def test_a_number_and_a_command_are_taken_once(run: Callable[[Scenario], None]) -> None:
    async def scenario(store: Store) -> None:
        await store.add_table(table(1), [])
        await store.append(Addition("t1", rows(1)))
        with pytest.raises(Conflict):
            await store.append(Addition("t1", [LogRow(1, 0, b"")]))
        with pytest.raises(Conflict):
            await store.append(Addition("t1", [LogRow(2, 0, b""), LogRow(3, 0, b"", "c1")]))
        with pytest.raises(Conflict):
            await store.add_table(table(1), [])
        assert await store.log("t1") == rows(1)
        await store.add_table(table(2), [])
        await store.append(Addition("t2", rows(1)))

    run(scenario)


def test_one_that_fails_in_a_group_harms_no_other(run: Callable[[Scenario], None]) -> None:
    async def scenario(store: Store) -> None:
        for n in range(50):
            await store.add_table(table(n), [])
        additions = [Addition(f"t{n % 50}", rows(1)) for n in range(100)]
        done = await asyncio.gather(*map(store.append, additions), return_exceptions=True)
        assert [type(d) for d in done] == [type(None)] * 50 + [Conflict] * 50
        for n in range(50):
            assert await store.log(f"t{n}") == rows(1)

    run(scenario)


def test_tables_are_listed_by_who_sits_there(run: Callable[[Scenario], None]) -> None:
    async def scenario(store: Store) -> None:
        await store.add_table(table(1), [(0, "p1"), (1, None)])
        await store.add_table(table(2, "p2"), [(0, "p2"), (1, "p1")])
        assert sorted(await store.tables_of("p1", over=False)) == ["t1", "t2"]
        assert await store.unfinished("p1") == await store.unfinished("p2") == 1
        await store.append(Addition("t2", rows(1), seating=[(1, None)]))
        assert await store.tables_of("p1", over=False) == ["t1"]
        await store.append(Addition("t1", rows(1), results=[result("t1", 0, "p1")]))
        assert await store.tables_of("p1", over=False) == []
        assert await store.tables_of("p1", over=True) == ["t1"]
        assert await store.unfinished("p1") == 0
        await store.append(Addition("t2", rows(2), seating=[(0, None)]))
        assert await store.unfinished("p2") == 0
        assert await store.unattended("p2") == [b"{}"], "everybody has left"
        assert await store.unattended("p1") == []
        assert [name async for name in store.finished()] == ["t1"]

    run(scenario)


def test_results_come_newest_first_with_names(run: Callable[[Scenario], None]) -> None:
    async def scenario(store: Store) -> None:
        await store.add_player(player(1))
        await store.add_player(player(2))
        for n in (1, 2, 3):
            await store.add_table(table(n), [(0, "p1"), (1, "p2")])
            both = [result(f"t{n}", 0, "p1", n), result(f"t{n}", 1, "p2", n)]
            await store.append(Addition(f"t{n}", rows(1), results=both))
        found = await store.results_of("p1", limit=2)
        assert [games[0].table for games in found] == ["t3", "t2"]
        assert await store.results("t3") == found[0]
        assert await store.results("t9") == []
        assert [r.name for r in found[0]] == ["Ana 1", "Ana 2"]
        assert found[0][0].areas == (1, 2, 3, 4, 5)
        assert found[0][0].won
        assert found[0][0].kept
        assert [g[0].table for g in await store.results_of("p1", before=2)] == ["t1"]

    run(scenario)


def test_the_best_of_each_game_is_none_of_practice(run: Callable[[Scenario], None]) -> None:
    async def scenario(store: Store) -> None:
        for n, (total, practice) in enumerate([(200, False), (250, False), (330, True)]):
            await store.add_table(table(n), [(0, "p1")])
            made = msgspec.structs.replace(result(f"t{n}", 0, "p1"), total=total, practice=practice)
            await store.append(Addition(f"t{n}", rows(1), results=[made]))
        assert await store.best("p1") == {"clever": 250}
        assert await store.best("p9") == {}

    run(scenario)


def test_old_tables_go_and_their_results_stay(run: Callable[[Scenario], None]) -> None:
    async def scenario(store: Store) -> None:
        await store.add_player(player(1))
        for n in (1, 2, 3, 4):
            await store.add_table(table(n), [(0, "p1")])
        await store.append(Addition("t1", rows(1), results=[result("t1", 0, "p1")]))
        await store.append(Addition("t2", rows(1, at=3_000)))
        await store.append(Addition("t3", rows(1, at=9_000)))
        assert await store.expire(finished_before=5_000, idle_before=900) == []
        gone = await store.expire(finished_before=5_001, idle_before=8_000)
        assert sorted(gone) == ["t1", "t2", "t4"]
        assert await store.table("t1") is None
        assert await store.log("t1") == []
        ((result_left,),) = await store.results_of("p1")
        assert not result_left.kept
        assert await store.tables_of("p1", over=False) == ["t3"]
        # Of games that had no end, the secret of the dice stays.
        found = [await store.expired_secret(f"t{n}") for n in (1, 2, 3, 4)]
        assert found == [None, b"s" * 32, None, b"s" * 32]

    run(scenario)


def test_solo_games_without_a_result_are_counted(run: Callable[[Scenario], None]) -> None:
    async def scenario(store: Store) -> None:
        for n in (1, 2):
            await store.add_player(player(n))
        games = ["clever"] * 5 + ["twice", "clever"]
        for n, game in enumerate(games, 1):
            owner = "p2" if n == 7 else "p1"
            await store.add_table(table(n), [(0, owner)])
            started = SoloStart(owner, game)
            await store.append(Addition(f"t{n}", rows(1, at=n * 1_000), solo_start=started))
        await store.append(Addition("t1", rows(2), results=[result("t1", 0, "p1")]))  # finished
        await store.append(Addition("t2", rows(2), seating=[(0, None)]))  # given up
        await store.append(Addition("t3", rows(2, at=3_000), results=[result("t3", 0, None)]))
        await store.expire(finished_before=0, idle_before=4_500)  # the fourth
        assert await store.table("t4") is None
        assert await store.solo_counts("p1") == {
            "clever": SoloCount(abandoned=3, unfinished=1),
            "twice": SoloCount(abandoned=0, unfinished=1),
        }
        assert await store.solo_counts("p9") == {}
        await store.delete_player("p1")
        assert await store.solo_counts("p1") == {}
        assert await store.solo_counts("p2") == {"clever": SoloCount(0, 1)}

    run(scenario)


def test_the_dice_of_a_day_are_tried_once_and_closed(run: Callable[[Scenario], None]) -> None:
    day, game = "2026-11-17", "clever"

    def dice(number: int, when: str = day) -> DailyDiceRow:
        return DailyDiceRow(when, game, bytes([number]) * 32, number)

    def attempt(who: int, number: int) -> tuple[DailyAttempt, NewTable]:
        made = DailyAttempt(day, game, f"p{who}", f"t{number}")
        return made, NewTable(table(number, f"p{who}"), [(0, f"p{who}")])

    async def scenario(store: Store) -> None:
        for n in range(1, 5):
            await store.add_player(player(n))
        await store.daily.turn(100, "2026-11-15", [dice(1), dice(2, "2026-11-18")])
        await store.daily.turn(200, "2026-11-15", [dice(3)])
        assert await store.mark(CLOCK) == 200
        assert await store.daily.dice(day, game) == dice(1), "once made, dice stay"
        assert await store.daily.dice(day, "twice") is None
        await store.daily.begin(*attempt(1, 1), [b"here"])
        assert await store.table("t1")
        for again in (attempt(1, 2), attempt(2, 2)):  # had theirs; seen here before
            with pytest.raises(Conflict):
                await store.daily.begin(*again, [b"here"])
        assert await store.table("t2") is None
        await store.daily.begin(*attempt(2, 2), [b"there"])
        await store.daily.begin(*attempt(3, 3), [])
        await store.daily.begin(*attempt(4, 4), [])
        assert await store.daily.played(day, game) == 4
        for number in (1, 4):
            rows = [result(f"t{number}", 0, f"p{number}")]
            await store.append(Addition(f"t{number}", [], results=rows))
        await store.accounts.set_banned("p4", 1)
        gone = Departure("p2", game, 1, 300)
        await store.append(Addition("t2", [], departures=[gone]))
        (own,) = await store.results("t1")
        assert own.daily == day
        (best,) = await store.daily.results(game, day, day)
        assert best == DailyResult(day, "p1", "Ana 1", 15, 5_000)
        await store.daily.turn(300, day, [])
        closed = await store.daily.dice(day, game)
        assert closed
        assert closed.closed
        states = [await store.daily.attempt(day, game, f"p{n}") for n in (1, 2, 3)]
        assert [a.state for a in states if a] == ["finished", "given_up", "unfinished"]
        await store.append(Addition("t3", [], results=[result("t3", 0, "p3")]))
        late = await store.daily.attempt(day, game, "p3")
        assert late
        assert (late.state, late.total) == ("unfinished", None), "closed is closed"
        with pytest.raises(Conflict):
            await store.daily.begin(DailyAttempt(day, game, "p5", "t5"), NewTable(table(5), []), [])
        assert [a.table for a in await store.daily.attempts(game, "p1")] == ["t1"]
        # A table of the day that goes does not tell the secret of everybody's dice.
        await store.delete_table("t2")
        assert await store.expired_secret("t2") is None
        await store.delete_player("p1")
        assert await store.daily.attempts(game, "p1") == []
        assert await store.daily.results(game, day, day) == []

    run(scenario)


def test_games_with_the_same_dice_are_a_match(run: Callable[[Scenario], None]) -> None:
    async def scenario(store: Store) -> None:
        for n in range(1, 5):
            await store.add_player(player(n))
        await store.add_table(table(1), [(0, "p1")])
        await store.append(Addition("t1", [], results=[result("t1", 0, "p1")]))
        assert await store.matches(["t1"]) == {}
        assert await store.met("p1") == set()
        await store.add_table(table(2, "p2"), [(0, "p2")], "t1")
        await store.add_table(table(3, "p3"), [(0, "p3")], "t2")  # the same dice, from the second
        await store.append(Addition("t2", [], results=[result("t2", 0, "p2")]))
        gone = Departure("p3", "clever", 1, 300)
        await store.append(Addition("t3", [], seating=[(0, None)], departures=[gone]))
        await store.add_table(table(4, "p4"), [(0, "p4")], "t1")
        found = await store.matches(["t3", "t9"])
        assert list(found) == ["t3"]
        assert [(g.table, g.player, g.state, g.total) for g in found["t3"]] == [
            ("t1", "p1", "finished", 15),
            ("t2", "p2", "finished", 15),
            ("t3", "p3", "given_up", None),
            ("t4", "p4", "playing", None),
        ]
        assert await store.met("p1") == {"p2"}
        await store.delete_table("t1")
        (first, *_) = (await store.matches(["t2"]))["t2"]
        assert (first.table, first.total, first.kept) == ("t1", 15, False)
        await store.delete_player("p2")
        assert [g.table for g in (await store.matches(["t4"]))["t4"]] == ["t1", "t3", "t4"]

    run(scenario)


def test_games_that_stand_apart_are_told_with_their_setup(
    run: Callable[[Scenario], None],
) -> None:
    async def scenario(store: Store) -> None:
        await store.add_player(player(1))
        figures = SeatReviewRow(0, 1.0, 2.0, 3.0, 0.0, 4.0, 0.0, 0.1, {}, (), 0.0)
        kinds: list[Json] = [{}, {"apart": True}, {"practice": True}, {"hints": 2}]
        for n, how in enumerate(kinds, 1):
            await store.add_table(table(n), [(0, "p1")])
            mine = msgspec.structs.replace(result(f"t{n}", 0, "p1", n), **how)
            await store.append(Addition(f"t{n}", [], results=[mine]))
            await store.coach.add_review(ReviewRow(f"t{n}", b"z", 1, [figures]))
        games = await store.results_of("p1")
        told = [(mine.apart, mine.practice, mine.hints, mine.setup) for (mine,) in games]
        assert told == [
            (False, False, 2, b""),
            (False, True, 0, b"{}"),
            (True, False, 0, b"{}"),
            (False, False, 0, b""),
        ]
        reviewed = await store.coach.reviewed("p1")
        assert [(row.table, row.apart, row.hints) for row in reviewed] == [
            ("t1", False, 0),
            ("t2", True, 0),
            ("t4", False, 2),
        ]
        await store.delete_table("t2")
        ((gone,), *_) = [game for game in await store.results_of("p1") if game[0].table == "t2"]
        assert (gone.kept, gone.setup) == (False, b"")

    run(scenario)


def test_games_given_up_are_known_until_they_are_taken_up(run: Callable[[Scenario], None]) -> None:
    async def scenario(store: Store) -> None:
        await store.add_player(player(1))
        for n in (1, 2, 3):
            await store.add_table(table(n), [(0, "p1")])
            await store.append(Addition(f"t{n}", [], departures=[Departure("p1", "clever", 2, n)]))
        back = Departure("p1", "clever", 2, 9, back=True)
        await store.append(Addition("t1", [], departures=[back]))
        # Who did most of it has a result all the same.
        await store.append(Addition("t2", [], results=[result("t2", 0, "p1")]))
        assert await store.given_up("p1", 10) == [GivenUpRow("t3", "clever", 2, 3)]
        await store.delete_table("t3")
        (row,) = await store.given_up("p1", 10)
        assert not row.kept
        await store.delete_player("p1")
        assert await store.given_up("p1", 10) == []

    run(scenario)


def test_a_deleted_player_leaves_nothing(run: Callable[[Scenario], None]) -> None:
    async def scenario(store: Store) -> None:
        await store.add_player(player(1))
        await store.add_player(player(2))
        await store.add_table(table(1), [(0, "p1")])
        await store.add_table(table(2), [(0, "p1"), (1, "p2")])
        await store.add_table(table(3), [(0, None)])
        await store.append(Addition("t1", rows(1), results=[result("t1", 0, "p1")]))
        both = [result("t2", 0, "p1"), result("t2", 1, "p2")]
        await store.append(Addition("t2", rows(1), results=both))
        await store.add_link(b"code", "p1", 10**6)
        await store.add_table(table(4), [(0, "p1")])
        await store.append(Addition("t4", rows(1), results=[result("t4", 0, "p1", finished=1)]))
        assert await store.expire(finished_before=2, idle_before=0) == ["t4"]
        assert await store.results("t4")
        await store.delete_player("p1")
        assert await store.player_by_token(player(1).token) is None
        assert await store.table("t1") is None
        assert await store.results("t4") == [], "its table had expired"
        assert await store.table("t3") is None
        assert await store.log("t2") == rows(1)
        assert await store.results_of("p1") == []
        assert [r.player for r in (await store.results_of("p2"))[0]] == [None, "p2"]
        assert await store.use_link(b"code", 0, device(b"x")) is None

    run(scenario)


# --- SQLite's own ---------------------------------------------------------------------------------


def test_a_second_server_is_refused_until_the_first_ends(tmp_path: Path) -> None:
    async def main() -> None:
        first = SqliteStore(tmp_path / "store.db")
        with pytest.raises(StoreError, match="another server"):
            SqliteStore(tmp_path / "store.db")
        (tmp_path / "alias.db").symlink_to("store.db")
        with pytest.raises(StoreError, match="another server"):
            SqliteStore(tmp_path / "alias.db")
        await first.close()
        await SqliteStore(tmp_path / "store.db").close()

    asyncio.run(main())


def test_the_lock_of_a_killed_process_is_gone(tmp_path: Path) -> None:
    program = (
        "import os, sys; from pathlib import Path; from foxtray.server.store.sqlite import lock;"
        "guard = lock(Path(sys.argv[1])); os.kill(os.getpid(), 9)"
    )
    path = tmp_path / "store.db"
    subprocess.run([sys.executable, "-c", program, str(path)], check=False)

    async def main() -> None:
        await SqliteStore(path).close()

    asyncio.run(main())


def test_what_is_no_store_is_refused_in_a_sentence(tmp_path: Path) -> None:
    async def main() -> None:
        text = tmp_path / "notes.txt"
        text.write_text("no database at all, " * 100)
        with pytest.raises(StoreError, match="cannot be used"):
            SqliteStore(text)
        newer = tmp_path / "newer.db"
        connection = sqlite3.connect(newer)
        connection.execute("PRAGMA user_version=99")
        connection.close()
        with pytest.raises(StoreError, match="newer foxtray"):
            SqliteStore(newer)
        with pytest.raises(StoreError):
            SqliteStore(Path("/dev/null/store.db"))

    asyncio.run(main())


def test_a_folder_where_nothing_can_be_made_is_refused_in_a_sentence(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    path.with_name("store.db.lock").mkdir()  # even for root no file can have this name
    command = [sys.executable, "-m", "foxtray", "serve", "--port", "0", "--db", str(path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.splitlines() == [
        f"foxtray: {path}.lock cannot be made: unable to open database file"
    ]


def test_a_folder_that_does_not_exist_is_not_made_silently(tmp_path: Path) -> None:
    path = tmp_path / "typo" / "store.db"
    command = [sys.executable, "-m", "foxtray", "serve", "--port", "0", "--db", str(path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 2
    assert done.stderr.splitlines() == [
        f"foxtray: there is no folder {path.parent}; make it, or choose another --db"
    ]
    assert not path.parent.exists()


def test_the_folder_of_the_data_is_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FOXTRAY_DATA", str(tmp_path / "new" / "folder"))

    async def main() -> None:
        await SqliteStore(default_file()).close()

    asyncio.run(main())
    assert default_file().exists()


class Failing(SqliteStore):
    """A disk that can be made to fail on commit."""

    broken = ""

    def commit(self, connection: sqlite3.Connection) -> None:
        if self.broken == "after":
            super().commit(connection)
        if self.broken:
            raise sqlite3.OperationalError("disk I/O error")
        super().commit(connection)


@pytest.mark.parametrize("moment", ["before", "after"])
def test_a_failing_disk_is_told_and_recovered_from(tmp_path: Path, moment: str) -> None:
    async def main() -> None:
        store = Failing(tmp_path / "store.db")
        told: list[str | None] = []
        store.watch(told.append)
        await store.append(Addition("t1", rows(1)))
        store.broken = moment
        for _ in range(2):
            with pytest.raises((StorageFailing, Conflict)):
                await store.append(Addition("t1", rows(2)))
        assert store.failing
        assert told == ["disk I/O error"]
        store.broken = ""
        async with asyncio.timeout(LATE):
            while len(told) < 2:
                await asyncio.sleep(0.05)
        assert not store.failing
        assert told == ["disk I/O error", None]
        # What was never acknowledged may be there or not; what was, is.
        kept = await store.log("t1")
        assert kept == rows(1, 2) if moment == "after" else kept == rows(1)
        await store.append(Addition("t1", rows(3)))
        assert (await store.log("t1"))[-1] == rows(3)[0]
        await store.close()

    asyncio.run(main())


def test_a_backup_under_load_is_whole(tmp_path: Path) -> None:
    async def main() -> None:
        store = SqliteStore(tmp_path / "store.db")
        await store.append(Addition("t1", rows(1)))
        stop = asyncio.Event()
        written = set()

        async def writing(name: str) -> None:
            n = 1
            while not stop.is_set():
                n += 2
                await store.append(Addition(name, [LogRow(n - 1, 0, b"a"), LogRow(n, 0, b"b")]))
                written.add(name)

        tasks = [asyncio.create_task(writing(f"t{i}")) for i in range(1, 9)]
        async with asyncio.timeout(LATE):
            while len(written) < len(tasks):
                await asyncio.sleep(0.01)
        await asyncio.to_thread(backup, store.path, tmp_path / "copy.db")
        stop.set()
        await asyncio.gather(*tasks)
        await store.close()
        copy = SqliteStore(tmp_path / "copy.db")
        lengths = [[row.seq for row in await copy.log(f"t{i}")] for i in range(1, 9)]
        assert all(lengths)
        assert all(seqs == list(range(seqs[0], seqs[-1] + 1)) for seqs in lengths)
        # Both rows of an addition, or none.
        assert all(len(seqs) % 2 == (1 if i == 0 else 0) for i, seqs in enumerate(lengths))
        await copy.close()

    asyncio.run(main())


def test_a_backup_complains_in_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="no data"):
        backup(tmp_path / "none.db", tmp_path / "copy.db")
    (tmp_path / "there").write_text("no database, " * 100)
    with pytest.raises(StoreError, match="exists already"):
        backup(tmp_path / "there", tmp_path / "there")
    (tmp_path / "copy.db.tmp").write_text("somebody else's")
    with pytest.raises(StoreError, match="could not be copied"):
        backup(tmp_path / "there", tmp_path / "copy.db")
    with pytest.raises(StoreError, match="cannot be written"):
        backup(tmp_path / "there", tmp_path / "nowhere" / "copy.db")
    assert sorted(os.listdir(tmp_path)) == ["copy.db.tmp", "there"]


def test_data_and_copies_are_for_their_owner_only(tmp_path: Path) -> None:
    async def main() -> None:
        store = SqliteStore(tmp_path / "store.db")
        backup(tmp_path / "store.db", tmp_path / "copy.db")
        for path in (*tmp_path.glob("store.db"), *tmp_path.glob("*-wal"), tmp_path / "copy.db"):
            assert path.stat().st_mode & 0o077 == 0, path
        await store.close()

    asyncio.run(main())


def test_a_deleted_player_leaves_no_trace_in_the_file(tmp_path: Path) -> None:
    """The id stayed in the logs of tables that others had a seat at, and in free pages."""
    gone, stays = "GONEgone1234", "STAYstay1234"

    async def main() -> None:
        store = SqliteStore(tmp_path / "store.db")
        for name in (gone, stays):
            await store.add_player(PlayerRow(name, f"called {name}", name.encode(), 1))
        setup = f'{{"game":"clever","seats":[{{"player":"{gone}"}},{{}}]}}'.encode()
        row = TableRow("t1", 1, setup, b"s" * 32, gone, "i", "w", 1_000)
        await store.add_table(row, [(0, gone), (1, stays)])
        await store.add_table(msgspec.structs.replace(row, id="t2"), [(0, gone)])
        log = [
            LogRow(
                seat + 1, 1, f'{{"t":"sat","seat":{seat},"player":"{who}"}}'.encode(), f"{who} c"
            )
            for seat, who in enumerate((gone, stays))
        ]
        for name in ("t1", "t2"):
            await store.append(Addition(name, log, solo_start=SoloStart(gone, "clever")))
        await store.delete_player(gone)
        assert await store.table("t2") is None
        first, second = await store.log("t1")
        assert second == log[1]
        assert first.command
        nobody = first.command.split()[0]
        assert first.data == log[0].data.replace(gone.encode(), nobody.encode())
        left = await store.table("t1")
        assert left
        assert left.host == nobody
        assert left.setup == setup.replace(gone.encode(), nobody.encode())
        async with asyncio.timeout(LATE):
            while any(gone.encode() in file.read_bytes() for file in tmp_path.iterdir()):
                await asyncio.sleep(0.05)
        assert any(stays.encode() in file.read_bytes() for file in tmp_path.iterdir())
        await store.close()

    asyncio.run(main())


def test_old_tables_go_in_small_steps(run: Callable[[Scenario], None]) -> None:
    async def scenario(store: Store) -> None:
        for n in range(1, 8):
            await store.add_table(table(n), [])
        edge = {"finished_before": 0, "idle_before": 2_000}
        steps = [await store.expire(**edge, limit=3) for _ in range(4)]
        assert [len(step) for step in steps] == [3, 3, 1, 0]

    run(scenario)


# --- the file itself ------------------------------------------------------------------------------


def stray(store: SqliteStore) -> tuple[Path, ...]:
    return tuple(store.path.with_name(store.path.name + end) for end in ("", "-wal", "-shm"))


@pytest.mark.parametrize("which", [0, 1, 2], ids=["file", "wal", "shm"])
@pytest.mark.parametrize("replaced", [False, True], ids=["deleted", "replaced"])
def test_nothing_is_acknowledged_into_a_file_that_is_gone(
    tmp_path: Path, which: int, replaced: bool
) -> None:
    async def main() -> None:
        store = SqliteStore(tmp_path / "store.db")
        await store.add_table(table(1), [])
        await store.append(Addition("t1", rows(1)))
        told: list[str | None] = []
        store.watch(told.append)
        victim = stray(store)[which]
        away = tmp_path / "away"
        victim.rename(away)
        if replaced:
            victim.write_bytes(away.read_bytes())
        with pytest.raises(StorageFailing, match="deleted or replaced"):
            await store.append(Addition("t1", rows(2)))
        assert store.failing
        await asyncio.sleep(0)
        assert len(told) == 1
        with pytest.raises(StorageFailing, match="deleted or replaced"):
            await store.log("t1")  # it may hold what was refused, and what no restart finds
        # Put back, it goes on; the one that was refused may be there or not, but only once.
        os.replace(away, victim)
        async with asyncio.timeout(LATE):
            while store.failing:
                await asyncio.sleep(0.05)
        log = await store.log("t1")
        assert log in (rows(1), rows(1, 2))
        await store.append(Addition("t1", rows(len(log) + 1)))
        await store.close()

    asyncio.run(main())


def test_a_file_that_is_gone_is_noticed_while_nobody_moves(tmp_path: Path) -> None:
    async def main() -> None:
        store = SqliteStore(tmp_path / "store.db")
        (tmp_path / "store.db").unlink()
        async with asyncio.timeout(LATE):
            while not store.failing:
                await asyncio.sleep(0.05)
        await store.close()

    asyncio.run(main())


def test_a_file_that_comes_back_is_noticed_while_nobody_moves(tmp_path: Path) -> None:
    async def main() -> None:
        store = SqliteStore(tmp_path / "store.db")
        away = tmp_path / "away"
        (tmp_path / "store.db").rename(away)
        async with asyncio.timeout(LATE):
            while not store.failing:
                await asyncio.sleep(0.05)
        away.rename(tmp_path / "store.db")
        async with asyncio.timeout(10):
            while store.failing:
                await asyncio.sleep(0.05)
        await store.close()

    asyncio.run(main())


def test_reads_that_fail_are_told_until_they_work_again(tmp_path: Path) -> None:
    async def main() -> None:
        store = SqliteStore(tmp_path / "store.db")
        for n in range(1, 200):
            await store.add_table(table(n), [])
            await store.append(Addition(f"t{n}", rows(*range(1, 20))))
        await store.close()
        path = tmp_path / "store.db"
        whole = path.read_bytes()
        store = SqliteStore(path)
        # Everything but the first page, which holds the schema.
        with path.open("r+b") as file:
            file.seek(4096)
            file.write(b"\xff" * (len(whole) - 4096))
        everything = asyncio.gather(*(store.log(f"t{n}") for n in range(1, 200)))
        with pytest.raises(StorageFailing, match="cannot be read"):
            await everything
        assert store.failing
        with path.open("r+b") as file:
            file.write(whole)
        async with asyncio.timeout(LATE):
            while store.failing:
                await asyncio.sleep(0.05)
        await store.close()

    asyncio.run(main())


CRASH = """
import asyncio, os, sys
from pathlib import Path
from foxtray.server.store.sqlite import SqliteStore
from server.test_store import Addition, player, rows, table

async def main():
    store = SqliteStore(Path(sys.argv[1]))
    first = int(sys.argv[2])
    for n in range(first, first + int(sys.argv[3])):
        await store.add_player(player(n % 250))
        await store.add_table(table(n), [])
        await store.append(Addition(f"t{n}", rows(*range(1, 30))))
    os._exit(9)

asyncio.run(main())
"""


def crash(path: Path, first: int, count: int) -> None:
    """Write some tables in a process that then dies as in a power cut."""
    folder = str(Path(__file__).parents[1])
    environment = {**os.environ, "PYTHONPATH": f"{os.environ.get('PYTHONPATH', '')}:{folder}"}
    arguments = [sys.executable, "-c", CRASH, str(path), str(first), str(count)]
    assert subprocess.run(arguments, env=environment, check=False).returncode == 9


def test_a_backup_restored_after_a_crash_is_whole(tmp_path: Path) -> None:
    """The -wal of the crashed server was replayed into the copy put in its place."""
    path = tmp_path / "store.db"
    crash(path, 1, 20)
    backup(path, tmp_path / "monday.db")
    crash(path, 21, 100)
    assert path.with_name("store.db-wal").exists()
    kept = restore(tmp_path / "monday.db", path)
    assert kept

    async def tables(path: Path) -> int:
        store = SqliteStore(path)
        found = [await store.table(f"t{n}") for n in range(1, 121)]
        logs = [await store.log(f"t{n}") for n in range(1, 121)]
        assert [bool(t) for t in found] == [bool(log) for log in logs]
        await store.close()
        return sum(t is not None for t in found)

    assert asyncio.run(tables(path)) == 20
    assert asyncio.run(tables(kept)) == 120, "what was there before is kept whole"


@pytest.mark.parametrize("fresh", [False, True])
def test_what_root_restores_belongs_to_the_server(tmp_path: Path, fresh: bool) -> None:
    """Otherwise the server could not open it: it runs as another user."""
    crash(tmp_path / "other.db", 1, 5)
    backup(tmp_path / "other.db", tmp_path / "monday.db")
    folder = tmp_path / "data"
    folder.mkdir()
    path = folder / "store.db"
    if not fresh:
        crash(path, 1, 1)
    if os.geteuid() == 0:
        for file in (folder, *folder.iterdir()):
            os.chown(file, 12345, 12346)
    owner = folder.stat()
    restore(tmp_path / "monday.db", path)
    for file in (path, path.with_name("store.db.lock")):
        assert (file.stat().st_uid, file.stat().st_gid) == (owner.st_uid, owner.st_gid)


def test_restoring_complains_in_a_sentence_and_changes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    crash(path, 1, 5)
    before = path.read_bytes(), path.with_name("store.db-wal").read_bytes()
    (tmp_path / "text.db").write_text("no database, " * 100)
    sqlite3.connect(tmp_path / "other.db").execute("CREATE TABLE cats (name)").connection.close()
    newer = sqlite3.connect(tmp_path / "newer.db")
    newer.execute("PRAGMA user_version=99")
    newer.execute("CREATE TABLE players (id)")
    newer.close()
    for name, complaint in (
        ("none.db", "no backup"),
        ("text.db", "could not be copied"),
        ("other.db", "not a backup of a foxtray server"),
        ("newer.db", "newer foxtray"),
    ):
        with pytest.raises(StoreError, match=complaint):
            restore(tmp_path / name, path)
    assert (path.read_bytes(), path.with_name("store.db-wal").read_bytes()) == before
    backup(path, tmp_path / "monday.db")

    async def main() -> None:
        store = SqliteStore(path)
        with pytest.raises(StoreError, match="another server is using"):
            restore(tmp_path / "monday.db", path)
        await store.close()

    asyncio.run(main())
    left = {file.name for file in tmp_path.iterdir()}
    assert left == {"store.db", "store.db.lock", "text.db", "other.db", "newer.db", "monday.db"}


def test_a_file_damaged_by_a_crash_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    crash(path, 1, 50)
    sqlite3.connect(path).execute("PRAGMA wal_checkpoint(TRUNCATE)").connection.close()
    crash(path, 51, 1)
    size = path.stat().st_size
    with path.open("r+b") as file:
        file.seek(size // 4)
        file.write(b"\xff" * (size // 2))

    async def main() -> None:
        with pytest.raises(StoreError, match="foxtray restore FILE"):
            SqliteStore(path)

    asyncio.run(main())


def test_a_hard_link_does_not_let_a_second_server_in(tmp_path: Path) -> None:
    async def main() -> None:
        store = SqliteStore(tmp_path / "store.db")
        os.link(tmp_path / "store.db", tmp_path / "alias.db")
        with pytest.raises(StoreError, match="under another name"):
            SqliteStore(tmp_path / "alias.db")
        await store.close()

    asyncio.run(main())


def test_a_missing_file_with_its_log_beside_it_is_not_taken_for_a_new_one(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    crash(path, 1, 5)
    path.unlink()

    async def main() -> None:
        with pytest.raises(StoreError, match="is missing"):
            SqliteStore(path)

    asyncio.run(main())
    assert not path.exists()
