"""Asks the bots of the page, in their worker, in a real browser."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

from playwright.sync_api import Page
from translated import flat, node

from e2e.driver import ROOT
from foxtray import Game
from foxtray.core.chance import MASK

ASSETS = ROOT / "src" / "foxtray" / "client" / "assets"

ASK = """async ({ worker, game, jobs }) => {
  const [layout, nets] = await Promise.all([
    fetch(`/api/layouts/${game}`).then((found) => found.json()),
    fetch(`/api/nets/${game}`).then((found) => found.arrayBuffer()),
  ]);
  const bots = new Worker(worker, { type: 'module' });
  bots.postMessage({ type: 'load', tables: layout.tables, nets });
  const answers = [];
  for (const [id, job] of jobs.entries()) {
    const answer = new Promise((done, fail) => {
      bots.onmessage = ({ data }) => done(data);
      bots.onerror = (event) => fail(new Error(event.message));
    });
    bots.postMessage({ ...job, type: 'decide', id, numbers: Int16Array.from(job.numbers) });
    answers.push(await answer);
  }
  bots.terminate();
  return answers;
}"""


# The bots as the page uses them: nets that arrive in pieces, a decision that is no longer wanted,
# and another one after it.
USE = """async ({ game, job }) => {
  const { Bots, Cancelled } = await import('/bots-of-the-page.js');
  const layout = await fetch(`/api/layouts/${game}`).then((found) => found.json());
  const seen = [];
  const bots = await Bots.load(game, layout.tables, (loaded, total) => seen.push([loaded, total]));
  const state = { numbers: Int16Array.from(job.numbers) };
  const asked = (level) => bots.decide(state, job.seat, level, { low: job.low, high: job.high });
  const dropped = asked('expert').then(() => 'decided', (error) => error instanceof Cancelled);
  bots.cancel();
  const wrong = await asked('wizard').catch((error) => error.message);
  const actions = await Promise.all([asked('strong'), asked('greedy')]);
  return { seen, dropped: await dropped, wrong, actions };
}"""


def worker() -> Path:
    """The built script of the worker."""
    (found,) = ASSETS.glob("worker-*.js")
    return found


def job(case: tuple[Game, int, str, int]) -> dict[str, Any]:
    """A game, seat, level and seed as the worker is told them."""
    now, seat, level, seed = case
    numbers = flat(now.state)
    return {
        "numbers": numbers,
        "seat": seat,
        "level": level,
        "low": seed & MASK,
        "high": seed >> 32,
    }


def bundled(source: str, target: Path) -> Path:
    """A module of the page, bundled by itself."""
    command = [node(), "bundle.mjs", source, str(target)]
    subprocess.run(command, cwd=ROOT / "web", check=True)
    return target


def add_script(page: Page, name: str, path: Path) -> None:
    """Let a page find a script that the server does not have."""
    kind = "text/javascript"
    page.route(f"**/{name}", lambda route: route.fulfill(path=path, content_type=kind))


def use(page: Page, game: str, case: tuple[Game, int, str, int], folder: Path) -> dict[str, Any]:
    """What comes of using the bots as the page does."""
    script = folder / "bots.mjs"
    command = [node(), "bundle.mjs", "src/engine/bots.ts", str(script)]
    subprocess.run(command, cwd=ROOT / "web", check=True)
    kind = "text/javascript"
    page.route(
        "**/bots-of-the-page.js", lambda route: route.fulfill(path=script, content_type=kind)
    )
    page.route("**/worker.ts", lambda route: route.fulfill(path=worker(), content_type=kind))
    found: dict[str, Any] = page.evaluate(USE, {"game": game, "job": job(case)})
    return found


def ask(page: Page, game: str, cases: list[tuple[Game, int, str, int]]) -> list[dict[str, Any]]:
    """The worker's answers about games, seats, levels and seeds."""
    given = {"worker": f"/assets/{worker().name}", "game": game, "jobs": list(map(job, cases))}
    answers: list[dict[str, Any]] = page.evaluate(ASK, given)
    return answers
