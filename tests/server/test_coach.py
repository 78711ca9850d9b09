"""The coach at a real server: reviews, hints, playing on, exercises; and who gets none of it."""

from __future__ import annotations

import asyncio
import gzip
import json
import re
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace
from structlog.testing import capture_logs

from foxtray import Game, SeededDice
from foxtray.review import Alternative, read_hint, read_review
from foxtray.server.coach import exercises, reviewer
from foxtray.server.coach.exercises import Answer, Exercise
from foxtray.server.coach.hints import KEPT, Hints
from foxtray.server.coach.reviewer import DailyExercises, Reviewer
from foxtray.server.http.coach_api import strength
from foxtray.server.protocol import inputs
from foxtray.server.protocol.refusals import Refusal
from foxtray.server.store import (
    ExerciseRow,
    PlayerRow,
    ReviewedRow,
    ReviewRow,
    SeatReviewRow,
    TableRow,
)
from foxtray.server.store.sqlite import SqliteStore
from foxtray.server.tables.turn_clock import TurnClock
from foxtray.server.wall_clock import DAY
from server.harness import Client, Json, LoopFactory, Refused, Server, key_of

COMPILING = 400.0
"""Seconds in which even a busy machine compiles what a review needs."""


@pytest.fixture(scope="module")
def server(compiled: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with Server(tmp_path_factory.mktemp("coach") / "store.db") as running:
        yield running
    assert '"level": "error"' not in running.log.read_text()


async def play_solo(server: Server, token: str, game: str = "clever", hints: int = 0) -> str:
    """A whole solo game, played at random; returns its table."""
    made = server.table(token, game)
    async with Client(server.port, made["id"], token) as client:
        await client.sit(0)
        await client.command("start")
        while hints:
            if (client.game or {}).get("awaiting"):
                await client.command("hint", again=30.0)
                hints -= 1
            else:
                await client.command("roll")
        await client.play()
    return str(made["id"])


@pytest.fixture(scope="module")
def finished(server: Server) -> tuple[str, str]:
    """A finished solo game: the token of its player, and its table."""
    token = server.player("Mia")[1]
    return token, asyncio.run(play_solo(server, token))


def review_of(server: Server, token: str, table: str) -> Json:
    """Ask for a review until it is there."""
    told: list[Json] = []

    def done() -> bool:
        status, answer = server.http("POST", f"/api/tables/{table}/review", token=token)
        assert status == 200, answer
        told.append(answer)
        assert answer["state"] != "failed", answer
        return bool(answer["state"] == "done")

    patiently(done)
    shares = [answer["progress"] for answer in told]
    assert shares == sorted(shares)
    status, answer = server.http("GET", f"/api/tables/{table}/review", token=token)
    assert status == 200
    return dict(answer)


def patiently(holds: Callable[[], object]) -> None:
    """Wait for what may have to be compiled first."""
    deadline = time.monotonic() + COMPILING
    while not holds():
        assert time.monotonic() < deadline, "it did not happen"
        time.sleep(0.1)


def rows(server: Server, query: str) -> list[tuple[Any, ...]]:
    with closing(sqlite3.connect(server.db)) as connection:
        return connection.execute(query).fetchall()


# --- reviews ------------------------------------------------------------------------------------


def test_a_review_is_made_once_and_adds_up(server: Server, finished: tuple[str, str]) -> None:
    token, table = finished
    status, answer = server.http("GET", f"/api/tables/{table}/review", token=token)
    assert (status, answer["code"]) == (404, "no_review")
    found = read_review(review_of(server, token, table))
    seat = found.player(0)
    total = server.http("GET", f"/api/tables/{table}", token=token)[1]["game"]["seats"][0]["score"][
        "total"
    ]
    assert seat.result == total
    assert seat.result == pytest.approx(
        seat.expected + seat.luck + seat.influence - seat.price + seat.correction
    )
    assert server.figure('foxtray_reviews_total{result="made"}') == 1
    assert f'"table": "{table}"' in next(
        line for line in server.log.read_text().splitlines() if "review_made" in line
    )
    made = rows(server, f"SELECT made FROM reviews WHERE \"table\"='{table}'")
    assert server.http("POST", f"/api/tables/{table}/review", token=token)[1]["state"] == "done"
    assert rows(server, f"SELECT made FROM reviews WHERE \"table\"='{table}'") == made


def test_a_review_travels_compressed_and_names_nobody(
    server: Server, finished: tuple[str, str]
) -> None:
    token, table = finished
    review_of(server, token, table)
    packed = {"Accept-Encoding": "gzip"}
    _, data, headers = server.exchange(
        "GET", f"/api/tables/{table}/review", token=token, headers=packed
    )
    assert headers["Content-Encoding"] == "gzip"
    text = gzip.decompress(data)
    assert json.loads(text)["game"] == "clever"
    assert b"Mia" not in text, "a name would stay after its owner left"
    assert len(data) < 60_000


def test_a_review_speaks_of_your_dice_to_their_player_only(
    server: Server, finished: tuple[str, str]
) -> None:
    token, table = finished
    review_of(server, token, table)
    key = server.http("GET", f"/api/tables/{table}", token=token)[1]["you"]["key"]
    path = f"/api/tables/{table}/review/words"
    mine = server.http("GET", path, token=token)[1]["summaries"]
    theirs = server.http("GET", f"{path}?key={key}", token=server.player("Eve")[1])[1]["summaries"]
    assert "Your dice were worth" in mine[0]
    assert "Your decisions cost" in mine[0]
    assert "Your" not in theirs[0]
    assert re.findall(r"\d+", theirs[0]) == re.findall(r"\d+", mine[0])


def test_nobody_gets_a_review_of_a_game_they_may_not_see(
    server: Server, finished: tuple[str, str]
) -> None:
    stranger = server.player("Eve")[1]
    for method in ("GET", "POST"):
        status, answer = server.http(method, f"/api/tables/{finished[1]}/review", token=stranger)
        assert (status, answer["code"]) == (404, "no_table")


def test_there_is_no_review_of_a_game_that_goes_on(server: Server) -> None:
    token = server.player()[1]
    table = server.table(token)["id"]
    for method in ("GET", "POST"):
        status, answer = server.http(method, f"/api/tables/{table}/review", token=token)
        assert (status, answer["code"]) == (409, "not_over")


def test_the_figures_of_all_games_are_told(server: Server, finished: tuple[str, str]) -> None:
    token, table = finished
    review_of(server, token, table)
    told = server.http("GET", "/api/me/coach", token=token)[1]["games"]["clever"]
    (game,) = told["games"]
    assert game["table"] == table
    assert told["solo"]["games"] == 1
    assert told["solo"]["plain_mean"] == game["result"]
    assert told["solo"]["mean"] == pytest.approx(game["result"] - game["luck"])
    assert told["luck"] == pytest.approx(game["luck"])
    assert sum(told["kinds"].values()) == pytest.approx(game["price"])
    assert len(told["areas"]) == 5


def test_strength_takes_out_luck_and_nothing_else() -> None:
    """Gifts of the others were taken out, too, which made everybody weaker than they are."""
    figures = replace(FIGURES, result=200.0, luck=10.0, influence=15.0)
    found = strength([ReviewedRow("t", "clever", 2, 1, 0, figures)] * 2)
    assert found
    assert (found.mean, found.plain_mean) == (190.0, 200.0)


def test_players_take_turns_and_a_game_is_asked_for_once() -> None:
    asked = Reviewer(None)  # type: ignore[arg-type]
    for number in range(3):
        asked.ask(f"t{number}", "ana", "", [])
    asked.ask("t9", "ben", "", [])
    assert asked.waiting_of("ana") == 3
    assert asked.ask("t1", "ben", "", []) is asked.find("t1"), "asked for once, made once"

    def ahead(table: str) -> int:
        request = asked.find(table)
        assert request
        return asked.ahead(request)

    # Not how many wait in all.
    assert [ahead(table) for table in ("t0", "t9", "t1", "t2")] == [0, 1, 2, 3]
    working = asked.next()
    working.state = "working"
    assert working.table == "t0"
    assert [ahead(table) for table in ("t0", "t9", "t1", "t2")] == [0, 1, 2, 3]
    order = [asked.next().table for _ in range(3)]
    assert order == ["t9", "t1", "t2"], "players take turns"


def test_a_process_that_dies_is_tried_again_and_then_told(
    tmp_path: Path, loop_factory: LoopFactory
) -> None:
    script = "import os,sys;open(sys.argv[1],'a').write('x');os.kill(os.getpid(),9)"
    count = tmp_path / "count"
    counted: list[str] = []

    async def scenario() -> None:
        store = SqliteStore(tmp_path / "store.db")
        command = (reviewer.WORKER[0], "-c", script, str(count))
        made = Reviewer(store.coach, command=command, count=counted.append)
        made.start()
        request = made.ask("t1", "ana", "", [])
        async with asyncio.timeout(30):
            while request.state != "failed":
                await asyncio.sleep(0.02)
        assert "died" in request.problem
        assert counted == ["died", "died", "failed"], "the host is told"
        assert not made.tasks.dead, "the next review is made all the same"
        assert made.ask("t1", "ana", "", []) is not request, "it can be asked for again"
        await made.close()
        await store.close()

    with capture_logs() as logs, asyncio.Runner(loop_factory=loop_factory) as runner:
        runner.run(scenario())
    died = [line["cause"] for line in logs if line["event"] == "coach_died"]
    assert died[:2] == ["exit status -9"] * 2
    assert count.read_text() in ("xx", "xxx", "xxxx")


@pytest.mark.parametrize(
    "command",
    [
        # Where a process could not start, all reviews waited until the server was started again.
        ("no such program",),
        # Nor could this review be kept.
        (reviewer.WORKER[0], "-c", """print('{"review": {"version": 99}}')"""),
    ],
)
def test_a_review_that_fails_does_not_end_the_queue(
    command: tuple[str, ...], tmp_path: Path
) -> None:
    async def scenario() -> None:
        store = SqliteStore(tmp_path / "store.db")
        made = Reviewer(store.coach, command=command)
        made.start()
        for table in ("t1", "t2"):
            request = made.ask(table, "ana", "", [])
            async with asyncio.timeout(30):
                while request.state != "failed":
                    await asyncio.sleep(0.02)
        assert not made.tasks.dead
        await made.close()
        await store.close()

    asyncio.run(scenario())


def test_an_exercise_is_made_once_while_it_is_stored() -> None:
    """Whoever asked while it was being stored had another one made."""
    made = Exercise("clever", "", 0, ())

    class Maker:
        asked = 0

        async def exercise(self, *_: object) -> Exercise:
            self.asked += 1
            return made

    async def scenario() -> None:
        maker = Maker()
        daily = DailyExercises(maker)  # type: ignore[arg-type]
        assert daily.find("daily-clever-1", "clever") is None
        await asyncio.sleep(0)
        assert daily.find("daily-clever-1", "clever") is made
        assert daily.find("daily-clever-1", "clever") is made
        assert maker.asked == 1
        assert daily.find("daily-clever-2", "clever") is None, "the next day has another one"
        await asyncio.sleep(0)
        assert daily.find("daily-clever-2", "clever") is made
        await daily.close()

    asyncio.run(scenario())


def test_a_game_that_cannot_be_read_fails_with_a_sentence(tmp_path: Path) -> None:
    async def scenario() -> str:
        store = SqliteStore(tmp_path / "store.db")
        made = Reviewer(store.coach)
        made.start()
        request = made.ask("t1", "ana", "foxtray 2\nnonsense\n", [])
        async with asyncio.timeout(60):
            while request.state != "failed":
                await asyncio.sleep(0.02)
        await made.close()
        await store.close()
        return request.problem

    problem = asyncio.run(scenario())
    assert problem
    assert "Traceback" not in problem


# --- hints --------------------------------------------------------------------------------------


def test_a_hint_is_given_alone_and_the_game_stands_apart(server: Server) -> None:
    token = server.player()[1]

    async def scenario() -> tuple[Json, Json]:
        made = server.table(token)
        async with Client(server.port, made["id"], token) as client:
            await client.sit(0)
            await client.command("start")
            with pytest.raises(Refused, match="no_hint_now"):
                await client.command("hint")
            await client.command("roll")
            first = await client.command("hint", again=30.0)
            again = await client.command("hint", again=30.0)
            assert again["hint"] == first["hint"]
            legal = [choice["action"] for choice in client.game["seats"][0]["legal"]]  # type: ignore[index]
            assert client.table["seats"][0]["hints"] == 2
            assert [e["what"] for e in client.entries.values()][-2:] == ["hinted", "hinted"]
            hint = read_hint(first["hint"])
            assert hint.best.actions[0] in legal
            assert {a.action for a in hint.alternatives} == set(legal)
            await client.play()
        status, games = server.http("GET", "/api/me/games", token=token)
        assert status == 200
        return games["games"][0], server.http("GET", "/api/me", token=token)[1]

    line, me = asyncio.run(scenario())
    assert line["hints"] == 2
    assert "clever" not in me["best"], "a score with hints is no record"
    assert server.http("GET", "/api/me/statistics", token=token)[1]["games"] == {}


def test_a_hint_that_is_sent_again_is_for_the_same_decision(server: Server) -> None:
    """With one id, a client got a hint for every decision, and the log told of one."""
    token = server.player()[1]

    def ask(table: str) -> tuple[int, Json]:
        body = {"type": "hint", "id": "always-the-same"}
        return server.http("POST", f"/api/tables/{table}/commands", body, token)

    async def scenario() -> None:
        made = server.table(token)
        async with Client(server.port, made["id"], token) as client:
            await client.sit(0)
            await client.command("start")
            await client.command("roll")
            first = await client.command("hint", again=30.0)
            status, answer = await asyncio.to_thread(ask, made["id"])
            assert status == 200
            assert answer["hint"] == first["hint"]
            assert await asyncio.to_thread(ask, made["id"]) == (status, answer)
            await client.command("play", action=first["hint"]["best"]["actions"][0])
            while not client.game["awaiting"]:  # type: ignore[index]
                await client.command("roll")
            status, answer = await asyncio.to_thread(ask, made["id"])
            assert (status, answer["code"]) == (409, "stale")
            assert client.table["seats"][0]["hints"] == 2
            await client.play()
        status, answer = await asyncio.to_thread(ask, made["id"])
        assert (status, answer["code"]) == (409, "stale"), (
            "it promised a hint for a game that is over"
        )

    asyncio.run(scenario())


def test_a_hint_does_not_change_what_is_asked(server: Server) -> None:
    token = server.player()[1]

    async def scenario() -> None:
        made = server.table(token)
        async with Client(server.port, made["id"], token) as client:
            await client.sit(0)
            await client.command("start")
            await client.command("roll")
            seen = client.seq
            hint = await client.command("hint", again=30.0)
            # Chosen in another window, which has not heard of the hint yet.
            await client.command("play", action=hint["hint"]["best"]["actions"][0], seen=seen)

    asyncio.run(scenario())


def test_a_hint_buys_no_time(loop_factory: LoopFactory) -> None:
    """At a table with a clock, a player who kept asking for hints never had to choose."""

    async def scenario() -> None:
        async def expired(seats: list[int]) -> None:
            pass

        clock = TurnClock(30, expired)
        clock.run([0])
        told = clock.deadlines()
        await asyncio.sleep(0.05)
        clock.note(inputs.Hinted(0))
        clock.run([0])
        assert clock.deadlines()[0] == pytest.approx(told[0], abs=20)
        clock.note(inputs.Played(0, "pass"))
        clock.run([0])
        assert clock.deadlines()[0] > told[0] + 40
        await clock.close()

    with asyncio.Runner(loop_factory=loop_factory) as runner:
        runner.run(scenario())


def test_hints_that_somebody_waits_for_are_not_dropped() -> None:
    """With 200 positions asked for, those who had waited longest lost their connection."""

    class Slow:
        def __init__(self) -> None:
            self.go = asyncio.Event()

        async def hint(self, *_: object) -> bytes:
            await self.go.wait()
            return b"{}"

    async def scenario() -> None:
        workers = Slow()
        hints = Hints(workers)  # type: ignore[arg-type]
        game = Game.new("clever").roll(SeededDice(1).throw(0, 1, 0)).game
        state: Any = SimpleNamespace(row=SimpleNamespace(id="t"), record=SimpleNamespace(game=game))
        asking = [asyncio.create_task(hints.hint(state, seat)) for seat in range(KEPT)]
        await asyncio.sleep(0)
        with pytest.raises(Refusal, match="busy"):
            await hints.hint(state, KEPT)
        workers.go.set()
        assert await asyncio.gather(*asking) == [{}] * KEPT
        assert await hints.hint(state, KEPT) == {}, "there is room for new ones"
        await hints.close()

    asyncio.run(scenario())


@pytest.mark.parametrize("allowed", [False, True])
def test_hints_at_a_table_need_everybody_to_have_agreed(server: Server, allowed: bool) -> None:
    ana, ben = server.player("Ana")[1], server.player("Ben")[1]

    async def scenario() -> None:
        made = server.table(ana, seats="mo", hints=allowed)
        assert made["table"]["hints"] == allowed
        key = key_of(made["you"]["invite"])
        async with (
            Client(server.port, made["id"], ana) as first,
            Client(server.port, made["id"], ben, key) as second,
        ):
            assert second.table["hints"] == allowed, "told before they sit down"
            await first.sit(0)
            await second.sit(1)
            await first.command("start")
            await first.wait()
            both = [first, second]
            active = both[first.game["active"]]  # type: ignore[index]
            await active.command("roll")
            if not allowed:
                with pytest.raises(Refused, match="no_hints"):
                    await active.command("hint")
                status, answer = server.http(
                    "POST", f"/api/tables/{made['id']}/commands", {"type": "hint", "id": "x"}, ana
                )
                assert (status, answer["code"]) == (403, "no_hints")
                return
            other = both[1 - both.index(active)]
            with pytest.raises(Refused, match="no_hint_now"):
                await other.command("hint")
            answer = await active.command("hint", again=30.0)
            assert answer["hint"]["best"]["win_chance"] is not None
            await asyncio.gather(first.play(), second.play())
            tokens[:] = active.token, other.token

    tokens: list[str] = []
    asyncio.run(scenario())
    if not allowed:
        return
    # Nobody can ask for a hint to have a lost game left out for all: it stands apart anyhow.
    for token, taken in zip(tokens, (1, 0), strict=True):
        (line,) = server.http("GET", "/api/me/games", token=token)[1]["games"]
        assert (line["hints"], line["apart"]) == (taken, True)
        told = server.http("GET", "/api/me/statistics", token=token)[1]
        assert (told["games"], told["opponents"]) == ({}, [])
        assert [game["games"] for game in told["apart"].values()] == [1] * (1 - taken)
        assert server.http("GET", "/api/me", token=token)[1]["best"] == {}


def test_a_guided_game_gives_no_hints(server: Server) -> None:
    token = server.player()[1]
    made = server.table(token, tutorial=True)
    assert made["table"]["hints"] is False


# --- playing on ---------------------------------------------------------------------------------


def game_of(server: Server, token: str, table: str) -> Json:
    return dict(server.http("GET", f"/api/tables/{table}", token=token)[1])


@pytest.mark.parametrize("same", [True, False])
def test_a_game_is_played_on_from_a_moment(
    server: Server, finished: tuple[str, str], same: bool
) -> None:
    token, table = finished
    steps = server.http("GET", f"/api/tables/{table}/steps?first=9&count=30", token=token)[1]
    moment = next(s for s in steps["steps"] if s["game"]["rolling"])
    at = moment["number"]
    wish = {"table": table, "key": "", "at": at, "seat": 0, "same_dice": same}
    made = server.table(token, play_on=wish)
    seen = game_of(server, token, made["id"])
    assert seen["table"]["status"] == "playing"
    assert seen["game"] == moment["game"]

    async def scenario() -> list[Json]:
        async with Client(server.port, made["id"], token) as client:
            await client.command("roll")
            thrown = [e for e in client.entries.values() if e["what"] == "threw"][-1]
            await client.play()
            return [event for event in thrown["events"] if event["event"] == "thrown"]

    (rolled,) = asyncio.run(scenario())
    after = server.http("GET", f"/api/tables/{table}/steps?first={at + 1}&count=1", token=token)[1]
    before = next(e for e in after["steps"][0]["events"] if e["event"] == "thrown")
    if same:
        assert rolled == before
    lines = server.http("GET", "/api/me/games", token=token)[1]["games"]
    assert next(line for line in lines if line["table"] == made["id"])["practice"]
    status, text = server.http("GET", f"/api/tables/{made['id']}/record", token=token)
    assert status == 200
    assert ("dice secret" in text) == same, "new dice have no proof, and claim none"


def test_a_game_that_is_played_on_survives_a_restart(
    tmp_path: Path, finished: tuple[str, str], server: Server
) -> None:
    token, table = finished
    made = server.table(
        token, play_on={"table": table, "key": "", "at": 12, "seat": 0, "same_dice": False}
    )
    before = game_of(server, token, made["id"])["game"]
    server.kill()
    server.start()
    assert game_of(server, token, made["id"])["game"] == before


@pytest.mark.parametrize("change", [{"at": 9999}, {"seat": 1}, {"table": "nothing"}])
def test_impossible_moments_are_refused(
    server: Server, finished: tuple[str, str], change: Json
) -> None:
    token, table = finished
    wish = {"table": table, "key": "", "at": 5, "seat": 0, **change}
    body = {"game": "clever", "seats": [{"kind": "me"}], "play_on": wish}
    status, answer = server.http("POST", "/api/tables", body, token)
    assert status == 404, answer
    assert answer["code"] == ("no_table" if "table" in change else "no_such_moment")


# --- exercises ----------------------------------------------------------------------------------


def test_mistakes_come_back_as_exercises(server: Server, finished: tuple[str, str]) -> None:
    token, table = finished
    review_of(server, token, table)
    assert server.http("GET", "/api/me/exercises", token=token)[1]["exercises"] == []
    with closing(sqlite3.connect(server.db)) as connection:  # days go by
        connection.execute("UPDATE exercises SET due = due - ?", (3 * DAY,))
        connection.commit()
    told = server.http("GET", "/api/me/exercises", token=token)[1]
    assert told["due"] == len(told["exercises"]) > 0, "random play makes mistakes"
    first = told["exercises"][0]
    assert first["answers"] == [], "nobody is told the answer before"
    legal = [choice["action"] for choice in first["view"]["seats"][first["seat"]]["legal"]]
    stored = rows(server, f"SELECT data FROM exercises WHERE id='{first['id']}'")[0][0]
    exercise = msgspec.json.decode(stored, type=Exercise)
    assert {answer.action for answer in exercise.answers} == set(legal)

    def answer(action: str) -> Json:
        path = f"/api/exercises/{first['id']}"
        status, result = server.http("POST", path, {"action": action}, token)
        assert status == 200, result
        return dict(result)

    wrong = answer(exercise.answers[-1].action)
    assert not wrong["right"]
    assert wrong["cost"] > 3
    assert stored_days(server, first["id"]) == exercises.AGAIN
    assert wrong["days"] == exercises.AGAIN
    assert len(wrong["exercise"]["answers"]) == len(legal)
    right = answer(exercise.answers[0].action)
    assert right["right"]
    assert right["days"] == wrong["days"], "a second answer on the same day changes nothing"
    stranger = server.player("Eve")[1]
    path = f"/api/exercises/{first['id']}"
    assert server.http("POST", path, {"action": "g>g"}, stranger)[1]["code"] == "no_exercise"
    status, refusal = server.http("POST", path, {"action": "nonsense"}, token)
    assert (status, refusal["code"]) == (400, "malformed_action")
    # Another one that is solved at once comes back later than it came first.
    second = told["exercises"][1]
    stored = rows(server, f"SELECT data FROM exercises WHERE id='{second['id']}'")[0][0]
    best = msgspec.json.decode(stored, type=Exercise).answers[0].action
    path = f"/api/exercises/{second['id']}"
    assert server.http("POST", path, {"action": best}, token)[1]["days"] == exercises.INTERVALS[1]


def stored_days(server: Server, exercise: str) -> int:
    return int(rows(server, f"SELECT days FROM exercises WHERE id='{exercise}'")[0][0])


def test_two_answers_at_the_same_time_count_once(tmp_path: Path) -> None:
    """A wrong answer and the right one at the same time were a right answer."""

    async def scenario() -> None:
        store = SqliteStore(tmp_path / "store.db")
        await store.add_player(PlayerRow("p1", "Ana", b"\x01", 0, "d1"))
        row = ExerciseRow("e1", "p1", "clever", b"{}", 5, 2)
        await store.coach.add_exercise(row)
        assert await store.coach.settle(row, 100, exercises.AGAIN)
        assert not await store.coach.settle(row, 500, 5)
        assert not await store.coach.settle(row, 0, 0)
        assert await store.coach.exercise("e1") == ExerciseRow("e1", "p1", "clever", b"{}", 100, 1)
        again = await store.coach.exercise("e1")
        assert again
        assert await store.coach.settle(again, 0, 0)
        assert await store.coach.exercise("e1") is None
        await store.close()

    asyncio.run(scenario())


def test_an_exercise_comes_back_less_and_less_often() -> None:
    days, seen = 0, []
    while days := exercises.next_interval(days, True):
        seen.append(days)
    assert seen == list(exercises.INTERVALS)
    assert exercises.next_interval(30, False) == exercises.AGAIN


def option(action: str, points: float, error: float = 0.1) -> Alternative:
    return Alternative(action, (action,), points, error, None, True)


def test_an_exercise_has_one_clearly_best_answer() -> None:
    assert exercises.clearly_best((option("a", 200), option("b", 196)))
    assert not exercises.clearly_best((option("a", 200), option("b", 197.5)))
    assert not exercises.clearly_best((option("a", 200, 1.0), option("b", 196, 1.0)))
    assert not exercises.clearly_best((option("a", 200),))
    unsure = (option("a", 200), option("b", 196), option("c", 195, 5.0))
    assert not exercises.clearly_best(unsure), "the third answer may be the best one"


def test_the_exercise_of_the_day_is_one_for_everybody(server: Server) -> None:
    ana, ben = server.player("Ana")[1], server.player("Ben")[1]
    answers: list[Json] = []

    def made() -> bool:
        status, answer = server.http("GET", "/api/exercises/daily/clever", token=ana)
        assert status == 200, answer
        answers.append(answer["exercise"])
        return answers[-1] is not None

    patiently(made)
    asked = answers[-1]
    assert asked["answers"] == []
    assert server.http("GET", "/api/exercises/daily/clever", token=ben)[1]["exercise"] == asked
    stored = rows(server, f"SELECT data FROM exercises WHERE id='{asked['id']}'")[0][0]
    exercise = msgspec.json.decode(stored, type=Exercise)
    best, second = exercise.answers[0], exercise.answers[1]
    assert best.points - second.points > exercises.CLEAR
    path = f"/api/exercises/{asked['id']}"
    result = server.http("POST", path, {"action": best.action}, ana)[1]
    assert result["right"]
    assert (result["exercise"]["solved"], result["exercise"]["tried"]) == (1, 1)
    again = server.http("POST", path, {"action": exercise.answers[-1].action}, ana)[1]
    assert again["right"], "the first answer counts"
    assert server.http("POST", path, {"action": exercise.answers[-1].action}, ben)[1]["right"] is (
        False
    )
    seen = server.http("GET", "/api/exercises/daily/clever", token=ben)[1]["exercise"]
    assert (seen["solved"], seen["tried"], len(seen["answers"])) == (1, 2, len(exercise.answers))


# --- the store ----------------------------------------------------------------------------------


FIGURES = SeatReviewRow(0, 1.0, 2.0, 3.0, 0.0, 4.0, 0.0, 0.1, {"pick": 4.0}, (1.0,) * 5, 0.0)


def test_nothing_of_the_coach_is_left_of_a_deleted_player(tmp_path: Path) -> None:
    async def scenario() -> None:
        store = SqliteStore(tmp_path / "store.db")
        await store.add_player(PlayerRow("p1", "Ana", b"\x01", 0, "d1"))
        table = TableRow("t1", 1, b"{}", b"S", "p1", "i", "w", 0)
        await store.add_table(table, [(0, "p1")])
        mine = ExerciseRow("e1", "p1", "clever", b"{}", 5)
        gone = ExerciseRow("e2", "nobody", "clever", b"{}", 5)
        await store.coach.add_review(ReviewRow("t1", b"z", 1, [FIGURES], [mine, gone]))
        assert await store.coach.exercise("e2") is None, "its player was deleted meanwhile"
        await store.coach.add_review(ReviewRow("t1", b"other", 2, [FIGURES]))
        assert await store.coach.review("t1") == b"z", "made once"
        await store.coach.add_review(ReviewRow("t2", b"z", 1, [FIGURES]))
        assert await store.coach.review("t2") is None, "its table was deleted meanwhile"
        await store.coach.add_exercise(ExerciseRow("day", None, "clever", b"{}", 5))
        assert await store.coach.add_answer("day", "p1", "g>g", True)
        await store.delete_player("p1")
        assert await store.coach.review("t1") is None
        assert await store.coach.exercise("e1") is None
        assert (await store.coach.answers("day")).answers == 0
        await store.close()
        with closing(sqlite3.connect(tmp_path / "store.db")) as connection:
            assert connection.execute("SELECT count(*) FROM seat_reviews").fetchone() == (0,)

    asyncio.run(scenario())


def test_a_player_has_only_so_many_exercises(tmp_path: Path) -> None:
    from foxtray.server.store.sql_coach import MOST

    async def scenario() -> None:
        store = SqliteStore(tmp_path / "store.db")
        for number in range(MOST + 3):
            row = ExerciseRow(f"e{number}", "p1", "clever", b"{}", number)
            await store.coach.add_exercise(row)
        assert await store.coach.due_count("p1", 1 << 40) == MOST
        assert await store.coach.exercise("e0") is None, "the oldest goes"
        await store.close()

    asyncio.run(scenario())


def test_an_answer_costs_what_the_best_one_is_ahead() -> None:
    answers = (Answer("a", ("a",), 10.0, 0.1), Answer("b", ("b",), 4.0, 0.1))
    game = Game.new("clever").roll(SeededDice(1).throw(0, 1, 0)).game
    exercise = Exercise("clever", game.position(), 0, answers)
    assert exercise.cost("b") == 6.0
    assert exercise.cost("a") == 0.0
    assert exercise.cost("c") is None
