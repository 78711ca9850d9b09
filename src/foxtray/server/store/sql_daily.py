"""The statements about the dice of the day."""

from __future__ import annotations

from collections.abc import Sequence

from foxtray.server.store import (
    CLOCK,
    Conflict,
    DailyAttempt,
    DailyDiceRow,
    DailyResult,
    NewTable,
    ResultRow,
)
from foxtray.server.store.sql_connection import Connection, Reader, Runner
from foxtray.server.store.sql_tables import insert_table

ATTEMPT = 'day, game, player, "table", state, total, finished'


class SqlDaily:
    """See foxtray.server.store.Daily."""

    def __init__(self, read: Reader, execute: Runner) -> None:
        self._read = read
        self._execute = execute

    async def turn(self, at: int, closed: str, dice: Sequence[DailyDiceRow]) -> None:
        def work(c: Connection) -> None:
            c.execute(  # another server may have been here first, with a clock that is ahead
                "INSERT INTO marks VALUES (?,?) ON CONFLICT (name) "
                "DO UPDATE SET value=excluded.value WHERE excluded.value>marks.value",
                (CLOCK, at),
            )
            c.execute("UPDATE daily_dice SET closed=TRUE WHERE day<=? AND NOT closed", (closed,))
            left = "UPDATE daily_attempts SET state='unfinished' WHERE day<=? AND state='playing'"
            c.execute(left, (closed,))
            c.execute("DELETE FROM daily_seen WHERE day<=?", (closed,))
            c.executemany(
                "INSERT INTO daily_dice VALUES (?,?,?,?,FALSE) ON CONFLICT DO NOTHING",
                [(row.day, row.game, row.secret, row.made) for row in dice],
            )

        await self._execute(work)

    async def dice(self, day: str, game: str) -> DailyDiceRow | None:
        query = "SELECT day, game, secret, made, closed FROM daily_dice WHERE day=? AND game=?"

        def work(c: Connection) -> DailyDiceRow | None:
            row = c.execute(query, (day, game)).fetchone()
            if row is None:
                return None
            fields = (*row[:4], bool(row[4]))
            return DailyDiceRow(*fields)

        return await self._read(work)

    async def begin(self, attempt: DailyAttempt, table: NewTable, seen: Sequence[bytes]) -> None:
        day, game = attempt.day, attempt.game

        def work(c: Connection) -> None:
            query = "SELECT 1 FROM daily_dice WHERE day=? AND game=? AND NOT closed"
            if c.execute(query, (day, game)).fetchone() is None:
                raise Conflict("the day is closed")
            row = (day, game, attempt.player, attempt.table)
            c.execute("INSERT INTO daily_attempts VALUES (?,?,?,?,'playing',NULL,NULL)", row)
            for mark in seen:
                c.execute("INSERT INTO daily_seen VALUES (?,?,?)", (day, game, mark))
            insert_table(c, table)

        await self._execute(work)

    async def attempt(self, day: str, game: str, player: str) -> DailyAttempt | None:
        query = f"SELECT {ATTEMPT} FROM daily_attempts WHERE day=? AND game=? AND player=?"

        def work(c: Connection) -> DailyAttempt | None:
            row = c.execute(query, (day, game, player)).fetchone()
            return DailyAttempt(*row) if row else None

        return await self._read(work)

    async def attempts(self, game: str, player: str) -> list[DailyAttempt]:
        query = f"SELECT {ATTEMPT} FROM daily_attempts WHERE player=? AND game=? ORDER BY day DESC"
        values = (player, game)
        return await self._read(lambda c: [DailyAttempt(*row) for row in c.execute(query, values)])

    async def results(self, game: str, first: str, last: str) -> list[DailyResult]:
        query = (
            "SELECT day, player, name, total, finished FROM daily_attempts "
            "JOIN players ON players.id=player WHERE game=? AND day BETWEEN ? AND ? "
            "AND state='finished' AND banned IS NULL ORDER BY total DESC, finished, player"
        )
        values = (game, first, last)
        return await self._read(lambda c: [DailyResult(*row) for row in c.execute(query, values)])

    async def played(self, day: str, game: str) -> int:
        query = "SELECT count(*) FROM daily_attempts WHERE day=? AND game=?"
        return await self._read(lambda c: int(c.execute(query, (day, game)).fetchone()[0]))


def note_result(c: Connection, results: Sequence[ResultRow]) -> None:
    """Note the result of an attempt, if the table is one and its day is not closed."""
    for row in results:
        c.execute(
            "UPDATE daily_attempts SET state='finished', total=?, finished=? "
            "WHERE \"table\"=? AND player=? AND state='playing'",
            (row.total, row.finished, row.table, row.player),
        )
