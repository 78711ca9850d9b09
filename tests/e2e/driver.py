"""A player in a real browser, who clicks or uses the keyboard."""

from __future__ import annotations

import json
import random
import re
from pathlib import Path
from typing import Any

from playwright.sync_api import BrowserContext, expect
from server.harness import Server

ROOT = Path(__file__).parents[2]
AXE = ROOT / "web" / "node_modules" / "axe-core" / "axe.min.js"
PATIENCE = 30_000
"""Milliseconds; only what hangs is to fail, however slow the machine."""
PHONE = (390, 844)
DESKTOP = (1280, 800)
Json = dict[str, Any]

MEASURE = """() => {
  const small = [];
  const check = (selector, least) => {
    for (const element of document.querySelectorAll(selector)) {
      const box = element.getBoundingClientRect();
      if (box.width && (box.width < least || box.height < least))
        small.push([selector, Math.round(box.width), Math.round(box.height)]);
    }
  };
  check('.spot > button', innerWidth < 360 ? 36 : 44);
  check('.act button', 44);
  check('.sheet rect.cell', 24);
  const written = '.playing :is(.sheet, .act, .total, .others) text';
  for (const text of document.querySelectorAll(written)) {
    if (text.closest('.mini, .badge')) continue;
    const size = parseFloat(getComputedStyle(text).fontSize) * text.getScreenCTM().a;
    if (size < 11) small.push(['text', text.textContent, size]);
  }
  for (const button of document.querySelectorAll('.act .buttons button')) {
    const words = document.createRange();
    words.selectNodeContents(button);
    const [text, box] = [words.getBoundingClientRect(), button.getBoundingClientRect()];
    if (text.width > box.width - 8) small.push([button.textContent, text.width, box.width]);
    const lines = new Set([...words.getClientRects()].map((line) => line.top)).size;
    if (innerWidth >= 1100 && lines > 1) small.push([button.textContent, `${lines} lines`]);
  }
  const root = document.documentElement;
  if (root.scrollWidth > innerWidth) small.push(['page', root.scrollWidth, innerWidth]);
  return small;
}"""

READ = """() => {
  const small = new Map();
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const parent = node.parentElement;
    const text = node.data.trim();
    // Letters of badges repeat what their shape and colour say, small sheets are pictures.
    if (!text || parent.closest('.hidden, .mini, .badge, script, style, option')) continue;
    if (!parent.checkVisibility({visibilityProperty: true, opacityProperty: true})) continue;
    const scale = parent instanceof SVGGraphicsElement ? parent.getScreenCTM().a : 1;
    const size = parseFloat(getComputedStyle(parent).fontSize) * scale;
    if (size < 10.99) small.set(`${parent.tagName}.${parent.getAttribute('class')}`, [text, size]);
  }
  return [...small];
}"""


class Guest:
    """One person with a browser of their own; anything that goes wrong there is remembered."""

    def __init__(self, context: BrowserContext, server: Server, seed: int = 0) -> None:
        self.server = server
        self.context = context
        self.page = context.new_page()
        self.page.set_default_timeout(PATIENCE)
        self.random = random.Random(seed)
        self.complaints: list[str] = []
        self.down = False
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("console", self._console)
        self.page.on("request", self._request)

    def _console(self, message: Any) -> None:
        if message.type == "error" and not self.down:
            self.complaints.append(f"{message.text} {message.location.get('url', '')}")

    def _request(self, request: Any) -> None:
        if not request.url.startswith((self.server.url, self.server.url.replace("http", "ws"))):
            if not request.url.startswith(("data:", "blob:")):
                self.complaints.append(f"a request left the server: {request.url}")

    def open(self, path: str = "/") -> None:
        self.page.goto(self.server.url + path)

    def introduce(self, name: str) -> None:
        """Give a name on the first page."""
        self.open()
        self.page.fill("#name", name)
        with self.page.expect_response(lambda one: one.request.method == "PUT"):
            self.page.keyboard.press("Tab")

    def begin(self, game: str, how: str = "solo") -> None:
        """Begin a game from the first page."""
        self.open()
        self.page.click(f"[data-start={game}-{how}]")
        if how == "bots":
            self.level("Greedy")  # it is ready at once; better ones compile first
        if how in ("bots", "friends"):
            self.page.click(f"[data-go={game}]")

    def level(self, name: str) -> None:
        """Choose how good the bots are."""
        self.page.click(f"[aria-label=Level] button:has-text('{name}')")

    @property
    def table(self) -> str:
        return re.split("[?#]", self.page.url.split("/t/")[1])[0]

    @property
    def over(self) -> bool:
        return self.page.locator("main.end").count() > 0

    def snapshot(self) -> Json:
        """The table as the server sees it."""
        answer = self.context.request.get(f"{self.server.url}/api/tables/{self.table}")
        found: Json = answer.json()
        return found

    def steps(self) -> list[Json]:
        """The first steps of the finished game."""
        answer = self.context.request.get(f"{self.server.url}/api/tables/{self.table}/steps")
        found: list[Json] = answer.json()["steps"]
        return found

    def command(self, **command: Any) -> Json:
        """A command of mine over HTTP, to get somewhere quickly."""
        command["id"] = f"h{self.random.getrandbits(60):x}"
        url = f"{self.server.url}/api/tables/{self.table}/commands"
        answer: Json = self.context.request.post(
            url, data=json.dumps(command), headers={"content-type": "application/json"}
        ).json()
        return answer

    def answered(self) -> None:
        """What was pressed last has been answered: only then is there something to press."""
        self.page.wait_for_function("() => !document.querySelector('.act[aria-busy=true]')")

    def step(self, held: float = 0) -> bool:
        """One click towards the end of the game; False if there is nothing to do.

        The main button is held for so many milliseconds.
        """
        page = self.page
        self.answered()
        state = page.evaluate(
            """() => {
              const count = (selector) => document.querySelectorAll(selector).length;
              return {
                go: count('.act button.primary:not(:disabled)'),
                choices: count('.choices button'),
                places: count('[data-place]'),
                dice: count('.spot > button'),
                held: count('.spot > button[aria-pressed=true]'),
                pass: count('.act .pass'),
              };
            }"""
        )
        if state["go"]:
            page.locator(".act button.primary").click(delay=held)
        elif state["choices"]:
            self._any(".choices button", state["choices"])
        elif state["places"] and (state["held"] or not state["dice"]):
            self._any("[data-place]", state["places"])
        elif state["dice"]:
            self._any(".spot > button", state["dice"])
        elif state["pass"]:
            page.locator(".act .pass").click()
        else:
            return False
        return True

    def tap(self) -> bool:
        """The same by what a finger touches: dice, then a chip or a cell, and the main button."""
        found: bool = self.page.evaluate(
            """async ([one, other]) => {
              const all = (selector) => [...document.querySelectorAll(selector)];
              if (document.querySelector('.act[aria-busy=true]')) return false;
              const touch = (list) => {
                const element = list[Math.floor(one * list.length)];
                for (const what of ['pointerdown', 'pointerup'])
                  element?.dispatchEvent(new PointerEvent(what, {bubbles: true}));
                const {left, top, width, height} = element?.getBoundingClientRect() ?? {};
                element?.dispatchEvent(new MouseEvent('click', {bubbles: true, detail: 1,
                  clientX: left + width / 2, clientY: top + height / 2}));
                return !!element;
              };
              const dice = all('.spot > button');
              const held = dice.some((die) => die.getAttribute('aria-pressed') === 'true');
              const reroll = other < 0.1 ? all('[data-act=reroll]') : [];
              const acted = touch(all('.act button.primary:not(:disabled)')) || touch(reroll) ||
                (other < 0.5 && touch(all('.chip'))) ||
                ((held || !dice.length) && touch(all('[data-place]'))) ||
                touch(all('.chip')) || touch(dice) || touch(all('.act .pass'));
              await new Promise(requestAnimationFrame);
              return acted;
            }""",
            [self.random.random(), self.random.random()],
        )
        return found

    def hurry(self) -> Json:
        """The same, by the page's own events and in one go: many browsers share few cores."""
        found: Json = self.page.evaluate(
            """(chance) => {
              if (document.querySelector('main.end')) return {over: true};
              if (document.querySelector('.act[aria-busy=true]')) return {};
              const all = (selector) => [...document.querySelectorAll(selector)];
              const touch = (list) => {
                if (!list.length) return false;
                const one = list[Math.floor(chance * list.length)];
                one.dispatchEvent(new MouseEvent('click', {bubbles: true}));
                return true;
              };
              const dice = all('.spot > button');
              const held = dice.some((die) => die.getAttribute('aria-pressed') === 'true');
              const acted = touch(all('.act button.primary:not(:disabled)')) ||
                touch(all('.choices button')) ||
                ((held || !dice.length) && touch(all('[data-place]'))) ||
                touch(dice) || touch(all('.act .pass'));
              return {acted, choosing: dice.length > 0};
            }""",
            self.random.random(),
        )
        return found

    def dash(self, rounds: int = 99) -> None:
        """To the end, or to a round (from 1), by touching what there is, all within the page."""
        self.page.evaluate(
            """async ([seed, rounds]) => {
              const all = (selector) => [...document.querySelectorAll(selector)];
              const chance = () => (seed = seed * 48271 % 2147483647) / 2147483647;
              const touch = (list) => {
                const one = list[Math.floor(chance() * list.length)];
                one?.dispatchEvent(new MouseEvent('click', {bubbles: true}));
                return !!one;
              };
              const told = () => all('.status .number')[0]?.textContent;
              const round = () => Number(/\\d+/.exec(told())?.[0] ?? 0);
              for (let idle = 0; !all('main.end').length && round() < rounds; ) {
                const dice = all('.spot > button');
                const held = dice.some((die) => die.getAttribute('aria-pressed') === 'true');
                const acted = !all('.act[aria-busy=true]').length && (
                  touch(all('.act button.primary:not(:disabled)')) ||
                  touch(all('.choices button')) ||
                  ((held || !dice.length) && touch(all('[data-place]'))) || touch(dice) ||
                  touch(all('.act .pass')));
                idle = acted ? 0 : idle + 1;
                if (idle > 5000) throw new Error('nothing to do');
                await new Promise((done) => setTimeout(done, acted ? 0 : 5));
              }
            }""",
            [self.random.randrange(1, 10**6), rounds],
        )

    def rush(self) -> None:
        """To the end of a solo game over HTTP, from within the page."""
        over = self.page.evaluate(
            """async ([table, chances]) => {
              const post = (command) => fetch(`/api/tables/${table}/commands`, {
                method: 'POST',
                headers: {'content-type': 'application/json'},
                body: JSON.stringify({...command, id: crypto.randomUUID()}),
              });
              for (const chance of chances) {
                const {game} = await (await fetch(`/api/tables/${table}`)).json();
                if (game.over) return true;
                const {legal} = game.seats[0];
                await post(game.rolling.length ? {type: 'roll'} :
                  {type: 'play', action: legal[Math.floor(chance * legal.length)].action});
              }
              return false;
            }""",
            [self.table, [self.random.random() for _ in range(600)]],
        )
        assert over, "the game does not end"

    def _any(self, selector: str, count: int) -> None:
        """Touch one of several; what moved away meanwhile is touched next time."""
        place = self.page.locator(selector).nth(self.random.randrange(count))
        place.click(force=True)

    def play(self, steps: int = 10_000, measure: bool = False) -> None:
        """Click until the game is over, or for so many steps."""
        idle = 0
        while steps and not self.over:
            if self.step():
                steps, idle = steps - 1, 0
                if measure:
                    small = self.page.evaluate(MEASURE)
                    assert not small, f"too small, or too wide: {small}"
            else:
                idle += 1
                assert idle < 400, f"nothing to do: {self.page.locator('.act').inner_text()}"
                self.page.wait_for_timeout(25)

    def menu(self, entry: str) -> None:
        """Open something from the menu of the table."""
        self.page.click("[data-menu]")
        self.page.click(f"dialog button:text-is('{entry}')")

    def axe(self) -> None:
        """No screen has a problem that axe-core finds, nor writing that is too small to read."""
        if self.page.viewport_size and self.page.viewport_size["width"] >= 360:
            small = self.page.evaluate(READ)
            assert not small, f"writing below 11 px: {small}"
        if not self.page.evaluate("() => 'axe' in window"):
            # Through the debugger, which the page's own policy does not reach.
            self.page.evaluate(AXE.read_text(encoding="utf-8"))
        # At the end of a page nothing is half covered by a bar, which would count as too small.
        self.page.evaluate("() => scrollTo(0, document.documentElement.scrollHeight)")
        found = self.page.evaluate(
            """() => axe.run(document, {runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa',
              'wcag22aa', 'best-practice']}).then((result) => result.violations.map(
              (one) => [one.id, one.nodes.slice(0, 3).map((node) => node.html.slice(0, 160))]))"""
        )
        assert not found, found
        width = self.page.evaluate("() => [document.documentElement.scrollWidth, innerWidth]")
        assert width[0] <= width[1], "the page scrolls sideways"

    def marks(self, where: str = "main") -> dict[str, int]:
        """The marks that a sheet on the screen shows."""
        shown = self.page.eval_on_selector_all(
            f"{where} [data-cell]",
            "all => all.map(one => [one.dataset.cell, Number(one.dataset.mark)])",
        )
        return {cell: mark for cell, mark in shown if mark}

    def shows(self, marks: dict[str, int]) -> None:
        """The own sheet comes to show these marks."""
        for _ in range(PATIENCE // 50):
            if self.marks(".playing .middle") == marks:
                return
            self.page.wait_for_timeout(50)
        assert self.marks(".playing .middle") == marks

    def settled(self) -> None:
        """The table is on the screen and connected."""
        expect(self.page.locator(".act")).to_be_visible()

    def finish(self) -> None:
        assert not self.complaints, self.complaints
        self.context.close()
