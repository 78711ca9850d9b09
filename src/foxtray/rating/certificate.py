"""Certificates: the games of a rated bot, move by move, and the figures that follow from them."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import fmean, stdev
from typing import Any

from foxtray import __version__
from foxtray.errors import FoxtrayError
from foxtray.files import replacing
from foxtray.game import RULES_VERSION
from foxtray.history import Setup
from foxtray.rating.suite import GAMES, SUITE, check_game, check_games, first_seed
from foxtray.record import Record

VERSION = 1
LARGEST = 64 << 20
"""In bytes; a whole certificate has about one million."""
PERCENTILES = (5, 10, 25, 50, 75, 90, 95)
PLAIN, ADJUSTED = "plain", "luck-adjusted"


class BadCertificate(FoxtrayError):
    """A certificate that cannot be read, or does not say what happened."""

    code = "bad_certificate"


@dataclass(frozen=True, slots=True)
class Luck:
    """The luck of every game, and what valued it."""

    weights: str
    """The first digits of the SHA-256 of the net."""
    values: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Part:
    """The games of one game."""

    game: str
    totals: tuple[int, ...]
    moves: tuple[str, ...]
    """The actions of each game, separated by spaces."""
    luck: Luck | None = None

    def figures(self) -> dict[str, Any]:
        """Everything that follows from the games."""
        means = {PLAIN: mean_of(self.totals)}
        if self.luck:
            pairs = zip(self.totals, self.luck.values, strict=True)
            means[ADJUSTED] = mean_of([total - luck for total, luck in pairs])
        method = min(means, key=lambda name: means[name]["se"])
        ordered = sorted(self.totals)
        return {
            "method": method,
            **means[method],
            "means": means,
            "min": ordered[0],
            "percentiles": {str(share): percentile(ordered, share) for share in PERCENTILES},
            "max": ordered[-1],
        }

    def seed(self, number: int) -> int:
        return first_seed(self.game) + number


@dataclass(frozen=True, slots=True)
class Certificate:
    """What a bot did in the suite."""

    bot: dict[str, Any]
    """Its name, its kind, and hashes of what it consists of."""
    parts: tuple[Part, ...]
    date: str

    def as_json(self) -> dict[str, Any]:
        parts = [
            {
                "game": part.game,
                "seats": 1,
                "first_seed": first_seed(part.game),
                "games": len(part.totals),
                "games_in_suite": GAMES,
                "figures": part.figures(),
                "moves_sha256": digest(list(part.moves)),
                "totals": list(part.totals),
                "moves": list(part.moves),
                "luck": asdict(part.luck) if part.luck else None,
            }
            for part in self.parts
        ]
        body = {
            "certificate": VERSION,
            "suite": SUITE,
            "foxtray": __version__,
            "rules": RULES_VERSION,
            "date": self.date,
            "bot": self.bot,
            "parts": parts,
        }
        return {**body, "sha256": digest(body)}

    def save(self, path: Path) -> str:
        """Write it to a file; returns its hash."""
        whole = self.as_json()
        with replacing(path) as file:
            json.dump(whole, file, indent=1)
            file.write("\n")
        return str(whole["sha256"])


def digest(value: Any) -> str:
    """The SHA-256 of a value as JSON, with sorted keys and no spaces."""
    text = json.dumps(value, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def mean_of(values: Sequence[float]) -> dict[str, float]:
    return {"mean": fmean(values), "se": stdev(values) / math.sqrt(len(values))}


def percentile(ordered: Sequence[int], share: int) -> float:
    """Interpolated between the totals."""
    at = share / 100 * (len(ordered) - 1)
    low, high = ordered[math.floor(at)], ordered[math.ceil(at)]
    return low + (high - low) * (at - math.floor(at))


# --- replaying ------------------------------------------------------------------------------------


def replay(game: str, seed: int, moves: str) -> Record:
    """A game by its moves and the dice of its seed; refuses moves that do not just end it."""
    record = Record(Setup(game, seed=seed))
    todo = iter(moves.split(" "))
    while not record.game.over:
        if record.game.rolling():
            record.roll()
        elif (text := next(todo, None)) is not None:
            record.play(0, text)
        else:
            raise BadCertificate("the moves end before the game does")
    if next(todo, None) is not None:
        raise BadCertificate("there are moves after the end of the game")
    return record


# --- verifying ------------------------------------------------------------------------------------


def read(path: Path) -> tuple[Certificate, dict[str, Any]]:
    """A certificate and its plain form; refuses one that contradicts itself."""
    if path.stat().st_size > LARGEST:
        raise BadCertificate(f"{path} is too large for a certificate")
    try:
        whole = json.loads(path.read_text(encoding="utf-8"))
        version, suite, rules = whole["certificate"], whole["suite"], whole["rules"]
    except (ValueError, TypeError, KeyError, RecursionError):
        raise BadCertificate(f"{path} is not a certificate") from None
    if (version, suite) != (VERSION, SUITE):
        raise BadCertificate(
            f"{path} is certificate version {version!r} of suite {suite!r}; "
            f"this Foxtray knows version {VERSION} of suite {SUITE}"
        )
    if rules != RULES_VERSION:
        raise BadCertificate(f"{path} was made under rules {rules!r}, not {RULES_VERSION}")
    try:
        body = {key: value for key, value in whole.items() if key != "sha256"}
        if digest(body) != whole["sha256"]:
            raise BadCertificate(f"{path} was changed: its hash does not match")
        parts = tuple(read_part(part) for part in whole["parts"])
        found = Certificate(dict(whole["bot"]), parts, str(whole["date"]))
        if not parts or not isinstance(found.bot["name"], str):
            raise TypeError
        # The version of Foxtray may differ; everything else must follow from the games.
        again = json.loads(json.dumps(found.as_json()))
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        if isinstance(error, FoxtrayError):
            raise
        raise BadCertificate(f"{path} is not a certificate") from None
    for part, expected in zip(whole["parts"], again["parts"], strict=True):
        for key, value in expected.items():
            if not same(part.get(key), value):
                raise BadCertificate(
                    f"{path}: {key!r} of {part['game']} does not follow from its games"
                )
    return found, whole


def same(told: Any, expected: Any) -> bool:
    """Whether two values are equal; versions of Python may round means differently."""
    if isinstance(expected, dict):
        return (
            isinstance(told, dict)
            and told.keys() == expected.keys()
            and all(same(told[key], value) for key, value in expected.items())
        )
    if isinstance(expected, float):
        return type(told) in (int, float) and math.isclose(told, expected, rel_tol=1e-9)
    return bool(told == expected)


def read_part(part: dict[str, Any]) -> Part:
    check_game(part["game"])
    totals, moves, luck = part["totals"], part["moves"], part["luck"]
    check_games(len(totals))
    good = (
        all(type(total) is int for total in totals)
        and all(isinstance(each, str) for each in moves)
        and len(moves) == len(totals)
    )
    if luck is not None:
        values = tuple(luck["values"])
        good &= len(values) == len(totals) and all(
            type(value) in (int, float) and math.isfinite(value) for value in values
        )
        luck = Luck(str(luck["weights"]), values)
    if not good:
        raise TypeError
    return Part(part["game"], tuple(totals), tuple(moves), luck)


def verify(
    certificate: Certificate, watch: Callable[[int], None] | None = None
) -> Iterator[tuple[Part, int]]:
    """Replay every game by the interpreted rules; yields each part and its number of games."""
    done = 0
    for part in certificate.parts:
        for number, (total, moves) in enumerate(zip(part.totals, part.moves, strict=True)):
            where = f"{part.game}, game {number + 1} (seed {part.seed(number)})"
            try:
                end = replay(part.game, part.seed(number), moves).game
            except FoxtrayError as error:
                raise BadCertificate(f"{where}: {error}") from None
            if end.score(0).total != total:
                raise BadCertificate(
                    f"{where}: its moves give {end.score(0).total} points, not {total}"
                )
            done += 1
            if watch:
                watch(done)
        yield part, len(part.totals)
