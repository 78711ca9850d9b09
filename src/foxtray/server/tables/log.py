"""The log of one table in memory: its rows, and the resulting state."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from msgspec import Raw

from foxtray.server.protocol import inputs
from foxtray.server.protocol.codec import encode
from foxtray.server.protocol.inputs import AnyInput
from foxtray.server.protocol.messages import Entry
from foxtray.server.protocol.refusals import Refusal
from foxtray.server.store import Addition, Departure, LogRow, NewTable, SoloStart, TableRow
from foxtray.server.tables.state import Happened, TableState


class Draft(NamedTuple):
    """Inputs that were tried on a copy of the state and are ready to be written."""

    inputs: Sequence[AnyInput]
    rows: Sequence[LogRow]
    happened: Sequence[Happened]
    state: TableState
    """The table as it is once they are written."""
    ends_game: bool
    only_moves: bool
    """Whether it changes nothing but the game, which goes on."""

    def addition(self, opened: NewTable | None, epoch: int = 0) -> Addition:
        """Everything that one transaction has to write."""
        if self.only_moves:
            return Addition(self.state.row.id, self.rows, epoch=epoch)
        return Addition(
            self.state.row.id,
            self.rows,
            seating=seating(self.state, self.inputs),
            results=self.state.results(self.rows[-1].at) if self.ends_game else (),
            opened=opened,
            solo_start=solo_start(self.state, self.inputs),
            departures=departures(self.state, self.inputs, self.rows[-1].at),
            epoch=epoch,
        )


class TableLog:
    """The log of a table; it grows by drafts that have been written."""

    def __init__(
        self, table: TableRow, rows: Sequence[LogRow], *, check_throws: bool = True
    ) -> None:
        self.table = table
        self._check_throws = check_throws
        """Whether to check that the dice in a log follow from the table's secret."""
        self.replay(rows)

    def replay(self, rows: Sequence[LogRow]) -> None:
        """Start again from the rows in the store."""
        self.rows: list[LogRow] = []
        self.entries: list[Raw] = []
        """The inputs as clients see them."""
        self.commands: dict[str, int] = {}
        """The number of the last input of each command."""
        self._asked: dict[int | None, int] = {}
        self.state = TableState(self.table)
        self.extend(rows)

    def extend(self, rows: Sequence[LogRow]) -> None:
        """Follow what was written after the last row known here."""
        for row in rows:
            if row.seq <= self.seq:
                continue
            entry = inputs.decode(row.data)
            setup = self.state.setup
            checked = self._check_throws and not setup.real_dice and row.seq > setup.copied
            if checked and isinstance(entry, inputs.Threw):
                if entry != self.state.throw():
                    raise Refusal(
                        "table_damaged", f"roll {row.seq} does not match the table's dice"
                    )
            self._keep(row, entry, self.state.apply(entry))

    @property
    def seq(self) -> int:
        """The number of the last input."""
        return len(self.rows)

    def input(self, seq: int) -> AnyInput:
        entry: AnyInput = inputs.decode(self.rows[seq - 1].data)
        return entry

    def asked_since(self, seat: int) -> int:
        """The number of the last input that changed what a seat is asked for.

        The actions of other seats do not change it: every seat acts on its own sheet.
        """
        return max(self._asked.get(seat, 0), self._asked.get(None, 0))

    def waiting_since(self) -> int | None:
        """Since when the game waits for the seat that it has been waiting for longest."""
        asked = [self.asked_since(seat) for seat in self.state.wanted()]
        return self.rows[min(asked) - 1].at if asked else None

    def draft(self, entries: Sequence[AnyInput], at: int, tag: str | None = None) -> Draft:
        """Try inputs; raises FoxtrayError if one is not allowed. The last one carries the tag."""
        state = self.state.copy()
        happened = [state.apply(entry) for entry in entries]
        tags = [None] * (len(entries) - 1) + [tag]
        rows = [
            LogRow(self.seq + number, at, inputs.encode(entry), own)
            for number, (entry, own) in enumerate(zip(entries, tags, strict=True), 1)
        ]
        ends_game = state.status == "over" and self.state.status != "over"
        only_moves = not ends_game and all(isinstance(e, inputs.IN_GAME) for e in entries)
        return Draft(entries, rows, happened, state, ends_game, only_moves)

    def accept(self, draft: Draft) -> None:
        """Add a draft that has been written."""
        self.state = draft.state
        for row, entry, what in zip(draft.rows, draft.inputs, draft.happened, strict=True):
            self._keep(row, entry, what)

    def _keep(self, row: LogRow, entry: AnyInput, happened: Happened) -> None:
        self.rows.append(row)
        self.entries.append(entry_of(row, entry, happened))
        if row.command is not None:
            self.commands[row.command] = row.seq
        if isinstance(entry, inputs.Threw | inputs.UndidThrow | inputs.Started):
            self._asked[None] = row.seq
        elif isinstance(entry, inputs.Hinted):
            pass  # the seat is asked the same as before
        elif (seat := getattr(entry, "seat", None)) is not None:
            self._asked[seat] = row.seq


def entry_of(row: LogRow, entry: AnyInput, happened: Happened) -> Raw:
    """An input as clients see it."""
    told = Entry(
        seq=row.seq,
        at=row.at,
        what=type(entry).__struct_config__.tag,  # type: ignore[arg-type]
        seat=getattr(entry, "by" if isinstance(entry, inputs.Threw) else "seat", None),
        action=happened.undone or getattr(entry, "action", None),
        bot=getattr(entry, "bot", None),
        events=[event.as_dict() for event in happened.events],
        left_out=list(getattr(entry, "left_out", ())),
    )
    return Raw(encode(told))


def solo_start(state: TableState, entries: Sequence[AnyInput]) -> SoloStart | None:
    """A solo game that counts and has begun: if it is never finished, that counts, too."""
    alone = len(state.seats) == 1 and not (state.setup.practice or state.apart)
    if not alone or not any(isinstance(entry, inputs.Started) for entry in entries):
        return None
    player = state.seats[0].player
    return SoloStart(player, state.setup.game) if player else None


def departures(state: TableState, entries: Sequence[AnyInput], at: int) -> list[Departure]:
    """Who gave up their seat in the game, and who took it back."""
    found = []
    for entry in entries:
        match entry:
            case inputs.TookOver(seat, _, True):
                back = False
            case inputs.Resumed(seat):
                back = True
            case _:
                continue
        player = state.seats[seat].player
        if player:
            found.append(Departure(player, state.setup.game, len(state.seats), at, back))
    return found


def seating(state: TableState, entries: Sequence[AnyInput]) -> list[tuple[int, str | None]]:
    """The changed players of seats; a table leaves the list of a player who gives up their seat."""
    changed: list[tuple[int, str | None]] = []
    for entry in entries:
        match entry:
            case inputs.Sat(seat, player):
                changed.append((seat, player))
            case inputs.Left(seat) | inputs.Reseated(seat):
                changed.append((seat, None))
            case inputs.TookOver(seat, _, True):
                changed.append((seat, None))
            case inputs.Resumed(seat) if state.seats[seat].guest is None:
                changed.append((seat, state.seats[seat].player))
    return changed
