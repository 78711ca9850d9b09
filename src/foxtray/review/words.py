"""Reviews and hints in words, in the languages of `text/`.

The colours come from the game's own texts. `{n#point|points}` is the form that goes with n.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Sequence
from functools import cache
from importlib.resources import files

from foxtray import words as english
from foxtray.core.codes import OPENING
from foxtray.game import Game
from foxtray.games.registry import folder_of
from foxtray.review.model import Decision, Hint, Reason, SeatReview

ENGLISH = "en"
PLACES = (
    ("page.roll", "pool"),
    ("page.platter", "tray"),
    ("page.aside", "aside"),
    ("page.fields", "field"),
)
"""Where dice lie: the text for it, and how the name of the place begins."""
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


@cache
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


def signed(number: int) -> str:
    """A whole number with its sign."""
    return "0" if number == 0 else f"{number:+d}".replace("-", "−")


def decimal(language: str, number: float) -> str:
    """A number with one digit after the point, or the comma of a language."""
    text = f"{number:.1f}"
    return text if language == ENGLISH or language not in languages() else text.replace(".", ",")


def whole_parts(parts: Sequence[float], total: int) -> list[int]:
    """The parts as whole numbers that come to a total: each the nearest above or below.

    Those closest to the number above are rounded up.
    """
    whole = [math.floor(part) for part in parts]
    order = sorted(range(len(parts)), key=lambda i: whole[i] - parts[i])
    for i in order[: total - sum(whole)]:
        whole[i] += 1
    return whole


def tenths(player: SeatReview) -> list[float]:
    """Expected points, luck, influence, price as a loss, and correction, as they are printed.

    The correction is what remains, so the printed numbers come to the result.
    """
    parts = [player.expected, player.luck, player.influence, -player.price]
    shown = [round(part, 1) for part in parts]
    return [*shown, round(player.result, 1) - math.fsum(shown)]


def summary(
    player: SeatReview, language: str = ENGLISH, finished: bool = True, own: bool = True
) -> str:
    """A seat's game in one paragraph, whose whole numbers add up; `own` for who played it."""
    whose = "" if own else ".other"
    result = round(player.result)
    exact = (player.expected, player.luck, player.influence, -player.price, player.correction)
    expected, luck, influence, price, correction = whole_parts(exact, result)
    parts = [
        say(language, "summary.result" if finished else "summary.now", n=result),
        say(language, "summary.expected", n=expected),
        say(language, f"summary.luck{whose}", n=signed(luck)),
    ]
    if influence:
        parts.append(say(language, "summary.influence", n=signed(influence)))
    parts.append(say(language, f"summary.price{whose}", n=-price))
    if correction:
        parts.append(say(language, "summary.correction", n=signed(correction)))
    return " ".join(parts)


def sentence(game: str, reason: Reason, language: str = ENGLISH, better: str = "it.again") -> str:
    """One reason in words; `better` is the text for the better choice."""
    text = folder_of(game).text(language)
    values: dict[str, object] = {"n": round(reason.amount), "it": say(language, better)}
    if reason.area:
        values["area"] = text[f"area.{reason.area}"]
        values["colour"] = text[f"colour.{reason.area}"]
    if reason.kind == "foxes":
        values["n"] = decimal(language, reason.amount)
    elif reason.kind == "win":
        values["n"] = round(100 * reason.amount)
    return say(language, text_key(reason), **values)


def text_key(reason: Reason) -> str:
    """The name of the text for a reason."""
    return f"reason.{reason.kind}.{reason.track}" if reason.track else f"reason.{reason.kind}"


def sentences(game: str, decision: Decision | Hint, language: str = ENGLISH) -> list[str]:
    """Why the best line is better. The first sentence about it names it, the others refer to it.

    Reasons of a later program, which have no words here, are left out.
    """
    found: list[str] = []
    better = "it.hint" if isinstance(decision, Hint) else "it.better"
    for reason in decision.reasons:
        if text_key(reason) not in texts(ENGLISH):
            continue
        found.append(sentence(game, reason, language, better))
        if found[-1].startswith(say(language, better)):
            better = "it.again"
    return found


def costliest_step(decision: Decision, language: str = ENGLISH) -> str:
    """Which of several steps gave most away; its place is told if another one reads the same."""
    number = max(range(len(decision.steps)), key=lambda i: decision.steps[i].price)
    step = decision.steps[number]
    action = step.action
    if [each.action for each in decision.steps].count(action) > 1:
        action += f" ({number + 1}/{len(decision.steps)})"
    return say(language, "told.step", action=action, n=decimal(language, step.price))


def advice(game: str, hint: Hint, language: str = ENGLISH) -> str:
    """A hint in one or two sentences, after the line itself."""
    if len(hint.alternatives) < 2:
        return say(language, "hint.only")
    if hint.gap < max(CLOSE, 2 * hint.error):
        return say(language, "hint.close")
    parts = [say(language, "hint.clear", n=round(hint.gap)), *sentences(game, hint, language)[:1]]
    return " ".join(parts)


def dice(game: Game, language: str = ENGLISH) -> str:
    """The dice that a decision is about: what was rolled, and what lies on platter and fields."""
    if game.state.phase == OPENING:
        return ""
    waiting = game.rolling()
    parts = []
    for key, place in PLACES:
        there = [i for i, where in enumerate(game.places) if where.startswith(place)]
        told = [
            f"{game.sheet.letters[i]}{game.faces[i]}"
            for i in sorted(there, key=lambda i: game.places[i])
            if i not in waiting and game.faces[i]
        ]
        if told:
            parts.append(f"{say(language, key)}: {' '.join(told)}")
    return " · ".join(parts)


def in_english(game: Game, seat: int, actions: Sequence[str]) -> str:
    """What a line does; moves are told in English only."""
    said: list[str] = []
    for action in actions:
        here = game
        game, events = game.play(seat, action)
        # What follows for others, and the next round, is not part of the line.
        own = [event for event in events if getattr(event, "seat", None) == seat]
        found = english.story(here.sheet, own, 1)
        said += found[:1] or [english.choice(here, seat, here.layout.actions[0])]
    return "; ".join(said)
