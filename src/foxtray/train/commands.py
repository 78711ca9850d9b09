"""The commands train and pack. They import nothing heavy until they run."""

from __future__ import annotations

import argparse
import os
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from foxtray.arguments import INTERRUPTED, AddCommand, add_options, seat_count, whole
from foxtray.errors import BadSetup
from foxtray.games.registry import SHEETS
from foxtray.sim.commands import add_ray, need_numbers, pool_at
from foxtray.train.plan import LAST_SEED, MOST_THREADS

if TYPE_CHECKING:
    from foxtray.sim.workers import Pool
    from foxtray.train.run import Trainer

FIRST_SEED = 1 << 40
THROW_COUNTS = ("0", "6", "12", "24", "48", "72")


def add(command: AddCommand) -> None:
    """Add the command to a parser."""
    train = command(
        "train",
        "train a value network by self-play",
        [
            "{one} --games 500000",
            "{two} --minutes 60 --out {two}.npz",
            "{one} --resume run.npz",
            "{one} --refit {one}.npz --minutes 30 --out better.npz",
            "{one} --last-round {one}.npz --minutes 20 --out last.npz",
        ],
    )
    train.add_argument("game", choices=tuple(SHEETS), help="the game")
    train.add_argument("--games", type=whole, metavar="N", help="number of self-play games")
    train.add_argument("--minutes", type=whole, metavar="M", help="train for about this long")
    train.add_argument(
        "--seats",
        type=seat_counts,
        metavar="N[,N...]",
        help="number of seats, 1 to 4, or several that alternate (default: 1)",
    )
    add_options(train)
    train.add_argument("--seed", type=whole, metavar="S", help="seed of the first game")
    train.add_argument(
        "--jobs", type=whole, metavar="J", help="number of threads (default: one per core)"
    )
    add_ray(train)
    train.add_argument(
        "--openings",
        type=share,
        metavar="SHARE",
        help="share of games, 0 to 1, opened by weak or one-sided players (0.2; to refit 0.5)",
    )
    train.add_argument(
        "--throws",
        type=throw_count,
        metavar="N",
        help="rolls of look-ahead per target: 0, 6, 12, 24, 48 or 72 (default: 0; 6 to refit)",
    )
    train.add_argument(
        "--rate",
        type=share,
        metavar="R",
        help="the highest learning rate (default: 0.001; 0.0005 to refit)",
    )
    train.add_argument(
        "--decay",
        type=share,
        metavar="D",
        help="how far results outweigh the net's own guesses: the lambda of TD(lambda) "
        "(default: 0.8; 0.9 to refit)",
    )
    origin = train.add_mutually_exclusive_group()
    origin.add_argument(
        "--start",
        type=Path,
        nargs="+",
        metavar="FILE",
        help="start from a net's weights, or from the mean of several",
    )
    origin.add_argument(
        "--refit",
        type=Path,
        nargs="+",
        metavar="FILE",
        help="the same, and refit it on values searched one roll ahead",
    )
    origin.add_argument(
        "--last-round",
        type=Path,
        nargs="+",
        metavar="FILE",
        help="the same, and train a net for the last round to go with it",
    )
    origin.add_argument("--resume", type=Path, metavar="FILE", help="continue from a checkpoint")
    train.add_argument(
        "--out", type=Path, metavar="FILE", help="the checkpoint (default: GAME.npz)"
    )
    train.set_defaults(run=run_train)

    packing = command(
        "pack",
        "pack training checkpoints into a weights file for the bots",
        [
            "{one}.npz --out mine.npz",
            "alone.npz tables.npz --out mine.npz",
            "mine.npz last.npz --out better.npz",
        ],
    )
    packing.add_argument(
        "files",
        type=Path,
        nargs="+",
        metavar="FILE",
        help="a checkpoint, or a weights file to add to",
    )
    packing.add_argument(
        "--out", type=Path, required=True, metavar="FILE", help="the file to write"
    )
    packing.set_defaults(run=run_pack)


def seat_counts(text: str) -> tuple[int, ...]:
    """Numbers of seats, separated by commas."""
    return tuple(map(seat_count, text.split(",")))


def throw_count(text: str) -> int:
    """A number of throws in which every die shows every face equally often."""
    if text not in THROW_COUNTS:
        raise argparse.ArgumentTypeError(f"{text!r} is not one of {', '.join(THROW_COUNTS)}")
    return int(text)


def share(text: str) -> float:
    """A number from 0 to 1."""
    try:
        number = float(text)
    except ValueError:
        number = -1.0
    if not 0 <= number <= 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 0 to 1")
    return number


def run_train(args: argparse.Namespace) -> int:
    check(args)
    need_numbers()
    from foxtray.train import run

    path = args.resume or args.out or Path(f"{args.game}.npz")
    trainer = run.load(path) if args.resume else None
    if trainer:
        if trainer.plan.game != args.game:
            raise BadSetup(f"{path} is a run for {trainer.plan.game}, not for {args.game}")
        if trainer.done >= trainer.plan.games:
            print(f"the run in {path} is already finished: {trainer.done} games", file=sys.stderr)
            return 0
        run.check_writable(path)
    else:
        run.check_writable(path)
        if path.exists():
            raise BadSetup(f"{path} already exists; --resume it, or choose another --out file")
    with pool_at(args.ray, args.jobs) as pool:
        trainer = trainer or new_run(args, pool)
        print(f"{trainer.plan.games} games of {args.game}; checkpoints in {path}", file=sys.stderr)
        if run.train(trainer, path, tell, pool=pool):
            return 0
    print(f"stopped; to continue: foxtray train {args.game} --resume {path}", file=sys.stderr)
    return INTERRUPTED


def run_pack(args: argparse.Namespace) -> int:
    need_numbers()
    from foxtray.train import run
    from foxtray.train.pack import pack

    run.check_writable(args.out)
    if args.out.exists():
        raise BadSetup(f"{args.out} already exists; choose another --out file")
    for net in pack(args.files, args.out)["nets"]:
        print(f"seats {', '.join(map(str, net['serves_seats']))}: {net['data'][-1]}")
    return 0


def check(args: argparse.Namespace) -> None:
    """Refuse bad options before anything heavy is loaded."""
    if args.resume:
        names = (
            "games", "minutes", "seats", "option", "seed", "jobs", "out", "openings", "throws",
            "rate", "decay",
        )  # fmt: skip
        fixed = [name for name in names if getattr(args, name) is not None]
        if fixed:
            raise BadSetup(f"--{fixed[0]} cannot be combined with --resume; leave it out")
        return
    if (args.games is None) == (args.minutes is None):
        raise BadSetup("choose how long to train: --games N or --minutes M")
    if args.games == 0 or args.minutes == 0:
        what = "games" if args.games == 0 else "minutes"
        raise BadSetup(f"cannot train for 0 {what}; choose 1 or more")
    if args.jobs is not None and not 1 <= args.jobs <= MOST_THREADS:
        raise BadSetup(f"cannot use {args.jobs} threads; choose 1 to {MOST_THREADS}")
    if args.seed is not None and args.seed > LAST_SEED:
        raise BadSetup("the seed of a training run must be a whole number from 0 to 2^62")


def new_run(args: argparse.Namespace, pool: Pool | None) -> Trainer:
    """A new run, set up by the options."""
    from foxtray.sim.batch import turned_on
    from foxtray.train import run

    make_plan = run.default_plan
    if args.refit or args.last_round:
        make_plan = run.ending_plan if args.last_round else run.refit_plan
    seed = FIRST_SEED if args.seed is None else args.seed
    threads = args.jobs or (pool.jobs if pool else os.cpu_count()) or 1
    plan = make_plan(args.game, args.seats or (1,), seed, min(threads, MOST_THREADS))
    plan = replace(plan, options=turned_on(dict(args.option or ())))
    own = {name: getattr(args, name) for name in ("openings", "throws", "rate", "decay")}
    plan = replace(plan, **{name: value for name, value in own.items() if value is not None})
    start = args.refit or args.last_round or args.start
    # Read before the probe, so that a wrong file is reported at once.
    trainer = run.started(plan, start) if start else run.Trainer(plan)
    games = args.games if args.games is not None else run.games_in(plan, args.minutes * 60, pool)
    trainer.plan = run.with_games(plan, games)
    return trainer


def tell(trainer: Trainer, mean: float, error: float, seconds: float) -> None:
    """Print a line of progress."""
    done, games = trainer.done, trainer.plan.games
    print(
        f"{done:>9} of {games} games  mean {mean:6.1f} +-{error:.1f}  {seconds:6.0f} s",
        file=sys.stderr,
        flush=True,
    )
