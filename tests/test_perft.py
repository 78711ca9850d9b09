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
    counts = case["counts"]
    for depth in range(1, len(counts)):
        counted = divide(engine.copy(), depth, dice)
        if sum(counted.values()) != counts[depth]:
            expected = case["divide"] if depth == len(counts) - 1 else {}
            pytest.fail(differences(depth, counted, expected, engine.game.position()))
    assert counted == case["divide"]


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


def differences(depth: int, counted: dict[str, int], expected: dict[str, int], where: str) -> str:
    lines = [f"depth {depth} below {where}"]
    for text in sorted(counted | expected):
        ours, right = counted.get(text, "-"), expected.get(text, "-")
        lines.append(
            f"{text:10} engine {ours:>6}  oracle {right:>6}{'' if ours == right else ' !'}"
        )
    return "\n".join(lines)
