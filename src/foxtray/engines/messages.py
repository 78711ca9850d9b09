"""The messages of the engine protocol: one JSON object per line (docs/engines.md)."""

from __future__ import annotations

import json
import math
from typing import Any, NamedTuple

from foxtray.bots.base import Opinion
from foxtray.core.layout import Action
from foxtray.errors import FoxtrayError
from foxtray.game import Game

PROTOCOL = 1
"""Increases when an engine that follows the documentation would no longer be understood."""
LONGEST_LINE = 1 << 20
"""In bytes, with the line feed."""
LONGEST_TEXT = 200
"""In characters: what is shown of a text by an engine."""
GAINS = "gains"
WISHES = (GAINS,)
"""What an engine may want besides the position and the legal actions."""

TO_ENGINE = ("hello", "newgame", "position", "go", "stop", "quit")
FROM_ENGINE = ("hello", "bestaction", "info", "error")


class BadMessage(FoxtrayError):
    """A line or message that breaks the protocol; the sentence says how."""

    code = "bad_message"


class Hello(NamedTuple):
    """How an engine introduces itself."""

    name: str
    author: str
    games: tuple[str, ...]
    """The games it plays; empty: all of them."""
    wants: tuple[str, ...]
    opinions: bool
    """Whether it can tell its opinions."""


class BestAction(NamedTuple):
    """The answer to a question."""

    action: str
    opinions: list[dict[str, Any]] | None


def plain(text: str) -> str:
    """A text by an engine, cut and without control characters, safe to print."""
    shown = "".join(c if c.isprintable() and c.isascii() else "?" for c in text[: LONGEST_TEXT + 1])
    return shown if len(shown) <= LONGEST_TEXT else shown[: LONGEST_TEXT - 3] + "..."


def encode(message: dict[str, Any]) -> bytes:
    return json.dumps(message, separators=(",", ":")).encode() + b"\n"


def decode(line: bytes) -> dict[str, Any]:
    """The message on a line."""
    try:
        message = json.loads(line.decode())
    except (ValueError, RecursionError):
        raise BadMessage(f"{plain(line.decode(errors='replace').strip())!r} is not JSON") from None
    if not isinstance(message, dict) or not isinstance(message.get("type"), str):
        raise BadMessage("a message must be a JSON object with a text as its type")
    return message


def text_of(message: dict[str, Any], key: str, default: str | None = None) -> str:
    found = message.get(key, default)
    if not isinstance(found, str):
        raise BadMessage(f"{key} must be a text")
    return found


def texts_of(message: dict[str, Any], key: str) -> tuple[str, ...]:
    found = message.get(key, [])
    if not isinstance(found, list) or not all(isinstance(text, str) for text in found):
        raise BadMessage(f"{key} must be a list of texts")
    return tuple(found)


def whole_of(message: dict[str, Any], key: str) -> int:
    """A whole number, 0 or more."""
    found = message.get(key)
    if type(found) is not int or found < 0:
        raise BadMessage(f"{key} must be a whole number, 0 or more")
    return found


def flag_of(message: dict[str, Any], key: str) -> bool:
    found = message.get(key, False)
    if not isinstance(found, bool):
        raise BadMessage(f"{key} must be true or false")
    return found


# --- what Foxtray says ----------------------------------------------------------------------------


def newgame(game: Game, seed: int) -> dict[str, Any]:
    return {
        "type": "newgame",
        "game": game.sheet.id,
        "seats": game.seats,
        "options": game.options,
        "seed": seed,
    }


def position(game: Game, seat: int, wants: tuple[str, ...] = ()) -> dict[str, Any]:
    """A position, the seat that decides, its legal actions, and if wanted what each gains."""
    legal = game.legal(seat)
    message = {
        "type": "position",
        "position": game.position(),
        "seat": seat,
        "legal": [str(action) for action in legal],
    }
    if GAINS in wants:
        now = game.score(seat).total
        message[GAINS] = [game.play(seat, a).game.score(seat).total - now for a in legal]
    return message


def go(number: int, milliseconds: int, opinions: bool) -> dict[str, Any]:
    budget = {"ms": milliseconds}
    return {"type": "go", "id": number, "budget": budget, "opinions": opinions}


# --- what an engine says --------------------------------------------------------------------------


def read_hello(message: dict[str, Any]) -> Hello:
    protocol = whole_of(message, "protocol")
    if protocol != PROTOCOL:
        raise BadMessage(f"it speaks protocol {protocol}, not {PROTOCOL}")
    return Hello(
        plain(text_of(message, "name")),
        plain(text_of(message, "author", "")),
        texts_of(message, "games"),
        tuple(wish for wish in texts_of(message, "wants") if wish in WISHES),
        flag_of(message, "opinions"),
    )


def read_best_action(message: dict[str, Any]) -> BestAction:
    opinions = message.get("opinions")
    if opinions is not None and not (
        isinstance(opinions, list) and all(isinstance(each, dict) for each in opinions)
    ):
        raise BadMessage("opinions must be a list of objects")
    return BestAction(text_of(message, "action"), opinions)


def read_action(game: Game, text: str) -> Action:
    try:
        return Action.parse(game.sheet.id, text)
    except FoxtrayError:
        raise BadMessage(f"{plain(text)!r} is not an action of {game.sheet.id}") from None


def read_opinion(game: Game, seat: int, message: dict[str, Any]) -> Opinion:
    action = read_action(game, text_of(message, "action"))
    if action not in game.legal(seat):
        raise BadMessage(f"it has an opinion on {action}, which is not legal here")
    chance = message.get("win_chance")
    if chance is not None and not 0 <= number_of(message, "win_chance") <= 1:
        raise BadMessage("win_chance must be between 0 and 1")
    error = number_of(message, "error") if "error" in message else 0.0
    if error < 0:
        raise BadMessage("error must be 0 or more")
    return Opinion(action, number_of(message, "points"), chance, error)


def number_of(message: dict[str, Any], key: str) -> float:
    found = message.get(key)
    if type(found) not in (int, float) or not math.isfinite(found):  # type: ignore[arg-type]
        raise BadMessage(f"{key} must be a number")
    return float(found)  # type: ignore[arg-type]
