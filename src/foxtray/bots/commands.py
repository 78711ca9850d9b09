"""The command that lists the bots. Imports nothing heavy."""

from __future__ import annotations

import argparse
import json
import sys
from typing import Any

from foxtray.arguments import AddCommand
from foxtray.bots.levels import LEVELS, external, refused
from foxtray.games.registry import SHEETS, folder_of


def add(command: AddCommand) -> None:
    """Add the command to a parser."""
    listing = command("bots", "list the bots and their strength", ["", "--json"])
    listing.add_argument("--json", action="store_true", help="print one JSON array")
    listing.set_defaults(run=run_bots)


def measured(bot: str) -> dict[str, Any]:
    """A bot's strength as measured by `benchmarks/strength.py`, by game."""
    strengths = {game: folder_of(game).strength for game in SHEETS}
    return {game: found[bot] for game, found in strengths.items() if bot in found}


def described() -> list[dict[str, Any]]:
    """All bots as plain data."""
    known = [
        {
            "name": level.name,
            "description": level.description,
            "needs": list(level.needs),
            "strength": measured(level.name),
        }
        for level in LEVELS.values()
    ]
    return known + [
        {
            "name": name,
            "description": f"Provided by {entry.value}.",
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
                    f"{'':<8}   {game}: {about['mean']:.1f} points solo"
                    f" (+-{about['se']:.1f}, {about['games']} games,"
                    f" {about['ms_per_decision']:.2g} ms per decision)"
                )
    return 0
