"""Tables that are looked at without being owned, for lists and for new tables made of old ones."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass

from foxtray.server.tables.log import TableLog
from foxtray.server.tables.state import TableState

MOST = 500
"""Logs that are kept in memory."""


@dataclass(frozen=True, slots=True)
class Reading:
    """A table as its log says it is, and what its players are called."""

    log: TableLog
    names: dict[str, str]

    @property
    def id(self) -> str:
        return self.log.table.id

    @property
    def state(self) -> TableState:
        return self.log.state


class Readings:
    """The logs that were read last; they are brought up to date before they are used again."""

    def __init__(self) -> None:
        self._known: OrderedDict[str, Reading] = OrderedDict()

    def find(self, table: str) -> Reading | None:
        return self._known.get(table)

    def keep(self, reading: Reading) -> Reading:
        self._known[reading.id] = reading
        self._known.move_to_end(reading.id)
        if len(self._known) > MOST:
            self._known.popitem(last=False)
        return reading

    def forget(self, table: str) -> None:
        self._known.pop(table, None)

    def clear(self) -> None:
        self._known.clear()
