"""The compiled rules agree with the interpreted ones."""

import os
import shutil
import subprocess
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import pytest
from twin import compare_games

import foxtray
from foxtray.sim import compiled

HERE = Path(__file__).parent
GAMES = 300
LONG = 20_000
CHUNK = 500

# Compiles next to nothing, a function that depends on a number in another file.
TINY = """
from foxtray.sim import compiled
from foxtray.sim.arrays import new_work

log = new_work()["log"]
log["size"] = 0
compiled.rules().note(log[0], 1, 2, 3, 4, 5)
compiled.rules().note(log[0], 1, 2, 3, 4, 5)
print(log["size"][0], compiled.fingerprint("foxtray.core.rules"))
"""


def test_compiled_code_has_unsigned_indices_and_no_log() -> None:
    source = b"""def put(x: list[int], i, k, log):
    x[i].y[k + 1] += x[0][x[i], k] + len(x[i:k])
    if i:
        note(log, 1, x[i], 0, 0, 0)"""
    assert compiled.prepared(source).decode() == (
        "def put(x: list[int], i, k, log):\n"
        "    x[unsigned(i)].y[unsigned(k + 1)] +="
        " x[0][unsigned(x[unsigned(i)]), unsigned(k)] + len(x[i:k])\n"
        "    if i:\n"
        "        pass"
    )


@pytest.mark.parametrize("seats", [1, 2, 3, 4])
@pytest.mark.parametrize("game", ["clever", "twice"])
def test_interpreted_equals_compiled(game: str, seats: int, long_run: bool) -> None:
    if not long_run:
        assert compare_games(game, seats, range(GAMES)) > 30 * GAMES
        return
    compare_games(game, seats, range(1))  # compiles before other processes want the same
    chunks = [range(start, start + CHUNK) for start in range(0, LONG, CHUNK)]
    with ProcessPoolExecutor(os.cpu_count(), get_context("spawn")) as pool:
        states = pool.map(compare_games, [game] * len(chunks), [seats] * len(chunks), chunks)
        assert sum(states) > 30 * LONG


def run(*args: str, **changes: str) -> subprocess.CompletedProcess[str]:
    surroundings = os.environ | changes
    return subprocess.run([sys.executable, *args], capture_output=True, text=True, env=surroundings)


def test_no_array_is_read_or_written_outside_its_bounds() -> None:
    """The fingerprint knows the variable, so this code has folders of its own."""
    done = run(str(HERE / "twin.py"), "25", NUMBA_BOUNDSCHECK="1")
    assert done.returncode == 0, done.stderr
    assert len(done.stdout.splitlines()) == 8


def test_an_edit_in_another_file_is_noticed(tmp_path: Path) -> None:
    package = tmp_path / "foxtray"
    shutil.copytree(Path(foxtray.__file__).parent, package, ignore=shutil.ignore_patterns("client"))
    place = {"PYTHONPATH": str(tmp_path), "FOXTRAY_CACHE": str(tmp_path / "cache")}
    width, print_before = run("-c", TINY, **place).stdout.split()
    assert width == "10"
    kept = sorted((tmp_path / "cache").rglob("*.nbc"))
    assert kept
    assert run("-c", TINY, **place).stdout.split() == [width, print_before]
    assert sorted((tmp_path / "cache").rglob("*.nbc")) == kept
    codes = package / "core" / "codes.py"
    codes.write_text(codes.read_text().replace("ENTRY_WIDTH = 5", "ENTRY_WIDTH = 7"))
    width, print_after = run("-c", TINY, **place).stdout.split()
    assert width == "14"
    assert print_after != print_before


def test_compiled_code_that_nobody_uses_goes_when_new_is_made(tmp_path: Path) -> None:
    old, recent = tmp_path / "compiled" / "old", tmp_path / "compiled" / "recent"
    for folder in (old, recent):
        folder.mkdir(parents=True)
        (folder / "code.nbc").touch()
    long_ago = time.time() - 40 * 24 * 3600
    os.utime(old, (long_ago, long_ago))
    run("-c", TINY, FOXTRAY_CACHE=str(tmp_path))
    assert not old.exists()
    assert recent.exists()


def test_a_cache_folder_that_cannot_be_written_is_told_once(tmp_path: Path) -> None:
    blocked = tmp_path / "a file"
    blocked.touch()
    beside = Path(foxtray.__file__).parent
    before = set(beside.rglob("*.nbi"))
    done = run("-c", TINY, FOXTRAY_CACHE=str(blocked / "cache"))
    assert done.stdout.split()[0] == "10"
    assert done.stderr.count("compiled code is not kept") == 1
    assert done.stderr.count("\n") == 1
    assert set(beside.rglob("*.nbi")) == before
