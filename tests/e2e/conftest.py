"""A real server, a real browser, and people who use it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, expect, sync_playwright
from server.harness import Server

from e2e.driver import AXE, PATIENCE, PHONE, ROOT, Guest

CHROMIUM = os.environ.get("CHROMIUM", "/usr/bin/chromium")
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
Invite = Callable[..., Guest]
expect.set_options(timeout=PATIENCE)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Debian's Chromium; closed after each module, because it keeps an event loop."""
    if not Path(CHROMIUM).exists():
        pytest.fail(f"there is no Chromium at {CHROMIUM}: `make test` installs it where it may")
    if not (ROOT / "src/foxtray/client/index.html").exists() or not AXE.exists():
        pytest.fail("the page for the browser is not built: run `make web`")
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield running
        running.close()


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with Server(tmp_path_factory.mktemp("e2e") / "store.db") as running:
        yield running


@pytest.fixture
def guest(browser: Browser, server: Server) -> Iterator[Invite]:
    """Makes people with a browser each; checks at the end that nothing went wrong there."""
    made: list[Guest] = []

    def make(size: tuple[int, int] = PHONE, seed: int = 0, **options: Any) -> Guest:
        context = browser.new_context(
            viewport={"width": size[0], "height": size[1]},
            locale=options.pop("locale", "en-GB"),
            reduced_motion=options.pop("reduced_motion", "reduce"),
            # A copy for offline use is made in the background: only tests about it need that.
            service_workers=options.pop("service_workers", "block"),
            **options,
        )
        made.append(Guest(context, server, seed))
        return made[-1]

    yield make
    for one in made:
        one.finish()
