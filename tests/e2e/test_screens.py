"""Every screen, looked at by axe-core, in several languages, sizes and themes."""

from __future__ import annotations

import itertools

import pytest
from playwright.sync_api import expect

from e2e.conftest import Invite
from e2e.driver import DESKTOP, Guest

LANGUAGES = ("en", "de", "nl", "sr")
SIZES = {"phone": (360, 640), "desktop": DESKTOP}
LONG_SIZES = {"small": (360, 740), "tablet": (768, 1024), "wide": (1440, 900), "least": (320, 640)}


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Everything in the long run; otherwise the longest words on the smallest screen."""
    if "language" in metafunc.fixturenames:
        some = [("de", "least", "light")]
        if metafunc.config.getoption("--long"):
            some = list(itertools.product(LANGUAGES, LONG_SIZES, ("light", "dark")))
        metafunc.parametrize(("language", "size", "theme"), some)


def visit_all(ana: Guest, game: str) -> None:
    """All screens, one after the other."""
    page = ana.page
    ana.open()
    expect(page.locator("[data-start]").first).to_be_visible()
    page.click(f"[data-start={game}-bots]")
    ana.axe()
    page.click(f"[data-start={game}-friends]")
    page.click(f"[data-go={game}]")
    expect(page.locator("img.qr")).to_be_visible()
    ana.axe()
    ana.begin(game)
    ana.settled()
    ana.axe()
    page.click(".act button.primary")
    page.locator("[data-die=w].usable").click()
    ana.axe()
    page.locator("[data-place]").first.click(force=True)
    ana.axe()
    page.locator("button.title").first.click()
    expect(page.locator("dialog")).to_be_visible()
    ana.axe()
    page.keyboard.press("Escape")
    expect(page.locator("dialog")).to_have_count(0)
    ana.rush()
    expect(page.locator("main.end")).to_be_visible()
    expect(page.locator("[data-fair=yes]")).to_be_visible()
    ana.axe()
    replay = f"/replay/{ana.table}"
    ana.open(replay + "?step=7")
    expect(page.locator("#step")).to_have_value("7")
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.locator("[data-play] + button").click()
    expect(page.locator("#step")).to_have_value("8")
    assert not [url for url in asked if "/api/" in url], "a step loads nothing"
    assert "step=8" in page.url
    # Without a clipboard, as on plain http, the link is there to be copied by hand.
    page.evaluate("() => Object.defineProperty(navigator, 'clipboard', {value: undefined})")
    page.locator("[data-share]").click()
    expect(page.locator(".head .link")).to_be_focused()
    # It has the key of the table, so that others can open it, too.
    shared = page.evaluate("() => getSelection().toString()")
    assert shared.startswith(f"{page.url}#key=")
    ana.axe()
    for path in ("/history", f"/rules/{game}", "/about", "/nowhere"):
        ana.open(path)
        expect(page.locator("h1").first).to_be_visible()
        if path == "/history":
            expect(page.locator("dl").first).to_be_visible()
        ana.axe()


@pytest.mark.parametrize(("game", "size", "theme"), [
    ("clever", "phone", "light"),
    ("twice", "desktop", "dark"),
])  # fmt: skip
def test_every_screen(guest: Invite, game: str, size: str, theme: str) -> None:
    ana = guest(SIZES[size], color_scheme=theme)
    visit_all(ana, game)


def test_every_language_and_size(guest: Invite, language: str, size: str, theme: str) -> None:
    game = "twice" if size in ("small", "wide", "least") else "clever"
    ana = guest(LONG_SIZES[size], color_scheme=theme, locale=language)
    ana.open()
    expect(ana.page.locator("html")).to_have_attribute(
        "lang", {"sr": "sr-Latn", "en": "en-GB"}.get(language, language)
    )
    height = ana.page.locator("header.top").evaluate("header => header.offsetHeight")
    assert height < 60, "the header takes one line"
    visit_all(ana, game)
    ana.begin(game)
    ana.settled()
    ana.play(40, measure=True)


def test_a_magnified_page_never_scrolls_sideways(guest: Invite) -> None:
    """A desktop at 400 % (WCAG 1.4.10), and a phone at 200 %."""
    ana = guest((320, 256), locale="de")
    page = ana.page

    def look() -> None:
        page.wait_for_load_state("networkidle")
        for width, height in ((320, 256), (195, 332)):
            page.set_viewport_size({"width": width, "height": height})
            wide = page.evaluate("() => document.documentElement.scrollWidth")
            assert wide <= width, (page.url, width, wide)

    ana.begin("twice")
    ana.settled()
    page.click(".act button.primary")
    page.locator("[data-die=w].usable").click()
    look()
    dock = page.locator(".dock").evaluate("dock => getComputedStyle(dock).position")
    assert dock == "static", "it would cover the sheet"
    ana.rush()
    expect(page.locator("[data-fair=yes]")).to_be_visible()
    look()
    for path in (f"/replay/{ana.table}", "/history", "/rules/twice", "/"):
        ana.open(path)
        look()


def colours_on(ana: Guest, selector: str) -> int:
    """How many colours fill more than a fiftieth of something, as the screen shows it."""
    picture = ana.page.locator(selector).first.screenshot(animations="disabled")
    count: int = ana.page.evaluate(
        """async (bytes) => {
          const image = await createImageBitmap(new Blob([new Uint8Array(bytes)]));
          const {width, height} = image;
          const canvas = new OffscreenCanvas(width, height).getContext('2d');
          canvas.drawImage(image, 0, 0);
          const all = new Uint32Array(canvas.getImageData(0, 0, width, height).data.buffer);
          const found = new Map();
          for (const one of all) found.set(one, (found.get(one) ?? 0) + 1);
          return [...found.values()].filter((many) => many > all.length / 50).length;
        }""",
        list(picture),
    )
    return count


def test_forced_colours_and_a_challenge(guest: Invite) -> None:
    ana = guest(forced_colors="active")
    ana.begin("clever")
    ana.settled()
    ana.page.click(".act button.primary")
    expect(ana.page.locator(".dice button").first).to_be_visible()
    ana.axe()
    # A die and its pips, besides the ground and the outline that says that it may be taken.
    assert colours_on(ana, ".dice svg.die") > 2
    # What is chosen and where the focus is look different.
    ana.page.locator("[data-die=w].usable").click()
    look = "one => { const s = getComputedStyle(one); return s.stroke + s.strokeWidth + s.fill }"
    place = ana.page.locator("[data-place]").first
    cell = ana.page.locator(f"[data-cell={place.get_attribute('data-place')}] rect.cell")
    offered, free = cell.evaluate(look), ana.page.locator("rect.cell:not(.offered)").first
    place.focus()
    ana.page.keyboard.press("Enter")
    assert len({free.evaluate(look), offered, cell.evaluate(look)}) == 3
    ana.rush()
    ana.page.click("text=Challenge someone")
    link = ana.page.locator("#challenge").input_value()
    ben = guest(seed=9)
    ben.page.goto(link)
    expect(ben.page.locator("text=Accept")).to_be_visible()
    ben.axe()
    ben.page.click("text=Accept")
    ben.settled()
    ben.page.click(".act button.primary")
    expect(ben.page.locator(".dice button").first).to_be_visible()
    # A table tells only the last part of its story, so the finished game is asked for its steps.
    mine = next(step for step in ana.steps() if (step["input"] or "").startswith("throw"))
    theirs = next(e for e in ben.snapshot()["entries"] if e["what"] == "threw")
    assert mine["events"][0]["faces"] == theirs["events"][0]["faces"]
