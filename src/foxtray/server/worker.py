"""A bot's process: a position comes in on one line, an action goes out on another.

It runs apart from the server, so that thinking never holds up the table and the compiled rules
are never loaded there.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys

import msgspec
from msgspec import Struct

from foxtray import bots
from foxtray.dice import SeededDice
from foxtray.errors import FoxtrayError
from foxtray.game import Game

COLD = "--cold"


class Question(Struct):
    """What to decide, for which seat, as which bot; the seed is for the bot's own whims."""

    position: str
    seat: int
    bot: str
    seed: int


class Answer(Struct, omit_defaults=True):
    """The action chosen, or why there is none."""

    action: str = ""
    problem: str = ""


def choose(position: str, seat: int, name: str, seed: int) -> str:
    """The action of a bot in a position; where it fails, a simple one decides."""
    game = Game.from_position(position)
    try:
        return str(bots.ask(bots.bot(name, seed), game, seat))
    except FoxtrayError as error:
        print(f"{name}: {error}", file=sys.stderr)
        return str(bots.bot(bots.SUBSTITUTE, seed).choose(game, seat))


def answer(question: Question) -> Answer:
    """What to say to a question: a wrong one does not end the process, which others need."""
    try:
        return Answer(choose(question.position, question.seat, question.bot, question.seed))
    except Exception as error:
        return Answer(problem=repr(error))


def main() -> None:
    """Answer until the line ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the server says when to stop
    decode, encode = msgspec.json.Decoder(Question).decode, msgspec.json.encode
    if COLD not in sys.argv:
        warm_up()
    out = os.fdopen(os.dup(sys.stdout.fileno()), "wb", buffering=0)
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # nothing a bot prints is an answer
    out.write(b"ready\n")
    for line in sys.stdin.buffer:
        out.write(encode(answer(decode(line))) + b"\n")


def warm_up() -> None:
    """Whatever takes long the first time: compiling, loading weights."""
    position = Game.new("clever").roll(SeededDice(1).throw(0, 1, 0)).game.position()
    for level in bots.LEVELS.values():
        if not level.simple:
            choose(position, 0, level.name, 1)


if __name__ == "__main__":
    with contextlib.suppress(BrokenPipeError):  # the server is gone
        main()
