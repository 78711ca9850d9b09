"""The table in the terminal: sheet and choices side by side, with keys and mouse, from 80 x 24 on.

`terminal.Terminal` holds the game; this module only draws it and passes on what is chosen. Pipes,
screen readers and dumb terminals use the plain terminal instead.
"""

from __future__ import annotations

import contextlib
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from threading import Thread
from typing import ClassVar

from rich.color import Color
from rich.style import Style
from rich.text import Text
from textual import events, work
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import Footer, Input, OptionList, Static
from textual.widgets.option_list import Option

from foxtray import render, words
from foxtray.arguments import INTERRUPTED
from foxtray.core import codes
from foxtray.dice import Throw
from foxtray.errors import FoxtrayError
from foxtray.game import Game
from foxtray.games.model import Area, Bonus, Sheet
from foxtray.terminal import (
    MARKS,
    NO_CHOICE,
    Choice,
    Terminal,
    choices,
    parse_faces,
    result,
    settled,
)

WIDTH, HEIGHT = 80, 24
"""The smallest terminal in which everything can be seen."""
CELL = 4
SHEET = 50
SHORT = 7
"""The letters of a name that there is room for beside four totals."""
ROLL = "roll"
LOOKING = "looking for a hint (the very first one takes up to a minute) ..."
HELP = """
 Arrow keys  choose; the sheet shows what it would do
 Enter       do it, or roll the dice
 Mouse       click a space to see what it gives, and again to mark it;
             click a die to see its first space
 u           undo
 h           show a hint
 s           show all sheets
 :           type a choice in notation, such as {example}
 ?           show this help
 q           quit
"""


# --- drawing ------------------------------------------------------------------------------------


def style(
    colours: tuple[int, int] | None = None, *, bold: bool = False, meta: Mapping[str, str] = {}
) -> Style:
    """A style with the terminal colours of a die or area: background and text."""
    if colours is None:
        return Style(bold=bold, meta=dict(meta))
    back, front = map(Color.from_ansi, colours)
    return Style(color=front, bgcolor=back, bold=bold, meta=dict(meta))


def patch(text: str, look: Style, gap: str = "") -> Text:
    """A patch of colour, and a gap after it that has none."""
    return Text.assemble((text, look), gap)


def bonus_text(bonus: Bonus | None, got: bool) -> Text:
    """A bonus in the width of a cell, with a tick once it is earned."""
    if bonus is None:
        return Text(" " * CELL)
    code = render.bonus_code(bonus)
    if got:
        return patch(f"{code}✓".ljust(CELL), Style(dim=True))
    if bonus.kind == "fox":
        return patch(f"{code:<3}", style(render.RED), " ")
    colours = bonus.die.paint.terminal if bonus.die else None
    return patch(f"{code:<3}", style(colours, bold=not colours), " ")


@dataclass(frozen=True, slots=True)
class SheetDrawing:
    """A sheet in 50 columns: what is marked, what would be, and what can be."""

    sheet: Sheet
    marks: Mapping[str, int]
    areas: Sequence[int]
    after: Mapping[str, int]
    """The marks after the choice that is looked at."""
    fits: frozenset[str]
    """The cells in which something can be marked now."""

    def cell(self, area: Area, index: int, name: str, *, following: bool = False) -> Text:
        """A cell and the gap after it; a mark that is only looked at is shown as in `<X>`."""
        cell = area.cells[index]
        value, then = self.marks.get(name, 0), self.after.get(name, 0)
        meta = {"cell": name}
        if then != value:
            shown = f"<{render.cell_text(area, cell, then).strip('()')}>"
            return patch(shown.center(CELL), style((231, 16), bold=True, meta=meta))
        shown = render.cell_text(area, cell, value)
        if render.is_done(area, value):
            return patch(shown.center(3), style(bold=True, meta=meta), " ")
        if following:
            shown = f"[{shown}]" if len(shown) < 2 else shown
        colours = area.die.paint.terminal
        look = style(colours, meta=meta)
        if name in self.fits:
            look += Style(bold=True, underline=True)
        return patch(shown.center(3), look, " ")

    def title(self, area: Area, points: int, width: int) -> Text:
        """The name of a grid and its points, and those of the next mark if there is room."""
        name = f" {area.letter} {area.colour.upper()} "
        text = patch(name, style(area.die.paint.terminal), f" {points}")
        if area.scores == "count":
            values = [self.marks.get(name, 0) for name in area.cell_names()]
            done = sum(render.is_done(area, value) for value in values)
            if done + 1 < len(area.points):
                coming = f", next {area.points[done + 1]}"
                text.append(coming if text.cell_len + len(coming) <= width else "")
        return text

    def grid(self, area: Area, points: int) -> list[Text]:
        """A grid: its rows with what they give, then what columns and the diagonal give."""
        names = area.cell_names()
        values = [self.marks.get(name, 0) for name in names]
        lines = {(line.kind, line.index): line for line in area.lines}
        at = {(cell.row, cell.column): i for i, cell in enumerate(area.cells)}
        rows = 1 + max(row for row, _ in (*at, *area.printed))
        columns = 1 + max(column for _, column in (*at, *area.printed))
        panel = [self.title(area, points, CELL * (columns + 1))]
        for row in range(rows):
            text = Text()
            if area.row_dice:
                die = area.row_dice[row]
                text += patch(die.letter, style(die.paint.terminal), " ")
            for column in range(columns):
                if (row, column) in at:
                    i = at[row, column]
                    text += self.cell(area, i, names[i])
                else:
                    text.append(" X  " if (row, column) in area.printed else " " * CELL)
            line = lines.get(("row", row))
            if line and line.bonus:
                text += bonus_text(line.bonus, render.is_full(line, values))
            if line and area.scores == "rows":
                text.append(str(area.points[sum(bool(values[i]) for i in line.cells)]).rjust(2))
            panel.append(text)
        below = Text("  " if area.row_dice else "")
        for column in range(columns):
            line = lines.get(("column", column))
            if line is None:
                below.append(" " * CELL)
            elif line.points:
                full = render.is_full(line, values)
                below.append((f"({line.points})" if full else f" {line.points}").ljust(CELL))
            else:
                below += bonus_text(line.bonus, render.is_full(line, values))
        for line in area.lines:
            if line.kind == "diagonal":
                below += bonus_text(line.bonus, render.is_full(line, values))
        panel.append(below)
        return panel

    def row(self, area: Area, points: int) -> list[Text]:
        """A row of fields: points by count above, bonuses below."""
        names = area.cell_names()
        count = sum(bool(self.marks.get(name, 0)) for name in names)
        panel = []
        if area.scores == "count":
            above = Text("  ")
            for i, worth in enumerate(area.points):
                if i:
                    told = f"({worth})" if i == count else f" {worth}"
                    above.append(told.ljust(CELL), Style(bold=i == count))
            panel.append(above)
        line = patch(area.letter, style(area.die.paint.terminal), " ")
        below = Text(f"{points:<2}")
        for i, (cell, name) in enumerate(zip(area.cells, names, strict=True)):
            line += self.cell(area, i, name, following=i == count)
            value = self.marks.get(name, 0)
            missed = cell.bonus and 0 < value < cell.bonus_minimum
            below += patch("--  ", Style(dim=True)) if missed else bonus_text(cell.bonus, value > 0)
        # Three digits take a column of the first field, under which there is no bonus.
        wide = len(str(points)) - 2
        if wide > 0:
            below = below[: wide + 2] + below[2 * wide + 2 :]
        return [*panel, line, below]

    def lines(self) -> list[Text]:
        """The whole sheet: grids side by side where they fit, then the rows."""
        drawn: list[Text] = []
        waiting: list[list[Text]] = []

        def flush() -> None:
            if waiting:
                widths = [max(line.cell_len for line in panel) + 1 for panel in waiting]
                for i in range(max(map(len, waiting))):
                    text = Text()
                    for panel, width in zip(waiting, widths, strict=True):
                        part = panel[i].copy() if i < len(panel) else Text()
                        part.pad_right(width - part.cell_len)
                        text += part
                    drawn.append(text)
                waiting.clear()

        for area, points in zip(self.sheet.areas, self.areas, strict=True):
            if not area.grid:
                flush()
                drawn.extend(self.row(area, points))
                continue
            panel = self.grid(area, points)
            wide = [max(line.cell_len for line in each) + 1 for each in (*waiting, panel)]
            if sum(wide) - 1 > SHEET:
                flush()
            waiting.append(panel)
        flush()
        return drawn


def tracks_text(game: Game, seat: int) -> Text:
    """The action tracks: `x` is spent, `o` can be used, `.` has yet to be earned."""
    counts = game.tracks(seat)
    text = Text()
    for track in game.sheet.tracks:
        circled, spent = counts.get(track.name, (0, 0))
        text.append(f"{render.ACTION_CODES[track.name]} ", Style(bold=True))
        text.append("x" * spent)
        text.append("o" * (circled - spent), Style(bold=True))
        text.append("." * (track.fields - circled) + " ")
        if track.last:
            text += bonus_text(track.last, circled == track.fields)
        text.append("  ")
    return text


def dice_text(game: Game, wanted: Sequence[int]) -> Text:
    """Where the dice lie; a die can be clicked."""
    text = Text()
    solo_serving = "aside" in game.places
    places = [("set aside", "aside") if solo_serving else ("pool", "pool"), ("platter", "tray")]
    if not solo_serving:
        places.append(("fields", "field"))
    for name, place in places:
        text.append(f"{name} ", Style(bold=True))
        there = [i for i, where in enumerate(game.places) if where.startswith(place)]
        for i in sorted(there, key=lambda i: game.places[i]):
            die = game.sheet.dice[i]
            face = "?" if i in wanted else str(game.faces[i] or "?")
            look = style(die.paint.terminal, bold=True, meta={"die": str(i)})
            text += patch(f"{die.letter}{face}", look, " ")
        text.append("-  " if not there else " ")
    return text


# --- the app ------------------------------------------------------------------------------------


class TextScreen(ModalScreen[None]):
    """A page of text; any key closes it."""

    def __init__(self, text: str | Text) -> None:
        super().__init__()
        self.text = text

    def compose(self) -> ComposeResult:
        with VerticalScroll(id="page"):
            yield Static(self.text, markup=False)
            yield Static(" Press Escape to go back.")

    def on_key(self, event: events.Key) -> None:
        if event.key in ("escape", "enter", "space", "q", "question_mark", "s"):
            event.stop()
            self.dismiss()


class TableApp(App[bool]):
    """A game at one screen; returns whether it was finished."""

    CSS = """
    #head { height: 1; text-style: bold; }
    #middle { height: 2fr; min-height: 18; }
    #left { width: 51; height: auto; }
    #right { width: 1fr; height: 100%; }
    #question { height: auto; max-height: 3; text-style: bold; }
    #choices { height: 1fr; border: none; padding: 0; background: $background; }
    #choices { text-wrap: nowrap; text-overflow: ellipsis; scrollbar-size-vertical: 1; }
    #choices > .option-list--option { padding: 0; }
    #story { height: 1fr; min-height: 3; }
    #typed { height: 1; border: none; padding: 0; display: none; }
    #small { display: none; }
    .small #small { display: block; }
    .small #middle, .small #head, .small #story { display: none; }
    .typing #typed { display: block; }
    TextScreen { align: center middle; }
    #page { width: 100%; height: 100%; background: $background; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("u", "undo", "Undo"),
        Binding("h", "hint", "Hint"),
        Binding("s", "sheets", "Sheets"),
        Binding("colon", "type", "Type", key_display=":"),
        Binding("question_mark", "help", "Help", key_display="?"),
        Binding("q", "leave", "Quit"),
        Binding("ctrl+c", "interrupt", show=False, priority=True),
    ]
    ENABLE_COMMAND_PALETTE = False
    TITLE = "Foxtray"

    def __init__(self, table: Terminal) -> None:
        super().__init__()
        self.table = table
        self.told: list[str] = []
        """What happened, the latest last."""
        self.hinted = ""
        """The hint for this decision."""
        self.thinking = False
        self.tie: tuple[int, ...] = ()
        """The faces of a roll of real dice, while the app asks which equal dice lie closest."""

    def compose(self) -> ComposeResult:
        yield Static(id="head", markup=False)
        with Horizontal(id="middle"):
            with Vertical(id="left"):
                yield Static(id="sheet", markup=False)
                yield Static(id="dice", markup=False)
                yield Static(id="rounds", markup=False)
            with Vertical(id="right"):
                yield Static(id="question", markup=False)
                yield OptionList(id="choices", markup=False)
        yield Static(id="story", markup=False)
        yield Static(id="small", markup=False)
        yield Input(id="typed", compact=True)
        yield Footer()

    def on_mount(self) -> None:
        table = self.table
        table.save()
        if not table.record.inputs:
            table.hear(table.record.game.opening)
        self.proceed()

    # --- what is shown -------------------------------------------------------------------------

    @property
    def game(self) -> Game:
        return self.table.record.game

    @property
    def highlighted(self) -> Choice | None:
        """The choice that is looked at."""
        at = self.query_one("#choices", OptionList).highlighted
        offered = self.table.offered
        return offered[at] if at is not None and at < len(offered) else None

    @property
    def own_dice(self) -> bool:
        """Whether the faces of real dice have to be typed now."""
        return bool(self.game.rolling()) and self.table.record.dice is None

    def proceed(self) -> None:
        """Show the next decision; bots decide in the background first."""
        self.told += self.table.news
        self.table.news.clear()
        self.hinted = ""
        if self.game.over:
            self.finish()
            return
        seat = next((s for s in self.game.awaiting() if s in self.table.bots), None)
        rolls = self.game.rolling() and self.game.active in self.table.bots and not self.own_dice
        self.thinking = seat is not None or bool(rolls)
        self.table.offered = []
        if not self.thinking and self.game.awaiting():
            self.table.offered = choices(self.game, self.table.seat)
        self.list_choices()
        self.draw()
        if self.thinking:
            self.move_bot()

    @work(thread=True, exclusive=True, group="bot")
    def move_bot(self) -> None:
        self.table.move_bot()
        self.call_from_thread(self.proceed)

    def list_choices(self) -> None:
        """Fill the list: the choices, or the roll of the dice."""
        game, table = self.game, self.table
        options = self.query_one("#choices", OptionList)
        options.clear_options()
        question = ""
        typing = False
        if self.thinking:
            question = f"{table.name(game.active)}thinking ..."
        elif table.offered:
            question = f"{table.name(table.seat)}{words.question(game, table.seat)}"
            options.add_options([Option(self.label(choice)) for choice in table.offered])
        elif game.rolling():
            letters = " ".join(game.sheet.letters[d] for d in game.rolling())
            if self.own_dice:
                question = f"{table.name(table.seat)}Roll {letters} and type the faces"
                typing = True
            else:
                question = f"{table.name(table.seat)}Roll the dice"
                options.add_option(Option(f"Roll {letters}", id=ROLL))
        self.query_one("#question", Static).update(question)
        self.set_class(typing, "typing")
        if typing:
            self.query_one("#typed", Input).focus()
        elif options.option_count:
            options.highlighted = 0
            options.focus()

    def label(self, choice: Choice) -> Text:
        """A choice in the list: the die, where it goes, what it scores and triggers."""
        game, action = self.game, choice.action
        text = Text(overflow="ellipsis", no_wrap=True)
        if action.kind not in MARKS:
            return text.append(f"{words.choice(game, self.table.seat, action)}")
        if action.kind == codes.ENTER:
            die = game.sheet.dice[action.die]
            text.append(f"{die.letter}{game.faces[action.die]}", style(die.paint.terminal))
            text.append(" ")
        text.append(f"{str(action).partition('>')[2] or action} {choice.gain:+d}")
        if choice.sets_off:
            text.append(f" {', '.join(choice.sets_off)}")
        return text

    def draw(self) -> None:
        """Draw everything but the list."""
        game, table = self.game, self.table
        seat, choice = table.seat, self.highlighted
        cards = game.scores()
        drawing = SheetDrawing(
            game.sheet,
            game.marks(seat),
            cards[seat].areas,
            choice.after.marks(seat) if choice else game.marks(seat),
            frozenset(each.marked[0] for each in table.offered if each.marked),
        )
        lines = [*drawing.lines(), tracks_text(game, seat)]
        self.query_one("#sheet", Static).update(Text("\n").join(lines))
        card = cards[seat]
        head = Text(f"{game.sheet.title}   foxes {card.foxes} x {card.fox_value}  ")
        for other, each in enumerate(cards):
            name = table.who(other)[:SHORT] if game.seats > 1 else "total"
            head.append(f" {name} {each.total} ", Style(reverse=other == seat and game.seats > 1))
        self.query_one("#head", Static).update(head)
        rounds = render.rounds(game.sheet, game.seats, game.round)
        self.query_one("#rounds", Static).update(rounds)
        wanted = range(codes.DICE) if game.state.phase == codes.OPENING else game.rolling()
        self.query_one("#dice", Static).update(dice_text(game, wanted))
        self.tell()

    def tell(self) -> None:
        """Show what the highlighted choice does, the hint, and what happened, the latest first."""
        lines: list[str] = []
        if choice := self.highlighted:
            lines.append(f"{choice.action}: {self.consequence(choice)}")
        if self.hinted:
            lines.append(f"- {self.hinted}")
        lines += [f"- {text}" for text in reversed(self.told[-20:])]
        self.query_one("#story", Static).update("\n".join(lines))

    def consequence(self, choice: Choice) -> str:
        """Everything a choice does, in words."""
        game = self.game
        if choice.action.kind not in MARKS:
            return words.choice(game, self.table.seat, choice.action)
        parts = [f"{choice.gain:+d} points", *choice.sets_off]
        if choice.to_tray:
            sent = [game.sheet.dice[die].colour for die in choice.to_tray]
            parts.append(f"sends {words.listed(sent)} to the platter")
        return ", ".join(parts)

    def say(self, sentence: str) -> None:
        """Tell the player something that is not part of the game."""
        self.told.append(sentence)
        self.tell()

    def on_resize(self, event: events.Resize) -> None:
        small = event.size.width < WIDTH or event.size.height < HEIGHT
        self.set_class(small, "small")
        self.query_one("#small", Static).update(
            f"This terminal has {event.size.width} x {event.size.height} characters.\n"
            f"The table needs {WIDTH} x {HEIGHT}: make it larger,\n"
            "or quit (q) and play with --plain."
        )

    # --- what is chosen ------------------------------------------------------------------------

    def on_option_list_option_highlighted(self, event: OptionList.OptionHighlighted) -> None:
        if self.table.offered:
            self.draw()

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        if self.thinking:
            return
        if event.option.id == ROLL:
            self.attempt(partial(self.table.throw, ""))
        elif choice := self.highlighted:
            self.attempt(partial(self.table.act, str(choice.action)))

    def on_click(self, event: events.Click) -> None:
        """A click on a cell or die shows a choice there; a second one on a cell plays it."""
        meta = event.style.meta
        offered = self.table.offered
        if "cell" in meta:
            here = [i for i, c in enumerate(offered) if meta["cell"] in c.marked[:1]]
        elif "die" in meta:
            enters = codes.ENTER
            die = int(meta["die"])
            here = [
                i for i, c in enumerate(offered) if (c.action.kind, c.action.die) == (enters, die)
            ]
        else:
            return
        options = self.query_one("#choices", OptionList)
        if not here:
            self.say("nothing can be marked there now")
        elif "cell" in meta and options.highlighted in here and len(here) == 1:
            options.action_select()
        else:
            # Several dice may fit the same cell: each click shows the next one.
            later = [i for i in here if options.highlighted is None or i > options.highlighted]
            options.highlighted = (later or here)[0]
            options.focus()

    def attempt(self, change: partial[None]) -> bool:
        """Do something that may be refused; True if it was done."""
        try:
            change()
        except FoxtrayError as error:
            self.say(str(error))
            return False
        self.table.save()
        self.proceed()
        return True

    def on_input_submitted(self, event: Input.Submitted) -> None:
        text = " ".join(event.value.lower().split())
        event.input.clear()
        if text in ("q", "u", "h", "s", "?"):
            self.run_key(text)
        elif self.own_dice:
            self.attempt(partial(self.type_faces, text))
        else:
            self.remove_class("typing")
            self.query_one("#choices", OptionList).focus()
            self.attempt(partial(self.table.act, text))

    def run_key(self, key: str) -> None:
        """A key that was typed where faces or notation are expected."""
        actions = {"q": self.action_leave, "u": self.action_undo, "h": self.action_hint}
        actions |= {"s": self.action_sheets, "?": self.action_help}
        actions[key]()

    def type_faces(self, text: str) -> None:
        """Read the faces of real dice, and which of several equal dice go to the platter."""
        game = self.game
        if self.tie:
            faces, self.tie = self.tie, ()
            self.table.hear(self.table.record.roll(settled(game, faces, text)))
            return
        faces = parse_faces(game, text)
        left, equal = game.undecided(faces)
        if left:
            self.tie = faces
            letters = " ".join(game.sheet.letters[d] for d in equal)
            raise FoxtrayError(f"{left} of {letters} go to the platter: type which are closest")
        self.table.hear(self.table.record.roll(Throw(faces)))

    # --- keys ----------------------------------------------------------------------------------

    def action_undo(self) -> None:
        self.tie = ()
        if not self.thinking:
            self.attempt(partial(self.table.undo))

    def action_type(self) -> None:
        if self.table.offered:
            self.add_class("typing")
            self.query_one("#typed", Input).focus()

    def action_help(self) -> None:
        example = next(
            (str(c.action) for c in self.table.offered), str(self.game.layout.actions[0])
        )
        keys = HELP.format(example=example)
        self.push_screen(TextScreen(f"{keys}\n{render.legend(self.game.sheet)}"))

    def action_sheets(self) -> None:
        self.push_screen(TextScreen("\n".join(result(self.game, names=self.table.players))))

    def action_leave(self) -> None:
        self.exit(False)

    def action_interrupt(self) -> None:
        self.exit(False, return_code=INTERRUPTED)

    def action_hint(self) -> None:
        if self.hinted == LOOKING:
            return
        if self.table.offered:
            self.hinted = LOOKING
            self.tell()
            seeker = Thread(target=self.find_hint, args=(self.game, self.table.seat), daemon=True)
            seeker.start()
        elif not self.thinking:
            self.say(NO_CHOICE)

    def find_hint(self, game: Game, seat: int) -> None:
        """Find a hint in a thread of its own, for which leaving does not wait.

        The compiler may take a minute, and cannot be stopped.
        """
        try:
            told = " ".join(line.strip() for line in self.table.hint(game, seat))
        except FoxtrayError as error:
            told = str(error)
        if self.is_running:
            with contextlib.suppress(RuntimeError):  # the player has just left
                self.call_from_thread(self.show_hint, game, told)

    def show_hint(self, game: Game, told: str) -> None:
        """Show a hint below the sheet, or on a page of its own if it is longer."""
        if game is not self.game:
            return  # the player has already decided
        self.hinted = told
        action = told.removeprefix("Hint: ").partition(" ")[0]
        for i, choice in enumerate(self.table.offered):
            if str(choice.action) == action:
                self.query_one("#choices", OptionList).highlighted = i
        self.tell()
        story = self.query_one("#story", Static)
        about = str(story.content).splitlines()[: 1 + bool(self.highlighted)]
        lines = [part for line in about for part in textwrap.wrap(line, story.size.width)]
        if len(lines) > story.size.height and len(self.screen_stack) == 1:
            self.push_screen(TextScreen(f"{told}\n"))

    # --- how it ends ---------------------------------------------------------------------------

    def finish(self) -> None:
        """Show all sheets; leaving the page leaves the game."""
        page = TextScreen("\n".join(result(self.game, names=self.table.players)))
        self.push_screen(page, lambda _: self.exit(True))


def play(table: Terminal) -> None:
    """Play a game at the table, then say how it ended or how to continue."""
    app = TableApp(table)
    finished = app.run()
    if finished:
        table.finish()
        return
    table.leave()
    if app.return_code == INTERRUPTED:
        raise KeyboardInterrupt
