"""HTTP connections that are closed when their request does not arrive in time."""

from __future__ import annotations

import asyncio

from uvicorn.protocols.http.h11_impl import H11Protocol


class TimelyProtocol(H11Protocol):
    """Closes a connection when no complete request has arrived in time.

    uvicorn's own timer closes connections that are idle between two requests. It stops at the first
    byte, so half a request would keep a connection open for ever.
    """

    patience = 10.0
    """Seconds; sending single bytes does not extend them."""
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
        # An incomplete request has not been started, so there is no need to wait for the rest.
        if not self._answered() and self.cycle.more_body:
            self.transport.abort()

    def _watch(self) -> None:
        """Run the timer while the server waits for the visitor."""
        if not self._owed():
            self._rest()
        elif self._alarm is None:
            self._alarm = self.loop.call_later(self.patience, self.transport.abort)

    def _owed(self) -> bool:
        """Whether the server waits for the visitor and no other timer runs."""
        if self.transport.get_protocol() is not self:
            return False  # it has become a WebSocket, which `Live` handles
        return self._answered() and self.timeout_keep_alive_task is None

    def _answered(self) -> bool:
        # Before the first request there is no cycle, although its type says otherwise.
        return self.cycle is None or self.cycle.response_complete  # type: ignore[redundant-expr]

    def _rest(self) -> None:
        if self._alarm is not None:
            self._alarm.cancel()
            self._alarm = None


def timely(patience: float) -> type[TimelyProtocol]:
    """The protocol with this patience, as a class: uvicorn creates the connections itself."""
    return type("Timely", (TimelyProtocol,), {"patience": patience})
