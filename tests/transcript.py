"""A whole game in words: every throw, every question, every answer, and what came of it.

Seats count from 1 here. A transcript has these lines:

    game twice, seats 2, first seat 2, solo_fallback off, fox_floor on
    throw 0.1.0: w3 s1 y6 b2 g2 p5, order wybgps   turn, roll and reroll; only the wanted dice
    seat 1 asked: pass w>sy3 ...                   each awaited seat, with all it may do
    seat 1 plays: w>sy3
    seat 1 has: +sy3=1 | reroll 1-0 ... | areas 2 0 0 0 0, foxes 0 x 0, total 2
    over: totals 120 98, won by seat 1

"has" follows for every seat whose sheet has changed: new marks, circled and spent actions, points.
"""

import re
from collections.abc import Callable, Iterator

from tables import LETTERS, Dice, Table, WrittenDice

Chooser = Callable[[], tuple[int, str]]
FLAGS = ("solo_fallback", "fox_floor")


def headline(game: str, seats: int, first: int, flags: dict[str, bool]) -> str:
    switched = ", ".join(f"{name} {'on' if flags[name] else 'off'}" for name in FLAGS)
    return f"game {game}, seats {seats}, first seat {first + 1}, {switched}"


def read_headline(line: str) -> tuple[str, int, int, dict[str, bool]]:
    found = re.fullmatch(
        r"game (\w+), seats (\d), first seat (\d), solo_fallback (\w+), fox_floor (\w+)", line
    )
    assert found
    game, seats, first, *switched = found.groups()
    flags = {name: state == "on" for name, state in zip(FLAGS, switched, strict=True)}
    return game, int(seats), int(first) - 1, flags


def transcript(table: Table, letters: str, dice: Dice, choose: Chooser) -> Iterator[str]:
    """Play a game to its end, and tell it line by line."""
    known: dict[int, str] = {}
    marks: dict[int, dict[str, int]] = {}
    while True:
        for seat in range(table.seats):
            line = standing(table, seat, marks.get(seat, {}))
            if line != known.get(seat):
                yield f"seat {seat + 1} has: {line}"
                marks[seat] = table.marks(seat)
                known[seat] = standing(table, seat, marks[seat])
        if table.over:
            break
        address = table.address()
        if address is not None:
            faces, order = dice.at(address)
            shown = " ".join(f"{letters[die]}{faces[die]}" for die in table.rolling())
            by_order = "".join(letters[die] for die in order)
            yield f"throw {'.'.join(map(str, address))}: {shown}, order {by_order}"
            table.roll(faces, order)
        else:
            for seat in table.awaiting():
                yield f"seat {seat + 1} asked: {' '.join(table.legal(seat))}"
            seat, text = choose()
            yield f"seat {seat + 1} plays: {text}"
            table.play(seat, text)
    outcome = table.outcome()
    assert outcome is not None
    totals, winners = outcome
    won = ", ".join(f"seat {seat + 1}" for seat in winners)
    yield f"over: totals {' '.join(map(str, totals))}, won by {won}"


def standing(table: Table, seat: int, before: dict[str, int]) -> str:
    """What a sheet shows, with the marks that it did not have before."""
    new = [f"+{c}={v}" for c, v in sorted(table.marks(seat).items()) if before.get(c) != v]
    tracks = [f"{name} {had}-{spent}" for name, (had, spent) in table.tracks(seat).items()]
    score = table.scores()[seat]
    points = " ".join(map(str, score["areas"]))
    foxes = f"foxes {score['foxes']} x {score['fox_value']}"
    return " ".join([*new, "|", *tracks, f"| areas {points}, {foxes}, total {score['total']}"])


def written_dice(lines: list[str], letters: str) -> WrittenDice:
    """The throws that a transcript tells; dice that were not wanted show a 1."""
    throws = {}
    for line in lines:
        if line.startswith("throw "):
            address, _, thrown = line.removeprefix("throw ").partition(": ")
            shown, _, order = thrown.partition(", order ")
            faces = {part[0]: part[1] for part in shown.split()}
            all_faces = "".join(faces.get(letter, "1") for letter in letters)
            throws[address] = f"{all_faces} {''.join(str(letters.index(d)) for d in order)}"
    return WrittenDice(throws)


def written_choices(lines: list[str]) -> Chooser:
    """The answers that a transcript tells, one at a time."""
    played = re.findall(r"^seat (\d) plays: (.+)$", "\n".join(lines), re.MULTILINE)
    answers = iter([(int(seat) - 1, text) for seat, text in played])
    return lambda: next(answers)


def retell(table: Table, game: str, lines: list[str]) -> list[str]:
    """Play the game of a transcript at a new table, and tell it again."""
    letters = LETTERS[game]
    told = transcript(table, letters, written_dice(lines, letters), written_choices(lines))
    return [lines[0], *told]
