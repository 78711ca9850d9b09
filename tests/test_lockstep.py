"""`Batch`: the same games as the interpreted rules play, for any seats, bots and house rules."""

from pathlib import Path

import numpy as np
import pytest
import third_game

from foxtray import SHEETS, Game, IllegalAction, SeededDice
from foxtray.bots import chooser
from foxtray.core.codes import ACTIONS
from foxtray.errors import BadSetup, FoxtrayError, MalformedAction
from foxtray.sim import Batch, compiled, from_array, random_actions, state_array
from foxtray.sim.batch import play
from foxtray.sim.lockstep import Array

GAMES = 6


def compare(name: str, seats: int, *, games: int = GAMES, options: bool = False) -> None:
    """Play random games in a batch, and each of them by the interpreted rules beside it."""
    batch = Batch(name, games, seats, 5, fox_floor=options, solo_fallback=options)
    rng = np.random.default_rng(seats)
    plain = []
    for seed in range(5, 5 + games):
        first = SeededDice(seed).first(seats) if seats > 1 else 0
        game = Game.new(name, seats, first=first, fox_floor=options, solo_fallback=options)
        plain.append(rolled(game, seed))
    earned = np.zeros((games, seats), int)
    while not batch.terminated.all():
        rows, masks = batch.observe(), batch.legal_action_mask
        for i, game in enumerate(plain):
            assert batch.game(i) == game
            assert batch.terminated[i] == game.over
            if not game.over:
                seat = int(batch.current_player[i])
                assert seat == game.awaiting()[0]
                assert batch.awaiting[i].nonzero()[0].tolist() == list(game.awaiting())
                assert masks[i].tobytes() == game.mask(seat)
                assert rows[i].tolist() == game.observation(seat).tolist()
                assert batch.observe(seat=0)[i].tolist() == game.observation(0).tolist()
        ids = random_actions(masks, rng)
        for i, game in enumerate(plain):
            if not game.over:
                plain[i] = rolled(game.play(int(batch.current_player[i]), ids[i]).game, 5 + i)
        batch.step(ids)
        earned += batch.rewards
    for i, game in enumerate(plain):
        outcome = game.outcome()
        assert outcome is not None
        assert batch.totals[i].tolist() == earned[i].tolist() == list(outcome.totals)
        shares = [(seat in outcome.winners) / len(outcome.winners) for seat in range(seats)]
        assert batch.wins()[i].tolist() == shares
    assert not batch.legal_action_mask.any()


def rolled(game: Game, seed: int) -> Game:
    """The game after all throws that are due."""
    while address := game.address():
        game = game.roll(SeededDice(seed).throw(*address)).game
    return game


@pytest.mark.parametrize("seats", [1, 2, 4])
@pytest.mark.parametrize("name", SHEETS)
def test_a_batch_plays_by_the_rules(name: str, seats: int) -> None:
    compare(name, seats)


def test_house_rules_hold_in_a_batch() -> None:
    compare("twice", 1, options=True)
    compare("clever", 1, options=True)


def test_a_game_of_another_package(tmp_path: Path) -> None:
    with third_game.installed(tmp_path / "here"):
        compare(third_game.GAME, 3, games=4)


def test_bots_play_as_in_a_simulation() -> None:
    """They draw by the same addresses, so the games are those of `play`."""

    def last(tables: Array, states: Array, which: Array, seats: Array, seeds: Array) -> Array:
        out, found = np.zeros(ACTIONS, np.int64), []
        for i, seat in zip(which, seats, strict=True):
            n = compiled.rules().legal_actions(tables[0], states[i], seat, out)
            found.append(out[n - 1])
        return np.array(found)

    batch = Batch("twice", 6, 3, 11, bots=[None, "greedy", "random"])
    while not batch.terminated.all():
        highest = batch.action_mask.shape[1] - 1 - batch.action_mask[:, ::-1].argmax(axis=1)
        batch.step(highest)
    played = play("twice", [last, "greedy", "random"], 11, 6)
    assert played.totals.tolist() == batch.totals.tolist()


def test_a_chooser_plays_a_seat() -> None:
    batch = Batch("clever", 6, 2, 1, bots=[None, chooser("strong", "clever")])
    rng = np.random.default_rng(0)
    rows = batch.observe(seat=0)
    while not batch.terminated.all():
        batch.step(random_actions(batch.action_mask, rng), rows, 0)
        assert (rows == batch.observe(seat=0)).all()
    assert batch.wins()[:, 1].all()


def test_a_chooser_that_cheats_is_named() -> None:
    def cheat(tables: Array, states: Array, which: Array, seats: Array, seeds: Array) -> Array:
        return np.full(len(which), 81)

    with pytest.raises(FoxtrayError, match="bot cheat returned 81 in the game with seed 4"):
        Batch("clever", 1, 2, 4, bots=[cheat, None]).step([1])


def test_an_illegal_action_changes_nothing() -> None:
    batch = Batch("clever", 3, seeds=9)
    before = batch.copy()
    legal = random_actions(batch.action_mask, np.random.default_rng(0))
    for wrong, kind in ((0, IllegalAction), (82, MalformedAction), (-1, MalformedAction)):
        with pytest.raises(kind, match="game 1: "):
            batch.step([int(legal[0]), wrong, int(legal[2])])
        assert (batch.states == before.states).all()
        assert (batch.cases == before.cases).all()
    with pytest.raises(BadSetup, match="3 games need as many actions"):
        batch.step([0, 0])


def test_a_copy_goes_its_own_way() -> None:
    batch = Batch("twice", 4, seeds=1)
    twin = batch.copy()
    twin.step(random_actions(twin.action_mask, np.random.default_rng(0)))
    assert [batch.game(i) for i in range(4)] == [
        Batch("twice", 4, seeds=1).game(i) for i in range(4)
    ]
    assert batch.game(0) != twin.game(0)


def test_start_put_and_ask() -> None:
    batch = Batch("clever", 3, 3, [7, 8, 1 << 63])
    assert batch.seeds.tolist() == [7, 8, 1 << 63]
    before = batch.game(0)
    batch.start([1, 2], np.array([7, 9], np.uint64))
    assert batch.game(1) == before == batch.game(0)
    rng = np.random.default_rng(1)
    while batch.awaiting[0].sum() < 3:
        batch.step(random_actions(batch.action_mask, rng))
    kept = batch.game(0)
    batch.ask(0, 2)
    assert batch.current_player[0] == 2
    assert batch.action_mask[0].tobytes() == kept.mask(2)
    batch.put(1, kept)
    assert batch.game(1) == kept
    assert batch.totals[1].tolist() == [card.total for card in kept.scores()]
    assert not batch.rewards[1].any()
    fresh = Batch("clever", 1, 2)
    with pytest.raises(IllegalAction, match="has nothing to decide now"):
        fresh.ask(0, 1 - int(fresh.current_player[0]))


def test_states_as_arrays() -> None:
    game = Batch("twice", 1, 2, 3).game(0)
    array = state_array(game)
    assert array.shape == (1,)
    assert from_array("twice", array) == game


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"n": 0}, "cannot play 0 games"),
        ({"seats": 5}, "5 seats are not possible"),
        ({"seeds": -1}, "the seed must be"),
        ({"seeds": [1, 2]}, "4 games need as many seeds, not 2"),
        ({"seeds": np.array([0.5] * 4)}, "the seed must be"),
        ({"bots": ["greedy"]}, "at least one None"),
        ({"bots": [None, None]}, "1 seats need a bot or None each"),
        ({"seats": 2, "bots": [None, "strong"]}, "unknown bot 'strong'"),
        ({"game": "go"}, "unknown game 'go'"),
    ],
)
def test_what_a_batch_refuses(wrong: dict[str, object], sentence: str) -> None:
    with pytest.raises(FoxtrayError, match=sentence):
        Batch(**({"game": "clever", "n": 4} | wrong))  # type: ignore[arg-type]


def test_what_observe_and_start_refuse() -> None:
    batch = Batch("clever", 2)
    with pytest.raises(BadSetup, match="contiguous int16 array of shape \\(2, 110\\)"):
        batch.observe(np.zeros((2, 110)))
    with pytest.raises(BadSetup, match="there is no seat 2"):
        batch.observe(seat=1)
    with pytest.raises(BadSetup, match="there are 2 games, counted from 0"):
        batch.start([2], [0])
    with pytest.raises(BadSetup, match="there are 2 games, counted from 0"):
        batch.game(-1)
    with pytest.raises(BadSetup, match="plays clever with 1 seats, not twice with 1"):
        batch.put(0, Game.new("twice"))


def test_random_actions_are_fair_and_legal() -> None:
    mask = np.zeros((6000, 82), np.int8)
    mask[:, [3, 40, 81]] = 1
    mask[0] = 0
    drawn = random_actions(mask, np.random.default_rng(0))
    assert drawn[0] == 0
    counts = np.bincount(drawn[1:], minlength=82)
    assert counts[[3, 40, 81]].sum() == 5999
    assert (counts[[3, 40, 81]] > 1850).all()


@pytest.mark.parametrize("width", [*range(9, 26), 82, 163, 300])
def test_every_legal_action_is_equally_likely(width: int) -> None:
    """Whatever number is drawn, the action is the one that counting along the row would find."""
    draw = np.random.default_rng(width)
    mask = draw.random((200, width)) < draw.random((200, 1)) ** 2
    mask[0], mask[1] = False, True
    luck = np.random.default_rng(7).random(len(mask))
    wanted = [
        np.flatnonzero(row)[int(share * row.sum())] if row.any() else 0
        for row, share in zip(mask, luck, strict=True)
    ]
    assert random_actions(mask, np.random.default_rng(7)).tolist() == wanted
