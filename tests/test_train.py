"""Training: repeatable, resumable, and it learns."""

from __future__ import annotations

import json
import os
import resource
import signal
import subprocess
import sys
from dataclasses import replace
from itertools import count
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from foxtray import FoxtrayError, Game, SeededDice, Throw, bots
from foxtray.bots import weights
from foxtray.bots.network import EARLY, LATE
from foxtray.bots.old_weights import renewed
from foxtray.bots.player import LevelBot
from foxtray.bots.valuing import DEPTH
from foxtray.bots.weights import read_weights, save_weights, weights_of
from foxtray.bots.workspace import Array, new_workspace
from foxtray.cli import main
from foxtray.core.codes import DICE, ROLLS
from foxtray.sim import batch
from foxtray.sim import compiled as sim_compiled
from foxtray.sim.arrays import STATE, tables_of
from foxtray.train import compiled, openings, run
from foxtray.train.pack import pack
from foxtray.train.plan import Plan
from foxtray.train.playing import Player, Share
from foxtray.train.samples import new_samples

COMMAND = (sys.executable, "-m", "foxtray")
NO_THROWS = np.zeros((0, DEPTH, DICE), np.int64)


def plan(games: int, threads: int = 1) -> Plan:
    return replace(
        run.with_games(run.default_plan("clever", (1,), 1 << 41, threads), games), bound=16
    )


def test_a_run_is_repeatable_and_can_be_resumed(tmp_path: Path) -> None:
    whole = run.Trainer(plan(192))
    for _ in whole.rounds():
        pass
    broken = run.Trainer(plan(192))
    next(iter(broken.rounds()))
    broken.save(tmp_path / "run.npz")
    again = run.load(tmp_path / "run.npz")
    assert again.done == 64
    for _ in again.rounds():
        pass
    assert np.array_equal(whole.averages, again.averages)


@pytest.mark.parametrize(("games", "rounds"), [(1, [1]), (100, [64, 36])])
def test_exactly_as_many_games_are_played_as_asked(games: int, rounds: list[int]) -> None:
    trainer = run.Trainer(plan(games, threads=2))
    assert [len(totals) for totals, _ in trainer.rounds()] == rounds
    assert trainer.done == games
    assert np.isfinite(trainer.averages).all()


def test_compiling_is_told_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    list(run.Trainer(plan(64)).rounds())  # so that all is known here, and not compiled again
    monkeypatch.setattr(sim_compiled, "cache_path", lambda: tmp_path)
    capsys.readouterr()
    list(run.Trainer(plan(64)).rounds())
    told = capsys.readouterr().err
    assert "compiling self-play (first use only" in told
    assert "compiling the learner (first use only" in told
    list(run.Trainer(plan(64)).rounds())
    assert capsys.readouterr().err == ""


def interrupt_learning(monkeypatch: pytest.MonkeyPatch, times: int) -> None:
    """Press Ctrl-C this many times during the gradient steps of a round, after the second step."""
    learner = compiled.learner()
    steps = count(1)

    def learn(*args: object) -> float:
        if 2 < next(steps) <= 2 + times:
            os.kill(os.getpid(), signal.SIGINT)
        error: float = learner.learn(*args)
        return error

    touchy = SimpleNamespace(learn=learn, adam=learner.adam)
    monkeypatch.setattr(compiled, "learner", lambda: touchy)


def test_an_interrupt_waits_for_the_end_of_a_round(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    whole = run.Trainer(run.with_games(run.default_plan("clever", (1,), 1 << 41, 1), 128))
    for _ in whole.rounds():
        pass
    path = tmp_path / "run.npz"
    words = ["train", "clever", "--games", "128", "--jobs", "1", "--seed", str(1 << 41)]
    with monkeypatch.context() as patched:
        interrupt_learning(patched, 1)
        assert main([*words, "--out", str(path)]) == 130
    assert f"--resume {path}" in capsys.readouterr().err
    assert run.load(path).done == 64
    assert main(["train", "clever", "--resume", str(path)]) == 0
    assert np.array_equal(run.load(path).averages, whole.averages)


def test_a_second_interrupt_stops_at_once_and_saves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "run.npz"
    interrupt_learning(monkeypatch, 2)
    words = ["train", "clever", "--games", "64", "--openings", "0", "--jobs", "1"]
    assert main([*words, "--out", str(path)]) == 130
    assert not path.exists()


def test_a_net_learns() -> None:
    rounds = run.Trainer(plan(6400, threads=2)).rounds()
    means = [float(np.nanmean(totals)) for totals, _ in rounds]
    assert np.mean(means[-10:]) > np.mean(means[:10]) + 5


def test_the_command_trains_saves_and_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "clever.npz"
    assert main(["train", "clever", "--games", "64", "--jobs", "1", "--out", str(path)]) == 0
    assert run.load(path).done == 64
    assert main(["train", "clever", "--resume", str(path)]) == 0
    other = tmp_path / "other.npz"
    words = ["train", "clever", "--games", "64", "--jobs", "1", "--seats", "1,2,4"]
    assert main([*words, "--start", str(path), "--out", str(other)]) == 0
    assert run.load(other).plan.seats == (1, 2, 4)
    words = ["train", "clever", "--games", "64", "--jobs", "1"]
    better = tmp_path / "better.npz"
    assert main([*words, "--refit", str(path), "--out", str(better)]) == 0
    assert run.load(better).plan.throws == 6
    words += ["--seats", "2", "--throws", "0", "--openings", "0.25", "--rate", "0.01"]
    words += ["--decay", "1"]
    own = tmp_path / "own.npz"
    assert main([*words, "--refit", str(path), "--out", str(own)]) == 0
    plan = run.load(own).plan
    assert (plan.throws, plan.openings, plan.rate, plan.seats) == (0, 0.25, 0.01, (2,))
    assert plan.decay == 1


def test_self_play_plans_as_strong_does() -> None:
    for game in ("clever", "twice"):
        plan, strong = run.default_plan(game, (1,), 1, 1), bots.LEVELS["strong"].suited(game)
        assert (plan.bound, plan.last_bound) == (strong.bound, strong.last_bound)


@pytest.mark.parametrize("seats", [1, 3])
def test_only_what_follows_an_opening_is_learned(seats: int) -> None:
    """The openings are of all lengths and lead to weaker games."""
    with_openings, without = (played(seats, share) for share in (1.0, 0.0))
    assert np.isnan(with_openings[1]).all()
    assert not np.isnan(without[1]).any()
    full = without[0].mean()
    assert with_openings[0].min() < full / 6
    assert full / 4 < with_openings[0].mean() < full / 1.5
    assert with_openings[2].mean() < without[2].mean() - 20


def played(seats: int, openings: float) -> tuple[Array, Array, Array]:
    """Of some games: the samples per game, the results told, and the final totals."""
    game, count = "clever", 60
    samples, results = new_samples(160 * seats), np.zeros(1)
    workspace, inner, states = new_workspace(game), new_workspace(game), np.zeros(2, STATE)
    counts, told, totals = [], [], []
    for seed in range(7_000, 7_000 + count):
        n = compiled.selfplay().play_games(
            tables_of(game), states, seed, 1, np.array([seats]), 16, 16, 0, 0.9, openings, False,
            False, 0.0, 0.0, weights_of(game).nets(seats), workspace, inner, NO_THROWS, samples,
            results,
        )  # fmt: skip
        counts.append(n)
        told.append(results[0])
        totals.append(samples.ends[:n, -1].mean())
    return np.array(counts), np.array(told), np.array(totals)


@pytest.mark.parametrize("seats", [1, 2])
@pytest.mark.parametrize("game", ["clever", "twice"])
def test_look_ahead_takes_the_luck_out_of_targets_and_nothing_else(game: str, seats: int) -> None:
    lucky, steady = (targets_of_the_first_throw(game, seats, throws) for throws in (0, 6))
    # With several seats, the luck of the others' rolls remains.
    assert steady.std() < lucky.std() / (1.4 if seats == 1 else 1.15)
    # The same games: what the luck of their throws came to is zero in the mean.
    luck = lucky - steady
    assert abs(luck.mean()) < 3 * luck.std() / len(luck) ** 0.5


def targets_of_the_first_throw(game: str, seats: int, throws: int) -> Array:
    """The targets of the net for the starting player of some games."""
    samples, results = new_samples(160 * seats), np.zeros(1)
    workspace, inner = new_workspace(game), new_workspace(game)
    states = np.zeros(2, STATE)
    targets = []
    for seed in range(7_000, 7_200):
        compiled.selfplay().play_games(
            tables_of(game), states, seed, 1, np.array([seats]), 16, 16, throws, 0.9, 0.0, False,
            False, 0.0, 0.0, weights_of(game).nets(seats), workspace, inner, NO_THROWS, samples,
            results,
        )  # fmt: skip
        targets.append(samples.targets[states["first"][0]])
    return np.array(targets)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ("", "--games N or --minutes M"),
        ("--games 9 --minutes 9", "--games N or --minutes M"),
        ("--games 0", "cannot train for 0 games"),
        ("--minutes 0", "cannot train for 0 minutes"),
        ("--games 9 --jobs 0", "cannot use 0 threads"),
        ("--games 9 --jobs 257", "cannot use 257 threads"),
        ("--games 9 --seed 18446744073709551616", "a whole number from 0 to 2^62"),
        ("--games 9 --out no/such.npz", "cannot write no/such.npz: No such file"),
        ("--games 9 --out .", "cannot write .: "),
        ("--games 9 --out folder", "cannot write folder: Is a directory"),
        ("--games 9 --out twice.npz", "twice.npz already exists; --resume it, or choose another"),
        ("--games 9 --refit twice.npz --out twice.npz", "twice.npz already exists"),
        ("--games 9 --start none.npz", "there is no weights file none.npz"),
        ("--games 9 --start text.npz", "the weights file text.npz is damaged"),
        ("--games 9 --start torn.npz", "the weights file torn.npz is damaged"),
        ("--games 9 --refit torn.npz", "the weights file torn.npz is damaged"),
        ("--games 9 --start twice.npz", "twice.npz is a net for twice, not for clever"),
        ("--games 9 --start run.npz", "run.npz is a net for twice, not for clever"),
        ("--resume none.npz", "cannot read none.npz: No such file"),
        ("--resume text.npz", "text.npz is not a usable checkpoint"),
        ("--resume torn.npz", "torn.npz is not a usable checkpoint"),
        ("--resume small.npz", "small.npz is not a usable checkpoint"),
        ("--resume run.npz", "run.npz is a run for twice, not for clever"),
        ("--resume run.npz --games 9", "--games cannot be combined with --resume"),
        ("--resume run.npz --minutes 9", "--minutes cannot be combined with --resume"),
        ("--resume run.npz --seats 2", "--seats cannot be combined with --resume"),
        ("--resume run.npz --option fox_floor=on", "--option cannot be combined with --resume"),
        ("--resume run.npz --seed 2", "--seed cannot be combined with --resume"),
        ("--resume run.npz --jobs 2", "--jobs cannot be combined with --resume"),
        ("--resume run.npz --openings 0", "--openings cannot be combined with --resume"),
        ("--resume run.npz --throws 0", "--throws cannot be combined with --resume"),
        ("--resume run.npz --rate 0.1", "--rate cannot be combined with --resume"),
        ("--resume run.npz --out x.npz", "--out cannot be combined with --resume"),
    ],
)
def test_bad_input_is_one_sentence(
    options: str,
    said: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    # Nothing here may get as far as playing.
    monkeypatch.setattr(run, "train", lambda *args: pytest.fail("it trains"))
    monkeypatch.setattr(run, "games_in", lambda *args: pytest.fail("it probes"))
    Path("folder").mkdir()
    Path("text.npz").write_text("no archive")
    trainer = run.Trainer(run.with_games(run.default_plan("twice", (1,), 1, 1), 64))
    trainer.save(Path("run.npz"))
    Path("torn.npz").write_bytes(Path("run.npz").read_bytes()[:5000])
    trainer.means = trainer.means[:9]
    trainer.save(Path("small.npz"))
    save_weights(Path("twice.npz"), [trainer.weights], [0] * 4, {"game": "twice"})
    before = sorted(Path().iterdir())
    assert main(["train", "clever", *options.split()]) == 2
    shown = capsys.readouterr().err
    assert said in shown
    assert shown.count("\n") == 1
    assert sorted(Path().iterdir()) == before


@pytest.mark.parametrize(
    "edit",
    [
        {"done": -5},
        {"done": "many"},
        {"step": 1.5},
        {"game": "chess"},
        {"games": "many"},
        {"games": -64},
        {"seats": []},
        {"seats": [9]},
        {"seats": [0]},
        {"seats": 1},
        {"seed": 1 << 63},
        {"threads": 0},
        {"threads": 7},
        {"per_round": 0},
        {"per_round": 1 << 40},
        {"batch": 0},
        {"bound": 0},
        {"bound": 4096},
        {"last_bound": 4096},
        {"last_bound": -1},
        {"passes": 0},
        {"openings": 2},
        {"throws": 10**9},
        {"rate": float("nan")},
        {"fade": 0},
        {"colour": "red"},
    ],
    ids=str,
)
def test_a_checkpoint_that_was_edited_is_refused(
    edit: dict[str, object], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "run.npz"
    run.Trainer(plan(64)).save(path)
    with np.load(path) as stored:
        parts = dict(stored)
    about = json.loads(str(parts["about"]))
    key, value = next(iter(edit.items()))
    (about if key in about else about["plan"])[key] = value
    np.savez(path, **{**parts, "about": json.dumps(about)})
    assert main(["train", "clever", "--resume", str(path)]) == 2
    shown = capsys.readouterr().err
    assert f"{path} is not a usable checkpoint" in shown
    assert shown.count("\n") == 1


@pytest.mark.parametrize("name", ["weights", "averages", "means", "squares"])
def test_a_checkpoint_without_numbers_is_refused(name: str, tmp_path: Path) -> None:
    trainer = run.Trainer(plan(64))
    getattr(trainer, name)[7] = np.nan
    trainer.save(tmp_path / "run.npz")
    with pytest.raises(FoxtrayError, match="NaN or infinity"):
        run.load(tmp_path / "run.npz")


def test_a_net_that_is_spoilt_stops_its_run(tmp_path: Path) -> None:
    trainer = run.Trainer(plan(128))
    trainer.weights[:] = 1e30
    path = tmp_path / "run.npz"
    with pytest.raises(FoxtrayError, match="training failed after 64 games"):
        run.train(trainer, path, lambda *args: None)
    assert not path.exists()


@pytest.mark.parametrize(
    ("option", "said"),
    [
        ("--openings=1.5", "'1.5' is not a number from 0 to 1"),
        ("--openings=some", "'some' is not a number from 0 to 1"),
        ("--rate=-1", "'-1' is not a number from 0 to 1"),
        ("--throws=7", "'7' is not one of 0, 6, 12, 24, 48, 72"),
    ],
)
def test_impossible_numbers_are_refused(
    option: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit, match="2"):
        main(["train", "clever", "--games", "9", option])
    assert said in capsys.readouterr().err


def test_impossible_seats_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(["train", "clever", "--games", "1", "--seats", "1,9"])
    assert stopped.value.code == 2
    assert "choose 1 to 4" in capsys.readouterr().err


def test_a_run_with_house_rules_keeps_them(tmp_path: Path) -> None:
    """Under these rules the same games end differently; a checkpoint and a model card say so."""
    runs = [run.Trainer(replace(plan(64), options=on)) for on in ((), ("solo_fallback",))]
    plain, house = (next(iter(each.rounds()))[0].tolist() for each in runs)
    assert plain != house
    runs[1].save(tmp_path / "run.npz")
    assert run.load(tmp_path / "run.npz").plan.options == ("solo_fallback",)
    pack([tmp_path / "run.npz"], tmp_path / "net.npz")
    card = read_weights(tmp_path / "net.npz").card
    assert "1 seat(s) with solo_fallback" in card["nets"][0]["data"][0]
    with pytest.raises(FoxtrayError, match="invalid training plan"):
        replace(plan(64), options=("foxes",))


def test_a_finished_run_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    trainer = run.Trainer(plan(64), done=64)
    trainer.save(tmp_path / "run.npz")
    assert main(["train", "clever", "--resume", str(tmp_path / "run.npz")]) == 0
    assert "is already finished: 64 games" in capsys.readouterr().err


@pytest.mark.parametrize("args", ["train clever --games 64 --jobs 1", "pack old.npz"])
def test_a_full_disk_is_reported_with_the_file(
    args: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    run.Trainer(plan(64)).save(Path("old.npz"))
    done = subprocess.run(
        [*COMMAND, *args.split(), "--out", "new.npz"],
        capture_output=True,
        text=True,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (200, 200)),
    )
    assert done.returncode == 2
    assert done.stderr.splitlines()[-1] == "foxtray: new.npz: File too large"
    assert [path.name for path in tmp_path.iterdir()] == ["old.npz"]


def test_packed_checkpoints_can_be_played(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    nets = {}
    for name, seats in (("alone", (1,)), ("tables", (2, 4))):
        trainer = run.Trainer(replace(plan(64), seats=seats, seed=len(name)), done=64)
        trainer.save(Path(f"{name}.npz"))
        nets[name] = trainer.averages
    assert main(["pack", "alone.npz", "tables.npz", "--out", "mine.npz"]) == 0
    assert "seats 2, 3, 4: 64 games of 2 or 4 seat(s), seeds from 6" in capsys.readouterr().out
    weights = read_weights(Path("mine.npz"))
    assert [net["serves_seats"] for net in weights.card["nets"]] == [[1], [2, 3, 4]]
    assert np.array_equal(weights.nets(1)[:1].view(np.float32), nets["alone"])
    assert np.array_equal(weights.nets(3)[1:].view(np.float32), nets["tables"])
    # Nothing was learned, so it plays badly; and the shipped nets are not touched.
    game = Game.new("clever").roll(Throw((1, 2, 3, 4, 5, 6))).game
    own, shipped = bots.bot("strong", weights=Path("mine.npz")), bots.bot("strong")
    assert own.evaluate(game, 0)[0].points < 200 < shipped.evaluate(game, 0)[0].points
    bots.ask(own, game, 0)
    chooser = bots.chooser("strong", "clever", weights=Path("mine.npz"))
    assert batch.play("clever", [chooser], 1, 20).totals.mean() < 200
    for wrong in (
        lambda: bots.bot("greedy", weights=Path("mine.npz")),
        lambda: bots.chooser("strong", "twice", weights=Path("mine.npz")),
        lambda: bots.chooser("strong", "clever", weights=Path("alone.npz")),
    ):
        with pytest.raises(FoxtrayError, match=r"does not use|not for twice|is damaged"):
            wrong()


def test_a_net_for_the_last_round_changes_only_the_last_round(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    base = Path(weights.__file__).parents[1] / "games" / "clever" / "weights.npz"
    options = ["--games", "1024", "--jobs", "1", "--out", "late.npz"]
    assert main(["train", "clever", "--last-round", str(base), *options]) == 0
    resumed = run.load(Path("late.npz"))
    assert np.array_equal(resumed.nets[EARLY], weights_of("clever").nets(1)[EARLY])
    assert resumed.nets[LATE] != weights_of("clever").nets(1)[LATE]
    assert main(["pack", str(base), "late.npz", "--out", "mine.npz"]) == 0
    assert "only the last round" in capsys.readouterr().out
    strong = bots.LEVELS["strong"]
    mine, shipped = LevelBot(strong, 0, Path("mine.npz")), LevelBot(strong, 0)
    game, dice, same, other = Game.new("clever"), SeededDice(3), 0, 0
    while not game.over:
        address = game.address()
        if address is not None:
            alike = mine.forecast(game, 0) == shipped.forecast(game, 0)
            if game.round < 5:
                assert alike
                same += 1
            else:
                other += not alike
            game = game.roll(dice.throw(*address)).game
        else:
            game = game.play(0, bots.ask(shipped, game, 0)).game
    assert same > 10
    assert other > 3


def test_a_net_for_the_last_round_learns_from_the_mean_of_all_throws() -> None:
    """Before the last throw, the target is the mean of real final totals."""
    ending = replace(run.ending_plan("clever", (1,), 1 << 41, 1), throws=72)
    player = Player(ending)
    found = player.play(Share(ending.seed, 40), 0.0, weights_of("clever").nets(1))
    rows = found.samples
    ends, targets = rows.ends[: found.size, -1], rows.targets[: found.size]
    last = [i for i in range(found.size) if i + 1 == found.size or ends[i] != ends[i + 1]]
    luck = ends[last] - rows.totals[last] - targets[last]
    assert len(last) > 30
    assert abs(luck.mean()) < 3 * luck.std() / len(last) ** 0.5
    assert luck.std() < 20


def test_the_last_round_at_a_table_is_worth_what_its_rest_brings() -> None:
    """The mean of the best replies alone would trust the highest of many guesses."""
    ending = replace(run.ending_plan("clever", (2,), 1 << 41, 1), throws=6, decay=1.0)
    nets = weights_of("clever").nets(2)
    found = Player(ending).play(Share(ending.seed, 12), 0.0, nets)
    alone = Player(replace(ending, decay=0.0)).play(Share(ending.seed, 12), 0.0, nets)
    assert found.size == alone.size
    guesses, means = found.samples.guesses, alone.samples.targets
    coming = dict[tuple[tuple[float, ...], int], float]()
    for i in reversed(range(found.size)):
        # A game is told from the next one by the final totals of its seats.
        seat = tuple(found.samples.ends[i]), int(found.samples.seats[i])
        rest = coming.get(seat, 0.0)
        assert found.samples.targets[i] == pytest.approx(means[i] + rest, abs=1e-6)
        coming[seat] = found.samples.targets[i] - guesses[i]
    assert len(coming) > 20


def test_a_player_alone_learns_in_the_last_round_from_results_without_luck() -> None:
    """Plans alone promise too little: in Twice, planning again after an action finds more."""
    ending = replace(run.ending_plan("twice", (1,), 1 << 41, 1), throws=6, decay=1.0, openings=0.0)
    found = Player(ending).play(Share(ending.seed, 12), 0.0, weights_of("twice").nets(1))
    rows, games, coming = found.samples, set[tuple[float, ...]](), 0.0
    for i in reversed(range(found.size)):
        end = float(rows.ends[i][-1])
        if tuple(rows.ends[i]) not in games:  # a game is told from the next one by its end
            games.add(tuple(rows.ends[i]))
            coming = 0.0
        coming += rows.luck[i]
        assert rows.targets[i] == pytest.approx(end - rows.totals[i] - coming, abs=1e-6)
    assert len(games) > 8
    assert np.abs(rows.luck[: found.size]).max() > 5


def test_half_of_the_openings_of_a_net_for_the_last_round_end_before_it() -> None:
    game = Game.new("clever")
    start = 10 * ROLLS  # five rounds of two turns
    lengths = [
        openings.throws_of(game.layout.tables, game.state, seed, 1, 1.0, True, True)
        for seed in range(1_000)
    ]
    assert max(lengths) <= 11 * ROLLS
    assert 400 < sum(length < start for length in lengths) < 550
    assert sum(length <= start // 2 for length in lengths) > 50


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ("one.npz --out one.npz", "one.npz already exists"),
        ("one.npz --out no/such.npz", "cannot write no/such.npz"),
        ("none.npz --out new.npz", "cannot read none.npz"),
        ("one.npz other.npz --out new.npz", "other.npz is a run for twice, not for clever"),
        ("one.npz one.npz --out new.npz", "one.npz would not be used"),
    ],
)
def test_what_cannot_be_packed_is_one_sentence(
    options: str,
    said: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    run.Trainer(plan(64)).save(Path("one.npz"))
    run.Trainer(replace(plan(64), game="twice")).save(Path("other.npz"))
    before = {path: path.read_bytes() for path in Path().iterdir()}
    assert main(["pack", *options.split()]) == 2
    shown = capsys.readouterr().err
    assert said in shown
    assert shown.count("\n") == 1
    assert {path: path.read_bytes() for path in Path().iterdir()} == before


@pytest.mark.parametrize("game", ["clever", "twice"])
def test_a_checkpoint_of_the_first_version_goes_on(game: str, tmp_path: Path) -> None:
    """There all nets had one size; what it remembers of its weights is fitted like them."""
    flats = np.random.default_rng(1).normal(size=(4, 78033)).astype(np.float32)
    names = ("weights", "means", "squares", "averages")
    plan = {"game": game, "games": 128, "seats": [1], "seed": 1 << 40, "threads": 1}
    np.savez(
        tmp_path / "old.npz",
        **dict(zip(names, flats, strict=True)),
        history=np.zeros((0, 3)),
        about=json.dumps({"plan": plan, "done": 64, "step": 9}),
    )
    trainer = run.load(tmp_path / "old.npz")
    assert (trainer.done, trainer.step, trainer.plan.game) == (64, 9, game)
    for name, flat in zip(names, flats, strict=True):
        found = getattr(trainer, name)
        assert (found[: trainer.size] == renewed(game, flat)).all()
        assert not found[trainer.size :].any()
    trainer.save(tmp_path / "new.npz")
    again = run.load(tmp_path / "new.npz")
    assert (again.means == trainer.means).all()
