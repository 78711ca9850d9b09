"""Write tests/golden/*.txt: whole games as the oracle sees them.

Run `python tests/make_golden.py` after a change of the rules, and read the difference.
"""

from pathlib import Path
from random import Random

from choosers import CHOOSERS
from oracle import Oracle
from tables import LETTERS, LoadedDice
from transcript import headline, transcript

FOLDER = Path(__file__).parent / "golden"
# Both games with every number of seats; the options change from file to file.
GAMES = [(game, seats) for game in ("clever", "twice") for seats in (1, 2, 3, 4)]


def golden(game: str, seats: int) -> list[str]:
    chance = Random(f"golden {game} {seats}")
    first = chance.randrange(seats)
    flags = {name: chance.random() < 0.5 for name in ("solo_fallback", "fox_floor")}
    oracle = Oracle(game, seats, first, **flags)
    choosers = [chance.choice(CHOOSERS) for _ in range(seats)]

    def choose() -> tuple[int, str]:
        seat = chance.choice(oracle.awaiting())
        return seat, choosers[seat](oracle, seat, chance)

    dice = LoadedDice(f"golden {game} {seats}")
    told = transcript(oracle, LETTERS[game], dice, choose)
    return [headline(game, seats, first, flags), *told]


def main() -> None:
    for game, seats in GAMES:
        lines = golden(game, seats)
        (FOLDER / f"{game}-{seats}.txt").write_text("\n".join(lines) + "\n")
        print(f"{game}-{seats}: {len(lines)} lines, {lines[-1]}")


if __name__ == "__main__":
    main()
