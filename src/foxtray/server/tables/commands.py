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
from foxtray.server.tables.state import TableState

UNDOS = 30
"""Actions that a seat may undo between two throws, so that nobody can stop a clock for ever."""

Act = messages.Roll | messages.Play | messages.Undo


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
    match command:
        case messages.Sit():
            return Decision(sit(state, actor, command))
        case messages.Reseat() | messages.Start() | messages.Pause():
            return Decision(manage(state, player, command, bots))
        case messages.Takeover():
            return Decision(take_over(state, player, command, is_absent))
        case messages.Reveal():
            return Decision(reveal(state, seat_of(state, player), command))
        case messages.Leave():
            return Decision(leave(state, seat_of(state, player)))
        case messages.Rematch():
            return rematch(state, player, machine)
        case messages.Resume():
            seat = seat_of(state, player)
            if state.seats[seat].stand_in is None:
                raise Refusal("not_stood_in")
            check_not_given_up(state)
            return Decision([inputs.Resumed(seat)])
        case _:
            return Decision(act(state, seat_of(state, player), command))


# --- what the table itself does -----------------------------------------------------------------


def returning(state: TableState, seat: int) -> list[AnyInput]:
    """The owner of a seat is here: they have it back, unless they gave it up."""
    owner = state.seats[seat]
    if owner.stand_in is None or owner.given_up or state.status != "playing":
        return []
    return [inputs.Resumed(seat)]


def standing_in(state: TableState, late: Collection[int]) -> list[AnyInput]:
    """A bot acts for those who are late, until they return."""
    waiting = [seat for seat in state.wanted() if seat in late]
    bot = state.setup.stand_in
    return [inputs.TookOver(s, bot) for s in waiting if not state.seats[s].driver]


def starting_late(state: TableState) -> list[AnyInput]:
    """The time to reveal entropy is over: the game begins without what is missing."""
    return [state.start()] if state.starting else []


# --- checks -------------------------------------------------------------------------------------


def seat_of(state: TableState, player: str) -> int:
    seat = state.seat_of(player)
    if seat is None:
        raise Refusal("not_seated")
    return seat


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


def check_not_stale(log: TableLog, person: Person, command: messages.Answer) -> None:
    """Refuse the answer to something that was answered meanwhile."""
    seat = log.state.seat_of(person.player)
    if seat is not None and command.seen is not None and log.asked_since(seat) > command.seen:
        raise Refusal("stale")


def led_to(command: TableCommand, log: TableLog, seq: int) -> bool:
    """Whether the input of that number is what a command led to: an id names one command."""
    entry = log.input(seq)
    match command, entry:
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
        case messages.Reseat(), inputs.Reseated(seat, bot):
            return (seat, bot) == (command.seat, command.bot)
        case messages.Takeover(), inputs.TookOver(seat, _, False):
            return seat == command.seat
        case messages.Pause(), inputs.Paused(on):
            return on == command.on
    return isinstance(entry, LEADS_TO.get(type(command), ()))


LEADS_TO: dict[type[TableCommand], tuple[type[AnyInput], ...]] = {
    messages.Leave: (inputs.Left, inputs.TookOver),
    messages.Start: (inputs.Starting,),
    messages.Undo: (inputs.Undid,),
    messages.Resume: (inputs.Resumed,),
    messages.Rematch: (inputs.Rematched,),
}
"""What the commands lead to that say nothing but their name."""


# --- one command after the other ----------------------------------------------------------------


def sit(state: TableState, person: Person, command: messages.Sit) -> list[AnyInput]:
    if not state.joinable:
        raise Refusal("already_started")
    if (command.commitment is None) == (command.entropy is None):
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
    return begin_if_complete(state, inputs.Revealed(seat, command.entropy))


def begin_if_complete(state: TableState, entry: AnyInput) -> list[AnyInput]:
    """An input while the seats reveal their entropy; once nobody is waited for, the start."""
    after = state.copy()
    after.apply(entry)
    return [entry] if after.to_reveal() else [entry, after.start()]


def leave(state: TableState, seat: int) -> list[AnyInput]:
    if state.joinable:
        return [inputs.Left(seat)]
    check_not_over(state)
    if state.seats[seat].given_up:
        return []
    bot = state.seats[seat].stand_in or state.setup.stand_in
    given_up = inputs.TookOver(seat, bot, given_up=True)
    return begin_if_complete(state, given_up) if state.starting else [given_up]


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
        check_seat(state, command.seat)
        if command.bot is not None:
            check_bot(command.bot, state.setup.game, bots)
        return [inputs.Reseated(command.seat, command.bot)]
    if not all(seat.bot or seat.player for seat in state.seats):
        raise Refusal("seats_open")
    if not all(seat.ready for seat in state.seats):
        raise Refusal("seat_not_ready")
    return [inputs.Starting() if state.to_reveal() else state.start()]


def take_over(
    state: TableState,
    player: str,
    command: messages.Takeover,
    is_absent: Callable[[int], bool],
) -> list[AnyInput]:
    seat_of(state, player)
    if state.record is None:
        raise Refusal("not_started")
    check_not_over(state)
    check_seat(state, command.seat)
    if state.seats[command.seat].driver or not is_absent(command.seat):
        raise Refusal("not_absent")
    return [inputs.TookOver(command.seat, state.setup.stand_in)]


def rematch(state: TableState, player: str, machine: Machine) -> Decision:
    """A table for the same people; there is only one, however many ask for it."""
    seat_of(state, player)
    if state.status != "over":
        raise Refusal("not_over")
    if state.rematch is not None:
        return Decision([])
    opened = rematch_of(state, player, machine)
    return Decision([inputs.Rematched(opened.row.id)], opened)


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
        if state.seats[seat].undos >= UNDOS:
            raise Refusal("too_many_undos")
        return [*back, inputs.Undid(seat)]
    check_not_over(state)
    throw = state.throw()
    if state.record.game.active != seat:
        raise Refusal("not_active")
    return [*back, throw]


def roll_after(state: TableState, played: inputs.Played) -> list[AnyInput]:
    """The throw that follows an action at once, if the same seat is then to throw."""
    after = state.copy()
    after.apply(played)
    return [after.throw()] if after.to_throw() == played.seat else []
