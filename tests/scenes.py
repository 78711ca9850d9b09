"""Reads and plays the scenes of `tests/fixtures`; the README there explains their language.

Seats, turns, rounds and lines count from 1 in a scene, as people count them.
"""

import contextlib
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from foxtray import SHEETS, Action, Game, IllegalAction, Progress, Throw
from foxtray import events as happened
from foxtray.games.model import Sheet

FIXTURES = Path(__file__).parent / "fixtures"
CLAUSE = re.compile(r"\d+\.\d+")


@dataclass
class Step:
    """One instruction: its first word, and the rest of it line by line."""

    line: int
    verb: str
    lines: list[str]

    @property
    def words(self) -> list[str]:
        return " ".join(self.lines).split()


@dataclass
class Scene:
    """A situation in a game, and the clauses it tests."""

    game: str
    line: int
    clauses: list[str]
    title: str
    steps: list[Step] = field(default_factory=list)

    def __str__(self) -> str:
        return f"{self.game}:{self.line}: {' '.join(self.clauses)} {self.title}"


def read(game: str) -> list[Scene]:
    """The scenes of a game."""
    scenes: list[Scene] = []
    text = (FIXTURES / f"{game}.scenes").read_text(encoding="utf-8")
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith("== "):
            words = line[3:].split()
            count = next(i for i, word in enumerate(words) if not CLAUSE.fullmatch(word))
            scenes.append(Scene(game, number, words[:count], " ".join(words[count:])))
        elif line.startswith(" "):
            scenes[-1].steps[-1].lines.append(line.strip())
        elif line and not line.startswith("#"):
            verb, _, rest = line.partition(" ")
            scenes[-1].steps.append(Step(number, verb, [rest.strip()]))
    return scenes


def play(scene: Scene) -> None:
    """Play a scene; a failure names the line of the file."""
    table = Table(scene.game)
    for step in scene.steps:
        try:
            table.do(step)
        except AssertionError as error:
            raise AssertionError(f"{scene.game}.scenes:{step.line}: {error}") from error


def marked(words: Sequence[str]) -> dict[str, int]:
    """What stands in cells: `b7` a cross, `g1-g4` four, `o4=12` a number, `o=5,2` two fields.

    Where crosses follow circles, `y1=o` is a circle and `y1=x` a cross.
    """
    found: dict[str, int] = {}
    for word in words:
        name, _, value = word.partition("=")
        if name == "none":
            continue
        if "-" in name:
            first, _, last = name.partition("-")
            for n in range(int(first[1:]), int(last[1:]) + 1):
                found[f"{name[0]}{n}"] = 1
        elif len(name) == 1:
            for n, entry in enumerate(value.split(","), 1):
                found[f"{name}{n}"] = int(entry)
        else:
            found[name] = {"": 1, "o": 1, "x": 2}.get(value) or int(value)
    return found


def sheet_words(sheet: Sheet, marks: dict[str, int]) -> dict[str, str]:
    """Marks in the words of a position."""
    words = {}
    unknown = set(marks)
    for area in sheet.areas:
        names = area.cell_names()
        values = [marks.get(name, 0) for name in names]
        unknown -= set(names)
        if area.grid:
            letters = ".ox" if area.entry == "staged" else ".x"
            words[area.letter] = "".join(letters[value] for value in values)
        else:
            filled = [value for value in values if value]
            assert filled == values[: len(filled)], f"there is a gap in {area.colour}"
            crosses = area.writes == "cross"
            text = "x" * len(filled) if crosses else ",".join(map(str, filled))
            words[area.letter] = text or "-"
    assert not unknown, f"no such cells: {unknown}"
    return words


def mark_text(sheet: Sheet, colour: str, cell: str, mark: int) -> str:
    """A mark as a scene writes it: `b7`, `o4=12`, `y1=o`."""
    area = sheet.area(colour)
    if area.entry == "staged":
        return f"{cell}={'.ox'[mark]}"
    return cell if area.writes == "cross" else f"{cell}={mark}"


def tell(sheet: Sheet, event: happened.Event) -> str:
    """An event in the words of a scene."""
    match event:
        case happened.RoundStarted(now):
            return f"round {now + 1} starts"
        case happened.TurnStarted(turn, seat):
            return f"turn {turn + 1} starts, {seat + 1} is active"
        case happened.Thrown(dice, faces):
            face = dict(zip(sheet.colours, faces, strict=True))
            return "throw of " + " ".join(f"{die[0]}{face[die]}" for die in dice)
        case happened.Taken(seat, die, value, manner):
            return f"{seat + 1} takes {die} for {value} ({manner})"
        case happened.Moved(die, _, place, reason):
            return f"{die} to {place} ({reason})"
        case happened.Marked(seat, area, cell, mark):
            return f"{seat + 1} marks {mark_text(sheet, area, cell, mark)}"
        case happened.LineCompleted(seat, area, kind, index):
            return f"{seat + 1} completes {area} {kind} {index + 1}"
        case happened.BonusEarned(seat, bonus, _, where):
            return f"{seat + 1} earns {bonus} from {where}"
        case happened.BonusUsed(seat, bonus):
            return f"{seat + 1} uses {bonus}"
        case happened.BonusLost(seat, bonus):
            return f"{seat + 1} loses {bonus}"
        case happened.TrackCircled(seat, track, count):
            return f"{seat + 1} circles {track} {count}"
        case happened.ActionSpent(seat, track, count):
            return f"{seat + 1} spends {track} {count}"
        case happened.Passed(seat, stage, forced):
            return f"{seat + 1} passes ({stage}{', unasked' if forced else ''})"
    return event.name.replace("_", " ")


class Table:
    """A game set up and played by the steps of a scene."""

    def __init__(self, game: str) -> None:
        self.id = game
        self.setup: dict[str, int] = {"seats": 1, "first": 1, "turn": 1}
        self.options: list[str] = []
        self.sheets: dict[int, dict[str, str]] = {}
        self.events: list[str] = []
        self.started: Game | None = None

    @property
    def game(self) -> Game:
        """The game, dealt out when it is first needed."""
        if self.started is None:
            self.started = self.deal()
        return self.started

    def deal(self) -> Game:
        """A new game, changed to what the scene gives, its first throw still to come."""
        options = dict.fromkeys(self.options, True)
        new = Game.new(self.id, self.setup["seats"], first=self.setup["first"] - 1, **options)
        table, *seats = new.position().split(" | ")
        turn = self.setup["turn"] - 1
        table = table.replace("turn=0", f"turn={turn}")
        if self.setup["seats"] == 1 and turn % 2:
            table = table.replace("roll=1", "roll=0")
        for i, seat in enumerate(seats):
            words = dict(word.split("=", 1) for word in seat.split()) | self.sheets.get(i, {})
            seats[i] = " ".join(f"{key}={value}" for key, value in words.items())
        return Game.from_position(" | ".join([table, *seats]))

    def do(self, step: Step) -> None:
        words = step.words
        if step.verb == "given":
            assert self.started is None, "what is given comes first"
            for part in " ".join(words).split(", "):
                self.given(part.split())
        elif step.verb == "throw":
            self.throw(words)
        elif step.verb == "play":
            self.act(int(words[0]) - 1, words[1], refused=words[2:] == ["refused"])
        elif step.verb == "expect" and words[0] == "events":
            same(self.events, step.lines[1:])
        else:
            assert step.verb == "expect", f"{step.verb} is not understood"
            self.expect(words[0], words[1:])

    # --- given ---------------------------------------------------------------------------------

    def given(self, words: list[str]) -> None:
        what, *rest = words
        if what == "option":
            self.options += rest
        elif what in self.setup:
            self.setup[what] = int(rest[0])
        else:
            seat = self.sheets.setdefault(int(rest[0]) - 1, {})
            if what == "sheet":
                seat |= sheet_words(SHEETS[self.id], marked(rest[1:]))
            elif what == "tracks":
                seat |= dict(zip(rest[1::2], rest[2::2], strict=True))
            else:
                assert what == "foxes", f"{what} cannot be given"
                seat["foxes"] = rest[1]

    # --- what happens --------------------------------------------------------------------------

    def throw(self, words: list[str]) -> None:
        """Throw exactly the dice to roll; `order` breaks ties."""
        letters = self.letters()
        dice, order = words, list(letters)
        if "order" in words:
            at = words.index("order")
            dice, order = words[:at], words[at + 1 :]
        self.expect("rolls", [die[0] for die in dice])
        shown = {die[0]: int(die[1]) for die in dice}
        faces = tuple(shown.get(letter, 0) for letter in letters)
        self.keep(self.game.roll(Throw(faces, tuple(map(letters.index, order)))))

    def act(self, seat: int, text: str, *, refused: bool) -> None:
        action = Action.parse(self.id, text)
        legal = " ".join(map(str, self.game.legal(seat)))
        if refused:
            with contextlib.suppress(IllegalAction):
                self.game.play(seat, action)
                raise AssertionError(f"{text} was not refused; legal: {legal}")
        else:
            try:
                self.keep(self.game.play(seat, action))
            except IllegalAction as error:
                raise AssertionError(f"{text} was refused: {error}; legal: {legal}") from error

    def keep(self, progress: Progress) -> None:
        self.started = progress.game
        self.events = [tell(self.game.sheet, event) for event in progress.events]

    # --- what is expected ----------------------------------------------------------------------

    def letters(self) -> list[str]:
        return list(self.game.sheet.letters)

    def expect(self, what: str, words: list[str]) -> None:
        game = self.game
        if words == ["none"]:
            words = []
        if what in ("pool", "tray", "aside", "fields"):
            self.expect_dice(what, words)
        elif what == "rolls":
            same([self.letters()[die] for die in game.rolling()], words)
        elif what == "asked":
            same([seat + 1 for seat in game.awaiting()], [int(word) for word in words])
        elif what in ("legal", "marks", "tracks", "points"):
            getattr(self, f"expect_{what}")(int(words[0]) - 1, words[1:])
        elif what == "throw":
            address = game.address()
            assert address is not None, "no throw is wanted"
            turn, roll, reroll = address
            same(f"turn {turn + 1} roll {roll} reroll {reroll}", " ".join(words))
        elif what in ("turn", "round", "active"):
            same(getattr(game, what) + 1, int(words[0]))
        elif what == "winners":
            outcome = game.outcome()
            assert outcome is not None, "the game is not over"
            same([seat + 1 for seat in outcome.winners], [int(word) for word in words])
        elif what == "rating":
            same(game.sheet.rating(int(words[0])) + 1, int(words[1]))
        else:
            assert what in ("over", "playing"), f"{what} cannot be expected"
            same(game.over, what == "over")

    def expect_dice(self, place: str, words: list[str]) -> None:
        """The dice at a place, those on die fields in the order of the fields."""
        letters, faces, places = self.letters(), self.game.faces, self.game.places
        dice = [die for die in range(6) if places[die].startswith(place.rstrip("s"))]
        if place == "fields":
            dice.sort(key=lambda die: places[die])
            same([places[die] for die in dice], ["field1", "field2", "field3"][: len(dice)])
        bare = all(len(word) == 1 for word in words)
        same([letters[die] if bare else f"{letters[die]}{faces[die]}" for die in dice], words)

    def expect_legal(self, seat: int, words: list[str]) -> None:
        legal = {str(action) for action in self.game.legal(seat)}
        if words[0] == "with":
            assert legal.issuperset(words[1:]), f"missing: {set(words[1:]) - legal}"
        elif words[0] == "without":
            assert legal.isdisjoint(words[1:]), f"not expected: {legal & set(words[1:])}"
        else:
            more, fewer = legal - set(words), set(words) - legal
            assert legal == set(words), f"not expected: {more or '-'}; missing: {fewer or '-'}"

    def expect_marks(self, seat: int, words: list[str]) -> None:
        same(self.game.marks(seat), marked(words))

    def expect_tracks(self, seat: int, words: list[str]) -> None:
        tracks = self.game.tracks(seat)
        for name, text in zip(words[::2], words[1::2], strict=True):
            circled, spent = tracks[name]
            same(f"{name} {circled}/{spent}", f"{name} {text}")

    def expect_points(self, seat: int, words: list[str]) -> None:
        card = self.game.scores()[seat]
        colours = [area.colour for area in self.game.sheet.areas]
        points = dict(zip(colours, card.areas, strict=True))
        points |= {"foxes": card.foxes, "fox": card.fox_value, "total": card.total}
        for name, text in zip(words[::2], words[1::2], strict=True):
            same(f"{name} {points[name]}", f"{name} {text}")


def same(found: object, expected: object) -> None:
    """What was found is what the rules say."""
    assert found == expected, f"expected {expected}, found {found}"
