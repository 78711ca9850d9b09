"""The rules of the family in the order of play, in one plain file that is executed three times.

Interpreted it serves people; under numba, unchanged, it serves bots; translated to JavaScript it
serves the page (docs/translator.md). So it keeps to a subset: integers and nested sequences of
them, no slices, no recursion, no run-time imports but the codes.
`t` is the sheet's tables, `s` the state (changed in place), `log` what happened. Several dice,
seats or values are the bits of a number. Actions are trusted to be legal.

The last line of a docstring names the clauses of the rulebooks that the function carries out.
Clauses without the name of a game are those of every game.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from foxtray.core.codes import (
    ACTION_SPENT,
    ANY,
    AS_CROSS,
    AS_EXTRA,
    ASIDE,
    AT_LEAST,
    BONUS_EARNED,
    BONUS_LOST,
    BONUS_USED,
    BY_CELL,
    BY_COUNT,
    BY_LINE,
    BY_LINES,
    BY_ROUND,
    BY_ROWS,
    BY_TRACK,
    CHOOSING,
    CHOSEN,
    DICE,
    ENTER,
    ENTRY_WIDTH,
    EVERY_DIE,
    EVERY_VALUE,
    EXTRA,
    EXTRAS,
    FALLING,
    FIELD,
    FOLLOW,
    FOX,
    FROM_FIELD,
    FROM_POOL,
    FROM_TRAY,
    GAME_ENDED,
    HIGHER,
    HIGHEST_FACE,
    IDLE,
    LEFT_OVER,
    LINE_COMPLETED,
    LOWER,
    MARKED,
    MOVED,
    OPENING,
    OVER,
    PASS,
    PASSED,
    PICK,
    POOL,
    REROLL,
    REROLLS,
    RETURN,
    RETURNED,
    RETURNS,
    ROLLS,
    ROUND_ENDED,
    ROUND_STARTED,
    SERVED,
    SERVING,
    SERVING_STARTED,
    SOLO_TRAY,
    SUM,
    TAKEN,
    THROW,
    THROWN,
    TRACK,
    TRACK_CIRCLED,
    TRAY,
    TURN_ENDED,
    TURN_STARTED,
    VALUES,
    WINDOW,
)

if TYPE_CHECKING:
    from foxtray.core.layout import Tables
    from foxtray.core.state import Log, State

    Ints = list[int]


# --- sets and the log -----------------------------------------------------------------------------
# A call costs the interpreter more than the shift it stands for, so the four loops that run most
# (`awaiting`, `lying`, `usable`, `list_dice`) write these operations out.


def holds(those: int, one: int) -> bool:
    """Whether a die, seat or value is among those."""
    return those >> one & 1 > 0


def adding(those: int, one: int) -> int:
    """Those, and this one."""
    return those | 1 << one


def without(those: int, one: int) -> int:
    """Those, but not this one."""
    return those & ~(1 << one)


def note(log: Log, code: int, a: int, b: int, c: int, d: int) -> None:
    """Write an entry of the log, if one is kept."""
    n = log.size
    if n >= 0:
        log.entries[n] = code
        log.entries[n + 1] = a
        log.entries[n + 2] = b
        log.entries[n + 3] = c
        log.entries[n + 4] = d
        log.size = n + ENTRY_WIDTH


# --- rounds and turns -----------------------------------------------------------------------------


def turns_in_round(s: State) -> int:
    """Every seat is active once; the solo player is active, then passive.

    Clauses: 2.2, 14.1.
    """
    return 2 if s.seats == 1 else s.seats


def round_of(s: State) -> int:
    """The round of the current turn, from 0."""
    return s.turn // turns_in_round(s)


def active_seat(s: State) -> int:
    """The seat whose turn it is; in solo serving the only one.

    Clauses: 2.2.
    """
    return 0 if s.seats == 1 else (s.first + s.turn) % s.seats


def solo_serving(s: State) -> bool:
    """Whether this is the passive half of a solo round.

    Clauses: 14.1.
    """
    return s.seats == 1 and s.turn % 2 == 1


def begin(t: Tables, s: State, log: Log) -> None:
    """Open the game on a fresh state."""
    for seat in range(s.seats):
        for line in range(t.lines):
            s.missing[seat][line] = t.line_size[line]
        for area in range(t.areas):
            s.fits[seat][area] = fitting(t, s, seat, area)
    start_turn(t, s, log)
    advance(t, s, log)


def start_turn(t: Tables, s: State, log: Log) -> None:
    """Gather the dice; at the start of a round every seat receives what the round gives.

    Clauses: 2.3, 2.4, 3.1, 4.6, 14.1, 14.7.
    """
    s.phase = OPENING
    s.rolls = 0
    s.rerolls = 0
    for d in range(DICE):
        s.place[d] = POOL
    for seat in range(s.seats):
        s.used[seat] = 0
    if s.turn % turns_in_round(s) == 0:
        now = round_of(s)
        note(log, ROUND_STARTED, now, 0, 0, 0)
        if t.round_bonus[now]:
            for seat in range(s.seats):
                earn(t, s, seat, t.round_bonus[now], BY_ROUND, now, log)
                settle(t, s, seat, log)
    note(log, TURN_STARTED, s.turn, active_seat(s), int(solo_serving(s)), 0)


def advance(t: Tables, s: State, log: Log) -> None:
    """Carry the game on until a seat is asked, dice are wanted or it is over.

    Clauses: 2.5, 4.9, 15.3; Twice 3.11, 3.13.
    """
    while s.phase != THROW and s.phase != OVER and awaiting(t, s) == 0:
        if s.phase == OPENING:
            if not solo_serving(s):
                s.rolls = 1
            s.phase = THROW
        elif s.phase == CHOOSING:
            if may_return(t, s):
                s.stage[active_seat(s)] = WINDOW
            else:
                next_roll(t, s, log)
        else:
            end_turn(t, s, log)


# --- who is asked, and for what -------------------------------------------------------------------


def awaiting(t: Tables, s: State) -> int:
    """The seats, as bits, that may act now; 0 while dice are wanted and when it is over.

    Clauses: 1.3, 15.3.
    """
    seats = 0
    for seat in range(s.seats):
        if s.pending[seat] > 0 or s.stage[seat] != IDLE:
            seats |= 1 << seat
    return seats


def legal_actions(t: Tables, s: State, seat: int, out: Ints) -> int:
    """Write a seat's legal actions into `out`, ascending; returns how many there are.

    `settle` has run: a seat that is awaited has something to choose. The ids ascend from PASS and
    REROLL, which are 0 and 1, over returns and dice to the uses of bonuses.

    Clauses: 11.2, 15.1.
    """
    if s.pending[seat] > 0:
        return legal_bonus(t, s, seat, out)
    stage = s.stage[seat]
    if stage == PICK:
        return legal_pick(t, s, seat, out)
    if stage == FOLLOW:
        return legal_follow(t, s, seat, out)
    if stage == WINDOW:
        return legal_window(t, s, seat, out)
    if stage == SERVED:
        return legal_served(t, s, seat, out)
    if stage == EXTRA:
        return legal_extra(t, s, seat, out)
    return 0


def apply(t: Tables, s: State, seat: int, action: int, log: Log) -> None:
    """Carry out a legal action of a seat, and all that follows without a decision."""
    kind = t.action_kind[action]
    if kind == ENTER:
        enter(t, s, seat, action, log)
    elif kind == PASS:
        decline(t, s, seat, log)
    elif kind == REROLL:
        reroll(s, seat, log)
    elif kind == RETURN:
        return_die(s, seat, t.action_die[action], log)
    else:
        use_bonus(t, s, seat, action, log)
    settle(t, s, seat, log)
    advance(t, s, log)


def enter(t: Tables, s: State, seat: int, action: int, log: Log) -> None:
    """Enter a die: from the roll, as an additional cross, served, or as an extra die."""
    stage = s.stage[seat]
    if stage == PICK:
        enter_pick(t, s, seat, action, log)
    elif stage == FOLLOW:
        enter_cross(t, s, seat, action, log)
    elif stage == SERVED:
        enter_served(t, s, seat, action, log)
    else:
        enter_extra(t, s, seat, action, log)


def decline(t: Tables, s: State, seat: int, log: Log) -> None:
    """Do nothing more at this stage.

    Clauses: 3.9, 4.4, 4.8; Twice 3.8, 3.14, 4.3, 9.7.
    """
    stage = s.stage[seat]
    note(log, PASSED, seat, stage, 0, 0)
    if stage == FOLLOW:
        end_crosses(s, seat)
    elif stage == SERVED:
        s.stage[seat] = EXTRA
    else:
        s.stage[seat] = IDLE
        if stage == WINDOW:
            next_roll(t, s, log)


def settle(t: Tables, s: State, seat: int, log: Log) -> None:
    """Do what a seat is not asked for: use a forced bonus, leave a stage that offers nothing.

    The window is not looked at: `advance` opens it only with a return and a die to return.

    Clauses: 3.9, 4.8, 15.1, 15.2.
    """
    if s.pending[seat] > 0:
        settle_bonuses(t, s, seat, log)
        if s.pending[seat] > 0:
            return
    stage = s.stage[seat]
    if stage == IDLE:
        return
    if stage == PICK:
        if not offers_pick(t, s, seat):
            note(log, PASSED, seat, PICK, 1, 0)
            s.stage[seat] = IDLE
    elif stage == FOLLOW:
        if not has_cross(t, s, seat):
            end_crosses(s, seat)
    elif stage == SERVED and not offers_served(t, s, seat):
        note(log, PASSED, seat, SERVED, 1, 0)
        s.stage[seat] = EXTRA
    if s.stage[seat] == EXTRA and not offers_extra(t, s, seat):
        s.stage[seat] = IDLE


# --- throws ---------------------------------------------------------------------------------------


def lying(s: State, where: int) -> int:
    """The dice that lie in a place."""
    place = s.place
    dice = 0
    for d in range(DICE):
        if place[d] == where:
            dice |= 1 << d
    return dice


def move(s: State, die: int, place: int, why: int, log: Log) -> None:
    """Put a die in another place: it lies in one at a time.

    Clauses: 1.2.
    """
    note(log, MOVED, die, s.place[die], place, why)
    s.place[die] = place


def rolling(t: Tables, s: State) -> int:
    """The dice, as bits, that are wanted; 0 while none are.

    Clauses: 3.2.
    """
    return lying(s, POOL) if s.phase == THROW else 0


def next_roll(t: Tables, s: State, log: Log) -> None:
    """Want the next roll, or end the rolls when there are no more dice or rolls.

    Clauses: 3.1, 3.10; Twice 3.14.
    """
    if s.rolls < ROLLS and lying(s, POOL):
        s.rolls += 1
        s.rerolls = 0
        s.phase = THROW
    else:
        end_rolls(t, s, log)


def roll(t: Tables, s: State, faces: Ints, order: Ints, log: Log) -> None:
    """Throw the wanted dice: the faces come from outside, and the order that decides ties.

    Clauses: 3.2, 14.2.
    """
    for d in range(DICE):
        if s.place[d] == POOL:
            s.face[d] = faces[d]
    note(log, THROWN, rolling(t, s), packed_faces(s), s.rolls, s.rerolls)
    if solo_serving(s):
        fill_solo_tray(s, order, log)
        serve(t, s, log)
    else:
        active = active_seat(s)
        s.phase = CHOOSING
        s.stage[active] = PICK
        settle(t, s, active, log)
    advance(t, s, log)


def packed_faces(s: State) -> int:
    """All faces in one number, three bits each, as the log keeps them."""
    face = s.face
    return face[0] | face[1] << 3 | face[2] << 6 | face[3] << 9 | face[4] << 12 | face[5] << 15


def fill_solo_tray(s: State, order: Ints, log: Log) -> None:
    """Alone, the three lowest dice go to the tray and the others lie aside.

    Clauses: 14.3.
    """
    for _ in range(SOLO_TRAY):
        lowest = lowest_die(s, order)
        move(s, lowest, TRAY, LOWER, log)
    for d in range(DICE):
        if s.place[d] == POOL:
            move(s, d, ASIDE, HIGHER, log)


def lowest_die(s: State, order: Ints) -> int:
    """The lowest die of the pool; the order decides between equal ones.

    Clauses: 14.3.
    """
    face = s.face
    place = s.place
    lowest = -1
    for k in range(DICE):
        d = order[k]
        if place[d] == POOL and (lowest < 0 or face[d] < face[lowest]):
            lowest = d
    return lowest


def reroll(s: State, seat: int, log: Log) -> None:
    """Want the whole pool once more, which is not counted among the rolls.

    Clauses: 3.3.
    """
    spend(s, seat, REROLLS, log)
    s.rerolls += 1
    s.stage[seat] = IDLE
    s.phase = THROW


# --- picking a die of the roll --------------------------------------------------------------------


def offers_pick(t: Tables, s: State, seat: int) -> bool:
    """Whether a roll leaves a choice: without one it is lost.

    Clauses: 3.9, 15.2.
    """
    return has_left(t, s, seat, REROLLS) or usable(t, s, seat, lying(s, POOL))


def legal_pick(t: Tables, s: State, seat: int, out: Ints) -> int:
    """A usable die of the pool, or a reroll; or to decline, where the game allows it.

    Clauses: 3.3, 3.4, 3.7, 3.8, 3.9.
    """
    n = 0
    if t.may_decline:
        out[n] = PASS
        n += 1
    if has_left(t, s, seat, REROLLS):
        out[n] = REROLL
        n += 1
    found = list_dice(t, s, seat, lying(s, POOL), out, n)
    if found > n or t.may_decline:
        return found
    # No die is usable, so there is a reroll (`offers_pick`), and the roll may be given up too.
    out[0] = PASS
    out[1] = REROLL
    return 2


def enter_pick(t: Tables, s: State, seat: int, action: int, log: Log) -> None:
    """Take a die of the roll to the next die field, and move the lower ones to the tray.

    Clauses: 3.4, 5.1; Twice 9.2, 9.5.
    """
    die = t.action_die[action]
    area = t.action_area[action]
    value = value_of(t, s, die, area)
    note(log, TAKEN, seat, die, value, FROM_POOL)
    move(s, die, next_field(s), CHOSEN, log)
    moved = move_lower(s, s.face[die], log)
    if area == t.follow_area:
        s.follow = moved
        s.stage[seat] = FOLLOW
    else:
        s.stage[seat] = IDLE
    mark(t, s, seat, area, t.action_cell[action], value, log)
    if rolls_over(t, s):
        end_rolls(t, s, log)


def next_field(s: State) -> int:
    """The die field for the next die taken: they are filled in order.

    Clauses: 3.4.
    """
    place = s.place
    field = FIELD
    for d in range(DICE):
        if place[d] >= FIELD:
            field += 1
    return field


def move_lower(s: State, face: int, log: Log) -> int:
    """Move the dice of the pool that show less to the tray; returns which.

    Clauses: 3.5, 3.6; Twice 9.4.
    """
    place = s.place
    moved = 0
    for d in range(DICE):
        if place[d] == POOL and s.face[d] < face:
            move(s, d, TRAY, LOWER, log)
            moved = adding(moved, d)
    return moved


# --- additional crosses ---------------------------------------------------------------------------


def has_cross(t: Tables, s: State, seat: int) -> bool:
    """Whether any additional cross is still possible."""
    row = s.cells[seat]
    for d in range(DICE):
        if holds(s.follow, d):
            value = s.face[d]
            for k in range(t.hits[d][t.follow_area][value]):
                if row[t.hit_cell[d][t.follow_area][value][k]] == 0:
                    return True
    return False


def legal_follow(t: Tables, s: State, seat: int, out: Ints) -> int:
    """An additional cross, or no more of them.

    Clauses: Twice 9.2, 9.7.
    """
    out[0] = PASS
    return list_crosses(t, s, seat, out, 1)


def list_crosses(t: Tables, s: State, seat: int, out: Ints, n: int) -> int:
    """List the additional crosses that the dice moved by a pick still allow.

    Clauses: Twice 9.3.
    """
    for d in range(DICE):
        if holds(s.follow, d):
            n = list_hits(t, s, seat, d, t.follow_area, s.face[d], out, n)
    return n


def enter_cross(t: Tables, s: State, seat: int, action: int, log: Log) -> None:
    """Make an additional cross: a die counts with its own face here, never with a sum.

    Clauses: Twice 9.2, 9.3.
    """
    die = t.action_die[action]
    value = s.face[die]
    note(log, TAKEN, seat, die, value, AS_CROSS)
    s.follow = without(s.follow, die)
    mark(t, s, seat, t.action_area[action], t.action_cell[action], value, log)


def end_crosses(s: State, seat: int) -> None:
    """Give up the additional crosses; after the last roll extra dice come next.

    Clauses: Twice 9.7.
    """
    s.follow = 0
    s.stage[seat] = EXTRA if s.phase == SERVING else IDLE


# --- returns between two rolls --------------------------------------------------------------------


def may_return(t: Tables, s: State) -> bool:
    """Whether the active seat can return a die before its next roll.

    Clauses: Twice 3.11, 3.12, 15.2.
    """
    return s.rolls < ROLLS and has_left(t, s, active_seat(s), RETURNS) and lying(s, TRAY) != 0


def legal_window(t: Tables, s: State, seat: int, out: Ints) -> int:
    """Return a die of the tray, or roll with those of the pool.

    Clauses: Twice 3.11, 3.12.
    """
    out[0] = PASS
    n = 1
    for d in range(DICE):
        if s.place[d] == TRAY:
            out[n] = t.return_action + d
            n += 1
    return n


def return_die(s: State, seat: int, die: int, log: Log) -> None:
    """Bring a die back to the pool; `advance` opens the window again while it can be used.

    Clauses: Twice 3.11.
    """
    spend(s, seat, RETURNS, log)
    move(s, die, POOL, RETURNED, log)
    s.stage[seat] = IDLE


# --- serving --------------------------------------------------------------------------------------


def rolls_over(t: Tables, s: State) -> bool:
    """Whether a pick was the last of the turn, whatever its bonuses may still bring.

    Clauses: 3.10; Twice 3.14.
    """
    return s.rolls == ROLLS or (t.track_fields[RETURNS] == 0 and not lying(s, POOL))


def end_rolls(t: Tables, s: State, log: Log) -> None:
    """All dice left in the pool go to the tray, which is then served.

    Clauses: 3.10.
    """
    for d in range(DICE):
        if s.place[d] == POOL:
            move(s, d, TRAY, LEFT_OVER, log)
    serve(t, s, log)


def serve(t: Tables, s: State, log: Log) -> None:
    """Passive seats choose from the tray, then every seat may use extra dice.

    Nobody waits for the active seat, which may still have bonuses or crosses of its last pick.

    Clauses: 4.1, 4.5, 14.2, 14.4, 15.3.
    """
    s.phase = SERVING
    note(log, SERVING_STARTED, s.turn, 0, 0, 0)
    active = -1 if solo_serving(s) else active_seat(s)
    for seat in range(s.seats):
        if seat != active:
            s.stage[seat] = SERVED
        elif s.stage[seat] != FOLLOW:
            s.stage[seat] = EXTRA
        settle(t, s, seat, log)


def fallback_dice(s: State) -> int:
    """The dice that a passive seat may use when none of the tray is usable.

    Clauses: 4.4, 14.6.
    """
    if s.seats == 1:
        return lying(s, ASIDE) if s.solo_fallback else 0
    dice = 0
    for d in range(DICE):
        if s.place[d] >= FIELD:
            dice = adding(dice, d)
    return dice


def offers_served(t: Tables, s: State, seat: int) -> bool:
    """Whether a passive seat can use a die at all.

    Clauses: 4.4, 14.6.
    """
    return usable(t, s, seat, lying(s, TRAY)) or usable(t, s, seat, fallback_dice(s))


def legal_served(t: Tables, s: State, seat: int, out: Ints) -> int:
    """A usable die of the tray; if there is none, one of the fallback dice or nothing.

    Clauses: 4.1, 4.3, 4.4, 14.4, 14.6.
    """
    n = 0
    if t.may_decline:
        out[n] = PASS
        n += 1
    found = list_dice(t, s, seat, lying(s, TRAY), out, n)
    if found > n:
        return found
    out[0] = PASS
    return list_dice(t, s, seat, fallback_dice(s), out, 1)


def enter_served(t: Tables, s: State, seat: int, action: int, log: Log) -> None:
    """Enter a die that stays where it is, for others to use as well.

    Clauses: 4.1, 4.2, 5.1; Twice 9.6.
    """
    die = t.action_die[action]
    area = t.action_area[action]
    value = value_of(t, s, die, area)
    note(log, TAKEN, seat, die, value, FROM_TRAY if s.place[die] == TRAY else FROM_FIELD)
    s.stage[seat] = EXTRA
    mark(t, s, seat, area, t.action_cell[action], value, log)


# --- extra dice -----------------------------------------------------------------------------------


def unused(s: State, seat: int) -> int:
    """The dice that a seat has not used as extra dice in this turn, wherever they lie.

    Clauses: 4.5, 4.6, 14.5, 14.7.
    """
    return EVERY_DIE & ~s.used[seat]


def offers_extra(t: Tables, s: State, seat: int) -> bool:
    """Whether a seat has an extra die to spend, and a place for one of the dice.

    Clauses: 4.5, 4.7, 4.8, 15.2.
    """
    return has_left(t, s, seat, EXTRAS) and usable(t, s, seat, unused(s, seat))


def legal_extra(t: Tables, s: State, seat: int, out: Ints) -> int:
    """Any usable die that was not used so far, or no more of them.

    Clauses: 4.5, 4.6, 14.2, 14.7.
    """
    out[0] = PASS
    return list_dice(t, s, seat, unused(s, seat), out, 1)


def enter_extra(t: Tables, s: State, seat: int, action: int, log: Log) -> None:
    """Spend an extra die on a die that may lie anywhere.

    Clauses: 4.5, 4.6, 5.1; Twice 9.6.
    """
    die = t.action_die[action]
    area = t.action_area[action]
    value = value_of(t, s, die, area)
    spend(s, seat, EXTRAS, log)
    note(log, TAKEN, seat, die, value, AS_EXTRA)
    s.used[seat] = adding(s.used[seat], die)
    mark(t, s, seat, area, t.action_cell[action], value, log)


# --- which die has a place ------------------------------------------------------------------------


def value_of(t: Tables, s: State, die: int, area: int) -> int:
    """What a die is worth in an area: its face, or the sum with the joker.

    Clauses: 5.3, 5.4, 5.5, 14.5; Clever 7.1; Twice 7.1.
    """
    if t.adds_joker[area]:
        return s.face[0] + s.face[t.area_die[area]]
    return s.face[die]


def fitting(t: Tables, s: State, seat: int, area: int) -> int:
    """The values, as bits, that an area has a place for now.

    Clauses: Clever 8.1, 9.1, 10.1, 10.2; Twice 7.1, 8.1, 10.1, 10.2.
    """
    if t.grid[area]:
        values = 0
        for number in range(VALUES):
            if is_open(t, s, seat, area, number):
                values = adding(values, number)
        return values
    n = s.filled[seat][area]
    cell = t.first_cell[area] + n
    if cell >= t.end_cell[area]:
        return 0
    entry = t.entry[area]
    if entry == AT_LEAST:
        return EVERY_VALUE << t.minimum[cell] & EVERY_VALUE
    if entry == ANY or n == 0:
        return EVERY_VALUE
    previous = s.cells[seat][cell - 1]
    if entry == FALLING:
        return (2 << previous) - 1
    if previous == HIGHEST_FACE:
        return EVERY_VALUE
    return EVERY_VALUE << previous + 1 & EVERY_VALUE


def is_open(t: Tables, s: State, seat: int, area: int, number: int) -> bool:
    """Whether a number of a grid can still be marked; the joker reaches all its cells.

    Clauses: Clever 6.1, 7.1; Twice 6.1, 6.2, 9.1.
    """
    hits = t.hit_cell[0][area][number]
    for k in range(t.hits[0][area][number]):
        if s.cells[seat][hits[k]] < t.full[area]:
            return True
    return False


def usable(t: Tables, s: State, seat: int, dice: int) -> bool:
    """Whether a seat has a place for any of these dice.

    Clauses: 3.7, 5.2, 5.3.
    """
    fits = s.fits[seat]
    for d in range(DICE):
        if dice >> d & 1:
            for area in range(t.die_first_area[d], t.die_end_area[d]):
                if fits[area] >> value_of(t, s, d, area) & 1:
                    return True
    return False


def list_dice(t: Tables, s: State, seat: int, dice: int, out: Ints, n: int) -> int:
    """List the actions that enter any of these dice; returns the new count.

    The joker goes to every area, any other die to the one of its colour.

    Clauses: 5.2, 5.3.
    """
    fits = s.fits[seat]
    face = s.face
    for d in range(DICE):
        if dice >> d & 1:
            for area in range(t.die_first_area[d], t.die_end_area[d]):
                value = face[0] + face[t.area_die[area]] if t.adds_joker[area] else face[d]
                if fits[area] >> value & 1:
                    if t.grid[area]:
                        n = list_hits(t, s, seat, d, area, value, out, n)
                    else:
                        out[n] = t.die_action[d][area]
                        n += 1
    return n


def list_hits(
    t: Tables, s: State, seat: int, die: int, area: int, value: int, out: Ints, n: int
) -> int:
    """List the actions that enter a die at its number in a grid.

    Clauses: Clever 6.1, 7.1; Twice 6.1, 9.1.
    """
    row = s.cells[seat]
    hits = t.hit_cell[die][area][value]
    for k in range(t.hits[die][area][value]):
        if row[hits[k]] < t.full[area]:
            out[n] = t.hit_action[die][area][value][k]
            n += 1
    return n


# --- bonuses --------------------------------------------------------------------------------------


def earn(t: Tables, s: State, seat: int, bonus: int, source: int, index: int, log: Log) -> None:
    """Receive a bonus: a fox or an action at once, a mark to be used next.

    Clauses: 11.3, 12.1; Twice 12.4.
    """
    while bonus:
        note(log, BONUS_EARNED, seat, bonus, source, index)
        kind = t.bonus_kind[bonus]
        if kind == TRACK:
            track = t.bonus_track[bonus]
            s.circled[seat][track] += 1
            note(log, TRACK_CIRCLED, seat, track, s.circled[seat][track], 0)
            # The last circle pays its own bonus, which is never another action.
            last = s.circled[seat][track] == t.track_fields[track]
            bonus = t.track_bonus[track] if last else 0
            source = BY_TRACK
            index = track
        else:
            if kind == FOX:
                s.foxes[seat] += 1
            else:
                s.open[seat][bonus] += 1
                s.pending[seat] += 1
            bonus = 0


def has_left(t: Tables, s: State, seat: int, track: int) -> bool:
    """Whether a seat has an action of this kind to spend.

    Clauses: 12.2.
    """
    return s.circled[seat][track] > s.spent[seat][track]


def spend(s: State, seat: int, track: int, log: Log) -> None:
    """Cross an action off its track.

    Clauses: 12.2.
    """
    s.spent[seat][track] += 1
    note(log, ACTION_SPENT, seat, track, s.spent[seat][track], 0)


def wanted(t: Tables, s: State, seat: int, bonus: int) -> bool:
    """Whether a mark bonus is open, by itself or as part of an open choice.

    Clauses: 2.4, 11.8.
    """
    if s.open[seat][bonus] > 0:
        return True
    return t.in_choice[bonus] > 0 and s.open[seat][t.choice] > 0


def legal_bonus(t: Tables, s: State, seat: int, out: Ints) -> int:
    """Any use of any open bonus, and the additional crosses beside them; never to decline.

    Clauses: 11.2, 11.3; Twice 9.7, 11.9.
    """
    n = 0
    if s.stage[seat] == FOLLOW:
        n = list_crosses(t, s, seat, out, n)
    for bonus in range(1, t.marks + 1):
        if wanted(t, s, seat, bonus):
            for action in range(t.bonus_action[bonus], t.bonus_end[bonus]):
                if has_place(t, s, seat, action):
                    out[n] = action
                    n += 1
    return n


def has_place(t: Tables, s: State, seat: int, action: int) -> bool:
    """Whether a bonus can be used like this: a free cell, or the next field if the value fits.

    Clauses: 11.5, 11.6, 11.7.
    """
    area = t.action_area[action]
    cell = t.action_cell[action]
    if cell >= 0:
        return s.cells[seat][cell] < t.full[area]
    if t.writes_value[area]:
        return holds(s.fits[seat][area], t.action_value[action])
    return s.fits[seat][area] != 0


def settle_bonuses(t: Tables, s: State, seat: int, log: Log) -> None:
    """Lose bonuses without a place, and use the last open one if there is only one way.

    Beside additional crosses even that is asked for: a cross may want the same cell.

    Clauses: 2.4, 11.2, 15.2.
    """
    lose_unusable(t, s, seat, log)
    while s.pending[seat] == 1 and not (s.stage[seat] == FOLLOW and has_cross(t, s, seat)):
        action = only_use(t, s, seat)
        if action < 0:
            return
        use_bonus(t, s, seat, action, log)
        lose_unusable(t, s, seat, log)


def lose_unusable(t: Tables, s: State, seat: int, log: Log) -> None:
    """Lose the open bonuses that have no place; a place once gone never comes back.

    An area that is not full has a place for each of its bonuses: fixed values stand only in rows
    that take any value, or are the highest face in a rising row.

    Clauses: 11.2.
    """
    for bonus in range(1, t.marks + 1):
        while s.open[seat][bonus] > 0 and s.fits[seat][t.bonus_area[bonus]] == 0:
            lose(s, seat, bonus, log)
    if t.choice and s.open[seat][t.choice] > 0:
        for bonus in range(1, t.marks + 1):
            if t.in_choice[bonus] and s.fits[seat][t.bonus_area[bonus]]:
                return
        while s.open[seat][t.choice] > 0:
            lose(s, seat, t.choice, log)


def lose(s: State, seat: int, bonus: int, log: Log) -> None:
    """Lose an open bonus.

    Clauses: 11.2.
    """
    s.open[seat][bonus] -= 1
    s.pending[seat] -= 1
    note(log, BONUS_LOST, seat, bonus, 0, 0)


def only_use(t: Tables, s: State, seat: int) -> int:
    """The one action that the open bonuses allow; -1 if there is a choice.

    Clauses: 15.2.
    """
    found = -1
    for bonus in range(1, t.marks + 1):
        if wanted(t, s, seat, bonus):
            for action in range(t.bonus_action[bonus], t.bonus_end[bonus]):
                if has_place(t, s, seat, action):
                    if found >= 0:
                        return -1
                    found = action
    return found


def use_bonus(t: Tables, s: State, seat: int, action: int, log: Log) -> None:
    """Use an open bonus; the specific one where a choice is open too.

    Clauses: 11.4, 11.8.
    """
    bonus = t.action_bonus[action]
    kind = bonus if s.open[seat][bonus] > 0 else t.choice
    s.open[seat][kind] -= 1
    s.pending[seat] -= 1
    note(log, BONUS_USED, seat, kind, 0, 0)
    mark(t, s, seat, t.action_area[action], t.action_cell[action], t.action_value[action], log)


# --- marks ----------------------------------------------------------------------------------------


def mark(t: Tables, s: State, seat: int, area: int, cell: int, value: int, log: Log) -> None:
    """Mark a cell of a grid, or the next field of a row (cell -1), and collect what it gives.

    A line pays when its last cell gets its first mark, so a cross over a circle pays nothing.

    Clauses: 5.1, 11.1, 11.4; Clever 6.3, 6.4, 7.2, 8.2, 9.2, 9.3, 10.3;
    Twice 6.1, 6.3, 6.4, 7.2, 8.1, 8.2, 9.8, 10.3, 11.7.
    """
    if cell < 0:
        cell = t.first_cell[area] + s.filled[seat][area]
    row = s.cells[seat]
    before = row[cell]
    now = value * t.factor[cell] if t.writes_value[area] else before + 1
    row[cell] = now
    note(log, MARKED, seat, cell, now, value)
    if now >= t.full[area]:
        s.filled[seat][area] += 1
        if not t.grid[area]:
            s.fits[seat][area] = fitting(t, s, seat, area)
        elif not is_open(t, s, seat, area, t.number[cell]):
            s.fits[seat][area] = without(s.fits[seat][area], t.number[cell])
    if before:
        return
    missing = s.missing[seat]
    for k in range(t.cell_lines[cell]):
        line = t.cell_line[cell][k]
        missing[line] -= 1
        if missing[line] == 0:
            note(log, LINE_COMPLETED, seat, line, 0, 0)
            if t.line_bonus[line]:
                earn(t, s, seat, t.line_bonus[line], BY_LINE, line, log)
    if t.bonus[cell] and value >= t.bonus_minimum[cell]:
        earn(t, s, seat, t.bonus[cell], BY_CELL, cell, log)


# --- the end of turns and of the game -------------------------------------------------------------


def end_turn(t: Tables, s: State, log: Log) -> None:
    """End a turn once everybody has finished, and the game after the last one.

    Clauses: 2.1, 2.6, 4.9, 14.1.
    """
    note(log, TURN_ENDED, s.turn, 0, 0, 0)
    played = s.turn + 1
    if played % turns_in_round(s) == 0:
        note(log, ROUND_ENDED, round_of(s), 0, 0, 0)
    if played == t.rounds[s.seats] * turns_in_round(s):
        s.phase = OVER
        note(log, GAME_ENDED, 0, 0, 0, 0)
    else:
        s.turn = played
        start_turn(t, s, log)


# --- points ---------------------------------------------------------------------------------------


def area_points(t: Tables, s: State, seat: int, area: int) -> int:
    """The points of one area as they stand.

    Clauses: Clever 6.5, 7.3, 8.3, 9.4, 10.4; Twice 6.5, 7.3, 8.3, 8.4, 9.9, 10.4.
    """
    row = s.cells[seat]
    scores = t.scores[area]
    if scores == BY_COUNT:
        return t.points[area][s.filled[seat][area]]
    total = 0
    if scores == SUM:
        for cell in range(t.first_cell[area], t.end_cell[area]):
            total += row[cell]
    elif scores == BY_LINES:
        for line in range(t.first_line[area], t.end_line[area]):
            if s.missing[seat][line] == 0:
                total += t.line_points[line]
    elif scores == BY_ROWS:
        for line in range(t.first_line[area], t.end_line[area]):
            if t.line_is_row[line]:
                total += t.points[area][t.line_size[line] - s.missing[seat][line]]
    else:
        for cell in range(t.first_cell[area] + 1, t.end_cell[area], 2):
            if row[cell]:
                total += row[cell - 1] - row[cell]
    return total


def fox_worth(s: State, lowest: int) -> int:
    """What each fox is worth: the lowest area, negative too unless the floor is agreed.

    Clauses: 13.1, 13.2.
    """
    return 0 if s.fox_floor and lowest < 0 else lowest


def fox_value(t: Tables, s: State, seat: int) -> int:
    """What each fox of a seat is worth as things stand.

    Clauses: 13.1.
    """
    lowest = area_points(t, s, seat, 0)
    for area in range(1, t.areas):
        lowest = min(lowest, area_points(t, s, seat, area))
    return fox_worth(s, lowest)


def total_score(t: Tables, s: State, seat: int) -> int:
    """The areas and the foxes.

    Clauses: 13.3.
    """
    lowest = area_points(t, s, seat, 0)
    total = lowest
    for area in range(1, t.areas):
        points = area_points(t, s, seat, area)
        total += points
        lowest = min(lowest, points)
    return total + s.foxes[seat] * fox_worth(s, lowest)


def best_area(t: Tables, s: State, seat: int) -> int:
    """The points of the best single area, which breaks ties.

    Clauses: 13.4.
    """
    best = area_points(t, s, seat, 0)
    for area in range(1, t.areas):
        best = max(best, area_points(t, s, seat, area))
    return best


def winners(t: Tables, s: State) -> int:
    """The seats, as bits, with the highest total and among those the best single area.

    Clauses: 13.4.
    """
    seats = 0
    highest = 0
    tie = 0
    for seat in range(s.seats):
        total = total_score(t, s, seat)
        best = best_area(t, s, seat)
        # The first seat leads at first, even with a negative total.
        if seats == 0 or total > highest or (total == highest and best > tie):
            seats = adding(0, seat)
            highest = total
            tie = best
        elif total == highest and best == tie:
            seats = adding(seats, seat)
    return seats
