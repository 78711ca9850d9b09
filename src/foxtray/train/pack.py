"""Packs training checkpoints into a weights file for the bots."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from pathlib import Path
from typing import Any

from foxtray.bots.weights import save_weights
from foxtray.core.codes import SEATS
from foxtray.errors import BadSetup
from foxtray.game import RULES_VERSION
from foxtray.train.run import Trainer, load

OUTPUTS = (
    "points to come (x 100), five final areas (x 50), final foxes (x 5), "
    "ten quantiles of the points to come (x 100)"
)


def pack(paths: Sequence[Path], out: Path) -> dict[str, Any]:
    """Write the nets of some checkpoints to a weights file; returns its model card.

    Each number of seats uses the last net that was trained for it, or else the last net of all.
    """
    runs = [load(path) for path in paths]
    game = runs[0].plan.game
    for path, run in zip(paths, runs, strict=True):
        if run.plan.game != game:
            raise BadSetup(f"{path} is a run for {run.plan.game}, not for {game}")
    serves = [serving(runs, seats) for seats in range(1, SEATS + 1)]
    for k, path in enumerate(paths):
        if k not in serves:
            raise BadSetup(f"{path} would not be used: a later file is for the same seats")
    card = {
        "game": game,
        "rules_version": RULES_VERSION,
        "date": date.today().isoformat(),
        "nets": [
            {
                "serves_seats": [seats + 1 for seats in range(SEATS) if serves[seats] == k],
                "data": [told(run)],
            }
            for k, run in enumerate(runs)
        ],
        "outputs": OUTPUTS,
        "use": "to play this game; the values mean nothing under other rules",
    }
    save_weights(out, [run.averages for run in runs], serves, card)
    return card


def serving(runs: Sequence[Trainer], seats: int) -> int:
    """The index of the run whose net is used for a number of seats."""
    trained = [k for k, run in enumerate(runs) if seats in run.plan.seats]
    return trained[-1] if trained else len(runs) - 1


def told(run: Trainer) -> str:
    """How a net was trained, for its model card."""
    plan = run.plan
    preferences = "no area preferences"
    if plan.share and plan.strength:
        preferences = (
            f"area preferences of up to {plan.strength:g} per point in {plan.share:.0%} of the "
            f"games, gone at {plan.fade:.0%} of the run"
        )
    house = f" with {' and '.join(plan.options)}" if plan.options else ""
    searched = ""
    if plan.throws:
        searched = (
            f"; the luck of throws taken out by look-ahead with {plan.throws} stratified throws"
        )
    opened = ""
    if plan.openings:
        opened = (
            f"{plan.openings:.0%} of the games opened by weak or one-sided players, of which only "
            f"the rest is learned; "
        )
    return (
        f"{run.done} games of {' or '.join(map(str, plan.seats))} seat(s){house}, "
        f"seeds from {plan.seed}; {opened}"
        f"TD({plan.decay:g}) on the points to come at chance nodes, "
        f"Adam with rate {plan.rate:g} to 0 along a cosine, batches of {plan.batch} "
        f"learned {plan.passes} time(s), "
        f"averaged weights (decay {plan.keep:g}) play, plans of up to {plan.bound} states "
        f"({plan.last_bound or plan.bound} in the last round), "
        f"{preferences}{searched}"
    )
