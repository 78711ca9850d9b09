"""A position as one line of text: `key=value` words for the table, then `|` and each seat.

    clever seats=1 first=1 turn=0 phase=choosing roll=1 reroll=0 dice=w5p,y3p,b1t,g6p,o2p,p22 |
    y=..x......... b=........... g=xx o=5 p=- reroll=1/0 extra=0/0 foxes=0 stage=pick

Only what cannot be derived is written; empty words are left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple

from foxtray import digits
from foxtray.core import codes, rules
from foxtray.core.codes import DICE, SEATS
from foxtray.core.layout import Layout, layout
from foxtray.core.state import State, no_log
from foxtray.errors import MalformedPosition
from foxtray.games.registry import UnknownGame

OPTIONS = ("solo_fallback", "fox_floor")
PLACE_LETTERS = "pta123"
MARKS = ".x", ".ox"

# The stages that are possible in each phase: of the active seat, and of the others.
ACTIVE_STAGES = {
    codes.OPENING: (codes.IDLE,),
    codes.THROW: (codes.IDLE,),
    codes.CHOOSING: (codes.IDLE, codes.PICK, codes.WINDOW, codes.FOLLOW),
    codes.SERVING: (codes.IDLE, codes.FOLLOW, codes.EXTRA),
    codes.OVER: (codes.IDLE,),
}
PASSIVE_STAGES = {
    codes.OPENING: (codes.IDLE,),
    codes.THROW: (codes.IDLE,),
    codes.CHOOSING: (codes.IDLE,),
    codes.SERVING: (codes.IDLE, codes.SERVED, codes.EXTRA),
    codes.OVER: (codes.IDLE,),
}


def write(known: Layout, s: State) -> str:
    """A state as text."""
    letters = known.sheet.letters
    words = [
        known.sheet.id,
        f"seats={s.seats}",
        f"first={s.first + 1}",
        *(f"{option}=on" for option in OPTIONS if getattr(s, option)),
        f"turn={s.turn}",
        f"phase={codes.PHASE_NAMES[s.phase]}",
        f"roll={s.rolls}",
        f"reroll={s.rerolls}",
        "dice="
        + ",".join(f"{letters[d]}{s.face[d]}{PLACE_LETTERS[s.place[d]]}" for d in range(DICE)),
    ]
    if s.follow:
        words.append("follow=" + write_dice(letters, s.follow))
    for seat in range(s.seats):
        words.append("|")
        words += write_seat(known, s, seat, letters)
    return " ".join(words)


def write_dice(letters: Sequence[str], mask: int) -> str:
    return "".join(letter for d, letter in enumerate(letters) if rules.holds(mask, d))


def write_seat(known: Layout, s: State, seat: int, letters: Sequence[str]) -> Iterable[str]:
    t = known.tables
    for a, area in enumerate(known.sheet.areas):
        marks = s.cells[seat][t.first_cell[a] : t.end_cell[a]]
        if area.grid:
            text = "".join(MARKS[t.full[a] - 1][mark] for mark in marks)
        elif area.writes == "cross":
            text = "x" * s.filled[seat][a]
        else:
            text = ",".join(str(mark) for mark in marks if mark)
        yield f"{area.letter}={text or '-'}"
    for track in known.sheet.tracks:
        i = codes.TRACK_NAMES.index(track.name)
        yield f"{track.name}={s.circled[seat][i]}/{s.spent[seat][i]}"
    yield f"foxes={s.foxes[seat]}"
    yield f"stage={codes.STAGE_NAMES[s.stage[seat]]}"
    if s.used[seat]:
        yield "used=" + write_dice(letters, s.used[seat])
    if s.pending[seat]:
        kinds = [str(b) for i, b in enumerate(known.bonuses) for _ in range(s.open[seat][i])]
        yield "open=" + ",".join(kinds)


class Words:
    """The `key=value` words of one part; each is read once."""

    def __init__(self, text: str) -> None:
        self.left: dict[str, str] = {}
        for word in text.split():
            key, equals, value = word.partition("=")
            if not equals or key in self.left:
                raise MalformedPosition(f"{word!r} is repeated or is not key=value")
            self.left[key] = value

    def take(self, key: str, default: str | None = None) -> str:
        value = self.left.pop(key, default)
        if value is None:
            raise MalformedPosition(f"{key} is missing")
        return value

    def number(self, key: str, low: int, high: int) -> int:
        return whole(key, self.take(key), low, high)

    def one_of(self, key: str, names: tuple[str, ...], default: str | None = None) -> int:
        value = self.take(key, default)
        if value not in names:
            raise MalformedPosition(f"{key}={value} must be one of {', '.join(names)}")
        return names.index(value)

    def done(self) -> None:
        if self.left:
            raise MalformedPosition(f"unknown key {next(iter(self.left))!r}")


def whole(key: str, text: str, low: int, high: int) -> int:
    """A whole number within its bounds."""
    found = digits.number(text, low, high)
    if found is None:
        raise MalformedPosition(f"{key}={text} must be a number from {low} to {high}")
    return found


def parse(text: str) -> tuple[Layout, State]:
    """A state from its text."""
    game, _, rest = text.strip().partition(" ")
    try:
        known = layout(game)
    except UnknownGame as error:
        raise MalformedPosition(str(error)) from None
    table, *players = rest.split("|")
    words = Words(table)
    s = State(seats=words.number("seats", 1, SEATS))
    if len(players) != s.seats:
        needed = f"{digits.counted(s.seats, 'seat')} {'needs' if s.seats == 1 else 'need'}"
        raise MalformedPosition(f"{needed} {digits.counted(s.seats, 'sheet')}, not {len(players)}")
    s.first = words.number("first", 1, s.seats) - 1
    s.solo_fallback = words.one_of("solo_fallback", ("off", "on"), "off")
    s.fox_floor = words.one_of("fox_floor", ("off", "on"), "off")
    turns = known.tables.rounds[s.seats] * rules.turns_in_round(s)
    s.turn = words.number("turn", 0, turns - 1)
    s.phase = words.one_of("phase", codes.PHASE_NAMES)
    s.rolls = words.number("roll", 0, codes.ROLLS)
    s.rerolls = words.number("reroll", 0, known.tables.track_fields[codes.REROLLS])
    letters = known.sheet.letters
    parse_dice(s, words.take("dice"), letters)
    s.follow = parse_mask(words.take("follow", ""), letters)
    words.done()
    for seat, player in enumerate(players):
        put(s, seat, parse_sheet(game, player))
        if s.pending[seat] > known.bonus_places:
            raise MalformedPosition(f"seat {seat + 1} has more open bonuses than the sheet")
    check(known, s)
    return known, s


def check(known: Layout, s: State) -> None:
    """Refuse positions that no game reaches: the rules trust their state and might hang."""
    phase = codes.PHASE_NAMES[s.phase]
    passive = rules.solo_serving(s)
    active = -1 if passive else rules.active_seat(s)
    for seat in range(s.seats):
        stage = s.stage[seat]
        if stage not in (ACTIVE_STAGES if seat == active else PASSIVE_STAGES)[s.phase]:
            raise MalformedPosition(
                f"phase={phase} does not fit stage={codes.STAGE_NAMES[stage]} of seat {seat + 1}"
            )
        if stage == codes.WINDOW and not known.tables.track_fields[codes.RETURNS]:
            raise MalformedPosition(f"{known.sheet.id} has no returns, so no stage=window")
        if stage == codes.FOLLOW and known.tables.follow_area < 0:
            raise MalformedPosition(f"{known.sheet.id} has no additional crosses to make")
    if s.follow and (active < 0 or s.stage[active] != codes.FOLLOW):
        raise MalformedPosition("follow needs stage=follow")
    if s.phase != codes.OVER:
        check_dice(s, passive, active)
    check_rest(known, s)


def check_dice(s: State, passive: bool, active: int) -> None:
    """Refuse dice whose places or faces are impossible at this moment."""
    phase = codes.PHASE_NAMES[s.phase]
    if (s.rolls == 0) != (passive or s.phase == codes.OPENING):
        raise MalformedPosition(f"roll={s.rolls} does not fit phase={phase} in turn={s.turn}")
    to_come = s.phase == codes.THROW or (active >= 0 and s.stage[active] == codes.PICK)
    taken = sorted(place for place in s.place if place >= codes.FIELD)
    if taken != list(range(codes.FIELD, codes.FIELD + len(taken))):
        raise MalformedPosition("the dice fields must be filled in order, one die each")
    if len(taken) > max(0, s.rolls - to_come):
        raise MalformedPosition(f"roll={s.rolls} is too early for {len(taken)} dice taken")
    before = s.phase in (codes.OPENING, codes.THROW)
    if before and s.rolls <= 1 and any(place != codes.POOL for place in s.place):
        raise MalformedPosition("before the first roll all dice must be in the pool")
    for face, place in zip(s.face, s.place, strict=True):
        if not face and not (before and place == codes.POOL):
            raise MalformedPosition("a die that was rolled must show a face from 1 to 6")


def check_rest(known: Layout, s: State) -> None:
    """Refuse a position where nobody has to act, or where the game would not have stopped."""
    t, after = known.tables, s.copy()
    for seat in range(s.seats):
        rules.settle(t, after, seat, no_log())
    rules.advance(t, after, no_log())
    waits = [rules.awaiting(t, s) != 0, rules.rolling(t, s) != 0, s.phase == codes.OVER]
    if after != s or waits.count(True) != 1:
        raise MalformedPosition("a game never stops here: it would go on by itself or be stuck")


def parse_dice(s: State, text: str, letters: Sequence[str]) -> None:
    dice = text.split(",")
    if len(dice) != DICE:
        raise MalformedPosition(f"dice={text} must name six dice")
    for d, die in enumerate(dice):
        if len(die) != 3 or die[0] != letters[d] or die[2] not in PLACE_LETTERS:
            raise MalformedPosition(f"die {die!r} must be letter, face and place, such as w5p")
        s.face[d] = whole("face", die[1], 0, codes.HIGHEST_FACE)
        s.place[d] = PLACE_LETTERS.index(die[2])


def parse_mask(text: str, letters: Sequence[str]) -> int:
    if not text:
        return 0
    if not set(text) <= set(letters) or len(set(text)) != len(text):
        raise MalformedPosition(f"{text!r} must be letters of dice, each once")
    return sum(1 << letters.index(letter) for letter in text)


class Sheet(NamedTuple):
    """What a state says of a seat."""

    cells: list[int]
    filled: list[int]
    fits: list[int]
    missing: list[int]
    circled: list[int]
    spent: list[int]
    open: list[int]
    foxes: int
    stage: int
    used: int
    pending: int


def put(s: State, seat: int, sheet: Sheet) -> None:
    """Write what is known of a seat into a state; lists are copied."""
    s.cells[seat], s.filled[seat] = sheet.cells[:], sheet.filled[:]
    s.fits[seat], s.missing[seat] = sheet.fits[:], sheet.missing[:]
    s.circled[seat], s.spent[seat] = sheet.circled[:], sheet.spent[:]
    s.open[seat], s.pending[seat] = sheet.open[:], sheet.pending
    s.foxes[seat], s.stage[seat], s.used[seat] = sheet.foxes, sheet.stage, sheet.used


# A move changes one sheet of the table, so most were in a position that was read before.
@lru_cache(maxsize=1 << 12)
def parse_sheet(game: str, text: str) -> Sheet:
    """A seat from its text."""
    known, words = layout(game), Words(text)
    t = known.tables
    cells, missing = [0] * codes.CELLS, [0] * codes.LINES
    filled, fits = [0] * codes.AREAS, [0] * codes.AREAS
    circled, spent, opened = [0] * codes.TRACKS, [0] * codes.TRACKS, [0] * codes.BONUSES
    for a, area in enumerate(known.sheet.areas):
        read = parse_area(game, a, words.take(area.letter))
        cells[t.first_cell[a] : t.end_cell[a]] = read.cells
        missing[t.first_line[a] : t.end_line[a]] = read.missing
        filled[a], fits[a] = read.filled, read.fits
    for track in known.sheet.tracks:
        i = codes.TRACK_NAMES.index(track.name)
        first, _, second = words.take(track.name).partition("/")
        circled[i] = whole(track.name, first, 0, track.fields)
        spent[i] = whole(track.name, second, 0, circled[i])
    foxes = words.number("foxes", 0, known.fox_places)
    stage = words.one_of("stage", codes.STAGE_NAMES)
    used = parse_mask(words.take("used", ""), known.sheet.letters)
    kinds, named = known.usable, words.take("open", "")
    for kind in named.split(",") if named else ():
        if kind not in kinds:
            raise MalformedPosition(f"unknown bonus {kind!r}; choose from {', '.join(kinds)}")
        opened[kinds[kind]] += 1
    words.done()
    return Sheet(
        cells, filled, fits, missing, circled, spent, opened, foxes, stage, used, sum(opened)
    )


class Area(NamedTuple):
    """What a state says of an area of a seat."""

    cells: list[int]
    missing: list[int]
    filled: int
    fits: int


# Most areas of a position were in one read before: a sheet fills slowly.
@lru_cache(maxsize=1 << 14)
def parse_area(game: str, a: int, text: str) -> Area:
    """An area from its text."""
    known, alone = layout(game), State()
    t, cells, missing = known.tables, alone.cells[0], alone.missing[0]
    missing[: t.lines] = t.line_size[: t.lines]
    marks = parse_marks(known.sheet.areas[a].letter, "" if text == "-" else text, known, a)
    for c, mark in enumerate(marks, t.first_cell[a]):
        if mark:
            cells[c] = mark
            if mark >= t.full[a]:
                alone.filled[0][a] += 1
            for k in range(t.cell_lines[c]):
                missing[t.cell_line[c][k]] -= 1
    return Area(
        cells[t.first_cell[a] : t.end_cell[a]],
        missing[t.first_line[a] : t.end_line[a]],
        alone.filled[0][a],
        rules.fitting(t, alone, 0, a),
    )


def parse_marks(name: str, text: str, known: Layout, a: int) -> list[int]:
    """The marks in the cells of an area."""
    t, area = known.tables, known.sheet.areas[a]
    size = len(area.cells)
    if area.grid:
        letters = MARKS[t.full[a] - 1]
        if len(text) != size or not set(text) <= set(letters):
            raise MalformedPosition(f"{name}={text} must be {size} of the characters {letters!r}")
        return [letters.index(mark) for mark in text]
    if area.writes == "cross":
        if len(text) > size or set(text) - {"x"}:
            raise MalformedPosition(f"{name}={text} must be at most {size} crosses (x)")
        return [1] * len(text)
    entries = text.split(",") if text else []
    if len(entries) > size:
        raise MalformedPosition(f"{name}={text} has more than {size} entries")
    marks = []
    for cell, entry in zip(area.cells, entries, strict=False):
        mark = whole(name, entry, area.values[0] * cell.factor, area.values[-1] * cell.factor)
        if mark % cell.factor:
            raise MalformedPosition(f"{name}: {mark} is not a multiple of {cell.factor}")
        marks.append(mark)
    return marks
