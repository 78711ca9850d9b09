"""The command that trains a net. Imports nothing heavy until it is run."""

from __future__ import annotations

import argparse
import os
import re
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from foxtray.errors import BadSetup
from foxtray.sheets import SHEETS
from foxtray.sim.commands import need_numbers, whole

if TYPE_CHECKING:
    from foxtray.train.run import Trainer

Adder = Callable[[str, str, Sequence[str]], argparse.ArgumentParser]
PROBE = 256


def add(command: Adder) -> None:
    """Add the command to a parser."""
    train = command(
        "train",
        "train a value network by self-play",
        [
            "clever --games 500000",
            "twice --minutes 60 --out twice.npz",
            "clever --resume run.npz",
            "clever --refit clever.npz --minutes 30 --out better.npz",
        ],
    )
    train.add_argument("game", choices=tuple(SHEETS), help="the game")
    train.add_argument("--games", type=whole, metavar="N", help="games of self-play")
    train.add_argument("--minutes", type=whole, metavar="M", help="the same, as a time")
    train.add_argument(
        "--seats",
        type=seat_counts,
        default=(1,),
        metavar="N[,N...]",
        help="1 to 4, or several that the games take in turn (default: 1)",
    )
    train.add_argument("--seed", type=whole, default=1 << 40, metavar="S", help="first game's seed")
    train.add_argument("--jobs", type=whole, metavar="J", help="threads (default: all cores)")
    origin = train.add_mutually_exclusive_group()
    origin.add_argument("--start", type=Path, metavar="FILE", help="begin with a net's weights")
    origin.add_argument(
        "--refit", type=Path, metavar="FILE", help="refit a net on values searched one throw ahead"
    )
    origin.add_argument("--resume", type=Path, metavar="FILE", help="go on from a checkpoint")
    train.add_argument("--out", type=Path, metavar="FILE", help="the checkpoint (GAME.npz)")
    train.set_defaults(run=run_train)


def seat_counts(text: str) -> tuple[int, ...]:
    """Numbers of seats, separated by commas."""
    if not re.fullmatch("[1-4](,[1-4])*", text):
        raise argparse.ArgumentTypeError(f"{text} seats are not possible; choose 1 to 4")
    return tuple(map(int, text.split(",")))


def run_train(args: argparse.Namespace) -> int:
    need_numbers()
    from foxtray.train import run

    if args.resume:
        trainer = run.load(args.resume)
        if trainer.plan.game != args.game:
            raise BadSetup(f"{args.resume} holds a run of {trainer.plan.game}, not of {args.game}")
        path = args.resume
    else:
        if (args.games is None) == (args.minutes is None):
            raise BadSetup("say how long to train: --games N or --minutes M")
        threads = args.jobs or os.cpu_count() or 1
        make_plan = run.refit_plan if args.refit else run.default_plan
        plan = make_plan(args.game, args.seats, args.seed, threads)
        games = args.games if args.games is not None else run.games_in(plan, args.minutes * 60)
        plan = run.with_games(plan, games)
        start = args.refit or args.start
        trainer = run.started(plan, start) if start else run.Trainer(plan)
        path = args.out or Path(f"{args.game}.npz")
    print(f"{trainer.plan.games} games of {args.game}, checkpoints in {path}", file=sys.stderr)
    try:
        run.train(trainer, path, tell)
    except KeyboardInterrupt:
        trainer.save(path)
        print(f"stopped; go on with: foxtray train {args.game} --resume {path}", file=sys.stderr)
        return 130
    return 0


def tell(trainer: Trainer, mean: float, error: float, seconds: float) -> None:
    """A line of progress."""
    done, games = trainer.done, trainer.plan.games
    print(
        f"{done:>9} of {games} games  mean {mean:6.1f} +-{error:.1f}  {seconds:6.0f} s",
        file=sys.stderr,
        flush=True,
    )
