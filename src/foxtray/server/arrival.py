"""HTTP for visitors who say in time what they want."""

from __future__ import annotations

import asyncio

from uvicorn.protocols.http.h11_impl import H11Protocol


class TimelyProtocol(H11Protocol):
    """Cuts a connection on which something was begun, or nothing said, and no request arrived.

    uvicorn's own timer ends connections that rest between two requests; it stops with the first
    byte, so that half a request would keep a connection open for ever.
    """

    patience = 10.0
    """Seconds; single bytes do not buy more."""
    _alarm: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._watch()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        self._rest()
        super().connection_lost(exc)

    def shutdown(self) -> None:
        super().shutdown()
        # A request of which a part is missing was not begun: nobody needs to wait for the rest.
        if not self._answered() and self.cycle.more_body:
            self.transport.abort()

    def _watch(self) -> None:
        """Let the time run for as long as it is the visitor's turn."""
        if not self._owed():
            self._rest()
        elif self._alarm is None:
            self._alarm = self.loop.call_later(self.patience, self.transport.abort)

    def _owed(self) -> bool:
        """Whether the visitor is to speak, and no other timer waits for it."""
        if self.transport.get_protocol() is not self:
            return False  # it has become a WebSocket, which `Live` looks after
        return self._answered() and self.timeout_keep_alive_task is None

    def _answered(self) -> bool:
        # Before the first request there is no cycle, whatever its type says.
        return self.cycle is None or self.cycle.response_complete  # type: ignore[redundant-expr]

    def _rest(self) -> None:
        if self._alarm is not None:
            self._alarm.cancel()
            self._alarm = None


def timely(patience: float) -> type[TimelyProtocol]:
    """The protocol with a patience of its own: uvicorn makes the connections, from a class."""
    return type("Timely", (TimelyProtocol,), {"patience": patience})
