"""The unchanged source of the rules, compiled.

A module is loaded a second time under a name of its own and every function in it becomes a
compiled one; there is no second copy of any rule. What was compiled is kept in the user's cache
folder, under a hash of all sources that it depends on.
"""

from __future__ import annotations

import hashlib
import importlib.util
import inspect
import os
import sys
import tempfile
import time
from functools import cache
from pathlib import Path
from types import ModuleType

import numba
from numba import njit

import foxtray
from foxtray.folders import cache_folder

SOURCES = ("core", "sim", "bots", "train")


def fingerprint() -> str:
    """A hash over everything that compiled code depends on and numba does not watch."""
    root = Path(foxtray.__file__).parent
    parts = [numba.__version__, sys.version, os.environ.get("NUMBA_BOUNDSCHECK", "")]
    for folder in SOURCES:
        parts += [path.read_text(encoding="utf-8") for path in sorted((root / folder).glob("*.py"))]
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]


@cache
def cache_path() -> Path | None:
    """The folder for compiled code; None, told once, if it cannot be written."""
    folder = cache_folder() / "compiled" / fingerprint()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        # Probing first matters: numba would silently write beside the sources instead.
        with tempfile.NamedTemporaryFile(dir=folder):
            pass
    except OSError as error:
        print(
            f"foxtray: compiled code is not kept, {folder} cannot be written ({error.strerror})",
            file=sys.stderr,
        )
        return None
    numba.config.CACHE_DIR = str(folder)
    return folder


def compile_module(name: str, **links: ModuleType) -> ModuleType:
    """A second copy of a module with every function compiled; `links` replace its imports."""
    keep = cache_path() is not None
    original = importlib.util.find_spec(name)
    assert original is not None and original.origin is not None
    twin = name.replace(".", "_") + "_compiled"
    spec = importlib.util.spec_from_file_location(twin, original.origin)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    # Known before it is executed: code loaded from the cache looks its module up by name.
    sys.modules[twin] = module
    spec.loader.exec_module(module)
    for key, link in links.items():
        setattr(module, key, link)
    for key, value in list(vars(module).items()):
        if inspect.isfunction(value) and value.__module__ == twin:
            setattr(module, key, njit(cache=keep, error_model="numpy", nogil=True)(value))
    return module


@cache
def rules() -> ModuleType:
    return compile_module("foxtray.core.rules")


@cache
def chance() -> ModuleType:
    return compile_module("foxtray.core.chance")


@cache
def loops() -> ModuleType:
    return compile_module("foxtray.sim.loops", rules=rules(), chance=chance())


class Announced:
    """Tells of a first compilation, and how long it took."""

    def __init__(self, what: str, about: int) -> None:
        self.what, self.about = what, about
        self.seconds = 0.0

    def __enter__(self) -> Announced:
        folder = cache_path()
        self.mark = folder / f"{self.what.replace(' ', '-')}.ready" if folder else None
        self.started = time.perf_counter()
        if self.mark is None or not self.mark.exists():
            print(
                f"foxtray: compiling {self.what}, once, about {self.about} s",
                file=sys.stderr,
                flush=True,
            )
        return self

    def __exit__(self, *exc: object) -> None:
        self.seconds = time.perf_counter() - self.started
        if exc[0] is None and self.mark is not None:
            self.mark.touch()
