"""The optional packages: which are installed, and how to install the others."""

from __future__ import annotations

from importlib.util import find_spec

from foxtray.errors import FoxtrayError

EXTRAS = {
    "bots": ("numpy", "numba"),
    "envs": ("numpy", "numba", "gymnasium", "pettingzoo", "pillow"),
    "parquet": ("pyarrow",),
    "postgres": ("psycopg",),
    "ray": ("numpy", "numba", "ray"),
}
"""The packages of each extra that the code imports; pyproject.toml has their versions."""
MODULES = {"pillow": "PIL"}
"""The modules of packages that are not called like them."""


class MissingExtra(FoxtrayError):
    """Something needs packages that are not installed."""

    code = "missing_extra"


def missing(extra: str) -> list[str]:
    """The packages of an extra that are not installed."""
    return [name for name in EXTRAS[extra] if find_spec(MODULES.get(name, name)) is None]


def need(extra: str, what: str = "this command") -> None:
    """Refuse what needs an extra that is not installed."""
    if missing(extra):
        *others, last = missing(extra)
        names = f"{', '.join(others)} and {last}" if others else last
        raise MissingExtra(
            f"{what} needs {names}; to install: python -m pip install 'foxtray[{extra}]'"
        )
