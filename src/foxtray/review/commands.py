"""The command review. It imports nothing heavy until it runs."""

from __future__ import annotations

import argparse
import json
import sys
import textwrap
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from foxtray.arguments import INTERRUPTED, AddCommand, whole
from foxtray.errors import BadSetup, FoxtrayError
from foxtray.files import replacing
from foxtray.game import Game
from foxtray.record import Record, read
from foxtray.review import chart, page, review, words
from foxtray.review.model import Decision, EffortName, Hint, Review, SeatReview
from foxtray.review.strength import Strength, strengths
from foxtray.sim.commands import add_ray, need_numbers, pool_at

if TYPE_CHECKING:
    from foxtray.sim.workers import Pool

WIDTH = 79
Load = Callable[[Path], tuple[Record, bool]]


def add(command: AddCommand, load: Load) -> None:
    """Add the command to a parser; `load` reads a record."""
    parser = command(
        "review",
        "review games: the price of every decision, the luck of every roll",
        [
            "evening.fox",
            "evening.fox --deep --html evening.html",
            "evening.fox --seat 2 --json",
            "games/*.fox",
        ],
    )
    parser.add_argument(
        "files", type=Path, nargs="+", metavar="FILE", help="one or more .fox files"
    )
    parser.add_argument("--seat", type=whole, metavar="N", help="review only this seat")
    parser.add_argument("--deep", action="store_true", help="take about ten times as long")
    parser.add_argument("--quick", action="store_true", help="take about a third of the time")
    parser.add_argument("--seed", type=whole, default=0, metavar="S", help="seed of the samples")
    add_ray(parser)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--svg", type=Path, metavar="FILE.svg", help="draw the course of the game")
    parser.add_argument("--html", type=Path, metavar="FILE.html", help="write a page of its own")
    parser.add_argument(
        "--lang",
        choices=words.languages(),
        default=words.ENGLISH,
        help="language of the sentences and the page (default: en)",
    )
    parser.set_defaults(run=lambda args: run(args, load))


def run(args: argparse.Namespace, load: Load) -> int:
    """Review one game in full, or several for the strength of their players."""
    if args.deep and args.quick:
        raise BadSetup("--deep and --quick cannot be combined")
    several = len(args.files) > 1
    if several and (args.svg or args.html):
        raise BadSetup("--svg and --html need a single file")
    check_name(args.svg, ".svg")
    check_name(args.html, ".html")
    need_numbers()
    effort: EffortName = "deep" if args.deep else "quick" if args.quick else "normal"
    records = [load(path)[0] for path in args.files]
    progress = Progress(len(records))
    found: list[Review] = []
    try:
        with pool_at(args.ray) as pool:
            for each in reviews(records, effort, args, pool, progress):
                found.append(each)
                progress.done += 1
                progress.show(0.0)
    except KeyboardInterrupt:
        progress.wipe()
        print(f"foxtray: interrupted after {len(found)} of {len(records)} games", file=sys.stderr)
        if several and found:
            tell_strengths(found, args.json)
        return INTERRUPTED
    progress.wipe()
    if several:
        tell_strengths(found, args.json)
        return 0
    tell(args, records[0], found[0])
    return 0


def reviews(
    records: Sequence[Record],
    effort: EffortName,
    args: argparse.Namespace,
    pool: Pool | None,
    progress: Progress,
) -> Iterator[Review]:
    """Review games one after the other here, or many at the same time in a pool."""
    seats = None if args.seat is None else [args.seat - 1]
    if pool is None:
        for record in records:
            yield review(record, effort, args.seed, seats=seats, watch=progress.show)
        return
    work = partial(review_sent, effort=effort, seed=args.seed, seats=seats)
    named = zip(args.files, records, strict=True)
    yield from pool.map(work, (SentGame(str(path), record.text()) for path, record in named))


class SentGame(NamedTuple):
    """A game to review elsewhere."""

    name: str
    text: str

    def __str__(self) -> str:
        return f"the review of {self.name}"


def review_sent(
    game: SentGame, effort: EffortName, seed: int, seats: Sequence[int] | None
) -> Review:
    return review(read(game.text)[0], effort, seed, seats=seats)


def check_name(path: Path | None, ending: str) -> None:
    """Refuse a file name that does not suit its contents."""
    if path and path.suffix.lower() != ending:
        raise BadSetup(f"cannot write to {path}; its name must end in {ending}")


def tell(args: argparse.Namespace, record: Record, found: Review) -> None:
    """Print one review, and write its files."""
    from foxtray.review.reviewing import games_of

    heading = args.files[0].name
    games = games_of(record)
    if args.svg:
        with replacing(args.svg) as file:
            file.write(chart.svg(found.players[0], heading, args.lang))
    if args.html:
        with replacing(args.html) as file:
            file.write(page.html(found, games, heading, args.lang))
    if args.json:
        print(json.dumps(found.as_json()))
    else:
        print("\n".join(report(games, found, args.lang)))


def tell_strengths(found: Sequence[Review], as_json: bool) -> None:
    """Print the strength of the players of several games."""
    every = strengths(found)
    if as_json:
        print(json.dumps({"strengths": [each.as_json() for each in every]}))
    else:
        print("\n".join(ranking(every)))


class Progress:
    """How far the review is; silent unless stderr is a terminal."""

    EVERY = 0.1
    WIDTH = 30

    def __init__(self, wanted: int) -> None:
        self.wanted, self.done = wanted, 0
        self.shown = 0.0

    def show(self, share: float) -> None:
        now = time.monotonic()
        if not sys.stderr.isatty() or now - self.shown < self.EVERY:
            return
        self.shown = now
        share = (self.done + share) / self.wanted
        full = int(self.WIDTH * share)
        line = f"[{'#' * full}{'.' * (self.WIDTH - full)}] {share:4.0%}"
        print(f"\r{line}", end="", file=sys.stderr, flush=True)

    def wipe(self) -> None:
        if self.shown:
            print("\r" + " " * WIDTH + "\r", end="", file=sys.stderr, flush=True)


# --- text -----------------------------------------------------------------------------------------


def report(games: Sequence[Game], found: Review, language: str = words.ENGLISH) -> list[str]:
    """A review as text: the summary, the rounds, and the costliest decisions."""
    lines: list[str] = []
    for player in found.players:
        if found.seats > 1:
            name = f" ({player.name})" if player.name else ""
            lines.append(f" Seat {player.seat + 1}{name}")
        lines += wrapped(words.summary(player, language, found.finished))
        lines += ["", *rounds(player, found.seats > 1), ""]
        costly = player.costliest()
        if not costly:
            lines += wrapped(words.texts(language)["page.none"])
        for decision in costly:
            lines += told(found.game, decision, games[decision.at], player.seat, language)
        lines.append("")
    return lines


def wrapped(text: str, indent: str = " ") -> list[str]:
    return textwrap.wrap(text, WIDTH, initial_indent=indent, subsequent_indent=indent)


def rounds(player: SeatReview, shared: bool) -> list[str]:
    """Expectation, luck and price by round; the figures add up to the result."""
    others = f"{'others':>9}" if shared else ""
    lines = [f" {'':<10}{'expected':>9}{'luck':>9}{others}{'price':>9}{'correction':>12}"]
    value = player.expected
    for number in sorted({moment.round for moment in player.moments}):
        luck = gain = price = correction = 0.0
        start = value
        for moment in player.moments:
            if moment.round == number:
                correction += moment.correction
                change = moment.after - moment.before
                if moment.kind == "roll":
                    luck += change
                elif moment.kind == "influence":
                    gain += change
                else:
                    price -= change
                value = moment.after
        middle = f"{gain:+9.1f}" if shared else ""
        sums = f"{luck:+9.1f}{middle}{-price:9.1f}{correction:+12.1f}"
        lines.append(f" round {number + 1:<4}{start:9.1f}{sums}")
    middle = f"{player.influence:+9.1f}" if shared else ""
    lines.append(
        f" {'all':<10}{player.expected:9.1f}{player.luck:+9.1f}{middle}{-player.price:9.1f}"
        f"{player.correction:+12.1f}  = {player.result:.0f}"
    )
    return lines


def told(game: str, decision: Decision, before: Game, seat: int, language: str) -> list[str]:
    """One decision: what was chosen, what was better, and why."""
    doubt = f" (±{decision.error:.1f})" if decision.error >= page.LEAST_DOUBT else ""
    lines = [f" Round {decision.round + 1}: {decision.price:.1f} points{doubt}"]
    for label, line in (("chosen", decision.chosen), ("better", decision.best)):
        actions = " ".join(line.actions)
        text = (
            f"{label} {actions} ({line.points:.1f}): {words.in_english(before, seat, line.actions)}"
        )
        lines += textwrap.wrap(text, WIDTH, initial_indent="   ", subsequent_indent="     ")
    for sentence in words.sentences(game, decision, language):
        lines += wrapped(sentence, "   ")
    step = max(decision.steps, key=lambda step: step.price)
    if len(decision.steps) > 1:
        lines.append(f"   Of this, {step.action} gave away {step.price:.1f}.")
    return lines


def hinted(game: Game, seat: int, found: Hint) -> list[str]:
    """A hint for the terminal: the line, its value, and one sentence."""
    actions = " ".join(found.best.actions)
    text = f"Hint: {actions} ({words.in_english(game, seat, found.best.actions)})."
    value = f"{found.best.points:.0f} points expected."
    if found.best.win_chance is not None:
        value = f"{found.best.points:.0f} points and a {found.best.win_chance:.0%} chance to win."
    return wrapped(f"{text} {value} {words.advice(game.sheet.id, found)}")


def ranking(every: Sequence[Strength]) -> list[str]:
    """The strength of players as text."""
    lines = [
        f" {'player':<16}{'game':<10}{'games':>6}{'strength':>17}{'plain mean':>17}{'luck':>8}"
        f"{'price':>8}"
    ]
    for each in every:
        table = each.game if each.seats == 1 else f"{each.game} {each.seats}"
        lines.append(
            f" {each.name:<16.15}{table:<10}{each.games:>6}{span(each.mean, each.error):>17}"
            f"{span(each.plain_mean, each.plain_error):>17}{each.luck:>+8.1f}{each.price:>8.1f}"
        )
    if not every:
        raise FoxtrayError("none of these games is finished; only finished games show strength")
    return [*lines, "", " Strength: points per game with the luck of the dice taken out (± error)."]


def span(mean: float, error: float | None) -> str:
    return f"{mean:.1f}" + (" ± ?" if error is None else f" ± {error:.1f}")
