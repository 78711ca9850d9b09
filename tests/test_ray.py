"""Simulations and trainings on a real Ray cluster: the same results as here, whatever dies."""

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import foxtray
from foxtray import bots, extras
from foxtray.cli import main
from foxtray.errors import BadSetup, FoxtrayError
from foxtray.sim import cluster
from foxtray.sim.commands import finder
from foxtray.sim.simulation import simulate
from foxtray.train.run import Trainer

NODES = Path(__file__).parent / "ray_nodes.py"
FOXTRAY = (sys.executable, "-m", "foxtray")
SPEED = ("games_per_cpu_second", "cpu_seconds", "wall_seconds", "compile_seconds")


MARK = f"FOXTRAY_RAY_TEST={os.getpid()}"
"""Marks the processes of this file in their environment."""


def ray_processes() -> set[int]:
    """The processes of Ray that these tests started."""
    found = set()
    for process in Path("/proc").iterdir():
        if process.name.isdigit():
            try:
                marked = MARK.encode() in (process / "environ").read_bytes().split(b"\0")
                command = (process / "cmdline").read_bytes()
            except OSError:
                continue  # it has ended, or belongs to somebody else
            if marked and (b"/ray/" in command or b"ray::" in command):
                found.add(int(process.name))
    return found


@pytest.fixture(scope="module", autouse=True)
def settings() -> Iterator[None]:
    """Ray on loopback; every process that it starts carries a mark, and all are gone at the end."""
    before = dict(os.environ)
    name, _, value = MARK.partition("=")
    os.environ.update(cluster.OWN | {name: value})
    yield
    left = time.monotonic() + 30
    while ray_processes() and time.monotonic() < left:
        time.sleep(0.1)
    os.environ.clear()
    os.environ.update(before)
    assert not ray_processes()


class Nodes:
    """Two nodes, one of which can be killed."""

    def __init__(self) -> None:
        self.process = subprocess.Popen(
            [sys.executable, str(NODES)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        self.address = self.line()

    def line(self) -> str:
        assert self.process.stdout is not None
        return self.process.stdout.readline().strip()

    def kill(self) -> None:
        assert self.process.stdin is not None
        print("kill", file=self.process.stdin, flush=True)
        assert self.line() == "killed"

    def stop(self) -> None:
        self.process.communicate(timeout=60)


@pytest.fixture(scope="module")
def nodes() -> Iterator[Nodes]:
    running = Nodes()
    yield running
    running.stop()


def listeners() -> list[str]:
    """The addresses on which marked processes listen, as /proc/net/tcp writes them."""
    sockets = set()
    for process in ray_processes():
        for entry in Path(f"/proc/{process}/fd").iterdir():
            with_target = os.readlink(entry) if entry.is_symlink() else ""
            if with_target.startswith("socket:["):
                sockets.add(with_target[8:-1])
    found = []
    for table in ("/proc/net/tcp", "/proc/net/tcp6"):
        for line in Path(table).read_text().splitlines()[1:]:
            words = line.split()
            if words[3] == "0A" and words[9] in sockets:
                found.append(words[1].split(":")[0])
    return found


def test_commands_answer_as_without_a_cluster(
    nodes: Nodes, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Arena, training and reviews; weights travel along, and Ray listens on loopback only."""
    weights = tmp_path / "own.npz"
    shutil.copy(Path(foxtray.__file__).parent / "games" / "clever" / "weights.npz", weights)

    def run(*words: str) -> Any:
        assert main(list(words)) == 0
        said = capsys.readouterr().out
        found = json.loads(said) if said else None
        for name in SPEED:
            if found:
                found.pop(name, None)
        return found

    def both(*words: str) -> tuple[Any, Any]:
        return run(*words), run(*words, "--ray", nodes.address)

    here, there = both(
        "arena", "clever", "--bots", "strong,greedy", "--games", "12", "--weights", str(weights),
        "--option", "fox_floor=on", "--json",
    )  # fmt: skip
    assert here == there
    assert set(listeners()) <= {"0100007F", "0000000000000000FFFF00000100007F"}

    assert main(["simulate", "twice", "--bot", "greedy", "--games", "2", "--records",
                 str(tmp_path / "games")]) == 0  # fmt: skip
    capsys.readouterr()
    files = sorted(map(str, (tmp_path / "games").iterdir()))
    here, there = both("review", *files, "--quick", "--json")
    assert here == there
    assert len(here["strengths"]) == 1

    runs = []
    for name, words in (("here", ()), ("there", ("--ray", nodes.address))):
        out = tmp_path / f"{name}.npz"
        run("train", "clever", "--games", "100", "--jobs", "2", "--seats", "1,2", "--out",
            str(out), *words)  # fmt: skip
        runs.append(Trainer.load(out))
    for name in ("weights", "averages", "means", "squares"):
        assert np.array_equal(getattr(runs[0], name), getattr(runs[1], name))
    assert runs[0].step == runs[1].step > 0


def slow_number(task: int) -> tuple[int, int]:
    """Some work, and the process that did it."""
    time.sleep(0.05)
    if task < 0:
        os.kill(os.getpid(), signal.SIGKILL)
    return task, os.getpid()


def ill(task: int) -> int:
    raise FoxtrayError(f"task {task} is ill") if task < 2 else ValueError("a bug")


def test_what_always_fails_is_told(nodes: Nodes) -> None:
    with cluster.connect(nodes.address) as pool:
        assert pool.jobs == 2
        tasks = iter(range(1_000_000))
        results = pool.map(slow_number, tasks)
        for expected in range(20):
            assert next(results)[0] == expected
        assert next(tasks) - expected <= 2 * pool.jobs + 1  # no more are taken, so memory is flat
        results.close()  # type: ignore[attr-defined]
        assert list(pool.map(slow_number, [])) == []
        with pytest.raises(FoxtrayError, match="task 1 is ill"):
            list(pool.map(ill, [1]))
        with pytest.raises(RuntimeError, match="a bug"):
            list(pool.map(ill, [2]))
        with pytest.raises(FoxtrayError, match="cannot finish -1: 3 processes died on it"):
            list(pool.map(slow_number, [5, -1]))
    with pytest.raises(FoxtrayError, match="a node of the cluster has Foxtray"):
        raise cluster.work_on("0.0", slow_number, 1)  # type: ignore[misc]
    with cluster.connect(nodes.address, 1) as pool:
        assert pool.jobs == 1


def test_a_dead_node_changes_nothing(nodes: Nodes, tmp_path: Path, long_run: bool) -> None:
    """The last test on these nodes: one is killed while it plays."""
    games = 6_000 if long_run else 800
    words = ["simulate", "clever", "--bot", "strong", "--games", str(games), "--seed", "7"]
    with cluster.connect(nodes.address) as pool:
        numbers, processes = zip(*pool.map(slow_number, range(60)), strict=True)
        assert numbers == tuple(range(60))
        assert len(set(processes)) > 1  # both nodes work
    expected = simulate("clever", ["strong"], games, seed=7, jobs=2, find=bots.chooser)
    folder = tmp_path / "games"
    running = subprocess.Popen(
        [*FOXTRAY, *words, "--ray", nodes.address, "--json", "--records", str(folder)],
        stdout=subprocess.PIPE,
        text=True,
    )
    while not (folder.exists() and any(folder.iterdir())):
        assert running.poll() is None
        time.sleep(0.01)
    nodes.kill()
    assert running.poll() is None, "it was over before the node died"
    said, _ = running.communicate()
    assert running.returncode == 0
    found, wanted = json.loads(said), expected.as_json()
    for name in SPEED:
        del found[name], wanted[name]
    assert found == wanted
    assert len(list(folder.iterdir())) == games


def test_a_cluster_of_our_own(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["simulate", "twice", "--bot", "random", "--games", "9000", "--seats", "2"]
    for name, more in (("here", []), ("there", ["--ray", "local", "--jobs", "2"])):
        assert main([*words, "--csv", str(tmp_path / name), *more]) == 0
    capsys.readouterr()
    assert (tmp_path / "here").read_bytes() == (tmp_path / "there").read_bytes()


def refused(capsys: pytest.CaptureFixture[str], address: str) -> str:
    words = ["simulate", "clever", "--bot", "random", "--games", "1", "--ray", address]
    assert main(words) == 2
    return capsys.readouterr().err


def test_an_address_without_a_cluster(capsys: pytest.CaptureFixture[str]) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        closed = f"127.0.0.1:{taken.getsockname()[1]}"
        assert f"no Ray cluster answers at {closed}" in refused(capsys, closed)
    for wrong in ("nowhere", "host:", ":6379", "host:70000", "ray://host", "host:x"):
        assert f"{wrong!r} is not the address of a Ray cluster" in refused(capsys, wrong)


def test_something_else_answers(capsys: pytest.CaptureFixture[str]) -> None:
    with subprocess.Popen(
        [sys.executable, "-u", "-m", "http.server", "--bind", "127.0.0.1", "0"],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as other:
        assert other.stdout is not None
        port = other.stdout.readline().split("port ")[1].split()[0]
        said = refused(capsys, f"127.0.0.1:{port}")
        other.terminate()
    assert "something else does" in said


def test_without_ray(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(
        extras, "find_spec", lambda name: None if name == "ray" else find_spec(name)
    )
    assert "needs ray; to install: python -m pip install 'foxtray[ray]'" in refused(capsys, "local")
    with pytest.raises(FoxtrayError, match="a Ray cluster needs ray"), cluster.connect("local"):
        pass


def test_sent_weights_are_refused_like_others(tmp_path: Path) -> None:
    with pytest.raises(BadSetup, match="none of the bots uses weights"):
        finder("clever", ["random"], tmp_path / "none.npz", send=True)
