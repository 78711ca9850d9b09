"""`Batch`: many games side by side, one decision of each per step, in the manner of pgx."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from types import ModuleType
from typing import Any

import numpy as np
import numpy.typing as npt

from foxtray.core.chance import MASK
from foxtray.core.codes import AREAS, IDLE, SEATS
from foxtray.core.layout import layout
from foxtray.dice import LAST_SEED
from foxtray.errors import BadSetup, FoxtrayError, IllegalAction, MalformedAction
from foxtray.game import Game, check_seats
from foxtray.observation import Observation, observation_of
from foxtray.sim import compiled
from foxtray.sim.arrays import STATE, from_array, new_work, tables_of, write
from foxtray.sim.batch import INSIDE, Chooser, checked, name_of
from foxtray.sim.steps import BYTES, NOBODY, OUTSIDE

Array = npt.NDArray[Any]

STEPS = "foxtray.sim.steps"
NOTHING = np.zeros(0, np.int16)
CASE = np.dtype(
    [
        ("low", np.int64),
        ("high", np.int64),
        ("seat", np.int32),
        ("counts", np.int16, SEATS),
        ("totals", np.int32, SEATS),
        ("gained", np.int32, SEATS),
        ("points", np.int16, (SEATS, AREAS)),
        ("counted", np.int16, (SEATS, AREAS)),
    ],
    align=True,
)
"""A `Case` as a record, as narrow as possible: less memory is faster."""


@cache
def steps() -> ModuleType:
    """The compiled steps."""
    return compiled.compile_module(
        STEPS,
        chance=compiled.chance(),
        loops=compiled.loops(),
        observation=compiled.compile_module(
            "foxtray.core.observation", inline=True, rules=compiled.rules()
        ),
        rules=compiled.rules(),
    )


def random_actions(mask: Array, rng: np.random.Generator) -> Array:
    """A random legal action for every row of a mask; 0 where a row has none."""
    mask = np.ascontiguousarray(mask).view(np.int8)
    n, width = mask.shape
    whole = (width - 1) // BYTES
    words = np.ndarray((n, whole), np.int64, mask, 0, (width, BYTES))
    ends = np.ndarray(n, np.int64, mask, width - BYTES, (width,))
    out = np.empty(n, np.int64)
    steps().pick(words, ends, width - whole * BYTES, rng.random(n), out)
    return out


class Batch:
    """Games that are played side by side, as arrays with a row per game.

    A step replaces the contents of the arrays: copy what you want to keep.
    """

    def __init__(
        self,
        game: str,
        n: int,
        seats: int = 1,
        seeds: int | Sequence[int] | Array = 0,
        *,
        bots: Sequence[str | Chooser | None] | None = None,
        solo_fallback: bool = False,
        fox_floor: bool = False,
    ) -> None:
        """Start `n` games; with a single number as seed, game i has the seed `seeds + i`.

        Seats with a bot play by themselves: the name of a bot inside the loop, or a chooser.
        """
        known = layout(game)
        check_seats(seats)
        if n < 1:
            raise BadSetup(f"cannot play {n} games; choose 1 or more")
        bots = [None] * seats if bots is None else list(bots)
        if len(bots) != seats or None not in bots:
            raise BadSetup(f"{seats} seats need a bot or None each, and at least one None")
        for bot in bots:
            if isinstance(bot, str) and bot not in INSIDE:
                raise BadSetup(f"unknown bot {bot!r}; choose one of {', '.join(INSIDE)}")
        self.name, self.seats, self.bots = game, seats, bots
        self._tables, self._size = tables_of(game), self.observation.size
        self._codes = np.zeros(SEATS, np.int64)
        self._asked = [seat for seat, bot in enumerate(bots) if callable(bot)]
        for seat, bot in enumerate(bots):
            self._codes[seat] = INSIDE[bot] if isinstance(bot, str) else OUTSIDE
        self._fresh = np.zeros(seats, STATE)
        self._fresh["seats"] = seats
        self._fresh["solo_fallback"], self._fresh["fox_floor"] = solo_fallback, fox_floor
        self._mask = np.zeros((n, len(known.actions)), np.int8)
        self._scratch, self._works = np.zeros(1, STATE), new_work()
        self.states = np.zeros(n, STATE)
        """The states as numpy records, with the fields of `foxtray.core.state.State`."""
        self.cases = np.zeros(n, CASE)
        """What the games have besides: the fields of `foxtray.sim.steps.Case`."""
        self._every = np.arange(n)
        with compiled.Announced("the rules for many games side by side", 30, STEPS):
            steps().begin(self._tables, self._fresh, self._works)
            self.start(self._every, following(seeds, n) if isinstance(seeds, int) else seeds)

    def __len__(self) -> int:
        return len(self.states)

    # --- what can be read ------------------------------------------------------------------------

    @property
    def observation(self) -> Observation:
        """The names and bounds of what `observe` writes."""
        return observation_of(self.name, self.seats)

    @property
    def legal_action_mask(self) -> Array:
        """Which actions are legal, by `Action.id`: bools of shape (n, actions)."""
        return self._mask.view(np.bool_)

    @property
    def action_mask(self) -> Array:
        """The same as numbers (int8), as Gymnasium has them."""
        return self._mask

    @property
    def current_player(self) -> Array:
        """The seat that has to decide; -1 when a game is over."""
        return self.cases["seat"]

    @property
    def awaiting(self) -> Array:
        """Which seats may act now, of shape (n, seats); `current_player` is the lowest of them."""
        pending, stage = (self.states[name][:, : self.seats] for name in ("pending", "stage"))
        found: Array = (pending > 0) | (stage != IDLE)
        return found

    @property
    def terminated(self) -> Array:
        """Which games are over."""
        over: Array = self.cases["seat"] == NOBODY
        return over

    @property
    def rewards(self) -> Array:
        """The points that every seat gained in the last step, of shape (n, seats)."""
        return self.cases["gained"][:, : self.seats]

    @property
    def totals(self) -> Array:
        """The points of every seat, of shape (n, seats)."""
        return self.cases["totals"][:, : self.seats]

    @property
    def seeds(self) -> Array:
        """The seeds of the dice."""
        found: Array = self.cases["low"].astype(np.uint64) | self.cases["high"].astype(
            np.uint64
        ) << np.uint64(32)
        return found

    def wins(self) -> Array:
        """The share of each seat in the win, of shape (n, seats); 0 until a game is over."""
        bits = np.zeros(len(self), np.int64)
        steps().wins(self._tables, self.states, bits)
        won = bits[:, None] >> np.arange(self.seats) & 1
        shares: Array = won / np.maximum(1, won.sum(axis=1, keepdims=True))
        return shares

    def observe(
        self, out: Array | None = None, seat: int | None = None, which: Array | None = None
    ) -> Array:
        """What the seats that decide see, or what one seat sees; int16 of shape (n, size).

        With `which`, only the rows of these games are written.
        """
        if out is None:
            out = np.zeros((len(self), self._size), np.int16)
        flat, own = self._flat(out), self._own(seat)
        which = self._every if which is None else self._checked(which)
        steps().observe(self._tables, self.states, self.cases, which, own, self._size, flat)
        return out

    def game(self, i: int) -> Game:
        """One of the games, for a closer look."""
        self._checked([i])
        return from_array(self.name, self.states, i)

    # --- what changes it -------------------------------------------------------------------------

    def step(
        self, ids: Array | Sequence[int], out: Array | None = None, seat: int | None = None
    ) -> None:
        """Play an action in every game; games that are over stay so and ignore theirs.

        With `out`, also does what `observe` does, faster. If an action is illegal, nothing changes.
        """
        actions = np.ascontiguousarray(ids, np.int64)
        if actions.shape != (len(self),):
            raise BadSetup(f"{len(self)} games need as many actions, not {actions.shape}")
        wrong = steps().step(
            self._tables, self.states, self.cases, actions, self._mask, self._codes,
            self._own(seat), self._size, NOTHING if out is None or self._asked else self._flat(out),
            self._scratch, self._works,
        )  # fmt: skip
        if wrong >= 0:
            raise self._refusal(wrong, int(actions[wrong]))
        if self._asked:
            self._let_bots_play()
            if out is not None:
                self.observe(out, seat)

    def start(self, which: Array | Sequence[int], seeds: Array | Sequence[int]) -> None:
        """Start some of the games anew, with these seeds."""
        words = checked_seeds(seeds)
        which = self._checked(which)
        if which.shape != words.shape:
            raise BadSetup(f"{len(which)} games need as many seeds, not {len(words)}")
        lows = (words & np.uint64(MASK)).astype(np.int64)
        highs = (words >> np.uint64(32)).astype(np.int64)
        steps().start(
            self._tables, self.states, self.cases, which, lows, highs, self._fresh, self._mask,
            self._codes, self._scratch, self._works,
        )  # fmt: skip
        if self._asked:
            self._let_bots_play()
            self.cases["gained"][which] = 0

    def ask(self, i: int, seat: int) -> None:
        """Let another of the seats that may act decide next in one of the games."""
        self._checked([i])
        if self.bots[self._own(seat)] is not None or not steps().ask(
            self._tables, self.states, self.cases, i, seat, self._mask, self._works
        ):
            raise IllegalAction("not_awaited", f"seat {seat + 1} has nothing to decide now")

    def put(self, i: int, game: Game) -> None:
        """Replace one of the games by a game at any moment; its dice continue from its seed."""
        if game.sheet.id != self.name or game.seats != self.seats:
            raise BadSetup(
                f"this batch plays {self.name} with {self.seats} seats, "
                f"not {game.sheet.id} with {game.seats}"
            )
        self._checked([i])
        write(self.states, i, game.state)
        steps().resume(
            self._tables, self.states, self.cases, i, self._mask, self._codes, self._scratch,
            self._works,
        )  # fmt: skip
        if self._asked:
            self._let_bots_play()
        self.cases["gained"][i] = 0

    def copy(self) -> Batch:
        """An independent copy: the same games from here on."""
        twin = object.__new__(Batch)
        vars(twin).update(vars(self))
        twin.states, twin.cases = self.states.copy(), self.cases.copy()
        twin._mask = self._mask.copy()
        twin._scratch, twin._works = np.zeros(1, STATE), new_work()
        return twin

    def _checked(self, which: Array | Sequence[int]) -> Array:
        """Numbers of games, checked: compiled code would not notice."""
        found = np.ascontiguousarray(which, np.int64)
        if found.ndim != 1 or (len(found) and not 0 <= found.min() <= found.max() < len(self)):
            raise BadSetup(f"there are {len(self)} games, counted from 0")
        return found

    def _refusal(self, i: int, action: int) -> FoxtrayError:
        """What is wrong with an action in one of the games."""
        try:
            self.game(i).play(int(self.current_player[i]), action)
        except IllegalAction as error:
            return IllegalAction(error.code, f"game {i}: {error}")
        except MalformedAction as error:
            return MalformedAction(f"game {i}: {error}")
        raise AssertionError(f"game {i}: {action} is legal")

    def _own(self, seat: int | None) -> int:
        own = NOBODY if seat is None else seat
        if not NOBODY <= own < self.seats:
            raise BadSetup(f"there is no seat {own + 1}; choose 1 to {self.seats}")
        return own

    def _flat(self, out: Array) -> Array:
        """The memory of an array for observations, checked: compiled code would not notice."""
        shape = len(self.states), self._size
        if out.shape != shape or out.dtype != np.int16 or not out.flags.c_contiguous:
            raise BadSetup(f"out must be a contiguous int16 array of shape {shape}")
        return out.reshape(-1)

    def _let_bots_play(self) -> None:
        """Ask the bots outside the loop until none of them has to decide."""
        seats = self.cases["seat"]
        while True:
            asked = [(seat, np.flatnonzero(seats == seat)) for seat in self._asked]
            if not any(len(which) for _, which in asked):
                return
            for seat, which in asked:
                if len(which):
                    bot: Any = self.bots[seat]
                    seeds = self.seeds[which]
                    chosen = bot(self._tables, self.states, which, seats[which], seeds)
                    actions = checked(bot, chosen, len(which))
                    wrong = steps().answer(
                        self._tables, self.states, self.cases, which, actions, self._mask,
                        self._codes, self._scratch, self._works,
                    )  # fmt: skip
                    if wrong >= 0:
                        raise FoxtrayError(
                            f"bot {name_of(bot)} returned {actions[wrong]} in the game with seed "
                            f"{seeds[wrong]}, which is not the id of a legal action"
                        )


def following(seed: int, n: int) -> Array:
    """The seeds `seed`, `seed + 1`, ..."""
    checked_seeds([seed, seed + n - 1])
    return np.arange(n, dtype=np.uint64) + np.uint64(seed)


def checked_seeds(seeds: Array | Sequence[int]) -> Array:
    """Seeds as 64-bit numbers; refuses any other."""
    if not isinstance(seeds, np.ndarray):
        if not all(0 <= seed <= LAST_SEED for seed in seeds):
            raise BadSetup("the seed must be a whole number from 0 to 2^64 - 1")
        return np.array(seeds, np.uint64)
    if seeds.dtype.kind not in "iu" or (seeds.dtype.kind == "i" and (seeds < 0).any()):
        raise BadSetup("the seed must be a whole number from 0 to 2^64 - 1")
    return seeds.astype(np.uint64)
