"""The bots translated to JavaScript decide as those in Python do, with the same compact nets."""

import json
import struct
from pathlib import Path

import numpy as np
import pytest
from decided import bundle, compare_decisions, positions

from foxtray.bots.compact import STEPS, NotCompact, compact, compacted, row_lengths, unpacked
from foxtray.bots.levels import LEVELS
from foxtray.bots.weights import save_weights, weights_of

COUNTS = {"random": 20, "greedy": 20, "casual": 20, "solid": 20, "strong": 30, "expert": 3}
LARGEST = 350_000
SEED = 12 + (34 << 32)


@pytest.fixture(scope="module")
def brain(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return bundle(tmp_path_factory.mktemp("brain"))


@pytest.mark.parametrize("seats", [1, 2, 3, 4])
@pytest.mark.parametrize("game", ["clever", "twice"])
def test_the_same_seed_and_position_give_the_same_action(
    game: str, seats: int, brain: Path, tmp_path: Path, long_run: bool
) -> None:
    factor = 20 if long_run else 1
    found = positions(game, seats, factor * sum(COUNTS.values()), seed=seats)
    levels = [level for level, count in COUNTS.items() for _ in range(factor * count)]
    cases = [
        (now, seat, level, SEED + k)
        for k, ((now, seat), level) in enumerate(zip(found, levels, strict=True))
    ]
    assert len(compare_decisions(game, cases, brain, tmp_path)) == factor * sum(COUNTS.values())
    assert set(COUNTS) == set(LEVELS)


def test_a_planted_difference_in_a_net_is_found(brain: Path, tmp_path: Path) -> None:
    """The positions above would tell other weights apart."""
    found = positions("clever", 2, 160, seed=9)
    cases = [(now, seat, "strong", SEED) for now, seat in found]
    compare_decisions("clever", cases, brain, tmp_path)
    source = brain.read_text()
    assert "size * steps[" in source
    broken = tmp_path / "broken.mjs"
    broken.write_text(source.replace("size * steps[", "size * 0.9 * steps["))
    with pytest.raises(AssertionError, match="strong"):
        compare_decisions("clever", cases, broken, tmp_path)


@pytest.mark.parametrize("game", ["clever", "twice"])
def test_compact_nets_are_small_and_nearly_the_same(game: str) -> None:
    data = compact(game)
    assert len(data) <= LARGEST
    header, nets = unpacked(data)
    assert header["game"] == game
    assert list(header["levels"]) == list(LEVELS)
    for seats in range(1, 5):
        for which, net in zip(("serves", "late"), weights_of(game).nets(seats), strict=True):
            own = np.array(nets[header[which][seats - 1]], np.float32)
            exact = np.frombuffer(net.tobytes(), np.float32)[: len(own)]
            ends = np.cumsum(row_lengths(header["parts"]))[:-1]
            for rough, row in zip(np.split(own, ends), np.split(exact, ends), strict=True):
                assert abs(rough - row).max() <= abs(row).max() / STEPS * 0.501


def test_what_is_no_weights_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "weights.npz"
    path.write_bytes(b"PK nothing")
    with pytest.raises(NotCompact, match=r"weights\.npz is damaged"):
        compacted(path, "clever")
    size = len(unpacked(compact("clever"))[1][0])
    flat = np.zeros(size, np.float32)
    save_weights(path, [flat], [0, 0, 0, 0], {"game": "clever"})
    assert len(compacted(path, "clever")) < LARGEST
    with pytest.raises(NotCompact, match="does not fit this version"):
        compacted(path, "twice")
    flat[0] = np.inf
    save_weights(path, [flat], [0, 0, 0, 0], {"game": "clever"})
    with pytest.raises(NotCompact, match="contain NaN or infinity"):
        compacted(path, "clever")
    with pytest.raises(NotCompact, match="not a file of compact nets"):
        unpacked(b"????" + struct.pack("<I", 0))


def test_weights_of_an_older_version_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "weights.npz"
    with path.open("wb") as file:
        np.savez_compressed(
            file,
            weights=np.zeros((1, 10), np.float32),
            serves=np.zeros(4, np.int64),
            card=json.dumps({"game": "clever"}),
            version=2,
        )
    with pytest.raises(NotCompact, match="pack it again"):
        compacted(path, "clever")
