"""A game in memory as its inputs, with undo. The terminal and the server both use it.

The state is always what a replay of the inputs gives.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple, Self

from foxtray.core.codes import DICE
from foxtray.core.layout import Action
from foxtray.dice import Dice, SecretDice, SeededDice, Throw
from foxtray.errors import BadSetup, NothingToUndo
from foxtray.events import Event, RoundStarted
from foxtray.game import Game


@dataclass(frozen=True, slots=True)
class Setup:
    """What is fixed before the first throw."""

    game: str
    seats: int = 1
    first: int = 0
    solo_fallback: bool = False
    fox_floor: bool = False
    names: tuple[str, ...] = ()
    seed: int | None = None
    """The seed of the dice, if they have one."""
    commitment: str | None = None
    """The SHA-256 of the dice's secret, if they have one."""
    commitments: tuple[str, ...] = ()
    """The commitment of each seat to its entropy; empty if it made none."""
    entropies: tuple[bytes, ...] = ()
    secret: bytes | None = field(default=None, repr=False)
    """Known to the server; written to a file only when the game is over or given up."""

    def start(self) -> Game:
        """The game at its first moment."""
        return Game.new(
            self.game,
            self.seats,
            first=self.first,
            solo_fallback=self.solo_fallback,
            fox_floor=self.fox_floor,
        )

    def dice(self) -> Dice | None:
        """The source of the throws; None if they are rolled by hand or by a server."""
        if self.seed is not None:
            return SeededDice(self.seed)
        if self.secret is not None:
            return SecretDice(self.secret, self.entropies)
        return None

    def left_out(self) -> list[int]:
        """The seats that committed to their entropy and did not reveal it in time."""
        pairs = zip(self.commitments, self.entropies, strict=False)
        return [seat for seat, (promise, entropy) in enumerate(pairs) if promise and not entropy]

    def in_clear(self) -> list[int]:
        """The seats that gave their entropy without committing to it first."""
        promises = self.commitments or ("",) * len(self.entropies)
        pairs = zip(promises, self.entropies, strict=True)
        return [seat for seat, (promise, entropy) in enumerate(pairs) if entropy and not promise]


class ThrowInput(NamedTuple):
    """An input: dice were thrown."""

    throw: Throw


class PlayInput(NamedTuple):
    """An input: a seat acted."""

    seat: int
    action: Action


Input = ThrowInput | PlayInput


class History:
    """The history of one game: its inputs so far, and the game they lead to."""

    def __init__(self, setup: Setup) -> None:
        self.setup = setup
        self._log: list[Input] = []
        """Shared with copies, which go on in their own ways: `_size` of it are this history's."""
        self._size = 0
        self.game = setup.start()
        self.dice = setup.dice()
        self.given_up = False
        """Whether every player gave the game up: it has no end, and its secret is revealed."""
        self._before: list[Game] = []
        """The game before each of the last inputs, as far back as undo can reach."""

    def copy(self) -> Self:
        """An independent copy; games and inputs are immutable, so they are shared."""
        twin = type(self).__new__(type(self))
        vars(twin).update(vars(self))  # much faster than copy.copy
        twin._before = self._before[:]
        return twin

    @property
    def inputs(self) -> list[Input]:
        """The inputs so far."""
        return self._log[: self._size]

    def _recent(self) -> list[Input]:
        """The inputs that undo can reach."""
        return self._log[self._size - len(self._before) : self._size]

    def _replace_recent(self, count: int, entries: Sequence[Input]) -> None:
        """Put entries in the place of the last `count` inputs."""
        kept = self._size - count
        if len(self._log) > kept:  # what follows is another's, or is to go
            self._log = self._log[:kept]
        self._log += entries
        self._size = kept + len(entries)

    def play(self, seat: int, action: Action | str) -> tuple[Event, ...]:
        """Let a seat act."""
        if isinstance(action, str):
            action = Action.parse(self.setup.game, action)
        return self._add(PlayInput(seat, action))

    def roll(self, throw: Throw | None = None) -> tuple[Event, ...]:
        """Throw the dice: with the given throw, or from the history's own source."""
        address = self.game.address()
        if throw is None and address is not None:
            if self.dice is None:
                raise BadSetup("these dice are rolled by hand; give their faces")
            throw = self.dice.throw(*address)
        return self._add(ThrowInput(only_wanted(self.game, throw or Throw((0,) * DICE))))

    def _add(self, entry: Input) -> tuple[Event, ...]:
        before = self.game
        self.game, events = step(before, entry)
        self._replace_recent(0, [entry])
        self._before.append(before)
        if isinstance(entry, ThrowInput) or any(isinstance(e, RoundStarted) for e in events):
            self._before = []
        return events

    def undo(self, seat: int) -> PlayInput:
        """Undo a seat's last action since the last throw or the start of the round."""
        at = self._last().get(seat)
        if at is None:
            raise NothingToUndo(
                "there is nothing to undo since the last roll or the start of the round"
            )
        if not self.may_undo(seat):
            raise NothingToUndo("this cannot be undone: other players have already gone on")
        undone, *later = self._recent()[at:]
        assert isinstance(undone, PlayInput)
        games = [self._before[at]]
        for entry in later:
            games.append(step(games[-1], entry)[0])
        self._replace_recent(1 + len(later), later)
        *self._before[at:], self.game = games
        return undone

    def may_undo_throw(self) -> bool:
        """Whether nobody has acted on the last throw of real dice, which may be mistyped."""
        if self.dice is not None or not self._size:
            return False
        return isinstance(self._log[self._size - 1], ThrowInput)

    def undo_throw(self) -> None:
        """Undo a throw of real dice."""
        if not self.may_undo_throw():
            raise NothingToUndo("there is no roll to undo")
        before = History(self.setup)
        for entry in self.inputs[:-1]:
            before._add(entry)
        self._log, self._size = before._log, before._size
        self.game, self._before = before.game, before._before

    def may_undo(self, seat: int) -> bool:
        """Whether a seat can undo an action since the last throw or the start of the round."""
        return seat in self.undoable()

    def undoable(self) -> list[int]:
        """The seats that can undo an action since the last throw or the start of the round.

        An action that ended the rolls stays: without it, nobody could have been served.
        """
        phases = [game.state.phase for game in self._before]
        last = self._last()
        return [seat for seat in sorted(last) if len({*phases[last[seat] : last[seat] + 2]}) == 1]

    def _last(self) -> dict[int, int]:
        """The index of each seat's last action among those that undo can reach."""
        if self.game.over:
            return {}
        recent = enumerate(self._recent())
        return {entry.seat: at for at, entry in recent if isinstance(entry, PlayInput)}


def step(game: Game, entry: Input) -> tuple[Game, tuple[Event, ...]]:
    """A game after one more input."""
    if isinstance(entry, ThrowInput):
        return game.roll(entry.throw)
    return game.play(entry.seat, entry.action)


def only_wanted(game: Game, throw: Throw) -> Throw:
    """A throw without the faces of dice that are not to be thrown."""
    wanted = game.rolling()
    faces = tuple([face if d in wanted else 0 for d, face in enumerate(throw.faces)])
    return throw if faces == throw.faces else replace(throw, faces=faces)
