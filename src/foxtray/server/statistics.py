"""A player's statistics, from the results of their finished games."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from foxtray.games.registry import SHEETS
from foxtray.server.protocol.messages import (
    AreaStatistics,
    GameLine,
    GameStatistics,
    Opponent,
    SoloStatistics,
    Statistics,
)
from foxtray.server.store import ResultRow, SoloCount

Game = list[ResultRow]


def own(game: Game, player: str) -> ResultRow:
    return next(row for row in game if row.player == player)


def called(row: ResultRow) -> str:
    """The name of a seat: the player's current name, or the bot's."""
    return row.name or row.guest or row.bot or f"Player {row.seat + 1}"


def line(game: Game, player: str) -> GameLine:
    """A finished game in a list."""
    mine = own(game, player)
    return GameLine(
        table=mine.table,
        game=mine.game,
        seats=mine.seats,
        seat=mine.seat,
        finished=mine.finished,
        total=mine.total,
        areas=list(mine.areas),
        foxes=mine.foxes,
        won=mine.won,
        names=[called(row) for row in game],
        totals=[row.total for row in game],
        practice=mine.practice,
        apart=mine.apart,
        kept=mine.kept,
    )


def statistics(games: list[Game], player: str, solo: Mapping[str, SoloCount]) -> Statistics:
    """The statistics over all games that count, and over those that stand apart."""
    counted = [game for game in games if not own(game, player).practice]
    usual = [game for game in counted if not own(game, player).apart]
    apart = [game for game in counted if own(game, player).apart]
    alone = {
        game: SoloStatistics(count.abandoned, count.unfinished) for game, count in solo.items()
    }
    return Statistics(
        of_games(usual, player), head_to_head(usual, player), alone, of_games(apart, player)
    )


def of_games(games: list[Game], player: str) -> dict[str, GameStatistics]:
    """The statistics of each kind of game."""
    found = {}
    for name in SHEETS:
        mine = [own(game, player) for game in games if game[0].game == name]
        if mine:
            found[name] = of_game(name, mine)
    return found


def of_game(name: str, mine: list[ResultRow]) -> GameStatistics:
    sheet, count = SHEETS[name], len(mine)
    bands = Counter(sheet.rating(row.total) for row in mine if row.seats == 1)
    return GameStatistics(
        games=count,
        solo=sum(row.seats == 1 for row in mine),
        won=sum(row.won and row.seats > 1 for row in mine),
        mean=sum(row.total for row in mine) / count,
        best=max(row.total for row in mine),
        areas={
            area.colour: AreaStatistics(
                sum(row.areas[a] for row in mine) / count, max(row.areas[a] for row in mine)
            )
            for a, area in enumerate(sheet.areas)
        },
        fox_mean=sum(row.foxes * row.fox_value for row in mine) / count,
        ratings=[bands[band] for band in range(len(sheet.ratings))],
        totals=sorted(row.total for row in mine),
    )


def standing(row: ResultRow) -> tuple[int, int]:
    """Decides between two seats: the total, then the best area."""
    return row.total, max(row.areas)


def head_to_head(games: list[Game], player: str) -> list[Opponent]:
    """Results against each opponent, most games first; deleted players are left out."""
    tally: dict[tuple[str | None, str | None], list[int]] = {}
    names: dict[tuple[str | None, str | None], str] = {}
    for game in games:
        mine = own(game, player)
        for row in game:
            if row is mine or (row.player is None and row.bot is None):
                continue
            key = (row.player, row.bot)
            names.setdefault(key, called(row))
            counts = tally.setdefault(key, [0, 0, 0, 0])
            counts[0] += 1
            # Compare the two seats even if a third one won.
            counts[1] += standing(mine) > standing(row)
            counts[2] += standing(mine) < standing(row)
            counts[3] += standing(mine) == standing(row)
    ranked = sorted(tally.items(), key=lambda item: -item[1][0])
    return [Opponent(names[key], key[1], *counts) for key, counts in ranked]
