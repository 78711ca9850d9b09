"""The steps from an empty file to today's; never changed, only added to."""

import sqlite3

from foxtray.server.store import StoreError

MIGRATIONS = (
    """
    CREATE TABLE players (
        id TEXT PRIMARY KEY, name TEXT NOT NULL, token BLOB NOT NULL UNIQUE,
        created INTEGER NOT NULL
    ) WITHOUT ROWID;
    CREATE TABLE links (
        code BLOB PRIMARY KEY, player TEXT NOT NULL, expires INTEGER NOT NULL
    ) WITHOUT ROWID;
    CREATE TABLE tables (
        id TEXT PRIMARY KEY, rules INTEGER NOT NULL, setup BLOB NOT NULL, secret BLOB NOT NULL,
        host TEXT NOT NULL, invite TEXT NOT NULL, watch TEXT NOT NULL, created INTEGER NOT NULL,
        finished INTEGER
    ) WITHOUT ROWID;
    CREATE INDEX tables_host ON tables (host) WHERE finished IS NULL;
    CREATE INDEX tables_finished ON tables (finished);
    CREATE TABLE events (
        "table" TEXT NOT NULL, seq INTEGER NOT NULL, at INTEGER NOT NULL, data BLOB NOT NULL,
        command TEXT, PRIMARY KEY ("table", seq)
    ) WITHOUT ROWID;
    CREATE UNIQUE INDEX events_command ON events ("table", command) WHERE command IS NOT NULL;
    CREATE TABLE seats (
        "table" TEXT NOT NULL, seat INTEGER NOT NULL, player TEXT, PRIMARY KEY ("table", seat)
    ) WITHOUT ROWID;
    CREATE INDEX seats_player ON seats (player) WHERE player IS NOT NULL;
    CREATE TABLE results (
        "table" TEXT NOT NULL, seat INTEGER NOT NULL, player TEXT, bot TEXT, game TEXT NOT NULL,
        seats INTEGER NOT NULL, finished INTEGER NOT NULL, total INTEGER NOT NULL,
        areas TEXT NOT NULL, foxes INTEGER NOT NULL, fox_value INTEGER NOT NULL,
        won INTEGER NOT NULL, practice INTEGER NOT NULL, PRIMARY KEY ("table", seat)
    ) WITHOUT ROWID;
    CREATE INDEX results_player ON results (player, finished) WHERE player IS NOT NULL;
    """,
)


def migrate(connection: sqlite3.Connection) -> None:
    """Bring a file up to date, each step as a whole or not at all."""
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    if version > len(MIGRATIONS):
        raise StoreError("the data is from a newer foxtray; update this one")
    for number, script in enumerate(MIGRATIONS[version:], version + 1):
        connection.executescript(f"BEGIN IMMEDIATE; {script} PRAGMA user_version={number}; COMMIT;")
