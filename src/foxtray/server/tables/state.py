"""What a table is: a replay of its log."""

from __future__ import annotations

import hmac
from dataclasses import replace
from typing import Any, Literal, NamedTuple

from msgspec import Struct, structs

from foxtray.bots import SUBSTITUTE
from foxtray.dice import SecretDice, SeededDice, Throw
from foxtray.events import Event
from foxtray.history import Setup, only_wanted
from foxtray.record import Record
from foxtray.server.protocol import inputs
from foxtray.server.protocol.inputs import AnyInput, TableSetup
from foxtray.server.protocol.messages import DailyInfo, DiceInfo, SeatInfo, TableInfo
from foxtray.server.protocol.refusals import Refusal
from foxtray.server.store import ResultRow, TableRow
from foxtray.server.tables import lessons


class Seat(Struct, frozen=True):
    """Who sits on a seat: a player, a bot, or nobody yet."""

    bot: str | None = None
    player: str | None = None
    guest: str | None = None
    """The name of somebody who plays on the player's device, if it is not the player."""
    seated: bool = False
    """The player has sat down, and committed to entropy where the dice need it."""
    commitment: str | None = None
    """What the player committed to their entropy by."""
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
    hints: int = 0
    """How often a hint was asked for."""

    @property
    def driver(self) -> str | None:
        """The bot that acts for this seat, if one does."""
        return self.bot or self.stand_in

    @property
    def earned(self) -> str | None:
        """The player whose result it is: the owner, if they did at least half of it themselves."""
        return self.player if self.guest is None and self.played_by_people else None

    @property
    def played_by_people(self) -> bool:
        """Whether stand-ins did at most half of it."""
        return 2 * self.acts_of_bots <= self.acts

    @property
    def ready(self) -> bool:
        return self.bot is not None or self.guest is not None or self.seated

    @property
    def unrevealed(self) -> bool:
        """Whether the player has yet to reveal what they committed to."""
        return self.commitment is not None and self.entropy is None

    def info(self, names: dict[str, str]) -> SeatInfo:
        if self.bot:
            return SeatInfo("bot", self.bot, self.bot, True)
        if self.guest is not None:
            return SeatInfo("human", self.guest, None, True, self.stand_in, True, self.hints)
        if self.player:
            name = names.get(self.player, "")
            return SeatInfo("human", name, None, self.ready, self.stand_in, False, self.hints)
        return SeatInfo("open")


class Happened(NamedTuple):
    """What an input led to."""

    events: tuple[Event, ...] = ()
    undone: str | None = None


class TableState:
    """A table after the inputs of its log so far."""

    def __init__(self, row: TableRow) -> None:
        self.row = row
        self.setup: TableSetup = inputs.decode_setup(row.setup)
        self.seats = [Seat(seat.bot, seat.player, seat.guest) for seat in self.setup.seats]
        self.starting = False
        """The host has started the game: the seats are fixed, and reveal their entropy."""
        self.left_out: tuple[int, ...] = ()
        """The seats whose entropy was not revealed in time."""
        self.record: Record | None = None
        self.pause = self.setup.pause
        self.rematch: str | None = None
        self.rematch_key: str | None = None
        """The key to watch the rematch with."""
        self.epoch = 0
        """Grows whenever an answer that a bot is still thinking about would be out of date."""
        self.entered_by: tuple[int | None, ...] = ()
        """The seat that entered the faces of each roll, with real dice."""
        self.faces_undone = 0
        """How often faces were taken back since somebody last acted."""
        self.host = row.host
        """Who may start the game: the player who made the table, or once they left a seated one."""

    def copy(self) -> TableState:
        """The same table, to try inputs on."""
        twin = TableState.__new__(TableState)
        vars(twin).update(vars(self))  # much faster than copy.copy
        twin.seats = self.seats[:]
        twin.record = self.record.copy() if self.record else None
        return twin

    # --- what stands -------------------------------------------------------------------------

    @property
    def status(self) -> str:
        if self.record is None:
            return "lobby"
        return "over" if self.record.game.over else "playing"

    @property
    def joinable(self) -> bool:
        """Whether seats can still be taken and left."""
        return self.record is None and not self.starting

    @property
    def given_up(self) -> bool:
        """Whether every player gave up their seat before the end."""
        return self.status == "playing" and self.deserted

    @property
    def deserted(self) -> bool:
        """Whether every player gave up their seat.

        With real dice nothing is revealed by it and no bot could play on: they may come back.
        """
        if not any(seat.given_up for seat in self.seats):
            return False
        return not self.setup.real_dice and all(s.given_up for s in self.seats if s.player)

    @property
    def revealed(self) -> bool:
        """Whether the secret of the dice may be told: no player acts any more."""
        return self.status == "over" or self.given_up

    @property
    def daily(self) -> inputs.Daily | None:
        """The day whose dice these are. Others play them too: until the day is closed, nobody but
        the player learns anything about the game, and nothing may help them."""
        return self.setup.daily

    def to_reveal(self) -> list[int]:
        """The seats whose entropy the dice are waiting for."""
        if not self.mixes_entropy:
            return []
        return [n for n, seat in enumerate(self.seats) if seat.unrevealed and not seat.given_up]

    def seat_of(self, player: str | None) -> int | None:
        """The seat of a player, not of a guest of theirs."""
        for number, seat in enumerate(self.seats):
            if player is not None and seat.player == player and seat.guest is None:
                return number
        return None

    def seats_of(self, player: str | None) -> list[int]:
        """The seats played on a player's devices: those of their guests, then their own."""
        if player is None:
            return []
        held = [number for number, seat in enumerate(self.seats) if seat.player == player]
        if len(held) > 1:
            held.sort(key=lambda number: self.seats[number].guest is None)
        return held

    def players(self) -> list[str]:
        return [seat.player for seat in self.seats if seat.player and seat.guest is None]

    def invited(self, key: str) -> bool:
        return hmac.compare_digest(key.encode(), self.row.invite.encode())

    def has_seat_for(self, player: str | None, key: str) -> bool:
        """Whether somebody may take a seat that is open."""
        asked = self.invited(key) or (player is not None and player == self.host)
        return asked and self.joinable and not all(s.bot or s.player for s in self.seats)

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
        """The seats that the game waits for; no bot plays on with the dice of a day."""
        if self.record is None or (self.daily and self.given_up):
            return ()
        thrower = self.to_throw()
        return (thrower,) if thrower is not None else self.record.game.awaiting()

    @property
    def waits_for_faces(self) -> bool:
        """Whether people are to roll real dice and enter the faces, also those of a bot."""
        return self.setup.real_dice and self.to_throw() is not None

    def driven_now(self) -> list[int]:
        """The seats that bots are to act for; they cannot roll real dice."""
        if self.waits_for_faces:
            return []
        return [seat for seat in self.wanted() if self.seats[seat].driver]

    def waits_for(self, player: str) -> bool:
        """Whether the game waits for a player or a guest of theirs."""
        held, wanted = self.seats_of(player), self.wanted()
        if self.waits_for_faces and any(self.seats[seat].driver for seat in wanted):
            return bool(held)
        return any(seat in wanted for seat in held)

    def may_undo_faces(self, seat: int) -> bool:
        """Whether a seat entered the last faces of real dice, and nobody has acted on them."""
        return (
            self.record is not None and self.record.may_undo_throw() and self.entered_by[-1] == seat
        )

    def undoable(self) -> list[int]:
        """The seats that could take something back."""
        if self.record is None or self.record.game.over:
            return []
        if self.setup.real_dice:
            taken_back = [s for s in range(len(self.seats)) if self.may_undo_faces(s)]
            return sorted({*self.record.undoable(), *taken_back})
        return self.record.undoable()

    @property
    def apart(self) -> bool:
        """Whether the game stands apart in statistics: the server cannot vouch for its dice, or for
        who made which decision, or the coach may have made some.

        With others, it counts that hints were allowed, not who took one: nobody can ask for a hint
        to have a lost game left out for all.
        """
        guests = any(seat.guest is not None for seat in self.seats)
        advised = self.setup.hints and len(self.seats) > 1
        return self.setup.real_dice or self.setup.offline or guests or advised

    @property
    def driven(self) -> bool:
        """Whether a bot has a seat, or plays for somebody."""
        return any(seat.driver for seat in self.seats)

    def start(self) -> inputs.Started:
        """The start of the game, with the entropy that was revealed."""
        late = [n for n, seat in enumerate(self.seats) if self.mixes_entropy and seat.unrevealed]
        return inputs.Started(self.draw_first(), tuple(late))

    def draw_first(self) -> int:
        """The seat that begins: by the dice, or the first one if nothing is drawn."""
        if self.setup.tutorial or self.setup.real_dice:
            return 0
        if self.setup.seed is not None:
            return SeededDice(self.setup.seed).first(len(self.seats))
        return SecretDice(self.row.secret, self.entropies()).first(len(self.seats))

    def throw(self) -> inputs.Threw:
        """The throw that is wanted now."""
        assert self.record is not None
        game = self.record.game
        address = game.address()
        if address is None:
            raise Refusal("no_throw", "there are no dice to roll now")
        thrown: Throw
        if self.setup.tutorial:
            thrown = lessons.throw(self.setup.game, len(self.entered_by), address)
        else:
            dice = SecretDice(self.row.secret) if self.new_dice else self.record.dice
            assert dice is not None
            thrown = dice.throw(*address)
        wanted = only_wanted(game, thrown)
        return inputs.Threw(wanted.faces, wanted.order)

    def entropies(self) -> tuple[bytes, ...]:
        """What stirs the secret, in seat order; nothing from bots."""
        if self.daily:
            return (b"",) * len(self.seats)
        if self.setup.again is not None:
            return tuple(bytes.fromhex(text) for text in self.setup.again)
        return tuple(bytes.fromhex(seat.entropy or "") for seat in self.seats)

    @property
    def has_secret(self) -> bool:
        """Whether all dice are made from the secret."""
        others = self.setup.tutorial or self.setup.real_dice or self.new_dice
        return self.setup.seed is None and not others

    @property
    def begun(self) -> int:
        """The first input of the record that was not copied from an earlier game."""
        # The log begins with the seat and the start, which a record has no inputs for.
        return max(0, self.setup.copied - 2)

    @property
    def new_dice(self) -> bool:
        """Whether the game was copied from an earlier one and goes on with other dice."""
        return self.setup.copied > 0 and self.setup.again is None and self.setup.seed is None

    @property
    def mixes_entropy(self) -> bool:
        """Whether the dice are this table's own: then the entropy of its seats goes into them."""
        return self.has_secret and self.setup.again is None and not self.daily

    def commitment(self) -> str | None:
        return SecretDice(self.row.secret).commitment if self.has_secret else None

    def commitments(self) -> tuple[str, ...]:
        """What the seats committed to, in seat order."""
        if not self.mixes_entropy:
            return ()
        return tuple(seat.commitment or "" for seat in self.seats)

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
        if not self.has_secret:
            return setup
        return replace(
            setup,
            commitment=self.commitment(),
            commitments=self.commitments(),
            entropies=self.entropies(),
            secret=self.row.secret,
        )

    # --- replay ------------------------------------------------------------------------------

    def apply(self, entry: AnyInput) -> Happened:
        """Carry out an input; raises FoxtrayError and changes nothing if it cannot be."""
        if isinstance(entry, inputs.IN_GAME):
            return self._apply_to_game(entry)
        match entry:
            case inputs.Sat(seat, player, entropy, commitment):
                self.seats[seat] = Seat(
                    player=player, seated=True, entropy=entropy, commitment=commitment
                )
            case inputs.Left(seat):
                left, self.seats[seat] = self.seats[seat], Seat()
                if left.player == self.host and self.players():
                    self.host = self.players()[0]
            case inputs.Reseated(seat, bot, guest, player):
                self.seats[seat] = Seat(bot, player, guest)
            case inputs.Starting():
                self.starting = True
            case inputs.Revealed(seat, entropy):
                self._change(seat, entropy=entropy)
            case inputs.Started(first, left_out):
                self.starting, self.left_out = False, left_out
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
            case inputs.Rematched(table, watch):
                self.rematch, self.rematch_key = table, watch
            case inputs.Hinted(seat):
                self._change(seat, hints=self.seats[seat].hints + 1)
        return Happened()

    def _apply_to_game(
        self, entry: inputs.Threw | inputs.Played | inputs.Undid | inputs.UndidThrow
    ) -> Happened:
        record = self.record
        if record is None:
            raise Refusal("not_started")
        if isinstance(entry, inputs.Played):
            self.faces_undone = 0
            happened = Happened(record.play(entry.seat, entry.action))
            seat = self.seats[entry.seat]
            by_bot = seat.acts_of_bots + (entry.bot is not None)
            self._change(entry.seat, acts=seat.acts + 1, acts_of_bots=by_bot)
            return happened
        if isinstance(entry, inputs.Threw):
            happened = Happened(record.roll(Throw(tuple(entry.faces), tuple(entry.order))))
            self.entered_by += (entry.by,)
            for number, seat in enumerate(self.seats):
                if seat.undos:
                    self._change(number, undos=0)
        elif isinstance(entry, inputs.UndidThrow):
            record.undo_throw()
            happened = Happened()
            self.entered_by = self.entered_by[:-1]
            self.faces_undone += 1
        else:
            happened = Happened(undone=str(record.undo(entry.seat).action))
            self._change(entry.seat, undos=self.seats[entry.seat].undos + 1)
        self.epoch += 1
        return happened

    def _change(self, seat: int, **changes: Any) -> None:
        self.seats[seat] = structs.replace(self.seats[seat], **changes)

    # --- telling -----------------------------------------------------------------------------

    @property
    def dice_kind(self) -> Literal["secret", "seed", "script", "real"]:
        if self.setup.seed is not None:
            return "seed"
        if self.setup.tutorial:
            return "script"
        return "real" if self.setup.real_dice else "secret"

    def info(self, names: dict[str, str]) -> TableInfo:
        """The table as everybody may see it."""
        dice = DiceInfo(
            self.dice_kind,
            commitment=self.commitment(),
            commitments=list(self.commitments()),
            entropies=[]
            if self.joinable or self.setup.real_dice
            else [e.hex() for e in self.entropies()],
            left_out=list(self.left_out),
            secret=self._told_secret(),
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
            created=self.row.created,
            tutorial=self.setup.tutorial,
            first=self.record.setup.first if self.record else None,
            rematch=self.rematch,
            rematch_key=self.rematch_key,
            rematch_of=self.setup.rematch_of,
            stand_in=self.setup.stand_in,
            starting=self.starting,
            given_up=self.given_up,
            daily=DailyInfo(self.daily.day, self.daily.closes) if self.daily else None,
            hints=self.setup.may_hint,
            copied=self.setup.copied,
            offline=self.setup.offline,
        )

    def _told_secret(self) -> str | None:
        """The secret of the dice, once it may be told here; that of a day's dice never is."""
        told = self.revealed and self.has_secret and not self.daily
        return self.row.secret.hex() if told else None

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
                bot=seat.bot or (None if seat.played_by_people else seat.stand_in or SUBSTITUTE),
                guest=seat.guest,
                game=self.setup.game,
                seats=len(self.seats),
                finished=finished,
                total=card.total,
                areas=card.areas,
                foxes=card.foxes,
                fox_value=card.fox_value,
                won=number in outcome.winners,
                practice=self.setup.practice or self._late(finished),
                apart=self.apart,
                hints=seat.hints,
            )
            for number, (seat, card) in enumerate(
                zip(self.seats, self.record.game.scores(), strict=True)
            )
        ]

    def _late(self, finished: int) -> bool:
        """Whether the day was closed before the end, so that its dice may have been known."""
        return self.daily is not None and finished >= self.daily.closes

    def record_text(self, names: dict[str, str]) -> str:
        """The record as a file."""
        if self.record is None:
            raise Refusal("not_started")
        self.record.setup = replace(self.record.setup, names=self.called(names))
        self.record.given_up = self.given_up
        return self.record.text()

    def called(self, names: dict[str, str]) -> tuple[str, ...]:
        """What the seats are called in a record."""
        return tuple(
            seat.info(names).name or f"Player {number}" for number, seat in enumerate(self.seats, 1)
        )


def held_seat(state: TableState, player: str, seat: int | None = None) -> int:
    """The seat that a player acts for: their own, or the one that they name."""
    if seat is None:
        seat = state.seat_of(player)
        if seat is None:
            raise Refusal("not_seated")
    elif seat not in state.seats_of(player):
        raise Refusal("not_your_seat")
    return seat
