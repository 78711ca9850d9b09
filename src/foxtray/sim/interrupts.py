"""Ctrl-C at moments of one's own choosing."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

Handler = Callable[[int, FrameType | None], None]


@contextmanager
def caught(handler: Handler) -> Iterator[None]:
    """Let a handler take the place of what Ctrl-C does otherwise, where signals arrive at all."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before or signal.SIG_DFL)


class Shield:
    """While it is up Ctrl-C waits, so that what is written and summed up is never torn."""

    def __init__(self) -> None:
        self.is_up = self.struck = False

    def strike(self, number: int, frame: FrameType | None) -> None:
        self.struck = True
        if not self.is_up:
            raise KeyboardInterrupt

    @contextmanager
    def up(self) -> Iterator[None]:
        self.is_up = True
        try:
            yield
        finally:
            self.is_up = False
        if self.struck:
            raise KeyboardInterrupt


@contextmanager
def shielded() -> Iterator[Shield]:
    """A shield against Ctrl-C."""
    shield = Shield()
    with caught(shield.strike):
        yield shield
