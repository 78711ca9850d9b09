"""Dice games by their printed rules.

Names are imported when they are first used, so that the command line starts quickly and can be
interrupted from its first moment.
"""

from __future__ import annotations

TYPE_CHECKING = False  # as in `typing`, which takes a while to import
if TYPE_CHECKING:
    from typing import Any

    from foxtray.core.layout import Action
    from foxtray.dice import ScriptedDice, SecretDice, SeededDice, Throw
    from foxtray.errors import FoxtrayError, IllegalAction
    from foxtray.game import RULES_VERSION, Game, Outcome, Progress, ScoreCard
    from foxtray.games.registry import SHEETS

__version__ = "0.1.0"

__all__ = [
    "RULES_VERSION",
    "SHEETS",
    "Action",
    "FoxtrayError",
    "Game",
    "IllegalAction",
    "Outcome",
    "Progress",
    "ScoreCard",
    "ScriptedDice",
    "SecretDice",
    "SeededDice",
    "Throw",
    "__version__",
]

HOMES = {
    "foxtray.core.layout": ("Action",),
    "foxtray.dice": ("ScriptedDice", "SecretDice", "SeededDice", "Throw"),
    "foxtray.errors": ("FoxtrayError", "IllegalAction"),
    "foxtray.game": ("RULES_VERSION", "Game", "Outcome", "Progress", "ScoreCard"),
    "foxtray.games.registry": ("SHEETS",),
}
"""The modules in which the public names are defined."""


def __getattr__(name: str) -> Any:
    from importlib import import_module

    for module, names in HOMES.items():
        if name in names:
            return getattr(import_module(module), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
