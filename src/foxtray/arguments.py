"""What the commands share: adding one to the parser, and argument types."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence

from foxtray.errors import BadSetup
from foxtray.game import check_seats

AddCommand = Callable[[str, str, Sequence[str]], argparse.ArgumentParser]
"""Adds a command: its name, what it does, and examples of its arguments."""
INTERRUPTED = 130
"""The exit status after Ctrl+C."""


def whole(text: str) -> int:
    """A whole number, 0 or more."""
    if not (text.isascii() and text.isdigit()):
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number")
    return int(text)


def seat_count(text: str) -> int:
    """A number of seats that a game can have."""
    seats = whole(text)
    try:
        check_seats(seats)
    except BadSetup as error:
        raise argparse.ArgumentTypeError(str(error)) from None
    return seats
