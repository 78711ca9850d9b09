"""A game as its inputs: history with undo, and the `.fox` text file (docs/notation.md).

State is always a replay of the inputs; terminal and server both keep theirs here.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NamedTuple

from foxtray import digits, files
from foxtray.core.codes import DICE, SEATS
from foxtray.core.layout import Action
from foxtray.dice import LAST_SEED, LONGEST_ENTROPY, Dice, SecretDice, SeededDice, Throw
from foxtray.errors import BadSetup, FoxtrayError, NothingToUndo, RecordError
from foxtray.events import Event, RoundStarted
from foxtray.game import RULES_VERSION, Game
from foxtray.position import OPTIONS
from foxtray.sheets import SHEETS

FORMAT_VERSION = 1


@dataclass(frozen=True, slots=True)
class Setup:
    """What is fixed before the first throw."""

    game: str
    seats: int = 1
    first: int = 0
    solo_fallback: bool = False
    fox_floor: bool = False
    names: tuple[str, ...] = ()
    seed: int | None = None
    """The seed of the dice, where they have one."""
    commitment: str | None = None
    """The SHA-256 of the secret of the dice, where they have one."""
    entropies: tuple[bytes, ...] = ()
    secret: bytes | None = field(default=None, repr=False)
    """Known to the table; written to a file only when the game is over."""

    def start(self) -> Game:
        """The game at its first moment."""
        return Game.new(
            self.game,
            self.seats,
            first=self.first,
            solo_fallback=self.solo_fallback,
            fox_floor=self.fox_floor,
        )

    def dice(self) -> Dice | None:
        """The source of the throws, if it is known here: otherwise they come from a table."""
        if self.seed is not None:
            return SeededDice(self.seed)
        if self.secret is not None:
            return SecretDice(self.secret, self.entropies)
        return None


class Thrown(NamedTuple):
    """An input: the wanted dice were thrown."""

    throw: Throw


class Played(NamedTuple):
    """An input: a seat acted."""

    seat: int
    action: Action


Input = Thrown | Played


class Record:
    """The history of one game: its inputs so far, and the game they lead to."""

    def __init__(self, setup: Setup) -> None:
        self.setup = setup
        self.inputs: list[Input] = []
        self.game = setup.start()
        self.dice = setup.dice()
        self._before: list[Game] = []
        """The game before each of the last inputs: those that could be taken back."""

    def copy(self) -> Record:
        """An independent history; games and inputs never change, so they are shared."""
        twin = copy(self)
        twin.inputs, twin._before = self.inputs[:], self._before[:]
        return twin

    def play(self, seat: int, action: Action | str) -> tuple[Event, ...]:
        """Let a seat act."""
        if isinstance(action, str):
            action = Action.parse(self.setup.game, action)
        return self._add(Played(seat, action))

    def roll(self, throw: Throw | None = None) -> tuple[Event, ...]:
        """Throw the wanted dice, from the record's own source or as given."""
        address = self.game.address()
        if throw is None and address is not None:
            if self.dice is None:
                raise BadSetup("these dice are thrown by hand: say their faces")
            throw = self.dice.throw(*address)
        return self._add(Thrown(only_wanted(self.game, throw or Throw((0,) * DICE))))

    def _add(self, entry: Input) -> tuple[Event, ...]:
        before = self.game
        self.game, events = step(before, entry)
        self.inputs.append(entry)
        self._before.append(before)
        if isinstance(entry, Thrown) or any(isinstance(e, RoundStarted) for e in events):
            self._before = []
        return events

    def undo(self, seat: int) -> Played:
        """Take back a seat's last action since the last throw or the start of the round."""
        at = self._last_of(seat)
        if at is None:
            raise NothingToUndo(
                "there is nothing to take back since the last throw or the start of the round"
            )
        if not self.may_undo(seat):
            raise NothingToUndo("others have already gone on from there, it cannot be taken back")
        undone, *later = self.inputs[at - len(self._before) :]
        assert isinstance(undone, Played)
        games = [self._before[at]]
        for entry in later:
            games.append(step(games[-1], entry)[0])
        self.inputs[len(self.inputs) - 1 - len(later) :] = later
        *self._before[at:], self.game = games
        return undone

    def may_undo_throw(self) -> bool:
        """Whether nobody has acted on the last throw of real dice: it may have been mistyped."""
        return self.dice is None and isinstance(next(reversed(self.inputs), None), Thrown)

    def undo_throw(self) -> None:
        """Take back a throw of real dice."""
        if not self.may_undo_throw():
            raise NothingToUndo("there is no throw that can be taken back")
        before = Record(self.setup)
        for entry in self.inputs[:-1]:
            before._add(entry)
        self.inputs, self.game, self._before = before.inputs, before.game, before._before

    def may_undo(self, seat: int) -> bool:
        """Whether a seat has acted since the last throw or the start of the round.

        What ended the rolls stays once somebody was served: he could not have been without it.
        """
        at = self._last_of(seat)
        return at is not None and len({g.state.phase for g in self._before[at : at + 2]}) == 1

    def _last_of(self, seat: int) -> int | None:
        """The place of a seat's last action among those that could be taken back."""
        if self.game.over:
            return None
        for at in reversed(range(len(self._before))):
            entry = self.inputs[at - len(self._before)]
            if isinstance(entry, Played) and entry.seat == seat:
                return at
        return None

    # --- the file ------------------------------------------------------------------------------

    def text(self) -> str:
        """The record as a `.fox` file; complete once the game is over."""
        lines = [*header_lines(self.setup), *input_lines(self)]
        outcome = self.game.outcome()
        if outcome:
            if self.setup.secret is not None:
                lines.append(f"secret {self.setup.secret.hex()}")
            lines.append("end " + " ".join(map(str, outcome.totals)))
            lines.append(f"sha256 {digest(lines)}")
        return "\n".join(lines) + "\n"

    def save(self, path: str | Path) -> None:
        """Write the file so that it is always whole, whatever interrupts."""
        with files.naming(path), files.replacing(path) as file:
            file.write(self.text())


def step(game: Game, entry: Input) -> tuple[Game, tuple[Event, ...]]:
    """A game after one more input."""
    if isinstance(entry, Thrown):
        return game.roll(entry.throw)
    return game.play(entry.seat, entry.action)


def only_wanted(game: Game, throw: Throw) -> Throw:
    """A throw without the faces of dice that are not wanted."""
    wanted = game.rolling()
    faces = tuple(face if d in wanted else 0 for d, face in enumerate(throw.faces))
    return replace(throw, faces=faces)


def digest(lines: Sequence[str]) -> str:
    return hashlib.sha256(("\n".join(lines) + "\n").encode()).hexdigest()


def header_lines(setup: Setup) -> Iterator[str]:
    yield f"foxtray {FORMAT_VERSION}"
    yield f"rules {RULES_VERSION}"
    yield f"game {setup.game}"
    yield f"seats {setup.seats}"
    yield f"first {setup.first + 1}"
    for option in OPTIONS:
        if getattr(setup, option):
            yield f"option {option}=on"
    for seat, name in enumerate(setup.names, 1):
        yield f"name {seat} {' '.join(name.split())}"
    if setup.seed is not None:
        yield f"dice seed {setup.seed}"
    elif setup.commitment is not None:
        yield f"dice secret {setup.commitment}"
        for seat, entropy in enumerate(setup.entropies, 1):
            yield f"entropy {seat} {entropy.hex()}"
    else:
        yield "dice own"


def input_lines(record: Record) -> Iterator[str]:
    letters = [colour[0] for colour in record.game.sheet.dice]
    for entry in record.inputs:
        if isinstance(entry, Thrown):
            faces = "".join(str(face) if face else "-" for face in entry.throw.faces)
            yield f"throw {faces} " + "".join(letters[d] for d in entry.throw.order)
        else:
            yield f"{entry.seat + 1} {entry.action}"


# --- reading ------------------------------------------------------------------------------------


@dataclass(slots=True)
class Reader:
    """Reads a file line by line; every complaint names the line."""

    lines: list[str]
    at: int = 0

    def fail(self, cause: str) -> RecordError:
        return RecordError(self.at + 1, cause)

    def peek(self) -> tuple[str, str]:
        """The first word of the line, and the rest; two empty texts at the end."""
        if self.at == len(self.lines):
            return "", ""
        word, _, rest = self.lines[self.at].partition(" ")
        return word, rest

    def expect(self, word: str) -> str:
        found, rest = self.peek()
        if found != word:
            raise self.fail(f"{word!r} is expected here")
        self.at += 1
        return rest

    def number(self, word: str, low: int, high: int) -> int:
        found = digits.number(self.expect(word), low, high)
        if found is None:
            self.at -= 1
            raise self.fail(f"{word} must be a number from {low} to {high}")
        return found


def read(text: str) -> tuple[Record, bool]:
    """A record from its text, replayed; and whether its faces could be verified."""
    lines = text.split("\n")
    if lines[-1]:
        raise RecordError(len(lines), "this line is cut short")
    reader = Reader(lines[:-1])
    # A secret told at the end is looked up now, so that a wrong throw is found in its own line.
    record = Record(with_secret(read_header(reader), reader.lines))
    read_inputs(reader, record)
    word, _ = reader.peek()
    if word == "secret":
        reveal(reader, record)
        word, _ = reader.peek()
    if word == "end":
        read_end(reader, record)
    elif reader.at < len(reader.lines):
        raise reader.fail(f"{word!r} is not understood")
    elif record.game.over:
        raise reader.fail("the game is over but its end line is missing")
    return record, record.dice is not None


def read_header(reader: Reader) -> Setup:
    version = reader.number("foxtray", 1, 10**6)
    if version > FORMAT_VERSION:
        reader.at -= 1
        raise reader.fail(f"format {version} is newer than this program reads; update foxtray")
    rules = reader.number("rules", 1, 10**6)
    if rules != RULES_VERSION:
        reader.at -= 1
        raise reader.fail(f"rules version {rules} is not the {RULES_VERSION} played here")
    game = reader.expect("game")
    if game not in SHEETS:
        reader.at -= 1
        raise reader.fail(f"there is no game {game!r}")
    seats = reader.number("seats", 1, SEATS)
    first = reader.number("first", 1, seats) - 1
    options = read_options(reader)
    names = tuple(read_per_seat(reader, "name", seats))
    setup = Setup(game, seats, first, "solo_fallback" in options, "fox_floor" in options, names)
    return read_dice(reader, setup)


def read_options(reader: Reader) -> set[str]:
    options: set[str] = set()
    while reader.peek()[0] == "option":
        name, _, value = reader.peek()[1].partition("=")
        if name not in OPTIONS or value != "on" or name in options:
            raise reader.fail(f"option {name!r} is not understood")
        options.add(name)
        reader.at += 1
    return options


def read_per_seat(reader: Reader, word: str, seats: int) -> Iterator[str]:
    """The values of lines like `name 1 Ana`, which come for all seats in order or not at all."""
    if reader.peek()[0] != word:
        return
    for seat in range(1, seats + 1):
        number, _, value = reader.expect(word).partition(" ")
        if number != str(seat):
            reader.at -= 1
            raise reader.fail(f"{word} of seat {seat} is expected here")
        yield value


def read_dice(reader: Reader, setup: Setup) -> Setup:
    kind, _, value = reader.expect("dice").partition(" ")
    if kind == "own" and not value:
        return setup
    if kind == "seed" and (seed := digits.number(value, 0, LAST_SEED)) is not None:
        return replace(setup, seed=seed)
    if kind == "secret" and len(value) == 64 and is_hex(value):
        entropies = []
        for text in read_per_seat(reader, "entropy", setup.seats):
            if not is_hex(text):
                reader.at -= 1
                raise reader.fail("entropy must be pairs of hexadecimal digits")
            if len(text) > 2 * LONGEST_ENTROPY:
                reader.at -= 1
                raise reader.fail(f"entropy has {LONGEST_ENTROPY:,} bytes at most")
            entropies.append(bytes.fromhex(text))
        return replace(setup, commitment=value, entropies=tuple(entropies))
    reader.at -= 1
    raise reader.fail("dice must be 'own', 'seed NUMBER' or 'secret SHA256'")


def is_hex(text: str) -> bool:
    return len(text) % 2 == 0 and set(text) <= set("0123456789abcdef")


def read_inputs(reader: Reader, record: Record) -> None:
    """Replay the throws and actions."""
    seats = [str(seat + 1) for seat in range(record.setup.seats)]
    while True:
        word, rest = reader.peek()
        try:
            if word == "throw":
                throw = read_throw(reader, record, rest)
                verify(reader, record, throw)
                record.roll(throw)
            elif word in seats:
                record.play(seats.index(word), rest)
            else:
                return
        except RecordError:
            raise
        except FoxtrayError as error:
            raise reader.fail(str(error)) from None
        reader.at += 1


def read_throw(reader: Reader, record: Record, text: str) -> Throw:
    letters = "".join(colour[0] for colour in record.game.sheet.dice)
    faces, _, order = text.partition(" ")
    if len(faces) != DICE or set(faces) - set("-123456") or sorted(order) != sorted(letters):
        raise reader.fail("a throw is six faces ('-': not thrown) and the order of the six dice")
    wanted = [letters[d] for d in record.game.rolling()]
    if wanted and wanted != [letters[d] for d, face in enumerate(faces) if face != "-"]:
        raise reader.fail(f"the dice to be thrown here are {' '.join(wanted)}")
    return Throw(
        tuple(0 if face == "-" else int(face) for face in faces),
        tuple(letters.index(letter) for letter in order),
    )


def verify(reader: Reader, record: Record, throw: Throw) -> None:
    """Check a throw against the source of the dice, where it is known."""
    address = record.game.address()
    if record.dice is not None and address is not None:
        if throw != only_wanted(record.game, record.dice.throw(*address)):
            raise reader.fail("these are not the faces that the dice give here")


def with_secret(setup: Setup, lines: Sequence[str]) -> Setup:
    """What was set up, with the secret that was promised where a line reveals it."""
    for line in lines:
        word, _, text = line.partition(" ")
        if word == "secret" and is_hex(text) and len(text) >= 32:
            secret = bytes.fromhex(text)
            if SecretDice(secret).commitment == setup.commitment:
                return replace(setup, secret=secret)
    return setup


def reveal(reader: Reader, record: Record) -> None:
    """Check a revealed secret against what was promised."""
    setup, secret = record.setup, reader.peek()[1]
    if setup.commitment is None or not is_hex(secret) or len(secret) < 32:
        raise reader.fail("a secret of hexadecimal digits belongs to committed dice only")
    if setup.secret is None or setup.secret.hex() != secret:
        raise reader.fail("the secret is not the one that was promised")
    if not record.game.over:
        raise reader.fail("a secret is told only when the game is over")
    reader.at += 1


def read_end(reader: Reader, record: Record) -> None:
    totals = reader.peek()[1]
    outcome = record.game.outcome()
    if outcome is None:
        raise reader.fail("the game is not over yet")
    expected = " ".join(map(str, outcome.totals))
    if totals != expected:
        raise reader.fail(f"the totals are {expected}, not {totals}")
    if record.setup.commitment is not None and record.setup.secret is None:
        raise reader.fail("the secret of the dice is missing before the end")
    reader.at += 1
    found = reader.expect("sha256")
    if found != digest(reader.lines[: reader.at - 1]):
        reader.at -= 1
        raise reader.fail("the SHA-256 of the lines above is another one: the file was changed")
    if reader.at != len(reader.lines):
        raise reader.fail("nothing may follow the end")
