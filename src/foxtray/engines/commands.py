"""The command that speaks the engine protocol for one of Foxtray's bots."""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace
from pathlib import Path

from foxtray.arguments import AddCommand
from foxtray.bots.added import AddedEngine
from foxtray.bots.base import Bot
from foxtray.bots.levels import LEVELS, bot, check, level_of, names, own
from foxtray.dice import SeededDice
from foxtray.engines.serve import Conversation, converse
from foxtray.errors import BadSetup
from foxtray.game import Game
from foxtray.games.registry import SHEETS

STATES_PER_MS = 400
"""How many states a search visits in a millisecond, at least, on a machine of today."""


def add(command: AddCommand) -> None:
    """Add the command to a parser."""
    engine = command(
        "engine",
        "let another program use a bot, by the engine protocol",
        ["strong", "strong --weights mine.npz"],
    )
    engine.add_argument("bot", metavar="BOT", help="a bot, but not an engine")
    engine.add_argument(
        "--weights", type=Path, metavar="FILE", help="the level uses this weights file"
    )
    engine.set_defaults(run=run_engine)


def run_engine(args: argparse.Namespace) -> int:
    name, weights = args.bot, args.weights
    check(name, weights)
    if isinstance(own().get(name), AddedEngine):
        raise BadSetup(f"bot {name} is an engine itself; run its own command")
    games = tuple(game for game in SHEETS if game in names_of_games(name, weights))
    level = level_of(name)
    if level and level.needs:
        from foxtray.sim.commands import need_numbers

        need_numbers()
        warm_up(name, games, weights)

    def make(seed: int, milliseconds: int | None) -> Bot:
        if name in LEVELS and LEVELS[name].effort and milliseconds is not None:
            from foxtray.bots.player import LevelBot

            effort = min(LEVELS[name].effort, STATES_PER_MS * milliseconds)
            return LevelBot(replace(LEVELS[name], effort=effort), seed, weights)
        return bot(name, seed, weights)

    conversation = Conversation(name, games, make, opinions=bool(level and level.needs))
    converse(conversation, sys.stdin.buffer.readline, write)
    return 0


def write(line: bytes) -> None:
    sys.stdout.buffer.write(line)
    sys.stdout.buffer.flush()


def names_of_games(name: str, weights: Path | None) -> list[str]:
    """The games that a bot can play."""
    if weights is not None:
        from foxtray.bots.weights import read_weights

        return [read_weights(weights).card["game"]]
    return [game for game in SHEETS if name in names(game)]


def warm_up(name: str, games: tuple[str, ...], weights: Path | None) -> None:
    """Compile and load weights before the first question, which has a time limit."""
    for game in games:
        started = Game.new(game).roll(SeededDice(1).throw(0, 1, 0)).game
        player = bot(name, 1, weights)
        player.choose(started, 0)
        player.evaluate(started, 0)
