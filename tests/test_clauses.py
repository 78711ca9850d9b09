"""Every clause of the rulebooks is cited by the rules and proven by a scene worked out by hand."""

import inspect
import re
from pathlib import Path

import pytest
import scenes
from scenes import Scene

from foxtray import SHEETS, FoxtrayError, rulebook
from foxtray.core import rules

ROOT = Path(__file__).parents[1]
LANGUAGES = ("de", "en", "nl", "sr")
SCENES = [scene for game in SHEETS for scene in scenes.read(game)]

# Clauses that no function carries out, and why.
NOT_MECHANICAL = {
    "clever": {
        "1.1": "introduces the game",
        "6.2": "the sheet has no cells where crosses are printed",
        "12.3": "a sheet that contradicts it cannot be made",
        "14.8": "the ratings are data of the sheet",
    },
    "twice": {
        "1.1": "introduces the game",
        "12.3": "a sheet that contradicts it cannot be made",
        "14.8": "the ratings are data of the sheet",
    },
}

all_games = pytest.mark.parametrize("game", SHEETS)
all_languages = pytest.mark.parametrize("language", LANGUAGES)


@pytest.mark.parametrize("scene", SCENES, ids=str)
def test_scene(scene: Scene) -> None:
    assert any(step.verb == "expect" or "refused" in step.words for step in scene.steps)
    scenes.play(scene)


@all_games
def test_every_clause_has_a_scene(game: str) -> None:
    cited = {clause for scene in SCENES if scene.game == game for clause in scene.clauses}
    assert cited == set(rulebook.clauses(game))


def cited(game: str) -> set[str]:
    """The clauses of a game that the functions of the rules cite.

    The last paragraph of a docstring reads `Clauses: 3.8, 3.9; Twice 3.11.`: what stands without
    a name is cited for every game.
    """
    found: set[str] = set()
    for name, function in inspect.getmembers(rules, inspect.isfunction):
        paragraph = (inspect.getdoc(function) or "").split("\n\n")[-1]
        if "Clauses" not in paragraph:
            continue
        for part in " ".join(paragraph.removeprefix("Clauses: ").split()).rstrip(".").split("; "):
            match = re.fullmatch(r"(?:([A-Z][a-z]+) )?(\d+\.\d+(?:, \d+\.\d+)*)", part)
            assert match, f"{name}: {part!r} is not a list of clauses"
            assert match[1] is None or match[1].lower() in SHEETS, f"{name}: no game {match[1]}"
            if match[1] is None or match[1].lower() == game:
                found |= set(match[2].split(", "))
    return found


@all_games
def test_every_clause_is_cited_by_the_rules_or_not_mechanical(game: str) -> None:
    clauses, listed = set(rulebook.clauses(game)), set(NOT_MECHANICAL[game])
    assert cited(game) <= clauses, "cited, but not in the rulebook"
    assert listed <= clauses, "listed, but not in the rulebook"
    assert not cited(game) & listed, "cited, and listed as not mechanical"
    assert cited(game) | listed == clauses, "neither cited nor listed"


@all_games
@all_languages
def test_numbers_are_the_same_in_every_language(game: str, language: str) -> None:
    assert list(rulebook.clauses(game, language)) == list(rulebook.clauses(game))


@all_games
@all_languages
def test_clauses_count_up_within_their_section(game: str, language: str) -> None:
    text = rulebook.text(game, language)
    expected = []
    for section in re.split(r"^## ", text, flags=re.MULTILINE)[1:]:
        number = section.split(".")[0]
        count = len(re.findall(rf"^{number}\.\d+ ", section, flags=re.MULTILINE))
        expected += [f"{number}.{n}" for n in range(1, count + 1)]
    assert list(rulebook.clauses(game, language)) == expected


@all_games
@all_languages
def test_references_lead_somewhere(game: str, language: str) -> None:
    clauses = rulebook.clauses(game, language)
    for number, text in clauses.items():
        assert set(re.findall(r"\b\d+\.\d+\b", text)) <= set(clauses), number


@all_games
@all_languages
def test_a_rulebook_fits_a_terminal(game: str, language: str) -> None:
    assert all(len(line) <= 78 for line in rulebook.text(game, language).splitlines())


@pytest.mark.parametrize(
    ("game", "language"),
    [("chess", "en"), ("clever", "xx"), ("../en/clever", "en"), ("clever", "../en"), ("", "")],
)
def test_an_unknown_rulebook_is_refused(game: str, language: str) -> None:
    with pytest.raises(FoxtrayError, match="there is no rulebook"):
        rulebook.text(game, language)


@all_games
def test_options_are_named_where_a_reading_has_one(game: str) -> None:
    assert "`solo_fallback`" in rulebook.clauses(game)["14.6"]
    assert "`fox_floor`" in rulebook.clauses(game)["13.2"]


def test_the_documentation_links_to_the_rulebooks() -> None:
    page = ROOT / "docs" / "rules" / "README.md"
    links = re.findall(r"\]\((.+?)\)", page.read_text(encoding="utf-8"))
    assert all((page.parent / link).exists() for link in links)
    assert all(any(f"{game}/rules/en.md" in link for link in links) for game in SHEETS)
