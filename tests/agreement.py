"""Games played by the engine and the oracle side by side."""

from dataclasses import dataclass, field
from random import Random
from typing import Any

from choosers import CHOOSERS, uniform
from engine import Engine, PackageDice
from oracle import Oracle
from scribble import position, scribble
from tables import Dice, LoadedDice, view

from foxtray import Game

# Dice that always show the same few faces lead to places where fair dice seldom go.
LOADED = ("1", "6", "12", "56", "16", "246", "3456", "1234", "111126", "166666")


@dataclass
class Match:
    """One game: its number decides its options, its dice, its choosers and where it starts."""

    game: str
    seats: int
    number: int
    played: list[str] = field(default_factory=list)
    states: int = 0

    def play(self) -> None:
        """Play to the end; raises AssertionError where the two do not show the same."""
        chance = Random(f"{self.game} {self.seats} {self.number}")
        first = chance.randrange(self.seats)
        flags = {name: chance.random() < 0.5 for name in ("solo_fallback", "fox_floor")}
        dice, choosers = self._biased(chance) if self.number % 3 else self._fair()
        oracle = Oracle(self.game, self.seats, first, **flags)
        engine = Engine(self.game, self.seats, first, **flags)
        self.compare(oracle, engine)
        if self.number % 3 == 2:
            scribble(oracle, chance)
            engine.game = Game.from_position(position(oracle))
            self.compare(oracle, engine)
        while not oracle.over:
            address = oracle.address()
            if address is not None:
                faces, order = dice.at(address)
                self.played.append(f"{address}: {faces} {order}")
                oracle.roll(faces, order)
                engine.roll(faces, order)
            else:
                seat = chance.choice(oracle.awaiting())
                text = choosers[seat](oracle, seat, chance)
                self.played.append(f"{seat}:{text}")
                oracle.play(seat, text)
                engine.play(seat, text)
            self.compare(oracle, engine)

    def _fair(self) -> tuple[Dice, list[Any]]:
        return PackageDice(self.number), [uniform] * self.seats

    def _biased(self, chance: Random) -> tuple[Dice, list[Any]]:
        faces = chance.choice(LOADED) if chance.random() < 0.3 else "123456"
        dice = LoadedDice(f"{self.game} {self.seats} {self.number}", faces)
        if chance.random() < 0.4:
            return dice, [chance.choice(CHOOSERS)] * self.seats
        return dice, [chance.choice(CHOOSERS) for _ in range(self.seats)]

    def compare(self, oracle: Oracle, engine: Engine) -> None:
        self.states += 1
        right, shown = view(oracle), view(engine)
        if right != shown:
            different = {k: (shown[k], right[k]) for k in right if shown[k] != right[k]}
            lines = [f"{key}\n  engine {a}\n  oracle {b}" for key, (a, b) in different.items()]
            where = engine.game.position()
            raise AssertionError("\n".join([f"{self.name} at {where}", *self.played[-8:], *lines]))

    @property
    def name(self) -> str:
        return f"Match({self.game!r}, {self.seats}, {self.number})"


def play_matches(game: str, seats: int, numbers: range) -> int:
    """Play these matches; returns the number of states compared."""
    states = 0
    for number in numbers:
        match = Match(game, seats, number)
        match.play()
        states += match.states
    return states
