"""The rules in words: one Markdown file per game and language, in numbered clauses."""

import re
from importlib import resources

from foxtray.errors import FoxtrayError

_NAME = re.compile(r"[a-z]+(-[a-z]+)*", re.IGNORECASE)
_CLAUSE = re.compile(r"(\d+\.\d+) (.+)", re.DOTALL)


def text(game: str, language: str = "en") -> str:
    """The whole rulebook of a game, as Markdown that also reads well in a terminal."""
    if _NAME.fullmatch(game) and _NAME.fullmatch(language):
        file = resources.files(__name__) / language / f"{game}.md"
        if file.is_file():
            return file.read_text(encoding="utf-8")
    raise FoxtrayError(f"there is no rulebook of {game!r} in the language {language!r}")


def clauses(game: str, language: str = "en") -> dict[str, str]:
    """The clauses of a rulebook by number, each as one line of Markdown, in reading order."""
    paragraphs = text(game, language).split("\n\n")
    found = (_CLAUSE.fullmatch(paragraph.strip()) for paragraph in paragraphs)
    return {match[1]: " ".join(match[2].split()) for match in found if match}
