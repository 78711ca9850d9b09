"""The page draws and plays a game of another package, though it has never heard of it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
import third_game
from playwright.sync_api import expect
from server.harness import Server

from e2e.conftest import Invite
from e2e.driver import DESKTOP, PHONE, Guest

GAME = third_game.GAME


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server where the package is installed."""
    folder = tmp_path_factory.mktemp("third")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", third_game.environment(folder / "site")["PYTHONPATH"])
        with Server(folder / "store.db") as running:
            yield running


def words(language: str) -> dict[str, str]:
    """The game's own words."""
    file = third_game.PACKAGE / GAME / "text" / f"{language}.json"
    found: dict[str, str] = json.loads(file.read_text(encoding="utf-8"))
    return found


def dice_of(ana: Guest) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = ana.context.request.get(
        f"{ana.server.url}/api/sheets/{GAME}"
    ).json()["dice"]
    return found


def drawn(ana: Guest, selector: str) -> list[dict[str, str]]:
    """Ground, letter and shape of what is drawn as dice or badges."""
    found: list[dict[str, str]] = ana.page.evaluate(
        """(selector) => [...document.querySelectorAll(selector)].map((svg) => {
          const canvas = document.createElement('canvas').getContext('2d');
          canvas.fillStyle = getComputedStyle(svg.querySelector('rect, path')).fill;
          return {
            ground: canvas.fillStyle,
            letter: svg.querySelector('text:last-of-type').textContent.trim(),
            shape: svg.querySelector('path:last-of-type').getAttribute('d'),
          };
        })""",
        selector,
    )
    return found


@pytest.mark.parametrize(("size", "theme"), [(PHONE, "light"), (DESKTOP, "dark")])
def test_its_dice_are_drawn_as_it_says(guest: Invite, size: tuple[int, int], theme: str) -> None:
    ana = guest(size, color_scheme=theme)
    ana.begin(GAME)
    ana.settled()
    ana.axe()
    dice = {die["colour"]: die for die in dice_of(ana)}
    text = words("en")
    for selector, colours in (
        (".dice svg.die", list(dice)),
        (".middle .title svg", ["blue", "brown", "grey", "green", "red"]),
    ):
        found = drawn(ana, selector)
        assert [one["letter"] for one in found] == [text[f"letter.{c}"] for c in colours]
        grounds = [dice[colour]["paint"][theme]["strong"] for colour in colours]
        assert [one["ground"] for one in found] == grounds
        assert len({one["shape"] for one in found}) == len(colours)
    # Another game has a blue die as well, of another shape.
    ana.begin("clever")
    ana.settled()
    other = {one["letter"]: one["shape"] for one in drawn(ana, ".middle .title svg")}
    assert other["B"] != found[0]["shape"]


@pytest.mark.parametrize("size", [(320, 640), DESKTOP])
def test_solo_by_taps(guest: Invite, size: tuple[int, int]) -> None:
    ana = guest(size, seed=7)
    ana.open()
    card = ana.page.locator(f"section[data-game={GAME}]")
    expect(card).to_contain_text(words("en")["line"])
    expect(card.locator(".picture svg").first).to_be_visible()
    ana.begin(GAME)
    ana.settled()
    assert ana.page.title().startswith("● Your turn")
    ana.play(40, measure=True)
    assert not ana.over
    ana.answered()
    ana.shows(ana.snapshot()["game"]["seats"][0]["marks"])
    ana.rush()
    expect(ana.page.locator("main.end")).to_be_visible()
    end = ana.snapshot()["game"]
    rating = words("en")[f"rating.{end['rating']}"]
    total = end["seats"][0]["score"]["total"]
    expect(ana.page.locator("h1")).to_have_text(f"{total} points: {rating}")
    ana.axe()
    ana.open("/history")
    expect(ana.page.locator(f"section[data-game={GAME}] h2")).to_have_text("Burrow")
    expect(ana.page.locator(f"section[data-game={GAME}] th svg")).to_have_count(5)


def test_its_words_in_another_language(guest: Invite) -> None:
    ana = guest(DESKTOP)
    ana.open()
    card = ana.page.locator(f"section[data-game={GAME}]")
    expect(card.locator("h2")).to_have_text(words("en")["title"])
    ana.page.select_option("header select", "de")
    expect(card.locator("h2")).to_have_text(words("de")["title"])
    ana.begin(GAME)
    ana.settled()
    german = words("de")
    ana.page.locator("button.title").nth(1).click()
    dialog = ana.page.locator("dialog")
    expect(dialog.locator("h2")).to_have_text(german["colour.brown"])
    expect(dialog).to_contain_text(german["help.brown"])
    dialog.locator("a").click()
    assert ana.page.url.endswith(f"/rules/{GAME}")
    expect(ana.page.locator("nav [aria-current=page]")).to_have_text(german["title"])
    expect(ana.page.locator(".clause").first).to_be_visible()
    # Without a name of a game, the rules are those of the first.
    ana.page.click("header a[href='/rules']")
    expect(ana.page.locator("main nav a").first).to_have_attribute("aria-current", "page")


def test_its_guided_game(guest: Invite) -> None:
    ana = guest(PHONE)
    ana.begin(GAME, "learn")
    ana.settled()
    text = words("en")
    last = sum(key.startswith("lesson.") for key in text)
    for _ in range(200):
        ana.answered()
        if ana.page.locator(".act a").count():
            break
        if not ana.step():
            ana.page.wait_for_timeout(40)
    expect(ana.page.locator(".lesson")).to_contain_text(text[f"lesson.{last}"])
    expect(ana.page.locator(".lesson")).to_contain_text(f"Step {last} of {last}")


def test_only_bots_that_can_play_it_are_offered(guest: Invite) -> None:
    ana = guest(DESKTOP)
    ana.open()
    for game, count, level in ((GAME, 2, "Greedy"), ("clever", 6, "Solid")):
        ana.page.click(f"[data-start={game}-bots]")
        expect(ana.page.locator("[aria-label=Level] button")).to_have_count(count)
        expect(ana.page.locator("[aria-label=Level] [aria-pressed=true]")).to_contain_text(level)
    ana.page.click("[aria-label=Level] button:has-text('Solid')")
    ana.page.click(f"[data-start={GAME}-bots]")
    expect(ana.page.locator("[aria-label=Level] [aria-pressed=true]")).to_have_count(1)
    ana.page.click(f"[data-go={GAME}]")
    ana.settled()
    assert ana.snapshot()["table"]["seats"][1]["bot"] in ("random", "greedy")
