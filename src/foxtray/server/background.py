"""Tasks that run as long as the server and must not die unnoticed."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine

import structlog

log = structlog.get_logger()


class Background:
    """A group of tasks. If one ends early, it is logged and the server reports itself unhealthy."""

    def __init__(self) -> None:
        self.dead: dict[str, str] = {}
        """Tasks that died, by name, with the cause."""
        self._tasks: dict[asyncio.Task[None], None] = {}
        self._closing = False

    def start(self, name: str, work: Coroutine[object, object, None]) -> None:
        task = asyncio.create_task(work, name=name)
        self._tasks[task] = None
        task.add_done_callback(self._ended)

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._tasks.pop(task, None)
        if self._closing:
            return
        error = None if task.cancelled() else task.exception()
        cause = repr(error) if error else "it ended early"
        self.dead[task.get_name()] = cause
        log.critical("task_died", task=task.get_name(), cause=cause, exc_info=error)

    async def close(self) -> None:
        """Cancel all tasks and wait until they are done."""
        self._closing = True
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
