"""The compiled modules of thinking."""

from __future__ import annotations

from functools import cache
from types import ModuleType

from foxtray.sim.compiled import chance, compile_module, rules


@cache
def features() -> ModuleType:
    return compile_module("foxtray.bots.features", rules=rules())


@cache
def network() -> ModuleType:
    return compile_module("foxtray.bots.network", features=features())


@cache
def winning() -> ModuleType:
    return compile_module(
        "foxtray.bots.winning", features=features(), network=network(), rules=rules()
    )


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


@cache
def thinking() -> ModuleType:
    return compile_module(
        "foxtray.bots.thinking",
        chance=chance(),
        features=features(),
        network=network(),
        planner=planner(),
        rules=rules(),
        search=search(),
        winning=winning(),
    )
