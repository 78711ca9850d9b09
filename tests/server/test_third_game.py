"""A game of another package at live tables of a real server."""

import asyncio
import random
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
import third_game

from foxtray.bots.compact import compact, unpacked
from foxtray.server import site
from server.harness import Server
from server.test_games import check_views, gather_clients
from server.test_tables import post, snapshot, solo

GAME = third_game.GAME


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    """A server where the package is installed, as it is here and in what is started from here."""
    environment = third_game.environment(tmp_path / "site")
    monkeypatch.setenv("PYTHONPATH", environment["PYTHONPATH"])
    with third_game.installed(tmp_path / "here"), Server(tmp_path / "store.db") as running:
        yield running
    assert '"level": "error"' not in running.log.read_text()


def test_browsers_get_the_nets_of_each_game(server: Server, tmp_path: Path) -> None:
    status, data, told = server.exchange("GET", "/api/nets/clever")
    assert (status, told["Content-Type"]) == (200, "application/octet-stream")
    assert data == compact("clever")
    kept = {"If-None-Match": told["ETag"]}
    assert server.exchange("GET", "/api/nets/clever", headers=kept)[:2] == (304, b"")
    # A game without nets has the levels that need none.
    header, nets = unpacked(server.exchange("GET", f"/api/nets/{GAME}")[1])
    assert (list(header["levels"]), nets) == (["random", "greedy"], [])
    assert server.http("GET", "/api/nets/whist")[0] == 404
    site.write(tmp_path / "folder")
    assert (tmp_path / "folder/data/nets" / f"{GAME}.bin").read_bytes() == compact(GAME)


def test_the_page_is_told_all_about_it(server: Server) -> None:
    games = server.http("GET", "/api/games?language=sr")[1]["games"]
    told = games[-1]
    assert [game["id"] for game in games] == ["clever", "twice", GAME]
    assert told["bots"] == ["random", "greedy"]
    assert told["languages"] == ["en", "de", "nl", "sr"]
    assert told["lesson"] is True
    assert told["text"]["title"] == "Jazbina"
    sheet = server.http("GET", f"/api/sheets/{GAME}")[1]
    assert [die["letter"] for die in sheet["dice"]] == ["w", "b", "n", "e", "g", "r"]
    assert sheet["dice"][2]["shape"] == "moon"
    assert sheet["dice"][2]["paint"]["dark"]["strong"] == "#a9713f"
    assert server.http("GET", f"/api/rules/{GAME}?language=nl")[1]["clauses"]["1.3"]


@pytest.mark.parametrize("seats", ["mb", "mob"])
def test_a_whole_game_with_a_bot(server: Server, tmp_path: Path, seats: str) -> None:
    async def main() -> None:
        made, clients = await gather_clients(server, GAME, seats, random.Random(seats))
        try:
            await clients[0].command("start")
            async with asyncio.timeout(60):
                await asyncio.gather(*(client.play() for client in clients))
                while len({client.seq for client in clients}) > 1:
                    await asyncio.sleep(0.05)
        finally:
            for client in clients:
                await client.__aexit__()
        check_views(server, made, clients, tmp_path)

    asyncio.run(main())


def test_its_guided_game(server: Server) -> None:
    lesson = server.http("GET", f"/api/lessons/{GAME}?language=de")[1]
    made, pupil = solo(server, GAME, tutorial=True)
    assert lesson["text"][0] == "Willkommen im Bau! Wirf deine sechs Würfel."
    assert len(lesson["text"]) == len(lesson["inputs"]) + 1
    for step in lesson["inputs"]:
        command = {"kind": "roll"} if step == "roll" else {"kind": "play", "action": step}
        assert post(server, made["id"], pupil, **command)["type"] == "ack"
    assert snapshot(server, made["id"], pupil)["game"]["seats"][0]["marks"] == {
        "b7a": 1,
        "g1": 3,
        "e1": 1,
    }


def test_a_bot_that_cannot_play_it_is_refused(server: Server) -> None:
    _, token = server.player()
    wish = {"game": GAME, "seats": [{"kind": "me"}, {"kind": "bot", "bot": "strong"}]}
    status, answer = server.http("POST", "/api/tables", wish, token)
    assert (status, answer["code"]) == (409, "bot_cannot_play")
    made = server.table(token, GAME, "mo")
    answer = post(server, made["id"], token, "reseat", seat=1, bot="expert")
    assert answer["code"] == "bot_cannot_play"
    assert post(server, made["id"], token, "reseat", seat=1, bot="greedy")["type"] == "ack"
    # The bots of the other games stay as they are.
    wish["game"] = "clever"
    assert server.http("POST", "/api/tables", wish, token)[0] == 200


def test_a_game_without_a_guided_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(third_game.PACKAGE, tmp_path / "package")
    (tmp_path / "package" / "burrow" / "lesson.json").unlink()
    environment = third_game.environment(tmp_path / "site", tmp_path / "package")
    monkeypatch.setenv("PYTHONPATH", environment["PYTHONPATH"])
    with Server(tmp_path / "store.db") as server:
        assert server.http("GET", "/api/games")[1]["games"][-1]["lesson"] is False
        assert server.http("GET", f"/api/lessons/{GAME}")[1]["code"] == "no_lesson"
        _, token = server.player()
        wish = {"game": GAME, "seats": [{"kind": "me"}], "tutorial": True}
        assert server.http("POST", "/api/tables", wish, token)[1]["code"] == "no_lesson"


def test_its_tables_wait_while_it_is_not_installed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    environment = third_game.environment(tmp_path / "site")
    with Server(tmp_path / "store.db") as server:
        server.stop()
        with monkeypatch.context() as patched:
            patched.setenv("PYTHONPATH", environment["PYTHONPATH"])
            server.start()
        made, token = solo(server, GAME)
        server.stop()
        server.start()
        (line,) = server.http("GET", "/api/me", token=token)[1]["tables"]
        assert line["unplayable"] == "the game 'burrow' is not installed on this server"
        status, answer = server.http("GET", f"/api/tables/{made['id']}", token=token)
        assert (status, answer["code"]) == (404, "unknown_game")
        assert server.http("GET", f"/api/tables/{made['id']}")[1]["code"] == "no_table"
        server.stop()
        with monkeypatch.context() as patched:
            patched.setenv("PYTHONPATH", environment["PYTHONPATH"])
            server.start()
        assert snapshot(server, made["id"], token)["game"]["rolling"]
    assert '"level": "error"' not in server.log.read_text()


def test_a_game_without_weights_has_no_coach(server: Server) -> None:
    """A hint counted as asked for, and then the coach was said to be busy, every time."""
    made, token = solo(server, GAME)
    table = made["id"]
    post(server, table, token, "roll")
    before = snapshot(server, table, token)
    assert before["game"]["awaiting"] == [0]
    assert post(server, table, token, "hint")["code"] == "cannot_review"
    assert snapshot(server, table, token)["seq"] == before["seq"]
    status, answer = server.http("GET", f"/api/exercises/daily/{GAME}", token=token)
    assert (status, answer["code"]) == (409, "cannot_review")
