"""The engine counts the same trees of decisions as the oracle did."""

import json
from pathlib import Path
from typing import Any

import pytest
from engine import Engine, PackageDice
from oracle import Oracle
from perft import divide, perft, play_opening
from tables import WrittenDice, throw_wanted

from foxtray import Game, SeededDice
from foxtray.perft import perft as package_perft
from foxtray.perft import thrown

FILES = sorted((Path(__file__).parent / "perft").glob("*.json"))


def cases() -> list[Any]:
    found = []
    for path in FILES:
        content = json.loads(path.read_text())
        for number, case in enumerate(content["cases"]):
            game, seats = content["game"], content["seats"]
            found.append(pytest.param(game, seats, case, id=f"{path.stem}-{number}"))
    return found


def test_there_is_a_file_for_each_game_and_number_of_seats() -> None:
    games = [f"{game}-{seats}" for game in ("clever", "twice") for seats in (1, 2, 3, 4)]
    assert [path.stem for path in FILES] == games


@pytest.mark.parametrize(("game", "seats", "case"), cases())
def test_perft(game: str, seats: int, case: dict[str, Any]) -> None:
    dice = WrittenDice(case["throws"])
    engine = Engine(game, seats, **case["options"])
    play_opening(engine, case["opening"], dice)
    deepest = len(case["counts"]) - 1
    counted = divide(engine, deepest, dice)
    if counted != case["divide"]:
        pytest.fail(differences(engine, dice, counted, case))


@pytest.mark.parametrize("seats", [1, 2, 3, 4])
@pytest.mark.parametrize("game", ["clever", "twice"])
def test_the_packages_own_count_from_seeded_dice(game: str, seats: int) -> None:
    for depth in (0, 1, 2):
        expected = perft(Oracle(game, seats), depth, PackageDice(seats))
        assert package_perft(Game.new(game, seats), SeededDice(seats), depth) == expected


def test_a_finished_game_counts_as_one() -> None:
    game = Game.new("clever", 1)
    dice = SeededDice(7)
    oracle = Oracle("clever", 1)
    while not game.over:
        game = thrown(game, dice)
        throw_wanted(oracle, PackageDice(7))
        if game.turn >= 11 and game.awaiting():
            count = package_perft(game, dice, 9)
            assert count == perft(oracle, 9, PackageDice(7)) >= 1
        for seat in game.awaiting():
            action = game.legal(seat)[-1]
            game = game.play(seat, action).game
            oracle.play(seat, str(action))
    assert package_perft(game, dice, 3) == 1


def differences(
    engine: Engine, dice: WrittenDice, counted: dict[str, int], case: dict[str, Any]
) -> str:
    """Where the trees part: the count at each depth, then the deepest one divided by action."""
    lines = [f"below {engine.game.position()}"]
    for depth, right in enumerate(case["counts"]):
        lines.append(line_of(f"depth {depth}", perft(engine, depth, dice), right))
    for text in sorted(counted | case["divide"]):
        lines.append(line_of(text, counted.get(text, 0), case["divide"].get(text, 0)))
    return "\n".join(lines)


def line_of(what: str, ours: int, right: int) -> str:
    return f"{what:10} engine {ours:>6}  oracle {right:>6}{'' if ours == right else '  !'}"


def test_a_difference_is_shown_where_it_is() -> None:
    engine, dice = Engine("clever", 1), WrittenDice({"0.1.0": "666111 012345"})
    throw_wanted(engine, dice)
    right = divide(engine, 1, dice)
    case = {"counts": [1, 2], "divide": right | {"w>o": 0}}
    shown = differences(engine, dice, right, case)
    assert f"depth 1    engine {len(right):>6}  oracle      2  !" in shown
    assert "w>o        engine      1  oracle      0  !" in shown
    assert shown.count("!") == 2
