"""Games that were played without the server and are handed to it: replayed, kept, and apart."""

from __future__ import annotations

import random
import time
from pathlib import Path

import pytest

from foxtray.dice import SecretDice
from foxtray.history import Setup
from foxtray.record import Record
from foxtray.server.protocol.messages import OFFLINE
from server.harness import Json, Server

SECRET = bytes(range(32))


def played(game: str, seats: int = 1, seed: int = 1, **changes: object) -> Record:
    """A finished game of random actions, as a device plays it."""
    usual = {
        "names": tuple(f"Guest {seat + 1}" for seat in range(seats)),
        "commitment": SecretDice(SECRET).commitment,
        "entropies": (b"",) * seats,
        "secret": SECRET,
    }
    setup = Setup(game, seats, **{**usual, **changes})  # type: ignore[arg-type]
    record, rng = Record(setup), random.Random(seed)
    while not record.game.over:
        if record.game.rolling():
            record.roll()
        else:
            seat = rng.choice(record.game.awaiting())
            record.play(seat, rng.choice(record.game.legal(seat)))
    return record


def handed(record: str, *kinds: str, finished: int | None = None) -> Json:
    """What a device sends: the record, and who sat where."""
    seats = [{"kind": "bot", "bot": k} if k not in ("me", "guest") else {"kind": k} for k in kinds]
    now = int(time.time() * 1000)
    return {"record": record, "seats": seats, "finished": now if finished is None else finished}


def newcomer(server: Server, name: str = "Ana") -> str:
    status, me = server.http("PUT", "/api/me", {"name": name, "bearer": True})
    assert status == 200
    return str(me["token"])


def hand_over(server: Server, token: str, body: Json) -> tuple[int, Json]:
    return server.http("POST", "/api/me/games", body, token)


@pytest.mark.parametrize("game", ["clever", "twice"])
def test_a_game_is_kept_replayed_and_stands_apart(server: Server, game: str) -> None:
    token = newcomer(server)
    record = played(game, 3)
    status, made = hand_over(server, token, handed(record.text(), "guest", "me", "greedy"))
    assert status == 200, made
    table = made["id"]
    assert table.startswith(OFFLINE)
    _, shown = server.http("GET", f"/api/tables/{table}", token=token)
    assert shown["table"]["offline"]
    assert shown["table"]["status"] == "over"
    assert shown["you"]["seat"] == 1
    kinds = [(seat["kind"], seat["name"], seat["guest"]) for seat in shown["table"]["seats"]]
    assert kinds == [("human", "Guest 1", True), ("human", "Ana", False), ("bot", "greedy", False)]
    totals = [card.total for card in record.game.scores()]
    assert [seat["score"]["total"] for seat in shown["game"]["seats"]] == totals
    assert shown["table"]["dice"]["secret"] == SECRET.hex()
    _, text = server.http("GET", f"/api/tables/{table}/record", token=token)
    own = [line for line in record.text().splitlines() if not line.startswith(("name", "sha256"))]
    assert [line for line in text.splitlines() if not line.startswith(("name", "sha256"))] == own
    _, history = server.http("GET", "/api/me/games", token=token)
    assert [(line["offline"], line["apart"]) for line in history["games"]] == [(True, True)]
    _, figures = server.http("GET", "/api/me/statistics", token=token)
    assert figures["games"] == {}
    assert figures["opponents"] == []
    assert figures["apart"][game]["games"] == 1
    _, me = server.http("GET", "/api/me", token=token)
    assert me["best"] == {}
    assert me["tables"] == []
    status, steps = server.http("GET", f"/api/tables/{table}/steps?count=1", token=token)
    assert status == 200
    assert steps["count"] == len(record.inputs) + 1


def test_dice_by_hand_and_by_seed_are_taken_too(server: Server) -> None:
    token = newcomer(server)
    by_hand = Record(Setup("clever", names=("Ana",)))
    seeded = Record(Setup("clever", names=("Ana",), seed=12))
    rng = random.Random(4)
    while not seeded.game.over:
        if seeded.game.rolling():
            seeded.roll()
            by_hand.roll(seeded.inputs[-1].throw)  # type: ignore[union-attr]
        else:
            action = rng.choice(seeded.game.legal(0))
            seeded.play(0, action)
            by_hand.play(0, action)
    for record, kind in ((seeded, "seed"), (by_hand, "real")):
        status, made = hand_over(server, token, handed(record.text(), "me"))
        assert status == 200, made
        _, shown = server.http("GET", f"/api/tables/{made['id']}", token=token)
        assert shown["table"]["dice"]["kind"] == kind


def test_handed_over_twice_it_is_kept_once_and_is_nobody_elses(server: Server) -> None:
    ana, ben = newcomer(server), newcomer(server, "Ben")
    body = handed(played("clever", seed=5).text(), "me")
    first, again = hand_over(server, ana, body), hand_over(server, ana, body)
    assert first == again
    _, history = server.http("GET", "/api/me/games", token=ana)
    assert len(history["games"]) == 1
    assert server.http("GET", f"/api/tables/{first[1]['id']}", token=ben)[0] == 404
    assert hand_over(server, ben, body)[1]["id"] != first[1]["id"]


def test_a_clock_ahead_of_the_server_does_not_count(server: Server) -> None:
    token = newcomer(server)
    body = handed(played("clever", seed=6).text(), "me", finished=1 << 50)
    assert hand_over(server, token, body)[0] == 200
    _, history = server.http("GET", "/api/me/games", token=token)
    assert history["games"][0]["finished"] <= time.time() * 1000


def test_the_table_survives_a_restart(tmp_path: Path) -> None:
    with Server(tmp_path / "store.db") as server:
        token = newcomer(server)
        _, made = hand_over(server, token, handed(played("twice", 2).text(), "me", "guest"))
        server.kill()
        server.start()
        status, shown = server.http("GET", f"/api/tables/{made['id']}", token=token)
        assert (status, shown["table"]["offline"]) == (200, True)


# --- what is wrong ------------------------------------------------------------------------------


def refusal(server: Server, token: str, body: Json) -> tuple[int, str]:
    status, told = hand_over(server, token, body)
    assert status >= 400, told
    assert told["message"]
    return status, told["code"]


def test_strangers_and_wrong_seats_are_refused(server: Server) -> None:
    token, text = newcomer(server), played("clever", 2).text()
    assert hand_over(server, "", handed(text, "me", "guest"))[0] == 401
    assert refusal(server, token, handed(text, "me")) == (400, "malformed")
    assert refusal(server, token, handed(text, "guest", "guest")) == (403, "not_seated")
    assert refusal(server, token, handed(text, "me", "me"))[1] == "one_seat_each"
    assert refusal(server, token, handed(text, "me", "nobody"))[1] == "unknown_bot"
    assert refusal(server, token, {**handed(text, "me", "guest"), "more": 1})[1] == "malformed"


def test_games_that_are_not_over_are_refused(server: Server) -> None:
    token, lines = newcomer(server), played("clever").text().splitlines()
    unfinished = "\n".join(line for line in lines[:-4]) + "\n"
    assert refusal(server, token, handed(unfinished, "me"))[1] == "not_over"


def test_games_at_a_server_are_refused(server: Server) -> None:
    token = newcomer(server)
    stirred = played("clever", entropies=(b"entropy of a seat",))
    assert refusal(server, token, handed(stirred.text(), "me"))[1] == "not_offline"
    bare = played("clever", entropies=())
    assert refusal(server, token, handed(bare.text(), "me"))[1] == "not_offline"


def test_every_damaged_line_is_refused_by_name(server: Server) -> None:
    token, lines = newcomer(server), played("clever", seed=9).text().splitlines()
    rng = random.Random(2)
    for number in rng.sample(range(len(lines)), 6):
        for changed in (
            [*lines[:number], *lines[number + 1 :]],
            [*lines[:number], lines[number] + " ", *lines[number + 1 :]],
            [*lines[:number], "throw 666666 wybgop", *lines[number + 1 :]],
        ):
            if changed == lines or lines[number].startswith("name"):
                continue
            status, told = hand_over(server, token, handed("\n".join(changed) + "\n", "me"))
            assert (status, told["code"]) == (400, "bad_record"), changed[number]
            assert told["message"].startswith("line ")


@pytest.mark.parametrize(
    "text",
    ["", "\n", "foxtray 1", "foxtray 3\n", "foxtray 1\nrules 99\n", "x" * 10_000, "\n" * 5_000],
)
def test_what_is_no_record_is_refused(server: Server, text: str) -> None:
    assert refusal(server, newcomer(server), handed(text, "me")) == (400, "bad_record")


def test_hostile_text_is_refused(server: Server) -> None:
    token, text = newcomer(server), played("clever", 2).text()
    long = text.replace("Guest 2", "x" * 200)
    assert refusal(server, token, handed(long, "me", "guest"))[1] == "bad_record"  # its sum
    assert refusal(server, token, handed("x" * 20_000, "me"))[1] == "too_large"
    broken = b'{"record": "\\ud800", "seats": [{"kind": "me"}], "finished": 1}'
    assert server.raw("POST", "/api/me/games", broken, token)[0] == 400


def test_names_of_guests_are_checked(server: Server) -> None:
    token = newcomer(server)
    for name in ("x" * 40, "", "evil\u202ename"):
        text = played("clever", 2, names=("Ana", name)).text()
        assert refusal(server, token, handed(text, "me", "guest"))[1].startswith("name_")


def test_too_many_at_once_are_refused(tmp_path: Path) -> None:
    with Server(tmp_path / "store.db", "--workers", "1", "--limit", "record.player=3") as server:
        token = newcomer(server)
        codes = [
            hand_over(server, token, handed(played("clever", seed=n).text(), "me"))[0]
            for n in range(5)
        ]
        assert codes == [200, 200, 200, 429, 429]
