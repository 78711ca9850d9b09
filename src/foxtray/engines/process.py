"""An engine as a process: Foxtray's side of the conversation.

Nothing an engine does can block, flood or outlive Foxtray: every wait has an end, what it prints is
limited, and a leash ends it together with its children.
"""

from __future__ import annotations

import contextlib
import os
import selectors
import signal
import subprocess
import sys
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from foxtray import __version__
from foxtray.bots.added import BUDGET, LONGEST_BUDGET, START, AddedEngine
from foxtray.bots.base import BotError
from foxtray.engines import leash, messages
from foxtray.engines.log import EngineLog
from foxtray.engines.messages import LONGEST_LINE, BadMessage, BestAction, Hello, plain
from foxtray.game import Game

GRACE = 2.0
"""Seconds that an engine has to answer after `stop`, and to end after `quit`."""
MOST_LINES = 1000
"""Lines that an engine may print before it answers."""
MOST_BYTES = 8 << 20
"""Bytes that it may print before it answers."""
MOST_WORDS = 64 << 10
"""Bytes of standard error that are logged for one question; the rest is dropped."""
CHUNK = 1 << 16
REMEMBERED = 20
"""Messages that are logged when an engine fails."""

Watch = Callable[[str, str], None]
"""Sees every line: where it goes (`>` to the engine, `<` from it, `!` its log) and the text."""


@dataclass(frozen=True, slots=True)
class EngineCommand:
    """How to run an engine."""

    name: str
    command: tuple[str, ...]
    folder: str
    budget_ms: int = BUDGET
    start_seconds: int = START

    @classmethod
    def of(cls, name: str, entry: AddedEngine) -> EngineCommand:
        return cls(name, entry.command, entry.folder, entry.budget_ms, entry.start_seconds)


class Engine:
    """A running engine. For one thread at a time."""

    def __init__(self, command: EngineCommand, watch: Watch | None = None) -> None:
        self.command = command
        self.log = EngineLog(command.name)
        self.failed = False
        self.ignored = 0
        """Lines that were no messages, over the engine's life."""
        self._watch = watch
        self._asked = 0
        self._game: object = None
        self._outbox = b""
        self._inbox = bytearray()
        self._lines: deque[bytes] = deque()
        self._words = b""
        self._last_words = ""
        self._logged = self._printed = self._seen = 0
        self._recent: deque[str] = deque(maxlen=REMEMBERED)
        self._ended = False
        self._launch()
        try:
            self.hello = self._greet()
        except BaseException:
            self.end()
            raise

    # --- the conversation -------------------------------------------------------------------------

    def _greet(self) -> Hello:
        self._begin_question()
        self._send({"type": "hello", "protocol": messages.PROTOCOL, "foxtray": __version__})
        message = self._await(("hello",), time.monotonic() + self.command.start_seconds)
        if message is None:
            raise self._failure(f"did not say hello within {self.command.start_seconds} s")
        try:
            return messages.read_hello(message)
        except BadMessage as error:
            raise self._failure(f"said hello wrongly: {error}") from None

    def ask(
        self,
        game: Game,
        seat: int,
        seed: int,
        *,
        owner: object,
        opinions: bool = False,
        stop_at_once: bool = False,
    ) -> BestAction:
        """The engine's decision; `owner` stands for a game: a new one is announced.

        With `stop_at_once` the engine is told to stop right after the question.
        """
        self._begin_question()
        self._asked += 1
        if owner is not self._game:
            self._game = owner
            self._send(messages.newgame(game, seed))
        self._send(messages.position(game, seat, self.hello.wants))
        given = LONGEST_BUDGET if stop_at_once else self.command.budget_ms
        self._send(messages.go(self._asked, given, opinions))
        budget = 0.0 if stop_at_once else self.command.budget_ms / 1000
        end = time.monotonic() + budget
        message = self._await(("bestaction", "error"), end)
        if message is None:
            self._send({"type": "stop", "id": self._asked})
            message = self._await(("bestaction", "error"), time.monotonic() + GRACE)
        if message is None:
            raise self._failure(
                f"took more than {self.command.budget_ms} ms for a decision "
                f"and did not answer within {GRACE:g} s of stop"
            )
        try:
            if message["type"] == "error":
                reason = plain(messages.text_of(message, "reason"))
                raise self._failure(f"reported an error: {reason}")
            return messages.read_best_action(message)
        except BadMessage as error:
            raise self._failure(f"answered wrongly: {error}") from None

    def _await(self, wanted: tuple[str, ...], until: float) -> dict[str, Any] | None:
        """The next message that answers the question; None if there is none in time."""
        while (line := self._next_line(until)) is not None:
            self._seen += 1
            if self._seen > MOST_LINES:
                raise self._failure(f"printed more than {MOST_LINES} lines without an answer")
            try:
                message = messages.decode(line)
            except BadMessage as error:
                self._ignore(str(error))
                continue
            if message["type"] == "info":
                self.log.write(f"info: {plain(str(message.get('text', '')))}")
            elif message["type"] not in wanted:
                self._ignore(f"a message of the type {plain(message['type'])!r} is not expected")
            elif message["type"] != "hello" and message.get("id") != self._asked:
                self._check_late(message)
            else:
                return message
        return None

    def _check_late(self, message: dict[str, Any]) -> None:
        """An answer to an earlier question is late and ignored; any other id is a mistake."""
        number = message.get("id")
        if type(number) is int and 0 < number < self._asked:
            self.log.write(f"late: an answer to question {number} was ignored")
            return
        if message["type"] == "error" and number is None:
            reason = plain(str(message.get("reason", "")))
            raise self._failure(f"reported an error: {reason}")
        raise self._failure(f"answered wrongly: the id must be {self._asked}")

    def _ignore(self, why: str) -> None:
        self.ignored += 1
        self.log.write(f"ignored: {why}")

    def _begin_question(self) -> None:
        self._logged = self._printed = self._seen = 0

    def _failure(self, what: str) -> BotError:
        """A failure, logged with what was said before it; the engine is given up."""
        self.failed = True
        self.log.write("\n".join([f"failed: {what}", *(f"  {line}" for line in self._recent)]))
        return BotError(f"bot {self.command.name} {what}")

    # --- the process ------------------------------------------------------------------------------

    def _launch(self) -> None:
        if os.name != "posix":
            raise BotError(
                f"bot {self.command.name} cannot be started: "
                "engines need Linux, macOS or another POSIX system"
            )
        life, self._life = os.pipe()
        try:
            self.process = subprocess.Popen(
                [sys.executable, "-I", "-S", leash.__file__, str(life), *self.command.command],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                cwd=self.command.folder,
                pass_fds=(life,),
                start_new_session=True,  # Ctrl-C in the terminal is for us
                bufsize=0,
            )
        except OSError as error:
            os.close(self._life)
            raise self._failure(
                f"cannot be started in {self.command.folder}: {error.strerror}"
            ) from None
        finally:
            os.close(life)
        assert self.process.stdin and self.process.stdout and self.process.stderr
        self._stdin, self._stdout, self._stderr = (
            pipe.fileno() for pipe in (self.process.stdin, self.process.stdout, self.process.stderr)
        )
        for pipe in (self._stdin, self._stdout, self._stderr):
            os.set_blocking(pipe, False)
        self._selector = selectors.DefaultSelector()
        self._selector.register(self._stdout, selectors.EVENT_READ)
        self._selector.register(self._stderr, selectors.EVENT_READ)

    def _send(self, message: dict[str, Any]) -> None:
        line = messages.encode(message)
        self._note(">", line)
        self._outbox += line

    def _note(self, direction: str, line: bytes) -> None:
        text = line.decode(errors="replace").rstrip()
        self._recent.append(f"{direction} {plain(text)}")
        if self._watch:
            self._watch(direction, text)

    def _next_line(self, until: float) -> bytes | None:
        """The next line from the engine, sending and receiving meanwhile; None when time is up."""
        while not self._lines:
            left = until - time.monotonic()
            if left <= 0:
                return None
            self._transfer(left)
        line = self._lines.popleft()
        self._note("<", line)
        return line

    def _transfer(self, seconds: float) -> None:
        """Wait for a pipe and use it."""
        writing = self._stdin in self._selector.get_map()
        if self._outbox and not writing:
            self._selector.register(self._stdin, selectors.EVENT_WRITE)
        elif writing and not self._outbox:
            self._selector.unregister(self._stdin)
        for key, _ in self._selector.select(seconds):
            if key.fd == self._stdin:
                self._write()
            elif key.fd == self._stderr:
                self._read_words()
            else:
                self._read()

    def _write(self) -> None:
        try:
            sent = os.write(self._stdin, self._outbox[:CHUNK])
            self._outbox = self._outbox[sent:]
        except BlockingIOError:
            pass
        except OSError:  # it no longer listens, but may have said something before it ended
            self._outbox = b""

    def _read(self) -> None:
        found = os.read(self._stdout, CHUNK)
        if not found:
            self._drain_words()
            status = self._status()
            why = f": {self._last_words}" if self._last_words else ""
            raise self._failure(f"ended {status}{why}")
        self._printed += len(found)
        self._inbox += found
        *lines, rest = self._inbox.split(b"\n")
        self._lines.extend(bytes(line) for line in lines)
        self._inbox = rest
        longest = max(map(len, (*lines, rest)))
        if longest >= LONGEST_LINE:
            raise self._failure(f"printed a line of more than {LONGEST_LINE} bytes")
        if self._printed > MOST_BYTES:
            raise self._failure(f"printed more than {MOST_BYTES} bytes without an answer")

    def _read_words(self) -> bool:
        """Log standard error; returns whether there may be more."""
        try:
            found = os.read(self._stderr, CHUNK)
        except BlockingIOError:
            return False
        if not found:
            if self._stderr in self._selector.get_map():
                self._selector.unregister(self._stderr)
            return False
        *lines, self._words = (self._words + found).split(b"\n")
        self._words = self._words[:CHUNK]
        for line in lines:
            text = plain(line.decode(errors="replace").rstrip())
            self._last_words = text or self._last_words
            self._logged += len(text) + 1
            if self._logged <= MOST_WORDS:
                self.log.write(f"stderr: {text}")
                if self._watch:
                    self._watch("!", text)
        return True

    def _drain_words(self) -> None:
        for _ in range(MOST_WORDS // CHUNK + 1):
            if not self._read_words():
                return

    def _status(self) -> str:
        """How it ended."""
        try:
            code = self.process.wait(GRACE)
        except subprocess.TimeoutExpired:
            return "its output"
        if code > 128:
            with contextlib.suppress(ValueError):
                return f"by {signal.Signals(code - 128).name}"
        return f"with status {code}"

    # --- the end ----------------------------------------------------------------------------------

    def quit(self) -> bool:
        """Ask it to end and see that it does; returns whether it obeyed."""
        obeyed = False
        if not (self._ended or self.failed):
            with contextlib.suppress(BotError):
                self._begin_question()
                self._send({"type": "quit"})
                until = time.monotonic() + GRACE
                while self._outbox and time.monotonic() < until:
                    self._transfer(until - time.monotonic())
            with contextlib.suppress(OSError):
                self.process.stdin.close()  # type: ignore[union-attr]
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.process.wait(GRACE)
                obeyed = True
        self.end()
        return obeyed

    def end(self) -> None:
        """End it and its children now."""
        if self._ended:
            return
        self._ended = True
        if not hasattr(self, "process"):
            return
        os.close(self._life)
        try:
            self.process.wait(GRACE)
        except subprocess.TimeoutExpired:  # the leash itself was stopped
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
        self._selector.close()
        for pipe in (self.process.stdin, self.process.stdout, self.process.stderr):
            with contextlib.suppress(OSError):
                pipe.close()  # type: ignore[union-attr]
