"""The levels that people choose from, weakest first; and bots that others bring along.

Another package adds a bot by an entry point in the group `foxtray.bots`: its name is the bot's,
its value a callable that takes a seed and returns a Bot.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any, cast

from foxtray.bots.base import Bot, BotError
from foxtray.bots.simple import SimpleBot
from foxtray.dice import SeededDice
from foxtray.errors import BadSetup, FoxtrayError

GROUP = "foxtray.bots"
ME = "me"
"""Whoever sits at the keyboard; no bot can be called so."""
SUBSTITUTE = "greedy"
"""Who acts in place of a bot that fails, or of somebody who is away."""


class UnknownBot(FoxtrayError):
    """A bot that nobody knows."""

    code = "unknown_bot"


@dataclass(frozen=True, slots=True)
class Level:
    """A strength of play, in words and in the numbers that make it."""

    name: str
    description: str
    noise: tuple[tuple[str, float], ...] = ()
    """How many points of noise blur its values, by game; none for a bot that does not value."""
    bounds: tuple[tuple[str, int], ...] = ()
    """How many states a plan may follow completely, by game: chains are longer in Twice."""
    throws: int = 0
    """How many throws of look-ahead it takes at most; 0: it does not look ahead."""
    effort: int = 0
    """States that a look-ahead visits for one decision, at most."""

    @property
    def simple(self) -> bool:
        """Whether it values nothing, and so needs no net."""
        return not self.noise

    @property
    def needs(self) -> tuple[str, ...]:
        """What has to be installed for it."""
        return () if self.simple else ("numpy", "numba")


LEVELS = {
    level.name: level
    for level in (
        Level("random", "Does anything that is allowed, without a thought."),
        Level("greedy", "Takes the most points it can get now, and never looks ahead."),
        Level(
            "casual",
            "Sees what is good but often misjudges it: a family can win.",
            noise=(("clever", 10.3), ("twice", 11.5)),
            bounds=(("clever", 16), ("twice", 16)),
        ),
        Level(
            "solid",
            "A practised player with a feeling for foxes who still errs.",
            noise=(("clever", 4.4), ("twice", 7.2)),
            bounds=(("clever", 64), ("twice", 64)),
        ),
        Level(
            "strong",
            "Plays by a value network that has seen hundreds of thousands of games.",
            noise=(("clever", 0.0), ("twice", 0.0)),
            bounds=(("clever", 48), ("twice", 160)),
        ),
        Level(
            "expert",
            "The same network, and it thinks one throw ahead.",
            noise=(("clever", 0.0), ("twice", 0.0)),
            bounds=(("clever", 256), ("twice", 256)),
            throws=72,
            effort=120_000,
        ),
    )
}


def external() -> dict[str, Any]:
    """Bots that other installed packages bring along."""
    found = entry_points(group=GROUP)
    return {entry.name: entry for entry in found if entry.name not in (ME, *LEVELS)}


def refused() -> list[str]:
    """Sentences on bots of other packages that cannot be called as they are."""
    return [
        f"the bot {entry.name} of {entry.value} is left out: the name is taken"
        for entry in entry_points(group=GROUP)
        if entry.name in (ME, *LEVELS)
    ]


def names() -> tuple[str, ...]:
    """All bots there are: the levels, weakest first, then those of other packages."""
    return (*LEVELS, *sorted(external()))


def check(name: str, weights: Path | None = None) -> None:
    """Complain about a bot that does not exist, or that can do nothing with weights."""
    if name not in LEVELS and name not in external():
        raise UnknownBot(f"there is no bot {name!r}; choose one of {', '.join(names())}")
    if weights is not None and (name not in LEVELS or LEVELS[name].simple):
        raise BadSetup(f"bot {name} does not play by weights")


def chooser(name: str, game: str, weights: Path | None = None) -> Any:
    """A level's play for many games at once, as batch play wants it; a name if it knows it.

    A level that values plays with the nets of a weights file, if one is given.
    """
    check(name, weights)
    if name not in LEVELS:
        raise UnknownBot(f"bot {name!r} comes from another package and plays one game at a time")
    if LEVELS[name].simple:
        return name
    from foxtray.bots import player

    return player.Chooser(LEVELS[name], game, weights)


def bot(name: str, seed: int = 0, weights: Path | None = None) -> Bot:
    """A bot by its name; a level that values plays with a weights file, if one is given."""
    check(name, weights)
    SeededDice(seed)  # complains about what is no seed
    if name not in LEVELS:
        return brought_along(name, seed)
    if LEVELS[name].simple:
        return SimpleBot(name, seed)
    from foxtray.bots import player

    return player.LevelBot(LEVELS[name], seed, weights)


def brought_along(name: str, seed: int) -> Bot:
    """A bot of another package; what goes wrong there becomes a BotError with its name."""
    try:
        found: Any = external()[name].load()(seed)
    except (Exception, SystemExit) as error:
        raise BotError(f"bot {name} cannot be loaded: {error!r}") from error
    try:
        usable = isinstance(found.name, str) and callable(found.choose)
    except Exception:  # what looks like an attribute may be code that fails
        usable = False
    if not usable:
        raise BotError(f"bot {name} cannot be used: it has no name or cannot choose")
    return cast(Bot, found)
