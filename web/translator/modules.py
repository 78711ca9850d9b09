"""Translates modules: their constants, the functions asked for, and what these need elsewhere."""

from __future__ import annotations

import ast
import importlib
import json
from collections.abc import Iterable, Mapping
from math import isfinite
from pathlib import Path
from typing import Any

from translator.code import ATOM, Code, named, number
from translator.functions import Function, Refused, Signature
from translator.kinds import INT, SAFE, WIDE, WORD, Kind, Real, Record, Row, Several, Truth, Whole

PACKAGE = "foxtray"
BASIC: dict[str, Kind] = {
    "int": INT,
    "Word": WORD,
    "Wide": WIDE,
    "bool": Truth(),
    "float": Real(),
    "Rows": Row(Row(INT)),
    "Singles": Row(Real(single=True)),
    "Doubles": Row(Real()),
}

Records = Mapping[str, Mapping[str, Kind]]


class World:
    """All modules that are translated together, and the records that they share."""

    def __init__(self, source: Path, records: Records) -> None:
        self.source, self.records = source, records
        self.modules: dict[str, Module] = {}

    def module(self, name: str) -> Module:
        """A module by its full name."""
        if name not in self.modules:
            self.modules[name] = Module(self, name)
        return self.modules[name]

    def is_module(self, name: str) -> bool:
        return self.path(name).exists()

    def path(self, name: str) -> Path:
        return self.source.joinpath(*name.split(".")).with_suffix(".py")

    def translate(self, name: str, functions: Iterable[str] = ()) -> Module:
        """Translate these functions of a module and all that they call; all of them if none."""
        module = self.module(name)
        for function in functions or module.functions:
            module.signature(function, module.tree)
        return module


class Module:
    """One module on its way to JavaScript."""

    def __init__(self, world: World, name: str) -> None:
        self.world, self.full = world, name
        self.name = name.rpartition(".")[2]
        self.file = world.path(name)
        self.tree = ast.parse(self.file.read_text(encoding="utf-8"))
        self.functions = {n.name: n for n in self.tree.body if isinstance(n, ast.FunctionDef)}
        self.aliases = dict(alias_lines(self.tree))
        self.origins: dict[str, str] = {}
        for node in self.tree.body:
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(PACKAGE):
                for alias in node.names:
                    self.origins[alias.asname or alias.name] = f"{node.module}.{alias.name}"
        self.constants = dict(self.find_constants())
        self.written: dict[str, list[str]] = {}
        self.signatures: dict[str, Signature] = {}
        self.under_way: set[str] = set()
        self.linked: set[str] = set()
        self.borrowed: dict[str, set[str]] = {}

    def place(self, node: ast.AST) -> str:
        """File and line, as messages and comments name them."""
        file = self.file.relative_to(self.world.source)
        return f"{file.as_posix()}:{getattr(node, 'lineno', 1)}"

    def refused(self, node: ast.AST, sentence: str) -> Refused:
        return Refused(f"{self.place(node)}: {sentence}")

    def find_constants(self) -> Iterable[tuple[str, Any]]:
        """The module's own constants, in order: Python itself works out their values."""
        values: Any = None
        for node in self.tree.body:
            targets: list[ast.expr] = []
            if isinstance(node, ast.Assign):
                targets = node.targets
            elif isinstance(node, ast.AnnAssign):
                targets = [node.target]
            for target in targets:
                for part in ast.walk(target):
                    if isinstance(part, ast.Name) and part.id.isupper():
                        values = values or importlib.import_module(self.full)
                        yield part.id, getattr(values, part.id)

    # --- what functions ask for -------------------------------------------------------------------

    def annotated(self, node: ast.expr | None, where: ast.AST) -> Kind:
        """The kind that an annotation names."""
        match node:
            case ast.Name(name) if name in self.aliases:
                return self.annotated(self.aliases[name], where)
            case ast.Name(name) if name in BASIC:
                return BASIC[name]
            case ast.Name(name) if name in self.world.records:
                return Record(name)
            case ast.Subscript(ast.Name("list"), of):
                return Row(self.annotated(of, where))
        raise self.refused(where, "every parameter needs an annotation that the translator knows")

    def field(self, record: str, name: str) -> Kind | None:
        return self.world.records[record].get(name)

    def constant(self, name: str, node: ast.AST) -> Code:
        """A constant of this module or one that it imports."""
        if name in self.constants:
            return self.known(name, self.constants[name], node)
        if name in self.origins:
            owner, _, own = self.origins[name].rpartition(".")
            if self.world.is_module(owner) and own in self.world.module(owner).constants:
                self.borrowed.setdefault(self.world.module(owner).name, set()).add(own)
                return self.known(name, self.world.module(owner).constants[own], node)
        raise self.refused(
            node, f"{name} is not a variable, a constant or a function of the subset"
        )

    def known(self, text: str, value: Any, node: ast.AST) -> Code:
        if isinstance(value, int) and not isinstance(value, bool):
            if not -SAFE <= value <= SAFE:
                raise self.refused(node, f"{text} is larger than JavaScript counts exactly")
            return Code(text, ATOM, Whole(value, value))
        if isinstance(value, float):
            if not isfinite(value):
                raise self.refused(node, f"{text} is not a finite number")
            return Code(text, ATOM, Real())
        raise self.refused(node, f"the constant {text} is not a number")

    def member(self, owner: str, name: str, node: ast.AST) -> Code:
        """module.NAME."""
        module = self.linked_module(owner)
        if module is None or name not in module.constants:
            raise self.refused(node, f"{owner}.{name} is not a constant of a module of the subset")
        return self.known(f"{owner}.{name}", module.constants[name], node)

    def linked_module(self, name: str) -> Module | None:
        origin = self.origins.get(name, "")
        if not origin or not self.world.is_module(origin):
            return None
        self.linked.add(name)
        return self.world.module(origin)

    def function(self, node: ast.expr, local: Iterable[str]) -> tuple[str, Signature]:
        """A function that is called, by its name here or in another module."""
        match node:
            case ast.Name(name) if name in self.functions and name not in local:
                return named(name), self.signature(name, node)
            case ast.Attribute(ast.Name(owner), name) if owner not in local:
                module = self.linked_module(owner)
                if module is not None and name in module.functions:
                    return f"{owner}.{named(name)}", module.signature(name, node)
        raise self.refused(node, f"{ast.unparse(node)} is not a function of the subset")

    def signature(self, name: str, node: ast.AST) -> Signature:
        """The signature of a function, which is translated when it is first asked for."""
        if name not in self.signatures:
            if name in self.under_way:
                raise self.refused(self.functions[name], f"{name} calls itself")
            if name not in self.functions:
                raise self.refused(node, f"there is no function {name}")
            self.under_way.add(name)
            lines, signature = Function(self, self.functions[name]).translate()
            self.under_way.remove(name)
            self.written[name], self.signatures[name] = lines, signature
        return self.signatures[name]

    # --- what is written --------------------------------------------------------------------------

    def javascript(self) -> str:
        """The module as JavaScript; comments lead back to the lines of the source."""
        lines = [f"// Translated from {self.place(self.tree).rpartition(':')[0]}; do not edit."]
        if any("$." in line for part in self.written.values() for line in part):
            lines.append("import * as $ from './runtime.js'")
        lines += [f"import * as {name} from './{name}.js'" for name in sorted(self.linked)]
        for module, names in sorted(self.borrowed.items()):
            lines.append(f"import {{ {', '.join(sorted(names))} }} from './{module}.js'")
        lines.append("")
        for name, value in self.constants.items():
            if (text := written_constant(value)) is not None:
                lines.append(f"export const {name} = {text}")
        for name, node in self.functions.items():
            if name in self.written:
                lines += ["", f"// {self.place(node)}", *self.written[name]]
        return "\n".join(lines) + "\n"

    def declarations(self) -> str:
        """The types of what the module exports."""
        used: set[str] = set()
        lines = []
        for name, value in self.constants.items():
            if (text := written_constant(value)) is not None:
                kind = "number" if isinstance(value, float) else f"{text}"
                if isinstance(value, tuple):
                    kind = f"readonly {text}"
                lines.append(f"export const {name}: {kind}")
        for name, node in self.functions.items():
            if name in self.signatures:
                signature = self.signatures[name]
                listed = ", ".join(
                    f"{named(n)}: {type_of(k, used)}" for n, k in signature.parameters
                )
                returns = type_of(signature.returns, used) if signature.returns else "void"
                if doc := ast.get_docstring(node):
                    lines.append(f"/** {doc.splitlines()[0]} */")
                lines.append(f"export function {named(name)}({listed}): {returns}")
        if used:
            lines.insert(0, f"import type {{ {', '.join(sorted(used))} }} from './records.js'")
        return "\n".join(lines) + "\n"


def alias_lines(tree: ast.Module) -> Iterable[tuple[str, ast.expr]]:
    """The aliases of types that a module names for its annotations."""
    for node in tree.body:
        match node:
            case ast.If(ast.Name("TYPE_CHECKING"), body):
                yield from alias_lines(ast.Module(body, []))
            case ast.Assign([ast.Name(name)], ast.Subscript() as kind):
                yield name, kind


def written_constant(value: Any) -> str | None:
    """A constant as JavaScript: numbers, and the tuples of names beside them."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return number(value) if -SAFE <= value <= SAFE else None
    if isinstance(value, float):
        return repr(value) if isfinite(value) else None
    if isinstance(value, tuple) and all(isinstance(part, str) for part in value):
        return json.dumps(value)
    return None


def type_of(kind: Kind, used: set[str]) -> str:
    """A kind in the words of TypeScript."""
    match kind:
        case Truth():
            return "boolean"
        case Row(Whole() | Real()):
            used.add("Numbers")
            return "Numbers"
        case Row(of):
            return f"{type_of(of, used)}[]"
        case Record(name):
            used.add(name)
            return name
        case Several(parts):
            return f"[{', '.join(type_of(part, used) for part in parts)}]"
    return "number"
