"""Files that are replaced atomically."""

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
    """A text file to write; it replaces the old file only once it is complete.

    Symbolic links stay links, and the file keeps its permissions.
    """
    place = Path(os.path.realpath(path))
    if place.exists() and not place.is_file():
        # A device or pipe cannot be replaced; opening a folder fails here.
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
    """Make errors name the file asked for, not the temporary one."""
    try:
        yield
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from error
