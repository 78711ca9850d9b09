"""Tables whose dice people roll by hand, guests on one device, and phrases."""

from __future__ import annotations

import asyncio
import json
import random
import subprocess
import sys
from pathlib import Path

import pytest

from foxtray import FoxtrayError, record
from foxtray.server.protocol import inputs, messages
from foxtray.server.protocol.messages import (
    EnterFaces,
    Leave,
    Play,
    Preview,
    Reseat,
    Resume,
    Roll,
    Say,
    Start,
    Undo,
)
from foxtray.server.protocol.refusals import Refusal
from foxtray.server.tables.commands import UNDOS, Bot, Person
from foxtray.server.tables.table import Table
from server.harness import Client, Json, Server, key_of
from server.test_kill import check
from server.test_table import Listener, Run, Scene, scene

__all__ = ["scene"]

ANA, BEN = Person("p0"), Person("p1")
FACES = (3, 1, 5, 2, 6, 4)


async def refused(table: Table, person: Person, command: messages.TableCommand) -> str:
    """The code with which a command is refused, without any trace in the log."""
    before = table.log.seq
    with pytest.raises(Refusal) as caught:
        await table.execute(person, command)
    assert table.log.seq == before
    return caught.value.code


async def rolled(here: Scene, seats: int = 2) -> Table:
    """A table with real dice after the first roll."""
    table = await here.playing(seats, real_dice=True)
    await table.execute(ANA, EnterFaces(id=here.name(), faces=FACES))
    return table


def faces_on(table: Table) -> tuple[int, ...]:
    assert table.state.record
    return table.state.record.game.faces


# --- real dice ----------------------------------------------------------------------------------


def test_the_active_player_enters_the_faces(scene: Run) -> None:
    async def tell(here: Scene) -> None:
        table = await rolled(here)
        assert faces_on(table) == FACES
        assert table.state.info({}).dice == messages.DiceInfo("real")
        entry = table.log.input(table.log.seq)
        assert entry == inputs.Threw(FACES, (0, 1, 2, 3, 4, 5), by=0)

    scene(tell)


def test_whoever_may_not_enter_faces_is_refused(scene: Run) -> None:
    async def tell(here: Scene) -> None:
        table = await here.lobby(2, real_dice=True)
        faces = EnterFaces(id="x", faces=FACES)
        assert await refused(table, ANA, faces) == "not_started"
        await table.execute(ANA, Start(id=here.name()))
        assert await refused(table, BEN, faces) == "not_active"
        assert await refused(table, Person("p2"), faces) == "not_seated"
        assert await refused(table, ANA, EnterFaces(id="x", faces=FACES, seat=1)) == "not_your_seat"
        assert await refused(table, ANA, Roll(id="x")) == "real_dice"
        await table.execute(ANA, EnterFaces(id=here.name(), faces=FACES))
        assert await refused(table, ANA, faces) == "no_throw"
        other = await here.playing(1)
        assert await refused(other, ANA, faces) == "not_real_dice"

    scene(tell)


def test_faces_must_be_those_of_the_dice_to_roll(scene: Run) -> None:
    async def tell(here: Scene) -> None:
        table = await rolled(here)
        assert table.state.record
        game = table.state.record.game
        taking = next(a for a in game.legal(0) if 0 < len(game.play(0, a).game.rolling()) < 6)
        await table.execute(ANA, Play(id=here.name(), action=str(taking)))
        wanted = table.state.record.game.rolling()
        right = [2 if d in wanted else 0 for d in range(6)]
        for wrong in (FACES, (0,) * 6, [2 - face for face in right]):
            command = EnterFaces(id="x", faces=tuple(wrong))  # type: ignore[arg-type]
            assert await refused(table, ANA, command) == "wrong_faces"
        bad = EnterFaces(id="x", faces=tuple(right), order=(0, 0, 1, 2, 3, 4))  # type: ignore[arg-type]
        assert await refused(table, ANA, bad) == "wrong_faces"
        good = EnterFaces(id="x", faces=tuple(right))  # type: ignore[arg-type]
        await table.execute(ANA, good)

    scene(tell)


def test_faces_are_taken_back_until_somebody_acts(scene: Run) -> None:
    async def tell(here: Scene) -> None:
        table = await rolled(here)
        assert table.state.undoable() == [0]
        assert await refused_undo(table, BEN) == "nothing_to_undo"
        await table.execute(ANA, Undo(id=here.name()))
        assert table.state.to_throw() == 0
        assert await refused_undo(table, ANA) == "nothing_to_undo"
        other = (1, 1, 1, 2, 2, 6)
        await table.execute(ANA, EnterFaces(id=here.name(), faces=other))
        assert table.state.record
        action = str(table.state.record.game.legal(0)[0])
        await table.execute(ANA, Play(id=here.name(), action=action))
        # Her own action first, then the faces below it.
        await table.execute(ANA, Undo(id=here.name()))
        await table.execute(ANA, Undo(id=here.name()))
        assert table.state.to_throw() == 0
        kinds = [type(table.log.input(seq)).__name__ for seq in range(4, table.log.seq + 1)]
        assert kinds == ["Threw", "UndidThrow", "Threw", "Played", "Undid", "UndidThrow"]
        copy = await here.registry.store.log(table.id)
        table.log.replay(copy)
        assert table.state.to_throw() == 0

    async def refused_undo(table: Table, person: Person) -> str:
        before = table.log.seq
        with pytest.raises(FoxtrayError) as caught:
            await table.execute(person, Undo(id="u"))
        assert table.log.seq == before
        return caught.value.code

    scene(tell)


def test_faces_stay_once_another_player_acted(scene: Run) -> None:
    """After the last roll of a turn a passive player acts, and the faces are fixed."""

    async def tell(here: Scene) -> None:
        table = await here.playing(2, real_dice=True)
        rng = random.Random(5)
        state = table.state
        while not (state.record and state.record.game.serving):
            await table.execute(*move(here, table, rng))
            state = table.state
        person, played = move(here, table, rng)
        assert isinstance(played, Play)
        await table.execute(person, played)
        assert not any(table.state.may_undo_faces(seat) for seat in (0, 1))

    scene(tell)


def move(here: Scene, table: Table, rng: random.Random) -> tuple[Person, messages.TableCommand]:
    person, command = here.next_move(table, rng)
    if isinstance(command, Roll):
        assert table.state.record
        wanted = table.state.record.game.rolling()
        faces = tuple(rng.randint(1, 6) if d in wanted else 0 for d in range(6))
        order = tuple(rng.sample(range(6), 6))
        return person, EnterFaces(id=command.id, faces=faces, order=order)  # type: ignore[arg-type]
    return person, command


def test_undoing_faces_ends_some_time(scene: Run) -> None:
    async def tell(here: Scene) -> None:
        table = await here.playing(1, real_dice=True)
        for _ in range(UNDOS):
            await table.execute(ANA, EnterFaces(id=here.name(), faces=FACES))
            await table.execute(ANA, Undo(id=here.name()))
        await table.execute(ANA, EnterFaces(id=here.name(), faces=FACES))
        assert await refused(table, ANA, Undo(id="x")) == "too_many_undos"

    scene(tell)


def test_equal_dice_in_solo_serving_need_an_order(scene: Run) -> None:
    async def tell(here: Scene) -> None:
        table = await here.playing(1, real_dice=True)
        rng = random.Random(2)
        while not (table.state.record and serves(table)):
            await table.execute(*move(here, table, rng))
        tie = (1, 4, 4, 6, 4, 2)
        assert await refused(table, ANA, EnterFaces(id="x", faces=tie)) == "tie_open"
        chosen = EnterFaces(id=here.name(), faces=tie, order=(4, 0, 1, 2, 3, 5))
        await table.execute(ANA, chosen)
        places = table.state.record.game.places
        assert [d for d, place in enumerate(places) if place == "tray"] == [0, 4, 5]
        await table.execute(ANA, Undo(id=here.name()))
        # Without a tie at the border nothing has to be chosen.
        await table.execute(ANA, EnterFaces(id=here.name(), faces=(1, 2, 3, 4, 4, 4)))

    def serves(table: Table) -> bool:
        assert table.state.record
        game = table.state.record.game
        address = game.address()
        return address is not None and address[1] == 0

    scene(tell)


def test_people_roll_for_bots(scene: Run) -> None:
    async def tell(here: Scene) -> None:
        table = await here.lobby(3, real_dice=True)
        await table.execute(ANA, Reseat(id=here.name(), seat=2, bot="greedy"))
        await table.execute(ANA, Start(id=here.name()))
        rng = random.Random(1)
        state = table.state
        while state.to_throw() != 2:
            assert state.record
            for seat in state.driven_now():
                action = str(state.record.game.legal(seat)[0])
                bot = Bot(seat, "greedy", state.epoch)
                await table.execute(bot, Play(id="greedy", action=action))
                break
            else:
                await table.execute(*move(here, table, rng))
            state = table.state
        assert state.driven_now() == []
        assert state.waits_for("p0")
        assert state.waits_for("p1")
        assert not state.waits_for("p2")
        assert not table.bots._tasks
        await table.execute(BEN, EnterFaces(id=here.name(), faces=FACES))
        assert table.state.undoable() == [1]
        assert table.state.driven_now() == [2]

    scene(tell)


def test_a_game_that_everybody_gave_up_can_be_resumed(scene: Run) -> None:
    """No bot could roll the dice, and nothing is revealed that should stay secret."""

    async def tell(here: Scene) -> None:
        table = await here.playing(1, real_dice=True)
        await table.execute(ANA, Leave(id=here.name()))
        assert not table.state.given_up
        await table.execute(ANA, EnterFaces(id=here.name(), faces=FACES))
        assert table.state.seats[0].stand_in is None

    scene(tell)


def test_an_id_stands_for_one_roll(scene: Run) -> None:
    async def tell(here: Scene) -> None:
        table = await here.playing(1, real_dice=True)
        first = await table.execute(ANA, EnterFaces(id="same", faces=FACES))
        assert await table.execute(ANA, EnterFaces(id="same", faces=FACES)) == first
        for other in (EnterFaces(id="same", faces=(1,) * 6), Roll(id="same"), Undo(id="same")):
            assert await refused(table, ANA, other) == "id_used"

    scene(tell)


def test_real_dice_have_no_seed(server: Server) -> None:
    _, token = server.player()
    wish = {"game": "clever", "seats": [{"kind": "me"}], "real_dice": True, "seed": 7}
    assert server.http("POST", "/api/tables", wish, token)[1]["code"] == "seed_not_solo"


# --- guests -------------------------------------------------------------------------------------


async def with_guest(here: Scene, **wish: object) -> Table:
    """Ana with a guest on her phone, and Ben."""
    table = await here.lobby(3, **wish)
    await table.execute(ANA, Reseat(id=here.name(), seat=1, bot=None, guest="Mia"))
    await here.sit(table, 2, 2) if table.state.seats[2].player is None else None
    return table


def test_a_guest_plays_on_the_device_of_the_host(scene: Run) -> None:
    async def tell(here: Scene) -> None:
        table = await with_guest(here)
        assert table.state.info({"p0": "Ana"}).seats[1] == messages.SeatInfo(
            "human", "Mia", None, True, guest=True
        )
        assert table.state.seats_of("p0") == [1, 0]
        assert await refused(table, BEN, Start(id="x")) == "not_host"
        await table.execute(ANA, Start(id=here.name()))
        rng = random.Random(4)
        state = table.state
        while 1 not in state.wanted():
            await table.execute(*here.next_move(table, rng))
            state = table.state
        if state.to_throw() == 1:
            assert await refused(table, ANA, Roll(id="x")) == "not_active"
            assert await refused(table, BEN, Roll(id="x", seat=1)) == "not_your_seat"
            await table.execute(ANA, Roll(id=here.name(), seat=1))
        assert table.state.record
        assert table.state.record.game.awaiting() == (1,) or 1 in table.state.record.game.awaiting()
        told = table.views.preview("p0", Preview(id="x", seat=1))
        assert told.seq == table.log.seq
        legal = str(table.state.record.game.legal(1)[0])
        await table.execute(ANA, Play(id=here.name(), action=legal, seat=1))

    scene(tell)


def test_guests_need_a_host_with_a_seat(scene: Run) -> None:
    async def tell(here: Scene) -> None:
        table = await here.lobby(3)
        assert await refused(table, BEN, Reseat(id="x", seat=2, bot=None, guest="M")) == "not_host"
        own = Reseat(id="x", seat=0, bot=None, guest="Mia")
        assert await refused(table, ANA, own) == "seated_already"
        both = Reseat(id="x", seat=2, bot="greedy", guest="Mia")
        assert await refused(table, ANA, both) == "malformed"

    scene(tell)


def test_guests_leave_with_their_host(scene: Run) -> None:
    async def tell(here: Scene) -> None:
        table = await with_guest(here)
        await table.execute(ANA, Leave(id=here.name()))
        assert [seat.player for seat in table.state.seats] == [None, None, "p2"]
        assert table.state.host == "p2"
        table = await with_guest(here)
        await table.execute(ANA, Start(id=here.name()))
        ack = await table.execute(ANA, Leave(id="gone"))
        assert [seat.given_up for seat in table.state.seats] == [True, True, False]
        assert await table.execute(ANA, Leave(id="gone")) == ack
        await table.execute(ANA, Resume(id=here.name()))
        assert not any(seat.stand_in for seat in table.state.seats)

    scene(tell)


def test_guests_come_and_go_with_the_device(scene: Run) -> None:
    async def tell(here: Scene) -> None:
        table = await with_guest(here)
        await table.execute(ANA, Start(id=here.name()))
        phone = Listener("p0")
        table.join(phone)
        assert table.presence.present(table.state.seats) == [True, True, False]
        table.depart(phone)
        await asyncio.sleep(0.05)
        assert table.presence.is_absent(1)
        await table.execute(Person("p2"), messages.Takeover(id=here.name(), seat=1))
        assert table.state.seats[1].stand_in
        table.join(phone)
        await table.enter(phone)
        assert table.state.seats[1].stand_in is None

    scene(tell, absence=0.01)


def test_a_name_that_nobody_may_have_is_none_for_a_guest(server: Server) -> None:
    _, token = server.player()
    made = server.table(token, seats="mo")
    path = f"/api/tables/{made['id']}/commands"
    for name, code in (("admin", "name_refused"), (" ", "name_empty"), ("x" * 60, "name_too_long")):
        command = {"type": "reseat", "id": "g", "seat": 1, "bot": None, "guest": name}
        assert server.http("POST", path, command, token)[1]["code"] == code


# --- whole games --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("game", "seats", "guests"), [("clever", "m", 0), ("twice", "mob", 0), ("clever", "moo", 1)]
)
def test_whole_games_with_real_dice(
    server: Server, tmp_path: Path, game: str, seats: str, guests: int
) -> None:
    """Over bad connections; the record can be replayed, and the game stands apart."""

    async def main() -> tuple[Json, list[Client]]:
        rng = random.Random(f"{game}{seats}")
        _, token = server.player("Ana")
        made = server.table(token, game, seats, pause=False, real_dice=True)
        host = Client(server.port, made["id"], token, "", random.Random(1), 0.2)
        clients = [host]
        for number in range(seats.count("o") - guests):
            other = server.player(f"Friend {number}")[1]
            key = key_of(made["you"]["invite"])
            clients.append(Client(server.port, made["id"], other, key, rng, 0.2))
        for client in clients:
            await client.__aenter__()
        await host.command("sit", seat=0)
        host.you["seat"] = 0
        for number, client in enumerate(clients[1:], 1):
            await client.command("sit", seat=number)
            client.you["seat"] = number
        for seat in range(len(seats) - guests, len(seats)):
            await host.command("reseat", seat=seat, bot=None, guest="Mia")
            host.you["guests"] = [seat]
        await host.command("start")
        try:
            async with asyncio.timeout(180):
                await asyncio.gather(*(c.play(drops=0.02, undos=0.1) for c in clients))
                await asyncio.gather(*(client.repeat() for client in clients))
        finally:
            for client in clients:
                await client.__aexit__()
        assert check(server.db, clients) == sum(len(client.acked) for client in clients)
        return made, clients

    made, clients = asyncio.run(main())
    token = clients[0].token
    text = server.http("GET", f"/api/tables/{made['id']}/record", token=token)[1]
    assert "\ndice own\n" in text
    kept, verified = record.read(text)
    assert not verified
    assert kept.game.over
    path = tmp_path / "game.fox"
    path.write_text(text)
    subprocess.run([sys.executable, "-m", "foxtray", "replay", str(path)], check=True)
    assert server.http("GET", f"/api/tables/{made['id']}/secret", token=token)[0] == 404
    (line,) = server.http("GET", "/api/me/games", token=token)[1]["games"]
    assert line["apart"]
    assert ("Mia" in line["names"]) == bool(guests)
    statistics = server.http("GET", "/api/me/statistics", token=token)[1]
    assert statistics["games"] == {}
    assert statistics["opponents"] == []
    assert statistics["apart"][game]["games"] == 1
    assert server.http("GET", "/api/me", token=token)[1]["best"] == {}
    steps = server.http("GET", f"/api/tables/{made['id']}/steps", token=token)[1]
    assert steps["count"] == len(kept.inputs) + 1


def test_guests_are_forgotten_with_their_host(server: Server) -> None:
    _, ana = server.player("Ana")
    _, ben = server.player("Ben")
    made = server.table(ana, seats="moo")
    path = f"/api/tables/{made['id']}/commands"
    guest = {"type": "reseat", "id": "g", "seat": 2, "bot": None, "guest": "Guestname"}
    assert server.http("POST", path, guest, ana)[0] == 200
    sit = {"type": "sit", "id": "s", "seat": 1, "entropy": "00" * 16}
    key = {"Foxtray-Key": key_of(made["you"]["invite"])}
    assert server.http("POST", path, sit, ben, key)[0] == 200
    start = [{**sit, "seat": 0, "id": "t"}, {"type": "start", "id": "u"}]
    assert [server.http("POST", path, command, ana)[0] for command in start] == [200, 200]
    table = f"/api/tables/{made['id']}"
    assert "Guestname" in json.dumps(server.http("GET", table, token=ben)[1])
    assert server.http("DELETE", "/api/me", token=ana)[0] == 200
    status, snapshot = server.http("GET", table, token=ben)
    assert status == 200
    assert "Guestname" not in json.dumps(snapshot)


# --- phrases ------------------------------------------------------------------------------------


def test_a_phrase_is_told_once_to_everybody(scene: Run) -> None:
    async def tell(here: Scene) -> None:
        table = await here.lobby(2)
        listeners = [Listener("p0"), Listener("p1"), Listener("p2")]
        for listener in listeners:
            table.join(listener)
        before = table.log.seq
        for _ in range(2):
            assert table.say("p1", Say(id="s", phrase="hello")).seq == before
        told = [[m for m in listener.heard if m["type"] == "said"] for listener in listeners]
        assert [len(messages) for messages in told] == [1, 1, 1]
        assert told[0][0]["seat"] == 1
        assert told[0][0]["phrase"] == "hello"
        with pytest.raises(Refusal, match="no seat"):
            table.say("p2", Say(id="t", phrase="hello"))
        assert table.log.seq == before

    scene(tell)


def test_phrases_are_limited_and_ready_made(tmp_path: Path) -> None:
    with Server(tmp_path / "store.db", "--workers", "1") as server:
        _, token = server.player()
        made = server.table(token, seats="mo")
        path = f"/api/tables/{made['id']}/commands"
        said = [
            server.http("POST", path, {"type": "say", "id": f"s{n}", "phrase": "wow"}, token)
            for n in range(9)
        ]
        assert [status for status, _ in said[:6]] == [200] * 6
        assert said[8][1]["code"] == "too_many"
        free = {"type": "say", "id": "f", "phrase": "you are a fool"}
        assert server.http("POST", path, free, token)[1]["code"] == "malformed"
