"""Bots' processes that start, think and die as a seed decides; they play at random."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable
from typing import Any

import msgspec

from foxtray.server.bots import worker
from foxtray.server.bots.worker import Answer, Question
from simulation.loop import Process, settle

START = 1.0
THOUGHT = 0.3
"""Seconds that a worker takes at most to start, and to answer."""
PIPE = 0.003
"""Seconds until an event of a pipe or process is heard of, at most."""
KILLED = -9

decode = msgspec.json.Decoder(Question).decode
encode = msgspec.json.encode


class Stdin(asyncio.WriteTransport):
    """The pipe by which questions come."""

    def __init__(self, child: Worker) -> None:
        super().__init__()
        self.child = child
        self.closed = False

    def write(self, data: bytes | bytearray | memoryview) -> None:
        if not self.child.alive:
            # uvloop raises one or the other, asyncio none; which it is depends on the moment.
            kind: type[Exception] = self.child.rng.choice((RuntimeError, BrokenPipeError))
            raise kind("the handle of the pipe is closed")
        self.child.asked(bytes(data))

    def close(self) -> None:
        self.closed = True

    def is_closing(self) -> bool:
        return self.closed


class Stdout(asyncio.ReadTransport):
    """The pipe by which answers go."""


class Worker(asyncio.SubprocessTransport):
    """One worker, as the server's loop sees it."""

    def __init__(
        self,
        parent: Process,
        protocol: asyncio.SubprocessProtocol,
        rng: random.Random,
        ended: Callable[[Worker], None],
    ) -> None:
        super().__init__()
        self.parent = parent
        self.protocol = protocol
        self.rng = rng
        self.ended = ended
        self.alive = True
        self.doing = "starting"
        self.returncode: int | None = None
        self._waiters: list[asyncio.Future[Any]] = []
        self._pipes: dict[int, asyncio.BaseTransport] = {0: Stdin(self), 1: Stdout()}
        protocol.connection_made(self)
        self.parent.later(rng.random() * START, self._say, b"ready\n")

    # --- what it does -------------------------------------------------------------------------

    def _say(self, line: bytes) -> None:
        if self.alive:
            self.doing = "idle"
            self.protocol.pipe_data_received(1, line)

    def asked(self, line: bytes) -> None:
        question = decode(line)
        action = worker.choose(question.position, question.seat, "random", question.seed)
        self.doing = "thinking"
        thought = self.rng.random() * THOUGHT
        self.parent.later(thought, self._say, encode(Answer(action)) + b"\n")

    def die(self) -> None:
        """Its end, the end of its pipe and its exit status are heard of in any order."""
        if not self.alive:
            return
        self.alive = False
        self.ended(self)
        self.parent.later(self.rng.random() * PIPE, self.protocol.pipe_connection_lost, 1, None)
        self.parent.later(self.rng.random() * PIPE, self._exited)

    def _exited(self) -> None:
        self.returncode = KILLED
        self.protocol.process_exited()
        for waiter in self._waiters:
            settle(waiter, KILLED, None)

    # --- what a transport is asked ------------------------------------------------------------

    def get_pid(self) -> int:
        return 1

    def get_returncode(self) -> int | None:
        return self.returncode

    def get_pipe_transport(self, fd: int) -> asyncio.BaseTransport | None:
        return self._pipes.get(fd)

    async def _wait(self) -> int | None:
        if self.returncode is None:
            waiter = self.parent.loop.create_future()
            self._waiters.append(waiter)
            await waiter
        return self.returncode

    def kill(self) -> None:
        if self.returncode is not None:
            raise ProcessLookupError
        self.die()

    def close(self) -> None:
        pass
