"""The command line. Every error is one sentence and exit status 2."""

from __future__ import annotations

import argparse
import contextlib
import errno
import io
import json
import os
import secrets
import shutil
import sys
import threading
from _thread import interrupt_main
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import NoReturn

from foxtray import __version__, bots, completion, perft, record, rulebook
from foxtray.arguments import INTERRUPTED, ON_OFF, add_options, seat_count, whole
from foxtray.bots import commands as bot_commands
from foxtray.bots.levels import ME
from foxtray.bots.levels import check as check_bot
from foxtray.core.layout import Action
from foxtray.dice import SeededDice
from foxtray.digits import counted
from foxtray.engines import commands as engine_commands
from foxtray.errors import BadSetup, FoxtrayError
from foxtray.game import Game
from foxtray.games.registry import SHEETS, refused
from foxtray.history import Setup
from foxtray.position import OPTIONS
from foxtray.rating import commands as rating_commands
from foxtray.record import Record
from foxtray.render import Ink
from foxtray.review import commands as review_commands
from foxtray.review import hint
from foxtray.server import commands as server_commands
from foxtray.sim import commands as sim_commands
from foxtray.terminal import Terminal, result
from foxtray.train import commands as train_commands
from foxtray.views import summary

GAMES = tuple(SHEETS)
ROOMY = 34
LONGEST_NAME = 20
BAD_INPUT = 2
CLOSED_PIPE = 1
AGAIN = 0.1
"""Seconds after which a Ctrl-C that was dropped is sent again."""
UNWRITABLE = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)
"""The errors of a file that cannot be written, such as on a full disk."""


class Parser(argparse.ArgumentParser):
    """A parser that reports an error in one sentence."""

    def error(self, message: str) -> NoReturn:
        self.exit(BAD_INPUT, f"{self.prog}: {message} (see {self.prog} --help)\n")


def seating(text: str) -> tuple[str, ...]:
    """Who plays: a number of people, or names as in `me,strong`."""
    if text.isascii() and text.isdigit():
        return (ME,) * seat_count(text)
    names = tuple(name.strip() for name in text.split(","))
    for name in names:
        if name not in (ME, *bots.names()):
            known = ", ".join((ME, *bots.names()))
            raise argparse.ArgumentTypeError(f"unknown player {name!r}; choose from {known}")
    return names


def people(text: str) -> tuple[str, ...]:
    """The names of people, as in `Ana,Ben`; `me` is a player without a name."""
    names = tuple(" ".join(name.split()) for name in text.split(","))
    for name in names:
        if not (name and name.isprintable() and len(name) <= LONGEST_NAME):
            raise argparse.ArgumentTypeError(
                f"{name!r} cannot be a name; use 1 to {LONGEST_NAME} printable characters"
            )
        if name in bots.names():
            raise argparse.ArgumentTypeError(f"{name!r} is a bot; put it into --seats")
    return names


def build_parser() -> Parser:
    """All commands and options; docs/cli.md lists the same."""
    one, two = GAMES[0], GAMES[-1]
    titles = " and ".join(sheet.title for sheet in SHEETS.values())
    parser = Parser(
        prog="foxtray",
        description=f"Play {titles} by the printed rules.",
        epilog=f"examples:\n  foxtray play {one}\n  foxtray rules {two}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("-V", "--version", action="version", version=f"foxtray {__version__}")
    # Not required: argparse would ask for a command before it names an option it does not know.
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=False)
    parser.set_defaults(run=lambda args: parser.error("choose a command"))

    def command(name: str, text: str, examples: Sequence[str]) -> argparse.ArgumentParser:
        """Add a command; {one} and {two} in its examples stand for games."""
        lines = (f"  foxtray {name} {line.format(one=one, two=two)}" for line in examples)
        return commands.add_parser(
            name,
            help=text,
            description=text[0].upper() + text[1:] + ".",
            epilog="examples:\n" + "\n".join(lines),
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )

    play = command(
        "play",
        "play in the terminal, alone or taking turns at one keyboard",
        [
            "{one}",
            "{two} --seats 2 --save evening.fox",
            "--resume evening.fox",
            "{one} --seats 3 --own-dice",
            "{one} --seats me,strong",
            "{one} --seats 2 --names Ana,Ben",
            "{two} --seed 42 --option fox_floor=on",
        ],
    )
    play.add_argument("game", nargs="?", choices=GAMES, help="the game; not needed with --resume")
    play.add_argument(
        "--seats",
        type=seating,
        metavar="N|WHO,...",
        help="number of players, 1 to 4, or who plays: me or the name of a bot (default: 1)",
    )
    play.add_argument(
        "--names",
        type=people,
        metavar="NAME,...",
        help="the names of the people, in the order of their seats",
    )
    play.add_argument("--seed", type=whole, metavar="S", help="the same seed gives the same dice")
    play.add_argument("--first", type=whole, metavar="SEAT", help="who starts (default: random)")
    add_options(play)
    play.add_argument("--own-dice", action="store_true", help="roll real dice and type the faces")
    play.add_argument("--save", type=Path, metavar="FILE", help="save the game to a new file")
    play.add_argument("--resume", type=Path, metavar="FILE", help="continue a saved game")
    play.add_argument(
        "--plain", action="store_true", help="plain lines of text, as for pipes and screen readers"
    )
    play.set_defaults(run=run_play)

    rules = command("rules", "show the rulebook of a game", ["{one}", "{two} | less"])
    rules.add_argument("game", choices=GAMES, help="the game")
    rules.set_defaults(run=run_rules)

    replay = command(
        "replay",
        "replay a record, verify it and show the final sheets",
        ["evening.fox", "evening.fox --json"],
    )
    replay.add_argument(
        "file", type=Path, metavar="FILE", help="a .fox file, or - for the standard input"
    )
    replay.add_argument("--json", action="store_true", help="print one JSON object")
    replay.add_argument(
        "--commitment", metavar="SHA256", help="the commitment that you saw before the game started"
    )
    replay.add_argument(
        "--entropy", metavar="HEX", help="the entropy of your browser, to check that it was used"
    )
    replay.set_defaults(run=run_replay)

    counts = command(
        "perft",
        "count the game tree, to compare engines",
        ["{one} --depth 4", "{two} --seats 2 --seed 7 --depth 3 --divide"],
    )
    counts.add_argument("game", choices=GAMES, help="the game")
    counts.add_argument(
        "--seats", type=whole, default=1, metavar="N", help="number of seats, 1 to 4 (default: 1)"
    )
    counts.add_argument(
        "--depth", type=whole, default=3, metavar="D", help="depth in decisions (default: 3)"
    )
    counts.add_argument(
        "--seed", type=whole, default=0, metavar="S", help="seed of the dice (default: 0)"
    )
    counts.add_argument("--divide", action="store_true", help="also count each first action")
    counts.set_defaults(run=run_perft)
    sim_commands.add(command)
    bot_commands.add(command)
    engine_commands.add(command)
    rating_commands.add(command)
    train_commands.add(command)
    review_commands.add(command, load_or_read)
    server_commands.add(command)

    completing = command(
        "completion", "print a script that completes commands in your shell", ["bash", "fish"]
    )
    completing.add_argument("shell", choices=completion.SHELLS, help="the shell")
    completing.set_defaults(run=lambda args: run_completion(args, parser))
    manual = command("man", "print the manual page", ["| man -l -"])
    manual.set_defaults(run=lambda args: run_man(parser))
    return parser


# --- commands -----------------------------------------------------------------------------------


def load(path: Path) -> tuple[Record, bool]:
    """A record from its file, and whether its dice could be verified."""
    return parsed(str(path), path.read_bytes())


def load_or_read(path: Path) -> tuple[Record, bool]:
    """The same; `-` is the standard input."""
    if str(path) != "-":
        return load(path)
    return parsed("standard input", sys.stdin.buffer.read())


def parsed(name: str, data: bytes) -> tuple[Record, bool]:
    try:
        return record.read(data.decode().replace("\r\n", "\n").replace("\r", "\n"))
    except UnicodeDecodeError:
        raise FoxtrayError(f"{name} is not a text file") from None
    except FoxtrayError as error:
        raise FoxtrayError(f"{name}: {error}") from None


def new_record(args: argparse.Namespace) -> Record:
    """A new game, set up by the options."""
    if args.game is None:
        raise BadSetup(f"choose a game: {' or '.join(GAMES)}")
    if args.own_dice and args.seed is not None:
        raise BadSetup("--own-dice and --seed cannot be combined: real dice have no seed")
    if args.save and args.save.exists():
        raise BadSetup(f"{args.save} already exists; --resume it, or choose another file")
    who = (ME,) if args.seats is None else args.seats
    seats = len(who)
    seed = secrets.randbits(48) if args.seed is None else args.seed
    dice = SeededDice(seed)
    names = named(who, args.names or ())
    setup = Setup(
        args.game,
        seats,
        seed=None if args.own_dice else seed,
        names=names,
        **dict(args.option or ()),
    )
    setup.start()  # refuses an impossible number of seats before the first player is drawn
    first = dice.first(seats) if args.first is None else args.first - 1
    return Record(replace(setup, first=first))


def named(who: Sequence[str], people: Sequence[str]) -> tuple[str, ...]:
    """The names of all seats: bots, and people as far as they are named; none if nobody is."""
    count = who.count(ME)
    if len(people) > count:
        raise BadSetup(f"{counted(len(people), 'name')} for {counted(count, 'player')}")
    left = iter(people)
    names = tuple(next(left, ME) if name == ME else name for name in who)
    return () if set(names) <= {ME} else names


def resumed_record(args: argparse.Namespace) -> Record:
    """A saved game; options that it already fixes are refused."""
    given = {"--seats": args.seats, "--seed": args.seed, "--first": args.first}
    given |= {"--names": args.names, "--option": args.option}
    given |= {"--own-dice": args.own_dice or None, "--save": args.save}
    fixed = [name for name, value in given.items() if value is not None]
    if fixed:
        raise BadSetup(f"{fixed[0]} cannot be combined with --resume; leave it out")
    found, _ = load(args.resume)
    if args.game not in (None, found.setup.game):
        raise BadSetup(f"{args.resume} is a game of {found.setup.game}, not of {args.game}")
    if found.game.over or found.given_up:
        raise BadSetup(f"{args.resume} is finished; to see it: foxtray replay {args.resume}")
    if found.setup.commitment:
        raise BadSetup(f"{args.resume} uses the dice of a server; continue it there")
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
    terminal.hint = hint_lines
    terminal.substitute = bots.bot(bots.SUBSTITUTE, seed=found.setup.seed or 0).choose
    whole = screen and sys.stdin.isatty() and sys.stderr.isatty()  # Textual draws on stderr
    if whole and len(seated) < found.setup.seats and not args.plain:
        from foxtray.terminal_table import play

        play(terminal)
    else:
        terminal.run()
    return 0


def hint_lines(game: Game, seat: int) -> list[str]:
    """A hint for the terminal; everything heavy is loaded when it is asked for."""
    check_bot("strong", game=game.sheet.id)
    sim_commands.need_numbers()
    return review_commands.hinted(game, seat, hint(game, seat))


def seat_bots(setup: Setup) -> dict[int, Callable[[Game, int], Action]]:
    """The bots by seat; nothing heavy is loaded if there are none."""
    seated: dict[int, Callable[[Game, int], Action]] = {}
    for seat, name in enumerate(setup.names):
        if name in bots.names():
            check_bot(name, game=setup.game)
            seated[seat] = partial(bots.ask, bots.bot(name, seed=setup.seed or 0))
    return seated


def run_rules(args: argparse.Namespace) -> int:
    print(rulebook.text(args.game))
    return 0


def run_replay(args: argparse.Namespace) -> int:
    found, verified = load_or_read(args.file)
    compare_kept(found.setup, args)
    if args.json:
        print(json.dumps(summary(found, verified)))
        return 0
    setup = found.setup
    told = [f" {found.game.sheet.title}, seats: {setup.seats}"]
    told += [f" option {name}=on" for name, value in found.game.options.items() if value]
    print("\n".join([*told, "", *result(found.game)]))
    if found.given_up:
        print(" Every player gave this game up.")
    for seat in setup.left_out():
        print(f" Seat {seat + 1} did not reveal its entropy in time; the dice do not use it.")
    for seat in setup.in_clear() if any(setup.commitments) else ():
        print(f" Seat {seat + 1} gave its entropy without committing to it first.")
    if verified:
        print(" Verified: every roll matches the seed or secret of the dice.")
        if setup.commitment and not args.commitment:
            print(" This shows that the record agrees with itself. Use --commitment to compare it")
            print(" with the commitment that you saw before the game started.")
    elif setup.commitment:
        print(" Not verified: the secret of the dice has not been revealed yet.")
    else:
        print(" Not verified: the dice were rolled by hand.")
    return 0


def compare_kept(setup: Setup, args: argparse.Namespace) -> None:
    """Refuse a record that does not match what a player kept from before the start."""
    if args.commitment and args.commitment != setup.commitment:
        raise FoxtrayError(
            f"{args.file}: the commitment is not the one that you saw before the start; "
            "the secret of the dice may have been chosen later"
        )
    if args.entropy and args.entropy not in [entropy.hex() for entropy in setup.entropies]:
        raise FoxtrayError(f"{args.file}: your entropy was not used for these dice")


def run_completion(args: argparse.Namespace, parser: Parser) -> int:
    playing = bots.names()
    values = {"--bot": playing, "--bots": playing, "--seats": ("1", "2", "3", "4", ME, *playing)}
    values["--option"] = tuple(f"{name}={value}" for name in OPTIONS for value in ON_OFF)
    print(completion.script(args.shell, parser, values), end="")
    return 0


def run_man(parser: Parser) -> int:
    print(man_page(parser), end="")
    return 0


def man_page(parser: Parser) -> str:
    """The manual page; the wheel contains it too."""
    variables = {
        "FOXTRAY_DATA": "The folder for games and the bots that you added.",
        "FOXTRAY_CACHE": "The folder for compiled code.",
        "FOXTRAY_PORT, ...": "Every option of foxtray serve, in capitals.",
        "NO_COLOR": "If set, nothing is coloured.",
    }
    folders = {
        "The database of the server, unless FOXTRAY_DATA or --db says otherwise.": Path(
            "~/.local/share/foxtray/foxtray.db"
        ),
        "Compiled code, which can be deleted.": Path("~/.cache/foxtray"),
    }
    return completion.manual(parser, __version__, variables, folders)


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
            for sentence in refused():
                complain(sentence)
            given = sys.argv[1:] if argv is None else argv
            args = build_parser().parse_args(given or ["serve", "--open"])
            with keeping_ctrl_c():
                return int(args.run(args))
        finally:
            sys.stdout.flush()
    except BrokenPipeError:  # the reader is gone
        discard_output()
        return CLOSED_PIPE
    except FoxtrayError as error:
        return complain(str(error))
    except OSError as error:
        if error.filename or error.errno not in UNWRITABLE:
            return complain(f"{error.filename}: {error.strerror}" if error.filename else str(error))
        # Files name themselves (files.naming); what was printed does not.
        discard_output()
        return complain(f"standard output: {error.strerror}")
    except KeyboardInterrupt:
        return INTERRUPTED


@contextlib.contextmanager
def keeping_ctrl_c() -> Iterator[None]:
    """Keep a Ctrl-C that arrives in a callback of a library in C, which drops it.

    While the compiler of the bots works, that is likely; it may then fail with an error of its own.
    """
    again = threading.Timer(AGAIN, interrupt_main)
    again.daemon = True
    lost = False
    before = sys.unraisablehook

    def hook(dropped: sys.UnraisableHookArgs) -> None:
        nonlocal lost
        if dropped.exc_type is not KeyboardInterrupt:
            before(dropped)
        elif not lost:
            lost = True
            again.start()  # the callback is over by then

    sys.unraisablehook = hook
    try:
        yield
    except Exception:
        if lost:
            raise KeyboardInterrupt from None
        raise
    finally:
        again.cancel()
        sys.unraisablehook = before


def discard_output() -> None:
    """Drop what could not be written: Python would report it again when it flushes at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
