"""Thousands of seeds, each a schedule of faults in which everything promised must hold."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from simulation.run import digest, story

TESTS = Path(__file__).parent.parent
SEEDS = 2_000
MANY = 20_000
"""With --long, if nothing else is said."""


def run(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run the simulation in a process of its own, where nobody measures coverage."""
    inherited = {k: v for k, v in os.environ.items() if not k.startswith(("COV_", "COVERAGE_"))}
    return subprocess.run(
        [sys.executable, "-m", "simulation.run", *arguments],
        cwd=TESTS,
        env={**inherited, **environment},
        capture_output=True,
        text=True,
        check=False,
    )


def test_nothing_goes_wrong_that_must_not(pytestconfig: pytest.Config, long_run: bool) -> None:
    seeds = pytestconfig.getoption("--seeds") or (MANY if long_run else SEEDS)
    done = run("--seeds", str(seeds))
    assert done.returncode == 0, done.stdout + done.stderr
    print(done.stdout)


def test_a_seed_tells_the_same_story_in_every_process() -> None:
    for seed in range(3, 8):
        lines, wrong = story(seed)
        assert wrong is None
        for hashes in ("1", "2"):
            told = run("--seed", str(seed), PYTHONHASHSEED=hashes).stdout
            assert told.splitlines()[:-1] == lines
            assert digest(lines)[:16] in told


def test_a_failing_seed_tells_how_and_can_be_run_again() -> None:
    failed = run("--seeds", "50", "--bug", "ack_before_commit")
    assert failed.returncode == 1
    first, *_, last = failed.stdout.splitlines()
    seed = first.split()[1]
    assert "disk" in first  # told or known before it was written
    assert last == f"Again: make simulate SEED={seed} BUG=ack_before_commit"
    again = run("--seed", seed, "--bug", "ack_before_commit")
    assert again.stdout.strip() in failed.stdout
