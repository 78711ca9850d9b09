"""The compiled modules of the bots."""

from __future__ import annotations

from functools import cache
from threading import Lock
from types import ModuleType

from foxtray.sim.compiled import Announced, chance, compile_module, rules

THINKING = "foxtray.bots.thinking"
VALUING = "foxtray.bots.valuing"
LOADING = Lock()


@cache
def features() -> ModuleType:
    return compile_module("foxtray.bots.features", rules=rules())


@cache
def network() -> ModuleType:
    return compile_module("foxtray.bots.network", features=features(), rules=rules())


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
    # While a module is loaded, its cache folder is set for the whole process.
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


def valuing() -> ModuleType:
    with LOADING:
        return load_valuing()


@cache
def load_valuing() -> ModuleType:
    return compile_module(
        VALUING,
        chance=chance(),
        features=features(),
        network=network(),
        planner=planner(),
        rules=rules(),
        search=search(),
        winning=winning(),
    )


def announced_values() -> Announced:
    """Says so if the values of a review have to be compiled first."""
    return Announced("the review", 30, VALUING)


PARTS = {
    "plan": "the bots",
    "search": "the bots' search",
    "opinion": "the bots' opinions",
    "forecast": "the bots' forecasts",
}
"""The parts that are compiled separately, on first use."""


def announced(part: str) -> Announced:
    """Says so if a part has to be compiled first, which takes a while."""
    return Announced(PARTS[part], 30, THINKING, f"-{part}")
