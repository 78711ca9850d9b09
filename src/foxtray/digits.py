"""Whole numbers in text."""

from __future__ import annotations


def number(text: str, low: int, high: int) -> int | None:
    """A whole number from low to high; None if the text is anything else.

    The length is checked first: Python refuses to convert thousands of digits.
    """
    if not (text.isascii() and text.isdigit()) or len(text) > len(str(high)):
        return None
    found = int(text)
    return found if low <= found <= high else None


def counted(count: int, noun: str) -> str:
    """A number and its noun, as in `1 seat` and `2 seats`."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
