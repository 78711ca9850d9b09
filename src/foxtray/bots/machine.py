"""The compiled modules of thinking."""

from __future__ import annotations

from functools import cache
from threading import Lock
from types import ModuleType

from foxtray.sim.compiled import Announced, chance, compile_module, rules

THINKING = "foxtray.bots.thinking"
LOADING = Lock()


@cache
def features() -> ModuleType:
    return compile_module("foxtray.bots.features", rules=rules())


@cache
def network() -> ModuleType:
    return compile_module("foxtray.bots.network", features=features())


@cache
def winning() -> ModuleType:
    return compile_module("foxtray.bots.winning")


@cache
def planner() -> ModuleType:
    return compile_module(
        "foxtray.bots.planner",
        features=features(),
        network=network(),
        rules=rules(),
        winning=winning(),
    )


@cache
def search() -> ModuleType:
    return compile_module(
        "foxtray.bots.search", chance=chance(), network=network(), planner=planner(), rules=rules()
    )


def thinking() -> ModuleType:
    # Where compiled code is kept is settled for the whole process while a module is loaded.
    with LOADING:
        return load_thinking()


@cache
def load_thinking() -> ModuleType:
    return compile_module(
        THINKING,
        chance=chance(),
        features=features(),
        network=network(),
        planner=planner(),
        rules=rules(),
        search=search(),
        winning=winning(),
    )


PARTS = {
    "plan": "the bots",
    "search": "the search of the bots",
    "opinion": "the opinions of the bots",
    "forecast": "the forecasts of the bots",
}
"""What is compiled apart, when it is first wanted."""


def announced(part: str) -> Announced:
    """Tells if a part of thinking has to be compiled first, which takes a while."""
    return Announced(PARTS[part], 30, THINKING, f"-{part}")
