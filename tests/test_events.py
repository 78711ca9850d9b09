"""A page that hears nothing but events, as JSON, can draw the whole table at every moment."""

import json
from random import Random
from typing import Any

import pytest

from foxtray import Game, SeededDice


class Page:
    """Draws a table by the recipe of docs/notation.md; it knows the dice and no rule."""

    def __init__(self, dice: tuple[str, ...], seats: int) -> None:
        self.faces: list[int] = [0] * 6
        self.places = dict.fromkeys(dice, "pool")
        self.marks: list[dict[str, int]] = [{} for _ in range(seats)]
        self.circled: list[dict[str, int]] = [{} for _ in range(seats)]
        self.spent: list[dict[str, int]] = [{} for _ in range(seats)]
        self.open: list[list[str]] = [[] for _ in range(seats)]
        self.foxes = [0] * seats
        self.turn = self.round = -1
        self.active = 0
        self.serving = self.over = False

    def hear(self, told: dict[str, Any]) -> None:
        seat = told.get("seat", 0)
        match told["event"]:
            case "round_started":
                self.round = told["round"]
            case "turn_started":
                self.turn, self.active, self.serving = told["turn"], seat, False
                self.places = dict.fromkeys(self.places, "pool")
            case "thrown":
                kept = [d for d, die in enumerate(self.places) if die not in told["dice"]]
                assert [told["faces"][d] for d in kept] == [self.faces[d] for d in kept]
                self.faces = told["faces"]
            case "moved":
                assert self.places[told["die"]] == told["origin"]
                self.places[told["die"]] = told["place"]
            case "marked":
                self.marks[seat][told["cell"]] = told["mark"]
            case "track_circled":
                self.circled[seat][told["track"]] = told["count"]
            case "action_spent":
                self.spent[seat][told["track"]] = told["count"]
            case "bonus_earned":
                if told["bonus"] == "fox":
                    self.foxes[seat] += 1
                elif told["bonus"] not in ("reroll", "return", "extra"):
                    self.open[seat].append(told["bonus"])
            case "bonus_used" | "bonus_lost":
                self.open[seat].remove(told["bonus"])
            case "serving_started":
                self.serving = True
            case "game_ended":
                self.over = True

    def compare(self, game: Game) -> None:
        assert self.faces == list(game.faces)
        assert tuple(self.places.values()) == game.places
        assert (self.turn, self.round, self.active) == (game.turn, game.round, game.active)
        assert (self.serving or self.over, self.over) == (game.serving or game.over, game.over)
        assert self.foxes == [card.foxes for card in game.scores()]
        for seat in range(game.seats):
            assert self.marks[seat] == game.marks(seat)
            bonuses = game.open_bonuses(seat)
            assert sorted(self.open[seat]) == sorted(b for b in bonuses for _ in range(bonuses[b]))
            for track, counts in game.tracks(seat).items():
                heard = self.circled[seat].get(track, 0), self.spent[seat].get(track, 0)
                assert heard == counts


@pytest.mark.parametrize("seats", [1, 2, 3, 4])
@pytest.mark.parametrize("name", ["clever", "twice"])
def test_events_alone_keep_a_page_up_to_date(name: str, seats: int) -> None:
    for seed in range(3):
        dice, chance = SeededDice(seed), Random(seed)
        game = Game.new(name, seats, first=seats - 1, solo_fallback=True)
        page = Page(game.sheet.colours, seats)
        events = game.opening
        while True:
            for event in events:
                page.hear(json.loads(json.dumps(event.as_dict())))
            page.compare(game)
            if game.over:
                break
            address = game.address()
            if address:
                game, events = game.roll(dice.throw(*address))
            else:
                seat = chance.choice(game.awaiting())
                game, events = game.play(seat, chance.choice(game.legal(seat)))
