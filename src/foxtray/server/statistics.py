"""A player's statistics, from the results of their finished games."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Literal

from foxtray.game import Game as FinishedGame
from foxtray.games.registry import SHEETS
from foxtray.server.protocol.inputs import decode_setup
from foxtray.server.protocol.messages import (
    OFFLINE,
    AreaStatistics,
    Decided,
    ExclusionKind,
    GameLine,
    GameStatistics,
    MatchGame,
    Opponent,
    SoloStatistics,
    Statistics,
    Summary,
)
from foxtray.server.store import MatchRow, ResultRow, SoloCount

Game = list[ResultRow]


def own(game: Game, player: str) -> ResultRow:
    return next(row for row in game if row.player == player)


def counts(row: ResultRow) -> bool:
    """Whether a game goes into the statistics: not if its dice were known, or hints were taken."""
    return not row.practice and not row.hints


def excluded(game: Game, mine: ResultRow) -> list[ExclusionKind]:
    """Why a game does not count for a player, or stands apart: all that is known of it."""
    setup = decode_setup(mine.setup) if mine.setup else None
    found: list[ExclusionKind] = []
    if mine.practice:
        kind: ExclusionKind = "practice"
        if setup and setup.copied:
            kind = "played_on"
        elif setup and setup.again is not None:
            kind = "same_dice"
        elif mine.daily:
            kind = "late"
        found.append(kind)
    if mine.hints:
        found.append("hints")
    if mine.apart and not mine.practice:
        if setup and setup.hints and mine.seats > 1 and not mine.hints:
            found.append("hints_allowed")
        if setup and setup.real_dice:
            found.append("real_dice")
        if any(row.guest is not None for row in game):
            found.append("guests")
        if mine.table.startswith(OFFLINE):
            found.append("offline")
    return found


def called(row: ResultRow) -> str:
    """The name of a seat: the player's current name, or the bot's."""
    return row.name or row.guest or row.bot or f"Player {row.seat + 1}"


def line(game: Game, player: str, match: Sequence[MatchRow] = ()) -> GameLine:
    """A finished game in a list, and all games with the same dice."""
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
        hints=mine.hints,
        kept=mine.kept,
        daily=mine.daily or None,
        match=[match_game(row, player) for row in match],
        offline=mine.table.startswith(OFFLINE),
        excluded=excluded(game, mine),
    )


def match_game(row: MatchRow, player: str | None) -> MatchGame:
    """A game with the same dice, as somebody sees it."""
    mine = player is not None and row.player == player
    return MatchGame(row.table, row.name, row.state, row.total, row.at, mine, row.kept, row.hints)


EARLIER = 500
"""The most games that a new one is compared with."""


def earlier_than(
    table: str, game: str, solo: bool, games: list[Game], player: str
) -> list[ResultRow]:
    """A player's other games of one kind, alone or with others, that count."""
    mine = [own(found, player) for found in games]
    return [
        row
        for row in mine
        if row.table != table
        and row.game == game
        and (row.seats == 1) == solo
        and counts(row)
        and not row.apart
    ]


def summary(
    over: FinishedGame, earlier: list[ResultRow], excluded: Sequence[ExclusionKind] = ()
) -> Summary:
    """How a finished game compares with earlier ones of a player."""
    totals = [row.total for row in earlier]
    return Summary(
        games=len(totals),
        best=max(totals, default=None),
        mean=sum(totals) / len(totals) if totals else None,
        decided=decided(over, earlier),
        excluded=list(excluded),
    )


def decided(over: FinishedGame, earlier: list[ResultRow]) -> Decided | None:
    """What made the largest difference: to the next best seat, or to the player's average."""
    outcome = over.outcome()
    assert outcome is not None
    colours: list[str | None] = [*(area.colour for area in over.sheet.areas), None]
    parts = [(*card.areas, card.foxes * card.fox_value) for card in over.scores()]
    if len(parts) == 1:
        if not earlier:
            return None
        known = [(*row.areas, row.foxes * row.fox_value) for row in earlier]
        means = [sum(column) / len(known) for column in zip(*known, strict=True)]
        gaps = [part - mean for part, mean in zip(parts[0], means, strict=True)]
        # A good game is told by what was good about it.
        better = sum(gaps) >= 0
        at = gaps.index(max(gaps) if better else min(gaps))
        points = round(abs(gaps[at]))
        return Decided("above" if better else "below", colours[at], points) if points else None
    winner, *others = outcome.winners
    if others:
        return None
    other = max(
        (seat for seat in range(len(parts)) if seat != winner),
        key=lambda seat: (outcome.totals[seat], max(over.scores()[seat].areas)),
    )
    gaps = [one - two for one, two in zip(parts[winner], parts[other], strict=True)]
    at = gaps.index(max(gaps))
    how: Literal["winner", "tie"] = "winner"
    if outcome.totals[winner] == outcome.totals[other]:
        how, at = "tie", parts[winner].index(max(over.scores()[winner].areas))
    return Decided(how, colours[at], gaps[at], winner, other)


def statistics(games: list[Game], player: str, solo: Mapping[str, SoloCount]) -> Statistics:
    """The statistics over all games that count, and over those that stand apart."""
    counted = [game for game in games if counts(own(game, player))]
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
