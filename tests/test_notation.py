"""docs/notation.md and docs/api.md leave nothing out, and everything they show happens."""

import doctest
import re
from dataclasses import fields
from pathlib import Path
from random import Random

import pytest
from test_layers import FREE_OF_DEPENDENCIES, level
from test_record import committed, play_on, promised
from test_refusal import codes_in_source

import foxtray
from foxtray import SHEETS, FoxtrayError, Game, extras, record
from foxtray.core import codes
from foxtray.events import NAMES
from foxtray.history import Setup
from foxtray.position import OPTIONS
from foxtray.record import Record

DOCS = Path(__file__).parent.parent / "docs"
NOTATION = (DOCS / "notation.md").read_text(encoding="utf-8")
API = (DOCS / "api.md").read_text(encoding="utf-8")


def blocks(text: str, kind: str) -> list[str]:
    return re.findall(rf"```{kind}\n(.*?)```", text, re.DOTALL)


def sections(text: str, mark: str) -> dict[str, str]:
    """The parts of a text by their headings; deeper headings stay within."""
    _, *parts = re.split(rf"^{mark} (.+)$", text, flags=re.MULTILINE)
    return dict(zip(parts[::2], parts[1::2], strict=True))


def first_column(text: str) -> list[str]:
    """Everything in code marks in the first column of the tables of a text."""
    cells = re.findall(r"^\| (.*?) \|", text, re.MULTILINE)
    return [word for cell in cells for word in re.findall(r"`(.+?)`", cell)]


PARTS = sections(NOTATION, "##")


# --- examples -----------------------------------------------------------------------------------


@pytest.mark.parametrize("page", ["notation.md", "api.md"])
def test_what_is_shown_in_python_happens(page: str) -> None:
    text = "\n".join(blocks((DOCS / page).read_text(encoding="utf-8"), "python"))
    runner = doctest.DocTestRunner()
    test = doctest.DocTestParser().get_doctest(text, {}, page, None, 0)
    runner.run(test)
    assert runner.summarize(verbose=False) == (0, len(test.examples))
    assert len(test.examples) > 10


@pytest.mark.parametrize("line", "".join(blocks(NOTATION, "position")).splitlines())
def test_positions_shown_are_positions(line: str) -> None:
    assert Game.from_position(line).position() == line


@pytest.mark.parametrize("text", blocks(NOTATION, "fox"))
def test_records_shown_are_records(text: str) -> None:
    again, verified = record.read(text)
    assert again.text() == text
    assert verified


# --- nothing is left out ------------------------------------------------------------------------


def test_dice_and_areas() -> None:
    for game, sheet in SHEETS.items():
        dice = " ".join(f"`{letter}`" for letter in sheet.letters)
        areas = " ".join(f"`{area.letter}`" for area in sheet.areas)
        assert f"| `{game}` | {dice} | {areas} |" in PARTS["Dice, areas, cells"]


def test_kinds_of_action() -> None:
    assert first_column(PARTS["Actions"]) == list(codes.ACTION_NAMES)


def test_options() -> None:
    assert first_column(PARTS["Options"]) == list(OPTIONS)
    assert list(Game.new("clever").options) == list(OPTIONS)


def test_words_of_a_position() -> None:
    documented = set(first_column(PARTS["Positions"]))
    written = {
        word.partition("=")[0]
        for line in "".join(blocks(NOTATION, "position")).splitlines()
        for word in line.split()
        if "=" in word
    }
    letters = {area.letter for sheet in SHEETS.values() for area in sheet.areas}
    assert documented == written - letters
    for name in (*codes.PHASE_NAMES, *codes.STAGE_NAMES, *codes.TRACK_NAMES):
        assert f"`{name}`" in PARTS["Positions"], name


def test_every_event_with_its_fields() -> None:
    documented = {
        name: first_column(text) for name, text in sections(PARTS["Events"], "###").items()
    }
    assert documented == {
        name: [field.name for field in fields(kind)] for kind, name in NAMES.items()
    }


@pytest.mark.parametrize(
    ("event", "names"),
    [
        ("taken", codes.MANNER_NAMES),
        ("moved", codes.MOVE_NAMES + codes.PLACE_NAMES),
        ("bonus_earned", codes.SOURCE_NAMES),
        ("track_circled", codes.TRACK_NAMES),
        ("action_spent", codes.TRACK_NAMES),
        ("passed", codes.STAGE_NAMES[1:]),
        ("line_completed", ("row", "column", "diagonal")),
    ],
)
def test_every_value_of_a_field(event: str, names: tuple[str, ...]) -> None:
    text = sections(PARTS["Events"], "###")[event]
    assert [name for name in names if f"`{name}`" not in text] == []


def test_every_line_of_a_record() -> None:
    setups = [
        committed("clever", 1),
        Setup("clever", 2, solo_fallback=True, fox_floor=True, names=("Ana", "Ben"), seed=1),
        Setup("twice"),
    ]
    written = set()
    for setup in setups:
        for line in play_on(Record(setup), Random(1)).text().splitlines():
            word = line.split()[0]
            written.add("SEAT" if word.isdigit() else word)
    given_up = Record(promised())
    given_up.given_up = True
    written |= {line.split()[0] for line in given_up.text().splitlines()}
    documented = [line.split()[0] for line in first_column(PARTS["Records"])]
    assert sorted(documented) == sorted(written)
    for kind in ("own", "seed", "secret"):
        assert f"`{kind}" in PARTS["Records"]


def test_every_code_of_an_error() -> None:
    assert extras.MissingExtra.code  # only errors of imported modules are found below
    kinds = [FoxtrayError]
    for kind in kinds:
        kinds += filter(in_the_rules, kind.__subclasses__())
    ours = {kind.code for kind in kinds} | codes_in_source()
    assert sorted(first_column(PARTS["Errors"])) == sorted(ours)


def in_the_rules(kind: type) -> bool:
    """Whether an error belongs to levels 0 to 2: what lies above tells its own."""
    return level(kind.__module__) <= FREE_OF_DEPENDENCIES


# --- the API ------------------------------------------------------------------------------------


def test_every_public_name() -> None:
    listed = first_column(API.partition("\n## ")[0])
    assert sorted(listed) == sorted(foxtray.__all__)


def test_every_member_of_a_game() -> None:
    members = {name for name in dir(Game) if not name.startswith("_")}
    listed = first_column(sections(API, "##")["A game"])
    assert {name.partition("(")[0] for name in listed} == members


def test_the_pages_can_be_found() -> None:
    readme = (DOCS.parent / "README.md").read_text(encoding="utf-8")
    cli = (DOCS / "cli.md").read_text(encoding="utf-8")
    assert "/docs/api.md)" in readme
    assert "/docs/notation.md)" in readme
    assert "(notation.md#records)" in cli
    assert "(notation.md)" in API
