"""Write tests/perft/*.json: trees of decisions, counted by the oracle alone.

Run `python tests/make_perft.py` after a change of the rules, and read the difference.
"""

import json
from pathlib import Path
from random import Random
from typing import Any

from choosers import CHOOSERS
from oracle import Oracle
from perft import divide, perft, play_opening
from tables import Dice, LoadedDice, NotingDice, throw_wanted

FOLDER = Path(__file__).parent / "perft"
LEAVES = 1_000  # no tree has more
DEEPEST = 8
# How much of the game is played before counting, and the faces that the dice show.
OPENINGS = (
    (0.0, "123456"),
    (0.1, "123456"),
    (0.3, "123456"),
    (0.45, "123456"),
    (0.5, "2346"),
    (0.6, "123456"),
    (0.7, "1236"),
    (0.8, "123456"),
    (0.9, "3456"),
    (0.97, "123456"),
)


def case(game: str, seats: int, number: int) -> dict[str, Any]:
    """A position, reached by an opening, with its counts."""
    part, faces = OPENINGS[number]
    chance = Random(f"perft {game} {seats} {number}")
    first = chance.randrange(seats)
    flags = {name: chance.random() < 0.5 for name in ("solo_fallback", "fox_floor")}
    dice = LoadedDice(f"perft {game} {seats} {number}", faces)
    opening = random_opening(Oracle(game, seats, first, **flags), part, dice, chance)

    def start(dice: Dice) -> Oracle:
        oracle = Oracle(game, seats, first, **flags)
        play_opening(oracle, opening, dice)
        return oracle

    counts = [1]
    while len(counts) <= DEEPEST and counts[-1] * counts[-1] < 2 * LEAVES * counts[-2:][0]:
        count = perft(start(dice), len(counts), dice)
        if count > LEAVES:
            break
        counts.append(count)
    written = NotingDice(dice)
    divided = divide(start(written), len(counts) - 1, written)
    return {
        "options": {"first": first, **flags},
        "opening": opening,
        "counts": counts,
        "divide": divided,
        "throws": dict(sorted(written.throws.items())),
    }


def random_opening(oracle: Oracle, part: float, dice: Dice, chance: Random) -> str:
    """Play this part of the game and a little more, short of its end."""
    turns = int(part * oracle.rounds * oracle.turns_in_round)
    choosers = [chance.choice(CHOOSERS) for _ in range(oracle.seats)]
    played: list[str] = []
    throw_wanted(oracle, dice)
    while oracle.turn < turns or (part > 0 and chance.random() < 0.7):
        seat = chance.choice(oracle.awaiting())
        text = choosers[seat](oracle, seat, chance)
        after = oracle.copy()
        after.play(seat, text)
        throw_wanted(after, dice)
        if after.over:
            break
        oracle = after
        played.append(f"{seat}:{text}")
    return " ".join(played)


def main() -> None:
    for game in ("clever", "twice"):
        for seats in (1, 2, 3, 4):
            cases = [case(game, seats, number) for number in range(len(OPENINGS))]
            path = FOLDER / f"{game}-{seats}.json"
            path.write_text(as_json(game, seats, cases))
            print(path.name, *(made["counts"][-1] for made in cases))


def as_json(game: str, seats: int, cases: list[dict[str, Any]]) -> str:
    """One line for each fact, so that differences can be read."""
    parts = [
        "  {\n" + ",\n".join(f'   "{key}": {json.dumps(made[key])}' for key in made) + "\n  }"
        for made in cases
    ]
    body = ",\n".join(parts)
    return f'{{\n "game": "{game}",\n "seats": {seats},\n "cases": [\n{body}\n ]\n}}\n'


if __name__ == "__main__":
    main()
