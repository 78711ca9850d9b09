"""The bots that the user added: engines and their own nets, in a file in the settings folder."""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from foxtray.errors import FoxtrayError
from foxtray.files import replacing
from foxtray.folders import config_folder

VERSION = 1
SHORTEST_BUDGET, BUDGET, LONGEST_BUDGET = 10, 1000, 60_000
"""Milliseconds for a decision of an engine."""
SHORTEST_START, START, LONGEST_START = 1, 60, 120
"""Seconds that an engine has to say hello."""


class DamagedList(FoxtrayError):
    """The list of added bots cannot be used."""

    code = "damaged_bot_list"


@dataclass(frozen=True, slots=True)
class AddedEngine:
    """A program that speaks the engine protocol."""

    command: tuple[str, ...]
    folder: str
    """Where it runs."""
    games: tuple[str, ...]
    title: str = ""
    """How it introduced itself."""
    budget_ms: int = BUDGET
    start_seconds: int = START

    def description(self) -> str:
        return f"{self.title or 'An engine'}: {shlex.join(self.command)}"

    def problem(self) -> str:
        """Why a file's entry cannot be used; empty if it can."""
        if not self.command or not all(map(is_text, (*self.command, *self.games))):
            return "its command or games are not lists of texts"
        if not (is_text(self.folder) and is_text(self.title)):
            return "its folder and title must be texts"
        if not is_between(SHORTEST_BUDGET, self.budget_ms, LONGEST_BUDGET):
            return f"budget_ms must be {SHORTEST_BUDGET} to {LONGEST_BUDGET}"
        if not is_between(SHORTEST_START, self.start_seconds, LONGEST_START):
            return f"start_seconds must be {SHORTEST_START} to {LONGEST_START}"
        return ""


@dataclass(frozen=True, slots=True)
class AddedNet:
    """A level with weights of its own, a file for each game that it plays."""

    level: str
    weights: Mapping[str, str] = field(hash=False)

    @property
    def games(self) -> tuple[str, ...]:
        return tuple(self.weights)

    def description(self) -> str:
        return f"The level {self.level} with the weights in {', '.join(self.weights.values())}."

    def problem(self) -> str:
        if not is_text(self.level) or not isinstance(self.weights, dict):
            return "it needs a level and weights"
        if not all(map(is_text, (*self.weights, *self.weights.values()))):
            return "its weights are not texts"
        return ""


Added = AddedEngine | AddedNet


def is_text(value: object) -> bool:
    """Whether a value is a text that a command line and a file can hold."""
    return isinstance(value, str) and "\0" not in value and value.isprintable()


def is_between(low: int, value: object, high: int) -> bool:
    return type(value) is int and low <= value <= high


def list_path() -> Path:
    return config_folder() / "bots.json"


def read_entry(entry: Any) -> Added:
    """An entry of the file; raises a FoxtrayError that says what is wrong with it."""
    kind = AddedNet if isinstance(entry, dict) and "weights" in entry else AddedEngine
    try:
        lists = {name: tuple(value) for name, value in entry.items() if isinstance(value, list)}
        found = kind(**{**entry, **lists})
    except (TypeError, AttributeError):
        raise DamagedList("it has unknown or missing settings") from None
    if problem := found.problem():
        raise DamagedList(problem)
    return found


def read_list() -> tuple[dict[str, Added], list[str]]:
    """The added bots, and a sentence about everything that cannot be used."""
    path = list_path()
    try:
        stored = json.loads(path.read_text(encoding="utf-8"))
        entries = dict(stored["bots"])
        version = stored["version"]
    except FileNotFoundError:
        return {}, []
    except OSError as error:
        return {}, [f"cannot read your bots in {path}: {error.strerror}"]
    except (ValueError, TypeError, KeyError, RecursionError):
        return {}, [f"your bots in {path} cannot be read: the file is damaged; repair or delete it"]
    if version != VERSION:
        return {}, [f"your bots in {path} are from another version of Foxtray"]
    found, problems = {}, []
    for name, entry in entries.items():
        try:
            found[name] = read_entry(entry)
        except DamagedList as error:
            problems.append(f"skipped the bot {name!r} in {path}: {error}")
    return found, problems


def added() -> dict[str, Added]:
    """The added bots by name; names that others have taken included."""
    return read_list()[0]


def change(name: str, bot: Added | None) -> None:
    """Add, replace or remove a bot; refuses to write over a damaged file."""
    found, problems = read_list()
    if problems:
        raise DamagedList(problems[0])
    if bot is None:
        del found[name]
    else:
        found[name] = bot
    path = list_path()
    path.parent.mkdir(parents=True, exist_ok=True)
    with replacing(path) as file:
        entries = {name: asdict(each) for name, each in found.items()}
        json.dump({"version": VERSION, "bots": entries}, file, indent=2)
        file.write("\n")
