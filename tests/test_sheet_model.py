"""A sheet that contradicts itself is refused, and a new sheet of the family needs no new rules."""

from collections.abc import Callable
from dataclasses import replace
from random import Random
from typing import Any

import pytest

from foxtray import SHEETS, Game, SeededDice
from foxtray.core import codes, rules
from foxtray.core import layout as core_layout
from foxtray.core.layout import lay_out
from foxtray.core.state import Log, State
from foxtray.events import GameEnded, LineCompleted, read_log
from foxtray.sheets.model import (
    FOX,
    Area,
    Bonus,
    Cell,
    Group,
    Rating,
    Sheet,
    SheetError,
    Track,
    action,
    choice,
    grid_cells,
    lines,
    mark,
)

CLEVER, TWICE = SHEETS["clever"], SHEETS["twice"]


def change_area(sheet: Sheet, which: str, **changes: Any) -> Sheet:
    areas = (replace(a, **changes) if a.colour == which else a for a in sheet.areas)
    return replace(sheet, areas=tuple(areas))


def change_cell(sheet: Sheet, colour: str, index: int, **changes: Any) -> Sheet:
    cells = list(sheet.area(colour).cells)
    cells[index] = replace(cells[index], **changes)
    return change_area(sheet, colour, cells=tuple(cells))


def change_line(sheet: Sheet, colour: str, **changes: Any) -> Sheet:
    first, *rest = sheet.area(colour).groups
    return change_area(sheet, colour, groups=(replace(first, **changes), *rest))


def change_track(sheet: Sheet, **changes: Any) -> Sheet:
    first, *rest = sheet.tracks
    return replace(sheet, tracks=(replace(first, **changes), *rest))


def change_round(sheet: Sheet, index: int, bonus: Bonus | None) -> Sheet:
    rounds = list(sheet.round_bonus)
    rounds[index] = bonus
    return replace(sheet, round_bonus=tuple(rounds))


Change = Callable[[], Sheet]
COLOURS = ("white", "yellow", "blue", "green", "orange", "purple")
COMPLAINTS: list[tuple[Change, str]] = [
    # the frame
    (lambda: replace(CLEVER, dice=COLOURS[:5]), "six dice"),
    (lambda: replace(CLEVER, areas=CLEVER.areas[:4]), "five areas"),
    (
        lambda: replace(CLEVER, dice=(*COLOURS[:5], "ochre")),
        "dice must differ in their first letter",
    ),
    (
        lambda: change_area(CLEVER, "purple", colour="ochre"),
        "areas must differ in their first letter",
    ),
    (lambda: replace(CLEVER, dice=(*COLOURS[:5], "red")), "needs its own area"),
    (lambda: replace(CLEVER, die_fields=2), "three die fields"),
    (lambda: replace(CLEVER, tracks=CLEVER.tracks[::-1]), "tracks: reroll, return, extra"),
    (lambda: change_track(CLEVER, name="nap"), "tracks: reroll, return, extra"),
    (lambda: replace(CLEVER, tracks=CLEVER.tracks[:1]), "a reroll and an extra track"),
    (lambda: replace(CLEVER, rounds=(6, 6, 5)), "one to four seats"),
    (lambda: replace(CLEVER, rounds=(7, 6, 5, 4)), "every round needs its entry"),
    # an area
    (lambda: change_area(CLEVER, "green", cells=()), "green: no cells"),
    (
        lambda: change_area(TWICE, "silver", row_dice=("yellow", "blue", "green", "gold")),
        "silver: a row belongs to an unknown die",
    ),
    (
        lambda: change_area(TWICE, "silver", row_dice=("yellow", "blue", "green")),
        "silver: every row needs its die",
    ),
    (
        lambda: change_area(TWICE, "silver", row_dice=("yellow", "blue", "green", "green")),
        "silver: two cells share a name",
    ),
    (lambda: change_cell(CLEVER, "blue", 0, row=2, column=3), "blue: two cells share a place"),
    (lambda: change_cell(CLEVER, "yellow", 0, row=0, column=3), "yellow: two cells share a place"),
    (lambda: change_area(CLEVER, "yellow", writes="value"), "yellow: a grid is crossed"),
    (lambda: change_cell(CLEVER, "yellow", 0, number=7), "yellow: grid cells carry numbers"),
    (lambda: change_cell(CLEVER, "green", 0, number=1), "green: grid cells carry numbers"),
    (lambda: change_cell(CLEVER, "purple", 0, factor=2), "purple: factors need a free entry"),
    (lambda: change_area(CLEVER, "purple", writes="cross"), "purple: only values rise and fall"),
    (lambda: change_cell(CLEVER, "green", 0, minimum=0), "green: minimum numbers"),
    (lambda: change_cell(CLEVER, "orange", 0, minimum=2), "orange: minimum numbers"),
    (lambda: change_line(CLEVER, "blue", cells=()), "blue: an empty line"),
    (lambda: change_line(CLEVER, "blue", cells=(0, 11)), "blue: a line leaves the area"),
    (
        lambda: change_area(CLEVER, "green", groups=(Group("row", 0, (0, 1)),)),
        "green: only grids have lines",
    ),
    (
        lambda: change_area(TWICE, "silver", groups=TWICE.area("silver").groups[4:]),
        "silver: no rows to score",
    ),
    (lambda: change_area(TWICE, "silver", points=(0, 2, 4)), "silver: points for 0 to 6 marks"),
    (lambda: change_area(CLEVER, "green", points=(0, 1)), "green: points for 0 to 11 marks"),
    (lambda: change_area(CLEVER, "orange", points=(0, 1)), "orange: points by number belong to"),
    (
        lambda: change_area(CLEVER, "blue", scores="groups", points=()),
        "blue: no line pays",
    ),
    (
        lambda: change_area(TWICE, "green", cells=TWICE.area("green").cells[:11]),
        "green: a field has no partner",
    ),
    (
        lambda: change_area(CLEVER, "green", scores="sum", points=()),
        "green: only values add up",
    ),
    # bonuses
    (lambda: change_round(CLEVER, 3, Bonus("choice")), "a choice has options"),
    (
        lambda: change_round(CLEVER, 3, Bonus("fox", options=(mark("blue"),))),
        "a choice has options",
    ),
    (lambda: change_round(CLEVER, 3, mark("pink")), "no area 'pink'"),
    (lambda: change_round(CLEVER, 3, action("return")), "no track 'return'"),
    (lambda: change_round(CLEVER, 3, choice(mark("blue"), FOX)), "a choice is between marks"),
    (
        lambda: change_round(CLEVER, 4, choice(mark("blue"), mark("green"))),
        "only one kind of choice",
    ),
    (lambda: change_round(CLEVER, 4, mark("orange")), "orange: its bonuses must all have values"),
    (lambda: change_round(CLEVER, 4, mark("purple", 7)), "purple: no value 7"),
    (lambda: change_track(CLEVER, last=action("extra")), "gives a mark or a fox"),
    (lambda: change_track(CLEVER, fields=6), "track reroll: 6 fields but 7 sources"),
    # ratings
    (lambda: replace(CLEVER, ratings=()), "the last rating is open"),
    (lambda: replace(CLEVER, ratings=(Rating(100, "x"),)), "the last rating is open"),
    (
        lambda: replace(CLEVER, ratings=(Rating(None, "x"), Rating(None, "y"))),
        "the last rating is open",
    ),
    (
        lambda: replace(CLEVER, ratings=(Rating(1, "x"), Rating(2, "y"), Rating(None, "z"))),
        "ratings go from best to worst",
    ),
]


@pytest.mark.parametrize(("change", "words"), COMPLAINTS, ids=[words for _, words in COMPLAINTS])
def test_a_sheet_that_contradicts_itself_is_refused(change: Change, words: str) -> None:
    with pytest.raises(SheetError) as caught:
        change()
    assert str(caught.value).startswith("sheet ")
    assert words in str(caught.value)


def test_a_cross_has_no_value() -> None:
    """Where all bonus marks of a crossed area come with values."""
    red, *others = LITTLE.areas
    *rows, diagonal = red.groups
    valued = mark("navy", 3)
    red = replace(red, groups=(*rows, replace(diagonal, bonus=valued)))
    with pytest.raises(SheetError, match="navy: crosses have no value"):
        replace(change_track(LITTLE, last=None), areas=(red, *others))


# --- what does not fit the tables ---------------------------------------------------------------


@pytest.mark.parametrize(
    ("size", "limit", "words"),
    [
        ("ROUNDS", 5, "6 rounds are more than the 5 that fit"),
        ("BONUSES", 10, "10 kinds of bonus are more than fit"),
        ("CELLS", 57, "more cells or lines than fit"),
        ("GROUPS", 17, "more cells or lines than fit"),
        ("ACTIONS", 162, "more than 162 actions"),
        ("HITS", 3, "more than 3 cells of an area show 1"),
        ("CELL_GROUPS", 1, "a cell lies in more than 1 lines"),
    ],
)
def test_a_sheet_too_large_for_the_tables_is_refused(
    size: str, limit: int, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    lay_out(TWICE)
    monkeypatch.setattr(core_layout, size, limit)
    with pytest.raises(SheetError, match=words):
        lay_out(TWICE)


def test_many_cells_may_show_the_same_number() -> None:
    area = Area("red", "match", "cross", "count", grid_cells(((1,) * 10,)))
    assert area.cell_names()[::9] == ("r1a", "r1j")


# --- another sheet of the family ----------------------------------------------------------------

REROLL, EXTRA = action("reroll"), action("extra")
RED = grid_cells(((1, 2, 3), (4, 5, 6), (6, "X", 1)))
GOLD = grid_cells(((2, 3, 4, 5, 6), (7, 7, 8, 8, None), (9, 10, 11, 12, None)))
LITTLE = Sheet(
    id="little",
    title="Little",
    dice=("white", "red", "lime", "azure", "navy", "gold"),
    may_decline=True,
    rounds=(3, 3, 2, 2),
    round_bonus=(REROLL, None, choice(mark("gold"), mark("lime", 5), mark("azure"))),
    tracks=(Track("reroll", 2, mark("navy")), Track("extra", 3)),
    areas=(
        # Circles, then crosses, and lines that pay points.
        Area(
            "red",
            entry="staged",
            writes="cross",
            scores="groups",
            cells=RED,
            printed=((2, 1),),
            groups=(
                *lines("row", RED, (EXTRA, FOX, mark("gold")), (3, 5, 7)),
                *lines("diagonal", RED, (mark("navy"),)),
            ),
        ),
        # Values that must reach a minimum, some of them doubled.
        Area(
            "lime",
            entry="at_least",
            writes="value",
            scores="sum",
            cells=tuple(
                Cell(0, i, minimum=minimum, factor=factor, bonus=bonus)
                for i, (minimum, factor, bonus) in enumerate(
                    [(2, 1, None), (3, 2, EXTRA), (4, 1, mark("red")), (5, 3, FOX)]
                )
            ),
        ),
        # Values that fall, counted.
        Area(
            "azure",
            entry="falling",
            writes="value",
            scores="count",
            cells=tuple(Cell(0, i) for i in range(5)),
            points=(0, 2, 5, 9, 14, 20),
        ),
        # Crosses for anything.
        Area(
            "navy",
            entry="any",
            writes="cross",
            scores="count",
            cells=tuple(Cell(0, i, bonus=b) for i, b in enumerate((None, REROLL, None, EXTRA))),
            points=(0, 1, 2, 4, 8),
        ),
        # A grid of sums.
        Area(
            "gold",
            entry="match",
            writes="cross",
            scores="rows",
            cells=GOLD,
            adds_joker=True,
            points=(0, 1, 2, 4, 6, 9),
            groups=(*lines("row", GOLD), *lines("column", GOLD, (FOX,))),
        ),
    ),
    ratings=(Rating(40, "good"), Rating(None, "well")),
)


def little_points(marks: dict[str, int]) -> list[int]:
    """The areas of the little sheet, counted by its words."""

    def entries(letter: str) -> list[int]:
        return [value for name, value in marks.items() if name[0] == letter]

    red = 3 * all(cell in marks for cell in ("r1a", "r2", "r3"))
    red += 5 * all(cell in marks for cell in ("r4", "r5", "r6a"))
    red += 7 * all(cell in marks for cell in ("r6b", "r1b"))
    rows = ["g2 g3 g4 g5 g6", "g7a g7b g8a g8b", "g9 g10 g11 g12"]
    crosses = [sum(cell in marks for cell in row.split()) for row in rows]
    return [
        red,
        sum(entries("l")),
        (0, 2, 5, 9, 14, 20)[len(entries("a"))],
        (0, 1, 2, 4, 8)[len(entries("n"))],
        sum((0, 1, 2, 4, 6, 9)[count] for count in crosses),
    ]


@pytest.mark.parametrize("seats", [1, 2, 3, 4])
def test_another_sheet_is_played_by_the_same_rules(seats: int) -> None:
    known = lay_out(LITTLE)
    t, chance = known.tables, Random(seats)
    played = dict.fromkeys(codes.ACTION_NAMES, 0)
    lines_completed = 0
    for seed in range(25):
        s, log = State(seats), Log()
        dice = SeededDice(seed)
        rules.begin(t, s, log)
        while s.phase != codes.OVER:
            log = Log()
            if s.phase == codes.THROW:
                throw = dice.throw(s.turn, s.rolls, s.rerolls)
                rules.roll(t, s, list(throw.faces), list(throw.order), log)
            else:
                seat = chance.choice([i for i in range(4) if rules.awaiting(t, s) >> i & 1])
                out = [0] * codes.ACTIONS
                count = rules.legal_actions(t, s, seat, out)
                assert out[:count] == sorted(set(out[:count]))
                chosen = known.actions[chance.choice(out[:count])]
                rules.apply(t, s, seat, chosen.id, log)
                played[codes.ACTION_NAMES[chosen.kind]] += 1
            events = list(read_log(known, log))
            lines_completed += sum(isinstance(event, LineCompleted) for event in events)
        assert isinstance(events[-1], GameEnded)
        assert s.turn + 1 == LITTLE.rounds[seats - 1] * max(2, seats)
        game = Game(known, s)
        for seat, card in enumerate(game.scores()):
            areas = little_points(game.marks(seat))
            assert list(card.areas) == areas
            assert card.fox_value == min(areas)
            assert card.total == sum(areas) + card.foxes * min(areas)
        assert game.position().startswith("little ")
    assert lines_completed
    assert all(count > 0 for kind, count in played.items() if kind != "return")
    assert played["return"] == 0


def test_the_actions_of_another_sheet() -> None:
    texts = [str(each) for each in lay_out(LITTLE).actions]
    assert texts[:3] == ["pass", "reroll", "w>r1a"]
    assert "a>a" in texts
    assert [text for text in texts if text[0] == "+" and text[1] in "lan"] == [
        "+l=5",
        *(f"+a={value}" for value in range(1, 7)),
        "+n",
    ]
