"""What requests and sockets share. Commands from both go through `Services.carry_out`."""

from __future__ import annotations

import time
from dataclasses import dataclass, field

from starlette.datastructures import Headers
from starlette.requests import cookie_parser
from starlette.types import Scope

from foxtray.errors import FoxtrayError
from foxtray.review import read_hint
from foxtray.review.words import advice
from foxtray.server.coach.hints import Hints, check_advised
from foxtray.server.coach.reviewer import DailyExercises, Reviewer
from foxtray.server.daily.dailies import Dailies
from foxtray.server.http.hosts import Hosts
from foxtray.server.http.limits import Limits
from foxtray.server.http.long_polls import LongPolls
from foxtray.server.machine import MACHINE, Machine
from foxtray.server.metrics import Metrics
from foxtray.server.passkeys import Passkeys
from foxtray.server.players import Players, new_key
from foxtray.server.protocol.messages import (
    Ack,
    Hint,
    Hinted,
    Pace,
    Posted,
    Preview,
    Previews,
    Refused,
    Reseat,
    Say,
    You,
)
from foxtray.server.protocol.refusals import Refusal
from foxtray.server.registration import Door
from foxtray.server.settings import Settings
from foxtray.server.store import PlayerRow, Store
from foxtray.server.tables.commands import Person
from foxtray.server.tables.reading import Reading
from foxtray.server.tables.registry import TableRegistry
from foxtray.server.tables.state import held_seat
from foxtray.server.tables.table import Table

COOKIE = "foxtray"


def bearer(scope: Scope) -> str | None:
    """The bearer token of a request, if it has one."""
    scheme, _, token = Headers(scope=scope).get("authorization", "").partition(" ")
    return token.strip() if scheme.lower() == "bearer" else None


@dataclass(slots=True)
class Services:
    """Everything a request needs."""

    settings: Settings
    store: Store
    registry: TableRegistry
    dailies: Dailies
    players: Players
    limits: Limits
    hosts: Hosts
    metrics: Metrics
    door: Door
    reviewer: Reviewer
    daily_exercises: DailyExercises
    hints: Hints
    long_polls: LongPolls = field(default_factory=LongPolls)
    passkeys: Passkeys = field(default_factory=Passkeys)
    host_token: str = field(default_factory=new_key)
    """Of the host at the machine, for as long as the server runs."""
    address: str = ""
    """The address that was announced at the start."""
    machine: Machine = MACHINE
    stopping: bool = False
    """Whether new visitors are better off at another server."""

    async def player(self, scope: Scope) -> PlayerRow | None:
        """Who sends a request: by bearer token, or by cookie. The banned are refused."""
        token = bearer(scope)
        if token is None:
            token = cookie_parser(Headers(scope=scope).get("cookie", "")).get(COOKIE, "").strip()
        player = await self.players.by_token(token)
        if player and player.banned:
            raise Refusal("banned")
        return player

    def you(self, scope: Scope, table: Table | Reading, player: str | None, key: str = "") -> You:
        """What only this player is told about a table."""
        state = table.state
        seat = state.seat_of(player)
        host = player is not None and player == state.host
        base = f"{self.hosts.base(scope)}/t/{table.id}#key="
        joinable = (seat is not None or host) and state.joinable
        return You(
            seat=seat,
            host=host,
            guests=[held for held in state.seats_of(player) if held != seat],
            may_sit=seat is None and state.has_seat_for(player, key),
            invite=base + state.row.invite if joinable else None,
            watch=base + state.row.watch,
            key=state.row.watch,
            loopback=self.hosts.loopback(scope),
        )

    async def carry_out(
        self, table: Table, player: PlayerRow | None, command: Posted, key: str
    ) -> Ack | Previews | Hinted | Refused:
        """Execute a command and return the answer."""
        started = time.perf_counter()
        answer: Ack | Previews | Hinted
        try:
            if player is None:
                raise Refusal("stranger")
            if isinstance(command, Preview):
                answer = table.views.preview(player.id, command)
            elif isinstance(command, Say):
                self.limits.spend("say", None, player.id)
                answer = table.say(player.id, command)
            elif isinstance(command, Pace):
                answer = table.set_pace(player.id, command)
            else:
                if isinstance(command, Hint):
                    check_advised(table.state.setup.game)
                if isinstance(command, Reseat) and command.guest is not None:
                    command.guest = self.players.allowed_name(command.guest)
                answer = await table.execute(Person(player.id, key), command)
            if isinstance(command, Hint):
                seat = held_seat(table.state, player.id, command.seat)
                if table.log.asked_since(seat) > answer.seq:
                    # Sent again, or too late: the log tells of no hint for what is asked now.
                    raise Refusal("stale")
                found = await self.hints.hint(table.state, seat)
                said = advice(table.state.setup.game, read_hint(found), command.language)
                answer = Hinted(command.id, answer.seq, found, said)
        except FoxtrayError as error:
            return self.refuse(error, command.id)
        self.metrics.executed(type(command).__struct_config__.tag)
        self.metrics.latency.observe(time.perf_counter() - started)
        return answer

    def refuse(self, error: FoxtrayError, command: str | None = None) -> Refused:
        """Count a refusal and return its message."""
        self.metrics.refusals.labels(error.code).inc()
        return Refused(command, error.code, str(error))
