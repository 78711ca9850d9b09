"""Speaks the engine protocol for one of Foxtray's bots, so that other programs can use it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from foxtray.bots.base import Bot, Opinion, ask
from foxtray.dice import SeededDice
from foxtray.engines import messages
from foxtray.engines.messages import LONGEST_LINE, PROTOCOL, BadMessage
from foxtray.errors import FoxtrayError
from foxtray.game import Game

MakeBot = Callable[[int, int | None], Bot]
"""Makes the bot from a seed and the milliseconds it has for a decision, or None for its own."""


class Conversation:
    """What an engine has been told so far."""

    def __init__(self, name: str, games: Iterable[str], make: MakeBot, opinions: bool) -> None:
        self.name, self.games, self.make, self.opinions = name, tuple(games), make, opinions
        self.seed = 0
        self.game: Game | None = None
        self.seat = 0
        self.over = False
        """Whether `quit` was said."""

    def answer(self, line: bytes) -> dict[str, Any] | None:
        """The reply to a line, if it needs one; a mistake is answered with an error."""
        number = None
        try:
            message = messages.decode(line)
            number = message.get("id") if type(message.get("id")) is int else None
            return self._reply(message)
        except FoxtrayError as error:
            return {"type": "error", "id": number, "reason": str(error)}

    def _reply(self, message: dict[str, Any]) -> dict[str, Any] | None:
        kind = message["type"]
        if kind == "hello":
            return self._hello(message)
        if kind == "newgame":
            self.seed = messages.whole_of(message, "seed") if "seed" in message else 0
            SeededDice(self.seed)  # checks the seed
            self.game = None
        elif kind == "position":
            self._position(message)
        elif kind == "go":
            return self._go(message)
        elif kind == "quit":
            self.over = True
        elif kind != "stop":  # nothing to stop: every question is answered before the next line
            raise BadMessage(f"unknown type {messages.plain(kind)!r}")
        return None

    def _hello(self, message: dict[str, Any]) -> dict[str, Any]:
        protocol = messages.whole_of(message, "protocol")
        if protocol != PROTOCOL:
            raise BadMessage(f"this is protocol {PROTOCOL}, not {protocol}")
        return {
            "type": "hello",
            "protocol": PROTOCOL,
            "name": f"Foxtray {self.name}",
            "author": "Foxtray contributors",
            "games": list(self.games),
            "opinions": self.opinions,
        }

    def _position(self, message: dict[str, Any]) -> None:
        self.game = None
        game = Game.from_position(messages.text_of(message, "position"))
        seat = messages.whole_of(message, "seat")
        if seat not in game.awaiting():
            raise BadMessage(f"seat {seat} has nothing to decide in this position")
        self.game, self.seat = game, seat

    def _go(self, message: dict[str, Any]) -> dict[str, Any]:
        number = messages.whole_of(message, "id")
        if self.game is None:
            raise BadMessage("go needs a position first")
        budget = message.get("budget", {})
        if not isinstance(budget, dict):
            raise BadMessage("budget must be an object")
        bot = self.make(self.seed, messages.whole_of(budget, "ms") if "ms" in budget else None)
        answer: dict[str, Any] = {"type": "bestaction", "id": number}
        if messages.flag_of(message, "opinions") and self.opinions:
            answer["opinions"] = [told(each) for each in bot.evaluate(self.game, self.seat)]
        answer["action"] = str(ask(bot, self.game, self.seat))
        return answer


def told(opinion: Opinion) -> dict[str, Any]:
    return {
        "action": str(opinion.action),
        "points": opinion.points,
        "win_chance": opinion.win_chance,
        "error": opinion.error,
    }


def converse(
    conversation: Conversation, read: Callable[[int], bytes], write: Callable[[bytes], object]
) -> None:
    """Answer lines until `quit` or the end of the input."""
    while not conversation.over and (line := read(LONGEST_LINE)):
        if not line.endswith(b"\n") and len(line) >= LONGEST_LINE:
            while (rest := read(LONGEST_LINE)) and not rest.endswith(b"\n"):
                pass
            reply: dict[str, Any] | None = {
                "type": "error",
                "id": None,
                "reason": f"a line must be at most {LONGEST_LINE} bytes long",
            }
        elif not line.strip():
            continue
        else:
            reply = conversation.answer(line)
        if reply is not None:
            write(messages.encode(reply))
