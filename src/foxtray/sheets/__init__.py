"""The sheets that can be played."""

from foxtray.errors import FoxtrayError
from foxtray.sheets.clever import CLEVER
from foxtray.sheets.model import Sheet
from foxtray.sheets.twice import TWICE

SHEETS = {sheet.id: sheet for sheet in (CLEVER, TWICE)}


class UnknownGame(FoxtrayError):
    """A game that this package does not have."""

    code = "unknown_game"


def sheet_of(name: str) -> Sheet:
    """The sheet of a game by its id."""
    if name not in SHEETS:
        raise UnknownGame(f"there is no game {name!r}; choose one of {', '.join(SHEETS)}")
    return SHEETS[name]
