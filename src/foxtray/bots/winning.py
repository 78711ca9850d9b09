"""The chance to win, from the quantiles of the network; in the compilable subset."""

from __future__ import annotations

from typing import TYPE_CHECKING

from foxtray.bots.network import QUANTILE, QUANTILES, SCALE, SECOND

if TYPE_CHECKING:
    from foxtray.bots.workspace import Doubles, Net, Singles, Workspace

SHARED = 0.15
"""The correlation between the final totals of two seats: the same dice serve all of them."""
OWN = (1.0 - SHARED) ** 0.5
"""The rest of a seat's spread. What all seats share decides nothing between them."""
TAIL = 0.4
"""How far the outer tenths of the totals reach: the mean of each lies this part of a step beyond
its middle, which the network tells. Without that, sure things are too sure."""


def output(net: Net, h2: Singles, k: int) -> float:
    """One output of the network from its last hidden layer."""
    row = net.w3[k]
    y: float = row[SECOND]
    for j in range(SECOND):
        y += h2[j] * row[j]
    return y


def set_ends(ended: bool, total: int, nets: list[Net], workspace: Workspace) -> None:
    """The final totals of a seat, ascending, from the state that was valued last."""
    ends = workspace.ends
    for k in range(QUANTILES):
        end = total + 0.0
        if not ended:
            end += output(nets[workspace.net], workspace.h2, QUANTILE + k) * SCALE
        at = k
        while at > 0 and ends[at - 1] > end:
            ends[at] = ends[at - 1]
            at -= 1
        ends[at] = end


def mean_of_tenth(ends: Doubles, k: int) -> float:
    """The mean of a tenth of the final totals of a seat."""
    end: float = ends[k]
    if k == 0:
        end -= TAIL * (ends[1] - ends[0])
    elif k == QUANTILES - 1:
        end += TAIL * (ends[k] - ends[k - 1])
    return end


def centre(ends: Doubles) -> float:
    """The mean of the final totals of a seat."""
    total = 0.0
    for k in range(QUANTILES):
        total += mean_of_tenth(ends, k)
    return total / QUANTILES


def note_rival(ends: Doubles, rival_ends: Doubles) -> None:
    """Note the final totals of a rival, without the luck that all seats share."""
    middle = centre(ends)
    for k in range(QUANTILES):
        rival_ends[k] = middle + OWN * (mean_of_tenth(ends, k) - middle)


def share_below(ends: Doubles, points: float) -> float:
    """The chance that a rival ends below `points`, with each quantile smoothed."""
    width = max(1.0, (ends[QUANTILES - 1] - ends[0]) / (QUANTILES - 1))
    share = 0.0
    for k in range(QUANTILES):
        share += min(1.0, max(0.0, (points - ends[k]) / width + 0.5))
    return share / QUANTILES


def chance_to_win(ended: bool, total: int, nets: list[Net], workspace: Workspace) -> float:
    """The chance that the seat valued last ends above all rivals."""
    set_ends(ended, total, nets, workspace)
    middle = centre(workspace.ends)
    chance = 0.0
    for k in range(QUANTILES):
        points = middle + OWN * (mean_of_tenth(workspace.ends, k) - middle)
        ahead = 1.0
        for rival in range(workspace.rivals):
            ahead *= share_below(workspace.rival_ends[rival], points)
        chance += ahead
    return chance / QUANTILES
