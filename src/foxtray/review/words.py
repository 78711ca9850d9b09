"""Reviews and hints in words, in the languages of `text/`.

The colours come from the game's own texts. `{n#point|points}` is the form that goes with n.
"""

from __future__ import annotations

import json
import re
from functools import cache
from importlib.resources import files

from foxtray.games.registry import folder_of
from foxtray.review.model import Decision, Hint, Reason, SeatReview

ENGLISH = "en"
CLOSE = 1.0
"""A hint does not claim that a line is better by fewer points than this."""


@cache
def texts(language: str) -> dict[str, str]:
    """The texts of a language; English ones if there are none."""
    folder = files("foxtray.review") / "text"
    known = {file.name.removesuffix(".json"): file for file in folder.iterdir()}
    file = known.get(language, known[ENGLISH])
    found: dict[str, str] = json.loads(file.read_text(encoding="utf-8"))
    return found


def languages() -> tuple[str, ...]:
    """The languages that reviews can be told in."""
    folder = files("foxtray.review") / "text"
    names = (file.name for file in folder.iterdir() if file.name.endswith(".json"))
    return tuple(sorted(name.removesuffix(".json") for name in names))


def form(language: str, number: int) -> int:
    """Which form of a noun goes with a number; Serbian has three."""
    if language != "sr":
        return 0 if number == 1 else 1
    tens, ones = number % 100, number % 10
    if 11 <= tens <= 14 or ones == 0 or ones >= 5:
        return 2
    return 0 if ones == 1 else 1


def say(language: str, key: str, **values: object) -> str:
    """A text with its values."""
    template = texts(language)[key]

    def chosen(match: re.Match[str]) -> str:
        forms = match[2].split("|")
        number = abs(int(str(values[match[1]]).replace("−", "-")))
        return forms[min(form(language, number), len(forms) - 1)]

    return re.sub(r"\{(\w+)#([^}]*)\}", chosen, template).format(**values)


def signed(number: float) -> str:
    """A whole number with its sign."""
    whole = round(number)
    return "0" if whole == 0 else f"{whole:+d}".replace("-", "−")


def decimal(language: str, number: float) -> str:
    """A number with one digit after the point or comma."""
    text = f"{number:.1f}"
    return text if language == ENGLISH else text.replace(".", ",")


def summary(player: SeatReview, language: str = ENGLISH, finished: bool = True) -> str:
    """A seat's game in one paragraph, whose whole numbers add up."""
    parts = [
        say(language, "summary.result" if finished else "summary.now", n=round(player.result)),
        say(language, "summary.expected", n=round(player.expected)),
        say(language, "summary.luck", n=signed(player.luck)),
    ]
    if round(player.influence):
        parts.append(say(language, "summary.influence", n=signed(player.influence)))
    parts.append(say(language, "summary.price", n=round(player.price)))
    known = round(player.expected) + round(player.luck) + round(player.influence)
    correction = round(player.result) - known + round(player.price)
    if correction:
        parts.append(say(language, "summary.correction", n=signed(correction)))
    return " ".join(parts)


def sentence(game: str, reason: Reason, language: str = ENGLISH) -> str:
    """One reason in words."""
    text = folder_of(game).text(language)
    values: dict[str, object] = {"n": round(reason.amount)}
    if reason.area:
        values["area"] = text[f"area.{reason.area}"]
        values["colour"] = text[f"colour.{reason.area}"]
    key = f"reason.{reason.kind}"
    if reason.track:
        key += f".{reason.track}"
    if reason.kind == "foxes":
        values["n"] = decimal(language, reason.amount)
    elif reason.kind == "win":
        values["n"] = round(100 * reason.amount)
    return say(language, key, **values)


def sentences(game: str, decision: Decision | Hint, language: str = ENGLISH) -> list[str]:
    """Why the best line is better."""
    return [sentence(game, reason, language) for reason in decision.reasons]


def advice(game: str, hint: Hint, language: str = ENGLISH) -> str:
    """A hint in one or two sentences, after the line itself."""
    if len(hint.alternatives) < 2:
        return say(language, "hint.only")
    if hint.gap < max(CLOSE, 2 * hint.error):
        return say(language, "hint.close")
    parts = [say(language, "hint.clear", n=round(hint.gap)), *sentences(game, hint, language)[:1]]
    return " ".join(parts)
