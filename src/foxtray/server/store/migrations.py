"""The migrations from an empty file to the current schema. Add new ones; never change old ones."""

import sqlite3
from collections.abc import Sequence

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
    # The log holds inputs; events are what the rules derive from them.
    """
    ALTER TABLE events RENAME TO inputs;
    DROP INDEX events_command;
    CREATE UNIQUE INDEX inputs_command ON inputs ("table", command) WHERE command IS NOT NULL;
    """,
    # Numbers that the server stores for its next run.
    """
    CREATE TABLE marks (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
    """,
    # A player signs in on several devices, and comes back by a code or a passkey; the host names
    # admins, bans, invites, and everything done as host is noted.
    """
    CREATE TABLE devices (
        player TEXT NOT NULL, id TEXT NOT NULL, token BLOB NOT NULL UNIQUE, name TEXT NOT NULL,
        created INTEGER NOT NULL, seen INTEGER NOT NULL, PRIMARY KEY (player, id)
    ) WITHOUT ROWID;
    INSERT INTO devices
        SELECT id, lower(hex(randomblob(8))), token, '', created, created FROM players;
    CREATE TABLE people (
        id TEXT PRIMARY KEY, name TEXT NOT NULL, created INTEGER NOT NULL,
        recovery BLOB, recovery_made INTEGER, admin INTEGER NOT NULL DEFAULT 0, banned INTEGER
    ) WITHOUT ROWID;
    INSERT INTO people (id, name, created) SELECT id, name, created FROM players;
    DROP TABLE players;
    ALTER TABLE people RENAME TO players;
    CREATE UNIQUE INDEX players_recovery ON players (recovery) WHERE recovery IS NOT NULL;
    CREATE TABLE passkeys (
        player TEXT NOT NULL, id TEXT NOT NULL, credential BLOB NOT NULL UNIQUE,
        key BLOB NOT NULL, count INTEGER NOT NULL, name TEXT NOT NULL, created INTEGER NOT NULL,
        used INTEGER, PRIMARY KEY (player, id)
    ) WITHOUT ROWID;
    CREATE TABLE invitations (
        code BLOB PRIMARY KEY, uses INTEGER NOT NULL, expires INTEGER NOT NULL
    ) WITHOUT ROWID;
    CREATE TABLE audit (
        number INTEGER PRIMARY KEY, at INTEGER NOT NULL, operator TEXT,
        operator_name TEXT NOT NULL, action TEXT NOT NULL, player TEXT, detail TEXT NOT NULL
    );
    """,
    # What is kept of an unfinished game: the secret of its dice, and that it was started.
    """
    CREATE TABLE expired ("table" TEXT PRIMARY KEY, secret BLOB NOT NULL) WITHOUT ROWID;
    CREATE TABLE solo_starts (
        "table" TEXT PRIMARY KEY, player TEXT NOT NULL, game TEXT NOT NULL
    ) WITHOUT ROWID;
    CREATE INDEX solo_starts_player ON solo_starts (player);
    """,
    # Games with real dice or guests stand apart in statistics; guests have only a name.
    """
    ALTER TABLE results ADD COLUMN apart INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE results ADD COLUMN guest TEXT;
    """,
    # The dice of the day and the attempts at them; games with the same dice; games given up.
    """
    CREATE TABLE daily_dice (
        day TEXT NOT NULL, game TEXT NOT NULL, secret BLOB NOT NULL, made INTEGER NOT NULL,
        closed INTEGER NOT NULL DEFAULT 0, PRIMARY KEY (day, game)
    ) WITHOUT ROWID;
    CREATE TABLE daily_attempts (
        day TEXT NOT NULL, game TEXT NOT NULL, player TEXT NOT NULL, "table" TEXT NOT NULL UNIQUE,
        state TEXT NOT NULL, total INTEGER, finished INTEGER, PRIMARY KEY (day, game, player)
    ) WITHOUT ROWID;
    CREATE INDEX daily_attempts_player ON daily_attempts (player);
    CREATE TABLE daily_seen (
        day TEXT NOT NULL, game TEXT NOT NULL, mark BLOB NOT NULL, PRIMARY KEY (day, game, mark)
    ) WITHOUT ROWID;
    CREATE TABLE matches ("table" TEXT PRIMARY KEY, root TEXT NOT NULL) WITHOUT ROWID;
    CREATE INDEX matches_root ON matches (root);
    INSERT INTO matches
        SELECT id, first_value(id) OVER (PARTITION BY secret ORDER BY created, id) FROM tables
        WHERE secret IN (SELECT secret FROM tables GROUP BY secret HAVING count(*) > 1);
    CREATE TABLE given_up (
        "table" TEXT NOT NULL, player TEXT NOT NULL, game TEXT NOT NULL, seats INTEGER NOT NULL,
        at INTEGER NOT NULL, PRIMARY KEY ("table", player)
    ) WITHOUT ROWID;
    CREATE INDEX given_up_player ON given_up (player, at);
    """,
    # The coach: reviews, what they say of each seat, exercises; and how many hints were taken.
    """
    ALTER TABLE results ADD COLUMN hints INTEGER NOT NULL DEFAULT 0;
    CREATE TABLE reviews (
        "table" TEXT PRIMARY KEY, data BLOB NOT NULL, made INTEGER NOT NULL
    ) WITHOUT ROWID;
    CREATE TABLE seat_reviews (
        "table" TEXT NOT NULL, seat INTEGER NOT NULL, figures BLOB NOT NULL,
        PRIMARY KEY ("table", seat)
    ) WITHOUT ROWID;
    CREATE TABLE exercises (
        id TEXT PRIMARY KEY, player TEXT, game TEXT NOT NULL, data BLOB NOT NULL,
        due INTEGER NOT NULL, days INTEGER NOT NULL
    ) WITHOUT ROWID;
    CREATE INDEX exercises_due ON exercises (player, due) WHERE player IS NOT NULL;
    CREATE TABLE exercise_answers (
        exercise TEXT NOT NULL, player TEXT NOT NULL, action TEXT NOT NULL,
        right INTEGER NOT NULL, PRIMARY KEY (exercise, player)
    ) WITHOUT ROWID;
    """,
)


def migrate(connection: sqlite3.Connection, steps: Sequence[str] = MIGRATIONS) -> None:
    """Bring a file up to date; each step is a transaction."""
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    if version > len(steps):
        raise StoreError("the data was written by a newer foxtray; update this installation")
    for number, script in enumerate(steps[version:], version + 1):
        connection.executescript(f"BEGIN IMMEDIATE; {script} PRAGMA user_version={number}; COMMIT;")
