"""The commands simulate and arena. They import nothing heavy until they run."""

from __future__ import annotations

import argparse
import hashlib
import json
import shutil
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from foxtray import extras
from foxtray.arguments import INTERRUPTED, AddCommand, add_options, whole
from foxtray.digits import counted
from foxtray.errors import BadSetup
from foxtray.files import is_standard_output, naming, replacing, replacing_bytes
from foxtray.folders import cache_folder
from foxtray.games.registry import SHEETS

if TYPE_CHECKING:
    from foxtray.sim.arena import Estimate, Standings
    from foxtray.sim.batch import Chooser, Games
    from foxtray.sim.summary import Summary
    from foxtray.sim.workers import Find, Pool

LINE_LENGTH = 78


def names(text: str) -> list[str]:
    """Names separated by commas."""
    return [name.strip() for name in text.split(",")]


def add(command: AddCommand) -> None:
    """Add the commands to a parser."""
    simulate = command(
        "simulate",
        "let bots play many games and summarise their scores",
        [
            "{one} --bot random --games 100000",
            "{two} --bot greedy,random --games 10000 --seed 7 --csv games.csv",
            "{one} --bot greedy --games 1000 --plot totals.svg --records games/",
        ],
    )
    simulate.add_argument("game", choices=tuple(SHEETS), help="the game")
    simulate.add_argument(
        "--bot",
        type=names,
        required=True,
        metavar="NAME[,NAME...]",
        help="one bot for all seats, or one per seat",
    )
    simulate.add_argument(
        "--seats", type=whole, metavar="N", help="number of seats, 1 to 4 (default: one per bot)"
    )
    add_common(simulate, "number of games")
    simulate.add_argument(
        "--csv",
        type=Path,
        metavar="FILE",
        help="write one line per game and seat; - to print them",
    )
    simulate.add_argument(
        "--parquet", type=Path, metavar="FILE", help="write the same as a Parquet file"
    )
    simulate.add_argument(
        "--plot", type=Path, metavar="FILE.svg", help="draw the score distribution"
    )
    simulate.add_argument(
        "--records", type=Path, metavar="DIR", help="write each game as a .fox record"
    )
    simulate.set_defaults(run=run_simulate)

    arena = command(
        "arena",
        "let bots play each other in every seating, on the same dice",
        [
            "{one} --bots greedy,random --games 5000",
            "{two} --bots greedy,random --seats 1 --games 5000",
            "{one} --bots expert,strong,strong --games 100",
        ],
    )
    arena.add_argument("game", choices=tuple(SHEETS), help="the game")
    arena.add_argument(
        "--bots",
        type=names,
        required=True,
        metavar="NAME,NAME...",
        help="two or more bots; one that is named again takes another seat",
    )
    arena.add_argument(
        "--seats",
        type=whole,
        metavar="N",
        help="seats per game; 1: every bot plays solo (default: one per bot, up to 4)",
    )
    add_common(arena, "number of games per seating")
    arena.add_argument(
        "--luck-adjusted",
        action="store_true",
        help="take the luck of the dice out of the points (needs trained weights; slower)",
    )
    arena.set_defaults(run=run_arena)


def add_common(parser: argparse.ArgumentParser, games: str) -> None:
    parser.add_argument("--games", type=whole, required=True, metavar="N", help=games)
    parser.add_argument(
        "--seed", type=whole, default=0, metavar="S", help="seed of the first game (default: 0)"
    )
    parser.add_argument(
        "--jobs", type=whole, metavar="J", help="number of processes (default: one per core)"
    )
    add_ray(parser)
    add_options(parser)
    add_weights(parser)
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def add_ray(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--ray",
        metavar="ADDRESS",
        help="use a Ray cluster: HOST:PORT, auto, or local to start one on this machine",
    )


@contextmanager
def pool_at(address: str | None, jobs: int | None = None) -> Iterator[Pool | None]:
    """The pool of a Ray cluster; None without an address."""
    if address is None:
        yield None
        return
    extras.need("ray", "--ray")
    from foxtray.sim.cluster import connect

    with connect(address, jobs) as pool:
        yield pool


def add_weights(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--weights", type=Path, metavar="FILE", help="levels with a net use this weights file"
    )


def need_numbers() -> None:
    """Raise an error if numpy or numba is not installed."""
    extras.need("bots")


def finder(
    game: str, chosen: Sequence[str], weights: Path | None = None, *, send: bool = False
) -> Find:
    """The function that finds bots outside the compiled loop; refuses bots that cannot play.

    All levels with a net use the weights file, if one is given; with `send`, on machines that do
    not have it too.
    """
    from foxtray.bots.levels import LEVELS, check, chooser

    for name in chosen:
        check(name, game=game)
    if weights is None:
        return chooser
    from foxtray.bots.weights import read_weights

    using = {name for name in chosen if name in LEVELS and not LEVELS[name].simple}
    if not using:
        raise BadSetup(f"none of the bots uses weights: {', '.join(dict.fromkeys(chosen))}")
    read_weights(weights, game)  # refuses a wrong file before anything is compiled
    return sent(weights) if send else WithWeights(weights.absolute())


@dataclass(frozen=True, slots=True)
class WithWeights:
    """Finds bots like `chooser`, but levels with a net use the weights file."""

    weights: Path

    def __call__(self, name: str, game: str) -> Chooser:
        from foxtray.bots.levels import LEVELS, chooser

        uses = name in LEVELS and not LEVELS[name].simple
        found: Chooser = chooser(name, game, self.weights if uses else None)
        return found


@dataclass(frozen=True, slots=True)
class SentWeights:
    """Finds bots like `WithWeights`, on a machine that does not have the file."""

    name: str
    """The hash of the weights, which names the copy that a machine keeps."""
    data: bytes = field(compare=False, repr=False)

    def __call__(self, name: str, game: str) -> Chooser:
        copy = cache_folder() / "weights" / f"{self.name}.npz"
        if not copy.exists():
            copy.parent.mkdir(parents=True, exist_ok=True)
            with replacing_bytes(copy) as file:
                file.write(self.data)
        return WithWeights(copy)(name, game)


def sent(weights: Path) -> SentWeights:
    data = weights.read_bytes()
    return SentWeights(hashlib.sha256(data).hexdigest()[:16], data)


# --- simulate -------------------------------------------------------------------------------------


def run_simulate(args: argparse.Namespace) -> int:
    need_numbers()
    from foxtray.sim import chart, export
    from foxtray.sim.simulation import check, simulate

    seats = len(args.bot) if args.seats is None else args.seats
    bots = args.bot * seats if len(args.bot) == 1 else args.bot
    if len(bots) != seats:
        raise BadSetup(
            f"{len(bots)} bots cannot fill {counted(seats, 'seat')}; name one, or one per seat"
        )
    check(args.game, bots, args.games, args.seed, args.jobs)
    check_files({"--csv": args.csv, "--parquet": args.parquet, "--plot": args.plot})
    find = finder(args.game, bots, args.weights, send=bool(args.ray))
    with ExitStack() as files:
        pool = files.enter_context(pool_at(args.ray, args.jobs))
        sinks: list[Callable[[Games], None]] = []
        # Opened before the first game, so that a wrong name is reported at once.
        for path, table in ((args.csv, export.csv_file), (args.parquet, export.parquet_file)):
            if path:
                opened = table(path, args.game, bots, args.seed)
                sinks.append(files.enter_context(opened))
        if args.plot:
            picture = files.enter_context(replacing(args.plot))
        if args.records:
            args.records.mkdir(parents=True, exist_ok=True)
            sinks.append(lambda games: write_records(games, bots, args.records))

        def each(games: Games) -> None:
            for sink in sinks:
                sink(games)

        progress = ProgressBar(args.games)
        summary = simulate(
            args.game,
            bots,
            args.games,
            seed=args.seed,
            jobs=args.jobs,
            find=find,
            pool=pool,
            moves=bool(args.records),
            options=dict(args.option or ()),
            each=each,
            watch=lambda summary: progress.show(summary.games, summary.wall_seconds),
        )
        progress.wipe()
        if not summary.games:
            interrupted(0, args.games)
            raise KeyboardInterrupt  # leaves existing files unchanged
        if args.plot:
            picture.write(chart.svg(summary))
    told = json.dumps(summary.as_json()) if args.json else "\n".join(describe(summary))
    piped = any(path and is_standard_output(path) for path in (args.csv, args.parquet))
    print(told, file=sys.stderr if piped else sys.stdout)
    return interrupted(summary.games, args.games) if summary.interrupted else 0


def check_files(chosen: Mapping[str, Path | None]) -> None:
    """Refuse file names that do not suit their contents, or that would overwrite each other."""
    picture = chosen["--plot"]
    if picture and picture.suffix.lower() != ".svg":
        raise BadSetup(f"cannot write the picture to {picture}; its name must end in .svg")
    taken: dict[Path, str] = {}
    for option, path in chosen.items():
        if path:
            other = taken.setdefault(path.resolve(), option)
            if other != option:
                raise BadSetup(f"{other} and {option} both name {path}; choose two different files")


def interrupted(done: int, wanted: int) -> int:
    print(f"foxtray: interrupted after {done:,} of {wanted:,} games", file=sys.stderr)
    return INTERRUPTED


def write_records(games: Games, bots: Sequence[str], folder: Path) -> None:
    """Write every game to a file named by its seed."""
    for i, seed in enumerate(games.seeds.tolist()):
        text = games.record(i, bots).text()
        path = folder / f"{games.game}-{seed}.fox"
        with naming(path):
            path.write_text(text, encoding="utf-8", newline="\n")


class ProgressBar:
    """A progress bar with speed and time left; silent unless stderr is a terminal."""

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
    """The summary as text, with a histogram."""
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
        ("p10", "10th percentile", "g"),
        ("median", "median", "g"),
        ("p90", "90th percentile", "g"),
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
    from foxtray.review.strength import lucks
    from foxtray.sim.arena import arena

    find = finder(args.game, args.bots, args.weights, send=bool(args.ray))
    if args.luck_adjusted:
        from foxtray.bots.levels import check as check_bot

        check_bot("strong", game=args.game)
    progress = ProgressBar(args.games)
    with pool_at(args.ray, args.jobs) as pool:
        standings = arena(
            args.game,
            args.bots,
            args.games,
            seats=args.seats,
            seed=args.seed,
            jobs=args.jobs,
            find=find,
            pool=pool,
            options=dict(args.option or ()),
            watch=lambda standings: progress.show(standings.deals, standings.wall_seconds),
            lucks=lucks if args.luck_adjusted else None,
        )
    progress.wipe()
    if standings.deals:
        print(json.dumps(standings.as_json()) if args.json else "\n".join(rank(standings)))
    return interrupted(standings.deals, args.games) if standings.interrupted else 0


def rank(standings: Standings) -> list[str]:
    """The standings as text: the bots, best first, and every pair of them."""
    order = sorted(range(len(standings.bots)), key=lambda bot: -standings.mean(bot).mean)
    names = standings.bots
    wide = max(len("on the same dice"), *(2 * len(name) + len(" over ") for name in names))
    if standings.seats == 1:
        played = f"solo, {standings.deals:,} games each"
    else:
        played = f"{standings.seats} seats, {standings.deals:,} games per seating"
    played += "".join(f", {name}=on" for name in standings.options)
    lines = [
        f" {SHEETS[standings.game].title}, {played}, seed {standings.seed}",
        "",
        f" {'bot':<{wide}}   points  95 % interval         games won  95 % interval",
    ]
    for bot in order:
        mean, won = standings.mean(bot), standings.win_rate(bot)
        lines.append(
            f" {names[bot]:<{wide}} {mean.mean:8.2f}  {between(mean, '8.2f')}"
            f"     {won.mean:6.1%}  {between(won, '6.1%')}"
        )
    lines += ["", f" {'on the same dice':<{wide}}   points  95 % interval" + " " * 13 + "ahead"]
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
    if standings.luck_adjusted:
        lines += ["", " The luck of the dice is taken out of the points, not out of the wins."]
    spent = speed_line(standings.games, standings.cpu_seconds, standings.wall_seconds)
    return [*lines, "", spent]


def between(estimate: Estimate, form: str) -> str:
    """The confidence interval of an estimate, if it has one."""
    low, high = estimate.low, estimate.high
    if low is None or high is None:
        return f"{'unknown':<20}"
    return f"{format(low, form)} to {format(high, form)}"
