"""What is told to everybody alike: games, lessons, sheets, tables of the rules, rulebooks."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from foxtray import rulebook
from foxtray.bots.levels import LEVELS, SUBSTITUTE, USUAL
from foxtray.errors import FoxtrayError
from foxtray.games.registry import SHEETS, folder_of
from foxtray.geometry import SheetList, sheet_view
from foxtray.layouts import layout_view
from foxtray.server.protocol.codec import encode
from foxtray.server.protocol.messages import GameInfo, GameList, LessonText, RulesText
from foxtray.server.protocol.refusals import Refusal

BotsOf = Callable[[str], Sequence[str]]
"""The bots that can play a game."""
LESSON = "lesson."
"""How the keys of a guided game's texts begin."""


def game_list(language: str, bots_of: BotsOf) -> GameList:
    """The games with their texts and bots."""
    found = []
    for game in SHEETS:
        folder = folder_of(game)
        able, device = list(bots_of(game)), levels_of(game)
        measured = [bot for bot in folder.strength if bot in able or bot in device]
        usual = {bot: round(folder.strength[bot]["mean"]) for bot in measured}
        level = USUAL if USUAL in able else SUBSTITUTE
        taught = folder.lesson is not None
        told = folder.text(language)
        text = {key: words for key, words in told.items() if not key.startswith(LESSON)}
        found.append(GameInfo(game, list(folder.texts), able, device, usual, level, taught, text))
    return GameList(found)


def lesson_text(game: str, language: str) -> LessonText:
    """The guided game of a game."""
    folder = folder_of(game)
    if folder.lesson is None:
        raise Refusal("no_lesson")
    inputs, text = list(folder.lesson.inputs), folder.text(language)
    return LessonText(inputs, [text[f"{LESSON}{number + 1}"] for number in range(len(inputs) + 1)])


def sheet_list() -> SheetList:
    """The geometry of all sheets."""
    return {"sheets": [sheet_view(game) for game in SHEETS]}


def rules_text(game: str, language: str) -> RulesText:
    """The rulebook of a game."""
    try:
        text, clauses = rulebook.text(game, language), rulebook.clauses(game, language)
    except FoxtrayError:
        raise Refusal("not_found", f"there is no rulebook in the language {language!r}") from None
    return RulesText(game, language, text, clauses)


def levels_of(game: str) -> list[str]:
    """Our levels that have what they need for a game; in a browser they need no compiler."""
    trained = folder_of(game).weights is not None
    return [name for name, level in LEVELS.items() if level.simple or trained]


def languages() -> tuple[str, ...]:
    """The languages of the games' texts."""
    return tuple(dict.fromkeys(tag for game in SHEETS for tag in folder_of(game).texts))


def facts(bots_of: BotsOf) -> Iterator[tuple[str, str, bytes]]:
    """All of it as JSON, by the end of its address in the API and its language, if it has one."""
    for language in languages():
        yield "games", language, encode(game_list(language, bots_of))
    yield "sheets", "", encode(sheet_list())
    for game in SHEETS:
        yield f"layouts/{game}", "", encode(layout_view(game))
        for language in languages():
            if folder_of(game).lesson is not None:
                yield f"lessons/{game}", language, encode(lesson_text(game, language))
            if folder_of(game).rulebook(language) is not None:
                yield f"rules/{game}", language, encode(rules_text(game, language))
