"""What a rated bot consists of, as hashes that say whether it is the same bot."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from importlib.resources import as_file
from pathlib import Path
from typing import Any

from foxtray.bots.added import AddedEngine, AddedNet
from foxtray.bots.levels import LEVELS, external, own
from foxtray.games.registry import folder_of


def sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def weights_sha256(game: str) -> str | None:
    """The hash of the shipped weights file of a game."""
    file = folder_of(game).weights
    if file is None:
        return None
    with as_file(file) as path:
        return sha256(path)


def identity(name: str, games: Sequence[str], weights: Path | None = None) -> dict[str, Any]:
    """A bot as plain data; no folder of its machine is told."""
    if name in LEVELS:
        found: dict[str, Any] = {"name": name, "kind": "level"}
        if weights is not None:
            return {**found, "weights": {game: sha256(weights) for game in games}}
        if not LEVELS[name].simple:
            found["weights"] = {game: weights_sha256(game) for game in games}
        return found
    entry = own().get(name)
    if isinstance(entry, AddedNet):
        files = {game: sha256(Path(entry.weights[game])) for game in games}
        return {"name": name, "kind": "net", "level": entry.level, "weights": files}
    if isinstance(entry, AddedEngine):
        return {
            "name": name,
            "kind": "engine",
            "title": entry.title,
            "budget_ms": entry.budget_ms,
            "files": hashes_of(entry),
        }
    return {"name": name, "kind": "package", "from": external()[name].value}


def hashes_of(entry: AddedEngine) -> dict[str, str]:
    """The files that a command names, by their own names."""
    paths = [Path(entry.folder, word) for word in entry.command]
    return {path.name: sha256(path) for path in paths if path.is_file()}
