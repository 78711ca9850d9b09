"""The dice of the day, as honest players meet them and as hostile ones attack them."""

import asyncio
import base64
import json
import random
import sqlite3
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest
from test_verifier import judged, written
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed

from foxtray.server.daily.calendar import GRACE, Calendar, later, week, zone_of
from foxtray.server.daily.ranking import bins, places, shown, streak
from foxtray.server.settings import BadSetting, Settings
from foxtray.server.store import DailyResult
from foxtray.server.store.sqlite import backup
from server.harness import Json, Server, key_of
from server.test_admin import told
from server.test_tables import ENTROPY, post, snapshot

HOUR = 3_600_000
DAY = 24 * HOUR
DATED = (sys.executable, str(Path(__file__).with_name("dated.py")))


class Dated(Server):
    """A server in a process of its own whose clock can be moved."""

    def __init__(self, db: Path, **environment: str) -> None:
        self.ahead = db.with_suffix(".ahead")
        noon = time.time_ns() // 1_000_000 // DAY * DAY + DAY // 2
        self.shift = noon - time.time_ns() // 1_000_000
        self.move(0)
        around = {"TEST_AHEAD": str(self.ahead), **environment}
        super().__init__(db, command=DATED, environment=around)

    def move(self, by: int) -> None:
        self.shift += by
        self.ahead.write_text(str(self.shift))

    def to(self, hour: float, days: int = 0) -> None:
        """Move the clock to an hour (UTC) of today, or of a later or earlier day."""
        now = time.time_ns() // 1_000_000 + self.shift
        self.move(now // DAY * DAY + days * DAY + round(hour * HOUR) - now)

    def today(self, token: str = "") -> Json:
        status, today = self.http("GET", "/api/daily", token=token)
        assert status == 200, today
        return dict(today)

    def of(self, game: str, token: str) -> Json:
        (found,) = [line for line in self.today(token)["games"] if line["game"] == game]
        return dict(found)

    def begin(self, token: str, game: str = "clever", **more: Any) -> tuple[int, Json]:
        return self.http("POST", f"/api/daily/{game}", token=token, **more)

    def started(self, token: str, game: str = "clever") -> str:
        """The table of an attempt whose game has begun."""
        status, made = self.begin(token, game)
        assert status == 200, made
        assert post(self, made["id"], token, "sit", seat=0, entropy=ENTROPY)["type"] == "ack"
        assert post(self, made["id"], token, "start")["type"] == "ack"
        return str(made["id"])

    def ranking(self, token: str, game: str = "clever", query: str = "") -> Json:
        status, found = self.http("GET", f"/api/daily/{game}/ranking{query}", token=token)
        assert status == 200, found
        return dict(found)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Dated]:
    """One for all tests: its days only go on."""
    with Dated(tmp_path_factory.mktemp("daily") / "store.db") as running:
        yield running
    assert '"level": "error"' not in running.log.read_text()


def known(server: Dated, *names: str) -> list[str]:
    """Players who were here before today."""
    tokens = [server.player(name)[1] for name in names]
    server.to(12, days=1)
    return tokens


def throws(server: Server, table: str, token: str) -> list[Json]:
    """What was thrown so far."""
    view = snapshot(server, table, token)
    return [
        {"at": (event["roll"], event["reroll"]), "faces": event["faces"]}
        for entry in view["entries"]
        for event in entry.get("events", [])
        if event["event"] == "thrown"
    ]


def play(server: Server, table: str, token: str, rng: random.Random, steps: int = 1000) -> Json:
    """Play on at random."""
    view = snapshot(server, table, token)
    for _ in range(steps):
        if view["table"]["status"] == "over":
            break
        if view["game"]["rolling"]:
            post(server, table, token, "roll")
        else:
            legal = view["game"]["seats"][0]["legal"]
            post(server, table, token, "play", action=rng.choice(legal)["action"])
        view = snapshot(server, table, token)
    return view


def total(view: Json) -> int:
    assert view["table"]["status"] == "over"
    return int(view["game"]["seats"][0]["score"]["total"])


def secret_of(server: Server, day: str, game: str, folder: Path) -> bytes:
    copy = folder / f"{random.random()}.db"
    backup(server.db, copy)
    with sqlite3.connect(copy) as file:
        query = "SELECT secret FROM daily_dice WHERE day=? AND game=?"
        return bytes(file.execute(query, (day, game)).fetchone()[0])


def test_everybody_meets_the_same_dice_once_and_is_ranked(server: Dated, tmp_path: Path) -> None:
    ana, bo, cy = known(server, "Ana", "Bo", "Cy")
    day = server.today(ana)
    promised = {line["game"]: line["next_commitment"] for line in day["games"]}
    server.to(12, days=1)
    today = server.today(ana)["day"]
    assert today == later(day["day"], 1)
    assert {line["game"]: line["commitment"] for line in server.today()["games"]} == promised
    tables, scores = {}, {}
    for name, token in (("Ana", ana), ("Bo", bo)):
        before = server.ranking(token)
        assert (before["hidden"], before["places"], before["bins"]) == (True, [], [])
        table = tables[name] = server.started(token)
        assert server.begin(token)[1]["id"] == table, "there is one attempt"
        view = snapshot(server, table, token)
        assert view["table"]["dice"]["commitment"] == promised["clever"]
        assert view["table"]["daily"]["day"] == today
        scores[name] = total(play(server, table, token, random.Random(name)))
    one, two = (throws(server, tables[n], t) for n, t in (("Ana", ana), ("Bo", bo)))
    assert one[0] == two[0], "the first throw is of all dice"
    assert server.of("clever", ana)["state"] == "finished"
    assert server.of("twice", ana)["state"] == "open"
    ranking = server.ranking(ana)
    best = sorted(scores.values(), reverse=True)
    assert [line["points"] for line in ranking["places"]] == best
    assert {line["name"]: line["points"] for line in ranking["places"]} == scores
    assert [line["name"] for line in ranking["places"] if line["mine"]] == ["Ana"]
    assert sum(line["count"] for line in ranking["bins"]) == 2
    assert sum(line["count"] for line in ranking["bins"] if line["mine"]) >= 1
    assert server.of("clever", ana)["place"] == 1 + (scores["Bo"] > scores["Ana"])
    assert server.ranking(ana, query="?span=week")["players"] == 2
    assert server.ranking(ana, query="?among=friends")["players"] == 1, "they never met"
    assert server.ranking(cy)["hidden"]
    assert server.ranking(cy, query="?span=week")["players"] == 0
    # The record proves the dice, with the promise of the day before, once the day is closed.
    path = f"/api/tables/{tables['Ana']}"
    assert server.http("GET", f"{path}/record", token=ana)[1]["code"] == "daily_open"
    assert server.http("GET", f"{path}/steps", token=ana)[0] == 200
    assert server.http("POST", f"{path}/review", token=ana)[1]["code"] == "daily_open"
    assert server.ranking(ana)["secret"] is None
    server.to(0.5, days=1)
    assert server.http("GET", f"{path}/record", token=ana)[1]["code"] == "daily_open"
    server.to(2.1)
    server.today()
    status, text = server.http("GET", f"{path}/record", token=ana)
    assert status == 200
    fair, said = judged(written(tmp_path, text), promised["clever"])
    assert fair, said
    closed = server.ranking(cy, query=f"?day={today}")
    assert (closed["closed"], closed["hidden"], closed["players"]) == (True, False, 2)
    assert bytes.fromhex(closed["secret"]) == secret_of(server, today, "clever", tmp_path)
    assert server.http("GET", "/api/me/games", token=ana)[1]["games"][0]["daily"] == today


def test_a_new_account_waits_for_the_next_day(server: Dated) -> None:
    _, token = server.player("New")
    assert server.of("clever", token)["state"] == "tomorrow"
    assert server.begin(token)[1]["code"] == "daily_tomorrow"
    server.to(23.99)
    assert server.begin(token)[1]["code"] == "daily_tomorrow"
    server.to(0.01, days=1)
    assert server.of("clever", token)["state"] == "open"
    assert server.begin(token)[0] == 200


def test_deleting_the_account_or_giving_up_brings_no_second_attempt(server: Dated) -> None:
    ana, bo = known(server, "Ana", "Bo")
    table = server.started(ana)
    play(server, table, ana, random.Random(1), 6)
    assert post(server, table, ana, "hint")["code"] == "no_hints"
    assert post(server, table, ana, "leave")["type"] == "ack"
    assert server.of("clever", ana)["state"] == "given_up"
    assert server.begin(ana)[1]["id"] == table
    for kind in ("resume", "roll", "undo"):
        assert post(server, table, ana, kind)["code"] == "given_up"
    # No bot plays on, and nothing is told.
    seen = throws(server, table, ana)
    time.sleep(0.3)
    view = snapshot(server, table, ana)
    assert view["table"]["given_up"]
    assert view["table"]["dice"]["secret"] is None
    assert throws(server, table, ana) == seen
    for what in ("record", "secret"):
        assert (
            server.http("GET", f"/api/tables/{table}/{what}", token=ana)[1]["code"] == "daily_open"
        )
    history = server.http("GET", "/api/me/games", token=ana)[1]
    assert [line["table"] for line in history["given_up"]] == [table]
    assert history["given_up"][0]["daily"] == server.today()["day"]
    # Deleted and back again: the account is new, and new ones wait.
    table = server.started(bo)
    play(server, table, bo, random.Random(1), 6)
    assert server.http("DELETE", "/api/me", token=bo)[0] == 200
    assert server.http("GET", f"/api/tables/{table}/secret")[0] == 404
    assert server.begin(server.player("Bo")[1])[1]["code"] == "daily_tomorrow"
    assert server.ranking(ana)["places"] == []


def test_nobody_else_can_look_sit_down_or_borrow_the_dice(server: Dated) -> None:
    ana, spy = known(server, "Ana", "Spy")
    status, made = server.begin(ana)
    assert status == 200
    table, invite, watch = made["id"], key_of(made["you"]["invite"]), made["you"]["key"]
    assert post(server, table, ana, "leave")["code"] == "daily_seat"
    assert post(server, table, ana, "reseat", seat=0, bot="greedy")["code"] == "daily_seat"
    started = server.started(ana)
    assert started == table
    play(server, table, ana, random.Random(1))

    def refused(token: str, key: str) -> None:
        for path in ("", "/updates?wait=0", "/steps", "/course", "/summary", "/match", "/qr.svg"):
            status, answer = server.http(
                "GET", f"/api/tables/{table}{path}", token=token, headers={"Foxtray-Key": key}
            )
            assert (status, answer["code"]) == (409, "daily_open"), path
        assert post(server, table, token or spy, "sit", key, seat=0, entropy=ENTROPY)["code"] == (
            "daily_open"
        )
        again = {"table": table, "key": key}
        wish = {"game": "clever", "seats": [{"kind": "me"}], "same_dice": again}
        assert server.http("POST", "/api/tables", wish, spy)[1]["code"] == "daily_open"

    for key in (invite, watch):
        for token in (spy, ""):
            refused(token, key)
    assert server.http("GET", f"/api/tables/{table}", token=spy)[1]["code"] == "no_table"
    assert closed_with(server, table, spy, watch) == (4004, "daily_open")
    # Not even the player can have others play the dice before the day is closed.
    wish = {
        "game": "clever",
        "seats": [{"kind": "me"}],
        "same_dice": {"table": table, "key": watch},
    }
    assert server.http("POST", "/api/tables", wish, ana)[1]["code"] == "daily_open"
    server.to(2.1, days=1)
    server.today()
    headers = {"Foxtray-Key": watch}
    assert server.http("GET", f"/api/tables/{table}", token=spy, headers=headers)[0] == 200
    assert server.http("POST", "/api/tables", wish, spy)[0] == 200


def closed_with(server: Server, table: str, token: str, key: str) -> tuple[int | None, str | None]:
    """How a socket of somebody who may not look ends."""

    async def main() -> tuple[int | None, str | None]:
        url = f"ws://127.0.0.1:{server.port}/api/tables/{table}/live"
        async with connect(url, additional_headers={"Authorization": f"Bearer {token}"}) as socket:
            await socket.send(json.dumps({"type": "hello", "key": key}))
            with suppress(ConnectionClosed):
                async for text in socket:
                    assert json.loads(text)["type"] in ("greeting", "refused")
            return socket.close_code, socket.close_reason

    return asyncio.run(main())


def test_a_second_account_in_the_same_browser_is_refused(tmp_path: Path) -> None:
    with Dated(tmp_path / "store.db") as server:
        ana, bo, cy = known(server, "Ana", "Bo", "Cy")

        def cookie(token: str, sent: str = "", game: str = "clever") -> tuple[int, bytes, str]:
            headers = {"Cookie": sent} if sent else {}
            path = f"/api/daily/{game}"
            status, body, answer = server.exchange("POST", path, None, token, headers)
            return status, body, str(answer.get("Set-Cookie", "")).partition(";")[0]

        status, _, browser = cookie(ana)
        assert status == 200
        assert browser.startswith("foxtray-daily=")
        status, body, _ = cookie(bo, browser)
        assert (status, b"daily_seen" in body) == (409, True)
        assert cookie(ana, browser)[0] == 200, "their own attempt goes on"
        assert cookie(bo, browser, "twice")[0] == 200, "nobody played that here"
        assert cookie(cy)[0] == 200, "another browser"
        copy = tmp_path / "copy.db"
        backup(server.db, copy)
        with sqlite3.connect(copy) as file:
            assert browser.partition("=")[2].encode() not in copy.read_bytes()
            assert file.execute("SELECT count(*) FROM daily_seen").fetchone() == (3,)
        server.to(2.1, days=1)
        server.today()
        backup(server.db, tmp_path / "later.db")
        with sqlite3.connect(tmp_path / "later.db") as file:
            assert file.execute("SELECT count(*) FROM daily_seen").fetchone() == (0,)


@pytest.mark.parametrize(("once_per", "status"), [("player", 200), ("address", 409)])
def test_the_host_decides_what_can_play_once(tmp_path: Path, once_per: str, status: int) -> None:
    with Dated(tmp_path / "store.db", FOXTRAY_DAILY_ONCE_PER=once_per) as server:
        ana, bo = known(server, "Ana", "Bo")
        assert server.begin(ana)[0] == 200
        assert server.begin(bo)[0] == status
        assert server.begin(bo, source="127.0.0.2")[0] == 200


def last_throw(view: Json) -> tuple[int, list[int]]:
    """The number of the last throw in the log, and what the dice show."""
    seqs = [entry["seq"] for entry in view["entries"] if entry["what"] == "threw"]
    return max(seqs, default=0), view["game"]["faces"]


def test_undo_never_reaches_behind_a_roll(server: Dated) -> None:
    (ana,) = known(server, "Ana")
    table = server.started(ana)
    rng, undone = random.Random(3), 0
    while True:
        view = play(server, table, ana, rng, 1 + rng.randrange(3))
        if view["table"]["status"] == "over":
            break
        while post(server, table, ana, "undo")["type"] == "ack":
            undone += 1
        assert last_throw(snapshot(server, table, ana)) == last_throw(view)
        play(server, table, ana, rng, 3)
    assert undone


def test_a_game_over_midnight_counts_until_the_day_closes(server: Dated) -> None:
    ana, bo = known(server, "Ana", "Bo")
    server.to(23.9)
    day = server.today()["day"]
    early, late = server.started(ana), server.started(bo)
    play(server, early, ana, random.Random(1), 20)
    server.to(1.9, days=1)
    assert server.today()["day"] == later(day, 1)
    assert server.begin(bo)[1]["id"] != late, "a new day, a new attempt"
    score = total(play(server, early, ana, random.Random(1)))
    server.to(2.1)
    server.today()
    total(play(server, late, bo, random.Random(1)))
    ranking = server.ranking(ana, query=f"?day={day}")
    assert [(line["name"], line["points"]) for line in ranking["places"]] == [("Ana", score)]
    (mine,) = server.http("GET", "/api/me/games", token=bo)[1]["games"]
    assert mine["practice"], "the dice were known by then"
    (mine,) = server.http("GET", "/api/me/games", token=ana)[1]["games"]
    assert not mine["practice"]


def test_a_clock_that_goes_back_opens_no_day_again(tmp_path: Path) -> None:
    with Dated(tmp_path / "store.db") as server:
        go_back(server)


def go_back(server: Dated) -> None:
    ana, bo = known(server, "Ana", "Bo")
    total(play(server, server.started(ana), ana, random.Random(1)))
    day = server.today()["day"]
    server.to(12, days=2)  # the clock leaps
    assert server.ranking(bo, query=f"?day={day}")["secret"]
    for restarted in (False, True):
        server.to(12, days=0 if restarted else -2)
        if restarted:
            server.kill()
            server.start()
        assert server.today()["day"] == later(day, 2)
        made = server.begin(bo)[1]
        assert made["table"]["daily"]["day"] == later(day, 2)
    server.move(-40 * DAY)
    server.kill()
    server.start()
    assert server.today()["day"] == later(day, 2)
    # A leap of years is not followed at once.
    server.move(4000 * DAY)
    assert server.today()["day"] == later(day, 2)


def test_an_attempt_survives_a_crash_and_a_closed_table_is_no_new_one(server: Dated) -> None:
    (ana,) = known(server, "Ana")
    table = server.started(ana)
    play(server, table, ana, random.Random(1), 9)
    seen = throws(server, table, ana)
    server.kill()
    server.start()
    assert server.begin(ana)[1]["id"] == table
    assert throws(server, table, ana) == seen
    assert told(server.db, "close", table) == {"closed": table}
    assert server.begin(ana)[1]["code"] == "daily_gone"
    assert server.of("clever", ana)["state"] == "playing", "it counts as played"
    assert server.http("GET", f"/api/tables/{table}/secret", token=ana)[0] == 404
    server.to(2.1, days=1)
    assert server.http("GET", "/api/daily/clever/ranking", token=ana)[1]["places"] == []


def test_what_an_admin_exports_tells_no_dice_of_today(server: Dated) -> None:
    (ana,) = known(server, "Ana")
    table = server.started(ana)
    play(server, table, ana, random.Random(1), 9)
    player = server.http("GET", "/api/me", token=ana)[1]["player"]["id"]
    (before,) = told(server.db, "export", player)["tables"]
    assert (before["id"], before["log"], before["record"]) == (table, [], None)
    server.to(2.1, days=1)
    server.today()
    (after,) = told(server.db, "export", player)["tables"]
    assert after["log"]


def test_nothing_that_is_heard_contains_the_secret_or_other_dice(
    server: Dated, tmp_path: Path
) -> None:
    ana, bo = known(server, "Ana", "Bo")
    day = server.today()["day"]
    secrets = [
        secret_of(server, later(day, n), game, tmp_path)
        for n in range(3)
        for game in ("clever", "twice")
    ]
    spellings = [
        spelt
        for secret in secrets
        for spelt in (
            secret, secret.hex().encode(), base64.b64encode(secret)[:40],
            base64.urlsafe_b64encode(secret)[:40],
        )
    ]  # fmt: skip
    table = server.started(ana)
    heard = b""
    for _ in range(12):
        play(server, table, ana, random.Random(2), 12)
        for token in (ana, bo, ""):
            for path in (
                "/api/me", "/api/me/games", "/api/me/statistics", "/api/daily",
                "/api/daily/clever/ranking", "/api/daily/clever/ranking?span=week",
                f"/api/tables/{table}", f"/api/tables/{table}/record",
                f"/api/tables/{table}/secret", f"/api/tables/{table}/steps",
                f"/api/tables/{table}/course", f"/api/tables/{table}/summary",
            ):  # fmt: skip
                _, body, headers = server.exchange("GET", path, token=token)
                heard += body + str(headers).encode()
    for spelt in spellings:
        assert spelt not in heard


# --- the parts ------------------------------------------------------------------------------------


def result(who: str, points: int, day: str = "2026-11-17") -> DailyResult:
    return DailyResult(day, who, who.title(), points, 0)


def test_equal_points_share_a_place() -> None:
    lines = places([result("a", 200), result("b", 180), result("c", 180), result("d", 90)], "c")
    assert [(line.place, line.name) for line in lines] == [
        (1, "A"), (2, "B"), (2, "C"), (4, "D"),
    ]  # fmt: skip
    assert [line.name for line in lines if line.mine] == ["C"]


def test_the_best_five_days_of_a_week_count() -> None:
    days = [later("2026-11-16", n) for n in range(7)]
    every = [result("a", 100 + n, day) for n, day in enumerate(days)]
    lines = places([*every, result("b", 300, days[0])], None)
    assert [(line.name, line.points, line.days) for line in lines] == [
        ("A", 102 + 103 + 104 + 105 + 106, 7), ("B", 300, 1),
    ]  # fmt: skip


def test_a_long_ranking_is_cut_but_never_around_oneself() -> None:
    lines = shown(places([result(f"p{n:03}", 500 - n) for n in range(100)], "p060"))
    assert [line.place for line in lines] == [*range(1, 21), 59, 60, 61, 62, 63]


def test_a_distribution_has_no_gaps() -> None:
    assert [(b.low, b.count, b.mine) for b in bins([101, 119, 175], 175)] == [
        (100, 2, False), (120, 0, False), (140, 0, False), (160, 1, True),
    ]  # fmt: skip
    assert bins([], None) == []


@pytest.mark.parametrize(
    ("played", "count"),
    [
        ("x", 1),
        ("-x", 1),
        ("--x", 0),
        ("xxx", 3),
        ("-xxx", 3),
        ("x-x", 2),
        ("x--x", 1),
        ("xx-xx-xx", 4),
        ("xxxxxx-xxxxxx-x", 13),
        ("", 0),
    ],
)
def test_a_streak_forgives_a_day_in_seven(played: str, count: int) -> None:
    """Played on the days before 17 November, today first."""
    today = date(2026, 11, 17)
    days = {(today - timedelta(n)).isoformat() for n, mark in enumerate(played) if mark == "x"}
    assert streak(days, today.isoformat()) == count


@pytest.mark.parametrize(
    ("zone", "day", "hours"),
    [
        ("UTC", "2026-03-29", 24),
        ("Europe/Belgrade", "2026-03-29", 23),
        ("Europe/Belgrade", "2026-10-25", 25),
        ("America/New_York", "2026-03-08", 23),
    ],
)
def test_days_follow_the_zone_and_its_summer_time(zone: str, day: str, hours: int) -> None:
    calendar = Calendar(zone_of(zone))
    assert calendar.ends(day) - calendar.begins(day) == hours * HOUR
    assert calendar.day(calendar.begins(day)) == day
    assert calendar.day(calendar.ends(day) - 1) == day
    assert calendar.closes(day) == calendar.ends(day) + GRACE
    assert calendar.closed(calendar.closes(day) - 1) == later(day, -1)
    assert calendar.closed(calendar.closes(day)) == day


def test_a_week_begins_on_monday() -> None:
    assert week("2026-11-22") == week("2026-11-16") == ("2026-11-16", "2026-11-22")


@pytest.mark.parametrize(
    "wrong",
    [lambda: Settings(timezone="Mars/Base"), lambda: Settings(daily_once_per="x")],  # type: ignore[arg-type]
)
def test_a_wrong_setting_is_refused_in_a_sentence(wrong: Callable[[], Settings]) -> None:
    with pytest.raises(BadSetting, match="unknown"):
        wrong()
