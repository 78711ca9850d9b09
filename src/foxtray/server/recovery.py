"""Recovery codes: five groups of four letters and digits that nobody mistakes for others."""

from __future__ import annotations

import secrets

ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
"""Crockford's base 32: without I, L, O and U."""
GROUPS, LETTERS = 5, 4
READ_AS = str.maketrans("ILO", "110")


def new_code() -> str:
    """A code of 100 random bits, in groups as people copy it."""
    return "-".join(
        "".join(secrets.choice(ALPHABET) for _ in range(LETTERS)) for _ in range(GROUPS)
    )


def plain(text: str) -> str:
    """A code as it was meant: small letters, spaces and look-alikes are forgiven."""
    return "".join(c for c in text.upper().translate(READ_AS) if c in ALPHABET)
