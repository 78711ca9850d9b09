"""Tables as an earlier life of the server left them: new, begun, or with games nearly over."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from foxtray.game import RULES_VERSION, Game
from foxtray.server.players import digest
from foxtray.server.protocol import inputs
from foxtray.server.protocol.inputs import AnyInput, SeatSetup, TableSetup
from foxtray.server.store import Addition, LogRow, NewTable, PlayerRow, TableRow
from foxtray.server.store.sql import append
from foxtray.server.store.sql_accounts import insert_player
from foxtray.server.store.sql_tables import insert_table
from foxtray.server.tables.log import TableLog
from simulation.disk import File, blank, new_file

EPOCH = 1_800_000_000_000
"""When the simulation begins, in milliseconds since 1970."""
PEOPLE = ("ana", "ben", "cat", "dan")
"""Who sits where; also their tokens."""
BOT = "random"
BEFORE = "before-"
"""The ids of the commands of the earlier life begin so."""
VARIANTS = 4
"""How many games are played beforehand with the same seats."""


@dataclass(frozen=True, slots=True)
class Prepared:
    """A table on the disk: who has its seats (h: a person, b: a bot), and how far its game is."""

    id: str
    game: str
    seats: str
    variant: int
    far: int
    """Inputs that are in its log; below 0: as many are missing until the game is over."""
    clock: int
    pause: bool
    real: bool = False
    """Whether people roll the dice by hand."""

    @property
    def people(self) -> Sequence[str]:
        return [PEOPLE[seat] for seat, kind in enumerate(self.seats) if kind == "h"]

    def row(self) -> TableRow:
        seats = [
            SeatSetup(bot=BOT) if kind == "b" else SeatSetup(player=PEOPLE[seat])
            for seat, kind in enumerate(self.seats)
        ]
        setup = TableSetup(
            self.game, seats, clock=self.clock, pause=self.pause, real_dice=self.real
        )
        return TableRow(
            id=self.id,
            rules=RULES_VERSION,
            setup=inputs.encode_setup(setup),
            secret=bytes([self.variant]) * 32,
            host=self.people[0],
            invite=f"invite-{self.id}",
            watch=f"watch-{self.id}",
            created=EPOCH - 1_000_000,
        )

    def rows(self) -> Sequence[LogRow]:
        return played(self.game, self.seats, self.variant, self.real)[: self.far]

    @property
    def ends(self) -> bool:
        """Whether its game is to be played to its end."""
        return self.far < 0


@cache
def played(game: str, seats: str, variant: int, real: bool) -> Sequence[LogRow]:
    """The log of a whole game, played at random."""
    table = Prepared("", game, seats, variant, 0, 0, False, real)
    log = TableLog(table.row(), [])
    rng = random.Random(f"{game} {seats} {variant}")
    for seat, kind in enumerate(seats):
        if kind == "h":
            add(log, seat, inputs.Sat(seat, PEOPLE[seat], f"{variant:032x}"))
    add(log, 0, inputs.Started(log.state.draw_first()))
    while log.state.record and not log.state.record.game.over:
        now = log.state.record.game
        if now.rolling():
            add(log, now.active, by_hand(now, rng) if real else log.state.throw())
            continue
        seat = rng.choice(now.awaiting())
        action = str(rng.choice(now.legal(seat)))
        add(log, seat, inputs.Played(seat, action, log.state.seats[seat].bot))
    return log.rows


def by_hand(game: Game, rng: random.Random) -> inputs.Threw:
    """The faces of real dice; the person on the first seat enters those of bots."""
    wanted = game.rolling()
    faces = tuple(rng.randint(1, 6) if d in wanted else 0 for d in range(6))
    return inputs.Threw(faces, tuple(rng.sample(range(6), 6)), by=0)


def add(log: TableLog, seat: int, entry: AnyInput) -> None:
    """Write an input, as the command of a person if it is theirs."""
    player = log.state.seats[seat].player
    tag = f"{player} {BEFORE}{log.seq}" if player else None
    log.accept(log.draft([entry], EPOCH - 500_000 + log.seq, tag))


def file_with(tables: Sequence[Prepared]) -> File:
    """A database with the people and these tables."""
    file = new_file(blank_file())
    file.execute("BEGIN")
    for name in PEOPLE:
        made = EPOCH - 2_000_000
        insert_player(file, PlayerRow(name, name.title(), digest(name), made, f"{name}-device"))
    for table in tables:
        row = table.row()
        seating = [(seat, PEOPLE[seat]) for seat, kind in enumerate(table.seats) if kind == "h"]
        insert_table(file, NewTable(row, seating))
        if rows := table.rows():
            append(file, Addition(row.id, rows))
    file.execute("COMMIT")
    return file


blank_file = cache(blank)
