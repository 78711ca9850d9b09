"""The installed games for OpenSpiel: every die that is rolled is a chance node of its own.

Importing this module registers them as `foxtray_GAME`, with the parameters `players`, `reward`
(`final` or `win`), `fox_floor` and `solo_fallback`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from foxtray.core.codes import HIGHEST_FACE, REROLLS, ROLLS, SEATS, SOLO_TRAY
from foxtray.core.layout import layout
from foxtray.dice import Throw
from foxtray.errors import BadSetup
from foxtray.extras import MissingExtra
from foxtray.game import Game
from foxtray.games.registry import SHEETS, sheet_of
from foxtray.observation import observation_of, total_bounds
from foxtray.sim.batch import LONGEST

try:
    import pyspiel
except ModuleNotFoundError as error:
    if error.name != "pyspiel":
        raise
    raise MissingExtra(
        "foxtray.envs.spiel needs OpenSpiel; to install: python -m pip install open_spiel"
    ) from None

PREFIX = "foxtray_"
DEFAULTS: dict[str, Any] = {
    "players": 1,
    "reward": "final",
    "fox_floor": False,
    "solo_fallback": False,
}
REWARDS = ("final", "win")


def game_type(game: str) -> pyspiel.GameType:
    """How a game is described to OpenSpiel."""
    return pyspiel.GameType(
        short_name=PREFIX + game,
        long_name=sheet_of(game).title,
        dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
        chance_mode=pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC,
        information=pyspiel.GameType.Information.PERFECT_INFORMATION,
        utility=pyspiel.GameType.Utility.GENERAL_SUM,
        reward_model=pyspiel.GameType.RewardModel.TERMINAL,
        max_num_players=SEATS,
        min_num_players=1,
        provides_information_state_string=True,
        provides_information_state_tensor=False,
        provides_observation_string=True,
        provides_observation_tensor=True,
        parameter_specification=DEFAULTS,
    )


class SpielGame(pyspiel.Game):
    """A game of Foxtray; subclasses name it."""

    name = ""

    def __init__(self, params: dict[str, Any] | None = None) -> None:
        chosen = DEFAULTS | (params or {})
        self.players, self.reward = int(chosen["players"]), str(chosen["reward"])
        self.rules = {key: bool(chosen[key]) for key in ("fox_floor", "solo_fallback")}
        if self.reward not in REWARDS or (self.reward == "win" and self.players == 1):
            raise BadSetup(
                f"reward {self.reward!r} is not possible; choose final or win (not alone)"
            )
        known = layout(self.name)
        lowest, highest = total_bounds(known) if self.reward == "final" else (0, 1)
        super().__init__(
            game_type(self.name),
            pyspiel.GameInfo(
                num_distinct_actions=len(known.actions),
                max_chance_outcomes=HIGHEST_FACE,
                num_players=self.players,
                min_utility=float(lowest),
                max_utility=float(highest),
                max_game_length=LONGEST * self.players,
            ),
            params or {},
        )

    def max_chance_nodes_in_history(self) -> int:
        """A bound: every roll and every possible reroll of every turn, with all dice and ties."""
        t = layout(self.name).tables
        turns: int = t.rounds[self.players] * max(2, self.players)
        rolls: int = ROLLS * turns + t.track_fields[REROLLS] * self.players
        return rolls * (HIGHEST_FACE + SOLO_TRAY)

    def new_initial_state(self) -> SpielState:
        return SpielState(self)

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> SpielObserver:
        recall = iig_obs_type is not None and iig_obs_type.perfect_recall
        return SpielObserver(self.name, self.players, recall)


class SpielState(pyspiel.State):
    """A moment of a game, with the dice of the next roll that are known already."""

    def __init__(self, game: SpielGame) -> None:
        super().__init__(game)
        self.reward = game.reward
        self.table = Game.new(game.name, game.players, **game.rules)
        self.faces: tuple[int, ...] = ()
        self.chosen: tuple[int, ...] = ()
        """The dice among equal ones that go to the tray, in solo serving."""

    def current_player(self) -> int:
        if self.table.over:
            return int(pyspiel.PlayerId.TERMINAL)
        if self.table.rolling():
            return int(pyspiel.PlayerId.CHANCE)
        return self.table.awaiting()[0]

    def is_terminal(self) -> bool:
        return self.table.over

    def returns(self) -> list[float]:
        outcome = self.table.outcome()
        if outcome is None:
            return [0.0] * self.table.seats
        if self.reward == "final":
            return [float(total) for total in outcome.totals]
        share = 1 / len(outcome.winners)
        return [share * (seat in outcome.winners) for seat in range(self.table.seats)]

    def _legal_actions(self, player: int) -> list[int]:
        return [action.id for action in self.table.legal(player)]

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """A face from 0 to 5 for the next die; or which of several equal dice goes to the tray."""
        if len(self.faces) < len(self.table.rolling()):
            outcomes = list(range(HIGHEST_FACE))
        else:
            outcomes = self._tied()
        return [(outcome, 1 / len(outcomes)) for outcome in outcomes]

    def _apply_action(self, action: int) -> None:
        wanted = self.table.rolling()
        if not wanted:
            self.table = self.table.play(self.table.awaiting()[0], action).game
            return
        if len(self.faces) < len(wanted):
            self.faces = (*self.faces, action + 1)
        else:
            self.chosen = (*self.chosen, action)
        if len(self.faces) == len(wanted) and not self._tied():
            faces = [0] * HIGHEST_FACE
            for die, face in zip(wanted, self.faces, strict=True):
                faces[die] = face
            order = sorted(range(HIGHEST_FACE), key=lambda die: die not in self.chosen)
            self.table = self.table.roll(Throw(tuple(faces), tuple(order))).game
            self.faces = self.chosen = ()

    def _tied(self) -> list[int]:
        """The equal dice of which one more has to be chosen for the tray; none if it is clear."""
        if self.table.state.rolls:  # only solo serving rolls outside of the three rolls
            return []
        wanted, equal = self.table.undecided(self.faces)
        if len(self.chosen) == wanted:
            return []
        return [die for die in equal if die not in self.chosen]

    def _action_to_string(self, player: int, action: int) -> str:
        if player != pyspiel.PlayerId.CHANCE:
            return str(self.table.layout.actions[action])
        letters, wanted = self.table.sheet.letters, self.table.rolling()
        if len(self.faces) < len(wanted):
            return f"{letters[wanted[len(self.faces)]]}{action + 1}"
        return f"tray:{letters[action]}"

    def __str__(self) -> str:
        thrown = "".join(map(str, self.faces))
        return self.table.position() + (f" thrown={thrown}" if thrown else "")


class SpielObserver:
    """What a player sees: the observation of `foxtray.observation`, part by part."""

    def __init__(self, game: str, players: int, perfect_recall: bool) -> None:
        self.perfect_recall = perfect_recall
        shape = observation_of(game, players)
        self.tensor = np.zeros(shape.size + HIGHEST_FACE, np.float32)
        self.dict = {name: self.tensor[part] for name, part in shape.slices.items()}
        self.dict["thrown"] = self.tensor[shape.size :]

    def set_from(self, state: SpielState, player: int) -> None:
        self.tensor[:-HIGHEST_FACE] = state.table.observation(player)
        thrown = self.dict["thrown"]
        thrown[:] = 0
        thrown[: len(state.faces)] = state.faces

    def string_from(self, state: SpielState, player: int) -> str:
        if self.perfect_recall:
            return f"{player}: {' '.join(map(str, state.history()))}"
        return str(state)


def register_games() -> None:
    """Register all installed games with OpenSpiel; registered ones are skipped."""
    known = pyspiel.registered_names()
    for game in SHEETS:
        if PREFIX + game not in known:
            kind = type(f"SpielGame_{game}", (SpielGame,), {"name": game})
            pyspiel.register_game(game_type(game), kind)


register_games()
