"""Positions that players of any kind reach, what the net says of them, and how they end.

For calibration: a game is led by one kind of player; at the start of each round the net forecasts
the end, and the game is played out from there by the plans of `strong`. In the compilable subset.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from foxtray.bots import network, planner, thinking, winning
from foxtray.bots.network import QUANTILES
from foxtray.core import chance, rules
from foxtray.core.codes import OVER, THROW
from foxtray.sim import loops
from foxtray.train import openings

if TYPE_CHECKING:
    from foxtray.bots.workspace import Array, Net, Workspace
    from foxtray.core.layout import Tables
    from foxtray.core.state import State

APART = 10_000_000
"""How far apart the seeds of two rounds are: each is played out with dice of its own, so that their
results together say more."""


def lead(
    tables: list[Tables],
    states: list[State],
    turn: int,
    low: int,
    high: int,
    kind: int,
    bound: int,
    last_bound: int,
    noise: float,
    nets: list[Net],
    workspace: Workspace,
) -> None:
    """Play game 0 up to the first throw of a turn, or to its end, with one kind of player."""
    while states[0].phase != OVER and (states[0].turn < turn or states[0].phase != THROW):
        if states[0].phase == THROW:
            loops.throw(tables[0], states[0], low, high, workspace.work)
        else:
            seat = loops.lowest_seat(rules.awaiting(tables[0], states[0]))
            now = planner.bound_at(tables[0], states[0], bound, last_bound)
            openings.act(tables, states, seat, low, high, kind, now, noise, nets, workspace)


def calibrate(
    tables: list[Tables],
    states: list[State],
    seed: int,
    seats: int,
    from_round: int,
    kind: int,
    bound: int,
    noise: float,
    strong_bound: int,
    strong_last_bound: int,
    nets: list[Net],
    workspaces: list[Workspace],
    inners: list[Workspace],
    means: Array,
    quantiles: Array,
    chances: Array,
    totals: Array,
    wins: Array,
) -> None:
    """Lead games, forecast every seat at the start of each round, and play out from there.

    Of the three states, the second is fresh. The arrays have a row per game and a column per round,
    then per seat; `wins` shares a win among equal winners.
    """
    t = tables[0]
    workspace = workspaces[0]
    inner = inners[0]
    turns = 2 if seats == 1 else seats
    for g in range(len(means)):
        low = (seed + g) & chance.MASK
        high = (seed + g) >> 32
        states[0] = states[1]
        states[0].seats = seats
        if seats > 1:
            states[0].first = chance.draw(low, high, chance.FIRST, 0, seats)
        rules.begin(t, states[0], workspace.work.log)
        for r in range(from_round, t.rounds[seats]):
            lead(
                tables, states, r * turns, low, high, kind, bound, bound, noise, nets, workspace
            )  # fmt: skip
            states[2] = states[0]
            for seat in range(seats):
                rivals = thinking.weigh_rivals(
                    tables, states, 0, seat, bound, nets, workspace, inner
                )
                workspace.rivals = 0
                total = rules.total_score(t, states[0], seat)
                network.set_root(t, states[0], seat, nets, workspace)
                means[g][r][seat] = total + network.points_to_come(
                    t, states[0], seat, nets, workspace
                )
                workspace.rivals = rivals
                chances[g][r][seat] = winning.chance_to_win(False, total, nets, workspace)
                workspace.rivals = 0
                for k in range(QUANTILES):
                    quantiles[g][r][seat][k] = workspace.ends[k]
            own = seed + g + r * APART
            lead(
                tables, states, 100, own & chance.MASK, own >> 32, openings.WELL, strong_bound,
                strong_last_bound, 0.0, nets, workspace,
            )  # fmt: skip
            won = rules.winners(t, states[0])
            winners = 0
            for seat in range(seats):
                winners += won >> seat & 1
            for seat in range(seats):
                totals[g][r][seat] = rules.total_score(t, states[0], seat)
                wins[g][r][seat] = (won >> seat & 1) / winners
            states[0] = states[2]
