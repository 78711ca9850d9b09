"""Games that were played on a device without the server, and are handed to it afterwards."""

from __future__ import annotations

import hashlib

from foxtray.game import RULES_VERSION
from foxtray.history import ThrowInput
from foxtray.record import Record, read
from foxtray.server.machine import MACHINE, Machine
from foxtray.server.names import clean_name
from foxtray.server.players import new_key
from foxtray.server.protocol import inputs
from foxtray.server.protocol.inputs import AnyInput, SeatSetup, TableSetup
from foxtray.server.protocol.messages import OFFLINE, OfflineGame, OfflineSeat
from foxtray.server.protocol.refusals import Refusal
from foxtray.server.store import Addition, LogRow, NewTable, TableRow
from foxtray.server.tables.state import TableState


def offline_id(player: str, record: str) -> str:
    """The id of the table that keeps a player's record: the same record gets the same table."""
    return OFFLINE + hashlib.sha256(f"{player}\n{record}".encode()).hexdigest()[:32]


def offline_table(player: str, game: OfflineGame, machine: Machine = MACHINE) -> Addition:
    """The finished table of a record; raises RecordError or Refusal if it cannot be kept.

    Nothing vouches for the dice or for who decided, so the game stands apart in statistics.
    """
    record, _ = read(game.record)
    check(record, game)
    now = machine.now()
    row = TableRow(
        id=offline_id(player, game.record),
        rules=RULES_VERSION,
        setup=inputs.encode_setup(setup_of(record, game, player)),
        secret=record.setup.secret or b"",
        host=player,
        invite=new_key(machine.rng),
        watch=new_key(machine.rng),
        created=now,
    )
    finished = min(game.finished, now)
    state = TableState(row)
    rows = []
    for seq, entry in enumerate(entries_of(record), 1):
        state.apply(entry)
        rows.append(LogRow(seq, finished, inputs.encode(entry)))
    seating = [(i, player if seat.kind == "me" else None) for i, seat in enumerate(game.seats)]
    opened = NewTable(row, seating)
    return Addition(row.id, rows, results=state.results(finished), opened=opened)


def check(record: Record, game: OfflineGame) -> None:
    """Refuse records of unfinished games, of games at a server, and of other people."""
    setup = record.setup
    if not record.game.over:
        raise Refusal("not_over")
    if len(game.seats) != setup.seats:
        raise Refusal("malformed", f"the record has {setup.seats} seats, not {len(game.seats)}")
    mine = sum(seat.kind == "me" for seat in game.seats)
    if mine != 1:
        raise Refusal("one_seat_each" if mine else "not_seated")
    if setup.commitment is not None and (any(setup.entropies) or not setup.entropies):
        raise Refusal("not_offline")


def setup_of(record: Record, game: OfflineGame, player: str) -> TableSetup:
    """The settings that a table would have had to lead to this game."""
    setup = record.setup
    names = setup.names or tuple(f"Player {seat + 1}" for seat in range(setup.seats))
    return TableSetup(
        game=setup.game,
        seats=[seat_of(*seat, player) for seat in zip(game.seats, names, strict=True)],
        solo_fallback=setup.solo_fallback,
        fox_floor=setup.fox_floor,
        seed=setup.seed,
        real_dice=setup.commitment is None and setup.seed is None,
        offline=True,
    )


def seat_of(seat: OfflineSeat, name: str, player: str) -> SeatSetup:
    if seat.kind == "bot":
        return SeatSetup(bot=seat.bot)
    return SeatSetup(player=player, guest=None if seat.kind == "me" else clean_name(name))


def entries_of(record: Record) -> list[AnyInput]:
    """The log of a table that played this game."""
    found: list[AnyInput] = [inputs.Started(record.setup.first)]
    for entry in record.inputs:
        if isinstance(entry, ThrowInput):
            found.append(inputs.Threw(entry.throw.faces, entry.throw.order))
        else:
            found.append(inputs.Played(entry.seat, str(entry.action)))
    return found
