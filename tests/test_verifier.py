"""docs/fair-dice.md suffices: a program in another language, written from it, judges real records.

Foxtray's own reader comes to the same judgement.
"""

import hashlib
import re
import subprocess
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest
from test_record import committed, play_on, promised, sealed
from translated import node

from foxtray.cli import main
from foxtray.dice import SecretDice, entropy_commitment
from foxtray.errors import RecordError
from foxtray.history import Setup
from foxtray.record import Record, read

ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "docs" / "fair-dice.md").read_text(encoding="utf-8")
(EXAMPLE,) = re.findall(r"```fox\n(.*?)```", PAGE, re.DOTALL)
CHANGE = Callable[[str], str]


def judged(path: Path, *kept: str) -> tuple[bool, str]:
    """What the independent verifier says of a record."""
    command = [node(), str(ROOT / "tests" / "verifier.mjs"), str(path), *kept]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.stderr == ""
    assert done.returncode == (0 if done.stdout.startswith("right") else 1)
    return done.returncode == 0, done.stdout


def written(folder: Path, text: str) -> Path:
    path = folder / "game.fox"
    path.write_text(text, encoding="utf-8")
    return path


def game(seats: int, name: str = "clever", rng: int = 1) -> str:
    return play_on(Record(promised(name, seats)), Random(rng)).text()


# --- the example --------------------------------------------------------------------------------


def test_the_worked_example_is_right(tmp_path: Path) -> None:
    record, verified = read(EXAMPLE)
    assert (verified, record.given_up, record.text()) == (True, True, EXAMPLE)
    right, said = judged(written(tmp_path, EXAMPLE))
    assert right
    assert "all 3 rolls" in said


def test_the_steps_of_the_example_are_those_of_the_dice() -> None:
    setup = read(EXAMPLE)[0].setup
    assert setup.secret is not None
    (text,) = re.findall(r"```text\n(.*?)\n```", PAGE, re.DOTALL)
    assert hashlib.sha256(text.encode()).hexdigest() == setup.commitments[0]
    message = b"".join(len(e).to_bytes(2, "big") + e for e in setup.entropies)
    assert f"| message | `{message.hex()}` |" in PAGE
    assert f"| seed | `{SecretDice(setup.secret, setup.entropies).seed.hex()}` |" in PAGE


# --- real records -------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["clever", "twice"])
@pytest.mark.parametrize("seats", [1, 2, 3, 4])
def test_honest_records_are_right(tmp_path: Path, name: str, seats: int) -> None:
    for rng in range(3):
        path = written(tmp_path, game(seats, name, rng))
        right, said = judged(path)
        assert right, said
        assert said.count("\n") == (3 if seats == 4 else 2)
        assert ("seat 4 was left out" in said) == (seats == 4)


def test_records_of_the_first_format_are_right(tmp_path: Path) -> None:
    text = play_on(Record(committed()), Random(1)).text()
    assert text.startswith("foxtray 1\n")
    assert judged(written(tmp_path, text))[0]


def test_entropy_in_clear_is_noted(tmp_path: Path) -> None:
    setup = promised("clever", 2)
    clear = Setup(
        "clever", 2, setup.first, commitment=setup.commitment, secret=setup.secret,
        commitments=(setup.commitments[0], ""), entropies=setup.entropies,
    )  # fmt: skip
    right, said = judged(written(tmp_path, play_on(Record(clear), Random(1)).text()))
    assert right
    assert "seat 2 gave its entropy in clear" in said


# --- records that somebody changed --------------------------------------------------------------


def swap(text: str, pattern: str, change: Callable[[re.Match[str]], str]) -> str:
    """A text with its first match changed, and the right sum again."""
    changed = re.sub(pattern, change, text, count=1, flags=re.MULTILINE)
    assert changed != text
    return sealed(changed.splitlines())


def other_face(found: re.Match[str]) -> str:
    return f"throw {7 - int(found[1])}{found[2]}"


def another_secret(text: str, *, and_commitments: bool) -> str:
    """A record as a server writes it that puts another secret in the place of the one it showed."""
    secret = hashlib.sha256(b"later").digest()
    commitment = SecretDice(secret).commitment
    text = re.sub("^secret .*", f"secret {secret.hex()}", text, flags=re.MULTILINE)
    text = re.sub("^dice secret .*", f"dice secret {commitment}", text, flags=re.MULTILINE)
    if and_commitments:
        for seat, entropy in re.findall("^entropy ([1-4]) (.+)", text, re.MULTILINE):
            told = entropy_commitment(commitment, int(seat) - 1, bytes.fromhex(entropy))
            text = re.sub(f"^commit {seat} .*", f"commit {seat} {told}", text, flags=re.MULTILINE)
    return sealed(text.splitlines())


TAMPERED: dict[str, tuple[CHANGE, str]] = {
    "a byte": (lambda t: t.replace("throw ", "throw  ", 1), "the file was changed"),
    "a face": (lambda t: swap(t, r"^throw ([1-6])(.*)", other_face), "line 1"),
    "an order": (
        lambda t: swap(t, "^(throw [1-6]+ )(..)", lambda m: m[1] + m[2][::-1]),
        "is not what the dice give",
    ),
    "a roll left out": (lambda t: swap(t, "^throw .*\n", lambda m: ""), "line 1"),
    "a roll twice": (lambda t: swap(t, "^throw .*\n", lambda m: 2 * m[0]), "line 1"),
    "who begins": (
        lambda t: swap(t, "^first (.)", lambda m: f"first {int(m[1]) % 4 + 1}"),
        "another seat should have begun",
    ),
    "the secret": (
        lambda t: swap(t, "^secret ..", lambda m: "secret ff"),
        "the secret is not the one that was committed to",
    ),
    "entropy": (
        lambda t: swap(t, "^entropy 1 ..", lambda m: "entropy 1 ff"),
        "seat 1 committed to other entropy",
    ),
    "a commitment": (
        lambda t: swap(t, "^commit 2 ....", lambda m: "commit 2 0000"),
        "seat 2 committed to other entropy",
    ),
    "entropy that was revealed": (
        lambda t: swap(t, "^entropy 2 .*", lambda m: "entropy 2 "),
        "another seat should have begun",
    ),
    "a bot's entropy": (
        lambda t: swap(t, "^entropy 3 ", lambda m: "entropy 3 0123"),
        "another seat should have begun",
    ),
    "the secret and its commitment": (
        lambda t: another_secret(t, and_commitments=False),
        "committed to other entropy",
    ),
    "secret and all commitments": (
        lambda t: another_secret(t, and_commitments=True),
        "another seat should have begun",
    ),
}


@pytest.mark.parametrize("way", TAMPERED)
def test_a_changed_record_is_wrong_for_both(tmp_path: Path, way: str) -> None:
    change, cause = TAMPERED[way]
    text = change(game(4))
    right, said = judged(written(tmp_path, text))
    assert not right
    assert cause in said
    with pytest.raises(RecordError):
        read(text)


def test_a_game_that_ends_too_early_is_wrong(tmp_path: Path) -> None:
    lines = game(2).splitlines()
    last = max(i for i, line in enumerate(lines) if line.startswith("throw"))
    text = sealed([line for i, line in enumerate(lines) if not last - 60 < i <= last])
    assert judged(written(tmp_path, text)) == (
        False,
        "WRONG: the game ended before its last turn\n",
    )


# --- what a player kept -------------------------------------------------------------------------


def rewritten() -> tuple[str, str]:
    """A record of dice that were chosen after the fact, and the commitment that had been shown."""
    shown = promised("clever", 2)
    secret = hashlib.sha256(b"chosen later").digest()
    commitment = SecretDice(secret).commitment
    dice = SecretDice(secret, shown.entropies)
    told = [entropy_commitment(commitment, s, e) for s, e in enumerate(shown.entropies)]
    setup = Setup(
        "clever", 2, dice.first(2), commitment=commitment, commitments=tuple(told),
        entropies=shown.entropies, secret=secret,
    )  # fmt: skip
    assert shown.commitment
    return play_on(Record(setup), Random(1)).text(), shown.commitment


def test_only_what_was_kept_tells_that_the_secret_was_chosen_later(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text, shown = rewritten()
    path = written(tmp_path, text)
    assert read(text)[1]
    right, said = judged(path)
    assert right
    assert "without what you kept, the record only agrees with itself" in said
    assert main(["replay", str(path)]) == 0
    assert "the record agrees with itself. Use --commitment" in capsys.readouterr().out
    assert judged(path, shown) == (
        False,
        "WRONG: you were shown another commitment before the start\n",
    )
    assert main(["replay", str(path), "--commitment", shown]) == 2
    assert "may have been chosen later" in capsys.readouterr().err


def test_only_what_was_kept_tells_that_ones_entropy_was_not_used(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = written(tmp_path, game(4))
    setup = promised("clever", 4)
    assert setup.commitment
    mine = setup.entropies[1].hex()
    assert judged(path, setup.commitment, "2", mine)[0]
    assert judged(path, setup.commitment, "4", mine) == (
        False,
        "WRONG: your entropy was not used\n",
    )
    kept = ["replay", str(path), "--commitment", setup.commitment, "--entropy"]
    assert main([*kept, mine]) == 0
    shown = capsys.readouterr().out
    assert "Seat 4 did not reveal its entropy in time; the dice do not use it." in shown
    assert "agrees with itself" not in shown
    assert main([*kept, "00"]) == 2
    assert "your entropy was not used" in capsys.readouterr().err
