"""The command that lists the bots. Imports nothing heavy."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Sequence
from importlib.resources import files
from typing import Any

from foxtray.bots.levels import LEVELS, external, refused
from foxtray.sheets import SHEETS

Adder = Callable[[str, str, Sequence[str]], argparse.ArgumentParser]


def add(command: Adder) -> None:
    """Add the command to a parser."""
    listing = command("bots", "list the bots and how strong they are", ["", "--json"])
    listing.add_argument("--json", action="store_true", help="print one JSON array")
    listing.set_defaults(run=run_bots)


def measured() -> dict[str, Any]:
    """What `benchmarks/strength.py` measured, by bot and game."""
    found: dict[str, Any] = json.loads((files(__package__) / "strength.json").read_text("utf-8"))
    return found


def described() -> list[dict[str, Any]]:
    """All bots as plain data."""
    strength = measured()
    known = [
        {
            "name": level.name,
            "description": level.description,
            "needs": list(level.needs),
            "strength": strength.get(level.name, {}),
        }
        for level in LEVELS.values()
    ]
    return known + [
        {
            "name": name,
            "description": f"Brought along by {entry.value}.",
            "needs": [],
            "strength": {},
        }
        for name, entry in sorted(external().items())
    ]


def run_bots(args: argparse.Namespace) -> int:
    found = described()
    for sentence in refused():
        print(f"foxtray: {sentence}", file=sys.stderr)
    if args.json:
        print(json.dumps(found))
        return 0
    for bot in found:
        print(f"{bot['name']:<8} {bot['description']}")
        for game in SHEETS:
            if game in bot["strength"]:
                about = bot["strength"][game]
                print(
                    f"{'':<8}   {game}: {about['mean']:.1f} points alone"
                    f" (+-{about['se']:.1f}, {about['games']} games,"
                    f" {about['ms_per_decision']:.2g} ms a decision)"
                )
    return 0
