"""A game's folder: everything specific to one game, wherever its package is installed.

sheet.py            SHEET, the score sheet
text/en.json        its words; one file per language
rules/en.md         its rulebook, in numbered clauses; one file per language
lesson.json         the guided first game (optional)
bots.toml           settings for its bots that differ from the defaults (optional)
weights.npz         trained weights (optional)
strength.json       the measured strength of the bots (optional)
headroom.json       what reviews add to the values of the weights (optional)
"""

from __future__ import annotations

import importlib
import json
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Any

from foxtray.errors import FoxtrayError
from foxtray.games.model import Sheet

ENGLISH = "en"
ROLL = "roll"
LONGEST_PLAN = 1024
"""The highest bound of a plan, in states; a bot has room for a few times as many."""


class BadFolder(FoxtrayError):
    """A game's folder in which something is missing or invalid."""

    code = "bad_folder"


@dataclass(frozen=True, slots=True)
class Lesson:
    """A guided first game: the faces of its throws, and what the player does."""

    throws: tuple[str, ...]
    inputs: tuple[str, ...]
    """`roll`, or the text of an action."""


@dataclass(frozen=True, slots=True)
class Numbers:
    """Settings for the bots of a game."""

    noise: dict[str, float]
    """By level: points of noise added to its values."""
    bounds: dict[str, int]
    """By level: how many states a plan explores completely."""
    training: dict[str, Any]
    """Settings that differ from the default training plan."""


@dataclass(frozen=True, slots=True)
class Folder:
    """A game with everything that belongs to it."""

    sheet: Sheet
    texts: dict[str, dict[str, str]]
    """Words by language, English first."""
    lesson: Lesson | None
    numbers: Numbers
    strength: dict[str, Any]
    """The measurements, by bot."""
    headroom: dict[str, Any]
    """By number of seats: what look-ahead finds beyond the weights (`foxtray.review.headroom`)."""
    files: Traversable

    def text(self, language: str) -> dict[str, str]:
        """The words of the game; English where a translation is missing."""
        letters = {f"letter.{die.colour}": die.letter.upper() for die in self.sheet.dice}
        return letters | self.texts[ENGLISH] | self.texts.get(language, {})

    def rulebook(self, language: str) -> str | None:
        """The rulebook as Markdown; None if there is none in this language."""
        known = {file.name: file for file in entries(self.files / "rules")}
        file = known.get(f"{language}.md")
        return file.read_text(encoding="utf-8") if file else None

    @property
    def weights(self) -> Traversable | None:
        """The file of trained weights, if there is one."""
        file = self.files / "weights.npz"
        return file if file.is_file() else None


def entries(folder: Traversable) -> Iterator[Traversable]:
    """The contents of a folder, by name."""
    if folder.is_dir():
        yield from sorted(folder.iterdir(), key=lambda file: file.name)


def read_folder(package: str) -> Folder:
    """The game in a package; raises BadFolder or SheetError if something is wrong with it."""
    sheet = getattr(importlib.import_module(f"{package}.sheet"), "SHEET", None)
    if not isinstance(sheet, Sheet):
        raise BadFolder("sheet.py must define SHEET, a foxtray.games.model.Sheet")
    root = files(package)

    def need(holds: bool, complaint: str) -> None:
        if not holds:
            raise BadFolder(complaint)

    lesson = read_lesson(root / "lesson.json", need)
    texts = {
        file.name.removesuffix(".json"): read_text(file, need)
        for file in entries(root / "text")
        if file.name.endswith(".json")
    }
    need(ENGLISH in texts, "text/en.json is missing")
    for key in wanted_texts(sheet, lesson):
        need(key in texts[ENGLISH], f"text/en.json is missing {key!r}")
    found = Folder(
        sheet,
        {ENGLISH: texts.pop(ENGLISH)} | texts,
        lesson,
        read_numbers(root / "bots.toml", need),
        read_json(root / "strength.json", need),
        read_json(root / "headroom.json", need),
        root,
    )
    need(found.rulebook(ENGLISH) is not None, "rules/en.md is missing")
    return found


def wanted_texts(sheet: Sheet, lesson: Lesson | None) -> Iterator[str]:
    """The keys that a game's English text needs."""
    yield from ("title", "line")
    yield from (f"colour.{die.colour}" for die in sheet.dice)
    yield from (f"help.{area.colour}" for area in sheet.areas)
    yield from (f"rating.{number}" for number in range(len(sheet.ratings)))
    if lesson:
        yield from (f"lesson.{number}" for number in range(1, len(lesson.inputs) + 2))


def read_json(file: Traversable, need: Callable[[bool, str], None]) -> dict[str, Any]:
    """A JSON object from a file; empty if there is no file."""
    if not file.is_file():
        return {}
    try:
        found = json.loads(file.read_text(encoding="utf-8"))
    except ValueError as error:
        raise BadFolder(f"{file.name} is not valid JSON: {error}") from None
    need(isinstance(found, dict), f"{file.name} must hold a JSON object")
    return dict(found)


def read_text(file: Traversable, need: Callable[[bool, str], None]) -> dict[str, str]:
    """The words of one language."""
    found = read_json(file, need)
    for key, text in found.items():
        need(isinstance(text, str), f"text/{file.name}: {key!r} must be a string")
    return found


def read_lesson(file: Traversable, need: Callable[[bool, str], None]) -> Lesson | None:
    """The guided game, if there is one."""
    if not file.is_file():
        return None
    found = read_json(file, need)
    for key in ("throws", "inputs"):
        listed = isinstance(found.get(key), list) and all(isinstance(x, str) for x in found[key])
        need(listed, f"lesson.json: {key!r} must be a list of strings")
    lesson = Lesson(tuple(found["throws"]), tuple(found["inputs"]))
    for throw in lesson.throws:
        six = len(throw) == 6 and set(throw) <= set("123456")
        need(six, f"lesson.json: the throw {throw!r} must be six faces from 1 to 6")
    rolls, thrown = lesson.inputs.count(ROLL), len(lesson.throws)
    need(rolls == thrown, f"lesson.json: {rolls} rolls but {thrown} throws")
    return lesson


def read_numbers(file: Traversable, need: Callable[[bool, str], None]) -> Numbers:
    """The bot settings of a game, where they differ from the defaults."""
    numbers = Numbers({}, {}, {})
    if not file.is_file():
        return numbers
    try:
        found = tomllib.loads(file.read_text(encoding="utf-8"))
    except ValueError as error:
        raise BadFolder(f"bots.toml is not valid TOML: {error}") from None
    levels, training = found.pop("levels", {}), found.pop("training", {})
    need(not found, f"bots.toml: unknown key {', '.join(map(repr, found))}")
    need(isinstance(levels, dict), "bots.toml: 'levels' must be tables")
    need(isinstance(training, dict), "bots.toml: 'training' must be a table")
    for level, values in levels.items():
        need(isinstance(values, dict), f"bots.toml: {level!r} of levels must be a table")
        for key, value in values.items():
            where = f"bots.toml: {key!r} of {level}"
            need(key in ("noise", "bound"), f"{where} is unknown; choose noise or bound")
            if key == "noise":
                need(type(value) in (int, float) and value >= 0, f"{where} must be 0 or more")
                numbers.noise[level] = float(value)
            else:
                fits = type(value) is int and 1 <= value <= LONGEST_PLAN
                need(fits, f"{where} must be a whole number from 1 to {LONGEST_PLAN}")
                numbers.bounds[level] = value
    for key, value in training.items():
        where = f"bots.toml: {key!r} of training"
        need(key in ("share", "strength"), f"{where} is unknown; choose share or strength")
        need(type(value) in (int, float) and 0 <= value <= 1, f"{where} must be from 0 to 1")
        numbers.training[key] = float(value)
    return numbers
