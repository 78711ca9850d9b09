"""Judges what a seat did between two rolls as one decision."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from foxtray.bots.valuer import STEP_BOUND, Comparison, Depth, Reply, Valuer, Worth
from foxtray.core.layout import Action
from foxtray.game import Game
from foxtray.review.headroom import Headroom, finished
from foxtray.review.model import Alternative, Line, Step
from foxtray.sim.arrays import Records

TOP = 6
"""The most lines of a plan that are compared."""
CLOSE = 1.5
"""Lines within this many points of the best are played out in a deep review."""
MOST_CLOSE = 3
MARGIN = 8.0
"""Only lines that the net puts within this many points of the best are compared."""


class Way(NamedTuple):
    """A line from a step of a decision on, and the candidate it leads to."""

    candidate: int
    line: tuple[int, ...]


@dataclass(slots=True)
class Candidate:
    """A moment before the next roll that the decision could lead to."""

    state: Records
    points: float
    """The points that the net expects."""
    reach: int
    """The last step from which the candidate was found; it can be reached from all before."""
    line: tuple[int, ...]
    """The actions from that step on."""


class Judged(NamedTuple):
    """A decision with its values."""

    steps: tuple[Step, ...]
    best: Line
    chosen: Line
    price: float
    error: float
    exact: bool
    looked: tuple[float, float]
    """The value of the chosen line by looking at the next roll alone, and its error."""
    counted_on: tuple[float, float]
    """The same of the line that was counted on before the roll."""


class Candidates:
    """The moments that a decision can lead to, each only once."""

    def __init__(self) -> None:
        self.every: list[Candidate] = []
        self.known: dict[bytes, int] = {}
        self.ways: dict[tuple[int, int], list[Way]] = {}
        """The lines by step and first action."""

    def add(self, step: int, reply: Reply) -> int:
        """Add a line that was found from a step; returns its candidate."""
        key = reply.state.tobytes()
        if key not in self.known:
            self.known[key] = len(self.every)
            self.every.append(Candidate(reply.state, reply.points, step, reply.line))
        index = self.known[key]
        candidate = self.every[index]
        if step > candidate.reach:
            candidate.reach, candidate.line = step, reply.line
        if reply.line:
            self.ways.setdefault((step, reply.line[0]), []).append(Way(index, reply.line))
        return index

    def closest(self, chosen: Sequence[int]) -> list[int]:
        """The candidates to compare: the best by the net, and what was chosen."""
        top = max(candidate.points for candidate in self.every)
        order = sorted(range(len(self.every)), key=lambda i: -self.every[i].points)
        near = [i for i in order[: TOP + 2] if self.every[i].points >= top - MARGIN]
        return [*near, *(i for i in chosen if i not in near)]


def judge(
    valuer: Valuer,
    headroom: Headroom,
    games: Sequence[Game],
    seat: int,
    actions: Sequence[Action],
    inputs: Sequence[int],
    where: int,
    depth: Depth,
    favourite: Reply | None = None,
) -> Judged | None:
    """Judge a decision: the game before each action and after the last; None without a choice.

    The favourite is the line that was counted on before the roll; without one, the net's best.
    """
    found = Candidates()
    legal = [game.legal(seat) for game in games[:-1]]
    for step, (game, options) in enumerate(zip(games[:-1], legal, strict=True)):
        if len(options) > 1:
            explore(valuer, game, seat, options, step, found)
    if not found.every:
        return None
    # What a new round brings right after the decision is decided on its own: the best is assumed.
    ways = valuer.replies(games[-1].state, seat, TOP, MARGIN)
    ends = list(dict.fromkeys(found.add(len(actions), way) for way in ways))
    picked = found.closest(ends)
    liked = picked[0] if favourite is None else found.add(0, favourite)
    if liked not in picked:
        picked.append(liked)
    states = [found.every[i].state for i in picked]
    kept = [picked.index(i) for i in ends]
    looked = values = valuer.compare(states, seat, where, depth, keep=kept)
    if depth.rollouts:
        close = close_calls(values, values.best(kept))
        if len(close) > 1:
            values = valuer.play_out(states, values, close, seat, where, depth.rollouts)
    chosen = picked[values.best(kept)]
    ahead, counted = (looked.worths[picked.index(i)] for i in (chosen, liked))
    whole = Judgement(valuer, headroom, games, seat, actions, inputs, found, picked, chosen, values)
    return whole.judged(legal, (ahead.points, ahead.error), (counted.points, counted.error))


def close_calls(values: Comparison, chosen: int) -> list[int]:
    """The moments worth playing on from: the best one, those close to it, and the chosen one."""
    best = values.best()
    order = sorted(range(len(values.worths)), key=lambda i: -values.worths[i].points)
    near = [i for i in order if values.difference(best, i)[0] <= CLOSE][:MOST_CLOSE]
    return near if chosen in near else [*near, chosen]


class Advice(NamedTuple):
    """What to do now."""

    best: Line
    second: Line | None
    """The best line that starts with another action, if one is worth comparing."""
    gap: float
    error: float
    alternatives: tuple[Alternative, ...]


def advise(valuer: Valuer, game: Game, seat: int, depth: Depth) -> Advice:
    """The best line now, and how far the others are behind."""
    found = Candidates()
    options = game.legal(seat)
    explore(valuer, game, seat, options, 0, found)
    top = max(range(len(found.every)), key=lambda i: found.every[i].points)
    picked = found.closest([top])
    values = valuer.compare([found.every[i].state for i in picked], seat, 0, depth)
    headroom = Headroom(game.sheet.id, game.seats)
    whole = Judgement(valuer, headroom, [game], seat, [], [], found, picked, top, values)
    best = whole.best_from(0)
    alternatives = whole.alternatives(0, options, best)
    first = whole.whole(best)[0]
    others = [i for i in picked if whole.whole(i)[0] != first]
    nearest = alternatives[0].points - alternatives[1].points if len(alternatives) > 1 else 0.0
    if not others:
        return Advice(whole.line(best), None, nearest, 0.0, alternatives)
    second = max(others, key=whole.points)
    error = values.difference(picked.index(best), picked.index(second))[1]
    gap = whole.points(best) - whole.points(second)
    if nearest < gap and len(alternatives) > 1:
        # Another order of the same actions is a different choice that leads to the same moment.
        return Advice(whole.line(best), None, nearest, error if nearest else 0.0, alternatives)
    return Advice(whole.line(best), whole.line(second), gap, error, alternatives)


def explore(
    valuer: Valuer,
    game: Game,
    seat: int,
    options: Sequence[Action],
    step: int,
    found: Candidates,
) -> None:
    """Find the best lines from a step, and the best one that starts with each action."""
    for reply in valuer.replies(game.state, seat, TOP, MARGIN):
        found.add(step, reply)
    for action in options:
        after = game.play(seat, action).game.state
        reply = valuer.replies(after, seat, 1, MARGIN, STEP_BOUND)[0]
        found.add(step, reply._replace(line=(action.id, *reply.line)))


@dataclass(slots=True)
class Judgement:
    """A decision whose candidates were compared."""

    valuer: Valuer
    headroom: Headroom
    games: Sequence[Game]
    seat: int
    actions: Sequence[Action]
    inputs: Sequence[int]
    found: Candidates
    picked: list[int]
    chosen: int
    values: Comparison

    @property
    def ended(self) -> bool:
        """Whether the game is over for the seat, so that every line simply scores its points."""
        rounds = self.valuer.layout.tables.rounds[self.games[0].seats]
        return finished(rounds, self.games[-1].state)

    def worth(self, candidate: int) -> Worth | None:
        """The value of a candidate, if it was compared."""
        if candidate not in self.picked:
            return None
        return self.values.worths[self.picked.index(candidate)]

    def best_from(self, step: int) -> int:
        """The best candidate that could still be reached at a step."""
        reachable = [i for i in self.picked if self.found.every[i].reach >= step]
        # At equal values the chosen one is the best: nothing was given away.
        return max(reachable, key=lambda i: (self.points(i), i == self.chosen))

    def points(self, candidate: int) -> float:
        """The points of a candidate; the net's, set right by the best one, if not compared."""
        worth = self.worth(candidate)
        if worth is not None:
            return self.lift(worth.points)
        best = self.best_from(0)
        shift = self.points(best) - self.found.every[best].points
        return min(self.points(best), self.found.every[candidate].points + shift)

    def lift(self, points: float) -> float:
        """The points of a line with their headroom, which is the same for all lines.

        If the game ends with the chosen line, there is none left.
        """
        if self.ended:
            return points
        return self.headroom.lift(points, self.games[0].state, self.seat, done=True)

    def judged(
        self,
        legal: Sequence[Sequence[Action]],
        looked: tuple[float, float],
        counted_on: tuple[float, float],
    ) -> Judged:
        """The decision with all its values."""
        best = [self.best_from(step) for step in range(len(self.actions) + 1)]
        steps = tuple(
            Step(
                self.inputs[i],
                action.text,
                self.points(best[i]) - self.points(best[i + 1]),
                self.alternatives(i, legal[i], best[i + 1]),
            )
            for i, action in enumerate(self.actions)
        )
        a, b = self.picked.index(best[0]), self.picked.index(self.chosen)
        exact = self.values.worths[a].exact and self.values.worths[b].exact
        error = self.values.difference(a, b)[1]
        if a == b and not exact:
            error = self.doubt(b)
        price = self.points(best[0]) - self.points(self.chosen)
        chosen = self.line(self.chosen)
        return Judged(steps, self.line(best[0]), chosen, price, error, exact, looked, counted_on)

    def doubt(self, chosen: int) -> float:
        """The error of a price of 0: that of the closest other candidate, if it is close."""
        others = [self.values.difference(chosen, i) for i in range(len(self.picked)) if i != chosen]
        return max((error for gap, error in others if gap < 2 * error), default=0.0)

    def whole(self, candidate: int) -> tuple[int, ...]:
        """The actions from the start of the decision to a candidate."""
        found = self.found.every[candidate]
        return (*(action.id for action in self.actions[: found.reach]), *found.line)

    def line(self, candidate: int) -> Line:
        """A compared candidate as a line."""
        worth = self.worth(candidate)
        assert worth is not None
        ids, end = in_turn(self.games[0], self.seat, self.whole(candidate))
        return Line(
            self.texts(ids),
            self.lift(worth.points),
            worth.error,
            worth.outlook.win_chance,
            worth.outlook.areas,
            worth.outlook.foxes,
            {name: circled - spent for name, (circled, spent) in end.tracks(self.seat).items()},
        )

    def texts(self, ids: Sequence[int]) -> tuple[str, ...]:
        return tuple(self.valuer.layout.actions[i].text for i in ids)

    def alternatives(
        self, step: int, options: Sequence[Action], best_after: int
    ) -> tuple[Alternative, ...]:
        """Every action that was legal at a step, the best first."""
        if len(options) == 1:
            return ()
        found = []
        for action in options:
            ways = list(self.found.ways.get((step, action.id), ()))
            if step < len(self.actions) and action == self.actions[step]:
                taken = self.found.every[best_after]
                between = tuple(a.id for a in self.actions[step : taken.reach])
                ways.append(Way(best_after, (*between, *taken.line)))
            way = max(ways, key=lambda way: (self.worth(way.candidate) is not None,
                                             self.points(way.candidate)))  # fmt: skip
            worth = self.worth(way.candidate)
            found.append(
                Alternative(
                    action.text,
                    self.texts(in_turn(self.games[step], self.seat, way.line)[0]),
                    self.points(way.candidate),
                    worth.error if worth else 0.0 if self.ended else MARGIN / 4,
                    worth.outlook.win_chance if worth else None,
                    worth is not None,
                )
            )
        return tuple(sorted(found, key=lambda a: -a.points))


def in_turn(game: Game, seat: int, line: Sequence[int]) -> tuple[Sequence[int], Game]:
    """A line up to the end of its turn, and where it leads; a new round is another decision."""
    turn = game.turn
    for count, action in enumerate(line):
        if game.turn != turn:
            return line[:count], game
        game = game.play(seat, game.layout.actions[action]).game
    return line, game
