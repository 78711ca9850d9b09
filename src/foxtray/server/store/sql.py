"""What a store does in SQL, whatever database it has; the database itself is a subclass."""

from __future__ import annotations

import json
import secrets
from abc import abstractmethod
from collections.abc import AsyncIterator, Callable, Sequence
from typing import TypeVar

from foxtray.server.store import (
    Addition,
    GivenUpRow,
    LogRow,
    MatchRow,
    NewDevice,
    News,
    NewTable,
    PlayerRow,
    ResultRow,
    SoloCount,
    TableRow,
)
from foxtray.server.store.sql_accounts import (
    SqlAccounts,
    find_player,
    forget_account,
    insert_player,
    sign_in,
    signed_in,
)
from foxtray.server.store.sql_coach import SqlCoach, forget_reviews, forget_trainee
from foxtray.server.store.sql_connection import UNLIMITED, Connection
from foxtray.server.store.sql_daily import SqlDaily, note_result
from foxtray.server.store.sql_tables import (
    TABLE,
    insert_table,
    note_departures,
    read_given_up,
    read_matches,
    read_met,
    seat_players,
)

T = TypeVar("T")


class SqlStore:
    """See foxtray.server.store.Store."""

    def __init__(self) -> None:
        self.accounts = SqlAccounts(self._read, self._execute)
        self.daily = SqlDaily(self._read, self._execute)
        self.coach = SqlCoach(self._read, self._execute)

    # --- the database ------------------------------------------------------------------------

    @abstractmethod
    async def _read(self, work: Callable[[Connection], T], /) -> T: ...

    @abstractmethod
    async def _execute(
        self,
        work: Callable[[Connection], T],
        news: Callable[[T], Sequence[News]] | None = None,
        /,
    ) -> T:
        """Do work in one transaction that no other writer comes between; durable afterwards."""

    def supersede(self, c: Connection, tables: Sequence[str]) -> None:
        """Take tables away from the servers that own them: their logs are about to change."""

    def vouch(self) -> None:
        """Raise StorageFailing if what was just read may not be there after a restart."""

    # --- players -----------------------------------------------------------------------------

    async def add_player(
        self, player: PlayerRow, device: str = "", invitation: bytes | None = None
    ) -> None:
        await self._execute(lambda c: insert_player(c, player, device, invitation))

    async def player_by_token(self, token: bytes) -> PlayerRow | None:
        return await self._read(lambda c: find_player(c, token))

    async def names(self, players: Sequence[str]) -> dict[str, str]:
        if not players:
            return {}
        marks = ",".join("?" * len(players))
        query = f"SELECT id, name FROM players WHERE id IN ({marks})"
        return await self._read(lambda c: dict(c.execute(query, list(players)).fetchall()))

    async def rename(self, player: str, name: str) -> None:
        query = "UPDATE players SET name=? WHERE id=?"
        await self._execute(
            lambda c: c.execute(query, (name, player)), lambda _: [News("renamed", player)]
        )

    async def add_link(self, code: bytes, player: str, expires: int) -> None:
        def work(c: Connection) -> None:
            c.execute("DELETE FROM links WHERE player=?", (player,))
            c.execute("INSERT INTO links VALUES (?,?,?)", (code, player, expires))

        await self._execute(work)

    async def use_link(self, code: bytes, now: int, device: NewDevice) -> PlayerRow | None:
        def work(c: Connection) -> PlayerRow | None:
            query = "DELETE FROM links WHERE code=? RETURNING player, expires"
            found = c.execute(query, (code,)).fetchall()
            if not found or found[0][1] < now:
                return None
            return sign_in(c, found[0][0], device)

        return await self._execute(work, signed_in)

    async def delete_player(self, player: str) -> None:
        # Looked up beside the writer: the logs are long, and others want to move meanwhile.
        mentioned = await self._read(lambda c: tables_mentioning(c, player))

        def work(c: Connection) -> None:
            alone = c.execute(
                'SELECT DISTINCT "table" FROM seats WHERE player=? AND "table" NOT IN '
                '(SELECT "table" FROM seats WHERE player IS NOT NULL AND player<>?)',
                (player, player),
            ).fetchall()
            hosted = c.execute(
                "SELECT id FROM tables WHERE host=? AND id NOT IN "
                '(SELECT "table" FROM seats WHERE player IS NOT NULL)',
                (player,),
            ).fetchall()
            gone = [table for (table,) in alone + hosted]
            self.supersede(c, sorted({*gone, *mentioned}))
            for table in gone:
                delete_table(c, table)
                for kept in ("results", "matches"):
                    c.execute(f'DELETE FROM {kept} WHERE "table"=?', (table,))
            c.execute("UPDATE seats SET player=NULL WHERE player=?", (player,))
            # Their guests are forgotten with them, also others' guests at the same tables.
            c.execute(
                "UPDATE results SET guest='' WHERE guest IS NOT NULL AND \"table\" IN "
                '(SELECT "table" FROM results WHERE player=?)',
                (player,),
            )
            c.execute("UPDATE results SET player=NULL WHERE player=?", (player,))
            # Of tables that have expired the results were left; nobody's are of no use.
            c.execute(
                'DELETE FROM results WHERE "table" NOT IN (SELECT id FROM tables) AND '
                '"table" NOT IN (SELECT "table" FROM results WHERE player IS NOT NULL)'
            )
            forget_account(c, player)
            forget_trainee(c, player)
            forget_reviews(c)
            for table in mentioned:
                forget_guests(c, table, player)
                replace_player(c, table, player, nobody_like(player))

        await self._execute(work, lambda _: [News("expelled", player)])

    # --- tables ------------------------------------------------------------------------------

    async def add_table(
        self,
        table: TableRow,
        seating: Sequence[tuple[int, str | None]],
        root: str | None = None,
    ) -> None:
        await self._execute(lambda c: insert_table(c, NewTable(table, seating, root)))

    async def table(self, table: str) -> TableRow | None:
        def work(c: Connection) -> TableRow | None:
            row = c.execute(f"SELECT {TABLE} FROM tables WHERE id=?", (table,)).fetchone()
            return TableRow(*row) if row else None

        return await self._read(work)

    async def log(self, table: str, after: int = 0) -> list[LogRow]:
        query = 'SELECT seq, at, data, command FROM inputs WHERE "table"=? AND seq>? ORDER BY seq'

        def work(c: Connection) -> list[LogRow]:
            rows = [LogRow(*row) for row in c.execute(query, (table, after))]
            self.vouch()
            return rows

        return await self._read(work)

    async def delete_table(self, table: str) -> None:
        def work(c: Connection) -> None:
            self.supersede(c, [table])
            retire_table(c, table)

        await self._execute(work)

    async def tables_of(self, player: str, *, over: bool, limit: int = 50) -> list[str]:
        query = (
            'SELECT id FROM seats JOIN tables ON id="table" WHERE player=? '
            f"AND finished IS {'NOT ' if over else ''}NULL ORDER BY created DESC LIMIT ?"
        )
        return await self._read(lambda c: [row[0] for row in c.execute(query, (player, limit))])

    async def tables_with(self, player: str) -> list[str]:
        return await self._read(lambda c: tables_mentioning(c, player))

    async def unfinished(self, player: str) -> int:
        query = (
            'SELECT count(*) FROM tables JOIN seats ON id="table" AND player=host '
            "WHERE host=? AND finished IS NULL"
        )
        return await self._read(lambda c: int(c.execute(query, (player,)).fetchone()[0]))

    async def unattended(self, host: str) -> list[bytes]:
        query = (
            "SELECT setup FROM tables WHERE host=? AND finished IS NULL AND "
            'NOT EXISTS (SELECT 1 FROM seats WHERE "table"=id AND player IS NOT NULL)'
        )
        return await self._read(lambda c: [setup for (setup,) in c.execute(query, (host,))])

    async def results_of(
        self, player: str, *, before: int | None = None, limit: int | None = None
    ) -> list[list[ResultRow]]:
        def work(c: Connection) -> list[list[ResultRow]]:
            query = 'SELECT "table" FROM results WHERE player=? AND finished<? '
            query += "ORDER BY finished DESC LIMIT ?"
            edge = (
                player,
                UNLIMITED if before is None else before,
                UNLIMITED if limit is None else limit,
            )
            games: dict[str, list[ResultRow]] = {t: [] for (t,) in c.execute(query, edge)}
            for result in read_results(c, f'"table" IN ({query})', edge):
                games[result.table].append(result)
            return list(games.values())

        return await self._read(work)

    async def given_up(self, player: str, limit: int) -> list[GivenUpRow]:
        return await self._read(lambda c: read_given_up(c, player, limit))

    async def matches(self, tables: Sequence[str]) -> dict[str, list[MatchRow]]:
        return await self._read(lambda c: read_matches(c, tables))

    async def met(self, player: str) -> set[str]:
        return await self._read(lambda c: read_met(c, player))

    async def solo_counts(self, player: str) -> dict[str, SoloCount]:
        query = (
            "SELECT game, count(*) FILTER (WHERE seats.player IS NULL OR finished IS NOT NULL), "
            "count(*) FILTER (WHERE seats.player IS NOT NULL AND finished IS NULL) "
            "FROM solo_starts AS start "
            'LEFT JOIN seats ON seats."table"=start."table" AND seats.player=start.player '
            'LEFT JOIN tables ON id=start."table" WHERE start.player=? AND NOT EXISTS (SELECT 1 '
            'FROM results WHERE results."table"=start."table" AND results.player=start.player) '
            "GROUP BY game"
        )

        def work(c: Connection) -> dict[str, SoloCount]:
            return {game: SoloCount(*counts) for game, *counts in c.execute(query, (player,))}

        return await self._read(work)

    async def best(self, player: str) -> dict[str, int]:
        query = (
            "SELECT game, max(total) FROM results "
            "WHERE player=? AND NOT practice AND NOT apart AND hints=0 GROUP BY game"
        )
        return await self._read(lambda c: dict(c.execute(query, (player,)).fetchall()))

    async def results(self, table: str) -> list[ResultRow]:
        return await self._read(lambda c: read_results(c, '"table"=?', (table,)))

    async def finished(self) -> AsyncIterator[str]:
        query = "SELECT id FROM tables WHERE finished IS NOT NULL ORDER BY finished, id"
        for (table,) in await self._read(lambda c: c.execute(query).fetchall()):
            yield table

    async def mark(self, name: str) -> int | None:
        def work(c: Connection) -> int | None:
            row = c.execute("SELECT value FROM marks WHERE name=?", (name,)).fetchone()
            return int(row[0]) if row else None

        return await self._read(work)

    async def set_mark(self, name: str, value: int) -> None:
        query = (
            "INSERT INTO marks VALUES (?,?) ON CONFLICT (name) DO UPDATE SET value=excluded.value"
        )
        await self._execute(
            lambda c: c.execute(query, (name, value)), lambda _: [News("mark", name)]
        )

    async def expire(
        self, *, finished_before: int, idle_before: int, limit: int | None = None
    ) -> list[str]:
        old = (
            "(finished<:finished OR (finished IS NULL AND created<:idle AND "
            'NOT EXISTS (SELECT 1 FROM inputs WHERE "table"=id AND at>=:idle)))'
        )
        edge = {"finished": finished_before, "idle": idle_before, "limit": limit or UNLIMITED}
        # Looked up beside the writer, which asks again: somebody may have come back meanwhile.
        query = f"SELECT id FROM tables WHERE {old} LIMIT :limit"
        found = await self._read(lambda c: [name for (name,) in c.execute(query, edge)])

        def still_old(c: Connection, names: list[str]) -> list[str]:
            again = f"SELECT 1 FROM tables WHERE id=:table AND {old}"
            values = {"finished": finished_before, "idle": idle_before}
            return [t for t in names if c.execute(again, {**values, "table": t}).fetchone()]

        def work(c: Connection) -> list[str]:
            gone = still_old(c, found)
            self.supersede(c, gone)
            gone = still_old(c, gone)
            for table in gone:
                retire_table(c, table)
            return gone

        return await self._execute(work) if found else []

    async def expired_secret(self, table: str) -> bytes | None:
        def work(c: Connection) -> bytes | None:
            row = c.execute('SELECT secret FROM expired WHERE "table"=?', (table,)).fetchone()
            return bytes(row[0]) if row else None

        return await self._read(work)


# --- statements -----------------------------------------------------------------------------------


def append(c: Connection, addition: Addition) -> None:
    c.executemany(
        "INSERT INTO inputs VALUES (?,?,?,?,?)",
        [(addition.table, row.seq, row.at, row.data, row.command) for row in addition.rows],
    )
    if addition.seating:
        seat_players(c, addition.table, addition.seating)
    if addition.solo_start:
        start = (addition.table, addition.solo_start.player, addition.solo_start.game)
        c.execute("INSERT INTO solo_starts VALUES (?,?,?)", start)
    if addition.departures:
        note_departures(c, addition.table, addition.departures)
    if addition.opened:
        insert_table(c, addition.opened)
    if addition.results:
        c.executemany(
            "INSERT INTO results VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
            [
                (
                    r.table, r.seat, r.player, r.bot, r.game, r.seats, r.finished, r.total,
                    json.dumps(r.areas), r.foxes, r.fox_value, r.won, r.practice, r.apart, r.guest,
                    r.hints,
                )
                for r in addition.results
            ],
        )  # fmt: skip
        note_result(c, addition.results)
        done = (addition.results[0].finished, addition.table)
        c.execute("UPDATE tables SET finished=? WHERE id=?", done)


def read_results(c: Connection, which: str, values: tuple[str | int, ...]) -> list[ResultRow]:
    """The results that a condition names, seat by seat."""
    query = (
        'SELECT "table", seat, player, bot, game, seats, finished, total, areas, foxes, fox_value,'
        " won, practice, coalesce(name, ''), \"table\" IN (SELECT id FROM tables), apart, guest,"
        ' coalesce((SELECT day FROM daily_attempts AS a WHERE a."table"=results."table"), \'\'),'
        ' hints, (SELECT setup FROM tables WHERE id=results."table" AND (practice OR apart))'
        " FROM results"
        f" LEFT JOIN players ON players.id=player WHERE {which} ORDER BY seat"
    )
    found: list[ResultRow] = []
    for row in c.execute(query, values):
        *before, areas, foxes, fox_value, won, practice, name, kept, apart, guest, day = row[:-2]
        hints, setup = row[-2:]
        fields = (
            *before,
            tuple(json.loads(areas)),
            foxes,
            fox_value,
            bool(won),
            bool(practice),
            name,
            bool(kept),
            bool(apart),
            guest,
            day,
            hints,
            bytes(setup or b""),
        )
        found.append(ResultRow(*fields))
    return found


def tables_mentioning(c: Connection, player: str) -> list[str]:
    """The tables whose log or setup holds the id of a player."""
    query = (
        'SELECT "table" FROM inputs WHERE instr(data, ?1)>0 OR instr(command, ?2)>0 UNION '
        "SELECT id FROM tables WHERE host=?2 OR instr(setup, ?1)>0 ORDER BY 1"
    )
    return [table for (table,) in c.execute(query, (player.encode(), player))]


def nobody_like(player: str) -> str:
    """An id of the same length that belongs to nobody, for what others keep of a deleted player."""
    return secrets.token_urlsafe(len(player))[: len(player)]


def forget_guests(c: Connection, table: str, player: str) -> None:
    """Take the names of a player's guests out of a table's log and setup."""
    find = 'SELECT seq, data FROM inputs WHERE "table"=? AND instr(data, ?)>0'
    for seq, data in c.execute(find, (table, b'"guest"')).fetchall():
        entry = json.loads(data)
        if entry.get("player") == player:
            changed = json.dumps({**entry, "guest": ""}).encode()
            where = (changed, table, seq)
            c.execute('UPDATE inputs SET data=? WHERE "table"=? AND seq=?', where)
    find = "SELECT setup FROM tables WHERE id=? AND instr(setup, ?)>0"
    for (data,) in c.execute(find, (table, b'"guest"')).fetchall():
        setup = json.loads(data)
        for seat in setup["seats"]:
            if "guest" in seat and seat.get("player") == player:
                seat["guest"] = ""
        c.execute("UPDATE tables SET setup=? WHERE id=?", (json.dumps(setup).encode(), table))


def replace_player(c: Connection, table: str, player: str, other: str) -> None:
    """Write another id wherever a table names a player."""
    old, new = player.encode(), other.encode()
    find = 'SELECT seq, data, command FROM inputs WHERE "table"=?1 AND (instr(data, ?2)>0 OR '
    found = c.execute(find + "instr(command, ?3)>0)", (table, old, player)).fetchall()
    c.executemany(
        'UPDATE inputs SET data=?, command=? WHERE "table"=? AND seq=?',
        [
            (data.replace(old, new), command and command.replace(player, other), table, seq)
            for seq, data, command in found
        ],
    )
    for setup, host in c.execute("SELECT setup, host FROM tables WHERE id=?", (table,)).fetchall():
        c.execute(
            "UPDATE tables SET setup=?, host=? WHERE id=?",
            (setup.replace(old, new), host.replace(player, other), table),
        )


def retire_table(c: Connection, table: str) -> None:
    """Delete a table but keep the secret of its dice if the game was not finished.

    The dice of a day are others' as well: their secret is told when the day is closed.
    """
    c.execute(
        "INSERT INTO expired SELECT id, secret FROM tables WHERE id=? AND finished IS NULL "
        'AND id NOT IN (SELECT "table" FROM daily_attempts)',
        (table,),
    )
    delete_table(c, table)


def delete_table(c: Connection, table: str) -> None:
    own = '"table"'
    for name, column in (("inputs", own), ("seats", own), ("reviews", own), ("tables", "id")):
        c.execute(f"DELETE FROM {name} WHERE {column}=?", (table,))
