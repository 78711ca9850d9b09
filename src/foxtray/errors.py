"""The errors that Foxtray raises: malformed input cannot be read, illegal input is not allowed."""


class FoxtrayError(ValueError):
    """A mistake by a caller or player, explained in one sentence."""

    code = "error"


class MalformedAction(FoxtrayError):
    """A text that is not an action of the game."""

    code = "malformed_action"


class MalformedPosition(FoxtrayError):
    """A text that is not a position."""

    code = "malformed_position"


class MalformedThrow(FoxtrayError):
    """Faces or an order that six dice cannot have."""

    code = "malformed_throw"


class BadSetup(FoxtrayError):
    """A game that cannot be set up like this."""

    code = "bad_setup"


class IllegalAction(FoxtrayError):
    """An action that is not allowed now; the code is stable, the sentence says why."""

    def __init__(self, code: str, reason: str) -> None:
        super().__init__(reason)
        self.code = code


class NothingToUndo(FoxtrayError):
    """The seat has not acted since the last throw or the start of the round."""

    code = "nothing_to_undo"


class RecordError(FoxtrayError):
    """A record that cannot be read or breaks the rules; the message names the line."""

    code = "bad_record"

    def __init__(self, line: int, cause: str) -> None:
        super().__init__(f"line {line}: {cause}")
        self.line = line
