"""The coach in the browser: a hint, the review of a game, playing on, exercises."""

from __future__ import annotations

import json
import random
import re
import sqlite3
from contextlib import closing

import pytest
from playwright.sync_api import expect
from server.conftest import compiled  # noqa: F401 (a fixture)
from server.harness import Server, until

from e2e.conftest import Invite
from e2e.driver import DESKTOP, PHONE, Json
from foxtray.server.wall_clock import DAY

LONG = 240_000.0
"""Milliseconds that a review may take on a busy machine, at its low priority."""
SMALL = (360, 640)


def step_of(address: str | None) -> int:
    """The input of the record that the address of a moment names."""
    found = re.search(r"&at=(\d+)", address or "")
    assert found
    return int(found[1])


def test_a_game_from_its_hint_to_its_exercises(
    guest: Invite,
    server: Server,
    compiled: None,  # noqa: F811
) -> None:
    ana = guest(SMALL)
    page = ana.page
    ana.begin("clever")
    expect(page.locator(".playing")).to_be_visible()
    ana.command(type="roll")
    expect(page.locator(".die.usable").first).to_be_visible()

    # A hint names a choice that is open to me.
    ana.menu("Hint")
    page.get_by_role("button", name="Ask for a hint").click()
    best = page.locator("[data-hint]")
    expect(best).to_be_visible(timeout=LONG)
    expect(best).to_be_focused()
    legal = [choice["action"] for choice in ana.snapshot()["game"]["seats"][0]["legal"]]
    assert best.get_attribute("data-hint") in legal
    ana.axe()
    page.keyboard.press("Escape")

    # At the end there is a sentence, and behind it the whole review.
    table = ana.table
    ana.rush()
    key = ana.snapshot()["you"]["key"]
    summary = page.locator("[data-review=done]")
    expect(summary).to_be_visible(timeout=LONG)
    expect(summary).to_contain_text("Expected with best play")
    expect(page.locator("[data-excluded=hints]")).to_contain_text("You asked for hints")
    expect(page.locator("main")).not_to_contain_text("Your best")
    expect(summary).to_contain_text(re.compile(r"Your dice were worth .+; decisions cost \d+"))
    # It opens in place, at the decision that was chosen, and closes again.
    page.get_by_role("list", name="Costliest decisions").get_by_role("link").nth(1).click()
    expect(page.get_by_role("heading", name="Costliest decisions")).to_be_visible()
    expect(page.locator("ol a").nth(1)).to_have_attribute("aria-current", "true")
    expect(page.locator("#decision")).to_be_focused()
    assert "/t/" in page.url
    # Before it: it may be the last one of the game.
    page.get_by_role("button", name="Earlier moment").click()
    expect(page.locator("#decision")).to_contain_text("Roll")
    ana.axe()
    page.get_by_role("button", name="Close the review").click()
    expect(page.locator("#decision")).to_have_count(0)
    page.get_by_role("button", name="Open the review").press("Enter")
    expect(page.locator("#decision")).to_be_visible()

    # The same on a page of its own, whose address names the moment.
    ana.open(f"/review/{table}#key={key}")
    costly = page.locator("ol a")
    expect(costly.first).to_be_visible()
    assert costly.count() > 0, "random play makes mistakes"
    told = ana.context.request.get(f"{server.url}/api/tables/{table}/review?key={key}").json()
    moments = told["players"][0]["moments"]
    last_roll = max(m["at"] for m in moments if m["kind"] == "roll")
    before = [a for a in costly.all() if step_of(a.get_attribute("href")) < last_roll]
    before[0].click()
    assert "at=" in page.url
    expect(page.locator("tr.best")).to_be_visible()
    expect(page.locator("tr.chosen")).to_be_visible()
    expect(page.locator(".sheet")).to_be_visible()
    # It was far below the list: now it is in sight, and has the focus.
    expect(page.locator("#decision")).to_be_focused()
    expect(page.locator("#decision")).to_be_in_viewport()
    ana.axe()
    # The focus shows on the decision that is looked at, too.
    current = page.locator("ol a[aria-current=true]")
    expect(current).to_have_css("outline-style", "none")
    page.keyboard.press("Tab")
    current.focus()
    expect(current).to_have_css("outline-style", "solid")
    wide = page.evaluate("document.documentElement.scrollWidth - innerWidth")
    assert wide <= 0, "nothing is wider than the phone"
    moment = page.url

    # Every moment can be looked at without a pointer, and the panel shows that moment: a roll, too.
    at = step_of(moment)
    roll = next(m for m in moments if m["kind"] == "roll" and m["at"] > at)
    page.get_by_role("button", name="Later moment").press("Enter")
    expect(page).to_have_url(re.compile(rf"&at={roll['at']}\b"))
    panel = page.locator("section[aria-labelledby=decision]")
    expect(panel.locator("h2")).to_have_text(f"Round {roll['round'] + 1}: Roll")
    expect(panel).to_contain_text(f"{roll['before']:.1f} before it, {roll['after']:.1f} after it")
    expect(panel.locator(".said")).to_contain_text("Roll")
    expect(panel.locator(".sheet")).to_be_visible()
    expect(panel.get_by_role("table")).to_have_count(0)
    replay = panel.get_by_role("link", name="Replay")
    expect(replay).to_have_attribute("href", re.compile(rf"step={roll['at'] + 1}\b"))
    expect(page.get_by_label("Link to this moment")).to_have_value(
        re.compile(rf"&at={roll['at']}#")
    )
    ana.axe()
    page.get_by_role("button", name="Try it with new dice").click()
    expect(page.locator(".playing")).to_be_visible()
    assert ana.snapshot()["table"]["copied"] == 2 + roll["at"], "a seat, the start, and all before"
    page.go_back()
    page.get_by_role("button", name="Earlier moment").press("Enter")
    expect(page).to_have_url(moment)
    # An address that names no moment leads to the last one before it.
    ana.open(f"/review/{table}?seat=1&at=9999#key={key}")
    last = f"Round {moments[-1]['round'] + 1}"
    expect(panel.locator("h2")).to_contain_text(last)
    expect(page.get_by_role("button", name="Later moment")).to_be_disabled()
    page.goto(moment)

    # The same moment for somebody else, by its link, without a seat.
    ben = guest(DESKTOP)
    ben.open(f"{moment.removeprefix(server.url).partition('#')[0]}#key={key}")
    expect(ben.page.locator("tr.best")).to_be_visible()
    ben.page.get_by_role("button", name="Try it with new dice").click()
    expect(ben.page.locator(".playing")).to_be_visible()

    # The replay tells the same figures.
    page.get_by_role("link", name="Watch replay").or_(
        page.get_by_role("link", name="Replay")
    ).click()
    expect(page.locator(".figures p").first).to_be_visible()

    # From there the game is played on, with the dice it had.
    page.goto(moment)
    page.get_by_role("button", name="Try it with the same dice").click()
    expect(page.locator(".playing")).to_be_visible()
    assert ana.table != table
    assert ana.snapshot()["table"]["copied"] > 0

    # Days later the mistakes are asked for again.
    with closing(sqlite3.connect(server.db)) as connection:
        connection.execute("UPDATE exercises SET due = due - ?", (3 * DAY,))
        connection.commit()
    ana.open("/history")
    expect(page.locator(f"a.line[href='/replay/{table}']")).to_contain_text("with hints")
    page.locator(f"a.review[href='/review/{table}']").click()
    # Its address has no key, but others need one.
    link = page.get_by_label("Link to this moment")
    expect(link).to_have_value(re.compile(rf"/review/{table}\?seat=1&at=\d+#key=.+"))
    ana.open("/history")
    coach = page.get_by_role("region", name="Coach")
    expect(coach).to_contain_text("Games with hints, with real dice, on one device or offline")
    page.get_by_role("link", name="Practice").click()
    exercise = page.locator("[data-exercise]").first
    expect(exercise).to_be_visible()
    expect(exercise.locator(".tracks")).to_be_visible()
    colours = exercise.locator(".die svg > :first-child").evaluate_all(
        "(all) => all.map((one) => getComputedStyle(one).fill)"
    )
    assert len(set(colours)) == len(colours) == 6, "every die has its colour"
    asked = ana.page.evaluate("fetch('/api/me/exercises').then((answer) => answer.json())")
    first = asked["exercises"][0]
    place = next(c for c in first["view"]["seats"][0]["legal"] if c["cell"])
    if place["die"]:
        exercise.locator(f'[data-die="{place["die"]}"]').click()
    exercise.locator(f'[data-action="{place["action"]}"]').first.click()
    exercise.get_by_role("button", name="Answer").click()
    expect(exercise.locator(".verdict")).to_be_focused()
    expect(exercise.locator("tr.best")).to_be_visible()
    ana.axe()


def test_a_review_shows_the_step_that_cost_most(
    guest: Invite,
    server: Server,
    compiled: None,  # noqa: F811
) -> None:
    ana = guest(SMALL, seed=4)
    page = ana.page
    ana.begin("twice")
    expect(page.locator(".playing")).to_be_visible()
    ana.rush()
    table, key = ana.table, ana.snapshot()["you"]["key"]

    # Somebody who comes to a review that is being made sees it as soon as it is there.
    ana.open(f"/review/{table}#key={key}")
    expect(page.get_by_role("heading", name="Costliest decisions")).to_be_visible(timeout=LONG)
    told = ana.context.request.get(f"{server.url}/api/tables/{table}/review?key={key}").json()
    decisions = [m for m in told["players"][0]["moments"] if m["kind"] == "decision"]

    def crux(decision: Json) -> Json:
        return max((s for s in decision["steps"] if s["alternatives"]), key=lambda s: s["price"])

    # Random play almost always makes a mistake with what follows from a mark, too.
    costly = [d for d in decisions if d["price"] > max(0.5, 2 * d["error"])]
    one = max(costly, key=lambda d: (crux(d)["at"] - d["at"], d["price"]))
    step = crux(one)
    page.get_by_role("button", name="Show all").click()
    page.locator(f"ol a[href*='at={step['at']}#']").first.click()
    points = page.locator("tr.best td").first
    expect(points).to_contain_text(f"{step['alternatives'][0]['points']:.1f}")
    forks = [s for s in one["steps"] if s["alternatives"]]
    if len(forks) > 1:
        steps = page.get_by_role("list", name="Steps of this decision")
        expect(steps.get_by_role("link")).to_have_count(len(forks))
        expect(steps.locator("[aria-current=step] .cost")).to_have_text(f"−{step['price']:.1f}")

    # Beside each step of the replay is what this step alone cost.
    ana.open(f"/replay/{table}?step={one['at'] + 1}#key={key}")
    expect(page.locator(".figures p")).to_contain_text(
        "Decisions 0.0" if one["steps"][0]["price"] < 0.05 else f"−{one['steps'][0]['price']:.1f}"
    )

    # One game has no margin of error.
    ana.open("/history")
    coach = page.get_by_role("region", name="Coach")
    expect(coach).to_contain_text("plain mean")
    expect(coach).to_contain_text("Foxes")
    expect(coach).not_to_contain_text("±")


def test_a_review_shows_what_another_player_chose(
    guest: Invite,
    server: Server,
    compiled: None,  # noqa: F811
) -> None:
    ana = guest(SMALL, seed=2)
    page = ana.page
    ana.begin("clever", "bots")
    ana.play()
    table, key = ana.table, ana.snapshot()["you"]["key"]
    expect(page.locator("[data-review=done]")).to_be_visible(timeout=LONG)
    told = ana.context.request.get(f"{server.url}/api/tables/{table}/review?key={key}").json()
    mine = told["players"][0]
    choice = next(m for m in mine["moments"] if m["kind"] == "influence")
    ana.open(f"/review/{table}?seat=1&at={choice['at']}#key={key}")
    panel = page.locator("section[aria-labelledby=decision]")
    expect(panel.locator("h2")).to_contain_text("Choice by Greedy")
    expect(panel).to_contain_text(f"{choice['after']:.1f} are expected after it")
    expect(panel.locator(".said")).to_contain_text("Greedy")
    expect(panel.locator(".sheet")).to_be_visible()
    ana.axe()
    page.get_by_role("button", name="Try it with the same dice").click()
    expect(page.locator(".playing")).to_be_visible()
    assert ana.snapshot()["table"]["copied"] == 2 + choice["at"]


@pytest.fixture(scope="module")
def reviewed(server: Server, compiled: None) -> tuple[str, str]:  # noqa: F811
    """A reviewed solo game of somebody else: its table, and the key that opens it."""
    chance = random.Random(5)
    token = server.player("Eva")[1]
    made = server.table(token)
    table, path = made["id"], f"/api/tables/{made['id']}"

    def command(**command: object) -> None:
        named = {**command, "id": f"{chance.getrandbits(60):x}"}
        assert server.http("POST", f"{path}/commands", named, token)[0] == 200

    command(type="sit", seat=0, entropy="00" * 16)
    command(type="start")
    while not (game := server.http("GET", path, token=token)[1]["game"])["over"]:
        legal = [place["action"] for place in game["seats"][0]["legal"]]
        if game["rolling"]:
            command(type="roll")
        else:
            command(type="play", action=chance.choice(legal))
    until(lambda: server.http("POST", f"{path}/review", token=token)[1]["state"] == "done")
    return table, server.http("GET", path, token=token)[1]["you"]["key"]


def test_the_moment_that_is_touched_is_shown_on_a_phone_held_sideways(
    guest: Invite, server: Server, reviewed: tuple[str, str]
) -> None:
    table, key = reviewed
    ben = guest((667, 375))
    page = ben.page
    ben.open(f"/review/{table}#key={key}")
    chart = page.locator("figure > svg[role=img]")
    expect(chart).to_be_visible()
    told = ben.context.request.get(f"{server.url}/api/tables/{table}/review?key={key}").json()
    moments = told["players"][0]["moments"]
    number = next(i for i, m in enumerate(moments) if m["kind"] == "roll" and i > 5)
    x, y = chart.evaluate(
        """(chart, share) => {
          chart.scrollIntoView({block: 'center'});
          const {x, y} = new DOMPoint(share * 320, 60).matrixTransform(chart.getScreenCTM());
          return [x, y];
        }""",
        (number + 1) / len(moments),
    )
    page.mouse.click(x, y)
    expect(page).to_have_url(re.compile(rf"&at={moments[number]['at']}#"))


def test_paging_through_a_review_asks_for_little(guest: Invite, reviewed: tuple[str, str]) -> None:
    """Its words and two parts of the game were asked for at every moment, until the limit."""
    table, key = reviewed
    ben = guest(PHONE)
    page = ben.page
    asked: list[str] = []
    page.on("request", lambda one: asked.append(one.url))
    ben.open(f"/review/{table}#key={key}")
    panel = page.locator("section[aria-labelledby=decision]")
    expect(panel.locator(".sheet")).to_be_visible()
    for direction in ("Earlier", "Later"):
        for _ in range(8):
            before = page.url
            page.get_by_role("button", name=f"{direction} moment").press("Enter")
            expect(page).not_to_have_url(before)
            expect(panel.locator(".sheet")).to_be_visible()
    paths = [url.partition("/api/tables/")[2] for url in asked]
    assert sum(path.startswith(f"{table}/review/words") for path in paths) == 1
    assert sum(path.startswith(f"{table}/steps") for path in paths) == 1
    lines = [path for path in paths if path.startswith(f"{table}/line")]
    assert len(lines) == len(set(lines)) > 0, "a line is asked for once"


def test_a_review_that_was_refused_can_be_asked_for_again(
    guest: Invite, reviewed: tuple[str, str]
) -> None:
    """Whoever finished several games quickly had to load the page again."""
    table, key = reviewed
    ben = guest(PHONE)
    page = ben.page
    ben.introduce("Ben")
    ben.down = True  # the browser itself tells of every refusal
    refused = {"code": "review_waiting", "message": "several reviews are waiting"}
    page.route("**/review/state", lambda route: route.fulfill(json={"state": "none"}))
    page.route(f"**/{table}/review", lambda route: route.fulfill(status=429, json=refused))
    ben.open(f"/review/{table}#key={key}")
    page.get_by_role("button", name="Review this game").click()
    expect(page.get_by_text("Several of your reviews are still waiting")).to_be_visible()
    refused["code"] = "cannot_review"
    again = page.get_by_role("button", name="Try again")
    again.click()
    expect(page.get_by_text("This game can't be reviewed")).to_be_visible()
    expect(again).to_have_count(0)
    refused["code"] = "review_waiting"
    page.reload()
    page.get_by_role("button", name="Review this game").click()
    expect(again).to_be_visible()
    page.unroute(f"**/{table}/review")
    page.unroute("**/review/state")
    again.press("Enter")
    expect(page.get_by_role("heading", name="Costliest decisions")).to_be_visible()


def test_the_chart_of_a_review_has_the_colours_that_were_forced(
    guest: Invite, reviewed: tuple[str, str]
) -> None:
    table, key = reviewed
    ben = guest(PHONE, forced_colors="active")
    ben.open(f"/review/{table}#key={key}")
    chart = ben.page.locator("figure > svg[role=img]")
    expect(chart).to_be_visible()
    seen = chart.evaluate(
        """(chart) => {
          const own = ['polyline', '.grid', '.roll', '.zero', 'text'].map((part) => {
            const {stroke, fill} = getComputedStyle(chart.querySelector(part));
            return part === 'text' ? fill : stroke;
          });
          document.body.style.color = 'CanvasText';
          return [...new Set([...own, getComputedStyle(document.body).color])];
        }"""
    )
    assert len(seen) == 1, seen


def test_another_moment_has_a_link_that_is_not_copied_yet(
    guest: Invite, reviewed: tuple[str, str]
) -> None:
    table, key = reviewed
    ben = guest(PHONE, permissions=["clipboard-read", "clipboard-write"])
    page = ben.page
    ben.open(f"/review/{table}#key={key}")
    page.get_by_role("button", name="Copy").click()
    copied = page.get_by_role("button", name="Copied")
    expect(copied).to_be_visible()
    link = page.get_by_label("Link to this moment").input_value()
    assert page.evaluate("navigator.clipboard.readText()") == link
    page.get_by_role("region", name="Costliest decisions").get_by_role("link").nth(1).click()
    expect(page.get_by_label("Link to this moment")).not_to_have_value(link)
    expect(copied).to_have_count(0)
    expect(page.get_by_role("button", name="Copy")).to_be_visible()


def test_the_numbers_of_the_line_at_the_end_add_up(
    guest: Invite, server: Server, reviewed: tuple[str, str]
) -> None:
    """What other players and the correction brought was left out: 350 + 38 - 360 was 60."""
    table, key = reviewed
    told = server.http("GET", f"/api/tables/{table}/review?key={key}")[1]
    seat = told["players"][0]
    seat["expected"] += seat["correction"] + 33.2 - 21.2
    seat.update(influence=21.2, correction=-33.2)
    ben = guest(PHONE)
    page = ben.page
    page.route(f"**/{table}/review", lambda route: route.fulfill(json=told))
    ben.open(f"/t/{table}#key={key}")
    line = page.locator("[data-review=done]")
    expect(line).to_contain_text("Other players: +2")
    expect(line).to_contain_text("Correction: −3")
    numbers = [int(n.replace("−", "-")) for n in re.findall(r"[+−]?\d+", line.inner_text())]
    result, expected, luck, cost, influence, correction = numbers
    assert result == expected + luck - cost + influence + correction


def test_why_a_game_could_not_be_played_on_is_told_at_that_moment_only(
    guest: Invite, reviewed: tuple[str, str]
) -> None:
    table, key = reviewed
    ben = guest(PHONE)
    page = ben.page
    ben.introduce("Ben")
    ben.open(f"/review/{table}#key={key}")
    ben.down = True  # the browser itself tells of the lost request
    page.route("**/api/tables", lambda route: route.abort())
    page.get_by_role("button", name="Try it with new dice").click()
    alert = page.get_by_role("alert")
    expect(alert).to_contain_text("The server is not responding")
    page.get_by_role("region", name="Costliest decisions").get_by_role("link").nth(1).click()
    expect(alert).to_have_count(0)


def test_a_game_is_played_on_once_however_often_that_is_pressed(
    guest: Invite, reviewed: tuple[str, str]
) -> None:
    table, key = reviewed
    ben = guest(PHONE)
    page = ben.page
    ben.open(f"/review/{table}#key={key}")
    again = page.get_by_role("button", name="Try it with new dice")
    expect(again).to_be_visible()
    asked: list[str] = []
    page.on("request", lambda one: asked.append(one.url))
    again.evaluate("(button) => [1, 2, 3].forEach(() => button.click())")
    expect(page.locator(".playing")).to_be_visible()
    assert asked.count(f"{ben.server.url}/api/tables") == 1
    page.go_back()
    expect(page).to_have_url(re.compile(rf"/review/{table}\b"))


def test_hints_at_a_table_with_others_are_told_before_the_start(guest: Invite) -> None:
    ana = guest(PHONE)
    ana.open()
    ana.introduce("Ana")
    wish = {"game": "clever", "seats": [{"kind": "me"}, {"kind": "open"}], "hints": True}
    made = ana.page.evaluate(
        "(wish) => fetch('/api/tables', {method: 'POST', headers: {'content-type': "
        "'application/json'}, body: JSON.stringify(wish)}).then((answer) => answer.json())",
        wish,
    )
    ben = guest(PHONE)
    ben.open(made["you"]["invite"].removeprefix(ana.server.url))
    ben.page.get_by_role("button", name="Join").click()
    expect(ben.page.get_by_text("Players may ask for hints")).to_be_visible()


def test_strength_over_time_keeps_solo_games_and_others_apart(guest: Invite) -> None:
    ana = guest(SMALL)
    page = ana.page
    ana.introduce("Ana")

    def game(seats: int, result: float) -> Json:
        same = {"expected": 250.0, "luck": 10.0, "influence": 0.0, "price": 50.0}
        told = {"table": "t", "finished": 0, "correction": 0.0, "hints": 0}
        return {**same, **told, "seats": seats, "result": result}

    def strength(mean: float) -> Json:
        return {"games": 5, "mean": mean, "error": 3.2, "plain_mean": 210.0, "plain_error": 4.5}

    solo = [game(1, result) for result in (200.0, 210.0, 190.0, 200.0, 210.0)]
    tables = [game(4, result) for result in (160.0, 150.0, 170.0, 160.0)]
    report: Json = {
        "games": [one for pair in zip(solo, [*tables, solo[0]], strict=True) for one in pair],
        "solo": strength(192.0),
        "tables": strength(150.0),
        "luck": 10.0,
        "luck_error": 0.0,
        "kinds": {},
        "areas": [],
        "foxes": 0.0,
    }
    told: Json = {"due": 0, "games": {"clever": report}}
    page.route("**/api/me/coach", lambda route: route.fulfill(json=told))
    ana.open("/history")
    coach = page.get_by_role("region", name="Coach")
    expect(coach.get_by_role("heading", name="Solo strength over time")).to_be_visible()
    # Four games with others are too few for a line of their own; no solo line is drawn from them.
    expect(coach.locator("polyline")).to_have_count(1)
    caption = coach.locator("figure:has(polyline) figcaption")
    # (200 + 210 + 190 + 200 + 210 + 200) / 6 - 10, and the deviations' squares sum to 283.3.
    expect(caption).to_contain_text("Mean of the last 10 games, luck taken out")
    expect(caption).to_contain_text("190.0 ± 5.8 after 3 games, 191.7 ± 3.1 after 6")
    expect(coach.locator("figure:has(polyline) svg")).to_contain_text("game 6")
    ana.axe()

    report["games"] += tables
    ana.open("/history")
    expect(coach.get_by_role("heading", name="Strength with others over time")).to_be_visible()
    expect(coach.locator("polyline")).to_have_count(2)


def test_a_rival_with_hints_is_no_rival(guest: Invite) -> None:
    """Somebody who had played the same dice with hints took the star of who did not."""
    ana = guest(SMALL)
    page = ana.page
    ana.introduce("Ana")

    def game(table: str, total: int, hints: int) -> Json:
        told = {"table": table, "name": table, "state": "finished", "total": total, "at": 1}
        return {**told, "mine": table == "mine", "kept": True, "hints": hints}

    match = [game("mine", 200, 0), game("ben", 150, 0), game("eva", 280, 3)]
    line: Json = {"table": "mine", "game": "clever", "seats": 1, "seat": 0, "finished": 1}
    line |= {"total": 200, "areas": [], "foxes": 0, "won": True, "names": ["Ana"], "totals": [200]}
    line |= {"practice": False, "apart": False, "hints": 0, "kept": True, "daily": None}
    line |= {"match": match, "offline": False, "excluded": []}
    told: Json = {"games": [line], "given_up": [], "next": None}
    page.route("**/api/me/games*", lambda route: route.fulfill(json=told))
    ana.open("/history")
    total = page.locator("a.line[href='/replay/mine'] .total")
    expect(total).to_have_text("200★")
    match[2]["hints"] = 0
    ana.open("/history")
    expect(total).to_have_text("200")


@pytest.mark.parametrize("locale", ["en-GB", "nl"])
def test_an_exercise_fits_a_phone_and_names_the_bonus(guest: Invite, locale: str) -> None:
    ana = guest(SMALL, locale=locale)
    page = ana.page
    ana.introduce("Ana")
    made = ana.context.request.post(
        f"{ana.server.url}/api/tables",
        data=json.dumps({"game": "twice", "seats": [{"kind": "me"}], "seed": 1}),
        headers={"content-type": "application/json"},
    ).json()
    ana.open(f"/t/{made['id']}")
    expect(page.locator(".playing")).to_be_visible()
    chance = random.Random(1)
    game = ana.snapshot()["game"]
    # Until there is nothing else to do than to use a bonus.
    while {place["action"][0] for place in game["seats"][0]["legal"]} != {"+"}:
        assert not game["over"], "a whole game brings a bonus"
        action = {"type": "roll"}
        if not game["rolling"]:
            place = chance.choice(game["seats"][0]["legal"])
            action = {"type": "play", "action": place["action"]}
        ana.command(**action)
        game = ana.snapshot()["game"]
    seat = game["seats"][0]
    seat["open"] = {"yellow": 1}
    seat["score"].update(total=144, foxes=3, fox_value=14)
    seat["tracks"] = {name: [5, 1] for name in seat["tracks"]}
    told: Json = {"answered": None, "answers": [], "solved": 0, "tried": 0}
    exercise = {"id": "x", "game": "twice", "seat": 0, "view": game, "day": 0, **told}
    page.route("**/exercises/daily/twice", lambda route: route.fulfill(json={"exercise": exercise}))
    ana.open("/practice")
    shown = page.locator("[data-exercise=x]")
    # A bonus has its places without a die; what they would set off is not told.
    expect(shown.locator(".chip").first).to_be_visible()
    expect(shown.locator(".chip .gain")).to_have_count(0)
    for width in (360, 390):
        page.set_viewport_size({"width": width, "height": 664})
        room = shown.locator(".sum").evaluate("(sum) => [sum.scrollWidth, sum.clientWidth]")
        assert room[0] <= room[1], f"the points are cut at {width} pixels: {room}"
    if locale == "en-GB":
        expect(shown).to_contain_text("Using a bonus: a mark in yellow · What is your best choice?")
