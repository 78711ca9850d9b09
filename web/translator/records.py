"""Records as JavaScript classes, with the fields and shapes of the dataclasses they come from.

A packed record keeps all its numbers in one block of memory, as the compiled twin does, so that it
is copied at once.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields, is_dataclass
from typing import Any

from translator.kinds import INT, WIDE, Kind, Real, Record, Row, Whole

HEAD = """// The records of the translated modules; made by the translator, do not edit.

function rows(numbers, first, count, size) {
  return Array.from({ length: count }, (_, k) =>
    numbers.subarray(first + k * size, first + (k + 1) * size),
  )
}
"""
TYPES_HEAD = """/** A row of numbers that is read and written by index. */
export interface Numbers {
  [index: number]: number
  readonly length: number
}
"""


def shape(value: Any) -> tuple[int, ...]:
    """The lengths of nested lists; empty for a number."""
    return (len(value), *shape(value[0])) if isinstance(value, list) else ()


def kinds_of(example: Any, number: Whole = INT) -> dict[str, Kind]:
    """The kinds of a dataclass's fields."""
    found: dict[str, Kind] = {}
    for part in fields(example):
        value = getattr(example, part.name)
        kind: Kind = Record(type(value).__name__) if is_dataclass(value) else number
        for _ in shape(value):
            kind = Row(kind)
        found[part.name] = kind
    return found


def packed(example: Any) -> tuple[str, str]:
    """A class that keeps all its numbers in one block of 16-bit numbers, and its types."""
    name = type(example).__name__
    made, accessors, types = [], [], []
    size = 0
    for part in fields(example):
        lengths = shape(getattr(example, part.name))
        if not lengths:
            accessors += [
                f"  get {part.name}() {{ return this.numbers[{size}] }}",
                f"  set {part.name}(value) {{ this.numbers[{size}] = value }}",
            ]
            types.append(f"  {part.name}: number")
            size += 1
        elif len(lengths) == 1:
            made.append(f"    this.{part.name} = numbers.subarray({size}, {size + lengths[0]})")
            types.append(f"  readonly {part.name}: Int16Array")
            size += lengths[0]
        else:
            made.append(f"    this.{part.name} = rows(numbers, {size}, {lengths[0]}, {lengths[1]})")
            types.append(f"  readonly {part.name}: readonly Int16Array[]")
            size += lengths[0] * lengths[1]
    text = [
        f"export class {name} {{",
        "  constructor() {",
        f"    const numbers = new Int16Array({size})",
        "    this.numbers = numbers",
        *made,
        "  }",
        "",
        "  /** Become a copy of another one. */",
        "  set(other) { this.numbers.set(other.numbers) }",
        *accessors,
        "}",
    ]
    declared = [
        f"export class {name} {{",
        "  /** All numbers in the order of the fields. */",
        "  readonly numbers: Int16Array",
        f"  set(other: {name}): void",
        *types,
        "}",
    ]
    return "\n".join(text), "\n".join(declared)


def loose(example: Any) -> tuple[str, str]:
    """A class of plain fields and 32-bit rows, and its types."""
    name = type(example).__name__
    made, types = [], []
    for part in fields(example):
        value = getattr(example, part.name)
        lengths = shape(value)
        if is_dataclass(value):
            made.append(f"    this.{part.name} = new {type(value).__name__}()")
            types.append(f"  readonly {part.name}: {type(value).__name__}")
        elif not lengths:
            made.append(f"    this.{part.name} = {value}")
            types.append(f"  {part.name}: number")
        else:
            made.append(f"    this.{part.name} = new Int32Array({lengths[0]})")
            types.append(f"  readonly {part.name}: Int32Array")
    text = [f"export class {name} {{", "  constructor() {", *made, "  }", "}"]
    return "\n".join(text), "\n".join([f"export class {name} {{", *types, "}"])


def data(example: Any) -> str:
    """The type of a record that is read from JSON."""
    name = type(example).__name__
    types = [
        f"  readonly {part.name}: number{'[]' * len(shape(getattr(example, part.name)))}"
        for part in fields(example)
    ]
    return "\n".join([f"export interface {name} {{", *types, "}"])


@dataclass(frozen=True, slots=True)
class Numbers:
    """A kind of number in a record's fields: what it is, and the array that keeps it."""

    kind: Kind
    array: str


NUMBERS = {
    "int": Numbers(INT, "Int32Array"),
    "wide": Numbers(WIDE, "Float64Array"),
    "flag": Numbers(Whole(-128, 127), "Int8Array"),
    "single": Numbers(Real(single=True), "Float32Array"),
    "double": Numbers(Real(), "Float64Array"),
}
Field = tuple[str, str, tuple[int, ...]]


def listed_kinds(listed: Iterable[Field]) -> dict[str, Kind]:
    """The kinds of the fields of a record that is written as a list."""
    found: dict[str, Kind] = {}
    for name, kind, lengths in listed:
        found[name] = NUMBERS[kind].kind if kind in NUMBERS else Record(kind)
        for _ in lengths:
            found[name] = Row(found[name])
    return found


def listed_class(name: str, listed: Iterable[Field]) -> tuple[str, str]:
    """A class for such a record, and its types; records in rows are made when first used."""
    made, types = [], []
    for field, kind, lengths in listed:
        readonly = "readonly "
        if kind not in NUMBERS:
            places = f"new Array({lengths[0] if lengths else 0}).fill(undefined)"
            made.append(f"    this.{field} = {places if lengths else f'new {kind}()'}")
            text = f"{kind}[]" if lengths else kind
        elif not lengths:
            made.append(f"    this.{field} = 0")
            text, readonly = "number", ""
        else:
            array = NUMBERS[kind].array
            size = lengths[0] * (lengths[1] if len(lengths) == 2 else 1)
            text, value = array, f"new {array}({size})"
            if len(lengths) == 2:
                text, value = f"{array}[]", f"rows({value}, 0, {lengths[0]}, {lengths[1]})"
            made.append(f"    this.{field} = {value}")
        types.append(f"  {readonly}{field}: {text}")
    text = "\n".join([f"export class {name} {{", "  constructor() {", *made, "  }", "}"])
    return text, "\n".join([f"export class {name} {{", *types, "}"])
