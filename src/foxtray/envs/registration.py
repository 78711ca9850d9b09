"""Registers the installed games with Gymnasium."""

from __future__ import annotations

from foxtray.extras import need
from foxtray.games.registry import SHEETS

NAMESPACE = "foxtray"
VERSION = 0
"""Increases whenever the same actions and seeds would give other observations or rewards."""


def env_id(game: str) -> str:
    """The id of a game's environment, such as `foxtray/NAME-v0`."""
    return f"{NAMESPACE}/{game.capitalize()}-v{VERSION}"


def register_envs() -> None:
    """Register the environments of all installed games; registered ones are skipped."""
    need("envs", "foxtray.envs")
    import gymnasium

    for game in SHEETS:
        if env_id(game) not in gymnasium.registry:
            gymnasium.register(
                env_id(game),
                entry_point="foxtray.envs.single:TableEnv",
                vector_entry_point="foxtray.envs.vector:VectorTableEnv",
                kwargs={"game": game},
            )
