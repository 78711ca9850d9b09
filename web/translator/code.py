"""Pieces of JavaScript: their text, how tightly they bind, and what they are."""

from __future__ import annotations

from dataclasses import dataclass

from translator.kinds import INT, WORD, Kind, Whole

# How tightly JavaScript binds.
ATOM, UNARY, TIMES, PLUS, SHIFT, ORDER, EQUAL, AND, XOR, OR, BOTH, EITHER, CHOICE = range(18, 5, -1)

# fmt: off
RESERVED = frozenset({
    "arguments", "await", "break", "case", "catch", "class", "const", "continue", "debugger",
    "default", "delete", "do", "else", "enum", "eval", "export", "extends", "false", "finally",
    "for", "function", "if", "implements", "import", "in", "instanceof", "interface", "let",
    "new", "null", "package", "private", "protected", "public", "return", "static", "super",
    "switch", "this", "throw", "true", "try", "typeof", "undefined", "var", "void", "while",
    "with", "yield",
})
# fmt: on


@dataclass(frozen=True, slots=True)
class Code:
    """A piece of JavaScript, how tightly it binds, and what it is."""

    text: str
    rank: int
    kind: Kind

    def at(self, rank: int) -> str:
        """The text where at least this rank is wanted."""
        return self.text if self.rank >= rank else f"({self.text})"

    @property
    def bounds(self) -> Whole:
        """The bounds of a whole number."""
        assert isinstance(self.kind, Whole)
        return self.kind


def named(name: str) -> str:
    """A name that JavaScript allows."""
    return f"{name}_" if name in RESERVED else name


def number(value: int) -> str:
    return hex(value) if value > 0xFFFF else str(value)


def checked(code: Code, wanted: Whole) -> Code:
    """A number that is checked to fit when it runs."""
    if wanted == WORD:
        return Code(f"$.word({code.text})", ATOM, WORD)
    return Code(f"$.int({code.text})", ATOM, INT)
