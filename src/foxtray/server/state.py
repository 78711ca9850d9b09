"""What a table is: a replay of its log, and the answer to what may be added to it."""

from __future__ import annotations

import hmac
from collections.abc import Callable, Collection
from copy import copy
from dataclasses import dataclass, replace
from typing import Any

from foxtray.bots import SUBSTITUTE
from foxtray.dice import SecretDice, SeededDice, Throw
from foxtray.events import Event
from foxtray.record import Record, Setup
from foxtray.server import inputs, lessons, messages
from foxtray.server.inputs import AnyInput, TableSetup
from foxtray.server.messages import DiceInfo, SeatInfo, TableInfo
from foxtray.server.refusals import Refusal
from foxtray.server.store import ResultRow, TableRow

UNDOS = 30
"""Steps that a seat may take back between two throws: a clock is not held up for ever."""


@dataclass(frozen=True, slots=True)
class Seat:
    """Who sits on a seat: a player, a bot, or nobody yet."""

    bot: str | None = None
    player: str | None = None
    entropy: str | None = None
    stand_in: str | None = None
    """The bot that plays for the player at the moment."""
    given_up: bool = False
    """The player left: the seat is not taken back by merely coming by."""
    acts: int = 0
    """What was done at this seat,"""
    acts_of_bots: int = 0
    """and how much of it by stand-ins."""
    undos: int = 0
    """How often something was taken back since the last throw."""

    @property
    def driver(self) -> str | None:
        """The bot that acts for this seat, if one does."""
        return self.bot or self.stand_in

    @property
    def earned(self) -> str | None:
        """The player whose result it is: of whoever did at least half of it himself."""
        return self.player if 2 * self.acts_of_bots <= self.acts else None

    @property
    def ready(self) -> bool:
        return self.bot is not None or self.entropy is not None

    def info(self, names: dict[str, str]) -> SeatInfo:
        if self.bot:
            return SeatInfo("bot", self.bot, self.bot, True)
        if self.player:
            name = names.get(self.player, "")
            return SeatInfo("human", name, None, self.ready, self.stand_in)
        return SeatInfo("open")


@dataclass(frozen=True, slots=True)
class Happened:
    """What an input led to."""

    events: tuple[Event, ...] = ()
    undone: str | None = None


class TableState:
    """A table after the inputs of its log so far."""

    def __init__(self, row: TableRow) -> None:
        self.row = row
        self.setup: TableSetup = inputs.decode_setup(row.setup)
        self.seats = [Seat(seat.bot, seat.player) for seat in self.setup.seats]
        self.record: Record | None = None
        self.pause = self.setup.pause
        self.rematch: str | None = None
        self.epoch = 0
        """Grows whenever an answer that a bot is still thinking about would be out of date."""
        self.throws = 0
        self.host = row.host
        """Who may begin: the player who made the table, and after he left it one who is seated."""

    def copy(self) -> TableState:
        """The same table, to try inputs on."""
        twin = copy(self)
        twin.seats = self.seats[:]
        twin.record = self.record.copy() if self.record else None
        return twin

    # --- what stands -------------------------------------------------------------------------

    @property
    def status(self) -> str:
        if self.record is None:
            return "lobby"
        return "over" if self.record.game.over else "playing"

    def seat_of(self, player: str | None) -> int | None:
        """The seat of a player."""
        for number, seat in enumerate(self.seats):
            if player is not None and seat.player == player:
                return number
        return None

    def players(self) -> list[str]:
        return [seat.player for seat in self.seats if seat.player]

    def invited(self, key: str) -> bool:
        return hmac.compare_digest(key.encode(), self.row.invite.encode())

    def may_see(self, player: str | None, key: str) -> bool:
        """Whether somebody may look at this table."""
        watching = hmac.compare_digest(key.encode(), self.row.watch.encode())
        seated = self.seat_of(player) is not None
        return seated or watching or self.invited(key) or player in (self.row.host, self.host)

    def to_throw(self) -> int | None:
        """The seat that is to throw the dice."""
        if self.record is None or not self.record.game.rolling():
            return None
        return self.record.game.active

    def wanted(self) -> tuple[int, ...]:
        """The seats that the game waits for."""
        if self.record is None:
            return ()
        thrower = self.to_throw()
        return (thrower,) if thrower is not None else self.record.game.awaiting()

    def undoable(self) -> list[int]:
        """The seats that could take something back."""
        if self.record is None:
            return []
        return [seat for seat in range(len(self.seats)) if self.record.may_undo(seat)]

    def throw(self) -> inputs.Threw:
        """The throw that is wanted now."""
        assert self.record is not None
        game = self.record.game
        address = game.address()
        if address is None:
            raise Refusal("no_throw", "no dice are to be thrown now")
        thrown: Throw
        if self.setup.tutorial:
            thrown = lessons.throw(self.setup.game, self.throws, address)
        else:
            assert self.record.dice is not None
            thrown = self.record.dice.throw(*address)
        wanted = game.rolling()
        faces = tuple(face if d in wanted else 0 for d, face in enumerate(thrown.faces))
        return inputs.Threw(faces, thrown.order)

    def entropies(self) -> tuple[bytes, ...]:
        """What stirs the secret, in seat order; nothing from bots."""
        if self.setup.again is not None:
            return tuple(bytes.fromhex(text) for text in self.setup.again)
        return tuple(bytes.fromhex(seat.entropy or "") for seat in self.seats)

    def commitment(self) -> str | None:
        if self.setup.seed is not None or self.setup.tutorial:
            return None
        return SecretDice(self.row.secret).commitment

    def game_setup(self, first: int = 0) -> Setup:
        """The setup of the game that starts from here."""
        setup = Setup(
            self.setup.game,
            len(self.seats),
            first,
            self.setup.solo_fallback,
            self.setup.fox_floor,
            seed=self.setup.seed,
        )
        if self.setup.tutorial or self.setup.seed is not None:
            return setup
        return replace(
            setup,
            commitment=self.commitment(),
            entropies=self.entropies(),
            secret=self.row.secret,
        )

    # --- replay ------------------------------------------------------------------------------

    def apply(self, entry: AnyInput) -> Happened:
        """Carry out an input; raises FoxtrayError and changes nothing if it cannot be."""
        match entry:
            case inputs.Sat(seat, player, entropy):
                self.seats[seat] = Seat(player=player, entropy=entropy)
            case inputs.Left(seat):
                left, self.seats[seat] = self.seats[seat], Seat()
                if left.player == self.host and self.players():
                    self.host = self.players()[0]
            case inputs.Reseated(seat, bot):
                self.seats[seat] = Seat(bot=bot)
            case inputs.Started(first):
                self.record = Record(self.game_setup(first))
                return Happened(self.record.game.opening)
            case inputs.TookOver(seat, bot, given_up):
                self._change(seat, stand_in=bot, given_up=given_up)
                self.epoch += 1
            case inputs.Resumed(seat):
                self._change(seat, stand_in=None, given_up=False)
                self.epoch += 1
            case inputs.Paused(on):
                self.pause = on
            case inputs.Rematched(table):
                self.rematch = table
            case _:
                return self._apply_to_game(entry)
        return Happened()

    def _apply_to_game(self, entry: inputs.Threw | inputs.Played | inputs.Undid) -> Happened:
        record = self.record
        if record is None:
            raise Refusal("not_started")
        if isinstance(entry, inputs.Played):
            happened = Happened(record.play(entry.seat, entry.action))
            seat = self.seats[entry.seat]
            by_bot = seat.acts_of_bots + (entry.bot is not None)
            self._change(entry.seat, acts=seat.acts + 1, acts_of_bots=by_bot)
            return happened
        if isinstance(entry, inputs.Threw):
            happened = Happened(record.roll(Throw(tuple(entry.faces), tuple(entry.order))))
            self.throws += 1
            self.seats = [replace(seat, undos=0) if seat.undos else seat for seat in self.seats]
        else:
            happened = Happened(undone=str(record.undo(entry.seat).action))
            self._change(entry.seat, undos=self.seats[entry.seat].undos + 1)
        self.epoch += 1
        return happened

    def _change(self, seat: int, **changes: Any) -> None:
        self.seats[seat] = replace(self.seats[seat], **changes)

    # --- what may be added -------------------------------------------------------------------

    def decide(
        self,
        player: str,
        command: messages.TableCommand,
        key: str,
        absent: Callable[[int], bool],
        bots: Collection[str],
    ) -> list[AnyInput]:
        """The inputs that a player's command stands for; raises FoxtrayError if not allowed."""
        match command:
            case messages.Sit():
                return self._sit(player, command, key)
            case messages.Reseat() | messages.Start() | messages.Pause():
                return self._manage(player, command, bots)
            case messages.Takeover():
                return self._take_over(player, command, absent, bots)
            case messages.Leave():
                return self._leave(self._seat(player))
            case messages.Rematch():
                self._seat(player)
                if self.status != "over":
                    raise Refusal("not_over")
                return []
            case messages.Resume():
                seat = self._seat(player)
                if self.seats[seat].stand_in is None:
                    raise Refusal("not_stood_in")
                return [inputs.Resumed(seat)]
            case _:
                return self._act(self._seat(player), command)

    def _seat(self, player: str) -> int:
        seat = self.seat_of(player)
        if seat is None:
            raise Refusal("not_seated")
        return seat

    def _check_seat(self, seat: int) -> None:
        if seat >= len(self.seats):
            raise Refusal("no_such_seat", f"there is no seat {seat + 1}")

    def _check_not_over(self) -> None:
        if self.status == "over":
            raise Refusal("game_over", "the game is over")

    def _sit(self, player: str, command: messages.Sit, key: str) -> list[AnyInput]:
        if self.record is not None:
            raise Refusal("already_started")
        self._check_seat(command.seat)
        seat = self.seats[command.seat]
        mine = self.seat_of(player)
        if mine == command.seat:
            if seat.entropy is not None:
                raise Refusal("seated_already")
        elif mine is not None:
            raise Refusal("seated_already")
        elif seat.bot or seat.player:
            raise Refusal("seat_taken")
        elif not (self.invited(key) or player == self.host):
            raise Refusal("invite_needed")
        return [inputs.Sat(command.seat, player, command.entropy)]

    def _leave(self, seat: int) -> list[AnyInput]:
        if self.record is None:
            return [inputs.Left(seat)]
        self._check_not_over()
        if self.seats[seat].given_up:
            return []
        return [inputs.TookOver(seat, self.seats[seat].stand_in or SUBSTITUTE, given_up=True)]

    def _manage(
        self,
        player: str,
        command: messages.Reseat | messages.Start | messages.Pause,
        bots: Collection[str],
    ) -> list[AnyInput]:
        if player != self.host:
            raise Refusal("not_host")
        if isinstance(command, messages.Pause):
            self._check_not_over()
            return [inputs.Paused(command.on)] if command.on != self.pause else []
        if self.record is not None:
            raise Refusal("already_started")
        if isinstance(command, messages.Reseat):
            self._check_seat(command.seat)
            if command.bot is not None and command.bot not in bots:
                raise Refusal("unknown_bot")
            return [inputs.Reseated(command.seat, command.bot)]
        if not all(seat.bot or seat.player for seat in self.seats):
            raise Refusal("seats_open")
        if not all(seat.ready for seat in self.seats):
            raise Refusal("seat_not_ready")
        return [inputs.Started(self._first())]

    def _first(self) -> int:
        """The seat that begins: by the dice, or in turn order for a tutorial."""
        if self.setup.tutorial:
            return 0
        if self.setup.seed is not None:
            return SeededDice(self.setup.seed).first(len(self.seats))
        return SecretDice(self.row.secret, self.entropies()).first(len(self.seats))

    def _take_over(
        self,
        player: str,
        command: messages.Takeover,
        absent: Callable[[int], bool],
        bots: Collection[str],
    ) -> list[AnyInput]:
        self._seat(player)
        if self.record is None:
            raise Refusal("not_started")
        self._check_not_over()
        self._check_seat(command.seat)
        if command.bot not in bots:
            raise Refusal("unknown_bot")
        if self.seats[command.seat].driver or not absent(command.seat):
            raise Refusal("not_absent")
        return [inputs.TookOver(command.seat, command.bot)]

    def _act(
        self, seat: int, command: messages.Roll | messages.Play | messages.Undo
    ) -> list[AnyInput]:
        if self.record is None:
            raise Refusal("not_started")
        back: list[AnyInput] = [inputs.Resumed(seat)] if self.seats[seat].stand_in else []
        if isinstance(command, messages.Play):
            return [*back, inputs.Played(seat, command.action)]
        if isinstance(command, messages.Undo):
            if self.seats[seat].undos >= UNDOS:
                raise Refusal("too_many_undos")
            return [*back, inputs.Undid(seat)]
        self._check_not_over()
        throw = self.throw()
        if self.record.game.active != seat:
            raise Refusal("not_active")
        return [*back, throw]

    # --- telling -----------------------------------------------------------------------------

    def info(self, names: dict[str, str]) -> TableInfo:
        """The table as everybody may see it."""
        kind = "script" if self.setup.tutorial else "secret"
        over = self.status == "over"
        dice = DiceInfo(
            "seed" if self.setup.seed is not None else kind,  # type: ignore[arg-type]
            commitment=self.commitment(),
            entropies=[e.hex() for e in self.entropies()] if self.record else [],
            secret=self.row.secret.hex() if over and self.commitment() else None,
            seed=self.setup.seed,
            again=self.setup.again is not None,
        )
        return TableInfo(
            id=self.row.id,
            game=self.setup.game,
            status=self.status,  # type: ignore[arg-type]
            seats=[seat.info(names) for seat in self.seats],
            host=self.seat_of(self.host),
            options={"solo_fallback": self.setup.solo_fallback, "fox_floor": self.setup.fox_floor},
            dice=dice,
            clock=self.setup.clock,
            pause=self.pause,
            created=self.row.created,
            tutorial=self.setup.tutorial,
            first=self.record.setup.first if self.record else None,
            rematch=self.rematch,
        )

    def results(self, finished: int) -> list[ResultRow]:
        """How every seat did; a seat that stand-ins played for the most part counts for nobody."""
        assert self.record is not None
        outcome = self.record.game.outcome()
        assert outcome is not None
        return [
            ResultRow(
                table=self.row.id,
                seat=number,
                player=seat.earned,
                bot=seat.bot or (None if seat.earned else seat.stand_in or SUBSTITUTE),
                game=self.setup.game,
                seats=len(self.seats),
                finished=finished,
                total=card.total,
                areas=card.areas,
                foxes=card.foxes,
                fox_value=card.fox_value,
                won=number in outcome.winners,
                practice=self.setup.practice,
            )
            for number, (seat, card) in enumerate(
                zip(self.seats, self.record.game.scores(), strict=True)
            )
        ]

    def record_text(self, names: dict[str, str]) -> str:
        """The record as a file."""
        if self.record is None:
            raise Refusal("not_started")
        self.record.setup = replace(self.record.setup, names=self.called(names))
        return self.record.text()

    def called(self, names: dict[str, str]) -> tuple[str, ...]:
        """What the seats are called in a record."""
        return tuple(
            seat.info(names).name or f"Player {number}" for number, seat in enumerate(self.seats, 1)
        )
