"""Records: history with undo, and files that are accepted only if every line is right."""

import errno
import hashlib
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from foxtray import Action, Game, IllegalAction, Throw
from foxtray.dice import SecretDice, SeededDice, entropy_commitment
from foxtray.errors import BadSetup, FoxtrayError, NothingToUndo, RecordError
from foxtray.events import RoundStarted
from foxtray.history import Input, PlayInput, Setup, ThrowInput
from foxtray.record import Record, read

SECRET = bytes(range(16, 48))
REVEALED = (b"entropy of it", b"entropy of it", b"", b"")
ENTROPIES = (b"\x01\x02", b"", b"\xff" * 20)


def committed(game: str = "twice", seats: int = 3) -> Setup:
    """Dice with a secret that the table knows."""
    return Setup(
        game,
        seats,
        commitment=SecretDice(SECRET).commitment,
        entropies=ENTROPIES[:seats],
        secret=SECRET,
    )


def promised(game: str = "clever", seats: int = 4) -> Setup:
    """A table whose seats committed to their entropy: of four the third is a bot's, and the fourth
    did not reveal in time."""
    dice = SecretDice(SECRET, REVEALED[:seats])
    commitment = dice.commitment
    hashes = [entropy_commitment(commitment, seat, b"entropy of it") for seat in range(4)]
    return Setup(
        game,
        seats,
        dice.first(seats),
        commitment=commitment,
        commitments=(hashes[0], hashes[1], "", hashes[3])[:seats],
        entropies=REVEALED[:seats],
        secret=SECRET,
    )


SETUPS = {
    "seeded": Setup("clever", 2, first=1, fox_floor=True, names=("Ana", "Ben  B."), seed=7),
    "solo": Setup("twice", solo_fallback=True, seed=2**64 - 1),
    "secret": committed(),
    "promised": promised(),
    "own": Setup("clever", 4, first=3, names=("", "b", "c", "d")),
}


def play_on(record: Record, chance: Random, inputs: int = 10_000) -> Record:
    """Go on by chance until the game is over or has so many inputs."""
    throws = SeededDice(5)
    while not record.game.over and len(record.inputs) < inputs:
        address = record.game.address()
        if address is None:
            seat = chance.choice(record.game.awaiting())
            record.play(seat, chance.choice(record.game.legal(seat)))
        else:
            record.roll(throws.throw(*address) if record.setup.dice() is None else None)
    return record


@pytest.fixture(scope="module", params=SETUPS)
def finished(request: pytest.FixtureRequest) -> Record:
    return play_on(Record(SETUPS[request.param]), Random(request.param))


@pytest.fixture(scope="module")
def secret_text() -> str:
    return play_on(Record(committed("clever", 1)), Random(2)).text()


def sealed(lines: list[str]) -> str:
    """A file with the right sum for lines that somebody changed."""
    lines = [line for line in lines if line and not line.startswith("sha256")]
    text = "\n".join(lines) + "\n"
    return f"{text}sha256 {hashlib.sha256(text.encode()).hexdigest()}\n"


def complaint(text: str) -> tuple[int, str]:
    """The line that a text is refused for, and why."""
    with pytest.raises(RecordError) as caught:
        read(text)
    assert str(caught.value).startswith(f"line {caught.value.line}: ")
    return caught.value.line, str(caught.value).partition(": ")[2]


# --- round trips --------------------------------------------------------------------------------


def test_a_finished_game_round_trips(finished: Record) -> None:
    text = finished.text()
    again, verified = read(text)
    assert again.text() == text
    assert again.inputs == finished.inputs
    assert (again.game, again.game.position()) == (finished.game, finished.game.position())
    assert verified == (finished.setup.dice() is not None)
    assert again.setup.start() == finished.setup.start()
    outcome = finished.game.outcome()
    assert outcome is not None
    assert text.splitlines()[-2] == "end " + " ".join(map(str, outcome.totals))


def test_an_unfinished_game_round_trips_at_every_step(finished: Record) -> None:
    record = Record(finished.setup)
    for entry in finished.inputs[:40]:
        again, verified = read(record.text())
        assert again.text() == record.text()
        assert again.game == record.game
        assert verified == (record.setup.seed is not None)
        if isinstance(entry, ThrowInput):
            record.roll(entry.throw)
        else:
            record.play(entry.seat, str(entry.action))


def test_what_a_file_looks_like() -> None:
    record = Record(SETUPS["seeded"])
    record.roll()
    record.play(1, "w>g")
    record.roll()
    assert record.text().splitlines() == [
        "foxtray 1",
        "rules 1",
        "game clever",
        "seats 2",
        "first 2",
        "option fox_floor=on",
        "name 1 Ana",
        "name 2 Ben B.",  # one line, whatever the name is made of
        "dice seed 7",
        "throw 416515 oygpwb",
        "2 w>g",
        "throw --64-2 ogbypw",
    ]


def test_a_name_cannot_add_a_line() -> None:
    setup = Setup("clever", names=("Eve\ndice seed 1",), seed=2)
    again, _ = read(Record(setup).text())
    assert (again.setup.names, again.setup.seed) == (("Eve dice seed 1",), 2)


def test_the_secret_is_written_only_when_the_game_is_over(secret_text: str) -> None:
    record = play_on(Record(committed()), Random(1), 30)
    assert SECRET.hex() not in record.text()
    assert repr(SECRET) not in repr(record.setup)
    assert secret_text.splitlines()[-3] == f"secret {SECRET.hex()}"
    again, verified = read(secret_text)
    assert verified
    assert again.setup.secret == SECRET


def test_a_file_of_committed_dice_is_believed_but_not_verified_before_the_end() -> None:
    record = play_on(Record(committed()), Random(1), 30)
    again, verified = read(record.text())
    assert not verified
    assert again.setup.dice() is None
    with pytest.raises(BadSetup, match="rolled by hand"):
        play_on(Record(again.setup), Random(1), 0).roll()


def test_a_secret_told_too_early_is_refused() -> None:
    lines = play_on(Record(committed()), Random(1), 30).text().splitlines()
    told = complaint("\n".join([*lines, f"secret {SECRET.hex()}", ""]))
    cause = "the secret must not be revealed before the game is over or given up"
    assert told == (len(lines) + 1, cause)


# --- seats that commit --------------------------------------------------------------------------


def test_seats_that_committed_need_format_2() -> None:
    record = play_on(Record(promised()), Random(3))
    lines = record.text().splitlines()
    assert lines[0] == "foxtray 2"
    commitment = hashlib.sha256(SECRET).hexdigest()
    told = f"foxtray entropy {commitment} 1 {b'entropy of it'.hex()}"
    assert lines[5:14] == [
        f"dice secret {commitment}",
        f"commit 1 {hashlib.sha256(told.encode()).hexdigest()}",
        f"commit 2 {promised().commitments[1]}",
        "commit 3 -",
        f"commit 4 {promised().commitments[3]}",
        f"entropy 1 {b'entropy of it'.hex()}",
        f"entropy 2 {b'entropy of it'.hex()}",
        "entropy 3 ",
        "entropy 4 ",
    ]
    again, verified = read(record.text())
    assert verified
    assert (again.setup.left_out(), again.setup.in_clear()) == ([3], [])
    # What needs nothing of it is written as before.
    assert Record(committed()).text().startswith("foxtray 1\n")
    assert (committed().left_out(), committed().in_clear()) == ([], [0, 2])


@pytest.mark.parametrize(
    ("number", "line", "at", "cause"),
    [
        (0, "foxtray 1", 7, "unexpected 'commit'"),
        (6, "commit 1 " + "0" * 64, 11, "the entropy does not match the commitment of seat 1"),
        (7, "commit 2 0", 8, "a commitment must be a SHA-256, or '-' for none"),
        (10, "entropy 1 00", 11, "the entropy does not match the commitment of seat 1"),
        (11, "entropy 2 ", 5, "the secret of the dice draws seat "),
        (12, "entropy 3 00", 15, "these faces do not match the seed or secret of the dice"),
    ],
)
def test_a_seat_is_held_to_what_it_committed_to(
    number: int, line: str, at: int, cause: str
) -> None:
    lines = play_on(Record(promised()), Random(3)).text().splitlines()
    lines[number] = line
    found, told = complaint(sealed(lines))
    assert (found, told[: len(cause)]) == (at, cause)


def test_seats_that_committed_tell_their_entropy() -> None:
    lines = Record(promised()).text().splitlines()
    assert complaint("\n".join([*lines[:10], ""])) == (11, "expected 'entropy'")
    bare = [line for line in lines if not line.startswith("entropy")]
    assert complaint("\n".join([*bare, ""])) == (11, "expected 'entropy'")


def test_the_dice_say_who_begins() -> None:
    record = play_on(Record(promised()), Random(3))
    begins = record.setup.first + 1
    other = begins % 4 + 1
    text = record.text().replace(f"first {begins}\n", f"first {other}\n")
    cause = f"the secret of the dice draws seat {begins} to play first"
    assert complaint(sealed(text.splitlines())) == (5, cause)
    # The first format did not promise it, and some files may not keep it.
    for first in range(3):
        read(play_on(Record(replace(committed(), first=first)), Random(1)).text())


# --- games that were given up -------------------------------------------------------------------


@pytest.mark.parametrize("name", SETUPS)
def test_a_game_that_was_given_up_tells_its_secret(name: str) -> None:
    record = play_on(Record(SETUPS[name]), Random(1), 30)
    record.given_up = True
    lines = record.text().splitlines()
    assert (lines[0], lines[-2], lines[-1][:7]) == ("foxtray 2", "given up", "sha256 ")
    secret = SETUPS[name].secret
    assert (f"secret {SECRET.hex()}" in lines) == (secret is not None)
    again, verified = read(record.text())
    assert (again.given_up, again.game == record.game) == (True, True)
    assert again.text() == record.text()
    assert verified == (name != "own")
    early = [line for line in lines if not line.startswith("secret")]
    if secret is None:
        read(sealed(early))
    else:
        assert complaint(sealed(early))[1] == "the secret of the dice is missing"
    assert complaint(sealed(["foxtray 1", *lines[1:]]))[0] <= len(lines)


def test_a_game_that_is_over_was_not_given_up(secret_text: str) -> None:
    lines = ["foxtray 2", *secret_text.splitlines()[1:]]
    lines[-2] = "given up"
    found = complaint(sealed(lines))
    assert found == (len(lines) - 1, "a game that is over cannot be given up")
    record = play_on(Record(committed("clever", 1)), Random(2))
    record.given_up = True
    assert record.text() == secret_text


# --- throws -------------------------------------------------------------------------------------


def test_own_dice_are_thrown_as_told() -> None:
    record = Record(SETUPS["own"])
    with pytest.raises(BadSetup, match="give their faces"):
        record.roll()
    record.roll(Throw((1, 2, 3, 4, 5, 6)))
    assert record.game.faces == (1, 2, 3, 4, 5, 6)
    with pytest.raises(IllegalAction, match="there are no dice to roll"):
        record.roll(Throw((1, 2, 3, 4, 5, 6)))
    with pytest.raises(IllegalAction, match="there are no dice to roll"):
        record.roll()
    assert len(record.inputs) == 1


def test_only_the_faces_of_wanted_dice_are_kept() -> None:
    record = Record(SETUPS["own"])
    record.roll(Throw((1, 2, 3, 4, 5, 6)))
    record.play(3, "b>b4")
    record.roll(Throw((6, 6, 6, 6, 6, 6)))
    last = record.inputs[-1]
    assert isinstance(last, ThrowInput)
    assert last.throw.faces == (0, 0, 0, 6, 6, 6)
    assert record.game.faces == (1, 2, 3, 6, 6, 6)


# --- undo ---------------------------------------------------------------------------------------


def test_only_a_throw_of_real_dice_can_be_taken_back() -> None:
    record = Record(SETUPS["own"])
    record.roll(Throw((1, 2, 3, 4, 5, 6)))
    record.undo_throw()
    assert record.text() == Record(SETUPS["own"]).text()
    seeded = Record(SETUPS["seeded"])
    seeded.roll()
    for other in (record, seeded):
        with pytest.raises(NothingToUndo, match="no roll to undo"):
            other.undo_throw()


def at_the_tray(seats: int = 3) -> Record:
    """A table of Clever where seat 1 has just taken its third die and all may act."""
    record = Record(Setup("clever", seats))
    record.roll(Throw((1, 1, 1, 1, 1, 1)))
    record.play(0, "w>y1a")
    record.roll(Throw((1, 1, 1, 1, 1, 1)))
    record.play(0, "y>y1b")
    record.roll(Throw((1, 1, 1, 1, 1, 1)))
    record.play(0, "g>g")
    assert record.game.awaiting() == tuple(range(1, seats))
    return record


def test_undo_goes_back_to_the_throw_and_no_further() -> None:
    record = Record(SETUPS["seeded"])
    assert not record.may_undo(1)
    record.roll()
    thrown, text = record.game, record.text()
    record.play(1, "w>g")
    assert record.may_undo(1)
    assert not record.may_undo(0)
    assert record.undo(1) == PlayInput(1, Action.parse("clever", "w>g"))
    assert record.game == thrown
    assert record.text() == text  # what is undone is left out
    with pytest.raises(NothingToUndo, match="since the last roll"):
        record.undo(1)
    record.play(1, "w>g")
    record.roll()
    assert not record.may_undo(1)
    with pytest.raises(NothingToUndo):
        record.undo(1)


def test_undo_takes_back_one_action_at_a_time() -> None:
    """A pick in silver, then additional crosses: each is an action of its own."""
    record = Record(Setup("twice"))
    record.roll(Throw((1, 6, 2, 3, 4, 5)))
    record.play(0, "s>sy6")
    stands = [record.game]
    for action in ("w>sp1", "y>sy2", "b>sb3"):
        record.play(0, action)
        stands.append(record.game)
    for expected in reversed(stands[:-1]):
        record.undo(0)
        assert record.game == expected
    record.undo(0)
    assert record.game.marks(0) == {}


def test_copies_go_on_in_their_own_ways() -> None:
    """A copy shares what was played before it, and neither sees what the other adds or undoes."""
    record = at_the_tray()
    before = record.inputs
    one, other = record.copy(), record.copy()
    one.play(1, "b>b2")
    other.play(2, "b>b2")
    other.play(1, "b>b2")
    other.undo(2)
    assert record.inputs == before
    assert one.inputs == other.inputs == [*before, PlayInput(1, Action.parse("clever", "b>b2"))]
    record.play(2, "b>b2")
    assert one.text() == other.text() != record.text()


def test_seats_that_act_at_the_same_time_undo_for_themselves() -> None:
    record = at_the_tray()
    alone = at_the_tray()
    record.play(1, "b>b2")
    record.play(2, "b>b2")
    record.undo(1)
    alone.play(2, "b>b2")
    assert record.game == alone.game
    assert record.text() == alone.text()
    record.undo(2)
    assert record.game == at_the_tray().game


def test_others_have_gone_on() -> None:
    record = at_the_tray()
    record.play(1, "b>b2")
    before, text = record.game, record.text()
    assert not record.may_undo(0)
    with pytest.raises(NothingToUndo, match="other players have already gone on"):
        record.undo(0)
    assert record.game is before
    assert record.text() == text
    record.undo(1)
    assert record.undo(0).action.text == "g>g"


def test_the_start_of_a_round_is_as_far_as_a_throw() -> None:
    """The bonus of a new round is used before its first throw; only that can be undone."""
    record = Record(Setup("clever", 2, seed=3))
    chance = Random(9)
    while record.game.round < 3:
        play_on(record, chance, len(record.inputs) + 1)
    assert record.game.stage(0) == "bonus"
    assert not record.may_undo(0)
    with pytest.raises(NothingToUndo, match="or the start of the round"):
        record.undo(0)
    started = record.game
    while not record.game.rolling():
        seat = record.game.awaiting()[0]
        record.play(seat, record.game.legal(seat)[-1])
    while record.may_undo(0):
        record.undo(0)
    assert record.game.awaiting() == (0,)
    while record.may_undo(1):
        record.undo(1)
    assert record.game == started
    with pytest.raises(NothingToUndo):
        record.undo(1)


def test_a_game_that_is_over_stays_over(finished: Record) -> None:
    for seat in range(finished.setup.seats):
        assert not finished.may_undo(seat)
        with pytest.raises(NothingToUndo):
            finished.undo(seat)


@pytest.mark.parametrize("name", ["clever", "twice"])
@pytest.mark.parametrize("seats", [1, 2, 3, 4])
def test_what_may_be_undone_is_what_the_game_goes_on_without(name: str, seats: int) -> None:
    chance = Random(seats)
    record = Record(Setup(name, seats, seed=seats))
    start = record.copy()
    answers = set()
    while not record.game.over:
        if record.game.rolling():
            events = record.roll()
        else:
            acting = chance.choice(record.game.awaiting())
            events = record.play(acting, chance.choice(record.game.legal(acting)))
        if isinstance(record.inputs[-1], ThrowInput) or any(
            isinstance(e, RoundStarted) for e in events
        ):
            start = record.copy()
        for seat in range(seats):
            expected = None if record.game.over else without_last(start, record.inputs, seat)
            twin, kept = record.copy(), record.inputs[:]
            assert record.may_undo(seat) == (expected is not None)
            if expected:
                twin.undo(seat)
                assert (twin.game, twin.inputs) == (expected.game, expected.inputs)
            else:
                with pytest.raises(NothingToUndo):
                    twin.undo(seat)
                assert (twin.game, twin.inputs) == (record.game, kept)
            assert record.inputs == kept  # a copy goes its own way
            answers.add(expected is not None)
            if expected and chance.random() < 0.1:
                record = twin
    assert answers == {True, False}


def without_last(start: Record, inputs: list[Input], seat: int) -> Record | None:
    """The game without what a seat did last since the start; None where there is no such game."""
    record, recent = start.copy(), inputs[len(start.inputs) :]
    mine = [i for i, e in enumerate(recent) if isinstance(e, PlayInput) and e.seat == seat]
    if not mine:
        return None
    del recent[mine[-1]]
    try:
        for entry in recent:
            assert isinstance(entry, PlayInput)
            record.play(*entry)
    except FoxtrayError:
        return None
    return record


# --- damaged files ------------------------------------------------------------------------------


def test_a_file_cut_short_at_any_byte_names_its_last_line(secret_text: str) -> None:
    cut = 0
    for end in range(1, len(secret_text)):
        part = secret_text[:end]
        if not part.endswith("\n"):
            assert complaint(part) == (part.count("\n") + 1, "this line is cut off")
            cut += 1
    assert cut == len(secret_text) - secret_text.count("\n")


def test_a_file_cut_after_any_line_is_a_part_of_the_game_or_refused(secret_text: str) -> None:
    lines = secret_text.splitlines()
    assert lines[5].startswith("dice secret")
    end = lines.index(f"secret {SECRET.hex()}")
    for count in range(len(lines)):
        part = "".join(f"{line}\n" for line in lines[:count])
        if 6 <= count < end:
            record, verified = read(part)
            assert record.text() == part
            assert not record.game.over
            assert not verified
        else:
            line, cause = complaint(part)
            assert line == count + 1
            assert "expected" in cause or "end line is missing" in cause


def test_an_empty_file_is_no_record() -> None:
    assert complaint("") == (1, "expected 'foxtray'")
    assert complaint("\n") == (1, "expected 'foxtray'")


HEADER = "foxtray 1\nrules 1\ngame clever\nseats 2\nfirst 1\n"


@pytest.mark.parametrize(
    ("text", "line", "cause"),
    [
        ("foxtray 3\n", 1, "format 3 is newer than this version can read; update foxtray"),
        (f"foxtray {'9' * 5000}\n", 1, "foxtray must be a number from 1 to 1000000"),
        ("foxtray x\n", 1, "foxtray must be a number from 1 to 1000000"),
        ("foxtray 1\nrules 2\n", 2, "rules version 2 cannot be replayed; it must be 1"),
        ("foxtray 1\nrules 1\ngame go\n", 3, "unknown game 'go'; choose one of"),
        ("foxtray 1\nrules 1\ngame clever\nseats 5\n", 4, "seats must be a number from 1 to 4"),
        ("foxtray 1\nrules 1\ngame clever\nseats ²\n", 4, "seats must be a number from 1 to 4"),
        (HEADER.replace("first 1", "first 3"), 5, "first must be a number from 1 to 2"),
        (HEADER + "option cake=on\n", 6, "unknown or repeated option 'cake'"),
        (HEADER + "option fox_floor=off\n", 6, "unknown or repeated option 'fox_floor'"),
        (HEADER + "option fox_floor=on\n" * 2, 7, "unknown or repeated option 'fox_floor'"),
        (HEADER + "name 2 Ben\n", 6, "expected the name of seat 1"),
        (HEADER + "name 1 Ana\ndice own\n", 7, "expected 'name'"),
        (HEADER + "dice loaded\n", 6, "dice must be 'own', 'seed NUMBER' or 'secret SHA256'"),
        (HEADER + "dice own 3\n", 6, "dice must be 'own', 'seed NUMBER' or 'secret SHA256'"),
        (HEADER + f"dice seed {2**64}\n", 6, "dice must be 'own', 'seed NUMBER' or"),
        (HEADER + f"dice seed {'9' * 5000}\n", 6, "dice must be 'own', 'seed NUMBER' or"),
        (HEADER + "dice secret 00\n", 6, "dice must be 'own', 'seed NUMBER' or"),
        (HEADER + f"dice secret {'g' * 64}\n", 6, "dice must be 'own', 'seed NUMBER' or"),
        (HEADER + f"dice secret {'0' * 64}\nentropy 1 0\n", 7, "entropy must be pairs of"),
        (
            HEADER + f"dice secret {'0' * 64}\nentropy 1 00\nentropy 2 {'00' * 65_536}\n",
            8,
            "entropy must be at most 65,535 bytes",
        ),
        (HEADER + "dice own\npass\n", 7, "unexpected 'pass'"),
        (HEADER + "dice own\n3 pass\n", 7, "unexpected '3'"),
        (HEADER + "dice own\n\n", 7, "unexpected ''"),
        (HEADER + "dice own\n\nthrow 123456 wybgop\n", 7, "unexpected ''"),
        (HEADER + "dice own\n1 pass\n", 7, "roll the dice first"),
        (HEADER + "dice own\nthrow 12345 wybgop\n", 7, "a throw must be six faces"),
        (HEADER + "dice own\nthrow 1234567 wybgop\n", 7, "a throw must be six faces"),
        (HEADER + "dice own\nthrow 123457 wybgop\n", 7, "a throw must be six faces"),
        (HEADER + "dice own\nthrow 123456 wybgoo\n", 7, "a throw must be six faces"),
        (HEADER + "dice own\nthrow 12345- wybgop\n", 7, "the dice to throw here are w y b g o"),
        (HEADER + "dice own\nthrow 123456 wybgop\n1 w>w\n", 8, "'w>w' is not an action of clever"),
        (HEADER + "dice own\nthrow 123456 wybgop\n1 w>y2a\n", 8, "y2a needs a 2, but this is a 1"),
        (HEADER + "dice own\nthrow 123456 wybgop\n2 w>g\n", 8, "seat 2 has nothing to decide now"),
        (HEADER + "dice own\n" + "throw 123456 wybgop\n" * 2, 8, "there are no dice to roll now"),
        (HEADER + "dice own\nend 0 0\n", 7, "the game is not over yet"),
        (
            HEADER + f"dice own\nsecret {'0' * 32}\n",
            7,
            "a secret must be hexadecimal, and needs dice",
        ),
        (HEADER + f"dice secret {'0' * 64}\nsecret 0\n", 7, "a secret must be hexadecimal"),
        (HEADER + f"dice secret {'0' * 64}\nsecret {'0' * 32}\n", 7, "the secret does not match"),
    ],
)
def test_a_line_that_is_wrong_is_named_with_its_cause(text: str, line: int, cause: str) -> None:
    found, told = complaint(text)
    assert (found, told[: len(cause)]) == (line, cause)


def replaced(number: int, line: str) -> Callable[[list[str]], list[str]]:
    def change(lines: list[str]) -> list[str]:
        changed = list(lines)
        changed[number] = line
        return changed

    return change


@pytest.mark.parametrize(
    ("change", "line", "cause"),
    [
        (replaced(-1, "sha256 " + "0" * 64), -1, "the SHA-256 does not match the lines above"),
        (replaced(-1, "sum"), -1, "expected 'sha256'"),
        (lambda lines: [*lines, "1 pass"], 0, "unexpected line after the end"),
        (replaced(-2, "end 1000"), -2, "the totals are"),
        (lambda lines: [*lines[:-3], *lines[-2:]], -3, "the secret of the dice is missing"),
        (replaced(-3, "secret " + "00" * 32), -3, "the secret does not match the commitment"),
        (replaced(6, "entropy 1 00"), 8, "these faces do not match the seed or secret of the dice"),
    ],
)
def test_a_finished_file_is_held_to_its_end(
    change: Callable[[list[str]], list[str]], line: int, cause: str, secret_text: str
) -> None:
    lines = secret_text.splitlines()
    changed = change(lines)
    if changed[-1] == lines[-1]:
        changed = sealed(changed).splitlines()
    number, told = complaint("".join(f"{each}\n" for each in changed))
    assert number == (line if line > 0 else len(lines) + 1 + line)
    assert told.startswith(cause)


@pytest.mark.parametrize("name", ["seeded", "secret"])
def test_changed_faces_are_found_even_with_the_right_sum(name: str) -> None:
    """A changed throw is reported at its own line, whatever its effect on later ones."""
    lines = play_on(Record(SETUPS[name]), Random(6)).text().splitlines()
    throws = [number for number, line in enumerate(lines, 1) if line.startswith("throw")]
    assert len(throws) > 20
    for number in throws:
        faces, order = lines[number - 1].split()[1:]
        die = next(d for d, face in enumerate(faces) if face != "-")
        other = f"{faces[:die]}{int(faces[die]) % 6 + 1}{faces[die + 1 :]}"
        for changed in (f"throw {faces} {order[::-1]}", f"throw {other} {order}"):
            told = complaint(sealed([*lines[: number - 1], changed, *lines[number:]]))
            assert told == (number, "these faces do not match the seed or secret of the dice")


def test_nothing_half_loaded_is_left_behind() -> None:
    """A reader gets a whole record or an error; a game that is known stays as it is."""
    record = play_on(Record(SETUPS["seeded"]), Random(8), 20)
    known, inputs = record.game, list(record.inputs)
    with pytest.raises(RecordError):
        read(record.text() + "1 fly\n")
    with pytest.raises(IllegalAction):
        record.play(record.game.active, "+y1a")
    assert record.game is known
    assert record.inputs == inputs


# --- saving -------------------------------------------------------------------------------------


def test_a_file_is_replaced_as_a_whole(tmp_path: Path) -> None:
    path = tmp_path / "game.fox"
    record = Record(SETUPS["seeded"])
    record.save(path)
    assert path.read_text(encoding="utf-8") == record.text()
    record.roll()
    record.save(str(path))
    assert path.read_text(encoding="utf-8") == record.text()
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("broken", ["fsync", "replace"])
def test_a_failing_write_leaves_the_old_file_and_nothing_else(
    broken: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "game.fox"
    record = Record(SETUPS["seeded"])
    record.save(path)
    before = path.read_bytes()
    record.roll()

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patched:
        patched.setattr(os, broken, full)
        with pytest.raises(OSError, match="No space") as caught:
            record.save(path)
        assert caught.value.filename == str(path)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]
    assert read(before.decode())[0].game == Game.new("clever", 2, first=1, fox_floor=True)


def test_a_file_keeps_who_may_read_it(tmp_path: Path) -> None:
    path = tmp_path / "game.fox"
    record = Record(SETUPS["seeded"])
    before = os.umask(0o027)
    try:
        record.save(path)
        assert path.stat().st_mode & 0o777 == 0o640
        path.chmod(0o604)
        record.save(path)
        assert path.stat().st_mode & 0o777 == 0o604
    finally:
        os.umask(before)


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    link, path = tmp_path / "link.fox", tmp_path / "far" / "game.fox"
    path.parent.mkdir()
    link.symlink_to(path)
    record = Record(SETUPS["seeded"])
    for _ in range(2):  # first it leads nowhere
        record.save(link)
        assert link.is_symlink()
        assert path.read_text(encoding="utf-8") == record.text()
    assert list(path.parent.iterdir()) == [path]


def test_what_is_no_file_is_not_replaced(tmp_path: Path) -> None:
    Record(SETUPS["seeded"]).save(os.devnull)
    assert not Path(os.devnull).is_file()
    with pytest.raises(IsADirectoryError):
        Record(SETUPS["seeded"]).save(tmp_path)


def test_an_error_names_the_file_that_was_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "no" / "game.fox"
    with pytest.raises(FileNotFoundError) as caught:
        Record(SETUPS["seeded"]).save(path)
    assert caught.value.filename == str(path)
