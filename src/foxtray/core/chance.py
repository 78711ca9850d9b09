"""Addressed chance: a draw is a keyed hash of where it is wanted, never the next of a stream.

32-bit arithmetic under a mask, so that interpreted and compiled draws are the same.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    # For the translator, which keeps a plain int in 32 bits with a sign.
    Word = int  # 32 bits without a sign: 0 to MASK
    Wide = int  # 53 bits and a sign

MASK = 0xFFFFFFFF

# What a draw is for; each purpose has addresses of its own.
FACES, ORDER, FIRST, CHOICE, TIE = 1, 2, 3, 4, 5

FACE_OUTCOMES = 6**6
ORDER_OUTCOMES = 720


def scramble(key: Word, word: Word) -> Word:
    """Stir one 32-bit word into a 32-bit key."""
    word = (word * 0xCC9E2D51) & MASK
    word = ((word << 15) | (word >> 17)) & MASK
    word = (word * 0x1B873593) & MASK
    key ^= word
    key = ((key << 13) | (key >> 19)) & MASK
    return (key * 5 + 0xE6546B64) & MASK


def finish(key: Word) -> Word:
    """Let every bit of a key depend on every other."""
    key = ((key ^ (key >> 16)) * 0x85EBCA6B) & MASK
    key = ((key ^ (key >> 13)) * 0xC2B2AE35) & MASK
    return key ^ (key >> 16)


def draw(low: Word, high: Word, purpose: Word, where: Word, outcomes: Word) -> Word:
    """A number below `outcomes`, each equally likely: too high words are drawn again."""
    key = scramble(scramble(scramble(purpose, low), high), where)
    share = (MASK + 1) // outcomes
    end = MASK + 1 - (MASK + 1) % outcomes
    again = 0
    while True:
        word = finish(scramble(key, again))
        if word < end:
            return word // share
        again += 1


def address(turn: int, roll: int, reroll: int) -> int:
    """The place of a throw in the game as one number."""
    return (turn << 8) | (roll << 6) | reroll


def throw_faces(low: Word, high: Word, where: Word, faces: list[int]) -> None:
    """Write the six faces thrown at an address."""
    number = draw(low, high, FACES, where, FACE_OUTCOMES)
    for d in range(6):
        faces[d] = number % 6 + 1
        number //= 6


def throw_order(low: Word, high: Word, where: Word, order: list[int]) -> None:
    """Write the order of the six dice thrown at an address."""
    number = draw(low, high, ORDER, where, ORDER_OUTCOMES)
    for d in range(6):
        order[d] = d
    for d in range(5, 0, -1):
        k = number % (d + 1)
        number //= d + 1
        held = order[d]
        order[d] = order[k]
        order[k] = held
