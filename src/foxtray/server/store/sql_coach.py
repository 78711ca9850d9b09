"""The statements about reviews and exercises."""

from __future__ import annotations

import msgspec

from foxtray.server.store import (
    AnswerCount,
    ExerciseRow,
    ReviewedRow,
    ReviewRow,
    SeatReviewRow,
)
from foxtray.server.store.sql_connection import Connection, Reader, Runner

EXERCISE = "id, player, game, data, due, days"
MOST = 300
"""Exercises that a player can have; of more than that nobody sees the last."""

encode = msgspec.json.Encoder().encode
decode = msgspec.json.Decoder(SeatReviewRow).decode


class SqlCoach:
    """See foxtray.server.store.CoachStore."""

    def __init__(self, read: Reader, execute: Runner) -> None:
        self._read = read
        self._execute = execute

    async def add_review(self, review: ReviewRow) -> None:
        await self._execute(lambda c: insert_review(c, review))

    async def review(self, table: str) -> bytes | None:
        query = 'SELECT data FROM reviews WHERE "table"=?'

        def work(c: Connection) -> bytes | None:
            row = c.execute(query, (table,)).fetchone()
            return bytes(row[0]) if row else None

        return await self._read(work)

    async def reviewed(self, player: str) -> list[ReviewedRow]:
        query = (
            'SELECT results."table", game, seats, finished, hints, figures, apart FROM results '
            'JOIN seat_reviews ON seat_reviews."table"=results."table" '
            "AND seat_reviews.seat=results.seat "
            "WHERE player=? AND NOT practice ORDER BY finished"
        )

        def work(c: Connection) -> list[ReviewedRow]:
            rows = c.execute(query, (player,))
            return [
                ReviewedRow(table, game, seats, finished, hints, decode(figures), bool(apart))
                for table, game, seats, finished, hints, figures, apart in rows
            ]

        return await self._read(work)

    async def add_exercise(self, exercise: ExerciseRow) -> None:
        await self._execute(lambda c: insert_exercise(c, exercise))

    async def exercise(self, name: str) -> ExerciseRow | None:
        query = f"SELECT {EXERCISE} FROM exercises WHERE id=?"

        def work(c: Connection) -> ExerciseRow | None:
            row = c.execute(query, (name,)).fetchone()
            return ExerciseRow(*row) if row else None

        return await self._read(work)

    async def due(self, player: str, now: int, limit: int) -> list[ExerciseRow]:
        query = (
            f"SELECT {EXERCISE} FROM exercises WHERE player=? AND due<=? ORDER BY due, id LIMIT ?"
        )
        edge = (player, now, limit)
        return await self._read(lambda c: [ExerciseRow(*row) for row in c.execute(query, edge)])

    async def due_count(self, player: str, now: int) -> int:
        query = "SELECT count(*) FROM exercises WHERE player=? AND due<=?"
        return await self._read(lambda c: int(c.execute(query, (player, now)).fetchone()[0]))

    async def settle(self, exercise: ExerciseRow, due: int, days: int) -> bool:
        same = "WHERE id=? AND due=?"
        known: tuple[str | int, ...] = (exercise.id, exercise.due)

        def work(c: Connection) -> bool:
            if not days:
                return c.execute(f"DELETE FROM exercises {same}", known).rowcount > 0
            query = f"UPDATE exercises SET due=?, days=? {same}"
            return c.execute(query, (due, days, *known)).rowcount > 0

        return await self._execute(work)

    async def add_answer(self, exercise: str, player: str, action: str, right: bool) -> bool:
        query = "INSERT INTO exercise_answers VALUES (?,?,?,?) ON CONFLICT DO NOTHING"
        row = (exercise, player, action, right)
        return await self._execute(lambda c: c.execute(query, row).rowcount > 0)

    async def answer_of(self, exercise: str, player: str) -> str | None:
        query = "SELECT action FROM exercise_answers WHERE exercise=? AND player=?"

        def work(c: Connection) -> str | None:
            row = c.execute(query, (exercise, player)).fetchone()
            return str(row[0]) if row else None

        return await self._read(work)

    async def answers(self, exercise: str) -> AnswerCount:
        query = (
            'SELECT count(*), count(*) FILTER (WHERE "right") '
            "FROM exercise_answers WHERE exercise=?"
        )
        return await self._read(lambda c: AnswerCount(*c.execute(query, (exercise,)).fetchone()))


def insert_review(c: Connection, review: ReviewRow) -> None:
    # The table, or one of its players, may have been deleted while the review was made.
    there = c.execute("SELECT 1 FROM tables WHERE id=?", (review.table,)).fetchone()
    known = c.execute('SELECT 1 FROM reviews WHERE "table"=?', (review.table,)).fetchone()
    if known or not there:
        return
    c.execute("INSERT INTO reviews VALUES (?,?,?)", (review.table, review.data, review.made))
    c.executemany(
        "INSERT INTO seat_reviews VALUES (?,?,?) "
        'ON CONFLICT ("table", seat) DO UPDATE SET figures=excluded.figures',
        [(review.table, seat.seat, encode(seat)) for seat in review.seats],
    )
    for exercise in review.exercises:
        if c.execute("SELECT 1 FROM players WHERE id=?", (exercise.player,)).fetchone():
            insert_exercise(c, exercise)


def insert_exercise(c: Connection, exercise: ExerciseRow) -> None:
    row = (
        exercise.id, exercise.player, exercise.game, exercise.data, exercise.due, exercise.days,
    )  # fmt: skip
    c.execute(
        f"INSERT INTO exercises ({EXERCISE}) VALUES (?,?,?,?,?,?) ON CONFLICT DO NOTHING", row
    )
    if exercise.player is not None:
        c.execute(
            "DELETE FROM exercises WHERE player=?1 AND id NOT IN "
            "(SELECT id FROM exercises WHERE player=?1 ORDER BY due DESC LIMIT ?2)",
            (exercise.player, MOST),
        )


def forget_reviews(c: Connection) -> None:
    """The figures of seats whose results are gone."""
    c.execute('DELETE FROM seat_reviews WHERE "table" NOT IN (SELECT "table" FROM results)')


def forget_trainee(c: Connection, player: str) -> None:
    """All exercises of a player, and what they answered."""
    c.execute("DELETE FROM exercises WHERE player=?", (player,))
    c.execute("DELETE FROM exercise_answers WHERE player=?", (player,))
