"""Games that do not count in statistics, or stand apart: they are not compared, and it says why."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator

import pytest

from server.harness import Client, Json, Server, key_of
from server.test_coach import play_solo, review_of
from server.test_offline import hand_over, handed, played
from server.test_statistics import finished
from server.test_tables import post


@pytest.fixture(scope="module")
def server(compiled: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with Server(tmp_path_factory.mktemp("excluded") / "store.db") as running:
        yield running
    assert '"level": "error"' not in running.log.read_text()


def summary_of(server: Server, token: str, table: str) -> Json:
    status, told = server.http("GET", f"/api/tables/{table}/summary", token=token)
    assert status == 200, told
    return dict(told)


def line_of(server: Server, token: str, table: str) -> Json:
    """A game in the list of those who played it."""
    games = server.http("GET", "/api/me/games", token=token)[1]["games"]
    return dict(next(line for line in games if line["table"] == table))


def alone(server: Server, token: str, **wish: object) -> str:
    """A finished solo game, made by a wish."""
    made = server.table(token, "clever", "m", **wish)

    async def play() -> None:
        async with Client(server.port, made["id"], token) as client:
            if client.table["status"] == "lobby":
                await client.sit(0)
                await client.command("start")
            await client.play()

    asyncio.run(play())
    return str(made["id"])


def with_hints(server: Server, token: str) -> str:
    return asyncio.run(play_solo(server, token, hints=1))


def played_on(server: Server, token: str) -> str:
    earlier = alone(server, token)
    moment = {"table": earlier, "key": "", "at": 30, "seat": 0, "same_dice": True}
    return alone(server, token, play_on=moment)


def challenge(server: Server, token: str) -> str:
    return alone(server, token, same_dice={"table": alone(server, token), "key": ""})


def hints_allowed(server: Server, token: str) -> str:
    """With a bot; nobody asks for any."""
    made = server.table(token, "clever", "mb", pause=False, hints=True)
    asyncio.run(finished(server, made["id"], [token]))
    return str(made["id"])


def one_device(server: Server, token: str) -> str:
    made = server.table(token, "clever", "mo")
    seat: Json = {"seat": 1, "bot": None, "guest": "Mia"}
    assert post(server, made["id"], token, "reseat", **seat)["type"] == "ack"
    asyncio.run(finished(server, made["id"], [token], key_of(made["you"]["invite"])))
    return str(made["id"])


def offline(server: Server, token: str) -> str:
    status, made = hand_over(server, token, handed(played("clever").text(), "me"))
    assert status == 200, made
    return str(made["id"])


KINDS: dict[str, Callable[[Server, str], str]] = {
    "hints": with_hints,
    "played_on": played_on,
    "same_dice": challenge,
    "practice": lambda server, token: alone(server, token, seed=3),
    "hints_allowed": hints_allowed,
    "real_dice": lambda server, token: alone(server, token, real_dice=True),
    "guests": one_device,
    "offline": offline,
}


@pytest.mark.parametrize("kind", KINDS)
def test_a_game_that_does_not_count_is_not_compared(server: Server, kind: str) -> None:
    """A game with 42 hints was told to be a new best."""
    _, token = server.player()
    usual = alone(server, token)
    assert summary_of(server, token, usual)["excluded"] == []
    table = KINDS[kind](server, token)
    told = summary_of(server, token, table)
    assert told["excluded"] == [kind]
    assert (told["games"], told["best"], told["mean"]) == (0, None, None)
    assert (told["decided"] or {"how": "winner"})["how"] in ("winner", "tie")
    assert line_of(server, token, table)["excluded"] == [kind]
    assert line_of(server, token, usual)["excluded"] == []
    # A game that counts is compared with those that do.
    again = summary_of(server, token, alone(server, token))
    assert again["excluded"] == []
    assert again["games"] == (2 if kind in ("played_on", "same_dice") else 1)


def test_a_game_that_a_bot_played_for_me_is_not_compared(server: Server) -> None:
    ana, ben = server.player("Ana")[1], server.player("Ben")[1]
    alone(server, ana)
    made = server.table(ana, "clever", "mo", pause=False)
    table, key = made["id"], key_of(made["you"]["invite"])

    async def play() -> None:
        async with (
            Client(server.port, table, ana) as first,
            Client(server.port, table, ben, key) as second,
        ):
            await first.sit(0)
            await second.sit(1)
            await first.command("start")
            await first.command("leave")
            await second.play()

    asyncio.run(play())
    assert summary_of(server, ana, table)["excluded"] == ["stand_in"]
    assert summary_of(server, ben, table)["excluded"] == []


def test_those_who_watched_are_compared_with_nothing(server: Server) -> None:
    _, token = server.player()
    table = alone(server, token)
    _, other = server.player()
    alone(server, other)
    key = server.http("GET", f"/api/tables/{table}", token=token)[1]["you"]["key"]
    status, told = server.http("GET", f"/api/tables/{table}/summary?key={key}", token=other)
    assert status == 200
    assert told == {"games": 0, "best": None, "mean": None, "decided": None, "excluded": []}


def test_games_with_the_same_dice_say_who_had_hints(server: Server) -> None:
    """A hinted game stood unmarked beside the others."""
    _, ana = server.player("Ana")
    first = with_hints(server, ana)
    key = server.http("GET", f"/api/tables/{first}", token=ana)[1]["you"]["key"]
    _, ben = server.player("Ben")
    second = alone(server, ben, same_dice={"table": first, "key": key})
    games = server.http("GET", f"/api/tables/{second}/match", token=ben)[1]["games"]
    assert [(game["name"], game["hints"]) for game in games] == [("Ana", 1), ("Ben", 0)]
    assert line_of(server, ben, second)["match"] == games
    assert line_of(server, ana, first)["excluded"] == ["hints"]


@pytest.mark.parametrize("kind", ["hints_allowed", "offline"])
def test_the_coach_does_not_count_games_that_stand_apart(server: Server, kind: str) -> None:
    _, token = server.player()
    table = KINDS[kind](server, token)
    review_of(server, token, table)
    told = server.http("GET", "/api/me/coach", token=token)[1]["games"]["clever"]
    assert [(game["table"], game["apart"]) for game in told["games"]] == [(table, True)]
    assert (told["solo"], told["tables"], told["kinds"]) == (None, None, {})
    assert (told["luck"], told["foxes"]) == (0, 0)
