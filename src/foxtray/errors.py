"""What Foxtray raises: malformed means it cannot be read, illegal that it is not allowed now."""


class FoxtrayError(ValueError):
    """Anything that a caller or player got wrong, told in one sentence."""
