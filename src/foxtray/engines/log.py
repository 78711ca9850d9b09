"""The log of an engine: what it prints to standard error, and what went wrong."""

from __future__ import annotations

import contextlib
import os
import time
from pathlib import Path

from foxtray.folders import cache_folder

LARGEST = 1 << 20
"""In bytes; a larger log is put aside as NAME.log.1, which replaces the one before."""


def log_path(name: str) -> Path:
    return cache_folder() / "engines" / f"{name}.log"


class EngineLog:
    """Appends lines to a file that several processes may write to; never fails."""

    def __init__(self, name: str) -> None:
        self.path = log_path(name)

    def write(self, text: str) -> None:
        stamp = time.strftime("%Y-%m-%d %H:%M:%S")
        lines = "".join(f"{stamp} [{os.getpid()}] {line}\n" for line in text.splitlines())
        with contextlib.suppress(OSError):
            self.path.parent.mkdir(parents=True, exist_ok=True)
            if self.path.exists() and self.path.stat().st_size > LARGEST:
                self.path.replace(self.path.with_suffix(".log.1"))
            with self.path.open("a", encoding="utf-8", errors="replace") as file:
                file.write(lines)
