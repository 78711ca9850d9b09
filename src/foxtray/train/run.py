"""A training run: rounds of self-play, each followed by gradient steps, with checkpoints.

The same seed, games and threads give the same result: every game has its own seed, every round
plays with fixed weights, and batches are drawn in a seeded order.
"""

from __future__ import annotations

import errno
import json
import math
import os
import sys
import time
from collections.abc import Callable, Generator, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, field, replace
from itertools import pairwise
from pathlib import Path
from types import FrameType

import numpy as np

from foxtray.bots.levels import LEVELS
from foxtray.bots.network import NETS
from foxtray.bots.old_weights import renewed
from foxtray.bots.weights import VERSION, read_weights
from foxtray.bots.workspace import (
    ROOM,
    Array,
    net_of,
    new_workspace,
    random_weights,
    roomy,
    weights_in,
)
from foxtray.errors import BadSetup, FoxtrayError
from foxtray.files import replacing_bytes
from foxtray.games.registry import folder_of
from foxtray.sim.arrays import Records
from foxtray.sim.interrupts import caught
from foxtray.sim.workers import Pool
from foxtray.train import compiled
from foxtray.train.plan import Plan, whole_number
from foxtray.train.playing import Played, Share, players

OPENINGS = 0.2
"""The share of games with an opening, unless a run says otherwise: a net that starts from nothing
has to learn good play first."""
REFIT_OPENINGS = 0.5
"""The same for a net that plays well already."""
ENDING_OPENINGS = 0.8
"""The same for a net of the last round."""
FLATS = ("weights", "means", "squares", "averages")
WARM_UP = 0.01
"""The share of a run during which the learning rate rises."""


@dataclass(slots=True)
class Trainer:
    """The state of a run; it can be saved after any round and resumed."""

    plan: Plan
    done: int = 0
    step: int = 0
    weights: Array = field(default_factory=lambda: np.zeros(0))
    means: Array = field(default_factory=lambda: np.zeros(ROOM, np.float32))
    squares: Array = field(default_factory=lambda: np.zeros(ROOM, np.float32))
    averages: Array = field(default_factory=lambda: np.zeros(0))
    other: Array = field(default_factory=lambda: np.zeros(0))
    """The net of the rounds that are not learned: the last one, or all others; may be empty."""
    history: list[tuple[int, float, float]] = field(default_factory=list)
    """Per report: games played, their mean score and the squared error."""

    def __post_init__(self) -> None:
        if not len(self.weights):
            self.weights = random_weights(self.plan.game, self.plan.seed)
            self.averages = self.weights.copy()
        if self.plan.ending and not len(self.other):
            raise BadSetup("a net for the last round needs a net for the others; start from one")

    @property
    def size(self) -> int:
        """The number of weights in its net."""
        return weights_in(self.plan.game)

    @property
    def nets(self) -> Records:
        """The nets that play: the one for all rounds but the last, and the one for the last."""
        other = self.other if len(self.other) else self.averages
        pair = (other, self.averages) if self.plan.ending else (self.averages, other)
        return net_of(np.concatenate(pair))

    def save(self, path: Path) -> None:
        """Save a checkpoint atomically: it is never left half written."""
        with replacing_bytes(path) as file:
            np.savez(
                file,
                **{name: getattr(self, name)[: self.size] for name in FLATS},
                other=self.other[: self.size],
                history=np.array(self.history, float).reshape(-1, 3),
                about=json.dumps(
                    {
                        "plan": asdict(self.plan),
                        "done": self.done,
                        "step": self.step,
                        "version": VERSION,
                    }
                ),
            )

    @classmethod
    def load(cls, path: Path) -> Trainer:
        with path.open("rb") as file, np.load(file) as stored:
            about = json.loads(str(stored["about"]))
            lists = {name: tuple(about["plan"].get(name, ())) for name in ("seats", "options")}
            plan = Plan(**{**about["plan"], **lists})
            flats = {name: stored[name] for name in FLATS}
            if "other" in stored and len(stored["other"]):
                flats["other"] = stored["other"]
            if about.get("version", 1) < VERSION:
                flats = {name: renewed(plan.game, flat) for name, flat in flats.items()}
            for flat in flats.values():
                if flat.shape != (weights_in(plan.game),) or flat.dtype != np.float32:
                    raise BadSetup("its weights are from another version")
                if not np.isfinite(flat).all():
                    raise BadSetup("its weights contain NaN or infinity")
            if not (whole_number(about["done"]) and whole_number(about["step"])):
                raise BadSetup("its progress is missing")
            return cls(
                plan,
                about["done"],
                about["step"],
                **{name: roomy(flat) for name, flat in flats.items()},
                history=[tuple(row) for row in stored["history"].tolist()],
            )

    def rounds(self, pool: Pool | None = None) -> Generator[tuple[Array, float]]:
        """Train to the end; yields the totals and the error after each round.

        Games are played on threads here, or in a pool; the weights are learned here.
        """
        plan = self.plan
        slopes, workspace = np.zeros(ROOM, np.float32), new_workspace(plan.game)
        with closing(players(plan, pool)) as playing:
            while self.done < plan.games:
                gone = self.done / plan.games
                today = min(plan.per_round, plan.games - self.done)
                starts = [k * today // plan.threads for k in range(plan.threads + 1)]
                shares = [
                    Share(plan.seed + self.done + start, end - start)
                    for start, end in pairwise(starts)
                ]
                strength = plan.strength * max(0.0, 1 - gone / plan.fade)
                with compiled.announced_play():
                    played = playing.play(shares, strength, self.nets)
                # Adam has no gradient statistics at first: full steps would damage given weights.
                rate = plan.rate * 0.5 * (1 + math.cos(math.pi * gone)) * min(1.0, gone / WARM_UP)
                with compiled.announced_learning():
                    error = self._learn(played, workspace, slopes, rate)
                self.done += today
                # A net with NaN or infinity would never finish a game.
                if not (math.isfinite(error) and np.isfinite(self.averages).all()):
                    raise FoxtrayError(
                        f"training failed after {self.done} games: weights contain NaN or infinity"
                    )
                yield np.concatenate([each.totals for each in played]), error

    def _learn(
        self, played: Sequence[Played], workspace: Records, slopes: Array, rate: float
    ) -> float:
        """The gradient steps of a round; returns the mean squared error."""
        plan, learner = self.plan, compiled.learner()
        order = np.random.default_rng((plan.seed, self.done))
        error = 0.0
        busy = [each for each in played if each.size]  # a short last round may leave threads idle
        for each in busy * plan.passes:
            mixed = order.permutation(each.size)
            batches = max(1, each.size // plan.batch)
            for b in range(batches):
                first, end = b * each.size // batches, (b + 1) * each.size // batches
                error += learner.learn(
                    mixed, first, end, net_of(self.weights), net_of(slopes), workspace,
                    each.samples,
                ) / batches / len(busy) / plan.passes  # fmt: skip
                self.step += 1
                keep = min(plan.keep, (1 + self.step) / (10 + self.step))
                flats = (self.weights, slopes, self.means, self.squares, self.averages)
                learner.adam(*(flat[: self.size] for flat in flats), rate, self.step, keep)
        return error


def default_plan(game: str, seats: tuple[int, ...], seed: int, threads: int) -> Plan:
    """The default plan for a game; its plans are those of `strong`."""
    rounds = 64 // threads * threads or threads
    strong = LEVELS["strong"].suited(game)
    plan = Plan(
        game, 0, seats, seed, threads, rounds, bound=strong.bound, last_bound=strong.last_bound,
        openings=OPENINGS,
    )  # fmt: skip
    return replace(plan, **folder_of(game).numbers.training)


def refit_plan(game: str, seats: tuple[int, ...], seed: int, threads: int) -> Plan:
    """A plan that improves a good net: targets without luck, small steps, no preferences.

    Six throws, in which every die shows every face once, remove nine tenths of the noise. They cost
    far more than a gradient step, so the samples are learned from four times.
    """
    plan = default_plan(game, seats, seed, threads)
    return replace(
        plan, per_round=8 * plan.per_round, passes=4, throws=6, rate=5e-4, decay=0.9, share=0.0,
        strength=0.0, openings=REFIT_OPENINGS,
    )  # fmt: skip


def ending_plan(game: str, seats: tuple[int, ...], seed: int, threads: int) -> Plan:
    """A plan that trains a net for the last round: it takes more luck out, with twelve throws."""
    plan = refit_plan(game, seats, seed, threads)
    return replace(plan, ending=True, throws=12, rate=1e-3, openings=ENDING_OPENINGS)


def with_games(plan: Plan, games: int) -> Plan:
    """A plan for this many games; the last round may be a shorter one."""
    return replace(plan, games=games)


def games_in(plan: Plan, seconds: float, pool: Pool | None = None) -> int:
    """How many games fit in a time, from a short probe after compiling."""
    for _ in Trainer(with_games(plan, plan.per_round)).rounds(pool):
        pass
    started = time.monotonic()
    for _ in Trainer(with_games(plan, 4 * plan.per_round)).rounds(pool):
        pass
    # A trained net finds longer chains: its games take about three times as long.
    return int(seconds / (time.monotonic() - started) * 4 * plan.per_round / 3)


def load(path: Path) -> Trainer:
    """A run from its checkpoint."""
    try:
        return Trainer.load(path)
    except OSError as error:
        raise BadSetup(f"cannot read {path}: {error.strerror}") from None
    except BadSetup as error:
        raise BadSetup(f"{path} is not a usable checkpoint: {error}") from None
    except Exception:  # a damaged archive fails in many ways
        raise BadSetup(f"{path} is not a usable checkpoint") from None


def started(plan: Plan, paths: Sequence[Path]) -> Trainer:
    """A new run that starts from the mean of the weights in some weights files or checkpoints."""
    pairs = [read_nets(plan, path) for path in paths]
    early, late = np.array(np.mean(pairs, 0, np.float64), np.float32)
    flat, other = (late, early) if plan.ending else (early, late)
    if np.array_equal(flat, other) and not plan.ending:
        return Trainer(plan, weights=flat, averages=flat.copy())
    return Trainer(plan, weights=flat, averages=flat.copy(), other=other)


def read_nets(plan: Plan, path: Path) -> Array:
    """The weights for a plan from a weights file or checkpoint: for all rounds, and the last."""
    if is_checkpoint(path):
        run = load(path)
        game, nets = run.plan.game, run.nets
    else:
        weights = read_weights(path)
        game, nets = str(weights.card.get("game")), weights.nets(plan.seats[0])
    if game != plan.game:
        raise BadSetup(f"{path} is a net for {game}, not for {plan.game}")
    return nets.view(np.float32).reshape(NETS, -1)


def is_checkpoint(path: Path) -> bool:
    try:
        with path.open("rb") as file, np.load(file) as stored:
            return "averages" in stored
    except Exception:  # the next reader reports what is wrong
        return False


def check_writable(path: Path) -> None:
    """Fail now if a checkpoint could not be written later."""
    try:
        if path.is_dir():
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        beside = path.with_name(f"{path.name}.tmp")
        with beside.open("wb"):
            pass
        beside.unlink()
    except OSError as error:
        raise BadSetup(f"cannot write {path}: {error.strerror}") from None


class Brake:
    """Makes Ctrl-C stop a run after the current round; a second Ctrl-C stops it at once."""

    def __init__(self) -> None:
        self.pulled = False

    def pull(self, number: int, frame: FrameType | None) -> None:
        if self.pulled:
            raise KeyboardInterrupt
        self.pulled = True
        print("stopping after this round; Ctrl-C again to stop without saving", file=sys.stderr)


def train(
    trainer: Trainer,
    path: Path,
    report: Callable[[Trainer, float, float, float], None],
    every: float = 60.0,
    pool: Pool | None = None,
) -> bool:
    """Train to the end, saving and reporting every `every` seconds; False if stopped early."""

    started, last = time.monotonic(), time.monotonic()
    recent: list[float] = []
    errors: list[float] = []
    brake = Brake()
    with caught(brake.pull), closing(trainer.rounds(pool)) as rounds:
        for totals, error in rounds:
            recent += totals[~np.isnan(totals)].tolist()
            errors.append(error)
            finished = trainer.done >= trainer.plan.games
            if finished or brake.pulled or time.monotonic() - last > every:
                last = time.monotonic()
                mean = float(np.mean(recent)) if recent else math.nan
                trainer.history.append((trainer.done, mean, float(np.mean(errors))))
                trainer.save(path)
                error = float(np.std(recent) / len(recent) ** 0.5) if recent else math.nan
                report(trainer, mean, error, last - started)
                recent, errors = [], []
            if brake.pulled and not finished:
                return False
    return True
