"""Registers the installed games with Gymnasium."""

from __future__ import annotations

from foxtray.errors import FoxtrayError
from foxtray.games.registry import SHEETS

NAMESPACE = "foxtray"
VERSION = 0
"""Increases whenever the same actions and seeds would give other observations or rewards."""


class MissingPackage(FoxtrayError):
    """A package that is not installed."""

    code = "missing_package"


def env_id(game: str) -> str:
    """The id of a game's environment, such as `foxtray/NAME-v0`."""
    return f"{NAMESPACE}/{game.capitalize()}-v{VERSION}"


def register_envs() -> None:
    """Register the environments of all installed games; registered ones are skipped."""
    try:
        import gymnasium
    except ModuleNotFoundError as error:
        if error.name != "gymnasium":
            raise
        raise MissingPackage(
            "foxtray.envs needs Gymnasium; install it with: pip install 'foxtray[envs]'"
        ) from None
    for game in SHEETS:
        if env_id(game) not in gymnasium.registry:
            gymnasium.register(
                env_id(game),
                entry_point="foxtray.envs.single:TableEnv",
                vector_entry_point="foxtray.envs.vector:VectorTableEnv",
                kwargs={"game": game},
            )
