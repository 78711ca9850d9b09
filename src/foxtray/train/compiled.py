"""The compiled modules of training."""

from __future__ import annotations

from functools import cache
from types import ModuleType

from foxtray.bots.compiled import (
    features,
    load_thinking,
    load_valuing,
    network,
    planner,
    search,
    winning,
)
from foxtray.sim.compiled import Announced, chance, compile_module, loops, rules

SELFPLAY, LEARNER = "foxtray.train.selfplay", "foxtray.train.learner"


@cache
def selfplay() -> ModuleType:
    return compile_module(
        SELFPLAY,
        chance=chance(),
        features=features(),
        loops=loops(),
        network=network(),
        openings=openings(),
        planner=planner(),
        rules=rules(),
        search=search(),
        valuing=load_valuing(),
    )


@cache
def openings() -> ModuleType:
    return compile_module(
        "foxtray.train.openings",
        chance=chance(),
        planner=planner(),
        rules=rules(),
        thinking=load_thinking(),
    )


@cache
def playouts() -> ModuleType:
    return compile_module(
        "foxtray.train.playouts",
        chance=chance(),
        loops=loops(),
        network=network(),
        openings=openings(),
        planner=planner(),
        rules=rules(),
        thinking=load_thinking(),
        winning=winning(),
    )


@cache
def learner() -> ModuleType:
    return compile_module(LEARNER, network=network(), winning=winning())


def announced_play() -> Announced:
    """Says so if self-play has to be compiled first."""
    return Announced("self-play", 40, SELFPLAY)


def announced_learning() -> Announced:
    """Says so if the learner has to be compiled first."""
    return Announced("the learner", 5, LEARNER)
