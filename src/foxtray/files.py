"""Files that are replaced atomically."""

from __future__ import annotations

import io
import os
import secrets
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, TextIO

STANDARD_OUTPUT = ("-", "/dev/stdout")


def is_standard_output(path: str | Path) -> bool:
    """Whether a path stands for the standard output, as `-` does."""
    return str(path) in STANDARD_OUTPUT


@contextmanager
def replacing(path: str | Path) -> Iterator[TextIO]:
    """A text file to write; it replaces the old file only once it is complete.

    Symbolic links stay links, and the file keeps its permissions. `-` is the standard output.
    """
    if is_standard_output(path):
        yield sys.stdout
        return
    with replacing_bytes(path) as file:
        text = io.TextIOWrapper(file, encoding="utf-8", newline="\n")
        try:
            yield text
        finally:
            text.detach()  # flushes the text, but leaves the file open


@contextmanager
def replacing_bytes(path: str | Path) -> Iterator[BinaryIO]:
    """The same for a file of bytes."""
    if is_standard_output(path):
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    if os.path.exists(path) and not os.path.isfile(path):
        # A device or pipe cannot be replaced; opening a folder fails here.
        with NamedFile(path, "w", path).buffered() as file:
            yield file
        return
    place = Path(os.path.realpath(path))
    beside = place.with_name(f"{place.name}.{secrets.token_hex(4)}.tmp")
    file = NamedFile(beside, "x", path).buffered()
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


class NamedFile(io.FileIO):
    """A file whose errors, such as a full disk, name the file that was asked for."""

    def __init__(self, place: str | Path, mode: str, path: str | Path) -> None:
        with naming(path):
            super().__init__(place, mode)
        self.path = path

    def write(self, data: Any, /) -> int:
        with naming(self.path):
            return super().write(data)

    def buffered(self) -> BinaryIO:
        return io.BufferedWriter(self)


@contextmanager
def naming(path: str | Path) -> Iterator[None]:
    """Make errors name the file asked for, not the temporary one."""
    try:
        yield
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from error
