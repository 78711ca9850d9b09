"""Dice games by their printed rules."""

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
