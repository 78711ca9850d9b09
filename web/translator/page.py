"""What the page needs translated, and where it goes."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

from translator.functions import Refused
from translator.kinds import SHORT
from translator.modules import World
from translator.records import (
    HEAD,
    TYPES_HEAD,
    data,
    kinds_of,
    listed_class,
    listed_kinds,
    loose,
    packed,
)

HERE = Path(__file__).parent
SOURCE = HERE.parent.parent / "src"
__all__ = ["Refused", "translated", "write"]

TARGET = HERE.parent / "src" / "engine" / "generated"

RULES = ("foxtray.core.codes", "foxtray.core.chance", "foxtray.core.rules")
BOTS = {
    "foxtray.sim.loops": ("random_action", "greedy_action"),
    "foxtray.bots.thinking": ("choose", "search_all"),
}


def translated() -> dict[str, str]:
    """The files of the engine, by name."""
    if str(SOURCE) not in sys.path:
        sys.path.insert(0, str(SOURCE))
    from foxtray.bots import fields
    from foxtray.bots.inputs import Inputs
    from foxtray.core.layout import Tables
    from foxtray.core.state import Log, State, Work

    state, tables, log, work, inputs = State(), Tables(), Log(), Work(), Inputs()
    world = World(
        SOURCE,
        {
            "State": kinds_of(state, SHORT),
            "Tables": kinds_of(tables, SHORT),
            "Log": kinds_of(log),
            "Work": kinds_of(work),
            "Inputs": kinds_of(inputs),
            "Net": listed_kinds(fields.NET),
            "Workspace": listed_kinds(fields.WORKSPACE),
        },
    )
    for name in RULES:
        world.translate(name)
    for name, functions in BOTS.items():
        world.translate(name, functions)
    files: dict[str, str] = {}
    for module in world.modules.values():
        files[f"{module.name}.js"] = module.javascript()
        files[f"{module.name}.d.ts"] = module.declarations()
    classes = [
        packed(state),
        loose(log),
        loose(work),
        loose(inputs),
        listed_class("Net", fields.NET),
        listed_class("Workspace", fields.WORKSPACE),
    ]
    files["records.js"] = "\n".join([HEAD, *(text for text, _ in classes), ""])
    types = [TYPES_HEAD, data(tables), *(declared for _, declared in classes), ""]
    files["records.d.ts"] = "\n".join(types)
    for name in ("runtime.js", "runtime.d.ts"):
        files[name] = (HERE / name).read_text(encoding="utf-8")
    return files


def write(target: Path = TARGET) -> None:
    """Write the engine; files that have not changed stay untouched, and others are removed."""
    files = translated()
    target.mkdir(parents=True, exist_ok=True)
    for path in target.iterdir():
        if path.name not in files:
            shutil.rmtree(path) if path.is_dir() else path.unlink()
    for name, text in files.items():
        path = target / name
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")
