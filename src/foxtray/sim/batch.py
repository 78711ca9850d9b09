"""Plays many games per call, with the dice of SeededDice: game i has the seed + i."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np
import numpy.typing as npt

from foxtray.core.codes import AREAS, SEATS
from foxtray.core.layout import layout
from foxtray.dice import SeededDice
from foxtray.errors import BadSetup, FoxtrayError
from foxtray.game import check_seats
from foxtray.games.registry import sheet_of
from foxtray.history import Setup
from foxtray.position import OPTIONS
from foxtray.record import Record
from foxtray.sim import compiled
from foxtray.sim.arrays import STATE, Records, new_work, tables_of
from foxtray.sim.loops import GREEDY, OUTSIDE, RANDOM, SEAT_SHIFT

Array = npt.NDArray[Any]
Chooser = Callable[[Records, Records, Array, Array, Array], Array]
"""A bot outside the loop: takes (tables, states, which, seats, seeds), returns the actions."""

BLOCK = 1024
"""The number of games played side by side."""
LONGEST = 256
"""More decisions than a seat ever has in a game: about three times the most seen."""
INSIDE = {"random": RANDOM, "greedy": GREEDY}


@dataclass(frozen=True, slots=True)
class Games:
    """Finished games as arrays: a row per game, seats in order."""

    game: str
    seats: int
    options: tuple[str, ...]
    """The rules options that were on."""
    seeds: Array
    totals: Array
    areas: Array
    foxes: Array
    fox_values: Array
    wins: Array
    """The winners as bits."""
    decisions: Array
    firsts: Array
    moves: Array
    """Seat and action of every decision, in order; see `record`."""

    def __len__(self) -> int:
        return len(self.seeds)

    def record(self, index: int, names: Sequence[str] = ()) -> Record:
        """One of the games, replayed by the interpreted rules; needs `moves`."""
        if not self.moves.shape[1]:
            raise BadSetup("the moves of these games were not kept; play them with moves=True")
        setup = Setup(
            self.game,
            self.seats,
            int(self.firsts[index]),
            names=tuple(names),
            seed=int(self.seeds[index]),
            solo_fallback="solo_fallback" in self.options,
            fox_floor="fox_floor" in self.options,
        )
        record = Record(setup)
        actions = layout(self.game).actions
        for move in self.moves[index, : int(self.decisions[index].sum())].tolist():
            while record.game.rolling():
                record.roll()
            record.play(move >> SEAT_SHIFT, actions[move & (1 << SEAT_SHIFT) - 1])
        while record.game.rolling():
            record.roll()
        return record


def check(game: str, seats: int, count: int, seed: int) -> None:
    """Refuse games that cannot be played."""
    sheet_of(game)
    check_seats(seats)
    if count < 1:
        raise BadSetup(f"cannot play {count} games; choose 1 or more")
    SeededDice(seed)
    SeededDice(seed + count - 1)


def turned_on(options: Mapping[str, bool]) -> tuple[str, ...]:
    """The rules options that are on; refuses an unknown one."""
    for name in options:
        if name not in OPTIONS:
            raise BadSetup(f"unknown option {name!r}; choose from {', '.join(OPTIONS)}")
    return tuple(name for name in OPTIONS if options.get(name))


def join(parts: Sequence[Games]) -> Games:
    """All games in one object."""
    shared = ("game", "seats", "options")
    columns = [name for name in Games.__slots__ if name not in shared]
    joined = {name: np.concatenate([getattr(part, name) for part in parts]) for name in columns}
    return Games(parts[0].game, parts[0].seats, parts[0].options, **joined)


def play(
    game: str,
    bots: Sequence[str | Chooser],
    seed: int,
    count: int,
    *,
    moves: bool = False,
    options: Mapping[str, bool] = MappingProxyType({}),
) -> Games:
    """Play games with the seeds `seed`, `seed + 1`, ... with a bot for each seat.

    `options` are the rules options, as in `Game.new`: `{"fox_floor": True}`.
    """
    check(game, len(bots), count, seed)
    on = turned_on(options)
    for bot in bots:
        if isinstance(bot, str) and bot not in INSIDE:
            raise BadSetup(f"unknown bot {bot!r}; choose one of {', '.join(INSIDE)}")
    parts = [
        play_block(game, bots, seed + at, min(BLOCK, count - at), moves, on)
        for at in range(0, count, BLOCK)
    ]
    return join(parts)


def checked(bot: Chooser, chosen: object, count: int) -> Array:
    """The answers of a bot, checked: one whole number for each game."""
    actions = np.asarray(chosen)
    if actions.shape != (count,) or actions.dtype.kind not in "iu":
        raise FoxtrayError(
            f"bot {name_of(bot)} must return {count} whole numbers, "
            f"not {actions.dtype} of shape {actions.shape}"
        )
    return np.ascontiguousarray(actions, np.int64)


def name_of(bot: Chooser) -> str:
    """The name of a bot in an error message: its function or class."""
    return str(getattr(bot, "__name__", type(bot).__name__))


def play_block(
    game: str,
    bots: Sequence[str | Chooser],
    seed: int,
    count: int,
    moves: bool,
    options: tuple[str, ...],
) -> Games:
    seats = len(bots)
    loops = compiled.loops()
    tables = tables_of(game)
    states = np.zeros(count, STATE)
    states["seats"] = seats
    for name in options:
        states[name] = 1
    seeds = np.arange(count, dtype=np.uint64) + np.uint64(seed)
    lows = (seeds & np.uint64(0xFFFFFFFF)).astype(np.int64)
    highs = (seeds >> np.uint64(32)).astype(np.int64)
    codes = np.zeros(SEATS, np.int64)
    for seat, bot in enumerate(bots):
        codes[seat] = INSIDE[bot] if isinstance(bot, str) else OUTSIDE
    made = np.zeros((count, LONGEST * seats), np.int16)
    counts = np.zeros((count, SEATS), np.int64)
    asked = np.zeros(count, np.int64)
    scratch, works = np.zeros(1, STATE), new_work()
    loops.start_all(tables, states, lows, highs, works)
    while loops.carry_on(tables, states, lows, highs, codes, made, counts, asked, scratch, works):
        for seat, bot in enumerate(bots):
            which = np.flatnonzero(asked == seat)
            if len(which):
                assert not isinstance(bot, str)
                chosen = bot(tables, states, which, asked[which], seeds[which])
                actions = checked(bot, chosen, len(which))
                wrong = loops.make_moves(tables, states, which, actions, asked, made, counts, works)
                if wrong >= 0:
                    raise FoxtrayError(
                        f"bot {name_of(bot)} returned {actions[wrong]} in the game with seed "
                        f"{seeds[which[wrong]]}, which is not the id of a legal action"
                    )
    totals = np.zeros((count, seats), np.int64)
    areas = np.zeros((count, seats, AREAS), np.int64)
    foxes, values = np.zeros_like(totals), np.zeros_like(totals)
    wins = np.zeros(count, np.int64)
    loops.score(tables, states, areas, foxes, values, totals, wins)
    return Games(
        game,
        seats,
        options,
        seeds,
        totals,
        areas,
        foxes,
        values,
        wins,
        counts[:, :seats],
        states["first"].copy(),
        made if moves else made[:, :0],
    )
