"""What people read uses the games' own words, the same ones everywhere.

`glossary.json` lists for every language and concept the terms to say and those not to use. A `*`
stands for any ending: `throw*` is throw, throws, throwing and thrown.
"""

import ast
import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

HERE = Path(__file__).parent
GLOSSARY: dict[str, dict[str, dict[str, list[str]]]] = json.loads(
    (HERE / "glossary.json").read_text(encoding="utf-8")
)
LANGUAGES = list(GLOSSARY)

# The texts that people read: one file for each language, which names the file.
SOURCES = [
    "src/foxtray/games/*/rules/*.md",
    "src/foxtray/games/*/text/*.json",
    "src/foxtray/review/text/*.json",
    "web/src/i18n/*.ts",
]
TEXTS = [path for source in SOURCES for path in sorted(HERE.parent.glob(source))]

# The modules of the terminal and the commands, whose texts are English.
PACKAGE = HERE.parent / "src" / "foxtray"
MODULES = [
    *(PACKAGE / f"{name}.py" for name in ("cli", "game", "history", "refusal", "render")),
    *(PACKAGE / f"{name}.py" for name in ("terminal", "words", "bots/levels", "bots/simple")),
    *sorted(PACKAGE.glob("*/commands.py")),
]

# Parts of a file that nobody reads: keys of a catalogue, names of values, code.
UNREAD = re.compile(r"""^ *(["'])[\w.]+\1:|\{\w+|`[^`\n]*`""", re.MULTILINE)

all_languages = pytest.mark.parametrize("language", LANGUAGES)


def pattern(term: str) -> re.Pattern[str]:
    """A term as whole words, in any case, also across a line break."""
    words = r"\s+".join(re.escape(word).replace(r"\*", r"\w*") for word in term.split())
    return re.compile(rf"(?<!\w){words}(?!\w)", re.IGNORECASE)


def wrong_words(language: str, text: str) -> list[str]:
    """Terms in a text that its language's glossary rules out, each with what to say instead."""
    text = UNREAD.sub("", text)
    found = []
    for terms in GLOSSARY[language].values():
        for term in terms["not"]:
            for match in pattern(term).finditer(text):
                line = text.count("\n", 0, match.start()) + 1
                found.append((line, f"line {line}: {match[0]!r}; say {', '.join(terms['say'])}"))
    return [sentence for _, sentence in sorted(found)]


@pytest.mark.parametrize("path", TEXTS, ids=lambda path: str(path.relative_to(HERE.parent)))
def test_texts_use_the_words_of_the_glossary(path: Path) -> None:
    assert wrong_words(path.stem, path.read_text(encoding="utf-8")) == []


def sentences(source: str) -> Iterator[str]:
    """The strings of more than one word in a Python module, except docstrings."""
    nodes = list(ast.walk(ast.parse(source)))
    skipped = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
    for node in nodes:
        if isinstance(node, ast.JoinedStr):
            skipped |= {id(part) for part in node.values}
            parts = (p.value if isinstance(p, ast.Constant) else "…" for p in node.values)
            text = "".join(map(str, parts))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            text = node.value
        else:
            continue
        if id(node) not in skipped and " " in text.strip():
            yield text


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_modules_use_the_words_of_the_glossary(path: Path) -> None:
    texts = list(sentences(path.read_text(encoding="utf-8")))
    assert texts
    assert [found for text in texts for found in wrong_words("en", text)] == []


def test_the_sentences_of_a_module_are_found() -> None:
    source = '"""The tray."""\nx = f"to {n} trays"\ny = ("reroll", "the throw")\n"""A toss."""\n'
    assert sorted(sentences(source)) == ["the throw", "to … trays"]


@pytest.mark.parametrize("source", SOURCES)
def test_a_source_has_texts_in_every_language(source: str) -> None:
    assert {path.stem for path in HERE.parent.glob(source)} == set(LANGUAGES)


@all_languages
def test_every_language_has_the_same_concepts(language: str) -> None:
    assert list(GLOSSARY[language]) == list(GLOSSARY["en"])


@all_languages
def test_every_concept_is_called_by_one_of_its_terms(language: str) -> None:
    text = "\n".join(path.read_text(encoding="utf-8") for path in TEXTS if path.stem == language)
    for concept, terms in GLOSSARY[language].items():
        assert any(pattern(term).search(text) for term in terms["say"]), concept


@all_languages
def test_no_term_of_the_glossary_is_ruled_out_by_it(language: str) -> None:
    for terms in GLOSSARY[language].values():
        for term in terms["say"]:
            assert wrong_words(language, term) == []


@all_languages
def test_every_wrong_word_is_found(language: str) -> None:
    for terms in GLOSSARY[language].values():
        for term in terms["not"]:
            for word in (term.replace("*", ""), term.replace("*", "en").upper()):
                assert any(repr(word) in found for found in wrong_words(language, f"… {word}, …"))


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        ("en", "Put it\non the Tray.", ["line 2: 'Tray'; say silver platter, platter"]),
        ("en", "Roll,\n\nor reroll.", ["line 3: 'reroll'; say re-roll"]),
        ("de", "ein\nzusätzlicher\nWürfel", ["line 2: 'zusätzlicher\\nWürfel'; say Zusatzwürfel"]),
        ("nl", "Leg hem op het plateau.", ["line 1: 'plateau'; say zilveren dienblad, dienblad"]),
        ("sr", "na poslužavniku", ["line 1: 'poslužavniku'; say srebrni tanjir, tanjir"]),
        ("en", "'log.tray': 'To the tray',", ["line 1: 'tray'; say silver platter, platter"]),
        ("en", '\n\n  "fair.good": "{n#roll|throws}",', ["line 3: 'throws'; say roll"]),
    ],
)
def test_a_planted_word_is_found(language: str, text: str, expected: list[str]) -> None:
    assert wrong_words(language, text) == expected


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "Foxtray betrays nobody; the silver platter and a re-roll."),
        ("en", "  'place.tray': 'Silver platter',"),
        ("en", '  "track.reroll": "{reroll} left",'),
        ("en", "the option `reroll`"),
        ("de", "Das Silbertablett, der Zusatzwürfel."),
        ("nl", "het dienblad"),
        ("sr", "kockicama s tanjira"),
    ],
)
def test_other_words_are_left_alone(language: str, text: str) -> None:
    assert wrong_words(language, text) == []
