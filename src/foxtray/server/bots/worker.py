"""A worker process: it reads a position from one line and writes an action to another.

It is separate from the server, so that a decision never delays a table and the server never loads
the compiled rules.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys

import msgspec
from msgspec import Raw, Struct

from foxtray import bots
from foxtray.dice import SeededDice
from foxtray.errors import FoxtrayError
from foxtray.game import Game
from foxtray.games.registry import SHEETS
from foxtray.review import hint

COLD = "--cold"
LEVEL = "strong"
"""Hints need the weights of this level."""


class Question(Struct, omit_defaults=True):
    """A position, the seat to decide for, and the bot; the seed is for the bot's own randomness."""

    position: str
    seat: int
    bot: str
    seed: int
    hint: bool = False
    """Whether a person asks the coach what to do."""


class Answer(Struct, omit_defaults=True):
    """The chosen action or the hint, or why there is none."""

    action: str = ""
    problem: str = ""
    hint: Raw = Raw()


def choose(position: str, seat: int, name: str, seed: int) -> str:
    """The action of a bot in a position; if the bot fails, a simple one decides."""
    game = Game.from_position(position)
    try:
        return str(bots.ask(bots.bot(name, seed), game, seat))
    except FoxtrayError as error:
        print(f"{name}: {error}", file=sys.stderr)
        return str(bots.bot(bots.SUBSTITUTE, seed).choose(game, seat))


def answer(question: Question) -> Answer:
    """The answer to a question; an invalid question does not end the process."""
    try:
        if question.hint:
            game = Game.from_position(question.position)
            found = hint(game, question.seat, seed=question.seed)
            return Answer(hint=Raw(msgspec.json.encode(found)))
        return Answer(choose(question.position, question.seat, question.bot, question.seed))
    except Exception as error:
        return Answer(problem=repr(error))


def main() -> None:
    """Answer questions until the input ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the server decides when to stop
    decode, encode = msgspec.json.Decoder(Question).decode, msgspec.json.encode
    if COLD not in sys.argv:
        warm_up()
    out = os.fdopen(os.dup(sys.stdout.fileno()), "wb", buffering=0)
    os.dup2(
        sys.stderr.fileno(), sys.stdout.fileno()
    )  # what a bot prints must not look like an answer
    out.write(b"ready\n")
    for line in sys.stdin.buffer:
        out.write(encode(answer(decode(line))) + b"\n")


def warm_up() -> None:
    """Do what takes long the first time: compile, load weights."""
    for game in SHEETS:
        position = Game.new(game).roll(SeededDice(1).throw(0, 1, 0)).game.position()
        for level in bots.LEVELS.values():
            if not level.simple and bots.can_play(level.name, game):
                choose(position, 0, level.name, 1)
        if bots.can_play(LEVEL, game):
            hint(Game.from_position(position), 0)


if __name__ == "__main__":
    with contextlib.suppress(BrokenPipeError):  # the server is gone
        main()
