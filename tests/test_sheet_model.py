"""A sheet with an error is refused, and a new sheet of the family needs no new rules."""

from collections.abc import Callable
from dataclasses import replace
from random import Random
from typing import Any

import pytest

from foxtray import SHEETS, Game, SeededDice
from foxtray.core import codes, rules
from foxtray.core.layout import lay_out
from foxtray.core.state import Log, State
from foxtray.events import GameEnded, LineCompleted, read_log
from foxtray.games import model, palette
from foxtray.games.model import (
    FOX,
    Area,
    Bonus,
    Cell,
    Die,
    Line,
    Rating,
    Sheet,
    SheetError,
    Track,
    action,
    always_entered,
    choice,
    grid_cells,
    lines,
    mark,
)

CLEVER, TWICE = SHEETS["clever"], SHEETS["twice"]
DICE = {die.colour: die for sheet in (CLEVER, TWICE) for die in sheet.dice}
OCHRE = Die("ochre", "c", "moon", palette.ORANGE)
WHITE, RED, LIME, AZURE, NAVY, GOLD = (
    Die(colour, colour[0], shape, palette.WHITE)
    for colour, shape in zip(
        ("white", "red", "lime", "azure", "navy", "gold"), model.SHAPES[:6], strict=True
    )
)


def dice(colours: str) -> tuple[Die, ...]:
    return tuple(DICE[colour] for colour in colours.split())


def change_die(**changes: Any) -> Sheet:
    """Clever with another last die, and its area with it."""
    last = replace(DICE["purple"], **changes)
    *areas, purple = CLEVER.areas
    return replace(CLEVER, dice=(*CLEVER.dice[:5], last), areas=(*areas, replace(purple, die=last)))


def change_area(sheet: Sheet, which: str, **changes: Any) -> Sheet:
    areas = (replace(a, **changes) if a.colour == which else a for a in sheet.areas)
    return replace(sheet, areas=tuple(areas))


def change_cell(sheet: Sheet, colour: str, index: int, **changes: Any) -> Sheet:
    cells = list(sheet.area(colour).cells)
    cells[index] = replace(cells[index], **changes)
    return change_area(sheet, colour, cells=tuple(cells))


def change_line(sheet: Sheet, colour: str, **changes: Any) -> Sheet:
    first, *rest = sheet.area(colour).lines
    return change_area(sheet, colour, lines=(replace(first, **changes), *rest))


def change_track(sheet: Sheet, **changes: Any) -> Sheet:
    first, *rest = sheet.tracks
    return replace(sheet, tracks=(replace(first, **changes), *rest))


def change_round(sheet: Sheet, index: int, bonus: Bonus | None) -> Sheet:
    rounds = list(sheet.round_bonus)
    rounds[index] = bonus
    return replace(sheet, round_bonus=tuple(rounds))


Change = Callable[[], Sheet]
COMPLAINTS: list[tuple[Change, str]] = [
    # the frame
    (lambda: replace(CLEVER, dice=CLEVER.dice[:5]), "six dice"),
    (lambda: replace(CLEVER, areas=CLEVER.areas[:4]), "five areas"),
    (lambda: change_die(colour="orange"), "two dice share the colour 'orange'"),
    (lambda: change_die(letter="o"), "two dice share the letter 'o'"),
    (lambda: change_die(letter="P"), "purple: the letter 'P' must be one lower-case letter"),
    (lambda: change_die(letter="pu"), "purple: the letter 'pu' must be one lower-case letter"),
    (lambda: change_die(colour="Mauve"), "'Mauve' cannot be a colour"),
    (lambda: change_die(colour="fox"), "'fox' cannot be a colour"),
    (
        lambda: change_die(shape="spiral"),
        "purple: unknown shape 'spiral'; choose one of circle, square",
    ),
    (
        lambda: change_die(paint=replace(palette.PINK, dark=replace(palette.PINK.dark, ink="red"))),
        "purple: the tone 'red' must be written as #rrggbb",
    ),
    (lambda: replace(CLEVER, dice=(*CLEVER.dice[:5], OCHRE)), "needs its own area"),
    (lambda: change_area(CLEVER, "purple", die=OCHRE), "needs its own area"),
    (
        lambda: change_area(CLEVER, "purple", die=replace(DICE["purple"], letter="x")),
        "needs its own area",
    ),
    (lambda: replace(CLEVER, id="Clever 2"), "its id must be 1 to 16 letters a to z"),
    (lambda: change_die(shape="star"), "two dice share the shape 'star'"),
    (
        lambda: change_die(paint=replace(palette.PINK, terminal=(16, 256))),
        "purple: terminal colours are 0 to 255, not 256",
    ),
    (lambda: replace(CLEVER, die_fields=2), "three die fields"),
    (lambda: replace(CLEVER, tracks=CLEVER.tracks[::-1]), "tracks must be reroll, return, extra"),
    (lambda: change_track(CLEVER, name="nap"), "tracks must be reroll, return, extra"),
    (lambda: replace(CLEVER, tracks=CLEVER.tracks[:1]), "a reroll and an extra track"),
    (lambda: replace(CLEVER, rounds=(6, 6, 5)), "one to four seats"),
    (lambda: replace(CLEVER, rounds=(7, 6, 5, 4)), "round_bonus needs an entry for every round"),
    (
        lambda: replace(CLEVER, rounds=(6, 6, 5, 0)),
        "every number of seats needs at least one round",
    ),
    # an area
    (lambda: change_area(CLEVER, "green", entry="odd"), "green: unknown entry 'odd'"),
    (lambda: change_area(CLEVER, "green", scores="twice"), "green: unknown scores 'twice'"),
    (
        lambda: change_area(TWICE, "silver", adds_joker=True),
        "silver: row_dice needs entry='match' without adds_joker",
    ),
    (
        lambda: change_area(TWICE, "silver", entry="staged"),
        "silver: row_dice needs entry='match' without adds_joker",
    ),
    (
        lambda: replace(
            TWICE,
            areas=(
                TWICE.areas[0],
                replace(TWICE.areas[0], die=DICE["yellow"]),
                *TWICE.areas[2:],
            ),
        ),
        "silver: only one area can have row_dice",
    ),
    (
        lambda: change_area(CLEVER, "green", printed=((1, 0),)),
        "green: only grids have printed crosses",
    ),
    (
        lambda: change_cell(CLEVER, "blue", 0, row=-1),
        "blue, cell b2: row and column must be 0 to 23",
    ),
    (
        lambda: change_area(CLEVER, "purple", adds_joker=True),
        "purple: sums cannot rise, because any value may follow a 6",
    ),
    (
        lambda: change_cell(CLEVER, "orange", 1, factor=10),
        "orange, cell o2: the factor must be 1 to 9",
    ),
    (
        lambda: change_cell(TWICE, "pink", 2, bonus_minimum=7),
        "pink, cell p3: bonus_minimum needs a bonus, and must be a value of a die",
    ),
    (
        lambda: change_cell(TWICE, "pink", 0, bonus_minimum=3),
        "pink, cell p1: bonus_minimum needs a bonus, and must be a value of a die",
    ),
    (
        lambda: change_area(CLEVER, "yellow", cells=grid_cells(((3,) * 5,)), lines=()),
        "yellow, cell y3a: 5 cells show 3; at most 4 can",
    ),
    (
        lambda: change_area(CLEVER, "blue", lines=CLEVER.area("blue").lines[:1] * 2),
        "blue, row 1: it appears more than once",
    ),
    (
        lambda: change_line(CLEVER, "blue", cells=(0, 1, 3)),
        "blue, row 1: cell b5 is not in it",
    ),
    (
        lambda: change_area(
            CLEVER,
            "blue",
            lines=tuple(Line("diagonal", i, (0, 4 + i)) for i in range(4)),
        ),
        "blue, cell b2: it is in more than 3 lines",
    ),
    (
        lambda: change_line(CLEVER, "yellow", points=1000),
        "yellow: points must be 0 to 999, not 1000",
    ),
    (lambda: change_area(CLEVER, "green", cells=()), "green: it needs at least one cell"),
    (
        lambda: change_area(TWICE, "silver", row_dice=(*dice("yellow blue green"), GOLD)),
        "silver: a row belongs to an unknown die",
    ),
    (
        lambda: change_area(TWICE, "silver", row_dice=dice("yellow blue green")),
        "silver: every row needs a die",
    ),
    (
        lambda: change_area(TWICE, "silver", row_dice=dice("yellow blue green green")),
        "silver, cell sg1: two cells share a name",
    ),
    (
        lambda: change_cell(CLEVER, "blue", 0, row=2, column=3),
        "blue, cell b12: it has the same place as b2",
    ),
    (
        lambda: change_cell(CLEVER, "yellow", 0, row=0, column=3),
        "yellow, cell y3a: it has the same place as a printed cross",
    ),
    (
        lambda: change_area(CLEVER, "yellow", writes="value"),
        "yellow: a grid must have writes='cross'",
    ),
    (
        lambda: change_cell(CLEVER, "yellow", 0, number=7),
        "yellow, cell y7: no die can give the number 7",
    ),
    (
        lambda: change_cell(CLEVER, "green", 0, number=1),
        "green, cell g1: only grid cells have numbers",
    ),
    (
        lambda: change_cell(CLEVER, "purple", 0, factor=2),
        "purple, cell p1: a factor needs the entry any or at_least",
    ),
    (lambda: change_area(CLEVER, "purple", writes="cross"), "purple: only values can rise or fall"),
    (
        lambda: change_cell(CLEVER, "green", 0, minimum=0),
        "green, cell g1: its minimum must be a value of a die",
    ),
    (
        lambda: change_cell(CLEVER, "orange", 0, minimum=2),
        "orange, cell o1: only the entry at_least has a minimum",
    ),
    (lambda: change_line(CLEVER, "blue", cells=()), "blue, row 1: it has no cells"),
    (
        lambda: change_line(CLEVER, "blue", cells=(0, 11)),
        "blue, row 1: the area has no cell 11",
    ),
    (
        lambda: change_area(CLEVER, "green", lines=(Line("row", 0, (0, 1)),)),
        "green: only grids have lines",
    ),
    (
        lambda: change_area(TWICE, "silver", lines=TWICE.area("silver").lines[4:]),
        "silver: it has no rows to score",
    ),
    (
        lambda: change_area(TWICE, "silver", points=(0, 2, 4)),
        "silver: it needs points for 0 to 6 marks",
    ),
    (
        lambda: change_area(CLEVER, "green", points=(0, 1)),
        "green: it needs points for 0 to 11 marks",
    ),
    (
        lambda: change_area(CLEVER, "orange", points=(0, 1)),
        "orange: only scores='count' and 'rows' have points",
    ),
    (
        lambda: change_area(CLEVER, "blue", scores="lines", points=()),
        "blue: no line has points",
    ),
    (
        lambda: change_area(TWICE, "green", cells=TWICE.area("green").cells[:11]),
        "green: pairs need an even number of fields",
    ),
    (
        lambda: change_area(CLEVER, "green", scores="sum", points=()),
        "green: only values can be added up",
    ),
    # bonuses
    (lambda: change_round(CLEVER, 3, Bonus("choice")), "a choice has options"),
    (
        lambda: change_round(CLEVER, 3, Bonus("fox", options=(mark(DICE["blue"]),))),
        "a choice has options",
    ),
    (lambda: change_round(CLEVER, 3, mark(DICE["pink"])), "round 4: unknown area 'pink'"),
    (lambda: change_round(CLEVER, 3, action("return")), "round 4: unknown track 'return'"),
    (
        lambda: change_round(CLEVER, 3, choice(mark(DICE["blue"]), FOX)),
        "a choice can offer only marks",
    ),
    (
        lambda: change_round(CLEVER, 4, choice(mark(DICE["blue"]), mark(DICE["green"]))),
        "only one kind of choice",
    ),
    (
        lambda: change_round(CLEVER, 4, mark(DICE["orange"])),
        "the bonuses of orange must all have a value, or none of them",
    ),
    (
        lambda: change_round(CLEVER, 4, mark(DICE["purple"], 7)),
        "round 5: the bonuses of purple: no die can give the value 7",
    ),
    (lambda: change_track(CLEVER, last=action("extra")), "must give a mark or a fox"),
    (lambda: change_track(CLEVER, fields=6), "track reroll: 6 fields need as many bonuses, not 7"),
    # ratings
    (lambda: replace(CLEVER, ratings=()), "only the last rating has no limit"),
    (lambda: replace(CLEVER, ratings=(Rating(100, "x"),)), "only the last rating has no limit"),
    (
        lambda: replace(CLEVER, ratings=(Rating(None, "x"), Rating(None, "y"))),
        "only the last rating has no limit",
    ),
    (
        lambda: replace(CLEVER, ratings=(Rating(1, "x"), Rating(2, "y"), Rating(None, "z"))),
        "ratings must go from best to worst",
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
    *rows, diagonal = red.lines
    valued = mark(NAVY, 3)
    red = replace(red, lines=(*rows, replace(diagonal, bonus=valued)))
    with pytest.raises(
        SheetError, match="red, diagonal 1: the bonuses of navy: crosses have no value"
    ):
        replace(change_track(LITTLE, last=None), areas=(red, *others))


def test_a_bonus_with_a_value_always_fits() -> None:
    """A 3 in a rising row could stay open for ever: the rules count on its place."""
    worth = {area.colour: tuple(always_entered(area)) for area in CLEVER.areas}
    assert worth["purple"] == (6,)
    assert worth["green"] == (6,)
    assert worth["orange"] == (1, 2, 3, 4, 5, 6)
    assert tuple(always_entered(TWICE.area("blue"))) == (2,)
    green = CLEVER.area("green")
    three = replace(green.cells[8], bonus=mark(CLEVER.area("purple").die, 3))
    cells = (*green.cells[:8], three, *green.cells[9:])
    with pytest.raises(SheetError, match=r"green, cell g9: .* a 3 does not always fit there"):
        change_area(CLEVER, "green", cells=cells)


# --- what does not fit the tables ---------------------------------------------------------------


@pytest.mark.parametrize(
    ("size", "limit", "words"),
    [
        ("ROUNDS", 5, "at most 5 rounds are possible"),
        ("BONUSES", 10, "10 kinds of bonus; at most 9 are possible"),
        ("CELLS", 69, "70 cells; at most 69 are possible"),
        ("LINES", 18, "19 lines; at most 18 are possible"),
        ("ACTIONS", 162, "163 actions; at most 162 are possible"),
        ("HITS", 3, "silver, cell sy1: 4 cells show 1; at most 3 can"),
        ("CELL_LINES", 1, "silver, cell sy1: it is in more than 1 lines"),
    ],
)
def test_a_sheet_too_large_for_the_tables_is_refused(
    size: str, limit: int, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(model, size, limit + 1)
    replace(TWICE)
    monkeypatch.setattr(model, size, limit)
    with pytest.raises(SheetError, match=f"^sheet twice: {words}$"):
        replace(TWICE)


def test_the_actions_of_a_sheet_are_counted_before_they_are_listed() -> None:
    for sheet in (CLEVER, TWICE, LITTLE):
        assert model.count_actions(sheet) == len(lay_out(sheet).actions)


def test_many_cells_may_show_the_same_number() -> None:
    area = Area(RED, "match", "cross", "count", grid_cells(((1,) * 10,)))
    assert area.cell_names()[::9] == ("r1a", "r1j")


# --- another sheet of the family ----------------------------------------------------------------

REROLL, EXTRA = action("reroll"), action("extra")
RED_CELLS = grid_cells(((1, 2, 3), (4, 5, 6), (6, "X", 1)))
GOLD_CELLS = grid_cells(((2, 3, 4, 5, 6), (7, 7, 8, 8, None), (9, 10, 11, 12, None)))
LITTLE = Sheet(
    id="little",
    title="Little",
    dice=(WHITE, RED, LIME, AZURE, NAVY, GOLD),
    may_decline=True,
    rounds=(3, 3, 2, 2),
    round_bonus=(REROLL, None, choice(mark(GOLD), mark(LIME, 5), mark(AZURE))),
    tracks=(Track("reroll", 2, mark(NAVY)), Track("extra", 3)),
    areas=(
        # Circles, then crosses, and lines that pay points.
        Area(
            RED,
            entry="staged",
            writes="cross",
            scores="lines",
            cells=RED_CELLS,
            printed=((2, 1),),
            lines=(
                *lines("row", RED_CELLS, (EXTRA, FOX, mark(GOLD)), (3, 5, 7)),
                *lines("diagonal", RED_CELLS, (mark(NAVY),)),
            ),
        ),
        # Values that must reach a minimum, some of them doubled.
        Area(
            LIME,
            entry="at_least",
            writes="value",
            scores="sum",
            cells=tuple(
                Cell(0, i, minimum=minimum, factor=factor, bonus=bonus)
                for i, (minimum, factor, bonus) in enumerate(
                    [(2, 1, None), (3, 2, EXTRA), (4, 1, mark(RED)), (5, 3, FOX)]
                )
            ),
        ),
        # Values that fall, counted.
        Area(
            AZURE,
            entry="falling",
            writes="value",
            scores="count",
            cells=tuple(Cell(0, i) for i in range(5)),
            points=(0, 2, 5, 9, 14, 20),
        ),
        # Crosses for anything.
        Area(
            NAVY,
            entry="any",
            writes="cross",
            scores="count",
            cells=tuple(Cell(0, i, bonus=b) for i, b in enumerate((None, REROLL, None, EXTRA))),
            points=(0, 1, 2, 4, 8),
        ),
        # A grid of sums.
        Area(
            GOLD,
            entry="match",
            writes="cross",
            scores="rows",
            cells=GOLD_CELLS,
            adds_joker=True,
            points=(0, 1, 2, 4, 6, 9),
            lines=(*lines("row", GOLD_CELLS), *lines("column", GOLD_CELLS, (FOX,))),
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
