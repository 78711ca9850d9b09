"""The compiled modules of learning."""

from __future__ import annotations

from functools import cache
from types import ModuleType

from foxtray.bots.machine import features, network, planner, search, winning
from foxtray.sim.compiled import chance, compile_module, loops, rules


@cache
def selfplay() -> ModuleType:
    return compile_module(
        "foxtray.train.selfplay",
        chance=chance(),
        features=features(),
        loops=loops(),
        network=network(),
        planner=planner(),
        rules=rules(),
        search=search(),
    )


@cache
def learner() -> ModuleType:
    return compile_module("foxtray.train.learner", network=network(), winning=winning())
