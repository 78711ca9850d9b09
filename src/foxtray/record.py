"""The `.fox` file of a game (docs/notation.md): write it, read it and verify it."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from foxtray import digits, files
from foxtray.core.codes import DICE, SEATS
from foxtray.core.layout import Action
from foxtray.dice import LAST_SEED, LONGEST_ENTROPY, SecretDice, Throw, entropy_commitment
from foxtray.errors import FoxtrayError, RecordError
from foxtray.game import RULES_VERSION
from foxtray.games.registry import SHEETS
from foxtray.history import History, Setup, ThrowInput, only_wanted
from foxtray.position import OPTIONS

FORMAT_VERSION = 2
"""The newest version that can be read. Files are written in version 1 unless they need version 2:
for commitments of seats, or for a game that was given up."""


class Record(History):
    """The history of a game, which can be saved to a file."""

    def text(self) -> str:
        """The record as a `.fox` file; complete once the game is over or was given up."""
        outcome = self.game.outcome()
        totals = outcome.totals if outcome else ()
        return file_text(self.setup, input_lines(self), totals, given_up=self.given_up)

    def save(self, path: str | Path) -> None:
        """Save the file atomically: it is never left half written."""
        with files.naming(path), files.replacing(path) as file:
            file.write(self.text())


def file_text(
    setup: Setup,
    inputs: Iterable[str],
    totals: Sequence[int],
    rules: int = RULES_VERSION,
    *,
    given_up: bool = False,
) -> str:
    """A `.fox` file from its lines of inputs; totals only if the game is over."""
    given_up = given_up and not totals
    version = FORMAT_VERSION if given_up or any(setup.commitments) else 1
    lines = [f"foxtray {version}", *header_lines(setup, rules), *inputs]
    if totals or given_up:
        if setup.secret is not None:
            lines.append(f"secret {setup.secret.hex()}")
        lines.append("given up" if given_up else "end " + " ".join(map(str, totals)))
        lines.append(f"sha256 {digest(lines)}")
    return "\n".join(lines) + "\n"


def digest(lines: Sequence[str]) -> str:
    return hashlib.sha256(("\n".join(lines) + "\n").encode()).hexdigest()


def header_lines(setup: Setup, rules: int) -> Iterator[str]:
    yield f"rules {rules}"
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
        if any(setup.commitments):
            for seat, commitment in enumerate(setup.commitments, 1):
                yield f"commit {seat} {commitment or '-'}"
        for seat, entropy in enumerate(setup.entropies, 1):
            yield f"entropy {seat} {entropy.hex()}"
    else:
        yield "dice own"


def input_lines(record: Record) -> Iterator[str]:
    letters = record.game.sheet.letters
    for entry in record.inputs:
        if isinstance(entry, ThrowInput):
            yield throw_line(letters, entry.throw.faces, entry.throw.order)
        else:
            yield action_line(entry.seat, entry.action)


def throw_line(letters: Sequence[str], faces: Iterable[int], order: Iterable[int]) -> str:
    shown = "".join(str(face) if face else "-" for face in faces)
    return f"throw {shown} " + "".join(letters[d] for d in order)


def action_line(seat: int, action: Action | str) -> str:
    return f"{seat + 1} {action}"


# --- reading ------------------------------------------------------------------------------------


@dataclass(slots=True)
class Reader:
    """Reads a file line by line; every error names the line."""

    lines: list[str]
    at: int = 0
    version: int = 1
    """The version of the format."""

    def fail(self, cause: str) -> RecordError:
        return RecordError(self.at + 1, cause)

    def peek(self) -> tuple[str, str]:
        """The first word of the line, and the rest; both empty at the end of the file."""
        if self.at == len(self.lines):
            return "", ""
        word, _, rest = self.lines[self.at].partition(" ")
        return word, rest

    def expect(self, word: str) -> str:
        found, rest = self.peek()
        if found != word:
            raise self.fail(f"expected {word!r}")
        self.at += 1
        return rest

    def number(self, word: str, low: int, high: int) -> int:
        found = digits.number(self.expect(word), low, high)
        if found is None:
            self.at -= 1
            raise self.fail(f"{word} must be a number from {low} to {high}")
        return found


def read(text: str) -> tuple[Record, bool]:
    """A record, replayed from its text, and whether its faces could be verified."""
    lines = text.split("\n")
    if lines[-1]:
        raise RecordError(len(lines), "this line is cut off")
    reader = Reader(lines[:-1])
    # The secret at the end is looked up first, so that a wrong throw is reported at its own line.
    record = Record(with_secret(read_header(reader), reader.lines))
    verify_first(reader, record)
    read_inputs(reader, record)
    word, _ = reader.peek()
    if word == "secret":
        reveal(reader, record)
        word, _ = reader.peek()
    if word == "end":
        read_end(reader, record)
    elif ends_given_up(reader, reader.at):
        read_given_up(reader, record)
    elif reader.at < len(reader.lines):
        raise reader.fail(f"unexpected {word!r}")
    elif record.game.over:
        raise reader.fail("the game is over but its end line is missing")
    return record, record.dice is not None


def read_header(reader: Reader) -> Setup:
    reader.version = reader.number("foxtray", 1, 10**6)
    if reader.version > FORMAT_VERSION:
        reader.at -= 1
        raise reader.fail(
            f"format {reader.version} is newer than this version can read; update foxtray"
        )
    rules = reader.number("rules", 1, 10**6)
    if rules != RULES_VERSION:
        reader.at -= 1
        raise reader.fail(f"rules version {rules} cannot be replayed; it must be {RULES_VERSION}")
    game = reader.expect("game")
    if game not in SHEETS:
        reader.at -= 1
        raise reader.fail(f"unknown game {game!r}; choose one of {', '.join(SHEETS)}")
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
            raise reader.fail(f"unknown or repeated option {name!r}")
        options.add(name)
        reader.at += 1
    return options


def read_per_seat(reader: Reader, word: str, seats: int) -> Iterator[str]:
    """The values of lines such as `name 1 Ana`, given for all seats in order or not at all."""
    if reader.peek()[0] != word:
        return
    for seat in range(1, seats + 1):
        number, _, value = reader.expect(word).partition(" ")
        if number != str(seat):
            reader.at -= 1
            raise reader.fail(f"expected the {word} of seat {seat}")
        yield value


def read_dice(reader: Reader, setup: Setup) -> Setup:
    kind, _, value = reader.expect("dice").partition(" ")
    if kind == "own" and not value:
        return setup
    if kind == "seed" and (seed := digits.number(value, 0, LAST_SEED)) is not None:
        return replace(setup, seed=seed)
    if kind == "secret" and is_sha256(value):
        setup = replace(setup, commitment=value)
        return read_entropies(reader, read_commitments(reader, setup))
    reader.at -= 1
    raise reader.fail("dice must be 'own', 'seed NUMBER' or 'secret SHA256'")


def read_commitments(reader: Reader, setup: Setup) -> Setup:
    if reader.version == 1:
        return setup
    commitments = []
    for text in read_per_seat(reader, "commit", setup.seats):
        if text != "-" and not is_sha256(text):
            reader.at -= 1
            raise reader.fail("a commitment must be a SHA-256, or '-' for none")
        commitments.append("" if text == "-" else text)
    return replace(setup, commitments=tuple(commitments))


def read_entropies(reader: Reader, setup: Setup) -> Setup:
    assert setup.commitment
    entropies: list[bytes] = []
    if setup.commitments and reader.peek()[0] != "entropy":
        raise reader.fail("expected 'entropy'")
    for seat, text in enumerate(read_per_seat(reader, "entropy", setup.seats)):
        if not is_hex(text):
            reader.at -= 1
            raise reader.fail("entropy must be pairs of hexadecimal digits")
        if len(text) > 2 * LONGEST_ENTROPY:
            reader.at -= 1
            raise reader.fail(f"entropy must be at most {LONGEST_ENTROPY:,} bytes")
        entropy = bytes.fromhex(text)
        committed = setup.commitments[seat] if setup.commitments else ""
        if (
            committed
            and entropy
            and committed != entropy_commitment(setup.commitment, seat, entropy)
        ):
            reader.at -= 1
            raise reader.fail(f"the entropy does not match the commitment of seat {seat + 1}")
        entropies.append(entropy)
    return replace(setup, entropies=tuple(entropies))


def is_sha256(text: str) -> bool:
    return len(text) == 64 and is_hex(text)


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
    letters = "".join(record.game.sheet.letters)
    faces, _, order = text.partition(" ")
    if len(faces) != DICE or set(faces) - set("-123456") or sorted(order) != sorted(letters):
        raise reader.fail("a throw must be six faces ('-' if not thrown) and the order of the dice")
    wanted = [letters[d] for d in record.game.rolling()]
    if wanted and wanted != [letters[d] for d, face in enumerate(faces) if face != "-"]:
        raise reader.fail(f"the dice to throw here are {' '.join(wanted)}")
    return Throw(
        tuple(0 if face == "-" else int(face) for face in faces),
        tuple(letters.index(letter) for letter in order),
    )


def verify(reader: Reader, record: Record, throw: Throw) -> None:
    """Check a throw against the source of the dice, if it is known."""
    address = record.game.address()
    if record.dice is not None and address is not None:
        if throw != only_wanted(record.game, record.dice.throw(*address)):
            raise reader.fail("these faces do not match the seed or secret of the dice")


def verify_first(reader: Reader, record: Record) -> None:
    """Check who plays first: secret dice draw the seat. Version 1 did not promise that."""
    setup = record.setup
    if reader.version > 1 and isinstance(record.dice, SecretDice):
        drawn = record.dice.first(setup.seats)
        if setup.first != drawn:
            line = reader.lines.index(f"first {setup.first + 1}") + 1
            raise RecordError(line, f"the secret of the dice draws seat {drawn + 1} to play first")


def with_secret(setup: Setup, lines: Sequence[str]) -> Setup:
    """The setup, with the committed secret if a line reveals it."""
    for line in lines:
        word, _, text = line.partition(" ")
        if word == "secret" and is_hex(text) and len(text) >= 32:
            secret = bytes.fromhex(text)
            if SecretDice(secret).commitment == setup.commitment:
                return replace(setup, secret=secret)
    return setup


def reveal(reader: Reader, record: Record) -> None:
    """Check a revealed secret against its commitment."""
    setup, secret = record.setup, reader.peek()[1]
    if setup.commitment is None or not is_hex(secret) or len(secret) < 32:
        raise reader.fail("a secret must be hexadecimal, and needs dice with a commitment")
    if setup.secret is None or setup.secret.hex() != secret:
        raise reader.fail("the secret does not match the commitment")
    if not record.game.over and not ends_given_up(reader, reader.at + 1):
        raise reader.fail("the secret must not be revealed before the game is over or given up")
    reader.at += 1


def read_end(reader: Reader, record: Record) -> None:
    totals = reader.peek()[1]
    outcome = record.game.outcome()
    if outcome is None:
        raise reader.fail("the game is not over yet")
    expected = " ".join(map(str, outcome.totals))
    if totals != expected:
        raise reader.fail(f"the totals are {expected}, not {totals}")
    read_sum(reader, record)


def ends_given_up(reader: Reader, at: int) -> bool:
    """Whether this line says that every player gave the game up."""
    return reader.version > 1 and reader.lines[at : at + 1] == ["given up"]


def read_given_up(reader: Reader, record: Record) -> None:
    if record.game.over:
        raise reader.fail("a game that is over cannot be given up")
    record.given_up = True
    read_sum(reader, record)


def read_sum(reader: Reader, record: Record) -> None:
    """The line that ended the game, and then the SHA-256 of everything above it."""
    if record.setup.commitment is not None and record.setup.secret is None:
        raise reader.fail("the secret of the dice is missing")
    reader.at += 1
    found = reader.expect("sha256")
    if found != digest(reader.lines[: reader.at - 1]):
        reader.at -= 1
        raise reader.fail("the SHA-256 does not match the lines above: the file was changed")
    if reader.at != len(reader.lines):
        raise reader.fail("unexpected line after the end")
