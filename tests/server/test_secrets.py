"""No message of a whole game contains a secret, another player's token or future rolls."""

import asyncio
import base64
import json
import random
import re
import secrets
import sqlite3
import sys
from collections.abc import Callable, Iterator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import NamedTuple, Self

import pytest
from websockets.asyncio.client import ClientConnection, connect

from foxtray.server.players import digest
from foxtray.server.store.sqlite import backup
from server.harness import TIMEOUT, Json, Server, key_of
from server.test_tables import post

TRUSTING = (sys.executable, str(Path(__file__).with_name("trusting.py")))
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


def check_heard(every: list[Heard], tokens: list[str], invite: str, secret: bytes) -> None:
    """Check that nothing was revealed too early or to the wrong reader."""
    secrets_kept = spellings(secret)
    hashes = [spelling for token in tokens if token for spelling in spellings(digest(token))]
    for heard in every:
        private = [token.encode() for token in tokens if token and token != tokens[heard.reader]]
        forbidden = [*hashes, *private]
        if not heard.over:
            forbidden += secrets_kept
        if not tokens[heard.reader]:
            forbidden.append(invite.encode())
        for spelling in forbidden:
            assert spelling not in heard.body, heard.what


def replaced(table: str, source: Path, target: Path, moments: list[int]) -> None:
    """For each moment a table with the same log up to there, and another secret."""
    backup(source, target)
    connection = sqlite3.connect(target)
    for n in moments:
        connection.execute(
            "INSERT INTO tables SELECT ?, rules, setup, ?, host, invite, watch, created, NULL "
            "FROM tables WHERE id=?",
            (f"at{n}", secrets.token_bytes(32), table),
        )
        connection.execute(
            'INSERT INTO inputs SELECT ?, seq, at, data, command FROM inputs WHERE "table"=? '
            "AND seq<=?",
            (f"at{n}", table, n),
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
        check_heard(party.heard, party.tokens, party.invite, secret)
        log = server.log.read_text()
        assert not any(text in log for text in (secret.hex(), party.invite, party.key))
        assert not any(token in log for token in party.tokens if token)
    # Faces to come follow from the secret. With another one, everything must look the same.
    moments = sorted(views)[::5]
    replaced(party.id, tmp_path / "store.db", tmp_path / "other.db", moments)
    with Server(tmp_path / "other.db", command=TRUSTING) as server:
        for n in moments:
            status, view = server.http("GET", f"/api/tables/at{n}", token=party.tokens[0])
            assert status == 200
            promised = view["table"]["dice"]["commitment"]
            assert promised != last["table"]["dice"]["commitment"]
            assert plain(view) == plain(views[n])
    # A server that checks does not play on with dice that somebody has changed.
    with Server(tmp_path / "other.db") as server:
        answers = [
            server.http("GET", f"/api/tables/at{n}", token=party.tokens[0])
            for n in moments
            if any(entry["what"] == "threw" for entry in views[n]["entries"])
        ]
        assert answers
        assert {(status, answer["code"]) for status, answer in answers} == {(409, "table_damaged")}
        errors = server.log.read_text().count("table_damaged")
        assert errors == len(answers)


# --- over sockets -------------------------------------------------------------------------------


class Company:
    """Two players and somebody who watches, each at a socket; only one of them speaks at a time."""

    def __init__(self, server: Server, table: str, tokens: list[str], keys: list[str]) -> None:
        self.server = server
        self.table = table
        self.tokens = tokens
        self.keys = keys
        self.heard: list[Heard] = []
        self.latest: Json = {}
        """The last snapshot or update."""
        self._sockets: list[ClientConnection] = []
        self._stack = AsyncExitStack()

    async def __aenter__(self) -> Self:
        url = f"ws://127.0.0.1:{self.server.port}/api/tables/{self.table}/live"
        for reader, token in enumerate(self.tokens):
            headers = {"Authorization": f"Bearer {token}"} if token else {}
            line = connect(url, additional_headers=headers, max_size=None, open_timeout=TIMEOUT)
            self._sockets.append(await self._stack.enter_async_context(line))
            await self.greet(reader)
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._stack.aclose()

    async def say(self, reader: int, message: Json) -> None:
        await self._sockets[reader].send(json.dumps(message))

    async def hear(self, reader: int, last: Callable[[Json], bool]) -> Json:
        """Listen up to a message that is expected."""
        while True:
            async with asyncio.timeout(TIMEOUT):
                text = await self._sockets[reader].recv()
            assert isinstance(text, str)
            message = dict(json.loads(text))
            over = '"status":"over"' in text
            self.heard.append(Heard(reader, message["type"], text.encode(), over))
            if "undo" in message:
                self.latest = {**self.latest, **message}
            if last(message):
                return message

    async def greet(self, reader: int, **since: int) -> None:
        """Say hello; everybody is told who is there."""
        await self.say(reader, {"type": "hello", "key": self.keys[reader], **since})
        for listener in range(len(self._sockets)):
            await self.hear(listener, lambda message: message["type"] == "presence")

    async def ask(self) -> None:
        """Everybody sends every request that changes nothing."""
        for reader in range(3):
            await self.greet(reader)
            await self.greet(reader, since=max(0, self.latest["seq"] - 1))
            await self.say(reader, {"type": "preview", "id": "what-if"})
            await self.say(reader, {"type": "ping"})
            await self.hear(reader, lambda message: message["type"] == "pong")

    async def act(self, seat: int, message: Json) -> None:
        """One player acts, and everybody is told."""
        await self.say(seat, message)
        answer = await self.hear(seat, lambda told: told.get("id") == message["id"])
        assert answer["type"] == "ack", answer
        for reader in {0, 1, 2} - {seat}:
            await self.hear(reader, lambda told: told["type"] == "update")

    def next(self, rng: random.Random) -> tuple[int, Json]:
        """Who acts next and how: at random, and sometimes by undoing."""
        seq, game = self.latest["seq"], self.latest["game"]
        name = {"id": f"command-{seq}"}
        last = self.latest["entries"][-1]
        if last["what"] == "played" and last["seat"] in self.latest["undo"] and rng.random() < 0.25:
            return last["seat"], {"type": "undo", **name}
        if game["rolling"]:
            return game["active"], {"type": "roll", **name}
        seat = rng.choice(game["awaiting"])
        action = rng.choice(game["seats"][seat]["legal"])["action"]
        return seat, {"type": "play", "action": action, **name}

    def told(self, since: int) -> list[str]:
        """What was heard after so many messages, without what is another table's own."""
        return [
            f"{heard.reader} {self._common(heard.body.decode())}" for heard in self.heard[since:]
        ]

    def _common(self, text: str) -> str:
        text = re.sub('"commitment":"[0-9a-f]{64}"', '"commitment":""', text)
        text = text.replace(f":{self.server.port}/", ":PORT/").replace(self.table, "TABLE")
        return re.sub(r"\b1\d{12}\b", "TIME", text)


class Moment(NamedTuple):
    """What was heard when everybody asked, who acted then and how, and what was heard of that."""

    asked: list[str]
    seat: int
    command: Json
    acted: list[str]


async def play_by_socket(company: Company, rng: random.Random) -> dict[int, Moment]:
    """A whole game; what was said at each number of its log."""
    moments: dict[int, Moment] = {}
    for seat in (0, 1):
        entropy = secrets.token_hex(16)
        sit = {"type": "sit", "id": f"sit-{seat}", "seat": seat, "entropy": entropy}
        await company.act(seat, sit)
    await company.act(0, {"type": "start", "id": "start"})
    while not company.latest["game"]["over"]:
        start = len(company.heard)
        await company.ask()
        middle = len(company.heard)
        seq = company.latest["seq"]
        seat, command = company.next(rng)
        await company.act(seat, command)
        asked = company.told(start)[: middle - start]
        moments[seq] = Moment(asked, seat, command, company.told(middle))
    await company.ask()
    return moments


@pytest.mark.parametrize("game", ["clever", "twice"])
def test_no_message_of_a_whole_game_tells_too_much(tmp_path: Path, game: str) -> None:
    with Server(tmp_path / "store.db") as server:
        tokens = [server.player(name)[1] for name in ("Ana", "Bo")] + [""]
        made = server.table(tokens[0], game, "mo")
        invite = key_of(made["you"]["invite"])
        keys = ["", invite, made["you"]["key"]]

        async def first() -> tuple[Company, dict[int, Moment]]:
            async with Company(server, made["id"], tokens, keys) as company:
                return company, await play_by_socket(company, random.Random(game))

        company, moments = asyncio.run(first())
    secret = bytes.fromhex(company.latest["table"]["dice"]["secret"])
    kinds = {heard.what for heard in company.heard}
    assert kinds >= {"greeting", "snapshot", "update", "presence", "ack", "previews", "pong"}
    # What is searched for can be found: the players are told the secret, at the end.
    for reader in range(3):
        ends = [heard.body for heard in company.heard if heard.reader == reader and heard.over]
        assert all(secret.hex().encode() in body for body in ends)
        assert len(ends) > 2
    check_heard(company.heard, tokens, invite, secret)
    # Faces to come follow from the secret. With another one, everything must sound the same.
    chosen = [n for n in sorted(moments) if n % 3 == 0 or moments[n].command["type"] == "undo"]
    replaced(made["id"], tmp_path / "store.db", tmp_path / "other.db", chosen)
    with Server(tmp_path / "other.db", command=TRUSTING) as server:
        for n in chosen:
            company = Company(server, f"at{n}", tokens, keys)
            asyncio.run(compare(company, moments[n], last=n == max(moments)))
    assert {"roll", "play", "undo"} <= {moments[n].command["type"] for n in chosen}


async def compare(company: Company, moment: Moment, *, last: bool) -> None:
    """Ask the same at the same place of the log, and do the same."""
    async with company:
        start = len(company.heard)
        await company.ask()
        assert company.told(start) == moment.asked
        # A throw shows the secret's work, and the last action of a game the secret.
        if moment.command["type"] != "roll" and not last:
            middle = len(company.heard)
            await company.act(moment.seat, moment.command)
            assert company.told(middle) == moment.acted
