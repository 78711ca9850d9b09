"""Fair dice in the browser: it tells an honest server from one that cheats, and says why."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, expect
from server import crooked
from server.harness import Server, key_of, until
from server.test_tables import post

from e2e.conftest import Invite
from e2e.driver import PHONE, Guest, Json
from foxtray import history, record
from foxtray.dice import entropy_commitment

COMMITTED = "11" * 16


@contextmanager
def guest_of(browser: Browser, server: Server) -> Iterator[Guest]:
    """Somebody with a browser at a server of their own."""
    context = browser.new_context(
        viewport={"width": PHONE[0], "height": PHONE[1]}, locale="en-GB", reduced_motion="reduce"
    )
    one = Guest(context, server, 1)
    yield one
    one.finish()


@contextmanager
def cheating(folder: Path, how: str) -> Iterator[Server]:
    command = (sys.executable, str(Path(crooked.__file__)), how)
    with Server(folder / "store.db", command=command) as server:
        yield server


def shows_cheating(guest: Guest, *sentences: str) -> None:
    """The end says, in words, that something is wrong; and not only the record knows."""
    place = guest.page.locator("section[aria-labelledby=fair]")
    expect(place.locator("[data-fair=no]")).to_contain_text("These dice did not pass the check.")
    for sentence in sentences:
        expect(place).to_contain_text(sentence)
    guest.axe()
    address = f"{guest.server.url}/api/tables/{guest.table}/record"
    found, verified = record.read(guest.context.request.get(address).text())
    assert verified, "the record agrees with itself: only what the browser kept tells"
    first = found.inputs[0]
    assert isinstance(first, history.ThrowInput)
    assert sum(first.throw.faces) > 28, "the dice were chosen"


def test_a_server_that_chooses_its_secret_later_is_found_out(
    browser: Browser, tmp_path: Path
) -> None:
    with cheating(tmp_path, "secret") as server, guest_of(browser, server) as ana:
        ana.begin("clever")
        ana.settled()
        ana.rush()
        shows_cheating(ana, "a different fingerprint from the one in the game record")
        # It is remembered.
        ana.page.reload()
        shows_cheating(ana, "It may have chosen its secret when it already knew all the other")


class Friend:
    """A second player by requests alone, who commits to something."""

    def __init__(self, server: Server, link: str) -> None:
        self.server = server
        self.table = re.split("[#?]", link.split("/t/")[1])[0]
        self.key = key_of(link)
        _, self.token = server.player("Bo")

    def info(self) -> Json:
        path = f"/api/tables/{self.table}?key={self.key}"
        return dict(self.server.http("GET", path, token=self.token)[1]["table"])

    def command(self, kind: str, **what: object) -> None:
        answer = post(self.server, self.table, self.token, kind, self.key, **what)
        assert answer["type"] == "ack", answer

    def sit(self) -> None:
        promise = self.info()["dice"]["commitment"]
        told = entropy_commitment(promise, 1, bytes.fromhex(COMMITTED))
        self.command("sit", seat=1, commitment=told)

    def reveal(self) -> None:
        until(lambda: self.info()["starting"])
        self.command("reveal", entropy=COMMITTED)


def invited(ana: Guest) -> Friend:
    ana.introduce("Ana")
    ana.begin("clever", "friends")
    return Friend(ana.server, ana.page.locator("#invite").input_value())


def begin(ana: Guest, friend: Friend, reveals: bool) -> None:
    ana.page.click("text=Start game")
    if reveals:
        friend.reveal()
    ana.settled()


def finish(ana: Guest, friend: Friend) -> None:
    """Bots come to the end in a moment."""
    friend.command("leave")
    ana.command(type="leave")
    expect(ana.page.locator("main.end")).to_be_visible()


def test_a_seat_that_chooses_its_entropy_later_is_found_out(
    browser: Browser, tmp_path: Path
) -> None:
    with cheating(tmp_path, "seat") as server, guest_of(browser, server) as ana:
        friend = invited(ana)
        friend.sit()
        begin(ana, friend, reveals=True)
        finish(ana, friend)
        shows_cheating(ana, "Bo: this random number was replaced after your browser had revealed")


def test_an_honest_game_of_two(guest: Invite) -> None:
    ana = guest(seed=1)
    friend = invited(ana)
    friend.sit()
    begin(ana, friend, reveals=True)
    finish(ana, friend)
    fair = ana.page.locator("section[aria-labelledby=fair]")
    expect(fair.locator("[data-fair=yes]")).to_contain_text("nobody could choose these dice")
    # What it does not prove is said as well, and what one needs for a check of one's own.
    fair.locator("summary").click()
    expect(fair).to_contain_text("the operator of the server knows the secret and can predict")
    dice = ana.snapshot()["table"]["dice"]
    for number in (dice["commitment"], dice["entropies"][0]):
        expect(fair).to_contain_text(number)
    ana.axe()
    # Another browser of the same player has seen nothing of it.
    watcher = guest(seed=2)
    watcher.page.goto(f"{ana.server.url}/t/{ana.table}?key={ana.snapshot()['you']['key']}")
    fair = watcher.page.locator("section[aria-labelledby=fair]")
    expect(fair.locator("[data-fair=partly]")).to_be_visible()
    expect(fair).to_contain_text("This browser did not add a random number")


def test_a_seat_that_does_not_reveal_is_left_out_in_plain_sight(guest: Invite) -> None:
    ana = guest(seed=1)
    friend = invited(ana)
    friend.sit()
    begin(ana, friend, reveals=False)
    missing = "Bo: this random number did not arrive in time, so the dice do not use it."
    ana.page.set_viewport_size({"width": 1280, "height": 800})
    expect(ana.page.locator("body")).to_contain_text(missing)
    finish(ana, friend)
    fair = ana.page.locator("section[aria-labelledby=fair]")
    expect(fair.locator("[data-fair=yes]")).to_be_visible()
    expect(fair).to_contain_text(missing)


def test_a_page_that_is_loaded_anew_while_the_game_starts_reveals(guest: Invite) -> None:
    ana = guest(seed=1)
    friend = invited(ana)
    friend.sit()
    with ana.page.expect_navigation():
        ana.page.evaluate(
            "() => { [...document.querySelectorAll('button.begin')][0].click(); location.reload() }"
        )
    friend.reveal()
    ana.settled()
    assert ana.snapshot()["table"]["dice"]["left_out"] == []
    finish(ana, friend)
    expect(ana.page.locator("[data-fair=yes]")).to_be_visible()


def test_a_game_that_was_given_up_tells_its_secret_and_is_counted(
    browser: Browser, tmp_path: Path
) -> None:
    # Bots play on while somebody looks on, but not so soon.
    options = ("--no-limits", "--bot-pause", "60", "--workers", "1")
    with Server(tmp_path / "store.db", *options) as server, guest_of(browser, server) as ana:
        ana.begin("clever")
        ana.settled()
        table = ana.page.url
        ana.menu("Leave table")
        ana.page.click("text=Give up this game")
        expect(ana.page.locator("[data-start]").first).to_be_visible()
        ana.begin("clever")
        ana.settled()
        ana.rush()
        ana.open("/history")
        expect(ana.page.locator("[data-abandoned]")).to_contain_text("1")
        ana.axe()
        ana.page.goto(table)
        banner = ana.page.locator(".banner")
        expect(banner).to_contain_text("All players gave this game up.")
        ana.axe()
        with ana.page.expect_download() as download:
            banner.locator("[data-record]").click()
        kept, verified = record.read(download.value.path().read_text())
        assert (verified, kept.given_up) == (True, True)
