"""The installed games: the folders beside this file, and those of other packages.

Another package adds a game with an entry point in the group `foxtray.games`: its name is the
game's id, its value the package that holds the game's folder.
"""

from __future__ import annotations

import pkgutil
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.metadata import entry_points

from foxtray import games
from foxtray.errors import FoxtrayError
from foxtray.games.folder import BadFolder, Folder, read_folder
from foxtray.games.model import Sheet

GROUP = "foxtray.games"


class UnknownGame(FoxtrayError):
    """A game that is not installed."""

    code = "unknown_game"


@cache
def found() -> tuple[dict[str, Folder], tuple[str, ...]]:
    """All games by id, and a sentence about each one that was skipped."""
    ours = [module.name for module in pkgutil.iter_modules(games.__path__) if module.ispkg]
    known = {game: read_folder(f"{games.__name__}.{game}") for game in ours}
    left_out = []
    for entry in sorted(entry_points(group=GROUP)):
        try:
            if entry.name in known:
                raise BadFolder("the name is taken")
            folder = read_folder(entry.value)
            if folder.sheet.id != entry.name:
                raise BadFolder(f"its sheet has the id {folder.sheet.id!r}")
            known[entry.name] = folder
        except FoxtrayError as error:
            left_out.append(f"skipped the game {entry.name} from {entry.value}: {error}")
        except (Exception, SystemExit) as error:
            left_out.append(f"skipped the game {entry.name} from {entry.value}: {error!r}")
    return known, tuple(left_out)


def refused() -> tuple[str, ...]:
    """A sentence about each game of another package that was skipped."""
    return found()[1]


def folder_of(game: str) -> Folder:
    """The folder of a game."""
    known = found()[0]
    if game not in known:
        raise UnknownGame(f"unknown game {game!r}; choose one of {', '.join(known)}")
    return known[game]


def sheet_of(game: str) -> Sheet:
    """The sheet of a game."""
    return folder_of(game).sheet


class Sheets(Mapping[str, Sheet]):
    """The sheets of all games by id.

    They are read on first use: a game's own module may be what imports this one.
    """

    def __getitem__(self, game: str) -> Sheet:
        return found()[0][game].sheet

    def __iter__(self) -> Iterator[str]:
        return iter(found()[0])

    def __len__(self) -> int:
        return len(found()[0])


SHEETS = Sheets()
