"""Engines: bots in any language, well-behaved or not, and Foxtray as an engine for others."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from functools import cache
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from translated import node

from foxtray import FoxtrayError, Game, SeededDice, bots, record
from foxtray.bots import BotError, ask, levels
from foxtray.bots.added import (
    BUDGET,
    LONGEST_BUDGET,
    LONGEST_START,
    SHORTEST_BUDGET,
    SHORTEST_START,
    START,
    AddedEngine,
    AddedNet,
    change,
    list_path,
)
from foxtray.cli import main
from foxtray.core.layout import layout
from foxtray.engines import bot as engine_bot
from foxtray.engines import log, messages, process
from foxtray.engines.bot import EngineBot, KeptEngine
from foxtray.engines.commands import STATES_PER_MS
from foxtray.engines.process import Engine, EngineCommand
from foxtray.sim.arrays import read_state
from foxtray.sim.batch import play
from foxtray.sim.simulation import simulate

ROOT = Path(__file__).parent.parent
EXAMPLES = ROOT / "examples" / "engines"
HOSTILE = Path(__file__).with_name("hostile_engine.py")
COMMAND = [sys.executable, "-m", "foxtray"]


@pytest.fixture(autouse=True)
def own_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Settings of its own, and a cache whose logs are its own."""
    monkeypatch.setenv("FOXTRAY_CONFIG", str(tmp_path / "config"))
    monkeypatch.setattr(log, "cache_folder", lambda: tmp_path / "cache")
    monkeypatch.chdir(tmp_path)
    yield
    engine_bot.quit_all()
    engine_bot.KEPT.clear()


def rolled(game: str = "clever", seats: int = 1) -> Game:
    """A game with a choice to make."""
    started = Game.new(game, seats)
    return started.roll(SeededDice(1).throw(*started.address() or (0, 1, 0))).game


def hostile(mode: str, *, budget_ms: int = 3000, pids: Path | None = None) -> EngineCommand:
    words = (sys.executable, str(HOSTILE), mode, *([str(pids)] if pids else []))
    return EngineCommand("hostile", words, str(HOSTILE.parent), budget_ms)


def add_hostile(name: str, mode: str, budget_ms: int = 3000, pids: Path | None = None) -> None:
    command = hostile(mode, pids=pids)
    games = ("clever", "twice")
    change(name, AddedEngine(command.command, command.folder, games, budget_ms=budget_ms))


def logged() -> str:
    return log.log_path("hostile").read_text(encoding="utf-8")


def running(pid: int) -> bool:
    """Whether a process exists and is not a zombie."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def all_gone(pids: Path, seconds: float = 10.0) -> bool:
    """Whether the processes in a file end in time; there must be some."""
    found = [int(pid) for pid in pids.read_text().split()]
    assert found
    end = time.monotonic() + seconds
    while any(map(running, found)):
        if time.monotonic() > end:
            return False
        time.sleep(0.02)
    return True


# --- engines that misbehave -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("mode", "said"),
    [
        ("hang", "took more than 100 ms for a decision and did not answer within 0.3 s of stop"),
        ("spin", "took more than 100 ms for a decision and did not answer within 0.3 s of stop"),
        ("flood", "printed more than 1000 lines without an answer"),
        ("endless line", "printed a line of more than 1048576 bytes"),
        ("only garbage", "printed more than 1000 lines without an answer"),
        ("die", "ended with status 1: Segmentation fault, as it were"),
        ("kill", "ended by SIGKILL"),
        ("close", "ended its output"),
        ("illegal", "chose pass, which is not legal here"),
        ("nonsense", "answered wrongly: '?[2Je2-e4' is not an action of clever"),
        ("not text", "answered wrongly: action must be a text"),
        ("wrong id", "answered wrongly: the id must be 1"),
        ("error", "reported an error: I ?[31m do not ? know"),
    ],
)
def test_a_misbehaving_engine_is_named_and_ended(
    mode: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(process, "GRACE", 0.3)
    budget = 100 if said.startswith("took") else 5000
    kept = KeptEngine(hostile(mode, budget_ms=budget, pids=tmp_path / "pids"))
    with pytest.raises(BotError) as caught:
        ask(EngineBot(kept.command, 1, kept), rolled(), 0)
    assert str(caught.value) == f"bot hostile {said}"
    if mode not in ("illegal", "nonsense"):  # these are wrong, but in order
        assert f"failed: {said}" in logged()
        assert kept.engine is None
    kept.quit()
    assert all_gone(tmp_path / "pids")


@pytest.mark.parametrize(
    ("mode", "said"),
    [
        ("silent", "did not say hello within 1 s"),
        ("mute", "ended with status 1: no licence found"),
        ("other protocol", "said hello wrongly: it speaks protocol 2, not 1"),
        ("nameless", "said hello wrongly: name must be a text"),
    ],
)
def test_an_engine_that_does_not_start_is_named(mode: str, said: str, tmp_path: Path) -> None:
    words = (sys.executable, str(HOSTILE), mode, str(tmp_path / "pids"))
    # A busy machine may take a second to start Python, so only silence has a short limit.
    seconds = 1 if mode == "silent" else 30
    with pytest.raises(BotError) as caught:
        Engine(EngineCommand("hostile", words, str(tmp_path), start_seconds=seconds))
    assert str(caught.value) == f"bot hostile {said}"
    if (tmp_path / "pids").exists():
        assert all_gone(tmp_path / "pids")


@pytest.mark.parametrize("mode", ["good", "garbage", "late", "talkative", "at stop", "children"])
def test_an_engine_may_be_odd(mode: str, tmp_path: Path) -> None:
    budget = 50 if mode == "at stop" else 5000
    kept = KeptEngine(hostile(mode, budget_ms=budget, pids=tmp_path / "pids"))
    bot = EngineBot(kept.command, 1, kept)
    for _ in range(3):
        game = rolled()
        legal = game.legal(0)
        assert ask(bot, game, 0) == legal[-1 if mode == "at stop" else 0]
    assert kept.engine is not None
    if mode == "garbage":
        assert kept.engine.ignored == 18
        assert "is not JSON" in logged()
        assert "must be a JSON object" in logged()
        assert "'move' is not expected" in logged()
    if mode == "late":
        assert logged().count("late: an answer to question") == 2
    if mode == "talkative":
        assert 0 < len(logged()) < 1 << 20
    pids = [int(pid) for pid in (tmp_path / "pids").read_text().split()]
    assert len(pids) == (3 if mode == "children" else 1)
    assert all(map(running, pids))
    kept.quit()
    assert all_gone(tmp_path / "pids")


def test_an_engine_that_ignores_quit_is_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(process, "GRACE", 0.3)
    engine = Engine(hostile("stays", pids=tmp_path / "pids"))
    assert not engine.quit()
    assert all_gone(tmp_path / "pids")
    assert not engine.quit()  # again is harmless


@pytest.mark.parametrize(
    ("mode", "said"),
    [
        ("opinion nan", "points must be a number"),
        ("opinion chance", "win_chance must be between 0 and 1"),
        ("opinion illegal", "'nothing' is not an action of clever"),
        ("opinion error", "error must be 0 or more"),
        ("opinion text", "opinions must be a list of objects"),
    ],
)
def test_wrong_opinions_are_refused(mode: str, said: str) -> None:
    kept = KeptEngine(hostile(mode))
    with pytest.raises(BotError) as caught:
        EngineBot(kept.command, 1, kept).evaluate(rolled(), 0)
    assert str(caught.value) == f"bot hostile answered wrongly: {said}"
    kept.quit()


def test_an_engine_without_opinions_says_so() -> None:
    kept = KeptEngine(hostile("good"))
    with pytest.raises(FoxtrayError, match="bot hostile cannot evaluate actions"):
        EngineBot(kept.command, 1, kept).evaluate(rolled(), 0)
    assert kept.engine is not None  # it did nothing wrong
    kept.quit()


def test_a_broken_engine_rests_and_is_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    kept = KeptEngine(hostile("die"))
    bot = EngineBot(kept.command, 1, kept)
    for _ in range(engine_bot.PATIENCE):
        with pytest.raises(BotError, match="ended with status 1"):
            ask(bot, rolled(), 0)
    with pytest.raises(BotError, match="failed 3 times in a row and is not asked again for 30 s"):
        ask(bot, rolled(), 0)
    monkeypatch.setattr(engine_bot, "REST", 0.0)
    with pytest.raises(BotError, match="ended with status 1"):
        ask(bot, rolled(), 0)


def test_an_interrupted_question_ends_the_engine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Half a message may have been sent, so the next question goes to a new process."""
    kept = KeptEngine(hostile("good", pids=tmp_path / "pids"))
    bot = EngineBot(kept.command, 1, kept)
    assert ask(bot, rolled(), 0) == rolled().legal(0)[0]

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(Engine, "_transfer", interrupted)
        with pytest.raises(KeyboardInterrupt):
            ask(bot, rolled(), 0)
    assert all_gone(tmp_path / "pids")
    assert ask(bot, rolled(), 0) == rolled().legal(0)[0]
    kept.quit()


def test_engines_end_with_foxtray_however_it_ends(tmp_path: Path) -> None:
    command = hostile("children", pids=tmp_path / "pids")
    program = (
        "import time\n"
        "from foxtray.engines.process import Engine, EngineCommand\n"
        f"engine = Engine({command!r})\n"
        "print('started', flush=True)\n"
        "time.sleep(60)\n"
    )
    host = subprocess.Popen(
        [sys.executable, "-c", program],
        stdout=subprocess.PIPE,
        cwd=tmp_path,
    )
    with host:
        assert host.stdout is not None
        assert host.stdout.readline() == b"started\n"
        assert len((tmp_path / "pids").read_text().split()) == 3
        host.kill()
    assert all_gone(tmp_path / "pids")


def test_ctrl_c_in_a_simulation_leaves_nothing_behind(tmp_path: Path) -> None:
    add_hostile("slow", "hang", budget_ms=60_000, pids=tmp_path / "pids")
    run = subprocess.Popen(
        [*COMMAND, "simulate", "clever", "--bot", "slow", "--games", "4", "--jobs", "2"],
        stderr=subprocess.PIPE,
        start_new_session=True,
        cwd=tmp_path,
    )
    end = time.monotonic() + 60
    while not (tmp_path / "pids").exists():
        assert time.monotonic() < end
        time.sleep(0.05)
    time.sleep(0.5)
    os.killpg(run.pid, signal.SIGINT)
    # On a busy machine a process may wait for its engine to the end of the budget.
    _, told = run.communicate(timeout=150)
    assert run.returncode == 130
    assert b"Traceback" not in told
    assert all_gone(tmp_path / "pids")


# --- the examples ---------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def example(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[str]]:
    """The commands of the examples; `make test` brings the tools they need."""
    program = tmp_path_factory.mktemp("an engine with spaces") / "greedy"
    strict = ["-std=c99", "-Wall", "-Wextra", "-Werror", "-O1"]
    subprocess.run(["cc", *strict, "-o", str(program), str(EXAMPLES / "greedy.c")], check=True)
    return {
        "py": [sys.executable, str(EXAMPLES / "greedy.py")],
        "mjs": [node(), str(EXAMPLES / "greedy.mjs")],
        "c": [str(program)],
    }


@pytest.mark.parametrize("language", ["py", "mjs", "c"])
def test_the_examples_keep_to_the_protocol_and_agree(
    language: str, example: dict[str, list[str]], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["bots", "add", "mine", "--", *example[language]]) == 0
    assert capsys.readouterr().out.startswith("added mine: Greedy in ")
    assert main(["bots", "test", "mine", "--games", "1"]) == 0
    shown = capsys.readouterr().out
    assert "FAIL" not in shown
    assert shown.count("ok") == (8 if language == "c" else 9)
    summary = simulate("twice", ["mine", "greedy"], 2, seed=7, find=bots.chooser)
    assert [summary.mean(seat) for seat in range(2)] == expected()


def most_points(tables: Any, states: Any, which: Any, seats: Any, seeds: Any) -> Any:
    """The rule of the examples: the first action of those that gain most."""
    chosen = []
    for i, seat in zip(which.tolist(), seats.tolist(), strict=True):
        now = Game(layout("twice"), read_state(states, i))
        points = [now.play(seat, action).game.score(seat).total for action in now.legal(seat)]
        chosen.append(now.legal(seat)[points.index(max(points))])
    return np.array([action.id for action in chosen])


@cache
def expected() -> list[float]:
    """What the examples score, by their rule."""
    totals = play("twice", [most_points, "greedy"], 7, 2).totals
    return [float(mean) for mean in totals.mean(axis=0)]


def test_the_examples_are_short() -> None:
    for path in EXAMPLES.iterdir():
        longest = 55 if path.suffix == ".c" else 40
        assert len(path.read_text(encoding="utf-8").splitlines()) <= longest, path.name


# --- everywhere by name ---------------------------------------------------------------------------


def test_an_engine_plays_everywhere(
    example: dict[str, list[str]], capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert main(["bots", "add", "mine", "--", *example["py"]]) == 0
    assert bots.names()[-1] == "mine"
    assert bots.names("twice")[-1] == "mine"
    capsys.readouterr()
    assert main(["play", "clever", "--seats", "mine,random", "--seed", "3"]) == 0
    shown = capsys.readouterr()
    assert "points" in shown.out
    assert shown.err == ""
    line = "simulate clever --bot mine,random --games 3 --seed 5 --records games --json --jobs"
    found = []
    for jobs in ("1", "2"):
        assert main([*line.split(), jobs]) == 0
        result = json.loads(capsys.readouterr().out)
        found.append({key: result[key] for key in ("mean", "areas", "decisions_per_game")})
    assert found[0] == found[1]
    replayed, verified = record.read(Path("games/clever-5.fox").read_text())
    assert verified
    assert replayed.setup.names == ("mine", "random")
    assert (
        main(["arena", "clever", "--bots", "mine,random", "--games", "2", "--jobs", "1", "--json"])
        == 0
    )
    result = json.loads(capsys.readouterr().out)
    assert [each["bot"] for each in result["bots"]] == ["mine", "random"]


def test_a_failing_engine_stops_a_simulation_with_a_sentence(
    capsys: pytest.CaptureFixture[str],
) -> None:
    add_hostile("hostile", "illegal")
    line = "simulate clever --bot hostile --games 4 --jobs 1"
    assert main(line.split()) == 2
    told = capsys.readouterr().err.splitlines()
    assert told[-1] == "foxtray: bot hostile chose pass, which is not legal here"


def test_a_failing_engine_does_not_end_a_game_in_the_terminal(
    capsys: pytest.CaptureFixture[str],
) -> None:
    add_hostile("hostile", "die")
    assert main(["play", "clever", "--seats", "hostile,random", "--seed", "3"]) == 0
    shown = capsys.readouterr()
    assert "points" in shown.out
    assert "Seat 1 (hostile): bot hostile ended with status 1" in shown.err


class First:
    """A bot of another package: takes the first legal action, or the last if its seed is odd."""

    name = "first"

    def __init__(self, seed: int) -> None:
        self.seed = seed

    def choose(self, game: Game, seat: int) -> Any:
        return game.legal(seat)[-(self.seed % 2)]

    def evaluate(self, game: Game, seat: int) -> Any:
        raise FoxtrayError("no opinion")


def test_bots_of_other_packages_play_in_simulations(monkeypatch: pytest.MonkeyPatch) -> None:
    entry = EntryPoint("first", "test_engines:First", levels.GROUP)
    monkeypatch.setattr(levels, "entry_points", lambda group: [entry])
    many = simulate("clever", ["first"], 6, seed=3, find=bots.chooser)
    single = [
        simulate("clever", ["first"], 1, seed=seed, find=bots.chooser).mean()
        for seed in range(3, 9)
    ]
    assert many.mean() == sum(single) / 6
    # A bot of others gets a seed that does not tell the dice.
    assert bots.bot("first", 3).seed == levels.seed_for_others(3)  # type: ignore[attr-defined]
    assert levels.seed_for_others(3) != 3
    assert 0 <= levels.seed_for_others((1 << 64) - 1) < 1 << 48


# --- the list of added bots -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["strong", "--", "true"], "a bot cannot be called 'strong': the name is taken"),
        (["me", "--", "true"], "a bot cannot be called 'me': the name is taken"),
        (["a b", "--", "true"], "a bot cannot be called 'a b': a name must be 1 to 64 letters"),
        (["mine"], "say how to start it: foxtray bots add NAME -- COMMAND"),
        (["mine", "--", "no-such-program"], "cannot find the program 'no-such-program'"),
        (["mine", "--", "./no/such"], "cannot find the program './no/such'"),
        (["mine", "--budget-ms", "1", "--", "true"], "--budget-ms must be 10 to 60000, not 1"),
        (["mine", "--start-seconds", "999", "--", "true"], "--start-seconds must be 1 to 120"),
        (["mine", "--", "true"], "bot mine ended with status 0"),
        (["mine", "--", "sh", "-c", "echo 'a\nb'"], "this command cannot be kept"),
        (["mine", "--level", "solid", "--", "true"], "--level needs --weights"),
        (["mine", "--weights", "none.npz"], "there is no weights file none.npz"),
        (
            ["mine", "--weights", "a", "--level", "greedy"],
            "the level 'greedy' does not use weights",
        ),
        (["mine", "--weights", "none.npz", "--", "true"], "--weights cannot be combined with"),
        (
            ["mine", "--", sys.executable, str(HOSTILE), "no games"],
            "mine plays none of clever, twice",
        ),
    ],
)
def test_what_cannot_be_added_is_one_sentence(
    words: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["bots", "add", *words]) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert said in shown.err
    assert shown.err.count("\n") == 1
    assert not list_path().exists()


def test_bots_are_added_replaced_and_removed(capsys: pytest.CaptureFixture[str]) -> None:
    command = ["--", sys.executable, str(EXAMPLES / "greedy.py")]
    assert main(["bots", "add", "mine", *command]) == 0
    assert main(["bots", "add", "mine", *command]) == 2
    assert "you have a bot called mine; choose another name, or --replace it" in (
        capsys.readouterr().err
    )
    assert main(["bots", "add", "mine", "--replace", "--budget-ms", "50", *command]) == 0
    stored = json.loads(list_path().read_text())["bots"]["mine"]
    assert (stored["budget_ms"], stored["games"]) == (50, ["clever", "twice"])
    capsys.readouterr()
    assert main(["bots", "list", "--json"]) == main(["bots", "--json"]) == 0
    first, second = capsys.readouterr().out.splitlines()
    assert first == second
    assert json.loads(first)[-1]["description"].startswith("Greedy in Python: ")
    assert main(["bots", "remove", "mine"]) == 0
    assert bots.names() == tuple(bots.LEVELS)
    for name in ("mine", "strong"):
        assert main(["bots", "remove", name]) == 2
    assert "you have no bot called 'mine'" in capsys.readouterr().err


def test_a_relative_program_with_spaces_is_found_from_anywhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "my bots"
    folder.mkdir()
    shutil.copy(EXAMPLES / "greedy.py", folder / "a bot.py")
    starter = folder / "start me"
    starter.write_text(f"#!/bin/sh\nexec '{sys.executable}' \"$@\"\n")
    starter.chmod(0o755)
    monkeypatch.chdir(folder)
    assert main(["bots", "add", "mine", "--", "./start me", "a bot.py"]) == 0
    monkeypatch.chdir("/")
    assert ask(bots.bot("mine"), rolled(), 0) in rolled().legal(0)
    shutil.rmtree(folder)
    engine_bot.quit_all()
    with pytest.raises(BotError, match=r"bot mine cannot be started in .*my bots: No such file"):
        ask(bots.bot("mine"), rolled(), 0)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "the file is damaged; repair or delete it"),
        ("[]", "the file is damaged; repair or delete it"),
        ("[" * 100_000, "the file is damaged; repair or delete it"),
        ('{"version": 1}', "the file is damaged; repair or delete it"),
        ('{"version": 2, "bots": {}}', "are from another version of Foxtray"),
        ('{"version": 1, "bots": {"mine": 3}}', "skipped the bot 'mine'"),
        ('{"version": 1, "bots": {"mine": {"command": ["a"]}}}', "unknown or missing settings"),
        (
            '{"version": 1, "bots": {"mine": {"command": [], "folder": "/", "games": []}}}',
            "its command or games are not lists of texts",
        ),
        (
            '{"version": 1, "bots": {"mine": {"command": ["a"], "folder": 1, "games": []}}}',
            "its folder and title must be texts",
        ),
        (
            '{"version": 1, "bots": {"mine": {"command": ["a"], "folder": "/", "games": [],'
            ' "budget_ms": 1e9}}}',
            "budget_ms must be 10 to 60000",
        ),
        (
            '{"version": 1, "bots": {"mine": {"command": ["a"], "folder": "/", "games": [],'
            ' "start_seconds": 0}}}',
            "start_seconds must be 1 to 120",
        ),
        ('{"version": 1, "bots": {"mine": {"level": 1, "weights": {}}}}', "needs a level"),
        ('{"version": 1, "bots": {"mine": {"level": "a", "weights": {"b": 1}}}}', "are not texts"),
    ],
)
def test_a_damaged_list_is_told_and_left_alone(
    text: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    list_path().parent.mkdir()
    list_path().write_text(text)
    assert main(["bots"]) == 0
    shown = capsys.readouterr()
    assert said in shown.err
    assert "strong" in shown.out
    assert main(["bots", "add", "other", "--", sys.executable, str(EXAMPLES / "greedy.py")]) == 2
    assert said in capsys.readouterr().err
    assert list_path().read_text() == text
    assert main(["simulate", "clever", "--bot", "mine", "--games", "1"]) == 2
    told = capsys.readouterr().err
    assert "unknown bot 'mine'; choose one of random" in told
    assert said in told


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        ('"strong": {"command": ["a"], "folder": "/", "games": []}', "the name is taken"),
        ('"a b": {"command": ["a"], "folder": "/", "games": []}', "a name must be 1 to 64"),
        ('"mine": {"level": "greedy", "weights": {}}', "the level greedy does not use weights"),
    ],
)
def test_an_impossible_entry_is_skipped(
    entry: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    list_path().parent.mkdir()
    list_path().write_text(f'{{"version": 1, "bots": {{{entry}}}}}')
    assert bots.names() == tuple(bots.LEVELS)
    assert main(["bots"]) == 0
    assert said in capsys.readouterr().err


def test_a_package_keeps_its_name(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    add_hostile("first", "good")
    entry = EntryPoint("first", "test_engines:First", levels.GROUP)
    monkeypatch.setattr(levels, "entry_points", lambda group: [entry])
    assert bots.names() == (*bots.LEVELS, "first")
    assert type(bots.bot("first")).__name__ == "First"
    assert main(["bots", "add", "first", "--replace", "--", "true"]) == 2
    assert "an installed package has taken the name" in capsys.readouterr().err
    assert main(["bots"]) == 0
    assert "an installed package has taken the name" in capsys.readouterr().err


def test_settings_that_cannot_be_written_are_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("FOXTRAY_CONFIG", str(tmp_path / "file" / "config"))
    assert main(["bots", "add", "mine", "--", sys.executable, str(EXAMPLES / "greedy.py")]) == 2
    shown = capsys.readouterr()
    assert "Not a directory" in shown.err
    assert shown.err.count("\n") == 1
    monkeypatch.setenv("FOXTRAY_CONFIG", str(tmp_path / "config"))
    list_path().mkdir(parents=True)
    assert main(["bots", "add", "mine", "--", sys.executable, str(EXAMPLES / "greedy.py")]) == 2
    assert "bots.json: Is a directory" in capsys.readouterr().err


# --- own nets -------------------------------------------------------------------------------------


def shipped(game: str) -> Path:
    return ROOT / "src" / "foxtray" / "games" / game / "weights.npz"


def test_own_weights_play_everywhere(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    mine = tmp_path / "mine.npz"
    shutil.copy(shipped("clever"), mine)
    assert main(["bots", "add", "trained", "--weights", "mine.npz"]) == 0
    assert "The level strong with the weights in" in capsys.readouterr().out
    assert "trained" in bots.names("clever")
    assert "trained" not in bots.names("twice")
    level = bots.level_of("trained")
    assert level is not None
    assert level.name == "strong"
    game = rolled()
    theirs, ours = bots.bot("trained", 1), bots.bot("strong", 1)
    assert theirs.name == "trained"
    assert theirs.choose(game, 0) == ours.choose(game, 0)
    assert theirs.evaluate(game, 0) == ours.evaluate(game, 0)
    assert theirs.forecast(game, 0) == ours.forecast(game, 0)  # type: ignore[attr-defined]
    with pytest.raises(BotError, match="bot trained does not play twice"):
        ask(theirs, rolled("twice"), 0)
    assert (
        main(
            [
                "arena",
                "clever",
                "--bots",
                "trained,strong",
                "--seats",
                "1",
                "--games",
                "2",
                "--jobs",
                "1",
                "--json",
            ]
        )
        == 0
    )
    assert json.loads(capsys.readouterr().out)["differences"][0]["mean"]["value"] == 0
    assert main(["simulate", "twice", "--bot", "trained", "--games", "1"]) == 2
    assert "bot trained does not play twice; choose one of random" in capsys.readouterr().err
    assert main(["bots", "test", "trained"]) == 2
    assert "'trained' is not an engine that you added" in capsys.readouterr().err
    assert main(["bots", "add", "two", "--weights", "mine.npz", "--weights", "mine.npz"]) == 2
    assert "two files are for clever" in capsys.readouterr().err
    change("deep", AddedNet("expert", {"clever": str(mine)}))
    deep = bots.level_of("deep")
    assert deep is not None
    assert deep.throws


def test_weights_on_the_command_line(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    shutil.copy(shipped("clever"), tmp_path / "mine.npz")
    found = []
    for weights in ("", "--weights mine.npz --jobs 2"):
        line = f"simulate clever --bot strong,random --games 2 --json {weights}"
        assert main(line.split()) == 0
        found.append(json.loads(capsys.readouterr().out)["mean"])
    assert found[0] == found[1]
    for line, said in (
        ("simulate twice --bot strong --games 2", "the weights file mine.npz is not for twice"),
        ("simulate clever --bot random --games 2", "none of the bots uses weights: random"),
        ("arena clever --bots greedy,random --games 2", "none of the bots uses weights: greedy"),
        ("engine random", "bot random does not use weights"),
    ):
        assert main([*line.split(), "--weights", "mine.npz"]) == 2
        assert said in capsys.readouterr().err


# --- Foxtray as an engine -------------------------------------------------------------------------


def converse(lines: list[str], *words: str) -> list[dict[str, Any]]:
    """What `foxtray engine` answers to some lines."""
    done = subprocess.run(
        [*COMMAND, "engine", *words],
        input="".join(f"{line}\n" for line in lines),
        capture_output=True,
        text=True,
        check=True,
    )
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_foxtray_is_an_engine() -> None:
    game = rolled("twice", 2)
    answers = converse(
        [
            '{"type":"hello","protocol":1}',
            '{"type":"go","id":1,"budget":{"ms":10}}',
            '{"type":"newgame","game":"twice","seats":2,"seed":7}',
            json.dumps({"type": "position", "position": game.position(), "seat": 0}),
            '{"type":"go","id":2,"budget":{"ms":1000},"opinions":true}',
            '{"type":"stop","id":2}',
            '{"type":"go","id":3}',
            '{"type":"quit"}',
            '{"type":"hello","protocol":1}',
        ],
        "strong",
    )
    kinds = [answer["type"] for answer in answers]
    assert kinds == ["hello", "error", "bestaction", "bestaction"]
    assert answers[0]["games"] == ["clever", "twice"]
    assert answers[1] == {"type": "error", "id": 1, "reason": "go needs a position first"}
    strong = bots.bot("strong", 7)
    assert answers[2]["action"] == answers[3]["action"] == str(strong.choose(game, 0))
    assert "opinions" not in answers[3]
    told = [messages.read_opinion(game, 0, opinion) for opinion in answers[2]["opinions"]]
    assert told == strong.evaluate(game, 0)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("what?", "'what?' is not JSON"),
        ("[]", "a message must be a JSON object"),
        ('{"type":"move"}', "unknown type 'move'"),
        ('{"type":"hello","protocol":2}', "this is protocol 1, not 2"),
        ('{"type":"hello"}', "protocol must be a whole number"),
        ('{"type":"newgame","seed":-1}', "seed must be a whole number"),
        ('{"type":"newgame","seed":99999999999999999999}', "the seed must be a whole number"),
        ('{"type":"position","position":"x","seat":0}', "x"),
        ('{"type":"position","position":"x"}', "x"),
        ('{"type":"go","id":"a"}', "id must be a whole number"),
        ('{"type":"go","id":1,"budget":7}', "go needs a position first"),
        ("x" * (1 << 21), "a line must be at most 1048576 bytes long"),
    ],
)
def test_a_mistake_is_answered_and_the_conversation_goes_on(line: str, said: str) -> None:
    answers = converse([line, "", '{"type":"hello","protocol":1}'], "greedy")
    assert [answer["type"] for answer in answers] == ["error", "hello"]
    assert said in answers[0]["reason"]
    assert answers[1]["opinions"] is False


def test_foxtray_plays_itself_by_the_protocol() -> None:
    """`strong` as an engine makes the decisions of `strong`."""
    words = [*COMMAND, "engine", "strong"]
    assert main(["bots", "add", "mirror", "--", *words]) == 0
    one, other = (
        simulate("clever", [name], 1, seed=11, find=bots.chooser) for name in ("mirror", "strong")
    )
    assert one.mean() == other.mean()
    assert one.areas() == other.areas()
    assert main(["engine", "mirror"]) == 2  # it would only pass messages on


def test_an_engine_is_tested_and_its_faults_are_listed(
    capsys: pytest.CaptureFixture[str],
) -> None:
    add_hostile("hostile", "die")
    assert main(["bots", "test", "hostile", "--verbose"]) == 1
    shown = capsys.readouterr()
    assert "FAIL  bot hostile ended with status 1: Segmentation fault" in shown.out
    assert "FAIL  its log:" in shown.out
    assert '> {"type":"hello","protocol":1' in shown.err
    assert '< {"type": "hello"' in shown.err
    add_hostile("odd", "garbage")
    assert main(["bots", "test", "odd", "--games", "1"]) == 1
    assert "FAIL  prints lines that are not messages: " in capsys.readouterr().out
    assert main(["bots", "test", "odd", "--games", "0"]) == 2
    assert main(["bots", "test", "nobody"]) == 2


def test_a_log_does_not_grow_without_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(log, "LARGEST", 1000)
    written = log.EngineLog("hostile")
    for number in range(200):
        written.write(f"line {number}")
    old = written.path.with_suffix(".log.1")
    assert written.path.stat().st_size < 2000
    assert old.stat().st_size < 2000
    assert "line 199" in logged()


def test_at_most_a_few_engines_run_at_once(tmp_path: Path) -> None:
    for number in range(engine_bot.MOST_ENGINES + 1):
        add_hostile(f"e{number}", "good", pids=tmp_path / f"pids{number}")
        ask(bots.bot(f"e{number}"), rolled(), 0)
    assert all_gone(tmp_path / "pids0")
    assert running(int((tmp_path / "pids1").read_text()))


# --- the documentation ----------------------------------------------------------------------------


def documented_keys(heading: str) -> dict[str, list[str]]:
    """The messages and keys in the table under a heading of docs/engines.md."""
    text = (ROOT / "docs" / "engines.md").read_text(encoding="utf-8")
    section = text.partition(f"### {heading}\n")[2].partition("\n#")[0]
    rows = re.findall(r"^\| `(\w+)` \|([^|]*)\|", section, re.MULTILINE)
    return {kind: re.findall(r"`(\w+)`", keys) for kind, keys in rows}


def test_every_message_is_documented(tmp_path: Path) -> None:
    """Everything said in a whole conversation is in the tables, and nothing else."""
    to_engine, from_engine = (documented_keys(f"{way} the engine") for way in ("To", "From"))
    assert tuple(to_engine) == messages.TO_ENGINE
    assert tuple(from_engine) == messages.FROM_ENGINE
    said: dict[str, dict[str, set[str]]] = {">": {}, "<": {}}

    def watch(direction: str, text: str) -> None:
        if direction in said:
            message = json.loads(text)
            said[direction].setdefault(message.pop("type"), set()).update(message)

    command = EngineCommand("py", (sys.executable, str(EXAMPLES / "greedy.py")), str(tmp_path))
    engine = Engine(command, watch)
    owner = object()
    engine.ask(rolled(), 0, 1, owner=owner, opinions=True)
    engine.ask(rolled(), 0, 1, owner=owner, stop_at_once=True)
    engine.quit()
    assert said[">"] == {kind: set(keys) for kind, keys in to_engine.items()}
    for kind, keys in said["<"].items():
        assert keys <= set(from_engine[kind])
    own = converse(
        [
            '{"type":"hello","protocol":1}',
            json.dumps({"type": "position", "position": rolled().position(), "seat": 0}),
            '{"type":"go","id":1}',
            '{"type":"go"}',
        ],
        "greedy",
    )
    for message in own:
        assert message.keys() - {"type"} <= set(from_engine[message["type"]])


def test_the_documented_limits_are_those_of_the_code() -> None:
    text = (ROOT / "docs" / "engines.md").read_text(encoding="utf-8")
    for said in (
        f"{START} s; `--start-seconds`, {SHORTEST_START} to {LONGEST_START}",
        f"{BUDGET} ms; `--budget-ms`, {SHORTEST_BUDGET} to {LONGEST_BUDGET:,}",
        f"after `stop` | {process.GRACE:g} s",
        f"after `quit` | {process.GRACE:g} s",
        f"length of a line | {messages.LONGEST_LINE >> 20} MiB",
        f"{process.MOST_LINES:,} lines, {process.MOST_BYTES >> 20} MiB",
        f"engines that one process keeps | {engine_bot.MOST_ENGINES} ",
        f"left alone for {engine_bot.REST:g} s",
        f"larger than {log.LARGEST >> 20} MiB",
        f"at most {STATES_PER_MS} states per millisecond",
    ):
        assert said in text, said
    assert engine_bot.PATIENCE == 3  # "after three failures in a row"


def test_the_documented_conversation_is_possible() -> None:
    """Every line of it is a message with the documented keys."""
    text = (ROOT / "docs" / "engines.md").read_text(encoding="utf-8")
    block = re.search(r"```\n(> \{.*?)```", text, re.DOTALL)
    assert block
    lines = re.findall(r"^[<>] (.*)$", block[1].replace("\n   ", ""), re.MULTILINE)
    assert len(lines) == 7
    keys = documented_keys("To the engine"), documented_keys("From the engine")
    for line in lines:
        message = messages.decode(line.encode())
        known = keys[0].get(message["type"], []) + keys[1].get(message["type"], [])
        assert message.keys() - {"type"} <= set(known)
