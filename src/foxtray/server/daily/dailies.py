"""Turns the days, fixes their dice beforehand, and lets every player try them once."""

from __future__ import annotations

import asyncio
import hmac
from collections.abc import Mapping

import structlog

from foxtray.errors import FoxtrayError
from foxtray.games.registry import SHEETS
from foxtray.server.background import Background
from foxtray.server.daily.calendar import Calendar, later, zone_of
from foxtray.server.daily.day_clock import DayClock
from foxtray.server.machine import MACHINE, Machine
from foxtray.server.protocol.inputs import Daily
from foxtray.server.protocol.refusals import Refusal
from foxtray.server.settings import Settings
from foxtray.server.store import Conflict, DailyAttempt, DailyDiceRow, PlayerRow, Store
from foxtray.server.tables.creation import SECRET_BYTES, daily_table

log = structlog.get_logger()

AHEAD = 2
"""Days whose dice are fixed beforehand."""
WAKE = 60.0
"""Seconds between two looks at the clock."""


class Dailies:
    """The days of a server. Everything it tells about the time is in the store first."""

    def __init__(self, store: Store, settings: Settings, machine: Machine = MACHINE) -> None:
        self.store = store
        self.calendar = Calendar(zone_of(settings.timezone))
        self.zone = settings.timezone
        self._once_per = settings.daily_once_per
        self._machine = machine
        self._clock = DayClock(store, machine)
        self._turned = ("", "")
        """The day, and the last closed one, that the store knows of."""
        self._turning = asyncio.Lock()
        self.tasks = Background()

    def start(self) -> None:
        self.tasks.start("daily", self._turn_days())

    async def close(self) -> None:
        await self.tasks.close()

    async def _turn_days(self) -> None:
        while True:
            try:
                await self.today()
            except FoxtrayError as error:  # the next minute tries again
                log.warning("day_not_turned", cause=str(error))
            await asyncio.sleep(WAKE)

    async def today(self) -> str:
        """The day it is now. A new one is noted first, with dice for the next ones."""
        async with self._turning:
            at = await self._clock.time()
            now = self.calendar.day(at), self.calendar.closed(at)
            if now != self._turned:
                made = self._machine.now()
                dice = [
                    DailyDiceRow(later(now[0], n), game, self._new_secret(), made)
                    for n in range(AHEAD + 1)
                    for game in SHEETS
                ]
                await self.store.daily.turn(at, now[1], dice)
                self._turned = now
            return self._turned[0]

    def _new_secret(self) -> bytes:
        return self._machine.rng.randbytes(SECRET_BYTES)

    async def dice(self, day: str, game: str) -> DailyDiceRow:
        """The dice of a day that is not far away."""
        found = await self.store.daily.dice(day, game)
        if found is None:
            raise Refusal("not_found", "there are no dice for this day")
        return found

    def welcome(self, player: PlayerRow, day: str) -> bool:
        """Whether a player was known before a day began: a second account is of no use at once."""
        return player.created < self.calendar.begins(day)

    async def begin(self, player: PlayerRow, game: str, places: Mapping[str, str]) -> str:
        """The table of a player's attempt at today's dice: always the same one.

        `places` is where they play from, by kind: what the setting names may be used once.
        """
        day = await self.today()
        had = await self.store.daily.attempt(day, game, player.id)
        if had is not None:
            return had.table
        if not self.welcome(player, day):
            raise Refusal("daily_tomorrow")
        dice = await self.dice(day, game)
        setup = Daily(day, self.calendar.closes(day))
        table = daily_table(player.id, game, setup, dice.secret, self._machine)
        attempt = DailyAttempt(day, game, player.id, table.row.id)
        try:
            await self.store.daily.begin(attempt, table, self._marks(dice, places))
        except Conflict:
            # Two requests at once, or another player was here before.
            had = await self.store.daily.attempt(day, game, player.id)
            if had is None:
                raise Refusal("daily_seen") from None
            return had.table
        return table.row.id

    def _marks(self, dice: DailyDiceRow, places: Mapping[str, str]) -> list[bytes]:
        """What is kept of a place until the day closes: enough to know it again, no more."""
        kinds = {"player": (), "device": ("device",), "address": ("device", "address")}
        told = [f"{kind} {places[kind]}" for kind in kinds[self._once_per] if places.get(kind)]
        return [hmac.digest(dice.secret, text.encode(), "sha256") for text in told]
