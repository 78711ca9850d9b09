"""Dice are fair, addressed and verifiable by anyone."""

import hashlib
import hmac
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import count, pairwise, permutations, product

import pytest

from foxtray import ScriptedDice, SecretDice, SeededDice, Throw
from foxtray.core import chance
from foxtray.dice import Dice, below, entropy_commitment
from foxtray.errors import BadSetup, MalformedThrow

SECRET = bytes(range(32))
SOURCES: list[Dice] = [SeededDice(2026), SecretDice(SECRET, (b"ana", b"ben"))]
both = pytest.mark.parametrize("dice", SOURCES, ids=lambda dice: type(dice).__name__)

# Quantiles of chi-square at 99.99 %: an honest die fails one of 10,000 fixed seeds.
LIMITS = {1: 15.2, 3: 21.2, 5: 25.8, 35: 76.4, 719: 868.0}


def addresses(throws: int) -> Iterator[tuple[int, int, int]]:
    """Addresses as games use them, turn by turn; later ones go on beyond any game."""
    every = ((turn, *rest) for turn in count() for rest in product((0, 1, 2, 3), (0, 1, 2)))
    return (address for _, address in zip(range(throws), every, strict=False))


def chi_square(found: Iterable[object], outcomes: int) -> float:
    counts = Counter(found)
    expected = counts.total() / outcomes
    missing = outcomes - len(counts)
    assert missing >= 0
    return sum((n - expected) ** 2 / expected for n in counts.values()) + missing * expected


# --- fairness -----------------------------------------------------------------------------------


@both
def test_every_die_shows_every_face_equally_often(dice: Dice) -> None:
    throws = [dice.throw(*address) for address in addresses(3_000)]
    for die in range(6):
        assert chi_square((throw.faces[die] for throw in throws), 6) < LIMITS[5]


@both
def test_two_dice_show_every_pair_equally_often(dice: Dice) -> None:
    throws = [dice.throw(*address) for address in addresses(3_000)]
    for one, other in [(0, 1), (0, 3), (4, 5)]:
        pairs = ((throw.faces[one], throw.faces[other]) for throw in throws)
        assert chi_square(pairs, 36) < LIMITS[35]


@both
def test_a_throw_does_not_foretell_the_next(dice: Dice) -> None:
    throws = [dice.throw(*address) for address in addresses(3_000)]
    following = ((a.faces[0], b.faces[0]) for a, b in pairwise(throws))
    assert chi_square(following, 36) < LIMITS[35]


@both
def test_every_order_is_equally_likely(dice: Dice) -> None:
    orders = [dice.throw(*address).order for address in addresses(9_000)]
    assert set(orders) <= set(permutations(range(6)))
    assert chi_square(orders, 720) < LIMITS[719]


def test_every_seat_begins_equally_often() -> None:
    for seats, limit in [(2, LIMITS[1]), (4, LIMITS[3])]:
        seeded = [SeededDice(seed).first(seats) for seed in range(2_000)]
        secret = [SecretDice(SECRET, (bytes([i % 256, i >> 8]),)).first(seats) for i in range(2000)]
        assert chi_square(seeded, seats) < limit
        assert chi_square(secret, seats) < limit
    assert {SeededDice(seed).first(1) for seed in range(20)} == {0}


# --- addresses ----------------------------------------------------------------------------------


@both
def test_asking_twice_gives_the_same_throw(dice: Dice) -> None:
    forwards = {address: dice.throw(*address) for address in addresses(100)}
    backwards = {address: dice.throw(*address) for address in reversed(forwards)}
    assert forwards == backwards
    assert dice.first(4) == dice.first(4)


@both
def test_every_address_has_a_throw_of_its_own(dice: Dice) -> None:
    throws = {dice.throw(*address) for address in addresses(500)}
    assert len(throws) == 500  # of 6^6 * 6! possible ones


def test_every_seed_has_dice_of_its_own() -> None:
    seeds = [0, 1, 2, 1 << 31, 1 << 32, (1 << 32) + 1, (1 << 64) - 1]
    assert len({SeededDice(seed).throw(0, 1, 0) for seed in seeds}) == len(seeds)


def test_the_throws_of_a_seed_never_change() -> None:
    """Records keep seeds: these numbers were written down with format 1 and must stay."""
    assert SeededDice(7).throw(0, 1, 0) == Throw((4, 1, 6, 5, 1, 5), (4, 1, 3, 5, 0, 2))
    assert SeededDice(7).throw(0, 2, 0) == Throw((5, 6, 6, 4, 4, 2), (4, 3, 2, 1, 5, 0))


@pytest.mark.parametrize("seed", [-1, 1 << 64])
def test_a_seed_has_64_bits(seed: int) -> None:
    with pytest.raises(BadSetup, match="from 0 to"):
        SeededDice(seed)


# --- rejection ----------------------------------------------------------------------------------


def test_a_word_that_is_too_high_is_drawn_again() -> None:
    outcomes = 3 << 30  # of 2^32 words, so that a quarter of them is too high
    redrawn = 0
    for where in range(200):
        key = chance.scramble(chance.scramble(chance.scramble(chance.FACES, 1), 2), where)
        words = [chance.finish(chance.scramble(key, again)) for again in range(50)]
        expected = next(word for word in words if word < outcomes)
        redrawn += expected != words[0]
        assert chance.draw(1, 2, chance.FACES, where, outcomes) == expected
    assert 25 < redrawn < 75


def test_a_byte_that_is_too_high_is_drawn_again() -> None:
    assert below(6, iter([252, 255, 251])) == 5
    assert below(6, iter([0])) == 0
    assert below(5, iter([255, 50])) == 0
    assert below(4, iter([255])) == 3


# --- secret dice --------------------------------------------------------------------------------


def by_hand(secret: bytes, entropies: list[bytes], address: str) -> tuple[list[int], list[int]]:
    """The throw that docs/notation.md promises, computed from HMAC's definition (RFC 2104)."""

    def mac(key: bytes, message: bytes) -> bytes:
        key = key.ljust(64, b"\0")
        inner = hashlib.sha256(bytes(k ^ 0x36 for k in key) + message).digest()
        return hashlib.sha256(bytes(k ^ 0x5C for k in key) + inner).digest()

    message = b""
    for entropy in entropies:
        message += bytes([len(entropy) // 256, len(entropy) % 256]) + entropy
    seed = mac(secret, message)
    stream = [byte for n in range(9) for byte in mac(seed, f"throw {address} {n}".encode())]
    faces: list[int] = []
    while len(faces) < 6:
        byte = stream.pop(0)
        if byte < 252:
            faces.append(byte // 42 + 1)
    order = [0, 1, 2, 3, 4, 5]
    for last in (5, 4, 3, 2, 1):
        size = 256 // (last + 1)
        byte = stream.pop(0)
        while byte >= size * (last + 1):
            byte = stream.pop(0)
        swap = byte // size
        order[last], order[swap] = order[swap], order[last]
    return faces, order


@pytest.mark.parametrize("entropies", [[], [b"ana"], [b"", b"\xff" * 300, b"c", b"d"]])
def test_secret_dice_can_be_computed_by_anybody(entropies: list[bytes]) -> None:
    dice = SecretDice(SECRET, tuple(entropies))
    for turn, roll, reroll in addresses(300):
        faces, order = by_hand(SECRET, entropies, f"{turn} {roll} {reroll}")
        assert dice.throw(turn, roll, reroll) == Throw(tuple(faces), tuple(order))


def test_the_commitment_is_the_sha_256_of_the_secret() -> None:
    assert SecretDice(SECRET).commitment == hashlib.sha256(SECRET).hexdigest()


def test_every_players_entropy_changes_the_dice() -> None:
    entropies = [(), (b"",), (b"ab", b"c"), (b"a", b"bc"), (b"c", b"ab"), (b"ab", b"c", b"")]
    throws = {SecretDice(SECRET, e).throw(0, 1, 0) for e in entropies}
    assert len(throws) == len(entropies)


def test_a_seat_commits_to_its_entropy_for_this_table_and_this_seat() -> None:
    entropy = bytes.fromhex("00112233445566778899aabbccddeeff")
    # printf 'foxtray entropy abab...ab 2 00112233445566778899aabbccddeeff' | sha256sum
    told = entropy_commitment("ab" * 32, 1, entropy)
    assert told == "fbaaebebd07980d44a023c2451c4e5b2bced8e59776c7212f98300582683cab2"
    others = {
        entropy_commitment("cd" * 32, 1, entropy),
        entropy_commitment("ab" * 32, 0, entropy),
        entropy_commitment("ab" * 32, 1, bytes(16)),
    }
    assert len(others | {told}) == 4


def test_the_seed_is_not_the_secret() -> None:
    assert SecretDice(SECRET).seed == hmac.digest(SECRET, b"", "sha256")


def test_the_length_of_entropy_fits_in_two_bytes() -> None:
    SecretDice(SECRET, (b"", bytes(65_535)))
    with pytest.raises(BadSetup, match="at most 65,535 bytes"):
        SecretDice(SECRET, (b"", bytes(65_536)))


def test_a_secret_must_be_long_and_is_never_shown() -> None:
    with pytest.raises(BadSetup, match="at least 16 bytes"):
        SecretDice(b"x" * 15)
    dice = SecretDice(b"not to be printed")
    assert "printed" not in repr(dice)
    assert dice.seed.hex() not in repr(dice)


# --- scripted dice and throws -------------------------------------------------------------------


def test_a_script_is_read_once_and_each_address_keeps_its_throw() -> None:
    one, other = Throw((1,) * 6), Throw((2,) * 6)
    dice = ScriptedDice(iter([one, other]), begins=5)
    assert dice.throw(0, 1, 0) == one
    assert dice.throw(0, 1, 1) == other
    assert dice.throw(0, 1, 0) == one
    with pytest.raises(MalformedThrow, match=r"no throw for \(0, 2, 0\)"):
        dice.throw(0, 2, 0)
    assert [dice.first(seats) for seats in (1, 2, 3, 4)] == [0, 1, 2, 1]


@pytest.mark.parametrize("faces", [(1,) * 5, (1,) * 7, (7, 1, 1, 1, 1, 1), (-1, 1, 1, 1, 1, 1)])
def test_faces_that_six_dice_cannot_show(faces: tuple[int, ...]) -> None:
    with pytest.raises(MalformedThrow, match="six faces"):
        Throw(faces)


@pytest.mark.parametrize("order", [(0, 1, 2, 3, 4), (0, 0, 1, 2, 3, 4), (1, 2, 3, 4, 5, 6)])
def test_an_order_names_every_die_once(order: tuple[int, ...]) -> None:
    with pytest.raises(MalformedThrow, match="order"):
        Throw((1,) * 6, order)
