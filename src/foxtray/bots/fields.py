"""The fields of the bots' records: name, kind and shape.

`workspace` makes numpy records of them, and the translator JavaScript classes, so that each is
written down once. The kinds are those of numbers, or the names of other records.
"""

from __future__ import annotations

from foxtray.bots.features import DENSE, MOST
from foxtray.bots.inputs import MOST_INPUTS
from foxtray.bots.network import FIRST, OUTPUTS, QUANTILES, SECOND
from foxtray.bots.planner import NODES, SLOTS
from foxtray.bots.search import BATCH
from foxtray.core.codes import ACTIONS, AREAS, DICE, SEATS

Field = tuple[str, str, tuple[int, ...]]

INT, WIDE, FLAG, SINGLE, DOUBLE = "int", "wide", "flag", "single", "double"
"""Whole numbers of 32 and of 53 bits and of one, and fractions of single and double precision."""

MOST_CANDIDATES = 32

NET: tuple[Field, ...] = (
    ("dense", SINGLE, (DENSE, FIRST)),
    ("b1", SINGLE, (FIRST,)),
    ("w2", SINGLE, (FIRST, SECOND)),
    ("b2", SINGLE, (SECOND,)),
    # A row per output; the last weight of a row is its bias.
    ("w3", SINGLE, (OUTPUTS, SECOND + 1)),
    # A row per sparse input. It comes last and has room for the largest sheet, so that one
    # compiled version works for all sheets.
    ("w1", SINGLE, (MOST_INPUTS, FIRST)),
)

WORKSPACE: tuple[Field, ...] = (
    ("nodes", "State", (NODES,)),
    ("firsts", INT, (NODES,)),  # the first action on the way to a node
    ("parents", INT, (NODES,)),  # the node before a node, and the action that leads on
    ("steps", INT, (NODES,)),
    ("origins", INT, (NODES,)),  # the node itself, or the last one without a bonus in advance
    ("heirs", INT, (NODES,)),  # the node itself, or the best one with a bonus in advance
    ("open", FLAG, (NODES,)),  # whether a node can still be expanded
    ("values", DOUBLE, (NODES,)),
    # What a point of each area, and a fox, counts in addition; 0 except in training.
    ("preferences", DOUBLE, (AREAS + 1,)),
    ("keys", WIDE, (SLOTS,)),
    ("stamps", INT, (SLOTS,)),
    ("stamp", INT, ()),  # the number of the current plan
    ("work", "Work", ()),
    ("inputs", "Inputs", ()),
    ("active", INT, (MOST,)),
    ("dense", SINGLE, (DENSE,)),
    ("h1", SINGLE, (FIRST,)),
    ("h2", SINGLE, (SECOND,)),
    ("loud", INT, (FIRST,)),  # the units of the first layer that are not zero
    ("back", SINGLE, (FIRST,)),
    ("back2", SINGLE, (SECOND,)),
    ("root", INT, (MOST,)),  # the active inputs of the root, their count, their sum
    ("roots", INT, ()),
    ("base", SINGLE, (FIRST,)),
    ("seen", INT, (MOST_INPUTS,)),  # inputs of the root: the current turn, or one more
    ("turn", INT, ()),
    ("root_net", INT, ()),  # the net of the root, and the one that valued the last state
    ("net", INT, ()),
    ("legal", INT, (ACTIONS,)),
    ("offers", DOUBLE, (ACTIONS,)),  # the best value that each legal action can lead to
    ("taken", FLAG, (NODES,)),
    ("picked", INT, (MOST_CANDIDATES,)),  # the candidates of a search
    ("sums", DOUBLE, (MOST_CANDIDATES,)),
    ("thrown", INT, (MOST_CANDIDATES,)),  # 1: sampled; 0: exact; -1: dropped
    ("ranks", INT, (MOST_CANDIDATES,)),
    ("sheet", INT, (BATCH, DICE)),  # a batch of throws
    ("effort", INT, ()),  # states looked at so far
    ("rivals", INT, ()),  # opponents to beat; 0: play for points
    ("rival_ends", DOUBLE, (SEATS, QUANTILES)),  # their final totals, ascending
    ("ends", DOUBLE, (QUANTILES,)),
)
