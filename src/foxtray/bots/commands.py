"""The command that lists, adds, removes and tests bots. Imports nothing heavy."""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from foxtray import extras
from foxtray.arguments import AddCommand, whole
from foxtray.bots.added import (
    BUDGET,
    LONGEST_BUDGET,
    LONGEST_START,
    SHORTEST_BUDGET,
    SHORTEST_START,
    START,
    AddedEngine,
    AddedNet,
    added,
    change,
    is_text,
    list_path,
)
from foxtray.bots.levels import EXTRA, LEVELS, UnknownBot, external, objection, own, refused
from foxtray.errors import BadSetup, FoxtrayError
from foxtray.games.registry import SHEETS, folder_of

MISSING = f" Not installed: python -m pip install 'foxtray[{EXTRA}]'"


def add(command: AddCommand) -> None:
    """Add the command and its actions to a parser."""
    bots = command("bots", "list, add, remove and test bots", ["", "--json"])
    bots.add_argument("--json", action="store_true", help="print one JSON array")
    bots.set_defaults(run=run_list)
    actions = bots.add_subparsers(title="actions", metavar="ACTION")

    def action(name: str, text: str, examples: Sequence[str]) -> argparse.ArgumentParser:
        lines = "\n".join(f"  foxtray bots {name} {line}".rstrip() for line in examples)
        return actions.add_parser(
            name,
            help=text,
            description=text[0].upper() + text[1:] + ".",
            epilog=f"examples:\n{lines}",
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )

    listing = action("list", "list the bots and their strength", ["", "--json"])
    # Without a default of its own, which would replace what was said before the action.
    listing.add_argument(
        "--json", action="store_true", default=argparse.SUPPRESS, help="print one JSON array"
    )
    listing.set_defaults(run=run_list)

    adding = action(
        "add",
        "add a bot: an engine, or a level with your own weights",
        [
            "mine -- python3 mine.py",
            "deep --budget-ms 5000 -- ./deep --threads 2",
            "trained --weights mine.npz",
        ],
    )
    adding.add_argument("name", metavar="NAME", help="the name of the bot")
    adding.add_argument(
        "command", nargs="*", metavar="COMMAND", help="after --: the program and its arguments"
    )
    adding.add_argument(
        "--weights",
        type=Path,
        action="append",
        metavar="FILE",
        help="instead of a command: a weights file; one for each game",
    )
    adding.add_argument("--level", metavar="LEVEL", help="with --weights: the level")
    adding.add_argument(
        "--budget-ms", type=whole, metavar="MS", help=f"time for a decision (default: {BUDGET})"
    )
    adding.add_argument(
        "--start-seconds",
        type=whole,
        metavar="S",
        help=f"time to start and say hello (default: {START})",
    )
    adding.add_argument("--replace", action="store_true", help="replace a bot of this name")
    adding.set_defaults(run=run_add)
    take_command(adding)

    removing = action("remove", "remove a bot that you added", ["mine"])
    removing.add_argument("name", metavar="NAME", help="the name of the bot")
    removing.set_defaults(run=run_remove)

    testing = action(
        "test", "test how an engine keeps to the protocol", ["mine", "mine --games 10 --verbose"]
    )
    testing.add_argument("name", metavar="NAME", help="the name of the bot")
    testing.add_argument(
        "--games", type=whole, default=2, metavar="N", help="games of each kind (default: 2)"
    )
    testing.add_argument("--verbose", action="store_true", help="show the whole conversation")
    testing.set_defaults(run=run_test)


def take_command(parser: argparse.ArgumentParser) -> None:
    """Leave everything after `--` to the command: argparse stops at options in between."""
    parse = parser.parse_known_args

    def parse_before(args: Sequence[str], namespace: argparse.Namespace | None = None) -> Any:
        words = list(args)
        at = words.index("--") if "--" in words else len(words)
        found, unknown = parse(words[:at], namespace)
        found.command += words[at + 1 :]
        return found, unknown

    parser.parse_known_args = parse_before  # type: ignore[method-assign, assignment]


# --- list -----------------------------------------------------------------------------------------


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
    others = {name: f"Provided by {entry.value}." for name, entry in external().items()}
    others |= {name: entry.description() for name, entry in own().items()}
    return known + [
        {"name": name, "description": text, "needs": [], "strength": {}}
        for name, text in sorted(others.items())
    ]


def run_list(args: argparse.Namespace) -> int:
    found = described()
    for sentence in refused():
        print(f"foxtray: {sentence}", file=sys.stderr)
    if args.json:
        print(json.dumps(found))
        return 0
    wide = max(8, *(len(bot["name"]) for bot in found))
    for bot in found:
        lacks = "" if not bot["needs"] or not extras.missing(EXTRA) else MISSING
        print(f"{bot['name']:<{wide}} {bot['description']}{lacks}")
        for game in SHEETS:
            if game in bot["strength"]:
                about = bot["strength"][game]
                print(
                    f"{'':<{wide}}   {game}: {about['mean']:.1f} points solo"
                    f" (+-{about['se']:.1f}, {about['games']} games,"
                    f" {about['ms_per_decision']:.2g} ms per decision)"
                )
    return 0


# --- add and remove -------------------------------------------------------------------------------


def run_add(args: argparse.Namespace) -> int:
    name = args.name
    if reason := objection(name):
        raise BadSetup(f"a bot cannot be called {name!r}: {reason}")
    if name in external():
        raise BadSetup(f"a bot cannot be called {name!r}: an installed package has taken the name")
    if name in added() and not args.replace:
        raise BadSetup(f"you have a bot called {name}; choose another name, or --replace it")
    if args.weights:
        change(name, new_net(args))
        print(f"added {name}: {own()[name].description()}")
        return 0
    engine = new_engine(args)
    change(name, engine)
    print(f"added {name}: {engine.description()}")
    print(f"plays {', '.join(engine.games)}; to test it: foxtray bots test {name}")
    return 0


def new_net(args: argparse.Namespace) -> AddedNet:
    """A level with weights of its own, checked."""
    if args.command or args.budget_ms is not None or args.start_seconds is not None:
        raise BadSetup("--weights cannot be combined with a command or its time limits")
    level = args.level or "strong"
    if level not in LEVELS or LEVELS[level].simple:
        choice = ", ".join(each for each in LEVELS if not LEVELS[each].simple)
        raise BadSetup(f"the level {level!r} does not use weights; choose one of {choice}")
    from foxtray.sim.commands import need_numbers

    need_numbers()
    from foxtray.bots.weights import read_weights

    files: dict[str, str] = {}
    for path in args.weights:
        game = read_weights(path).card["game"]
        if game in files:
            raise BadSetup(f"two files are for {game}; name one file for each game")
        files[game] = str(path.absolute())
    if not all(map(is_text, files.values())):
        raise BadSetup("the name of a weights file must be printable text")
    return AddedNet(level, files)


def new_engine(args: argparse.Namespace) -> AddedEngine:
    """An engine, started once to hear how it introduces itself."""
    if args.level is not None:
        raise BadSetup("--level needs --weights")
    if not args.command:
        raise BadSetup("say how to start it: foxtray bots add NAME -- COMMAND, or --weights FILE")
    program = args.command[0]
    if os.sep in program:
        program = os.path.abspath(program)
    if shutil.which(program) is None:
        raise BadSetup(f"cannot find the program {args.command[0]!r}, or it is not executable")
    entry = AddedEngine(
        (program, *args.command[1:]),
        os.getcwd(),
        (),
        budget_ms=BUDGET if args.budget_ms is None else args.budget_ms,
        start_seconds=START if args.start_seconds is None else args.start_seconds,
    )
    check_limit("--budget-ms", SHORTEST_BUDGET, entry.budget_ms, LONGEST_BUDGET)
    check_limit("--start-seconds", SHORTEST_START, entry.start_seconds, LONGEST_START)
    if problem := entry.problem():
        raise BadSetup(f"this command cannot be kept: {problem}")
    from foxtray.engines.checks import introduced

    hello = introduced(args.name, entry)
    games = tuple(game for game in SHEETS if not hello.games or game in hello.games)
    if not games:
        raise FoxtrayError(f"{args.name} plays none of {', '.join(SHEETS)}")
    return AddedEngine(**{**asdict(entry), "games": games, "title": hello.name})


def check_limit(option: str, low: int, value: int, high: int) -> None:
    if not low <= value <= high:
        raise BadSetup(f"{option} must be {low} to {high}, not {value}")


def run_remove(args: argparse.Namespace) -> int:
    if args.name in LEVELS or args.name in external():
        raise BadSetup(f"bot {args.name} is not one that you added")
    if args.name not in added():
        known = ", ".join(added()) or "none"
        raise UnknownBot(f"you have no bot called {args.name!r} in {list_path()}: {known}")
    change(args.name, None)
    print(f"removed {args.name}")
    return 0


# --- test -----------------------------------------------------------------------------------------


def run_test(args: argparse.Namespace) -> int:
    entry = own().get(args.name)
    if not isinstance(entry, AddedEngine):
        engines = [name for name, each in own().items() if isinstance(each, AddedEngine)]
        raise BadSetup(
            f"{args.name!r} is not an engine that you added; choose from: "
            f"{', '.join(engines) or 'none'}"
        )
    if not 1 <= args.games <= 1000:
        raise BadSetup(f"cannot play {args.games} games of each kind; choose 1 to 1000")
    from foxtray.engines.checks import run_checks

    def watch(direction: str, text: str) -> None:
        print(f"{direction} {text}", file=sys.stderr)

    good = True
    for check in run_checks(args.name, entry, args.games, watch if args.verbose else None):
        print(f"{'ok  ' if check.passed else 'FAIL'}  {check.text}", flush=True)
        good &= check.passed
    return 0 if good else 1
