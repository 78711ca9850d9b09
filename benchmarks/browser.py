"""Measures the speed of the page (`make bench-browser`), with a real server and browser."""

from __future__ import annotations

import statistics
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from e2e.conftest import CHROMIUM, FLAGS
from e2e.driver import DESKTOP, Guest
from server.harness import Server

LOCALES = ("en", "de", "nl", "sr")
PRESS_MS = (50.0, 100.0)
"""How long a finger holds a button. A click without a pause comes right after a frame, always in
the same phase, and Chromium delivers the answer to it only after the next frame: that would measure
the worst case as if it were the usual one."""

WATCH = """() => {
  window.marks = [];
  window.tasks = [];
  let tapped = 0;
  addEventListener('click', (event) => {
    if (event.target.closest('.act button.primary')) tapped = performance.now();
  }, true);
  new MutationObserver(() => {
    if (!tapped) return;
    const from = tapped;
    tapped = 0;
    requestAnimationFrame(() => marks.push(performance.now() - from));
  }).observe(document.body, {subtree: true, attributeFilter: ['data-mark']});
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) tasks.push(entry.duration);
  }).observe({entryTypes: ['longtask']});
}"""


def play(browser: Browser, server: Server, bots: int) -> tuple[list[float], list[float]]:
    """Play a game by clicks; milliseconds from tap to visible mark, and of tasks above 50 ms.

    Both are times by the clock: a task that waits for a busy core counts as long, too.
    """
    width, height = DESKTOP
    context = browser.new_context(viewport={"width": width, "height": height}, locale="en-GB")
    guest = Guest(context, server, seed=1)
    guest.open()
    if bots:
        guest.page.click("[data-start=twice-bots]")
        guest.page.click(f"[aria-label='How many bots?'] button:has-text('{bots}')")
        guest.level("Greedy")
        guest.page.click("[data-go=twice]")
    else:
        guest.page.click("[data-start=twice-solo]")
    guest.settled()
    guest.page.evaluate(WATCH)
    while not guest.over:
        if not guest.step(held=guest.random.uniform(*PRESS_MS)):
            guest.page.wait_for_timeout(20)
    marks: list[float] = guest.page.evaluate("() => marks")
    tasks: list[float] = guest.page.evaluate("() => tasks")
    context.close()
    return marks, tasks


def bytes_before_the_first_move(browser: Browser, server: Server, locale: str) -> tuple[int, int]:
    """What a newcomer receives until the first roll: by HTTP and by the socket, with headers."""
    context = browser.new_context(viewport={"width": 390, "height": 844}, locale=locale)
    guest = Guest(context, server, seed=1)
    debugger = context.new_cdp_session(guest.page)
    debugger.send("Network.enable")
    sizes: list[int] = []
    frames: list[int] = []
    debugger.on("Network.loadingFinished", lambda event: sizes.append(event["encodedDataLength"]))
    debugger.on(
        "Network.webSocketHandshakeResponseReceived",
        lambda event: frames.append(len(event["response"]["headersText"])),
    )
    debugger.on(
        "Network.webSocketFrameReceived",
        lambda event: frames.append(framed(len(event["response"]["payloadData"].encode()))),
    )
    guest.begin("clever")
    guest.settled()
    guest.page.wait_for_timeout(500)
    context.close()
    return sum(sizes), sum(frames)


def framed(size: int) -> int:
    """The bytes of a message of a socket with the head of its frame."""
    return size + (2 if size < 126 else 4)


def nodes_kept(browser: Browser, server: Server, games: int = 10) -> list[int]:
    """How many nodes the page holds after each of some games, one after the other."""
    context = browser.new_context(viewport={"width": 390, "height": 844}, locale="en-GB")
    guest = Guest(context, server, seed=1)
    debugger = context.new_cdp_session(guest.page)
    guest.begin("clever")
    found: list[int] = []
    for _ in range(games):
        guest.settled()
        guest.rush()
        # Not wait_for_selector: it hands out the element, which would then be kept.
        guest.page.wait_for_function("() => !!document.querySelector('main.end')")
        debugger.send("HeapProfiler.collectGarbage")
        found.append(debugger.send("Memory.getDOMCounters")["nodes"])
        guest.page.click("text=Play again")
    context.close()
    return found


def main() -> None:
    with (
        tempfile.TemporaryDirectory() as folder,
        Server(Path(folder) / "store.db") as server,
        sync_playwright() as playwright,
    ):
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        marks, _ = play(browser, server, bots=0)
        print(
            f"tap to visible mark: median {statistics.median(marks):.0f} ms, "
            f"worst of {len(marks)} {max(marks):.0f} ms (goal 30)"
        )
        _, tasks = play(browser, server, bots=3)
        print(f"longest task with four seats: {max(tasks, default=0):.0f} ms (goal 50)")
        for locale in LOCALES:
            loaded, received = bytes_before_the_first_move(browser, server, locale)
            print(
                f"before the first move ({locale}): {(loaded + received) / 1000:.1f} kB (goal 75), "
                f"{loaded / 1000:.1f} by HTTP and {received / 1000:.1f} by the socket"
            )
        nodes = nodes_kept(browser, server)
        print(f"nodes after each of {len(nodes)} games in a row: {nodes[0]} to {nodes[-1]}")
        browser.close()


if __name__ == "__main__":
    main()
