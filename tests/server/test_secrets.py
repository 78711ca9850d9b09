"""Nothing said over HTTP in a whole game holds a secret, a token of others or faces to come."""

import base64
import random
import secrets
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from foxtray.server.players import digest
from foxtray.server.store.sqlite import backup
from server.harness import Json, Server, key_of
from server.test_tables import post

QUIET = ("/api/me", "/api/me/games", "/api/me/statistics")
ABOUT = ("", "/steps", "/course", "/record", "/qr.svg", "/qr.svg?link=watch")


class Heard(NamedTuple):
    """One answer of the server, and who got it."""

    reader: int
    what: str
    body: bytes
    over: bool


class Party:
    """Two players and somebody who watches, all by requests; everything they hear is kept."""

    def __init__(self, server: Server) -> None:
        self.server = server
        self.heard: list[Heard] = []
        self.tokens = [server.player(name)[1] for name in ("Ana", "Bo")] + [""]
        made = server.table(self.tokens[0], "clever", "mo")
        self.id, self.invite, self.key = (
            made["id"],
            key_of(made["you"]["invite"]),
            made["you"]["key"],
        )
        self.over = False
        for seat in (0, 1):
            key = self.invite if seat else ""
            entropy = secrets.token_hex(16)
            sat = post(server, self.id, self.tokens[seat], "sit", key, seat=seat, entropy=entropy)
            assert sat["type"] == "ack"
        post(server, self.id, self.tokens[0], "start")

    def get(self, reader: int, path: str) -> bytes:
        if not self.tokens[reader]:
            path += f"{'&' if '?' in path else '?'}key={self.key}"
        _, body, headers = self.server.exchange("GET", path, token=self.tokens[reader])
        self.heard.append(Heard(reader, path, body + str(headers).encode(), self.over))
        return body

    def command(self, seat: int, kind: str, **what: str) -> None:
        answer = post(self.server, self.id, self.tokens[seat], kind, **what)
        assert answer["type"] in ("ack", "previews"), answer
        self.heard.append(Heard(seat, kind, str(answer).encode(), self.over))

    def look(self, reader: int) -> Json:
        """The table as somebody sees it now."""
        status, view = self.server.http("GET", self.path, token=self.tokens[reader])
        assert status == 200
        self.over = view["table"]["status"] == "over"
        return dict(view)

    @property
    def path(self) -> str:
        return f"/api/tables/{self.id}"

    def play(self) -> Iterator[Json]:
        """To the end, at random; what Ana sees after each step."""
        rng = random.Random(4)
        while True:
            view = self.look(0)
            yield view
            if self.over:
                return
            game, seq = view["game"], view["seq"]
            for reader in range(3):
                self.get(reader, f"{self.path}/updates?since={seq - 1}&wait=0")
            if seq % 12 == 0:
                for reader in range(3):
                    for path in (*QUIET, *(self.path + rest for rest in ABOUT)):
                        if self.tokens[reader] or path not in QUIET:
                            self.get(reader, path)
            if game["rolling"]:
                self.command(game["active"], "roll")
            else:
                seat = rng.choice(game["awaiting"])
                self.command(seat, "preview")
                legal = game["seats"][seat]["legal"]
                self.command(seat, "play", action=rng.choice(legal)["action"])


def spellings(data: bytes) -> list[bytes]:
    """How bytes may be written."""
    coded = [base64.b64encode(data).rstrip(b"="), base64.urlsafe_b64encode(data).rstrip(b"=")]
    return [data, data.hex().encode(), *coded]


def check_heard(party: Party, secret: bytes) -> None:
    for heard in party.heard:
        if not heard.over:
            for spelling in spellings(secret):
                assert spelling not in heard.body, heard.what
        for owner, token in enumerate(party.tokens):
            if token:
                assert owner == heard.reader or token.encode() not in heard.body, heard.what
                for spelling in spellings(digest(token)):
                    assert spelling not in heard.body, heard.what
        if not party.tokens[heard.reader]:
            assert party.invite.encode() not in heard.body, heard.what


def replaced(party: Party, source: Path, target: Path, moments: list[int]) -> None:
    """For each moment a table with the same log up to there, and another secret."""
    backup(source, target)
    connection = sqlite3.connect(target)
    for n in moments:
        connection.execute(
            "INSERT INTO tables SELECT ?, rules, setup, ?, host, invite, watch, created, NULL "
            "FROM tables WHERE id=?",
            (f"at{n}", secrets.token_bytes(32), party.id),
        )
        connection.execute(
            'INSERT INTO events SELECT ?, seq, at, data, command FROM events WHERE "table"=? '
            "AND seq<=?",
            (f"at{n}", party.id, n),
        )
    connection.commit()
    connection.close()


def plain(view: Json) -> Json:
    """A view without what is another table's name, promise or company."""
    view = {k: v for k, v in view.items() if k not in ("you", "present", "absent", "watching")}
    table = {**view["table"], "id": "", "dice": {**view["table"]["dice"], "commitment": ""}}
    return {**view, "table": table}


def test_no_answer_of_a_whole_game_tells_too_much(tmp_path: Path) -> None:
    with Server(tmp_path / "store.db") as server:
        party = Party(server)
        views = {view["seq"]: view for view in party.play()}
        for reader in range(3):
            for rest in ABOUT[:4]:
                party.get(reader, party.path + rest)
        last = views.pop(max(views))
        secret = bytes.fromhex(last["table"]["dice"]["secret"])
        assert any(secret.hex().encode() in heard.body for heard in party.heard if heard.over)
        check_heard(party, secret)
        log = server.log.read_text()
        assert not any(text in log for text in (secret.hex(), party.invite, party.key))
        assert not any(token in log for token in party.tokens if token)
    # Faces to come follow from the secret. With another one, everything must look the same.
    moments = sorted(views)[::5]
    replaced(party, tmp_path / "store.db", tmp_path / "other.db", moments)
    with Server(tmp_path / "other.db") as server:
        for n in moments:
            status, view = server.http("GET", f"/api/tables/at{n}", token=party.tokens[0])
            assert status == 200
            promised = view["table"]["dice"]["commitment"]
            assert promised != last["table"]["dice"]["commitment"]
            assert plain(view) == plain(views[n])
