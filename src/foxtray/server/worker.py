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
from foxtray.game import Game

BOTS = tuple(bots.LEVELS)


class Question(Struct):
    """What to decide, for which seat, as which bot; the seed is for the bot's own whims."""

    position: str
    seat: int
    bot: str
    seed: int


class Answer(Struct):
    """The action chosen."""

    action: str


def choose(position: str, seat: int, bot: str, seed: int) -> str:
    """The action of a bot in a position."""
    return str(bots.ask(bots.bot(bot, seed), Game.from_position(position), seat))


def main() -> None:
    """Answer until the line ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the server says when to stop
    decode, encode = msgspec.json.Decoder(Question).decode, msgspec.json.encode
    warm_up()
    out = os.fdopen(os.dup(sys.stdout.fileno()), "wb", buffering=0)
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # nothing a bot prints is an answer
    out.write(b"ready\n")
    for line in sys.stdin.buffer:
        question = decode(line)
        action = choose(question.position, question.seat, question.bot, question.seed)
        out.write(encode(Answer(action)) + b"\n")


def warm_up() -> None:
    """Whatever takes long the first time: compiling, loading weights."""


if __name__ == "__main__":
    with contextlib.suppress(BrokenPipeError):  # the server is gone
        main()
