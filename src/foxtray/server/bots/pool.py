"""The pool of worker processes: it restarts those that die and repeats their questions."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Literal

import msgspec
import structlog

from foxtray import bots
from foxtray.bots.base import BotError
from foxtray.bots.levels import refused
from foxtray.server.background import Background
from foxtray.server.bots.fair_queue import FairQueue
from foxtray.server.bots.worker import COLD, Answer, Question

log = structlog.get_logger()

PATIENCE = 300.0
"""Long enough for the first decision of a net, which compiles it."""
TRIES = 3
WORKER = (sys.executable, "-m", "foxtray.server.bots.worker")


@dataclass(slots=True)
class Request:
    """A question and the future that waits for its answer."""

    table: str
    slow: bool
    hint: bool
    question: bytes
    answer: asyncio.Future[Answer]
    tries: int = 0


def is_slow(bot: str) -> bool:
    """Whether a decision may take long: with look-ahead it does, and with unknown bots it may."""
    level = bots.level_of(bot)
    return level is None or level.throws > 0


async def end(process: asyncio.subprocess.Process) -> None:
    """End a process and wait until it is gone, even if the wait is cancelled."""
    if process.stdin:
        process.stdin.close()
    with suppress(ProcessLookupError):
        process.kill()
    gone = asyncio.ensure_future(process.wait())
    try:
        await asyncio.shield(gone)
    except asyncio.CancelledError:
        await gone
        raise


class WorkerPool:
    """A pool of worker processes; each makes one decision at a time."""

    def __init__(
        self,
        size: int = 0,
        command: Sequence[str] = WORKER,
        *,
        warm: bool = True,
        names: Sequence[str] | None = None,
    ) -> None:
        self.size = size or max(1, min(4, (os.cpu_count() or 2) - 1))
        self.bots = bots.names() if names is None else names
        """Whom a worker can play as."""
        self.command = command if warm else (*command, COLD)
        self.ready = 0
        """How many workers are idle or deciding."""
        self._failures = 0
        self._told = self.state
        self._watchers: list[Callable[[], None]] = []
        self._requests: FairQueue[Request] = FairQueue()
        self.restarts = 0
        """How often a worker was replaced."""
        self.tasks = Background()
        self.processes: set[asyncio.subprocess.Process] = set()

    @property
    def state(self) -> Literal["ready", "warming", "failing"]:
        if self.ready:
            return "ready"
        return "failing" if self._failures >= TRIES else "warming"

    def watch(self, changed: Callable[[], None]) -> None:
        """Call a function when the state changes."""
        self._watchers.append(changed)

    def _tell(self) -> None:
        if self.state != self._told:
            self._told = self.state
            for watcher in self._watchers:
                watcher()

    def start(self) -> None:
        for sentence in refused():
            log.warning("bot_skipped", cause=sentence)
        for number in range(self.size):
            # One of several is reserved for quick bots, which would otherwise wait for seconds.
            takes_slow = self.size == 1 or number > 0
            self.tasks.start(f"worker {number + 1}", self._keep(takes_slow))

    async def close(self) -> None:
        await self.tasks.close()

    @property
    def waiting(self) -> int:
        """How many questions no worker has taken yet."""
        return len(self._requests)

    async def choose(self, position: str, seat: int, bot: str, seed: int, table: str = "") -> str:
        """The text of the action a bot chooses; tables take turns."""
        answer = await self._answer(table, is_slow(bot), Question(position, seat, bot, seed))
        return answer.action

    async def hint(self, position: str, seat: int, seed: int, table: str = "") -> bytes:
        """What the coach advises in a position, as JSON, once no bot waits for its decision."""
        answer = await self._answer(table, True, Question(position, seat, "", seed, hint=True))
        return bytes(answer.hint)

    async def _answer(self, table: str, slow: bool, question: Question) -> Answer:
        answer: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
        asked = msgspec.json.encode(question) + b"\n"
        self._ask(Request(table, slow, question.hint, asked, answer))
        return await answer

    def _ask(self, request: Request) -> None:
        self._requests.put(request.table, request, slow=request.slow, hint=request.hint)

    async def _keep(self, takes_slow: bool) -> None:
        """Run one worker and restart it whenever it dies."""
        while True:
            try:
                cause = f"exit status {await self._employ(takes_slow)}"
            except (OSError, RuntimeError) as error:
                cause = repr(error)
            self._failures += 1
            self.restarts += 1
            self._tell()
            log.warning("worker_died", cause=cause)
            await asyncio.sleep(min(5.0, 0.05 * 2**self._failures))

    async def _employ(self, takes_slow: bool) -> int | None:
        """Start one worker and hand it questions until it dies; returns its exit status."""
        process = await self._launch()
        self.processes.add(process)
        try:
            await self._work(process, takes_slow)
        finally:
            self.processes.discard(process)
            await end(process)
        return process.returncode

    async def _launch(self) -> asyncio.subprocess.Process:
        """Start a worker; if the pool closes meanwhile, end it."""
        starting = asyncio.ensure_future(
            asyncio.create_subprocess_exec(
                *self.command, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE
            )
        )
        try:
            return await asyncio.shield(starting)
        except asyncio.CancelledError:
            await end(await starting)
            raise

    async def _work(self, process: asyncio.subprocess.Process, takes_slow: bool) -> None:
        """Hand questions to one worker until it dies."""
        assert process.stdin
        assert process.stdout
        if await process.stdout.readline() != b"ready\n":
            return
        self.ready += 1
        self._tell()
        gone = asyncio.ensure_future(process.wait())
        try:
            while request := await self._next(gone, takes_slow):
                future = request.answer
                if future.done():
                    continue
                try:
                    process.stdin.write(request.question)
                    async with asyncio.timeout(PATIENCE):
                        line = await process.stdout.readline()
                    answer = msgspec.json.decode(line, type=Answer)
                except asyncio.CancelledError:
                    future.cancel()
                    raise
                # asyncio reports a closed pipe as an OSError, uvloop as a RuntimeError.
                except (OSError, RuntimeError, TimeoutError, msgspec.DecodeError):
                    self._ask_again(request)
                    return
                self._failures = 0
                if future.done():
                    continue
                if answer.problem:
                    future.set_exception(BotError(answer.problem))
                else:
                    future.set_result(answer)
        finally:
            gone.cancel()
            self.ready -= 1
            self._tell()

    async def _next(self, gone: asyncio.Future[int], takes_slow: bool) -> Request | None:
        """The next question, or None once the worker that should answer it is gone."""
        coming = asyncio.ensure_future(self._requests.get(takes_slow=takes_slow))
        try:
            await asyncio.wait((coming, gone), return_when=asyncio.FIRST_COMPLETED)
        finally:
            if not coming.done():
                coming.cancel()
        return coming.result() if coming.done() and not coming.cancelled() else None

    def _ask_again(self, request: Request) -> None:
        request.tries += 1
        if request.answer.done():
            return
        if request.tries < TRIES:
            self._ask(request)
        else:
            request.answer.set_exception(
                BotError(f"the worker process died {TRIES} times over this decision")
            )
