"""What a command adds to the log of a table, or why it is refused. Nothing here changes a table."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import NamedTuple

from foxtray.dice import entropy_commitment
from foxtray.server.machine import MACHINE, Machine
from foxtray.server.protocol import inputs, messages
from foxtray.server.protocol.inputs import AnyInput
from foxtray.server.protocol.messages import TableCommand
from foxtray.server.protocol.refusals import Refusal
from foxtray.server.store import NewTable
from foxtray.server.tables.creation import check_bot, rematch_of
from foxtray.server.tables.log import TableLog
from foxtray.server.tables.state import TableState, held_seat

UNDOS = 30
"""Actions that a seat may undo between two throws, so that nobody can stop a clock for ever."""

Act = messages.Roll | messages.Play | messages.Undo
FACES = range(1, 7)
IN_ORDER = (0, 1, 2, 3, 4, 5)


@dataclass(frozen=True, slots=True)
class Person:
    """A player who sends a command, with the key of their link if they have one."""

    player: str
    key: str = ""

    def tag(self, command: TableCommand) -> str | None:
        """What a command is known by in the log: sent twice, it is carried out once."""
        return f"{self.player} {command.id}"


@dataclass(frozen=True, slots=True)
class Bot:
    """A bot that acts for a seat, as the table was when it was asked."""

    seat: int
    name: str
    epoch: int

    def tag(self, command: TableCommand) -> str | None:
        """Bots send nothing twice."""
        return None


Actor = Person | Bot


class Decision(NamedTuple):
    """What is to be written: inputs, and the table that a rematch opens."""

    inputs: list[AnyInput]
    opened: NewTable | None = None


def decide(
    state: TableState,
    actor: Actor,
    command: TableCommand,
    is_absent: Callable[[int], bool],
    bots: Collection[str],
    machine: Machine = MACHINE,
) -> Decision:
    """What a command adds; raises FoxtrayError if it is not allowed."""
    if isinstance(actor, Bot):
        assert isinstance(command, Act)
        if state.seats[actor.seat].driver != actor.name or state.epoch != actor.epoch:
            return Decision([])  # what it was asked about has changed
        return Decision(act(state, actor.seat, command, actor.name))
    player = actor.player
    if isinstance(command, Act):
        return Decision(act(state, held_seat(state, player, command.seat), command))
    match command:
        case messages.Sit():
            return Decision(sit(state, actor, command))
        case messages.Reseat() | messages.Start() | messages.Pause():
            return Decision(manage(state, player, command, bots))
        case messages.Takeover():
            return Decision(take_over(state, player, command, is_absent))
        case messages.Reveal():
            return Decision(reveal(state, held_seat(state, player), command))
        case messages.Leave():
            return Decision(leave(state, player))
        case messages.Hint():
            return Decision(hint(state, held_seat(state, player, command.seat)))
        case messages.Rematch():
            return rematch(state, player, machine)
        case messages.Resume():
            held_seat(state, player)
            seats = stood_in(state, player)
            if not seats:
                raise Refusal("not_stood_in")
            check_not_given_up(state)
            return Decision([inputs.Resumed(seat) for seat in seats])
        case messages.EnterFaces():
            return Decision(enter_faces(state, player, command))


# --- what the table itself does -----------------------------------------------------------------


def returning(state: TableState, player: str) -> list[AnyInput]:
    """A player is here: they have their seats back, unless they gave them up."""
    if state.status != "playing":
        return []
    seats = stood_in(state, player)
    return [inputs.Resumed(seat) for seat in seats if not state.seats[seat].given_up]


def stood_in(state: TableState, player: str) -> list[int]:
    """The seats of a player that bots play for."""
    return [seat for seat in state.seats_of(player) if state.seats[seat].stand_in]


def standing_in(state: TableState, late: Collection[int]) -> list[AnyInput]:
    """A bot acts for those who are late, until they return."""
    waiting = [seat for seat in state.wanted() if seat in late]
    bot = state.setup.stand_in
    return [inputs.TookOver(s, bot) for s in waiting if not state.seats[s].driver]


def starting_late(state: TableState) -> list[AnyInput]:
    """The time to reveal entropy is over: the game begins without what is missing."""
    return [state.start()] if state.starting else []


# --- checks -------------------------------------------------------------------------------------


def check_seat(state: TableState, seat: int) -> None:
    if seat >= len(state.seats):
        raise Refusal("no_such_seat", f"there is no seat {seat + 1}")


def check_not_over(state: TableState) -> None:
    if state.status == "over":
        raise Refusal("game_over", "the game is over")


def check_not_given_up(state: TableState) -> None:
    """Refuse people whose dice are known: every player gave up, and the secret was told."""
    if state.given_up:
        raise Refusal("given_up")


def check_not_daily(state: TableState) -> None:
    """Refuse to change the seat of an attempt: it is one player's."""
    if state.daily:
        raise Refusal("daily_seat")


def check_not_stale(log: TableLog, person: Person, command: messages.Answer) -> None:
    """Refuse the answer to something that was answered meanwhile."""
    if command.seen is None:
        return
    seats = log.state.seats_of(person.player)
    seat = log.state.seat_of(person.player) if command.seat is None else command.seat
    if seat in seats and log.asked_since(seat) > command.seen:
        raise Refusal("stale")


def led_to(command: TableCommand, log: TableLog, seq: int) -> bool:
    """Whether the input of that number is what a command led to: an id names one command."""
    entry = log.input(seq)
    match command, entry:
        case messages.EnterFaces(), inputs.Threw(faces, _, by):
            return by is not None and faces == command.faces
        case _, inputs.Threw(_, _, int()):
            return False
        case messages.Play() | messages.Roll(), inputs.Threw():
            # A play that rolls at once is two inputs, and only the second carries its id.
            before = log.rows[seq - 2]
            played = log.input(seq - 1)
            at_once = isinstance(played, inputs.Played) and not (before.command or played.bot)
            if isinstance(command, messages.Roll):
                return not at_once
            return at_once and command.roll and getattr(played, "action", "") == command.action
        case messages.Play(), inputs.Played(_, action):
            return action == command.action
        case messages.Sit(), inputs.Sat(seat, _, entropy, commitment):
            told = (command.seat, command.entropy, command.commitment)
            return (seat, entropy, commitment) == told
        case messages.Reveal(), inputs.Revealed(_, entropy):
            return entropy == command.entropy
        case messages.Reveal() | messages.Leave() | messages.Start(), inputs.Started():
            # What completes the start is two inputs, and only the second carries its id.
            first = log.input(seq - 1) if seq > 1 and not log.rows[seq - 2].command else None
            if isinstance(command, messages.Reveal):
                return isinstance(first, inputs.Revealed) and first.entropy == command.entropy
            given_up = isinstance(first, inputs.TookOver)
            return given_up if isinstance(command, messages.Leave) else first is None
        case messages.Reseat(), inputs.Reseated(seat, bot, guest):
            return (seat, bot, guest) == (command.seat, command.bot, command.guest)
        case messages.Takeover(), inputs.TookOver(seat, _, False):
            return seat == command.seat
        case messages.Pause(), inputs.Paused(on):
            return on == command.on
    return isinstance(entry, LEADS_TO.get(type(command), ()))


LEADS_TO: dict[type[TableCommand], tuple[type[AnyInput], ...]] = {
    messages.Leave: (inputs.Left, inputs.TookOver),
    messages.Start: (inputs.Starting,),
    messages.Undo: (inputs.Undid, inputs.UndidThrow),
    messages.Resume: (inputs.Resumed,),
    messages.Rematch: (inputs.Rematched,),
    messages.Hint: (inputs.Hinted,),
}
"""What the commands lead to that say nothing but their name."""


# --- one command after the other ----------------------------------------------------------------


def sit(state: TableState, person: Person, command: messages.Sit) -> list[AnyInput]:
    if not state.joinable:
        raise Refusal("already_started")
    missing = [command.commitment, command.entropy].count(None)
    if missing == 0 or (missing == 2 and not state.setup.real_dice):
        raise Refusal("malformed", "sit needs a commitment to your entropy")
    check_seat(state, command.seat)
    seat = state.seats[command.seat]
    mine = state.seat_of(person.player)
    if mine == command.seat:
        if seat.ready:
            raise Refusal("seated_already")
    elif mine is not None:
        raise Refusal("seated_already")
    elif seat.bot or seat.player:
        raise Refusal("seat_taken")
    elif not (state.invited(person.key) or person.player == state.host):
        raise Refusal("invite_needed")
    return [inputs.Sat(command.seat, person.player, command.entropy, command.commitment)]


def reveal(state: TableState, seat: int, command: messages.Reveal) -> list[AnyInput]:
    owner = state.seats[seat]
    if owner.entropy == command.entropy:
        return []
    if state.record is not None:
        raise Refusal("already_started")
    commitment = state.commitment()
    if not state.starting or commitment is None:
        raise Refusal("not_starting")
    told = entropy_commitment(commitment, seat, bytes.fromhex(command.entropy))
    if told != owner.commitment:
        raise Refusal("wrong_entropy")
    return begin_if_complete(state, [inputs.Revealed(seat, command.entropy)])


def begin_if_complete(state: TableState, entries: list[AnyInput]) -> list[AnyInput]:
    """Inputs while the seats reveal their entropy; once nobody is waited for, the start."""
    after = state.copy()
    for entry in entries:
        after.apply(entry)
    return entries if after.to_reveal() else [*entries, after.start()]


def leave(state: TableState, player: str) -> list[AnyInput]:
    """A player leaves, and their guests with them."""
    own = held_seat(state, player)
    if state.joinable:
        check_not_daily(state)
        return [*without_guests(state, player), inputs.Left(own)]
    check_not_over(state)
    seats = [seat for seat in state.seats_of(player) if not state.seats[seat].given_up]
    given_up: list[AnyInput] = [
        inputs.TookOver(seat, state.seats[seat].stand_in or state.setup.stand_in, given_up=True)
        for seat in seats
    ]
    return begin_if_complete(state, given_up) if state.starting and given_up else given_up


def without_guests(state: TableState, player: str | None) -> list[AnyInput]:
    """The seats of a player's guests are open again."""
    return [
        inputs.Reseated(seat, None)
        for seat in state.seats_of(player)
        if state.seats[seat].guest is not None
    ]


def manage(
    state: TableState,
    player: str,
    command: messages.Reseat | messages.Start | messages.Pause,
    bots: Collection[str],
) -> list[AnyInput]:
    """What only the host may do."""
    if player != state.host:
        raise Refusal("not_host")
    if isinstance(command, messages.Pause):
        check_not_over(state)
        return [inputs.Paused(command.on)] if command.on != state.pause else []
    if state.starting and isinstance(command, messages.Start):
        return []
    if not state.joinable:
        raise Refusal("already_started")
    if isinstance(command, messages.Reseat):
        check_not_daily(state)
        check_seat(state, command.seat)
        return reseat(state, player, command, bots)
    if not all(seat.bot or seat.player for seat in state.seats):
        raise Refusal("seats_open")
    if not all(seat.ready for seat in state.seats):
        raise Refusal("seat_not_ready")
    return [inputs.Starting() if state.to_reveal() else state.start()]


def reseat(
    state: TableState, player: str, command: messages.Reseat, bots: Collection[str]
) -> list[AnyInput]:
    """The host puts a bot or a guest on a seat, or opens it."""
    if command.guest is not None:
        if command.bot is not None:
            raise Refusal("malformed", "reseat takes a bot or a guest, not both")
        if held_seat(state, player) == command.seat:
            raise Refusal("seated_already")
        return [inputs.Reseated(command.seat, None, command.guest, player)]
    if command.bot is not None:
        check_bot(command.bot, state.setup.game, bots)
    reseated = inputs.Reseated(command.seat, command.bot)
    owner = state.seats[command.seat]
    if owner.player is not None and owner.guest is None:
        return [*without_guests(state, owner.player), reseated]
    return [reseated]


def take_over(
    state: TableState,
    player: str,
    command: messages.Takeover,
    is_absent: Callable[[int], bool],
) -> list[AnyInput]:
    held_seat(state, player)
    if state.record is None:
        raise Refusal("not_started")
    check_not_over(state)
    check_seat(state, command.seat)
    if state.seats[command.seat].driver or not is_absent(command.seat):
        raise Refusal("not_absent")
    return [inputs.TookOver(command.seat, state.setup.stand_in)]


def hint(state: TableState, seat: int) -> list[AnyInput]:
    """A hint is given only for a decision that the player is asked for, and the log says so."""
    if state.record is None:
        raise Refusal("not_started")
    check_not_over(state)
    check_not_given_up(state)
    if not state.setup.may_hint:
        raise Refusal("no_hints")
    if seat not in state.record.game.awaiting():
        raise Refusal("no_hint_now")
    back = [inputs.Resumed(seat)] if state.seats[seat].stand_in else []
    return [*back, inputs.Hinted(seat)]


def rematch(state: TableState, player: str, machine: Machine) -> Decision:
    """A table for the same people; there is only one, however many ask for it."""
    held_seat(state, player)
    if state.status != "over":
        raise Refusal("not_over")
    if state.rematch is not None:
        return Decision([])
    opened = rematch_of(state, player, machine)
    return Decision([inputs.Rematched(opened.row.id, opened.row.watch)], opened)


def act(state: TableState, seat: int, command: Act, bot: str | None = None) -> list[AnyInput]:
    """What a seat does in the game, by its owner or through a bot."""
    if state.record is None:
        raise Refusal("not_started")
    if bot is None:
        check_not_given_up(state)
    # An owner who acts has the seat back.
    back = [inputs.Resumed(seat)] if bot is None and state.seats[seat].stand_in else []
    if isinstance(command, messages.Play):
        played = inputs.Played(seat, command.action, bot)
        return [*back, played, *(roll_after(state, played) if command.roll else ())]
    if isinstance(command, messages.Undo):
        if state.may_undo_faces(seat):
            if state.faces_undone >= UNDOS:
                raise Refusal("too_many_undos")
            return [*back, inputs.UndidThrow(seat)]
        if state.seats[seat].undos >= UNDOS:
            raise Refusal("too_many_undos")
        return [*back, inputs.Undid(seat)]
    check_not_over(state)
    if state.setup.real_dice:
        raise Refusal("real_dice")
    throw = state.throw()
    if state.record.game.active != seat:
        raise Refusal("not_active")
    return [*back, throw]


def roll_after(state: TableState, played: inputs.Played) -> list[AnyInput]:
    """The throw that follows an action at once, if the same seat is then to throw."""
    after = state.copy()
    after.apply(played)
    thrown = after.to_throw() == played.seat and not state.setup.real_dice
    return [after.throw()] if thrown else []


def enter_faces(state: TableState, player: str, command: messages.EnterFaces) -> list[AnyInput]:
    """The faces of real dice, entered for the active seat, or for a bot by anyone seated."""
    own = held_seat(state, player, command.seat)
    if state.record is None:
        raise Refusal("not_started")
    check_not_given_up(state)
    check_not_over(state)
    if not state.setup.real_dice:
        raise Refusal("not_real_dice")
    game = state.record.game
    wanted = game.rolling()
    if not wanted:
        raise Refusal("no_throw", "there are no dice to roll now")
    seats = state.seats_of(player)
    by = game.active if game.active in seats and command.seat is None else own
    if by != game.active and not state.seats[game.active].driver:
        raise Refusal("not_active")
    faces = command.faces
    if any((face in FACES) != (d in wanted) for d, face in enumerate(faces)):
        letters = " ".join(game.sheet.letters[d] for d in wanted)
        raise Refusal("wrong_faces", f"enter a face from 1 to 6 for {letters}, 0 for the others")
    order = command.order
    if order is None:
        if game.undecided(faces)[0]:
            raise Refusal("tie_open")
        order = IN_ORDER
    elif sorted(order) != list(IN_ORDER):
        raise Refusal("wrong_faces", "the order must name each of the six dice once, from 0 to 5")
    back = [inputs.Resumed(by)] if state.seats[by].stand_in else []
    return [*back, inputs.Threw(faces, order, by)]
