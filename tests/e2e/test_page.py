"""What surrounds the games: the turn clock, colours for everybody, links, the manifest."""

from __future__ import annotations

import itertools
import json
import re
import sqlite3
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Route, expect
from server.harness import Server

from e2e.conftest import Invite
from e2e.driver import DESKTOP, MEASURE, PATIENCE, PHONE, Guest

Colour = tuple[float, float, float]

# How a colour reaches those without cones for red or green (Machado, Oliveira, Fernandes 2009).
SIGHTS = {
    "full": ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)),
    "protanopia": (
        (0.152286, 1.052583, -0.204868),
        (0.114503, 0.786281, 0.099216),
        (-0.003882, -0.048116, 1.051998),
    ),
    "deuteranopia": (
        (0.367322, 0.860646, -0.227968),
        (0.280085, 0.672501, 0.047413),
        (-0.011820, 0.042940, 0.968881),
    ),
}


def seen(sight: str, text: str) -> Colour:
    """A colour like #aabbcc as somebody sees it, in linear light."""
    channels = [int(text[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    light = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    red, green, blue = (
        min(1.0, max(0.0, sum(part * one for part, one in zip(row, light, strict=True))))
        for row in SIGHTS[sight]
    )
    return red, green, blue


def contrast(one: Colour, other: Colour) -> float:
    """The contrast of WCAG, from 1 to 21."""
    shades = [0.2126 * red + 0.7152 * green + 0.0722 * blue for red, green, blue in (one, other)]
    return (max(shades) + 0.05) / (min(shades) + 0.05)


def lab(colour: Colour) -> Colour:
    """Oklab, where equal distances look equally different."""
    red, green, blue = colour
    long = (0.4122214708 * red + 0.5363325363 * green + 0.0514459929 * blue) ** (1 / 3)
    middle = (0.2119034982 * red + 0.6806995451 * green + 0.1073969566 * blue) ** (1 / 3)
    short = (0.0883024619 * red + 0.2817188376 * green + 0.6299787005 * blue) ** (1 / 3)
    return (
        0.2104542553 * long + 0.7936177850 * middle - 0.0040720468 * short,
        1.9779984951 * long - 2.4285922050 * middle + 0.4505937099 * short,
        0.0259040371 * long + 0.7827717662 * middle - 0.8086757660 * short,
    )


def distance(one: Colour, other: Colour) -> float:
    pairs = zip(lab(one), lab(other), strict=True)
    return float(sum((a - b) ** 2 for a, b in pairs) ** 0.5)


def palette(ana: Guest) -> dict[str, str]:
    """The colours of the page and of its game as they are in force."""
    found: dict[str, str] = ana.page.evaluate(
        """() => {
          const style = getComputedStyle(document.querySelector('[data-game]'));
          const names = [...document.styleSheets, ...document.adoptedStyleSheets]
            .flatMap((sheet) => [...sheet.cssRules]).flatMap((rule) => [...(rule.style ?? [])])
            .filter((name) => name.startsWith('--') && style.getPropertyValue(name));
          const canvas = document.createElement('canvas').getContext('2d');
          const hex = (text) => { canvas.fillStyle = text; return canvas.fillStyle; };
          return Object.fromEntries(names.map((name) =>
            [name.slice(2), hex(style.getPropertyValue(name).trim())]));
        }"""
    )
    return found


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("game", ["clever", "twice"])
def test_colours_for_everybody(guest: Invite, game: str, theme: str) -> None:
    """Nobody needs to see a colour, and who sees fewer can still tell them apart."""
    ana = guest(DESKTOP, color_scheme=theme)
    ana.begin(game)
    ana.settled()
    ana.page.click(".act button.primary")
    expect(ana.page.locator("button.usable").first).to_be_visible()
    drawn = ana.page.evaluate(
        """() => {
          const read = (svg) => [svg.querySelector('text:last-of-type')?.textContent.trim(),
            svg.querySelector('path:last-of-type')?.getAttribute('d')];
          return {
            dice: [...document.querySelectorAll('.dice svg.die')].map(read),
            areas: [...document.querySelectorAll('.middle .title svg')].map(read),
          };
        }"""
    )
    for kind, count in (("dice", 6), ("areas", 5)):
        letters = {letter for letter, _ in drawn[kind]}
        shapes = {shape for _, shape in drawn[kind]}
        assert len(letters) == len(shapes) == len(drawn[kind]) == count, (kind, drawn[kind])
        assert not {None, ""} & (letters | shapes)
    colours = palette(ana)
    dice = [die["colour"] for die in sheet_of(ana, game)["dice"]]
    areas = [area["colour"] for area in sheet_of(ana, game)["areas"]]
    for sight in SIGHTS:
        look = {name: seen(sight, text) for name, text in colours.items() if text[0] == "#"}
        for one in dice:
            assert contrast(look[f"{one}-on"], look[f"{one}-strong"]) >= 4.5, (sight, one)
        for one in areas:
            assert contrast(look[f"{one}-ink"], look[f"{one}-soft"]) >= 4.5, (sight, one)
            assert contrast(look[f"{one}-ink"], look["cell"]) >= 4.5, (sight, one)
        for one, other in itertools.combinations(dice, 2):
            apart = distance(look[f"{one}-strong"], look[f"{other}-strong"])
            assert apart >= 0.07, (sight, one, other, apart)
        for one, other in itertools.combinations(areas, 2):
            apart = distance(look[f"{one}-soft"], look[f"{other}-soft"])
            assert apart >= 0.019, (sight, one, other, apart)


def sheet_of(ana: Guest, game: str) -> dict[str, list[dict[str, str]]]:
    found: dict[str, list[dict[str, str]]] = ana.context.request.get(
        f"{ana.server.url}/api/sheets/{game}"
    ).json()
    return found


def test_a_clock_and_a_stand_in_are_chosen_and_shown(guest: Invite) -> None:
    ana = guest()
    ana.open()
    ana.page.click("summary")
    ana.page.select_option("#clock", "120")
    expect(ana.page.locator("#stand-in option").first).to_have_text("Solid")
    ana.page.select_option("#stand-in", "strong")
    ana.axe()
    ana.page.click("[data-start=clever-friends]")
    ana.page.click("[data-go=clever]")
    expect(ana.page.locator("main")).to_contain_text("Time per decision: 2 minutes")
    expect(ana.page.locator("main")).to_contain_text("Stand-in for absent players: Strong")
    assert ana.snapshot()["table"]["clock"] == 120
    assert ana.snapshot()["table"]["stand_in"] == "strong"
    ana.page.click("text=Add bot")  # and the table is full: it begins
    ana.settled()
    expect(ana.page.locator(".status [role=timer]")).to_have_text(re.compile(r"^[12]:\d\d$"))
    expect(ana.page.locator(".status [aria-live]")).to_have_text("")
    ana.axe()
    # Alone one has all the time there is.
    ana.begin("clever")
    ana.settled()
    assert ana.snapshot()["table"]["clock"] == 0
    expect(ana.page.locator("[role=timer]")).to_have_count(0)


def noted(*selectors: str) -> str:
    """A script that notes what can be read in some places, however short a time."""
    return f"""
      window.noted = [];
      new MutationObserver(() => {{
        for (const place of document.querySelectorAll({json.dumps(", ".join(selectors))}))
          if (!window.noted.includes(place.textContent)) window.noted.push(place.textContent);
      }}).observe(document, {{ childList: true, characterData: true, subtree: true }});
    """


def test_a_clock_that_runs_out(guest: Invite) -> None:
    ana = guest()
    ana.introduce("Ana")
    wish = {"game": "clever", "seats": [{"kind": "me"}, {"kind": "bot"}], "clock": 4}
    made = ana.context.request.post(
        f"{ana.server.url}/api/tables",
        data=json.dumps(wish),
        headers={"content-type": "application/json"},
    ).json()
    # The bots of this server do not pause: what they do is shown for a moment only.
    ana.page.add_init_script(noted(".status [aria-live]", ".stand_in"))
    ana.open(f"/t/{made['id']}")
    expect(ana.page.locator("main.end")).to_be_visible(timeout=2 * PATIENCE)
    seen = " ".join(ana.page.evaluate("window.noted"))
    assert "10 seconds left to decide." in seen
    assert "A bot is playing for you." in seen


@pytest.mark.parametrize("size", [(320, 640), PHONE, (844, 390)])
@pytest.mark.parametrize("game", ["clever", "twice"])
def test_every_sheet_is_large_enough(guest: Invite, game: str, size: tuple[int, int]) -> None:
    """The own sheet and an enlarged one: no cell below 24 pixels, and writing that can be read."""
    ana = guest(size)
    ana.open()
    ana.page.click(f"[data-start={game}-bots]")
    ana.page.click(f"[data-go={game}]")
    ana.settled()
    assert not ana.page.evaluate(MEASURE)
    ana.page.locator("button.open").first.click()
    expect(ana.page.locator("dialog .sheet")).to_be_visible()
    assert not ana.page.evaluate(MEASURE)


@pytest.mark.parametrize("how", ["solo", "bots"])
def test_a_table_where_nobody_is_expected_shows_no_lobby(guest: Invite, how: str) -> None:
    ana = guest()
    ana.page.add_init_script(noted("main.lobby"))
    ana.begin("clever", how)
    expect(ana.page.locator(".act button.primary")).to_be_visible()
    assert not ana.page.evaluate("window.noted")
    ana.begin("clever", "friends")
    expect(ana.page.locator("main.lobby")).to_be_visible()
    assert ana.page.evaluate("window.noted")


def test_a_game_of_which_only_the_result_is_kept(guest: Invite, server: Server) -> None:
    ana = guest()
    ana.introduce("Ana")
    me = ana.context.request.get(f"{server.url}/api/me").json()["player"]["id"]
    row = ("long ago", 0, me, "clever", 1, 1, 199, "[30,40,50,60,7]", 1, 7, 1, 0)
    columns = '"table", seat, player, game, seats, finished, total, areas, foxes, fox_value, won'
    with sqlite3.connect(server.db) as connection:
        connection.execute(
            f"INSERT INTO results ({columns}, practice) VALUES ({','.join('?' * len(row))})", row
        )
    connection.close()
    ana.open("/history")
    line = ana.page.locator("li", has_text="199")
    expect(line).to_contain_text("only the result was kept")
    assert line.locator("a").count() == 0
    ana.axe()
    asked = addresses_asked(ana)
    ana.page.select_option("header select", "de")
    expect(line).to_contain_text("nur das Ergebnis ist gespeichert")
    told = [url for url in asked if "/api/" in url]
    assert [urlsplit(url).path for url in told] == ["/api/games"], "other words are no other games"


def test_the_rules_of_the_game_that_was_chosen_last(guest: Invite) -> None:
    """An answer that comes late does not take the place of a newer one."""
    ana = guest()
    late: list[Route] = []
    ana.page.route("**/api/rules/clever*", lambda route: late.append(route))
    ana.open("/rules/clever")
    ana.page.click("a[href='/rules/twice']")
    expect(ana.page.locator("h1")).to_contain_text("Twice as Clever")
    late.pop().continue_()
    # Whatever is asked after it is read after it.
    ana.page.unroute("**/api/rules/clever*")
    for _ in range(3):
        ana.page.evaluate("() => fetch('/api/rules/clever?language=en').then((one) => one.text())")
    expect(ana.page.locator("h1")).to_contain_text("Twice as Clever")


def test_many_games_to_go_on_with(guest: Invite) -> None:
    """A few of them are shown, and leaving one alone gives nothing up."""
    ana = guest((320, 640))
    ana.introduce("Ana")
    for _ in range(4):
        ana.context.request.post(
            f"{ana.server.url}/api/tables",
            data=json.dumps({"game": "clever", "seats": [{"kind": "me"}]}),
            headers={"content-type": "application/json"},
        )
    ana.open()
    lines = ana.page.locator("li:has([data-continue])")
    expect(lines).to_have_count(3)
    ana.page.click("text=Show all (4)")
    expect(lines).to_have_count(4)
    ana.axe()
    lines.first.click()
    ana.settled()
    ana.menu("Leave table")
    expect(ana.page.locator("dialog")).to_contain_text("You can come back to this game")
    expect(ana.page.locator("dialog >> text=Give up my seat")).to_have_count(0)
    ana.page.click("text=Leave and come back later")
    expect(lines.first).to_be_visible()


class Held:
    """Holds back what a page asks about its player, as a slow line does."""

    def __init__(self, guest: Guest) -> None:
        self.page = guest.page
        self.asked: list[str] = []
        self.waiting: list[Route] = []
        self.page.route("**/api/me", self._hold)

    def _hold(self, route: Route) -> None:
        self.asked.append(route.request.method)
        self.waiting.append(route)

    def release(self, until: str) -> None:
        """Let everything through until this is on the screen."""
        for _ in range(500):
            while self.waiting:
                self.waiting.pop().continue_()
            if self.page.locator(until).first.is_visible():
                return
            self.page.wait_for_timeout(20)
        raise AssertionError(f"{until} did not come")


def test_a_name_typed_before_the_server_answers(guest: Invite) -> None:
    """On a slow line the name stays as typed, and makes one player, not two."""
    ana = guest()
    line = Held(ana)
    ana.open()
    ana.page.fill("#name", "Ana")
    line.release(".picture svg")
    expect(ana.page.locator("#name")).to_have_value("Ana")
    # Leaving the field and pressing the button both want to introduce.
    ana.page.click("[data-start=clever-friends]")
    ana.page.click("[data-go=clever]")
    line.release("#invite")
    assert line.asked.count("PUT") == 1
    assert ana.snapshot()["table"]["seats"][0]["name"] == "Ana"


def test_a_game_begun_before_the_server_answers(guest: Invite) -> None:
    """Somebody who is known keeps the name, however fast the first tap comes."""
    ana = guest()
    ana.introduce("Ana")
    line = Held(ana)
    ana.open()
    ana.page.click("[data-start=clever-bots]")
    ana.page.click("[data-go=clever]")
    line.release(".act")
    assert ana.snapshot()["table"]["seats"][0]["name"] == "Ana"


def test_what_is_lost_once_is_asked_for_again(guest: Invite) -> None:
    """No request that fails leaves a dead page: everything is lost once, and comes all the same."""
    ana = guest()
    ana.introduce("Ana")
    ana.down = True  # the browser complains about what it loses
    lost: set[str] = set()

    def lose(route: Route) -> None:
        path = urlsplit(route.request.url).path
        if path in lost:
            route.fallback()
        else:
            lost.add(path)
            route.abort()

    parts = r"/assets/(en|End)-|/api/(me$|sheets$|tables/.*/(course|record))"
    ana.page.route(re.compile(parts), lose)
    ana.open()
    expect(ana.page.locator(".picture:has(svg)")).to_have_count(2)
    ana.page.click("[data-start=clever-bots]")
    expect(ana.page.locator("[data-go=clever]")).to_be_enabled()
    assert "/api/me" in lost
    lost.clear()
    ana.page.click("[data-start=clever-solo]")
    ana.settled()
    ana.rush()
    expect(ana.page.locator("main.end figure svg").first).to_be_visible()
    expect(ana.page.locator("[data-fair=yes]")).to_be_visible()
    for part in ("/End-", "/course", "/record"):
        assert any(part in path for path in lost), part


def test_the_page_can_be_installed(guest: Invite) -> None:
    ana = guest()
    ana.open()
    debugger = ana.context.new_cdp_session(ana.page)
    manifest = debugger.send("Page.getAppManifest")
    assert manifest["url"] == f"{ana.server.url}/manifest.webmanifest"
    assert manifest["errors"] == []
    told = json.loads(manifest["data"])
    assert (told["display"], told["start_url"], told["scope"]) == ("standalone", "./", "./")
    icons = [(icon["src"], icon["sizes"]) for icon in told["icons"]]
    touch = ana.page.get_attribute("link[rel=apple-touch-icon]", "href")
    for source, sizes in [*icons, (touch, "180x180")]:
        size = ana.page.evaluate(
            """async (source) => {
              const image = new Image();
              image.src = source;
              await image.decode();
              return [image.naturalWidth, image.naturalHeight];
            }""",
            source,
        )
        assert (sizes == "any" and min(size) > 0) or sizes == "{}x{}".format(*size), source
    assert {"192x192", "512x512"} <= {sizes for _, sizes in icons}


def addresses_asked(guest: Guest) -> list[str]:
    """The addresses that a page asks from now on."""
    asked: list[str] = []
    guest.page.on("request", lambda request: asked.append(request.url))
    return asked


def test_links_with_a_key(guest: Invite) -> None:
    """The key of a link is in its fragment; older links had it in the query."""
    ana = guest()
    ana.begin("clever", "friends")
    link = ana.page.locator("#invite").input_value()
    assert "#key=" in link
    older = link.replace("#", "?")
    for invitation in (link, older):
        ben = guest()
        asked = addresses_asked(ben)
        ben.page.goto(invitation)
        expect(ben.page.locator("main.lobby h2").first).to_contain_text("invites you to")
        # The link to the content leaves the key where it is.
        ben.page.locator("a.skip").focus()
        ben.page.keyboard.press("Enter")
        assert ben.page.url == invitation
        assert ben.page.evaluate("() => document.activeElement.id") == "content"
        assert [url for url in asked if "key=" in url and url != invitation] == []
    ben.page.fill("#name", "Ben")
    ben.page.click("[data-join]")
    expect(ana.page.locator("main.lobby")).to_contain_text("Ben")


def test_links_to_a_finished_game(guest: Invite) -> None:
    """Somebody who was not there can follow links to the replay and to a moment of it."""
    ana = guest()
    ana.begin("clever")
    ana.settled()
    ana.rush()
    with ana.page.expect_download() as download:
        ana.page.click("[data-record]")
    assert download.value.suggested_filename == f"{ana.table}.fox"
    assert "clever" in download.value.path().read_text(encoding="utf-8")
    replay = ana.page.get_attribute("a[href^='/replay/']", "href") or ""
    path, key = replay.split("#key=")
    for address in (replay, f"{path}?step=5#key={key}", f"{path}?key={key}&step=5"):
        ben = guest()
        ben.open(address)
        expect(ben.page.locator("#step")).to_be_visible()
        expect(ben.page.locator("#step")).to_have_value("5" if "step" in address else "0")
        ben.page.click("[aria-label='Next step']")
        at = int(ben.page.locator("#step").input_value())
        assert ben.page.url == f"{ben.server.url}{path}?step={at}#key={key}"


def test_a_replay_plays_by_itself(guest: Invite) -> None:
    """From the beginning; a key stops it, Space lets it go on, and one jumps to one's own moves."""
    ana = guest(reduced_motion="no-preference")
    ana.begin("clever")
    ana.settled()
    ana.rush()
    steps = ana.steps()
    page = ana.page
    step, play = page.locator("#step"), page.locator("[data-play]")
    visited: list[str] = []
    page.on("framenavigated", lambda frame: visited.append(frame.url.partition("step=")[2]))
    page.click("main.end a[href^='/replay/']")
    page.wait_for_url("**step=1*")
    assert [at[:1] for at in visited[:2]] == ["", "1"]
    page.keyboard.press("ArrowRight")
    expect(play).to_have_attribute("aria-label", "Play")
    page.keyboard.press("Home")
    expect(step).to_have_value("0")
    own = [at for at, one in enumerate(steps) if one["seat"] == 0]
    for key, at in (("ArrowDown", own[0]), ("ArrowDown", own[1]), ("ArrowUp", own[0])):
        page.keyboard.press(key)
        expect(step).to_have_value(str(at))
    page.click("[data-own=on]")
    expect(step).to_have_value(str(own[1]))
    page.locator("#content").focus()
    page.keyboard.press("Space")
    expect(play).to_have_attribute("aria-label", "Pause")


def test_nothing_is_loaded_before_it_is_needed(guest: Invite) -> None:
    """Until the first move, two scripts are enough: the page and the words of its language."""
    ana = guest(reduced_motion="no-preference")
    asked: list[str] = []
    ana.page.on("request", lambda one: asked.append(one.url))
    ana.begin("clever")
    expect(ana.page.locator(".act button.primary")).to_be_enabled()
    ana.page.wait_for_load_state("networkidle")
    scripts = [url for url in asked if url.endswith(".js")]
    assert len(scripts) == 2, scripts


def test_two_windows_answer_once(guest: Invite) -> None:
    """What another window has decided meanwhile is not decided again."""
    ana = guest()
    ana.begin("clever")
    ana.settled()
    # A window that does not hear of anything new, but is heard.
    other = ana.context.new_page()
    deaf = """() => {
      const add = Object.getOwnPropertyDescriptor(WebSocket.prototype, 'onmessage');
      Object.defineProperty(WebSocket.prototype, 'onmessage', {
        get: add.get,
        set(hear) {
          const held = [];
          window.listen = () => { window.deaf = false; held.splice(0).forEach((one) => hear(one)) };
          add.set.call(this, hear && ((one) => {
            const news = JSON.parse(one.data).type === 'update';
            if (window.deaf && news) held.push(one); else hear(one);
          }));
        },
      });
    }"""
    other.add_init_script(f"({deaf})()")
    other.goto(ana.page.url)
    expect(other.locator(".act button.primary")).to_be_enabled()
    other.evaluate("() => { window.deaf = true }")
    ana.page.click(".act button.primary")
    expect(ana.page.locator("[data-die].usable").first).to_be_visible()
    seq = ana.snapshot()["seq"]
    other.click(".act button.primary")
    expect(other.locator(".act [role=alert]")).to_contain_text("already been decided")
    assert ana.snapshot()["seq"] == seq
    other.evaluate("() => window.listen()")
    expect(other.locator("[data-die].usable").first).to_be_visible()
    other.close()
