"""Tables played under older rules: their players and records, read without replaying them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from foxtray.game import RULES_VERSION
from foxtray.games.registry import SHEETS
from foxtray.record import action_line, file_text, throw_line
from foxtray.server.protocol import inputs
from foxtray.server.protocol.inputs import AnyInput
from foxtray.server.store import Store, TableRow
from foxtray.server.tables.state import TableState

ABOUT_SEATS = (
    inputs.Sat,
    inputs.Left,
    inputs.Reseated,
    inputs.Revealed,
    inputs.TookOver,
    inputs.Resumed,
)
"""Inputs that mean the same under all rules."""


class OutdatedTable:
    """A table played under an older version of the rules, as far as its log can be read."""

    def __init__(self, row: TableRow, log: Sequence[AnyInput], totals: Sequence[int]) -> None:
        self.state = TableState(row)
        self.log = log
        self.totals = totals
        """The totals of a finished game, as scored when it was played."""
        self.names: dict[str, str] = {}
        for entry in log:
            if isinstance(entry, ABOUT_SEATS):
                self.state.apply(entry)

    @classmethod
    async def load(cls, store: Store, row: TableRow) -> OutdatedTable:
        """A table from its store."""
        log = [inputs.decode(entry.data) for entry in await store.log(row.id)]
        table = cls(row, log, [result.total for result in await store.results(row.id)])
        table.names = await store.names(table.state.players())
        return table

    @property
    def reason(self) -> str:
        """Why it cannot be continued."""
        return (
            f"this table uses version {self.state.row.rules} of the rules, but this server plays "
            f"version {RULES_VERSION}; you can still download its record"
        )

    def record_text(self) -> str:
        """The record, for the version that played it."""
        started = [entry for entry in self.log if isinstance(entry, inputs.Started)]
        first = started[0].first if started else 0
        setup = replace(self.state.game_setup(first), names=self.state.called(self.names))
        given_up = bool(started) and self.state.deserted
        rules = self.state.row.rules
        return file_text(setup, self._input_lines(), self.totals, rules, given_up=given_up)

    def _input_lines(self) -> Iterator[str]:
        sheet = SHEETS.get(self.state.setup.game)
        letters = list(sheet.letters) if sheet else list("abcdef")
        for entry in self._last_course():
            if isinstance(entry, inputs.Threw):
                yield throw_line(letters, entry.faces, entry.order)
            else:
                yield action_line(entry.seat, entry.action)

    def _last_course(self) -> list[inputs.Threw | inputs.Played]:
        """The throws and actions that were not undone."""
        kept: list[inputs.Threw | inputs.Played] = []
        for entry in self.log:
            if isinstance(entry, inputs.Threw | inputs.Played):
                kept.append(entry)
            elif isinstance(entry, inputs.UndidThrow):
                kept.pop()
            elif isinstance(entry, inputs.Undid):
                seats = [e.seat if isinstance(e, inputs.Played) else None for e in kept]
                del kept[len(seats) - 1 - seats[::-1].index(entry.seat)]
        return kept
