"""Measures the rules and bots in the page (`make bench-browser`), in Node and in a real browser."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
import tempfile
from dataclasses import asdict
from pathlib import Path
from statistics import median
from typing import Any

from playwright.sync_api import Page, sync_playwright

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
sys.path.insert(0, str(Path(__file__).parents[1] / "web"))

from decided import positions
from e2e.conftest import CHROMIUM, FLAGS
from e2e.page_bots import add_script, ask, bundled, worker
from server.harness import Server
from translated import node

from foxtray.bots.compact import compact
from foxtray.bots.levels import LEVELS
from foxtray.core.layout import layout
from foxtray.games.registry import SHEETS

ROOT = Path(__file__).parents[1]
GAMES = 4_000
SCRIPT = ROOT / "benchmarks" / "engine.js"
COUNTS = {"random": 25, "greedy": 25, "casual": 25, "solid": 25, "strong": 50, "expert": 25}
"""Decisions of each level, for every game and number of seats."""
GOALS = {"strong": 100, "expert": 2_000}
IN_NODE = """
const { play } = await import(process.argv[1])
const [t, seats, games] = JSON.parse(process.argv[2])
play(t, seats, games / 4)
console.log(JSON.stringify(play(t, seats, games)))
"""
IN_PAGE = """async ([t, seats, games]) => {
  const { play } = await import('/engine-alone.js');
  play(t, seats, games / 4);
  return play(t, seats, games);
}"""


def speed(found: dict[str, Any]) -> str:
    return f"{found['decisions'] / found['seconds'] / 1000:.0f}k"


def print_sizes(folder: Path) -> None:
    for name, source in (
        ("rules", "src/engine/engine.ts"),
        ("rules and bots", "src/engine/worker.ts"),
    ):
        command = [node(), "bundle.mjs", source, str(folder / "small.js"), "minify"]
        subprocess.run(command, cwd=ROOT / "web", check=True)
        size = len(gzip.compress((folder / "small.js").read_bytes(), 9))
        print(f"{name}: {size / 1000:.1f} kB (gzip)")
    built = len(worker().read_bytes())
    print(f"the worker as built: {built / 1000:.1f} kB before it is compressed")
    for game in SHEETS:
        print(f"nets of {game}: {len(compact(game)) / 1000:.0f} kB")


def print_rules(page: Page, folder: Path) -> None:
    script = bundled(str(SCRIPT), folder / "engine.mjs")
    add_script(page, "engine-alone.js", script)
    for game in SHEETS:
        for seats in (1, 3):
            given = [asdict(layout(game).tables), seats, GAMES]
            command = [node(), "--input-type=module", "-e", IN_NODE, script.as_uri()]
            done = subprocess.run(
                [*command, json.dumps(given)], capture_output=True, text=True, check=True
            )
            in_page = speed(page.evaluate(IN_PAGE, given))
            in_node = speed(json.loads(done.stdout))
            print(f"{game}, {seats} seats: decisions a second: Node {in_node}, Chromium {in_page}")


def print_bots(page: Page) -> None:
    for game in SHEETS:
        for level in LEVELS:
            times: list[float] = []
            for seats in range(1, 5):
                found = positions(game, seats, COUNTS[level], seed=1000)
                cases = [(now, seat, level, 9) for now, seat in found]
                times += [answer["milliseconds"] for answer in ask(page, game, cases)]
            times.sort()
            goal = f" (goal {GOALS[level]})" if level in GOALS else ""
            print(
                f"{game} {level}: median {median(times):.1f} ms{goal}, nine in ten within "
                f"{times[9 * len(times) // 10]:.0f}, longest of {len(times)} {times[-1]:.0f}",
                flush=True,
            )


def main() -> None:
    with (
        tempfile.TemporaryDirectory() as name,
        Server(Path(name) / "store.db") as server,
        sync_playwright() as playwright,
    ):
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        page = browser.new_page()
        page.goto(server.url)
        print_sizes(Path(name))
        print_rules(page, Path(name))
        print_bots(page)
        browser.close()


if __name__ == "__main__":
    main()
