"""An event loop with virtual time and no input or output of its own, and processes that can die.

Callbacks run in the order in which they were scheduled, as asyncio promises; what a real machine
leaves open (threads, pipes, networks, disks) comes after delays that a seed decides.
"""

from __future__ import annotations

import asyncio
import contextvars
import heapq
import random
from asyncio import events
from collections import deque
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar, TypeVarTuple, Unpack

T = TypeVar("T")
Ts = TypeVarTuple("Ts")

PROCESS: contextvars.ContextVar[Process | None] = contextvars.ContextVar("process", default=None)
"""The process that runs now; none for clients and for what happens outside of all processes."""

THREAD_HOP = 0.002
"""Seconds that a thread takes at most until the loop hears of its work."""
THREAD_WORK = 0.02
"""Seconds that work in a thread takes at most."""
STUBBORN = 10
"""How often a coroutine may wait again while its process is being killed."""

Launch = Callable[[asyncio.SubprocessProtocol], asyncio.SubprocessTransport]


class Scheduled(asyncio.TimerHandle):
    """A callback that will run, unless its process dies before."""

    __slots__ = ("owner",)

    def __init__(
        self,
        when: float,
        callback: Callable[..., object],
        args: tuple[Any, ...],
        loop: SimulatedLoop,
        context: contextvars.Context | None,
    ) -> None:
        super().__init__(when, callback, args, loop, context)
        self.owner = PROCESS.get() if context is None else context.get(PROCESS)


class Process:
    """Tasks that die together."""

    def __init__(self, loop: SimulatedLoop, launch: Launch | None = None) -> None:
        self.loop = loop
        self.launch = launch
        """What starts a child process."""
        self.alive = True
        self.steps_left = -1
        """How many callbacks run until it is killed; below 0: as many as there are."""
        self.tasks: dict[ProcessTask[Any], None] = {}
        self.context = contextvars.copy_context()
        self.context.run(PROCESS.set, self)

    def spawn(self, work: Coroutine[Any, Any, T], name: str | None = None) -> asyncio.Task[T]:
        return self.context.run(self.loop.create_task, work, name=name)

    def later(self, delay: float, callback: Callable[[Unpack[Ts]], object], *args: *Ts) -> None:
        """Let something happen in this process, if it lives then."""
        self.loop.call_later(delay, callback, *args, context=self.context)

    def kill(self) -> None:
        """Stop here and now: nothing of it runs any more, and nothing it does is felt."""
        self.alive = False
        for task in list(self.tasks):
            self.context.run(task.abandon)
        self.tasks.clear()


class ProcessTask(asyncio.Task[T]):
    """A task that knows its process."""

    process: Process | None = None
    _log_destroy_pending: bool

    def abandon(self) -> None:
        """End its coroutine for good, so that nothing of it is left to the collector."""
        self._log_destroy_pending = False
        work = self.get_coro()
        assert isinstance(work, Coroutine)
        for _ in range(STUBBORN):
            try:
                work.close()
            except BaseException:  # it waits for something, or complains: it is dead all the same
                continue
            return


class SimulatedLoop(asyncio.AbstractEventLoop):
    """Runs callbacks one after another; time passes only when there is nothing left to do."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.steps = 0
        self.on_error: Callable[[str], None] = print
        """Told of errors that nobody caught."""
        self.on_kill: Callable[[Process], None] = Process.kill
        self._now = 0.0
        self._heard = 0.0
        """When the loop will have heard the last of the other threads."""
        self._number = 0
        self._ready: deque[Scheduled] = deque()
        self._scheduled: list[tuple[float, int, Scheduled]] = []

    # --- running ------------------------------------------------------------------------------

    @contextmanager
    def running(self) -> Iterator[None]:
        events._set_running_loop(self)
        try:
            yield
        finally:
            events._set_running_loop(None)

    def step(self) -> bool:
        """Run the next callback; False if there is none."""
        if self._ready:
            handle = self._ready.popleft()
        elif self._scheduled:
            when, _, handle = heapq.heappop(self._scheduled)
            self._now = max(self._now, when)
        else:
            return False
        if handle.cancelled():
            return True
        owner = handle.owner
        if owner is not None:
            if not owner.alive:
                return True
            if owner.steps_left == 0:
                self.on_kill(owner)
                return True
            owner.steps_left -= 1
        self.steps += 1
        handle._run()
        return True

    def leap(self, seconds: float) -> None:
        """Let time pass while nothing runs, as on a machine that was suspended."""
        self._now += seconds

    # --- scheduling ---------------------------------------------------------------------------

    def time(self) -> float:
        return self._now

    def call_soon(
        self,
        callback: Callable[[Unpack[Ts]], object],
        *args: *Ts,
        context: contextvars.Context | None = None,
    ) -> Scheduled:
        handle = Scheduled(self._now, callback, args, self, context)
        self._ready.append(handle)
        return handle

    def call_at(
        self,
        when: float,
        callback: Callable[[Unpack[Ts]], object],
        *args: *Ts,
        context: contextvars.Context | None = None,
    ) -> Scheduled:
        handle = Scheduled(when, callback, args, self, context)
        self._number += 1
        heapq.heappush(self._scheduled, (when, self._number, handle))
        return handle

    def call_later(
        self,
        delay: float,
        callback: Callable[[Unpack[Ts]], object],
        *args: *Ts,
        context: contextvars.Context | None = None,
    ) -> Scheduled:
        return self.call_at(self._now + delay, callback, *args, context=context)

    def call_soon_threadsafe(
        self,
        callback: Callable[[Unpack[Ts]], object],
        *args: *Ts,
        context: contextvars.Context | None = None,
    ) -> Scheduled:
        """The loop wakes a moment after other threads called it, and hears them in their order."""
        self._heard = max(self._heard, self._now + self.rng.random() * THREAD_HOP)
        return self.call_at(self._heard, callback, *args, context=context)

    def _timer_handle_cancelled(self, handle: asyncio.TimerHandle) -> None:
        """Cancelled ones are passed over when their time comes."""

    # --- tasks and futures --------------------------------------------------------------------

    def create_future(self) -> asyncio.Future[Any]:
        return asyncio.Future(loop=self)

    def create_task(  # type: ignore[override]
        self,
        coro: Coroutine[Any, Any, T],
        *,
        name: object = None,
        context: contextvars.Context | None = None,
    ) -> asyncio.Task[T]:
        process = PROCESS.get() if context is None else context.get(PROCESS)
        named = None if name is None else str(name)
        task = ProcessTask(coro, loop=self, name=named, context=context)
        task.process = process
        if process is None:
            return task
        if process.alive:
            process.tasks[task] = None
            task.add_done_callback(lambda done: process.tasks.pop(done, None))
        else:  # begun while its process was being killed: it never runs
            task.abandon()
        return task

    def run_in_executor(
        self, executor: object, func: Callable[[Unpack[Ts]], T], *args: *Ts
    ) -> asyncio.Future[T]:
        """Work in a thread: done as a whole at some moment, and heard of a little later."""
        future = self.create_future()

        def work() -> None:
            try:
                result = func(*args)
            except Exception as error:
                self.call_soon_threadsafe(settle, future, None, error)
            else:
                self.call_soon_threadsafe(settle, future, result, None)

        self.call_later(self.rng.random() * THREAD_WORK, work)
        return future

    async def subprocess_exec(
        self, protocol_factory: Callable[[], Any], *command: object, **pipes: object
    ) -> tuple[Any, Any]:
        """Start a child of the process that runs now."""
        process = PROCESS.get()
        assert process is not None
        assert process.launch is not None
        await asyncio.sleep(self.rng.random() * THREAD_HOP)
        protocol = protocol_factory()
        return process.launch(protocol), protocol

    # --- what is asked of every loop ----------------------------------------------------------

    def get_debug(self) -> bool:
        return False

    def is_running(self) -> bool:
        return True

    def is_closed(self) -> bool:
        return False

    def call_exception_handler(self, context: dict[str, Any]) -> None:
        """Report what nobody caught, except where whoever would have died with its process."""
        source = context.get("future")
        if source is not None:
            task = isinstance(source, ProcessTask)
            if not task or (source.process and not source.process.alive):
                return
        self.on_error(f"{context.get('message')}: {context.get('exception')!r}")


def settle(future: asyncio.Future[Any], result: object, error: BaseException | None) -> None:
    """Let whoever waits go on."""
    if future.done():
        return
    if error is None:
        future.set_result(result)
    else:
        future.set_exception(error)
