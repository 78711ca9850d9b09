"""The folders of the games are complete, and an error in one is reported in a sentence."""

import json
import sys
from collections.abc import Callable, Iterator
from importlib.metadata import EntryPoint
from itertools import count
from pathlib import Path

import pytest

from foxtray import SHEETS, Game, Throw, bots
from foxtray.bots.base import NoWeights
from foxtray.cli import main
from foxtray.events import ActionSpent, BonusEarned, BonusUsed
from foxtray.games import registry
from foxtray.games.folder import ENGLISH, ROLL, BadFolder, read_folder
from foxtray.games.registry import UnknownGame, folder_of, sheet_of
from foxtray.geometry import sheet_view

LANGUAGES = ["en", "de", "nl", "sr"]
all_games = pytest.mark.parametrize("game", SHEETS)


@all_games
def test_every_language_has_the_same_words(game: str) -> None:
    folder = folder_of(game)
    assert list(folder.texts) == LANGUAGES
    for language, text in folder.texts.items():
        assert text.keys() == folder.texts[ENGLISH].keys(), language
        assert all(text.values())


@all_games
def test_the_ratings_are_called_the_same_on_sheet_and_page(game: str) -> None:
    text = folder_of(game).text(ENGLISH)
    titles = [rating.title for rating in sheet_of(game).ratings]
    assert titles == [text[f"rating.{number}"] for number in range(len(titles))]


@all_games
def test_the_guided_game_can_be_played(game: str) -> None:
    lesson = folder_of(game).lesson
    assert lesson
    moment, throws = Game.new(game), iter(lesson.throws)
    earned: list[str] = []
    chained = spent = False
    for step in lesson.inputs:
        if step == ROLL:
            moment, events = moment.roll(Throw(tuple(map(int, next(throws)))))
        else:
            moment, events = moment.play(0, step)
        kinds = [type(event) for event in events]
        earned += [event.bonus for event in events if isinstance(event, BonusEarned)]
        # A mark that a bonus made sets off another bonus.
        chained |= BonusUsed in kinds and BonusEarned in kinds[kinds.index(BonusUsed) :]
        spent |= any(isinstance(e, ActionSpent) and e.track == "extra" for e in events)
    assert "fox" in earned
    assert chained
    assert spent
    assert f"lesson.{len(lesson.inputs) + 2}" not in folder_of(game).text(ENGLISH)


def test_a_missing_language_is_english() -> None:
    folder = folder_of("clever")
    assert folder.text("xx") == folder.text("en")
    assert folder.text("de")["colour.green"] == "Grün"
    assert folder.rulebook("xx") is None


def test_an_unknown_game_is_refused_with_the_known_ones() -> None:
    with pytest.raises(UnknownGame, match="unknown game 'chess'; choose one of clever, twice"):
        sheet_of("chess")
    assert len(SHEETS) == 2
    assert "chess" not in SHEETS


def test_the_dice_as_they_are_drawn() -> None:
    clever, twice = sheet_view("clever"), sheet_view("twice")
    assert (clever["free_sign"], twice["free_sign"]) == ("X", "?")
    drawn = {die["colour"]: die for view in (clever, twice) for die in view["dice"]}
    assert {colour: die["shape"] for colour, die in drawn.items()} == {
        "white": "circle",
        "silver": "square",
        "yellow": "star",
        "blue": "diamond",
        "green": "triangle",
        "orange": "hexagon",
        "purple": "shield",
        "pink": "heart",
    }
    assert drawn["pink"]["letter"] == "p"
    assert drawn["pink"]["paint"]["light"]["strong"] == "#b7306f"
    assert drawn["pink"]["paint"]["dark"]["soft"] == "#40192c"


# --- folders with something wrong -----------------------------------------------------------------

NUMBERS = count()
Make = Callable[..., str]


@pytest.fixture
def make(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Make]:
    """Makes the folder of a game like Clever, with some files replaced or left out (None)."""
    monkeypatch.syspath_prepend(tmp_path)

    def made(**changed: object) -> str:
        package = f"pretended{next(NUMBERS)}"
        text = dict(folder_of("clever").texts[ENGLISH])
        files: dict[str, object] = {
            "__init__.py": "",
            "sheet.py": "from foxtray.games.clever.sheet import SHEET",
            "lesson.json": {"throws": ["123456"], "inputs": ["roll"]},
            "text/en.json": text,
            "rules/en.md": "1.1 Play.",
        }
        for name, content in (files | changed).items():
            path = tmp_path / package / name
            if content is not None:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(content if isinstance(content, str) else json.dumps(content))
        return package

    yield made
    for module in [name for name in sys.modules if name.startswith("pretended")]:
        del sys.modules[module]


def test_a_folder_needs_no_more_than_sheet_words_and_rules(make: Make) -> None:
    folder = read_folder(make(**{"lesson.json": None, "text/notes.txt": "not a language"}))
    assert folder.lesson is None
    assert list(folder.texts) == ["en"]
    assert folder.weights is None
    assert folder.text("en")["letter.white"] == "W"


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"sheet.py": "SHEETS = []"}, "sheet.py must define SHEET"),
        ({"sheet.py": "SHEET = 'paper'"}, "sheet.py must define SHEET"),
        ({"text/en.json": None}, "text/en.json is missing"),
        ({"text/en.json": "{"}, "en.json is not valid JSON"),
        ({"text/en.json": []}, "en.json must hold a JSON object"),
        ({"text/de.json": {"title": 5}}, "text/de.json: 'title' must be a string"),
        ({"text/en.json": {"title": "x", "line": "y"}}, "text/en.json is missing 'colour.white'"),
        ({"rules/en.md": None}, "rules/en.md is missing"),
        ({"lesson.json": {"throws": []}}, "lesson.json: 'inputs' must be a list of strings"),
        (
            {"lesson.json": {"throws": [123456], "inputs": []}},
            "lesson.json: 'throws' must be a list of strings",
        ),
        (
            {"lesson.json": {"throws": ["12345"], "inputs": ["roll"]}},
            "the throw '12345' must be six faces",
        ),
        (
            {"lesson.json": {"throws": ["123457"], "inputs": ["roll"]}},
            "the throw '123457' must be six faces",
        ),
        ({"lesson.json": {"throws": [], "inputs": ["roll"]}}, "1 rolls but 0 throws"),
        (
            {"lesson.json": {"throws": [], "inputs": ["pass"] * 30}},
            "text/en.json is missing 'lesson.22'",
        ),
        ({"strength.json": "?"}, "strength.json is not valid JSON"),
        ({"headroom.json": "?"}, "headroom.json is not valid JSON"),
        ({"bots.toml": "casual ="}, "bots.toml is not valid TOML"),
        ({"bots.toml": "levels = 5"}, "bots.toml: 'levels' must be tables"),
        ({"bots.toml": "[levels]\ncasual = 5"}, "bots.toml: 'casual' of levels must be a table"),
        ({"bots.toml": "training = 5"}, "bots.toml: 'training' must be a table"),
        ({"bots.toml": "[levels.solid]\nmood = 1"}, "'mood' of solid is unknown"),
        ({"bots.toml": "[levels.solid]\nnoise = -1"}, "'noise' of solid must be 0 or more"),
        ({"bots.toml": "[levels.solid]\nnoise = 'a'"}, "'noise' of solid must be 0 or more"),
        ({"bots.toml": "[levels.solid]\nbound = 0"}, "'bound' of solid must be a whole number"),
        ({"bots.toml": "[training]\nshare = 2"}, "'share' of training must be from 0 to 1"),
        ({"bots.toml": "[training]\nrate = 0.1"}, "'rate' of training is unknown"),
        ({"bots.toml": "[mood]"}, "bots.toml: unknown key 'mood'"),
    ],
)
def test_a_folder_with_something_wrong(make: Make, changed: dict[str, object], words: str) -> None:
    with pytest.raises(BadFolder, match=words):
        read_folder(make(**changed))


# --- games of other packages ---------------------------------------------------------------------


@pytest.fixture
def install(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str, str], None]]:
    """Makes a package known as a game of that name."""
    entries: list[EntryPoint] = []
    monkeypatch.setattr(registry, "entry_points", lambda group: entries)

    def installed(name: str, package: str) -> None:
        entries.append(EntryPoint(name, package, registry.GROUP))
        registry.found.cache_clear()

    yield installed
    registry.found.cache_clear()


OTHER = """
from dataclasses import replace
from foxtray.games.clever import sheet
SHEET = replace(sheet.SHEET, id="other", title="Other")
"""


def test_a_game_of_another_package_is_found(make: Make, install: Callable[..., None]) -> None:
    install("other", make(**{"sheet.py": OTHER}))
    assert list(SHEETS) == ["clever", "twice", "other"]
    assert sheet_of("other").title == "Other"
    assert registry.refused() == ()
    assert bots.names("other") == ("random", "greedy")
    with pytest.raises(NoWeights, match="no trained weights for 'other'; train some with foxtray"):
        bots.chooser("strong", "other")


@pytest.mark.parametrize(
    ("name", "sheet", "words"),
    [
        ("clever", OTHER, "the name is taken"),
        ("third", OTHER, "its sheet has the id 'other'"),
        ("other", "SHEET = 0", "sheet.py must define SHEET"),
        ("other", "import nothing_like_it", "ModuleNotFoundError"),
        ("other", "raise SystemExit(3)", "SystemExit(3)"),
        ("other", OTHER.replace('"other"', '"Other 2"'), "sheet Other 2: its id must be"),
    ],
)
def test_a_game_that_cannot_be_played_is_left_out(
    make: Make,
    install: Callable[..., None],
    capsys: pytest.CaptureFixture[str],
    name: str,
    sheet: str,
    words: str,
) -> None:
    package = make(**{"sheet.py": sheet})
    install(name, package)
    assert list(SHEETS) == ["clever", "twice"]
    (sentence,) = registry.refused()
    assert sentence.startswith(f"skipped the game {name} from {package}: ")
    assert words in sentence
    assert main(["rules", "clever"]) == 0
    assert capsys.readouterr().err == f"foxtray: {sentence}\n"


def test_a_package_that_is_not_there_is_left_out(install: Callable[..., None]) -> None:
    install("other", "no_such_package")
    assert ": ModuleNotFoundError" in registry.refused()[0]
