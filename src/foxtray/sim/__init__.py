"""Plays many games fast, with the rules compiled.

The names below are imported on first use: importing this package alone imports neither numpy nor
numba, so that the command line starts quickly.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from foxtray.sim.arrays import from_array, state_array
    from foxtray.sim.lockstep import Batch, random_actions

HOMES = {
    "Batch": "foxtray.sim.lockstep",
    "from_array": "foxtray.sim.arrays",
    "random_actions": "foxtray.sim.lockstep",
    "state_array": "foxtray.sim.arrays",
}

__all__ = ["Batch", "from_array", "random_actions", "state_array"]


def __getattr__(name: str) -> Any:
    if name not in HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(HOMES[name]), name)
