"""A player's statistics: opponents, games and wins."""

import asyncio
import random
from typing import Any

from foxtray.server import statistics
from foxtray.server.store import ResultRow, SoloCount
from server.harness import Client, Json, Server, key_of
from server.test_tables import run


async def finished(server: Server, table: str, tokens: list[str], key: str = "") -> Json:
    """Play a table to its end; how it stands then."""
    clients = [Client(server.port, table, token, key, random.Random(table)) for token in tokens]
    for seat, client in enumerate(clients):
        await client.__aenter__()
        await client.sit(seat)
    await clients[0].command("start")
    await asyncio.gather(*(client.play() for client in clients))
    game = clients[0].game
    assert game
    for client in clients:
        await client.__aexit__()
    return game


def against(figures: Json, name: str) -> Json:
    (line,) = [line for line in figures["opponents"] if line["name"] == name]
    return dict(line)


def test_games_with_hints_are_no_measure_for_later_ones() -> None:
    plain = row("a", 0, "p1", 150, True)
    hinted = row("b", 0, "p1", 300, True, hints=2)
    found = statistics.earlier_than("c", "clever", False, [[plain], [hinted]], "p1")
    assert found == [plain]


def test_head_to_head_after_real_games(server: Server) -> None:
    async def main() -> None:
        tokens = [server.player(name)[1] for name in ("Ana", "Bo")]
        ana, bo = ([0, 0, 0], [0, 0, 0])
        totals = []
        for game in ("clever", "twice"):
            made = server.table(tokens[0], game, "mo")
            end = await finished(server, made["id"], tokens, key_of(made["you"]["invite"]))
            winners = end["winners"]
            place = 2 if len(winners) == 2 else winners[0]
            ana[place] += 1
            bo[place if place == 2 else 1 - place] += 1
            totals.append([seat["score"]["total"] for seat in end["seats"]])
        made = server.table(tokens[0], "clever", "mb", pause=False)
        end = await finished(server, made["id"], tokens[:1])
        totals.append([seat["score"]["total"] for seat in end["seats"]])
        for token, name, own in ((tokens[0], "Bo", ana), (tokens[1], "Ana", bo)):
            figures = server.http("GET", "/api/me/statistics", token=token)[1]
            line = against(figures, name)
            assert line == {
                "name": name, "bot": None, "games": 2,
                "won": own[0], "lost": own[1], "shared": own[2],
            }  # fmt: skip
        figures = server.http("GET", "/api/me/statistics", token=tokens[0])[1]
        assert [line["name"] for line in figures["opponents"]] == ["Bo", "greedy"]
        bot = against(figures, "greedy")
        assert (bot["bot"], bot["games"]) == ("greedy", 1)
        assert bot["won"] == int(end["winners"] == [0])
        mine = figures["games"]["clever"]
        assert mine["totals"] == sorted([totals[0][0], totals[2][0]])
        assert mine["best"] == max(totals[0][0], totals[2][0])
        assert (mine["games"], mine["solo"], sum(mine["ratings"])) == (2, 0, 0)
        # Others are known by the name they have now, and by none once they are gone.
        server.http("PUT", "/api/me", {"name": "Bogdan"}, tokens[1])
        figures = server.http("GET", "/api/me/statistics", token=tokens[0])[1]
        assert [line["name"] for line in figures["opponents"]] == ["Bogdan", "greedy"]
        assert server.http("DELETE", "/api/me", token=tokens[1])[0] == 200
        figures = server.http("GET", "/api/me/statistics", token=tokens[0])[1]
        assert [line["name"] for line in figures["opponents"]] == ["greedy"]
        assert figures["games"]["twice"]["games"] == 1

    run(main())


def row(table: str, seat: int, player: str | None, total: int, won: bool, **more: Any) -> ResultRow:
    bot = None if player else more.pop("bot", "greedy")
    areas = (total, 0, 0, 0, 0)
    made = ResultRow(table, seat, player, bot, "clever", 2, 1, total, areas, 0, 0, won, False)
    return replace_row(made, **more)


def replace_row(made: ResultRow, **more: Any) -> ResultRow:
    fields = {name: getattr(made, name) for name in made.__struct_fields__}
    return ResultRow(**{**fields, **more})


def test_against_each_of_several_it_counts_who_ended_before_whom() -> None:
    game = [
        row("a", 0, "p", 90, False),
        *(row("a", k, None, 85 + 5 * k, k == 3) for k in (1, 2, 3)),
    ]
    (line,) = statistics.statistics([game], "p", {}).opponents
    assert (line.games, line.won, line.lost, line.shared) == (3, 0, 2, 1)


def test_shared_wins_practice_and_stand_ins() -> None:
    shared = [row("a", 0, "p", 90, True), row("a", 1, "q", 90, True)]
    lost = [row("b", 0, "q", 99, True), row("b", 1, "p", 9, False)]
    stood_in = [row("c", 0, "p", 50, True), row("c", 1, None, 40, False, bot="greedy")]
    deleted = [row("d", 0, "p", 50, False), row("d", 1, None, 60, True, bot=None)]
    practice = [row("e", 0, "p", 300, True, practice=True, seats=1)]
    games = [shared, lost, stood_in, deleted, practice]
    found = statistics.statistics(games, "p", {"clever": SoloCount(2, 1)})
    lines = {(o.name, o.bot): (o.games, o.won, o.lost, o.shared) for o in found.opponents}
    assert lines == {("Player 2", None): (2, 0, 1, 1), ("greedy", "greedy"): (1, 1, 0, 0)}
    assert found.games["clever"].best == 90
    assert found.games["clever"].won == 2
    assert (found.solo["clever"].abandoned, found.solo["clever"].unfinished) == (2, 1)
