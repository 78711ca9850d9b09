"""What the server says, as far as a client written from docs/protocol.md reads it."""

from __future__ import annotations

from typing import Any

from msgspec import Raw, Struct
from msgspec.json import Decoder


class Said(Struct, tag_field="type"):
    """A message of the server."""


class Greeting(Said, tag="greeting"):
    protocol: int
    time: int


class You(Struct):
    seat: int | None
    host: bool


class Snapshot(Said, tag="snapshot"):
    seq: int
    you: You
    table: Raw
    game: Raw
    undo: list[int]
    deadlines: dict[str, int]
    absent: list[int | None]
    entries: list[Raw] = []


class Update(Said, tag="update"):
    seq: int
    previous: int
    undo: list[int]
    deadlines: dict[str, int]
    entries: list[Raw]
    # Empty where they have not changed.
    table: Raw = Raw()
    game: Raw = Raw()
    patch: dict[str, Any] | None = None


class Presence(Said, tag="presence"):
    absent: list[int | None]


class Ack(Said, tag="ack"):
    id: str
    seq: int
    table: str | None = None


class Refused(Said, tag="refused"):
    id: str | None
    code: str


class Previews(Said, tag="previews"):
    id: str
    seq: int


class Pong(Said, tag="pong"):
    time: int


class Notice(Said, tag="notice"):
    code: str


AnySaid = (
    Greeting | Snapshot | Update | Presence | Ack | Refused | Previews | Pong | Notice
)  # fmt: skip


class Numbered(Struct):
    """An entry of the log, as far as its number."""

    seq: int


class Action(Struct):
    action: str


class SeatSeen(Struct):
    legal: list[Action]


class GameSeen(Struct):
    """What a player has to know to act."""

    active: int
    awaiting: list[int]
    rolling: list[str]
    game: str
    over: bool
    seats: list[SeatSeen]


class SeatInfo(Struct):
    kind: str
    ready: bool = False
    stand_in: str | None = None


class DiceSeen(Struct):
    kind: str
    commitment: str | None = None
    commitments: list[str] = []
    entropies: list[str] = []


class TableSeen(Struct):
    status: str
    seats: list[SeatInfo]
    host: int | None
    clock: int
    dice: DiceSeen
    starting: bool = False
    rematch: str | None = None


class Problem(Struct):
    """A refused request."""

    code: str


read: Decoder[AnySaid] = Decoder(AnySaid)
read_number = Decoder(Numbered).decode
read_game: Decoder[GameSeen | None] = Decoder(GameSeen | None)
read_table = Decoder(TableSeen).decode
read_problem = Decoder(Problem).decode
