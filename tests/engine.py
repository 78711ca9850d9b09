"""The engine with the same interface as the oracle."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from tables import Address, Faces
from tables import Throw as ThrownDice

from foxtray import Game, SeededDice, Throw


class Engine:
    """A `Game` that `play` and `roll` replace by its successor."""

    def __init__(
        self,
        game: str,
        seats: int,
        first: int = 0,
        solo_fallback: bool = False,
        fox_floor: bool = False,
    ) -> None:
        self.seats = seats
        self.game = Game.new(
            game, seats=seats, first=first, solo_fallback=solo_fallback, fox_floor=fox_floor
        )

    def copy(self) -> "Engine":
        twin = Engine.__new__(Engine)
        twin.seats = self.seats
        twin.game = self.game
        return twin

    @property
    def over(self) -> bool:
        return self.game.over

    @property
    def turn(self) -> int:
        return self.game.turn

    @property
    def round(self) -> int:
        return self.game.round

    @property
    def active(self) -> int:
        return self.game.active

    def awaiting(self) -> list[int]:
        return list(self.game.awaiting())

    def rolling(self) -> list[int]:
        return list(self.game.rolling())

    def address(self) -> Address | None:
        return self.game.address()

    def faces(self) -> list[int]:
        return list(self.game.faces)

    def places(self) -> list[str]:
        return list(self.game.places)

    def open_bonuses(self, seat: int) -> dict[str, int]:
        return self.game.open_bonuses(seat)

    def legal(self, seat: int) -> list[str]:
        return [str(action) for action in self.game.legal(seat)]

    def play(self, seat: int, text: str) -> None:
        self.game = self.game.play(seat, text).game

    def roll(self, faces: Faces, order: Sequence[int]) -> None:
        self.game = self.game.roll(Throw(tuple(faces), tuple(order))).game

    def marks(self, seat: int) -> dict[str, int]:
        return self.game.marks(seat)

    def tracks(self, seat: int) -> dict[str, tuple[int, int]]:
        return self.game.tracks(seat)

    def scores(self) -> list[dict[str, Any]]:
        return [asdict(card) | {"areas": list(card.areas)} for card in self.game.scores()]

    def outcome(self) -> tuple[list[int], list[int]] | None:
        outcome = self.game.outcome()
        return None if outcome is None else (list(outcome.totals), list(outcome.winners))


class PackageDice:
    """The package's seeded dice with the interface that these tests use."""

    def __init__(self, seed: int) -> None:
        self.dice = SeededDice(seed)

    def at(self, address: Address) -> ThrownDice:
        throw = self.dice.throw(*address)
        return throw.faces, throw.order
