"""Compiles the source of the rules.

A module is loaded a second time under another name, and every function in it is compiled; there is
no second copy of any rule; `prepared` says what is left out. Compiled code is cached in the user's
cache folder, under a hash of all the sources it depends on; environments with the same sources
share it.
"""

from __future__ import annotations

import ast
import hashlib
import importlib.util
import inspect
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import numba
import numpy as np
from llvmlite.binding import get_host_cpu_features, get_host_cpu_name
from numba import njit, types

import foxtray
from foxtray.folders import cache_folder

ROOT = Path(foxtray.__file__).parent
LOOPS = "foxtray.sim.loops"
MONTH = 30 * 24 * 3600
NOTE = "note"
"""The function of the rules that writes the log."""
UNSIGNED = "unsigned"
"""What compiled sources call the type of an index."""
# Only argument types: numba sees them as records, whose fields are part of its own cache key.
RECORDS = {ROOT / "core" / "layout.py", ROOT / "core" / "state.py"}

config: Any = numba.config
if "NUMBA_OPT" not in os.environ:
    # The rules are many small functions: optimised before they are linked too, they run a tenth
    # faster and compile a fifth slower. numba reads this when it compiles for the first time.
    config.OPT = config._OptLevel("max")


def origin(name: str) -> Path:
    """The source of a module."""
    spec = importlib.util.find_spec(name)
    assert spec is not None and spec.origin is not None
    return Path(spec.origin)


def imported(source: bytes) -> set[Path]:
    """The files of the modules of this package that a source imports."""
    names = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom) and node.module:
            names |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    paths = {ROOT.parent.joinpath(*name.split(".")).with_suffix(".py") for name in names}
    return {path for path in paths if path.is_relative_to(ROOT) and path.exists()} - RECORDS


@cache
def fingerprint(name: str) -> str:
    """A hash of everything a compiled module depends on; numba watches only the module's file."""
    sources: dict[Path, bytes] = {}
    left = {origin(name)}
    while left:
        path = left.pop()
        sources[path] = path.read_bytes()
        left |= imported(sources[path]) - sources.keys()
    found = hashlib.sha256()
    machine = f"{get_host_cpu_name()} {get_host_cpu_features().flatten()}"
    bounds = os.environ.get("NUMBA_BOUNDSCHECK", "")
    level = f"{int(config.OPT)} {config.OPT.is_opt_max}"
    for part in (numba.__version__, sys.version, machine, bounds, level):
        found.update(part.encode() + b"\0")
    for text in (Path(__file__).read_bytes(), *(sources[path] for path in sorted(sources))):
        found.update(text + b"\0")
    return found.hexdigest()[:16]


@cache
def cache_path() -> Path:
    """The folder for compiled code: in the user's cache, or else temporary, with one warning."""
    folder = cache_folder() / "compiled"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        # Try it first: numba would silently write beside the sources instead.
        with tempfile.NamedTemporaryFile(dir=folder):
            return folder
    except OSError as error:
        print(
            f"foxtray: cannot write to {folder} ({error.strerror}); compiled code is not kept",
            file=sys.stderr,
        )
        folder = Path(passing_folder().name) / folder.name
        folder.mkdir()
        return folder


def remove_unused(folder: Path) -> None:
    """Remove compiled code that has not been used for a month, such as that of old versions."""
    for old in folder.iterdir():
        with suppress(FileNotFoundError):  # another process may remove it too
            if time.time() - old.stat().st_mtime > MONTH:
                shutil.rmtree(old, ignore_errors=True)


@cache
def passing_folder() -> tempfile.TemporaryDirectory[str]:
    """A temporary folder for this process and its child processes."""
    return tempfile.TemporaryDirectory(prefix="foxtray-", ignore_cleanup_errors=True)


def shared_source(name: str, folder: Path) -> Path:
    """A copy of a module's source beside its compiled code, prepared for compilation.

    numba keeps compiled code for one path and time of the source, so that another environment with
    the same source would compile again; the copy has the same path and time for all of them.
    """
    copy = folder / origin(name).name
    if not copy.exists():
        with tempfile.NamedTemporaryFile(dir=folder, delete=False) as part:
            part.write(prepared(origin(name).read_bytes()))
        os.utime(part.name, (0, 0))
        os.replace(part.name, copy)
    return copy


def prepared(source: bytes) -> bytes:
    """A source without a log, whose functions have unsigned indices.

    Nobody reads the log of compiled rules, and none of their indices counts from the end: numba
    asks every signed index whether it does. Both take more than a tenth of the time.
    """
    module = ast.parse(source)
    for part in module.body:
        if isinstance(part, ast.FunctionDef):
            part.body = [Preparation().visit(statement) for statement in part.body]
    return ast.unparse(module).encode()


class Preparation(ast.NodeTransformer):
    """Drops calls of `note`, and converts indices, except for slices and constants."""

    def visit_Expr(self, node: ast.Expr) -> ast.AST:
        call = node.value
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == NOTE:
            return ast.Pass()
        return self.generic_visit(node)

    def visit_Subscript(self, node: ast.Subscript) -> ast.Subscript:
        self.generic_visit(node)
        if isinstance(node.slice, ast.Tuple):
            node.slice.elts = [unsigned(index) for index in node.slice.elts]
        else:
            node.slice = unsigned(node.slice)
        return node


def unsigned(index: ast.expr) -> ast.expr:
    if isinstance(index, ast.Slice | ast.Constant):
        return index
    return ast.Call(ast.Name(UNSIGNED, ast.Load()), [index], [])


def compile_module(name: str, *, inline: bool = False, **links: ModuleType) -> ModuleType:
    """A second copy of a module with every function compiled; `links` replace its imports.

    With `inline` its functions become part of those that call them.
    """
    # numba fixes the cache folder when it wraps a function, so each module can have its own.
    folder = cache_path() / fingerprint(name)
    if not folder.exists():
        remove_unused(cache_path())
    folder.mkdir(exist_ok=True)
    os.utime(folder)
    config.CACHE_DIR = str(folder)
    twin = name.replace(".", "_") + "_compiled"
    spec = importlib.util.spec_from_file_location(twin, shared_source(name, folder))
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    # Registered before it runs: code loaded from the cache looks up its module by name.
    sys.modules[twin] = module
    spec.loader.exec_module(module)
    setattr(module, UNSIGNED, np.uint64)
    for key, link in links.items():
        setattr(module, key, link)
    for key, value in list(vars(module).items()):
        if inspect.isfunction(value) and value.__module__ == twin:
            setattr(module, key, compiled_function(value, inline))
    return module


def compiled_function(function: Callable[..., Any], inline: bool) -> Any:
    """A compiled version of a function; every whole number is passed as 64 bits.

    Otherwise numba would compile it again for each width and each constant it is called with.
    """
    # Nothing here allocates arrays, so numba need not count references to those passed around.
    options: Any = {"cache": True, "error_model": "numpy", "nogil": True, "_nrt": False}
    options["forceinline"] = inline
    dispatcher: Any = njit(**options)(function)
    resolve = dispatcher.get_call_template

    def resolve_widened(args: Sequence[Any], kws: dict[str, Any]) -> Any:
        return resolve([types.int64 if whole(kind) else kind for kind in args], kws)

    dispatcher.get_call_template = resolve_widened
    return dispatcher


def whole(kind: Any) -> bool:
    return isinstance(kind, types.Integer | types.IntegerLiteral)


@cache
def rules() -> ModuleType:
    return compile_module("foxtray.core.rules")


@cache
def chance() -> ModuleType:
    return compile_module("foxtray.core.chance", inline=True)


@cache
def loops() -> ModuleType:
    return compile_module(LOOPS, rules=rules(), chance=chance())


class Announced:
    """Announces the first compilation of a module or part of it, and measures how long it takes."""

    def __init__(self, what: str, about: int, name: str = LOOPS, part: str = "") -> None:
        self.what, self.about = what, about
        self.ready = cache_path() / fingerprint(name) / f"ready{part}"
        self.seconds = 0.0

    def __enter__(self) -> Announced:
        self.started = time.perf_counter()
        if not self.ready.exists():
            print(
                f"foxtray: compiling {self.what} (first use only, about {self.about} s)",
                file=sys.stderr,
                flush=True,
            )
        return self

    def __exit__(self, *exc: object) -> None:
        self.seconds = time.perf_counter() - self.started
        if exc[0] is None and not self.ready.exists():
            self.ready.parent.mkdir(parents=True, exist_ok=True)
            self.ready.touch()
