"""Reviews in words: every claim is borne out by the numbers, in every language."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
from reviewed import played, reviewed

import foxtray.review
from foxtray import Game, Throw
from foxtray.games.registry import SHEETS, folder_of
from foxtray.review import Decision, Hint, Line, Reason, SeatReview, hint, words
from foxtray.review.reasons import possible, reasons
from foxtray.review.reviewing import games_of

GAMES = [("clever", ("casual",)), ("twice", ("random",)), ("clever", ("strong", "random"))]
TEXT = Path(foxtray.review.__file__).parent / "text"
LANGUAGES = ("de", "en", "nl", "sr")
SAMPLE = {
    "area": Reason("area", area="yellow", amount=2.6),
    "areas": Reason("areas", amount=3.4),
    "instead": Reason("instead", area="blue", amount=1.2),
    "lowest": Reason("lowest", area="green", amount=4.0),
    "foxes": Reason("foxes", amount=0.36),
    "fox_now": Reason("fox_now", amount=1),
    "kept": Reason("kept", track="reroll", amount=2),
    "used": Reason("used", track="extra", amount=1),
    "marks": Reason("marks", amount=5),
    "dice": Reason("dice", amount=1),
    "turn": Reason("turn", amount=3),
    "win": Reason("win", amount=0.031),
}
SAID = {"area": "3", "areas": "3", "instead": "1", "lowest": "4", "foxes": "0.4", "fox_now": "1",
        "kept": "2", "marks": "5", "dice": "1", "turn": "3", "win": "3"}  # fmt: skip


def decisions(game: str, names: tuple[str, ...]) -> list[tuple[int, Decision]]:
    found = reviewed(game, names)
    return [(player.seat, each) for player in found.players for each in player.decisions]


@pytest.mark.parametrize(("game", "names"), GAMES)
def test_no_reason_says_what_the_numbers_do_not_bear_out(game: str, names: tuple[str, ...]) -> None:
    games = games_of(played(game, names))
    seen = set()
    for seat, decision in decisions(game, names):
        if decision.price < 0.5 or decision.price < 2 * decision.error:
            assert decision.reasons == ()
        best, chosen = decision.best, decision.chosen
        ends = []
        for line in (best.actions, chosen.actions):
            end, marked = games[decision.at], 0
            for action in line:
                before = len(end.marks(seat))
                end = end.play(seat, action).game
                marked += len(end.marks(seat)) - before
            ends.append(end)
        colours = [area.colour for area in SHEETS[game].areas]
        for reason in decision.reasons:
            seen.add(reason.kind)
            assert reason.amount > 0
            match reason.kind:
                case "area" | "instead":
                    sign = 1 if reason.kind == "area" else -1
                    at = colours.index(reason.area)
                    ours, theirs = (
                        possible(SHEETS[game], line.areas)[at] for line in (best, chosen)
                    )
                    assert sign * (ours - theirs) == reason.amount
                    assert reason.amount >= (1 if decision.exact else 2)
                    scored = [end.scores()[seat].areas[at] for end in ends]
                    assert sign * (scored[0] - scored[1]) >= 0
                case "areas":
                    assert decision.reasons == (reason,)
                    total = sum(best.areas) - sum(chosen.areas)
                    assert reason.amount == pytest.approx(total)
                    assert total >= (1 if decision.exact else 2)
                case "lowest":
                    at = colours.index(reason.area)
                    assert chosen.areas[at] == min(chosen.areas)
                    assert min(best.areas) - min(chosen.areas) == reason.amount >= 1
                    assert chosen.foxes > 0.5
                case "foxes":
                    assert best.foxes - chosen.foxes == reason.amount > 0.1
                case "fox_now":
                    more = ends[0].state.foxes[seat] - ends[1].state.foxes[seat]
                    assert more == reason.amount >= 1
                case "kept" | "used":
                    left = [
                        circled - spent
                        for circled, spent in (end.tracks(seat)[reason.track] for end in ends)
                    ]
                    sign = 1 if reason.kind == "kept" else -1
                    assert sign * (left[0] - left[1]) == reason.amount >= 1
                    if reason.kind == "used":
                        spent = [end.tracks(seat)[reason.track][1] for end in ends]
                        assert spent[0] > spent[1]
                case "dice":
                    assert len(ends[0].rolling()) - len(ends[1].rolling()) == reason.amount
                    assert {end.turn for end in ends} == {games[decision.at].turn}
                case "turn":
                    assert len(ends[0].rolling()) == reason.amount >= 1
                    assert ends[0].turn == games[decision.at].turn
                    assert ends[1].turn > ends[0].turn or not ends[1].rolling()
                case "marks":
                    assert len(best.actions) >= 1
                case "win":
                    assert best.win_chance is not None
                    assert chosen.win_chance is not None
                    assert best.win_chance - chosen.win_chance == reason.amount >= 0.02
                case _:
                    pytest.fail(f"nothing is known about {reason.kind}")
    assert {"area", "instead"} & seen


def test_an_action_that_the_chosen_line_earned_is_not_one_that_the_best_line_uses() -> None:
    """The chosen line has a re-roll more, but neither has spent one."""
    game = Game.new("clever", 1)
    game = game.roll(Throw((1, 1, 6, 6, 6, 6), (0, 1, 2, 3, 4, 5))).game
    told = []
    for actions, left in ((("w>g",), 0), (("w>o",), 1)):
        tracks = {"reroll": left, "return": 0, "extra": 0}
        told.append(Line(actions, 0.0, 0.0, None, (9.0,) * 5, 0.0, tracks))
    kinds = {reason.kind for reason in reasons(game, 0, *told)}
    assert "used" not in kinds


def lines(
    game: Game, *lines: tuple[str, tuple[float, ...]], error: float = 0.5
) -> tuple[Line, Line]:
    """A best and a chosen line: their actions and the forecasts of their areas."""
    tracks = {name: left - spent for name, (left, spent) in game.tracks(0).items()}
    best, chosen = (
        Line(tuple(actions.split()), 0.0, error, None, areas, 3.0, tracks)
        for actions, areas in lines
    )
    return best, chosen


def test_the_next_round_is_not_part_of_a_reason() -> None:
    """The best line went on with the bonus of round 4, the chosen one ended before it."""
    games = games_of(played("clever", ("casual",)))
    _, decision = next(each for each in decisions("clever", ("casual",)) if each[1].turn == 6)
    assert decision.stage == "bonus"
    found = decisions("clever", ("casual",))
    last = max((d for _, d in found if d.turn == 5), key=lambda d: d.at)
    line, bonus = " ".join(last.chosen.actions), decision.best.actions[0]
    same = (9.0,) * 5
    why = reasons(
        games[last.at], 0, *lines(games[last.at], (f"{line} {bonus}", same), (line, same))
    )
    assert why == ()


def test_a_reason_of_a_later_program_is_left_out() -> None:
    found = [decision for _, decision in decisions("clever", ("casual",)) if decision.reasons]
    told = words.sentences("clever", found[0])
    later = replace(found[0], reasons=(Reason("weather", amount=1), *found[0].reasons))
    assert words.sentences("clever", later) == told


FIRST = Throw((3, 3, 4, 5, 6, 6))


def test_a_small_difference_of_forecasts_is_not_told() -> None:
    game = Game.new("clever").roll(FIRST).game
    zero, more = (9.0,) * 5, (9.0, 9.0, 9.0, 9.0, 10.5)
    assert reasons(game, 0, *lines(game, ("p>p", more), ("o>o", zero))) == ()
    [told] = reasons(game, 0, *lines(game, ("p>p", more), ("o>o", zero), error=0.0))
    assert told == Reason("area", area="purple", amount=1.5)


def test_a_forecast_against_what_is_scored_at_once_is_not_told() -> None:
    """A die in orange was said to bring fewer points there than one in purple."""
    game = Game.new("clever").roll(FIRST).game
    zero, orange = (19.0, 19.0, 19.0, 9.0, 19.0), (19.0, 19.0, 19.0, 14.0, 19.0)
    assert reasons(game, 0, *lines(game, ("p>p", orange), ("o>o", zero))) == ()
    assert {why.kind for why in reasons(game, 0, *lines(game, ("o>o", orange), ("p>p", zero)))} == {
        "lowest"
    }


def test_no_area_scores_more_than_it_can_hold() -> None:
    """A net expected 57 of at most 56 points in blue, and the other line to bring 2 fewer."""
    game = Game.new("clever").roll(FIRST).game
    full, more = (19.0, 55.0, 19.0, 9.0, 19.0), (19.0, 57.5, 19.0, 9.0, 19.0)
    why = reasons(game, 0, *lines(game, ("b>b7", more), ("o>o", full)))
    assert "area" not in {reason.kind for reason in why}


def test_many_small_differences_are_told_together_and_the_opposite_never_alone() -> None:
    game = Game.new("clever").roll(FIRST).game
    zero, green = (9.0,) * 5, (9.0, 9.0, 12.0, 9.0, 9.0)
    many, few = (9.7, 9.7, 9.0, 9.7, 9.7), (9.4, 9.4, 9.4, 9.4, 9.3)
    assert reasons(game, 0, *lines(game, ("p>p", zero), ("g>g", green))) == ()
    assert reasons(game, 0, *lines(game, ("p>p", few), ("o>o", zero))) == ()
    [told] = reasons(game, 0, *lines(game, ("p>p", many), ("o>o", zero)))
    assert (told.kind, round(told.amount, 6)) == ("areas", 2.8)


def test_every_kind_of_reason_is_documented() -> None:
    docs = (Path(__file__).parent.parent / "docs" / "review.md").read_text()
    kinds = docs.partition("### Kinds of reason")[2].partition("###")[0]
    assert set(re.findall(r"^\| `(\w+)`", kinds, re.MULTILINE)) == set(SAMPLE)


def test_all_languages_have_the_same_texts() -> None:
    assert words.languages() == LANGUAGES
    texts = {name: json.loads((TEXT / f"{name}.json").read_text()) for name in LANGUAGES}
    for name, text in texts.items():
        assert set(text) == set(texts["en"]), name
        for key, template in text.items():
            fields = set(re.findall(r"\{(\w+)\}", template))
            assert fields == set(re.findall(r"\{(\w+)\}", texts["en"][key])), (name, key)


def test_no_text_names_a_colour_of_a_game() -> None:
    for name in LANGUAGES:
        text = (TEXT / f"{name}.json").read_text().lower()
        for sheet in SHEETS.values():
            colours = folder_of(sheet.id).text(name)
            for area in sheet.areas:
                assert colours[f"colour.{area.colour}"].lower() not in text


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_reason_can_be_said(language: str) -> None:
    for kind, reason in SAMPLE.items():
        said = words.sentence("clever", reason, language)
        assert "{" not in said
        assert said.endswith(".")
        if kind in SAID:
            assert re.findall(r"[\d.,]*\d", said) == [
                SAID[kind] if language == "en" else SAID[kind].replace(".", ",")
            ]


def test_a_step_whose_action_comes_twice_is_told_with_its_place() -> None:
    """A die that is taken and used again as an additional die reads the same."""
    decision = decisions("clever", ("casual",))[0][1]
    steps = [replace(decision.steps[0], action="g>g", price=price) for price in (0.0, 3.0)]
    twice = replace(decision, steps=tuple(steps))
    assert words.costliest_step(twice) == "Of this, g>g (2/2) gave away 3.0."
    once = replace(decision, steps=(steps[0], replace(steps[1], action="w>o")))
    assert words.costliest_step(once, "de") == "Davon hat w>o 3,0 gekostet."


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_better_choice_is_named_once(language: str) -> None:
    """Reasons began with "It", with nothing before to refer to."""
    why = tuple(SAMPLE[kind] for kind in ("lowest", "turn", "area"))
    decision = replace(decisions("clever", ("casual",))[0][1], reasons=why)
    said = words.sentences("clever", decision, language)
    named, again = words.texts(language)["it.better"], words.texts(language)["it.again"]
    assert not said[0].startswith((named, again))
    assert said[1].startswith(named)
    assert said[2].startswith(again)


def test_nouns_agree_with_their_numbers() -> None:
    one, five = (Reason("marks", amount=n) for n in (1, 5))
    assert words.sentence("clever", one, "en") == "It fills 1 more space at once."
    assert words.sentence("clever", five, "en") == "It fills 5 more spaces at once."
    forms = [words.form("sr", n) for n in (1, 2, 4, 5, 11, 12, 21, 22, 25, 111)]
    assert forms == [0, 1, 1, 2, 2, 2, 0, 1, 2, 2]


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_summary_says_the_figures_and_they_add_up(language: str) -> None:
    for player in reviewed("clever", ("strong", "random")).players:
        exact = (player.expected, player.luck, player.influence, -player.price, player.correction)
        whole = words.whole_parts(exact, round(player.result))
        assert sum(whole) == player.result
        assert all(abs(part - figure) < 1 for part, figure in zip(whole, exact, strict=True))
        whole[3] = -whole[3]
        told = [part for i, part in enumerate(whole) if part or i not in (2, 4)]
        said = words.summary(player, language).replace("−", "-")
        found = [int(number) for number in re.findall(r"-?\d+", said)]
        assert found == [player.result, *told]


def test_a_summary_says_what_the_table_says() -> None:
    player = SeatReview(0, "", 144.0, 273.7, 9.6, 0.1, 0.0, 136.5, 0.1, -2.8, ())
    assert words.summary(player) == (
        "144 points. Expected with best play: 274. Your dice were worth +10. "
        "Your decisions cost 137. The forecast was corrected by −3."
    )
    assert words.summary(player, own=False) == (
        "144 points. Expected with best play: 274. The dice were worth +10. "
        "The decisions cost 137. The forecast was corrected by −3."
    )


def test_a_hint_claims_only_a_clear_lead() -> None:
    game = games_of(played("clever", ("casual",)))[1]
    found = hint(game, 0, "quick")
    close = Hint(found.best, found.alternatives, 0.8, 0.1, found.reasons)
    assert words.advice("clever", close) == "Other choices are about as good."
    unsure = Hint(found.best, found.alternatives, 3.0, 2.0, found.reasons)
    assert words.advice("clever", unsure) == "Other choices are about as good."
    clear = Hint(found.best, found.alternatives, 3.0, 0.2, (SAMPLE["area"],))
    assert words.advice("clever", clear) == (
        "This is worth about 3 points more than any other choice. "
        "It brings about 3 more points in yellow."
    )
    only = Hint(found.best, found.alternatives[:1], 0.0, 0.0, ())
    assert words.advice("clever", only) == "There is nothing else to do."


def test_a_language_without_texts_is_english_throughout() -> None:
    """It was English with decimal commas."""
    reason = Reason("foxes", "", "", 0.4)
    assert words.sentence("clever", reason, "xx") == words.sentence("clever", reason, "en")


def test_a_choice_that_ends_the_turn_is_told() -> None:
    game = Game.new("clever").roll(Throw((6, 1, 1, 2, 1, 3))).game
    tracks = {name: left - spent for name, (left, spent) in game.tracks(0).items()}
    low, high = (
        Line((action,), points, 0.0, None, (20.0,) * 5, 2.0, tracks)
        for action, points in (("o>o", 280.0), ("w>o", 250.0))
    )
    assert reasons(game, 0, low, high)[0] == Reason("turn", amount=5)
    assert Reason("turn", amount=5) not in reasons(game, 0, high, low)
    said = words.sentence("clever", Reason("turn", amount=5))
    assert said == "It keeps the turn going, with 5 dice for the next roll."
