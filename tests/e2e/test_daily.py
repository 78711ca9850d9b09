"""Daily dice and challenges in the browser."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest
from playwright.sync_api import expect
from server.test_daily import Dated, known, play

from e2e.conftest import Invite
from e2e.driver import Guest

SMALL = (360, 640)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Dated]:
    """A server that has tomorrows."""
    with Dated(tmp_path_factory.mktemp("e2e") / "store.db") as running:
        yield running


def sign_in(one: Guest, token: str) -> Guest:
    one.context.add_cookies([{"name": "foxtray", "value": token, "url": one.server.url}])
    return one


def fits(one: Guest) -> None:
    """Nothing is wider than the screen, and nothing keeps anybody out."""
    assert one.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    one.axe()


def test_the_daily_dice_from_the_first_page_to_the_ranking(guest: Invite, server: Dated) -> None:
    ana, bo = known(server, "Ana", "Bo")
    table = server.started(bo)
    play(server, table, bo, random.Random(2))
    one = sign_in(guest(SMALL), ana)
    one.open()
    one.page.click("[data-daily=clever]")
    expect(one.page.locator("main")).to_contain_text(
        "You will see the results when you have played."
    )
    fits(one)
    one.page.click("[data-start=daily-clever]")
    one.settled()
    assert one.snapshot()["table"]["daily"]
    one.page.click("[data-menu]")
    expect(one.page.get_by_role("button", name="Help", exact=True)).to_be_visible()
    expect(one.page.get_by_role("button", name="Hint")).to_have_count(0)
    one.page.keyboard.press("Escape")
    play(server, one.table, ana, random.Random(3))
    # No challenge and no record yet, but a text to share and the way to the ranking.
    expect(one.page.locator("main.end [role=textbox]")).to_contain_text("Foxtray, daily dice of")
    expect(one.page.locator("#fair ~ p").first).to_contain_text(
        "can be checked when the day is closed"
    )
    expect(one.page.locator("#review ~ p")).to_contain_text("reviewed when the day is closed")
    assert one.page.locator("text=Challenge someone").count() == 0
    assert one.page.evaluate("document.activeElement.tagName") == "H1"
    fits(one)
    one.page.click("main.end >> text=Ranking")
    expect(one.page.locator("tbody tr")).to_have_count(2)
    expect(one.page.locator("tbody tr[aria-current=true] .name")).to_have_text("Ana")
    one.page.click("text=People I know")
    expect(one.page.locator("tbody tr")).to_have_count(1)
    one.page.click("button:has-text('Week')")
    expect(one.page.locator("main")).to_contain_text("best five days")
    fits(one)
    # A newcomer reads why they have to wait.
    new = guest(SMALL)
    new.open()
    new.introduce("New")
    new.open("/daily/twice")
    expect(new.page.locator("main")).to_contain_text("your first daily dice are tomorrow")


def to_the_end(one: Guest, choice: int) -> None:
    """Over HTTP, always by the first or the last choice."""
    while not (game := one.snapshot()["game"])["over"]:
        if game["rolling"]:
            one.command(type="roll")
        else:
            one.command(type="play", action=game["seats"][0]["legal"][choice]["action"])


def test_a_challenge_ends_side_by_side(guest: Invite, server: Dated) -> None:
    ana = guest(SMALL)
    ana.open()
    ana.introduce("Ana")
    ana.begin("clever")
    ana.settled()
    to_the_end(ana, 0)
    ana.page.click("text=Challenge someone")
    link = ana.page.locator("#challenge").input_value()
    bo = guest(SMALL, seed=2)
    bo.page.goto(link)
    bo.page.fill("#name", "Bo")
    bo.page.click("text=Accept")
    bo.settled()
    to_the_end(bo, -1)
    bo.page.click("text=Compare roll by roll")
    expect(bo.page.locator("[data-parted]")).to_be_visible()
    expect(bo.page.locator(".heads")).to_contain_text("Ana")
    fits(bo)
    bo.open("/history")
    expect(bo.page.locator("main")).to_contain_text("Challenge: Ana")
    bo.page.click("summary:has-text('Games with these dice')")
    fits(bo)
