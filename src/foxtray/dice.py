"""Sources of throws. Each throw has an address: asking for it twice gives the same throw."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Protocol

from foxtray.core import chance
from foxtray.core.codes import DICE
from foxtray.errors import BadSetup, MalformedThrow

LAST_SEED = (1 << 64) - 1
LONGEST_ENTROPY = (1 << 16) - 1
"""In bytes: its length is stored in two."""


@dataclass(frozen=True, slots=True)
class Throw:
    """A face for each die (0 if it was not thrown) and an order that breaks ties."""

    faces: tuple[int, ...]
    order: tuple[int, ...] = (0, 1, 2, 3, 4, 5)

    def __post_init__(self) -> None:
        if len(self.faces) != DICE or min(self.faces) < 0 or max(self.faces) > 6:
            raise MalformedThrow("a throw must have six faces from 1 to 6 (0 if not thrown)")
        if sorted(self.order) != list(range(DICE)):
            raise MalformedThrow("the order of a throw must name each of the six dice once")


class Dice(Protocol):
    """A source of throws."""

    def throw(self, turn: int, roll: int, reroll: int) -> Throw:
        """The throw at an address."""

    def first(self, seats: int) -> int:
        """The seat that starts."""


@dataclass(frozen=True, slots=True)
class SeededDice:
    """Fast dice: the same seed gives the same throws, here and in the simulator."""

    seed: int

    def __post_init__(self) -> None:
        if not 0 <= self.seed <= LAST_SEED:
            raise BadSetup("the seed must be a whole number from 0 to 2^64 - 1")

    @property
    def lanes(self) -> tuple[int, int]:
        """The seed as two 32-bit numbers."""
        return self.seed & chance.MASK, self.seed >> 32

    def throw(self, turn: int, roll: int, reroll: int) -> Throw:
        faces, order = [0] * DICE, [0] * DICE
        where = chance.address(turn, roll, reroll)
        chance.throw_faces(*self.lanes, where, faces)
        chance.throw_order(*self.lanes, where, order)
        return Throw(tuple(faces), tuple(order))

    def first(self, seats: int) -> int:
        return chance.draw(*self.lanes, chance.FIRST, 0, seats)


@dataclass(slots=True)
class ScriptedDice:
    """Throws from a list, one after the other; an address keeps its throw."""

    script: Iterable[Throw]
    begins: int = 0
    _left: Iterator[Throw] = field(init=False, repr=False)
    _seen: dict[tuple[int, int, int], Throw] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self._left = iter(self.script)
        self._seen = {}

    def throw(self, turn: int, roll: int, reroll: int) -> Throw:
        where = (turn, roll, reroll)
        if where not in self._seen:
            thrown = next(self._left, None)
            if thrown is None:
                raise MalformedThrow(f"the script has no throw for {where}")
            self._seen[where] = thrown
        return self._seen[where]

    def first(self, seats: int) -> int:
        return self.begins % seats


@dataclass(frozen=True, slots=True)
class SecretDice:
    """Dice that nobody can choose: a committed secret mixed with the players' entropy.

    The SHA-256 of the secret is published before the first throw, and the players commit to their
    entropies before anyone reveals theirs. The secret is revealed at the end, so that anyone can
    check every face. Throws are drawn with HMAC-SHA256: earlier faces tell nothing about later
    ones. Only someone who knows the secret can predict them (docs/fair-dice.md).
    """

    secret: bytes = field(repr=False)
    entropies: tuple[bytes, ...] = ()
    seed: bytes = field(init=False, repr=False)

    def __post_init__(self) -> None:
        if len(self.secret) < 16:
            raise BadSetup("the secret must be at least 16 bytes long")
        if any(len(entropy) > LONGEST_ENTROPY for entropy in self.entropies):
            raise BadSetup(f"the entropy of a seat must be at most {LONGEST_ENTROPY:,} bytes")
        message = b"".join(len(e).to_bytes(2, "big") + e for e in self.entropies)
        object.__setattr__(self, "seed", hmac.digest(self.secret, message, "sha256"))

    @property
    def commitment(self) -> str:
        """The SHA-256 of the secret, published before the first throw."""
        return hashlib.sha256(self.secret).hexdigest()

    def throw(self, turn: int, roll: int, reroll: int) -> Throw:
        draws = self._draws(f"throw {turn} {roll} {reroll}")
        faces = tuple(1 + below(6, draws) for _ in range(DICE))
        order = list(range(DICE))
        for d in range(DICE - 1, 0, -1):
            k = below(d + 1, draws)
            order[d], order[k] = order[k], order[d]
        return Throw(faces, tuple(order))

    def first(self, seats: int) -> int:
        return below(seats, self._draws("first"))

    def _draws(self, address: str) -> Iterator[int]:
        """An endless stream of bytes for an address."""
        block = 0
        while True:
            yield from hmac.digest(self.seed, f"{address} {block}".encode(), "sha256")
            block += 1


def entropy_commitment(commitment: str, seat: int, entropy: bytes) -> str:
    """The hash that a seat publishes before it reveals its entropy.

    It includes the commitment of the dice, and so the table, and the seat: another seat cannot
    reuse it.
    """
    text = f"foxtray entropy {commitment} {seat + 1} {entropy.hex()}"
    return hashlib.sha256(text.encode()).hexdigest()


def below(outcomes: int, draws: Iterator[int]) -> int:
    """A number below `outcomes`, each equally likely: bytes that are too high are skipped."""
    share = 256 // outcomes
    byte = next(draws)
    while byte >= share * outcomes:
        byte = next(draws)
    return byte // share
