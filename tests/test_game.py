"""`Game`: what it refuses to set up, and corner cases that play seldom reaches."""

from itertools import islice

import pytest

from foxtray import SHEETS, Action, FoxtrayError, Game, SecretDice, Throw
from foxtray.core import rules
from foxtray.core.state import FIELD_NAMES, Log, State, no_log
from foxtray.errors import BadSetup, MalformedAction, MalformedThrow
from foxtray.events import BonusEarned, BonusLost, BonusUsed, Event, Marked
from foxtray.games.registry import UnknownGame

FULL = "y={y} b={b} g={g} o=1,1,1,2,1,1,2,1,2,1,3 p=1,2,3,4,5,6,1,2,3,4{p}"


@pytest.mark.parametrize("seats", [0, 5, -1])
def test_one_to_four_play(seats: int) -> None:
    with pytest.raises(BadSetup, match=f"{seats} seats are not possible; choose 1 to 4"):
        Game.new("clever", seats)


@pytest.mark.parametrize("first", [2, -1])
def test_only_a_seat_can_begin(first: int) -> None:
    with pytest.raises(BadSetup, match="cannot start; choose 1 to 2"):
        Game.new("clever", 2, first=first)


def test_a_game_must_exist() -> None:
    with pytest.raises(UnknownGame, match="unknown game 'go'; choose one of clever, twice"):
        Game.new("go")
    with pytest.raises(UnknownGame):
        Action.parse("go", "pass")


@pytest.mark.parametrize("text", ["", "w>", "w>g ", "W>g", "w>s", "return:w", "+o=3", "o>y1a"])
def test_a_text_that_names_no_action(text: str) -> None:
    with pytest.raises(MalformedAction, match="is not an action of clever"):
        Game.new("clever").play(0, text)


def test_an_action_shows_how_to_write_it() -> None:
    action = Action.parse("twice", "s>sy6")
    assert repr(action) == "Action.parse('twice', 's>sy6')"
    assert str(action) == "s>sy6"
    assert len({action, Action.parse("twice", "s>sy6"), Action.parse("twice", "s>sy5")}) == 2


def test_every_wanted_die_needs_a_face() -> None:
    game = Game.new("clever")
    with pytest.raises(MalformedThrow, match="these dice need a face: blue, purple"):
        game.roll(Throw((1, 2, 0, 4, 5, 0)))
    game = game.roll(Throw((1, 2, 3, 4, 5, 6))).game.play(0, "b>b4").game
    assert game.roll(Throw((0, 0, 0, 4, 5, 6))).game.faces == (1, 2, 3, 4, 5, 6)


def test_every_error_has_a_code() -> None:
    kinds = [FoxtrayError]
    for kind in kinds:
        kinds += kind.__subclasses__()
    known = [kind.code for kind in kinds if kind is not FoxtrayError and "code" in vars(kind)]
    assert len(set(known)) == len(known)


# --- bonuses that have no place, or only one ----------------------------------------------------


def clever(turn: int, dice: str, sheet: str) -> Game:
    """A solo game of Clever before a throw, or after one when `dice` is given."""
    faces = ",".join(f"{letter}1p" for letter in "wybgop")
    roll = turn % 2 == 0
    game = Game.from_position(
        f"clever seats=1 first=1 turn={turn} phase=throw roll={int(roll)} reroll=0 "
        f"dice={faces} | {sheet} reroll=2/2 extra=2/2 foxes=0 stage=idle"
    )
    return game.roll(Throw(tuple(map(int, dice)))).game if dice else game


def bonuses(events: tuple[Event, ...]) -> list[Event]:
    return [e for e in events if isinstance(e, BonusEarned | BonusLost | BonusUsed | Marked)]


def test_a_mark_in_a_full_grid_is_lost() -> None:
    """The second blue row gives a mark in yellow, which is full."""
    game = clever(4, "444444", "y=xxxxxxxxxxxx b=...xxx..... g=- o=- p=-")
    assert bonuses(game.play(0, "b>b8").events) == [
        Marked(0, "blue", "b8", 1, 8),
        BonusEarned(0, "yellow", "line", "blue row 2"),
        BonusLost(0, "yellow"),
    ]


def before_round_4(y: str = "x" * 12, b: str = "x" * 11, g: str = "x" * 11, p: str = ",5") -> Game:
    """The last throw of the third round, nearly everything marked: no die can be used."""
    return clever(5, "", FULL.format(y=y, b=b, g=g, p=p))


def test_the_choice_is_lost_when_every_area_is_full() -> None:
    progress = before_round_4().roll(Throw((1,) * 6))
    assert bonuses(progress.events) == [
        BonusEarned(0, "choice", "round", "4"),
        BonusLost(0, "choice"),
    ]
    assert progress.game.rolling()


def test_a_choice_with_one_place_left_is_used_unasked() -> None:
    """Only blue 12 is open, which six ones do not reach."""
    progress = before_round_4(b="x" * 10 + ".").roll(Throw((1,) * 6))
    assert bonuses(progress.events)[:3] == [
        BonusEarned(0, "choice", "round", "4"),
        BonusUsed(0, "choice"),
        Marked(0, "blue", "b12", 1, 0),
    ]


@pytest.mark.parametrize(
    ("sheet", "legal"),
    [
        ({"y": "x" * 11 + ".", "b": "x" * 10 + "."}, ["+y6b", "+b12"]),
        ({"b": "x" * 10 + ".", "g": "x" * 10}, ["+b12", "+g"]),
        ({"g": "x" * 10, "p": ""}, ["+g", "+p=6"]),
    ],
)
def test_a_choice_with_two_places_left_is_asked(sheet: dict[str, str], legal: list[str]) -> None:
    game = before_round_4(**sheet).roll(Throw((1,) * 6)).game
    assert list(map(str, game.legal(0))) == legal


# --- what the simulator relies on ---------------------------------------------------------------


@pytest.mark.parametrize("name", SHEETS)
def test_a_negative_count_keeps_no_log(name: str) -> None:
    t = Game.new(name).layout.tables
    kept, silent = State(), State()
    log, none = Log(), no_log()
    rules.begin(t, kept, log)
    rules.begin(t, silent, none)
    rules.roll(t, silent, [1, 2, 3, 4, 5, 6], [0, 1, 2, 3, 4, 5], none)
    rules.roll(t, kept, [1, 2, 3, 4, 5, 6], [0, 1, 2, 3, 4, 5], log)
    assert (silent, none) == (kept, no_log())
    assert log.size > 0


def test_a_copy_shares_nothing() -> None:
    state = Game.new("clever", 2).roll(Throw((1, 2, 3, 4, 5, 6))).game.state
    copy = state.copy()
    assert copy == state
    for name in FIELD_NAMES:
        value = getattr(copy, name)
        if isinstance(value, list):
            assert value is not getattr(state, name)
            rows = zip(value, getattr(state, name), strict=True)
            assert not any(isinstance(row, list) and row is other for row, other in rows)


def test_secret_dice_never_run_out() -> None:
    stream = list(islice(SecretDice(b"x" * 16)._draws("throw 0 1 0"), 100))
    assert len(stream) == 100
    assert stream[:32] != stream[32:64]
