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
def planner() -> ModuleType:
    return compile_module("foxtray.bots.planner", rules=rules(), network=network())


@cache
def search() -> ModuleType:
    return compile_module(
        "foxtray.bots.search", chance=chance(), network=network(), planner=planner(), rules=rules()
    )


@cache
def thinking() -> ModuleType:
    return compile_module(
        "foxtray.bots.thinking", chance=chance(), planner=planner(), rules=rules(), search=search()
    )
