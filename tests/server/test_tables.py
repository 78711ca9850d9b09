"""What people do at a table, on a real server."""

import asyncio
import hashlib
import json
import random
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from foxtray import SecretDice, record
from server.harness import Client, Json, Refused, Server, key_of


def run(coroutine: Any) -> None:
    async def limited() -> None:
        async with asyncio.timeout(60):
            await coroutine

    asyncio.run(limited())


def post(server: Server, table: str, token: str, kind: str, key: str = "", **what: object) -> Json:
    """A command over HTTP."""
    body = {"type": kind, "id": f"{kind}{random.random()}".replace(".", ""), **what}
    path = f"/api/tables/{table}/commands" + (f"?key={key}" if key else "")
    return dict(server.http("POST", path, body, token)[1])


ENTROPY = "00112233445566778899aabbccddeeff"


def solo(server: Server, game: str = "clever", **wish: object) -> tuple[Json, str]:
    """A solo table that has begun, and its player's token."""
    _, token = server.player()
    made = server.table(token, game, "m", **wish)
    assert post(server, made["id"], token, "sit", seat=0, entropy=ENTROPY)["type"] == "ack"
    assert post(server, made["id"], token, "start")["type"] == "ack"
    return made, token


def snapshot(server: Server, table: str, token: str) -> Json:
    return dict(server.http("GET", f"/api/tables/{table}", token=token)[1])


def play_over_http(server: Server, table: str, token: str) -> Json:
    """Play a solo game to its end with requests alone."""
    view = snapshot(server, table, token)
    while view["table"]["status"] != "over":
        if view["game"]["rolling"]:
            answer = post(server, table, token, "roll")
        else:
            legal = view["game"]["seats"][0]["legal"]
            answer = post(server, table, token, "play", action=legal[len(legal) // 2]["action"])
        assert answer["type"] == "ack", answer
        view = snapshot(server, table, token)
    return view


def test_a_script_plays_over_http_and_everything_about_the_game_can_be_had(server: Server) -> None:
    made, token = solo(server)
    table = made["id"]
    assert server.http("GET", f"/api/tables/{table}/record", token=token)[0] == 409
    assert server.http("GET", f"/api/tables/{table}/steps", token=token)[0] == 409
    view = play_over_http(server, table, token)
    # The dice were promised before the entropy was given, and are proven after the end.
    dice = view["table"]["dice"]
    assert dice["commitment"] == made["table"]["dice"]["commitment"]
    assert made["table"]["dice"]["secret"] is None
    assert hashlib.sha256(bytes.fromhex(dice["secret"])).hexdigest() == dice["commitment"]
    assert dice["entropies"] == [ENTROPY]
    _, text = server.http("GET", f"/api/tables/{table}/record", token=token)
    kept, verified = record.read(text)
    assert verified
    assert isinstance(kept.setup.dice(), SecretDice)
    # Replay, course, history, statistics.
    _, steps = server.http("GET", f"/api/tables/{table}/steps?first=0&count=100", token=token)
    count = steps["count"]
    assert count == len(kept.inputs) + 1
    assert [step["number"] for step in steps["steps"]] == list(range(min(100, count)))
    _, last = server.http("GET", f"/api/tables/{table}/steps?first={count - 1}", token=token)
    assert last["steps"][0]["game"] == view["game"]
    _, course = server.http("GET", f"/api/tables/{table}/course", token=token)
    assert len(course["totals"]) == count
    total = view["game"]["seats"][0]["score"]["total"]
    assert course["totals"][-1] == [total]
    _, history = server.http("GET", "/api/me/games", token=token)
    assert [line["total"] for line in history["games"]] == [total]
    _, figures = server.http("GET", "/api/me/statistics", token=token)
    assert figures["games"]["clever"]["best"] == figures["games"]["clever"]["mean"] == total
    assert sum(figures["games"]["clever"]["ratings"]) == 1
    assert server.http("GET", "/api/me", token=token)[1]["best"] == {"clever": total}
    # The link to watch shows it all to a stranger.
    key = made["you"]["key"]
    assert server.http("GET", f"/api/tables/{table}/steps?key={key}")[0] == 200
    assert server.http("GET", f"/api/tables/{table}")[0] == 404
    # Rematch: the same table however often it is asked for.
    again = post(server, table, token, "rematch")["table"]
    assert post(server, table, token, "rematch")["table"] == again
    assert snapshot(server, again, token)["table"]["seats"][0]["ready"] is False
    # The same dice again, for somebody else, from the link.
    _, other = server.player("Bo")
    wish = {"same_dice": {"table": table, "key": key}}
    copy = server.table(other, "clever", "m", **wish)
    assert copy["table"]["dice"]["commitment"] == dice["commitment"]
    post(server, copy["id"], other, "sit", seat=0, entropy="f" * 32)
    post(server, copy["id"], other, "start")
    post(server, copy["id"], other, "roll")
    faces = next(s for s in steps["steps"] if s["seat"] is None and s["number"])["game"]["faces"]
    assert snapshot(server, copy["id"], other)["game"]["faces"] == faces
    # Practice does not count in the statistics.
    play_over_http(server, copy["id"], other)
    assert server.http("GET", "/api/me/statistics", token=other)[1]["games"] == {}
    assert server.http("GET", "/api/me/games", token=other)[1]["games"][0]["practice"]


def test_seeds_and_tutorials_have_known_dice(server: Server) -> None:
    first, token = solo(server, seed=42)
    second, other = solo(server, seed=42)
    for made, owner in ((first, token), (second, other)):
        post(server, made["id"], owner, "roll")
    views = [snapshot(server, first["id"], token), snapshot(server, second["id"], other)]
    assert views[0]["game"]["faces"] == views[1]["game"]["faces"]
    lesson, pupil = solo(server, "twice", tutorial=True)
    post(server, lesson["id"], pupil, "roll")
    assert snapshot(server, lesson["id"], pupil)["game"]["faces"] == [5, 4, 3, 3, 3, 3]
    wish = {"game": "clever", "seats": [{"kind": "me"}, {"kind": "open"}], "seed": 1}
    assert server.http("POST", "/api/tables", wish, token)[1]["code"] == "seed_not_solo"


def test_a_preview_promises_what_then_happens(server: Server) -> None:
    made, token = solo(server, "twice", seed=5)
    post(server, made["id"], token, "roll")
    shown = post(server, made["id"], token, "preview")
    assert shown["type"] == "previews"
    legal = snapshot(server, made["id"], token)["game"]["seats"][0]["legal"]
    assert [p["action"] for p in shown["actions"]] == [place["action"] for place in legal]
    chosen = shown["actions"][-1]
    post(server, made["id"], token, "play", action=chosen["action"])
    after = snapshot(server, made["id"], token)
    assert after["entries"][-1]["events"] == chosen["events"]
    assert after["game"]["seats"][0]["score"] == chosen["score"]


def test_undo_goes_back_to_the_throw_and_no_further(server: Server) -> None:
    made, token = solo(server, seed=5)
    table = made["id"]
    assert post(server, table, token, "undo")["code"] == "nothing_to_undo"
    post(server, table, token, "roll")
    before = snapshot(server, table, token)
    assert before["undo"] == []
    action = before["game"]["seats"][0]["legal"][0]["action"]
    post(server, table, token, "play", action=action)
    assert snapshot(server, table, token)["undo"] == [0]
    assert post(server, table, token, "undo")["type"] == "ack"
    after = snapshot(server, table, token)
    assert after["game"] == before["game"]
    assert after["entries"][-1]["what"] == "undid"
    assert after["entries"][-1]["action"] == action
    assert post(server, table, token, "undo")["code"] == "nothing_to_undo"


def test_the_updates_wait_for_something_to_happen(server: Server) -> None:
    made, token = solo(server)

    async def main() -> None:
        path = f"/api/tables/{made['id']}/updates?since=2"
        started = time.monotonic()
        waiting = asyncio.create_task(asyncio.to_thread(server.http, "GET", path, None, token))
        await asyncio.sleep(0.3)
        post(server, made["id"], token, "roll")
        status, update = await waiting
        assert status == 200
        assert time.monotonic() - started < 10
        assert (update["previous"], update["seq"]) == (2, 3)
        assert update["entries"][0]["what"] == "threw"

    run(main())


async def seated(server: Server, seats: str, **wish: object) -> tuple[Json, list[Client]]:
    _, token = server.player("Ana")
    made = server.table(token, "clever", seats, **wish)
    clients = [Client(server.port, made["id"], token)]
    for _ in range(seats.count("o")):
        _, token = server.player("Guest")
        clients.append(Client(server.port, made["id"], token, key_of(made["you"]["invite"])))
    for number, client in enumerate(clients):
        await client.__aenter__()
        await client.sit(number)
    return made, clients


def test_a_bot_stands_in_for_the_absent_and_the_owner_returns(server: Server) -> None:
    async def main() -> None:
        made, (host, guest) = await seated(server, "mo", pause=False)
        await host.command("start")
        with pytest.raises(Refused, match="not_absent"):
            await host.command("takeover", seat=1)
        token = guest.token
        await guest.__aexit__()
        while not host.table["seats"][1]["stand_in"]:
            try:
                await host.command("takeover", seat=1)
            except Refused as refusal:
                if refusal.code != "not_absent":  # not for as long as FOXTRAY_ABSENCE says
                    raise
                await host.wait(0.1)
        assert host.table["seats"][1]["stand_in"] == "solid"
        # The bot really plays: the host can go on until it was the other's turn.
        while not any(e.get("bot") and e["what"] == "played" for e in host.entries.values()):
            move = host.my_move()
            if move:
                await host.command(**move)
            else:
                await host.wait()
        async with Client(server.port, made["id"], token):
            while host.table["seats"][1]["stand_in"]:
                await host.wait()
        await host.__aexit__()

    run(main())


def test_the_clock_starts_anew_with_every_decision(server: Server) -> None:
    async def main() -> None:
        _, (host,) = await seated(server, "m", clock=600)
        await host.command("start")
        before = host.deadlines["0"]
        await asyncio.sleep(0.01)
        await host.command("roll")
        assert host.deadlines["0"] > before
        assert host.game
        place = host.game["seats"][0]["legal"][0]
        before = host.deadlines["0"]
        await asyncio.sleep(0.01)
        await host.command("play", action=place["action"])
        assert host.deadlines["0"] > before
        await host.__aexit__()

    run(main())


def test_a_lobby_is_managed_by_its_host(server: Server) -> None:
    async def main() -> None:
        made, (host, guest, late) = await seated(server, "moo")
        await late.command("leave")
        await late.__aexit__()
        with pytest.raises(Refused, match="seats_open"):
            await host.command("start")
        with pytest.raises(Refused, match="not_host"):
            await guest.command("start")
        with pytest.raises(Refused, match="seated_already"):
            await guest.command("sit", seat=0, entropy=ENTROPY)
        await guest.command("leave")
        await host.command("reseat", seat=1, bot="random")
        await host.command("reseat", seat=2, bot="greedy")
        await host.command("reseat", seat=2, bot=None)
        with pytest.raises(Refused, match="unknown_bot"):
            await host.command("reseat", seat=2, bot="nobody")
        await guest.sit(2)
        await host.command("start")
        assert [seat["kind"] for seat in host.table["seats"]] == ["human", "bot", "human"]
        stranger = Client(server.port, made["id"], server.player()[1], made["you"]["key"])
        async with stranger:
            with pytest.raises(Refused, match="not_seated"):
                await stranger.command("roll")
            with pytest.raises(Refused, match="already_started"):
                await stranger.command("sit", seat=0, entropy=ENTROPY)
        for client in (host, guest):
            await client.__aexit__()

    run(main())


def test_two_tabs_on_one_seat(server: Server) -> None:
    async def main() -> None:
        made, (tab,) = await seated(server, "mbb", pause=False)
        async with Client(server.port, made["id"], tab.token) as other:
            await other.command("start")
            while tab.seq != other.seq:
                await tab.wait(0.05)
        while not tab.my_move():
            await tab.wait()
        await tab.command(**(tab.my_move() or {}))
        await tab.__aexit__()

    run(main())


def test_a_link_works_once_and_a_player_can_be_deleted(server: Server) -> None:
    player, token = server.player("Zora")
    status, link = server.http("POST", "/api/me/link", token=token)
    assert status == 200
    status, data, _ = server.raw("POST", "/api/link", json.dumps({"code": link["code"]}).encode())
    assert status == 200
    assert json.loads(data)["id"] == player
    assert "token" not in json.loads(data)
    used = server.http("POST", "/api/link", {"code": link["code"]})
    assert used[1]["code"] == "bad_link"
    # What a device still has under way does not bring its token back when it is signed out.
    _, token = server.player("Script")
    _, listed = server.http("GET", "/api/me/devices", token=token)
    with ThreadPoolExecutor(2) as both:
        path = f"/api/me/devices/{listed['devices'][0]['id']}"
        both.submit(server.http, "DELETE", path, token=token)
        both.submit(server.http, "PUT", "/api/me", {"name": "Other"}, token)
    assert server.http("GET", "/api/me", token=token)[1]["player"] is None
    # Deleting.
    _, token = server.player("Gone")
    made = server.table(token, "clever", "mo")
    assert server.http("DELETE", "/api/me", token=token)[0] == 200
    assert server.http("GET", f"/api/tables/{made['id']}", token=token)[0] == 404
    assert server.http("GET", "/api/me", token=token)[1]["player"] is None


def test_a_new_name_is_told(server: Server) -> None:
    made, token = solo(server)
    assert server.http("PUT", "/api/me", {"name": "  Žofie   the\tGreat "}, token)[0] == 200
    assert snapshot(server, made["id"], token)["table"]["seats"][0]["name"] == "Žofie the Great"


def test_the_invitation_as_a_picture(server: Server) -> None:
    _, token = server.player()
    made = server.table(token, "clever", "mo")
    status, picture, kind = server.raw("GET", f"/api/tables/{made['id']}/qr.svg", token=token)
    assert (status, kind) == (200, "image/svg+xml")
    assert picture.startswith(b"<svg")
    # A player without a seat cannot invite, and nobody can be invited to a started game.
    path = f"/api/tables/{made['id']}/qr.svg?key={made['you']['key']}"
    assert server.http("GET", path)[1]["code"] == "not_seated"
    assert server.raw("GET", f"{path}&link=watch")[0] == 200
    assert server.http("GET", f"{path}&link=banana")[1]["message"] == "link must be invite or watch"
    made, token = solo(server)
    status, answer = server.http("GET", f"/api/tables/{made['id']}/qr.svg", token=token)
    assert (status, answer["code"]) == (409, "already_started")


def test_the_games_with_their_words(server: Server) -> None:
    told = {game["id"]: game for game in server.http("GET", "/api/games?language=de")[1]["games"]}
    assert list(told) == ["clever", "twice"]
    assert told["twice"]["text"]["colour.silver"] == "Silber"
    assert told["clever"]["lesson"] is True
    assert not [key for game in told.values() for key in game["text"] if "lesson" in key]
    lesson = server.http("GET", "/api/lessons/clever?language=de")[1]
    assert lesson["inputs"][:2] == ["roll", "y>y4b"]
    assert lesson["text"][0].startswith("Willkommen!")
    assert len(lesson["text"]) == len(lesson["inputs"]) + 1
    assert told["clever"]["languages"] == ["en", "de", "nl", "sr"]
    assert told["clever"]["bots"][:2] == ["random", "greedy"]
    english = server.http("GET", "/api/games")[1]["games"]
    assert english[1]["text"]["colour.silver"] == "Silver"
    assert server.http("GET", "/api/games?language=xx")[1]["games"] == english


def test_texts_and_pages(server: Server) -> None:
    sheets = server.http("GET", "/api/sheets")[1]["sheets"]
    assert sheets == [server.http("GET", f"/api/sheets/{game}")[1] for game in ("clever", "twice")]
    for game in ("clever", "twice"):
        assert server.http("GET", f"/api/sheets/{game}")[1]["id"] == game
        assert server.http("GET", f"/api/rules/{game}")[1]["clauses"]
    assert server.http("GET", "/api/rules/clever?language=xx")[0] == 404
    assert server.raw("GET", "/t/anything")[0] == 200
    assert server.raw("GET", "/assets/none.js")[0] == 404
    status, figures, _ = server.raw("GET", "/metrics")
    assert status == 200
    assert b"foxtray_commands_total" in figures
