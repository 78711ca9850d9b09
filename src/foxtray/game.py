"""A game at one moment: the readable interface to the rules. Playing returns a new game."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from operator import index
from typing import Any, Literal, NamedTuple, SupportsIndex

from foxtray import position, refusal
from foxtray.core import codes, observation, rules
from foxtray.core.codes import ACTIONS, AREAS, SEATS, PlaceName, StageName
from foxtray.core.layout import Action, Layout, layout
from foxtray.core.state import Log, State
from foxtray.dice import Throw
from foxtray.errors import BadSetup, IllegalAction, MalformedAction, MalformedThrow
from foxtray.events import Event, read_log
from foxtray.games.model import Sheet
from foxtray.observation import observation_of

Stage = Literal["bonus", StageName]

RULES_VERSION = 1
"""Increases whenever the same inputs would give a different game."""


@dataclass(frozen=True, slots=True)
class ScoreCard:
    """The current points of a seat."""

    areas: tuple[int, ...]
    foxes: int
    fox_value: int
    total: int


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a game ended."""

    totals: tuple[int, ...]
    winners: tuple[int, ...]


class Progress(NamedTuple):
    """The result of a step: the new game, and what happened."""

    game: Game
    events: tuple[Event, ...]


@cache
def bits(mask: int) -> tuple[int, ...]:
    """The positions of the bits that are set, ascending."""
    return tuple(i for i in range(mask.bit_length()) if mask >> i & 1)


SPARE_LOGS: list[Log] = []
"""Logs to be used again: making one takes longer than reading it."""


def spare_log() -> Log:
    """An empty log."""
    try:
        return SPARE_LOGS.pop()
    except IndexError:
        return Log()


def read_and_return(known: Layout, log: Log) -> tuple[Event, ...]:
    """The events of a log, which can then be used again."""
    events = tuple(read_log(known, log))
    log.size = 0
    SPARE_LOGS.append(log)
    return events


def check_seats(seats: int) -> None:
    """Refuse an impossible number of seats."""
    if not 1 <= seats <= SEATS:
        raise BadSetup(f"{seats} seats are not possible; choose 1 to {SEATS}")


def choose_seat(seats: int) -> str:
    """The end of a sentence about a seat that does not exist."""
    return f"choose 1 to {seats}" if seats > 1 else "the only seat is 1"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Game:
    """A game by the rules; immutable, so any moment can be kept.

    Two games are equal if they are the same game at the same moment, however they got there.
    """

    layout: Layout
    state: State
    opening: tuple[Event, ...] = ()

    @classmethod
    def new(
        cls,
        game: str,
        seats: int = 1,
        *,
        first: int = 0,
        solo_fallback: bool = False,
        fox_floor: bool = False,
    ) -> Game:
        """A new game; `opening` holds the events of its first round."""
        known = layout(game)
        check_seats(seats)
        if not 0 <= first < seats:
            raise BadSetup(f"seat {first + 1} cannot start; {choose_seat(seats)}")
        state = State(seats, first, int(solo_fallback), int(fox_floor))
        log = spare_log()
        rules.begin(known.tables, state, log)
        return cls(known, state, read_and_return(known, log))

    @classmethod
    def from_position(cls, text: str) -> Game:
        """The game at a position written by `position()`."""
        return cls(*position.parse(text))

    def position(self) -> str:
        """This moment as one line of text."""
        return position.write(self.layout, self.state)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Game):
            return NotImplemented
        return self.sheet.id == other.sheet.id and self.state == other.state

    def __hash__(self) -> int:
        s = self.state
        seats = range(s.seats)
        written = b"".join(bytes(rows[k]) for rows in (s.cells, s.spent, s.open) for k in seats)
        return hash((self.sheet.id, s.turn, s.phase, s.rolls, *s.face, *s.place, *s.stage, written))

    def __repr__(self) -> str:
        return f"Game.from_position({self.position()!r})"

    def __reduce__(self) -> tuple[Callable[[str], Game], tuple[str]]:
        """Pickle as a position: short, and readable by other versions. `opening` is not kept."""
        return Game.from_position, (self.position(),)

    def __copy__(self) -> Game:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Game:
        """A copy with a state of its own, for those who want to change it."""
        return Game(self.layout, self.state.copy(), self.opening)

    # --- the position --------------------------------------------------------------------------

    @property
    def sheet(self) -> Sheet:
        return self.layout.sheet

    @property
    def seats(self) -> int:
        return self.state.seats

    @property
    def turn(self) -> int:
        """The turn, counted from 0 over the whole game; a solo round has two."""
        return self.state.turn

    @property
    def round(self) -> int:
        return rules.round_of(self.state)

    @property
    def active(self) -> int:
        """The active seat; in solo serving the only seat."""
        return rules.active_seat(self.state)

    @property
    def serving(self) -> bool:
        """Whether the rolls of this turn are over."""
        return self.state.phase == codes.SERVING

    @property
    def over(self) -> bool:
        return self.state.phase == codes.OVER

    @property
    def faces(self) -> tuple[int, ...]:
        """What the six dice show; 0 before their first throw."""
        return tuple(self.state.face)

    @property
    def places(self) -> tuple[PlaceName, ...]:
        """Where the six dice lie: pool, tray, aside, field1, field2 or field3."""
        names = codes.PLACE_NAMES
        return tuple([names[p] for p in self.state.place])

    @property
    def options(self) -> dict[str, bool]:
        """The rules options, by name."""
        return {
            "solo_fallback": bool(self.state.solo_fallback),
            "fox_floor": bool(self.state.fox_floor),
        }

    def stage(self, seat: int) -> Stage:
        """What a seat has to decide: bonuses first, then pick, window, follow, served or extra."""
        if self.state.pending[seat]:
            return "bonus"
        return codes.STAGE_NAMES[self.state.stage[seat]]

    def marks(self, seat: int) -> dict[str, int]:
        """The marked cells: a value, or 1 for a cross; in staged areas 1 circled, 2 crossed."""
        row = self.state.cells[seat]
        return {name: row[c] for c, name in enumerate(self.layout.cell_names) if row[c]}

    def tracks(self, seat: int) -> dict[str, tuple[int, int]]:
        """How many actions of each kind a seat has circled and spent."""
        found = {}
        for track in self.sheet.tracks:
            i = codes.TRACK_NAMES.index(track.name)
            found[track.name] = (self.state.circled[seat][i], self.state.spent[seat][i])
        return found

    def open_bonuses(self, seat: int) -> dict[str, int]:
        """The bonuses a seat still has to use, and how many of each."""
        row = self.state.open[seat]
        return {str(b): row[i] for i, b in enumerate(self.layout.bonuses) if row[i]}

    def scores(self) -> tuple[ScoreCard, ...]:
        """The current points of every seat."""
        return tuple(self.score(seat) for seat in range(self.seats))

    def score(self, seat: int) -> ScoreCard:
        """The current points of a seat."""
        t, s = self.layout.tables, self.state
        areas = tuple([rules.area_points(t, s, seat, a) for a in range(t.areas)])
        foxes, value = s.foxes[seat], rules.fox_worth(s, min(areas))
        return ScoreCard(areas, foxes, value, sum(areas) + foxes * value)

    def outcome(self) -> Outcome | None:
        """Totals and winners once the game is over."""
        if not self.over:
            return None
        won = bits(rules.winners(self.layout.tables, self.state))
        return Outcome(tuple(card.total for card in self.scores()), won)

    # --- what may happen -----------------------------------------------------------------------

    def awaiting(self) -> tuple[int, ...]:
        """The seats that may act now, in any order."""
        return bits(rules.awaiting(self.layout.tables, self.state))

    def rolling(self) -> tuple[int, ...]:
        """The dice to throw now; while there are any, no seat may act."""
        return bits(rules.rolling(self.layout.tables, self.state))

    def address(self) -> tuple[int, int, int] | None:
        """Turn, roll and reroll of the next throw; None if no dice are to be thrown."""
        if self.state.phase != codes.THROW:
            return None
        return self.state.turn, self.state.rolls, self.state.rerolls

    def undecided(self, faces: Sequence[int]) -> tuple[int, list[int]]:
        """In solo serving: how many of which equal dice go to the platter; 0 if there is no tie."""
        address = self.address()
        border = sorted(faces)[codes.SOLO_TRAY - 1]
        equal = [d for d, face in enumerate(faces) if face == border]
        left = codes.SOLO_TRAY - sum(face < border for face in faces)
        if address is None or address[1] > 0 or left == len(equal):
            return 0, []
        return left, equal

    def legal(self, seat: int) -> tuple[Action, ...]:
        """What a seat may do now, in the fixed order of actions."""
        actions = self.layout.actions
        return tuple(actions[i] for i in self._legal_ids(seat))

    def mask(self, seat: int) -> bytes:
        """What a seat may do now: 1 at the id of a legal action, 0 at all others."""
        found = bytearray(len(self.layout.actions))
        for i in self._legal_ids(seat):
            found[i] = 1
        return bytes(found)

    def observation(self, seat: int) -> array[int]:
        """What a seat sees as a row of whole numbers, named by `foxtray.observation`."""
        self._check_seat(seat)
        t, s = self.layout.tables, self.state
        points, counted = ([[start] * AREAS for _ in range(SEATS)] for start in (0, -1))
        totals = [0] * SEATS
        observation.add_up(t, s, points, totals, counted)
        out = array("h", bytes(2 * observation_of(self.sheet.id, self.seats).size))
        observation.observe(t, s, points, totals, seat, memoryview(out), 0)
        return out

    def _legal_ids(self, seat: int) -> list[int]:
        self._check_seat(seat)
        out = [0] * ACTIONS
        return out[: rules.legal_actions(self.layout.tables, self.state, seat, out)]

    def _check_seat(self, seat: int) -> None:
        if not 0 <= seat < self.seats:
            raise IllegalAction(
                "no_such_seat", f"there is no seat {seat + 1}; {choose_seat(self.seats)}"
            )

    def _action(self, given: Action | str | SupportsIndex) -> Action:
        """An action, or the one with this text or id."""
        if isinstance(given, Action):
            return given
        if isinstance(given, str):
            return Action.parse(self.sheet.id, given)
        i, actions = index(given), self.layout.actions
        if not 0 <= i < len(actions):
            raise MalformedAction(
                f"{i} is not the id of an action of {self.sheet.id}; choose 0 to {len(actions) - 1}"
            )
        return actions[i]

    # --- what happens --------------------------------------------------------------------------

    def play(self, seat: int, action: Action | str | SupportsIndex) -> Progress:
        """Let a seat act, by an action, its text or its id; this game does not change.

        Raises IllegalAction with the reason.
        """
        action = self._action(action)
        legal = self._legal_ids(seat)
        if action.id not in legal or action != self.layout.actions[action.id]:
            raise IllegalAction(*refusal.reason(self, seat, action))
        state, log = self.state.copy(), spare_log()
        rules.apply(self.layout.tables, state, seat, action.id, log)
        return Progress(Game(self.layout, state), read_and_return(self.layout, log))

    def roll(self, throw: Throw) -> Progress:
        """Throw the dice that `rolling` names; faces of other dice are ignored."""
        wanted = self.rolling()
        if not wanted:
            raise IllegalAction("no_throw", "there are no dice to roll now")
        if not all(throw.faces[d] for d in wanted):
            missing = ", ".join(self.sheet.dice[d].colour for d in wanted if not throw.faces[d])
            raise MalformedThrow(f"these dice need a face: {missing}")
        state, log = self.state.copy(), spare_log()
        rules.roll(self.layout.tables, state, list(throw.faces), list(throw.order), log)
        return Progress(Game(self.layout, state), read_and_return(self.layout, log))
