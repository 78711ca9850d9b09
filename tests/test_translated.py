"""The rules translated to JavaScript agree with those in Python."""

import os
import shutil
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import pytest
from third_game import GAME, installed
from translated import Different, compare_games
from translator import page

GAMES = 38
"""For each game and number of seats: 304 together."""
LONG = 2_500
"""20,000 together."""
CHUNK = 125


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The rules, translated from the source as it is now."""
    folder = tmp_path_factory.mktemp("engine")
    page.write(folder)
    return folder


@pytest.mark.parametrize("seats", [1, 2, 3, 4])
@pytest.mark.parametrize("game", ["clever", "twice"])
def test_python_equals_javascript(game: str, seats: int, engine: Path, long_run: bool) -> None:
    if not long_run:
        assert compare_games(game, seats, 0, GAMES, engine) > 40 * GAMES
        return
    firsts = range(0, LONG, CHUNK)
    same = [[value] * len(firsts) for value in (game, seats, CHUNK, engine)]
    with ProcessPoolExecutor(os.cpu_count(), get_context("spawn")) as pool:
        compared = pool.map(compare_games, same[0], same[1], firsts, same[2], same[3])
        assert sum(compared) > 40 * LONG


def test_a_game_of_another_package_is_translated_already(engine: Path, tmp_path: Path) -> None:
    """The rules know only tables, and those are data."""
    with installed(tmp_path):
        assert compare_games(GAME, 1, 0, 10, engine) > 200
        assert compare_games(GAME, 3, 0, 10, engine) > 200


@pytest.mark.parametrize(
    ("file", "before", "after"),
    [
        ("codes.js", "export const AT_LEAST = 2", "export const AT_LEAST = 3"),
        ("codes.js", "export const HIGHEST_FACE = 6", "export const HIGHEST_FACE = 5"),
        ("chance.js", "word >>> 17", "word >> 17"),
        ("chance.js", "Math.imul(word, 0xcc9e2d51)", "(word * 0xcc9e2d51)"),
        ("chance.js", "key ^ key >>> 16", "key ^ key >>> 15"),
        ("runtime.js", "Math.floor(a / b)", "Math.round(a / b)"),
        ("runtime.js", "const shifted = a << b", "const shifted = (a << b) | 0x1000"),
        ("rules.js", "& ~", "| ~"),
        ("rules.js", "$.mod(s.turn, 2)", "$.mod(s.turn, 3)"),
        ("records.js", "subarray(9, 15)", "subarray(10, 16)"),
    ],
)
def test_planted_differences_are_found(
    file: str, before: str, after: str, engine: Path, tmp_path: Path
) -> None:
    shutil.copytree(engine, tmp_path / "engine")
    path = tmp_path / "engine" / file
    source = path.read_text()
    assert before in source
    path.write_text(source.replace(before, after))
    with pytest.raises(Different):
        compare_some(tmp_path / "engine")


def compare_some(engine: Path) -> None:
    for game in ("clever", "twice"):
        for seats in (1, 2):
            compare_games(game, seats, 0, 8, engine)
