"""The command review. It imports nothing heavy until it runs."""

from __future__ import annotations

import argparse
import json
import math
import sys
import textwrap
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from foxtray.arguments import INTERRUPTED, AddCommand, whole
from foxtray.dice import SeededDice
from foxtray.errors import BadSetup, FoxtrayError
from foxtray.files import replacing
from foxtray.game import Game
from foxtray.games.registry import folder_of
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
        "files",
        type=Path,
        nargs="+",
        metavar="FILE",
        help="one or more .fox files, or - for the standard input",
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
    SeededDice(args.seed)  # refuses a seed that is too large
    need_numbers()
    effort: EffortName = "deep" if args.deep else "quick" if args.quick else "normal"
    games = [Named(str(path), load(path)[0]) for path in args.files]
    check_seat(games, args.seat)
    if several:
        games = counting(games)
    progress = Progress(len(games))
    found: list[Review] = []
    try:
        with ExitStack() as files:
            # Opened before the work, so that a wrong name is reported at once.
            picture = files.enter_context(replacing(args.svg)) if args.svg else None
            written = files.enter_context(replacing(args.html)) if args.html else None
            pool = files.enter_context(pool_at(args.ray))
            for each in reviews(games, effort, args, pool, progress):
                found.append(each)
                progress.done += 1
                progress.show(0.0)
            heading = args.files[0].name
            if heading == "-":
                heading = folder_of(found[0].game).text(args.lang)["title"]
            if picture:
                drawn = found[0].players[0]
                whose = f": {seat_name(drawn, args.lang)}" if found[0].seats > 1 else ""
                picture.write(chart.svg(drawn, heading + whose, args.lang))
            if written:
                before = games_before(games[0].record)
                written.write(page.html(found[0], before, heading, args.lang))
    except KeyboardInterrupt:
        progress.wipe()
        print(f"foxtray: interrupted after {len(found)} of {len(games)} games", file=sys.stderr)
        if several and found:
            tell_strengths(found, args.json)
        return INTERRUPTED
    except BaseException:
        progress.wipe()
        raise
    progress.wipe()
    if several:
        tell_strengths(found, args.json)
    elif args.json:
        print(json.dumps(found[0].as_json()))
    else:
        print("\n".join(report(games_before(games[0].record), found[0], args.lang)))
    return 0


class Named(NamedTuple):
    """A record and the name of its file."""

    name: str
    record: Record


def check_seat(games: Sequence[Named], seat: int | None) -> None:
    """Refuse a seat that one of the games does not have, before the first one is reviewed."""
    for name, record in games:
        seats = record.setup.seats
        if seat is not None and not 1 <= seat <= seats:
            which = "only seat 1" if seats == 1 else f"seats 1 to {seats}"
            raise BadSetup(f"{name}: there is no seat {seat}; this game has {which}")


def counting(games: Sequence[Named]) -> list[Named]:
    """The games that show strength: those that are over, each of them once."""
    found: dict[str, Named] = {}
    for game in games:
        text = game.record.text()
        if not game.record.game.over:
            note(f"{game.name} is not finished, so it does not count")
        elif text in found:
            note(f"{game.name} is the same game as {found[text].name}; it counts once")
        else:
            found[text] = game
    if not found:
        raise FoxtrayError("none of these games is finished; only finished games show strength")
    return list(found.values())


def note(sentence: str) -> None:
    print(f"foxtray: {sentence}", file=sys.stderr)


def games_before(record: Record) -> list[Game]:
    """The game before each input."""
    from foxtray.review.reviewing import games_of

    return games_of(record)


def reviews(
    games: Sequence[Named],
    effort: EffortName,
    args: argparse.Namespace,
    pool: Pool | None,
    progress: Progress,
) -> Iterator[Review]:
    """Review games one after the other here, or many at the same time in a pool."""
    seats = None if args.seat is None else [args.seat - 1]
    if pool is None:
        for _, record in games:
            yield review(record, effort, args.seed, seats=seats, watch=progress.show)
        return
    work = partial(review_sent, effort=effort, seed=args.seed, seats=seats)
    yield from pool.map(work, (SentGame(name, record.text()) for name, record in games))


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
            lines.append(f" {seat_name(player, language)}")
        own = found.seats == 1
        lines += wrapped(words.summary(player, language, found.finished, own))
        lines += ["", *rounds(player, found.seats > 1, found.finished, language), ""]
        costly = player.costliest()
        if not costly:
            lines += wrapped(words.texts(language)["page.none"])
        for decision in costly:
            lines += told(found.game, decision, games[decision.at], player.seat, language)
        lines.append("")
    return lines


def seat_name(player: SeatReview, language: str) -> str:
    """A seat at a table, by its number and its name."""
    name = f" ({player.name})" if player.name else ""
    return f"{words.say(language, 'told.seat', n=player.seat + 1)}{name}"


def wrapped(text: str, indent: str = " ") -> list[str]:
    return filled(text, indent, indent)


def filled(text: str, first: str, other: str) -> list[str]:
    """Lines of a text, broken between words: a re-roll stays whole."""
    return textwrap.wrap(
        text, WIDTH, initial_indent=first, subsequent_indent=other, break_on_hyphens=False
    )


def rounds(player: SeatReview, shared: bool, finished: bool, language: str) -> list[str]:
    """Expectation, luck and price by round; the printed figures add up to the result."""
    label = words.texts(language)
    keys = ["luck", "others", "price", "correction"] if shared else ["luck", "price", "correction"]
    heads = [label["told.expected"], *(label[f"page.{key}"] for key in keys)]
    wide = [max(9, len(head) + 2) for head in heads]

    def row(name: str, start: float, parts: dict[str, float]) -> str:
        cells = [words.decimal(language, start)]
        cells += [page.signed(language, parts[key]) for key in keys]
        figures = "".join(cell.rjust(width) for cell, width in zip(cells, wide, strict=True))
        return f" {name:<10}{figures}"

    lines = [" " * 11 + "".join(head.rjust(width) for head, width in zip(heads, wide, strict=True))]
    expected, luck, influence, price, correction = words.tenths(player)
    whole = {"luck": luck, "others": influence, "price": price, "correction": correction}
    value = player.expected
    sums, printed = ({"luck": 0.0, "others": 0.0, "price": 0.0} for _ in range(2))
    numbers = sorted({moment.round for moment in player.moments})
    for number in numbers:
        start = round(value, 1)
        for moment in player.moments:
            if moment.round == number:
                key = {"roll": "luck", "influence": "others"}.get(moment.kind, "price")
                sums[key] += moment.after - moment.before
                value = moment.after
        if number == numbers[-1]:
            value = player.result
        # Sums are rounded, not their parts, so columns add up; rows do with the correction.
        parts = {key: round(sums[key], 1) - printed[key] for key in sums}
        printed = {key: round(sums[key], 1) for key in sums}
        parts["correction"] = round(value, 1) - start - math.fsum(parts.values())
        lines.append(row(f"{label['page.round']} {number + 1}", start, parts))
    total = row(label["told.all"], expected, whole)
    return [*lines, f"{total}  = {page.points(player, finished, language)}"]


def told(game: str, decision: Decision, before: Game, seat: int, language: str) -> list[str]:
    """One decision: what was chosen, what was better, and why."""
    doubt = ""
    if decision.error >= page.LEAST_DOUBT:
        doubt = f" (±{words.decimal(language, decision.error)})"
    price = words.decimal(language, decision.price)
    heading = words.say(language, "told.decision", round=decision.round + 1, points=price)
    lines = [f" {heading}{doubt}"]
    if dice := words.dice(before, language):
        lines += wrapped(dice, "   ")
    for key, line in (("chosen", decision.chosen), ("better", decision.best)):
        label = words.texts(language)[f"page.{key}"]
        text = f"{label} {' '.join(line.actions)} ({words.decimal(language, line.points)})"
        if language == words.ENGLISH:
            text += f": {words.in_english(before, seat, line.actions)}"
        lines += filled(text, "   ", "     ")
    for sentence in words.sentences(game, decision, language):
        lines += wrapped(sentence, "   ")
    if len(decision.steps) > 1:
        lines += wrapped(words.costliest_step(decision, language), "   ")
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
    return [*lines, "", " Strength: points per game with the luck of the dice taken out (± error)."]


def span(mean: float, error: float | None) -> str:
    return f"{mean:.1f}" + (" ± ?" if error is None else f" ± {error:.1f}")
