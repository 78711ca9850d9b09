"""The table in the terminal, driven by keys and mouse as Textual's pilot presses them."""

import asyncio
import os
import pty
import random
import subprocess
import sys
import threading
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from textual.pilot import Pilot
from textual.widgets import Input, OptionList, Static

from foxtray import Game, bots, cli, extras, render
from foxtray.history import Setup
from foxtray.record import Record, read
from foxtray.terminal import Terminal
from foxtray.terminal_table import HEIGHT, SHEET, WIDTH, SheetDrawing, TableApp, TextScreen

Steps = Callable[["Pilot[bool]", TableApp], Awaitable[None]]


def seat(setup: Setup, path: Path | None = None) -> TableApp:
    table = Terminal(Record(setup), input, print, path=path)
    table.bots = {
        at: bots.bot(name).choose for at, name in enumerate(setup.names) if name in bots.names()
    }
    table.hint = cli.hint_lines
    return TableApp(table)


def drive(app: TableApp, steps: Steps, size: tuple[int, int] = (WIDTH, HEIGHT)) -> TableApp:
    async def run() -> None:
        async with app.run_test(size=size) as pilot:
            await settle(pilot, app)
            await steps(pilot, app)

    asyncio.run(run())
    return app


async def settle(pilot: "Pilot[bool]", app: TableApp) -> None:
    """Wait until it is a person's turn."""
    await pilot.pause()
    while app.thinking:
        await asyncio.sleep(0.01)
    await pilot.pause()


async def press(pilot: "Pilot[bool]", app: TableApp, *keys: str) -> None:
    for key in keys:
        await pilot.press(key)
        await settle(pilot, app)


async def type_in(pilot: "Pilot[bool]", app: TableApp, text: str) -> None:
    app.query_one("#typed", Input).value = text
    await press(pilot, app, "enter")


def text_of(app: TableApp, selector: str) -> str:
    return str(app.screen_stack[0].query_one(selector, Static).render())


def inputs(app: TableApp) -> list[str]:
    return app.table.record.text().splitlines()[6:]


def play_ahead(record: Record, inputs: int) -> int:
    """Play at random for a number of inputs, or to the end; returns how many there were."""
    chance = random.Random(3)
    for done in range(inputs):
        game = record.game
        if game.over:
            return done
        if game.rolling():
            record.roll()
        else:
            at = game.awaiting()[0]
            record.play(at, chance.choice(game.legal(at)))
    return inputs


@pytest.mark.parametrize("game", ["clever", "twice"])
@pytest.mark.parametrize("seats", [1, 4])
def test_a_whole_game_fits_in_80_by_24(
    game: str, seats: int, tmp_path: Path, long_run: bool
) -> None:
    names = ("Ana", "random", "greedy", "Maximiliana of Tarrega")[:seats] if seats > 1 else ()
    setup = Setup(game, seats, seed=3, names=names)
    whole = play_ahead(Record(setup), 10_000)

    async def steps(pilot: "Pilot[bool]", app: TableApp) -> None:
        began = len(app.table.record.inputs)
        while not app.game.over and (long_run or len(app.table.record.inputs) < began + 6):
            left = app.query_one("#left")
            assert left.size.width > SHEET
            for name in ("#head", "#sheet", "#rounds", "#dice", "#story", "#choices"):
                region = app.query_one(name).region
                assert region.bottom <= HEIGHT - 1
                assert region.right <= WIDTH
            for name in ("#sheet", "#rounds", "#dice"):
                shown = text_of(app, name).splitlines()
                assert max(map(len, shown)) <= left.size.width
                assert len(shown) == app.query_one(name).size.height, "a line was wrapped or cut"
            await press(pilot, app, "enter")
        if app.game.over:
            assert isinstance(app.screen, TextScreen)
            await press(pilot, app, "escape")

    for start in [0] if long_run else [0, whole // 2, whole - 4]:
        path = tmp_path / f"{start}.fox"
        app = seat(setup, path)
        play_ahead(app.table.record, start)
        drive(app, steps)
        record, verified = read(path.read_text())
        assert verified
        assert record.game == app.game
    assert app.return_value is True


def test_every_place_of_a_sheet_is_drawn_and_can_be_clicked() -> None:
    for game in ("clever", "twice"):
        sheet = Game.new(game).sheet
        drawing = SheetDrawing(sheet, {}, [123] * len(sheet.areas), {}, frozenset())
        lines = drawing.lines()
        assert max(line.cell_len for line in lines) <= SHEET
        found = {
            span.style.meta["cell"]
            for line in lines
            for span in line.spans
            if not isinstance(span.style, str) and "cell" in span.style.meta
        }
        assert found == {name for area in sheet.areas for name in area.cell_names()}
        printed = " ".join(line.plain for line in lines)
        for bonus in sheet.bonuses():
            if bonus not in [track.last for track in sheet.tracks]:
                assert render.bonus_code(bonus) in printed or bonus in sheet.round_bonus


def test_the_highlighted_choice_is_shown_on_the_sheet_and_changes_nothing() -> None:
    app = seat(Setup("clever", seed=3))

    async def steps(pilot: "Pilot[bool]", app: TableApp) -> None:
        assert "<X>" not in text_of(app, "#sheet")
        await press(pilot, app, "enter")
        before = app.game
        seen = set()
        for choice in app.table.offered:
            assert ("<" in text_of(app, "#sheet")) == bool(choice.marked)
            said = f"{choice.gain:+d} points" if choice.marked else "roll the whole pool again"
            assert text_of(app, "#story").startswith(f"{choice.action}: {said}")
            seen.add(text_of(app, "#sheet"))
            await press(pilot, app, "down")
        assert len(seen) > 3
        assert app.game is before

    drive(app, steps)


async def find_cell(pilot: "Pilot[bool]", app: TableApp, name: str) -> tuple[int, int]:
    """Where a cell is drawn on the sheet."""
    sheet = app.query_one("#sheet")
    for y in range(sheet.size.height):
        for x in range(sheet.size.width):
            if (
                app.screen.get_style_at(sheet.region.x + x, sheet.region.y + y).meta.get("cell")
                == name
            ):
                return x, y
    raise AssertionError(f"{name} is not on the screen")


def test_a_click_shows_a_place_and_the_next_one_marks_it() -> None:
    app = seat(Setup("clever", seed=3))

    async def steps(pilot: "Pilot[bool]", app: TableApp) -> None:
        await press(pilot, app, "enter")
        offered = app.table.offered
        cells = [choice.marked[0] for choice in offered if choice.marked]
        once = next(i for i, cell in enumerate(cells) if i and cells.count(cell) == 1)
        where = await find_cell(pilot, app, cells[once])
        await pilot.click("#sheet", offset=where)
        await settle(pilot, app)
        assert app.query_one("#choices", OptionList).highlighted == once
        assert not app.game.marks(0)
        await pilot.click("#sheet", offset=where)
        await settle(pilot, app)
        assert app.game.marks(0)[cells[once]]

    drive(app, steps)


def test_places_that_do_not_fit_are_refused_by_a_sentence() -> None:
    async def steps(pilot: "Pilot[bool]", app: TableApp) -> None:
        where = await find_cell(pilot, app, "b12")
        await pilot.click("#sheet", offset=where)
        await settle(pilot, app)
        assert "nothing can be marked there now" in text_of(app, "#story")
        assert not app.game.marks(0)

    drive(seat(Setup("clever", seed=3)), steps)


def test_undo_takes_back_the_last_action() -> None:
    async def steps(pilot: "Pilot[bool]", app: TableApp) -> None:
        await press(pilot, app, "enter", "enter")
        assert app.game.marks(0)
        await press(pilot, app, "u")
        assert not app.game.marks(0)
        assert "was undone" in text_of(app, "#story")
        await press(pilot, app, "u")
        assert "there is nothing to undo" in text_of(app, "#story")

    drive(seat(Setup("clever", seed=3)), steps)


def test_choices_can_be_typed() -> None:
    async def steps(pilot: "Pilot[bool]", app: TableApp) -> None:
        await press(pilot, app, "enter")
        action = str(app.table.offered[2].action)
        await press(pilot, app, "colon")
        await type_in(pilot, app, "fly")
        assert "'fly' is not an action" in text_of(app, "#story")
        await press(pilot, app, "colon")
        await type_in(pilot, app, action)
        assert inputs(app)[-1].endswith(action)

    drive(seat(Setup("clever", seed=3)), steps)


def test_real_dice_are_typed_and_ties_are_asked() -> None:
    async def steps(pilot: "Pilot[bool]", app: TableApp) -> None:
        await type_in(pilot, app, "12345")
        assert "type a face from 1 to 6" in text_of(app, "#story")
        await type_in(pilot, app, "123456")
        await press(pilot, app, "u")
        assert app.game.rolling(), "faces that were mistyped can be undone"
        while app.game.address() is None or app.game.address()[1] > 0:  # type: ignore[index]
            if app.game.rolling():
                await type_in(pilot, app, "1" * len(app.game.rolling()))
            else:
                await press(pilot, app, "end", "enter")
        await type_in(pilot, app, "222222")
        assert "3 of w y b g o p go to the platter" in text_of(app, "#story")
        await type_in(pilot, app, "wyy")
        assert "choose 3 of w y b g o p; type the faces again" in text_of(app, "#story")
        await type_in(pilot, app, "222222")
        await type_in(pilot, app, "pob")
        assert [app.game.places[i] for i in (2, 4, 5)] == ["tray"] * 3

    drive(seat(Setup("clever")), steps)


def test_players_have_names_and_bots_play_by_themselves() -> None:
    setup = Setup("clever", 2, names=("Ana", "greedy"), seed=3, first=1)

    async def steps(pilot: "Pilot[bool]", app: TableApp) -> None:
        assert "Ana" in text_of(app, "#question")
        assert "greedy" in text_of(app, "#head")
        assert any("w" in line for line in inputs(app)), "the bot has played"

    drive(seat(setup), steps)


def test_a_small_terminal_is_told_and_a_larger_one_used() -> None:
    async def steps(pilot: "Pilot[bool]", app: TableApp) -> None:
        await pilot.resize_terminal(60, 20)
        await settle(pilot, app)
        assert app.query_one("#small").display
        assert "60 x 20" in text_of(app, "#small")
        assert not app.query_one("#sheet").is_on_screen
        await pilot.resize_terminal(140, 50)
        await settle(pilot, app)
        assert app.query_one("#sheet").is_on_screen
        assert app.query_one("#choices").size.height > 25

    drive(seat(Setup("twice", seed=3)), steps)


@pytest.mark.parametrize("key", ["question_mark", "s"])
def test_pages_open_and_close(key: str) -> None:
    async def steps(pilot: "Pilot[bool]", app: TableApp) -> None:
        await press(pilot, app, key)
        assert isinstance(app.screen, TextScreen)
        await press(pilot, app, "escape")
        assert not isinstance(app.screen, TextScreen)

    drive(seat(Setup("clever", seed=3)), steps)


def test_a_hint_without_its_packages_is_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(extras, "find_spec", lambda name: None)

    async def steps(pilot: "Pilot[bool]", app: TableApp) -> None:
        await press(pilot, app, "enter", "h")
        while "looking" in text_of(app, "#story").splitlines()[1]:
            await pilot.pause(0.05)
        assert "needs numpy and numba; to install" in text_of(app, "#story")

    drive(seat(Setup("clever", seed=3)), steps)


def test_before_a_roll_there_is_no_hint() -> None:
    """The key did nothing."""

    async def steps(pilot: "Pilot[bool]", app: TableApp) -> None:
        await press(pilot, app, "h")
        assert "- roll the dice first; there is nothing to choose yet" in text_of(app, "#story")

    drive(seat(Setup("clever", seed=3)), steps)


@pytest.mark.parametrize("words", [5, 80])
def test_a_hint_can_be_read_and_ends_with_its_decision(words: int) -> None:
    """A long one was cut off, and it stayed below the sheet for the rest of the turn."""
    app = seat(Setup("clever", seed=3))
    app.table.hint = lambda game, seat: [f"Hint: {game.legal(seat)[1]}", "word " * words]

    async def steps(pilot: "Pilot[bool]", app: TableApp) -> None:
        await press(pilot, app, "enter", "h")
        while "looking" in text_of(app, "#story"):
            await pilot.pause(0.05)
        assert isinstance(app.screen, TextScreen) == (words > 5)
        if isinstance(app.screen, TextScreen):
            assert str(app.screen.text).count("word") == words
            await press(pilot, app, "escape")
        told = text_of(app, "#story").splitlines()
        assert app.highlighted is not None
        assert told[0].startswith(f"{app.highlighted.action}: ")
        assert told[1].startswith(f"- Hint: {app.highlighted.action} word")
        await press(pilot, app, "enter")
        assert "Hint" not in text_of(app, "#story")

    drive(app, steps)


def test_leaving_does_not_wait_for_a_hint() -> None:
    """The first hint may take a minute to compile, and the terminal stayed blank for as long."""
    looking, enough = threading.Event(), threading.Event()

    def slow(game: Game, seat: int) -> list[str]:
        looking.set()
        enough.wait(20)
        return ["Hint: late"]

    app = seat(Setup("clever", seed=3))
    app.table.hint = slow

    async def steps(pilot: "Pilot[bool]", app: TableApp) -> None:
        await press(pilot, app, "enter", "h", "h")
        assert text_of(app, "#story").count("looking for a hint") == 1
        await press(pilot, app, "q")

    start = time.monotonic()
    drive(app, steps)
    assert time.monotonic() - start < 10
    assert looking.is_set()
    enough.set()


def test_a_hint_names_a_choice(long_run: bool) -> None:
    if not long_run:
        return  # compiles the net first

    async def steps(pilot: "Pilot[bool]", app: TableApp) -> None:
        await press(pilot, app, "enter", "h")
        while "looking" in text_of(app, "#story").splitlines()[1]:
            await pilot.pause(0.1)
        assert "Hint: " in text_of(app, "#story")
        assert app.highlighted is not None
        assert f"Hint: {app.highlighted.action}" in text_of(app, "#story")

    drive(seat(Setup("clever", seed=3)), steps)


# --- the real terminal --------------------------------------------------------------------------


def in_a_terminal(
    *args: str, keys: bytes = b"", wait: bytes = b"Quit", errors: int | None = None
) -> tuple[int, bytes]:
    """Run a command in a terminal of its own, press keys once something is shown."""
    leader, follower = pty.openpty()
    surroundings = os.environ | {"TERM": "xterm-256color", "COLUMNS": "80", "LINES": "24"}
    with subprocess.Popen(
        [sys.executable, "-m", "foxtray", *args],
        stdin=follower,
        stdout=follower,
        stderr=follower if errors is None else errors,
        env=surroundings,
        start_new_session=True,
    ) as process:
        os.close(follower)
        shown, end = b"", time.monotonic() + 60
        while time.monotonic() < end:
            try:
                shown += os.read(leader, 65536)
            except OSError:  # the other end is closed
                break
            if keys and wait in shown:
                os.write(leader, keys)
                keys = b""
    os.close(leader)
    return process.returncode, shown


def test_a_terminal_gets_the_table_and_ctrl_c_leaves_it(tmp_path: Path) -> None:
    path = tmp_path / "game.fox"
    status, shown = in_a_terminal("play", "clever", "--save", str(path), keys=b"\x03")
    assert status == 130
    assert b"foxtray play --resume" in shown
    assert read(path.read_text())[0].game.seats == 1


def test_errors_in_a_file_leave_plain_lines() -> None:
    """Textual draws on standard error, so `foxtray play 2>log` showed an empty screen."""
    args, enter = ("play", "clever"), b"press Enter to roll"
    status, shown = in_a_terminal(*args, keys=b"q\r", wait=enter, errors=subprocess.DEVNULL)
    assert status == 0
    assert enter in shown


def test_plain_lines_are_there_for_screen_readers() -> None:
    args = ("play", "clever", "--plain")
    status, shown = in_a_terminal(*args, keys=b"q\r", wait=b"press Enter to roll")
    assert status == 0
    assert b"press Enter to roll" in shown
    assert b"Sheets" not in shown
