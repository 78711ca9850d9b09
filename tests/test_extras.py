"""What is not installed is refused in a sentence, and nothing else suffers from it."""

import importlib.util
import re
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from foxtray import SHEETS, bots, cli, extras

PROJECT = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text())["project"]


@pytest.fixture
def bare(monkeypatch: pytest.MonkeyPatch) -> None:
    """An installation without any extra."""
    optional = {name for names in extras.EXTRAS.values() for name in names}

    def find(name: str) -> object:
        return None if name in optional else importlib.util.find_spec(name)

    monkeypatch.setattr(extras, "find_spec", find)


def test_the_extras_are_those_of_the_project() -> None:
    for extra, names in extras.EXTRAS.items():
        found = {Requirement(text).name for text in PROJECT["optional-dependencies"][extra]}
        assert found == set(names)
        assert extras.missing(extra) == []
        extras.need(extra)


def test_a_bare_installation_offers_the_bots_it_can_play(bare: None) -> None:
    for game in SHEETS:
        assert bots.names(game)[:2] == ("random", "greedy")
        assert not bots.can_play("strong", game)
        with pytest.raises(extras.MissingExtra, match=r"^bot strong needs numpy and numba; "):
            bots.chooser("strong", game)
    with pytest.raises(extras.MissingExtra, match=r"pip install 'foxtray\[bots\]'$"):
        bots.bot("expert")


@pytest.mark.parametrize(
    "line",
    [
        "simulate clever --bot random --games 5",
        "arena clever --bots random,greedy --games 5",
        "train clever --games 5",
        "play clever --seats me,strong",
    ],
)
def test_a_bare_installation_says_what_is_missing(
    line: str, bare: None, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(line.split()) == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert re.fullmatch(r"foxtray: .* needs numpy and numba; to install: .*\n", told.err)


def test_a_bare_installation_lists_all_bots(bare: None, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["bots"]) == 0
    lines = capsys.readouterr().out.splitlines()
    lacking = {line.split()[0] for line in lines if "Not installed" in line}
    assert lacking == {"casual", "solid", "strong", "expert"}
