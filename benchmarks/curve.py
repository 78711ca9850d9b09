"""Draw the learning curves of training runs: python benchmarks/curve.py RUN.npz... > curve.svg"""

from __future__ import annotations

import sys
from pathlib import Path

from foxtray.train.run import Trainer

WIDTH, HEIGHT, MARGIN = 640, 320, 44
INKS = ("#1f5fa8", "#b3451d", "#3b7d3b", "#7a4ca0")


def label(run: Trainer) -> str:
    seats = sorted(set(run.plan.seats))
    return "1 seat" if seats == [1] else f"{seats[0]} to {seats[-1]} seats"


def main() -> None:
    runs = [Trainer.load(Path(name)) for name in sys.argv[1:]]
    most = max(run.history[-1][0] for run in runs)
    top = 20 * (1 + max(mean for run in runs for _, mean, _ in run.history) // 20)
    low = 20 * (min(mean for run in runs for _, mean, _ in run.history) // 20)

    def x(games: float) -> float:
        return MARGIN + games / most * (WIDTH - 2 * MARGIN)

    def y(mean: float) -> float:
        return HEIGHT - MARGIN - (mean - low) / (top - low) * (HEIGHT - 2 * MARGIN)

    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" '
        'font-family="sans-serif" font-size="12">',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#ffffff"/>',
    ]
    for line in range(int(low), int(top) + 1, 40):
        lines.append(
            f'<line x1="{MARGIN}" x2="{WIDTH - MARGIN}" y1="{y(line):.1f}" y2="{y(line):.1f}" '
            f'stroke="#dddddd"/><text x="8" y="{y(line) + 4:.1f}">{line}</text>'
        )
    for k in range(5):
        games = most * k / 4
        lines.append(
            f'<text x="{x(games):.1f}" y="{HEIGHT - 20}" text-anchor="middle">'
            f"{games / 1000:.0f}k</text>"
        )
    for k, (run, ink) in enumerate(zip(runs, INKS, strict=False)):
        points = " ".join(f"{x(games):.1f},{y(mean):.1f}" for games, mean, _ in run.history)
        lines.append(f'<polyline points="{points}" fill="none" stroke="{ink}" stroke-width="2"/>')
        lines.append(
            f'<text x="{WIDTH - MARGIN}" y="{HEIGHT - MARGIN - 20 * (len(runs) - k):.1f}" '
            f'fill="{ink}" text-anchor="end">{run.plan.game}, {label(run)}</text>'
        )
    lines.append(f'<text x="{WIDTH / 2}" y="{HEIGHT - 4}" text-anchor="middle">games</text></svg>')
    print("\n".join(lines))


if __name__ == "__main__":
    main()
