"""A training run: rounds of self-play, each followed by gradient steps; checkpoints on the way.

Reproducible for the same seed, games and processes: every game has its own seed, every round
plays with weights fixed before it, and batches are drawn from a seeded order.
"""

from __future__ import annotations

import errno
import json
import math
import os
import sys
import time
from collections.abc import Callable, Generator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from types import FrameType

import numpy as np

from foxtray.bots.desk import WEIGHTS, Array, net_of, new_desk, random_weights
from foxtray.bots.weights import read_weights
from foxtray.errors import BadSetup, FoxtrayError
from foxtray.sim.arrays import STATE, Records, tables_of
from foxtray.sim.interrupts import caught
from foxtray.train import machine
from foxtray.train.plan import Plan, whole_number
from foxtray.train.samples import Samples, new_samples

MOST_SAMPLES = 160
"""No game gives more samples per seat."""
WARM_UP = 0.01
"""The share of a run in which the learning rate rises."""


@dataclass(slots=True)
class Trainer:
    """The state of a run: it can be saved at any round and taken up again."""

    plan: Plan
    done: int = 0
    step: int = 0
    weights: Array = field(default_factory=lambda: np.zeros(0))
    means: Array = field(default_factory=lambda: np.zeros(WEIGHTS, np.float32))
    squares: Array = field(default_factory=lambda: np.zeros(WEIGHTS, np.float32))
    averages: Array = field(default_factory=lambda: np.zeros(0))
    history: list[tuple[int, float, float]] = field(default_factory=list)
    """Games played, their mean and the squared error, per report."""

    def __post_init__(self) -> None:
        if not len(self.weights):
            self.weights = random_weights(self.plan.seed)
            self.averages = self.weights.copy()

    def save(self, path: Path) -> None:
        """Write a checkpoint that is whole whatever interrupts."""
        part = part_of(path)
        with part.open("wb") as file:
            np.savez(
                file,
                weights=self.weights,
                means=self.means,
                squares=self.squares,
                averages=self.averages,
                history=np.array(self.history, float).reshape(-1, 3),
                about=json.dumps({"plan": asdict(self.plan), "done": self.done, "step": self.step}),
            )
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)

    @classmethod
    def load(cls, path: Path) -> Trainer:
        with path.open("rb") as file, np.load(file) as stored:
            about = json.loads(str(stored["about"]))
            plan = about["plan"]
            flats = {name: stored[name] for name in ("weights", "means", "squares", "averages")}
            for flat in flats.values():
                if flat.shape != (WEIGHTS,) or flat.dtype != np.float32:
                    raise BadSetup("its net is of another version")
                if not np.isfinite(flat).all():
                    raise BadSetup("its net holds what is no number")
            if not (whole_number(about["done"]) and whole_number(about["step"])):
                raise BadSetup("it does not say how far it is")
            return cls(
                Plan(**{**plan, "seats": tuple(plan["seats"])}),
                about["done"],
                about["step"],
                **flats,
                history=[tuple(row) for row in stored["history"].tolist()],
            )

    def rounds(self) -> Generator[tuple[Array, float]]:
        """Train to the end; after each round the totals of its games, and the error."""
        plan = self.plan
        selfplay = machine.selfplay()
        tables = tables_of(plan.game)
        each = plan.per_round // plan.threads
        desks = [new_desk() for _ in range(plan.threads)]
        inners = [new_desk() for _ in range(plan.threads)]
        states = [np.zeros(2, STATE) for _ in range(plan.threads)]
        room = each * MOST_SAMPLES * max(plan.seats)
        samples = [new_samples(room) for _ in range(plan.threads)]
        results = [np.zeros(each) for _ in range(plan.threads)]
        seats = np.array(plan.seats)
        slopes = np.zeros(WEIGHTS, np.float32)
        with ThreadPoolExecutor(plan.threads) as pool:
            while self.done < plan.games:
                gone = self.done / plan.games
                strength = plan.strength * max(0.0, 1 - gone / plan.fade)
                net = net_of(self.averages)

                def play(k: int, net: object = net, strength: float = strength) -> int:
                    count: int = selfplay.play_games(
                        tables, states[k], plan.seed + self.done + k * each, each, seats,
                        plan.bound, plan.throws, plan.decay, plan.share, strength, net, desks[k],
                        inners[k], samples[k], results[k],
                    )  # fmt: skip
                    return count

                with machine.announced_play():
                    counts = list(pool.map(play, range(plan.threads)))
                # Adam knows nothing of its slopes at first: full steps would spoil given weights.
                rate = plan.rate * 0.5 * (1 + math.cos(math.pi * gone)) * min(1.0, gone / WARM_UP)
                with machine.announced_learning():
                    error = self._learn(counts, samples, desks, slopes, rate)
                self.done += plan.per_round
                # Nobody would finish a game by values that are no numbers.
                if not (math.isfinite(error) and np.isfinite(self.averages).all()):
                    raise FoxtrayError(
                        f"the net is spoilt after {self.done} games: its values are no numbers"
                    )
                yield np.concatenate(results), error

    def _learn(
        self,
        counts: list[int],
        samples: list[Samples],
        desks: list[Records],
        slopes: Array,
        rate: float,
    ) -> float:
        """The gradient steps of a round; returns the mean squared error."""
        plan, learner = self.plan, machine.learner()
        order = np.random.default_rng((plan.seed, self.done))
        error = 0.0
        for k in range(plan.threads):
            mixed = order.permutation(counts[k])
            batches = max(1, counts[k] // plan.batch)
            for b in range(batches):
                first, end = b * counts[k] // batches, (b + 1) * counts[k] // batches
                error += learner.learn(
                    mixed, first, end, net_of(self.weights), net_of(slopes), desks[k], samples[k]
                ) / batches / plan.threads  # fmt: skip
                self.step += 1
                keep = min(plan.keep, (1 + self.step) / (10 + self.step))
                learner.adam(
                    self.weights, slopes, self.means, self.squares, self.averages, rate,
                    self.step, keep,
                )  # fmt: skip
        return error


def default_plan(game: str, seats: tuple[int, ...], seed: int, threads: int) -> Plan:
    """What works for a game: Twice needs tastes to explore, Clever hardly any."""
    share, strength = (0.7, 0.3) if game == "twice" else (0.3, 0.1)
    rounds = 64 // threads * threads or threads
    return Plan(game, 0, seats, seed, threads, rounds, share=share, strength=strength)


def refit_plan(game: str, seats: tuple[int, ...], seed: int, threads: int) -> Plan:
    """What makes a good net better: targets without luck, small steps, no tastes.

    Six throws, in which every die shows every face once, take out nine tenths of the noise.
    """
    if seats != (1,):
        raise BadSetup("only a net for one seat can be refitted: leave out --seats")
    plan = default_plan(game, seats, seed, threads)
    return replace(plan, throws=6, rate=3e-4, decay=0.9, share=0.0, strength=0.0)


def with_games(plan: Plan, games: int) -> Plan:
    """A plan for so many games, in whole rounds."""
    return replace(plan, games=-(-games // plan.per_round) * plan.per_round)


def games_in(plan: Plan, seconds: float) -> int:
    """How many games a time is good for, from a short probe after compiling."""
    for _ in Trainer(with_games(plan, plan.per_round)).rounds():
        pass
    started = time.monotonic()
    for _ in Trainer(with_games(plan, 4 * plan.per_round)).rounds():
        pass
    # A net that has learned finds longer chains: its games take about three times as long.
    return int(seconds / (time.monotonic() - started) * 4 * plan.per_round / 3)


def load(path: Path) -> Trainer:
    """A run from its checkpoint."""
    try:
        return Trainer.load(path)
    except OSError as error:
        raise BadSetup(f"{path} cannot be read: {error.strerror}") from None
    except BadSetup as error:
        raise BadSetup(f"{path} is no checkpoint of a training run: {error}") from None
    except Exception:  # a torn archive fails in many ways
        raise BadSetup(f"{path} is no checkpoint of a training run") from None


def started(plan: Plan, path: Path) -> Trainer:
    """A new run that begins with the weights of a net, from its file or from a checkpoint."""
    if is_checkpoint(path):
        run = load(path)
        game, flat = run.plan.game, run.averages
    else:
        weights = read_weights(path)
        game = str(weights.card.get("game"))
        flat = weights.net(plan.seats[0]).view(np.float32)
    if game != plan.game:
        raise BadSetup(f"{path} holds a net of {game}, not of {plan.game}")
    return Trainer(plan, weights=flat.copy(), averages=flat.copy())


def is_checkpoint(path: Path) -> bool:
    try:
        with path.open("rb") as file, np.load(file) as stored:
            return "averages" in stored
    except Exception:  # whoever reads it next says what is wrong
        return False


def part_of(path: Path) -> Path:
    """Where a checkpoint is written before it takes its place."""
    return path.with_name(path.name + ".part")


def check_writable(path: Path) -> None:
    """Complain now if a checkpoint could not be written later."""
    try:
        if path.is_dir():
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        with part_of(path).open("wb"):
            pass
        part_of(path).unlink()
    except OSError as error:
        raise BadSetup(f"{path} cannot be written: {error.strerror}") from None


class Brake:
    """Ctrl-C stops a run between two rounds, so that it can go on there; a second one at once."""

    def __init__(self) -> None:
        self.pulled = False

    def pull(self, number: int, frame: FrameType | None) -> None:
        if self.pulled:
            raise KeyboardInterrupt
        self.pulled = True
        print("stopping after this round; Ctrl-C again stops without saving", file=sys.stderr)


def train(
    trainer: Trainer,
    path: Path,
    report: Callable[[Trainer, float, float, float], None],
    every: float = 60.0,
) -> bool:
    """Run to the end, saving and reporting as often as `every` seconds; False if stopped before."""
    started, last = time.monotonic(), time.monotonic()
    recent: list[float] = []
    errors: list[float] = []
    brake = Brake()
    with caught(brake.pull), closing(trainer.rounds()) as rounds:
        for totals, error in rounds:
            recent += totals.tolist()
            errors.append(error)
            finished = trainer.done >= trainer.plan.games
            if finished or brake.pulled or time.monotonic() - last > every:
                last = time.monotonic()
                mean = float(np.mean(recent))
                trainer.history.append((trainer.done, mean, float(np.mean(errors))))
                trainer.save(path)
                report(trainer, mean, float(np.std(recent) / len(recent) ** 0.5), last - started)
                recent, errors = [], []
            if brake.pulled and not finished:
                return False
    return True
