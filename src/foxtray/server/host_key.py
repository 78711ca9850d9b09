"""How `foxtray admin` reaches a running server: by what it left in a file beside its data."""

from __future__ import annotations

import os
from pathlib import Path

import msgspec
import structlog

log = structlog.get_logger()


class HostKey(msgspec.Struct, frozen=True):
    """Where a server listens, and the token of its host. Whoever may read the data may have it."""

    url: str
    token: str


def path_of(db: Path) -> Path:
    found = db.resolve()
    return found.with_name(found.name + ".admin")


def write(db: Path, key: HostKey) -> None:
    """Leave a key for as long as the server runs."""
    path = path_of(db)
    try:
        path.unlink(missing_ok=True)
        handle = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
        with os.fdopen(handle, "wb") as file:
            file.write(msgspec.json.encode(key))
    except OSError as error:
        log.warning("admin_unreachable", cause=str(error))


def read(db: Path) -> HostKey | None:
    """The key of a server that runs, or did."""
    try:
        return msgspec.json.decode(path_of(db).read_bytes(), type=HostKey)
    except (OSError, msgspec.DecodeError):
        return None


def remove(db: Path) -> None:
    try:
        path_of(db).unlink(missing_ok=True)
    except OSError as error:
        log.warning("admin_key_left", cause=str(error))
