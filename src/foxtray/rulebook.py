"""The rulebooks: one Markdown file per game and language, in numbered clauses."""

import re

from foxtray.errors import FoxtrayError
from foxtray.games.registry import UnknownGame, folder_of

_CLAUSE = re.compile(r"(\d+\.\d+) (.+)", re.DOTALL)


def text(game: str, language: str = "en") -> str:
    """The whole rulebook of a game, as Markdown that also reads well in a terminal."""
    try:
        found = folder_of(game).rulebook(language)
    except UnknownGame:
        found = None
    if found is None:
        raise FoxtrayError(f"there is no rulebook for {game!r} in {language!r}")
    return found


def clauses(game: str, language: str = "en") -> dict[str, str]:
    """The clauses of a rulebook by number, each as one line of Markdown, in reading order."""
    paragraphs = text(game, language).split("\n\n")
    found = (_CLAUSE.fullmatch(paragraph.strip()) for paragraph in paragraphs)
    return {match[1]: " ".join(match[2].split()) for match in found if match}
