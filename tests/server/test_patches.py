"""Patches: what they say, who gets them, and a client written from docs/protocol.md alone."""

import asyncio
import json
import random
import secrets
from contextlib import suppress
from typing import Any

import pytest
from msgspec.json import decode, encode
from websockets.asyncio.client import connect

from foxtray.history import History, Setup
from foxtray.server.tables.pictures import Picture
from foxtray.views import game_view
from server.harness import LATE, Json, Server, key_of
from server.patched import patched

KINDS: list[tuple[int, ...]] = [(0, 1, 2), (1,), ()]
"""The seats whose legal actions are shown: all of them, one, and none."""


@pytest.mark.parametrize("name", ["clever", "twice"])
def test_patched_games_are_whole_games(name: str) -> None:
    """At every moment of a game with undo, for every kind of listener; most patches are small."""
    rng = random.Random(name)
    history = History(Setup(name, 3, seed=5))
    picture = Picture(0, history.game)
    shown: dict[tuple[int, ...], Any] = {kind: decode(picture.whole(kind)) for kind in KINDS}
    told, whole = 0, 0
    while not history.game.over:
        seats = [seat for seat in range(3) if history.may_undo(seat)]
        if seats and rng.random() < 0.1:
            history.undo(rng.choice(seats))
        elif history.game.rolling():
            history.roll()
        else:
            seat = rng.choice(history.game.awaiting())
            history.play(seat, rng.choice(history.game.legal(seat)))
        before, picture = picture, Picture(picture.seq + 1, history.game, picture)
        for kind in KINDS:
            expected = decode(encode(game_view(history.game)))
            for seat in {0, 1, 2} - set(kind):
                expected["seats"][seat]["legal"] = []
            data = encode(picture.patch(before, kind))
            assert is_minimal(decode(data), shown[kind])
            shown[kind] = patched(shown[kind], decode(data))
            assert shown[kind] == expected == decode(picture.whole(kind))
        told, whole = told + len(data), whole + len(encode(expected))
    assert told < whole / 5


def is_minimal(patch: Any, then: Any) -> bool:
    """Whether a patch names nothing that stays as it was."""
    if not isinstance(patch, dict):
        return bool(patch != then)
    known = dict(enumerate(then)) if isinstance(then, list) else then
    parts = {int(name) if isinstance(then, list) else name: part for name, part in patch.items()}
    return all(
        name in known if part is None else name not in known or is_minimal(part, known[name])
        for name, part in parts.items()
    )


def without_legal(game: Any) -> Any:
    """A game as those see it who do not want to be told what is legal."""
    return game and {**game, "seats": [{**seat, "legal": []} for seat in game["seats"]]}


class Player:
    """A client that knows docs/protocol.md, and plays solo at random."""

    def __init__(self, server: Server, table: str, token: str, **wishes: object) -> None:
        self.url = f"ws://127.0.0.1:{server.port}/api/tables/{table}/live"
        self.token = token
        self.wishes = wishes
        self.seq = -1
        self.game: Any = None
        self.games: dict[int, Any] = {}
        """The game at each number, as this client saw it."""
        self.patches = 0

    async def hear(self) -> Json:
        async with asyncio.timeout(LATE):
            message: Json = json.loads(await self.socket.recv())
        if message["type"] == "snapshot":
            self.seq, self.game = message["seq"], message["game"]
        elif message["type"] == "update":
            assert message["previous"] == self.seq
            self.seq = message["seq"]
            if "patch" in message:
                assert "game" not in message
                self.patches += 1
                self.game = patched(self.game, message["patch"])
            self.game = message.get("game", self.game)
        self.games[self.seq] = self.game
        return message

    async def until(self, kind: str) -> Json:
        while (message := await self.hear())["type"] not in (kind, "refused"):
            pass
        assert message["type"] == kind, message
        return message

    async def hello(self, **more: object) -> None:
        await self.socket.send(json.dumps({"type": "hello", **self.wishes, **more}))

    async def command(self, kind: str, **more: object) -> Json:
        message = {"type": kind, "id": secrets.token_hex(8), **more}
        await self.socket.send(json.dumps(message))
        return await self.until("ack")

    async def __aenter__(self) -> "Player":
        headers = {"Authorization": f"Bearer {self.token}"} if self.token else {}
        self.socket = await connect(self.url, additional_headers=headers)
        await self.hello()
        await self.until("snapshot")
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.socket.close()


def test_a_client_written_from_the_document(server: Server) -> None:
    """A whole game by patches is, move by move, the game that somebody else is told whole."""
    _, token = server.player()
    made = server.table(token, seed=7)
    key = key_of(made["you"]["watch"])

    async def play() -> None:
        rng = random.Random(7)
        whole = Player(server, made["table"]["id"], "", key=key)
        bare = Player(server, made["table"]["id"], "", key=key, patches=True, legal="none")
        mine = Player(server, made["table"]["id"], token, patches=True, legal="mine")
        async with whole, bare, mine:
            await mine.command("sit", seat=0, entropy=secrets.token_hex(16))
            await mine.command("start")
            while not mine.game["over"]:
                if mine.game["rolling"]:
                    await mine.command("roll")
                    continue
                action = rng.choice(mine.game["seats"][0]["legal"])["action"]
                await mine.command("play", action=action)
                if rng.random() < 0.1 and not mine.game["rolling"]:
                    with suppress(AssertionError):  # it may end the turn, which stays
                        await mine.command("undo")
            for other in (whole, bare):
                while other.seq < mine.seq:
                    await other.hear()
        assert mine.games == whole.games
        without = {seq: without_legal(game) for seq, game in whole.games.items()}
        assert bare.games == without != whole.games
        assert whole.patches == 0
        assert mine.patches == bare.patches > 30

    asyncio.run(play())


def test_every_hello_is_answered_whole_and_may_ask_for_something_else(server: Server) -> None:
    _, token = server.player()
    made = server.table(token, seed=8)

    async def play() -> None:
        client = Player(server, made["table"]["id"], token, patches=True, legal="none")
        async with client:
            await client.command("sit", seat=0, entropy=secrets.token_hex(16))
            await client.command("start")
            await client.hello(since=client.seq)
            assert "game" in await client.until("update")
            await client.command("roll")
            assert client.patches == 1
            assert client.game["seats"][0]["legal"] == []
            client.wishes = {"legal": "mine"}
            await client.hello()
            assert (await client.until("snapshot"))["game"]["seats"][0]["legal"]
            action = client.game["seats"][0]["legal"][0]["action"]
            await client.command("play", action=action)
            assert client.patches == 1  # the last hello did not ask for them

    asyncio.run(play())
