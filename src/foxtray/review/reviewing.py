"""Reviews a game: prices, luck and the influence of others, seat by seat."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from zlib import crc32

from foxtray.bots.levels import check
from foxtray.bots.valuer import Depth, Reply, Valuer
from foxtray.core.codes import CHOOSING, THROW
from foxtray.core.layout import Action
from foxtray.core.state import State
from foxtray.errors import BadSetup
from foxtray.game import Game
from foxtray.history import History, PlayInput, ThrowInput, step
from foxtray.review.headroom import Headroom, finished
from foxtray.review.judging import Judged, judge
from foxtray.review.model import (
    VERSION,
    Decision,
    EffortName,
    Influence,
    Moment,
    Reason,
    Review,
    Roll,
    SeatReview,
)
from foxtray.review.reasons import LEAST_PRICE, reasons

FORESEEN = 0.7
"""The share of the headroom of a decision that is found in the favourite reply."""

SEEDS = (1 << 64) - 1

Watch = Callable[[float], None]
"""Called with the share of the work that is done; an exception stops the review."""


@dataclass(frozen=True, slots=True)
class Effort:
    """How thoroughly a game is reviewed."""

    own: Depth
    """For the seat's own decisions and rolls."""
    others: Depth
    """For the turns of other players."""


EFFORTS: dict[EffortName, Effort] = {
    "quick": Effort(Depth(24, 24), Depth(12, 12)),
    "normal": Effort(Depth(48, 288, tried=6), Depth(24, 24)),
    "deep": Effort(Depth(144, 432, tried=24, rollouts=48), Depth(96, 96)),
}


def depth_of(effort: EffortName) -> Effort:
    """The effort of a name."""
    if effort not in EFFORTS:
        raise BadSetup(f"unknown effort {effort!r}; choose one of {', '.join(EFFORTS)}")
    return EFFORTS[effort]


def games_of(history: History) -> list[Game]:
    """The game before each input, and at the end."""
    games = [history.setup.start()]
    for entry in history.inputs:
        games.append(step(games[-1], entry)[0])
    return games


def valuer_of(history: History, seed: int) -> Valuer:
    """What values the moments of a game, with sampled rolls that hang on its first roll.

    With the same samples in every game, the luck of all games would err the same way.
    """
    first = next(
        (entry.throw.faces for entry in history.inputs if isinstance(entry, ThrowInput)), ()
    )
    own = crc32(bytes(first))
    return Valuer(history.setup.game, history.setup.seats, (seed ^ own << 32) & SEEDS)


def review_game(
    history: History,
    effort: EffortName = "normal",
    seed: int = 0,
    seats: Sequence[int] | None = None,
    watch: Watch | None = None,
) -> Review:
    """Review a game for some of its seats, or for all."""
    game = history.setup.game
    check("strong", game=game)
    how = depth_of(effort)
    everyone = tuple(range(history.setup.seats))
    wanted = everyone if seats is None else tuple(sorted(set(seats)))
    for seat in wanted:
        if seat not in everyone:
            raise BadSetup(f"there is no seat {seat + 1}; choose 1 to {len(everyone)}")
    games = games_of(history)
    valuer = valuer_of(history, seed)
    headroom = Headroom(game, history.setup.seats)
    players = []
    for place, seat in enumerate(wanted):

        def report(share: float, place: int = place) -> None:
            if watch:
                watch((place + share) / len(wanted))

        names = history.setup.names
        name = names[seat] if seat < len(names) else ""
        walk = Walk(valuer, history, games, seat, how, report, headroom)
        players.append(walk.review(name))
    return Review(
        VERSION,
        game,
        history.setup.seats,
        games[-1].over,
        effort,
        seed,
        valuer.digest,
        tuple(players),
    )


@dataclass(slots=True)
class Walk:
    """The way of one seat through a game. `value` is always what the game is worth to it now."""

    valuer: Valuer
    history: History
    games: list[Game]
    seat: int
    effort: Effort
    report: Watch
    headroom: Headroom
    value: float = 0.0
    error: float = 0.0
    """The standard error of the value."""
    bare: float = 0.0
    """The points of a value that comes from looking at the next roll, without headroom."""
    settled: bool = False
    """Whether the value was found by looking at the next roll."""
    looked: tuple[float, float] | None = None
    """The value and its error by looking at the next roll, if a decision has found them."""
    judging: bool = True
    """Whether decisions are judged; without that, only luck and influence are found."""
    foreseen: State | None = None
    """What another player was expected to do with the last roll."""
    replies: dict[int, Judged | None] = field(default_factory=dict)
    """By input: the decisions that were judged with the roll before them; None without a choice."""
    moments: list[Moment] = field(default_factory=list)

    def review(self, name: str) -> SeatReview:
        """The review of the seat."""
        inputs = self.history.inputs
        self.look(self.games[0].state, 0)
        expected = self.value
        handled: set[int] = set()
        for at, entry in enumerate(inputs):
            self.report(at / len(inputs))
            if at in handled:
                continue
            if isinstance(entry, ThrowInput):
                self.roll(at, entry)
            elif entry.seat == self.seat:
                handled |= self.decide(at)
            elif self.games[at].state.phase == CHOOSING:
                handled |= self.suffer(at, entry.seat)
        self.report(1.0)
        over = self.games[-1].over
        result = float(self.games[-1].score(self.seat).total) if over else self.value
        luck = math.fsum(m.luck for m in self.moments if isinstance(m, Roll))
        price = math.fsum(m.price for m in self.moments if isinstance(m, Decision))
        gain = math.fsum(m.gain for m in self.moments if isinstance(m, Influence))
        return SeatReview(
            self.seat,
            name,
            result,
            expected,
            luck,
            quadratic(m.error for m in self.moments if isinstance(m, Roll)),
            gain,
            price,
            quadratic(m.error for m in self.moments if isinstance(m, Decision)),
            result - expected - luck - gain + price,
            tuple(self.moments),
        )

    def look(self, state: State, where: int) -> float:
        """Value the moment before a roll by looking at that roll; returns the change."""
        own = self.games[0].seats == 1 or active(state) == self.seat
        depth = self.effort.own if own else self.effort.others
        worth = self.valuer.value(state, self.seat, where, depth)
        points = self.headroom.lift(worth.points, state, self.seat)
        change = points - self.value
        self.value, self.error, self.settled = points, worth.error, True
        self.bare = worth.points
        return change

    def before_roll(self, state: State, at: int) -> float:
        """Make sure that the value comes from looking at the next roll; returns the change."""
        if self.settled:
            return 0.0
        if self.looked is None:
            return self.look(state, at)
        points = self.headroom.lift(self.looked[0], state, self.seat)
        change = points - self.value
        self.value, self.error = points, self.looked[1]
        self.bare, self.looked = self.looked[0], None
        return change

    def stand(self, state: State, turn: int, where: int) -> None:
        """Set the value during another player's turn, or when it has just ended."""
        s = state
        asked = s.pending[self.seat] > 0 or s.stage[self.seat] != 0
        if not asked and s.phase in (THROW, CHOOSING) and s.turn == turn:
            self.look(s, where)
        else:
            self.value = self.reply_value(s)
            self.error, self.settled = 0.0, False

    def reply_value(self, state: State) -> float:
        """The value after the best reply to a roll."""
        points = self.valuer.reply_value(state, self.seat)
        return self.headroom.lift(points, state, self.seat)

    def roll(self, at: int, entry: ThrowInput) -> None:
        """Dice were rolled: the change of the value is luck."""
        game, after = self.games[at], self.games[at + 1]
        correction = self.before_roll(game.state, at)
        before, error = self.value, self.error
        if game.active == self.seat and self.counts_on(at + 1):
            correction += self.count_on(at)
            before, error = self.value, self.error
            self.reply(at + 1)
        elif game.active == self.seat:
            self.value = self.reply_value(after.state)
            self.error, self.settled = 0.0, False
        else:
            self.foreseen = self.best_of(after, game.active)
            self.stand(self.foreseen, game.turn, at)
        self.moments.append(
            Roll(
                "roll",
                at,
                game.round,
                game.turn,
                game.active,
                entry.throw.faces,
                correction,
                before,
                self.value,
                self.value - before,
                math.hypot(error, self.error),
            )
        )

    def counts_on(self, at: int) -> bool:
        """Whether the value of a roll is to include what look-ahead finds in the reply to it."""
        return self.judging and self.effort.own.tried > 0 and bool(self.own_inputs(at, self.seat))

    def count_on(self, at: int) -> float:
        """Add to the value what look-ahead will find in the reply to a roll; returns the change."""
        state = self.games[at].state
        more, error = self.valuer.finds(state, self.seat, at, self.effort.own)
        later = self.headroom.lift(self.bare, state, self.seat, done=True)
        if self.headroom.rounds:
            trust = self.valuer.trust(self.effort.own)
            usual = FORESEEN * (self.value - later)
            more, error = usual + trust * (more - usual), trust * error
        change = later + more - self.value
        self.value, self.error = later + more, math.hypot(self.error, error)
        return change

    def reply(self, at: int) -> None:
        """The seat rolled and replies: the value is that of the line that was counted on."""
        game = self.games[at]
        judged = self.judge(at, self.valuer.favourite(game.state, self.seat))
        self.replies[at] = judged
        end = self.games[self.own_inputs(at, self.seat)[-1] + 1].state
        if judged:
            points, self.error = judged.counted_on
        else:
            worth = self.valuer.value(end, self.seat, at, self.effort.own)
            points, self.error = self.looked = worth.points, worth.error
        if not finished(self.headroom.tables.rounds[game.seats], end):
            points = self.headroom.lift(points, game.state, self.seat, done=True)
        self.value, self.settled = points, False

    def best_of(self, game: Game, seat: int) -> State:
        """The state after the best choice of the active player, if there is something to choose."""
        if game.state.phase != CHOOSING or seat not in game.awaiting():
            return game.state
        return self.valuer.expected_reply(game.state, seat)

    def suffer(self, at: int, other: int) -> set[int]:
        """Another player chose: the change of the value is their influence."""
        game = self.games[at]
        inputs = self.own_inputs(at, other)
        # What this seat did in between is its own decision, still to come.
        before, after = self.value, self.replayed(at, inputs, other)[-1].state
        if after != self.foreseen:
            self.stand(after, game.turn, at_roll(self.history, at))
        if self.value != before:
            self.moments.append(
                Influence(
                    "influence",
                    at,
                    game.round,
                    game.turn,
                    other,
                    0.0,
                    before,
                    self.value,
                    self.value - before,
                )
            )
        return set(inputs)

    def own_inputs(self, at: int, seat: int) -> list[int]:
        """The inputs of one decision: a seat's actions until nothing is left, or the turn ends."""
        found = []
        for i, entry in enumerate(self.history.inputs[at:], at):
            if isinstance(entry, ThrowInput) or self.games[i].turn != self.games[at].turn:
                break
            if entry.seat == seat:
                found.append(i)
                after = self.games[i + 1]
                if seat not in after.awaiting() or after.turn != self.games[at].turn:
                    break
        return found

    def actions(self, inputs: Sequence[int]) -> list[Action]:
        """The actions among some inputs."""
        entries = [self.history.inputs[i] for i in inputs]
        return [entry.action for entry in entries if isinstance(entry, PlayInput)]

    def replayed(self, at: int, inputs: Sequence[int], seat: int) -> list[Game]:
        """The games of a decision as if nobody else had acted before its end."""
        games = [self.games[at]]
        for action in self.actions(inputs):
            games.append(games[-1].play(seat, action).game)
        return games

    def judge(self, at: int, favourite: Reply | None = None) -> Judged | None:
        """Judge the decision that starts with an input; None without a choice."""
        inputs = self.own_inputs(at, self.seat)
        # What others did in between does not concern this seat.
        games = self.replayed(at, inputs, self.seat)
        actions = self.actions(inputs)
        return judge(
            self.valuer, self.headroom, games, self.seat, actions, inputs, at, self.effort.own,
            favourite,
        )  # fmt: skip

    def decide(self, at: int) -> set[int]:
        """The seat decided: what the best line is worth more is the price."""
        game = self.games[at]
        inputs = self.own_inputs(at, self.seat)
        if not self.judging:
            self.settled = False
            return set(inputs)
        judged = self.replies[at] if at in self.replies else self.judge(at)
        if judged is None:
            return set(inputs)
        why: tuple[Reason, ...] = ()
        if judged.price >= max(LEAST_PRICE, 2 * judged.error):
            why = reasons(game, self.seat, judged.best, judged.chosen)
        correction = judged.best.points - self.value
        self.value, self.looked = judged.chosen.points, judged.looked
        self.settled = False
        self.moments.append(
            Decision(
                "decision",
                at,
                game.round,
                game.turn,
                game.stage(self.seat),
                correction,
                judged.best.points,
                judged.chosen.points,
                judged.price,
                judged.error,
                judged.exact,
                judged.chosen,
                judged.best,
                judged.steps,
                why,
            )
        )
        return set(inputs)


def luck_of(history: History, seat: int, effort: EffortName = "quick", seed: int = 0) -> float:
    """The luck of a seat in a whole game; much cheaper than a review."""
    valuer = valuer_of(history, seed)
    headroom = Headroom(history.setup.game, history.setup.seats)
    games = games_of(history)
    walk = Walk(valuer, history, games, seat, depth_of(effort), lambda share: None, headroom)
    walk.judging = False
    return walk.review("").luck


def active(state: State) -> int:
    """The active seat."""
    return (state.first + state.turn) % state.seats


def at_roll(history: History, at: int) -> int:
    """The number of the last roll before an input."""
    while not isinstance(history.inputs[at], ThrowInput):
        at -= 1
    return at


def quadratic(errors: Iterable[float]) -> float:
    """The error of a sum of independent parts."""
    return math.hypot(*errors)
