"""Makes reviews of finished games, one after the other, and keeps them with the games.

Players take turns, and a game is reviewed once. Each review runs in a process of its own.
"""

from __future__ import annotations

import asyncio
import gzip
import hashlib
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Literal

import msgspec
import structlog

from foxtray import record
from foxtray.core import codes
from foxtray.core.layout import Action
from foxtray.errors import FoxtrayError
from foxtray.game import Game
from foxtray.history import History, step
from foxtray.review import Decision, SeatReview, read_review
from foxtray.review import Step as Choice
from foxtray.server.background import Background
from foxtray.server.bots.fair_queue import Turns
from foxtray.server.bots.pool import end
from foxtray.server.coach.exercises import INTERVALS, Exercise, from_mistakes
from foxtray.server.coach.played_on import since
from foxtray.server.coach.worker import Job, Report
from foxtray.server.machine import MACHINE, Machine
from foxtray.server.store import (
    CoachStore,
    ExerciseRow,
    ReviewRow,
    SeatReviewRow,
)
from foxtray.server.wall_clock import DAY

log = structlog.get_logger()

WORKER = (sys.executable, "-m", "foxtray.server.coach.worker")
PATIENCE = 900.0
"""Seconds that a job may take; the first one compiles."""
TRIES = 2
LINE = 64 * 1024 * 1024
"""Bytes of the longest report."""
SEED = 1
"""Of all reviews: the same game gets the same review, whoever asks."""

State = Literal["none", "waiting", "working", "done", "failed"]
Result = Literal["made", "failed", "died"]


@dataclass(slots=True, eq=False)
class Request:
    """A review that somebody asked for."""

    table: str
    player: str
    """Who asked for it."""
    text: str
    """The record of the game."""
    owners: Sequence[str | None]
    """The player of each seat whose result it is."""
    begun: int = 0
    """The first input that was not copied from another game."""
    state: State = "waiting"
    progress: float = 0.0
    problem: str = ""


class ReviewFailed(FoxtrayError):
    """A job that came to nothing; the message says why."""

    code = "review_failed"


class Reviewer:
    """The queue of reviews, and the one that is being made."""

    def __init__(
        self,
        store: CoachStore,
        machine: Machine = MACHINE,
        command: Sequence[str] = WORKER,
        count: Callable[[Result], None] = lambda result: None,
    ) -> None:
        self._store = store
        self._machine = machine
        self._command = command
        self._count = count
        """Told of every review that was made or failed, and of every process that died."""
        self._turns: Turns[Request] = Turns()
        self._requests: dict[str, Request] = {}
        """By table; those that failed stay, so that their players hear of it."""
        self._wanted = asyncio.Event()
        self._process = asyncio.Lock()
        """Held by the one who has a process: one at a time, as the bots need the machine."""
        self.tasks = Background()

    def start(self) -> None:
        self.tasks.start("reviewer", self._work())

    async def close(self) -> None:
        await self.tasks.close()

    @property
    def waiting(self) -> int:
        """How many reviews nobody has begun yet."""
        return len(self._turns)

    def find(self, table: str) -> Request | None:
        """A review that is being made, or that failed."""
        return self._requests.get(table)

    def ask(
        self, table: str, player: str, text: str, owners: Sequence[str | None], begun: int = 0
    ) -> Request:
        """Ask for the review of a game; one that failed is tried again."""
        known = self._requests.get(table)
        if known and known.state != "failed":
            return known
        request = Request(table, player, text, owners, begun)
        self._requests[table] = request
        self._turns.add(player, request)
        self._wanted.set()
        return request

    def ahead(self, request: Request) -> int:
        """How many reviews are made before one that waits, as players take turns."""
        if request.state != "waiting":
            return 0
        working = any(other.state == "working" for other in self._requests.values())
        return self._turns.before(request.player, request) + working

    def waiting_of(self, player: str) -> int:
        """How many reviews of a player's asking wait."""
        return self._turns.count(player)

    def next(self) -> Request:
        """The request that is next; then its player goes to the end of the queue."""
        return self._turns.take()

    async def exercise(self, game: str, seed: int) -> Exercise:
        """The exercise that follows from a seed."""
        report = await self._do(Job(seed, game=game), lambda progress: None)
        return msgspec.json.decode(report.exercise, type=Exercise)

    async def _work(self) -> None:
        while True:
            await self._wanted.wait()
            self._wanted.clear()
            while self.waiting:
                await self._make(self.next())

    async def _make(self, request: Request) -> None:
        request.state = "working"
        began = self._machine.monotonic()

        def tell(progress: float) -> None:
            request.progress = progress

        try:
            report = await self._do(Job(SEED, record=request.text), tell)
            await self._keep(request, bytes(report.review))
        except FoxtrayError as error:
            log.warning("review_failed", table=request.table, cause=str(error))
            request.state, request.problem = "failed", str(error)
            self._count("failed")
            return
        except Exception as error:  # one review must not keep the others back
            log.error("review_crashed", table=request.table, cause=repr(error), exc_info=error)
            request.state = "failed"
            request.problem = "something went wrong; the error was logged"
            self._count("failed")
            return
        del self._requests[request.table]
        seconds = round(self._machine.monotonic() - began, 1)
        log.info("review_made", table=request.table, seconds=seconds)
        self._count("made")

    async def _keep(self, request: Request, data: bytes) -> None:
        """Write a review, what it says in short of each seat, and its exercises."""
        kept = await asyncio.to_thread(prepare, request, data, self._machine)
        await self._store.add_review(kept)

    async def _do(self, job: Job, tell: Callable[[float], None]) -> Report:
        """Have a job done by a process; one that dies is given a second chance."""
        problem = ""
        for _ in range(TRIES):
            async with self._process:
                try:
                    async with asyncio.timeout(PATIENCE):
                        report = await self._run(job, tell)
                except TimeoutError:
                    raise ReviewFailed("this took too long") from None
                except OSError as error:  # no memory for another process, for instance
                    self._died(repr(error))
                    report = None
            if report is None:
                problem = "the process of the coach died"
            elif report.problem:
                raise ReviewFailed(report.problem)
            else:
                return report
        raise ReviewFailed(problem)

    async def _run(self, job: Job, tell: Callable[[float], None]) -> Report | None:
        """Run one process; returns its last report, or None if it died before that."""
        process = await asyncio.create_subprocess_exec(
            *self._command,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            limit=LINE,
        )
        try:
            report = await listen(process, job, tell)
        except (msgspec.DecodeError, ValueError) as error:
            self._died(repr(error))
            return None
        finally:
            await end(process)
        if report is None:
            self._died(f"exit status {process.returncode}")
        return report

    def _died(self, cause: str) -> None:
        log.warning("coach_died", cause=cause)
        self._count("died")


async def listen(
    process: asyncio.subprocess.Process, job: Job, tell: Callable[[float], None]
) -> Report | None:
    """The last report of a process about a job, or None if there is none."""
    assert process.stdin
    assert process.stdout
    # asyncio reports a closed pipe as an OSError, uvloop as a RuntimeError.
    with suppress(OSError, RuntimeError):
        process.stdin.write(msgspec.json.encode(job))
        await process.stdin.drain()
        process.stdin.close()
    async for line in process.stdout:
        report = msgspec.json.decode(line, type=Report)
        if report.problem or report.review or report.exercise:
            return report
        tell(report.progress)
    return None


def prepare(request: Request, data: bytes, machine: Machine) -> ReviewRow:
    """What is kept of a review."""
    found = read_review(msgspec.json.decode(data))
    history = record.read(request.text)[0]
    if request.begun:
        found = since(history, found, request.begun)
        data = msgspec.json.encode(found)
    now = machine.now()
    exercises = [
        ExerciseRow(
            id=exercise_id(owner, exercise),
            player=owner,
            game=found.game,
            data=msgspec.json.encode(exercise),
            due=now + INTERVALS[0] * DAY,
            days=INTERVALS[0],
        )
        for seat, owner in enumerate(request.owners)
        if owner is not None
        for exercise in from_mistakes(history, found, seat)
    ]
    seats = [seat_row(history, player) for player in found.players]
    return ReviewRow(request.table, gzip.compress(data, 6), now, seats, exercises)


def exercise_id(player: str, exercise: Exercise) -> str:
    """The same position gets the same id: a player who errs there twice has one exercise."""
    asked = f"{player}\n{exercise.seat}\n{exercise.position}"
    return hashlib.sha256(asked.encode()).hexdigest()[:32]


def seat_row(history: History, player: SeatReview) -> SeatReviewRow:
    """The figures of one seat."""
    areas, foxes = lost_by_area(player.decisions)
    return SeatReviewRow(
        seat=player.seat,
        result=player.result,
        expected=player.expected,
        luck=player.luck,
        influence=player.influence,
        price=player.price,
        correction=player.correction,
        error=player.price_error,
        kinds=lost_by_kind(history, player),
        areas=areas,
        foxes=foxes,
    )


def lost_by_kind(history: History, player: SeatReview) -> dict[str, float]:
    """What decisions cost, by what each of their steps was."""
    choices = {c.at: c for d in player.decisions for c in d.steps if c.price > 0}
    kinds: dict[str, float] = {}
    game = history.setup.start()
    for at, entry in enumerate(history.inputs):
        if choice := choices.get(at):
            kind = kind_of(game, player.seat, choice)
            kinds[kind] = kinds.get(kind, 0.0) + choice.price
        game = step(game, entry)[0]
    return kinds


def kind_of(game: Game, seat: int, choice: Choice) -> str:
    """What a seat was asked at a step, or the action that it took too early or not at all."""
    stage = game.stage(seat)
    taken, better = (
        Action.parse(game.sheet.id, text).kind
        for text in (choice.action, choice.alternatives[0].action)
    )
    for track, kind in (("reroll", codes.REROLL), ("return", codes.RETURN)):
        if taken != better and kind in (taken, better):
            return f"{track}_early" if taken == kind else f"{track}_late"
    if stage == "extra" and taken != better:
        return "extra_early" if better == codes.PASS else "extra_late"
    return stage


def lost_by_area(decisions: Sequence[Decision]) -> tuple[tuple[float, ...], float]:
    """What decisions cost in each area; what is left of their price was lost with the foxes."""
    areas = [0.0] * max((len(d.best.areas) for d in decisions), default=0)
    price = 0.0
    for decision in decisions:
        if decision.price < decision.error * 2:
            continue
        price += decision.price
        for area, (best, chosen) in enumerate(
            zip(decision.best.areas, decision.chosen.areas, strict=True)
        ):
            areas[area] += best - chosen
    return tuple(areas), price - sum(areas)


class DailyExercises:
    """Makes the exercise of a day once, however many ask for it."""

    def __init__(self, reviewer: Reviewer, machine: Machine = MACHINE) -> None:
        self._reviewer = reviewer
        self._machine = machine
        self._making: dict[str, tuple[str, asyncio.Task[Exercise]]] = {}
        """By game: the name of its latest exercise, also once that is made and perhaps stored."""

    def find(self, name: str, game: str) -> Exercise | None:
        """An exercise; None as long as it is being made. One that failed is tried again."""
        latest, task = self._making.get(game, ("", None))
        if task is None or latest != name:
            if task is not None:
                task.cancel()  # of a day that is over
            # A random seed: nobody can work the exercise out beforehand.
            seed = self._machine.rng.getrandbits(48)
            making = asyncio.create_task(self._reviewer.exercise(game, seed))
            self._making[game] = name, making
            return None
        if not task.done():
            return None
        if error := task.exception():
            del self._making[game]
            log.warning("exercise_failed", exercise=name, cause=str(error))
            return None
        return task.result()

    async def close(self) -> None:
        making = [task for _, task in self._making.values()]
        for task in making:
            task.cancel()
        await asyncio.gather(*making, return_exceptions=True)
