"""The oracle itself, against the rulebooks' worked examples and counts made by hand."""

from collections.abc import Mapping

import pytest
from oracle import Oracle

IN_ORDER = range(6)


def words(line: str) -> list[str]:
    return line.split()


def sheet_with(game: str, marks: Mapping[str, int], foxes: int = 0) -> Oracle:
    """A solo game whose sheet carries these marks; what they gave is left out."""
    oracle = Oracle(game, 1)
    oracle.players[0].marks = dict(marks)
    oracle.players[0].foxes = foxes
    return oracle


def row(letter: str, *values: int) -> dict[str, int]:
    return {f"{letter}{field}": value for field, value in enumerate(values, start=1)}


def crosses(*cells: str) -> dict[str, int]:
    return dict.fromkeys(cells, 1)


def points(game: str, area: str, marks: Mapping[str, int]) -> int:
    oracle = sheet_with(game, marks)
    return oracle.areas(0)[oracle.sheet.areas.index(area)]


def throw(oracle: Oracle, faces: str, order: range | list[int] = IN_ORDER) -> Oracle:
    """Throw faces like "w3 y1 b6 g2 o2 p5"; dice that are not named show a 1."""
    shown = {part[0]: int(part[1]) for part in faces.split()}
    oracle.roll([shown.get(die, 1) for die in oracle.sheet.dice], order)
    return oracle


def earn(oracle: Oracle, seat: int, place: str, value: int = 0) -> None:
    """Make a mark out of turn, with everything that it gives."""
    oracle._enter(oracle.players[seat], place, value)
    oracle._go_on()


def dice(oracle: Oracle, place: str) -> str:
    return "".join(die for die in oracle.sheet.dice if oracle.place[die].startswith(place))


# -- names and ids ------------------------------------------------------------------------------


def test_clever_has_82_actions_in_id_order() -> None:
    actions = Oracle("clever", 1).all_actions()
    assert len(actions) == len(set(actions)) == 82
    assert actions[:5] == ["pass", "reroll", "w>y3a", "w>y6a", "w>y5a"]
    assert actions[14:17] == ["w>b2", "w>b3", "w>b4"]
    assert actions[25:30] == ["w>g", "w>o", "w>p", "y>y3a", "y>y6a"]
    assert actions[40:43] == ["b>b2", "b>b3", "b>b4"]
    assert actions[51:55] == ["g>g", "o>o", "p>p", "+y3a"]
    assert actions[-7:] == ["+b11", "+b12", "+g", "+o=4", "+o=5", "+o=6", "+p=6"]


def test_twice_has_163_actions_in_id_order() -> None:
    actions = Oracle("twice", 1).all_actions()
    assert len(actions) == len(set(actions)) == 163
    assert actions[:3] == ["pass", "reroll", "return:w"]
    assert actions[6:9] == ["return:g", "return:p", "w>sy1"]
    assert actions[32:46] == (
        words("w>y3a w>y6 w>y1 w>y2a w>y4a w>y3b w>y2b w>y5a w>y5b w>y4b w>b w>g w>p s>sy1")
    )
    assert actions[69:77] == words("y>sy1 y>sy2 y>sy3 y>sy4 y>sy5 y>sy6 y>y3a y>y6")
    assert actions[85:92] == words("b>sb1 b>sb2 b>sb3 b>sb4 b>sb5 b>sb6 b>b")
    assert actions[92:99] == words("g>sg1 g>sg2 g>sg3 g>sg4 g>sg5 g>sg6 g>g")
    assert actions[99:107] == words("p>sp1 p>sp2 p>sp3 p>sp4 p>sp5 p>sp6 p>p +sy1")
    assert actions[-24:-21] == ["+y4b", "+b=2", "+b=3"]
    assert actions[-13:] == (
        words("+b=12 +g=1 +g=2 +g=3 +g=4 +g=5 +g=6 +p=1 +p=2 +p=3 +p=4 +p=5 +p=6")
    )


# -- points: the rulebooks' examples ------------------------------------------------------------


def test_clever_points() -> None:
    blue = [f"b{number}" for number in range(2, 13)]
    assert points("clever", "blue", crosses(*blue[:4])) == 7
    assert points("clever", "blue", crosses(*blue[:9])) == 37
    assert points("clever", "green", row("g", 1, 1, 1, 1, 1)) == 15
    assert points("clever", "purple", row("p", 2, 5, 6, 3)) == 16
    assert points("clever", "yellow", crosses("y3a", "y2a", "y1b")) == 10
    assert points("clever", "yellow", crosses("y3a", "y6a", "y5a")) == 0


def test_clever_orange_multiplies_and_adds_up() -> None:
    oracle = Oracle("clever", 1)
    for value in (5, 2, 3, 6):
        earn(oracle, 0, "o", value)
    assert oracle.marks(0) == row("o", 5, 2, 3, 12)
    assert oracle.areas(0) == [0, 0, 0, 22, 0]


def test_clever_fox_is_worth_the_lowest_area() -> None:
    marks = crosses("y3a", "y2a", "y1b", "y5a", "y2b", "y4b", "y5b", "y4a", "y6b")  # 10 + 16 + 20
    marks |= crosses(*[f"b{number}" for number in range(2, 11)])
    marks |= row("g", *[1] * 7) | row("o", 5) | row("p", 2, 5, 6, 3, 5)
    oracle = sheet_with("clever", marks, foxes=2)
    assert oracle.areas(0) == [46, 37, 28, 5, 21]
    assert oracle.fox_value(0) == 5
    assert oracle.total(0) == 46 + 37 + 28 + 5 + 21 + 2 * 5


def test_twice_points() -> None:
    assert points("twice", "silver", crosses("sy1", "sy2", "sy4", "sy6")) == 11
    assert points("twice", "silver", crosses("sy1", "sb1", "sg1", "sp1")) == 8
    assert points("twice", "blue", row("b", 12, 9, 9, 7, 2)) == 15
    assert points("twice", "pink", row("p", 5, 3, 1, 4)) == 13
    assert points("twice", "yellow", {"y1": 2, "y6": 2, "y3a": 1}) == 10
    assert points("twice", "green", row("g", 2, 12)) == -10
    assert points("twice", "green", row("g", 10, 2, 6)) == 8


def test_twice_green_writes_products_and_subtracts_pairs() -> None:
    oracle = Oracle("twice", 1)
    for value in (5, 1, 3, 1):
        earn(oracle, 0, "g", value)
    assert [oracle.marks(0)[f"g{field}"] for field in (1, 2, 3, 4)] == [10, 2, 6, 1]
    assert oracle.areas(0)[3] == 13


def test_twice_fox_can_be_negative_unless_there_is_a_floor() -> None:
    oracle = sheet_with("twice", row("g", 2, 12), foxes=3)
    assert oracle.areas(0) == [0, 0, 0, -10, 0]
    assert (oracle.fox_value(0), oracle.total(0)) == (-10, -40)
    oracle.fox_floor = True
    assert (oracle.fox_value(0), oracle.total(0)) == (0, -10)


def test_ties_are_broken_by_the_best_area_and_then_shared() -> None:
    oracle = Oracle("clever", 3)
    oracle.players[0].marks = row("o", 6, 5)
    oracle.players[1].marks = row("o", 6) | row("p", 5)
    assert oracle.winners() == [0]
    oracle.players[2].marks = row("p", 5, 6)
    assert oracle.winners() == [0, 2]
    oracle.players[1].marks = row("o", 6, 6)
    assert oracle.winners() == [1]


# -- the rulebooks' examples in play ------------------------------------------------------------


def test_the_third_purple_field_circles_a_reroll() -> None:
    oracle = Oracle("clever", 1)
    for value in (1, 2, 3):
        assert oracle.tracks(0) == {"reroll": (1, 0), "extra": (0, 0)}
        earn(oracle, 0, "p", value)
    assert oracle.tracks(0) == {"reroll": (2, 0), "extra": (0, 0)}


@pytest.mark.parametrize(("value", "rerolls"), [(1, 1), (2, 2), (6, 2)])
def test_the_third_pink_field_circles_a_reroll_from_2_on(value: int, rerolls: int) -> None:
    oracle = Oracle("twice", 1)
    for entry in (1, 1, value):
        earn(oracle, 0, "p", entry)
    assert oracle.tracks(0)["reroll"] == (rerolls, 0)


def test_silver_offers_a_cross_for_each_die_that_it_moves() -> None:
    oracle = throw(Oracle("twice", 2), "w2 s3 y5 b1 g3 p6")
    oracle.play(0, "s>sg3")
    assert (dice(oracle, "tray"), dice(oracle, "pool")) == ("wb", "ygp")
    assert oracle.legal(0) == ["pass", "w>sy2", "w>sb2", "w>sg2", "w>sp2", "b>sb1"]
    oracle.play(0, "w>sp2")
    assert oracle.legal(0) == ["pass", "b>sb1"]
    oracle.play(0, "b>sb1")
    assert oracle.marks(0) == crosses("sg3", "sp2", "sb1")
    assert oracle.address() == (0, 2, 0)


def test_silver_crosses_and_open_bonuses_form_one_list() -> None:
    oracle = Oracle("twice", 2)
    oracle.players[0].marks = crosses("sy4", "sb4", "sg4")
    throw(oracle, "w4 s6 y1 b6 g6 p3")
    oracle.play(0, "w>sp4")
    assert oracle.legal(0) == ["y>sy1", "p>sp3", *[f"+b={value}" for value in range(2, 13)]]
    oracle.play(0, "p>sp3")
    oracle.play(0, "+b=12")
    assert oracle.legal(0) == ["pass", "y>sy1"]
    oracle.play(0, "pass")
    assert oracle.rolling() == [1, 3, 4]


@pytest.mark.parametrize(("game", "lower"), [("clever", "o"), ("twice", "s")])
def test_an_active_turn(game: str, lower: str) -> None:
    oracle = throw(Oracle(game, 2), f"w3 {lower}2 y5 b4 g6 p3")
    oracle.play(0, "p>p")
    assert (dice(oracle, "field"), dice(oracle, "tray")) == ("p", lower)
    assert [oracle.sheet.dice[index] for index in oracle.rolling()] == ["w", "y", "b", "g"]
    throw(oracle, "w4 y2 b3 g6")
    oracle.play(0, "w>y4a")
    assert [oracle.sheet.dice[index] for index in oracle.rolling()] == ["g"]
    assert oracle.address() == (0, 3, 0)
    throw(oracle, "g5")
    assert "reroll" in oracle.legal(0)
    oracle.play(0, "g>g")
    assert oracle.awaiting() == [1]
    assert len(dice(oracle, "tray")) == len(dice(oracle, "field")) == 3


def test_extra_dice_each_once_a_turn() -> None:
    oracle = Oracle("clever", 1)
    oracle.players[0].circled["extra"] = 3
    throw(oracle, "w4 y6 b3 g1 o1 p1")
    oracle.play(0, "y>y6a")
    assert "w>y4a" in oracle.legal(0)
    oracle.play(0, "w>y4a")
    assert not [text for text in oracle.legal(0) if text.startswith("w>")]
    assert "b>b7" in oracle.legal(0)
    oracle.play(0, "b>b7")
    assert oracle.marks(0) == crosses("y6a", "y4a", "b7")
    assert oracle.tracks(0)["extra"] == (3, 2)


def test_solo_serves_the_three_lowest_and_chance_decides_between_equals() -> None:
    for first_of_the_threes, tray in [(0, "wbp"), (3, "bgp"), (4, "bop")]:
        oracle = Oracle("clever", 1)
        throw(oracle, "y6 w1 b1 g1 o1 p1")
        oracle.play(0, "y>y6a")
        assert (oracle.address(), oracle.rolling()) == ((1, 0, 0), [0, 1, 2, 3, 4, 5])
        order = [first_of_the_threes, *[i for i in range(6) if i != first_of_the_threes]]
        throw(oracle, "w3 y6 b1 g3 o3 p2", order)
        assert sorted(dice(oracle, "tray")) == sorted(tray)


# -- the course of the game ---------------------------------------------------------------------


def test_a_clever_roll_without_a_usable_die_is_lost() -> None:
    oracle = Oracle("clever", 2)
    player = oracle.players[0]
    player.marks = crosses(*oracle.sheet.cells["yellow"], *oracle.sheet.cells["blue"])
    player.marks |= row("o", *[1] * 11) | row("p", 5) | row("g", *[1] * 10)
    throw(oracle, "w1 y1 b1 g1 o1 p1")
    assert oracle.legal(0) == ["pass", "reroll"]
    player.spent["reroll"] = 1
    oracle.phase = "throw"
    throw(oracle, "w1 y1 b1 g1 o1 p1")
    assert oracle.address() == (0, 2, 0)
    assert len(oracle.rolling()) == 6


def test_returns_revive_an_empty_pool() -> None:
    oracle = Oracle("twice", 2)
    oracle.players[0].circled["return"] = 2
    throw(oracle, "w1 s1 y6 b1 g1 p1")
    oracle.play(0, "y>y6")
    assert oracle.legal(0) == ["pass", "return:w", "return:s", "return:b", "return:g", "return:p"]
    oracle.play(0, "return:b")
    assert oracle.legal(0) == ["pass", "return:w", "return:s", "return:g", "return:p"]
    oracle.play(0, "pass")
    assert (oracle.address(), oracle.rolling()) == ((0, 2, 0), [3])
    throw(oracle, "b4")
    oracle.play(0, "b>b")
    assert oracle.marks(0)["b1"] == 5
    oracle.play(0, "pass")
    assert oracle.awaiting() == [1]
    assert len(dice(oracle, "tray")) == 4


def test_rerolls_keep_the_roll_and_change_the_address() -> None:
    oracle = throw(Oracle("clever", 1), "w1")
    oracle.play(0, "reroll")
    assert oracle.address() == (0, 1, 1)
    throw(oracle, "w1")
    oracle.play(0, "w>o")
    assert oracle.address() == (0, 2, 0)


def test_passive_seats_use_the_tray_or_else_the_die_fields() -> None:
    for game in ("clever", "twice"):
        oracle = Oracle(game, 2)
        throw(oracle, "y6 w1 b1 g1 o1 p1 s1")
        if game == "clever":
            oracle.players[1].marks = row("g", *[1] * 11) | row("o", *[1] * 11) | row("p", 5)
            oracle.players[1].marks |= crosses("b2", "y1a", "y1b")
            oracle.play(0, "y>y6a")
            assert oracle.legal(1) == ["pass", "y>y6a", "y>y6b"]
        else:
            oracle.play(0, "y>y6")
            assert oracle.legal(1)[0] == "pass"
            assert "y>y6" not in oracle.legal(1)
            oracle.play(1, "pass")
            assert oracle.address() == (1, 1, 0)


@pytest.mark.parametrize(("fallback", "legal"), [(False, ""), (True, "pass w>o y>y6a y>y6b o>o")])
def test_solo_fallback_is_an_option(fallback: bool, legal: str) -> None:
    oracle = throw(Oracle("clever", 1, solo_fallback=fallback), "y6")
    oracle.play(0, "y>y6a")
    assert oracle.address() == (1, 0, 0)
    oracle.players[0].marks = crosses("y1a", "y1b", "y5a", "y5b", "b6")
    oracle.players[0].marks |= row("g", *[1] * 11) | row("o", *[1] * 9) | row("p", 5)
    throw(oracle, "w5 y6 b1 g1 o6 p1")
    assert oracle.legal(0) == words(legal)
    assert oracle.rolling() == ([] if fallback else list(IN_ORDER))


def test_round_four_offers_the_choice_to_all_seats_before_the_first_throw() -> None:
    oracle = Oracle("clever", 4)
    oracle.turn = 12
    oracle._start_turn()
    oracle._go_on()
    assert oracle.awaiting() == [0, 1, 2, 3]
    assert oracle.rolling() == []
    assert len(oracle.legal(2)) == 12 + 11 + 3
    for seat, text in [(3, "+g"), (0, "+y1a"), (1, "+p=6")]:
        oracle.play(seat, text)
        assert not oracle.rolling()
    oracle.play(2, "+o=6")
    assert oracle.address() == (12, 1, 0)
    assert [oracle.marks(seat) for seat in range(4)] == [
        {"y1a": 1},
        {"p1": 6},
        {"o1": 6},
        {"g1": 1},
    ]


def test_bonuses_chain_and_are_used_in_the_players_order() -> None:
    oracle = Oracle("clever", 2)
    oracle.players[0].marks = crosses("b2", "b3", "b8", "b12")
    throw(oracle, "w1 b3 y1 g1 o1 p1")
    oracle.play(0, "b>b4")  # row: orange 5; column: extra die
    assert oracle.marks(0)["o1"] == 5
    assert oracle.tracks(0)["extra"] == (1, 0)
    oracle = Oracle("clever", 2)
    oracle.players[0].marks = crosses("b2", "b4", "b7", "b11")
    throw(oracle, "w1 b2 y1 g1 o1 p1")
    oracle.play(0, "b>b3")  # row: orange 5; column: purple 6
    assert oracle.legal(0) == ["+o=5", "+p=6"]
    oracle.play(0, "+p=6")
    assert (oracle.marks(0)["o1"], oracle.marks(0)["p1"]) == (5, 6)


def test_the_last_circle_of_a_track_pays() -> None:
    oracle = Oracle("twice", 2)
    oracle.players[0].circled["reroll"] = 5
    earn(oracle, 0, "g", 1)
    earn(oracle, 0, "g", 1)
    assert oracle.tracks(0)["reroll"] == (6, 0)
    assert oracle.foxes(0) == 1


@pytest.mark.parametrize("game", ["clever", "twice"])
@pytest.mark.parametrize(("seats", "rounds"), [(1, 6), (2, 6), (3, 5), (4, 4)])
def test_a_game_has_its_rounds_and_ends(game: str, seats: int, rounds: int) -> None:
    oracle = Oracle(game, seats, first=seats - 1)
    assert oracle.active == seats - 1
    addresses = []
    while not oracle.over:
        address = oracle.address()
        if address:
            addresses.append(address)
            throw(oracle, "w1")
        else:
            seat = oracle.awaiting()[0]
            oracle.play(seat, oracle.legal(seat)[-1])
    assert addresses == sorted(set(addresses))
    assert addresses[-1][0] == rounds * max(seats, 2) - 1
    assert oracle.awaiting() == oracle.rolling() == []
    outcome = oracle.outcome()
    assert outcome is not None
    assert len(outcome[0]) == seats
