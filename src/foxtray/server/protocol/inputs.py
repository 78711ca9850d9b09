"""The inputs that a table's log consists of. The state of a table is a replay of them."""

from __future__ import annotations

import msgspec
from msgspec import Struct

from foxtray.bots import SUBSTITUTE


class Input(Struct, tag_field="t", omit_defaults=True):
    """One entry of the log."""


class Sat(Input, tag="sat"):
    """A player took a seat, and committed to entropy or gave it (both in hexadecimal).

    Dice that are rolled by hand need neither.
    """

    seat: int
    player: str
    entropy: str | None = None
    commitment: str | None = None


class Left(Input, tag="left"):
    """The seat is open again."""

    seat: int


class Reseated(Input, tag="reseated"):
    """The host put a bot on a seat, or a guest, or opened it."""

    seat: int
    bot: str | None
    guest: str | None = None
    """The name of somebody who plays on the device of `player`."""
    player: str | None = None


class Starting(Input, tag="starting"):
    """The host started the game: the seats are fixed, and reveal their entropy."""


class Revealed(Input, tag="revealed"):
    """A seat revealed the entropy that it had committed to."""

    seat: int
    entropy: str


class Started(Input, tag="started"):
    """The game started; this seat plays first. Seats that did not reveal in time are left out."""

    first: int
    left_out: tuple[int, ...] = ()


class Threw(Input, tag="threw"):
    """Dice were rolled: faces in sheet order (0: not rolled), and the order."""

    faces: tuple[int, ...]
    order: tuple[int, ...]
    by: int | None = None
    """The seat that entered the faces of real dice."""


class Played(Input, tag="played"):
    """A seat acted, by itself or through a bot."""

    seat: int
    action: str
    bot: str | None = None


class Undid(Input, tag="undid"):
    """A seat undid its last action."""

    seat: int


class UndidThrow(Input, tag="undid_throw"):
    """A seat took back the faces of real dice, on which nobody had acted."""

    seat: int


class TookOver(Input, tag="took_over"):
    """A bot plays for a seat until its owner returns or, if the owner gave it up, asks for it."""

    seat: int
    bot: str
    given_up: bool = False


class Resumed(Input, tag="resumed"):
    """The owner of a seat plays again."""

    seat: int


class Paused(Input, tag="paused"):
    """Whether bots pause before they act, as people do."""

    on: bool


class Rematched(Input, tag="rematched"):
    """The same people play again at another table, which those who watch may watch, too."""

    table: str
    watch: str | None = None


class Hinted(Input, tag="hinted"):
    """A seat asked for a hint."""

    seat: int


AnyInput = (
    Sat | Left | Reseated | Starting | Revealed | Started | Threw | Played | Undid | UndidThrow
    | TookOver | Resumed | Paused | Rematched | Hinted
)  # fmt: skip

IN_GAME = (Threw, Played, Undid, UndidThrow)
"""Inputs that change the game and nothing else about the table."""

encode = msgspec.json.Encoder().encode
decode = msgspec.json.Decoder(AnyInput).decode


class SeatSetup(Struct, omit_defaults=True, frozen=True):
    """A seat as it was when the table was created; `player` is who it is reserved for."""

    bot: str | None = None
    player: str | None = None
    guest: str | None = None
    """The name of somebody who plays on the device of `player`."""


class Daily(Struct, frozen=True):
    """The day whose dice a game has, and when that day closes."""

    day: str
    closes: int


class TableSetup(Struct, omit_defaults=True, frozen=True):
    """The settings that a table was created with."""

    game: str
    seats: list[SeatSetup]
    solo_fallback: bool = False
    fox_floor: bool = False
    clock: int = 0
    pause: bool = True
    stand_in: str = SUBSTITUTE
    """The level that plays for an absent player."""
    seed: int | None = None
    again: list[str] | None = None
    """The entropies of an earlier game whose dice are used again."""
    tutorial: bool = False
    real_dice: bool = False
    """People roll the dice by hand and enter the faces."""
    daily: Daily | None = None
    rematch_of: str | None = None
    hints: bool = False
    """Whether players may ask for hints; in a solo game they always may."""
    copied: int = 0
    """How many inputs of the log were copied from an earlier game."""
    offline: bool = False
    """Played on a device without the server, and handed over afterwards."""

    @property
    def practice(self) -> bool:
        """Whether players may have known the dice; such a game does not count in statistics."""
        known = self.seed is not None or self.again is not None
        return known or self.tutorial or self.copied > 0

    @property
    def may_hint(self) -> bool:
        """Whether hints are allowed: alone, or where everybody saw it before they sat down.

        Never with the dice of a day, which are a contest.
        """
        agreed = len(self.seats) == 1 or self.hints
        return agreed and not self.tutorial and self.daily is None


encode_setup = msgspec.json.Encoder().encode
decode_setup = msgspec.json.Decoder(TableSetup).decode
