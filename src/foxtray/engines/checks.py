"""Tests how an engine keeps to the protocol."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from statistics import mean
from typing import NamedTuple

from foxtray.bots.added import AddedEngine
from foxtray.bots.base import ask
from foxtray.core.layout import Action
from foxtray.dice import SeededDice
from foxtray.engines.bot import EngineBot, KeptEngine
from foxtray.engines.log import log_path
from foxtray.engines.messages import Hello
from foxtray.engines.process import GRACE, Engine, EngineCommand, Watch
from foxtray.errors import FoxtrayError
from foxtray.game import Game

SAMPLES = 20
"""Positions that are asked about twice."""


class Check(NamedTuple):
    """The result of a check."""

    passed: bool
    text: str


@dataclass(slots=True)
class Played:
    """What was seen in some games."""

    totals: list[int] = field(default_factory=list)
    asked: list[tuple[Game, int, Action]] = field(default_factory=list)
    """Positions with a choice, the seats that decided, and what they chose."""
    slowest: float = 0.0


def introduced(name: str, entry: AddedEngine) -> Hello:
    """How an engine introduces itself; it is started and ended."""
    engine = Engine(EngineCommand.of(name, entry))
    engine.quit()
    return engine.hello


def play(engine: KeptEngine, game: str, seats: int, seed: int, played: Played) -> None:
    """Play a game in which the engine has all seats."""
    dice = SeededDice(seed)
    now = Game.new(game, seats, first=dice.first(seats))
    bot = EngineBot(engine.command, seed, engine)
    while not now.over:
        if address := now.address():
            now = now.roll(dice.throw(*address)).game
            continue
        seat = now.awaiting()[0]
        began = time.perf_counter()
        action = ask(bot, now, seat)
        if len(now.legal(seat)) > 1:
            played.slowest = max(played.slowest, time.perf_counter() - began)
            played.asked.append((now, seat, action))
        now = now.play(seat, action).game
    played.totals += [score.total for score in now.scores()]


def run_checks(
    name: str, entry: AddedEngine, games: int, watch: Watch | None = None
) -> Iterator[Check]:
    """Check an engine; ends with the first failure after which it cannot go on."""
    kept = KeptEngine(EngineCommand.of(name, entry), watch)
    try:
        yield from checks(kept, entry, games)
    except FoxtrayError as error:
        yield Check(False, str(error))
        yield Check(False, f"its log: {log_path(name)}")
    finally:
        kept.quit()


def checks(kept: KeptEngine, entry: AddedEngine, games: int) -> Iterator[Check]:
    kept.engine = engine = Engine(kept.command, kept.watch)
    author = f" by {engine.hello.author}" if engine.hello.author else ""
    yield Check(True, f"says hello: {engine.hello.name}{author}, plays {', '.join(entry.games)}")
    asked: list[tuple[Game, int, Action]] = []
    for game in entry.games:
        for seats in (1, 2):
            played = Played()
            for seed in range(games):
                play(kept, game, seats, seed, played)
            asked += played.asked[-SAMPLES:]
            yield Check(
                True,
                f"plays {game}, {'solo' if seats == 1 else f'{seats} seats'}: "
                f"{mean(played.totals):.1f} points on average; "
                f"slowest decision {played.slowest * 1000:.0f} ms",
            )
    bot = EngineBot(kept.command, games - 1, kept)
    repeated = sum(bot.choose(game, seat) == action for game, seat, action in asked[-SAMPLES:])
    again = len(asked[-SAMPLES:])
    yield Check(
        True,
        "chooses the same action in the same position"
        if repeated == again
        else f"chooses other actions in {again - repeated} of {again} repeated positions "
        "(allowed, but its games cannot be reproduced)",
    )
    moment, seat, _ = asked[-1]
    if engine.hello.opinions:
        opinions = bot.evaluate(moment, seat)
        yield Check(bool(opinions), f"tells {len(opinions)} opinions")
    began = time.perf_counter()
    engine.ask(moment, seat, 0, owner=bot, stop_at_once=True)
    yield Check(True, f"answers {(time.perf_counter() - began) * 1000:.0f} ms after stop")
    if engine.ignored:
        yield Check(False, f"prints lines that are not messages: {engine.ignored}")
    yield Check(engine.quit(), f"ends within {GRACE:g} s of quit")
