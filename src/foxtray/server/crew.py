"""The bots' processes: kept alive, warmed up, asked again where one dies."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Literal

import msgspec
import structlog

from foxtray import bots
from foxtray.bots.base import BotError
from foxtray.server.worker import COLD, Answer, Question

log = structlog.get_logger()

PATIENCE = 300.0
"""Long enough for the first decision of a net, which compiles it."""
TRIES = 3
WORKER = (sys.executable, "-m", "foxtray.server.worker")


Request = tuple[bytes, "asyncio.Future[str]", int]


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


class Crew:
    """Some worker processes; each thinks about one decision at a time."""

    def __init__(
        self, size: int = 0, command: Sequence[str] = WORKER, *, warm: bool = True
    ) -> None:
        self.size = size or max(1, min(4, (os.cpu_count() or 2) - 1))
        self.bots = bots.names()
        self.command = command if warm else (*command, COLD)
        self._ready = 0
        self._failures = 0
        self._told = self.state
        self._watchers: list[Callable[[], None]] = []
        self._requests: asyncio.Queue[Request] = asyncio.Queue()
        self._tasks: list[asyncio.Task[None]] = []
        self.processes: set[asyncio.subprocess.Process] = set()

    @property
    def state(self) -> Literal["ready", "warming", "failing"]:
        if self._ready:
            return "ready"
        return "failing" if self._failures >= TRIES else "warming"

    def watch(self, changed: Callable[[], None]) -> None:
        """Be told when the state changes."""
        self._watchers.append(changed)

    def _tell(self) -> None:
        if self.state != self._told:
            self._told = self.state
            for watcher in self._watchers:
                watcher()

    def start(self) -> None:
        self._tasks = [asyncio.create_task(self._keep()) for _ in range(self.size)]

    async def close(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def choose(self, position: str, seat: int, bot: str, seed: int) -> str:
        """The text of the action a bot chooses."""
        future: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        question = msgspec.json.encode(Question(position, seat, bot, seed)) + b"\n"
        self._requests.put_nowait((question, future, 0))
        return await future

    async def _keep(self) -> None:
        """Keep one worker alive."""
        while True:
            process = await self._launch()
            self.processes.add(process)
            try:
                await self._work(process)
            finally:
                self.processes.discard(process)
                await end(process)
            self._failures += 1
            self._tell()
            log.warning("worker_died", status=process.returncode)
            await asyncio.sleep(min(5.0, 0.05 * 2**self._failures))

    async def _launch(self) -> asyncio.subprocess.Process:
        """Start a worker; one that is only half started when the crew closes is ended too."""
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

    async def _work(self, process: asyncio.subprocess.Process) -> None:
        """Hand questions to one worker until it dies."""
        assert process.stdin
        assert process.stdout
        if await process.stdout.readline() != b"ready\n":
            return
        self._ready += 1
        self._tell()
        try:
            while True:
                question, future, tries = await self._requests.get()
                if future.done():
                    continue
                try:
                    process.stdin.write(question)
                    async with asyncio.timeout(PATIENCE):
                        line = await process.stdout.readline()
                    answer = msgspec.json.decode(line, type=Answer)
                except asyncio.CancelledError:
                    future.cancel()
                    raise
                except (OSError, TimeoutError, msgspec.DecodeError):
                    self._again(question, future, tries + 1)
                    return
                self._failures = 0
                if future.done():
                    continue
                if answer.problem:
                    future.set_exception(BotError(answer.problem))
                else:
                    future.set_result(answer.action)
        finally:
            self._ready -= 1
            self._tell()

    def _again(self, question: bytes, future: asyncio.Future[str], tries: int) -> None:
        if future.done():
            return
        if tries < TRIES:
            self._requests.put_nowait((question, future, tries))
        else:
            future.set_exception(BotError("the bot died over this decision"))
