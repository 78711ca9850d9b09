"""A level with weights that the user added, under a name of its own."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from foxtray.bots.base import Forecast, Opinion
from foxtray.bots.levels import Level
from foxtray.bots.player import LevelBot
from foxtray.core.layout import Action
from foxtray.errors import BadSetup
from foxtray.game import Game


class NetBot:
    """Plays each game with the weights file for it."""

    bounded = True

    def __init__(self, name: str, level: Level, seed: int, weights: Mapping[str, str]) -> None:
        self.name, self.level, self.seed, self.weights = name, level, seed, weights

    def _player(self, game: Game) -> LevelBot:
        if game.sheet.id not in self.weights:
            raise BadSetup(f"bot {self.name} does not play {game.sheet.id}")
        return LevelBot(self.level, self.seed, Path(self.weights[game.sheet.id]))

    def choose(self, game: Game, seat: int) -> Action:
        return self._player(game).choose(game, seat)

    def evaluate(self, game: Game, seat: int) -> list[Opinion]:
        return self._player(game).evaluate(game, seat)

    def forecast(self, game: Game, seat: int) -> Forecast:
        return self._player(game).forecast(game, seat)
