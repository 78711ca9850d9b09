"""The two bots without a net, for one game at a time: the loop of the simulator, interpreted."""

from __future__ import annotations

from foxtray.bots import planner
from foxtray.bots.base import Opinion, check_awaited
from foxtray.core import rules
from foxtray.core.chance import MASK
from foxtray.core.layout import Action
from foxtray.core.state import State, Work, no_log
from foxtray.errors import FoxtrayError
from foxtray.game import Game
from foxtray.sim import loops


class Places(list[State]):
    """States that are copied to their places, as records are."""

    def __setitem__(self, index: object, state: object) -> None:
        assert isinstance(index, int) and isinstance(state, State)
        super().__setitem__(index, state.copy())


class SimpleBot:
    """`random` or `greedy`; a seed and a position always give the same action."""

    bounded = True

    def __init__(self, name: str, seed: int) -> None:
        self.name, self.seed = name, seed

    def choose(self, game: Game, seat: int) -> Action:
        check_awaited(game, seat)
        t, s, work = game.layout.tables, game.state, Work(log=no_log())
        low, high = self.seed & MASK, self.seed >> 32
        where = planner.fingerprint(t, s, seat) & MASK
        n = rules.legal_actions(t, s, seat, work.out)
        if self.name == "random":
            action = loops.random_action(low, high, where, n, work)
        else:
            scratch = Places([State()])
            action = loops.greedy_action(t, s, seat, low, high, where, n, scratch, work)
        return game.layout.actions[action]

    def evaluate(self, game: Game, seat: int) -> list[Opinion]:
        raise FoxtrayError(f"bot {self.name} cannot evaluate actions; choose another bot")
