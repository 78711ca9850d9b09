"""The engine tells whole games word for word as the oracle does."""

from pathlib import Path

import pytest
from engine import Engine
from oracle import Oracle
from transcript import read_headline, retell

FILES = sorted((Path(__file__).parent / "golden").glob("*.txt"))


def test_there_is_a_game_for_each_number_of_seats() -> None:
    games = [f"{game}-{seats}" for game in ("clever", "twice") for seats in (1, 2, 3, 4)]
    assert [path.stem for path in FILES] == games


@pytest.mark.parametrize("table", [Engine, Oracle])
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_golden(path: Path, table: type[Engine] | type[Oracle]) -> None:
    lines = path.read_text().splitlines()
    game, seats, first, flags = read_headline(lines[0])
    assert retell(table(game, seats, first, **flags), game, lines) == lines
