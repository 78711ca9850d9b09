"""Patches: what they say, who gets them, and a client written from docs/protocol.md alone."""

import asyncio
import json
import random
import secrets
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.json import decode, encode
from websockets.asyncio.client import connect

from foxtray.history import History, Setup
from foxtray.server.protocol.patches import NoPatch, difference
from foxtray.server.tables.pictures import Picture
from foxtray.views import game_view
from server.harness import LATE, Json, Server, key_of
from server.patched import patched

KINDS: list[tuple[int, ...]] = [(0, 1, 2), (1,), ()]
"""The seats whose legal actions are shown: all of them, one, and none."""


def test_a_patch_is_what_changed() -> None:
    before = {"a": 1, "b": [1, 2], "c": {"x": 1, "y": 2}, "d": [{"n": 1}, {"n": 2}], "e": None}
    after = {"a": 1, "b": [1, 3], "c": {"y": 5, "z": 3}, "d": [{"n": 1}, {"n": 4}], "e": 7}
    told = difference(before, after)
    assert told == {"b": [1, 3], "c": {"x": None, "y": 5, "z": 3}, "d": {"1": {"n": 4}}, "e": 7}
    assert patched(before, told) == after
    assert difference(after, after) == {}


@pytest.mark.parametrize(
    ("before", "after"),
    [({"a": 1}, {"a": None}), ({}, {"a": None}), ({"a": 1}, {"a": {"b": 1}})],
)
def test_what_a_patch_cannot_say_is_told_whole(before: Json, after: Json) -> None:
    with pytest.raises(NoPatch):
        difference(before, after)


def test_a_list_of_another_length_is_replaced() -> None:
    assert difference({"a": [{"n": 1}]}, {"a": [{"n": 1}, {"n": 2}]}) == {"a": [{"n": 1}, {"n": 2}]}
    assert difference({"a": []}, {"a": [{"n": 1}]}) == {"a": [{"n": 1}]}


VALUES = st.recursive(
    st.integers(0, 3) | st.lists(st.integers(0, 3), max_size=3),
    lambda parts: (
        st.dictionaries(st.sampled_from("abc"), parts, max_size=3)
        | st.lists(
            st.dictionaries(st.sampled_from("abc"), parts, max_size=2), min_size=1, max_size=2
        )
    ),
    max_leaves=12,
)
OBJECTS = st.dictionaries(st.sampled_from("abcd"), VALUES, max_size=4)


@settings(max_examples=40)
@given(OBJECTS, OBJECTS)
def test_a_patch_leads_to_the_other_object(before: Json, after: Json) -> None:
    try:
        told = difference(before, after)
    except NoPatch:
        return
    assert patched(before, decode(encode(told))) == after


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
            shown[kind] = patched(shown[kind], decode(data))
            assert shown[kind] == expected == decode(picture.whole(kind))
        told, whole = told + len(data), whole + len(encode(expected))
    assert told < whole / 5


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
