"""Events and choices in words, for people."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from foxtray.core import codes
from foxtray.core.layout import Action
from foxtray.events import (
    ActionSpent,
    BonusEarned,
    BonusLost,
    Event,
    GameEnded,
    LineCompleted,
    Marked,
    Moved,
    Passed,
    RoundStarted,
    Taken,
    TurnEnded,
    TurnStarted,
)
from foxtray.game import Game
from foxtray.games.model import Sheet
from foxtray.render import ACTION_WORDS

TRACK_WORDS = {"reroll": "a re-roll", "return": "a return", "extra": "an additional die"}
PASSED_WORDS = {
    ("pick", True): "no die fits, so the roll is lost",
    ("served", True): "no die fits",
    ("pick", False): "no die taken",
    ("window", False): "no more returns",
    ("follow", False): "no more crosses",
    ("served", False): "no die taken",
    ("extra", False): "no more additional dice",
}
PASS_WORDS = {
    "pick": "take no die and lose this roll",
    "window": "return no more dice and roll",
    "follow": "make no more crosses",
    "served": "take no die",
    "extra": "use no more additional dice",
}


def listed(words: Sequence[str]) -> str:
    """Words as a list in a sentence."""
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


def seat_name(seat: int, names: Sequence[str] = ()) -> str:
    """A seat in a sentence: the player's name, or the number of the seat, counted from 1."""
    return (names[seat] if names else "") or f"seat {seat + 1}"


def sentence_start(text: str) -> str:
    """The text with a capital letter first; names keep their others."""
    return text[:1].upper() + text[1:]


def seats_listed(seats: Sequence[int], names: Sequence[str] = ()) -> str:
    """Seats in a sentence."""
    if any(names):
        return listed([seat_name(seat, names) for seat in seats])
    return f"seat{'s' if len(seats) > 1 else ''} {listed([str(seat + 1) for seat in seats])}"


def bonus(text: str) -> str:
    """A bonus in words, from its text in events and positions."""
    area, _, value = text.partition("=")
    if value:
        return f"a {value} in {area}"
    if text in TRACK_WORDS:
        return TRACK_WORDS[text]
    return {"fox": "a fox", "choice": "a mark of your choice"}.get(text, f"a mark in {text}")


def mark(sheet: Sheet, event: Marked) -> str:
    """A mark: its cell, and what the cell now holds."""
    area = sheet.area(event.area)
    if area.writes == "value":
        cell = area.cells[area.cell_names().index(event.cell)]
        missed = cell.bonus and event.value < cell.bonus_minimum
        without = f", without {bonus(str(cell.bonus))}" if missed else ""
        return f"{event.cell} = {event.mark}{without}"
    circled = area.entry == "staged" and event.mark == 1
    return f"{event.cell} {'circled' if circled else 'crossed off'}"


def earned(event: BonusEarned) -> str:
    """A bonus and where it came from; empty for a round, whose headline says it."""
    if event.source == "line":
        line = event.where.replace("diagonal 1", "diagonal")
        return f"{line} gives {bonus(event.bonus)}"
    if event.source == "track":
        return f"the last {ACTION_WORDS[event.where]} circle gives {bonus(event.bonus)}"
    return bonus(event.bonus) if event.source == "cell" else ""


def taken(sheet: Sheet, event: Taken, entered: str) -> str:
    """A die that was taken, and with the joker where the area that it is entered in adds it."""
    die = event.die
    if entered and sheet.area(entered).adds_joker:
        die = f"{sheet.dice[0].colour} and {entered} together"
    return f"{die} {event.value}{' as an additional die' if event.manner == 'extra' else ''}"


def told(sheet: Sheet, event: Event) -> str:
    """One event of a seat in words; empty if another event already says it."""
    match event:
        case Taken():
            return taken(sheet, event, "")
        case Marked():
            return mark(sheet, event)
        case LineCompleted():
            lines = sheet.area(event.area).lines
            pays = any(g.bonus for g in lines if (g.kind, g.index) == (event.kind, event.index))
            return "" if pays else f"{event.area} {event.kind} {event.index + 1} full"
        case BonusEarned():
            return earned(event)
        case BonusLost():
            return f"{bonus(event.bonus)} is lost"
        case ActionSpent() if event.track != "extra":
            return f"{TRACK_WORDS[event.track]} spent"
        case Passed():
            return PASSED_WORDS[event.stage, event.forced]
    return ""


def story(
    sheet: Sheet, events: Iterable[Event], seats: int, names: Sequence[str] = ()
) -> list[str]:
    """What happened: one line for each run of events by a seat; solo games name no seat."""
    lines: list[str] = []
    speaker, entered = -1, False
    every = list(events)
    for at, event in enumerate(every):
        seat = getattr(event, "seat", -1)
        if isinstance(event, RoundStarted | TurnStarted | GameEnded):
            speaker = -1
            if heading := headline(sheet, event, seats, names):
                lines.append(heading)
        elif seat >= 0 and (text := told(sheet, event)):
            if isinstance(event, Taken):
                marks = (later.area for later in every[at:] if isinstance(later, Marked))
                text = taken(sheet, event, next(marks, ""))
            if seat == speaker:
                lines[-1] += f"{': ' if entered else ', '}{text}"
            else:
                lines.append(text if seats == 1 else f"{seat_name(seat, names)}: {text}")
            speaker, entered = seat, isinstance(event, Taken)
    return lines


def headline(
    sheet: Sheet,
    event: RoundStarted | TurnStarted | GameEnded,
    seats: int,
    names: Sequence[str] = (),
) -> str:
    """A new round and what it gives, a new active player in a shared game, or the end."""
    if isinstance(event, RoundStarted):
        brings = sheet.round_bonus[event.round]
        what = f" with {bonus(str(brings))}{' for everyone' if seats > 1 else ''}" if brings else ""
        return f"round {event.round + 1} begins{what}"
    if isinstance(event, GameEnded):
        return "the game is over"
    return f"{seat_name(event.seat, names)} is the active player" if seats > 1 else ""


def to_tray(sheet: Sheet, events: Iterable[Event]) -> list[int]:
    """The dice that a pick sends to the platter because they are lower."""
    moved = (e.die for e in events if isinstance(e, Moved) and e.reason == "lower")
    return [sheet.colours.index(colour) for colour in moved]


def sets_off(sheet: Sheet, events: Sequence[Event], seat: int) -> list[str]:
    """What a mark triggers for its seat before the turn ends, and the mark if it adds something."""
    found: list[str] = []
    marked = False
    for event in events:
        if isinstance(event, TurnEnded):
            break
        if getattr(event, "seat", None) != seat or isinstance(event, Passed):
            continue
        if isinstance(event, Marked) and not marked:
            marked = True
            area = sheet.area(event.area)
            text = mark(sheet, event)
            if event.mark != event.value and area.writes == "value":
                found.append(text)
            elif area.entry == "staged":
                found.append(text.partition(" ")[2])
            elif "without" in text:
                found.append(text.partition(", ")[2])
        elif marked and (text := told(sheet, event)):
            found.append(text)
    return found


def choice(game: Game, seat: int, action: Action) -> str:
    """What an action that does not mark a cell does."""
    left = {name: circled - spent for name, (circled, spent) in game.tracks(seat).items()}
    if action.kind == codes.REROLL:
        return f"roll the whole pool again ({left['reroll']} left)"
    if action.kind == codes.RETURN:
        return f"return {game.sheet.dice[action.die].colour} to the pool"
    return PASS_WORDS[game.stage(seat)]


def question(game: Game, seat: int) -> str:
    """What a seat has to decide."""
    left = {name: circled - spent for name, (circled, spent) in game.tracks(seat).items()}
    stage = game.stage(seat)
    if stage == "bonus":
        counted = game.open_bonuses(seat).items()
        return "Use " + listed([f"{n} x {bonus(b)}" if n > 1 else bonus(b) for b, n in counted])
    if stage == "pick":
        return f"Roll {game.state.rolls} of {codes.ROLLS}: take a die"
    if stage == "window":
        roll = game.state.rolls + 1
        return f"Before roll {roll}: return dice from the platter? ({left['return']} left)"
    if stage == "follow":
        return "Additional crosses with the dice that went to the platter?"
    if stage == "served":
        tray = any(
            action.kind == codes.ENTER and game.places[action.die] == "tray"
            for action in game.legal(seat)
        )
        return "Take a die from the platter" if tray else "No platter die fits: use another one?"
    return f"Use an additional die? ({left['extra']} left)"
