"""What a table's log holds: inputs only. The state of a table is a replay of them."""

from __future__ import annotations

import msgspec
from msgspec import Struct


class Input(Struct, tag_field="t", omit_defaults=True):
    """One entry of the log."""


class Sat(Input, tag="sat"):
    """A player took a seat and added entropy (in hexadecimal)."""

    seat: int
    player: str
    entropy: str


class Left(Input, tag="left"):
    """The seat is open again."""

    seat: int


class Reseated(Input, tag="reseated"):
    """The host put a bot on a seat, or opened it."""

    seat: int
    bot: str | None


class Started(Input, tag="started"):
    """The game began, with this seat."""

    first: int


class Threw(Input, tag="threw"):
    """The wanted dice were thrown: faces in sheet order (0: not thrown), and the order."""

    faces: tuple[int, ...]
    order: tuple[int, ...]


class Played(Input, tag="played"):
    """A seat acted, by itself or through a bot."""

    seat: int
    action: str
    bot: str | None = None


class Undid(Input, tag="undid"):
    """A seat took back its last action."""

    seat: int


class TookOver(Input, tag="took_over"):
    """A bot plays for a seat until its owner returns; one that was given up, until he asks."""

    seat: int
    bot: str
    given_up: bool = False


class Resumed(Input, tag="resumed"):
    """The owner of a seat plays again."""

    seat: int


class Paused(Input, tag="paused"):
    """Whether bots pause like people."""

    on: bool


class Rematched(Input, tag="rematched"):
    """The same people play again at another table."""

    table: str


AnyInput = (
    Sat | Left | Reseated | Started | Threw | Played | Undid | TookOver | Resumed | Paused
    | Rematched
)  # fmt: skip

encode = msgspec.json.Encoder().encode
decode = msgspec.json.Decoder(AnyInput).decode


class SeatSetup(Struct, omit_defaults=True, frozen=True):
    """A seat as it was when the table was made; `player` keeps it for somebody."""

    bot: str | None = None
    player: str | None = None


class TableSetup(Struct, omit_defaults=True, frozen=True):
    """What a table was made with."""

    game: str
    seats: list[SeatSetup]
    solo_fallback: bool = False
    fox_floor: bool = False
    clock: int = 0
    pause: bool = True
    seed: int | None = None
    again: list[str] | None = None
    """The entropies of an earlier game whose dice are played again."""
    tutorial: bool = False

    @property
    def practice(self) -> bool:
        """Whether the dice may have been known before: no game for statistics."""
        return self.seed is not None or self.again is not None or self.tutorial


encode_setup = msgspec.json.Encoder().encode
decode_setup = msgspec.json.Decoder(TableSetup).decode
