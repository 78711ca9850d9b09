"""Events and choices in words."""

import pytest

from foxtray import Game, digits, words
from foxtray.dice import Throw
from foxtray.events import BonusEarned, BonusUsed, Event, Marked
from foxtray.games.registry import sheet_of

CLEVER = (
    "clever seats=1 first=1 turn=0 phase=choosing roll=1 reroll=0 dice={dice} | "
    "y={y} b={b} g={g} o={o} p={p} reroll={reroll} extra=0/0 foxes=0 stage=pick"
)
TWICE = (
    "twice seats=1 first=1 turn=0 phase=choosing roll=1 reroll=0 dice={dice} | "
    "s={s} y={y} b={b} g={g} p={p} reroll={reroll} return={back} extra=0/0 foxes=0 stage=pick"
)


def clever(dice: str = "w4p,y3p,b2p,g5p,o6p,p1p", **words: str) -> Game:
    empty = {"y": "." * 12, "b": "." * 11, "g": "-", "o": "-", "p": "-", "reroll": "0/0"}
    return Game.from_position(CLEVER.format(dice=dice, **(empty | words)))


def twice(dice: str = "w4p,s5p,y3p,b2p,g6p,p1p", **words: str) -> Game:
    empty = {"s": "." * 24, "y": "." * 10, "b": "-", "g": "-", "p": "-"}
    empty |= {"reroll": "0/0", "back": "0/0"}
    return Game.from_position(TWICE.format(dice=dice, **(empty | words)))


def follows(game: Game, action: str) -> list[str]:
    return words.sets_off(game.sheet, game.play(0, action).events, 0)


def heard(game: Game, *actions: str) -> list[str]:
    events: list[Event] = []
    for action in actions:
        game, more = game.play(0, action)
        events += more
    return words.story(game.sheet, events, game.seats)


@pytest.mark.parametrize(
    ("text", "spoken"),
    [
        ("orange=4", "a 4 in orange"),
        ("blue", "a mark in blue"),
        ("reroll", "a re-roll"),
        ("return", "a return"),
        ("extra", "an additional die"),
        ("fox", "a fox"),
        ("choice", "a mark of your choice"),
    ],
)
def test_bonuses(text: str, spoken: str) -> None:
    assert words.bonus(text) == spoken


def test_lists() -> None:
    assert words.listed(["a"]) == "a"
    assert words.listed(["a", "b", "c"]) == "a, b and c"
    assert words.seats_listed([1]) == "seat 2"
    assert words.seats_listed([0, 2]) == "seats 1 and 3"


def test_a_plain_mark_sets_off_nothing() -> None:
    assert follows(clever(), "y>y3a") == []


def test_a_full_row_gives_its_bonus() -> None:
    # The first row of yellow is 3 6 5 and pays a mark in blue, which has many places.
    assert follows(clever(y=".xx........."), "y>y3a") == ["yellow row 1 gives a mark in blue"]


def test_a_full_column_of_points_and_the_diagonal_are_told() -> None:
    # The first column is 3 2 1, the diagonal 3 1 2 6.
    found = follows(clever(y="...xx.xx...x"), "y>y3a")
    assert found == ["yellow column 1 full", "yellow diagonal gives an additional die"]


def test_a_forced_bonus_is_followed_to_its_end() -> None:
    # The second row of yellow pays an orange 4; it is the third orange entry: a reroll.
    found = follows(clever("w4p,y5p,b2p,g5p,o6p,p1p", y="...xx.......", o="1,2"), "y>y5b")
    assert found == ["yellow row 2 gives a 4 in orange", "o3 = 4", "a re-roll"]


def test_a_lost_bonus_is_told() -> None:
    full = "1,1,1,2,1,1,2,1,2,1,3"
    found = follows(clever("w4p,y5p,b2p,g5p,o6p,p1p", y="...xx.......", o=full), "y>y5b")
    assert found == ["yellow row 2 gives a 4 in orange", "a 4 in orange is lost"]


def test_a_factor_shows_what_is_written() -> None:
    assert follows(clever(o="1,2,3"), "o>o") == ["o4 = 12"]


def test_circles_and_crosses_are_told_apart() -> None:
    # The first row of yellow is 3 6; a full row of circles pays a mark in blue.
    assert follows(twice(), "y>y3a") == ["circled"]
    assert follows(twice(y="o........."), "y>y3a") == ["crossed off"]
    assert follows(twice(y=".o........"), "y>y3a") == [
        "circled",
        "yellow row 1 gives a mark in blue",
    ]


def test_a_bonus_that_is_missed_is_told() -> None:
    # The third pink field circles a reroll from 2 on.
    assert follows(twice(p="5,3"), "p>p") == ["without a re-roll"]
    assert follows(twice("w4p,s5p,y3p,b2p,g6p,p2p", p="5,3"), "p>p") == ["a re-roll"]


def test_the_last_circle_of_a_track_gives_its_bonus() -> None:
    found = follows(twice("w4p,s5p,y3p,b2p,g6p,p2p", p="5,3", reroll="5/0"), "p>p")
    assert found == ["a re-roll", "the last re-roll circle gives a fox"]


def test_dice_that_go_to_the_tray() -> None:
    game = clever()
    assert words.to_tray(game.sheet, game.play(0, "w>o").events) == [1, 2, 5]


def test_what_a_player_did_is_one_line() -> None:
    assert heard(clever(), "y>y3a") == ["yellow 3: y3a crossed off"]
    assert heard(clever(reroll="1/0"), "reroll") == ["a re-roll spent"]
    game = clever("w4p,y5p,b2p,g5p,o6p,p1p", y="...xx.......", o="1,2")
    assert heard(game, "y>y5b") == [
        "yellow 5: y5b crossed off, yellow row 2 gives a 4 in orange, o3 = 4, a re-roll"
    ]


def test_a_sum_names_both_of_its_dice() -> None:
    """It read "white 6", which no die shows."""
    game = clever("w4p,y3p,b2p,g5p,o6p,p1p")
    assert heard(game, "b>b6") == ["white and blue together 6: b6 crossed off"]
    assert heard(game, "w>b6") == ["white and blue together 6: b6 crossed off"]
    assert heard(game, "w>y4a") == ["white 4: y4a crossed off"]


def test_several_players_are_named() -> None:
    sheet = sheet_of("clever")
    events = Game.new("clever", 2, first=1).opening
    assert words.story(sheet, events, 2) == [
        "round 1 begins with a re-roll for everyone",
        "seat 2 is the active player",
    ]
    marks = (Marked(1, "yellow", "y3a", 1, 3), BonusUsed(1, "blue"), Marked(0, "blue", "b7", 1, 7))
    assert words.story(sheet, marks, 2) == ["seat 2: y3a crossed off", "seat 1: b7 crossed off"]


def test_rounds_without_anything_to_bring_just_begin() -> None:
    game = Game.from_position(
        "clever seats=1 first=1 turn=7 phase=serving roll=0 reroll=0 "
        "dice=w4t,y3t,b2t,g5a,o6a,p1a | y=............ b=........... g=- o=- p=- "
        "reroll=0/0 extra=0/0 foxes=0 stage=served"
    )
    assert heard(game, "y>y3a") == ["yellow 3: y3a crossed off", "round 5 begins"]


def test_an_extra_die_is_told_as_one() -> None:
    game = Game.from_position(
        "clever seats=1 first=1 turn=11 phase=serving roll=0 reroll=0 "
        "dice=w4t,y3t,b2t,g5a,o6a,p1a | y=............ b=........... g=- o=- p=- "
        "reroll=0/0 extra=1/0 foxes=0 stage=extra"
    )
    assert words.question(game, 0) == "Use an additional die? (1 left)"
    assert heard(game, "o>o") == ["orange 6 as an additional die: o1 = 6", "the game is over"]
    assert words.sets_off(game.sheet, game.play(0, "o>o").events, 0) == []
    assert heard(game, "pass") == ["no more additional dice", "the game is over"]


def test_bonuses_of_a_round_are_in_its_headline() -> None:
    sheet = sheet_of("clever")
    assert words.told(sheet, BonusEarned(0, "reroll", "round", "1")) == ""


def test_questions_while_rolling() -> None:
    assert words.question(clever(), 0) == "Roll 1 of 3: take a die"
    after = twice(back="2/0").play(0, "w>b").game
    assert words.question(after, 0) == "Before roll 2: return dice from the platter? (2 left)"
    assert words.choice(after, 0, after.legal(0)[0]) == "return no more dice and roll"
    assert words.choice(after, 0, after.legal(0)[1]) == "return yellow to the pool"
    after = twice().play(0, "w>sy4").game
    assert words.question(after, 0).startswith("Additional crosses")
    game = clever(reroll="3/1")
    assert words.choice(game, 0, game.legal(0)[0]) == "roll the whole pool again (2 left)"


def test_questions_about_bonuses_count_them() -> None:
    game = Game.from_position(
        "clever seats=1 first=1 turn=0 phase=choosing roll=1 reroll=0 "
        "dice=w4p,y3p,b2p,g5p,o6p,p1p | y=............ b=........... g=- o=- p=- "
        "reroll=0/0 extra=0/0 foxes=0 stage=idle open=blue,orange=4,orange=4"
    )
    assert words.question(game, 0) == "Use a mark in blue and 2 x a 4 in orange"


def test_questions_while_serving() -> None:
    game = Game.new("clever", 2).roll(Throw((1, 2, 3, 4, 5, 6))).game
    for pick, faces in (("w>y1a", (0, 2, 3, 4, 5, 6)), ("y>y2a", (0, 0, 3, 4, 5, 6))):
        game = game.play(0, pick).game.roll(Throw(faces)).game
    game = game.play(0, "b>b4").game
    assert game.awaiting() == (1,)
    assert words.question(game, 1) == "Take a die from the platter"
    stuck = Game.from_position(
        "clever seats=2 first=1 turn=0 phase=serving roll=3 reroll=0 "
        "dice=w61,y22,b33,g1t,o1t,p1t | "
        "y=............ b=........... g=- o=- p=- reroll=0/0 extra=0/0 foxes=0 stage=idle | "
        "y=............ b=........... g=x o=1,1,1,2,1,1,2,1,2,1,3 p=5 reroll=0/0 extra=0/0 "
        "foxes=0 stage=served"
    )
    assert words.question(stuck, 1) == "No platter die fits: use another one?"
    assert words.choice(stuck, 1, stuck.legal(1)[0]) == "take no die"


def test_numbers_agree_with_their_nouns() -> None:
    assert [digits.counted(n, "seat") for n in (0, 1, 2)] == ["0 seats", "1 seat", "2 seats"]
