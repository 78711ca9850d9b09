"""The interface of a game in progress that these tests use, for the oracle and the engine."""

import random
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

Address = tuple[int, int, int]
Faces = Sequence[int]
Throw = tuple[Faces, Sequence[int]]  # six faces, and an order of the six dice
LETTERS = {"clever": "wybgop", "twice": "wsybgp"}


class Table(Protocol):
    """A game that decisions and throws change in place."""

    seats: int

    @property
    def over(self) -> bool: ...
    @property
    def turn(self) -> int: ...
    @property
    def round(self) -> int: ...
    @property
    def active(self) -> int: ...
    def copy(self) -> "Table": ...
    def awaiting(self) -> list[int]: ...
    def rolling(self) -> list[int]: ...
    def address(self) -> Address | None: ...
    def faces(self) -> list[int]: ...
    def places(self) -> list[str]: ...
    def open_bonuses(self, seat: int) -> dict[str, int]: ...
    def legal(self, seat: int) -> list[str]: ...
    def play(self, seat: int, text: str) -> None: ...
    def roll(self, faces: Faces, order: Sequence[int]) -> None: ...
    def marks(self, seat: int) -> dict[str, int]: ...
    def tracks(self, seat: int) -> dict[str, tuple[int, int]]: ...
    def scores(self) -> list[dict[str, Any]]: ...
    def outcome(self) -> tuple[list[int], list[int]] | None: ...


class Dice(Protocol):
    """Throws by their address."""

    def at(self, address: Address) -> Throw: ...


class LoadedDice:
    """Dice that show the given faces only, the same at the same address."""

    def __init__(self, seed: str, faces: str = "123456") -> None:
        self.seed = seed
        self.faces = faces

    def at(self, address: Address) -> Throw:
        chance = random.Random(f"{self.seed} {address}")
        faces = [int(chance.choice(self.faces)) for _ in range(6)]
        return faces, chance.sample(range(6), 6)


class WrittenDice:
    """Dice whose throws are written down: "0.1.0" -> "faces order", six digits each."""

    def __init__(self, throws: Mapping[str, str]) -> None:
        self.throws = throws

    def at(self, address: Address) -> Throw:
        faces, order = self.throws[".".join(map(str, address))].split()
        return [int(digit) for digit in faces], [int(digit) for digit in order]


class NotingDice:
    """Passes throws on from other dice and writes them down."""

    def __init__(self, dice: Dice) -> None:
        self.dice = dice
        self.throws: dict[str, str] = {}

    def at(self, address: Address) -> Throw:
        faces, order = self.dice.at(address)
        text = "".join(map(str, faces)) + " " + "".join(map(str, order))
        self.throws[".".join(map(str, address))] = text
        return faces, order


def throw_wanted(table: Table, dice: Dice) -> None:
    """Throw until a seat has to decide or the game is over."""
    while (address := table.address()) is not None:
        table.roll(*dice.at(address))


def view(table: Table) -> dict[str, Any]:
    """Everything a table shows, to compare two of them."""
    seats = range(table.seats)
    where = None if table.over else (table.turn, table.round, table.active)
    return {
        "over": table.over,
        "turn, round, active": where,
        "awaiting": table.awaiting(),
        "rolling": table.rolling(),
        "address": table.address(),
        "faces": table.faces(),
        "places": table.places(),
        "open bonuses": [table.open_bonuses(seat) for seat in seats],
        "legal": [table.legal(seat) for seat in seats],
        "marks": [table.marks(seat) for seat in seats],
        "tracks": [table.tracks(seat) for seat in seats],
        "scores": table.scores(),
        "outcome": table.outcome(),
    }
