"""Whole numbers as people and files write them."""

from __future__ import annotations


def number(text: str, low: int, high: int) -> int | None:
    """A whole number from low to high; None where the text is no such number.

    Its length is looked at first: Python refuses to read thousands of digits.
    """
    if not (text.isascii() and text.isdigit()) or len(text) > len(str(high)):
        return None
    found = int(text)
    return found if low <= found <= high else None
