"""Training: repeatable, resumable, and it learns."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from foxtray.bots.desk import Array, new_desk
from foxtray.bots.weights import weights_of
from foxtray.cli import main
from foxtray.errors import BadSetup
from foxtray.sim.arrays import STATE, tables_of
from foxtray.train import machine, run
from foxtray.train.samples import new_samples


def plan(games: int, threads: int = 1) -> run.Plan:
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


def test_a_net_learns() -> None:
    means = [float(totals.mean()) for totals, _ in run.Trainer(plan(6400, threads=2)).rounds()]
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
    assert main([*words, "--refit", str(path), "--out", str(other)]) == 0
    assert run.load(other).plan.throws == 6


@pytest.mark.parametrize("game", ["clever", "twice"])
def test_look_ahead_takes_the_luck_out_of_targets_and_nothing_else(game: str) -> None:
    lucky, steady = (targets_of_the_first_throw(game, throws) for throws in (0, 6))
    assert steady.std() < lucky.std() / 1.5
    # The same games: what the luck of their throws came to is zero in the mean.
    luck = lucky - steady
    assert abs(luck.mean()) < 3 * luck.std() / len(luck) ** 0.5


def targets_of_the_first_throw(game: str, throws: int) -> Array:
    """What the net should have said at the start of each of some games."""
    samples, results = new_samples(160), np.zeros(1)
    desk, inner, states = new_desk(), new_desk(), np.zeros(2, STATE)
    targets = []
    for seed in range(7_000, 7_200):
        machine.selfplay().play_games(
            tables_of(game), states, seed, 1, np.array([1]), 16, throws, 0.9, 0.0, 0.0,
            weights_of(game).net(1), desk, inner, samples, results,
        )  # fmt: skip
        targets.append(samples.targets[0])
    return np.array(targets)


def test_bad_input_is_one_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["train", "clever"]) == 2
    assert "--games" in capsys.readouterr().err
    with pytest.raises(SystemExit) as stopped:
        main(["train", "clever", "--games", "1", "--seats", "1,9"])
    assert stopped.value.code == 2
    assert "choose 1 to 4" in capsys.readouterr().err
    assert main(["train", "clever", "--games", "1", "--seats", "2", "--refit", "x.npz"]) == 2
    assert "one seat" in capsys.readouterr().err
    assert main(["train", "clever", "--resume", str(tmp_path / "none.npz")]) == 2
    (tmp_path / "text.npz").write_text("no archive")
    with pytest.raises(BadSetup):
        run.load(tmp_path / "text.npz")
