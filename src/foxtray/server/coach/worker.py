"""A process that does one job of the coach: it reads the job, tells how far it is, and ends.

Each job has a process of its own, at low priority: the bots' workers come first, the server never
loads the compiled rules, and the memory is free again afterwards.
"""

from __future__ import annotations

import contextlib
import os
import sys
import time
from collections.abc import Callable

import msgspec
from msgspec import Raw, Struct

from foxtray import record
from foxtray.errors import FoxtrayError
from foxtray.review import Review, review
from foxtray.server.coach.exercises import Exercise, daily_exercise

POLITE = 10
"""How far the priority is below that of the bots' workers."""
OFTEN = 0.2
"""Seconds between two reports."""


class Job(Struct, omit_defaults=True):
    """A record to review, or a seed to make the exercise of a day from."""

    seed: int
    record: str = ""
    game: str = ""


class Report(Struct, omit_defaults=True):
    """How far a job is, what came of it, or why nothing did."""

    progress: float = 0.0
    review: Raw = Raw()
    exercise: Raw = Raw()
    problem: str = ""


def do(job: Job, tell: Callable[[float], None]) -> Report:
    try:
        if job.game:
            made: Exercise = daily_exercise(job.game, job.seed, tell)
            return Report(1.0, exercise=Raw(msgspec.json.encode(made)))
        found: Review = review(record.read(job.record)[0], seed=job.seed, watch=tell)
        return Report(1.0, review=Raw(msgspec.json.encode(found)))
    except FoxtrayError as error:
        return Report(problem=str(error))


def main() -> None:
    if hasattr(os, "nice"):
        os.nice(POLITE)
    job = msgspec.json.decode(sys.stdin.buffer.read(), type=Job)
    out = os.fdopen(os.dup(sys.stdout.fileno()), "wb", buffering=0)
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # what is printed is no report
    told = 0.0

    def tell(progress: float) -> None:
        nonlocal told
        if time.monotonic() - told > OFTEN:
            told = time.monotonic()
            out.write(msgspec.json.encode(Report(progress)) + b"\n")

    out.write(msgspec.json.encode(do(job, tell)) + b"\n")


if __name__ == "__main__":
    with contextlib.suppress(BrokenPipeError):  # the server is gone
        main()
