"""A server that cheats when the game begins, and hides it: its records agree with themselves.

Its first argument says how. `secret`: it chooses its secret when it knows everybody's entropy.
`seat`: it lets the last seat choose its entropy then, as for an accomplice who reads its data.
Both choose the highest first roll that they can get.
"""

import hashlib
import sys
from collections.abc import Iterator

import msgspec

from foxtray.cli import main
from foxtray.dice import SecretDice, entropy_commitment
from foxtray.server.protocol import inputs
from foxtray.server.protocol.inputs import AnyInput
from foxtray.server.tables.state import Happened, TableState

TRIES = 500


def choices(state: TableState) -> Iterator[bytes]:
    """Always the same ones for a table, because it is read back from its log."""
    for number in range(TRIES):
        yield hashlib.sha256(f"{state.row.id} {number}".encode()).digest()


def first_roll(secret: bytes, entropies: tuple[bytes, ...]) -> int:
    return sum(SecretDice(secret, entropies).throw(0, 1, 0).faces)


def choose_secret(state: TableState) -> None:
    best = max(choices(state), key=lambda secret: first_roll(secret, state.entropies()))
    state.row = msgspec.structs.replace(state.row, secret=best)
    for number, seat in enumerate(state.seats):
        if seat.commitment:
            set_entropy(state, number, seat.entropy or "")


def choose_entropy(state: TableState) -> None:
    others = state.entropies()[:-1]
    secret = state.row.secret
    tried = (choice[:16] for choice in choices(state))
    best = max(tried, key=lambda entropy: first_roll(secret, (*others, entropy)))
    set_entropy(state, len(state.seats) - 1, best.hex())


def set_entropy(state: TableState, number: int, entropy: str) -> None:
    """Give a seat entropy, and the commitment that it should have sent for it."""
    promise = state.commitment()
    assert promise
    told = entropy_commitment(promise, number, bytes.fromhex(entropy))
    state.seats[number] = msgspec.structs.replace(
        state.seats[number], entropy=entropy, commitment=told
    )


if __name__ == "__main__":
    cheat = {"secret": choose_secret, "seat": choose_entropy}[sys.argv[1]]
    start, apply = TableState.start, TableState.apply

    def start_by_choice(self: TableState) -> inputs.Started:
        cheat(self)
        return start(self)

    def apply_by_choice(self: TableState, entry: AnyInput) -> Happened:
        if isinstance(entry, inputs.Started):
            cheat(self)
        return apply(self, entry)

    TableState.start = start_by_choice  # type: ignore[method-assign]
    TableState.apply = apply_by_choice  # type: ignore[method-assign]
    sys.exit(main(sys.argv[2:]))
