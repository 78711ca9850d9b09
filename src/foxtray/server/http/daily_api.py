"""The dice of the day over HTTP."""

from __future__ import annotations

from datetime import date

from msgspec.structs import replace
from starlette.requests import cookie_parser
from starlette.responses import Response

from foxtray.dice import SecretDice
from foxtray.games.registry import SHEETS
from foxtray.server.daily.calendar import later, week
from foxtray.server.daily.ranking import bins, places, shown, streak
from foxtray.server.http.api import Call, Endpoint, Parameter, json_response
from foxtray.server.http.limits import household
from foxtray.server.players import new_key
from foxtray.server.protocol.codec import encode
from foxtray.server.protocol.messages import DailyGame, DailyRanking, DailyToday, TableMade
from foxtray.server.protocol.refusals import Refusal

COOKIE = "foxtray-daily"
"""Knows a browser again, whoever is signed in, until the day closes."""


async def get_daily(call: Call) -> DailyToday:
    dailies = call.services.dailies
    day = await dailies.today()
    games = [await daily_game(call, day, game) for game in SHEETS]
    calendar = dailies.calendar
    return DailyToday(day, calendar.ends(day), calendar.closes(day), dailies.zone, games)


async def daily_game(call: Call, day: str, game: str) -> DailyGame:
    dailies, store = call.services.dailies, call.services.store.daily
    dice = await dailies.dice(day, game)
    next_dice = await store.dice(later(day, 1), game)
    told = DailyGame(
        game,
        "open",
        SecretDice(dice.secret).commitment,
        dice.made,
        SecretDice(next_dice.secret).commitment if next_dice else None,
        await store.played(day, game),
    )
    if call.player is None:
        return told
    attempts = await store.attempts(game, call.me.id)
    days = {attempt.day for attempt in attempts if attempt.state == "finished"}
    running = streak(days, day)
    mine = next((attempt for attempt in attempts if attempt.day == day), None)
    if mine is None:
        state = "open" if dailies.welcome(call.me, day) else "tomorrow"
        return replace(told, state=state, streak=running)
    lines = (
        places(await store.results(game, day, day), call.me.id) if mine.total is not None else []
    )
    place = next((line.place for line in lines if line.mine), None)
    return replace(
        told, state=mine.state, table=mine.table, total=mine.total, place=place, streak=running
    )


async def post_daily(call: Call) -> Response:
    player, services = call.me, call.services
    services.limits.spend("table", call.address, player.id)
    request = call.request
    device = cookie_parser(request.headers.get("cookie", "")).get(COOKIE, "")
    fresh = not (device.isascii() and 0 < len(device) <= 64)
    if fresh:
        device = new_key(services.machine.rng)
    name = await services.dailies.begin(
        player, call.game, {"device": device, "address": household(call.address)}
    )
    try:
        table = await services.registry.read(name)
    except Refusal as error:
        raise Refusal("daily_gone") if error.code == "no_table" else error from None
    you = services.you(request.scope, table, player.id)
    made = TableMade(table.id, you, table.state.info(table.names))
    response = json_response(encode(made))
    if fresh:
        secure = services.hosts.base(request.scope).startswith("https:")
        response.set_cookie(
            COOKIE, device, max_age=2 * 86_400, path="/api/daily", httponly=True,
            samesite="lax", secure=secure,
        )  # fmt: skip
    return response


async def get_ranking(call: Call) -> DailyRanking:
    dailies, store = call.services.dailies, call.services.store.daily
    game, span, among = call.game, call.query["span"], call.query["among"]
    player = call.player.id if call.player else None
    today = await dailies.today()
    day = day_of(call.query["day"]) or today
    if day > today:
        raise Refusal("not_found", "this day has not begun")
    dice = await store.dice(day, game)
    closed = dice.closed if dice else True
    # How others scored tells something about the dice.
    hidden = [d for d in {day, today} if not await may_know(call, d, game)]
    first, last = week(day) if span == "week" else (day, day)
    results = [r for r in await store.results(game, first, last) if r.day not in hidden]
    if among == "friends":
        known = await call.services.store.met(call.me.id) | {call.me.id}
        results = [result for result in results if result.player in known]
    lines = places(results, player)
    that_day = [result for result in results if result.day == day]
    own = next((result.total for result in that_day if result.player == player), None)
    return DailyRanking(
        day=day,
        game=game,
        span=span,
        among=among,
        closed=closed,
        hidden=day in hidden,
        players=len(lines),
        places=shown(lines),
        bins=bins([result.total for result in that_day], own),
        commitment=SecretDice(dice.secret).commitment if dice else None,
        committed=dice.made if dice else None,
        secret=dice.secret.hex() if dice and closed else None,
    )


async def may_know(call: Call, day: str, game: str) -> bool:
    """Whether somebody may see the results of a day: it is closed, or they have played it."""
    store = call.services.store.daily
    dice = await store.dice(day, game)
    if dice is None or dice.closed:
        return True
    mine = await store.attempt(day, game, call.me.id) if call.player else None
    return mine is not None and mine.state != "playing"


def day_of(text: str) -> str:
    """A day of the query, checked."""
    try:
        return date.fromisoformat(text).isoformat() if text else ""
    except ValueError:
        raise Refusal("malformed", "day must be a date like 2026-11-17") from None


ENDPOINTS = (
    Endpoint("GET", "/api/daily", get_daily, "Today's dice, and how I did", DailyToday),
    Endpoint("POST", "/api/daily/{game}", post_daily,
             "My attempt at today's dice: always the same table", TableMade),
    Endpoint("GET", "/api/daily/{game}/ranking", get_ranking, "The ranking of a day or its week",
             DailyRanking, query=(
                 Parameter("day", "a date like 2026-11-17; today if empty", default=""),
                 Parameter("span", "day or week", default="day", choices=("day", "week")),
                 Parameter("among", "all, or the people I have played with", default="all",
                           choices=("all", "friends")))),
)  # fmt: skip
