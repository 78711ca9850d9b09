"""Games and sheets as plain data: complete, and true to the game they show."""

import json
import random
from contextlib import suppress

import pytest

from foxtray import SHEETS, Game, SeededDice
from foxtray.core.layout import Tables
from foxtray.errors import NothingToUndo
from foxtray.geometry import sheet_view
from foxtray.history import Setup
from foxtray.layouts import layout_view
from foxtray.record import Record
from foxtray.views import PlaceView, game_view, previews, without_foxes


@pytest.mark.parametrize("name", SHEETS)
def test_the_geometry_names_every_cell_once(name: str) -> None:
    view, sheet = sheet_view(name), SHEETS[name]
    cells = [cell["name"] for area in view["areas"] for cell in area["cells"]]
    assert len(cells) == len(set(cells)) == sum(len(area.cells) for area in sheet.areas)
    for area in view["areas"]:
        spots = [(cell["row"], cell["column"]) for cell in area["cells"]] + area["printed"]
        assert len(spots) == len(set(spots))
        assert all(row < area["rows"] and column < area["columns"] for row, column in spots)
        for line in area["lines"]:
            assert set(line["cells"]) <= set(cells)
    assert len(view["choice"]) == 5
    assert json.loads(json.dumps(view))["id"] == name


@pytest.mark.parametrize("name", SHEETS)
def test_a_layout_tells_everything_that_the_rules_know(name: str) -> None:
    view = json.loads(json.dumps(layout_view(name)))
    game = Game.new(name)
    assert Tables(**view["tables"]) == game.layout.tables
    assert view["actions"] == [action.text for action in game.layout.actions]
    areas = [area["colour"] for area in sheet_view(name)["areas"]]
    cells = [cell["name"] for area in sheet_view(name)["areas"] for cell in area["cells"]]
    assert view["cells"] == cells
    assert [areas[a] for a in view["cell_area"]] == [
        area["colour"] for area in sheet_view(name)["areas"] for _ in area["cells"]
    ]
    assert view["bonuses"][0] == ""
    assert len(view["lesson"]) > 0


@pytest.mark.parametrize("name", SHEETS)
@pytest.mark.parametrize("seats", [1, 2, 3, 4])
def test_an_earlier_view_only_saves_time(name: str, seats: int) -> None:
    rng = random.Random(seats)
    for seed in range(8):
        record = Record(Setup(name, seats, seed=seed))
        earlier = record.game, game_view(record.game)
        while not record.game.over:
            if record.game.rolling():
                record.roll()
            elif record.may_undo(last := rng.randrange(seats)) and rng.random() < 0.1:
                with suppress(NothingToUndo):
                    record.undo(last)
            else:
                seat = rng.choice(record.game.awaiting())
                record.play(seat, rng.choice(record.game.legal(seat)))
            view = game_view(record.game, earlier)
            assert view == game_view(record.game)
            earlier = record.game, view


@pytest.mark.parametrize("name", SHEETS)
@pytest.mark.parametrize("seats", [1, 2])
def test_what_a_legal_action_promises_is_what_it_marks(name: str, seats: int) -> None:
    rng = random.Random(seats)
    game, dice = Game.new(name, seats), SeededDice(seats)
    crosses = False
    while not game.over:
        view = game_view(game)
        json.dumps(view)
        address = game.address()
        if address:
            assert [d for d in SHEETS[name].letters if d in view["rolling"]] == view["rolling"]
            assert view["solo_serving"] == (address[1] == 0)
            game = game.roll(dice.throw(*address)).game
            continue
        seat = rng.choice(game.awaiting())
        offered = view["seats"][seat]["legal"]
        crosses = crosses or bool(view["seats"][seat]["crosses"])
        assert [place["action"] for place in offered] == [str(a) for a in game.legal(seat)]
        shown = previews(game, seat)
        place, preview = rng.choice(list(zip(offered, shown, strict=True)))
        before = game.scores()[seat]
        game, events = game.play(seat, place["action"])
        told = [event.as_dict() for event in events]
        names = [event["event"] for event in told]
        ends = names.index("round_started") if "round_started" in names else len(names)
        assert preview["events"] == told[:ends]
        after = game.scores()[seat]
        later = sum(
            event["event"] == "bonus_earned" and (event["seat"], event["bonus"]) == (seat, "fox")
            for event in told[ends:]
        )
        assert preview["points"] == after.total - before.total - later * after.fox_value
        assert preview["score"]["total"] == before.total + preview["points"]
        check_mark(game, seat, place, preview["events"])
    final = game_view(game)
    assert final["winners"]
    assert final["over"]
    assert (final["rating"] is None) == (seats > 1)
    assert crosses or name == "clever" or seats > 1


def check_mark(game: Game, seat: int, place: PlaceView, events: list[dict[str, object]]) -> None:
    marked = [event for event in events if event["event"] == "marked"]
    if place["cell"] is not None:
        assert (marked[0]["cell"], marked[0]["mark"]) == (place["cell"], place["mark"])


def test_a_preview_leaves_the_bonus_of_the_next_round_to_it() -> None:
    """The move that ends a round earns nothing of what the next round gives to everybody."""
    rng = random.Random(7)
    game, dice = Game.new("twice", 1), SeededDice(7)
    rounds = 0
    while not game.over:
        address = game.address()
        if address:
            game = game.roll(dice.throw(*address)).game
            continue
        for preview in previews(game, 0):
            names = [event["event"] for event in preview["events"]]
            assert "round_started" not in names
            sources = [event.get("source") for event in preview["events"]]
            assert "round" not in sources
        game, events = game.play(0, rng.choice(game.legal(0)))
        rounds += any(event.name == "round_started" for event in events)
    assert rounds == 5
    card = game.score(0)
    fewer = without_foxes(card, 1)
    assert (fewer.foxes, fewer.total) == (card.foxes - 1, card.total - card.fox_value)
