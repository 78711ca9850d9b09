"""Modules import only from their own level or below."""

import ast
import importlib
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

import foxtray
from foxtray import SHEETS, FoxtrayError

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src"

# The longest matching prefix decides; a module that none matches belongs nowhere yet.
LEVELS = {
    "foxtray.errors": 0,
    "foxtray.extras": 2,
    "foxtray.core.codes": 0,
    "foxtray.games.model": 0,
    "foxtray.games": 1,
    "foxtray.core": 1,
    "foxtray.game": 2,
    "foxtray.position": 2,
    "foxtray.refusal": 2,
    "foxtray.events": 2,
    "foxtray.files": 2,
    "foxtray.arguments": 2,
    "foxtray.dice": 2,
    "foxtray.observation": 2,
    "foxtray.digits": 2,
    "foxtray.history": 2,
    "foxtray.record": 2,
    "foxtray.views": 2,
    "foxtray.geometry": 2,
    "foxtray.layouts": 2,
    "foxtray.folders": 2,
    "foxtray.perft": 2,
    "foxtray.words": 2,
    "foxtray.render": 2,
    "foxtray.terminal": 2,
    "foxtray.terminal_table": 6,
    "foxtray.completion": 6,
    "foxtray.rulebook": 2,
    "foxtray": 2,
    "foxtray.sim": 3,
    "foxtray.bots": 4,
    "foxtray.engines": 4,
    "foxtray.train": 5,
    "foxtray.review": 5,
    "foxtray.rating": 5,
    "foxtray.envs": 5,
    "foxtray.server": 6,
    "foxtray.sim.commands": 6,
    "foxtray.bots.commands": 6,
    "foxtray.engines.commands": 6,
    "foxtray.train.commands": 6,
    "foxtray.review.commands": 6,
    "foxtray.rating.commands": 6,
    "foxtray.cli": 7,
    "foxtray.__main__": 7,
}
FREE_OF_DEPENDENCIES = 2


def module_name(path: Path) -> str:
    parts = path.relative_to(SOURCE).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {module_name(path): path for path in sorted(SOURCE.rglob("*.py"))}


def level(module: str) -> int:
    if module == "foxtray":
        return LEVELS[module]
    prefix = module
    while prefix not in LEVELS:
        prefix = prefix.rpartition(".")[0]
    assert prefix != "foxtray", f"{module} is on no level: add it to LEVELS"
    return LEVELS[prefix]


def is_type_checking(test: ast.expr) -> bool:
    return (isinstance(test, ast.Name) and test.id == "TYPE_CHECKING") or (
        isinstance(test, ast.Attribute) and test.attr == "TYPE_CHECKING"
    )


def imports(module: str, node: ast.AST, *, only_on_import: bool = False) -> set[str]:
    """The full names of the modules imported under a node, except those only for type checkers."""
    found: set[str] = set()
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Import):
            found.update(alias.name for alias in child.names)
        elif isinstance(child, ast.ImportFrom):
            assert child.level == 0, f"{module} imports relatively: write whole names"
            base = child.module or ""
            for alias in child.names:
                name = f"{base}.{alias.name}"
                found.add(name if name in MODULES else base)
        elif isinstance(child, ast.If) and is_type_checking(child.test):
            for other in child.orelse:
                found |= imports(module, other, only_on_import=only_on_import)
        elif not (only_on_import and isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef)):
            found |= imports(module, child, only_on_import=only_on_import)
    return found


def imports_of(module: str, *, only_on_import: bool = False) -> set[str]:
    tree = ast.parse(MODULES[module].read_text(encoding="utf-8"))
    return imports(module, tree, only_on_import=only_on_import)


def is_ours(module: str) -> bool:
    return module.partition(".")[0] == "foxtray"


def errors_of(module: str) -> Iterator[type[Exception]]:
    """The exceptions that a module defines."""
    for value in vars(importlib.import_module(module)).values():
        if isinstance(value, type) and issubclass(value, Exception) and value.__module__ == module:
            yield value


def test_every_error_is_a_value_error() -> None:
    found = {error.__name__: error for module in MODULES for error in errors_of(module)}
    assert {"FoxtrayError", "IllegalAction", "UnknownGame", "BotError"} <= set(found)
    strangers = [name for name, error in found.items() if not issubclass(error, FoxtrayError)]
    assert strangers == []
    assert issubclass(FoxtrayError, ValueError)


@pytest.mark.parametrize("module", MODULES)
def test_nobody_imports_upwards(module: str) -> None:
    for imported in filter(is_ours, imports_of(module)):
        assert level(imported) <= level(module), f"{module} imports {imported}"


@pytest.mark.parametrize("module", MODULES)
def test_the_rules_need_only_the_standard_library(module: str) -> None:
    if level(module) <= FREE_OF_DEPENDENCIES:
        foreign = {name.partition(".")[0] for name in imports_of(module) if not is_ours(name)}
        assert foreign <= sys.stdlib_module_names


SERVER_PACKAGES = ("protocol", "store", "bots", "tables", "daily", "http")


@pytest.mark.parametrize("package", SERVER_PACKAGES)
def test_the_packages_of_the_server_import_only_those_before_them(package: str) -> None:
    after = SERVER_PACKAGES[SERVER_PACKAGES.index(package) + 1 :]
    above = tuple(f"foxtray.server.{name}" for name in (*after, "app", "run", "commands"))
    inside = [name for name in MODULES if name.startswith(f"foxtray.server.{package}")]
    assert inside
    for module in inside:
        assert not [name for name in imports_of(module) if name.startswith(above)], module


def test_rules_import_only_the_codes() -> None:
    assert imports_of("foxtray.core.rules") <= {"__future__", "typing", "foxtray.core.codes"}


def test_no_module_imports_in_a_circle() -> None:
    graph = {
        module: {name for name in imports_of(module, only_on_import=True) if name in MODULES}
        for module in MODULES
    }
    finished: set[str] = set()

    def visit(module: str, path: tuple[str, ...]) -> None:
        assert module not in path, " -> ".join([*path[path.index(module) :], module])
        if module not in finished:
            for imported in sorted(graph[module]):
                visit(imported, (*path, module))
            finished.add(module)

    for module in graph:
        visit(module, ())


@pytest.mark.parametrize("module", ["foxtray", "foxtray.cli"])
def test_starting_up_imports_neither_numpy_nor_numba(module: str) -> None:
    program = f"import sys, {module}; print(*(sys.modules.keys() & {{'numpy', 'numba'}}))"
    result = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert result.stdout.strip() == ""


def test_playing_in_the_terminal_loads_neither_numpy_nor_numba() -> None:
    program = (
        "import sys; from foxtray.cli import main; main('play clever --seats me,greedy'.split()); "
        "print('loaded:', *(sys.modules.keys() & {'numpy', 'numba'}))"
    )
    # Enter throws and is refused at a choice, 1 chooses and is refused at a throw.
    result = subprocess.run(
        [sys.executable, "-c", program],
        input="\n1\n" * 400,
        capture_output=True,
        text=True,
        check=True,
    )
    assert "points" in result.stdout.splitlines()[-3]
    assert result.stdout.splitlines()[-1].strip() == "loaded:"


def test_coverage_leaves_out_exactly_what_lies_above_the_rules() -> None:
    config = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    omitted = {
        pattern.removeprefix("*/").removesuffix("/*").removesuffix(".py").replace("/", ".")
        for pattern in config["tool"]["coverage"]["run"]["omit"]
    }
    assert omitted == {name for name, at in LEVELS.items() if at > FREE_OF_DEPENDENCIES}


def is_part_of_a_game(path: Path) -> bool:
    return path.is_relative_to(SOURCE / "foxtray" / "games") and path.parent.name in SHEETS


@pytest.mark.parametrize("module", MODULES)
def test_a_game_is_named_in_its_folder_only(module: str) -> None:
    """A game is named by its id in a name or string, or by its title outside a clause reference."""
    path = MODULES[module]
    if is_part_of_a_game(path):
        return
    source = re.sub(r"\b[A-Z]\w+ \d+\.\d+", "", path.read_text(encoding="utf-8"))
    for sheet in SHEETS.values():
        assert not re.search(rf"\b{sheet.title}\b", source), f"{module} names {sheet.title}"
    tree = ast.parse(source)
    prose = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        found = {getattr(node, "id", ""), getattr(node, "attr", ""), getattr(node, "name", "")}
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in prose:
            found |= set(re.findall(r"\w+", node.value))
        named = {str(each).lower() for each in found} & set(SHEETS)
        assert not named, f"{module} names {named}"


def test_public_names_are_found_when_they_are_used() -> None:
    assert set(foxtray.__all__) <= set(dir(foxtray))
    homes = {name for names in foxtray.HOMES.values() for name in names}
    assert homes | {"__version__"} == set(foxtray.__all__)
    for name in foxtray.__all__:
        assert getattr(foxtray, name) is not None
    with pytest.raises(AttributeError, match="has no attribute 'Chess'"):
        _ = foxtray.Chess
