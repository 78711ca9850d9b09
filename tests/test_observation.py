"""What a seat sees as numbers, and a game as a value: masks, ids, hashes, pickles."""

import copy
import pickle
import random
from collections.abc import Iterator

import pytest

from foxtray import SHEETS, Action, Game, IllegalAction, SeededDice, Throw
from foxtray.core import codes
from foxtray.core.layout import layout
from foxtray.core.observation import add_up
from foxtray.errors import MalformedAction, MalformedPosition
from foxtray.observation import Observation, area_bounds, observation_of


def moments(game: str, seats: int, seed: int) -> Iterator[Game]:
    """Every moment of a random game."""
    choose, dice = random.Random(seed), SeededDice(seed)
    now = Game.new(game, seats, first=seed % seats, fox_floor=seed % 2 == 1)
    while not now.over:
        yield now
        where = now.address()
        if where:
            now = now.roll(dice.throw(*where)).game
        else:
            seat = choose.choice(now.awaiting())
            now = now.play(seat, choose.choice(now.legal(seat))).game
    yield now


@pytest.mark.parametrize("name", SHEETS)
def test_points_are_added_up_only_where_something_was_marked(name: str) -> None:
    t = layout(name).tables
    points, totals = [[0] * t.areas for _ in range(2)], [0, 0]
    counted = [[-1] * t.areas for _ in range(2)]
    for game in moments(name, 2, 5):
        add_up(t, game.state, points, totals, counted)
        cards = game.scores()
        assert [tuple(row) for row in points] == [card.areas for card in cards]
        assert totals == [card.total for card in cards]


def seen(shape: Observation, row: list[int], name: str) -> list[int]:
    return row[shape.slices[name]]


@pytest.mark.parametrize("seats", [1, 2, 4])
@pytest.mark.parametrize("name", SHEETS)
def test_an_observation_says_what_the_game_says(name: str, seats: int) -> None:
    shape, known = observation_of(name, seats), layout(name)
    for game in moments(name, seats, seats):
        for own in range(seats):
            row = game.observation(own).tolist()
            assert len(row) == shape.size
            assert all(map(int.__le__, shape.low, row))
            assert all(map(int.__le__, row, shape.high))
            assert seen(shape, row, "faces") == list(game.faces)
            places = [codes.PLACE_NAMES[place] for place in seen(shape, row, "places")]
            assert places == list(game.places)
            s = game.state
            assert seen(shape, row, "turn") == [game.turn]
            assert seen(shape, row, "phase") == [s.phase]
            assert [seen(shape, row, "roll"), seen(shape, row, "rerolls")] == [
                [s.rolls],
                [s.rerolls],
            ]
            assert seen(shape, row, "follow") == [s.follow >> d & 1 for d in range(codes.DICE)]
            assert (own + seen(shape, row, "active")[0]) % seats == game.active
            for k in range(seats):
                seat = (own + k) % seats
                marks, card = game.marks(seat), game.score(seat)
                assert seen(shape, row, f"{k}.cells") == [
                    marks.get(cell, 0) for cell in known.cell_names
                ]
                assert seen(shape, row, f"{k}.filled") == s.filled[seat]
                assert seen(shape, row, f"{k}.points") == list(card.areas)
                assert seen(shape, row, f"{k}.foxes") == [card.foxes]
                assert seen(shape, row, f"{k}.total") == [card.total]
                for track, counts in game.tracks(seat).items():
                    assert seen(shape, row, f"{k}.{track}") == list(counts)
                bonuses = game.open_bonuses(seat)
                kinds = [str(b) for b in known.bonuses if b and b.kind in ("mark", "choice")]
                assert seen(shape, row, f"{k}.open") == [bonuses.get(kind, 0) for kind in kinds]
                assert seen(shape, row, f"{k}.stage") == [s.stage[seat]]
                assert seen(shape, row, f"{k}.used") == [s.used[seat] >> d & 1 for d in range(6)]


@pytest.mark.parametrize("seats", [1, 2, 3, 4])
@pytest.mark.parametrize("name", SHEETS)
def test_the_slices_cover_an_observation_without_overlap(name: str, seats: int) -> None:
    shape = observation_of(name, seats)
    covered = [i for part in shape.slices.values() for i in range(part.start, part.stop)]
    assert covered == list(range(shape.size))
    assert len(shape.high) == shape.size
    assert all(low < high for low, high in zip(shape.low, shape.high, strict=True))


def test_the_points_an_area_can_be_worth() -> None:
    """Counted on the printed sheets: rows of silver, pairs of green from 1 - 6 to 6 - 1."""
    clever = [area_bounds(layout("clever"), area) for area in range(5)]
    assert clever == [(0, 60), (0, 56), (0, 66), (0, 96), (0, 66)]
    twice = [area_bounds(layout("twice"), area) for area in range(5)]
    assert [low for low, _ in twice] == [0, 0, 0, -43, 0]
    assert twice[0] == (0, 4 * 22)
    assert twice[3] == (-10 - 4 - 15 - 9 - 3 - 2, 10 + 11 + 15 + 16 + 17 + 23)


# --- a game as a value --------------------------------------------------------------------------


@pytest.mark.parametrize("name", SHEETS)
def test_masks_and_ids(name: str) -> None:
    for game in moments(name, 2, 3):
        for seat in range(2):
            mask, legal = game.mask(seat), game.legal(seat)
            assert len(mask) == len(game.layout.actions)
            assert [i for i, allowed in enumerate(mask) if allowed] == [a.id for a in legal]
            assert set(mask) <= {0, 1}
        for seat in game.awaiting():
            action = game.legal(seat)[-1]
            assert game.play(seat, action.id) == game.play(seat, action)


def test_an_id_that_does_not_exist_or_is_not_legal() -> None:
    game = Game.new("clever").roll(Throw((1,) * 6)).game
    with pytest.raises(MalformedAction, match="82 is not the id of an action of clever; choose 0"):
        game.play(0, 82)
    with pytest.raises(MalformedAction):
        game.play(0, -1)
    with pytest.raises(IllegalAction, match="you can use a die, so you must take one"):
        game.play(0, 0)
    with pytest.raises(IllegalAction, match="there is no seat 2"):
        game.mask(1)
    with pytest.raises(IllegalAction, match="there is no seat 0"):
        game.observation(-1)
    forged = Action("clever", game.legal(0)[0].id, "w>g", codes.ENTER)
    with pytest.raises(IllegalAction):
        game.play(0, forged)


def test_games_at_the_same_moment_are_equal() -> None:
    """Two passive seats act in either order; the result is one key of a table."""
    game = next(g for g in moments("clever", 3, 5) if len(g.awaiting()) == 3)
    (a, b, _), (one, other) = game.awaiting(), (game.legal(s)[-1] for s in game.awaiting()[:2])
    first = game.play(a, one).game.play(b, other).game
    second = game.play(b, other).game.play(a, one).game
    assert first == second
    assert hash(first) == hash(second)
    assert {first: 1}[second] == 1
    assert first != game
    assert game != Game.new("twice", 3)
    assert game != game.position()


def test_different_moments_have_different_hashes() -> None:
    every = list(moments("twice", 2, 8))
    assert len({hash(game) for game in every}) == len(set(every)) == len(every)


@pytest.mark.parametrize("name", SHEETS)
def test_a_game_survives_repr_pickle_and_copy(name: str) -> None:
    for game in moments(name, 2, 4):
        assert eval(repr(game)) == game
        stored = pickle.dumps(game)
        assert len(stored) < 450
        assert pickle.loads(stored) == game
        assert copy.copy(game) is game
        deep = copy.deepcopy(game)
        assert deep == game
        assert deep.state is not game.state
        assert deep.layout is game.layout


def test_more_foxes_than_the_sheet_has() -> None:
    text = Game.new("clever").position()
    assert Game.from_position(text.replace("foxes=0", "foxes=5")).score(0).foxes == 5
    with pytest.raises(MalformedPosition, match="foxes=6 must be a number from 0 to 5"):
        Game.from_position(text.replace("foxes=0", "foxes=6"))
