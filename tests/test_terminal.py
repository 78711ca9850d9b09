"""The game at the keyboard, with the keyboard replaced by a script."""

import random
import re
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

from foxtray import Action, Game, SeededDice, render, words
from foxtray.cli import build_parser, new_record
from foxtray.errors import FoxtrayError
from foxtray.history import PlayInput, Setup
from foxtray.record import Record, read
from foxtray.render import Ink
from foxtray.terminal import CLEAR, Terminal, choices, menu, result, same_again

EMPTY = "y=............ b=........... g=- o=- p=- reroll=0/0 extra=0/0 foxes=0"


class Table:
    """A terminal whose answers are scripted, and all it showed."""

    def __init__(self, setup: Setup, answers: Iterable[str] = (), path: Path | None = None) -> None:
        self.answers = iter(answers)
        self.shown: list[str] = []
        self.terminal = Terminal(Record(setup), self.ask, self.shown.append, path=path)

    def ask(self, prompt: str) -> str:
        self.shown.append(prompt)
        for answer in self.answers:
            return answer
        raise EOFError

    @property
    def text(self) -> str:
        return "\n".join(self.shown)

    @property
    def game(self) -> Game:
        return self.terminal.record.game

    def played(self) -> list[str]:
        return self.terminal.record.text().splitlines()


def sit(*answers: str, game: str = "clever", seats: int = 1, seed: int | None = 3) -> Table:
    """Answer these, then leave."""
    table = Table(Setup(game, seats, seed=seed), answers)
    assert not table.terminal.run()
    return table


def anybody(table: Table, chance: random.Random) -> Callable[[str], str]:
    """Answers at random from the menu."""

    def ask(prompt: str) -> str:
        table.shown.append(prompt)
        offered = table.terminal.offered
        return str(chance.randint(1, len(offered))) if offered else ""

    return ask


@pytest.mark.parametrize("game", ["clever", "twice"])
@pytest.mark.parametrize("seats", [1, 3])
def test_whole_games_fit_in_80_columns(
    game: str, seats: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, long_run: bool
) -> None:
    monkeypatch.chdir(tmp_path)
    for seed in range(20 if long_run else 1):
        path = Path(f"{seed}.fox")
        table = Table(Setup(game, seats, seed=seed), path=path)
        table.terminal.ask = anybody(table, random.Random(seed))
        table.terminal.roomy = seed % 2 == 0
        assert table.terminal.run()
        assert max(len(render.bare(line)) for line in table.text.splitlines()) <= render.WIDTH
        assert table.text.isascii()
        record, verified = read(path.read_text())
        assert verified
        assert record.game == table.game
        assert f"The game was saved to {path}" in table.text
        several = f"--seats {seats} " if seats > 1 else ""
        assert re.search(rf"foxtray play {game} {several}(--first 1 )?--seed {seed}", table.text)


@pytest.mark.parametrize(
    ("setup", "command"),
    [
        (Setup("clever", 2, first=0, names=("Ana", "me"), seed=7), "--names Ana,me --seed 7"),
        (Setup("clever", seed=7), "foxtray play clever --seed 7"),
        (Setup("twice", 3, first=SeededDice(7).first(3), seed=7), "--seats 3 --seed 7"),
        (Setup("twice", 2, first=1 - SeededDice(7).first(2), seed=7), "--seats 2 --first"),
        (Setup("clever", 2, first=0, names=("me", "strong"), seed=7), "--seats me,strong --seed 7"),
        (Setup("clever", fox_floor=True, seed=7), "clever --option fox_floor=on --seed 7"),
        (Setup("clever"), ""),
    ],
)
def test_the_same_dice_come_back_with_everything_that_was_chosen(
    setup: Setup, command: str
) -> None:
    told = same_again(setup, [seat for seat, name in enumerate(setup.names) if name == "strong"])
    assert command in told
    if command:
        assert new_record(build_parser().parse_args(told.split()[1:])).setup == setup
    else:
        assert not told


def test_every_legal_action_is_offered_with_number_and_notation() -> None:
    table = sit("")
    offered = [choice.action for choice in table.terminal.offered]
    assert sorted(action.id for action in offered) == [a.id for a in table.game.legal(0)]
    for number, action in enumerate(offered, 1):
        assert f" {number} {action}" in table.text


def test_actions_are_grouped_by_die_with_what_they_set_off() -> None:
    game = Game.from_position(
        "clever seats=1 first=1 turn=0 phase=choosing roll=2 reroll=0 "
        "dice=w4p,y3p,b2p,g5p,o6p,p11 | y=.xx......... b=........... g=x o=1,2,3 p=5 "
        "reroll=1/0 extra=0/0 foxes=0 stage=pick"
    )
    assert menu(game, 0, choices(game, 0)) == [
        " [w4]     1 w>y4a +0    2 w>y4b +0    3 w>b6 +1    4 w>g +2    5 w>o +8: o4 = 8",
        "            sends [y3] [b2] to the platter",
        " [y3]     6 y>y3a +0: yellow row 1 gives a mark in blue",
        "          7 y>y3b +0   sends [b2] to the platter",
        " [b2]     8 b>b6 +1",
        " [g5]     9 g>g +2   sends [w4] [y3] [b2] to the platter",
        " [o6]    10 o>o +12: o4 = 12   sends [w4] [y3] [b2] [g5] to the platter",
        "         11 reroll: roll the whole pool again (1 left)",
    ]


def test_bonuses_are_grouped_by_area() -> None:
    game = Game.from_position(
        "clever seats=1 first=1 turn=6 phase=opening roll=0 reroll=0 dice=w4p,y3p,b2p,g5p,o6p,p1p"
        " | y=xxxxxxxxxxx. b=xxxxxxxxx.. g=x o=1,2 p=5 reroll=0/0 extra=0/0 foxes=0 stage=idle"
        " open=choice"
    )
    assert menu(game, 0, choices(game, 0)) == [
        " yellow   1 +y6b +21: yellow row 4 gives a fox, yellow column 4 full, yellow",
        "               diagonal gives an additional die",
        " blue     2 +b11 +15: blue column 3 gives a 6 in purple, p2 = 6",
        "          3 +b12 +9: blue column 4 gives an additional die",
        " green    4 +g +2",
        " orange   5 +o=6 +6: a re-roll",
        " purple   6 +p=6 +6",
    ]  # column 4 of yellow is worth 20, and the fox the one point of green
    table = Table(Setup("clever", seed=1))
    table.terminal.record.game = game
    table.terminal.draw()
    assert "[w?] [y?] [b?] [g?] [o?] [p?]" in table.text


def test_numbers_and_notation_say_the_same() -> None:
    by_number = sit("", "1")
    action = str(by_number.played()[-1]).split()[-1]
    assert sit("", action).played() == by_number.played()
    assert sit("", f"  {action.upper()} ").played() == by_number.played()


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ("", "choose a number from 1 to"),
        ("0", "choose a number from 1 to"),
        ("99", "choose a number from 1 to"),
        ("9" * 5000, "choose a number from 1 to"),
        ("-1", "'-1' is not an action of clever"),
        ("fly", "'fly' is not an action of clever"),
        ("return:b", "'return:b' is not an action of clever"),
        ("pass", "you can use a die, so you must take one"),
        ("+b7", "you have no open bonus for this"),
        ("s 2", "there is no seat 2; the only seat is 1"),
        ("u", "there is nothing to undo since the last roll"),
    ],
)
def test_what_is_refused_gets_its_reason_and_changes_nothing(answer: str, reason: str) -> None:
    table = sit("", answer)
    assert reason in table.text
    assert table.played() == sit("").played()


def test_dice_come_first() -> None:
    table = sit("1")
    assert "roll the dice first: press Enter" in table.text
    assert table.terminal.record.inputs == []


def test_undo_goes_back_to_the_last_throw_and_no_further() -> None:
    table = sit("", "1", "u", "u")
    assert table.played() == sit("").played()
    assert "was undone" in table.text
    assert "there is nothing to undo since the last roll" in table.text
    assert "nothing to undo" in sit("u").text


def test_undo_takes_back_the_last_action_of_whoever_made_it() -> None:
    record = Record(Setup("clever", 2, seed=3))
    table = Table(record.setup)
    table.terminal.record = record
    while len(record.game.awaiting()) != 1 or record.game.awaiting() != (1,):
        if record.game.rolling():
            record.roll()
        else:
            record.play(0, record.game.legal(0)[0])
    before = record.text()
    record.play(1, record.game.legal(1)[0])
    table.terminal.undo()
    assert record.text() == before
    assert table.terminal.news[0].startswith("Seat 2: ")


def test_help_tells_the_keys_and_the_signs() -> None:
    table = sit("?")
    assert table.text.count("undo your last action") == 1
    assert "rr re-roll" in table.text


def test_a_hint_is_given_where_there_is_a_choice() -> None:
    table = Table(Setup("clever", seed=3), ["h", "", "h"])
    table.terminal.hint = lambda game, seat: [f"take {game.legal(seat)[0]}"]
    table.terminal.run()
    assert "roll the dice first; there is nothing to choose yet" in table.text
    assert "take " in table.text
    assert "there are no hints here" in sit("", "h").text


def test_sheets_of_all_or_of_one_seat() -> None:
    alone = sit("s", seats=2).text.count("y YELLOW")
    assert sit("s 2", seats=2).text.count("y YELLOW") == alone - 1
    assert ">Seat 2: y 0" in sit("s 2", seats=2).text


def test_several_seats_are_asked_in_turn_and_named() -> None:
    table = sit("", "1", seats=2)
    assert "Seat 1: Roll 1 of 3: take a die" in table.text
    assert "Seat 1: number or notation" in table.text
    assert "Seat 1: press Enter to roll" in table.text


@pytest.mark.parametrize("answer", ["q", "Q"])
def test_leaving_tells_how_to_come_back(answer: str, tmp_path: Path) -> None:
    assert "The game was not saved" in sit(answer).text
    path = tmp_path / "game.fox"
    table = Table(Setup("clever", seed=3), ["", "1", answer], path)
    assert not table.terminal.run()
    assert f"foxtray play --resume {path}" in table.text
    assert read(path.read_text())[0].game == table.game


def test_an_interrupt_leaves_the_file_whole(tmp_path: Path) -> None:
    path = tmp_path / "game.fox"
    table = Table(Setup("clever", seed=3), path=path)

    def ask(prompt: str) -> str:
        if table.terminal.offered:
            raise KeyboardInterrupt
        return ""

    table.terminal.ask = ask
    with pytest.raises(KeyboardInterrupt):
        table.terminal.run()
    assert f"foxtray play --resume {path}" in table.text
    record, _ = read(path.read_text())
    assert len(record.inputs) == 1
    assert list(tmp_path.iterdir()) == [path]


def test_a_resumed_game_goes_on_where_it_was() -> None:
    record, _ = read("\n".join(sit("", "1").played()) + "\n")
    table = Table(record.setup)
    table.terminal.record = record
    table.terminal.run()
    assert "round 1 begins" not in table.text
    assert "press Enter to roll" in table.text


def test_a_screen_is_cleared_before_it_is_drawn_again() -> None:
    table = Table(Setup("clever", seed=3))
    table.terminal.clear = True
    table.terminal.ink = Ink(colour=True)
    table.terminal.run()
    assert table.shown[0].startswith(CLEAR)
    assert "\x1b[48;5;" in table.shown[0]


# --- real dice ----------------------------------------------------------------------------------


@pytest.mark.parametrize("answer", ["123456", "1 2 3 4 5 6", "1,2,3,4,5,6", "p6w1b3 y2 g4 o5"])
def test_faces_of_real_dice_are_typed(answer: str) -> None:
    table = sit(answer, seed=None)
    assert table.game.faces == (1, 2, 3, 4, 5, 6)
    assert "roll w y b g o p and type the faces" in table.text


@pytest.mark.parametrize("answer", ["", "12345", "1234567", "123450", "123457", "w1", "x1y2", "w"])
def test_faces_that_cannot_be_are_refused(answer: str) -> None:
    table = sit(answer, seed=None)
    assert "type a face from 1 to 6 for each of w y b g o p, for example 123456" in table.text
    assert table.terminal.record.inputs == []


def test_only_the_dice_of_the_pool_are_asked_for() -> None:
    # Green 3 sends the three lower dice to the tray.
    table = sit("121363", "g>g", "45", seed=None)
    assert "roll o p and type the faces" in table.text
    assert table.game.faces == (1, 2, 1, 3, 4, 5)


def test_mistyped_faces_are_taken_back() -> None:
    table = sit("121363", "u", seed=None)
    assert table.game == Game.new("clever")
    assert "the roll was undone" in table.text
    assert "nothing to undo" in sit("u", seed=None).text
    table = sit("121363", "g>g", "44", "u", "45", seed=None)
    assert table.played() == sit("121363", "g>g", "45", seed=None).played()
    assert table.game == sit("121363", "g>g", "45", seed=None).game
    table = sit("121363", "g>g", "45", "u", "u", "u", seed=None)  # a throw, a pick, a throw
    assert table.terminal.record.inputs == []


def solo_serving(*answers: str) -> Table:
    """Real dice in the passive half of a solo round."""
    table = Table(Setup("clever"), answers)
    table.terminal.record.game = Game.from_position(
        "clever seats=1 first=1 turn=1 phase=throw roll=0 reroll=0 "
        f"dice=w1p,y1p,b1p,g1p,o1p,p1p | {EMPTY} stage=idle"
    )
    table.terminal.run()
    return table


def test_equal_dice_are_told_apart_where_it_matters() -> None:
    # Blue 1, purple 2 and one of the three 3s go to the tray.
    table = solo_serving("331362", "y")
    assert "1 of w y g go to the platter: which are closest to it?" in table.text
    assert [d for d, place in enumerate(table.game.places) if place == "tray"] == [1, 2, 5]


def test_equal_dice_are_not_asked_for_where_it_does_not_matter() -> None:
    assert "closest" not in solo_serving("111222").text
    assert "closest" not in solo_serving("123456").text
    assert "closest" not in sit("111111", seed=None).text


@pytest.mark.parametrize("answer", ["", "b", "wy", "x"])
def test_equal_dice_must_be_named(answer: str) -> None:
    table = solo_serving("331362", answer)
    assert "choose 1 of w y g; type the faces again" in table.text
    assert table.game.rolling()


def test_the_same_die_does_not_count_twice() -> None:
    assert "choose 2 of w y b" in solo_serving("222166", "ww").text


# --- how it ends --------------------------------------------------------------------------------


def ended(game: str, *sheets: str) -> Game:
    return Game.from_position(
        f"{game} seats={len(sheets)} first=1 turn=0 phase=over roll=3 reroll=0 "
        f"dice=w1t,y1t,b1t,g1t,o1t,p1t | {' | '.join(f'{sheet} stage=idle' for sheet in sheets)}"
    )


def test_a_solo_total_gets_its_rating() -> None:
    # 30 entries in orange: too few for more than the lowest band.
    sheet = EMPTY.replace("o=-", "o=6,6,6,12")
    assert result(ended("clever", sheet))[-1] == " 30 points: First steps"


def test_real_dice_have_no_seed_to_play_again() -> None:
    table = Table(Setup("clever"))
    table.terminal.finish()
    assert "--seed" not in table.text


def test_the_winner_is_named() -> None:
    better = EMPTY.replace("o=-", "o=5")
    assert result(ended("clever", EMPTY, better))[-1] == " Seat 2 wins with 5 points"
    assert result(ended("clever", better, EMPTY, better))[-1] == (
        " Seats 1 and 3 share the win with 5 points"
    )


def test_an_unfinished_game_is_shown_as_such() -> None:
    assert result(Game.new("twice", 3))[-1] == " Unfinished: round 1 of 5"


def lowest(game: Game, seat: int) -> Action:
    """A bot that does what stands first."""
    return game.legal(seat)[0]


def test_bots_throw_and_decide_by_themselves() -> None:
    table = Table(Setup("clever", 2, seed=4, names=("me", "lowest")))
    table.terminal.bots = {1: lowest}
    table.terminal.ask = anybody(table, random.Random(4))
    assert table.terminal.run()
    acted = {entry.seat for entry in table.terminal.record.inputs if isinstance(entry, PlayInput)}
    assert acted == {0, 1}
    assert "Seat 2 (lowest): " in table.text


def ill(game: Game, seat: int) -> Action:
    raise FoxtrayError("bot ill failed: it is in bed")


def test_of_a_failing_bot_is_told_and_the_game_goes_on() -> None:
    table = Table(Setup("clever", 2, first=1, seed=4, names=("me", "ill")))
    table.terminal.bots = {1: ill}
    table.terminal.ask = anybody(table, random.Random(4))
    assert table.terminal.run()
    told = " ".join(table.text.split())
    said = "Seat 2 (ill): bot ill failed: it is in bed; a substitute takes over"
    assert told.count(said) == 1


def test_of_a_failing_bot_is_told_where_nobody_plays() -> None:
    table = Table(Setup("clever", 2, seed=4, names=("ill", "lowest")))
    table.terminal.bots = {0: ill, 1: lowest}
    warnings: list[str] = []
    table.terminal.warn = warnings.append
    assert table.terminal.run()
    assert warnings == ["Seat 1 (ill): bot ill failed: it is in bed; a substitute takes over"]


def test_the_real_dice_of_a_bot_are_thrown_by_hand() -> None:
    table = Table(Setup("clever", 2, first=1, names=("me", "lowest")))
    table.terminal.bots = {1: lowest}
    assert not table.terminal.move_bot()
    table.terminal.throw("123456")
    assert table.terminal.move_bot()


def test_only_what_was_done_at_the_keyboard_is_taken_back() -> None:
    table = Table(Setup("clever", 2, first=1, seed=9, names=("me", "lowest")))
    table.terminal.bots = {1: lowest}
    while table.terminal.move_bot():
        pass
    played = len(table.terminal.record.inputs)
    table.terminal.draw()
    table.terminal.act("1")
    while table.terminal.move_bot():
        pass
    table.terminal.undo()
    assert len(table.terminal.record.inputs) >= played
    assert table.game.awaiting() == (0,)


def test_players_are_called_by_their_names() -> None:
    setup = Setup("clever", 3, names=("Ana", "me", "random"), seed=3)
    table = Table(setup, ["", "1"])
    table.terminal.bots = {2: lambda game, seat: game.legal(seat)[0]}
    assert not table.terminal.run()
    assert "Ana is the active player" in table.text
    assert " Ana: press Enter to roll" in table.text
    assert table.terminal.players == ("Ana", "", "")
    assert [table.terminal.name(seat) for seat in range(3)] == [
        "Ana: ",
        "Seat 2: ",
        "Seat 3 (random): ",
    ]
    shown = "\n".join(result(table.game, names=table.terminal.players))
    assert " Ana\n" in shown
    assert " Seat 2\n" in shown


@pytest.mark.parametrize(
    ("names", "listed"),
    [((), "seats 1 and 2"), (("", ""), "seats 1 and 2"), (("Ana", ""), "Ana and seat 2")],
)
def test_winners_are_called_by_their_names(names: tuple[str, ...], listed: str) -> None:
    assert words.seats_listed([0, 1], names) == listed
