"""The command line. Whatever goes wrong is one sentence and exit status 2."""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import os
import secrets
import shutil
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import NoReturn

from foxtray import __version__, bots, perft, record, rulebook
from foxtray.bots import commands as bot_commands
from foxtray.bots.levels import ME
from foxtray.core.codes import SEATS
from foxtray.core.layout import Action
from foxtray.dice import SeededDice
from foxtray.errors import BadSetup, FoxtrayError
from foxtray.game import Game
from foxtray.position import OPTIONS
from foxtray.record import Record, Setup
from foxtray.render import Ink
from foxtray.server import commands as server_commands
from foxtray.sheets import SHEETS
from foxtray.sim import commands as sim_commands
from foxtray.sim.commands import INTERRUPTED, whole
from foxtray.terminal import Terminal, result
from foxtray.train import commands as train_commands
from foxtray.views import summary

GAMES = tuple(SHEETS)
ON_OFF = {"on": True, "off": False}
ROOMY = 34
BAD_INPUT = 2
CLOSED_PIPE = 1


class Parser(argparse.ArgumentParser):
    """A parser that complains in one sentence."""

    def error(self, message: str) -> NoReturn:
        self.exit(BAD_INPUT, f"{self.prog}: {message} (see {self.prog} --help)\n")


def option(text: str) -> tuple[str, bool]:
    """An option of the rules, as in `fox_floor=on`."""
    name, _, value = text.partition("=")
    if name not in OPTIONS or value not in ON_OFF:
        known = " or ".join(f"{name}=on" for name in OPTIONS)
        raise argparse.ArgumentTypeError(f"{text!r} is not understood, say {known}")
    return name, ON_OFF[value]


def seating(text: str) -> tuple[str, ...]:
    """Who sits at the table: a number of players, or names as in `me,strong`."""
    if text.isascii() and text.isdigit():
        if not 1 <= int(text) <= SEATS:
            raise argparse.ArgumentTypeError(f"{text} seats are not possible; choose 1 to {SEATS}")
        return (ME,) * int(text)
    names = tuple(name.strip() for name in text.split(","))
    for name in names:
        if name not in (ME, *bots.names()):
            known = ", ".join((ME, *bots.names()))
            raise argparse.ArgumentTypeError(f"nobody is called {name!r}; say {known}")
    return names


def build_parser() -> Parser:
    """All commands and options; docs/cli.md lists the same."""
    parser = Parser(
        prog="foxtray",
        description="Clever and Twice as Clever by the printed rules.",
        epilog="examples:\n  foxtray play clever\n  foxtray rules twice",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"foxtray {__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)

    def command(name: str, text: str, examples: Sequence[str]) -> argparse.ArgumentParser:
        return commands.add_parser(
            name,
            help=text,
            description=text[0].upper() + text[1:] + ".",
            epilog="examples:\n" + "\n".join(f"  foxtray {name} {line}" for line in examples),
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )

    play = command(
        "play",
        "play in the terminal, alone or taking turns at one keyboard",
        [
            "clever",
            "twice --seats 2 --save evening.fox",
            "--resume evening.fox",
            "clever --seats 3 --own-dice",
            "clever --seats me,strong",
            "twice --seed 42 --option fox_floor=on",
        ],
    )
    play.add_argument("game", nargs="?", choices=GAMES, help="the game; not needed with --resume")
    play.add_argument(
        "--seats",
        type=seating,
        metavar="N|WHO,...",
        help="1 to 4 players, or who sits there: me or the name of a bot (default: 1)",
    )
    play.add_argument("--seed", type=whole, metavar="S", help="the same number, the same dice")
    play.add_argument("--first", type=whole, metavar="SEAT", help="who begins (default: by lot)")
    play.add_argument(
        "--option",
        type=option,
        action="append",
        metavar="NAME=VALUE",
        help=f"a choice of the rules, on or off: {', '.join(OPTIONS)}",
    )
    play.add_argument("--own-dice", action="store_true", help="throw real dice, type their faces")
    play.add_argument("--save", type=Path, metavar="FILE", help="keep the game in a new file")
    play.add_argument("--resume", type=Path, metavar="FILE", help="go on with a game kept there")
    play.set_defaults(run=run_play)

    rules = command("rules", "show the rules of a game in words", ["clever", "twice | less"])
    rules.add_argument("game", choices=GAMES, help="the game")
    rules.set_defaults(run=run_rules)

    replay = command(
        "replay",
        "replay a record, verify it and show the final sheets",
        ["evening.fox", "evening.fox --json"],
    )
    replay.add_argument("file", type=Path, metavar="FILE", help="a .fox file")
    replay.add_argument("--json", action="store_true", help="print one JSON object")
    replay.set_defaults(run=run_replay)

    counts = command(
        "perft",
        "count the tree of decisions, to compare engines",
        ["clever --depth 4", "twice --seats 2 --seed 7 --depth 3 --divide"],
    )
    counts.add_argument("game", choices=GAMES, help="the game")
    counts.add_argument("--seats", type=whole, default=1, metavar="N", help="1 to 4 (default: 1)")
    counts.add_argument(
        "--depth", type=whole, default=3, metavar="D", help="decisions (default: 3)"
    )
    counts.add_argument("--seed", type=whole, default=0, metavar="S", help="dice (default: 0)")
    counts.add_argument("--divide", action="store_true", help="count below each first action")
    counts.set_defaults(run=run_perft)
    sim_commands.add(command)
    bot_commands.add(command)
    train_commands.add(command)
    server_commands.add(command)
    return parser


# --- commands -----------------------------------------------------------------------------------


def load(path: Path) -> tuple[Record, bool]:
    """A record from its file, and whether its dice could be verified."""
    try:
        return record.read(path.read_text(encoding="utf-8"))
    except UnicodeDecodeError:
        raise FoxtrayError(f"{path} is not a text file") from None
    except FoxtrayError as error:
        raise FoxtrayError(f"{path}: {error}") from None


def new_record(args: argparse.Namespace) -> Record:
    """A new game as the options say."""
    if args.game is None:
        raise BadSetup(f"say which game to play: {' or '.join(GAMES)}")
    if args.own_dice and args.seed is not None:
        raise BadSetup("--own-dice and --seed exclude each other: real dice have no seed")
    if args.save and args.save.exists():
        raise BadSetup(f"{args.save} exists already: --resume it, or name another file")
    who = (ME,) if args.seats is None else args.seats
    seats = len(who)
    seed = secrets.randbits(48) if args.seed is None else args.seed
    dice = SeededDice(seed)
    names = () if set(who) <= {ME} else who
    setup = Setup(
        args.game,
        seats,
        seed=None if args.own_dice else seed,
        names=names,
        **dict(args.option or ()),
    )
    setup.start()  # complains about an impossible number of seats before lots are drawn
    first = dice.first(seats) if args.first is None else args.first - 1
    return Record(replace(setup, first=first))


def resumed_record(args: argparse.Namespace) -> Record:
    """A game kept in a file; what it was set up with stands."""
    given = {"--seats": args.seats, "--seed": args.seed, "--first": args.first}
    given |= {"--option": args.option, "--own-dice": args.own_dice or None, "--save": args.save}
    fixed = [name for name, value in given.items() if value is not None]
    if fixed:
        raise BadSetup(f"{fixed[0]} cannot be changed with --resume: the file says it")
    found, _ = load(args.resume)
    if args.game not in (None, found.setup.game):
        raise BadSetup(f"{args.resume} holds a game of {found.setup.game}, not of {args.game}")
    if found.game.over:
        raise BadSetup(f"{args.resume} is finished; foxtray replay {args.resume} shows it")
    if found.setup.commitment:
        raise BadSetup(f"the dice of {args.resume} belong to its server: it can go on only there")
    return found


def run_play(args: argparse.Namespace) -> int:
    found = resumed_record(args) if args.resume else new_record(args)
    with contextlib.suppress(ImportError):
        import readline  # noqa: F401  (lets the answers be edited)
    screen = sys.stdout.isatty() and os.environ.get("TERM") != "dumb"
    ink = Ink(colour=screen and not os.environ.get("NO_COLOR"))
    roomy = shutil.get_terminal_size().lines >= ROOMY
    path = args.resume or args.save
    seated = seat_bots(found.setup)
    terminal = Terminal(found, input, print, ink, clear=screen, roomy=roomy, path=path)
    terminal.bots = seated
    terminal.warn = complain
    terminal.substitute = bots.bot(bots.SUBSTITUTE, seed=found.setup.seed or 0).choose
    terminal.run()
    return 0


def seat_bots(setup: Setup) -> dict[int, Callable[[Game, int], Action]]:
    """The bots of a table, by seat; they are loaded only where there are any."""
    seated: dict[int, Callable[[Game, int], Action]] = {}
    for seat, name in enumerate(setup.names):
        if name in bots.names():
            if name in bots.LEVELS and bots.LEVELS[name].needs:
                sim_commands.need_numbers()
            seated[seat] = partial(bots.ask, bots.bot(name, seed=setup.seed or 0))
    return seated


def run_rules(args: argparse.Namespace) -> int:
    print(rulebook.text(args.game))
    return 0


def run_replay(args: argparse.Namespace) -> int:
    found, verified = load(args.file)
    if args.json:
        print(json.dumps(summary(found, verified)))
        return 0
    setup = found.setup
    told = [f" {found.game.sheet.title}, seats: {setup.seats}"]
    told += [f" option {name}=on" for name, value in found.game.options.items() if value]
    print("\n".join([*told, "", *result(found.game)]))
    if verified:
        print(" Verified: every throw follows from the seed or secret of the dice.")
    elif setup.commitment:
        print(" Not verified: the secret of the dice is not revealed yet.")
    else:
        print(" Not verified: these dice were thrown by hand.")
    return 0


def run_perft(args: argparse.Namespace) -> int:
    dice = SeededDice(args.seed)
    game = Game.new(args.game, args.seats)
    if args.divide and args.depth:
        for action, count in perft.divide(game, dice, args.depth).items():
            print(f"{action} {count}")
    print(f"depth {args.depth}: {perft.perft(game, dice, args.depth)}")
    return 0


def complain(sentence: str) -> int:
    print(f"foxtray: {sentence}", file=sys.stderr)
    return BAD_INPUT


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command; returns the exit status."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")
    try:
        try:
            given = sys.argv[1:] if argv is None else argv
            args = build_parser().parse_args(given or ["serve", "--open"])
            return int(args.run(args))
        finally:
            sys.stdout.flush()
    except BrokenPipeError:
        # The reader has gone; Python would complain once more when it flushes at the end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return CLOSED_PIPE
    except FoxtrayError as error:
        return complain(str(error))
    except OSError as error:
        return complain(f"{error.filename}: {error.strerror}" if error.filename else str(error))
    except KeyboardInterrupt:
        return INTERRUPTED
