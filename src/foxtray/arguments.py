"""What the commands share: adding one to the parser, and argument types."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable, Sequence

from foxtray.errors import BadSetup
from foxtray.game import check_seats
from foxtray.position import OPTIONS

AddCommand = Callable[[str, str, Sequence[str]], argparse.ArgumentParser]
"""Adds a command: its name, what it does, and examples of its arguments."""
INTERRUPTED = 130
"""The exit status after Ctrl+C."""
ON_OFF = {"on": True, "off": False}


WHOLE = re.compile(r"([-+]?)(\d+(?:_\d+)*)(?:e\+?(\d+))?", re.ASCII | re.IGNORECASE)
MOST_DIGITS = 30
"""More than any number here can have; Python refuses to convert thousands."""


def whole(text: str) -> int:
    """A whole number, 0 or more, also as 1_000 or 1e6."""
    found = WHOLE.fullmatch(text)
    if not found:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number")
    sign, figures, zeros = found[1], found[2].replace("_", ""), found[3] or "0"
    if sign == "-" and figures.strip("0"):
        raise argparse.ArgumentTypeError(f"{text} is negative; choose 0 or more")
    if len(zeros) > 2 or len(figures) + int(zeros) > MOST_DIGITS:
        raise argparse.ArgumentTypeError("the number is too large")
    return int(figures + "0" * int(zeros))


def seat_count(text: str) -> int:
    """A number of seats that a game can have."""
    seats = whole(text)
    try:
        check_seats(seats)
    except BadSetup as error:
        raise argparse.ArgumentTypeError(str(error)) from None
    return seats


def option(text: str) -> tuple[str, bool]:
    """A rules option, as in `fox_floor=on`."""
    name, _, value = text.partition("=")
    if name not in OPTIONS or value not in ON_OFF:
        known = " or ".join(f"{name}=on" for name in OPTIONS)
        raise argparse.ArgumentTypeError(f"unknown option {text!r}; choose {known}")
    return name, ON_OFF[value]


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the rules options; they are None or a list of pairs."""
    parser.add_argument(
        "--option",
        type=option,
        action="append",
        metavar="NAME=VALUE",
        help=f"turn a rules option on or off: {', '.join(OPTIONS)}",
    )
