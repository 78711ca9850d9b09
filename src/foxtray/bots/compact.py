"""The nets of a game, a byte per weight, and all that a browser needs to play with them: one file.

Made from a weights file with the standard library alone, because a server may run without numpy.

The file: `FOXN`, the length of the header as four bytes, the header as JSON (padded with spaces to
a multiple of four), then for each row of each net the size of a step as a 32-bit floating-point
number, and at last all weights as whole numbers of steps, from -127 to 127; all little-endian.
"""

from __future__ import annotations

import ast
import json
import struct
import sys
import zipfile
from array import array
from collections.abc import Sequence
from dataclasses import asdict
from functools import cache
from importlib.resources import as_file
from pathlib import Path
from typing import Any

from foxtray.bots import fields
from foxtray.bots.inputs import inputs_of
from foxtray.bots.levels import LEVELS
from foxtray.errors import FoxtrayError
from foxtray.games.registry import folder_of

MAGIC = b"FOXN"
FORMAT = 3
STEPS = 127
"""The most steps of a weight."""
VERSION = 3
"""The version of weights files that can be read here."""


class NotCompact(FoxtrayError):
    """A weights file that cannot be made compact."""

    code = "not_compact"


def shapes(game: str) -> list[tuple[str, int, int]]:
    """The parts of a game's net in the order of its weights: name, rows, and weights in a row."""
    found = []
    for name, _, shape in fields.NET:
        rows = shape[0] if len(shape) == 2 else 1
        found.append((name, inputs_of(game).size if name == "w1" else rows, shape[-1]))
    return found


def row_lengths(parts: Sequence[tuple[str, int, int]]) -> list[int]:
    """The length of each row of a net."""
    return [length for _, rows, length in parts for _ in range(rows)]


def read_array(file: zipfile.ZipFile, name: str) -> Sequence[Any]:
    """The numbers of an array in a file of numpy, in one row; a text stands alone in it."""
    data = file.read(f"{name}.npy")
    if data[:6] != b"\x93NUMPY" or data[6] != 1:
        raise ValueError(f"{name} is not an array")
    start = 10 + int.from_bytes(data[8:10], "little")
    head = ast.literal_eval(data[10:start].decode("latin-1"))
    kind, body = head["descr"], data[start:]
    if kind.startswith("<U"):
        return [body.decode("utf-32-le").rstrip("\0")]
    found = array({"<f4": "f", "<i8": "q"}[kind])
    found.frombytes(body)
    if sys.byteorder == "big":
        found.byteswap()
    return found


def read_nets(path: Path, game: str) -> tuple[list[Sequence[float]], list[int], list[int]]:
    """The weights of each net in a file; which serve 1 to 4 seats, and which the last round."""
    try:
        with zipfile.ZipFile(path) as file:
            version = read_array(file, "version")[0]
            weights = read_array(file, "weights")
            serves = list(read_array(file, "serves"))
            late = list(read_array(file, "late")) if "late.npy" in file.namelist() else serves
            card = json.loads(read_array(file, "card")[0])
        size = sum(rows * length for _, rows, length in shapes(game))
        nets = [weights[k : k + size] for k in range(0, len(weights), size)]
        fits = version == VERSION and card["game"] == game and len(weights) % size == 0
    except (OSError, ValueError, KeyError, LookupError, zipfile.BadZipFile, SyntaxError) as error:
        raise NotCompact(f"the weights file {path.name} is damaged: {error}") from None
    if not fits or not all(0 <= k < len(nets) for k in (*serves, *late)):
        raise NotCompact(
            f"the weights file {path.name} does not fit this version of foxtray; pack it again "
            "with foxtray pack"
        )
    return nets, serves, late


def in_steps(weights: Sequence[float], lengths: Sequence[int]) -> tuple[list[float], list[int]]:
    """The size of a step in each row of weights, and all weights as whole numbers of steps."""
    sizes, steps, at = array("f"), [], 0
    for length in lengths:
        row = weights[at : at + length]
        at += length
        sizes.append(max(map(abs, row)) / STEPS)
        size = sizes[-1] or 1.0  # a row of zeros
        steps += [round(weight / size) for weight in row]
    return list(sizes), steps


def settings(game: str, nets: bool) -> dict[str, Any]:
    """The settings of each level for a game; without nets only the simple ones can play."""
    keys = ("bound", "last_bound", "noise", "throws", "effort", "reply_bound")
    found = {}
    for level in LEVELS.values():
        if nets or level.simple:
            own = level.suited(game)
            found[level.name] = {key: getattr(own, key) for key in keys}
    return found


def compacted(path: Path | None, game: str) -> bytes:
    """A weights file of a game in compact form; without one, just its simple levels."""
    nets, serves, late = read_nets(path, game) if path else ([], [], [])
    parts = shapes(game)
    header = {
        "format": FORMAT,
        "game": game,
        "inputs": asdict(inputs_of(game)),
        "levels": settings(game, bool(nets)),
        "serves": serves,
        "late": late,
        "nets": len(nets),
        "parts": parts,
    }
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 4)
    try:
        packed = [in_steps(net, row_lengths(parts)) for net in nets]
    except ValueError:
        raise NotCompact(f"the weights of {game} contain NaN or infinity") from None
    sizes = [struct.pack(f"<{len(sizes)}f", *sizes) for sizes, _ in packed]
    steps = [struct.pack(f"{len(steps)}b", *steps) for _, steps in packed]
    return b"".join([MAGIC, struct.pack("<I", len(text)), text, *sizes, *steps])


@cache
def compact(game: str) -> bytes:
    """The shipped nets of a game in compact form."""
    file = folder_of(game).weights
    if file is None:
        return compacted(None, game)
    with as_file(file) as path:
        return compacted(path, game)


def origin(game: str) -> bytes:
    """What the compact form is made from: it tells versions apart without making them."""
    file = folder_of(game).weights
    weights = file.read_bytes() if file else b""
    return weights + json.dumps([FORMAT, settings(game, bool(file))]).encode()


def unpacked(data: bytes) -> tuple[dict[str, Any], list[list[float]]]:
    """The header and the weights of each net of a compact file."""
    if data[:4] != MAGIC:
        raise NotCompact("this is not a file of compact nets")
    end = 8 + int.from_bytes(data[4:8], "little")
    header = json.loads(data[8:end])
    lengths = row_lengths(header["parts"]) * header["nets"]
    sizes = struct.unpack_from(f"<{len(lengths)}f", data, end)
    steps = struct.unpack_from(f"{sum(lengths)}b", data, end + 4 * len(lengths))
    each = (size for size, length in zip(sizes, lengths, strict=True) for _ in range(length))
    weights = [size * step for size, step in zip(each, steps, strict=True)]
    net = sum(row_lengths(header["parts"]))
    return header, [weights[at : at + net] for at in range(0, len(weights), net)]
