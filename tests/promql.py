"""Reads expressions of Prometheus, as far as deploy/ uses them; anything else is refused."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

TOKEN = re.compile(
    r"""\s*(?:
        (?P<number>\d+(?:\.\d+)?(?:e\d+)?(?![\w.]))
      | (?P<range>\[\d+[smhd]\])
      | (?P<string>"[^"\\]*")
      | (?P<word>[a-zA-Z_:][\w:]*)
      | (?P<sign>==|!=|>=|<=|[-+*/%<>(){},=])
    )""",
    re.VERBOSE,
)
LEVELS = (("or",), ("and", "unless"), ("==", "!=", ">", "<", ">=", "<="), ("+", "-"), ("*", "/"))
"""Operators, those that bind the least first."""
AGGREGATIONS = ("sum", "min", "max", "avg", "count")
OVER_TIME = ("rate", "increase", "delta", "changes", "avg_over_time")


class BadExpression(Exception):
    """Text that Prometheus, or this reader, does not understand."""


@dataclass(frozen=True, slots=True)
class Selector:
    """A metric that an expression reads, the labels it asks for, and those it groups by."""

    name: str
    labels: dict[str, str]
    groups: tuple[str, ...]


def read(text: str) -> list[Selector]:
    """The metrics that an expression reads."""
    return list(Reader(text).whole())


def tokens(text: str) -> Iterator[tuple[str, str]]:
    at = 0
    while text[at:].strip():
        found = TOKEN.match(text, at)
        if not found or not found.lastgroup:
            raise BadExpression(f"{text!r} cannot be read from {text[at:]!r} on")
        yield found.lastgroup, found[found.lastgroup]
        at = found.end()


class Reader:
    """Reads one expression from left to right."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens = [*tokens(text), ("end", "")]
        self.at = 0

    @property
    def next(self) -> str:
        return self.tokens[self.at][1]

    def take(self, *kinds: str, wanted: str | None = None) -> str:
        kind, value = self.tokens[self.at]
        if (kinds and kind not in kinds) or (wanted is not None and value != wanted):
            raise BadExpression(f"{self.text!r}: {value or 'its end'!r} is not expected there")
        self.at += 1
        return value

    def whole(self) -> Iterator[Selector]:
        yield from self.expression()
        self.take("end")

    def expression(self, level: int = 0, groups: tuple[str, ...] = ()) -> Iterator[Selector]:
        if level == len(LEVELS):
            yield from self.operand(groups)
            return
        yield from self.expression(level + 1, groups)
        while self.next in LEVELS[level]:
            self.take()
            yield from self.expression(level + 1, groups)

    def operand(self, groups: tuple[str, ...]) -> Iterator[Selector]:
        kind, value = self.tokens[self.at]
        if kind == "number":
            self.take()
        elif value == "(":
            yield from self.inside(groups)
        elif value in AGGREGATIONS:
            self.take()
            if self.next == "by":
                self.take()
                groups = (*groups, *self.names())
            yield from self.inside(groups)
        elif value in OVER_TIME:
            self.take()
            self.take(wanted="(")
            yield self.selector(groups)
            self.take("range")
            self.take(wanted=")")
        elif value == "histogram_quantile":
            self.take()
            self.take(wanted="(")
            self.take("number")
            self.take(wanted=",")
            yield from self.expression(0, groups)
            self.take(wanted=")")
        elif value == "time":
            self.take()
            self.take(wanted="(")
            self.take(wanted=")")
        else:
            yield self.selector(groups)

    def inside(self, groups: tuple[str, ...]) -> Iterator[Selector]:
        self.take(wanted="(")
        yield from self.expression(0, groups)
        self.take(wanted=")")

    def names(self) -> list[str]:
        self.take(wanted="(")
        found = [self.take("word")]
        while self.next == ",":
            self.take()
            found.append(self.take("word"))
        self.take(wanted=")")
        return found

    def selector(self, groups: tuple[str, ...]) -> Selector:
        name, labels = self.take("word"), {}
        if self.next == "(":
            raise BadExpression(f"{self.text!r}: the function {name} is not known here")
        if self.next == "{":
            self.take()
            while self.next != "}":
                label = self.take("word")
                self.take(wanted="=")
                labels[label] = self.take("string").strip('"')
                if self.next != "}":
                    self.take(wanted=",")
            self.take()
        return Selector(name, labels, groups)
