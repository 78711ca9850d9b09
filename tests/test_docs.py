"""The documentation is complete and true."""

import argparse
import doctest
import re
import tomllib
from pathlib import Path

import pytest

from foxtray import render
from foxtray.cli import build_parser
from foxtray.games.registry import sheet_of

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
HOME = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["urls"][
    "Homepage"
]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]


def commands() -> dict[str, argparse.ArgumentParser]:
    whole = build_parser()
    return {"": whole, **actions(whole)}


def actions(parser: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    """The actions of a command that has some, such as `admin`."""
    found: dict[str, argparse.ArgumentParser] = {}
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            found |= action.choices
    return found


def options(parser: argparse.ArgumentParser) -> set[str]:
    return {name for action in parser._actions for name in action.option_strings if "--" in name}


def documented() -> dict[str, set[str]]:
    """The options that docs/cli.md lists in the tables of each command."""
    found: dict[str, set[str]] = {}
    command = ""
    for line in (ROOT / "docs" / "cli.md").read_text(encoding="utf-8").splitlines():
        if line.startswith("## "):
            command = line.removeprefix("## foxtray").strip()
        listed = re.match(r"\| (?:`-[a-zA-Z]`, )?`(--[a-z-]+)", line)
        found.setdefault(command, set()).update([listed[1]] if listed else [])
    return found


def test_every_command_is_documented_and_no_other() -> None:
    assert set(documented()) == set(commands())


@pytest.mark.parametrize("command", commands())
def test_every_option_is_documented_and_no_other(command: str) -> None:
    own = options(commands()[command])
    if command:
        own = own.union(*(options(parser) for parser in actions(commands()[command]).values()))
    assert documented()[command] == (own - {"--help"} if command else own)


def test_every_action_of_a_command_is_documented() -> None:
    text = (ROOT / "docs" / "cli.md").read_text(encoding="utf-8")
    for command, parser in commands().items():
        for name in actions(parser) if command else ():
            assert f"`foxtray {command} {name}" in text


def test_the_examples_of_the_manual_can_be_parsed() -> None:
    text = (ROOT / "docs" / "cli.md").read_text(encoding="utf-8")
    examples = re.findall(r"^foxtray (.+)$", text, re.MULTILINE)
    assert examples
    for example in examples:
        build_parser().parse_args(example.split())


def test_the_commands_for_hosts_can_be_parsed() -> None:
    text = (ROOT / "docs" / "hosting.md").read_text(encoding="utf-8")
    found = re.findall(r"\bfoxtray ((?:serve|backup|restore|export) [^\n`]+)", text)
    assert len(found) > 10
    for command in found:
        build_parser().parse_args(command.split())


def test_the_examples_in_the_help_can_be_parsed() -> None:
    inner = [one for name, p in commands().items() if name for one in actions(p).values()]
    for parser in (*commands().values(), *inner):
        assert parser.epilog
        for example in re.findall(r"^  foxtray (.+)$", parser.epilog, re.MULTILINE):
            build_parser().parse_args(example.split(" | ")[0].split())


@pytest.mark.parametrize(
    "page",
    [
        "README.md",
        "docs/bots.md",
        "docs/simulation.md",
        "docs/tutorials/bot-writers.md",
        "docs/tutorials/researchers.md",
    ],
)
def test_what_is_shown_in_python_happens(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    blocks = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    assert blocks
    runner = doctest.DocTestRunner()
    test = doctest.DocTestParser().get_doctest("\n".join(blocks), {}, page, None, 0)
    runner.run(test)
    assert runner.summarize(verbose=False) == (0, len(test.examples))


def test_the_readme_shows_a_sheet() -> None:
    assert f"```\n{render.sheet(sheet_of('clever'))}\n```" in README


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)", page.read_text(encoding="utf-8")):
        ours = re.match(rf"{re.escape(HOME)}/(?:blob|tree|raw)/main/(.*)", target)
        if ours:
            assert (ROOT / ours[1]).exists(), target
        elif "://" not in target:
            assert page.name != "README.md" or page.parent != ROOT, f"{target} is not absolute"
            assert (page.parent / target).exists(), target


@pytest.mark.parametrize(
    "target", re.findall(r"^([a-z-]+):.*##", (ROOT / "Makefile").read_text(), re.M)
)
def test_every_target_of_the_makefile_is_explained(target: str) -> None:
    if target not in ("help", "clean"):
        assert f"`make {target}`" in (ROOT / "CONTRIBUTING.md").read_text()
