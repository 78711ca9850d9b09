"""Takes the pictures of docs/screens: `cd tests && ../.venv/bin/python -m e2e.screens`."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, sync_playwright
from server.harness import Server

from e2e.conftest import CHROMIUM, FLAGS
from e2e.driver import ROOT, Guest

OUT = ROOT / "docs" / "screens"
PHONE = (390, 844)
DESKTOP = (1440, 900)


def sit_down(browser: Browser, server: Server, size: tuple[int, int], **options: Any) -> Guest:
    context = browser.new_context(
        viewport={"width": size[0], "height": size[1]},
        locale=options.pop("locale", "en-GB"),
        reduced_motion="reduce",
        **options,
    )
    return Guest(context, server, seed=options.get("seed", 3))


def shoot(guest: Guest, name: str) -> None:
    guest.page.evaluate("() => document.activeElement.blur()")
    guest.page.wait_for_timeout(400)
    guest.page.screenshot(path=OUT / f"{name}.png")


def sensible(guest: Guest, steps: int) -> None:
    """Plays by the previews: the action that brings the most points and bonuses."""
    for _ in range(steps):
        game = guest.snapshot()["game"]
        if game is None or game["over"]:
            return
        me = guest.snapshot()["you"]["seat"]
        if game["rolling"]:
            if game["active"] == me:
                guest.command(type="roll")
            else:
                guest.page.wait_for_timeout(30)
        elif me in game["awaiting"]:
            actions = guest.command(type="preview")["actions"]
            best = max(
                actions,
                key=lambda one: (
                    one["action"] not in ("pass", "reroll")
                    and one["points"]
                    + 3 * sum(event["event"] == "bonus_earned" for event in one["events"])
                    - 1.5 * sum(event["event"] == "moved" for event in one["events"])
                ),
            )
            guest.command(type="play", action=best["action"])
        else:
            guest.page.wait_for_timeout(30)


def reach_pick(guest: Guest) -> None:
    """On to a roll of my own with a choice of dice."""
    for _ in range(600):
        snapshot = guest.snapshot()
        game, me = snapshot["game"], snapshot["you"]["seat"]
        mine = game["seats"][me]
        if mine["stage"] == "pick" and len({place["die"] for place in mine["legal"]}) > 3:
            guest.page.wait_for_timeout(150)
            return
        sensible(guest, 1)


def touch_place(guest: Guest) -> None:
    """Touch a die with several places, and one of these: what it would bring is shown."""
    for die in guest.page.locator(".dice button").all():
        die.click()
        if guest.page.locator("[data-place]").count() > 1:
            guest.page.locator("[data-place]").last.click(force=True)
            guest.page.wait_for_selector(".act .points")
            return


def take_all(browser: Browser, server: Server) -> None:
    ana = sit_down(browser, server, PHONE)
    ana.introduce("Ana")
    ana.open()
    ana.page.wait_for_selector("[data-daily]")
    shoot(ana, "home-phone")
    ana.begin("clever")
    ana.settled()
    sensible(ana, 24)
    reach_pick(ana)
    shoot(ana, "clever-phone")
    ana.page.locator(".dice button").first.click()
    shoot(ana, "clever-touched-phone")
    sensible(ana, 400)
    ana.page.wait_for_selector("[data-fair=yes]")
    shoot(ana, "end-phone")
    for _ in range(4):
        ana.begin("clever")
        ana.settled()
        ana.rush()
    ana.open("/history")
    ana.page.wait_for_selector("dl")
    shoot(ana, "history-phone")

    ben = sit_down(browser, server, PHONE, color_scheme="dark")
    ben.begin("twice")
    ben.settled()
    sensible(ben, 20)
    reach_pick(ben)
    shoot(ben, "twice-phone-dark")
    ben.begin("twice", "learn")
    ben.settled()
    for _ in range(3):
        ben.step()
        ben.page.wait_for_timeout(200)
    shoot(ben, "learn-phone-dark")

    eva = sit_down(browser, server, DESKTOP)
    eva.introduce("Eva")
    eva.page.click("[data-start=clever-bots]")
    eva.level("Greedy")
    eva.page.click("[data-go=clever]")
    eva.settled()
    sensible(eva, 26)
    reach_pick(eva)
    touch_place(eva)
    shoot(eva, "clever-desktop")
    sensible(eva, 900)
    eva.page.wait_for_selector("[data-fair=yes]")
    shoot(eva, "end-desktop")
    eva.open(f"/replay/{eva.table}?step=40")
    eva.page.wait_for_selector("#step")
    shoot(eva, "replay-desktop")

    max_ = sit_down(browser, server, DESKTOP, color_scheme="dark", locale="de")
    max_.open()
    max_.page.click("[data-start=twice-bots]")
    max_.page.click("[aria-label] button:has-text('Gierig')")
    max_.page.click("[data-go=twice]")
    max_.settled()
    sensible(max_, 22)
    reach_pick(max_)
    shoot(max_, "twice-desktop-dark-de")
    max_.open("/rules/twice")
    max_.page.wait_for_selector(".clause")
    shoot(max_, "rules-desktop-dark-de")

    ida = sit_down(browser, server, PHONE)
    ida.introduce("Ida")
    ida.page.click("[data-start=twice-friends]")
    ida.page.click("[data-go=twice]")
    ida.page.wait_for_selector("img.qr")
    shoot(ida, "lobby-phone")


if __name__ == "__main__":
    with (
        tempfile.TemporaryDirectory() as folder,
        Server(Path(folder) / "store.db") as running,
        sync_playwright() as playwright,
    ):
        take_all(playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS), running)
