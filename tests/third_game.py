"""Burrow, a game of another package: made visible as if it were installed."""

from __future__ import annotations

import os
import sys
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from foxtray.games import registry

PACKAGE = Path(__file__).parent / "packages" / "burrow"
GAME = "burrow"


def describe(folder: Path, package: Path = PACKAGE) -> None:
    """Write the metadata that an installer would write for the package."""
    project = tomllib.loads((package / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    about = folder / f"{project['name']}-{project['version']}.dist-info"
    about.mkdir(parents=True)
    (about / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n"
    )
    (about / "entry_points.txt").write_text(
        "\n".join(
            line
            for group, entries in project["entry-points"].items()
            for line in (f"[{group}]", *(f"{name} = {value}" for name, value in entries.items()))
        )
    )


def environment(folder: Path, package: Path = PACKAGE) -> dict[str, str]:
    """The environment of a process in which the package is installed; needs an empty folder."""
    describe(folder, package)
    paths = [str(folder), str(package), os.environ.get("PYTHONPATH", "")]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths))}


@contextmanager
def installed(folder: Path, package: Path = PACKAGE) -> Iterator[None]:
    """The package is installed in this process; needs an empty folder."""
    describe(folder, package)
    before = sys.path[:]
    sys.path[:0] = [str(folder), str(package)]
    registry.found.cache_clear()
    try:
        yield
    finally:
        sys.path[:] = before
        registry.found.cache_clear()
