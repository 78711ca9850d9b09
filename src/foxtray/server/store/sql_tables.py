"""The statements about new tables, and about what becomes of games: challenges, games given up."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from foxtray.server.store import Departure, GivenUpRow, MatchRow, NewTable
from foxtray.server.store.sql_connection import CHUNK, Connection

TABLE = "id, rules, setup, secret, host, invite, watch, created"


def insert_table(c: Connection, new: NewTable) -> None:
    table = new.row
    row = (
        table.id, table.rules, table.setup, table.secret, table.host, table.invite, table.watch,
        table.created,
    )  # fmt: skip
    c.execute(f"INSERT INTO tables ({TABLE}) VALUES (?,?,?,?,?,?,?,?)", row)
    seat_players(c, table.id, new.seating)
    if new.root is not None:
        query = 'SELECT root FROM matches WHERE "table"=?'
        (root,) = c.execute(query, (new.root,)).fetchone() or (new.root,)
        same = [(root, root), (table.id, root)]
        c.executemany("INSERT INTO matches VALUES (?,?) ON CONFLICT DO NOTHING", same)


def seat_players(c: Connection, table: str, seating: Iterable[tuple[int, str | None]]) -> None:
    c.executemany(
        "INSERT INTO seats VALUES (?,?,?) "
        'ON CONFLICT ("table", seat) DO UPDATE SET player=excluded.player',
        [(table, seat, player) for seat, player in seating],
    )


def note_departures(c: Connection, table: str, departures: Sequence[Departure]) -> None:
    """Note who gave up their seat, and who took it back."""
    for gone in departures:
        if gone.back:
            c.execute('DELETE FROM given_up WHERE "table"=? AND player=?', (table, gone.player))
            continue
        row = (table, gone.player, gone.game, gone.seats, gone.at)
        c.execute(
            'INSERT INTO given_up VALUES (?,?,?,?,?) ON CONFLICT ("table", player) DO UPDATE SET '
            "game=excluded.game, seats=excluded.seats, at=excluded.at",
            row,
        )
        c.execute(  # an attempt at the dice of the day counts as played
            "UPDATE daily_attempts SET state='given_up' "
            "WHERE \"table\"=? AND player=? AND state='playing'",
            (table, gone.player),
        )


def read_given_up(c: Connection, player: str, limit: int) -> list[GivenUpRow]:
    query = (
        'SELECT given_up."table", game, seats, at, '
        'coalesce((SELECT day FROM daily_attempts AS a WHERE a."table"=given_up."table"), \'\'), '
        '"table" IN (SELECT id FROM tables) FROM given_up WHERE player=?1 AND NOT EXISTS '
        '(SELECT 1 FROM results AS r WHERE r."table"=given_up."table" AND r.player=?1) '
        "ORDER BY at DESC LIMIT ?2"
    )
    return [GivenUpRow(*(*row[:5], bool(row[5]))) for row in c.execute(query, (player, limit))]


def read_matches(c: Connection, tables: Sequence[str]) -> dict[str, list[MatchRow]]:
    """The games with the same dice as each of some tables."""
    roots: dict[str, str] = {}
    for start in range(0, len(tables), CHUNK):
        chunk = tables[start : start + CHUNK]
        marks = ",".join("?" * len(chunk))
        roots.update(c.execute(f'SELECT * FROM matches WHERE "table" IN ({marks})', chunk))
    games = {root: games_of(c, root) for root in dict.fromkeys(roots.values())}
    return {table: games[root] for table, root in roots.items() if len(games[root]) > 1}


def games_of(c: Connection, root: str) -> list[MatchRow]:
    """The games of a challenge. The seat of a player who gave up is nobody's any more."""
    query = (
        'SELECT m."table", coalesce(r.player, s.player, g.player) AS who, '
        "coalesce((SELECT name FROM players "
        "WHERE id=coalesce(r.player, s.player, g.player)), ''), "
        "CASE WHEN g.player IS NOT NULL AND r.player IS NULL THEN 'given_up' "
        "WHEN r.total IS NOT NULL THEN 'finished' "
        "WHEN t.id IS NULL OR s.player IS NULL THEN 'gone' ELSE 'playing' END, "
        "CASE WHEN g.player IS NULL OR r.player IS NOT NULL THEN r.total END, "
        "coalesce(r.finished, g.at, t.created, 0), t.id IS NOT NULL, coalesce(r.hints, 0) "
        'FROM matches AS m LEFT JOIN tables AS t ON t.id=m."table" '
        'LEFT JOIN results AS r ON r."table"=m."table" AND r.seat=0 '
        'LEFT JOIN seats AS s ON s."table"=m."table" AND s.seat=0 '
        'LEFT JOIN given_up AS g ON g."table"=m."table" '
        'WHERE m.root=? ORDER BY m."table"<>m.root, coalesce(t.created, r.finished), m."table"'
    )
    return [
        MatchRow(table, player, name, state, total, at, bool(kept), hints)
        for table, player, name, state, total, at, kept, hints in c.execute(query, (root,))
    ]


def read_met(c: Connection, player: str) -> set[str]:
    query = (
        'SELECT other.player FROM results AS mine JOIN results AS other ON other."table"='
        'mine."table" WHERE mine.player=?1 AND other.player IS NOT NULL UNION '
        "SELECT other.player FROM results AS mine "
        'JOIN matches AS one ON one."table"=mine."table" JOIN matches AS two ON two.root=one.root '
        'JOIN results AS other ON other."table"=two."table" '
        "WHERE mine.player=?1 AND other.player IS NOT NULL"
    )
    return {other for (other,) in c.execute(query, (player,))} - {player}
