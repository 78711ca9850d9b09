"""Files that are replaced as a whole, whatever interrupts."""

from __future__ import annotations

import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO


@contextmanager
def replacing(path: str | Path) -> Iterator[TextIO]:
    """A text file to write that takes its place when all is written; until then the old one stays.

    A link stays a link, and a file keeps who may read it.
    """
    place = Path(os.path.realpath(path))
    if place.exists() and not place.is_file():
        # A device or pipe has no place to take, and a folder is refused here.
        with open(path, "w", encoding="utf-8", newline="\n") as file:
            yield file
        return
    beside = place.with_name(f"{place.name}.{secrets.token_hex(4)}.tmp")
    with naming(path):
        file = open(beside, "x", encoding="utf-8", newline="\n")  # noqa: SIM115 (closed below)
    try:
        with file:
            yield file
            with naming(path):
                file.flush()
                os.fsync(file.fileno())
        with naming(path):
            if place.exists():
                shutil.copymode(place, beside)
            os.replace(beside, place)
    except BaseException:
        os.unlink(beside)
        raise


@contextmanager
def naming(path: str | Path) -> Iterator[None]:
    """Let an error name the file that was asked for, not the one beside it."""
    try:
        yield
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from error
