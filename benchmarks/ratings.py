"""Rates our levels and writes the results to docs/rating.md.

    python benchmarks/ratings.py [--games N] [--only NAME,...] [--folder DIR]

Certificates are kept in the folder; a level is rated again when its weights, or the number of
games, have changed. With `--only`, the rows of the other levels stay.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from foxtray import bots
from foxtray.rating.certificate import Certificate, read
from foxtray.rating.identity import identity
from foxtray.rating.suite import GAMES, SUITE

PAGE = Path(__file__).parent.parent / "docs" / "rating.md"
START, END = "<!-- ratings -->\n", "<!-- /ratings -->"
COUNTS = {"expert": 40}
"""The games of slow levels; the others play the whole suite."""
COLUMNS = (
    "bot", "game", "mean", "error", "method", "games", "p5", "p25", "p50", "p75", "p95", "weights",
    "moves",
)  # fmt: skip
HEAD = f"| {' | '.join(COLUMNS)} |\n|{'---|' * len(COLUMNS)}\n"


def rated(name: str, games: int, folder: Path) -> tuple[Certificate, dict[str, Any]]:
    """The certificate of a level, made now unless it is there."""
    path = folder / f"{name}-suite{SUITE}.json"
    if path.exists():
        found, whole = read(path)
        same = found.bot == identity(name, [part.game for part in found.parts])
        if same and all(len(part.totals) == games for part in found.parts):
            return found, whole
        path.unlink()
    command = [sys.executable, "-m", "foxtray", "rate", name, "--games", str(games)]
    subprocess.run([*command, "--out", str(path)], check=True)
    return read(path)


def rows(found: Certificate, whole: dict[str, Any]) -> list[str]:
    lines = []
    for part, stored in zip(found.parts, whole["parts"], strict=True):
        figures = part.figures()
        shares = figures["percentiles"]
        weights = found.bot.get("weights", {}).get(part.game)
        lines.append(
            f"| `{found.bot['name']}` | {part.game} | {figures['mean']:.1f} | {figures['se']:.2f} "
            f"| {figures['method']} | {len(part.totals)} | {shares['5']:g} | {shares['25']:g} "
            f"| {shares['50']:g} | {shares['75']:g} | {shares['95']:g} "
            f"| {f'`{weights[:12]}`' if weights else ''} "
            f"| `{stored['moves_sha256'][:12]}` |"
        )
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, help="games of each level, instead of its own number")
    parser.add_argument("--only", default=",".join(bots.LEVELS))
    parser.add_argument("--folder", type=Path, default=Path("ratings"))
    args = parser.parse_args()
    args.folder.mkdir(parents=True, exist_ok=True)
    before, rest = PAGE.read_text(encoding="utf-8").split(START)
    table, after = rest.split(END)
    now = {name: rated(name, args.games or COUNTS.get(name, GAMES), args.folder)
           for name in args.only.split(",")}  # fmt: skip
    lines = []
    for name in bots.LEVELS:
        old = [line for line in table.splitlines() if line.startswith(f"| `{name}` |")]
        lines += rows(*now[name]) if name in now else old
    text = HEAD + "\n".join(lines) + "\n"
    PAGE.write_text(f"{before}{START}{text}{END}{after}", encoding="utf-8")
    print(json.dumps({"written": str(PAGE), "levels": list(now)}))


if __name__ == "__main__":
    main()
