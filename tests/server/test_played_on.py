"""Games that were played on from a moment: what was copied is not the player's doing."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Iterator
from contextlib import closing

import msgspec
import pytest
from reviewed import played, reviewed

from foxtray import record
from foxtray.history import PlayInput
from foxtray.review import Decision, read_review
from foxtray.review import Step as Choice
from foxtray.server.coach.exercises import CLEAR, SURE, Exercise, game_at
from foxtray.server.coach.played_on import since
from server.harness import Client, Json, Server
from server.test_coach import play_solo, review_of


@pytest.fixture(scope="module")
def server(compiled: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with Server(tmp_path_factory.mktemp("played_on") / "store.db") as running:
        yield running
    assert '"level": "error"' not in running.log.read_text()


def record_of(server: Server, token: str, table: str) -> record.Record:
    return record.read(server.http("GET", f"/api/tables/{table}/record", token=token)[1])[0]


def exercises_of(server: Server, player: str) -> list[Exercise]:
    with closing(sqlite3.connect(server.db)) as connection:
        rows = connection.execute("SELECT data FROM exercises WHERE player=?", (player,))
        return [msgspec.json.decode(data, type=Exercise) for (data,) in rows]


async def play_on(server: Server, token: str, moment: Json, *actions: str) -> str:
    """Play on from a moment by some actions and then at random; returns the new table."""
    made = server.table(token, play_on={"key": "", "same_dice": True, **moment})
    async with Client(server.port, made["id"], token) as client:
        for action in actions:
            while not (client.game and moment["seat"] in client.game["awaiting"]):
                await client.command("roll")
            await client.command("play", action=action)
        await client.play()
    return str(made["id"])


def clear(decision: Decision) -> Choice | None:
    """The step of a decision that makes an exercise, if one does."""
    worst = max(decision.steps, key=lambda step: step.price)
    return worst if worst.price >= max(CLEAR, SURE * decision.error) else None


def test_mistakes_of_others_are_not_those_of_who_plays_on(server: Server) -> None:
    me, token = server.player()

    async def play() -> str:
        made = server.table(token, seats="mb")
        async with Client(server.port, made["id"], token) as client:
            await client.sit(0)
            await client.command("start")
            await client.play()
        return str(made["id"])

    table = asyncio.run(play())
    found = read_review(review_of(server, token, table))
    before = exercises_of(server, me)
    assert all(exercise.seat == 0 for exercise in before)
    last = next(d for d in reversed(found.player(1).decisions) if d.steps[0].alternatives)
    moment = {"table": table, "at": last.at, "seat": 1}
    other = asyncio.run(play_on(server, token, moment))
    mine = read_review(review_of(server, token, other)).player(1)
    assert mine.moments
    assert all(moment.at >= last.at for moment in mine.moments)
    assert mine.price < found.player(1).price
    summary = server.http("GET", f"/api/tables/{other}/review/words", token=token)[1]
    assert summary["summaries"][1].startswith("This review starts where the game was played on.")
    history = record_of(server, token, other)
    copied = {game_at(history, at).position() for at in range(last.at)}
    made = [exercise for exercise in exercises_of(server, me) if exercise not in before]
    assert not copied & {exercise.position for exercise in made}


def test_a_position_is_one_exercise_however_often_it_was_played(server: Server) -> None:
    me, token = server.player()
    table = asyncio.run(play_solo(server, token))
    found = read_review(review_of(server, token, table)).player(0)
    assert len(exercises_of(server, me)) > 0, "random play makes mistakes"
    step = next(step for d in reversed(found.decisions) if (step := clear(d)))
    history = record_of(server, token, table)
    rest = [str(e.action) for e in history.inputs[step.at :] if isinstance(e, PlayInput)]
    # Twice the same mistake, and all that follows.
    for _ in range(2):
        other = asyncio.run(
            play_on(server, token, {"table": table, "at": step.at, "seat": 0}, *rest)
        )
        review_of(server, token, other)
    asked = [(exercise.seat, exercise.position) for exercise in exercises_of(server, me)]
    assert (0, game_at(history, step.at).position()) in asked
    assert len(set(asked)) == len(asked)


@pytest.mark.parametrize("names", [("casual",), ("casual", "random")])
def test_what_is_left_of_a_review_adds_up(compiled: None, names: tuple[str, ...]) -> None:
    history, whole = played("clever", names), reviewed("clever", names)
    seat = whole.player(0)
    split = next(d for d in seat.decisions if len(d.steps) > 2 and d.steps[1].alternatives)
    for at in (1, split.steps[1].at, seat.decisions[-1].at, len(history.inputs)):
        for player in since(history, whole, at).players:
            value = player.expected
            for moment in player.moments:
                assert moment.before == pytest.approx(value + moment.correction)
                value = moment.after
            assert player.result == pytest.approx(
                player.expected + player.luck + player.influence - player.price + player.correction
            )
            assert all(step.at >= at for d in player.decisions for step in d.steps)
    (first, *_) = since(history, whole, split.steps[1].at).player(0).decisions
    assert first.steps == split.steps[1:]
    assert first.price == pytest.approx(sum(step.price for step in first.steps))
    assert first.before - first.after == pytest.approx(first.price)
    assert first.stage == game_at(history, first.at).stage(0)
