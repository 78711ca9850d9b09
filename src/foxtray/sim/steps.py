"""Many games side by side, one decision of each at a time; in the compilable subset.

A `Case` is what a game has besides its state: its seed, who decides, and what it has gained.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from foxtray.core import chance, observation, rules
from foxtray.core.codes import AREAS, OVER, SEATS, THROW
from foxtray.sim import loops

if TYPE_CHECKING:
    from foxtray.core.layout import Tables
    from foxtray.core.state import State, Work

    Ints = list[int]
    Array = Any

OUTSIDE = loops.OUTSIDE
RANDOM = loops.RANDOM
NOBODY = -1
BYTES, BITS = 8, 8
ONES, HIGHEST_BYTE = 0x0101010101010101, 56
"""A product with these ones adds up the bytes of a word, each byte with those below it."""
LOW_BYTES, PAIRS, HIGHEST_PAIR = 0x00FF00FF00FF00FF, 0x0001000100010001, 48
"""The same for pairs of bytes, whose sums are larger."""
HIGH_BITS = -0x7F7F7F7F7F7F7F80


@dataclass(slots=True)
class Case:
    """A game of a batch, besides its state."""

    low: int = 0
    high: int = 0
    """The seed, as two 32-bit numbers."""
    seat: int = NOBODY
    """The seat to decide; -1 when the game is over."""
    counts: list[int] = field(default_factory=lambda: [0] * SEATS)
    """The decisions of each seat."""
    totals: list[int] = field(default_factory=lambda: [0] * SEATS)
    gained: list[int] = field(default_factory=lambda: [0] * SEATS)
    """The points that each seat gained in the last step."""
    points: list[list[int]] = field(default_factory=lambda: [[0] * AREAS for _ in range(SEATS)])
    counted: list[list[int]] = field(default_factory=lambda: [[-1] * AREAS for _ in range(SEATS)])
    """How full each area was when its points were added up."""


def start(
    tables: list[Tables],
    states: list[State],
    cases: list[Case],
    which: Ints,
    lows: Ints,
    highs: Ints,
    fresh: list[State],
    mask: Array,
    bots: Ints,
    scratch: list[State],
    works: list[Work],
) -> None:
    """Start games anew; the dice decide who starts. `fresh` has a game for each of the seats."""
    for k in range(len(which)):
        i = which[k]
        c = cases[i]
        c.low = lows[k]
        c.high = highs[k]
        first = 0
        if len(fresh) > 1:
            first = chance.draw(c.low, c.high, chance.FIRST, 0, len(fresh))
        states[i] = fresh[first]
        s = states[i]
        forget(c)
        carry_on(tables[0], s, c, bots, scratch, works[0])
        list_legal(tables[0], s, c, mask, i, works[0])
        observation.add_up(tables[0], s, c.points, c.totals, c.counted)
        for seat in range(SEATS):
            c.gained[seat] = 0
            c.totals[seat] = 0


def begin(tables: list[Tables], fresh: list[State], works: list[Work]) -> None:
    """Open a game that each of the seats starts, up to its first throw."""
    for first in range(len(fresh)):
        fresh[first].first = first
        rules.begin(tables[0], fresh[first], works[0].log)


def forget(c: Case) -> None:
    """Count decisions and points from here on."""
    for seat in range(SEATS):
        c.counts[seat] = 0
        for area in range(AREAS):
            c.counted[seat][area] = -1


def resume(
    tables: list[Tables],
    states: list[State],
    cases: list[Case],
    i: int,
    mask: Array,
    bots: Ints,
    scratch: list[State],
    works: list[Work],
) -> None:
    """Continue a game whose state was set from outside; points so far are not gained."""
    s = states[i]
    c = cases[i]
    forget(c)
    observation.add_up(tables[0], s, c.points, c.totals, c.counted)
    carry_on(tables[0], s, c, bots, scratch, works[0])
    add_gains(tables[0], s, c)
    list_legal(tables[0], s, c, mask, i, works[0])


def step(
    tables: list[Tables],
    states: list[State],
    cases: list[Case],
    actions: Ints,
    mask: Array,
    bots: Ints,
    own: int,
    size: int,
    out: Array,
    scratch: list[State],
    works: list[Work],
) -> int:
    """Play an action in every game that is not over, and observe each if `out` has a length.

    If one is illegal, plays none and returns the number of its game; otherwise returns -1.
    Observing here is faster than afterwards: the state of a game is still at hand.
    """
    t = tables[0]
    for i in range(len(states)):
        if cases[i].seat >= 0:
            action = actions[i]
            if action < 0 or action >= mask.shape[1] or mask[i, action] == 0:
                return i
    for i in range(len(states)):
        c = cases[i]
        for seat in range(states[i].seats):
            c.gained[seat] = 0
        if c.seat >= 0:
            s = states[i]
            rules.apply(t, s, c.seat, actions[i], works[0].log)
            c.counts[c.seat] += 1
            carry_on(t, s, c, bots, scratch, works[0])
            add_gains(t, s, c)
            list_legal(t, s, c, mask, i, works[0])
        if len(out) > 0:
            observation.observe(t, states[i], c.points, c.totals, viewer(c, own), out, i * size)
    return -1


def ask(
    tables: list[Tables],
    states: list[State],
    cases: list[Case],
    i: int,
    seat: int,
    mask: Array,
    works: list[Work],
) -> bool:
    """Let another seat decide next; returns whether it may."""
    if not rules.awaiting(tables[0], states[i]) >> seat & 1:
        return False
    cases[i].seat = seat
    list_legal(tables[0], states[i], cases[i], mask, i, works[0])
    return True


def answer(
    tables: list[Tables],
    states: list[State],
    cases: list[Case],
    which: Ints,
    actions: Ints,
    mask: Array,
    bots: Ints,
    scratch: list[State],
    works: list[Work],
) -> int:
    """Play the answers of an outside bot in some games; returns the first illegal one, or -1."""
    t = tables[0]
    for k in range(len(which)):
        i = which[k]
        action = actions[k]
        if action < 0 or action >= mask.shape[1] or mask[i, action] == 0:
            return k
        s = states[i]
        c = cases[i]
        rules.apply(t, s, c.seat, action, works[0].log)
        c.counts[c.seat] += 1
        carry_on(t, s, c, bots, scratch, works[0])
        add_gains(t, s, c)
        list_legal(t, s, c, mask, i, works[0])
    return -1


def carry_on(t: Tables, s: State, c: Case, bots: Ints, scratch: list[State], work: Work) -> None:
    """Throw dice and let the bots inside play, until a seat outside has to decide or it is over."""
    while s.phase != OVER:
        if s.phase == THROW:
            loops.throw(t, s, c.low, c.high, work)
            continue
        seat = loops.lowest_seat(rules.awaiting(t, s))
        bot = bots[seat]
        if bot == OUTSIDE:
            c.seat = seat
            return
        n = rules.legal_actions(t, s, seat, work.out)
        where = seat << 16 | c.counts[seat]
        if bot == RANDOM:
            action = work.out[chance.draw(c.low, c.high, chance.CHOICE, where, n)]
        else:
            action = loops.greedy_action(t, s, seat, c.low, c.high, where, n, scratch, work)
        rules.apply(t, s, seat, action, work.log)
        c.counts[seat] += 1
    c.seat = NOBODY


def add_gains(t: Tables, s: State, c: Case) -> None:
    """Add what every seat has gained."""
    for seat in range(s.seats):
        c.gained[seat] -= c.totals[seat]
    observation.add_up(t, s, c.points, c.totals, c.counted)
    for seat in range(s.seats):
        c.gained[seat] += c.totals[seat]


def list_legal(t: Tables, s: State, c: Case, mask: Array, i: int, work: Work) -> None:
    """Write the mask of the seat that has to decide; all zeros when the game is over."""
    for action in range(mask.shape[1]):
        mask[i, action] = 0
    if c.seat >= 0:
        n = rules.legal_actions(t, s, c.seat, work.out)
        for k in range(n):
            mask[i, work.out[k]] = 1


def observe(
    tables: list[Tables],
    states: list[State],
    cases: list[Case],
    which: Ints,
    own: int,
    size: int,
    out: Array,
) -> None:
    """Write what a seat sees in some of the games, each in its own row of `out`."""
    for k in range(len(which)):
        i = which[k]
        c = cases[i]
        own_seat = viewer(c, own)
        observation.observe(tables[0], states[i], c.points, c.totals, own_seat, out, i * size)


def viewer(c: Case, own: int) -> int:
    """The seat that sees a game; -1 is the one that has to decide, or the first when it is over."""
    return own if own >= 0 else max(0, c.seat)


def wins(tables: list[Tables], states: list[State], out: Ints) -> None:
    """The winners of finished games as bits; 0 where a game is not over."""
    for i in range(len(states)):
        out[i] = rules.winners(tables[0], states[i]) if states[i].phase == OVER else 0


def pick(words: Array, ends: Ints, tail: int, luck: Array, out: Ints) -> None:
    """A legal action for every row of a mask, by a number from 0 to 1; 0 in an empty row.

    A row of `words` is one of the mask, eight actions in a word; the last `tail` actions are the
    highest bytes of a word in `ends`. No branch depends on chance: processors guess those wrong.
    """
    for i in range(len(ends)):
        end = ends[i] >> (BYTES - tail) * BITS
        together = end
        for k in range(words.shape[1]):
            together += words[i, k]
        pairs = (together & LOW_BYTES) + (together >> BITS & LOW_BYTES)
        count = pairs * PAIRS >> HIGHEST_PAIR
        left = int(luck[i] * count)
        chosen = 0
        skipped = 0
        so_far = 0
        word = end
        for k in range(words.shape[1]):
            so_far += words[i, k] * ONES >> HIGHEST_BYTE
            if so_far <= left:
                chosen += BYTES
                skipped = so_far
        if chosen < words.shape[1] * BYTES:
            word = words[i, chosen // BYTES]
        # Each byte of the product says how many are legal up to there.
        too_few = (left - skipped) * ONES + HIGH_BITS - word * ONES
        chosen += (too_few >> 7 & ONES) * ONES >> HIGHEST_BYTE
        out[i] = chosen if count else 0
