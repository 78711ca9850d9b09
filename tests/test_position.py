"""Positions that cannot be read, each with its complaint; reading back is in test_properties."""

import pytest

from foxtray import Game, SeededDice, Throw
from foxtray.errors import MalformedPosition

CLEVER = (
    "clever seats=2 first=2 fox_floor=on turn=1 phase=choosing roll=2 reroll=1 "
    "dice=w5p,y3p,b1t,g6p,o2p,p21 | "
    "y=..x......... b=........... g=xx o=5,2,3,8 p=- reroll=1/0 extra=0/0 foxes=1 stage=pick | "
    "y=............ b=x.......... g=- o=- p=6,1 reroll=2/1 extra=1/0 foxes=0 stage=idle"
)
TWICE = (
    "twice seats=1 first=1 solo_fallback=on turn=6 phase=choosing roll=1 reroll=0 "
    "dice=w31,s6p,y1t,b1t,g1t,p2t follow=ybgp | "
    "s=.x.x................x..x y=......o..x b=9,9 g=2,10,8,3 p=2,6,1,1 "
    "reroll=2/1 return=2/1 extra=1/1 foxes=0 stage=follow used=wp open=pink,pink,choice"
)
START = Game.new("clever").position()
SERVED = (
    "clever seats=1 first=1 turn=1 phase=serving roll=0 reroll=0 "
    "dice=w4t,y3t,b2t,g5a,o6a,p5a | y=............ b=........... g=- o=- p=- "
    "reroll=0/0 extra=0/0 foxes=0 stage=served"
)


@pytest.mark.parametrize("text", [CLEVER, TWICE, START, SERVED])
def test_every_word_is_kept(text: str) -> None:
    assert Game.from_position(text).position() == text


def test_what_the_words_say() -> None:
    game = Game.from_position(CLEVER)
    assert (game.seats, game.turn, game.round, game.active) == (2, 1, 0, 0)
    assert game.options == {"solo_fallback": False, "fox_floor": True}
    assert game.faces == (5, 3, 1, 6, 2, 2)
    assert game.places == ("pool", "pool", "tray", "pool", "pool", "field1")
    assert game.marks(0) == {"y5a": 1, "g1": 1, "g2": 1, "o1": 5, "o2": 2, "o3": 3, "o4": 8}
    assert game.tracks(1) == {"reroll": (2, 1), "extra": (1, 0)}
    assert game.stage(0) == "pick"
    game = Game.from_position(TWICE)
    assert game.marks(0)["y4b"] == 2
    assert game.open_bonuses(0) == {"pink": 2, "choice": 1}
    assert game.stage(0) == "bonus"


def test_words_may_come_in_any_order_and_with_more_space() -> None:
    head, *seats = TWICE.split("|")
    name, *words = head.split()
    shuffled = "  ".join([name, *reversed(words)])
    again = " | ".join([shuffled, *("  ".join(reversed(seat.split())) for seat in seats)])
    assert Game.from_position(f" {again}\n").position() == TWICE


def test_an_option_may_be_told_to_be_off() -> None:
    text = Game.new("clever").position().replace(" turn=", " fox_floor=off turn=")
    assert Game.from_position(text) == Game.new("clever")


def test_a_game_goes_on_from_its_position() -> None:
    game = Game.new("twice", 2).roll(Throw((1, 6, 3, 3, 2, 1))).game
    dice = SeededDice(4)
    while not game.over:
        game = Game.from_position(game.position())
        address = game.address()
        if address:
            game = game.roll(dice.throw(*address)).game
        else:
            seat = game.awaiting()[0]
            game = game.play(seat, game.legal(seat)[-1]).game
    assert game.outcome() is not None


@pytest.mark.parametrize(
    ("text", "old", "new", "complaint"),
    [
        (CLEVER, CLEVER, "", "unknown game ''"),
        (CLEVER, "clever ", "go ", "unknown game 'go'; choose one of"),
        # the table
        (CLEVER, "seats=2 ", "", "seats is missing"),
        (CLEVER, "seats=2", "seats=5", "seats=5 must be a number from 1 to 4"),
        (CLEVER, "seats=2", "seats=two", "seats=two must be a number from 1 to 4"),
        (CLEVER, "seats=2", "seats=²", "seats=² must be a number from 1 to 4"),
        (CLEVER, "seats=2", "seats=3", "3 seats need 3 sheets, not 2"),
        (CLEVER, "seats=2", "seats", "'seats' is repeated or is not key=value"),
        (CLEVER, "first=2", "first=3", "first=3 must be a number from 1 to 2"),
        (CLEVER, "fox_floor=on", "fox_floor=maybe", "fox_floor=maybe must be one of off, on"),
        (CLEVER, "fox_floor=on", "solo_fallback=1", "solo_fallback=1 must be one of off, on"),
        (CLEVER, "turn=1", "turn=12", "turn=12 must be a number from 0 to 11"),
        (CLEVER, "turn=1", "turn=" + "9" * 5000, "must be a number from 0 to 11"),
        (TWICE, "turn=6", "turn=12", "turn=12 must be a number from 0 to 11"),
        (CLEVER, "turn=1", "turn=1 turn=1", "'turn=1' is repeated or is not key=value"),
        (
            CLEVER,
            "phase=choosing",
            "phase=tea",
            "phase=tea must be one of opening, throw, choosing",
        ),
        (CLEVER, "roll=2", "roll=4", "roll=4 must be a number from 0 to 3"),
        (CLEVER, "reroll=1 ", "reroll=8 ", "reroll=8 must be a number from 0 to 7"),
        (CLEVER, "phase=", "mood=good phase=", "unknown key 'mood'"),
        # the dice
        (CLEVER, ",p21", "", "must name six dice"),
        (CLEVER, "w5p", "w5", "die 'w5' must be letter, face and place"),
        (CLEVER, "w5p", "y5p", "die 'y5p' must be letter, face and place"),
        (CLEVER, "w5p", "w5x", "die 'w5x' must be letter, face and place"),
        (CLEVER, "w5p", "w7p", "face=7 must be a number from 0 to 6"),
        (TWICE, "follow=ybgp", "follow=o", "'o' must be letters of dice"),
        (TWICE, "follow=ybgp", "follow=yy", "'yy' must be letters of dice"),
        # a sheet
        (CLEVER, "y=..x......... ", "", "y is missing"),
        (CLEVER, "y=..x.........", "y=..x", "y=..x must be 12 of the characters '.x'"),
        (CLEVER, "y=..x.........", "y=..o.........", "must be 12 of the characters '.x'"),
        (TWICE, "y=......o..x", "y=......o..z", "must be 10 of the characters '.ox'"),
        (CLEVER, "g=xx", "g=" + "x" * 12, "must be at most 11 crosses"),
        (CLEVER, "g=xx", "g=3", "g=3 must be at most 11 crosses"),
        (CLEVER, "p=6,1", "p=" + ",".join("1" * 12), "has more than 11 entries"),
        (CLEVER, "p=6,1", "p=6,7", "p=7 must be a number from 1 to 6"),
        (CLEVER, "p=6,1", "p=6,", "p= must be a number from 1 to 6"),
        (CLEVER, "o=5,2,3,8", "o=5,2,3,7", "o: 7 is not a multiple of 2"),
        (TWICE, "b=9,9", "b=13", "b=13 must be a number from 2 to 12"),
        (TWICE, "b=9,9", "b=1", "b=1 must be a number from 2 to 12"),
        (CLEVER, "extra=0/0", "extra=8/0", "extra=8 must be a number from 0 to 7"),
        (CLEVER, "extra=0/0", "extra=1/2", "extra=2 must be a number from 0 to 1"),
        (CLEVER, "extra=0/0", "extra=1", "extra= must be a number from 0 to 1"),
        (CLEVER, "extra=0/0", "return=0/0", "extra is missing"),
        (CLEVER, "extra=0/0", "extra=0/0 return=0/0", "unknown key 'return'"),
        (CLEVER, "foxes=1", "foxes=-1", "foxes=-1 must be a number from 0 to"),
        (CLEVER, "stage=pick", "stage=right", "stage=right must be one of idle, pick"),
        (TWICE, "used=wp", "used=wx", "'wx' must be letters of dice"),
        (TWICE, "open=pink,pink,choice", "open=gold", "unknown bonus 'gold'"),
        (TWICE, "open=pink,pink,choice", "open=fox", "unknown bonus 'fox'"),
        (TWICE, "open=pink", "open=pink" + ",pink" * 99, "seat 1 has more open bonuses than"),
        # what cannot be at the same time
        (CLEVER, "phase=choosing", "phase=throw", "phase=throw does not fit stage=pick of seat 1"),
        (CLEVER, "stage=idle", "stage=pick", "phase=choosing does not fit stage=pick of seat 2"),
        (CLEVER, "stage=pick", "stage=window", "clever has no returns"),
        (CLEVER, "stage=pick", "stage=follow", "clever has no additional crosses"),
        (CLEVER, " |", " follow=b |", "follow needs stage=follow"),
        (SERVED, " |", " follow=b |", "follow needs stage=follow"),
        (CLEVER, "roll=2", "roll=0", "roll=0 does not fit phase=choosing in turn=1"),
        (SERVED, "roll=0", "roll=1", "roll=1 does not fit phase=serving in turn=1"),
        (CLEVER, "p21", "p22", "the dice fields must be filled in order"),
        (CLEVER, "w5p", "w51", "the dice fields must be filled in order"),
        (CLEVER, "w5p", "w52", "roll=2 is too early for 2 dice taken"),
        (TWICE, "s6p", "s62", "roll=1 is too early for 2 dice taken"),
        (START, "w0p,y0p,b0p", "w11,y22,b33", "roll=1 is too early for 3 dice taken"),
        (START, "w0p", "w3t", "before the first roll all dice must be in the pool"),
        (CLEVER, "w5p", "w0p", "a die that was rolled must show a face"),
        (TWICE, "y1t", "y0t", "a die that was rolled must show a face"),
        (START, "phase=throw", "phase=choosing", "a die that was rolled must show a face"),
        (CLEVER, "stage=pick", "stage=idle", "a game never stops here"),
        (START, "stage=idle", "stage=idle open=blue", "a game never stops here"),
        (SERVED, "stage=served", "stage=idle", "a game never stops here"),
        (SERVED, "stage=served", "stage=extra", "a game never stops here"),
    ],
)
def test_complaint(text: str, old: str, new: str, complaint: str) -> None:
    assert old in text
    with pytest.raises(MalformedPosition) as caught:
        Game.from_position(text.replace(old, new, 1))
    assert complaint in str(caught.value)


FULL = "y=xxxxxxxxxxxx b=xxxxxxxxxxx g=xxxxxxxxxx o=1,1,1,2,1,1,2,1,2,1,3 p=6,6,6,6,6,6,6,6,6,6,6"


@pytest.mark.parametrize("opened", ["green,green,green", "choice,choice,choice", "green,choice"])
def test_bonuses_that_lose_their_last_place_together_are_all_lost(opened: str) -> None:
    """One green field is left for all of them. With one still open nobody could go on."""
    game = Game.from_position(
        "clever seats=1 first=1 turn=6 phase=opening roll=0 reroll=0 "
        f"dice=w0p,y0p,b0p,g0p,o0p,p0p | {FULL} reroll=2/0 extra=1/0 foxes=0 stage=idle "
        f"open={opened}"
    )
    assert [str(action) for action in game.legal(0)] == ["+g"]
    game, events = game.play(0, "+g")
    used, *lost = opened.split(",")
    assert [event.as_dict()["bonus"] for event in events if event.name == "bonus_used"] == [used]
    assert [event.as_dict()["bonus"] for event in events if event.name == "bonus_lost"] == lost
    assert game.open_bonuses(0) == {}
    assert game.rolling() == (0, 1, 2, 3, 4, 5)
