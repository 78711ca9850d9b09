"""The command line: real processes where it matters, `main` where that is enough."""

import json
import os
import pty
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import perft as count
import pytest
from engine import PackageDice
from oracle import Oracle
from tables import throw_wanted

from foxtray import Game, SeededDice, __version__, cli, history, perft, record, rulebook
from foxtray.arguments import whole
from foxtray.cli import main

COMMAND = [sys.executable, "-m", "foxtray"]


@pytest.fixture(autouse=True)
def in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def run(*args: str, answers: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run([*COMMAND, *args], input=answers, capture_output=True, text=True)


def answer(monkeypatch: pytest.MonkeyPatch, *answers: str) -> None:
    """Answer the prompts of `main` with these, then leave."""
    left = iter(answers)

    def ask(prompt: str) -> str:
        for text in left:
            return text
        raise EOFError

    monkeypatch.setattr("builtins.input", ask)


def complaint(capsys: pytest.CaptureFixture[str], *args: str) -> str:
    """The sentence with which bad input is refused."""
    try:
        status: object = main(args)
    except SystemExit as end:
        status = end.code
    told = capsys.readouterr()
    assert status == 2
    assert told.out == ""
    assert told.err.count("\n") == 1
    assert "Traceback" not in told.err
    return told.err


# --- in general ---------------------------------------------------------------------------------


@pytest.mark.parametrize("option", ["--version", "-V"])
def test_version(option: str) -> None:
    done = run(option)
    assert (done.returncode, done.stdout) == (0, f"foxtray {__version__}\n")


@pytest.mark.parametrize(
    ("text", "number"),
    [("0", 0), ("-0", 0), ("+7", 7), ("1_000", 1000), ("1e6", 1_000_000), ("2E+3", 2000)],
)
def test_numbers_may_be_written_as_people_write_them(text: str, number: int) -> None:
    assert whole(text) == number


@pytest.mark.parametrize("command", ["play", "rules", "replay", "perft"])
def test_every_command_has_help_with_examples(
    command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as end:
        main([command, "--help"])
    assert end.value.code == 0
    assert f"examples:\n  foxtray {command} " in capsys.readouterr().out


@pytest.mark.parametrize(
    ("args", "said"),
    [
        ("dance", "invalid choice: 'dance'"),
        ("--dance", "unrecognized arguments: --dance"),
        ("play", "choose a game: clever or twice"),
        ("play chess", "invalid choice: 'chess'"),
        ("play clever --seats five", "unknown player 'five'; choose from me, random"),
        ("play clever --seats 5", "5 seats are not possible"),
        ("play clever --seats me,me,random,me,me", "5 seats are not possible"),
        ("play clever --seats 0", "0 seats are not possible"),
        ("play clever --first 2", "seat 2 cannot start; the only seat is 1"),
        ("play clever --seats 2 --first 3", "seat 3 cannot start; choose 1 to 2"),
        ("play clever --first 0", "seat 0 cannot start"),
        ("play clever --seed -1", "-1 is negative; choose 0 or more"),
        ("play clever --seed 1.5", "'1.5' is not a whole number"),
        ("play clever --seed 1e30", "the number is too large"),
        ("play clever --seed 1e999999", "the number is too large"),
        ("play clever --seed " + "9" * 5000, "the number is too large"),
        (
            "play clever --seed 18446744073709551616",
            "the seed must be a whole number from 0 to 2^64 - 1",
        ),
        ("play clever --option fox_floor", "unknown option 'fox_floor'; choose"),
        ("play clever --option house=on", "unknown option 'house=on'; choose"),
        ("play clever --own-dice --seed 3", "cannot be combined"),
        ("play clever --save no/such/folder.fox", "No such file or directory"),
        ("play --resume nothing.fox", "nothing.fox: No such file or directory"),
        ("rules", "game"),
        ("rules chess", "invalid choice: 'chess'"),
        ("replay nothing.fox", "nothing.fox: No such file or directory"),
        ("replay .", "Is a directory"),
        ("perft clever --seats 9", "9 seats are not possible"),
        ("perft clever --depth x", "'x' is not a whole number"),
    ],
)
def test_bad_input_is_one_sentence(
    args: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert said in complaint(capsys, *args.split())


def test_a_closed_pipe_is_left_quietly() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "w") as closed:
        done = subprocess.run([*COMMAND, "rules", "clever"], stdout=closed, stderr=subprocess.PIPE)
    assert (done.returncode, done.stderr) == (1, b"")


@pytest.mark.parametrize("closed", [(1,), (0, 1), (1, 2), (0, 1, 2)])
def test_a_standard_file_may_be_closed(closed: tuple[int, ...]) -> None:
    done = subprocess.run(
        [*COMMAND, "play", "clever", "--seed", "3", "--save", "game.fox"],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        preexec_fn=lambda: os.closerange(closed[0], closed[-1] + 1),
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert main(["replay", "game.fox"]) == 0, "the game must not be mixed up with the output"


@pytest.mark.parametrize("args", ["rules clever", "perft clever --depth 0"])
def test_a_full_disk_is_reported_with_the_name_of_the_output(args: str) -> None:
    with open("/dev/full", "w") as full:
        done = subprocess.run([*COMMAND, *args.split()], stdout=full, stderr=subprocess.PIPE)
    assert done.returncode == 2
    assert done.stderr == b"foxtray: standard output: No space left on device\n"


def test_an_output_without_our_letters_is_no_reason_to_fail() -> None:
    surroundings = os.environ | {"PYTHONIOENCODING": "ascii"}
    done = subprocess.run([*COMMAND, "rules", "clever"], capture_output=True, env=surroundings)
    assert done.returncode == 0


# --- play ---------------------------------------------------------------------------------------


def test_a_game_is_kept_and_resumed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    answer(monkeypatch, "", "1")
    assert main(["play", "clever", "--seed", "3", "--save", "game.fox"]) == 0
    assert "foxtray play --resume game.fox" in capsys.readouterr().out
    kept = Path("game.fox").read_text().splitlines()
    answer(monkeypatch, "", "1")
    assert main(["play", "clever", "--resume", "game.fox"]) == 0
    resumed = Path("game.fox").read_text().splitlines()
    assert resumed[: len(kept)] == kept
    assert len(resumed) == len(kept) + 2


def test_a_game_is_set_up_as_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    answer(monkeypatch)
    args = "--seats 3 --first 2 --option fox_floor=on --option solo_fallback=off --own-dice"
    assert main(["play", "twice", "--save", "game.fox", *args.split()]) == 0
    assert Path("game.fox").read_text().splitlines()[2:] == [
        "game twice",
        "seats 3",
        "first 2",
        "option fox_floor=on",
        "dice own",
    ]


def test_without_a_seed_every_game_is_another(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("a.fox", "b.fox"):
        answer(monkeypatch)
        assert main(["play", "clever", "--save", name]) == 0
    assert Path("a.fox").read_text() != Path("b.fox").read_text()


def test_lots_decide_who_begins(monkeypatch: pytest.MonkeyPatch) -> None:
    answer(monkeypatch)
    assert main(["play", "clever", "--seats", "4", "--seed", "7", "--save", "game.fox"]) == 0
    assert f"first {SeededDice(7).first(4) + 1}\n" in Path("game.fox").read_text()


def test_files_are_not_mixed_up(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    answer(monkeypatch)
    assert main(["play", "clever", "--seed", "3", "--save", "game.fox"]) == 0
    capsys.readouterr()
    kept = Path("game.fox").read_text()
    assert "already exists" in complaint(capsys, "play", "clever", "--save", "game.fox")
    assert "is a game of clever" in complaint(capsys, "play", "twice", "--resume", "game.fox")
    for fixed in (["--seed", "4"], ["--own-dice"], ["--option", "fox_floor=on"]):
        said = complaint(capsys, "play", "--resume", "game.fox", *fixed)
        assert f"{fixed[0]} cannot be combined with --resume" in said
    assert Path("game.fox").read_text() == kept


@pytest.mark.parametrize(("bot", "status"), [("random", 0), ("greedy", 0), ("strong", 2)])
def test_only_bots_that_need_numba_demand_it(bot: str, status: int) -> None:
    program = "import sys; sys.modules['numba'] = None; from foxtray.cli import main; "
    call = f"sys.exit(main('play clever --seats me,{bot}'.split()))"
    done = subprocess.run([sys.executable, "-c", program + call], input=b"", capture_output=True)
    assert done.returncode == status
    assert (b"pip install" in done.stderr) == (status == 2)


def test_a_finished_game_is_not_resumed(capsys: pytest.CaptureFixture[str]) -> None:
    finish("game.fox", "clever", 1, 3)
    assert "foxtray replay game.fox" in complaint(capsys, "play", "--resume", "game.fox")


def test_a_game_with_the_dice_of_a_server_is_not_resumed(
    capsys: pytest.CaptureFixture[str],
) -> None:
    text = "foxtray 1\nrules 1\ngame clever\nseats 1\nfirst 1\ndice secret " + "0" * 64 + "\n"
    Path("game.fox").write_text(text)
    assert "the dice of a server" in complaint(capsys, "play", "--resume", "game.fox")
    assert Path("game.fox").read_text() == text


def test_a_game_that_was_given_up_is_shown_and_not_resumed(
    capsys: pytest.CaptureFixture[str],
) -> None:
    given_up = record.Record(history.Setup("clever", seed=3))
    given_up.roll()
    given_up.given_up = True
    Path("game.fox").write_text(given_up.text())
    assert "foxtray replay game.fox" in complaint(capsys, "play", "--resume", "game.fox")
    assert main(["replay", "game.fox"]) == 0
    assert "Every player gave this game up." in capsys.readouterr().out


def finish(path: str, game: str, seats: int, seed: int) -> None:
    """Play a whole game by always choosing what is listed first."""
    done = run("play", game, "--seats", str(seats), "--seed", str(seed), "--save", path)
    assert done.returncode == 0
    with subprocess.Popen(
        [*COMMAND, "play", "--resume", path], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        # Enter throws and is refused at a choice, 1 chooses and is refused at a throw.
        output, _ = process.communicate(b"\n1\n" * 400)
    assert process.returncode == 0
    assert b"The game was saved to" in output


def wait_for(path: Path, seconds: float = 30) -> None:
    end = time.monotonic() + seconds
    while not path.exists():
        assert time.monotonic() < end
        time.sleep(0.01)


def test_an_interrupt_leaves_the_file_whole_and_tells_how_to_go_on() -> None:
    with subprocess.Popen(
        [*COMMAND, "play", "clever", "--seed", "3", "--save", "game.fox"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        # Whoever runs the tests in the background has it ignored, and children inherit that.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    ) as process:
        wait_for(Path("game.fox"))
        time.sleep(0.2)
        process.send_signal(signal.SIGINT)
        output, errors = process.communicate()
    assert process.returncode == 130
    assert b"foxtray play --resume game.fox" in output
    assert errors == b""
    assert main(["replay", "game.fox"]) == 0


@pytest.mark.parametrize("module", ["foxtray.cli", "foxtray.game", "foxtray.core.layout"])
def test_an_interrupt_while_loading_is_quiet(module: str) -> None:
    program = f"""
import sys
class Impatience:
    def find_spec(self, name, *rest):
        if name == "{module}":
            raise KeyboardInterrupt
sys.meta_path.insert(0, Impatience())
from foxtray.__main__ import main
sys.exit(main())
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True)
    assert (done.returncode, done.stdout, done.stderr) == (130, b"", b"")


def test_nothing_is_imported_before_interrupts_are_caught() -> None:
    program = """
import sys
before = set(sys.modules)
import foxtray.__main__
print(*sorted(set(sys.modules) - before))
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert set(done.stdout.split()) <= {"__future__", "foxtray", "foxtray.__main__"}


@pytest.mark.parametrize(
    ("surroundings", "coloured", "cleared"),
    [
        ({"TERM": "xterm-256color"}, True, True),
        ({"TERM": "xterm-256color", "NO_COLOR": "1"}, False, True),
        ({"TERM": "dumb"}, False, False),
    ],
)
def test_colours_only_where_they_are_wanted(
    surroundings: dict[str, str], coloured: bool, cleared: bool
) -> None:
    clean = {name: value for name, value in os.environ.items() if name != "NO_COLOR"}
    leader, follower = pty.openpty()
    with subprocess.Popen(
        [*COMMAND, "play", "clever", "--seed", "3"],
        stdin=subprocess.DEVNULL,
        stdout=follower,
        env=clean | surroundings,
    ) as process:
        os.close(follower)
        shown = b""
        while b"not saved" not in shown:
            shown += os.read(leader, 65536)
    os.close(leader)
    assert process.returncode == 0
    assert (b"\x1b[48;5;" in shown) == coloured
    assert (b"\x1b[2J" in shown) == cleared


def test_no_colours_in_a_file() -> None:
    assert "\x1b" not in run("play", "clever", "--seed", "3", answers="\n").stdout


# --- rules, replay, perft -----------------------------------------------------------------------


@pytest.mark.parametrize("game", ["clever", "twice"])
def test_rules_are_shown_whole(game: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rules", game]) == 0
    assert capsys.readouterr().out.strip() == rulebook.text(game).strip()


@pytest.mark.parametrize(("game", "seats"), [("clever", 1), ("twice", 2)])
def test_a_finished_record_is_replayed_and_verified(
    game: str, seats: int, capsys: pytest.CaptureFixture[str]
) -> None:
    finish("game.fox", game, seats, 5)
    assert main(["replay", "game.fox"]) == 0
    shown = capsys.readouterr().out
    assert "Verified: every roll matches the seed" in shown
    assert main(["replay", "game.fox", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    keys = "game seats options finished totals winners players verified left_out given_up"
    assert list(found) == keys.split()
    assert found["finished"] is True
    assert found["verified"] is True
    assert (found["game"], found["seats"], len(found["players"])) == (game, seats, seats)
    end = Path("game.fox").read_text().splitlines()[-2]
    assert end == "end " + " ".join(map(str, found["totals"]))
    for player in found["players"]:
        assert list(player) == ["areas", "foxes", "fox_value", "total", "marks"]
        points = sum(player["areas"].values()) + player["foxes"] * player["fox_value"]
        assert points == player["total"]
        assert player["fox_value"] == min(player["areas"].values())


def test_an_unfinished_record_is_shown_as_such(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    answer(monkeypatch, "123456")
    args = ["--own-dice", "--option", "fox_floor=on", "--save", "game.fox"]
    assert main(["play", "twice", *args]) == 0
    capsys.readouterr()
    assert main(["replay", "game.fox"]) == 0
    shown = capsys.readouterr().out
    assert "Unfinished: round 1 of 6" in shown
    assert "option fox_floor=on" in shown
    assert "Not verified: the dice were rolled by hand" in shown
    assert main(["replay", "game.fox", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["finished"], found["winners"], found["verified"]) == (False, [], False)
    assert found["options"] == {"first": 0, "solo_fallback": False, "fox_floor": True}


def test_a_secret_that_is_not_revealed_yet_verifies_nothing(
    capsys: pytest.CaptureFixture[str],
) -> None:
    Path("game.fox").write_text(
        "foxtray 1\nrules 1\ngame clever\nseats 1\nfirst 1\ndice secret " + "0" * 64 + "\n"
    )
    assert main(["replay", "game.fox"]) == 0
    assert "the secret of the dice has not been revealed yet" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda text: text[:-5], "cut off"),
        (lambda text: text.replace("sha256 ", "sha256 0"), "SHA-256"),
        (lambda text: text.replace("foxtray 1", "foxtray 9"), "line 1: format 9 is newer"),
        (lambda text: text.replace("seed 5", "seed 6")[:130].rpartition("\n")[0] + "\n", "faces"),
        (lambda text: "", "line 1"),
    ],
)
def test_a_broken_record_names_line_and_cause(
    change: Any, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    finish("game.fox", "clever", 1, 5)
    path = Path("game.fox")
    path.write_text(change(path.read_text()))
    told = complaint(capsys, "replay", "game.fox", "--json")
    assert told.startswith("foxtray: game.fox: line ")
    assert said in told


def test_a_record_must_be_text(capsys: pytest.CaptureFixture[str]) -> None:
    Path("game.fox").write_bytes(b"\xff\xfe\x00")
    assert "game.fox is not a text file" in complaint(capsys, "replay", "game.fox")


@pytest.mark.parametrize(("game", "seats"), [("clever", 1), ("twice", 2)])
def test_perft_counts_what_the_oracle_counts(
    game: str, seats: int, capsys: pytest.CaptureFixture[str]
) -> None:
    dice = PackageDice(7)
    table = Oracle(game, seats)
    throw_wanted(table, dice)
    expected = count.divide(table, 2, dice)
    args = ["perft", game, "--seats", str(seats), "--seed", "7", "--depth", "2"]
    assert main([*args, "--divide"]) == 0
    lines = [f"{action} {leaves}" for action, leaves in expected.items()]
    total = f"depth 2: {sum(expected.values())}"
    assert capsys.readouterr().out.splitlines() == [*lines, total]
    assert main(args) == 0
    assert capsys.readouterr().out.splitlines() == [total]


def test_perft_of_nothing_is_one(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["perft", "clever", "--depth", "0", "--divide"]) == 0
    assert capsys.readouterr().out == "depth 0: 1\n"


def test_perft_of_a_game_that_is_over_is_one() -> None:
    game = Game.from_position(
        "clever seats=1 first=1 turn=11 phase=serving roll=0 reroll=0 "
        "dice=w4t,y3t,b2t,g5a,o6a,p1a | y=............ b=........... g=- o=- p=- "
        "reroll=0/0 extra=0/0 foxes=0 stage=served"
    )
    assert perft.perft(game, SeededDice(0), 5) == len(game.legal(0))


def test_the_command_is_installed() -> None:
    script = Path(sys.executable).parent / "foxtray"
    done = subprocess.run([script, "--version"], capture_output=True, text=True)
    assert done.stdout == f"foxtray {__version__}\n"
    assert cli.build_parser().prog == "foxtray"
