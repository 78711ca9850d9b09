"""Write tests/golden: whole games as the oracle sees them, and what it scores by chance.

Run `python tests/make_golden.py` after a change of the rules, and read the difference. After new
weights or a change of the planner, `python tests/make_golden.py bots` writes what the levels score.
"""

import json
import sys
from pathlib import Path
from random import Random

from choosers import CHOOSERS
from engine import PackageDice
from oracle import Oracle
from tables import LETTERS, LoadedDice, throw_wanted
from transcript import headline, transcript

FOLDER = Path(__file__).parent / "golden"
TOTALS = FOLDER / "random.json"
BOTS = FOLDER / "bots.json"
RANDOM_GAMES = 2_000
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


def random_totals(game: str, count: int) -> list[int]:
    """What the oracle scores alone when chance decides everything."""
    totals = []
    for number in range(count):
        oracle, chance = Oracle(game, 1), Random(number)
        dice = PackageDice(1 << 50 | number)
        throw_wanted(oracle, dice)
        while not oracle.over:
            oracle.play(0, chance.choice(oracle.legal(0)))
            throw_wanted(oracle, dice)
        totals.append(oracle.total(0))
    return totals


def bot_totals(what: str, count: int) -> list[str]:
    """The totals of a level, game by game."""
    from foxtray import bots
    from foxtray.sim import batch

    game, level, seats = what.split()
    choosers = [bots.chooser(level, game)] * int(seats)
    found = batch.play(game, choosers, 6_000_000_000, count).totals
    return [" ".join(map(str, row)) for row in found.tolist()]


def write_bots() -> None:
    """Write the totals of the levels that are kept."""
    kept = json.loads(BOTS.read_text())
    lines = [
        f' "{what}": {json.dumps(bot_totals(what, len(totals)))}' for what, totals in kept.items()
    ]
    BOTS.write_text("{\n" + ",\n".join(lines) + "\n}\n")


def main() -> None:
    if sys.argv[1:] == ["bots"]:
        write_bots()
        return
    for game, seats in GAMES:
        lines = golden(game, seats)
        (FOLDER / f"{game}-{seats}.txt").write_text("\n".join(lines) + "\n")
        print(f"{game}-{seats}: {len(lines)} lines, {lines[-1]}")
    totals = {game: random_totals(game, RANDOM_GAMES) for game in ("clever", "twice")}
    TOTALS.write_text(json.dumps(totals) + "\n")


if __name__ == "__main__":
    main()
