"""The one door for commands, whether they come by socket or by HTTP."""

from __future__ import annotations

import time
from dataclasses import dataclass, field

import msgspec
import structlog
from starlette.datastructures import Headers
from starlette.requests import cookie_parser
from starlette.types import Scope

from foxtray.errors import FoxtrayError
from foxtray.server.hall import Hall
from foxtray.server.hosts import Hosts
from foxtray.server.limits import Limits
from foxtray.server.messages import Posted, Preview, Refused, You
from foxtray.server.metrics import Metrics
from foxtray.server.players import Players
from foxtray.server.polls import Polls
from foxtray.server.refusals import Refusal
from foxtray.server.settings import Settings
from foxtray.server.store import PlayerRow, Store
from foxtray.server.table import Table, encode

log = structlog.get_logger()

COOKIE = "foxtray"


class Named(msgspec.Struct):
    """Just the id of a message that is otherwise not understood."""

    id: str | None = None


def complaint(error: msgspec.DecodeError) -> Refusal:
    """Why a message was not understood."""
    if "$.type" in str(error):
        return Refusal("unknown_command")
    return Refusal("malformed", f"the message cannot be read: {error}")


def id_of(data: bytes | str) -> str | None:
    try:
        found = msgspec.json.decode(data, type=Named).id
    except (msgspec.DecodeError, UnicodeError):
        return None
    return found[:64] if found else None


@dataclass(slots=True)
class Desk:
    """Everything a request needs."""

    settings: Settings
    store: Store
    hall: Hall
    players: Players
    limits: Limits
    hosts: Hosts
    metrics: Metrics
    polls: Polls = field(default_factory=Polls)

    async def player(self, scope: Scope) -> PlayerRow | None:
        """Who sends a request: by bearer token, or by cookie."""
        headers = Headers(scope=scope)
        scheme, _, token = headers.get("authorization", "").partition(" ")
        if scheme.lower() != "bearer":
            token = cookie_parser(headers.get("cookie", "")).get(COOKIE, "")
        return await self.players.by_token(token.strip())

    def you(self, scope: Scope, table: Table, player: str | None) -> You:
        """What is personal at a table."""
        state = table.state
        seat = state.seat_of(player)
        host = player is not None and player == state.host
        base = f"{self.hosts.base(scope)}/t/{table.id}?key="
        joinable = (seat is not None or host) and state.record is None
        return You(
            seat=seat,
            host=host,
            invite=base + state.row.invite if joinable else None,
            watch=base + state.row.watch,
            key=state.row.watch,
            loopback=self.hosts.loopback(scope),
        )

    async def carry_out(
        self, table: Table, player: PlayerRow | None, command: Posted, key: str
    ) -> bytes:
        """The encoded answer to a command."""
        started = time.perf_counter()
        kind = type(command).__struct_config__.tag
        try:
            if player is None:
                raise Refusal("stranger")
            if isinstance(command, Preview):
                data = table.preview(player.id, command)
            else:
                data = encode(await table.execute(player.id, command, key))
        except FoxtrayError as error:
            return self.refuse(error, command.id)
        self.metrics.commands.labels(kind).inc()
        self.metrics.latency.observe(time.perf_counter() - started)
        return data

    def refuse(self, error: FoxtrayError, command: str | None = None) -> bytes:
        """An encoded refusal."""
        self.metrics.refusals.labels(error.code).inc()
        return encode(Refused(command, error.code, str(error)))
