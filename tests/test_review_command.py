"""The command review, and hints in the terminal game."""

from __future__ import annotations

import ctypes
import io
import json
import re
import time
import xml.etree.ElementTree as ET
from html import escape
from pathlib import Path

import pytest
from reviewed import played, reviewed
from third_game import installed

from foxtray import Game, Throw, bots
from foxtray.cli import main
from foxtray.history import Setup
from foxtray.record import Record
from foxtray.review import Review, chart, commands, page, read_review, words
from foxtray.review.reviewing import games_of, luck_of
from foxtray.review.strength import strengths
from foxtray.sim import batch


@pytest.fixture(scope="module")
def evening(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("games") / "evening.fox"
    played("clever", ("casual",)).save(path)
    return path


def test_the_table_adds_up(evening: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["review", str(evening), "--quick", "--seed", "1"]) == 0
    said = capsys.readouterr().out
    lines = said.splitlines()
    total = next(line for line in lines if line.startswith(" All"))
    *figures, _, result = total.split()[1:]
    numbers = [float(figure.replace("−", "-")) for figure in figures]
    assert sum(numbers) == pytest.approx(float(result), abs=1e-6)
    assert sum(bool(re.match(r" Round \d  ", line)) for line in lines) == 6
    assert "Better" in said
    assert "gave away" in said
    assert max(map(len, lines)) < 80


@pytest.mark.parametrize("names", [("casual",), ("casual", "random")])
def test_the_printed_figures_add_up(names: tuple[str, ...]) -> None:
    """Each was rounded by itself, so rows and columns were off by a tenth or two."""
    found = reviewed("clever", names)
    for player in found.players:
        shared = len(names) > 1
        head, *rows, total = commands.rounds(player, shared, True, "en")
        assert head.split()[0] == "Expected"
        tenths = [
            [round(10 * float(part.replace("−", "-"))) for part in row.split()[-4 - shared :]]
            for row in rows
        ]
        *parts, _, result = total.split()[1:]
        whole = [round(10 * float(part.replace("−", "-"))) for part in parts]
        starts = [row[0] for row in tenths]
        assert [sum(row) for row in tenths] == [*starts[1:], 10 * int(result)]
        assert [starts[0], *map(sum, list(zip(*tenths, strict=True))[1:])] == whole
        assert sum(whole) == 10 * int(result)
        assert page.signed("en", player.luck) in total


def test_a_decision_shows_its_dice_and_its_step(evening: Path, tmp_path: Path) -> None:
    """The page did not say whose alternatives it listed, and nobody said what was rolled."""
    path = tmp_path / "a.html"
    assert main(["review", str(evening), "--quick", "--seed", "1", "--html", str(path)]) == 0
    text = path.read_text()
    games = games_of(played("clever", ("casual",)))
    found = reviewed("clever", ("casual",)).players[0].costliest(page.COUNT)
    assert any(len(decision.steps) > 1 for decision in found)
    for decision in found:
        assert f"<h3>Round {decision.round + 1}: {decision.price:.1f} points" in text
        assert words.dice(games[decision.at]) in text
        if len(decision.steps) > 1:
            assert escape(words.costliest_step(decision)) in text


def test_dice_are_named_where_they_lie() -> None:
    game = Game.new("clever", 2)
    assert words.dice(game) == ""
    game = game.roll(Throw((3, 3, 4, 5, 6, 6))).game
    assert words.dice(game) == "Roll: w3 y3 b4 g5 o6 p6"
    game = game.play(0, "g>g").game
    assert words.dice(game, "de") == "Tablett: w3 y3 b4 · Würfelfelder: g5"
    game = game.roll(Throw((0, 0, 0, 0, 1, 2))).game
    assert words.dice(game) == "Roll: o1 p2 · Platter: w3 y3 b4 · Dice fields: g5"


def test_the_table_speaks_one_language(evening: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Sentences were German between English labels and moves."""
    assert main(["review", str(evening), "--quick", "--lang", "de"]) == 0
    said = capsys.readouterr().out
    assert "Runde 1" in said
    assert "Besser" in said
    for english in ("round", "points", "chosen", "better", "luck", "crossed", "gave"):
        assert english not in said.lower()


def test_json_svg_and_html(
    evening: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    picture, path = tmp_path / "a.svg", tmp_path / "a.html"
    command = ["review", str(evening), "--quick", "--seed", "1", "--json"]
    assert main([*command, "--svg", str(picture), "--html", str(path), "--lang", "de"]) == 0
    assert read_review(json.loads(capsys.readouterr().out)) == reviewed("clever", ("casual",))
    assert ET.fromstring(picture.read_text()).tag.endswith("svg")
    text = path.read_text()
    assert '<html lang="de">' in text
    assert "Teuerste Entscheidungen" in text
    assert "http" not in text.replace("http://www.w3.org/2000/svg", "")
    assert "<script" not in text
    assert "crossed off" not in text  # moves are told in English only


def test_the_page_tells_moves_in_words(evening: Path, tmp_path: Path) -> None:
    path = tmp_path / "a.html"
    assert main(["review", str(evening), "--quick", "--seed", "1", "--html", str(path)]) == 0
    text = path.read_text()
    found = reviewed("clever", ("casual",))
    worst = found.players[0].costliest()[0]
    before = games_of(played("clever", ("casual",)))[worst.at]
    for line in (worst.chosen, worst.best):
        assert escape(words.in_english(before, 0, line.actions)) in text


def test_words_in_the_picture_are_large_enough_on_a_phone() -> None:
    """They were 9 pixels high at a width of 360, of which the margins leave 328."""
    small = re.search(r"max-width: 30rem\) { svg, svg text { font-size: (\d+)px", page.STYLE)
    assert small
    assert int(small[1]) * 328 / chart.WIDTH > 10.5


def test_the_picture_says_whose_game_it_draws(tmp_path: Path) -> None:
    path, picture = tmp_path / "evening.fox", tmp_path / "a.svg"
    played("clever", ("casual", "random")).save(path)
    command = ["review", str(path), "--quick", "--svg", str(picture), "--seat", "2"]
    assert main([*command, "--lang", "de"]) == 0
    assert "<title>evening.fox: Platz 2 (random)</title>" in picture.read_text()


def test_the_picture_tells_luck_from_what_others_did() -> None:
    found = reviewed("clever", ("casual", "random"))
    colours = {kind: chart.COLOURS[kind] for kind in ("roll", "decision", "influence")}
    assert len(set(colours.values())) == 3
    picture = chart.svg(found.players[0], "x")
    moments = found.players[0].moments
    for kind, colour in colours.items():
        most = sum(moment.kind == kind for moment in moments)
        assert 0 < picture.count(f'fill="{colour}"') - 1 <= most  # one of them is in the legend
    assert ">Others<" in picture
    assert ">Others<" not in chart.svg(reviewed("clever", ("casual",)).players[0], "x")


def test_a_page_writes_numbers_as_its_language_does() -> None:
    found = reviewed("clever", ("casual", "random"))
    games = games_of(played("clever", ("casual", "random")))
    text = page.html(found, games, "evening.fox", "de")
    plain = re.sub(r"<style>.*?</style>|<svg.*?</svg>|<[^>]*>", " ", text, flags=re.DOTALL)
    assert re.search(r"\d,\d", plain)
    assert not re.search(r"\d\.\d", plain)
    assert f"−{found.players[0].price:.1f}".replace(".", ",") in plain
    for heading in ("1. casual", "2. random"):
        assert f"<h2>{heading}</h2>" in text


def test_a_game_that_has_not_begun(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / f"{'long' * 40}.fox"
    Record(Setup("clever", seed=1)).save(path)
    picture = tmp_path / "a.svg"
    assert main(["review", str(path), "--quick", "--svg", str(picture)]) == 0
    said = capsys.readouterr().out
    (total,) = (line.split() for line in said.splitlines() if line.startswith(" All"))
    assert total[2:5] == ["0.0", "0.0", "0.0"], "it showed -0.0"
    shown = ET.fromstring(picture.read_text()).findall("{*}text")
    assert max(len(text.text or "") for text in shown) <= chart.LONGEST


def test_several_games_show_the_strength(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    files = []
    for seed in (1, 2):
        path = tmp_path / f"{seed}.fox"
        played("clever", ("casual",), seed).save(path)
        files.append(str(path))
    assert main(["review", *files, "--quick", "--json"]) == 0
    (found,) = json.loads(capsys.readouterr().out)["strengths"]
    assert (found["name"], found["games"]) == ("casual", 2)
    totals = [played("clever", ("casual",), seed).game.score(0).total for seed in (1, 2)]
    assert found["plain_mean"] == sum(totals) / 2
    assert found["mean"] == pytest.approx(found["plain_mean"] - found["luck"])
    assert main(["review", *files, "--quick", "--html", str(tmp_path / "x.html")]) == 2
    assert "--svg and --html need a single file" in capsys.readouterr().err


def test_a_single_game_has_no_error() -> None:
    (found,) = strengths([reviewed("clever", ("casual",))])
    assert (found.error, found.plain_error, found.gain) == (None, None, None)


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        (["--deep", "--quick"], "--deep and --quick cannot be combined"),
        (["--seat", "3"], "{evening}: there is no seat 3; this game has only seat 1"),
        (["--seed", "1e29"], "the seed must be a whole number from 0 to 2^64 - 1"),
        (["--svg", "a.png"], "cannot write to a.png; its name must end in .svg"),
        (["--html", "a.txt"], "cannot write to a.txt; its name must end in .html"),
    ],
)
def test_mistakes_are_told_in_a_sentence(
    options: list[str], complaint: str, evening: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["review", str(evening), *options]) == 2
    assert capsys.readouterr().err == f"foxtray: {complaint.format(evening=evening)}\n"


def test_a_game_from_the_standard_input(
    evening: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fed(data: bytes) -> None:
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(data)))

    fed(evening.read_bytes())
    assert main(["review", "-", "--quick", "--seed", "1", "--json"]) == 0
    assert read_review(json.loads(capsys.readouterr().out)) == reviewed("clever", ("casual",))
    fed(evening.read_bytes())
    assert main(["replay", "-"]) == 0
    assert "Verified" in capsys.readouterr().out
    for data, complaint in (
        (b"", "standard input: line 1: expected 'foxtray'"),
        (b"\xff\xfe", "standard input is not a text file"),
    ):
        fed(data)
        assert main(["review", "-"]) == 2
        assert capsys.readouterr().err == f"foxtray: {complaint}\n"


def unused(*args: object, **more: object) -> Review:
    raise AssertionError("a game was reviewed before all mistakes were told")


def test_a_seat_that_one_game_lacks_is_told_before_the_work(
    evening: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("foxtray.review.commands.review", unused)
    two = tmp_path / "two.fox"
    Record(Setup("clever", 2, seed=1)).save(two)
    assert main(["review", str(two), "--seat", "3"]) == 2
    assert "two.fox: there is no seat 3; this game has seats 1 to 2" in capsys.readouterr().err
    assert main(["review", str(two), str(evening), "--seat", "2"]) == 2
    assert "evening.fox: there is no seat 2" in capsys.readouterr().err


@pytest.mark.parametrize("option", ["svg", "html"])
def test_a_folder_that_is_missing_is_told_before_the_work(
    option: str,
    evening: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("foxtray.review.commands.review", unused)
    path = tmp_path / "none" / f"a.{option}"
    assert main(["review", str(evening), f"--{option}", str(path)]) == 2
    assert capsys.readouterr().err == f"foxtray: {path}: No such file or directory\n"


def test_strength_counts_finished_games_once(
    evening: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    copy, fresh = tmp_path / "copy.fox", tmp_path / "fresh.fox"
    copy.write_text(evening.read_text())
    Record(Setup("clever", seed=1)).save(fresh)
    files = [str(evening), str(copy), str(fresh)]
    assert main(["review", *files, "--quick", "--seed", "1", "--json"]) == 0
    said = capsys.readouterr()
    (found,) = json.loads(said.out)["strengths"]
    assert (found["games"], found["error"]) == (1, None)
    assert f"{copy} is the same game as {evening}; it counts once" in said.err
    assert f"{fresh} is not finished, so it does not count" in said.err
    monkeypatch.setattr("foxtray.review.commands.review", unused)
    for form in ([], ["--json"]):
        assert main(["review", str(fresh), str(fresh), *form]) == 2
        said = capsys.readouterr()
        assert said.out == ""
        assert "none of these games is finished" in said.err


def test_a_missing_or_broken_file_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["review", str(tmp_path / "none.fox")]) == 2
    assert "none.fox" in capsys.readouterr().err
    broken = tmp_path / "broken.fox"
    broken.write_text("foxtray 1\nrules 1\ngame chess\n")
    assert main(["review", str(broken)]) == 2
    assert capsys.readouterr().err.startswith(f"foxtray: {broken}: line 3")


def test_ctrl_c_leaves_the_files_alone(
    evening: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def stop(*args: object, **more: object) -> None:
        raise KeyboardInterrupt

    path = tmp_path / "a.html"
    path.write_text("kept")
    monkeypatch.setattr("foxtray.review.commands.review", stop)
    assert main(["review", str(evening), "--html", str(path)]) == 130
    assert capsys.readouterr().err == "foxtray: interrupted after 0 of 1 games\n"
    assert path.read_text() == "kept"


@pytest.mark.parametrize("goes_on", [False, True])
def test_ctrl_c_in_a_callback_of_the_compiler_is_not_lost(
    goes_on: bool,
    evening: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It ended in a traceback, or the review went on as if nothing had happened."""

    def strike() -> None:
        raise KeyboardInterrupt

    def compiling(*args: object, **more: object) -> Review:
        ctypes.CFUNCTYPE(None)(strike)()
        if goes_on:
            for _ in range(200):
                time.sleep(0.05)
        raise RuntimeError("no compiled object yet")

    monkeypatch.setattr("foxtray.review.commands.review", compiling)
    assert main(["review", str(evening)]) == 130
    told = "foxtray: interrupted after 0 of 1 games\n" if goes_on else ""
    assert capsys.readouterr().err == told


def test_a_game_without_weights_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with installed(tmp_path / "site"):
        path = tmp_path / "burrow.fox"
        Record(Setup("burrow", seed=1)).save(path)
        assert main(["review", str(path)]) == 2
        assert "no trained weights for 'burrow'" in capsys.readouterr().err


def test_a_hint_in_the_terminal_game(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    answers = iter(["", "h", "q"])
    monkeypatch.setattr("builtins.input", lambda prompt: next(answers))
    assert main(["play", "clever", "--seed", "3"]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "Hint: b>b7 (white and blue together 7: b7 crossed off)." in said
    assert "points expected" in said


def test_an_arena_without_luck(capsys: pytest.CaptureFixture[str]) -> None:
    command = [
        "arena",
        "clever",
        "--bots",
        "strong,random",
        "--seats",
        "1",
        "--games",
        "3",
        "--seed",
        "5",
        "--jobs",
        "1",
        "--json",
    ]
    assert main(command) == 0
    plain = json.loads(capsys.readouterr().out)
    assert main([*command, "--luck-adjusted"]) == 0
    fair = json.loads(capsys.readouterr().out)
    assert (plain["luck_adjusted"], fair["luck_adjusted"]) == (False, True)
    for before, after in zip(plain["bots"], fair["bots"], strict=True):
        assert before["win_rate"] == after["win_rate"]
        assert before["mean"]["value"] != after["mean"]["value"]
    lucks = [luck_of(played_by("strong", seed), 0) for seed in (5, 6, 7)]
    without = plain["bots"][0]["mean"]["value"] - sum(lucks) / 3
    assert fair["bots"][0]["mean"]["value"] == pytest.approx(without, abs=0.001)


def played_by(bot: str, seed: int) -> Record:
    return batch.play("clever", [bots.chooser(bot, "clever")], seed, 1, moves=True).record(0)
