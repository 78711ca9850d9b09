"""The course of a game as an SVG: the expected points as a line, luck and price as bars."""

from __future__ import annotations

from html import escape

from foxtray.review.model import SeatReview
from foxtray.review.words import ENGLISH, texts

WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 520, 340, 40, 12, 56, 34
"""Not wide, so that words can still be read on a phone."""
BARS = 100
"""The height of the part with bars, below the line."""
LINE = "#1f4f82"
COLOURS = {"roll": "#2f7d4f", "decision": "#a33327", "influence": "#b07a1e"}
"""By kind of moment."""
LONGEST = 50
"""The characters of a title that fit into the picture."""
STEPS = (5, 10, 20, 50, 100, 200)


def svg(player: SeatReview, title: str, language: str = ENGLISH) -> str:
    """The chart of one seat."""
    label = texts(language)
    moments = player.moments
    values = [player.expected, *(moment.after for moment in moments), player.result]
    step = next((s for s in STEPS if (max(values) - min(values)) / s <= 6), STEPS[-1])
    low = int(min(values) // step) * step
    high = (int(max(values) // step) + 1) * step
    bottom = HEIGHT - BOTTOM - BARS
    changes = [moment.after - moment.before for moment in moments]
    largest = max([1.0, *(abs(change) for change in changes)])
    count = max(1, len(moments))

    def x(place: float) -> float:
        return LEFT + place / count * (WIDTH - LEFT - RIGHT)

    def y(value: float) -> float:
        return bottom - (value - low) / (high - low) * (bottom - TOP)

    zero = HEIGHT - BOTTOM - BARS / 2
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" '
        'font-family="sans-serif" font-size="14" fill="#333">',
        f"<title>{escape(title)}</title>",
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#fff"/>',
        text(LEFT, 20, shorten(title), "start", ' font-size="16"'),
    ]
    at = LEFT
    keys = [(LINE, "value"), (COLOURS["roll"], "luck"), (COLOURS["decision"], "price")]
    if any(moment.kind == "influence" for moment in moments):
        keys.append((COLOURS["influence"], "others"))
    for colour, key in keys:
        word = label[f"page.{key}"]
        parts.append(f'<rect x="{at}" y="32" width="10" height="10" fill="{colour}"/>')
        parts.append(text(at + 15, 42, word, "start"))
        at += 34 + 8 * len(word)
    for value in range(low, high + 1, step):
        parts.append(f'<path d="M{LEFT} {y(value):.1f}H{WIDTH - RIGHT}" stroke="#ddd"/>')
        parts.append(text(LEFT - 6, y(value) + 4, str(value), "end"))
    parts.append(f'<path d="M{LEFT} {zero:.1f}H{WIDTH - RIGHT}" stroke="#999"/>')
    seen = -1
    for place, moment in enumerate(moments):
        if moment.round != seen:
            seen = moment.round
            where = x(place)
            parts.append(
                f'<path d="M{where:.1f} {TOP}V{HEIGHT - BOTTOM}" stroke="#ccc" '
                'stroke-dasharray="3 3"/>'
            )
            parts.append(text(where + 3, HEIGHT - 14, f"{seen + 1}", "start"))
        change = changes[place]
        tall = abs(change) / largest * BARS / 2
        if tall >= 0.5:
            top = zero - tall if change > 0 else zero
            colour = COLOURS[moment.kind]
            wide = max(1.5, (WIDTH - LEFT - RIGHT) / count - 1)
            parts.append(
                f'<rect x="{x(place):.1f}" y="{top:.1f}" width="{wide:.1f}" '
                f'height="{tall:.1f}" fill="{colour}"/>'
            )
    line = f"M{x(0):.1f} {y(player.expected):.1f}" + "".join(
        f"L{x(place + 1):.1f} {y(moment.after):.1f}" for place, moment in enumerate(moments)
    )
    parts.append(f'<path d="{line}" fill="none" stroke="{LINE}" stroke-width="2"/>')
    parts.append(text(WIDTH - RIGHT, HEIGHT - 14, label["page.round"], "end"))
    return "\n".join([*parts, "</svg>"]) + "\n"


def shorten(title: str) -> str:
    """A title that fits; the whole one is what the picture is called."""
    return title if len(title) <= LONGEST else title[: LONGEST - 1] + "…"


def text(x: float, y: float, words: str, anchor: str = "middle", more: str = "") -> str:
    """Words in the picture."""
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{more}>{escape(words)}</text>'
