"""Rankings of a day and of a week, distributions and streaks, from results."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Sequence

from foxtray.server.daily.calendar import later
from foxtray.server.protocol.messages import DailyBin, DailyPlace
from foxtray.server.store import DailyResult

BEST_DAYS = 5
"""How many days of a week count."""
TOP = 20
AROUND = 2
"""Lines above and below the player's own, if that is not among the first."""
BIN = 20
"""Points."""


def places(results: Sequence[DailyResult], player: str | None) -> list[DailyPlace]:
    """Everybody's place: of one day, or of the best days of a week."""
    scored: defaultdict[str, list[int]] = defaultdict(list)
    names: dict[str, str] = {}
    for result in results:
        scored[result.player].append(result.total)
        names[result.player] = result.name
    points = {who: sum(sorted(totals)[-BEST_DAYS:]) for who, totals in scored.items()}
    ranked = sorted(points, key=lambda who: -points[who])  # stable: who was earlier stays first
    found: list[DailyPlace] = []
    for number, who in enumerate(ranked, 1):
        equal = found and found[-1].points == points[who]
        place = found[-1].place if equal else number
        found.append(DailyPlace(place, names[who], points[who], len(scored[who]), who == player))
    return found


def shown(lines: Sequence[DailyPlace]) -> list[DailyPlace]:
    """The first lines, and those around the player's own."""
    mine = next((n for n, line in enumerate(lines) if line.mine), 0)
    near = range(mine - AROUND, mine + AROUND + 1)
    return [line for n, line in enumerate(lines) if n < TOP or n in near]


def bins(totals: Sequence[int], mine: int | None) -> list[DailyBin]:
    """The distribution of totals, without gaps."""
    if not totals:
        return []
    counts: defaultdict[int, int] = defaultdict(int)
    for total in totals:
        counts[total // BIN] += 1
    return [
        DailyBin(n * BIN, counts[n], mine is not None and mine // BIN == n)
        for n in range(min(counts), max(counts) + 1)
    ]


def streak(days: Collection[str], today: str) -> int:
    """Days played in a row up to today; today may still come, and one missed day in seven is
    forgiven."""
    day = today if today in days else later(today, -1)
    count = 0
    since_missed = 7
    while True:
        if day in days:
            count += 1
            since_missed += 1
        elif since_missed >= 6 and count and later(day, -1) in days:
            since_missed = 0
        else:
            return count
        day = later(day, -1)
