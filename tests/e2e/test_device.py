"""Games on the device itself: the same screens, with a table in the page instead of a server."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Error, Page, expect
from server.harness import Server

from e2e.conftest import CHROMIUM, FLAGS, Invite
from e2e.driver import PHONE, Guest, Json
from e2e.test_offline import READY
from foxtray.cli import main
from foxtray.history import Setup
from foxtray.record import Record, read


def begin(one: Guest, game: str, how: str = "solo", level: str = "Greedy") -> None:
    """Begin a game of this device, from the first page."""
    one.open()
    if not one.down:  # or it is as if it was checked
        one.page.check("[data-device]")
    one.page.click(f"[data-start={game}-{how}]")
    if how == "bots":
        one.level(level)
    if how in ("bots", "friends"):
        one.page.click(f"[data-go={game}]")
    expect(one.page.locator("main.playing")).to_be_visible()
    assert one.table.startswith("local-")


def spoil(page: Page, table: str, change: str) -> None:
    """Change what the browser keeps of a game, behind the back of the page."""
    page.evaluate(
        """([id, change]) => new Promise((done) => {
          indexedDB.open('foxtray').onsuccess = ({target}) => {
            const games = target.result.transaction('games', 'readwrite').objectStore('games');
            const asked = games.get(id);
            asked.onsuccess = () => {
              const put = games.put({...asked.result, ...JSON.parse(change)}, id);
              put.onsuccess = () => (target.result.close(), done());
            };
          };
        })""",
        [table, change],
    )


def saved(one: Guest, button: str, file: Path) -> Path:
    """A file that the page saves."""
    with one.page.expect_download() as coming:
        one.page.click(button)
    coming.value.save_as(file)
    return file


class Device:
    """A browser with a folder of its own, which can be killed and started again."""

    def __init__(self, browser: Browser, server: Server, folder: Path) -> None:
        self.browser, self.server, self.folder = browser, server, folder
        self.one = self.start()

    def start(self) -> Guest:
        context: BrowserContext = self.browser.browser_type.launch_persistent_context(
            str(self.folder),
            executable_path=CHROMIUM,
            args=FLAGS,
            viewport={"width": PHONE[0], "height": PHONE[1]},
            locale="en-GB",
            reduced_motion="reduce",
        )
        self.one = Guest(context, self.server, 3)
        return self.one

    def unplug(self) -> None:
        """The network is off."""
        self.one.down = True
        self.one.context.set_offline(True)

    def kill(self) -> None:
        """Everything is gone without a word, as when a phone needs its memory."""
        self.one.down = True
        for process in Path("/proc").glob("[0-9]*/cmdline"):
            with suppress(OSError):
                words = process.read_bytes().split(b"\0")
                ours = f"--user-data-dir={self.folder}".encode() in words
                if ours and not any(word.startswith(b"--type=") for word in words):
                    os.kill(int(process.parent.name), signal.SIGKILL)
        with suppress(Error):
            self.one.context.close()
        (self.folder / "SingletonLock").unlink(missing_ok=True)


@pytest.fixture
def device(browser: Browser, server: Server, tmp_path: Path) -> Iterator[Device]:
    made = Device(browser, server, tmp_path / "browser")
    yield made
    made.one.finish()


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """One kind of game is killed in every run, all of them by `make test-long`."""
    if "how" in metafunc.fixturenames:
        kinds = [("clever", "solo"), ("twice", "bots"), ("twice", "solo"), ("clever", "bots")]
        metafunc.parametrize(
            ("game", "how"), kinds if metafunc.config.getoption("--long") else kinds[:1]
        )


def test_a_game_goes_on_after_the_browser_was_killed(
    device: Device, tmp_path: Path, game: str, how: str
) -> None:
    one = device.one
    one.open()
    one.page.evaluate("() => localStorage.setItem('pace', 'instant')")
    one.page.evaluate(READY)
    device.unplug()
    begin(one, game, how, "Strong")
    one.dash(rounds=3)
    before, table = one.marks(".playing .middle"), one.table
    device.kill()
    one = device.start()
    device.unplug()
    one.open()
    one.page.click(f"[data-continue={table}]")
    one.shows(before)
    one.dash()
    one.axe()
    expect(one.page.locator("[data-fair=partly]")).to_be_visible()
    file = saved(one, "[data-record]", tmp_path / "game.fox")
    assert main(["replay", str(file)]) == 0
    record, proven = read(file.read_text())
    assert proven
    one.page.click("a:has-text('Replay')")
    one.page.locator("#step").press("End")
    expect(one.page.locator("[data-share]")).to_have_count(0)
    assert one.marks("section.sheet") == record.game.marks(0)
    one.open("/history")
    expect(one.page.locator(f"[data-local={table}]")).to_be_visible()
    one.axe()


def test_people_with_real_dice_share_a_device(guest: Invite) -> None:
    one = guest()
    one.open()
    one.page.check("[data-device]")
    one.page.click("summary:has-text('House rules')")
    one.page.check("[data-real-dice]")
    one.page.click("[data-start=twice-friends]")
    one.page.click("[aria-label=Players] button:text-is('3')")
    for n, name in enumerate(("Ben", "Cleo")):
        one.page.locator("[data-guest]").nth(n).fill(name)
    one.axe()
    one.page.click("[data-go=twice]")
    expect(one.page.locator("main.playing")).to_be_visible()
    one.page.locator(".act button.primary").click()
    for face in (3, 1, 5, 2, 6, 4):
        one.page.click(f"dialog [data-face='{face}']")
    one.page.click("[data-faces-done]")
    expect(one.page.locator("button.undo")).to_be_enabled()
    one.page.click("button.undo")
    expect(one.page.locator(".act button.primary:not(:disabled)")).to_be_visible()
    one.menu("Leave table")
    one.page.click("dialog button:has-text('Give up')")
    expect(one.page.locator(".home")).to_be_visible()
    expect(one.page.locator("[data-continue]")).to_have_count(0)


def test_a_guided_game_needs_no_server(guest: Invite) -> None:
    one = guest()
    begin(one, "clever", "learn")
    for _ in range(4):
        assert one.step()
    expect(one.page.locator(".act")).to_contain_text("Step 4 of")


def test_games_are_saved_loaded_and_handed_over(guest: Invite, tmp_path: Path) -> None:
    one = guest(seed=5)
    one.introduce("Ana")
    one.page.evaluate("() => localStorage.setItem('pace', 'instant')")
    begin(one, "twice", "bots")
    one.dash()
    table = one.table
    one.page.click("[data-hand-over]")
    one.page.click("a:has-text('Replay') >> nth=-1")
    expect(one.page.locator("#step")).to_be_visible()
    answer = one.context.request.get(f"{one.server.url}/api/me/games").json()
    (line,) = answer["games"]
    assert (line["offline"], line["apart"]) == (True, True)
    begin(one, "clever")
    other = one.table
    one.open("/history")
    file = saved(one, "[data-export]", tmp_path / "games.json")
    held: Json = json.loads(file.read_text())
    assert {game["id"] for game in held["games"]} == {table, other}
    # A damaged game takes no other with it, and comes back from the file.
    spoil(one.page, table, '{"rows": []}')
    spoil(one.page, other, '{"setup": null}')
    one.open(f"/t/{table}")
    expect(one.page.locator("main")).to_contain_text("damaged")
    one.open("/history")
    expect(one.page.locator("[data-damaged]")).to_be_visible()
    one.page.set_input_files("[data-import]", str(file))
    expect(one.page.locator("[role=status]:has-text('added')")).to_be_visible()
    one.open(f"/t/{table}")
    expect(one.page.locator("main.end")).to_be_visible()
    one.open("/history")
    one.page.click(f"li:has([data-local={table}]) button")
    one.page.click("[data-delete]")
    expect(one.page.locator(f"[data-local={table}]")).to_have_count(0)
    # Whatever else the file is, it is refused in words.
    for text in ("", "{}", "fox", json.dumps({**held, "version": 9})):
        bad = tmp_path / "bad.json"
        bad.write_text(text)
        one.open("/history")
        one.page.set_input_files("[data-import]", str(bad))
        expect(one.page.locator("[role=alert]")).to_contain_text("neither a game record")


def test_a_record_is_opened_on_a_device_that_has_no_games(guest: Invite, tmp_path: Path) -> None:
    record = Record(Setup("twice", 2, names=("Ana", "Ben"), seed=7))
    for _ in iter(lambda: record.game.over, True):
        if record.game.rolling():
            record.roll()
        else:
            seat = record.game.awaiting()[0]
            record.play(seat, record.game.legal(seat)[0])
    file = tmp_path / "game.fox"
    record.save(file)
    one = guest()
    one.open("/history")
    one.page.set_input_files("[data-import]", str(file))
    one.page.locator("#step").press("End")
    for seat in (1, 0):
        one.page.click(f"[data-sheet='{seat}']")
        expect(one.page.locator("section.sheet")).to_have_accessible_name(
            f"Seat {seat + 1}: {record.setup.names[seat]}"
        )
        assert one.marks("section.sheet") == record.game.marks(seat)
    one.open("/history")
    line = one.page.locator("[data-local]")
    expect(line).to_contain_text("Ana and Ben · from a game record")
    assert line.get_attribute("href", timeout=0).startswith("/replay/local-")  # type: ignore[union-attr]
    one.axe()
    file.write_text(file.read_text().replace("name 1 Ana", "name 1 Eve"))
    one.page.set_input_files("[data-import]", str(file))
    expect(one.page.locator("[role=alert]")).to_contain_text("it was changed")
    one.open()
    expect(one.page.locator("[data-start]").first).to_be_visible()
    expect(one.page.locator("[data-continue]")).to_have_count(0)


def test_two_tabs_do_not_overwrite_each_other(guest: Invite) -> None:
    one = guest()
    begin(one, "clever")
    table = one.table
    other = one.context.new_page()
    other.goto(f"{one.server.url}/t/{table}")
    expect(other.locator(".act button.primary:not(:disabled)")).to_be_visible()
    one.step()
    one.answered()
    faces = "() => [...document.querySelectorAll('.spot')].map((one) => one.textContent).join()"
    shown = one.page.evaluate(faces)
    other.wait_for_function(f"(shown) => ({faces})() === shown", arg=shown)
    other.close()


FILL = """async () => {
  const database = await new Promise((found) => {
    const asked = indexedDB.open('ballast');
    asked.onupgradeneeded = () => asked.result.createObjectStore('weights');
    asked.onsuccess = () => found(asked.result);
  });
  const fits = (size) => new Promise((told) => {
    const transaction = database.transaction('weights', 'readwrite');
    transaction.objectStore('weights').put(crypto.getRandomValues(new Uint8Array(size)), size);
    transaction.oncomplete = () => told(true);
    transaction.onabort = () => told(false);
  });
  for (let size = 65536; size >= 64; size = (await fits(size)) ? size - 1 : size >> 1);
  database.close();
}"""
"""Other data of the site takes all the room that there is, by ever smaller pieces."""


def test_a_full_browser_says_so_and_loses_nothing(guest: Invite) -> None:
    one = guest()
    room = one.context.new_cdp_session(one.page)
    room.send("Storage.overrideQuotaForOrigin", {"origin": one.server.url, "quotaSize": 400_000})
    begin(one, "clever")
    one.page.evaluate(FILL)
    one.step()
    expect(one.page.locator(".act")).to_contain_text("This browser has no room left")
    one.axe()
    room.send("Storage.overrideQuotaForOrigin", {"origin": one.server.url})
    one.dash(rounds=2)
    before = one.marks(".playing .middle")
    one.page.reload()
    one.shows(before)
