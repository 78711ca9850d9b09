"""Handles Ctrl-C only at safe moments."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

Handler = Callable[[int, FrameType | None], None]


@contextmanager
def caught(handler: Handler) -> Iterator[None]:
    """Handle Ctrl-C with `handler`; does nothing outside the main thread, which gets no signals."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before or signal.SIG_DFL)


class Shield:
    """While it is up, Ctrl-C waits, so that files and sums stay consistent."""

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
