"""What happened, in the order it happened; enough to animate a sheet without knowing a rule."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields
from typing import Annotated, Any

from foxtray.core import codes
from foxtray.core.codes import (
    DICE,
    ENTRY_WIDTH,
    MannerName,
    MoveName,
    PlaceName,
    SourceName,
    StageName,
    TrackName,
)
from foxtray.core.layout import Layout
from foxtray.core.state import Log
from foxtray.games.model import LineKind


@dataclass(frozen=True, slots=True)
class Event:
    """One thing that happened."""

    @property
    def name(self) -> str:
        """The event's name in text and JSON: `bonus_earned` for BonusEarned."""
        return NAMES[type(self)]

    def as_dict(self) -> EventView:
        """The event as plain data, its name under "event"."""
        # By hand: dataclasses.asdict copies deeply and is ten times slower.
        return {"event": self.name} | {name: getattr(self, name) for name in FIELDS[type(self)]}


EventView = Annotated[dict[str, Any], Event]
"""An event as plain data."""


@dataclass(frozen=True, slots=True)
class RoundStarted(Event):
    round: int


@dataclass(frozen=True, slots=True)
class TurnStarted(Event):
    """A seat becomes active; `serving` marks the passive half of a solo round."""

    turn: int
    seat: int
    serving: bool


@dataclass(frozen=True, slots=True)
class Thrown(Event):
    """Dice were thrown; `faces` shows all six, `dice` names the ones that rolled."""

    dice: tuple[str, ...]
    faces: tuple[int, ...]
    roll: int
    reroll: int


@dataclass(frozen=True, slots=True)
class Taken(Event):
    """A seat enters a die: from the pool, the tray, a die field, as extra die or extra cross."""

    seat: int
    die: str
    value: int
    manner: MannerName


@dataclass(frozen=True, slots=True)
class Moved(Event):
    """A die goes from one place to another."""

    die: str
    origin: PlaceName
    place: PlaceName
    reason: MoveName


@dataclass(frozen=True, slots=True)
class Marked(Event):
    """A cell is marked; `mark` is what stands in it now, `value` what was entered."""

    seat: int
    area: str
    cell: str
    mark: int
    value: int


@dataclass(frozen=True, slots=True)
class LineCompleted(Event):
    seat: int
    area: str
    kind: LineKind
    index: int


@dataclass(frozen=True, slots=True)
class BonusEarned(Event):
    """A bonus is received; `source` says from what, `where` which one."""

    seat: int
    bonus: str
    source: SourceName
    where: str


@dataclass(frozen=True, slots=True)
class BonusUsed(Event):
    seat: int
    bonus: str


@dataclass(frozen=True, slots=True)
class BonusLost(Event):
    seat: int
    bonus: str


@dataclass(frozen=True, slots=True)
class TrackCircled(Event):
    seat: int
    track: TrackName
    count: int


@dataclass(frozen=True, slots=True)
class ActionSpent(Event):
    seat: int
    track: TrackName
    count: int


@dataclass(frozen=True, slots=True)
class Passed(Event):
    """A seat did nothing at a stage: by choice, or `forced` because nothing was possible."""

    seat: int
    stage: StageName
    forced: bool


@dataclass(frozen=True, slots=True)
class ServingStarted(Event):
    """The rolls are over: passive seats choose, and extra dice may be used."""

    turn: int


@dataclass(frozen=True, slots=True)
class TurnEnded(Event):
    turn: int


@dataclass(frozen=True, slots=True)
class RoundEnded(Event):
    round: int


@dataclass(frozen=True, slots=True)
class GameEnded(Event):
    pass


def snake(name: str) -> str:
    return "".join("_" + c.lower() if c.isupper() else c for c in name).lstrip("_")


EVENTS: tuple[type[Event], ...] = (
    RoundStarted,
    TurnStarted,
    Thrown,
    Taken,
    Moved,
    Marked,
    LineCompleted,
    BonusEarned,
    BonusUsed,
    BonusLost,
    TrackCircled,
    ActionSpent,
    Passed,
    ServingStarted,
    TurnEnded,
    RoundEnded,
    GameEnded,
)
NAMES: dict[type[Event], str] = {kind: snake(kind.__name__) for kind in EVENTS}
FIELDS = {kind: tuple(field.name for field in fields(kind)) for kind in EVENTS}


def source_name(layout: Layout, source: int, index: int) -> str:
    """The cell, line, track or round that a bonus came from."""
    if source == codes.BY_CELL:
        return layout.cell_names[index]
    if source == codes.BY_LINE:
        area, index_in_area = layout.lines[index]
        line = layout.sheet.areas[area].lines[index_in_area]
        return f"{layout.sheet.areas[area].colour} {line.kind} {line.index + 1}"
    return codes.TRACK_NAMES[index] if source == codes.BY_TRACK else str(index + 1)


def thrown(layout: Layout, mask: int, packed: int, roll: int, reroll: int) -> Thrown:
    dice = tuple(die.colour for d, die in enumerate(layout.sheet.dice) if mask >> d & 1)
    return Thrown(dice, tuple(packed >> 3 * d & 7 for d in range(DICE)), roll, reroll)


def marked(layout: Layout, seat: int, cell: int, mark: int, value: int) -> Marked:
    area = layout.sheet.areas[layout.cell_area[cell]].colour
    return Marked(seat, area, layout.cell_names[cell], mark, value)


def line_completed(layout: Layout, seat: int, line: int, _c: int, _d: int) -> LineCompleted:
    area, index_in_area = layout.lines[line]
    found = layout.sheet.areas[area].lines[index_in_area]
    return LineCompleted(seat, layout.sheet.areas[area].colour, found.kind, found.index)


READERS: dict[int, Callable[[Layout, int, int, int, int], Event]] = {
    codes.ROUND_STARTED: lambda _, a, b, c, d: RoundStarted(a),
    codes.TURN_STARTED: lambda _, a, b, c, d: TurnStarted(a, b, bool(c)),
    codes.THROWN: thrown,
    codes.TAKEN: lambda k, a, b, c, d: Taken(a, k.sheet.dice[b].colour, c, codes.MANNER_NAMES[d]),
    codes.MOVED: lambda k, a, b, c, d: Moved(
        k.sheet.dice[a].colour, codes.PLACE_NAMES[b], codes.PLACE_NAMES[c], codes.MOVE_NAMES[d]
    ),
    codes.MARKED: marked,
    codes.LINE_COMPLETED: line_completed,
    codes.BONUS_EARNED: lambda k, a, b, c, d: BonusEarned(
        a, str(k.bonuses[b]), codes.SOURCE_NAMES[c], source_name(k, c, d)
    ),
    codes.BONUS_USED: lambda k, a, b, c, d: BonusUsed(a, str(k.bonuses[b])),
    codes.BONUS_LOST: lambda k, a, b, c, d: BonusLost(a, str(k.bonuses[b])),
    codes.TRACK_CIRCLED: lambda _, a, b, c, d: TrackCircled(a, codes.TRACK_NAMES[b], c),
    codes.ACTION_SPENT: lambda _, a, b, c, d: ActionSpent(a, codes.TRACK_NAMES[b], c),
    codes.PASSED: lambda _, a, b, c, d: Passed(a, codes.STAGE_NAMES[b], bool(c)),
    codes.SERVING_STARTED: lambda _, a, b, c, d: ServingStarted(a),
    codes.TURN_ENDED: lambda _, a, b, c, d: TurnEnded(a),
    codes.ROUND_ENDED: lambda _, a, b, c, d: RoundEnded(a),
    codes.GAME_ENDED: lambda _, a, b, c, d: GameEnded(),
}


def read_log(layout: Layout, log: Log) -> Iterator[Event]:
    """The events of a log of the rules."""
    for i in range(0, log.size, ENTRY_WIDTH):
        code, a, b, c, d = log.entries[i : i + ENTRY_WIDTH]
        yield READERS[code](layout, a, b, c, d)


def before_round(events: Sequence[Event]) -> Sequence[Event]:
    """What a move itself sets off: everything before the next round begins, with its bonus."""
    for i, event in enumerate(events):
        if isinstance(event, RoundStarted):
            return events[:i]
    return events
