"""A game of another package can do everything the shipped games can, with only its folder."""

import json
import random
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import third_game
from twin import compare_games

from foxtray import Game, SeededDice, Throw, record, rulebook
from foxtray.bots.inputs import MOST_INPUTS, inputs_of
from foxtray.core.layout import layout
from foxtray.games.folder import ROLL
from foxtray.games.model import count_actions
from foxtray.games.registry import SHEETS, folder_of, refused, sheet_of
from foxtray.history import Setup
from foxtray.record import Record
from foxtray.render import WIDTH, sheet
from foxtray.views import game_view

GAME = third_game.GAME
Run = Callable[..., subprocess.CompletedProcess[str]]


def runner(environment: dict[str, str]) -> Run:
    def run(line: str, typed: str = "", status: int = 0) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "foxtray", *line.split()]
        done = subprocess.run(
            command, input=typed, capture_output=True, text=True, env=environment, check=False
        )
        assert done.returncode == status, done.stderr
        return done

    return run


@pytest.fixture
def foxtray(tmp_path: Path) -> Run:
    """Runs a command where the package is installed."""
    return runner(third_game.environment(tmp_path / "site"))


@pytest.fixture
def _installed(tmp_path: Path) -> Iterator[None]:
    with third_game.installed(tmp_path / "here"):
        yield


here = pytest.mark.usefixtures("_installed")

# --- its folder -----------------------------------------------------------------------------------


@here
def test_it_is_a_game_like_the_others() -> None:
    assert list(SHEETS) == ["clever", "twice", GAME]
    assert refused() == ()
    assert sheet_of(GAME).letters == ("w", "b", "n", "e", "g", "r")
    assert len({colour[0] for colour in sheet_of(GAME).colours}) < 6
    drawn = sheet(sheet_of(GAME)).splitlines()
    assert max(map(len, drawn)) <= WIDTH
    assert "1.1" in rulebook.clauses(GAME, "sr")


@here
def test_its_words_and_its_guided_game_are_complete() -> None:
    folder = folder_of(GAME)
    assert list(folder.texts) == ["en", "de", "nl", "sr"]
    for text in folder.texts.values():
        assert text.keys() == folder.texts["en"].keys()
    numbers = [list(rulebook.clauses(GAME, language)) for language in folder.texts]
    assert all(found == numbers[0] for found in numbers)
    assert folder.lesson
    game, throws = Game.new(GAME), iter(folder.lesson.throws)
    for step in folder.lesson.inputs:
        if step == ROLL:
            game = game.roll(Throw(tuple(map(int, next(throws))))).game
        else:
            game = game.play(0, step).game
    assert game.marks(0) == {"b7a": 1, "g1": 3, "e1": 1}


@here
def test_its_net_has_the_size_of_its_sheet() -> None:
    sizes = {game: inputs_of(game).size for game in SHEETS}
    assert len(set(sizes.values())) == 3
    assert max(sizes.values()) < MOST_INPUTS
    # 30 blue cells, and 12 brown ones with a circle and a cross each.
    assert inputs_of(GAME).count[0] == 30 + 2 * 12


# --- its rules ------------------------------------------------------------------------------------


@here
@pytest.mark.parametrize("seats", [1, 2, 3, 4])
def test_interpreted_equals_compiled(seats: int) -> None:
    assert compare_games(GAME, seats, range(60)) > 30 * 60


@here
@pytest.mark.parametrize("seats", [1, 2, 4])
def test_positions_records_and_views_of_it(seats: int, tmp_path: Path) -> None:
    chance = random.Random(seats)
    kept = Record(Setup(GAME, seats, seed=seats))
    while not kept.game.over:
        if kept.game.rolling():
            kept.roll()
        else:
            seat = chance.choice(kept.game.awaiting())
            kept.play(seat, chance.choice(kept.game.legal(seat)))
        text = kept.game.position()
        assert Game.from_position(text).position() == text
        assert game_view(kept.game)["game"] == GAME
    kept.save(tmp_path / "game.fox")
    found, verified = record.read((tmp_path / "game.fox").read_text())
    assert verified
    assert found.game.scores() == kept.game.scores()
    assert len(layout(GAME).actions) == count_actions(sheet_of(GAME)) == 150


def test_the_tree_of_its_decisions(foxtray: Run) -> None:
    *divided, last = foxtray(f"perft {GAME} --seats 2 --depth 3 --divide").stdout.splitlines()
    assert last == f"depth 3: {sum(int(line.split()[1]) for line in divided)}"
    assert divided[0].startswith("pass ")


# --- playing it -----------------------------------------------------------------------------------


def test_it_plays_in_the_terminal(foxtray: Run) -> None:
    # Enter throws and is refused at a choice, 1 chooses and is refused at a throw.
    shown = foxtray(f"play {GAME} --seats me,greedy --seed 5", "h\n" + "\n1\n" * 400).stdout
    assert "n BROWN" in shown
    assert "e GREY" in shown
    assert "w>b7a" in shown
    assert shown.splitlines()[-2].endswith(" points")
    assert foxtray(f"rules {GAME}").stdout.startswith("# Burrow")


def test_it_is_simulated_by_random_and_greedy(foxtray: Run) -> None:
    means = {}
    for bot in ("random", "greedy"):
        told = json.loads(foxtray(f"simulate {GAME} --bot {bot} --games 500 --json").stdout)
        means[bot] = told["mean"]
    assert means["greedy"] > means["random"] + 20


def test_a_level_that_needs_a_net_says_that_there_is_none(foxtray: Run) -> None:
    sentence = (
        "foxtray: no trained weights for 'burrow'; "
        "train some with foxtray train burrow, or choose random or greedy\n"
    )
    assert foxtray(f"simulate {GAME} --bot strong --games 5", status=2).stderr == sentence
    assert foxtray(f"play {GAME} --seats me,casual", status=2).stderr == sentence
    unknown = foxtray(f"simulate {GAME} --bot nobody --games 5", status=2).stderr
    assert unknown == "foxtray: unknown bot 'nobody'; choose one of random, greedy\n"


def test_it_trains_and_plays_by_the_net(tmp_path: Path) -> None:
    package = tmp_path / "package"
    shutil.copytree(third_game.PACKAGE, package)
    foxtray = runner(third_game.environment(tmp_path / "site", package))
    checkpoint = tmp_path / "run.npz"
    foxtray(f"train {GAME} --games 1600 --seed 5 --jobs 1 --out {checkpoint}")
    foxtray(f"pack {checkpoint} --out {package / 'burrow' / 'weights.npz'}")
    means = {}
    for bot in ("random", "strong"):
        told = json.loads(foxtray(f"simulate {GAME} --bot {bot} --games 100 --json").stdout)
        means[bot] = told["mean"]
    assert means["strong"] > means["random"] + 15
    # At a table with a level that errs, and one that looks ahead.
    shown = foxtray(f"play {GAME} --seats casual,expert --seed 3").stdout
    assert "points" in shown.splitlines()[-2]


def test_random_games_end(tmp_path: Path) -> None:
    """Whatever the dice show and the players choose."""
    with third_game.installed(tmp_path / "here"):
        for seed in range(30):
            seats = 1 + seed % 4
            chance, dice = random.Random(seed), SeededDice(seed)
            game = Game.new(GAME, seats)
            while not game.over:
                address = game.address()
                if address:
                    game = game.roll(dice.throw(*address)).game
                else:
                    seat = chance.choice(game.awaiting())
                    game = game.play(seat, chance.choice(game.legal(seat))).game
            assert game.turn + 1 == sheet_of(GAME).rounds[seats - 1] * max(2, seats)
