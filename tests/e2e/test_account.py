"""People come back: devices, a recovery code, a passkey; and the page of the admins."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect
from server.harness import Server
from server.test_admin import told

from e2e.conftest import Invite
from e2e.driver import DESKTOP, PHONE, Guest


class AtLocalhost(Server):
    """The same server by its name: a passkey cannot belong to a number."""

    @property
    def url(self) -> str:
        return f"http://localhost:{self.port}"


@pytest.fixture
def passkey_owner(browser: Browser, server: Server) -> Iterator[Guest]:
    """Somebody whose browser has an authenticator, as a phone with a screen lock has."""
    named = AtLocalhost(server.db)
    named.port = server.port
    context = browser.new_context(
        viewport={"width": PHONE[0], "height": PHONE[1]}, locale="en-GB", reduced_motion="reduce"
    )
    one = Guest(context, named)
    line = context.new_cdp_session(one.page)
    line.send("WebAuthn.enable")
    options = {
        "protocol": "ctap2",
        "transport": "internal",
        "hasResidentKey": True,
        "hasUserVerification": True,
        "isUserVerified": True,
        "automaticPresenceSimulation": True,
    }
    line.send("WebAuthn.addVirtualAuthenticator", {"options": options})
    yield one
    one.finish()


def open_account(one: Guest) -> Page:
    one.open("/account")
    expect(one.page.locator("main h1")).to_be_visible()
    return one.page


def name_of(one: Guest) -> str:
    expect(one.page.locator("#name")).not_to_have_value("")
    return one.page.input_value("#name")


def new_code(page: Page) -> str:
    page.click("[data-recovery]")
    code = page.locator("#new-code").inner_text()
    assert code.count("-") == 4
    page.get_by_role("button", name="I wrote it down").click()
    expect(page.locator("#new-code")).to_have_count(0)
    return code


def test_a_code_on_paper_brings_a_player_to_a_new_device(guest: Invite) -> None:
    phone, laptop = guest(PHONE), guest(DESKTOP)
    phone.introduce("Ana")
    phone.page.click("a[href='/account']")
    page = phone.page
    expect(page.locator("#devices ~ ul li")).to_have_count(1)
    phone.axe()
    code = new_code(page)
    expect(page.get_by_role("button", name="Replace the code")).to_be_visible()
    # A wrong code is refused, a sloppy one is not.
    there = open_account(laptop)
    laptop.axe()
    laptop.down = True  # the browser reports the refusal as an error
    there.fill("#code", "AAAA-AAAA-AAAA-AAAA-AAAA")
    there.keyboard.press("Enter")
    expect(there.locator("[role=alert]")).to_contain_text("recovery code is wrong")
    laptop.down = False
    there.fill("#code", code.lower().replace("-", " "))
    there.keyboard.press("Enter")
    assert name_of(laptop) == "Ana"
    # Each sees both; the laptop is signed out from the phone, and is a stranger at once.
    open_account(phone)
    expect(page.locator("#devices ~ ul li")).to_have_count(2)
    page.get_by_role("button", name="Sign out there").click()
    expect(page.locator("#devices ~ ul li")).to_have_count(1)
    laptop.open("/account")
    expect(laptop.page.locator("#code")).to_be_visible()
    expect(laptop.page.locator("#devices")).to_have_count(0)


def test_a_link_adds_a_device(guest: Invite) -> None:
    phone, laptop = guest(PHONE), guest(DESKTOP, locale="de")
    phone.introduce("Bo")
    open_account(phone).get_by_role("button", name="Add a device").click()
    laptop.page.goto(phone.page.input_value("#link"))
    laptop.page.get_by_role("button", name="Hier anmelden").click()
    assert name_of(laptop) == "Bo"
    phone.open()
    assert name_of(phone) == "Bo"


def test_a_passkey_signs_in_again(passkey_owner: Guest) -> None:
    cleo = passkey_owner
    cleo.introduce("Cleo")
    page = open_account(cleo)
    page.click("[data-passkey=add]")
    expect(page.locator("#passkeys ~ ul li")).to_have_count(1)
    cleo.axe()
    # The same authenticator makes no second one.
    page.click("[data-passkey=add]")
    expect(page.locator("[role=alert]")).to_contain_text("already has a passkey")
    page.get_by_role("button", name="Sign out", exact=True).click()
    expect(page.locator("dialog")).to_contain_text("Your games stay")
    page.click("[data-sign-out]")
    expect(page.locator("#name")).to_have_value("")
    # As on a new device: nothing is typed, not even a name.
    page = open_account(cleo)
    page.click("[data-passkey=use]")
    assert name_of(cleo) == "Cleo"
    page = open_account(cleo)
    page.get_by_role("button", name="Remove").click()
    expect(page.locator("#passkeys ~ ul li")).to_have_count(0)
    # Without another way back, signing out is a warning.
    page.get_by_role("button", name="Sign out", exact=True).click()
    expect(page.locator("dialog")).to_contain_text("your name and your games are lost")


def test_the_page_of_an_admin(guest: Invite, server: Server) -> None:
    boss, rowdy = guest(DESKTOP), guest(PHONE)
    boss.down = True  # what is refused is reported as an error
    boss.introduce("Boss")
    boss.open("/admin")
    expect(boss.page.locator("[role=alert]")).to_contain_text("Only admins")
    told(server.db, "grant", "Boss")
    rowdy.introduce("Rowdy")
    rowdy.begin("clever")
    rowdy.settled()
    table = rowdy.table
    boss.open()
    boss.down = False
    boss.page.click("a[href='/admin']")
    page = boss.page
    page.fill("#find", "rowd")
    page.keyboard.press("Enter")
    page.get_by_role("button", name="Manage Rowdy").click()
    expect(page.locator("dialog")).to_be_visible()
    boss.axe()
    page.fill("#new-name", "Calm")
    page.keyboard.press("Enter")
    expect(page.locator("dialog h2")).to_have_text("Calm")
    with page.expect_download() as loading:
        page.get_by_role("link", name="Download all data").click()
    assert json.loads(loading.value.path().read_text())["player"]["name"] == "Calm"
    rowdy.down = True
    page.fill("#reason", "spam")
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Lift the ban")).to_be_visible()
    rowdy.open()
    expect(rowdy.page.locator("[role=alert]")).to_contain_text("banned you from this server")
    page.click("[data-delete]")
    page.click("[data-sure]")
    expect(page.locator("[role=status]")).to_contain_text("deleted")
    # The table went with its only player; another one is closed by a link to it.
    boss.begin("twice")
    boss.settled()
    assert boss.table != table
    mine = boss.page.url
    boss.open("/admin")
    page.fill("#table", mine)
    page.keyboard.press("Enter")
    expect(page.locator("[role=status]")).to_contain_text("closed")
    try:
        page.click("[data-mode=invitation]")
        expect(page.locator("[data-mode=invitation]")).to_have_attribute("aria-pressed", "true")
        page.get_by_role("button", name="Make an invitation").click()
        link = page.input_value("#invitation")
        expect(page.locator("#log ~ ol li").first).to_contain_text("invitation made")
        expect(page.locator("#log ~ ol li")).to_have_count(8)
        boss.axe()
        stranger = guest(PHONE)
        stranger.down = True
        stranger.open()
        stranger.page.click("[data-start=clever-solo]")
        expect(stranger.page.locator("[role=alert]")).to_contain_text("need a valid invitation")
        stranger.page.goto(link)
        stranger.page.get_by_role("link", name="Start playing").click()
        stranger.page.click("[data-start=clever-solo]")
        stranger.settled()
    finally:
        told(server.db, "registration", "open")
