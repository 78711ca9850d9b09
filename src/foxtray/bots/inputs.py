"""The numbering of the value network's inputs; a net is only as large as its sheet needs.

Sparse inputs are numbered kind by kind; `Inputs` holds the first number of each kind.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache

from foxtray.core.codes import AREAS, CELLS, DICE, LINES, ROUNDS, SEATS, TRACKS, VALUES
from foxtray.core.layout import Layout, layout

MISSING = 3
"""Lines with this many or more cells missing have no input."""
MOMENTS = 4
"""Before a seat's first, second or third roll, or before it is served."""
DIE_STATES = 13
"""In the pool, or one of six faces, taken or not."""
BONUS_PLACES = CELLS + LINES + TRACKS + ROUNDS
"""The most foxes and circles: each comes from its own place."""
MOST_INPUTS = (
    2 * CELLS
    + (CELLS + AREAS)
    + AREAS * VALUES
    + MISSING * LINES
    + 2 * (BONUS_PLACES + TRACKS) + 1
    + MOMENTS * (ROUNDS + 1)
    + ROUNDS * (SEATS - 1) + 1
    + SEATS
    + DIE_STATES * DICE
    + AREAS
    + SEATS
)  # fmt: skip
"""The most inputs of any sheet."""


@dataclass(slots=True)
class Inputs:
    """The number of the first input of each kind."""

    cell: list[int] = field(default_factory=lambda: [0] * CELLS)
    """By grid cell: a cross, or in staged areas a circle, then a cross."""
    count: list[int] = field(default_factory=lambda: [0] * AREAS)
    """By area: the number of its marks."""
    last: list[int] = field(default_factory=lambda: [0] * AREAS)
    """By area: the last value, if it matters."""
    line: int = 0
    """By line: its missing cells."""
    left: list[int] = field(default_factory=lambda: [0] * TRACKS)
    """By track: the actions left."""
    circled: list[int] = field(default_factory=lambda: [0] * TRACKS)
    """By track: its circles."""
    foxes: int = 0
    own_turns: int = 0
    """Turns left as the active seat, and the moment."""
    other_turns: int = 0
    seats: int = 0
    die: int = 0
    lowest: int = 0
    """The area with the fewest points."""
    wait: int = 0
    """Turns until the seat is active again; with several seats."""
    size: int = 0
    """The number of inputs."""


@cache
def inputs_of(game: str) -> Inputs:
    """The inputs of a game's net; do not change them."""
    return number_inputs(layout(game))


def number_inputs(known: Layout) -> Inputs:
    """Number the inputs that a sheet needs."""
    t, sheet = known.tables, known.sheet
    inputs = Inputs()

    def take(count: int) -> int:
        first = inputs.size
        inputs.size += count
        return first

    for a, area in enumerate(sheet.areas):
        for cell in range(t.first_cell[a], t.end_cell[a]):
            inputs.cell[cell] = take(t.full[a] if area.grid else 0)
    for a, area in enumerate(sheet.areas):
        inputs.count[a] = take(len(area.cells) + 1)
    for a, area in enumerate(sheet.areas):
        inputs.last[a] = take(0 if area.grid else area.values[-1] + 1)
    inputs.line = take(MISSING * t.lines)
    for track in range(TRACKS):
        inputs.left[track] = take(t.track_fields[track] + 1)
    for track in range(TRACKS):
        inputs.circled[track] = take(t.track_fields[track] + 1 if t.track_bonus[track] else 0)
    inputs.foxes = take(sum(bonus.kind == "fox" for bonus in sheet.bonuses()) + 1)
    inputs.own_turns = take(MOMENTS * (max(sheet.rounds) + 1))
    others = (rounds * max(1, seats - 1) for seats, rounds in enumerate(sheet.rounds, 1))
    inputs.other_turns = take(max(others) + 1)
    inputs.seats = take(SEATS)
    inputs.die = take(DIE_STATES * DICE)
    inputs.lowest = take(len(sheet.areas))
    # Version 3 added this; it comes last, so that older nets are a part of newer ones.
    inputs.wait = take(SEATS)
    return inputs
