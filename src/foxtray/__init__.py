"""Clever and Twice as Clever by the printed rules."""

from foxtray.errors import FoxtrayError

__version__ = "0.1.0"

__all__ = ["FoxtrayError", "__version__"]
