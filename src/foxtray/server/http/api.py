"""The same commands and views over HTTP, for scripts, bots and everything beside the table."""

from __future__ import annotations

import asyncio
import gzip
import io
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

import msgspec
import segno
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route

from foxtray import __version__, bots
from foxtray.bots.compact import compact
from foxtray.dice import SecretDice
from foxtray.errors import FoxtrayError
from foxtray.games.registry import sheet_of
from foxtray.geometry import SheetList, SheetView, sheet_view
from foxtray.layouts import LayoutView, layout_view
from foxtray.server import statistics
from foxtray.server.devices import device_name
from foxtray.server.facts import game_list, lesson_text, rules_text, sheet_list
from foxtray.server.http.live import Live
from foxtray.server.http.services import COOKIE, Services
from foxtray.server.http.static import SMALL, bytes_file, json_file, send
from foxtray.server.protocol.codec import decode_refusal, encode
from foxtray.server.protocol.inputs import decode_setup
from foxtray.server.protocol.messages import (
    MAX_FRAME,
    PROTOCOL,
    Ack,
    Course,
    DiceSecret,
    GameKept,
    GameList,
    GivenUpLine,
    Hinted,
    History,
    LessonText,
    LinkMade,
    LinkUse,
    Me,
    NameBody,
    OfflineGame,
    PlayerInfo,
    Posted,
    Previews,
    Problem,
    Refused,
    RulesText,
    Snapshot,
    Statistics,
    Steps,
    Summary,
    TableLine,
    TableMade,
    TableWish,
    Update,
)
from foxtray.server.protocol.refusals import Refusal, status
from foxtray.server.store import PlayerRow, TableRow
from foxtray.server.tables import replay
from foxtray.server.tables.table import Table

YEAR = 365 * 86_400
PAGE = 50
LATEST = 1 << 62
PRIVATE = {"Cache-Control": "no-store"}


TEXT = 64
"""Characters that a text in a request may have, if nothing else is said."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """A query parameter: a whole number within bounds, or a text."""

    name: str
    text: str
    low: int = 0
    high: int = 0
    """0: a text."""
    default: int | str | None = None
    choices: tuple[str, ...] = ()
    """The only texts there are, if not any."""
    longest: int = TEXT
    """Characters of a text."""


@dataclass(slots=True)
class Call:
    """A request on its way through."""

    request: Request
    services: Services
    live: Live
    player: PlayerRow | None = None
    body: Any = None
    query: dict[str, Any] = field(default_factory=dict)
    token: str | None = None
    """A token to set as the caller's cookie; empty: forget it."""

    @property
    def me(self) -> PlayerRow:
        if self.player is None:
            raise Refusal("stranger")
        return self.player

    @property
    def address(self) -> str:
        return self.request.client.host if self.request.client else ""

    @property
    def base(self) -> str:
        """The address of this server as the caller knows it."""
        return self.services.hosts.base(self.request.scope)

    @property
    def device(self) -> str:
        """What the caller's device is called."""
        return device_name(self.request.headers.get("user-agent", ""))

    @property
    def game(self) -> str:
        return sheet_of(self.request.path_params["game"]).id

    @property
    def key(self) -> str:
        """The key of the caller's link: in a header, which proxies do not log, or in the query."""
        key = self.request.headers.get(KEY_HEADER, "") or self.query["key"]
        if not is_plain(key):
            raise Refusal("malformed", "the key is not understood")
        return str(key)

    async def table(self) -> Table:
        """The table of the path, if the caller may see it."""
        table = await self.services.registry.visible(
            self.request.path_params["table"], self.player.id if self.player else None, self.key
        )
        if self.player:
            table.visit(self.player.id)
        return table


Handler = Callable[[Call], Awaitable[Any]]


@dataclass(frozen=True, slots=True)
class Endpoint:
    """An address of the API: what it takes and gives; openapi.py tells it to the world."""

    method: str
    path: str
    handler: Handler
    summary: str
    answer: Any
    body: Any = None
    query: tuple[Parameter, ...] = ()
    media: str = "application/json"
    weight: str = "request"
    """The bucket it is paid from."""
    compressed: bool = False
    """Whether its answers are long, and hold nothing that must not be guessed by their length."""
    public: bool = False
    """Whether the answer is the same for everybody, so that browsers may keep it."""


KEY_HEADER = "Foxtray-Key"
KEY = Parameter("key", f"like the header {KEY_HEADER}, for older clients", default="")
SINCE = Parameter("since", "the last number seen", 0, 1 << 40, 0)


# --- me -----------------------------------------------------------------------------------------


async def get_me(call: Call) -> Me:
    services = call.services
    tables: list[TableLine] = []
    best: dict[str, int] = {}
    if call.player:
        for name in await services.store.tables_of(call.player.id, over=False):
            line = await table_line(call, name)
            if line:
                tables.append(line)
        best = await services.store.best(call.player.id)
    return Me(
        player=PlayerInfo(call.player.id, call.player.name) if call.player else None,
        tables=sorted(tables, key=lambda table: -table.touched),
        best=best,
        protocol=PROTOCOL,
        version=__version__,
        bots=list(services.registry.context.workers.bots),
        loopback=services.hosts.loopback(call.request.scope),
        admin=call.player.admin if call.player else False,
        registration=await services.door.mode(),
    )


async def table_line(call: Call, name: str) -> TableLine | None:
    """One of the caller's tables, also one that can no longer be played; none if it is gone."""
    registry = call.services.registry
    try:
        table = await registry.read(name)
    except Refusal as error:
        row = await call.services.store.table(name)
        return await unplayable(call, row, str(error)) if row else None
    state = table.state
    seat = state.seat_of(call.me.id)
    return TableLine(
        id=name,
        game=state.setup.game,
        status=state.status,  # type: ignore[arg-type]
        names=[owner.info(table.names).name for owner in state.seats],
        seat=seat or 0,
        my_turn=state.waits_for(call.me.id),
        touched=table.log.rows[-1].at if table.log.rows else state.row.created,
        waiting=list(state.wanted()),
        since=table.log.waiting_since(),
        daily=state.daily.day if state.daily else None,
    )


async def unplayable(call: Call, row: TableRow, reason: str) -> TableLine:
    """A table of which no more can be told than how it was made."""
    setup = decode_setup(row.setup)
    names = await call.services.store.names([seat.player for seat in setup.seats if seat.player])
    return TableLine(
        id=row.id,
        game=setup.game,
        status="playing",
        names=[seat.bot or names.get(seat.player or "", "") for seat in setup.seats],
        seat=0,
        my_turn=False,
        touched=row.created,
        unplayable=reason,
    )


async def put_me(call: Call) -> PlayerInfo:
    body: NameBody = call.body
    if call.player:
        player = await call.services.players.rename(call.player, body.name)
        await call.services.registry.renamed(player.id)
        return PlayerInfo(player.id, player.name)
    call.services.limits.spend("name", call.address)
    invitation = await call.services.door.admit(body.invitation)
    player, token = await call.services.players.create(body.name, call.device, invitation)
    return signed_in(call, player, token)


def signed_in(call: Call, player: PlayerRow, token: str) -> PlayerInfo:
    """Tell a device its token: as a cookie, and in words if it asked for that."""
    call.token = token
    return PlayerInfo(player.id, player.name, token if call.body.bearer else None)


async def delete_me(call: Call) -> PlayerInfo:
    await delete_player(call, call.me)
    call.token = ""
    return PlayerInfo(call.me.id, "")


async def delete_player(call: Call, player: PlayerRow) -> None:
    """Delete a player and all their data."""
    await call.services.registry.part(player)
    await call.services.players.delete(player.id)
    call.live.expel(player.id)
    await call.services.registry.drop_deleted(player)


async def make_link(call: Call) -> LinkMade:
    code, expires = await call.services.players.make_link(call.me.id)
    return LinkMade(code, f"{call.base}/link/{code}", expires)


async def use_link(call: Call) -> PlayerInfo:
    call.services.limits.spend("sign_in", call.address)
    return signed_in(call, *await call.services.players.use_link(call.body.code, call.device))


async def get_games(call: Call) -> History:
    player, store, before = call.me.id, call.services.store, call.query["before"]
    games = await store.results_of(player, before=before, limit=PAGE)
    matches = await store.matches([game[0].table for game in games])
    lines = [statistics.line(game, player, matches.get(game[0].table, ())) for game in games]
    given_up = [] if before < LATEST else await store.given_up(player, PAGE)
    return History(
        lines,
        lines[-1].finished if len(lines) == PAGE else None,
        [
            GivenUpLine(row.table, row.game, row.seats, row.at, row.daily or None, row.kept)
            for row in given_up
        ],
    )


async def get_statistics(call: Call) -> Statistics:
    player, store = call.me.id, call.services.store
    solo = await store.solo_counts(player)
    return statistics.statistics(await store.results_of(player), player, solo)


# --- tables -------------------------------------------------------------------------------------


async def post_table(call: Call) -> TableMade:
    player = call.me
    call.services.limits.spend("table", call.address, player.id)
    table = await call.services.registry.create(player, call.body)
    you = call.services.you(call.request.scope, table, player.id)
    return TableMade(table.id, you, table.state.info(table.names))


async def post_game(call: Call) -> GameKept:
    player = call.me
    call.services.limits.spend("record", call.address, player.id)
    return GameKept(await call.services.registry.keep(player, call.body))


async def get_table(call: Call) -> Snapshot:
    table = await call.table()
    return table.views.snapshot(
        call.services.you(call.request.scope, table, player_id(call), call.key)
    )


def player_id(call: Call) -> str | None:
    return call.player.id if call.player else None


async def get_updates(call: Call) -> Snapshot | Update:
    table = await call.table()
    since = call.query["since"]
    if since == table.log.seq and call.query["wait"]:
        await call.services.long_polls.wait(table.changed, call.query["wait"])
        if table.closed:  # asking for it here would take it from its new owner
            raise Refusal("moved")
        call.player = await call.services.player(call.request.scope)  # signed out meanwhile?
        table = await call.table()
    you = call.services.you(call.request.scope, table, player_id(call), call.key)
    return table.views.catch_up(since, you)


async def post_command(call: Call) -> Response:
    call.services.limits.spend("command", call.address, call.me.id)
    table = await call.table()
    answer = await call.services.carry_out(table, call.player, call.body, call.key)
    code = status(answer.code) if isinstance(answer, Refused) else 200
    return json_response(encode(answer), code)


async def finished(call: Call) -> Table:
    table = await call.table()
    if table.state.status != "over":
        raise Refusal("not_over")
    return table


async def get_steps(call: Call) -> Steps:
    table = await finished(call)
    assert table.state.record
    first, count = call.query["first"], call.query["count"]
    return await asyncio.to_thread(replay.steps, table.state.record, first, count)


async def get_course(call: Call) -> Course:
    table = await finished(call)
    assert table.state.record
    return await asyncio.to_thread(replay.course, table.state.record)


async def get_summary(call: Call) -> Summary:
    table = await finished(call)
    record, store = table.state.record, call.services.store
    assert record
    me = player_id(call)
    rows = await store.results(table.id)
    mine = next((row for row in rows if me is not None and row.player == me), None)
    if me is None or mine is None:
        stood_in = table.state.seat_of(me) is not None
        return statistics.summary(record.game, [], ["stand_in"] if stood_in else [])
    if why := statistics.excluded(rows, mine):
        return statistics.summary(record.game, [], why)
    games = await store.results_of(me, limit=statistics.EARLIER)
    earlier = statistics.earlier_than(table.id, mine.game, mine.seats == 1, games, me)
    return statistics.summary(record.game, earlier)


async def get_record(call: Call) -> Response:
    name = call.request.path_params["table"]
    text = await call.services.registry.record(name, player_id(call), call.key)
    headers = {"Content-Disposition": f'attachment; filename="{name}.fox"', **PRIVATE}
    return Response(text, media_type="text/plain; charset=utf-8", headers=headers)


async def get_secret(call: Call) -> DiceSecret:
    name = call.request.path_params["table"]
    secret = await call.services.registry.secret(name, player_id(call), call.key)
    return DiceSecret(SecretDice(secret).commitment, secret.hex())


async def get_qr(call: Call) -> Response:
    table = await call.table()
    you = call.services.you(call.request.scope, table, player_id(call))
    link = you.invite if call.query["link"] == "invite" else you.watch
    if link is None:
        raise Refusal("not_seated" if table.state.joinable else "already_started")
    out = io.BytesIO()
    segno.make(link, error="m").save(out, kind="svg", scale=4, border=2, xmldecl=False)
    return Response(out.getvalue(), media_type="image/svg+xml", headers=PRIVATE)


# --- texts --------------------------------------------------------------------------------------


async def list_games(call: Call) -> GameList:
    playing = call.services.registry.context.workers.bots

    def able(game: str) -> list[str]:
        return [bot for bot in playing if bots.can_play(bot, game)]

    return game_list(call.query["language"], able)


async def list_sheets(_: Call) -> SheetList:
    return sheet_list()


async def get_sheet(call: Call) -> SheetView:
    return sheet_view(call.game)


async def get_layout(call: Call) -> LayoutView:
    return layout_view(call.game)


async def get_nets(call: Call) -> Response:
    return send(call.request, bytes_file(compact(call.game)), "no-cache")


async def get_lesson(call: Call) -> LessonText:
    return lesson_text(call.game, call.query["language"])


async def get_rules(call: Call) -> RulesText:
    return rules_text(call.game, call.query["language"])


LANGUAGE = Parameter("language", "en, de, nl or sr", default="en")

ENDPOINTS = (
    Endpoint("GET", "/api/me", get_me, "Who I am, and my tables", Me),
    Endpoint("PUT", "/api/me", put_me, "Become a player, or change my name", PlayerInfo, NameBody),
    Endpoint("DELETE", "/api/me", delete_me, "Delete me and all my data", PlayerInfo),
    Endpoint("POST", "/api/me/link", make_link, "A one-time link for another device",
             LinkMade, weight="heavy"),
    Endpoint("POST", "/api/link", use_link, "Use such a link", PlayerInfo, LinkUse),
    Endpoint("GET", "/api/me/games", get_games, "My finished games", History,
             query=(Parameter("before", "continue an earlier answer", 0, LATEST, LATEST),),
             weight="heavy"),
    Endpoint("POST", "/api/me/games", post_game, "Hand over a game that was played offline",
             GameKept, OfflineGame, weight="heavy"),
    Endpoint("GET", "/api/me/statistics", get_statistics, "My statistics", Statistics,
             weight="heavy"),
    Endpoint("POST", "/api/tables", post_table, "A new table", TableMade, TableWish),
    Endpoint("GET", "/api/tables/{table}", get_table, "A table", Snapshot, query=(KEY,)),
    Endpoint("GET", "/api/tables/{table}/updates", get_updates, "What happened since",
             Update | Snapshot, query=(KEY, SINCE, Parameter(
                 "wait", "seconds to wait for something to happen", 0, 25, 25))),
    Endpoint("POST", "/api/tables/{table}/commands", post_command, "A command",
             Ack | Previews | Hinted,
             Posted, query=(KEY,)),
    Endpoint("GET", "/api/tables/{table}/steps", get_steps, "The steps of a finished game", Steps,
             query=(KEY, Parameter("first", "the first step wanted", 0, 10_000, 0),
                    Parameter("count", "how many", 1, 100, 50)), weight="heavy",
             compressed=True),
    Endpoint("GET", "/api/tables/{table}/course", get_course, "Everybody's points over time",
             Course, query=(KEY,), weight="heavy", compressed=True),
    Endpoint("GET", "/api/tables/{table}/summary", get_summary,
             "How a finished game compares with my earlier ones", Summary, query=(KEY,)),
    Endpoint("GET", "/api/tables/{table}/record", get_record,
             "The record of a game that is over or was given up",
             str, query=(KEY,), media="text/plain", weight="heavy"),
    Endpoint("GET", "/api/tables/{table}/secret", get_secret,
             "The secret of the dice, once the game is over, given up or expired", DiceSecret,
             query=(KEY,), weight="heavy"),
    Endpoint("GET", "/api/tables/{table}/qr.svg", get_qr, "A link as a QR code", str,
             query=(KEY, Parameter("link", "which link", default="invite",
                              choices=("invite", "watch"))),
             media="image/svg+xml"),
    Endpoint("GET", "/api/games", list_games, "The games, and their words in a language", GameList,
             query=(LANGUAGE,), public=True),
    Endpoint("GET", "/api/sheets", list_sheets, "The geometry of all sheets", SheetList,
             public=True),
    Endpoint("GET", "/api/sheets/{game}", get_sheet, "The geometry of a sheet", SheetView,
             public=True),
    Endpoint("GET", "/api/layouts/{game}", get_layout, "The tables of the rules for a sheet",
             LayoutView, public=True),
    Endpoint("GET", "/api/nets/{game}", get_nets,
             "The settings of the levels and their nets, a byte per weight", bytes,
             media="application/octet-stream"),
    Endpoint("GET", "/api/lessons/{game}", get_lesson, "The guided game", LessonText,
             query=(LANGUAGE,), public=True),
    Endpoint("GET", "/api/rules/{game}", get_rules, "The rulebook in words", RulesText,
             query=(LANGUAGE,), public=True),
)  # fmt: skip


# --- the way through ----------------------------------------------------------------------------


def json_response(data: bytes, code: int = 200) -> Response:
    return Response(data, code, media_type="application/json", headers=PRIVATE)


def compress(request: Request, response: Response) -> None:
    """Send an answer compressed to those who can read that."""
    response.headers["Vary"] = "Accept-Encoding"
    if "gzip" in request.headers.get("accept-encoding", "") and len(response.body) > SMALL:
        response.body = gzip.compress(response.body, 6, mtime=0)
        response.headers["Content-Encoding"] = "gzip"
        response.headers["Content-Length"] = str(len(response.body))


def problem(services: Services, error: FoxtrayError) -> Response:
    services.metrics.refusals.labels(error.code).inc()
    return json_response(encode(Problem(error.code, str(error))), status(error.code))


def read_query(request: Request, known: tuple[Parameter, ...]) -> dict[str, Any]:
    """The query, checked; what is not known is refused."""
    names = {parameter.name for parameter in known}
    given = request.query_params
    for name in given:
        if name not in names or len(given.getlist(name)) > 1:
            raise Refusal("malformed", f"the parameter {name[:32]!r} is not understood")
    found: dict[str, Any] = {}
    for parameter in known:
        text = given.get(parameter.name)
        if text is None:
            found[parameter.name] = parameter.default
        elif not parameter.high:
            if not is_plain(text, parameter.longest):
                raise Refusal("malformed", f"{parameter.name} is not understood")
            if parameter.choices and text not in parameter.choices:
                choices = " or ".join(parameter.choices)
                raise Refusal("malformed", f"{parameter.name} must be {choices}")
            found[parameter.name] = text
        elif not (text.isascii() and text.isdigit() and len(text) < 20):
            raise Refusal("malformed", f"{parameter.name} must be a whole number")
        elif not parameter.low <= int(text) <= parameter.high:
            bounds = f"{parameter.low} to {parameter.high}"
            raise Refusal("malformed", f"{parameter.name} must be a number from {bounds}")
        else:
            found[parameter.name] = int(text)
    return found


def is_plain(text: str, longest: int = TEXT) -> bool:
    return len(text) <= longest and text.isascii() and text.isprintable()


async def receive_body(request: Request, patience: float) -> bytes:
    """The body of a request, if it is not too large and arrives in time."""
    data = bytearray()
    try:
        async with asyncio.timeout(patience):
            async for chunk in request.stream():
                data += chunk
                if len(data) > MAX_FRAME:
                    raise Refusal("too_large")
    except TimeoutError:
        raise Refusal("malformed", "the message did not arrive in time") from None
    except ClientDisconnect:
        raise Refusal("malformed", "the message ended before its end") from None
    return bytes(data)


async def read_body(
    request: Request, decoder: msgspec.json.Decoder[Any] | None, patience: float
) -> Any:
    """The body of a request, checked."""
    data = await receive_body(request, patience)
    if decoder is None:
        return None
    media = request.headers.get("content-type", "").partition(";")[0]
    if media.strip().lower() != "application/json":
        raise Refusal("malformed", "send JSON, and say so: Content-Type: application/json")
    try:
        return decoder.decode(data)
    except (msgspec.DecodeError, UnicodeError) as error:
        raise decode_refusal(error) from None


def set_cookie(response: Response, token: str, secure: bool) -> None:
    response.set_cookie(
        COOKIE,
        token,
        max_age=YEAR if token else 0,
        httponly=True,
        samesite="lax",
        secure=secure,
    )


def route(endpoint: Endpoint, services: Services, live: Live) -> Route:
    """An endpoint, ready to be called."""
    decoder = msgspec.json.Decoder(endpoint.body) if endpoint.body is not None else None

    async def handle(request: Request) -> Response:
        try:
            call = Call(request, services, live)
            services.limits.spend(endpoint.weight, call.address)
            call.player = await services.player(request.scope)
            call.query = read_query(request, endpoint.query)
            call.body = await read_body(request, decoder, services.settings.patience)
            answer = await endpoint.handler(call)
        except FoxtrayError as error:
            return problem(services, error)
        if endpoint.public:
            return send(request, json_file(encode(answer)), "no-cache")
        response = answer if isinstance(answer, Response) else json_response(encode(answer))
        if endpoint.compressed:
            compress(request, response)
        if call.token is not None:
            set_cookie(
                response, call.token, services.hosts.base(request.scope).startswith("https:")
            )
        return response

    return Route(endpoint.path, handle, methods=[endpoint.method])
