"""Converts weights of earlier versions.

In the first version, all nets had one size. It numbered the inputs alike for every sheet, with room
for the largest. The number of marks in an area had fourteen inputs; higher numbers ran over into
the inputs of the next area.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from foxtray.bots.features import DENSE
from foxtray.bots.inputs import DIE_STATES, MISSING, MOMENTS, inputs_of
from foxtray.bots.network import FIRST, OUTPUTS, SECOND
from foxtray.bots.workspace import ROOM, Array, net_of, weights_in
from foxtray.core.codes import DICE, SEATS, TRACKS
from foxtray.core.layout import layout

# The number of the first input of each kind.
CELL, COUNT, LAST, LINE, LEFT, CIRCLED = 0, 160, 230, 300, 372, 396
FOXES, OWN_TURNS, OTHER_TURNS, TABLE, DIE, LOWEST, SPARSE = 420, 428, 460, 476, 480, 558, 563
STEPS = 14
"""Inputs for the number of marks of an area, and for its last value."""
FIELDS = 8
"""Inputs for the fields of a track."""
ADDED = SEATS
"""The inputs that version 3 added, at the end."""
OLD_NET = np.dtype(
    [
        ("w1", np.float32, (SPARSE + DENSE, FIRST)),
        ("b1", np.float32, FIRST),
        ("w2", np.float32, (FIRST, SECOND)),
        ("b2", np.float32, SECOND),
        ("w3", np.float32, (OUTPUTS, SECOND + 1)),
    ]
)


def renewed(game: str, flat: Array) -> Array:
    """A flat array of weights of the first version, converted to the net of its game.

    One of the second version gets zeros for the inputs that it lacks. An array of any other size is
    returned unchanged.
    """
    if len(flat) == weights_in(game) - ADDED * FIRST:
        return np.append(flat, np.zeros(ADDED * FIRST, np.float32))
    if flat.nbytes != OLD_NET.itemsize:
        return flat
    old = flat.view(OLD_NET)[0]
    room = np.zeros(ROOM, np.float32)
    net = net_of(room)[0]
    for name in ("b1", "w2", "b2", "w3"):
        net[name][...] = old[name]
    net["dense"][:] = old["w1"][SPARSE:]
    rows = list(old_numbers(game))
    net["w1"][: len(rows)] = old["w1"][rows]
    return room[: weights_in(game)]


def old_numbers(game: str) -> Iterator[int]:
    """The old number of each input of a game's net, in today's order."""
    known, inputs = layout(game), inputs_of(game)
    t, sheet = known.tables, known.sheet
    for a, area in enumerate(sheet.areas):
        if area.grid:
            for cell in range(t.first_cell[a], t.end_cell[a]):
                yield from range(CELL + 2 * cell, CELL + 2 * cell + t.full[a])
    for a, area in enumerate(sheet.areas):
        yield from range(COUNT + a * STEPS, COUNT + a * STEPS + len(area.cells) + 1)
    for a, area in enumerate(sheet.areas):
        if not area.grid:
            yield from range(LAST + a * STEPS, LAST + a * STEPS + area.values[-1] + 1)
    yield from range(LINE, LINE + MISSING * t.lines)
    for track in range(TRACKS):
        yield from range(LEFT + track * FIELDS, LEFT + track * FIELDS + t.track_fields[track] + 1)
    for track in range(TRACKS):
        if t.track_bonus[track]:
            first = CIRCLED + track * FIELDS
            yield from range(first, first + t.track_fields[track] + 1)
    yield from range(FOXES, FOXES + inputs.own_turns - inputs.foxes)
    yield from range(OWN_TURNS, OWN_TURNS + MOMENTS * (max(sheet.rounds) + 1))
    yield from range(OTHER_TURNS, OTHER_TURNS + inputs.seats - inputs.other_turns)
    yield from range(TABLE, TABLE + SEATS)
    yield from range(DIE, DIE + DIE_STATES * DICE)
    yield from range(LOWEST, LOWEST + len(sheet.areas))
