"""Sheets and dice as text."""

from dataclasses import replace
from pathlib import Path

import pytest

from foxtray import render
from foxtray.games import palette
from foxtray.games.model import Cell, Die, Sheet, Track
from foxtray.games.registry import SHEETS, sheet_of
from foxtray.render import Ink

DRAWINGS = Path(__file__).parent / "drawings"
CLEVER = sheet_of("clever")
TWICE = sheet_of("twice")
COLOUR = Ink(colour=True)
BROWN = Die("brown", "n", "moon", palette.ORANGE)
RED = Die("red", "r", "drop", palette.PINK)


def everything_marked(sheet: Sheet) -> dict[str, int]:
    return {name: 2 for area in sheet.areas for name in area.cell_names()}


def line_with(text: str, drawing: str) -> str:
    return next(line for line in drawing.splitlines() if text in line)


@pytest.mark.parametrize("game", SHEETS)
def test_an_empty_sheet_is_drawn_as_printed(game: str) -> None:
    drawn = (DRAWINGS / f"{game}.txt").read_text(encoding="utf-8")
    assert render.sheet(sheet_of(game)) + "\n" == drawn


@pytest.mark.parametrize("game", SHEETS)
@pytest.mark.parametrize("full", [False, True])
def test_colour_adds_nothing_but_colour_and_80_columns_are_enough(game: str, full: bool) -> None:
    sheet = sheet_of(game)
    marks = everything_marked(sheet) if full else {}
    tracks = {track.name: (track.fields, 2) for track in sheet.tracks} if full else {}
    points = [100, 100, 100, -43, 100]
    plain = render.sheet(sheet, marks, tracks, points)
    coloured = render.sheet(sheet, marks, tracks, points, COLOUR)
    assert coloured != plain
    assert [line.rstrip() for line in render.bare(coloured).splitlines()] == plain.splitlines()
    assert max(map(len, plain.splitlines())) <= render.WIDTH
    assert max(map(len, render.legend(sheet).splitlines())) <= render.WIDTH


def test_crosses_full_lines_and_points_show() -> None:
    marks = {"y3a": 1, "y6a": 1, "y5a": 1, "b2": 1, "b6": 1, "b10": 1, "g1": 1}
    drawn = render.sheet(CLEVER, marks, areas=[0, 4, 1, 0, 0])
    assert line_with("+o5", drawn).split() == ["X", "X", "X", "X", "(+b)", "X", "3", "4", "+o5"]
    assert line_with("(+g)", drawn).split()[-4:] == ["rr", "(+g)", "+p6", "+1"]
    assert "1 2 [4] 7" in drawn
    assert line_with("g GREEN", drawn).split()[:5] == ["g", "GREEN", "1", "X", "[2+]"]
    assert "(1)" in drawn


def test_a_full_column_of_points_is_ringed() -> None:
    assert "(10)" in render.sheet(CLEVER, {"y3a": 1, "y2a": 1, "y1b": 1})


def test_circles_come_before_crosses() -> None:
    drawn = render.sheet(TWICE, {"y3a": 1, "y6": 2})
    assert line_with("(3)", drawn).split()[-3:] == ["(3)", "X", "(+b)"]
    assert "[3] 10" in drawn


def test_written_values_and_missed_bonuses_show() -> None:
    drawn = render.sheet(TWICE, {"p1": 5, "p2": 3, "p3": 1, "p4": 4, "g1": 10, "g2": 2})
    above, below = drawn.splitlines()[-3:-1]
    assert above.split()[:8] == ["p", "PINK", "5", "3", "1", "4", "[4+]", "5+"]
    assert below.split()[:3] == ["--", "(rt)", "+1"]
    assert "10 - 2  |[x2]-" in drawn


def test_rows_of_crosses_show_their_points() -> None:
    drawn = render.sheet(TWICE, {"sb1": 1, "sb2": 1, "sb3": 1, "sb4": 1})
    assert line_with(" b  X", drawn)[:38].split() == ["b", "X", "X", "X", "X", "5", "6", "11"]


def test_tracks_show_what_is_spent_left_and_to_come() -> None:
    drawn = render.sheet(TWICE, tracks={"reroll": (3, 1), "return": (6, 0)})
    assert "re-roll rr xoo... fox   return rt oooooo (+p)  additional" in drawn


def test_panels_that_do_not_fit_beside_each_other_go_below() -> None:
    grid = CLEVER.areas[1]
    wide = render.grid_panel(grid, [0] * len(grid.cells), None, Ink())
    areas = (grid, replace(grid, die=BROWN), replace(grid, die=RED))
    sheet = object.__new__(Sheet)
    for name in Sheet.__dataclass_fields__:
        object.__setattr__(sheet, name, getattr(CLEVER, name))
    object.__setattr__(sheet, "areas", areas)
    drawn = render.sheet(sheet).splitlines()
    assert len(drawn) == 2 * len(wide) + 1
    assert "b BLUE" in drawn[0]
    assert "n BROWN" in drawn[0]
    assert "r RED" in drawn[len(wide)]


def test_lines_without_anything_to_pay_stay_empty() -> None:
    grid = replace(TWICE.areas[1], lines=())
    panel = render.grid_panel(grid, [0] * len(grid.cells), None, Ink())
    assert panel[1].split() == ["3", "6"]
    assert panel[-2].strip() == ""


def test_dice_lie_where_they_lie() -> None:
    places = ["pool", "pool", "tray", "pool", "field1", "tray"]
    drawn = render.dice(CLEVER, [4, 2, 1, 6, 5, 2], places)
    assert drawn == " pool [w4] [y2] [g6]   platter [b1] [p2]   dice fields [o5] -- --   w+b=5"
    assert render.bare(render.dice(CLEVER, [4] * 6, places, ink=COLOUR)).split()[1] == "w4"


def test_dice_to_be_thrown_have_no_face_yet() -> None:
    drawn = render.dice(CLEVER, [4] * 6, ["pool"] * 6, wanted=range(6))
    assert drawn.startswith(" pool [w?] [y?] [b?] [g?] [o?] [p?]   platter --")
    assert "w+b" not in drawn


def test_solo_serving_has_a_tray_and_three_dice_aside() -> None:
    drawn = render.dice(TWICE, [1, 1, 1, 6, 6, 6], ["tray"] * 3 + ["aside"] * 3)
    assert drawn == " set aside [b6] [g6] [p6]   platter [w1] [s1] [y1]   w+b=7"


def test_rounds_tell_what_each_brings() -> None:
    assert render.rounds(CLEVER, 4, 1) == "rounds  1 rr  [2 +1]  3 rr   4 any "
    assert render.rounds(TWICE, 1, None) == "rounds  1 rr   2 +1   3 rt   4 any   5   6 "


def test_a_die_has_the_colours_of_its_paint() -> None:
    brown = replace(BROWN, paint=replace(BROWN.paint, terminal=(94, 231)))
    assert render.die(brown, 4, COLOUR) == "\x1b[48;5;94;38;5;231m n4 \x1b[0m"


def test_the_legend_tells_only_of_what_is_printed() -> None:
    sheet = object.__new__(Sheet)
    for name in Sheet.__dataclass_fields__:
        object.__setattr__(sheet, name, getattr(CLEVER, name))
    object.__setattr__(sheet, "areas", ())
    object.__setattr__(sheet, "round_bonus", ())
    assert render.legend(sheet).startswith(" rr re-roll   +1 additional die   any mark\n")


def test_a_track_without_a_last_bonus_ends_with_its_last_field() -> None:
    assert render.track(Track("extra", 3), 2, 1, Ink()) == "additional die +1 xo."


def test_points_say_what_a_fox_is_worth() -> None:
    told = render.points(CLEVER, [46, 37, 28, 5, 21], 2, 5, 147)
    assert told == "y 46  b 37  g 28  o 5  p 21   foxes 2 x 5 = 10   total 147"


def test_a_roomy_sheet_has_a_blank_line_after_each_panel() -> None:
    lines = render.sheet(CLEVER, roomy=True).splitlines()
    assert "\n".join(filter(None, lines)) == render.sheet(CLEVER)
    assert lines.count("") == 4


def test_a_field_shows_its_least_value_and_its_factor() -> None:
    fields = (Cell(0, 0), Cell(0, 0, minimum=3), Cell(0, 0, factor=2), Cell(0, 0, 0, 4, 3))
    assert [render.print_of(field) for field in fields] == ["_", "3+", "x2", "4+x3"]
