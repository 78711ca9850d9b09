"""An engine as a bot: its process starts with the first question and is kept for later ones."""

from __future__ import annotations

import atexit
import os
import threading
import time
from dataclasses import dataclass, field

from foxtray.bots.base import BotError, Opinion, check_awaited
from foxtray.core.layout import Action
from foxtray.engines import messages
from foxtray.engines.messages import BadMessage, BestAction
from foxtray.engines.process import Engine, EngineCommand, Watch
from foxtray.errors import FoxtrayError
from foxtray.game import Game

PATIENCE = 3
"""Failures in a row after which an engine is not started again for a while."""
REST = 30.0
"""Seconds of that while: a live table must not wait for a broken engine at every decision."""
MOST_ENGINES = 8
"""Engines that one process keeps running."""


@dataclass(slots=True)
class KeptEngine:
    """An engine that is running, or can be started."""

    command: EngineCommand
    watch: Watch | None = None
    engine: Engine | None = None
    failures: int = 0
    failed_at: float = 0.0
    used_at: float = 0.0
    lock: threading.Lock = field(default_factory=threading.Lock)

    def ask(self, game: Game, seat: int, seed: int, owner: object, opinions: bool) -> BestAction:
        """Its answer. After any failure the process is ended; the next question starts it again."""
        with self.lock:
            self.used_at = time.monotonic()
            self._check_rest()
            try:
                engine = self._started(game)
                if opinions and not engine.hello.opinions:
                    raise FoxtrayError(f"bot {self.command.name} cannot evaluate actions")
                answer = engine.ask(game, seat, seed, owner=owner, opinions=opinions)
            except BotError:
                self.failures += 1
                self.failed_at = time.monotonic()
                self._end()
                raise
            except FoxtrayError:
                raise
            except BaseException:  # such as Ctrl-C in the middle of a message
                self._end()
                raise
            self.failures = 0
            return answer

    def _check_rest(self) -> None:
        if self.failures >= PATIENCE and time.monotonic() - self.failed_at < REST:
            raise BotError(
                f"bot {self.command.name} failed {self.failures} times in a row "
                f"and is not asked again for {REST:g} s; see foxtray bots test {self.command.name}"
            )

    def _started(self, game: Game) -> Engine:
        if self.engine is None:
            self.engine = Engine(self.command, self.watch)
        games = self.engine.hello.games
        if games and game.sheet.id not in games:
            raise FoxtrayError(f"bot {self.command.name} does not play {game.sheet.id}")
        return self.engine

    def _end(self) -> None:
        if self.engine is not None:
            self.engine.end()
            self.engine = None

    def quit(self) -> None:
        with self.lock:
            if self.engine is not None:
                self.engine.quit()
                self.engine = None


KEPT: dict[tuple[int, EngineCommand], KeptEngine] = {}
"""By process and command: a forked process must not use the pipes of its parent."""
KEEPING = threading.Lock()


def kept(command: EngineCommand) -> KeptEngine:
    """The engine of a command in this process; the one unused for longest gives way."""
    with KEEPING:
        key = os.getpid(), command
        if key not in KEPT:
            running = [k for k, each in KEPT.items() if k[0] == key[0] and each.engine]
            if len(running) >= MOST_ENGINES:
                KEPT.pop(min(running, key=lambda k: KEPT[k].used_at)).quit()
            KEPT[key] = KeptEngine(command)
        return KEPT[key]


@atexit.register
def quit_all() -> None:
    """End the engines of this process; they have a moment to do so themselves."""
    for (process, _), each in list(KEPT.items()):
        if process == os.getpid():
            each.quit()


class EngineBot:
    """A bot whose decisions an engine makes."""

    bounded = True
    """It has its own time limits."""

    def __init__(self, command: EngineCommand, seed: int, engine: KeptEngine | None = None) -> None:
        self.command, self.seed, self.engine = command, seed, engine
        self.name = command.name

    def _ask(self, game: Game, seat: int, opinions: bool) -> BestAction:
        engine = self.engine or kept(self.command)
        return engine.ask(game, seat, self.seed, self, opinions)

    def choose(self, game: Game, seat: int) -> Action:
        """The engine's action; a single legal action is taken without asking."""
        check_awaited(game, seat)
        legal = game.legal(seat)
        if len(legal) == 1:
            return legal[0]
        try:
            return messages.read_action(game, self._ask(game, seat, opinions=False).action)
        except BadMessage as error:
            raise BotError(f"bot {self.name} answered wrongly: {error}") from None

    def evaluate(self, game: Game, seat: int) -> list[Opinion]:
        """The engine's opinions, in its order; an engine without any raises a FoxtrayError."""
        check_awaited(game, seat)
        told = self._ask(game, seat, opinions=True).opinions or []
        try:
            return [messages.read_opinion(game, seat, each) for each in told]
        except BadMessage as error:
            raise BotError(f"bot {self.name} answered wrongly: {error}") from None
