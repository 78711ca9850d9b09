"""The same decisions by the bots in Python and in JavaScript, with the same compact nets.

`python tests/decided.py 20` compares that many positions of every game, number of seats and level,
and prints how long the translated bots took.
"""

import base64
import json
import random
import subprocess
import sys
import tempfile
from dataclasses import asdict
from pathlib import Path
from statistics import median

import numpy as np
from translated import flat, node

from foxtray import Game, SeededDice
from foxtray.bots import bot
from foxtray.bots.compact import compact, unpacked
from foxtray.bots.levels import LEVELS
from foxtray.bots.weights import save_weights
from foxtray.core.layout import layout
from foxtray.games.registry import SHEETS

HERE = Path(__file__).parent
WEB = HERE.parent / "web"
DECIDER = HERE / "decided.mjs"


def bundle(folder: Path) -> Path:
    """The bots of the page as one module for Node."""
    target = folder / "brain.mjs"
    command = [node(), "bundle.mjs", "src/engine/brain.ts", str(target)]
    subprocess.run(command, cwd=WEB, check=True)
    return target


def compact_weights(game: str, folder: Path) -> Path:
    """A weights file for Python with exactly the weights that the page has."""
    header, nets = unpacked(compact(game))
    path = folder / f"{game}.npz"
    flats = [np.array(net, np.float32) for net in nets]
    save_weights(path, flats, header["serves"], {"game": game}, header["late"])
    return path


def positions(game: str, seats: int, count: int, seed: int) -> list[tuple[Game, int]]:
    """Decisions between several actions, from games of players of all kinds."""
    found: list[tuple[Game, int]] = []
    whim = random.Random(f"{game} {seats} {seed}")
    number = seed
    while len(found) < count:
        number += 1
        dice = SeededDice(number)
        options = {"fox_floor": number % 2 == 0, "solo_fallback": number % 3 == 0}
        now = Game.new(game, seats, first=number % seats, **options)
        players = [bot(whim.choice(["random", "greedy", "greedy"]), number) for _ in range(seats)]
        while not now.over:
            address = now.address()
            if address is not None:
                now = now.roll(dice.throw(*address)).game
                continue
            seat = whim.choice(now.awaiting())
            if len(now.legal(seat)) > 1 and whim.random() < 0.1:
                found.append((now, seat))
            now = now.play(seat, players[seat].choose(now, seat)).game
    return whim.sample(found, count)


def compare_decisions(
    game: str, cases: list[tuple[Game, int, str, int]], brain: Path, folder: Path
) -> list[float]:
    """Let both decide: game, seat, level and seed. Returns the times of the translated bots."""
    weights = compact_weights(game, folder)
    jobs = [
        {
            "numbers": flat(now.state),
            "seat": seat,
            "level": level,
            "low": seed & 0xFFFFFFFF,
            "high": seed >> 32,
        }
        for now, seat, level, seed in cases
    ]
    file = folder / "jobs.json"
    nets = base64.b64encode(compact(game)).decode()
    tables = asdict(layout(game).tables)
    file.write_text(json.dumps({"tables": tables, "nets": nets, "jobs": jobs}))
    done = subprocess.run(
        [node(), str(DECIDER), str(brain), str(file)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    actions = layout(game).actions
    for (now, seat, level, seed), action in zip(cases, answer["actions"], strict=True):
        own = bot(level, seed, None if LEVELS[level].simple else weights).choose(now, seat)
        assert actions[action] == own, f"{level} {seed} seat {seat} {now.position()}"
    return list(answer["times"])


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        brain = bundle(folder)
        for sheet in SHEETS:
            for level in LEVELS:
                times: list[float] = []
                for seats in range(1, 5):
                    found = positions(sheet, seats, int(sys.argv[1]), 100)
                    cases = [(now, seat, level, 77 + 5 * 2**33) for now, seat in found]
                    times += compare_decisions(sheet, cases, brain, folder)
                print(f"{sheet} {level}: {len(times)} the same, median {median(times):.1f} ms,")
                print(f"    longest {max(times):.0f} ms", flush=True)
