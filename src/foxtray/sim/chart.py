"""The score distribution, drawn for the terminal and as an SVG."""

from __future__ import annotations

from html import escape
from itertools import count

from foxtray.games.registry import sheet_of
from foxtray.sim.summary import Summary

BARS = " ▏▎▍▌▋▊▉█"
WIDTHS = [step * 10**power for power in range(5) for step in (1, 2, 5)]
COLOURS = ("#2f6fb3", "#d9822b", "#3d8b4f", "#8a4fa3")
# The size of the picture, and its margins for labels.
WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 760, 400, 64, 16, 56, 48


def title(summary: Summary) -> str:
    """What was played, in a few words."""
    table = "solo" if summary.seats == 1 else f"{summary.seats} seats"
    games = "1 game" if summary.games == 1 else f"{summary.games:,} games"
    house = "".join(f", {name}=on" for name in summary.options)
    return f"{sheet_of(summary.game).title}, {table}, {games}, seed {summary.seed}{house}"


def bins(summary: Summary, most: int) -> tuple[int, list[tuple[int, list[float]]]]:
    """The width of the bins, and for each bin its lowest total and the share of games per seat."""
    spans = [summary.totals(seat)[0] for seat in range(summary.seats)]
    low, high = min(int(span[0]) for span in spans), max(int(span[-1]) for span in spans)
    width = next(width for width in WIDTHS if high // width - low // width < most)
    starts = range(low // width * width, high + 1, width)
    shares = {start: [0.0] * summary.seats for start in starts}
    for seat in range(summary.seats):
        values, counts = summary.totals(seat)
        for value, number in zip(values.tolist(), counts.tolist(), strict=True):
            shares[value // width * width][seat] += number / summary.games
    return width, list(shares.items())


def bar(share: float, width: int, plain: bool) -> str:
    """A horizontal bar, exact to an eighth of a character, or plain ASCII."""
    if plain:
        return "#" * round(share * width)
    whole, part = divmod(round(share * width * 8), 8)
    return BARS[8] * whole + (BARS[part] if part else "")


def terminal(summary: Summary, columns: int = 80, rows: int = 20, plain: bool = False) -> list[str]:
    """A histogram of the totals, with the seats side by side."""
    width, found = bins(summary, rows)
    highest = max(max(shares) for _, shares in found)
    room = max(8, (columns - 13) // summary.seats - 9)
    lines = []
    for start, shares in found:
        label = f"{start}" if width == 1 else f"{start} to {start + width - 1}"
        drawn = (f"{s:6.1%} {bar(s / highest, room, plain):<{room + 2}}" for s in shares)
        lines.append(f" {label:>11} " + "".join(drawn).rstrip())
    return lines


def svg(summary: Summary) -> str:
    """The histogram as a picture."""
    width, found = bins(summary, 60)
    highest = max(max(shares) for _, shares in found)
    step: float = next(s / 1000 for s in WIDTHS if highest <= 5 * s / 1000)
    steps = next(k for k in count(1) if k * step >= highest)
    first, last = found[0][0], found[-1][0] + width

    def x(total: float) -> float:
        return LEFT + (total - first) / (last - first) * (WIDTH - LEFT - RIGHT)

    def y(share: float) -> float:
        return HEIGHT - BOTTOM - share / (steps * step) * (HEIGHT - TOP - BOTTOM)

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" '
        'font-family="sans-serif" font-size="13" fill="#333">',
        f"<title>{escape(title(summary))}</title>",
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#fff"/>',
        text(LEFT, 22, title(summary), "start", ' font-size="16"'),
    ]
    for k in range(steps + 1):
        at = y(k * step)
        parts.append(f'<path d="M{LEFT} {at:.1f}H{WIDTH - RIGHT}" stroke="#ddd"/>')
        parts.append(text(LEFT - 6, at + 4, f"{k * step:.1%}".replace(".0%", "%"), "end"))
    between = next(w for w in WIDTHS if (last - first) / w <= 12)
    for total in range(-(-first // between) * between, last + 1, between):
        parts.append(text(x(total), HEIGHT - BOTTOM + 18, str(total)))
    parts.append(text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 10, "total"))
    for seat, name in enumerate(summary.bots):
        colour = COLOURS[seat]
        outline = f"M{x(first):.1f} {y(0):.1f}" + "".join(
            f"V{y(shares[seat]):.1f}H{x(start + width):.1f}" for start, shares in found
        )
        parts.append(
            f'<path d="{outline}V{y(0):.1f}Z" fill="{colour}" fill-opacity="0.3" '
            f'stroke="{colour}"/>'
        )
        mean = x(summary.mean(seat))
        parts.append(
            f'<path d="M{mean:.1f} {TOP}V{y(0):.1f}" stroke="{colour}" stroke-dasharray="5 4"/>'
        )
        label = f"{name}: mean {summary.mean(seat):.1f}, sd {summary.sd(seat):.1f}"
        at = LEFT + seat * (WIDTH - LEFT - RIGHT) / summary.seats
        parts.append(f'<rect x="{at:.1f}" y="34" width="11" height="11" fill="{colour}"/>')
        parts.append(text(at + 16, 44, label, "start", ' font-size="12"'))
    return "\n".join([*parts, "</svg>"]) + "\n"


def text(x: float, y: float, words: str, anchor: str = "middle", more: str = "") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{more}>{escape(words)}</text>'
