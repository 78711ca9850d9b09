"""Challenges: the games with the same dice, and two of them side by side."""

from __future__ import annotations

import asyncio

from foxtray.server.http.api import KEY, Call, Endpoint, player_id
from foxtray.server.protocol.messages import Comparison, Match, MatchGame
from foxtray.server.protocol.refusals import Refusal
from foxtray.server.statistics import match_game
from foxtray.server.tables.comparison import compare


async def games_with_same_dice(call: Call) -> tuple[str, list[MatchGame]]:
    """The game of the path's table, and all that were played with its dice."""
    table = await call.table()
    found = await call.services.store.matches([table.id])
    rows = found.get(table.id, [])
    return table.state.setup.game, [match_game(row, player_id(call)) for row in rows]


async def get_match(call: Call) -> Match:
    return Match(*await games_with_same_dice(call))


async def get_comparison(call: Call) -> Comparison:
    game, games = await games_with_same_dice(call)
    if any(line.mine and line.state == "playing" for line in games):
        raise Refusal("not_over", "finish your own game with these dice first")
    names = call.request.path_params["table"], call.request.path_params["other"]
    lines = [line for name in names for line in games if line.table == name]
    if len(lines) < 2:
        raise Refusal("no_table", "there is no such game with these dice")
    records = []
    for name in names:
        state = (await call.services.registry.read(name)).state
        if state.status != "over" or state.record is None:
            raise Refusal("not_over")
        records.append(state.record)
    rolls, parted = await asyncio.to_thread(compare, *records)
    return Comparison(game, lines, parted, rolls)


ENDPOINTS = (
    Endpoint("GET", "/api/tables/{table}/match", get_match,
             "The games with the same dice", Match, query=(KEY,)),
    Endpoint("GET", "/api/tables/{table}/match/{other}", get_comparison,
             "Two of them, roll by roll", Comparison, query=(KEY,), weight="heavy",
             compressed=True),
)  # fmt: skip
