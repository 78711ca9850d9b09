"""Rate all levels and write the results to docs/rating.md.

    python benchmarks/ratings.py [--games N] [--only NAME,...] [--folder DIR]

Certificates are kept in the folder; a level that has one there is not rated again.
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
from foxtray.rating.suite import GAMES, SUITE

PAGE = Path(__file__).parent.parent / "docs" / "rating.md"
START, END = "<!-- ratings -->\n", "<!-- /ratings -->"


def rated(name: str, games: int, folder: Path) -> tuple[Certificate, dict[str, Any]]:
    """The certificate of a level, made now unless it is there."""
    path = folder / f"{name}-suite{SUITE}.json"
    if not path.exists():
        command = [sys.executable, "-m", "foxtray", "rate", name, "--games", str(games)]
        subprocess.run([*command, "--out", str(path)], check=True)
    return read(path)


def rows(found: Certificate, whole: dict[str, Any]) -> list[str]:
    lines = []
    for part, stored in zip(found.parts, whole["parts"], strict=True):
        figures = part.figures()
        shares = figures["percentiles"]
        lines.append(
            f"| `{found.bot['name']}` | {part.game} | {figures['mean']:.1f} | {figures['se']:.2f} "
            f"| {figures['method']} | {len(part.totals)} | {shares['5']:g} | {shares['25']:g} "
            f"| {shares['50']:g} | {shares['75']:g} | {shares['95']:g} "
            f"| `{stored['moves_sha256'][:12]}` |"
        )
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=GAMES)
    parser.add_argument("--only", default=",".join(bots.LEVELS))
    parser.add_argument("--folder", type=Path, default=Path("ratings"))
    args = parser.parse_args()
    args.folder.mkdir(parents=True, exist_ok=True)
    table = [
        "| bot | game | mean | error | method | games | p5 | p25 | p50 | p75 | p95 | moves |",
        "|---|---|---|---|---|---|---|---|---|---|---|---|",
    ]
    for name in args.only.split(","):
        table += rows(*rated(name, args.games, args.folder))
    text = PAGE.read_text(encoding="utf-8")
    before, rest = text.split(START)
    after = rest.split(END)[1]
    PAGE.write_text(f"{before}{START}" + "\n".join(table) + f"\n{END}{after}", encoding="utf-8")
    print(json.dumps({"written": str(PAGE), "levels": args.only.split(",")}))


if __name__ == "__main__":
    main()
