"""The coach in the browser: a hint, the review of a game, playing on, exercises."""

from __future__ import annotations

import sqlite3
from contextlib import closing

from playwright.sync_api import expect
from server.conftest import compiled  # noqa: F401 (a fixture)
from server.harness import Server

from e2e.conftest import Invite
from e2e.driver import DESKTOP, PHONE
from foxtray.server.wall_clock import DAY

LONG = 240_000.0
"""Milliseconds that a review may take on a busy machine, at its low priority."""
SMALL = (360, 640)


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
    page.get_by_role("link", name="Open the review").click()
    expect(page.get_by_role("heading", name="Costliest decisions")).to_be_visible()
    costly = page.locator("ol a")
    assert costly.count() > 0, "random play makes mistakes"
    costly.first.click()
    assert "at=" in page.url
    expect(page.locator("tr.best")).to_be_visible()
    expect(page.locator("tr.chosen")).to_be_visible()
    expect(page.locator(".sheet")).to_be_visible()
    ana.axe()
    wide = page.evaluate("document.documentElement.scrollWidth - innerWidth")
    assert wide <= 0, "nothing is wider than the phone"
    moment = page.url

    # The same moment for somebody else, by its link, without a seat.
    ben = guest(DESKTOP)
    ben.open(f"{moment.removeprefix(server.url).partition('#')[0]}#key={key}")
    expect(ben.page.locator("tr.best")).to_be_visible()

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
    page.get_by_role("link", name="Practice").click()
    exercise = page.locator("[data-exercise]").first
    expect(exercise).to_be_visible()
    asked = ana.page.evaluate("fetch('/api/me/exercises').then((answer) => answer.json())")
    first = asked["exercises"][0]
    place = next(c for c in first["view"]["seats"][0]["legal"] if c["cell"])
    if place["die"]:
        exercise.locator(f'[data-die="{place["die"]}"]').click()
    exercise.locator(f'[data-action="{place["action"]}"]').first.click()
    exercise.get_by_role("button", name="Answer").click()
    expect(exercise.locator(".verdict")).to_be_visible()
    expect(exercise.locator("tr.best")).to_be_visible()
    ana.axe()


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
