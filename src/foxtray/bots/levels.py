"""The levels, weakest first, the bots of other packages, and those that the user added.

Another package adds a bot with an entry point in the group `foxtray.bots`: its name is the bot's
name, its value a callable that takes a seed and returns a Bot.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any, cast

from foxtray import extras
from foxtray.bots.added import Added, AddedEngine, AddedNet, added, list_path, read_list
from foxtray.bots.base import Bot, BotError, NoWeights
from foxtray.bots.planner import LAST_BOUND
from foxtray.bots.simple import SimpleBot
from foxtray.dice import SeededDice
from foxtray.errors import BadSetup, FoxtrayError
from foxtray.games.registry import folder_of

GROUP = "foxtray.bots"
EXTRA = "bots"
"""The extra with the packages that nets need."""
ME = "me"
"""The player at the keyboard; no bot can have this name."""
NAME_PATTERN = "^[A-Za-z0-9_.-]{1,64}$"
"""The names a bot may have, as recommended for entry points."""
SUBSTITUTE = "greedy"
"""The bot that takes over for a failed bot: it needs nothing that could fail as well."""
USUAL = "solid"
"""The level to meet first, and the weakest that plays for an absent player."""


class UnknownBot(FoxtrayError):
    """A bot that does not exist."""

    code = "unknown_bot"


@dataclass(frozen=True, slots=True)
class Level:
    """A level of strength: its description and its settings."""

    name: str
    description: str
    bound: int = 0
    """How many states a plan explores completely; 0: no plans, and no net."""
    last_bound: int = 0
    """The same in the last round; 0: as in the others."""
    noise: float = 0.0
    """Points of noise added to its values."""
    throws: int = 0
    """The most throws it samples to look ahead; 0: it does not look ahead."""
    effort: int = 0
    """The most states a look-ahead visits for one decision."""
    reply_bound: int = 0
    """How many states a plan explores completely when it replies to a throw; in the last round as
    many as any other plan there, since the replies decide what the game ends with."""

    @property
    def simple(self) -> bool:
        """Whether it plays without a net."""
        return not self.bound

    def suited(self, game: str) -> Level:
        """The level with the game's own settings, if it has any."""
        own = folder_of(game).numbers
        bound = own.bounds.get(self.name, self.bound)
        return replace(
            self,
            bound=bound,
            last_bound=max(bound, self.last_bound),
            # Shorter replies misjudge what a throw is worth where chains are long.
            reply_bound=LEVELS["strong"].suited(game).bound if self.throws else 0,
            noise=own.noise.get(self.name, self.noise),
        )

    @property
    def needs(self) -> tuple[str, ...]:
        """The packages it needs."""
        return () if self.simple else extras.EXTRAS[EXTRA]


LEVELS = {
    level.name: level
    for level in (
        Level("random", "Picks any legal action at random."),
        Level("greedy", "Takes the most points available now and never looks ahead."),
        Level(
            "casual",
            "Knows what is good but often misjudges it: a family can win.",
            bound=16,
            noise=11.0,
        ),
        Level(
            "solid",
            "An experienced player with a feel for foxes who still makes mistakes.",
            bound=64,
            noise=6.0,
        ),
        Level(
            "strong",
            "Uses a value network trained on hundreds of thousands of games.",
            bound=64,
            last_bound=LAST_BOUND,
        ),
        Level(
            "expert",
            "Uses the same network and looks one roll ahead.",
            bound=1024,
            last_bound=LAST_BOUND,
            throws=72,
            effort=120_000,
        ),
    )
}


def objection(name: str) -> str:
    """Why a bot that is not a level cannot have a name; empty if it can."""
    if name in (ME, *LEVELS):
        return "the name is taken"
    if not re.fullmatch(NAME_PATTERN, name):
        return "a name must be 1 to 64 letters, digits, dots, dashes or underscores"
    return ""


def external() -> Mapping[str, Any]:
    """The bots of other installed packages."""
    return packaged(entry_points)


@cache
def packaged(find: Callable[..., Iterable[Any]]) -> Mapping[str, Any]:
    """The same, found once: a search takes milliseconds, and a live table asks often."""
    return {entry.name: entry for entry in find(group=GROUP) if not objection(entry.name)}


def own() -> dict[str, Added]:
    """The bots that the user added, except where a level or package has taken the name."""
    others = external()
    return {
        name: entry
        for name, entry in added().items()
        if not objection(name) and name not in others and not level_problem(entry)
    }


def level_problem(entry: Added) -> str:
    """Why an added net cannot be used; empty if it can."""
    if isinstance(entry, AddedNet) and (entry.level not in LEVELS or LEVELS[entry.level].simple):
        return f"the level {entry.level} does not use weights"
    return ""


def refused() -> list[str]:
    """A sentence about each bot that was skipped."""
    others = external()
    found, problems = read_list()
    return [
        *(
            f"skipped the bot {entry.name} from {entry.value}: {reason}"
            for entry in entry_points(group=GROUP)
            if (reason := objection(entry.name))
        ),
        *problems,
        *(
            f"skipped the bot {name!r} in {list_path()}: {reason}"
            for name, entry in found.items()
            if (
                reason := objection(name)
                or ("an installed package has taken the name" if name in others else "")
                or level_problem(entry)
            )
        ),
    ]


def names(game: str | None = None) -> tuple[str, ...]:
    """All bots, or all that can play a game: the levels, weakest first, then others."""
    every = (*LEVELS, *sorted({**external(), **own()}))
    return every if game is None else tuple(name for name in every if can_play(name, game))


def can_play(name: str, game: str) -> bool:
    """Whether a bot has what it needs for a game."""
    level = level_of(name)
    if level is not None and not level.simple and extras.missing(EXTRA):
        return False
    if name in LEVELS:
        return LEVELS[name].simple or folder_of(game).weights is not None
    entry = own().get(name)
    return entry is None or game in entry.games


def level_of(name: str) -> Level | None:
    """The level of a bot, also of an added net; None for engines and bots of other packages."""
    entry = None if name in LEVELS else own().get(name)
    return LEVELS.get(entry.level if isinstance(entry, AddedNet) else name)


def usual(game: str) -> str:
    """The level to meet first in a game, and the weakest that plays for an absent player."""
    return USUAL if can_play(USUAL, game) else SUBSTITUTE


def check(name: str, weights: Path | None = None, game: str | None = None) -> None:
    """Refuse a bot that does not exist, cannot play the game, or cannot use the weights."""
    if name not in LEVELS and name not in external() and name not in own():
        # A bot that the user added may be missing because the list is damaged.
        why = "".join(f"; {problem}" for problem in read_list()[1])
        raise UnknownBot(f"unknown bot {name!r}; choose one of {', '.join(names(game))}{why}")
    level = level_of(name)
    if level is not None and level.needs:
        extras.need(EXTRA, f"bot {name}")
    if weights is not None and (name not in LEVELS or LEVELS[name].simple):
        raise BadSetup(f"bot {name} does not use weights")
    if game is not None and weights is None and not can_play(name, game):
        if name in LEVELS:
            raise NoWeights(game)
        raise BadSetup(f"bot {name} does not play {game}; choose one of {', '.join(names(game))}")


def chooser(name: str, game: str, weights: Path | None = None) -> Any:
    """A bot that plays many games at once, for batch play; just its name if batch play has it.

    A level with a net uses the weights file, if one is given. Engines and bots of other packages
    decide for one game after the other.
    """
    check(name, weights, game)
    level = level_of(name)
    if level is None:
        from foxtray.bots.one_by_one import OneByOne

        return OneByOne(name, game)
    if level.simple:
        return name
    from foxtray.bots import player

    if name not in LEVELS:
        entry = own()[name]
        assert isinstance(entry, AddedNet)
        weights = Path(entry.weights[game])
    return player.Chooser(level, game, weights)


def bot(name: str, seed: int = 0, weights: Path | None = None) -> Bot:
    """A bot by name; a level with a net uses the weights file, if one is given."""
    check(name, weights)
    SeededDice(seed)  # checks the seed
    if name in LEVELS:
        if LEVELS[name].simple:
            return SimpleBot(name, seed)
        from foxtray.bots import player

        return player.LevelBot(LEVELS[name], seed, weights)
    entry = own().get(name)
    if isinstance(entry, AddedEngine):
        from foxtray.engines.bot import EngineBot
        from foxtray.engines.process import EngineCommand

        return EngineBot(EngineCommand.of(name, entry), seed_for_others(seed))
    if isinstance(entry, AddedNet):
        from foxtray.bots.net_bot import NetBot

        return NetBot(name, LEVELS[entry.level], seed, entry.weights)
    return brought_along(name, seed_for_others(seed))


def seed_for_others(seed: int) -> int:
    """The seed for a bot that is not ours: it must not tell the dice, and fit in a double."""
    digest = hashlib.sha256(f"foxtray bot {seed}".encode()).digest()
    return int.from_bytes(digest[:6], "big")


def brought_along(name: str, seed: int) -> Bot:
    """A bot of another package; any failure becomes a BotError that names it."""
    try:
        found: Any = external()[name].load()(seed)
    except (Exception, SystemExit) as error:
        raise BotError(f"bot {name} cannot be loaded: {error!r}") from error
    try:
        usable = isinstance(found.name, str) and callable(found.choose)
    except Exception:  # an attribute may be a property that fails
        usable = False
    if not usable:
        raise BotError(f"bot {name} cannot be used: it needs a name and a choose method")
    return cast(Bot, found)
