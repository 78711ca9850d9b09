"""The package's sheets against the printed ones, number by number, and against counts by hand."""

import json
from pathlib import Path
from typing import Any

import pytest

from foxtray.games.model import Area, Bonus, Line, Sheet
from foxtray.games.registry import SHEETS

PRINTED: dict[str, dict[str, Any]] = {
    game: json.loads((Path(__file__).parent / "printed" / f"{game}.json").read_text())
    for game in ("clever", "twice")
}
GRIDS = [("clever", "yellow"), ("clever", "blue"), ("twice", "yellow")]
ROWS = [
    *(("clever", colour) for colour in ("green", "orange", "purple")),
    *(("twice", colour) for colour in ("blue", "green", "pink")),
]
both = pytest.mark.parametrize("game", ["clever", "twice"])


def plain(bonus: Bonus | None) -> Any:
    """A bonus in the words of the printed data."""
    if bonus is None:
        return None
    if bonus.kind == "choice":
        return {"choice": [plain(option) for option in bonus.options]}
    if bonus.kind == "action":
        return {"action": bonus.track}
    if bonus.kind == "fox":
        return {"fox": 1}
    return {"mark": bonus.area} | ({"value": bonus.value} if bonus.value else {})


def lines_of(area: Area, kind: str) -> list[Line]:
    found = [line for line in area.lines if line.kind == kind]
    assert [line.index for line in found] == list(range(len(found)))
    return found


def spots(area: Area, line: Line) -> list[tuple[int, int]]:
    return [(area.cells[index].row, area.cells[index].column) for index in line.cells]


# -- number by number ---------------------------------------------------------------------------


@both
def test_the_frame(game: str) -> None:
    sheet, printed = SHEETS[game], PRINTED[game]
    assert sheet.id == printed["id"]
    assert list(sheet.colours) == printed["dice"]
    assert [area.colour for area in sheet.areas] == printed["dice"][1:]
    assert {str(i): n for i, n in enumerate(sheet.rounds, 1)} == printed["rounds_by_players"]
    assert sheet.die_fields == printed["die_fields"]
    assert [plain(bonus) for bonus in sheet.round_bonus] == printed["round_bonus"]
    assert [rating.lowest for rating in sheet.ratings] == printed["rating_from"]
    tracks = {t.name: {"fields": t.fields, "last": plain(t.last)} for t in sheet.tracks}
    assert tracks == printed["tracks"]


@pytest.mark.parametrize(("game", "colour"), GRIDS)
def test_a_grid(game: str, colour: str) -> None:
    area, printed = SHEETS[game].area(colour), PRINTED[game][colour]
    entries = {(r, c): e for r, row in enumerate(printed["grid"]) for c, e in enumerate(row)}
    cells = {(cell.row, cell.column): cell.number for cell in area.cells}
    assert cells == {spot: entry for spot, entry in entries.items() if isinstance(entry, int)}
    assert list(area.printed) == [spot for spot, entry in entries.items() if entry == "X"]
    assert all(cell.bonus is None for cell in area.cells)
    assert [plain(line.bonus) for line in lines_of(area, "row")] == printed["row_bonus"]
    for line in lines_of(area, "row"):
        assert spots(area, line) == [spot for spot in cells if spot[0] == line.index]
    columns = lines_of(area, "column")
    for line in columns:
        assert spots(area, line) == [spot for spot in cells if spot[1] == line.index]
    none = [None] * len(columns)
    assert [plain(line.bonus) for line in columns] == printed.get("column_bonus", none)
    points = [line.points for line in columns]
    assert points == printed.get("column_points", [0] * len(columns))
    assert all(line.points == 0 for line in area.lines if line.kind != "column")
    assert list(area.points) == printed.get("points_by_crosses", [])
    diagonals = [
        {"cells": [list(spot) for spot in spots(area, line)], "bonus": plain(line.bonus)}
        for line in lines_of(area, "diagonal")
    ]
    assert diagonals == ([printed["diagonal"]] if "diagonal" in printed else [])


def test_silver() -> None:
    area, printed = SHEETS["twice"].area("silver"), PRINTED["twice"]["silver"]
    assert [die.colour for die in area.row_dice] == printed["rows"]
    cells = [(cell.row, cell.column, cell.number) for cell in area.cells]
    assert cells == [(r, c, n) for r in range(4) for c, n in enumerate(printed["columns"])]
    assert [plain(line.bonus) for line in lines_of(area, "column")] == printed["column_bonus"]
    for kind in ("row", "column"):
        for line in lines_of(area, kind):
            along = [spot[kind == "column"] for spot in spots(area, line)]
            assert along == [line.index] * (6 if kind == "row" else 4)
    assert [plain(line.bonus) for line in lines_of(area, "row")] == [None] * 4
    assert list(area.points) == printed["row_points_by_crosses"]


@pytest.mark.parametrize(("game", "colour"), ROWS)
def test_a_row(game: str, colour: str) -> None:
    area, printed = SHEETS[game].area(colour), PRINTED[game][colour]
    fields = len(printed["bonus"])
    assert [cell.column for cell in area.cells] == list(range(fields))
    assert [plain(cell.bonus) for cell in area.cells] == printed["bonus"]
    assert fields == printed.get("fields", fields)
    assert [cell.factor for cell in area.cells] == printed.get("factor", [1] * fields)
    minimum = [number or 0 for number in printed.get("minimum", [0] * fields)]
    pays_from = colour == "pink"  # elsewhere the minimum decides what may enter
    assert [cell.bonus_minimum for cell in area.cells] == (minimum if pays_from else [0] * fields)
    assert [cell.minimum for cell in area.cells] == ([0] * fields if pays_from else minimum)
    points = printed.get("points_by_crosses", printed.get("points_by_entries", []))
    assert list(area.points) == points
    assert area.lines == ()


# -- counts by hand -----------------------------------------------------------------------------


def printed_bonuses(value: Any) -> list[dict[str, Any]]:
    """Every bonus anywhere in the printed data; a choice counts as one."""
    if isinstance(value, dict):
        if value.keys() & {"action", "mark", "fox", "choice"}:
            return [value]
        value = list(value.values())
    if isinstance(value, list):
        return [bonus for part in value for bonus in printed_bonuses(part)]
    return []


def model_bonuses(sheet: Sheet) -> list[dict[str, Any]]:
    return [plain(bonus) for bonus in sheet.bonuses()]


@both
@pytest.mark.parametrize("source", ["printed", "model"])
def test_sources_of_actions_foxes_and_marks(game: str, source: str) -> None:
    found = printed_bonuses(PRINTED[game]) if source == "printed" else model_bonuses(SHEETS[game])
    actions = [bonus["action"] for bonus in found if "action" in bonus]
    marks = [bonus["mark"] for bonus in found if "mark" in bonus]
    foxes = [bonus for bonus in found if "fox" in bonus]
    assert len([bonus for bonus in found if "choice" in bonus]) == 1
    assert len(found) == len(actions) + len(marks) + len(foxes) + 1
    counts = {name: actions.count(name) for name in sorted(set(actions))}
    by_area = {colour: marks.count(colour) for colour in PRINTED[game]["dice"][1:]}
    if game == "clever":
        assert counts == {"reroll": 7, "extra": 7}
        assert (len(foxes), len(marks)) == (5, 15)
    else:
        assert counts == {"reroll": 6, "return": 6, "extra": 6}
        assert len(foxes) == 6
        assert by_area == {"silver": 4, "yellow": 6, "blue": 4, "green": 4, "pink": 5}


def test_clever_has_56_cells_and_at_most_48_marks() -> None:
    sheet = SHEETS["clever"]
    assert [len(area.cells) for area in sheet.areas] == [12, 11, 11, 11, 11]
    extra_dice = 7
    bonus_marks = 15 + 1
    for seats, most in [(1, 47), (2, 47), (3, 48), (4, 47)]:
        passive = 1 if seats == 1 else seats - 1
        assert sheet.rounds[seats - 1] * (3 + passive) + extra_dice + bonus_marks == most


def test_clever_gives_at_most_two_bonuses_for_a_mark() -> None:
    for area in SHEETS["clever"].areas:
        for index, cell in enumerate(area.cells):
            lines = [line for line in area.lines if index in line.cells and line.bonus]
            assert len(lines) + (cell.bonus is not None) <= 2


def test_clever_best_areas() -> None:
    yellow, blue, green, orange, purple = SHEETS["clever"].areas
    assert sum(line.points for line in yellow.lines) == 60
    assert blue.points[-1] == 56
    assert green.points[-1] == 66
    assert sum(6 * cell.factor for cell in orange.cells) == 96
    assert 6 * len(purple.cells) == 66


def test_twice_best_and_worst_areas() -> None:
    sheet = SHEETS["twice"]
    factors = [cell.factor for cell in sheet.area("green").cells]
    pairs = list(zip(factors[0::2], factors[1::2], strict=True))
    assert sum(6 * first - second for first, second in pairs) == 92
    assert sum(first - 6 * second for first, second in pairs) == -43
    assert 4 * sheet.area("silver").points[-1] == 88


def test_names_of_cells() -> None:
    yellow, blue, *_ = SHEETS["clever"].areas
    assert " ".join(yellow.cell_names()) == "y3a y6a y5a y2a y1a y5b y1b y2b y4a y3b y4b y6b"
    assert blue.cell_names() == tuple(f"b{number}" for number in range(2, 13))
    silver, yellow, *_, pink = SHEETS["twice"].areas
    assert silver.cell_names()[:7] == ("sy1", "sy2", "sy3", "sy4", "sy5", "sy6", "sb1")
    assert " ".join(yellow.cell_names()) == "y3a y6 y1 y2a y4a y3b y2b y5a y5b y4b"
    assert pink.cell_names() == tuple(f"p{field}" for field in range(1, 13))
