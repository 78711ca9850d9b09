"""A game at one moment as data: built once, for everybody who wants to see the same of it."""

from __future__ import annotations

from typing import Any

from msgspec import Raw

from foxtray.game import Game
from foxtray.server.protocol.codec import encode
from foxtray.views import (
    GameView,
    PlaceView,
    changed,
    game_view,
    legal_view,
    seat_patch,
    table_view,
)

Seats = tuple[int, ...]
"""The seats whose legal actions somebody wants to see."""


class Picture:
    """A game after an input: whole, or as what changed since the picture before it."""

    def __init__(self, seq: int, game: Game, earlier: Picture | None = None) -> None:
        self.seq = seq
        """The number of the input."""
        self.game = game
        self._table = table_view(game)
        self._view: GameView | None = None
        """Most clients are only told what changed, so it is built when it is needed."""
        self._legal: dict[int, list[PlaceView]] = {}
        self._whole: dict[Seats, Raw] = {}
        self._patch: dict[str, Any] = {}
        self._earlier: tuple[Game, GameView] | None = None
        if earlier:
            self._compare(earlier)

    def _compare(self, earlier: Picture) -> None:
        """Find what changed, and keep the legal actions of seats with the same choice."""
        if earlier._view:
            self._earlier = earlier.game, earlier._view
        self._patch = changed(earlier._table, self._table)
        seats = {}
        for seat in range(self.game.seats):
            part = seat_patch(earlier.game, self.game, seat)
            if part:
                seats[str(seat)] = part
            if part is None and seat in earlier._legal:
                self._legal[seat] = earlier._legal[seat]
        if seats:
            self._patch["seats"] = seats

    def whole(self, seats: Seats) -> Raw:
        """The game with the legal actions of some seats."""
        if seats not in self._whole:
            if self._view is None:
                self._view = game_view(self.game, self._earlier, legal=False)
            shown = self._view["seats"][:]
            for seat in seats:
                if legal := self._legal_of(seat):
                    shown[seat] = {**shown[seat], "legal": legal}
            self._whole[seats] = Raw(encode({**self._view, "seats": shown}))
        return self._whole[seats]

    def patch(self, earlier: Picture, seats: Seats) -> dict[str, Any]:
        """What changed since the picture before this one (docs/protocol.md, "Patches")."""
        patch = self._patch
        for seat in self.chosen_anew(earlier, seats):
            known = patch.get("seats", {})
            own = {**known.get(str(seat), {}), "legal": self._legal_of(seat)}
            patch = {**patch, "seats": {**known, str(seat): own}}
        return patch

    def chosen_anew(self, earlier: Picture, seats: Seats) -> Seats:
        """The seats that have other legal actions than in the picture before this one."""
        return tuple([s for s in seats if self._legal_of(s) != earlier._legal_of(s)])

    def _legal_of(self, seat: int) -> list[PlaceView]:
        if seat not in self._table["awaiting"]:
            return []
        if seat not in self._legal:
            self._legal[seat] = legal_view(self.game, seat)
        return self._legal[seat]
