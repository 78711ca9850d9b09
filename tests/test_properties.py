"""Properties of every game, whatever the players choose and the dice show."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice, pairwise
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle import Oracle

from foxtray import Action, Game, SeededDice, Throw
from foxtray.core.codes import PHASE_NAMES, STAGE_NAMES, TRACK_NAMES
from foxtray.errors import MalformedPosition
from foxtray.events import (
    ActionSpent,
    BonusEarned,
    BonusLost,
    BonusUsed,
    Event,
    Marked,
    Moved,
    Thrown,
    TrackCircled,
    TurnStarted,
)
from foxtray.position import PLACE_LETTERS

SEEDS = st.integers(0, 2**64 - 1)
# Each seat's answers, used over and over: the number of the legal action, counted round.
ANSWERS = st.lists(st.integers(0, 200), min_size=1, max_size=40)

# Each example is a whole game, so half the usual number will do.
whole_games = settings(max_examples=settings().max_examples // 2)


@dataclass(frozen=True)
class Setup:
    """A game with its dice and everything that its seats will answer."""

    game: str
    seats: int
    first: int
    solo_fallback: bool
    fox_floor: bool
    seed: int
    answers: tuple[tuple[int, ...], ...]

    def new(self) -> Game:
        return Game.new(
            self.game,
            self.seats,
            first=self.first,
            solo_fallback=self.solo_fallback,
            fox_floor=self.fox_floor,
        )


@dataclass
class Step:
    """A moment of a game, with what led to it."""

    game: Game
    events: tuple[Event, ...]
    move: tuple[int, Action] | Throw | None


@st.composite
def setups(draw: st.DrawFn) -> Setup:
    seats = draw(st.integers(1, 4))
    return Setup(
        draw(st.sampled_from(["clever", "twice"])),
        seats,
        draw(st.integers(0, seats - 1)),
        draw(st.booleans()),
        draw(st.booleans()),
        draw(SEEDS),
        tuple(tuple(draw(ANSWERS)) for _ in range(seats)),
    )


def course(setup: Setup, ranking: tuple[int, ...] = (0, 1, 2, 3)) -> Iterator[Step]:
    """Play a game to its end. Of the awaited seats the one that comes first in `ranking` acts."""
    game = setup.new()
    yield Step(game, game.opening, None)
    yield from play_on(game, SeededDice(setup.seed), setup.answers, ranking)


def play_on(
    game: Game,
    dice: SeededDice,
    every: tuple[tuple[int, ...], ...],
    ranking: tuple[int, ...] = (0, 1, 2, 3),
) -> Iterator[Step]:
    """The steps from a game to its end."""
    asked = [0] * game.seats
    while not game.over:
        address = game.address()
        if address is not None:
            throw = dice.throw(*address)
            game, events = game.roll(throw)
            yield Step(game, events, throw)
        else:
            seat = min(game.awaiting(), key=ranking.index)
            answers, legal = every[seat], game.legal(seat)
            action = legal[answers[asked[seat] % len(answers)] % len(legal)]
            asked[seat] += 1
            game, events = game.play(seat, action)
            yield Step(game, events, (seat, action))


@whole_games
@given(setups())
def test_there_is_always_something_to_do_until_the_end(setup: Setup) -> None:
    for step in course(setup):
        game = step.game
        awaited, wanted = bool(game.awaiting()), bool(game.rolling())
        assert [awaited, wanted, game.over].count(True) == 1
        assert (game.address() is not None) == wanted
        assert (game.outcome() is not None) == game.over
        for seat in range(setup.seats):
            ids = [action.id for action in game.legal(seat)]
            assert bool(ids) == (seat in game.awaiting())
            assert ids == sorted(set(ids))


@whole_games
@given(setups())
def test_positions_round_trip(setup: Setup) -> None:
    for step in course(setup):
        game = step.game
        text = game.position()
        assert "\n" not in text
        again = Game.from_position(text)
        assert again == game
        assert again.position() == text


def damaged(game: Game, chance: Random) -> str:
    """A position with another value for one of its words, or one word more."""
    letters = list(game.sheet.letters)

    def some(things: Sequence[str], most: int) -> str:
        return "".join(chance.choices(things, k=chance.randint(0, most)))

    def die(letter: str) -> str:
        return f"{letter}{chance.randint(0, 6)}{chance.choice(PLACE_LETTERS)}"

    bonuses = [str(bonus) for bonus in game.layout.bonuses]
    values = {
        "turn": str(chance.randint(0, 15)),
        "phase": chance.choice(PHASE_NAMES),
        "roll": str(chance.randint(0, 3)),
        "stage": chance.choice(STAGE_NAMES),
        "dice": ",".join(map(die, letters)),
        "follow": some(letters, 3),
        "used": some(letters, 3),
        "open": ",".join(chance.choices(bonuses, k=chance.choice([1, 2, 3, 200]))),
        "foxes": str(chance.randint(0, 99)),
    } | dict.fromkeys(TRACK_NAMES, f"{chance.randint(0, 7)}/{chance.randint(0, 3)}")
    parts = game.position().split(" | ")
    at = chance.randrange(len(parts))
    words = dict(word.split("=") for word in parts[at].split() if "=" in word)
    others = (set(values) & set(words)) | ({"used", "open"} if at else {"follow"})
    key = chance.choice(sorted(others))
    words[key] = values[key]
    parts[at] = " ".join([game.sheet.id] * (at == 0) + [f"{k}={v}" for k, v in words.items()])
    return " | ".join(parts)


@whole_games
@given(setups(), st.integers(0, 80), st.randoms(use_true_random=False))
def test_a_position_is_refused_or_can_be_played_to_the_end(
    setup: Setup, steps: int, chance: Random
) -> None:
    moment = next(islice(course(setup), steps, None), Step(setup.new(), (), None)).game
    for _ in range(10):
        try:
            game = Game.from_position(damaged(moment, chance))
        except MalformedPosition:
            continue
        for step in play_on(game, SeededDice(setup.seed), setup.answers):
            game = step.game
        assert game.over


@pytest.mark.parametrize("game", ["clever", "twice"])
def test_actions_round_trip(game: str) -> None:
    actions = Game.new(game).layout.actions
    assert [action.id for action in actions] == list(range(len(actions)))
    assert [str(action) for action in actions] == Oracle(game, 1).all_actions()
    for action in actions:
        assert Action.parse(game, str(action)) == action
        assert eval(repr(action), {"Action": Action}) == action


@whole_games
@given(setups())
def test_every_moment_stays_as_it_was(setup: Setup) -> None:
    kept = [(step, step.game.position()) for step in course(setup)]
    for (step, before), (after, _) in pairwise(kept):
        assert step.game.position() == before
        if isinstance(after.move, Throw):
            again = step.game.roll(after.move)
        else:
            assert after.move is not None
            seat = after.move[0]
            for action in step.game.legal(seat)[:2]:  # trying others first changes nothing
                step.game.play(seat, action)
            again = step.game.play(*after.move)
        assert again == (after.game, after.events)
        assert step.game.position() == before


@whole_games
@given(setups())
def test_a_replay_is_the_same_to_the_last_bit(setup: Setup) -> None:
    game = setup.new()
    for step in course(setup):
        if isinstance(step.move, Throw):
            game, events = game.roll(step.move)
        elif step.move is not None:
            game, events = game.play(*step.move)
        else:
            events = game.opening
        assert (game, game.position(), events) == (step.game, step.game.position(), step.events)


@whole_games
@given(setups(), st.permutations([0, 1, 2, 3]))
def test_the_order_between_seats_has_no_effect(setup: Setup, ranking: list[int]) -> None:
    def milestones(ranking: tuple[int, ...]) -> list[str]:
        steps = course(setup, ranking)
        return [s.game.position() for s in steps if s.game.rolling() or s.game.over]

    assert milestones(tuple(ranking)) == milestones((0, 1, 2, 3))


@whole_games
@given(setups())
def test_every_game_ends_within_a_bound(setup: Setup) -> None:
    game = setup.new()
    sheet = game.sheet
    turns = sheet.rounds[setup.seats - 1] * max(setup.seats, 2)
    actions = sum(track.fields for track in sheet.tracks)
    bonuses = sum(bonus.kind in ("mark", "choice") for bonus in sheet.bonuses())
    additional = 24  # silver's crosses, each cell once
    # In a turn a seat takes or declines three rolls, ends two windows and three lists of crosses,
    # takes or declines a served die and ends its extra dice; the rest is limited by the sheet.
    decisions = setup.seats * (turns * (3 + 2 + 3 + 1 + 1) + actions + bonuses + additional)
    throws = 3 * turns + setup.seats * sheet.tracks[0].fields
    kinds = Counter(type(step.move) for step in course(setup))
    assert kinds[tuple] <= decisions
    assert kinds[Throw] <= throws


@dataclass
class Story:
    """What a listener knows who hears the events and nothing else."""

    marks: list[dict[str, int]]
    circled: list[Counter[str]]
    spent: list[Counter[str]]
    open: list[Counter[str]]
    foxes: list[int]
    faces: tuple[int, ...] = (0,) * 6
    place: dict[str, str] = field(default_factory=dict)
    sources: list[tuple[int, str, str]] = field(default_factory=list)

    @classmethod
    def of(cls, game: Game) -> "Story":
        seats = range(game.seats)
        return cls(
            [{} for _ in seats],
            [Counter() for _ in seats],
            [Counter() for _ in seats],
            [Counter() for _ in seats],
            [0 for _ in seats],
            place=dict.fromkeys(game.sheet.colours, "pool"),
        )

    def hear(self, event: Event) -> None:
        match event:
            case Marked(seat=seat, cell=cell, mark=mark):
                self.marks[seat][cell] = mark
            case TrackCircled(seat=seat, track=track, count=count):
                self.circled[seat][track] = count
            case ActionSpent(seat=seat, track=track, count=count):
                self.spent[seat][track] = count
            case BonusEarned(seat=seat, bonus=bonus, source=source, where=where):
                self.sources.append((seat, source, where))
                if bonus == "fox":
                    self.foxes[seat] += 1
                elif bonus not in ("reroll", "return", "extra"):
                    self.open[seat][bonus] += 1
            case BonusUsed(seat=seat, bonus=bonus) | BonusLost(seat=seat, bonus=bonus):
                self.open[seat][bonus] -= 1
                assert self.open[seat][bonus] >= 0
            case TurnStarted():
                self.place = dict.fromkeys(self.place, "pool")
            case Moved(die=die, origin=origin, place=place):
                assert self.place[die] == origin
                self.place[die] = place
            case Thrown(faces=faces):
                self.faces = faces
            case _:
                pass


@whole_games
@given(setups())
def test_events_tell_everything_and_a_bonus_fires_once(setup: Setup) -> None:
    story = Story.of(setup.new())
    for step in course(setup):
        game = step.game
        for event in step.events:
            story.hear(event)
        assert len(story.sources) == len(set(story.sources))
        assert game.faces == story.faces
        assert game.places == tuple(story.place[die] for die in game.sheet.colours)
        assert [card.foxes for card in game.scores()] == story.foxes
        for seat in range(setup.seats):
            assert game.marks(seat) == story.marks[seat]
            assert game.open_bonuses(seat) == +story.open[seat]
            for track, counts in game.tracks(seat).items():
                assert counts == (story.circled[seat][track], story.spent[seat][track])


@whole_games
@given(setups())
def test_nothing_exceeds_what_is_printed(setup: Setup) -> None:
    sheet = setup.new().sheet
    printed_foxes = sum(bonus.kind == "fox" for bonus in sheet.bonuses())
    fields = {track.name: track.fields for track in sheet.tracks}
    for step in course(setup):
        assert all(card.foxes <= printed_foxes for card in step.game.scores())
        for seat in range(setup.seats):
            for track, (circled, spent) in step.game.tracks(seat).items():
                assert 0 <= spent <= circled <= fields[track]
