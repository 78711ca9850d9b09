"""New tables: as a player wishes, or for a rematch."""

from __future__ import annotations

from collections.abc import Collection

from foxtray.bots import LEVELS, can_play, usual
from foxtray.game import RULES_VERSION
from foxtray.games.registry import folder_of
from foxtray.history import ThrowInput
from foxtray.server.machine import MACHINE, Machine
from foxtray.server.players import new_id, new_key
from foxtray.server.protocol import inputs
from foxtray.server.protocol.inputs import AnyInput, Daily, SeatSetup, TableSetup
from foxtray.server.protocol.messages import PlayOn, SeatWish, TableWish
from foxtray.server.protocol.refusals import Refusal
from foxtray.server.store import LogRow, NewTable, PlayerRow, TableRow
from foxtray.server.tables.state import TableState

SECRET_BYTES = 32
ENTROPY_BYTES = 16


def new_table(
    host: str,
    setup: TableSetup,
    secret: bytes | None = None,
    machine: Machine = MACHINE,
    root: str | None = None,
) -> NewTable:
    """A table with keys of its own, and with new dice if no secret is given."""
    row = TableRow(
        id=new_id(machine.rng),
        rules=RULES_VERSION,
        setup=inputs.encode_setup(setup),
        secret=machine.rng.randbytes(SECRET_BYTES) if secret is None else secret,
        host=host,
        invite=new_key(machine.rng),
        watch=new_key(machine.rng),
        created=machine.now(),
    )
    seating = [(i, None if seat.guest else seat.player) for i, seat in enumerate(setup.seats)]
    return NewTable(row, seating, root)


def check_bot(name: str, game: str, known: Collection[str]) -> None:
    """Refuse a bot that does not exist, or that cannot play a game."""
    if name not in known:
        raise Refusal("unknown_bot")
    if not can_play(name, game):
        raise Refusal("bot_cannot_play")


def check_wish(wish: TableWish, bots: Collection[str]) -> None:
    """Refuse a table that cannot be."""
    folder = folder_of(wish.game)
    if wish.tutorial and folder.lesson is None:
        raise Refusal("no_lesson")
    wishes = seat_wishes(wish)
    if sum(seat.kind == "me" for seat in wishes) > 1:
        raise Refusal("one_seat_each")
    for seat in wishes:
        if seat.kind == "bot":
            check_bot(seat.bot, wish.game, bots)
    stand_in = wish.stand_in or usual(wish.game)
    check_bot(stand_in, wish.game, bots)
    if not good_enough(stand_in, wish.game):
        raise Refusal("stand_in_too_weak")
    if (wish.seed is not None or wish.same_dice) and (len(wishes) > 1 or wish.real_dice):
        raise Refusal("seed_not_solo")


def good_enough(bot: str, game: str) -> bool:
    """Whether a bot may play for somebody: nobody gains by a rival's weak stand-in."""
    levels = list(LEVELS)
    return bot in levels and levels.index(bot) >= levels.index(usual(game))


def wished_table(
    player: str,
    wish: TableWish,
    earlier: TableState | None = None,
    machine: Machine = MACHINE,
) -> NewTable:
    """The table that a player wishes for, with the dice of an earlier one where they want those."""
    again = [entropy.hex() for entropy in earlier.entropies()] if earlier else None
    setup = TableSetup(
        game=wish.game,
        seats=[
            SeatSetup(
                bot=seat.bot if seat.kind == "bot" else None,
                player=player if seat.kind == "me" else None,
            )
            for seat in seat_wishes(wish)
        ],
        solo_fallback=wish.solo_fallback,
        fox_floor=wish.fox_floor,
        clock=wish.clock,
        pause=wish.pause,
        stand_in=wish.stand_in or usual(wish.game),
        seed=None if wish.tutorial or again is not None else wish.seed,
        again=again,
        tutorial=wish.tutorial,
        real_dice=wish.real_dice and not wish.tutorial,
        hints=wish.hints,
    )
    if earlier is None:
        return new_table(player, setup, machine=machine)
    return new_table(player, setup, earlier.row.secret, machine, root=earlier.row.id)


def daily_table(
    player: str, game: str, daily: Daily, secret: bytes, machine: Machine = MACHINE
) -> NewTable:
    """The table of a player's attempt at the dice of a day."""
    setup = TableSetup(game, [SeatSetup(player=player)], daily=daily)
    return new_table(player, setup, secret, machine)


def seat_wishes(wish: TableWish) -> list[SeatWish]:
    return [SeatWish("me")] if wish.tutorial else wish.seats


def rematch_of(state: TableState, player: str, machine: Machine = MACHINE) -> NewTable:
    """A table for the same people and bots, with new dice; its host is the player who asks."""
    setup = TableSetup(
        game=state.setup.game,
        seats=[SeatSetup(seat.bot, seat.player, seat.guest) for seat in state.seats],
        solo_fallback=state.setup.solo_fallback,
        fox_floor=state.setup.fox_floor,
        clock=state.setup.clock,
        pause=state.pause,
        stand_in=state.setup.stand_in,
        real_dice=state.setup.real_dice,
        rematch_of=state.row.id,
        hints=state.setup.hints,
    )
    return new_table(player, setup, machine=machine)


def continued_table(
    player: PlayerRow, wish: PlayOn, earlier: TableState, stand_in: str, machine: Machine = MACHINE
) -> tuple[NewTable, list[LogRow]]:
    """A table at which a finished game is played on from one of its moments, and its log.

    With the same dice it has the secret of the earlier table, with new ones a secret of its own.
    """
    assert earlier.record
    played = earlier.record.inputs
    known = earlier.has_secret or earlier.setup.seed is not None
    here = wish.at < len(played) and wish.seat < len(earlier.seats)
    if not here or (wish.same_dice and not known):
        raise Refusal("no_such_moment")
    entries: list[AnyInput] = [
        inputs.Sat(wish.seat, player.id, machine.rng.randbytes(ENTROPY_BYTES).hex()),
        inputs.Started(earlier.record.setup.first),
    ]
    drivers = [seat.bot or stand_in for seat in earlier.seats]
    for entry in played[: wish.at]:
        if isinstance(entry, ThrowInput):
            entries.append(inputs.Threw(entry.throw.faces, entry.throw.order))
        else:
            bot = None if entry.seat == wish.seat else drivers[entry.seat]
            entries.append(inputs.Played(entry.seat, str(entry.action), bot))
    same = wish.same_dice
    setup = TableSetup(
        game=earlier.setup.game,
        seats=[
            SeatSetup(None, player.id) if number == wish.seat else SeatSetup(bot)
            for number, bot in enumerate(drivers)
        ],
        solo_fallback=earlier.setup.solo_fallback,
        fox_floor=earlier.setup.fox_floor,
        stand_in=stand_in,
        seed=earlier.setup.seed if same else None,
        again=[e.hex() for e in earlier.entropies()] if same and earlier.has_secret else None,
        hints=True,
        copied=len(entries),
    )
    secret = earlier.row.secret if same and earlier.has_secret else None
    now = machine.now()
    rows = [LogRow(seq, now, inputs.encode(entry)) for seq, entry in enumerate(entries, 1)]
    return new_table(player.id, setup, secret, machine), rows
