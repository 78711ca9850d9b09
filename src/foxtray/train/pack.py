"""Packs training checkpoints into a weights file for the bots."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from pathlib import Path
from typing import Any, NamedTuple

from foxtray.bots.weights import read_weights, save_weights
from foxtray.bots.workspace import Array
from foxtray.core.codes import SEATS
from foxtray.errors import BadSetup
from foxtray.game import RULES_VERSION
from foxtray.train.run import Trainer, is_checkpoint, load

OUTPUTS = (
    "points to come (x 100), five final areas (x 50), final foxes (x 5), "
    "ten quantiles of the points to come (x 100)"
)


class Net(NamedTuple):
    """A net to pack, and where it comes from."""

    place: int
    """The number of its file."""
    path: Path
    game: str
    seats: Sequence[int]
    """The numbers of seats it was trained for."""
    late: bool
    """Whether it is for the last round only."""
    flat: Array
    data: Sequence[str]


def pack(paths: Sequence[Path], out: Path) -> dict[str, Any]:
    """Write the nets of some checkpoints and weights files to a weights file; returns its card.

    Each number of seats uses the last net that was trained for it, or else the last net of all; in
    the last round, the last net that was trained for that, or else the same.
    """
    nets = [net for place, path in enumerate(paths) for net in nets_in(place, path)]
    game = nets[0].game
    for net in nets:
        if net.game != game:
            raise BadSetup(f"{net.path} is a run for {net.game}, not for {game}")
    if all(net.late for net in nets):
        raise BadSetup("there are only nets for the last round; add one for the others")
    every = range(1, SEATS + 1)
    serves = [serving(nets, seats) for seats in every]
    late = [serving(nets, seats, serves[seats - 1]) for seats in every]
    for place, path in enumerate(paths):
        if not any(nets[k].place == place for k in (*serves, *late)):
            raise BadSetup(f"{path} would not be used: a later file is for the same seats")
    used = sorted({*serves, *late})
    card = {
        "game": game,
        "rules_version": RULES_VERSION,
        "date": date.today().isoformat(),
        "nets": [
            {
                "serves_seats": [
                    seats for seats in every if k in (serves[seats - 1], late[seats - 1])
                ],
                "last_round_only": nets[k].late,
                "data": nets[k].data,
            }
            for k in used
        ],
        "outputs": OUTPUTS,
        "use": "to play this game; the values mean nothing under other rules",
    }
    save_weights(
        out,
        [nets[k].flat for k in used],
        [used.index(k) for k in serves],
        card,
        [used.index(k) for k in late],
    )
    return card


def nets_in(place: int, path: Path) -> list[Net]:
    """The net of a checkpoint, or the nets of a weights file."""
    if path.exists() and not is_checkpoint(path):
        weights = read_weights(path)
        return [
            Net(place, path, weights.card["game"], each["serves_seats"],
                each.get("last_round_only", False), flat, each["data"])
            for each, flat in zip(weights.card["nets"], weights.flats, strict=True)
        ]  # fmt: skip
    run = load(path)
    plan = run.plan
    return [Net(place, path, plan.game, plan.seats, plan.ending, run.averages, [told(run)])]


def serving(nets: Sequence[Net], seats: int, otherwise: int | None = None) -> int:
    """The net for a number of seats; with `otherwise`, its net for the last round, if any."""
    late = otherwise is not None
    trained = [k for k, net in enumerate(nets) if net.late == late and seats in net.seats]
    if trained:
        return trained[-1]
    if otherwise is not None:
        return otherwise
    return max(k for k, net in enumerate(nets) if not net.late)


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
    learned = f"TD({plan.decay:g}) on the points to come at chance nodes"
    if plan.ending:
        learned = f"only the last round, {learned}"
    return (
        f"{run.done} games of {' or '.join(map(str, plan.seats))} seat(s){house}, "
        f"seeds from {plan.seed}; {opened}"
        f"{learned}, "
        f"Adam with rate {plan.rate:g} to 0 along a cosine, batches of {plan.batch} "
        f"learned {plan.passes} time(s), "
        f"averaged weights (decay {plan.keep:g}) play, plans of up to {plan.bound} states "
        f"({plan.last_bound or plan.bound} in the last round), "
        f"{preferences}{searched}"
    )
