"""Challenges: the same dice for several people, compared roll by roll, and what history tells."""

import random
from pathlib import Path

from foxtray.dice import SecretDice
from foxtray.games.registry import sheet_of
from foxtray.history import PlayInput, Setup
from foxtray.record import Record
from foxtray.server import statistics
from foxtray.server.store import ResultRow
from foxtray.server.tables.comparison import compare
from server.harness import Json, Server
from server.test_tables import ENTROPY, play_over_http, post, snapshot, solo


def accept(server: Server, name: str, challenge: Json, key: str, game: str = "clever") -> Json:
    """Somebody plays the same dice: their token and their table, which has begun."""
    _, token = server.player(name)
    again = {"table": challenge["id"], "key": key}
    made = server.table(token, game, "m", same_dice=again)
    post(server, made["id"], token, "sit", seat=0, entropy=ENTROPY)
    assert post(server, made["id"], token, "start")["type"] == "ack"
    return {"token": token, "id": made["id"]}


def last_choice(server: Server, table: str, token: str) -> None:
    """Play to the end, always by the last choice."""
    view = snapshot(server, table, token)
    while view["table"]["status"] != "over":
        if view["game"]["rolling"]:
            post(server, table, token, "roll")
        else:
            legal = view["game"]["seats"][0]["legal"]
            post(server, table, token, "play", action=legal[-1]["action"])
        view = snapshot(server, table, token)


def get(server: Server, path: str, token: str, key: str = "") -> tuple[int, Json]:
    return server.http("GET", f"/api/tables/{path}", token=token, headers={"Foxtray-Key": key})


def test_a_challenge_is_a_match_of_everybody_who_takes_it_up(server: Server) -> None:
    first, ana = solo(server)
    key = first["you"]["key"]
    play_over_http(server, first["id"], ana)
    assert get(server, f"{first['id']}/match", ana)[1]["games"] == []
    bo = accept(server, "Bo", first, key)
    assert get(server, f"{bo['id']}/match/{first['id']}", bo["token"])[1]["code"] == "not_over"
    last_choice(server, bo["id"], bo["token"])
    # Cy plays Bo's dice, which are Ana's; Di gives up.
    cy = accept(server, "Cy", bo, snapshot(server, bo["id"], bo["token"])["you"]["key"])
    di = accept(server, "Di", first, key)
    assert post(server, di["id"], di["token"], "leave")["type"] == "ack"
    status, match = get(server, f"{cy['id']}/match", cy["token"])
    assert status == 200
    assert match["game"] == "clever"
    told = [(line["name"], line["state"], line["mine"]) for line in match["games"]]
    assert told == [
        ("Ana", "finished", False), ("Bo", "finished", False), ("Cy", "playing", True),
        ("Di", "given_up", False),
    ]  # fmt: skip
    # Who still plays these dice does not look at how others did.
    refused = get(server, f"{cy['id']}/match/{first['id']}", cy["token"])[1]
    assert refused["code"] == "not_over"
    play_over_http(server, cy["id"], cy["token"])
    status, same = get(server, f"{first['id']}/match/{cy['id']}", ana)
    assert (status, same["parted"]) == (200, None), "Cy did all that Ana did"
    assert all(roll["same"] for roll in same["rolls"])
    status, compared = get(server, f"{first['id']}/match/{bo['id']}", ana)
    assert status == 200
    assert [line["name"] for line in compared["games"]] == ["Ana", "Bo"]
    totals = [line["total"] for line in compared["games"]]
    assert [side["total"] for side in compared["rolls"][-1]["sides"]] == totals
    parted = compared["parted"]
    at = compared["rolls"][parted]
    assert at["sides"][0]["actions"] != at["sides"][1]["actions"]
    for roll in compared["rolls"][:parted]:
        assert roll["sides"][0] == roll["sides"][1]
    # Strangers see nothing, those with the link to one game see the match.
    assert get(server, f"{first['id']}/match", server.player()[1])[1]["code"] == "no_table"
    assert get(server, f"{first['id']}/match", "", key)[0] == 200
    assert get(server, f"{first['id']}/match/nothing", ana)[1]["code"] == "no_table"
    history = server.http("GET", "/api/me/games", token=bo["token"])[1]
    (line,) = history["games"]
    assert [game["name"] for game in line["match"]] == ["Ana", "Bo", "Cy", "Di"]
    given_up = server.http("GET", "/api/me/games", token=di["token"])[1]
    assert given_up["games"] == []
    assert [line["table"] for line in given_up["given_up"]] == [di["id"]]
    # People who met over the same dice know each other from then on.
    assert server.http("GET", "/api/me/games?before=1", token=di["token"])[1]["given_up"] == []


def record(seed: int, secret: int = 1, game: str = "clever") -> Record:
    setup = Setup(game, secret=bytes([secret]) * 32, entropies=(b"",))
    found, rng = Record(setup), random.Random(seed)
    while not found.game.over:
        if found.game.rolling():
            found.roll()
        else:
            found.play(0, rng.choice(found.game.legal(0)))
    return found


def test_every_action_and_every_roll_of_two_games_is_in_their_comparison() -> None:
    for game in ("clever", "twice"):
        for seed in range(4):
            games = record(2 * seed, game=game), record(2 * seed + 1, game=game)
            rolls, parted = compare(*games)
            assert parted is not None
            dice = SecretDice(bytes([1]) * 32, (b"",))
            for side, one in enumerate(games):
                actions = [str(e.action) for e in one.inputs if isinstance(e, PlayInput)]
                assert [a for roll in rolls for a in roll.sides[side].actions] == actions
                thrown = [roll for roll in rolls if roll.sides[side].dice]
                assert len(thrown) == len(one.inputs) - len(actions)
                assert rolls[-1].sides[side].total == one.game.scores()[0].total
            for roll in rolls:
                faces = dice.throw(roll.turn, roll.roll, roll.reroll).faces
                assert all(face in (0, faces[d]) for d, face in enumerate(roll.faces))
            assert [roll.same for roll in rolls] == [n < parted for n in range(len(rolls))]
            addresses = [(roll.turn, roll.roll, roll.reroll) for roll in rolls]
            assert addresses == sorted(set(addresses))


def test_equal_games_never_part() -> None:
    rolls, parted = compare(record(1), record(1))
    assert parted is None
    assert all(roll.same for roll in rolls)


def earlier(*areas: int, foxes: int = 0, value: int = 0) -> ResultRow:
    total = sum(areas) + foxes * value
    return ResultRow("t", 0, "p", None, "clever", 1, 1, total, areas, foxes, value, True, False)


def test_a_solo_game_is_compared_with_the_average_of_earlier_ones() -> None:
    over = record(5).game
    (card,) = over.scores()
    colours = [area.colour for area in sheet_of("clever").areas]
    assert statistics.summary(over, []).decided is None
    # All areas as before, but one: that one decided.
    before = list(card.areas)
    before[2] -= 7
    found = statistics.summary(over, [earlier(*before, foxes=card.foxes, value=card.fox_value)] * 2)
    assert found.decided
    assert (found.decided.how, found.decided.area, found.decided.points) == ("above", colours[2], 7)
    assert (found.games, found.best, found.mean) == (2, card.total - 7, card.total - 7)
    before[2] += 16
    found = statistics.summary(over, [earlier(*before, foxes=card.foxes, value=card.fox_value)])
    assert found.decided
    assert (found.decided.how, found.decided.points) == ("below", 9)


def test_what_decided_between_the_first_two_seats() -> None:
    found, rng = (
        Record(Setup("clever", 3, secret=b"x" * 32, entropies=(b"",) * 3)),
        random.Random(4),
    )
    while not found.game.over:
        if found.game.rolling():
            found.roll()
        else:
            seat = rng.choice(found.game.awaiting())
            found.play(seat, rng.choice(found.game.legal(seat)))
    outcome = found.game.outcome()
    assert outcome
    decided = statistics.decided(found.game, [])
    assert decided
    assert decided.how == "winner"
    assert (decided.seat,) == outcome.winners
    ranked = sorted(range(3), key=lambda seat: -outcome.totals[seat])
    assert decided.other == ranked[1]
    parts = [(*card.areas, card.foxes * card.fox_value) for card in found.game.scores()]
    gaps = [a - b for a, b in zip(parts[ranked[0]], parts[ranked[1]], strict=True)]
    assert decided.points == max(gaps)


def test_the_summary_and_the_rolls_of_a_game(server: Server) -> None:
    made, token = solo(server)
    play_over_http(server, made["id"], token)
    status, summary = get(server, f"{made['id']}/summary", token)
    nothing: Json = {"games": 0, "best": None, "mean": None, "decided": None, "excluded": []}
    assert (status, summary) == (200, nothing)
    course = get(server, f"{made['id']}/course", token)[1]
    text = server.http("GET", f"/api/tables/{made['id']}/record", token=token)[1]
    lines = [line.split()[1] for line in text.splitlines() if line.startswith("throw")]
    told = ["".join(str(face or "-") for face in roll["faces"]) for roll in course["rolls"]]
    assert told == lines
    # Long answers are short on the way to those who can read that.
    path = f"/api/tables/{made['id']}/steps?count=100"
    _, plain, _ = server.exchange("GET", path, token=token)
    _, packed, headers = server.exchange(
        "GET", path, token=token, headers={"Accept-Encoding": "gzip"}
    )
    assert headers["Content-Encoding"] == "gzip"
    assert len(packed) * 10 < len(plain)


def test_four_people_at_one_end_are_not_refused(tmp_path: Path) -> None:
    """A household reads the end of a game at once: the chart, the proof, how it compares."""
    options = ("--bot-pause", "0", "--workers", "1")
    with Server(tmp_path / "store.db", "--no-limits", *options) as server:
        made, token = solo(server)
        play_over_http(server, made["id"], token)  # faster than people, who are limited below
    with Server(tmp_path / "store.db", *options) as server:
        for _ in range(4):
            for what in ("", "/course", "/record", "/summary", "/match", "/steps?count=100"):
                assert get(server, made["id"] + what, token)[0] == 200, what
