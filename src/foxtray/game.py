"""A game at one moment: the readable face of the rules. Playing returns a new one."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from foxtray import position, refusal
from foxtray.core import codes, rules
from foxtray.core.codes import ACTIONS, SEATS
from foxtray.core.layout import Action, Layout, layout
from foxtray.core.state import Log, State
from foxtray.dice import Throw
from foxtray.errors import BadSetup, IllegalAction, MalformedThrow
from foxtray.events import Event, read_log
from foxtray.sheets.model import Sheet

RULES_VERSION = 1
"""Grows whenever the same inputs would give another game."""


@dataclass(frozen=True, slots=True)
class ScoreCard:
    """The points of a seat as they stand."""

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
    """What a step led to: the new game, and what happened on the way."""

    game: Game
    events: tuple[Event, ...]


def bits(mask: int) -> tuple[int, ...]:
    """The numbers of the bits that are set, ascending."""
    return tuple(i for i in range(mask.bit_length()) if mask >> i & 1)


@dataclass(frozen=True, slots=True)
class Game:
    """A game by the rules; immutable, so keep any moment you like."""

    layout: Layout = field(repr=False)
    state: State = field(repr=False)
    opening: tuple[Event, ...] = field(default=(), repr=False, compare=False)

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
        """A new game; what its first round gave is in `opening`."""
        known = layout(game)
        if not 1 <= seats <= SEATS:
            raise BadSetup(f"{seats} seats are not possible; choose 1 to {SEATS}")
        if not 0 <= first < seats:
            raise BadSetup(f"seat {first + 1} cannot begin: there are {seats} seats")
        state = State(seats, first, int(solo_fallback), int(fox_floor))
        log = Log()
        rules.begin(known.tables, state, log)
        return cls(known, state, tuple(read_log(known, log)))

    @classmethod
    def from_position(cls, text: str) -> Game:
        """The game at a position written by `position()`."""
        return cls(*position.parse(text))

    def position(self) -> str:
        """This moment as one line of text."""
        return position.write(self.layout, self.state)

    # --- what stands ---------------------------------------------------------------------------

    @property
    def sheet(self) -> Sheet:
        return self.layout.sheet

    @property
    def seats(self) -> int:
        return self.state.seats

    @property
    def turn(self) -> int:
        """Turns count from 0 over the whole game; the halves of a solo round are two."""
        return self.state.turn

    @property
    def round(self) -> int:
        return rules.round_of(self.state)

    @property
    def active(self) -> int:
        """The active seat; in solo serving the only one."""
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
        """What the six dice show; 0 before they were ever thrown."""
        return tuple(self.state.face)

    @property
    def places(self) -> tuple[str, ...]:
        """Where the six dice lie: pool, tray, aside, field1, field2 or field3."""
        return tuple(codes.PLACE_NAMES[p] for p in self.state.place)

    @property
    def options(self) -> dict[str, bool]:
        """The options that differ between tables."""
        return {
            "solo_fallback": bool(self.state.solo_fallback),
            "fox_floor": bool(self.state.fox_floor),
        }

    def stage(self, seat: int) -> str:
        """What a seat is asked for: a bonus first, then pick, window, follow, served or extra."""
        if self.state.pending[seat]:
            return "bonus"
        return codes.STAGE_NAMES[self.state.stage[seat]]

    def marks(self, seat: int) -> dict[str, int]:
        """The marked cells: the value written, 1 for a cross; 1 circled, 2 crossed in stages."""
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
        """The points of every seat as they stand."""
        return tuple(self.score(seat) for seat in range(self.seats))

    def score(self, seat: int) -> ScoreCard:
        """The points of a seat as they stand."""
        t, s = self.layout.tables, self.state
        areas = tuple(rules.area_points(t, s, seat, a) for a in range(t.areas))
        foxes, value = s.foxes[seat], rules.fox_value(t, s, seat)
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
        """The dice that are wanted; then nobody is awaited."""
        return bits(rules.rolling(self.layout.tables, self.state))

    def address(self) -> tuple[int, int, int] | None:
        """Turn, roll and reroll of the throw that is wanted."""
        if self.state.phase != codes.THROW:
            return None
        return self.state.turn, self.state.rolls, self.state.rerolls

    def legal(self, seat: int) -> tuple[Action, ...]:
        """What a seat may do now, in the fixed order of actions."""
        if not 0 <= seat < self.seats:
            raise IllegalAction("no_such_seat", f"there is no seat {seat + 1}")
        out = [0] * ACTIONS
        count = rules.legal_actions(self.layout.tables, self.state, seat, out)
        actions = self.layout.actions
        return tuple(actions[i] for i in out[:count])

    # --- what happens --------------------------------------------------------------------------

    def play(self, seat: int, action: Action | str) -> Progress:
        """Let a seat act; raises IllegalAction with the reason, and changes nothing here."""
        if isinstance(action, str):
            action = Action.parse(self.sheet.id, action)
        if action not in self.legal(seat):
            raise IllegalAction(*refusal.reason(self, seat, action))
        state, log = self.state.copy(), Log()
        rules.apply(self.layout.tables, state, seat, action.id, log)
        return Progress(Game(self.layout, state), tuple(read_log(self.layout, log)))

    def roll(self, throw: Throw) -> Progress:
        """Throw the wanted dice; faces of other dice are ignored."""
        wanted = self.rolling()
        if not wanted:
            raise IllegalAction("no_throw", "no dice are to be thrown now")
        if not all(throw.faces[d] for d in wanted):
            missing = ", ".join(self.sheet.dice[d] for d in wanted if not throw.faces[d])
            raise MalformedThrow(f"a face is missing: {missing}")
        state, log = self.state.copy(), Log()
        rules.roll(self.layout.tables, state, list(throw.faces), list(throw.order), log)
        return Progress(Game(self.layout, state), tuple(read_log(self.layout, log)))
