"""Ways to choose an action, so that games reach situations that random play seldom does."""

from collections.abc import Callable
from random import Random

from oracle import Oracle

Chooser = Callable[[Oracle, int, Random], str]


def uniform(oracle: Oracle, seat: int, chance: Random) -> str:
    return chance.choice(oracle.legal(seat))


def eager(oracle: Oracle, seat: int, chance: Random) -> str:
    """Marks whatever it can."""
    return weighed(oracle, seat, chance, lambda text: 1 if is_mark(text) else 0.02)


def hoarding(oracle: Oracle, seat: int, chance: Random) -> str:
    """Keeps its actions for the last two rounds, then spends them."""
    spending = oracle.round >= oracle.rounds - 2
    extra = oracle.players[seat].serving == "extra"

    def weight(text: str) -> float:
        spends = text == "reroll" or text.startswith("return") or (extra and is_mark(text))
        if spends:
            return 10 if spending else 0.05
        return 0.3 if text == "pass" and (spending or not extra) else 3

    return weighed(oracle, seat, chance, weight)


def daring(oracle: Oracle, seat: int, chance: Random) -> str:
    """Takes high dice, so that the pool empties early, and returns them."""
    return weighed(oracle, seat, chance, lambda text: by_face(oracle, text, 3.0))


def cautious(oracle: Oracle, seat: int, chance: Random) -> str:
    """Takes low dice, so that the pool stays full."""
    return weighed(oracle, seat, chance, lambda text: by_face(oracle, text, 1 / 3))


def stubborn(oracle: Oracle, seat: int, chance: Random) -> str:
    """Always answers alike, so that seats with equal luck end with equal sheets."""
    return oracle.legal(seat)[-1]


def declining(oracle: Oracle, seat: int, chance: Random) -> str:
    """Does nothing wherever it can."""
    return oracle.legal(seat)[0]


def planning(oracle: Oracle, seat: int, chance: Random) -> str:
    """Tries everything and plays what earns the most bonuses, or comes closest to one."""

    def gain(text: str) -> float:
        after = oracle.copy()
        after.play(seat, text)
        player = after.players[seat]
        marks = sum(player.marks.values()) if oracle.game == "clever" else len(player.marks)
        lines = [
            sum(c in player.marks for c in cells) / len(cells) for cells, _ in after.sheet.lines
        ]
        earned = sum(player.circled.values()) + player.foxes + 2 * len(player.open)
        return marks / 10 + 3 * earned + sum(full**3 for full in lines) + chance.random() / 5

    return max(oracle.legal(seat), key=gain)


def filling(letter: str) -> Chooser:
    """Fills one area before all others."""

    def choose(oracle: Oracle, seat: int, chance: Random) -> str:
        def weight(text: str) -> float:
            if is_mark(text):
                return 40 if text.partition(">")[2].startswith(letter) or text[1] == letter else 1
            return 0.3

        return weighed(oracle, seat, chance, weight)

    return choose


CHOOSERS: tuple[Chooser, ...] = (
    uniform,
    eager,
    hoarding,
    daring,
    cautious,
    stubborn,
    declining,
    planning,
    planning,
    planning,
    *(filling(letter) for letter in "sybgop"),
)


def weighed(oracle: Oracle, seat: int, chance: Random, weight: Callable[[str], float]) -> str:
    legal = oracle.legal(seat)
    return chance.choices(legal, [weight(text) for text in legal])[0]


def is_mark(text: str) -> bool:
    return ">" in text or text.startswith("+")


def by_face(oracle: Oracle, text: str, base: float) -> float:
    if ">" in text:
        return base ** oracle.face[text[0]]
    return 1 if text.startswith(("+", "return")) else base
