"""Lets bots act for the seats that they drive, with the same commands as people."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial

import structlog

from foxtray.bots import BotError
from foxtray.errors import FoxtrayError
from foxtray.server.protocol.messages import Ack, PaceName, Play, Roll
from foxtray.server.tables.commands import Bot
from foxtray.server.tables.context import TableContext
from foxtray.server.tables.log import TableLog
from foxtray.server.tables.presence import PresenceTracker

logger = structlog.get_logger()

RETRY = 0.5
"""Seconds until a seat whose bot stopped early is tried again."""
AFTER_FAILURE = 5.0
"""Seconds until a bot that failed is asked again."""


PACES: dict[PaceName, float] = {"calm": 1.0, "quick": 0.3, "instant": 0.0}
"""How long bots pause, as a part of the server's setting; the calmest first."""


class BotDriver:
    """The tasks of the bots of one table, one for each seat that the game waits for."""

    def __init__(
        self,
        log: TableLog,
        presence: PresenceTracker,
        context: TableContext,
        execute: Callable[[Bot, Roll | Play], Awaitable[Ack]],
    ) -> None:
        self._log = log
        self._presence = presence
        self._context = context
        self._execute = execute
        self._hurry = asyncio.Event()
        """Set if bots do not pause."""
        self._paces: dict[str, PaceName] = {}
        """What players have asked for."""
        self._skip = False
        """No pauses until a person is asked for something."""
        self._tasks: dict[int, asyncio.Task[None]] = {}
        self._closed = False

    def drive(self) -> None:
        """Let bots act for the seats that the game waits for, while a person is present."""
        state = self._log.state
        if not state.driven:
            self._skip = False
            return
        if any(not state.seats[seat].driver for seat in state.wanted()):
            self._skip = False
        if state.pause and not self._skip and self._share():
            self._hurry.clear()
        else:
            self._hurry.set()
        if self._closed or not self._presence.inhabited():
            return
        for seat in state.driven_now():
            if seat not in self._tasks:
                task = asyncio.create_task(self._play(seat))
                self._tasks[seat] = task
                task.add_done_callback(partial(self._stopped, seat))

    def set_pace(self, player: str, pace: PaceName, *, skip: bool) -> None:
        """A player wants bots to be that fast from now on."""
        self._paces[player] = pace
        self._skip = self._skip or (skip and self._people() == [player])
        self.drive()

    def _people(self) -> list[str]:
        """The players who are present, each once."""
        seats = self._log.state.seats
        present = self._presence.present(seats)
        found = (seat.player for seat, here in zip(seats, present, strict=True) if here)
        return list(dict.fromkeys(player for player in found if player))

    def _share(self) -> float:
        """How much of the server's pause the calmest of the people present wants."""
        wishes = [PACES[self._paces.get(player, "calm")] for player in self._people()]
        return max(wishes, default=1.0)

    def _stopped(self, seat: int, task: asyncio.Task[None]) -> None:
        self._tasks.pop(seat, None)
        if task.cancelled():
            return
        if error := task.exception():
            logger.error("bot_task_failed", table=self._log.table.id, cause=repr(error))
        if seat in self._log.state.driven_now():
            asyncio.get_running_loop().call_later(RETRY, self.drive)

    async def _play(self, seat: int) -> None:
        """Act for a seat as long as the game waits for it and a bot drives it."""
        while seat in self._log.state.driven_now() and self._presence.inhabited():
            bot = self._log.state.seats[seat].driver
            if bot is None or self._context.store.failing:
                return
            if not self._hurry.is_set() and self._context.bot_pause:
                await self._pause()
                state = self._log.state
                if seat not in state.driven_now() or state.seats[seat].driver != bot:
                    continue  # the decision was undone, or the owner is back
            actor = Bot(seat, bot, self._log.state.epoch)
            command = await self._choose(seat, bot)
            if command is None:
                continue
            try:
                await self._execute(actor, command)
            except FoxtrayError as error:
                logger.warning("bot_refused", **self._where(seat, bot), cause=str(error))
                return

    async def _pause(self) -> None:
        """Pause as a person would, or until the table turns pauses off."""
        try:
            longer = self._context.machine.rng.uniform(0.6, 1.4)
            async with asyncio.timeout(self._context.bot_pause * self._share() * longer):
                await self._hurry.wait()
        except TimeoutError:
            pass

    async def _choose(self, seat: int, bot: str) -> Roll | Play | None:
        """The command of a bot; None if it failed."""
        state = self._log.state
        if state.to_throw() is not None:
            return Roll(id=bot)
        assert state.record is not None
        try:
            position = state.record.game.position()
            seed = self._context.machine.rng.getrandbits(63)
            action = await self._context.workers.choose(
                position, seat, bot, seed, self._log.table.id
            )
        except BotError as error:
            logger.error("bot_failed", **self._where(seat, bot), cause=str(error))
            await asyncio.sleep(AFTER_FAILURE)
            return None
        return Play(id=bot, action=action)

    def _where(self, seat: int, bot: str) -> dict[str, object]:
        return {"table": self._log.table.id, "seat": seat, "bot": bot}

    async def close(self) -> None:
        self._closed = True
        tasks = list(self._tasks.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
