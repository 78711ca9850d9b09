"""The commands of the simulator: simulate, arena. Imports nothing heavy until one is run."""

from __future__ import annotations

import argparse
import importlib
import json
import shutil
import sys
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

from foxtray.errors import BadSetup, FoxtrayError
from foxtray.files import replacing
from foxtray.sheets import SHEETS

if TYPE_CHECKING:
    from foxtray.sim.arena import Estimate, Standings
    from foxtray.sim.batch import Games
    from foxtray.sim.summary import Summary
    from foxtray.sim.workers import Find

Adder = Callable[[str, str, Sequence[str]], argparse.ArgumentParser]
INTERRUPTED = 130
LINE_LENGTH = 78


def whole(text: str) -> int:
    """A whole number that is not negative."""
    if not (text.isascii() and text.isdigit()):
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number")
    return int(text)


def names(text: str) -> list[str]:
    """Names separated by commas."""
    return [name.strip() for name in text.split(",")]


def add(command: Adder) -> None:
    """Add the commands to a parser."""
    simulate = command(
        "simulate",
        "let bots play many games and sum up their totals",
        [
            "clever --bot random --games 100000",
            "twice --bot greedy,random --games 10000 --seed 7 --csv games.csv",
            "clever --bot greedy --games 1000 --plot totals.svg --records games/",
        ],
    )
    simulate.add_argument("game", choices=tuple(SHEETS), help="the game")
    simulate.add_argument(
        "--bot",
        type=names,
        required=True,
        metavar="NAME[,NAME...]",
        help="who plays: one bot for every seat, or one for each",
    )
    simulate.add_argument(
        "--seats", type=whole, metavar="N", help="1 to 4 (default: one for each bot)"
    )
    add_common(simulate, "games to play")
    simulate.add_argument(
        "--csv", type=Path, metavar="FILE", help="write a line for each game and seat"
    )
    simulate.add_argument(
        "--plot", type=Path, metavar="FILE.svg", help="draw the totals as a picture"
    )
    simulate.add_argument(
        "--records", type=Path, metavar="DIR", help="write every game as a record"
    )
    simulate.set_defaults(run=run_simulate)

    arena = command(
        "arena",
        "let bots play against each other, all seatings on the same dice",
        [
            "clever --bots greedy,random --games 5000",
            "twice --bots greedy,random --seats 1 --games 5000",
        ],
    )
    arena.add_argument("game", choices=tuple(SHEETS), help="the game")
    arena.add_argument(
        "--bots", type=names, required=True, metavar="NAME,NAME...", help="two bots or more"
    )
    arena.add_argument(
        "--seats",
        type=whole,
        metavar="N",
        help="seats at a table, 1: everyone alone (default: one for each bot, up to 4)",
    )
    add_common(arena, "games of each seating")
    arena.set_defaults(run=run_arena)


def add_common(parser: argparse.ArgumentParser, games: str) -> None:
    parser.add_argument("--games", type=whole, required=True, metavar="N", help=games)
    parser.add_argument(
        "--seed", type=whole, default=0, metavar="S", help="of the first game (default: 0)"
    )
    parser.add_argument(
        "--jobs", type=whole, metavar="J", help="processes (default: one per core if worth it)"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def need_numbers() -> None:
    """Complain if what compiles the rules is not installed."""
    try:
        importlib.import_module("numba")
    except ImportError as error:
        raise FoxtrayError(
            f"this command needs numpy and numba ({error}); "
            "install them: python -m pip install numpy numba"
        ) from None


def finder(chosen: Sequence[str]) -> Find:
    """Where bots outside the compiled loop come from; complains about unknown names."""
    from foxtray.bots.levels import check, chooser

    for name in chosen:
        check(name)
    return chooser


# --- simulate -------------------------------------------------------------------------------------


def run_simulate(args: argparse.Namespace) -> int:
    need_numbers()
    from foxtray.sim import chart
    from foxtray.sim.simulation import check, simulate

    seats = len(args.bot) if args.seats is None else args.seats
    bots = args.bot * seats if len(args.bot) == 1 else args.bot
    if len(bots) != seats:
        raise BadSetup(f"{len(bots)} bots cannot take {seats} seats: name one, or one for each")
    check(args.game, bots, args.games, args.seed, args.jobs)
    check_files(args.csv, args.plot)
    find = finder(bots)
    with ExitStack() as files:
        sinks: list[Callable[[Games], None]] = []
        # Opened before a game is played, so that a wrong name is told at once.
        if args.csv:
            table = files.enter_context(replacing(args.csv))
            table.write(csv_header(args.game))
            sinks.append(lambda games: print(csv_lines(games, bots, args.seed), file=table))
        if args.plot:
            picture = files.enter_context(replacing(args.plot))
        if args.records:
            args.records.mkdir(parents=True, exist_ok=True)
            sinks.append(lambda games: write_records(games, bots, args.records))

        def each(games: Games) -> None:
            for sink in sinks:
                sink(games)

        progress = Progress(args.games)
        summary = simulate(
            args.game,
            bots,
            args.games,
            seed=args.seed,
            jobs=args.jobs,
            find=find,
            moves=bool(args.records),
            each=each,
            watch=lambda summary: progress.show(summary.games, summary.wall_seconds),
        )
        progress.wipe()
        if not summary.games:
            interrupted(0, args.games)
            raise KeyboardInterrupt  # so that the files stay as they were
        if args.plot:
            picture.write(chart.svg(summary))
    print(json.dumps(summary.as_json()) if args.json else "\n".join(describe(summary)))
    return interrupted(summary.games, args.games) if summary.interrupted else 0


def check_files(table: Path | None, picture: Path | None) -> None:
    """Complain about files that would not hold what their names say."""
    if picture and picture.suffix.lower() != ".svg":
        raise BadSetup(f"{picture} cannot hold the picture: its name must end in .svg")
    if table and picture and table.resolve() == picture.resolve():
        raise BadSetup(f"{table} cannot hold both the table and the picture")


def interrupted(done: int, wanted: int) -> int:
    print(f"foxtray: interrupted after {done:,} of {wanted:,} games", file=sys.stderr)
    return INTERRUPTED


def csv_header(game: str) -> str:
    colours = ",".join(area.colour for area in SHEETS[game].areas)
    return f"game,seed,seat,bot,total,{colours},foxes,fox_points,decisions,won\n"


def csv_lines(games: Games, bots: Sequence[str], first_seed: int) -> str:
    """A line for each game and seat; games and seats count from 1."""
    columns = (games.totals, games.areas, games.foxes, games.foxes * games.fox_values)
    totals, areas, foxes, fox_points = (column.tolist() for column in columns)
    decisions, wins = games.decisions.tolist(), games.wins.tolist()
    return "\n".join(
        f"{seed - first_seed + 1},{seed},{seat + 1},{name},{totals[i][seat]},"
        f"{','.join(map(str, areas[i][seat]))},{foxes[i][seat]},{fox_points[i][seat]},"
        f"{decisions[i][seat]},{wins[i] >> seat & 1}"
        for i, seed in enumerate(games.seeds.tolist())
        for seat, name in enumerate(bots)
    )


def write_records(games: Games, bots: Sequence[str], folder: Path) -> None:
    """Write every game to a file named by its seed."""
    for i, seed in enumerate(games.seeds.tolist()):
        text = games.record(i, bots).text()
        (folder / f"{games.game}-{seed}.fox").write_text(text, encoding="utf-8", newline="\n")


class Progress:
    """A bar on the terminal, with the speed and the time left; silent elsewhere."""

    EVERY = 0.1
    WIDTH = 30

    def __init__(self, wanted: int) -> None:
        self.wanted = wanted
        self.shown: float | None = None

    def show(self, done: int, seconds: float) -> None:
        if not sys.stderr.isatty() or seconds - (self.shown or 0.0) < self.EVERY:
            return
        self.shown = seconds
        speed = done / seconds
        full = self.WIDTH * done // self.wanted
        bar = "#" * full + "." * (self.WIDTH - full)
        left = duration((self.wanted - done) / speed)
        line = f"[{bar}] {done / self.wanted:4.0%}  {speed:,.0f} games/s, {left} left"
        print(f"\r{line:<{LINE_LENGTH}}", end="", file=sys.stderr, flush=True)

    def wipe(self) -> None:
        if self.shown is not None:
            print("\r" + " " * LINE_LENGTH + "\r", end="", file=sys.stderr, flush=True)


def duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def describe(summary: Summary) -> list[str]:
    """The summary for people, with a histogram."""
    from foxtray.sim import chart

    every = [summary.figures(seat) for seat in range(summary.seats)]
    if summary.seats == 1:
        heads = [summary.bots[0]]
    else:
        heads = [f"{seat} {name}" for seat, name in enumerate(summary.bots, 1)]
    wide = max(10, *(len(head) + 2 for head in heads))
    lines = [f" {chart.title(summary)}", "", " " * 22 + "".join(f"{h:>{wide}}" for h in heads)]

    def row(label: str, texts: Sequence[str]) -> None:
        lines.append(f" {label:<21}" + "".join(f"{text:>{wide}}" for text in texts))

    for name, label, form in (
        ("mean", "mean", ".2f"),
        ("se", "standard error", ".2f"),
        ("sd", "standard deviation", ".2f"),
        ("min", "lowest", "g"),
        ("p10", "10 % below", "g"),
        ("median", "median", "g"),
        ("p90", "90 % below", "g"),
        ("max", "highest", "g"),
    ):
        row(label, [format(figures[name], form) for figures in every])
    if summary.seats > 1:
        row("games won", [f"{summary.win_rate(seat):.1%}" for seat in range(summary.seats)])
    lines += ["", " mean points"]
    for colour in every[0]["areas"]:
        row(f"  {colour}", [f"{figures['areas'][colour]:.2f}" for figures in every])
    row("  foxes", [f"{figures['fox_points']:.2f}" for figures in every])
    row("number of foxes", [f"{figures['foxes']:.2f}" for figures in every])
    row("decisions per game", [f"{figures['decisions_per_game']:.1f}" for figures in every])
    lines += ["", " ratings"]
    for rating in SHEETS[summary.game].ratings:
        label = f"  {rating.title}"
        row(label, [f"{figures['bands'][rating.title]:.1%}" for figures in every])
    columns = min(shutil.get_terminal_size().columns, 100)
    lines += ["", *chart.terminal(summary, columns, plain=not can_print("█▏")), ""]
    return [*lines, speed_line(summary.games, summary.cpu_seconds, summary.wall_seconds)]


def speed_line(games: int, cpu_seconds: float, wall_seconds: float) -> str:
    speed = games / cpu_seconds if cpu_seconds else 0.0
    return f" {wall_seconds:.1f} s, {cpu_seconds:.1f} CPU s, {speed:,.0f} games per CPU second"


def can_print(letters: str) -> bool:
    try:
        letters.encode(sys.stdout.encoding or "ascii")
    except UnicodeEncodeError:
        return False
    return True


# --- arena ----------------------------------------------------------------------------------------


def run_arena(args: argparse.Namespace) -> int:
    need_numbers()
    from foxtray.sim.arena import arena

    find = finder(args.bots)
    progress = Progress(args.games)
    standings = arena(
        args.game,
        args.bots,
        args.games,
        seats=args.seats,
        seed=args.seed,
        jobs=args.jobs,
        find=find,
        watch=lambda standings: progress.show(standings.deals, standings.wall_seconds),
    )
    progress.wipe()
    if standings.deals:
        print(json.dumps(standings.as_json()) if args.json else "\n".join(rank(standings)))
    return interrupted(standings.deals, args.games) if standings.interrupted else 0


def rank(standings: Standings) -> list[str]:
    """The standings for people: the bots, best first, and every pair of them."""
    order = sorted(range(len(standings.bots)), key=lambda bot: -standings.mean(bot).mean)
    names = standings.bots
    wide = max(len("on the same dice"), *(2 * len(name) + len(" over ") for name in names))
    if standings.seats == 1:
        played = f"everyone alone, {standings.deals:,} games each"
    else:
        played = f"{standings.seats} seats, {standings.deals:,} games of each seating"
    lines = [
        f" {SHEETS[standings.game].title}, {played}, seed {standings.seed}",
        "",
        f" {'bot':<{wide}}   points  95 % sure             games won  95 % sure",
    ]
    for bot in order:
        mean, won = standings.mean(bot), standings.win_rate(bot)
        lines.append(
            f" {names[bot]:<{wide}} {mean.mean:8.2f}  {between(mean, '8.2f')}"
            f"     {won.mean:6.1%}  {between(won, '6.1%')}"
        )
    lines += ["", f" {'on the same dice':<{wide}}   points  95 % sure" + " " * 17 + "ahead"]
    for place, bot in enumerate(order):
        for other in order[place + 1 :]:
            a, b = sorted((bot, other))
            sign = 1 if a == bot else -1
            found = standings.difference(a, b)
            found = found if sign > 0 else found.turned()
            ahead = standings.ahead[a, b].estimate(2).mean
            pair = f"{names[bot]} over {names[other]}"
            lines.append(
                f" {pair:<{wide}} {found.mean:+8.2f}  {between(found, '+8.2f')}"
                f"     {ahead if sign > 0 else 1 - ahead:6.1%}"
            )
    spent = speed_line(standings.games, standings.cpu_seconds, standings.wall_seconds)
    return [*lines, "", spent]


def between(estimate: Estimate, form: str) -> str:
    """The confidence interval of an estimate, if it has one."""
    low, high = estimate.low, estimate.high
    if low is None or high is None:
        return f"{'unknown':<20}"
    return f"{format(low, form)} to {format(high, form)}"
