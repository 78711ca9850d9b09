"""What players may call themselves."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from fnmatch import fnmatchcase
from itertools import chain
from pathlib import Path

import structlog

from foxtray.server.protocol.messages import NAME_LENGTH
from foxtray.server.protocol.refusals import Refusal
from foxtray.server.settings import BadSetting

log = structlog.get_logger()

RESERVED = (
    "admin", "administrator", "foxtray", "host", "moderator", "operator", "root", "server",
    "support", "system",
)  # fmt: skip
"""Names that would speak for the server."""

UNPRINTABLE = ("Cc", "Cf", "Cs", "Co", "Zl", "Zp")
# Unicode's Default_Ignorable_Code_Point where the category does not show it, and blanks that are
# not spaces: fillers, the empty Braille pattern and the like.
BLANKS = (
    (0x034F, 0x034F), (0x115F, 0x1160), (0x17B4, 0x17B5), (0x180B, 0x180F), (0x2065, 0x2065),
    (0x2800, 0x2800), (0x3164, 0x3164), (0xFE00, 0xFE0F), (0xFFA0, 0xFFA0), (0xFFF0, 0xFFF8),
    (0xFFFC, 0xFFFC), (0x13441, 0x13442), (0x16FE4, 0x16FE4), (0x1D159, 0x1D159),
    (0xE0000, 0xE0FFF),
)  # fmt: skip
INVISIBLE = frozenset(map(chr, chain.from_iterable(range(a, b + 1) for a, b in BLANKS)))
EMOJI_STYLE = "\ufe0e\ufe0f"
"""Invisible too, but part of many emoji."""

# Folded letters and digits that can be mistaken for a Latin letter, from the confusables of
# Unicode: Cyrillic, Greek, other Latin, digits. I, l and 1 are one letter here.
LOOKALIKES = (
    ("авеікмнорстухїјѕһԁԛԝ", "abelkmhopctyxljshdqw"),
    ("αβεηικνορτυχω", "abenlkvoptuxw"),
    ("ıłøđɡɑ", "llodga"),
    ("0134578i", "oleastbl"),
)
LATIN = str.maketrans(*("".join(column) for column in zip(*LOOKALIKES, strict=True)))
PAIRS = (("rn", "m"), ("vv", "w"))
SIGNS = str.maketrans("@$!|", "asil")
"""Letters to some, decoration to others: names are compared both ways."""


def clean_name(text: str) -> str:
    """A name as plain text, trimmed; refused if it is empty, too long or partly invisible."""
    if len(text) > 20 * NAME_LENGTH:
        raise Refusal("name_too_long")
    name = " ".join(unicodedata.normalize("NFC", text).split())
    if not any(is_seen(c) for c in name):
        raise Refusal("name_empty")
    if len(name) > NAME_LENGTH:
        raise Refusal("name_too_long")
    if any(is_hidden(c) and c not in EMOJI_STYLE for c in name):
        raise Refusal("name_unprintable")
    return name


def is_hidden(c: str) -> bool:
    return c in INVISIBLE or unicodedata.category(c) in UNPRINTABLE


def is_seen(c: str) -> bool:
    """Whether a character can be seen by itself: accents need one below them."""
    return not is_hidden(c) and unicodedata.category(c)[0] not in "MZ"


def skeleton(name: str) -> str:
    """What is left of a name when look-alikes, case, accents and signs are the same."""
    folded = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", name).casefold())
    bare = "".join(c for c in folded if is_seen(c)).translate(LATIN)
    for pair, letter in PAIRS:
        bare = bare.replace(pair, letter)
    return "".join(c for c in bare if c.isalnum())


class RefusedNames:
    """Names that nobody may take: reserved ones, those of bots, and what the host has listed.

    The host's list is a text file with a name on each line; `*` stands for anything, and `#`
    begins a comment. It is read again when it has changed.
    """

    def __init__(self, file: str = "", more: Iterable[str] = ()) -> None:
        self._exact = {skeleton(name) for name in (*RESERVED, *more)}
        self._listed: list[str] = []
        self._file = Path(file) if file else None
        self._read_at = 0
        if self._file:
            try:
                self._read(self._file)
            except (OSError, UnicodeError) as error:
                raise BadSetting(f"the refused names in {file} cannot be read: {error}") from None

    def check(self, name: str) -> None:
        """Refuse a name that is on a list."""
        if self._file:
            try:
                self._read(self._file)
            except (OSError, UnicodeError) as error:
                log.warning("refused_names_unreadable", cause=str(error))
        for bare in (skeleton(name), skeleton(name.translate(SIGNS))):
            if bare in self._exact or any(fnmatchcase(bare, pattern) for pattern in self._listed):
                raise Refusal("name_refused")

    def _read(self, file: Path) -> None:
        changed = file.stat().st_mtime_ns
        if changed == self._read_at:
            return
        lines = (line.partition("#")[0].strip() for line in file.read_text("utf-8").splitlines())
        patterns = ("*".join(map(skeleton, line.split("*"))) for line in lines)
        # A line of signs only would refuse everything, or nothing.
        self._listed = [pattern for pattern in patterns if pattern.strip("*")]
        self._read_at = changed
