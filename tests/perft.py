"""Counts the game tree.

Depth is the number of decisions. Wanted dice are thrown from addressed dice and cost no depth.
Where several seats are awaited only the lowest of them decides. A table at depth 0, or whose game
is over, counts as one.
"""

from tables import Dice, Table, throw_wanted


def perft(table: Table, depth: int, dice: Dice) -> int:
    """The number of leaves `depth` decisions below this table."""
    if depth == 0:
        return 1
    throw_wanted(table, dice)
    return sum(divide(table, depth, dice).values()) if not table.over else 1


def divide(table: Table, depth: int, dice: Dice) -> dict[str, int]:
    """The leaves below each action of the seat that decides."""
    seat = table.awaiting()[0]
    counts = {}
    for text in table.legal(seat):
        child = table.copy()
        child.play(seat, text)
        counts[text] = perft(child, depth - 1, dice)
    return counts


def play_opening(table: Table, opening: str, dice: Dice) -> None:
    """Play what is written like "0:y>y3a 1:pass", up to the next decision."""
    throw_wanted(table, dice)
    for move in opening.split():
        seat, _, text = move.partition(":")
        table.play(int(seat), text)
        throw_wanted(table, dice)
