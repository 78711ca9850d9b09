"""The table in the page shows what the server shows, and writes records that can be replayed."""

from __future__ import annotations

import json
import os
import random
import subprocess
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
from translated import node

from foxtray import SHEETS
from foxtray.dice import SecretDice, Throw, entropy_commitment
from foxtray.game import RULES_VERSION
from foxtray.geometry import sheet_view
from foxtray.history import Setup
from foxtray.layouts import layout_view
from foxtray.record import Record, read
from foxtray.server.protocol import inputs
from foxtray.server.protocol.inputs import AnyInput, SeatSetup, TableSetup
from foxtray.server.store import TableRow
from foxtray.server.tables.log import TableLog
from foxtray.views import game_view, previews

GAMES = 24
LONG = 1_000
ENDED_BY_A_ROLL = 984
"""A game with real dice whose last roll nobody could use: it ended at once."""
PREVIEWED = 0.2
"""How often the effects of all actions are compared, too."""
DICE = ("own", "seed", "secret", "committed", "given up")
"""The kinds of dice that records know, and a game that was given up."""
AT_ONCE = 50
"""Games in one file, so that none gets too large."""
WEB = Path(__file__).parent.parent / "web"
ME = "p0"
Json = dict[str, Any]


class Play:
    """A game of random actions at a table of the server, and what was seen of it."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        self.setup = self.some_setup(seed)
        self.names = {ME: "Ana"}
        row = TableRow(
            id="local-1",
            rules=RULES_VERSION,
            setup=inputs.encode_setup(self.setup),
            secret=self.rng.randbytes(32),
            host=ME,
            invite="",
            watch="",
            created=seed,
        )
        self.log = TableLog(row, [])
        self.moments: list[Json] = []

    def some_setup(self, seed: int) -> TableSetup:
        game, count = list(SHEETS)[seed % len(SHEETS)], seed // len(SHEETS) % 4 + 1
        kinds = [
            SeatSetup(player=ME),
            SeatSetup(player=ME, guest="Ben  the Great"),
            SeatSetup(bot="greedy"),
            SeatSetup(bot="random"),
        ]
        seats = [kinds[0], *self.rng.sample(kinds[1:], count - 1)]
        self.rng.shuffle(seats)
        tutorial = count == 1 and self.rng.random() < 0.25
        return TableSetup(
            game,
            seats,
            solo_fallback=self.rng.random() < 0.5,
            fox_floor=self.rng.random() < 0.5,
            tutorial=tutorial,
            real_dice=not tutorial and self.rng.random() < 0.25,
            offline=True,
        )

    @property
    def record(self) -> Any:
        return self.log.state.record

    def note(self, entry: AnyInput) -> None:
        """Carry out an input as the server does, and keep what it would show."""
        at = 1_000 + self.log.seq
        self.log.accept(self.log.draft([entry], at))
        game = self.record.game
        told: Json = {
            "input": {"at": at, **msgspec.json.decode(inputs.encode(entry))},
            "entry": msgspec.json.decode(self.log.entries[-1]),
            "game": game_view(game),
            "undo": self.log.state.undoable(),
            "previews": {},
        }
        if game.awaiting() and self.rng.random() < PREVIEWED:
            seat = self.rng.choice(game.awaiting())
            told["previews"] = {seat: previews(game, seat)}
        self.moments.append(told)

    def next_input(self) -> AnyInput:
        state, game = self.log.state, self.record.game
        undoable = state.undoable()
        if undoable and self.rng.random() < 0.08:
            seat = self.rng.choice(undoable)
            return inputs.UndidThrow(seat) if state.may_undo_faces(seat) else inputs.Undid(seat)
        if wanted := game.rolling():
            if not self.setup.real_dice:
                return state.throw()
            faces = tuple(self.rng.randint(1, 6) if d in wanted else 0 for d in range(6))
            order = self.rng.sample(range(6), 6)
            return inputs.Threw(faces, tuple(order), state.seats_of(ME)[0])
        seat = self.rng.choice(game.awaiting())
        action = str(self.rng.choice(game.legal(seat)))
        return inputs.Played(seat, action, state.seats[seat].bot)

    def play(self) -> Json:
        self.note(self.log.state.start())
        length = self.rng.randrange(120) if self.rng.random() < 0.1 else 10_000
        while not self.record.game.over and self.log.seq < length:
            self.note(self.next_input())
        if not self.record.game.over and not self.setup.real_dice:
            for seat in sorted(self.log.state.seats_of(ME), key=self.owner_first):
                self.note(inputs.TookOver(seat, self.setup.stand_in, given_up=True))
        info = msgspec.to_builtins(self.log.state.info(self.names))
        # In the page everybody sits already, and there is no coach.
        info |= {"hints": False, "seats": [{**seat, "ready": True} for seat in info["seats"]]}
        return {"setup": self.told_setup(), "info": info, "moments": self.moments}

    def owner_first(self, seat: int) -> bool:
        return self.setup.seats[seat].guest is not None

    def told_setup(self) -> Json:
        """The setup as the page keeps it."""
        return {
            "game": self.setup.game,
            "rules": RULES_VERSION,
            "seats": [self.told_seat(seat) for seat in self.setup.seats],
            "solo_fallback": self.setup.solo_fallback,
            "fox_floor": self.setup.fox_floor,
            "tutorial": self.setup.tutorial,
            "real_dice": self.setup.real_dice,
            "secret": self.log.table.secret.hex(),
            "created": self.log.table.created,
            "rematch_of": None,
        }

    def told_seat(self, seat: SeatSetup) -> Json:
        if seat.bot:
            return {"kind": "bot", "name": "", "bot": seat.bot}
        if seat.guest:
            return {"kind": "guest", "name": seat.guest}
        return {"kind": "me", "name": self.names[ME]}


def some_record(game: str, dice: str) -> Json:
    """A finished record of two seats, as other programs write it, and the game at its end."""
    rng = random.Random(game + dice)
    setup = Setup(game, 2, fox_floor=True, names=("Ana", "Ben"))
    if dice == "seed":
        setup = replace(setup, seed=rng.getrandbits(64))
    elif dice != "own":
        secret, entropies = rng.randbytes(32), (rng.randbytes(16), b"")
        promise, first = SecretDice(secret).commitment, SecretDice(secret, entropies).first(2)
        setup = replace(setup, secret=secret, entropies=entropies, commitment=promise, first=first)
        if dice == "committed":
            own = entropy_commitment(promise, 0, entropies[0])
            setup = replace(setup, commitments=(own, ""))
    record = Record(setup)
    while not record.game.over and (dice != "given up" or len(record.inputs) < 50):
        if record.game.rolling():
            faces = tuple(rng.randint(1, 6) for _ in range(6))
            record.roll(Throw(faces) if dice == "own" else None)
        else:
            seat = rng.choice(record.game.awaiting())
            record.play(seat, rng.choice(record.game.legal(seat)))
    record.given_up = not record.game.over
    text = record.text()
    assert read(text)[1] == (dice != "own")
    return {"text": text, "game": game_view(record.game)}


def run_twin(place: Path) -> subprocess.CompletedProcess[str]:
    """Run the twin in JavaScript on the files that begin so."""
    return subprocess.run(
        [node(), "node_modules/vitest/vitest.mjs", "run", "--no-color"],
        cwd=WEB,
        env={**os.environ, "FOXTRAY_TWIN": str(place)},
        capture_output=True,
        text=True,
        check=False,
    )


def compare(place: Path, seeds: Sequence[int]) -> tuple[list[Play], list[str]]:
    """Let the page build the same tables; returns the games, and the records that it wrote."""
    played = [Play(seed) for seed in seeds]
    layouts = {game: {"layout": layout_view(game), "sheet": sheet_view(game)} for game in SHEETS}
    told = {
        "layouts": layouts,
        "games": [one.play() for one in played],
        "records": [some_record(game, dice) for game in SHEETS for dice in DICE],
    }
    place.with_suffix(".in.json").write_text(json.dumps(told), encoding="utf-8")
    twin = run_twin(place)
    assert twin.returncode == 0, twin.stdout + twin.stderr
    records = json.loads(place.with_suffix(".out.json").read_text(encoding="utf-8"))
    return played, records


def test_the_page_shows_what_the_server_shows(tmp_path: Path, long_run: bool) -> None:
    games = range(LONG) if long_run else [*range(GAMES), ENDED_BY_A_ROLL]
    states = 0
    for first in range(0, len(games), AT_ONCE):
        played, records = compare(tmp_path / "twin", games[first : first + AT_ONCE])
        for one, text in zip(played, records, strict=True):
            states += len(one.moments)
            again, proven = read(text)
            assert again.inputs == one.record.inputs
            assert again.game == one.record.game
            assert text == one.log.state.record_text(one.names)
            assert proven == one.log.state.has_secret or not one.log.state.revealed
    assert states > 100 * len(games)
