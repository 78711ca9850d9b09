"""The parts of an observation by name: what a seat sees as one row of whole numbers.

The own seat comes first, the others follow in turn order, then the table. `core.observation` writes
the row, interpreted and compiled.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from foxtray.core import codes
from foxtray.core.codes import DICE
from foxtray.core.layout import Layout, layout

OWN = 0
"""The own seat; 1 is the next seat in turn order, and so on."""


@dataclass(frozen=True, slots=True)
class Observation:
    """The shape of the observations of a game: slices by name, and the bounds of each number."""

    game: str
    seats: int
    slices: dict[str, slice]
    low: tuple[int, ...]
    high: tuple[int, ...]

    @property
    def size(self) -> int:
        """How many numbers an observation has."""
        return len(self.low)


@cache
def observation_of(game: str, seats: int) -> Observation:
    """The shape of the observations of a game with this many seats."""
    known = layout(game)
    t, sheet = known.tables, known.sheet
    slices: dict[str, slice] = {}
    low: list[int] = []
    high: list[int] = []

    def add(name: str, *bounds: tuple[int, int]) -> None:
        slices[name] = slice(len(low), len(low) + len(bounds))
        low.extend(bound[0] for bound in bounds)
        high.extend(bound[1] for bound in bounds)

    points = [area_bounds(known, area) for area in range(t.areas)]
    tracks = [codes.TRACK_NAMES.index(track.name) for track in sheet.tracks]
    for seat in range(seats):
        add(f"{seat}.cells", *((0, cell_bounds(known, c)[1]) for c in range(len(known.cell_names))))
        add(f"{seat}.filled", *((0, len(area.cells)) for area in sheet.areas))
        add(f"{seat}.points", *points)
        add(f"{seat}.foxes", (0, known.fox_places))
        add(f"{seat}.total", total_bounds(known))
        for track in sorted(tracks):
            name = codes.TRACK_NAMES[track]
            add(f"{seat}.{name}", *((0, t.track_fields[track]) for _ in range(2)))
        kinds = t.marks + bool(t.choice)
        add(f"{seat}.open", *((0, known.bonus_places) for _ in range(kinds)))
        add(f"{seat}.stage", (0, len(codes.STAGE_NAMES) - 1))
        add(f"{seat}.used", *((0, 1) for _ in range(DICE)))
    add("faces", *((0, codes.HIGHEST_FACE) for _ in range(DICE)))
    add("places", *((0, len(codes.PLACE_NAMES) - 1) for _ in range(DICE)))
    add("follow", *((0, 1) for _ in range(DICE)))
    add("turn", (0, t.rounds[seats] * max(2, seats) - 1))
    add("phase", (0, len(codes.PHASE_NAMES) - 1))
    add("roll", (0, codes.ROLLS))
    add("rerolls", (0, t.track_fields[codes.REROLLS]))
    add("active", (0, max(1, seats - 1)))
    return Observation(game, seats, slices, tuple(low), tuple(high))


def cell_bounds(known: Layout, cell: int) -> tuple[int, int]:
    """The lowest and highest mark in a cell that has one."""
    t, area = known.tables, known.cell_area[cell]
    if t.writes_value[area]:
        values = known.sheet.areas[area].values
        return values[0] * t.factor[cell], values[-1] * t.factor[cell]
    return 1, t.full[area]


def area_bounds(known: Layout, area: int) -> tuple[int, int]:
    """The lowest and highest points that an area can be worth."""
    t = known.tables
    cells = range(t.first_cell[area], t.end_cell[area])
    lines = range(t.first_line[area], t.end_line[area])
    scores = t.scores[area]
    if scores == codes.BY_COUNT:
        return 0, max(t.points[area])
    if scores == codes.SUM:
        return 0, sum(cell_bounds(known, cell)[1] for cell in cells)
    if scores == codes.BY_LINES:
        return 0, sum(t.line_points[line] for line in lines)
    if scores == codes.BY_ROWS:
        rows = sum(t.line_is_row[line] for line in lines)
        return 0, rows * max(t.points[area])
    lowest = highest = 0
    for cell in cells[1::2]:
        first, second = cell_bounds(known, cell - 1), cell_bounds(known, cell)
        lowest += min(0, first[0] - second[1])
        highest += max(0, first[1] - second[0])
    return lowest, highest


def total_bounds(known: Layout) -> tuple[int, int]:
    """Bounds on the total of a seat: every area at its lowest or highest, with all foxes."""
    points = [area_bounds(known, area) for area in range(known.tables.areas)]
    foxes = known.fox_places
    lowest, highest = min(low for low, _ in points), min(high for _, high in points)
    return (
        sum(low for low, _ in points) + foxes * lowest,
        sum(high for _, high in points) + foxes * highest,
    )
