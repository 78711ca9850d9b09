"""What a review says, and its JSON form (docs/review.md)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields, is_dataclass
from typing import Any, Literal, TypeVar

from foxtray.errors import BadSetup, FoxtrayError

T = TypeVar("T")
VERSION = 1
"""The version of the JSON form. Fields may be added without a new version."""

EffortName = Literal["quick", "normal", "deep"]


@dataclass(frozen=True, slots=True)
class Line:
    """A sequence of actions until the next roll, and what it leads to."""

    actions: tuple[str, ...]
    points: float
    """The expected final points."""
    error: float
    """The standard error of the points; 0 if they are exact."""
    win_chance: float | None
    """None in a solo game."""
    areas: tuple[float, ...]
    """The expected final points of each area, in the order of the sheet."""
    foxes: float
    """The expected final number of foxes."""
    tracks: dict[str, int]
    """The actions left on each track after the line."""


@dataclass(frozen=True, slots=True)
class Alternative:
    """An action that was possible, with the best line that starts with it."""

    action: str
    line: tuple[str, ...]
    points: float
    error: float
    win_chance: float | None
    """None in a solo game, or if the alternative was not searched."""
    searched: bool
    """Whether it was looked at as closely as the best one; otherwise the points are the net's."""


@dataclass(frozen=True, slots=True)
class Step:
    """One action of a decision."""

    at: int
    """The number of the input in the record, counted from 0."""
    action: str
    price: float
    """The points given away by this step, however well the decision went on."""
    alternatives: tuple[Alternative, ...]
    """Every legal action, the best first; empty if there was no choice."""


@dataclass(frozen=True, slots=True)
class Reason:
    """One difference between the best line and the chosen one; `foxtray.review.words` puts it into
    words."""

    kind: str
    area: str = ""
    """The area's colour, if the reason is about an area."""
    track: str = ""
    """The track's name, if the reason is about an action."""
    amount: float = 0.0
    """How much the best line has more: points, foxes or actions."""


@dataclass(frozen=True, slots=True)
class Decision:
    """Everything a seat did between two rolls, judged as one decision."""

    kind: Literal["decision"]
    at: int
    """The number of its first input in the record, counted from 0."""
    round: int
    turn: int
    stage: str
    """What the seat was asked first: bonus, pick, window, follow, served or extra."""
    correction: float
    """The change from the value after the moment before to `before`."""
    before: float
    """The value of the best line."""
    after: float
    """The value of the chosen line."""
    price: float
    """The points given away: `before - after`, never below 0."""
    error: float
    """The standard error of the price."""
    exact: bool
    """Whether both lines are valued exactly."""
    chosen: Line
    best: Line
    steps: tuple[Step, ...]
    reasons: tuple[Reason, ...]
    """Why the best line is better, most important first; empty if the price is small."""


@dataclass(frozen=True, slots=True)
class Roll:
    """A roll and the luck it brought a seat."""

    kind: Literal["roll"]
    at: int
    round: int
    turn: int
    by: int
    """The seat that rolled."""
    faces: tuple[int, ...]
    """The faces of the six dice; 0 for a die that was not rolled."""
    correction: float
    before: float
    after: float
    luck: float
    """`after - before`."""
    error: float
    """The standard error of the luck."""


@dataclass(frozen=True, slots=True)
class Influence:
    """What another player's choices gave or took."""

    kind: Literal["influence"]
    at: int
    round: int
    turn: int
    by: int
    """The seat that chose."""
    correction: float
    before: float
    after: float
    gain: float
    """`after - before`: compared with what the other player's best choice would have left."""


Moment = Decision | Roll | Influence


@dataclass(frozen=True, slots=True)
class SeatReview:
    """The game of one seat: result = expected + luck + influence - price + correction."""

    seat: int
    name: str
    result: float
    """The final points, or the expected ones if the game is not over."""
    expected: float
    """The expected points at the start, with best play."""
    luck: float
    luck_error: float
    influence: float
    price: float
    price_error: float
    correction: float
    moments: tuple[Moment, ...]

    @property
    def decisions(self) -> tuple[Decision, ...]:
        """The decisions, in order."""
        return tuple(moment for moment in self.moments if isinstance(moment, Decision))

    @property
    def rolls(self) -> tuple[Roll, ...]:
        """The rolls, in order."""
        return tuple(moment for moment in self.moments if isinstance(moment, Roll))

    def costliest(self, count: int = 5, least: float = 0.5) -> tuple[Decision, ...]:
        """The decisions with the highest price, at least `least` points and two errors."""
        clear = [d for d in self.decisions if d.price >= max(least, 2 * d.error)]
        return tuple(sorted(clear, key=lambda d: -d.price)[:count])


@dataclass(frozen=True, slots=True)
class Review:
    """A whole game: every decision has a price, every roll its luck."""

    version: int
    game: str
    seats: int
    finished: bool
    """Whether the game is over; otherwise the results are expectations."""
    effort: EffortName
    seed: int
    weights: str
    """The first digits of the SHA-256 of the weights that valued the game."""
    players: tuple[SeatReview, ...]
    """The reviewed seats, in order."""

    def player(self, seat: int) -> SeatReview:
        """The review of a seat; a seat that was not reviewed is refused."""
        for player in self.players:
            if player.seat == seat:
                return player
        raise BadSetup(f"seat {seat + 1} was not reviewed")

    def as_json(self) -> dict[str, Any]:
        """The review as plain lists and dicts."""
        found: dict[str, Any] = plain(self)
        return found


@dataclass(frozen=True, slots=True)
class Hint:
    """The best line now, and all alternatives to its first action."""

    best: Line
    alternatives: tuple[Alternative, ...]
    gap: float
    """How far the second-best action is behind; 0 if there is only one."""
    error: float
    """The standard error of the gap."""
    reasons: tuple[Reason, ...]
    """Why the best line is better than the second-best action."""

    def as_json(self) -> dict[str, Any]:
        """The hint as plain lists and dicts."""
        found: dict[str, Any] = plain(self)
        return found


def plain(value: Any) -> Any:
    """A value of the model as plain lists, dicts, numbers and strings."""
    if is_dataclass(value):
        return {part.name: plain(getattr(value, part.name)) for part in fields(value)}
    if isinstance(value, tuple):
        return [plain(each) for each in value]
    return value


def read_review(data: dict[str, Any]) -> Review:
    """A review from its JSON form; fields that it does not know are ignored."""

    def read() -> Review:
        if data["version"] != VERSION:
            raise FoxtrayError(f"this is a review of version {data['version']}, not {VERSION}")
        return made(Review, data, players=tuple(map(read_player, data["players"])))

    return well_formed(read, "review")


def read_hint(data: dict[str, Any]) -> Hint:
    """A hint from its JSON form; fields that it does not know are ignored."""

    def read() -> Hint:
        return made(
            Hint,
            data,
            best=read_line(data["best"]),
            alternatives=tuple(map(read_alternative, data["alternatives"])),
            reasons=tuple(made(Reason, reason) for reason in data["reasons"]),
        )

    return well_formed(read, "hint")


def well_formed(read: Callable[[], T], what: str) -> T:
    """What was read; if it has another form, the error says so."""
    try:
        return read()
    except (KeyError, TypeError, AttributeError):
        raise FoxtrayError(f"this is not the JSON form of a {what}") from None


def made(kind: Callable[..., T], data: dict[str, Any], **parts: object) -> T:
    """A dataclass from its JSON form, with the parts that were read already."""
    names = [field.name for field in fields(kind)]  # type: ignore[arg-type]
    return kind(**{name: data[name] for name in names if name in data} | parts)


def read_player(data: dict[str, Any]) -> SeatReview:
    return made(SeatReview, data, moments=tuple(map(read_moment, data["moments"])))


def read_moment(data: dict[str, Any]) -> Moment:
    if data["kind"] == "roll":
        return made(Roll, data, faces=tuple(data["faces"]))
    if data["kind"] == "influence":
        return made(Influence, data)
    return made(
        Decision,
        data,
        chosen=read_line(data["chosen"]),
        best=read_line(data["best"]),
        steps=tuple(map(read_step, data["steps"])),
        reasons=tuple(made(Reason, reason) for reason in data["reasons"]),
    )


def read_line(data: dict[str, Any]) -> Line:
    return made(Line, data, actions=tuple(data["actions"]), areas=tuple(data["areas"]))


def read_step(data: dict[str, Any]) -> Step:
    return made(Step, data, alternatives=tuple(map(read_alternative, data["alternatives"])))


def read_alternative(data: dict[str, Any]) -> Alternative:
    return made(Alternative, data, line=tuple(data["line"]))
