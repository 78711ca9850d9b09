"""A game at the keyboard: one screen per decision, for one player or several taking turns."""

from __future__ import annotations

import shlex
import textwrap
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path

from foxtray import digits, render, words
from foxtray.core import codes
from foxtray.core.layout import Action
from foxtray.dice import SeededDice, Throw
from foxtray.errors import FoxtrayError, MalformedThrow
from foxtray.events import Event, Marked, before_round
from foxtray.game import Game, choose_seat
from foxtray.history import PlayInput, Setup
from foxtray.position import OPTIONS
from foxtray.record import Record
from foxtray.render import PLAIN, WIDTH, Ink

HEAD = 9
NOBODY = "me"
"""The name of a seat at the keyboard whose player has no name."""
MARKS = (codes.ENTER, codes.USE)
NO_CHOICE = "roll the dice first; there is nothing to choose yet"
"""Why there is no hint before a roll."""
CLEAR = "\x1b[H\x1b[2J\x1b[3J"
HELP = """
 Enter      roll the dice
 3          choose number 3 from the list
{examples}
 u          undo your last action since the last roll or the start of the round
 s, s 2     show all sheets, or the sheet of seat 2
 h          get a hint: the best choice, and why
 ?          show this help
 q          quit
"""
EXAMPLES = {
    (codes.ENTER, True, False): "choose by notation: enter this die in this cell",
    (codes.ENTER, False, False): "areas filled from left to right need only their letter",
    (codes.USE, True, False): "use a bonus in this cell",
    (codes.USE, False, True): "use a bonus that has a value",
}
"""What an example shows, by the kind of its action and whether it has a cell and a value."""


def help_text(game: Game) -> str:
    """The keys, with examples from this game, and a legend of its sheet."""
    found: dict[tuple[int, bool, bool], Action] = {}
    for action in game.layout.actions:
        found.setdefault((action.kind, action.cell >= 0, action.value > 0), action)
    examples = [f" {found[key]!s:<10} {text}" for key, text in EXAMPLES.items() if key in found]
    return HELP.format(examples="\n".join(examples)) + render.legend(game.sheet)


@dataclass(frozen=True, slots=True)
class Choice:
    """A legal action and everything it would trigger."""

    action: Action
    gain: int
    sets_off: tuple[str, ...]
    to_tray: tuple[int, ...]
    marked: tuple[str, ...]
    """The cells it marks for its seat; the chosen one first."""
    after: Game


def foresee(game: Game, seat: int, action: Action) -> Choice:
    """Try an action on a copy of the game, to see what it does."""
    after, events = game.play(seat, action)
    return Choice(
        action,
        after.scores()[seat].total - game.scores()[seat].total,
        tuple(words.sets_off(game.sheet, before_round(events), seat)),
        tuple(words.to_tray(game.sheet, events)),
        tuple(e.cell for e in events if isinstance(e, Marked) and e.seat == seat),
        after,
    )


def choices(game: Game, seat: int) -> list[Choice]:
    """What a seat may do, in menu order: dice, bonuses by area, then the rest."""
    order = sorted(game.legal(seat), key=lambda action: action.kind not in MARKS)
    return [foresee(game, seat, action) for action in order]


def flow(head: str, entries: Iterable[tuple[str, bool]]) -> list[str]:
    """Entries after a heading, side by side where they fit; some on lines of their own."""
    indent = " " * HEAD
    lines: list[str] = []
    room = False
    for text, alone in entries:
        if room and not alone and len(lines[-1]) + 3 + len(text) <= WIDTH:
            lines[-1] += "   " + text
        else:
            lines += textwrap.wrap(
                text,
                WIDTH,
                initial_indent=indent,
                subsequent_indent=indent + "      ",
                break_on_hyphens=False,
            )
        room = not alone
    return [render.pad(head, HEAD) + lines[0][HEAD:], *lines[1:]]


def entry(game: Game, seat: int, number: int, choice: Choice) -> tuple[str, bool]:
    """A numbered choice, and whether it is long enough to need its own line."""
    text = f"{number:>2} {choice.action}"
    if choice.action.kind not in MARKS:
        return f"{text}: {words.choice(game, seat, choice.action)}", True
    text += f" {choice.gain:+d}"
    if choice.sets_off:
        text += f": {', '.join(choice.sets_off)}"
    return text, len(text) > WIDTH // 3


def menu(game: Game, seat: int, offered: Sequence[Choice], ink: Ink = PLAIN) -> list[str]:
    """The legal actions, numbered and grouped by die, then by area."""

    def group(numbered: tuple[int, Choice]) -> tuple[int, int]:
        action = numbered[1].action
        return (action.die, -1) if action.kind == codes.ENTER else (-1, action.area)

    def drawn(die: int) -> str:
        return render.die(game.sheet.dice[die], game.faces[die], ink)

    lines = []
    for (die, area), found in groupby(enumerate(offered, 1), group):
        numbered = list(found)
        entries = [entry(game, seat, number, choice) for number, choice in numbered]
        if die >= 0:
            lines += flow(f" {drawn(die)}", entries)
            if moved := numbered[0][1].to_tray:
                told = f"   sends {' '.join(map(drawn, moved))} to the platter"
                if len(render.bare(lines[-1] + told)) <= WIDTH:
                    lines[-1] += told
                else:
                    lines.append(" " * HEAD + told)
        else:
            lines += flow(f" {game.sheet.areas[area].colour}" if area >= 0 else "", entries)
    return lines


def parse_faces(game: Game, text: str) -> tuple[int, ...]:
    """The faces of real dice: one for each rolled die in order, or by letter as in `w4 b2`."""
    wanted = game.rolling()
    letters = [game.sheet.letters[d] for d in wanted]
    typed = "".join(text.replace(",", " ").split())
    if typed[:1].isalpha():
        pairs = dict(zip(typed[::2], typed[1::2], strict=False))
        typed = "".join(pairs.get(letter, "") for letter in letters) * (
            2 * len(pairs) == len(typed)
        )
    if len(typed) != len(wanted) or not set(typed) <= set("123456"):
        raise MalformedThrow(
            f"type a face from 1 to 6 for each of {' '.join(letters)}, for example "
            + "".join(str(1 + d) for d in range(len(wanted)))
        )
    faces = dict(zip(wanted, map(int, typed), strict=True))
    return tuple(faces.get(d, 0) for d in range(codes.DICE))


def settled(game: Game, faces: tuple[int, ...], text: str) -> Throw:
    """A throw of real dice after a tie: the text names the equal dice closest to the platter."""
    left, equal = game.undecided(faces)
    letters = "".join(game.sheet.letters[d] for d in equal)
    typed = "".join(text.lower().split())
    if len(typed) != left or len(set(typed)) != left or not set(typed) <= set(letters):
        raise MalformedThrow(f"choose {left} of {' '.join(letters)}; type the faces again")
    first = [equal[letters.index(letter)] for letter in typed]
    rest = [d for d in range(codes.DICE) if d not in first]
    return Throw(faces, (*first, *rest))


def first_of_all(game: Game, seat: int) -> Action:
    """The first legal action: the default substitute for a failed bot."""
    return game.legal(seat)[0]


def no_hint(game: Game, seat: int) -> Sequence[str]:
    """What is said where no hints are provided."""
    raise FoxtrayError("there are no hints here")


@dataclass(slots=True)
class Terminal:
    """A game played at the keyboard: `ask` reads an answer, `show` prints text."""

    record: Record
    ask: Callable[[str], str]
    show: Callable[[str], None]
    ink: Ink = PLAIN
    clear: bool = False
    roomy: bool = False
    path: Path | None = None
    bots: Mapping[int, Callable[[Game, int], Action]] = field(default_factory=dict)
    """What decides for the seats that bots play."""
    substitute: Callable[[Game, int], Action] = first_of_all
    """What takes over when a bot fails."""
    hint: Callable[[Game, int], Sequence[str]] = no_hint
    """The best choice of a seat, as lines."""
    warn: Callable[[str], object] = print
    """Reports a failed bot in a game of bots only, where no screen is drawn."""
    news: list[str] = field(default_factory=list)
    offered: list[Choice] = field(default_factory=list)

    def run(self) -> bool:
        """Play until the game ends or the player quits; True if it ended."""
        self.save()
        if not self.record.inputs:
            self.hear(self.record.game.opening)
        try:
            while not self.record.game.over:
                if self.move_bot():
                    continue
                self.draw()
                while not self.answer():
                    pass
        except EOFError:
            self.leave()
        except KeyboardInterrupt:
            self.leave()
            raise
        else:
            self.finish()
        return self.record.game.over

    # --- what is shown -------------------------------------------------------------------------

    @property
    def seat(self) -> int:
        """The seat at the keyboard: the first one that has to decide, or the one that rolls."""
        game = self.record.game
        return next((seat for seat in game.awaiting() if seat not in self.bots), game.active)

    def hear(self, events: Iterable[Event]) -> None:
        game = self.record.game
        self.news += words.story(game.sheet, events, game.seats, self.players)

    def draw(self) -> None:
        """Draw the screen: sheet, points, dice, what happened, and the choices."""
        game, ink = self.record.game, self.ink
        self.offered = choices(game, self.seat) if game.awaiting() else []
        rounds = render.rounds(game.sheet, game.seats, game.round, ink)
        lines = [f" {ink.strong(game.sheet.title)}   {rounds}", *self.sheet(self.seat)]
        lines += [""] * self.roomy
        wanted = range(codes.DICE) if game.state.phase == codes.OPENING else game.rolling()
        lines.append(render.dice(game.sheet, game.faces, game.places, wanted, ink))
        for text in self.news:
            lines += textwrap.wrap(text, WIDTH, initial_indent=" - ", subsequent_indent="   ")
        self.news.clear()
        if self.offered:
            lines.append(f" {self.name(self.seat)}{ink.strong(words.question(game, self.seat))}")
            lines += menu(game, self.seat, self.offered, ink)
        self.show((CLEAR if self.clear else "\n") + "\n".join(lines))

    @property
    def players(self) -> tuple[str, ...]:
        """The names of the people by seat; empty where a seat is only a number."""
        names = self.record.setup.names
        return tuple(
            "" if seat in self.bots or name == NOBODY else name for seat, name in enumerate(names)
        )

    def who(self, seat: int) -> str:
        """A player by name, or by the number of the seat."""
        names = self.record.setup.names
        name = names[seat] if names else NOBODY
        return name if name not in ("", NOBODY) else f"Seat {seat + 1}"

    def name(self, seat: int) -> str:
        """Who is meant, before a sentence; empty in a solo game."""
        if self.record.game.seats == 1:
            return ""
        if seat in self.bots:
            return f"Seat {seat + 1} ({self.record.setup.names[seat]}): "
        return f"{self.who(seat)}: "

    def sheet(self, seat: int) -> list[str]:
        """A seat's sheet, and the points of every seat."""
        game = self.record.game
        cards = game.scores()
        marks, tracks = game.marks(seat), game.tracks(seat)
        areas = cards[seat].areas
        lines = [render.sheet(game.sheet, marks, tracks, areas, self.ink, roomy=self.roomy)]
        for other, card in enumerate(cards):
            told = render.points(game.sheet, card.areas, card.foxes, card.fox_value, card.total)
            sign = ">" if other == seat and game.seats > 1 else " "
            lines.append(f"{sign}{self.name(other)}{told}")
        return lines

    def prompt(self) -> str:
        game = self.record.game
        if self.offered:
            return f" {self.name(self.seat)}number or notation, ? for help > "
        dice = " ".join(game.sheet.letters[d] for d in game.rolling())
        if self.record.dice is None:
            return f" {self.name(self.seat)}roll {dice} and type the faces > "
        return f" {self.name(self.seat)}press Enter to roll {dice} > "

    # --- what is answered ----------------------------------------------------------------------

    def answer(self) -> bool:
        """Ask once; True if the game changed. Says why if the answer is refused."""
        text = " ".join(self.ask(self.prompt()).lower().split())
        try:
            if text == "q":
                raise EOFError
            if text == "?":
                self.show(help_text(self.record.game))
                return False
            if text == "h":
                self.show_hint()
                return False
            if text == "s" or text.startswith("s "):
                self.show_sheets(text[2:])
                return False
            if text == "u":
                self.undo()
            elif self.offered:
                self.act(text)
            else:
                self.throw(text)
        except FoxtrayError as error:
            self.show(f" {error}")
            return False
        self.save()
        return True

    def move_bot(self) -> bool:
        """Let a bot decide, or roll the dice if it is its turn; False if no bot has to act."""
        game = self.record.game
        seat = next((seat for seat in game.awaiting() if seat in self.bots), None)
        if seat is not None:
            self.hear(self.record.play(seat, self.ask_bot(seat)))
        elif game.rolling() and game.active in self.bots and self.record.dice:
            self.hear(self.record.roll())
        else:
            return False
        self.save()
        return True

    def ask_bot(self, seat: int) -> Action:
        """What a bot decides. If it fails, the player is told and a substitute takes over for good.

        A slow bot would otherwise hold up the game at every decision.
        """
        game = self.record.game
        try:
            return self.bots[seat](game, seat)
        except FoxtrayError as error:
            told = f"{self.name(seat)}{error}; a substitute takes over"
            tell = self.warn if len(self.bots) == game.seats else self.news.append
            tell(told)
            self.bots = {**self.bots, seat: self.substitute}
            return self.substitute(game, seat)

    def act(self, text: str) -> None:
        """Do what was chosen by number or by notation."""
        action: Action | str = text
        if text.isascii() and text.isdigit():
            chosen = digits.number(text, 1, len(self.offered))
            if chosen is None:
                raise FoxtrayError(f"choose a number from 1 to {len(self.offered)}")
            action = self.offered[chosen - 1].action
        elif not text:
            raise FoxtrayError(f"choose a number from 1 to {len(self.offered)}, or ? for help")
        self.hear(self.record.play(self.seat, action))

    def throw(self, text: str) -> None:
        """Roll the dice, or read the faces of real ones."""
        if self.record.dice is None:
            self.hear(self.record.roll(self.read_throw(text)))
        elif text:
            raise FoxtrayError("roll the dice first: press Enter")
        else:
            self.hear(self.record.roll())

    def read_throw(self, text: str) -> Throw:
        game = self.record.game
        faces = parse_faces(game, text)
        left, equal = game.undecided(faces)
        if not left:
            return Throw(faces)
        letters = " ".join(game.sheet.letters[d] for d in equal)
        which = f"{left} of {letters} go to the platter: which are closest to it?"
        return settled(game, faces, self.ask(f" {which} > "))

    def undo(self) -> None:
        """Undo the last action made at the keyboard, or the faces just typed."""
        if self.record.may_undo_throw():
            self.record.undo_throw()
            self.news.append("the roll was undone")
            return
        played = [entry for entry in self.record.inputs if isinstance(entry, PlayInput)]
        last = next((entry.seat for entry in reversed(played) if entry.seat not in self.bots), 0)
        undone = self.record.undo(last)
        self.news.append(f"{self.name(undone.seat)}{undone.action} was undone")

    def show_hint(self) -> None:
        """The best choice now; before a roll there is none."""
        if not self.offered:
            raise FoxtrayError(NO_CHOICE)
        self.show("\n".join(self.hint(self.record.game, self.seat)))

    def show_sheets(self, number: str) -> None:
        seats = self.record.game.seats
        asked = [str(seat + 1) for seat in range(seats)]
        if number and number not in asked:
            raise FoxtrayError(f"there is no seat {number}; {choose_seat(seats)}")
        for seat in [int(number) - 1] if number else range(seats):
            self.show("\n".join(["", *self.sheet(seat)]))

    # --- how it ends ---------------------------------------------------------------------------

    def save(self) -> None:
        if self.path:
            self.record.save(self.path)

    def leave(self) -> None:
        if self.path:
            self.show(f"\n Game saved. To continue: foxtray play --resume {self.path}")
        else:
            self.show("\n The game was not saved. To save one, play with --save FILE.")

    def finish(self) -> None:
        """Show all sheets and who won."""
        self.show("\n".join(result(self.record.game, self.ink, self.players)))
        if command := same_again(self.record.setup, self.bots):
            self.show(f" To play with the same dice: {command}")
        if self.path:
            self.show(f" The game was saved to {self.path}")


def same_again(setup: Setup, bots: Collection[int] = ()) -> str:
    """The command that starts a game with the same dice and bots; empty if there is none."""
    if setup.seed is None:
        return ""
    words = ["foxtray", "play", setup.game]
    if bots:
        who = (name if seat in bots else NOBODY for seat, name in enumerate(setup.names))
        words += ["--seats", ",".join(who)]
    elif setup.seats > 1:
        words += ["--seats", str(setup.seats)]
    people = [name for seat, name in enumerate(setup.names) if seat not in bots]
    if set(people) - {"", NOBODY}:
        words += ["--names", ",".join(people)]
    if setup.first != SeededDice(setup.seed).first(setup.seats):
        words += ["--first", str(setup.first + 1)]
    for option in OPTIONS:
        if getattr(setup, option):
            words += ["--option", f"{option}=on"]
    return shlex.join([*words, "--seed", str(setup.seed)])


def result(game: Game, ink: Ink = PLAIN, names: Sequence[str] = ()) -> list[str]:
    """Every sheet and its points, and the result if the game is over."""
    lines = []
    cards = game.scores()
    for seat, card in enumerate(cards):
        if game.seats > 1:
            lines.append(f" {ink.strong(words.sentence_start(words.seat_name(seat, names)))}")
        lines.append(render.sheet(game.sheet, game.marks(seat), game.tracks(seat), card.areas, ink))
        told = render.points(game.sheet, card.areas, card.foxes, card.fox_value, card.total)
        lines += [f" {told}", ""]
    outcome = game.outcome()
    if outcome is None:
        lines.append(f" Unfinished: round {game.round + 1} of {game.sheet.rounds[game.seats - 1]}")
    elif game.seats == 1:
        total = outcome.totals[0]
        rating = game.sheet.ratings[game.sheet.rating(total)].title
        lines.append(f" {ink.strong(f'{total} points: {rating}')}")
    else:
        winners = words.sentence_start(words.seats_listed(outcome.winners, names))
        verb = "share the win" if len(outcome.winners) > 1 else "wins"
        best = max(outcome.totals)
        lines.append(f" {ink.strong(f'{winners} {verb} with {best} points')}")
    return lines
