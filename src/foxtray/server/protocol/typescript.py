"""Writes everything that travels as TypeScript types, for the page.

Run it as `python -m foxtray.server.protocol.typescript web/src/lib/wire.ts`; with `--check` it
only says whether the file is up to date.
"""

from __future__ import annotations

import ast
import inspect
import itertools
import json
import sys
import textwrap
from collections.abc import Iterator
from dataclasses import is_dataclass
from pathlib import Path
from types import ModuleType, NoneType, UnionType
from typing import (
    Annotated,
    Any,
    Literal,
    Union,
    get_args,
    get_origin,
    get_type_hints,
    is_typeddict,
)

import msgspec
from msgspec import Meta, Struct, UnsetType

from foxtray import events, geometry, layouts, views
from foxtray.bots import levels
from foxtray.core import codes
from foxtray.games import model
from foxtray.review import model as review
from foxtray.server.protocol import messages

COMMAND = "python -m foxtray.server.protocol.typescript"
WIDTH = 100
CONSTANTS = (
    (messages, "PROTOCOL"),
    (messages, "CLOSE_GONE"),
    (messages, "NAME_LENGTH"),
    (codes, "SOLO_TRAY"),
    (levels, "SUBSTITUTE"),
    (codes, "TRACK_NAMES"),
    (messages, "PHRASES"),
    (messages, "REFUSAL_CODES"),
)
UNIONS = {
    "TableCommand": messages.TableCommand,
    "FromClient": messages.Incoming,
    "FromServer": messages.Outgoing,
}
BASES = (messages.Command, messages.Message)
PLAIN = {
    Any: "unknown",
    str: "string",
    int: "number",
    float: "number",
    bool: "boolean",
    NoneType: "null",
}
CLOSED_SETS = {
    value: name
    for module in (codes, model, messages)
    for name, value in vars(module).items()
    if get_origin(value) is Literal and name.endswith(("Name", "Kind"))
}


def quoted(value: object) -> str:
    return f"'{value}'" if isinstance(value, str) else json.dumps(value)


def kind(hint: Any) -> str:
    """A Python type in TypeScript."""
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is None and hint in PLAIN:
        return PLAIN[hint]
    if inspect.isclass(hint) and (
        issubclass(hint, Struct) or is_typeddict(hint) or is_dataclass(hint)
    ):
        return hint.__name__
    if origin is Literal:
        return CLOSED_SETS.get(hint) or " | ".join(map(quoted, arguments))
    if origin is Annotated:
        return annotated(arguments[0], arguments[1:])
    if origin in (Union, UnionType):
        return " | ".join(kind(one) for one in arguments if one is not UnsetType)
    if origin is list or (origin is tuple and arguments[-1] is Ellipsis):
        item = kind(arguments[0])
        return f"({item})[]" if " | " in item else f"{item}[]"
    if origin is tuple:
        return f"[{', '.join(map(kind, arguments))}]"
    if origin is dict:
        return f"Record<string, {kind(arguments[1])}>"
    raise TypeError(f"{hint} has no counterpart in TypeScript; teach it to {__name__}.kind")


def annotated(hint: Any, notes: tuple[Any, ...]) -> str:
    """A type with notes: an event as plain data, or a set with a name."""
    if events.Event in notes:
        return "GameEvent"
    for note in notes:
        if isinstance(note, Meta) and note.extra_json_schema:
            return str(note.extra_json_schema["title"])
    return kind(hint)


def may_be_missing(owner: type) -> set[str]:
    """The fields that are left out when they have their default.

    The server refuses unknown fields in what it reads; a client may leave out fields with defaults.
    """
    if not issubclass(owner, Struct):
        return set()
    config = owner.__struct_config__
    hints = get_type_hints(owner)
    return {
        field.name
        for field in msgspec.structs.fields(owner)
        if UnsetType in get_args(hints[field.name])
        or (not field.required and (config.forbid_unknown_fields or config.omit_defaults))
    }


def remarks(owner: type | ModuleType) -> dict[str, str]:
    """The docstrings below the fields of a class or the constants of a module."""
    body = ast.parse(textwrap.dedent(inspect.getsource(owner))).body
    if isinstance(body[0], ast.ClassDef):
        body = body[0].body
    found: dict[str, str] = {}
    for field, note in itertools.pairwise(body):
        if isinstance(field, ast.Assign | ast.AnnAssign) and isinstance(note, ast.Expr):
            target = field.target if isinstance(field, ast.AnnAssign) else field.targets[0]
            if isinstance(note.value, ast.Constant):
                found[ast.unparse(target)] = str(note.value.value)
    return found


def comment(text: str | None, indent: str = "") -> Iterator[str]:
    """A sentence or several as a comment."""
    if not text:
        return
    words = " ".join(text.split())
    if len(indent) + len(words) + 7 <= WIDTH:
        yield f"{indent}/** {words} */"
        return
    yield f"{indent}/**"
    for line in textwrap.wrap(words, WIDTH - len(indent) - 3):
        yield f"{indent} * {line}"
    yield f"{indent} */"


def interface(owner: type, tag: tuple[str, str] | None) -> Iterator[str]:
    """The declaration of one type; a tag tells the members of a union apart."""
    about = owner.__doc__ or ""
    yield from comment("" if about.startswith(f"{owner.__name__}(") else about)
    missing, said = may_be_missing(owner), remarks(owner)
    yield f"export interface {owner.__name__} {{"
    if tag:
        yield f"  {tag[0]}: {quoted(tag[1])}"
    for name, hint in get_type_hints(owner, include_extras=True).items():
        yield from comment(said.get(name), "  ")
        yield f"  {name}{'?' if name in missing else ''}: {kind(hint)}"
    yield "}"


def union(name: str, parts: list[str]) -> Iterator[str]:
    line = f"export type {name} = {' | '.join(parts)}"
    if len(line) <= WIDTH:
        yield line
    else:
        yield f"export type {name} ="
        yield from (f"  | {part}" for part in parts)


def constant(module: ModuleType, name: str) -> Iterator[str]:
    yield from comment(remarks(module).get(name))
    value = getattr(module, name)
    if not isinstance(value, tuple):
        yield f"export const {name} = {quoted(value)}"
        return
    yield f"export const {name} = ["
    words = " ".join(f"{quoted(item)}," for item in value)
    yield from textwrap.wrap(words, WIDTH, initial_indent="  ", subsequent_indent="  ")
    yield "] as const"


def typed_dicts(module: ModuleType) -> Iterator[type]:
    return (one for one in vars(module).values() if is_typeddict(one) and local(one, module))


def structs(module: ModuleType) -> Iterator[type[Struct]]:
    for one in vars(module).values():
        if inspect.isclass(one) and issubclass(one, Struct) and local(one, module):
            if one not in BASES:
                yield one


def local(one: type, module: ModuleType) -> bool:
    return one.__module__ == module.__name__


def declarations() -> Iterator[list[str]]:
    """All types to declare, in a stable order."""
    for module, name in CONSTANTS:
        yield list(constant(module, name))
    yield ["export type RefusalCode = (typeof REFUSAL_CODES)[number]"]
    for values, name in CLOSED_SETS.items():
        yield list(union(name, [quoted(value) for value in get_args(values)]))
    for module in (geometry, layouts, views):
        for one in typed_dicts(module):
            yield list(interface(one, None))
    for event in events.EVENTS:
        yield list(interface(event, ("event", events.NAMES[event])))
    yield list(union("GameEvent", [event.__name__ for event in events.EVENTS]))
    for struct in structs(messages):
        config = struct.__struct_config__
        tag = (str(config.tag_field), str(config.tag)) if config.tag else None
        yield list(interface(struct, tag))
    for name, parts in UNIONS.items():
        yield list(union(name, [part.__name__ for part in get_args(parts)]))
    yield list(namespace("Coach", review))


def namespace(name: str, module: ModuleType) -> Iterator[str]:
    """The dataclasses of a module, under a name of their own."""
    yield f"export declare namespace {name}Types {{"
    parts: list[list[str]] = []
    for one in vars(module).values():
        if inspect.isclass(one) and is_dataclass(one) and local(one, module):
            parts.append([f"  {line}" for line in interface(one, None)])
    parts.append([f"  {line}" for line in union("Moment", ["Decision", "Roll", "Influence"])])
    yield "\n\n".join("\n".join(part) for part in parts)
    yield "}"


def source() -> str:
    """The whole file."""
    head = [
        "// What travels between the server and the page.",
        f"// Generated by `{COMMAND} web/src/lib/wire.ts`, do not edit.",
    ]
    return "\n\n".join("\n".join(part) for part in (head, *declarations())) + "\n"


def main(arguments: list[str]) -> int:
    """Write the file, or with `--check` say whether it is stale."""
    checks = "--check" in arguments
    (path,) = (Path(argument) for argument in arguments if argument != "--check")
    if not checks:
        path.write_text(source(), encoding="utf-8")
    elif not path.exists() or path.read_text(encoding="utf-8") != source():
        print(f"{path} is stale; run: {COMMAND} {path}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
