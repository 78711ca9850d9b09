"""A game at one moment as data: built once, for everybody who wants to see the same of it."""

from __future__ import annotations

from typing import Any

from msgspec import Raw

from foxtray.game import Game
from foxtray.server.protocol.codec import encode
from foxtray.server.protocol.patches import NoPatch, difference
from foxtray.views import GameView, PlaceView, game_view, legal_view

Seats = tuple[int, ...]
"""The seats whose legal actions somebody wants to see."""


class Picture:
    """A game after an input: whole, or as what changed since an earlier picture."""

    def __init__(self, seq: int, game: Game, earlier: Picture | None = None) -> None:
        self.seq = seq
        """The number of the input."""
        self.game = game
        known = (earlier.game, earlier.view) if earlier else None
        self.view: GameView = game_view(game, known, legal=False)
        self._legal: dict[int, list[PlaceView]] = {}
        self._whole: dict[Seats, Raw] = {}
        self._patch: dict[str, Any] | None = None
        if earlier:
            self._take_over(earlier)

    def _take_over(self, earlier: Picture) -> None:
        """Keep the legal actions of the seats that still have the same choice."""
        pairs = zip(self.view["seats"], earlier.view["seats"], strict=True)
        same = [seat for seat, (now, then) in enumerate(pairs) if now is then]
        self._legal = {seat: earlier._legal[seat] for seat in same if seat in earlier._legal}

    def whole(self, seats: Seats) -> Raw:
        """The game with the legal actions of some seats."""
        if seats not in self._whole:
            shown = self.view["seats"][:]
            for seat in seats:
                if legal := self._legal_of(seat):
                    shown[seat] = {**shown[seat], "legal": legal}
            self._whole[seats] = Raw(encode({**self.view, "seats": shown}))
        return self._whole[seats]

    def has_patch(self, earlier: Picture) -> bool:
        """Whether a patch can tell what changed since the picture before this one."""
        try:
            if self._patch is None:
                self._patch = difference(earlier.view, self.view)
        except NoPatch:
            return False
        return True

    def patch(self, earlier: Picture, seats: Seats) -> dict[str, Any]:
        """What changed since the picture before this one."""
        if not self.has_patch(earlier):
            raise NoPatch
        patch = self._patch or {}
        for seat in self.chosen_anew(earlier, seats):
            changed = patch.get("seats", {})
            own = {**changed.get(str(seat), {}), "legal": self._legal_of(seat)}
            patch = {**patch, "seats": {**changed, str(seat): own}}
        return patch

    def chosen_anew(self, earlier: Picture, seats: Seats) -> Seats:
        """The seats that have other legal actions than in the picture before this one."""
        return tuple(s for s in seats if self._legal_of(s) != earlier._legal_of(s))

    def _legal_of(self, seat: int) -> list[PlaceView]:
        if seat not in self.view["awaiting"]:
            return []
        if seat not in self._legal:
            self._legal[seat] = legal_view(self.game, seat)
        return self._legal[seat]
