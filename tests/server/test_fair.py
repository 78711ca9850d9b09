"""Fair dice against those who read the data, and what becomes of games that nobody finishes."""

from __future__ import annotations

import hashlib
import json
import secrets
import sqlite3
from pathlib import Path

import pytest
from test_verifier import judged

from foxtray import SecretDice, record
from foxtray.dice import entropy_commitment
from foxtray.server.wall_clock import now
from server.harness import Json, Server, key_of, until
from server.test_tables import play_over_http, post, snapshot, solo


class Insider:
    """A player who can read the server's data, and looks for the best entropy to sit down with."""

    def __init__(self, db: Path, table: str) -> None:
        reading = sqlite3.connect(f"file:{db}?mode=ro", uri=True)
        (self.secret,) = reading.execute(
            "SELECT secret FROM tables WHERE id=?", (table,)
        ).fetchone()
        log = reading.execute('SELECT data FROM inputs WHERE "table"=?', (table,)).fetchall()
        reading.close()
        known = {
            e["seat"]: e.get("entropy", "") for (d,) in log if (e := json.loads(d))["t"] == "sat"
        }
        self.known = bytes.fromhex(known[0])

    def first_roll(self, entropy: bytes) -> tuple[int, ...]:
        return SecretDice(self.secret, (self.known, entropy)).throw(0, 1, 0).faces

    def choose(self) -> bytes:
        tried = [secrets.token_bytes(16) for _ in range(2_000)]
        return max(tried, key=lambda entropy: sum(self.first_roll(entropy)))


def committed(table: Json, seat: int, entropy: bytes) -> str:
    return entropy_commitment(table["dice"]["commitment"], seat, entropy)


@pytest.mark.parametrize("commits", [True, False], ids=["commits", "older client"])
def test_who_reads_the_data_and_sits_last_cannot_choose_the_dice(
    server: Server, commits: bool
) -> None:
    tokens = [server.player(name)[1] for name in ("Ana", "Eve")]
    made = server.table(tokens[0], "clever", "mo")
    table, key = made["id"], key_of(made["you"]["invite"])
    mine = secrets.token_bytes(16)
    told = {"commitment": committed(made["table"], 0, mine)} if commits else {"entropy": mine.hex()}
    assert post(server, table, tokens[0], "sit", seat=0, **told)["type"] == "ack"
    insider = Insider(server.db, table)
    chosen = insider.choose()
    answer = committed(made["table"], 1, chosen)
    assert post(server, table, tokens[1], "sit", key, seat=1, commitment=answer)["type"] == "ack"
    post(server, table, tokens[0], "start")
    if commits:
        post(server, table, tokens[0], "reveal", entropy=mine.hex())
    # With Ana's entropy known another choice would be better; but it is too late for that.
    for late in (secrets.token_hex(16), mine.hex()):
        refused = post(server, table, tokens[1], "reveal", entropy=late)
        assert refused["code"] == "wrong_entropy"
    assert post(server, table, tokens[1], "reveal", entropy=chosen.hex())["type"] == "ack"
    view = snapshot(server, table, tokens[0])
    assert view["table"]["dice"]["left_out"] == []
    post(server, table, tokens[view["game"]["active"]], "roll")
    faces = tuple(snapshot(server, table, tokens[0])["game"]["faces"])
    # An older client's entropy is in the data, and so worth nothing against someone who reads it.
    assert (faces == insider.first_roll(chosen)) == (not commits)


def test_a_kill_between_start_and_reveal_loses_nothing(tmp_path: Path) -> None:
    with Server(tmp_path / "store.db") as server:
        _, token = server.player()
        made = server.table(token, "clever", "m")
        table, mine = made["id"], secrets.token_bytes(16)
        post(server, table, token, "sit", seat=0, commitment=committed(made["table"], 0, mine))
        assert post(server, table, token, "start")["type"] == "ack"
        server.kill()
        server.start()
        view = snapshot(server, table, token)
        assert (view["table"]["starting"], view["table"]["status"]) == (True, "lobby")
        assert post(server, table, token, "reveal", entropy=mine.hex())["type"] == "ack"
        server.kill()
        server.start()
        view = snapshot(server, table, token)
        assert (view["table"]["starting"], view["table"]["status"]) == (False, "playing")
        assert view["table"]["dice"]["entropies"] == [mine.hex()]


def test_a_start_that_waits_in_vain_goes_on_by_itself(tmp_path: Path) -> None:
    with Server(tmp_path / "store.db") as server:
        _, token = server.player()
        made = server.table(token, "clever", "m")
        table = made["id"]
        post(server, table, token, "sit", seat=0, commitment="0" * 64)
        post(server, table, token, "start")
        server.kill()
        server.start()
        until(lambda: snapshot(server, table, token)["table"]["status"] == "playing")
        assert snapshot(server, table, token)["table"]["dice"]["left_out"] == [0]


def test_the_record_of_a_live_game_convinces_the_independent_verifier(
    server: Server, tmp_path: Path
) -> None:
    _, token = server.player()
    made = server.table(token, "twice", "m")
    table, mine = made["id"], secrets.token_bytes(16)
    shown = made["table"]["dice"]["commitment"]
    post(server, table, token, "sit", seat=0, commitment=committed(made["table"], 0, mine))
    post(server, table, token, "start")
    post(server, table, token, "reveal", entropy=mine.hex())
    play_over_http(server, table, token)
    path = tmp_path / "game.fox"
    path.write_text(server.http("GET", f"/api/tables/{table}/record", token=token)[1])
    right, said = judged(path, shown, "1", mine.hex())
    assert right, said
    assert "note" not in said
    assert record.read(path.read_text())[1]


def told_secret(server: Server, table: str, token: str = "") -> tuple[int, Json]:
    status, answer = server.http("GET", f"/api/tables/{table}/secret", token=token)
    return status, dict(answer)


def test_a_game_that_everybody_gave_up_tells_its_secret(server: Server) -> None:
    tokens = [server.player(name)[1] for name in ("Ana", "Bo")]
    made = server.table(tokens[0], "clever", "mo")
    table, key = made["id"], key_of(made["you"]["invite"])
    for seat, token in enumerate(tokens):
        post(server, table, token, "sit", key, seat=seat, entropy=secrets.token_hex(16))
    post(server, table, tokens[0], "start")
    post(server, table, tokens[0], "leave")
    # One is still there.
    assert snapshot(server, table, tokens[1])["table"]["dice"]["secret"] is None
    assert told_secret(server, table, tokens[1])[1]["code"] == "not_over"
    assert server.http("GET", f"/api/tables/{table}/record", token=tokens[1])[0] == 409
    assert post(server, table, tokens[0], "resume")["type"] == "ack"
    for token in tokens:
        post(server, table, token, "leave")
    view = snapshot(server, table, tokens[0])
    promise = made["table"]["dice"]["commitment"]
    secret = view["table"]["dice"]["secret"]
    assert hashlib.sha256(bytes.fromhex(secret)).hexdigest() == promise
    assert told_secret(server, table, tokens[0]) == (200, {"commitment": promise, "secret": secret})
    assert told_secret(server, table)[0] == 404
    _, text = server.http("GET", f"/api/tables/{table}/record", token=tokens[0])
    assert record.read(text)[1]
    # Whoever knows the dice does not play.
    if view["table"]["status"] == "playing":
        assert view["table"]["given_up"]
    for kind in ("resume", "roll"):
        answer = post(server, table, tokens[0], kind)
        assert answer["code"] in ("given_up", "game_over", "not_stood_in"), answer


def test_seeds_and_tutorials_have_no_secret(server: Server) -> None:
    for wish in ({"seed": 5}, {"tutorial": True}):
        made, token = solo(server, **wish)
        post(server, made["id"], token, "leave")
        assert told_secret(server, made["id"], token)[1]["code"] == "not_found"


def test_restarts_of_solo_games_are_counted(server: Server) -> None:
    _, token = server.player("Restless")

    def start(**wish: object) -> str:
        made = server.table(token, "clever", "m", **wish)
        post(server, made["id"], token, "sit", seat=0, entropy="0" * 32)
        post(server, made["id"], token, "start")
        return str(made["id"])

    for _ in range(3):
        post(server, start(), token, "leave")
    start()
    start(seed=4)
    server.table(token, "clever", "m")  # never started: no dice were seen
    figures = server.http("GET", "/api/me/statistics", token=token)[1]
    assert figures["solo"] == {"clever": {"abandoned": 3, "unfinished": 1}}


def test_a_game_that_expired_tells_its_secret(tmp_path: Path) -> None:
    server = Server(tmp_path / "store.db")
    with server:
        made, token = solo(server)
        table = made["id"]
        assert told_secret(server, table, token)[1]["code"] == "not_over"
    aged = sqlite3.connect(server.db)
    aged.execute("UPDATE tables SET created=1000")
    aged.execute("UPDATE inputs SET at=1000")
    aged.execute("INSERT OR REPLACE INTO marks VALUES ('clock', ?)", (now(),))
    aged.commit()
    aged.close()
    with server:
        until(lambda: told_secret(server, table)[0] == 200)
        assert server.http("GET", f"/api/tables/{table}", token=token)[0] == 404
        told = told_secret(server, table)[1]
        assert told["commitment"] == made["table"]["dice"]["commitment"]
        assert SecretDice(bytes.fromhex(told["secret"])).commitment == told["commitment"]
        assert told_secret(server, "nosuchtable", token)[0] == 404
        figures = server.http("GET", "/api/me/statistics", token=token)[1]
        assert figures["solo"] == {"clever": {"abandoned": 1, "unfinished": 0}}
