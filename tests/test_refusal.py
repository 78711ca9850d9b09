"""Every refusal: a situation at the table where it happens, its code and its sentence."""

import ast
import inspect
from dataclasses import dataclass
from random import Random

import pytest

from foxtray import Action, Game, IllegalAction, SeededDice, Throw, game, refusal


def table(start: Game, *steps: str) -> Game:
    """A game after throws (`123456`) and actions (`2 w>g`, seats from 1)."""
    for step in steps:
        seat, _, action = step.partition(" ")
        if action:
            start = start.play(int(seat) - 1, action).game
        else:
            start = start.roll(Throw(tuple(map(int, step)))).game
    return start


def clever(*steps: str, seats: int = 1) -> Game:
    return table(Game.new("clever", seats), *steps)


def twice(*steps: str, seats: int = 1) -> Game:
    return table(Game.new("twice", seats), *steps)


def given(sheet: str, *steps: str) -> Game:
    """A solo game of the third round of Clever, or of Twice, with this sheet before its throw."""
    name = "twice" if "return=" in sheet else "clever"
    letters = "wsybgp" if name == "twice" else "wybgop"
    dice = ",".join(f"{letter}1p" for letter in letters)
    return table(
        Game.from_position(
            f"{name} seats=1 first=1 turn=4 phase=throw roll=1 reroll=0 dice={dice} | {sheet} "
            "foxes=0 stage=idle"
        ),
        *steps,
    )


GREEN = "y=............ b=........... g={} o=- p={} reroll={} extra={}"
BLUE = "s={} y=.......... b={} g=- p=- reroll=2/0 return={} extra=2/2"
NO_SILVER = "." * 24
NO_RETURN = "0/0"


def finished() -> Game:
    now, dice = Game.new("clever"), SeededDice(1)
    while not now.over:
        address = now.address()
        now = now.roll(dice.throw(*address)).game if address else now.play(0, now.legal(0)[0]).game
    return now


def choosing(name: str) -> Game:
    """The start of the fourth round, where one of several marks may be chosen."""
    sheets = {
        "clever": "y=x........... b=........... g=xxxxxxxxxxx o=- p=- reroll=3/3 extra=3/3",
        "twice": f"s={NO_SILVER} y=.......... b=6 g=- p=- reroll=1/1 return=2/2 extra=1/1",
    }
    letters = "wsybgp" if name == "twice" else "wybgop"
    dice = ",".join(f"{letter}1p" for letter in letters)
    return Game.from_position(
        f"{name} seats=1 first=1 turn=6 phase=opening roll=0 reroll=0 dice={dice} | "
        f"{sheets[name]} foxes=0 stage=idle open=choice"
    )


# The cross that completes silver's last column opens a pink bonus, beside additional crosses.
CROSSES_AND_BONUS = given(BLUE.format("......" + ".....x" * 3, "-", NO_RETURN), "163321", "1 s>sy6")


@dataclass(frozen=True)
class Case:
    """At this table a seat (counted from 1) may not do this, for this reason."""

    code: str
    table: Game
    seat: int
    action: str
    words: str


LAST_PICK = ("111111", "1 w>y1a", "111111", "1 y>y1b", "111111", "1 g>g")
CASES = [
    Case("no_such_seat", clever("123456"), 2, "w>g", "there is no seat 2"),
    Case("no_such_seat", clever("123456"), 0, "w>g", "there is no seat 0"),
    Case("other_game", clever("123456"), 1, "return:w", "return:w is an action of twice, not of"),
    Case("game_over", finished(), 1, "pass", "the game is over"),
    Case("dice_wanted", clever(), 1, "reroll", "roll the dice first"),
    Case("not_awaited", clever("123456", seats=2), 2, "w>g", "seat 2 has nothing to decide now"),
    # a pick
    Case("must_take", clever("123456"), 1, "pass", "you can use a die, so you must take one"),
    Case(
        "no_reroll",
        clever("123456", "1 reroll", "111111"),
        1,
        "reroll",
        "you have no re-rolls left",
    ),
    Case(
        "not_in_pool",
        clever("123456", "1 b>b4", "111666"),
        1,
        "w>g",
        "the white die is not in the pool; take a die you just rolled",
    ),
    Case("wrong_area", twice("123456"), 1, "y>sy3", "you cannot enter the yellow die in silver"),
    Case("wrong_number", clever("123456"), 1, "w>b3", "b3 needs a 3, but this is a 4"),
    Case("wrong_number", clever("123456"), 1, "y>y3a", "y3a needs a 3, but this is a 2"),
    Case(
        "cell_taken",
        clever("222222", "1 y>y2a", "222222"),
        1,
        "w>y2a",
        "y2a is already crossed",
    ),
    Case(
        "too_low",
        given(GREEN.format("xxxx", "-", "1/1", "0/0"), "123456"),
        1,
        "g>g",
        "the next green field needs at least 5, not 4",
    ),
    Case(
        "area_full",
        given(GREEN.format("x" * 11, "-", "1/1", "0/0"), "123456"),
        1,
        "g>g",
        "green is full",
    ),
    Case(
        "not_rising",
        given(GREEN.format("-", "4", "1/1", "0/0"), "123454"),
        1,
        "p>p",
        "the next purple number must be higher than 4",
    ),
    Case(
        "not_falling",
        given(BLUE.format(NO_SILVER, "6", NO_RETURN), "611111"),
        1,
        "b>b",
        "the next blue number must not be higher than 6",
    ),
    # before the second and third roll
    Case(
        "not_now",
        given(BLUE.format(NO_SILVER, "-", "1/0"), "123456", "1 b>b"),
        1,
        "p>p",
        "return a die from the platter, or pass to roll",
    ),
    Case(
        "not_on_tray",
        given(BLUE.format(NO_SILVER, "-", "1/0"), "123456", "1 b>b"),
        1,
        "return:p",
        "the pink die is not on the platter",
    ),
    Case(
        "not_now",
        given(BLUE.format(NO_SILVER, "-", "1/0"), "123456", "1 b>b"),
        1,
        "reroll",
        "you can re-roll only right after your own roll",
    ),
    Case("not_now", twice("123456"), 1, "return:w", "you can return a die only before"),
    # additional crosses
    Case(
        "not_moved",
        twice("163321", "1 s>sy6"),
        1,
        "s>sb6",
        "make additional crosses with the dice just moved, or pass",
    ),
    Case("not_moved", twice("163321", "1 s>sy6"), 1, "y>y3a", "make additional crosses"),
    Case("wrong_number", twice("163321", "1 s>sy6"), 1, "y>sy1", "sy1 needs a 1, but this is a 3"),
    Case(
        "cell_taken",
        twice("163321", "1 s>sy6", "1 w>sp1"),
        1,
        "p>sp1",
        "sp1 is already crossed",
    ),
    # served
    Case("must_take", clever(*LAST_PICK, seats=2), 2, "pass", "you can use a die, so you must"),
    Case(
        "tray_first",
        clever(*LAST_PICK, seats=2),
        2,
        "w>g",
        "you can use a die from the platter, so take one of those",
    ),
    Case("wrong_number", clever(*LAST_PICK, seats=2), 2, "y>y2a", "y2a needs a 2, but this is a 1"),
    # extra dice
    Case(
        "used_already",
        given(
            GREEN.format("-", "-", "0/0", "2/0"),
            *("111111", "1 w>y1a", "111111", "1 y>y1b", "111111", "1 b>b2", "1 g>g"),
        ),
        1,
        "g>g",
        "you already used the green die as an additional die this turn",
    ),
    # open bonuses
    Case("no_bonus", clever("123456"), 1, "+g", "you have no open bonus for this"),
    Case("no_bonus", choosing("clever"), 1, "+o=4", "you have no open bonus for this"),
    Case("cell_taken", choosing("clever"), 1, "+y3a", "y3a is already crossed"),
    Case("area_full", choosing("clever"), 1, "+g", "green is full"),
    Case(
        "not_falling",
        choosing("twice"),
        1,
        "+b=7",
        "the next blue number must not be higher than 6",
    ),
    Case("bonus_open", choosing("clever"), 1, "pass", "use your open bonuses first: choice"),
    Case("bonus_open", CROSSES_AND_BONUS, 1, "pass", "use your open bonuses first: pink"),
    Case("not_moved", CROSSES_AND_BONUS, 1, "p>p", "make additional crosses with the dice"),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.code}-{case.action}")
def test_refusal(case: Case) -> None:
    name = "twice" if case.action.startswith("return") else case.table.sheet.id
    before = case.table.position()
    with pytest.raises(IllegalAction) as caught:
        case.table.play(case.seat - 1, Action.parse(name, case.action))
    assert (caught.value.code, str(caught.value)[: len(case.words)]) == (case.code, case.words)
    assert case.table.position() == before


def test_nothing_is_thrown_while_somebody_chooses() -> None:
    with pytest.raises(IllegalAction) as caught:
        clever("123456").roll(Throw((1,) * 6))
    assert caught.value.code == "no_throw"


def codes_in_source() -> set[str]:
    """The codes that the sources give: `return "code", ...` and `IllegalAction("code", ...)`."""
    found = set()
    for module in (refusal, game):
        for node in ast.walk(ast.parse(inspect.getsource(module))):
            parts: list[ast.expr] = []
            if isinstance(node, ast.Return) and isinstance(node.value, ast.Tuple):
                parts = node.value.elts
            elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                parts = node.args if node.func.id == "IllegalAction" else []
            if parts and isinstance(parts[0], ast.Constant) and isinstance(parts[0].value, str):
                found.add(parts[0].value)
    return found


def test_every_code_has_its_situation() -> None:
    assert codes_in_source() == {case.code for case in CASES} | {"no_throw"}


@pytest.mark.parametrize("seats", [1, 3])
@pytest.mark.parametrize("name", ["clever", "twice"])
def test_whatever_is_not_legal_is_refused_with_a_reason(name: str, seats: int) -> None:
    now, dice, chance = Game.new(name, seats), SeededDice(3), Random(3)
    known = codes_in_source()
    while not now.over:
        seat = chance.randrange(seats)
        legal = now.legal(seat)
        for action in chance.sample(now.layout.actions, 15):
            if action not in legal:
                with pytest.raises(IllegalAction) as caught:
                    now.play(seat, action)
                assert caught.value.code in known
                assert str(caught.value)
        address = now.address()
        if address:
            now = now.roll(dice.throw(*address)).game
        else:
            seat = chance.choice(now.awaiting())
            now = now.play(seat, chance.choice(now.legal(seat))).game
