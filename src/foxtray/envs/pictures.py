"""A table as text or as a picture: the sheet of a seat, the dice, the points."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from foxtray import render
from foxtray.core import codes
from foxtray.game import Game
from foxtray.games.model import Area, Bonus, Die, Line

CELL, GAP = 40, 12
"""The side of a cell and the space around panels, in pixels."""
COLUMNS = 12
WIDTH = (COLUMNS + 1) * CELL + 2 * GAP
PAPER, INK, FAINT = "#ffffff", "#2a2d33", "#8a8f98"


def as_text(game: Game, seat: int) -> str:
    """The table for a terminal."""
    rounds = render.rounds(game.sheet, game.seats, None if game.over else game.round)
    cards = game.scores()
    lines = [
        f" {game.sheet.title}   {rounds}",
        render.sheet(game.sheet, game.marks(seat), game.tracks(seat), cards[seat].areas),
        *points_lines(game, seat),
        render.dice(game.sheet, game.faces, game.places, unrolled(game)),
    ]
    return "\n".join(lines)


def points_lines(game: Game, seat: int) -> list[str]:
    """The points of every seat."""
    lines = []
    for other, card in enumerate(game.scores()):
        told = render.points(game.sheet, card.areas, card.foxes, card.fox_value, card.total)
        name = f"{'>' if other == seat else ' '} seat {other + 1}  " if game.seats > 1 else " "
        lines.append(name + told)
    return lines


def unrolled(game: Game) -> Sequence[int]:
    """The dice whose faces mean nothing now."""
    return range(codes.DICE) if game.state.phase == codes.OPENING else game.rolling()


def as_picture(game: Game, seat: int) -> np.ndarray[Any, np.dtype[np.uint8]]:
    """The table as pixels: red, green and blue by row and column."""
    # Drawn once without pixels, to learn the height.
    height = Painter(ImageDraw.Draw(Image.new("RGB", (1, 1)))).table(game, seat)
    image = Image.new("RGB", (WIDTH, height), PAPER)
    Painter(ImageDraw.Draw(image)).table(game, seat)
    return np.array(image, np.uint8)


class Painter:
    """Draws a table from top to bottom."""

    def __init__(self, draw: ImageDraw.ImageDraw) -> None:
        self.draw = draw
        self.font, self.small = ImageFont.load_default(17), ImageFont.load_default(13)

    def table(self, game: Game, seat: int) -> int:
        """Draw everything; returns the height."""
        sheet = game.sheet
        rounds = render.rounds(sheet, game.seats, None if game.over else game.round)
        self.line(GAP, GAP, f"{sheet.title}    {rounds}")
        y = GAP + CELL // 2 + GAP
        x, lowest = GAP, y
        marks, cards = game.marks(seat), game.scores()
        for i, area in enumerate(sheet.areas):
            values = [marks.get(name, 0) for name in area.cell_names()]
            width = (1 + max(c.column for c in area.cells) + 1) * CELL
            if x > GAP and (not area.grid or x + width > WIDTH):
                x, y = GAP, lowest
            end = self.area(x, y, area, values, cards[seat].areas[i])
            lowest = max(lowest, end + GAP)
            if area.grid:
                x += width + GAP
            else:
                x, y = GAP, lowest
        y = lowest
        for track in sheet.tracks:
            circled, spent = game.tracks(seat)[track.name]
            y = self.track(y, render.ACTION_WORDS[track.name], track.fields, circled, spent)
        y = self.dice(y, game)
        for told in points_lines(game, seat):
            self.line(GAP, y, told.strip())
            y += CELL // 2
        return y + GAP

    def line(self, x: int, y: int, text: str, colour: str = INK) -> None:
        self.draw.text((x, y), text, colour, self.font)

    def box(
        self, x: int, y: int, text: str, fill: str | None, outline: str | None, ink: str
    ) -> None:
        """A square with a text in its middle."""
        side = CELL - 4
        if fill or outline:
            self.draw.rounded_rectangle((x, y, x + side, y + side), 6, fill, outline, 2)
        font = self.font if len(text) < 3 else self.small
        self.draw.text((x + side / 2, y + side / 2), text, ink, font, anchor="mm")

    def area(self, x: int, y: int, area: Area, values: Sequence[int], points: int) -> int:
        """An area: its cells, and what lines and fields give; returns where it ends."""
        tones = area.die.paint.light
        self.line(x, y, f"{area.colour}  {points}", tones.ink)
        y += CELL // 2 + 4
        spots = [(c.row, c.column) for c in area.cells]
        rows, columns = (1 + max(spot[k] for spot in (*spots, *area.printed)) for k in (0, 1))
        for row, column in area.printed:
            self.box(x + column * CELL, y + row * CELL, "X", tones.strong, None, tones.on)
        for cell, value in zip(area.cells, values, strict=True):
            at = x + cell.column * CELL, y + cell.row * CELL
            done = render.is_done(area, value)
            text = render.cell_text(area, cell, value)
            colours = (tones.strong, None, tones.on) if done else (tones.soft, tones.ink, tones.ink)
            self.box(*at, text.strip(" []_"), *colours)
            if cell.bonus:
                self.bonus(x + cell.column * CELL, y + rows * CELL, cell.bonus, bool(value))
        for line in area.lines:
            if line.bonus:
                at = line_end(line, rows, columns)
                full = render.is_full(line, values)
                self.bonus(x + at[1] * CELL, y + at[0] * CELL, line.bonus, full)
        return y + (rows + 1) * CELL

    def bonus(self, x: int, y: int, bonus: Bonus, got: bool) -> None:
        self.box(x, y, render.bonus_code(bonus), None, INK if got else None, FAINT)

    def track(self, y: int, name: str, fields: int, circled: int, spent: int) -> int:
        self.line(GAP, y + 6, name)
        for k in range(fields):
            x = GAP + 4 * CELL + k * CELL
            text = "X" if k < spent else ""
            self.box(x, y, text, None, INK if k < circled else "#dddddd", INK)
        return y + CELL

    def dice(self, y: int, game: Game) -> int:
        """The dice, with the place of each below."""
        y += GAP
        hidden = set(unrolled(game))
        for i, (die, place) in enumerate(zip(game.sheet.dice, game.places, strict=True)):
            face = 0 if i in hidden else game.faces[i]
            self.die(GAP + i * 2 * CELL, y, die, face)
            where = "platter" if place == "tray" else place
            self.draw.text((GAP + i * 2 * CELL, y + CELL), where, FAINT, self.small)
        return y + CELL + CELL // 2

    def die(self, x: int, y: int, die: Die, face: int) -> None:
        tones = die.paint.light
        self.box(x, y, str(face or "?"), tones.strong, INK, tones.on)


def line_end(line: Line, rows: int, columns: int) -> tuple[int, int]:
    """The row and column beside the grid where a line's bonus stands."""
    if line.kind == "row":
        return line.index, columns
    if line.kind == "column":
        return rows, line.index
    return rows, columns
