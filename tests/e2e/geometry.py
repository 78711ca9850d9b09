"""Where everything of a table is on the screen, at every decision of a game."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from playwright.sync_api import expect

from e2e.driver import MEASURE, Guest

SIZES = ((360, 640), (390, 664), (390, 844), (844, 390), (768, 1024), (1440, 900))

LOOK = """() => {
  const root = document.querySelector('.playing');
  if (!root) return null;
  const wrong = [];
  const inside = (element, what) => {
    const {left, top, right, bottom, width} = element.getBoundingClientRect();
    const past = Math.max(-left, -top, right - innerWidth, bottom - innerHeight);
    if (!width || past > 0.5)
      wrong.push([what, left, top, right, bottom].map(String).join(' '));
  };
  const counts = {};
  const all = (selector, what) => {
    const found = [...root.querySelectorAll(selector)];
    counts[what] = found.length;
    for (const element of found) inside(element, what);
    return found;
  };
  all('.status', 'status line');
  all('.who', 'who is active');
  all('.total', 'points and tracks');
  all('[data-track]', 'track');
  all('.middle .area', 'area');
  all('.middle [data-cell]', 'cell');
  all('.middle .bonus', 'bonus');
  all('.spot .die svg', 'die');
  all('[data-place]', 'offered place');
  for (const bar of all('.act', 'action bar')) {
    const below = innerHeight - bar.getBoundingClientRect().bottom;
    if (innerWidth < 1100 && below > 8) wrong.push(`${below} pixels of nothing below the bar`);
  }
  all('.act .buttons button', 'button');
  all('.others .open', 'rival');
  // Of chips that do not fit, the first are there to be scrolled.
  for (const chip of [...root.querySelectorAll('.chip')].slice(0, 4)) inside(chip, 'chip');
  for (const chip of root.querySelectorAll('.chip')) {
    const {width, height} = chip.getBoundingClientRect();
    if (width < 44 || height < 44) wrong.push(`a chip of ${width} by ${height}`);
  }
  // Nothing lies on top of what is offered.
  for (const place of root.querySelectorAll('[data-place]')) {
    const {left, top, width, height} = place.getBoundingClientRect();
    const hit = document.elementFromPoint(left + width / 2, top + height / 2);
    if (!hit?.closest('.middle .area'))
      wrong.push(`covered: ${place.dataset.place} by ${hit?.outerHTML.slice(0, 200)}`);
  }
  const dice = [...root.querySelectorAll('.spot .die svg')].map((die) => {
    const {top, height} = die.getBoundingClientRect();
    return top + height / 2;
  });
  if (Math.max(...dice) - Math.min(...dice) > 8) wrong.push('the dice are not in one row');
  const {scrollWidth, scrollHeight} = document.documentElement;
  if (scrollWidth > innerWidth || scrollHeight > innerHeight || scrollX || scrollY)
    wrong.push(`scrolls: ${scrollWidth} ${scrollHeight} ${scrollX} ${scrollY}`);
  const where = {};
  const fixed = '.middle .area, .middle [data-cell] rect.cell, .middle .bonus';
  for (const one of root.querySelectorAll(fixed)) {
    const key = one.dataset.area ?? one.dataset.where ?? one.parentElement.dataset.cell;
    // What lights up around a bonus is not the bonus.
    const drawn = one.matches('.bonus') ? one.querySelector(':not(.lit)') : one;
    const {left, top, width, height} = drawn.getBoundingClientRect();
    where[`${one.tagName} ${key}`] = [left, top, width, height];
  }
  return {wrong, where, counts};
}"""

REPLAY = """() => {
  const wrong = [];
  const where = {};
  const parts = '.head, input, .area, [data-cell] rect.cell, .said, .controls, .controls button';
  document.querySelectorAll(parts).forEach((one, i) => {
    const {left, top, right, bottom, width, height} = one.getBoundingClientRect();
    const past = Math.max(-left, -top, right - innerWidth, bottom - innerHeight);
    if (!width || past > 0.5) wrong.push([one.outerHTML.slice(0, 80), left, top, right, bottom]);
    where[i] = [left, top, width, height];
  });
  const {scrollWidth, scrollHeight} = document.documentElement;
  if (scrollWidth > innerWidth || scrollHeight > innerHeight)
    wrong.push(['scrolls', scrollWidth, scrollHeight]);
  return {wrong, where};
}"""


def look_at_replay(guest: Guest, steps: int = 12) -> None:
    """Everything of a replay is in sight, and a step moves nothing, however much is said."""
    page = guest.page
    guest.open(f"/replay/{guest.table}?step=0")
    page.wait_for_selector("#step")
    for width, height in SIZES:
        page.set_viewport_size({"width": width, "height": height})
        page.keyboard.press("Home")
        page.evaluate("() => new Promise((done) => requestAnimationFrame(() => setTimeout(done)))")
        before = None
        for step in range(1, steps):
            page.keyboard.press("ArrowRight")
            expect(page.locator("#step")).to_have_value(str(step))
            seen = page.evaluate(REPLAY)
            assert not seen["wrong"], (width, height, step, seen["wrong"])
            assert before in (None, seen["where"]), (width, height, step)
            before = seen["where"]


@dataclass
class Watch:
    """Looks at a table after every tap, and compares it with how it was before."""

    guest: Guest
    looks: int = 0
    moved: float = 0.0
    """The most that anything of the sheet moved, in pixels."""
    counts: Counter[str] = field(default_factory=Counter)
    _before: dict[str, list[float]] | None = None

    def look(self) -> None:
        page = self.guest.page
        seen: dict[str, Any] | None = page.evaluate(LOOK)
        if seen is None:
            return
        self.looks += 1
        self.counts.update(seen["counts"])
        size = page.viewport_size
        assert not seen["wrong"], (size, self.looks, seen["wrong"])
        small = page.evaluate(MEASURE)
        assert not small, (size, self.looks, small)
        where: dict[str, list[float]] = seen["where"]
        if self._before is not None:
            assert where.keys() == self._before.keys()
            for name, box in where.items():
                by = max(abs(a - b) for a, b in zip(box, self._before[name], strict=True))
                self.moved = max(self.moved, by)
                assert by <= 1, f"{name} moved by {by} pixels at {size}, look {self.looks}"
        self._before = where

    def play(self, most: int = 10_000) -> None:
        """Play by taps, for so many of them or to the end, and look after each."""
        self.look()
        idle = 0
        while most and not self.guest.over:
            if self.guest.tap():
                most, idle = most - 1, 0
                self.look()
            else:
                idle += 1
                assert idle < 400, "nothing to do"
                self.guest.page.wait_for_timeout(20)
