"""Ratings: a fixed suite, and certificates that prove what they say."""

from __future__ import annotations

import json
import re
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from foxtray import Game, SeededDice, bots
from foxtray.bots.added import AddedEngine, AddedNet, change
from foxtray.cli import main
from foxtray.engines import bot as engine_bot
from foxtray.rating import certificate
from foxtray.rating.certificate import Luck, Part, digest, percentile, same
from foxtray.rating.identity import identity
from foxtray.rating.suite import first_seed

ROOT = Path(__file__).parent.parent
GREEDY = ROOT / "examples" / "engines" / "greedy.py"
Json = dict[str, Any]


@pytest.fixture(autouse=True)
def own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("FOXTRAY_CONFIG", str(tmp_path / "config"))


@pytest.fixture(scope="module")
def greedy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A certificate without luck."""
    path = tmp_path_factory.mktemp("rated") / "greedy.json"
    line = ["rate", "greedy", "--games", "5", "--no-luck", "--jobs", "1", "--out", str(path)]
    assert main(line) == 0
    return path


@pytest.fixture(scope="module")
def strong(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A certificate with luck."""
    path = tmp_path_factory.mktemp("rated") / "strong.json"
    line = "rate strong --game clever --games 4 --jobs 1 --out"
    assert main([*line.split(), str(path)]) == 0
    return path


def test_the_suite_never_changes() -> None:
    """Computed by hand: printf 'foxtray suite 1 clever' | sha256sum, and so on."""
    assert first_seed("clever") == (1 << 52) + int(CLEVER, 16)
    assert first_seed("twice") == (1 << 52) + int(TWICE, 16)


CLEVER, TWICE = "5cfe7d565f", "1af5fb5a99"


def test_a_certificate_says_what_was_played(greedy: Path) -> None:
    """Played once more here, with nothing of the simulator."""
    stored = json.loads(greedy.read_text())
    assert [part["game"] for part in stored["parts"]] == ["clever", "twice"]
    for part in stored["parts"]:
        assert (part["games"], part["games_in_suite"]) == (5, 1000)
        for number, (moves, total) in enumerate(zip(part["moves"], part["totals"], strict=True)):
            dice, game = SeededDice(part["first_seed"] + number), Game.new(part["game"])
            todo = moves.split()
            while not game.over:
                if address := game.address():
                    game = game.roll(dice.throw(*address)).game
                else:
                    game = game.play(0, todo.pop(0)).game
            assert todo == []
            assert game.scores()[0].total == total
        assert part["figures"]["mean"] == sum(part["totals"]) / 5
        assert part["figures"]["method"] == "plain"
        assert part["luck"] is None


def test_the_figures_follow_from_the_games() -> None:
    part = Part("clever", (10, 20, 60), ("", "", ""), Luck("net", (-12.0, -1.0, 28.0)))
    found = part.figures()
    assert found["means"]["plain"]["mean"] == 30
    assert found["means"]["luck-adjusted"]["mean"] == 25
    assert (found["method"], found["mean"]) == ("luck-adjusted", 25)
    assert found["se"] < found["means"]["plain"]["se"]
    assert (found["min"], found["percentiles"]["50"], found["max"]) == (10, 20, 60)
    assert percentile([1, 2, 3, 4, 5], 10) == pytest.approx(1.4)
    useless = Part("clever", (10, 20, 60), ("", "", ""), Luck("net", (12.0, 1.0, -28.0)))
    assert (useless.figures()["method"], useless.figures()["mean"]) == ("plain", 30)


def test_a_certificate_is_verified(greedy: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rate", "--verify", str(greedy)]) == 0
    shown = capsys.readouterr().out
    assert "clever: all 5 games replayed" in shown
    assert f"Verified: {json.loads(greedy.read_text())['sha256'][:16]}" in shown
    assert main(["rate", "greedy", "--verify", str(greedy), "--jobs", "1"]) == 0
    assert "twice: greedy played 5 of 5 games move for move" in capsys.readouterr().out
    assert main(["rate", "random", "--verify", str(greedy), "--jobs", "1"]) == 0
    assert "clever: random played 0 of 5 games move for move" in capsys.readouterr().out
    assert main(["rate", "--verify", str(greedy), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["parts"][0]["percentiles"].keys() == {"5", "10", "25", "50", "75", "90", "95"}


def test_luck_is_verified_too(
    strong: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    stored = json.loads(strong.read_text())
    assert stored["bot"]["weights"]["clever"]
    assert main(["rate", "--verify", str(strong)]) == 0
    assert "clever: luck of 4 games computed again" in capsys.readouterr().out
    changed = tmp_path / "changed.json"

    def luckier(whole: Json) -> None:
        whole["parts"][0]["luck"]["values"][0] += 5

    forge(strong, changed, luckier, figures=True)
    assert main(["rate", "--verify", str(changed)]) == 2
    assert "clever, game 1: the luck is" in capsys.readouterr().err

    def other_net(whole: Json) -> None:
        whole["parts"][0]["luck"]["weights"] = "0" * 16

    forge(strong, changed, other_net)
    assert main(["rate", "--verify", str(changed)]) == 0
    assert "clever: luck not checked: it was valued by another net" in capsys.readouterr().out


def forge(
    source: Path, target: Path, alter: Callable[[Json], None], *, figures: bool = False
) -> None:
    """A changed certificate with a right hash, and figures that follow from it if wanted."""
    whole = json.loads(source.read_text())
    alter(whole)
    del whole["sha256"]
    if figures:
        for part in whole["parts"]:
            luck = part["luck"] and Luck(part["luck"]["weights"], tuple(part["luck"]["values"]))
            made = Part(part["game"], tuple(part["totals"]), tuple(part["moves"]), luck or None)
            part["figures"] = made.figures()
            part["moves_sha256"] = digest(part["moves"])
    target.write_text(json.dumps({**whole, "sha256": digest(whole)}))


def better(whole: Json) -> None:
    whole["parts"][0]["totals"][2] += 50


def other_move(whole: Json) -> None:
    moves = whole["parts"][0]["moves"][0].split()
    whole["parts"][0]["moves"][0] = " ".join([moves[1], *moves[1:]])


def shorter(whole: Json) -> None:
    whole["parts"][1]["moves"][3] = whole["parts"][1]["moves"][3].rpartition(" ")[0]


def longer(whole: Json) -> None:
    whole["parts"][1]["moves"][3] += " pass"


def nonsense(whole: Json) -> None:
    whole["parts"][0]["moves"][0] = "e2-e4"


def other_mean(whole: Json) -> None:
    whole["parts"][0]["figures"]["mean"] += 1


def other_seed(whole: Json) -> None:
    whole["parts"][0]["first_seed"] += 1


def other_suite(whole: Json) -> None:
    whole["suite"] = 2


def other_rules(whole: Json) -> None:
    whole["rules"] = 99


def no_parts(whole: Json) -> None:
    whole["parts"] = []


def no_totals(whole: Json) -> None:
    whole["parts"][0]["totals"] = None


def half_points(whole: Json) -> None:
    whole["parts"][0]["totals"][0] = 1.5


def one_game(whole: Json) -> None:
    for key in ("totals", "moves"):
        whole["parts"][0][key] = whole["parts"][0][key][:1]


def other_game(whole: Json) -> None:
    whole["parts"][0]["game"] = "chess"


@pytest.mark.parametrize(
    ("alter", "figures", "said"),
    [
        (better, True, r"clever, game 3 \(seed \d+\): its moves give \d+ points, not \d+"),
        (other_move, True, r"clever, game 1 \(seed \d+\): "),
        (shorter, True, r"twice, game 4 \(seed \d+\): the moves end before the game does"),
        (longer, True, r"twice, game 4 \(seed \d+\): there are moves after the end of the game"),
        (nonsense, True, r"clever, game 1 \(seed \d+\): "),
        (other_mean, False, "'figures' of clever does not follow from its games"),
        (other_seed, False, "'first_seed' of clever does not follow from its games"),
        (other_suite, False, "is certificate version 1 of suite 2"),
        (other_rules, False, "was made under rules 99, not 1"),
        (no_parts, False, "is not a certificate"),
        (no_totals, False, "is not a certificate"),
        (half_points, False, "is not a certificate"),
        (one_game, False, "suite 1 has 2 to 1000 games, not 1"),
        (other_game, False, "the game 'chess' is not installed"),
    ],
)
def test_a_forged_certificate_is_refused(
    alter: Callable[[Json], None],
    figures: bool,
    said: str,
    greedy: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    forge(greedy, tmp_path / "forged.json", alter, figures=figures)
    assert main(["rate", "--verify", "forged.json"]) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert re.search(said, shown.err), shown.err
    assert shown.err.count("\n") == 1


@pytest.mark.parametrize("text", ["", "[]", "{}", "[" * 100_000, '{"certificate": 1}', "\xff"])
def test_what_is_no_certificate_is_said(
    text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "other.json").write_text(text, encoding="latin-1")
    assert main(["rate", "--verify", "other.json"]) == 2
    assert capsys.readouterr().err == "foxtray: other.json is not a certificate\n"


def test_a_changed_certificate_does_not_match_its_hash(
    greedy: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "changed.json").write_text(greedy.read_text().replace('"greedy"', '"mine"'))
    assert main(["rate", "--verify", "changed.json"]) == 2
    assert "was changed: its hash does not match" in capsys.readouterr().err


def test_a_certificate_that_is_too_large_is_not_read(
    greedy: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(certificate, "LARGEST", 100)
    assert main(["rate", "--verify", str(greedy)]) == 2
    assert "is too large for a certificate" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("", "name a bot to rate, or a certificate with --verify"),
        ("nobody", "unknown bot 'nobody'"),
        ("greedy --games 1", "suite 1 has 2 to 1000 games, not 1"),
        ("greedy --games 1001", "suite 1 has 2 to 1000 games, not 1001"),
        ("greedy --out there.json", "there.json already exists"),
        ("greedy --jobs 0", "cannot use 0 processes"),
        ("greedy --weights x.npz", "bot greedy does not use weights"),
        ("strong --weights x.npz", "there is no weights file x.npz"),
        ("only --game twice", "bot only does not play twice"),
        ("--verify none.json", "none.json: No such file"),
        ("--verify there.json --no-luck", "--no-luck cannot be combined with --verify"),
    ],
)
def test_bad_input_is_one_sentence(
    line: str, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    change("only", AddedEngine(("true",), "/", ("clever",)))
    (tmp_path / "there.json").write_text("mine")
    assert main(["rate", *line.split()]) == 2
    shown = capsys.readouterr()
    assert said in shown.err
    assert shown.err.count("\n") == 1
    assert (tmp_path / "there.json").read_text() == "mine"


def test_an_engine_is_rated(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bots", "add", "mine", "--", sys.executable, str(GREEDY)]) == 0
    line = "rate mine --game clever --games 2 --no-luck --jobs 1"
    assert main(line.split()) == 0
    engine_bot.quit_all()
    assert "mine-suite1.json" in capsys.readouterr().out
    stored = json.loads(Path("mine-suite1.json").read_text())["bot"]
    assert (stored["kind"], stored["title"]) == ("engine", "Greedy in Python")
    assert set(stored["files"]) == {Path(sys.executable).name, "greedy.py"}
    assert str(ROOT) not in json.dumps(stored)
    assert main(["rate", "mine", "--verify", "mine-suite1.json", "--jobs", "1"]) == 0
    engine_bot.quit_all()
    assert "mine played 2 of 2 games move for move" in capsys.readouterr().out


def test_a_bot_is_told_apart_by_what_it_consists_of(tmp_path: Path) -> None:
    weights = ROOT / "src" / "foxtray" / "games" / "clever" / "weights.npz"
    shutil.copy(weights, tmp_path / "mine.npz")
    shipped = identity("strong", ["clever"])
    assert identity("strong", ["clever"], tmp_path / "mine.npz") == shipped
    change("mine", AddedNet("strong", {"clever": str(tmp_path / "mine.npz")}))
    own = identity("mine", ["clever"])
    assert own["weights"] == shipped["weights"]
    assert (own["kind"], own["level"], shipped["kind"]) == ("net", "strong", "level")
    assert identity("greedy", ["clever"]) == {"name": "greedy", "kind": "level"}


def test_means_may_be_rounded_differently() -> None:
    assert same({"a": 1.0, "b": 2}, {"a": 1.0 + 1e-12, "b": 2})
    assert not same({"a": 1.0}, {"a": 1.001})
    assert not same({"a": 1}, {"b": 1})
    assert not same(None, {"a": 1})
    assert not same("x", 1.0)


# --- the documentation ----------------------------------------------------------------------------


def test_every_key_of_a_certificate_is_documented(strong: Path) -> None:
    text = (ROOT / "docs" / "rating.md").read_text(encoding="utf-8")
    keys, part_keys = (
        {
            key
            for row in re.findall(r"^\| (`.*?) \|", table, re.MULTILINE)
            for key in re.findall(r"`(\w+)`", row)
        }
        for table in re.findall(r"\n\| key.*?\n(?=\n)", text, re.DOTALL)
    )
    stored = json.loads(strong.read_text())
    assert keys == set(stored)
    assert part_keys == set(stored["parts"][0])
    for figure in stored["parts"][0]["figures"]:
        assert f"`{figure}`" in text


def test_the_table_of_results_has_every_level() -> None:
    text = (ROOT / "docs" / "rating.md").read_text(encoding="utf-8")
    table = text.partition("<!-- ratings -->")[2].partition("<!-- /ratings -->")[0]
    rated = re.findall(r"^\| `(\w+)` \| (\w+) \| ([\d.]+) \|", table, re.MULTILINE)
    assert {(name, game) for name, game, _ in rated} == {
        (name, game) for name in bots.LEVELS for game in ("clever", "twice")
    }
