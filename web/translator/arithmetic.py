"""Arithmetic: what JavaScript computes as Python does, and what has to be checked when it runs."""

from __future__ import annotations

import ast

from translator.code import AND, ATOM, OR, PLUS, SHIFT, TIMES, XOR, Code, checked
from translator.kinds import INT, WIDE, WORD, Real, Whole, exact, hull

BITWISE: dict[type[ast.operator], tuple[str, int]] = {
    ast.BitAnd: ("&", AND),
    ast.BitXor: ("^", XOR),
    ast.BitOr: ("|", OR),
}
SUMS: dict[type[ast.operator], str] = {ast.Add: "+", ast.Sub: "-"}
FRACTIONAL: dict[type[ast.operator], tuple[str, int]] = {
    ast.Add: ("+", PLUS),
    ast.Sub: ("-", PLUS),
    ast.Mult: ("*", TIMES),
    ast.Div: ("/", TIMES),
}


class Unsuited(Exception):
    """An operation that is outside the subset."""


class OutOfBounds(Unsuited):
    """The same because of the bounds of its numbers, which may not be certain yet."""


def operation(left: Code, op: ast.operator, right: Code) -> Code:
    """Two numbers and what is between them."""
    if not isinstance(left.kind, Whole | Real) or not isinstance(right.kind, Whole | Real):
        raise Unsuited("arithmetic is for numbers; make a truth value a number with int()")
    if isinstance(op, ast.Div) or isinstance(left.kind, Real) or isinstance(right.kind, Real):
        return fractional(left, op, right)
    if type(op) in SUMS:
        return added(left, SUMS[type(op)], right)
    if isinstance(op, ast.Mult):
        return product(left, right)
    if isinstance(op, ast.FloorDiv):
        return quotient(left, right)
    if isinstance(op, ast.Mod):
        return remainder(left, right)
    if isinstance(op, ast.LShift | ast.RShift):
        return shift(left, isinstance(op, ast.LShift), right)
    if type(op) in BITWISE:
        return bitwise(left, op, right)
    raise Unsuited(f"the operator {type(op).__name__} is outside the subset")


def fractional(left: Code, op: ast.operator, right: Code) -> Code:
    """Fractions as numba computes them: two single ones give a single one."""
    if type(op) not in FRACTIONAL:
        raise Unsuited("fractions are only added, subtracted, multiplied and divided")
    sign, rank = FRACTIONAL[type(op)]
    text = f"{left.at(rank)} {sign} {right.at(rank + 1)}"
    if left.kind == Real(True) == right.kind:
        return Code(f"Math.fround({text})", ATOM, Real(True))
    return Code(text, rank, Real())


def added(left: Code, sign: str, right: Code) -> Code:
    a, b = left.bounds, right.bounds
    kind = Whole(a.low + b.low, a.high + b.high)
    if sign == "-":
        kind = Whole(a.low - b.high, a.high - b.low)
    return safe(Code(f"{left.at(PLUS)} {sign} {right.at(PLUS + 1)}", PLUS, kind))


def product(left: Code, right: Code) -> Code:
    a, b = left.bounds, right.bounds
    ends = [x * y for x in (a.low, a.high) for y in (b.low, b.high)]
    text = f"{left.at(TIMES)} * {right.at(TIMES + 1)}"
    return safe(Code(text, TIMES, Whole(min(ends), max(ends))))


def safe(code: Code) -> Code:
    """A number; checked when it runs if JavaScript may not count so far exactly."""
    kind = code.bounds
    return code if kind.within(WIDE) else Code(f"$.safe({code.text})", ATOM, exact(kind))


def quotient(left: Code, right: Code) -> Code:
    a, b = left.bounds, right.bounds
    largest = max(abs(a.low), abs(a.high))
    kind = Whole(0 if a.low >= 0 and b.low >= 0 else -largest, largest)
    if b.low > 0:
        kind = Whole(min(a.low // b.low, a.low // b.high), max(a.high // b.low, a.high // b.high))
    if b.low <= 0 <= b.high:
        return Code(f"$.div({left.text}, {right.text})", ATOM, kind)
    return Code(f"Math.floor({left.at(TIMES)} / {right.at(TIMES + 1)})", ATOM, kind)


def remainder(left: Code, right: Code) -> Code:
    a, b = left.bounds, right.bounds
    kind = Whole(min(b.low + 1, 0), max(b.high - 1, 0))
    if a.low >= 0 and b.low > 0:
        text = f"{left.at(TIMES)} % {right.at(TIMES + 1)}"
        return Code(text, TIMES, Whole(0, min(kind.high, a.high)))
    return Code(f"$.mod({left.text}, {right.text})", ATOM, kind)


def shift(left: Code, up: bool, right: Code) -> Code:
    """A shift; checked when it runs where it may be longer than 31 bits or lose any."""
    by = right.bounds
    if by.high < 0 or by.low > 31:
        raise OutOfBounds("numbers are shifted by 0 to 31 bits")
    proven = by.low >= 0 and by.high <= 31
    if not up:
        if left.bounds.within(WORD) and not left.bounds.within(INT):
            kind = Whole(0, WORD.high >> max(by.low, 0))
            if proven:
                return Code(f"{left.at(SHIFT)} >>> {right.at(SHIFT + 1)}", SHIFT, kind)
            return Code(f"$.shrWord({left.text}, {right.text})", ATOM, kind)
        left = bits(left)
        a = left.bounds
        kind = Whole(min(a.low >> max(by.low, 0), 0), max(a.high >> max(by.low, 0), 0))
        if proven:
            return Code(f"{left.at(SHIFT)} >> {right.at(SHIFT + 1)}", SHIFT, kind)
        return Code(f"$.shr({left.text}, {right.text})", ATOM, kind)
    left = bits(left)
    a = left.bounds
    if proven:
        kind = Whole(min(a.low << by.high, a.low), max(a.high << by.high, a.high))
        if kind.within(INT):
            return Code(f"{left.at(SHIFT)} << {right.at(SHIFT + 1)}", SHIFT, kind)
    kind = Whole(0 if a.low >= 0 else INT.low, INT.high)
    return Code(f"$.shl({left.text}, {right.text})", ATOM, kind)


def bits(code: Code) -> Code:
    """A number whose bits are used: 32 of them with a sign."""
    kind = code.bounds
    if kind.within(INT):
        return code
    if kind.low > INT.high or kind.high < INT.low:
        raise OutOfBounds("this number has more than 32 bits")
    return checked(code, INT)


def bitwise(left: Code, op: ast.operator, right: Code) -> Code:
    """&, | and ^ on 32 bits, with a sign or as words."""
    sign, rank = BITWISE[type(op)]
    a, b = left.bounds, right.bounds
    if isinstance(op, ast.BitAnd):
        # JavaScript keeps the lowest 32 bits of both, so that one mask is enough.
        for mask in (a, b):
            if mask.low >= 0 and mask.high <= INT.high:
                kind = Whole(0, min(k.high for k in (a, b) if k.low >= 0))
                return Code(f"{left.at(rank)} {sign} {right.at(rank + 1)}", rank, kind)
        if a.within(WORD) or b.within(WORD):
            text = f"({left.at(rank)} {sign} {right.at(rank + 1)}) >>> 0"
            kind = Whole(0, min(k.high for k in (a, b) if k.within(WORD)))
            return Code(text, SHIFT, kind)
    elif a.within(WORD) and b.within(WORD) and not (a.within(INT) and b.within(INT)):
        text = f"({left.at(rank)} {sign} {right.at(rank + 1)}) >>> 0"
        return Code(text, SHIFT, WORD)
    left, right = bits(left), bits(right)
    a, b = left.bounds, right.bounds
    text = f"{left.at(rank)} {sign} {right.at(rank + 1)}"
    if a.low >= 0 and b.low >= 0:
        return Code(text, rank, Whole(0, (1 << max(a.high, b.high).bit_length()) - 1))
    return Code(text, rank, INT)


def cut(code: Code) -> Code:
    """A number short enough to be added to another one exactly."""
    if code.bounds.within(hull(INT, WORD)):
        return code
    return Code(f"{code.at(OR)} | 0", OR, INT)
