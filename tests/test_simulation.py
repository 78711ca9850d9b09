"""Many games by the compiled rules: the same in every process, and summarised correctly."""

import csv
import json
import math
import multiprocessing
import os
import resource
import shutil
import signal
import statistics
import subprocess
import sys
import time
import xml.etree.ElementTree as Xml
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from make_golden import RANDOM_GAMES, TOTALS, random_totals
from pyarrow import parquet

from foxtray import cli, record
from foxtray.bots import chooser
from foxtray.errors import BadSetup, FoxtrayError
from foxtray.sim import batch, chart, commands, compiled, workers
from foxtray.sim.arena import Tally, arena
from foxtray.sim.batch import Games, play
from foxtray.sim.simulation import simulate
from foxtray.sim.summary import SHARES, Summary
from foxtray.sim.workers import Chunk, PlayedChunk, stream

COMMAND = [sys.executable, "-m", "foxtray"]
KEYS = [
    "game", "seats", "options", "bots", "games", "seed", "mean", "se", "sd", "min", "p10", "median",
    "p90", "max", "areas", "foxes", "fox_points", "bands", "decisions_per_game",
    "games_per_cpu_second", "cpu_seconds", "wall_seconds", "compile_seconds",
]  # fmt: skip


@pytest.fixture(autouse=True)
def in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def told(capsys: pytest.CaptureFixture[str], line: str) -> str:
    assert cli.main(line.split()) == 0
    return capsys.readouterr().out


# --- games ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("game", ["clever", "twice"])
def test_random_games_score_as_the_oracle_says(game: str, long_run: bool) -> None:
    """Two samples of the same distribution: their means differ by chance only."""
    totals = json.loads(TOTALS.read_text())[game]
    assert len(totals) == RANDOM_GAMES
    again = RANDOM_GAMES if long_run else 20
    assert random_totals(game, again) == totals[:again]
    compiled_games = simulate(game, ["random"], 100_000)
    se = math.hypot(statistics.stdev(totals) / math.sqrt(len(totals)), compiled_games.se())
    assert abs(statistics.mean(totals) - compiled_games.mean()) < 3 * se


@pytest.mark.parametrize("seats", [1, 2, 3, 4])
@pytest.mark.parametrize("game", ["clever", "twice"])
def test_a_game_is_replayed_face_for_face(game: str, seats: int) -> None:
    games = play(game, ["greedy", "random", "greedy", "random"][:seats], 77, 6, moves=True)
    for i in range(6):
        replayed, verified = record.read(games.record(i, ["a", "b", "c", "d"][:seats]).text())
        assert verified
        outcome = replayed.game.outcome()
        assert outcome is not None
        assert outcome.totals == tuple(games.totals[i].tolist())
        assert sum(1 << seat for seat in outcome.winners) == games.wins[i]
        cards = replayed.game.scores()
        assert [list(card.areas) for card in cards] == games.areas[i].tolist()
        assert [card.foxes for card in cards] == games.foxes[i].tolist()


@pytest.mark.parametrize(
    ("option", "game", "bots"),
    [("solo_fallback", "clever", ["random"]), ("fox_floor", "twice", ["random", "greedy"])],
)
def test_house_rules_are_played_and_recorded(option: str, game: str, bots: list[str]) -> None:
    played = play(game, bots, 5, 80, moves=True, options={option: True})
    plain = play(game, bots, 5, 80)
    assert (played.options, plain.options) == ((option,), ())
    changed = np.flatnonzero((played.totals != plain.totals).any(axis=1)).tolist()
    assert changed
    for i in (0, *changed):
        replayed, verified = record.read(played.record(i).text())
        assert verified
        assert [name for name, on in replayed.game.options.items() if on] == [option]
        assert replayed.game.outcome() is not None
        assert [card.total for card in replayed.game.scores()] == played.totals[i].tolist()


def test_house_rules_reach_every_process_and_the_summary() -> None:
    options = {"solo_fallback": True, "fox_floor": False}
    runs = [simulate("clever", ["random"], 64, jobs=jobs, options=options) for jobs in (1, 2)]
    assert runs[0].occurred.tolist() == runs[1].occurred.tolist()
    assert runs[0].as_json()["options"] == options
    assert "solo_fallback=on" in chart.title(runs[0])
    standings = arena("clever", ["random", "greedy"], 20, seats=1, options=options)
    alone = simulate("clever", ["random"], 20, options=options)
    assert standings.as_json()["options"] == options
    assert standings.mean(0).mean == alone.mean()


def test_a_level_plays_house_rules_as_the_interpreted_rules_score_them() -> None:
    options = {"solo_fallback": True, "fox_floor": True}
    played = play("twice", [chooser("strong", "twice")], 3, 2, moves=True, options=options)
    for i in range(2):
        assert [s.total for s in played.record(i).game.scores()] == played.totals[i].tolist()


def test_an_unknown_house_rule_is_refused() -> None:
    with pytest.raises(BadSetup, match="unknown option 'foxes'; choose from solo_fallback"):
        play("clever", ["random"], 0, 1, options={"foxes": True})


def same(some: Games, others: Games) -> bool:
    names = [name for name in Games.__slots__ if name not in ("game", "seats")]
    return all(np.array_equal(getattr(some, name), getattr(others, name)) for name in names)


def test_a_game_depends_on_its_seed_alone() -> None:
    bots = ["greedy", "random"]
    whole = play("twice", bots, 5, 700)
    assert same(whole, batch.join([play("twice", bots, 5, 1), play("twice", bots, 6, 699)]))


def test_seeds_reach_to_the_end_of_64_bits() -> None:
    games = play("clever", ["random"], (1 << 64) - 3, 3, moves=True)
    assert games.record(2).setup.seed == (1 << 64) - 1
    with pytest.raises(BadSetup, match="the seed must be"):
        simulate("clever", ["random"], 4, seed=(1 << 64) - 3)


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (("chess", ["random"], 0, 3), "unknown game 'chess'"),
        (("clever", ["nobody"], 0, 3), "unknown bot 'nobody'; choose one of random, greedy"),
        (("clever", [], 0, 3), "0 seats are not possible"),
        (("clever", ["random"] * 5, 0, 3), "5 seats are not possible"),
        (("clever", ["random"], 0, 0), "cannot play 0 games"),
        (("clever", ["random"], -1, 3), "the seed must be"),
        (("clever", ["random"], (1 << 64) - 2, 3), "the seed must be"),
    ],
)
def test_what_cannot_be_played_is_said(args: Any, said: str) -> None:
    with pytest.raises(FoxtrayError, match=said):
        play(*args)


def test_without_moves_there_is_no_record() -> None:
    with pytest.raises(BadSetup, match="play them with moves=True"):
        play("clever", ["random"], 0, 3).record(0)


def first_action(tables, states, which, seats, seeds):  # type: ignore[no-untyped-def]
    """A bot outside the loop: the first of the legal actions."""
    rules, out = compiled.rules(), np.zeros(256, np.int64)
    found = []
    for i, seat in zip(which, seats, strict=True):
        rules.legal_actions(tables[0], states[i], seat, out)
        found.append(out[0])
    return np.array(found, np.int32)


def find(name: str, game: str) -> batch.Chooser:
    assert name == "first"
    return first_action


def test_bots_outside_the_loop_play_too() -> None:
    games = play("clever", [first_action, "random"], 3, 20, moves=True)
    replayed = games.record(4)
    assert replayed.game.over
    summary = simulate("clever", ["first", "random"], 20, seed=3, find=find)
    assert summary.mean(0) == games.totals[:, 0].mean()


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (lambda n: np.zeros(n, np.int64), r"bot clumsy returned 0 in the game with seed 7,"),
        (lambda n: np.full(n, -1), "bot clumsy returned -1"),
        (lambda n: np.full(n, 1 << 60), f"bot clumsy returned {1 << 60}"),
        (lambda n: [81] * n, "bot clumsy returned 81"),
        (lambda n: np.zeros(n - 1, np.int64), "3 whole numbers, not int64 of shape"),
        (lambda n: np.zeros((n, 1), np.int64), "3 whole numbers, not int64 of shape"),
        (lambda n: np.zeros(n), "3 whole numbers, not float64"),
        (lambda n: None, "3 whole numbers, not object"),
    ],
)
def test_a_bot_of_ones_own_is_not_trusted(answer: Any, said: str) -> None:
    """An illegal answer used to reach compiled code and crash Python."""

    def clumsy(tables: Any, states: Any, which: Any, seats: Any, seeds: Any) -> Any:
        return answer(len(which))

    with pytest.raises(FoxtrayError, match=said):
        play("clever", [clumsy], 7, 3)


def test_levels_are_found_where_it_is_said() -> None:
    with pytest.raises(BadSetup, match=r"find=foxtray\.bots\.chooser"):
        simulate("clever", ["strong"], 4)
    found = simulate("clever", ["strong"], 4, find=chooser)
    assert found.mean() == play("clever", [chooser("strong", "clever")], 0, 4).totals.mean()


class Slow:
    """A bot that takes long for a game, and says so."""

    games_at_once = 1

    def __call__(self, *asked: Any) -> Any:
        return first_action(*asked)  # type: ignore[no-untyped-call]


def find_slow(name: str, game: str) -> batch.Chooser:
    return Slow()


def test_the_games_of_slow_bots_are_told_one_by_one() -> None:
    parts: list[int] = []
    slow = simulate(
        "clever", ["slow"], 20, find=find_slow, each=lambda games: parts.append(len(games))
    )
    assert parts == [1] * 20
    assert slow.mean() == play("clever", [first_action], 0, 20).totals.mean()
    shown: list[int] = []
    arena(
        "clever", ["slow", "random"], 9, find=find_slow, watch=lambda now: shown.append(now.deals)
    )
    assert shown == list(range(1, 10))
    assert [chooser(name, "twice").games_at_once for name in ("strong", "expert")] == [32, 1]


# --- processes ------------------------------------------------------------------------------------

BOTS = ("greedy", "random")


def pieces(games: int, size: int) -> list[Chunk]:
    return [Chunk("twice", BOTS, 9 + at, min(size, games - at)) for at in range(0, games, size)]


def test_a_killed_process_changes_nothing() -> None:
    expected = play("twice", BOTS, 9, 600)
    found: list[PlayedChunk] = []
    killed = 0
    for played in stream(pieces(600, 50), 2):
        found.append(played)
        if len(found) in (1, 4):
            victim = multiprocessing.active_children()[0]
            assert victim.pid is not None
            os.kill(victim.pid, signal.SIGKILL)
            killed += 1
    assert killed == 2
    assert same(batch.join([played.games for played in found]), expected)
    assert not multiprocessing.active_children()


def deadly(name: str, game: str) -> batch.Chooser:
    os._exit(3)


def failing(name: str, game: str) -> batch.Chooser:
    raise FoxtrayError(f"{name} is ill")


@pytest.mark.parametrize(
    ("find", "said"), [(deadly, "seeds 0 to 0: 3 processes died on it"), (failing, "first is ill")]
)
def test_what_always_fails_is_told(find: workers.Find, said: str) -> None:
    with pytest.raises(FoxtrayError, match=said):
        list(stream([Chunk("clever", ("first",), 0, 1)], 2, find))
    assert not multiprocessing.active_children()


def test_no_process_is_started_without_a_chunk() -> None:
    for _ in stream(pieces(10, 10), 3):
        assert len(multiprocessing.active_children()) == 1
    assert not list(stream([], 3))


def test_the_number_of_processes_does_not_show(capsys: pytest.CaptureFixture[str]) -> None:
    args = "simulate twice --bot random --seats 2 --games 9001 --json"
    numbers = []
    for jobs in ("1", "2"):
        numbers.append(json.loads(told(capsys, f"{args} --jobs {jobs} --csv {jobs}")))
        for key in ("games_per_cpu_second", "cpu_seconds", "wall_seconds", "compile_seconds"):
            del numbers[-1][key]
    assert Path("1").read_bytes() == Path("2").read_bytes()
    assert numbers[0] == numbers[1]


def test_ctrl_c_tells_what_is_finished() -> None:
    args = "simulate clever --bot random --games 90000000 --jobs 2 --csv games.csv --json"
    running = subprocess.Popen(
        [*COMMAND, *args.split()], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        start_new_session=True,
    )  # fmt: skip
    while not any(path.stat().st_size > 1000 for path in Path().glob("games.csv.*")):
        assert running.poll() is None
        time.sleep(0.05)
    os.killpg(running.pid, signal.SIGINT)  # as a terminal does, to all processes
    out, err = running.communicate(timeout=60)
    assert running.returncode == 130
    found = json.loads(out)
    assert 0 < found["games"] < 90_000_000
    assert "interrupted after" in err
    assert "Traceback" not in err
    lines = Path("games.csv").read_text().splitlines()
    assert len(lines) == found["games"] + 1
    assert lines[-1].startswith(f"{found['games']},{found['games'] - 1},1,random,")


# --- figures --------------------------------------------------------------------------------------


def summary_of(game: str, bots: tuple[str, ...], count: int) -> tuple[Summary, Games]:
    games = play(game, bots, 1, count)
    summary = Summary(game, bots, 1)
    for at in range(0, count, 100):
        summary.add(PlayedChunk(play(game, bots, 1 + at, min(100, count - at)), 0.5))
    return summary, games


def test_the_figures_are_those_of_the_games() -> None:
    summary, games = summary_of("twice", BOTS, 501)
    assert summary.games == 501
    for seat in range(2):
        totals, figures = games.totals[:, seat], summary.figures(seat)
        assert figures["mean"] == pytest.approx(totals.mean())
        assert figures["sd"] == pytest.approx(totals.std(ddof=1))
        assert figures["se"] == pytest.approx(totals.std(ddof=1) / math.sqrt(501))
        assert (figures["min"], figures["max"]) == (totals.min(), totals.max())
        quantiles = [figures["p10"], figures["median"], figures["p90"]]
        assert quantiles == pytest.approx(np.quantile(totals, [0.1, 0.5, 0.9]).tolist())
        areas = list(figures["areas"].values())
        assert areas == pytest.approx(games.areas[:, seat].mean(axis=0).tolist())
        assert figures["foxes"] == pytest.approx(games.foxes[:, seat].mean())
        assert sum(areas) + figures["fox_points"] == pytest.approx(figures["mean"])
        assert sum(figures["bands"].values()) == pytest.approx(1)
        assert figures["decisions_per_game"] == pytest.approx(games.decisions[:, seat].mean())
    assert summary.win_rate(0) + summary.win_rate(1) == pytest.approx(1)


def test_one_game_has_figures_too() -> None:
    summary, _ = summary_of("clever", ("random",), 1)
    figures = summary.figures()
    assert figures["mean"] == figures["median"] == figures["p10"] == figures["max"]
    assert figures["sd"] == figures["se"] == 0
    assert chart.terminal(summary)
    Xml.fromstring(chart.svg(summary))


@pytest.mark.parametrize("bots", ["random", "greedy,random"])
def test_json_has_exactly_these_keys(bots: str, capsys: pytest.CaptureFixture[str]) -> None:
    args = f"simulate clever --bot {bots} --games 50 --json"
    found = json.loads(told(capsys, args))
    assert list(found) == KEYS
    assert found["bots"] == bots.split(",")
    colours = ["yellow", "blue", "green", "orange", "purple"]
    assert list(found["areas"]) == colours
    several = found["seats"] > 1
    for value in (found["mean"], found["areas"]["blue"], found["bands"]["First steps"]):
        assert isinstance(value, list) == several


def test_the_summary_is_readable(capsys: pytest.CaptureFixture[str]) -> None:
    out = told(capsys, "simulate clever --bot greedy,random --games 400")
    assert "2 seats, 400 games, seed 0" in out
    assert "1 greedy" in out
    assert "█" in out
    assert "games per CPU second" in out


def test_a_line_for_each_game_and_seat(capsys: pytest.CaptureFixture[str]) -> None:
    files = "--csv t.csv --parquet t.parquet"
    told(capsys, f"simulate twice --bot greedy,random --games 30 --seed 8 {files}")
    with open("t.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["seat"] for row in rows] == ["1", "2"] * 30
    games = play("twice", BOTS, 8, 30)
    assert [int(row["total"]) for row in rows] == games.totals.ravel().tolist()
    assert (rows[-1]["game"], rows[-1]["seed"], rows[-1]["bot"]) == ("30", "37", "random")
    colours = ("silver", "yellow", "blue", "green", "pink", "fox_points")
    assert sum(int(rows[3][name]) for name in colours) == int(rows[3]["total"])
    table = parquet.read_table("t.parquet").to_pylist()
    assert list(table[0]) == list(rows[0])
    assert [{name: str(int(value) if name == "won" else value) for name, value in row.items()}
            for row in table] == rows  # fmt: skip


@pytest.mark.parametrize("path", ["-", "/dev/stdout"])
def test_a_table_can_be_piped(path: str) -> None:
    args = f"simulate clever --bot random --games 3 --seed 5 --csv {path}"
    done = subprocess.run([*COMMAND, *args.split()], capture_output=True, text=True)
    assert done.returncode == 0
    assert [line.split(",")[1] for line in done.stdout.splitlines()] == ["seed", "5", "6", "7"]
    assert "games per CPU second" in done.stderr
    assert not list(Path().iterdir()), "a file called - was made"


def test_a_pipe_with_a_name_can_be_written_to() -> None:
    args = "foxtray simulate clever --bot random --games 3 --csv >(cat >&2) >/dev/null"
    script = args.replace("foxtray", " ".join(COMMAND))
    done = subprocess.run(["bash", "-c", f"{script}; sleep 0.3"], capture_output=True, text=True)
    assert len(done.stderr.splitlines()) == 4


@pytest.mark.parametrize("files", ["--csv t", "--parquet t", "--records t"])
def test_a_full_disk_is_reported_with_the_file(files: str) -> None:
    old = {"t": b"old"} if "records" not in files else {}
    for name, content in old.items():
        Path(name).write_bytes(content)
    args = f"simulate clever --bot random --games 500 --jobs 1 {files}"
    done = subprocess.run(
        [*COMMAND, *args.split()],
        capture_output=True,
        text=True,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (200, 200)),
    )
    assert done.returncode == 2
    named = "t/clever-0.fox" if "records" in files else "t"
    assert done.stderr == f"foxtray: {named}: File too large\n"
    assert {path.name: path.read_bytes() for path in Path().iterdir() if path.is_file()} == old


def test_a_missing_package_for_tables_is_one_sentence() -> None:
    program = "import sys; sys.modules['pyarrow'] = None; from foxtray.cli import main; "
    call = "main('simulate clever --bot random --games 3 --parquet t'.split())"
    done = subprocess.run(
        [sys.executable, "-c", f"{program}sys.exit({call})"], capture_output=True, text=True
    )
    assert done.returncode == 2
    assert "needs pyarrow; to install: python -m pip install 'foxtray[parquet]'\n" in done.stderr
    assert done.stderr.count("\n") == 1


def test_records_and_a_picture(capsys: pytest.CaptureFixture[str]) -> None:
    args = "simulate clever --bot greedy --games 3 --seed 5 --records games --plot p.svg"
    told(capsys, args)
    kept = sorted(Path("games").iterdir())
    assert [path.name for path in kept] == ["clever-5.fox", "clever-6.fox", "clever-7.fox"]
    assert "Verified" in told(capsys, f"replay {kept[0]}")
    picture = Xml.parse("p.svg").getroot()
    assert picture.tag.endswith("svg")
    assert any("greedy: mean" in (part.text or "") for part in picture)


# --- arena ----------------------------------------------------------------------------------------


def test_the_arena_plays_all_seatings_on_the_same_dice() -> None:
    standings = arena("clever", ["greedy", "random"], 150, seed=4)
    one, two = play("clever", ["greedy", "random"], 4, 150), play("clever", BOTS[::-1], 4, 150)
    greedy = (one.totals[:, 0] + two.totals[:, 1]) / 2
    differences = greedy - (one.totals[:, 1] + two.totals[:, 0]) / 2
    assert standings.games == 300
    assert standings.mean(0).mean == pytest.approx(greedy.mean())
    found = standings.difference(0, 1)
    assert found.mean == pytest.approx(differences.mean())
    assert found.se == pytest.approx(differences.std(ddof=1) / math.sqrt(150))
    assert standings.win_rate(0).mean + standings.win_rate(1).mean == pytest.approx(1)


def test_a_bot_named_twice_takes_two_seats() -> None:
    standings = arena("clever", ["random", "greedy", "random"], 100, seed=4)
    seatings = {
        ("greedy", "random", "random"),
        ("random", "greedy", "random"),
        ("random", "random", "greedy"),
    }
    assert set(standings.seatings) == seatings
    assert standings.bots == ("random", "greedy")
    assert standings.games == 300
    totals = {name: np.zeros(100) for name in standings.bots}
    for seating in seatings:
        played = play("clever", list(seating), 4, 100)
        for seat, name in enumerate(seating):
            totals[name] += played.totals[:, seat] / (6 if name == "random" else 3)
    differences = totals["random"] - totals["greedy"]
    assert standings.mean(0).mean == pytest.approx(totals["random"].mean())
    assert standings.mean(1).mean == pytest.approx(totals["greedy"].mean())
    found = standings.difference(0, 1)
    assert found.mean == pytest.approx(differences.mean())
    assert found.se == pytest.approx(differences.std(ddof=1) / 10)
    assert 2 * standings.win_rate(0).mean + standings.win_rate(1).mean == pytest.approx(1)


def test_everyone_alone_is_paired_on_the_same_dice() -> None:
    standings = arena("twice", ["random", "greedy"], 150, seats=1)
    some, others = play("twice", ["random"], 0, 150), play("twice", ["greedy"], 0, 150)
    differences = (some.totals - others.totals)[:, 0]
    assert standings.difference(0, 1).mean == pytest.approx(differences.mean())
    assert standings.win_rate(1).mean == pytest.approx(
        ((differences < 0) + (differences == 0) / 2).mean()
    )


def test_the_arena_shows_a_table(capsys: pytest.CaptureFixture[str]) -> None:
    args = "arena clever --bots random,greedy --games 60"
    out = told(capsys, args)
    assert "greedy over random" in out
    assert out.index("\n greedy") < out.index("\n random")
    assert max(map(len, out.splitlines())) < 80
    found = json.loads(told(capsys, f"{args} --json"))
    assert found["differences"][0]["mean"]["value"] < 0
    assert found["seatings"] == [["random", "greedy"], ["greedy", "random"]]


def test_one_deal_has_no_interval(capsys: pytest.CaptureFixture[str]) -> None:
    args = "arena clever --bots random,greedy --games 1"
    assert told(capsys, args).count("unknown") == 5
    found = json.loads(told(capsys, f"{args} --json"))
    for span in (*(b[key] for b in found["bots"] for key in ("mean", "win_rate")),):
        assert list(span) == ["value", "se", "low", "high"]
        assert span["value"] is not None
        assert span["se"] is span["low"] is span["high"] is None


@pytest.mark.parametrize(
    ("wins", "low", "high"),
    # Wilson's interval for 8 of 8, 0 of 8; for 5 of 9 as sure as 8 games (n - 1 deals).
    [([1] * 8, 0.6756, 1.0), ([0] * 8, 0.0, 0.3244), ([1] * 5 + [0] * 4, 0.2539, 0.8211)],
)
def test_win_rates_have_score_intervals(wins: list[int], low: float, high: float) -> None:
    tally = Tally()
    tally.add(SHARES * np.array(wins))
    found = tally.rate(SHARES)
    assert found.mean == pytest.approx(sum(wins) / len(wins))
    assert found.low == pytest.approx(low, abs=1e-4)
    assert found.high == pytest.approx(high, abs=1e-4)


# --- starting -------------------------------------------------------------------------------------


def test_environments_with_the_same_sources_share_what_is_compiled(tmp_path: Path) -> None:
    program = """
from foxtray.sim import compiled
with compiled.Announced("one function", 1, "foxtray.core.chance"):
    compiled.chance().draw(1, 2, 3, 4, 5)
print(compiled.__file__)
"""
    surroundings = os.environ | {"FOXTRAY_CACHE": str(tmp_path / "cache")}
    kept: list[set[Path]] = []
    for name in ("one", "two"):
        package = tmp_path / name / "foxtray"
        shutil.copytree(compiled.ROOT, package, ignore=shutil.ignore_patterns("client", "*.pyc"))
        done = subprocess.run(
            [sys.executable, "-c", program],
            env=surroundings | {"PYTHONPATH": str(package.parent)},
            capture_output=True,
            text=True,
        )
        assert done.stdout.startswith(str(package))
        assert ("compiling one function" in done.stderr) == (name == "one")
        kept.append(set((tmp_path / "cache").rglob("*.nb?")))
    assert kept[0]
    assert kept[0] == kept[1]


def test_a_second_start_uses_what_was_compiled() -> None:
    play("clever", ["random"], 0, 1)
    args = "simulate clever --bot random --games 10 --json"
    start = [*COMMAND, *args.split()]
    subprocess.run(start, capture_output=True, check=True)  # announces the first time
    kept = {path: path.stat().st_mtime_ns for path in compiled.cache_path().rglob("*.nb?")}
    done = subprocess.run(start, capture_output=True, text=True, check=True)
    assert done.stderr == ""
    assert json.loads(done.stdout)["games"] == 10
    assert {path: path.stat().st_mtime_ns for path in kept} == kept


@pytest.mark.parametrize("missing", ["numpy", "numba"])
def test_without_numpy_or_numba_it_is_said_what_to_install(missing: str) -> None:
    program = f"import sys; sys.modules[{missing!r}] = None; from foxtray.cli import main; "
    for command in ("simulate clever --bot random", "arena clever --bots random,greedy"):
        call = f"sys.exit(main('{command} --games 5'.split()))"
        done = subprocess.run(
            [sys.executable, "-c", program + call], capture_output=True, text=True
        )
        assert done.returncode == 2
        assert "python -m pip install 'foxtray[bots]'" in done.stderr
        assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("args", "said"),
    [
        ("simulate chess --bot random --games 5", "invalid choice: 'chess'"),
        (
            "simulate clever --bot nobody --games 5",
            "unknown bot 'nobody'; choose one of random",
        ),
        ("simulate clever --bot random,nobody --games 5", "unknown bot 'nobody'"),
        ("simulate clever --bot , --games 5", "unknown bot ''"),
        ("simulate clever --bot random --games 0", "cannot play 0 games"),
        ("simulate clever --bot random --games -1", "-1 is negative; choose 0 or more"),
        ("simulate clever --bot random --games many", "'many' is not a whole number"),
        ("simulate clever --bot random", "--games"),
        ("simulate clever --games 5", "--bot"),
        ("simulate clever --bot random --seats 0 --games 5", "0 seats are not possible"),
        ("simulate clever --bot random --seats 5 --games 5", "5 seats are not possible"),
        ("simulate clever --bot random,greedy --seats 3 --games 5", "cannot fill 3 seats"),
        ("simulate clever --bot random --games 5 --jobs 0", "0 processes are too few"),
        ("simulate clever --bot random --games 5 --jobs 257", "257 processes are too many"),
        ("arena clever --bots random,greedy --games 5 --jobs 257", "257 processes are too many"),
        ("simulate clever --bot random --games 5 --seed 18446744073709551615", "the seed must be"),
        ("simulate clever --bot random --games 5 --csv no/such.csv", "No such file or directory"),
        ("simulate clever --bot random --games 5 --plot p.svg", "Is a directory"),
        ("simulate clever --bot random --games 5 --plot p.png", "its name must end in .svg"),
        (
            "simulate clever --bot random --games 5 --csv a.svg --plot ./a.svg",
            "choose two different files",
        ),
        ("simulate clever --bot random --games 5 --records file/x", "Not a directory"),
        ("arena chess --bots random,greedy --games 5", "invalid choice: 'chess'"),
        ("arena clever --bots random --games 5", "name at least two different bots"),
        ("arena clever --bots random,random --games 5", "name at least two different bots"),
        ("arena clever --bots random,nobody --games 5", "unknown bot 'nobody'"),
        ("arena clever --bots random,greedy --games 0", "cannot play 0 games"),
        ("arena clever --bots random,greedy --seats 3 --games 5", "cannot fill 3 seats"),
        ("arena clever --bots random,greedy --seats 0 --games 5", "0 seats are not possible"),
    ],
)
def test_bad_input_is_one_sentence(
    args: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("file").touch()
    Path("p.svg").mkdir()
    try:
        status: object = cli.main(args.split())
    except SystemExit as end:
        status = end.code
    shown = capsys.readouterr()
    assert status == 2
    assert shown.out == ""
    assert said in shown.err
    assert shown.err.count("\n") == 1


@pytest.mark.parametrize("last", ["--bot nobody", "--records file/x", "--bot random,ill"])
def test_files_stay_as_they_were_when_a_simulation_fails(
    last: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    kept = {Path(name): f"old {name}" for name in ("t.csv", "p.svg", "file")}
    for path, text in kept.items():
        path.write_text(text)
    monkeypatch.setattr(
        commands,
        "finder",
        lambda _, names, *more, **options: failing if "ill" in names else chooser,
    )
    args = f"simulate clever --bot random --games 5 --csv t.csv --plot p.svg {last}"
    assert cli.main(args.split()) == 2
    assert {path: path.read_text() for path in Path().iterdir()} == kept


def test_files_stay_as_they_were_when_no_game_was_finished(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupt(name: str, game: str) -> batch.Chooser:
        def bot(*asked: Any) -> Any:
            if len(asked[1]) > 1:  # not while it is prepared
                raise KeyboardInterrupt
            return first_action(*asked)  # type: ignore[no-untyped-call]

        return bot

    Path("t.csv").write_text("old")
    monkeypatch.setattr(commands, "finder", lambda _, names, *more, **options: interrupt)
    args = "simulate clever --bot slow --games 50 --jobs 1 --csv t.csv"
    assert cli.main(args.split()) == 130
    assert "interrupted after 0 of 50 games" in capsys.readouterr().err
    assert {path: path.read_text() for path in Path().iterdir()} == {Path("t.csv"): "old"}


def test_progress_is_shown_on_a_terminal(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    progress = commands.ProgressBar(1000)
    progress.show(250, 0.5)
    shown = capsys.readouterr().err
    assert " 25%  500 games/s, 0:02 left" in shown
    progress.wipe()
    assert capsys.readouterr().err.strip() == ""


@pytest.mark.parametrize(
    ("seconds", "text"), [(0.2, "0:00"), (61, "1:01"), (3599.7, "1:00:00"), (7322, "2:02:02")]
)
def test_durations(seconds: float, text: str) -> None:
    assert commands.duration(seconds) == text


def test_what_is_finished_is_whole_whenever_ctrl_c_comes() -> None:
    """Ctrl-C while games are being counted waits until they are."""

    def strike(summary: Summary) -> None:
        os.kill(os.getpid(), signal.SIGINT)
        assert summary.games

    summary = simulate("clever", ["random"], 10_000, watch=strike)
    assert summary.interrupted
    assert summary.games == summary.totals()[1].sum() == 2500
    assert not simulate("clever", ["random"], 10).interrupted


def test_ctrl_c_while_a_process_starts_is_not_lost() -> None:
    """It was ignored then: a simulation went on as if nobody had asked it to stop."""
    held = "import signal; print(signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, ()))"
    born: list[str] = []

    def start() -> None:
        with workers.interrupts_held():
            os.kill(os.getpid(), signal.SIGINT)
            done = subprocess.run([sys.executable, "-c", held], stdout=subprocess.PIPE, check=True)
            born.append(done.stdout.decode())

    with pytest.raises(KeyboardInterrupt):
        start()
    assert born == ["True\n"], "the process never sees it, and its parent only now"
    assert signal.SIGINT not in signal.pthread_sigmask(signal.SIG_BLOCK, ())
