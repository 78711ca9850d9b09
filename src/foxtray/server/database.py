"""Where the data of a server is: an SQLite file, or a PostgreSQL database."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

from foxtray.errors import FoxtrayError

SCHEMES = ("postgresql://", "postgres://")

Database = Path | str
"""A file, or the URL of a PostgreSQL database."""


class NotAFile(FoxtrayError):
    """Something can be done with SQLite files only."""

    code = "not_a_file"


def database(text: str) -> Database:
    """The database that a text names."""
    return text if text.startswith(SCHEMES) else Path(text)


def told(db: Database) -> str:
    """A database for people and logs: without its password."""
    if isinstance(db, Path):
        return str(db)
    parts = urlsplit(db)
    user, at, host = parts.netloc.rpartition("@")
    name, colon, _ = user.partition(":")
    shown = f"{name}{':***' if colon else ''}{at}{host}"
    return urlunsplit((parts.scheme, shown, parts.path, "", ""))


def a_file(db: Database, instead: str) -> Path:
    """A database that is a file; refuses others, and says what to do instead."""
    if isinstance(db, Path):
        return db
    raise NotAFile(f"{told(db)} is not a file; {instead}")
