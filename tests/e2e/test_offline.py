"""Without a network, and without a server: what a browser keeps, and a site on any web host."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import expect
from server.harness import Server

from e2e.conftest import Invite
from foxtray.server import site
from foxtray.server.http.static import CLIENT

READY = "() => navigator.serviceWorker.ready.then(() => true)"
REGISTER = f"(name) => navigator.serviceWorker.register(name).then({READY})"
WAITING = "() => navigator.serviceWorker.getRegistration().then((it) => !!it.waiting)"
STRONG = 4
"""The place of the level among all."""
LANGUAGES = {"de": "Regeln", "nl": "Spelregels", "sr": "pravila", "en": "rules"}


class Host:
    """A web host that only has files: Python's own, which knows nothing of Foxtray."""

    def __init__(self, root: Path, place: str) -> None:
        self.root = root
        self.place = place
        self.port = 0
        self.process: subprocess.Popen[str] | None = None

    @property
    def folder(self) -> Path:
        return self.root / self.place

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/{self.place}"

    def start(self) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-um", "http.server", str(self.port), "--bind", "127.0.0.1"],
            cwd=self.root,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        assert self.process.stdout
        self.port = int(re.findall(r"port (\d+)", self.process.stdout.readline())[0])

    def stop(self) -> None:
        if self.process:
            self.process.kill()
            self.process.communicate()
            self.process = None


@pytest.fixture
def host(tmp_path: Path) -> Iterator[Host]:
    running = Host(tmp_path, "some/place")
    site.write(running.folder)
    running.start()
    yield running
    running.stop()


def newer(folder: Path) -> Path:
    """The page as another build would make it: its main script has another name and content."""
    shutil.copytree(CLIENT, folder)
    (script,) = re.findall(r"assets/(index-.*\.js)\"", (folder / "index.html").read_text("utf-8"))
    for path in folder.rglob("*"):
        if path.suffix in (".js", ".html"):
            text = path.read_text("utf-8")
            path.write_text(text.replace(script, "index-newer.js"), "utf-8")
    (folder / "assets" / script).rename(folder / "assets" / "index-newer.js")
    return folder


def test_after_one_visit_the_page_needs_no_network(guest: Invite, server: Server) -> None:
    ana = guest(locale="nl", service_workers="allow")
    ana.open()
    expect(ana.page.locator("[data-start]").first).to_be_visible()
    ana.page.evaluate("() => localStorage.setItem('pace', 'instant')")
    ana.page.evaluate(READY)
    ana.down = True
    ana.context.set_offline(True)
    server.kill()
    ana.open("/rules/twice")
    expect(ana.page.locator(".clause").first).to_be_visible()
    ana.page.select_option("header select", "sr")
    expect(ana.page.locator("h1")).to_contain_text("Duplo pametnije")
    ana.open()
    expect(ana.page.locator("[data-game=clever] .picture svg").first).to_be_visible()
    expect(ana.page.get_by_role("alert")).to_contain_text("Server")
    ana.axe()
    ana.page.click("[data-start=twice-bots]")
    ana.page.locator("button.level").nth(STRONG).click()
    ana.page.click("[data-go=twice]")
    ana.dash()
    assert ana.table.startswith("local-")
    server.start()
    ana.context.set_offline(False)
    ana.down = False
    ana.begin("clever")
    ana.settled()


def test_a_site_works_at_any_path(guest: Invite, host: Host) -> None:
    ana = guest(locale="de", service_workers="allow")
    ana.server = host  # type: ignore[assignment]
    ana.open("/")
    expect(ana.page.locator("[data-serverless]")).to_be_visible()
    assert ana.page.locator("[data-device]").count() == 0, "there is nothing to choose"
    ana.axe()
    ana.page.click("nav a >> nth=1")
    expect(ana.page.locator(".clause").first).to_be_visible()
    assert ana.page.url == f"{host.url}/#/rules"
    ana.page.reload()
    expect(ana.page.locator(".clause").first).to_be_visible()
    ana.page.hover("a.brand")
    address = ana.page.eval_on_selector("a.brand", "(link) => link.href")
    assert address == f"{host.url}/#/", "also for a new tab"
    ana.page.go_back()
    expect(ana.page.locator("[data-serverless]")).to_be_visible()
    ana.open("/#/daily/clever")
    expect(ana.page.locator("main")).to_contain_text("Dafür braucht es einen Server.")


def test_a_site_needs_no_host_after_one_visit(guest: Invite, host: Host) -> None:
    ana = guest(service_workers="allow")
    ana.server = host  # type: ignore[assignment]
    ana.open("/")
    ana.page.evaluate(REGISTER, "sw.js")
    ana.down = True
    ana.context.set_offline(True)
    host.stop()
    for language, word in LANGUAGES.items():
        ana.open("/?fresh#/rules/clever")
        ana.page.select_option("header select", language)
        expect(ana.page.locator("h1")).to_contain_text(re.compile(word, re.IGNORECASE))
    expect(ana.page.locator(".clause").first).to_be_visible()
    ana.open("/")
    ana.page.click("[data-start=clever-solo]")
    ana.settled()
    ana.dash(rounds=3)
    before = ana.marks(".playing .middle")
    ana.page.reload()
    ana.shows(before)
    ana.dash()
    expect(ana.page.locator("main.end")).to_be_visible()


def test_a_new_version_waits_until_it_is_wanted(guest: Invite, host: Host, tmp_path: Path) -> None:
    ana = guest(service_workers="allow")
    ana.server = host  # type: ignore[assignment]
    ana.open("/")
    ana.page.evaluate(READY)
    ana.page.click("[data-start=clever-solo]")
    ana.settled()
    ana.dash(rounds=2)
    site.write(host.folder, newer(tmp_path / "client"))
    ana.page.evaluate("() => navigator.serviceWorker.getRegistration().then((it) => it.update())")
    ana.page.wait_for_function(WAITING)
    ana.dash(rounds=3)
    before, table = ana.marks(".playing .middle"), ana.table
    assert ana.page.locator("[data-renew]").count() == 0, "never under a running game"
    ana.page.click("a.home")
    expect(ana.page.locator("[data-renew]")).to_be_visible()
    ana.axe()
    with ana.page.expect_navigation():
        ana.page.click("[data-renew]")
    expect(ana.page.locator("[data-start]").first).to_be_visible()
    assert "index-newer.js" in ana.page.content()
    expect(ana.page.locator("[data-renew]")).to_have_count(0)
    assert len(ana.page.evaluate("() => caches.keys()")) == 2, "another tab may need the older one"
    ana.page.click(f"[data-continue={table}]")
    ana.shows(before)


def test_plain_http_is_told_once(guest: Invite, host: Host) -> None:
    ana = guest(service_workers="allow")
    ana.server = host  # type: ignore[assignment]
    plain = host.url.replace("127.0.0.1", "0.0.0.0")  # to browsers not this machine
    ana.page.goto(f"{plain}/")
    ana.page.fill("#name", "Ana")
    ana.page.keyboard.press("Tab")
    told = ana.page.locator("[data-insecure]")
    expect(told).to_be_visible()
    told.locator("button").click()
    expect(told).to_have_count(0)
    ana.page.reload()
    expect(ana.page.locator("#name")).to_have_value("Ana")
    expect(told).to_have_count(0)
    ana.complaints.clear()  # its requests go to the other name of this machine
