"""The command that rates a bot. Imports nothing heavy until it runs."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Sequence
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any

from foxtray.arguments import AddCommand, whole
from foxtray.bots.levels import can_play, check
from foxtray.errors import BadSetup, FoxtrayError
from foxtray.games.registry import SHEETS, folder_of
from foxtray.rating.certificate import (
    ADJUSTED,
    PERCENTILES,
    BadCertificate,
    Certificate,
    Part,
    read,
    verify,
)
from foxtray.rating.suite import GAMES, SUITE, check_games, first_seed
from foxtray.sim.commands import ProgressBar, add_weights, finder, need_numbers

if TYPE_CHECKING:
    from foxtray.sim.batch import Games

SAMPLED = 10
"""Games of a part whose luck is computed again when a certificate is verified."""


def add(command: AddCommand) -> None:
    """Add the command to a parser."""
    rate = command(
        "rate",
        "rate a bot by a fixed suite of games, with a certificate",
        [
            "strong",
            "mine --game {one} --games 200 --out mine.json",
            "--verify mine.json",
            "mine --verify mine.json",
        ],
    )
    rate.add_argument("bot", nargs="?", metavar="BOT", help="the bot; with --verify: plays again")
    rate.add_argument(
        "--game",
        choices=tuple(SHEETS),
        action="append",
        help="rate only in this game (default: every game the bot plays)",
    )
    rate.add_argument(
        "--games",
        type=whole,
        default=GAMES,
        metavar="N",
        help=f"play only the first N games of the suite (default: {GAMES})",
    )
    rate.add_argument("--no-luck", action="store_true", help="do not compute the luck of the games")
    rate.add_argument(
        "--jobs", type=whole, metavar="J", help="number of processes (default: one per core)"
    )
    add_weights(rate)
    rate.add_argument(
        "--out", type=Path, metavar="FILE", help="the certificate (default: BOT-suite1.json)"
    )
    rate.add_argument("--verify", type=Path, metavar="FILE", help="verify a certificate instead")
    rate.add_argument("--json", action="store_true", help="print one JSON object")
    rate.set_defaults(run=run_rate)


def run_rate(args: argparse.Namespace) -> int:
    if args.verify:
        return run_verify(args)
    if args.bot is None:
        raise BadSetup("name a bot to rate, or a certificate with --verify")
    check(args.bot, args.weights)
    check_games(args.games)
    out = args.out or Path(f"{args.bot}-suite{SUITE}.json")
    if out.exists():
        raise BadSetup(f"{out} already exists; choose another --out file")
    need_numbers()
    games = games_for(args)
    jobs = jobs_of(args)
    parts = []
    for game in games:
        part = play(args.bot, game, args.games, jobs, args.weights)
        if not args.no_luck and folder_of(game).weights is not None:
            from foxtray.rating.luck import with_luck

            progress = Told(f"luck in {game}", args.games)
            part = with_luck(part, jobs, progress)
            progress.wipe()
        parts.append(part)
    from foxtray.rating.identity import identity

    bot = identity(args.bot, games, args.weights)
    certificate = Certificate(bot, tuple(parts), date.today().isoformat())
    sha256 = certificate.save(out)
    tell(certificate, args.json, sha256)
    if not args.json:
        print(f" certificate: {out}, {sha256[:16]}")
    return 0


def jobs_of(args: argparse.Namespace) -> int:
    from foxtray.sim.simulation import MOST_JOBS

    jobs: int = os.cpu_count() or 1 if args.jobs is None else args.jobs
    if not 1 <= jobs <= MOST_JOBS:
        raise BadSetup(f"cannot use {jobs} processes; choose 1 to {MOST_JOBS}")
    return jobs


def games_for(args: argparse.Namespace) -> list[str]:
    """The games to rate a bot in."""
    if args.weights is not None:
        from foxtray.bots.weights import read_weights

        playable = [read_weights(args.weights).card["game"]]
    else:
        playable = [game for game in SHEETS if can_play(args.bot, game)]
    wanted = list(dict.fromkeys(args.game or playable))
    for game in wanted:
        if game not in playable:
            raise BadSetup(f"bot {args.bot} does not play {game}")
    return wanted


class Told:
    """Progress of something that counts up."""

    def __init__(self, what: str, wanted: int) -> None:
        from time import perf_counter

        self.clock, self.began = perf_counter, perf_counter()
        self.bar = ProgressBar(wanted)
        if sys.stderr.isatty():
            print(f"foxtray: {what}", file=sys.stderr)

    def __call__(self, done: int) -> None:
        self.bar.show(done, self.clock() - self.began)

    def wipe(self) -> None:
        self.bar.wipe()


def play(bot: str, game: str, count: int, jobs: int, weights: Path | None) -> Part:
    """The games of a part, played by the bot."""
    from foxtray.core.layout import layout
    from foxtray.sim.loops import SEAT_SHIFT
    from foxtray.sim.simulation import simulate

    find = finder(game, [bot], weights)
    actions = layout(game).actions
    totals: list[int] = []
    moves: list[str] = []

    def keep(games: Games) -> None:
        totals.extend(games.totals[:, 0].tolist())
        for i, made in enumerate(games.decisions[:, 0].tolist()):
            ids = games.moves[i, :made] & (1 << SEAT_SHIFT) - 1
            moves.append(" ".join(str(actions[k]) for k in ids.tolist()))

    progress = Told(f"{bot} plays {game}", count)
    summary = simulate(
        game,
        [bot],
        count,
        seed=first_seed(game),
        jobs=min(jobs, count),
        find=find,
        moves=True,
        each=keep,
        watch=lambda summary: progress(summary.games),
    )
    progress.wipe()
    if summary.interrupted:
        print("foxtray: interrupted; there is no certificate", file=sys.stderr)
        raise KeyboardInterrupt
    return Part(game, tuple(totals), tuple(moves))


def tell(certificate: Certificate, as_json: bool, sha256: str) -> None:
    """Print the figures."""
    if as_json:
        parts = [
            {"game": part.game, "games": len(part.totals), **part.figures()}
            for part in certificate.parts
        ]
        print(
            json.dumps({"bot": certificate.bot, "suite": SUITE, "parts": parts, "sha256": sha256})
        )
        return
    print("\n".join(described(certificate)))


def described(certificate: Certificate) -> list[str]:
    """The figures as text."""
    lines = [f" {certificate.bot['name']}, suite {SUITE}, solo", ""]
    heads = "".join(f"{f'p{share}':>7}" for share in PERCENTILES)
    lines.append(f" {'game':<10}{'games':>11}{'mean':>9}{'error':>8}{heads}")
    for part in certificate.parts:
        found = part.figures()
        count = len(part.totals)
        games = f"{count:,}" if count == GAMES else f"{count:,}/{GAMES:,}"
        shares = "".join(f"{found['percentiles'][str(share)]:>7g}" for share in PERCENTILES)
        lines.append(f" {part.game:<10}{games:>11}{found['mean']:>9.2f}{found['se']:>8.2f}{shares}")
    lines.append("")
    for part in certificate.parts:
        found = part.figures()
        if found["method"] == ADJUSTED:
            plain = found["means"]["plain"]
            lines.append(
                f" {part.game}: luck-adjusted; the plain mean is {plain['mean']:.2f}"
                f" +-{plain['se']:.2f}"
            )
    return lines


# --- verifying ------------------------------------------------------------------------------------


def run_verify(args: argparse.Namespace) -> int:
    given: dict[str, Any] = {"--game": args.game, "--out": args.out, "--no-luck": args.no_luck}
    for option, value in given.items():
        if value:
            raise BadSetup(f"{option} cannot be combined with --verify; leave it out")
    certificate, whole_file = read(args.verify)
    if args.bot is not None:
        check(args.bot, args.weights)
    progress = Told("replaying", sum(len(part.totals) for part in certificate.parts))
    said = [
        f"{part.game}: all {count} games replayed"
        for part, count in verify_named(args.verify, certificate, progress)
    ]
    progress.wipe()
    said += [check_luck(args.verify, part) for part in certificate.parts if part.luck]
    if args.bot is not None:
        need_numbers()
        said += [compare(args, part) for part in certificate.parts]
    if args.json:
        tell(certificate, True, whole_file["sha256"])
        return 0
    tell(certificate, False, whole_file["sha256"])
    print("".join(f" {sentence}\n" for sentence in said), end="")
    print(f" Verified: {whole_file['sha256'][:16]}")
    return 0


def verify_named(
    path: Path, certificate: Certificate, progress: Told
) -> Sequence[tuple[Part, int]]:
    """Replay the games; an error names the file."""
    try:
        return list(verify(certificate, progress))
    except BadCertificate as error:
        raise BadCertificate(f"{path}: {error}") from None


def check_luck(path: Path, part: Part) -> str:
    """Compute the luck of some games again, if the same net is here."""
    try:
        need_numbers()
        from foxtray.rating.luck import games_of, luck_of, net_of
    except FoxtrayError as error:
        return f"{part.game}: luck not checked: {error}"
    assert part.luck
    if part.luck.weights != net_of(part.game):
        return f"{part.game}: luck not checked: it was valued by another net"
    step = max(1, len(part.totals) // SAMPLED)
    chosen = range(0, len(part.totals), step)
    games = games_of(part)
    for number in chosen:
        found = luck_of(games[number])
        if abs(found - part.luck.values[number]) > 0.02:
            raise BadCertificate(
                f"{path}: {part.game}, game {number + 1}: the luck is {found:.2f}, "
                f"not {part.luck.values[number]:.2f}"
            )
    return f"{part.game}: luck of {len(chosen)} games computed again"


def compare(args: argparse.Namespace, part: Part) -> str:
    """Let a bot play the same games again."""
    again = play(args.bot, part.game, len(part.totals), jobs_of(args), args.weights)
    same = sum(one == other for one, other in zip(part.moves, again.moves, strict=True))
    return f"{part.game}: {args.bot} played {same} of {len(part.totals)} games move for move"
