"""The rules of the family, in one plain file that is executed twice.

Interpreted it serves people; under numba, unchanged, it serves bots. So it keeps to a subset:
integers and nested sequences of them, no slices, no recursion, no run-time imports but the codes.
`t` is the sheet's tables, `s` the state (changed in place), `log` what happened. Dice and seats
in the plural are bits of a number. Actions are trusted to be legal.
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
    BY_GROUP,
    BY_LINE,
    BY_ROUND,
    BY_ROW,
    BY_TRACK,
    CHOOSING,
    CHOSEN,
    DICE,
    ENTER,
    ENTRY_WIDTH,
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


# --- turns and rounds ---------------------------------------------------------------------------


def turns_in_round(s: State) -> int:
    """Every seat is active once; the solo player is active, then passive."""
    return 2 if s.seats == 1 else s.seats


def round_of(s: State) -> int:
    return s.turn // turns_in_round(s)


def active_seat(s: State) -> int:
    return 0 if s.seats == 1 else (s.first + s.turn) % s.seats


def solo_serving(s: State) -> bool:
    """Whether this is the passive half of a solo round."""
    return s.seats == 1 and s.turn % 2 == 1


def begin(t: Tables, s: State, log: Log) -> None:
    """Open the game on a fresh state."""
    for seat in range(s.seats):
        for g in range(t.groups):
            s.missing[seat][g] = t.group_size[g]
        for area in range(t.areas):
            s.fits[seat][area] = fitting(t, s, seat, area)
    start_turn(t, s, log)
    advance(t, s, log)


def start_turn(t: Tables, s: State, log: Log) -> None:
    """Gather the dice; at the start of a round every seat receives what the round gives."""
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
    """Carry the game on until a seat is asked, dice are wanted or it is over."""
    while s.phase != THROW and s.phase != OVER and awaiting(t, s) == 0:
        if s.phase == OPENING:
            if not solo_serving(s):
                s.rolls = 1
            s.phase = THROW
        elif s.phase == CHOOSING:
            if s.rolls < ROLLS and may_return(t, s):
                s.stage[active_seat(s)] = WINDOW
            else:
                next_roll(t, s, log)
        else:
            end_turn(t, s, log)


def next_roll(t: Tables, s: State, log: Log) -> None:
    """Want the next roll, or end the rolls when there are no more dice or rolls."""
    if s.rolls < ROLLS and lying(s, POOL, POOL):
        s.rolls += 1
        s.rerolls = 0
        s.phase = THROW
    else:
        end_rolls(t, s, log)


def rolls_over(t: Tables, s: State) -> bool:
    """Whether a pick was the last of the turn, whatever its bonuses may still bring."""
    return s.rolls == ROLLS or (t.track_fields[RETURNS] == 0 and not lying(s, POOL, POOL))


def end_rolls(t: Tables, s: State, log: Log) -> None:
    """All dice left in the pool go to the tray, which is then served."""
    for d in range(DICE):
        if s.place[d] == POOL:
            move(s, d, TRAY, LEFT_OVER, log)
    serve(t, s, log)


def serve(t: Tables, s: State, log: Log) -> None:
    """Passive seats choose from the tray, then every seat may use extra dice.

    Nobody waits for the active seat, which may still have bonuses or crosses of its last pick.
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


def end_turn(t: Tables, s: State, log: Log) -> None:
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


# --- who is asked -------------------------------------------------------------------------------


def awaiting(t: Tables, s: State) -> int:
    """The seats, as bits, that may act now; 0 while dice are wanted and when it is over."""
    mask = 0
    for seat in range(s.seats):
        if s.pending[seat] > 0 or s.stage[seat] != IDLE:
            mask |= 1 << seat
    return mask


def rolling(t: Tables, s: State) -> int:
    """The dice, as bits, that are wanted; 0 while none are."""
    return lying(s, POOL, POOL) if s.phase == THROW else 0


def settle(t: Tables, s: State, seat: int, log: Log) -> None:
    """Do what a seat is not asked for: lose dead bonuses, use a forced one, skip empty stages."""
    while s.pending[seat] > 0:
        lose_unusable(t, s, seat, log)
        if s.pending[seat] != 1:
            break
        if s.stage[seat] == FOLLOW and has_cross(t, s, seat):
            break
        action = only_bonus_action(t, s, seat)
        if action < 0:
            break
        use_bonus(t, s, seat, action, log)
    if s.pending[seat] > 0:
        return
    stage = s.stage[seat]
    if stage == IDLE:
        return
    if stage == FOLLOW and not has_cross(t, s, seat):
        end_crosses(s, seat)
    elif stage == PICK:
        if not has_left(t, s, seat, REROLLS) and not usable(t, s, seat, lying(s, POOL, POOL)):
            note(log, PASSED, seat, PICK, 1, 0)
            s.stage[seat] = IDLE
    elif stage == SERVED and not offers_served(t, s, seat):
        note(log, PASSED, seat, SERVED, 1, 0)
        s.stage[seat] = EXTRA
    if s.stage[seat] == EXTRA and not offers_extra(t, s, seat):
        s.stage[seat] = IDLE


def end_crosses(s: State, seat: int) -> None:
    """Give up the additional crosses; after the last roll extra dice come next."""
    s.follow = 0
    s.stage[seat] = EXTRA if s.phase == SERVING else IDLE


def has_left(t: Tables, s: State, seat: int, track: int) -> bool:
    """Whether a seat has an action of this kind to spend."""
    return s.circled[seat][track] > s.spent[seat][track]


def lying(s: State, low: int, high: int) -> int:
    """The dice that lie here, or between two places."""
    place = s.place
    dice = 0
    for d in range(DICE):
        if low <= place[d] <= high:
            dice |= 1 << d
    return dice


def may_return(t: Tables, s: State) -> bool:
    return has_left(t, s, active_seat(s), RETURNS) and lying(s, TRAY, TRAY) != 0


def fallback_dice(s: State) -> int:
    """The dice that a passive seat may use when none of the tray is usable."""
    if s.seats > 1:
        return lying(s, FIELD, FIELD + ROLLS - 1)
    return lying(s, ASIDE, ASIDE) if s.solo_fallback else 0


def offers_served(t: Tables, s: State, seat: int) -> bool:
    return usable(t, s, seat, lying(s, TRAY, TRAY)) or usable(t, s, seat, fallback_dice(s))


def offers_extra(t: Tables, s: State, seat: int) -> bool:
    return has_left(t, s, seat, EXTRAS) and usable(t, s, seat, unused(s, seat))


def unused(s: State, seat: int) -> int:
    """The dice that a seat has not used as extra dice in this turn."""
    return ~s.used[seat] & (1 << DICE) - 1


def usable(t: Tables, s: State, seat: int, dice: int) -> bool:
    """Whether a seat has a place for any of these dice."""
    fits = s.fits[seat]
    for d in range(DICE):
        if dice >> d & 1:
            for area in range(t.die_first_area[d], t.die_end_area[d]):
                if fits[area] >> value_of(t, s, d, area) & 1:
                    return True
    return False


# --- legal actions ------------------------------------------------------------------------------


def fitting(t: Tables, s: State, seat: int, area: int) -> int:
    """The values, as bits, that an area has a place for now."""
    if t.grid[area]:
        values = 0
        for number in range(VALUES):
            if is_open(t, s, seat, area, number):
                values |= 1 << number
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
    """Whether a number of a grid can still be marked; the joker reaches all its cells."""
    hits = t.hit_cell[0][area][number]
    for k in range(t.hits[0][area][number]):
        if s.cells[seat][hits[k]] < t.full[area]:
            return True
    return False


def value_of(t: Tables, s: State, die: int, area: int) -> int:
    """What a die is worth in an area: its face, or the sum with the joker."""
    if t.adds_joker[area]:
        return s.face[0] + s.face[t.area_die[area]]
    return s.face[die]


def list_hits(
    t: Tables, s: State, seat: int, die: int, area: int, value: int, out: Ints, n: int
) -> int:
    """List the actions that enter a die at its number in a grid."""
    row = s.cells[seat]
    hits = t.hit_cell[die][area][value]
    for k in range(t.hits[die][area][value]):
        if row[hits[k]] < t.full[area]:
            out[n] = t.hit_action[die][area][value][k]
            n += 1
    return n


def list_dice(t: Tables, s: State, seat: int, dice: int, out: Ints, n: int) -> int:
    """List the actions that enter any of these dice; returns the new count."""
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


def list_bonus(t: Tables, s: State, seat: int, bonus: int, out: Ints, n: int) -> int:
    """List the actions that use a mark bonus."""
    area = t.bonus_area[bonus]
    action = t.bonus_action[bonus]
    first = t.first_cell[area]
    if t.grid[area]:
        row = s.cells[seat]
        for cell in range(first, t.end_cell[area]):
            if row[cell] < t.full[area]:
                out[n] = action + cell - first
                n += 1
    elif t.writes_value[area]:
        while action < t.actions and t.action_bonus[action] == bonus:
            if s.fits[seat][area] >> t.action_value[action] & 1:
                out[n] = action
                n += 1
            action += 1
    elif s.fits[seat][area]:
        out[n] = action
        n += 1
    return n


def wanted(t: Tables, s: State, seat: int, bonus: int) -> bool:
    """Whether a mark bonus is open, by itself or as part of an open choice."""
    if s.open[seat][bonus] > 0:
        return True
    return t.in_choice[bonus] > 0 and s.open[seat][t.choice] > 0


def list_bonuses(t: Tables, s: State, seat: int, out: Ints, n: int) -> int:
    for bonus in range(1, t.marks + 1):
        if wanted(t, s, seat, bonus):
            n = list_bonus(t, s, seat, bonus, out, n)
    return n


def list_crosses(t: Tables, s: State, seat: int, out: Ints, n: int) -> int:
    """List the additional crosses that the dice moved by a pick still allow."""
    for d in range(DICE):
        if s.follow >> d & 1:
            n = list_hits(t, s, seat, d, t.follow_area, s.face[d], out, n)
    return n


def legal_actions(t: Tables, s: State, seat: int, out: Ints) -> int:
    """Write a seat's legal actions into `out`, ascending; returns how many there are."""
    stage = s.stage[seat]
    n = 0
    if s.pending[seat] > 0:
        if stage == FOLLOW:
            n = list_crosses(t, s, seat, out, n)
        return list_bonuses(t, s, seat, out, n)
    if stage == IDLE:
        return 0
    if stage == PICK:
        if t.may_decline:
            out[n] = PASS
            n += 1
        if has_left(t, s, seat, REROLLS):
            out[n] = REROLL
            n += 1
        before = n
        n = list_dice(t, s, seat, lying(s, POOL, POOL), out, n)
        if n == before and not t.may_decline:
            out[0] = PASS
            out[1] = REROLL
            n = 2
        return n
    if stage == SERVED:
        if t.may_decline:
            out[n] = PASS
            n += 1
        before = n
        n = list_dice(t, s, seat, lying(s, TRAY, TRAY), out, n)
        if n == before:
            out[0] = PASS
            n = list_dice(t, s, seat, fallback_dice(s), out, 1)
        return n
    out[n] = PASS
    n += 1
    if stage == FOLLOW:
        return list_crosses(t, s, seat, out, n)
    if stage == WINDOW:
        for d in range(DICE):
            if s.place[d] == TRAY:
                out[n] = t.return_action + d
                n += 1
        return n
    return list_dice(t, s, seat, unused(s, seat), out, n)


def has_cross(t: Tables, s: State, seat: int) -> bool:
    """Whether any additional cross is still possible."""
    row = s.cells[seat]
    for d in range(DICE):
        if s.follow >> d & 1:
            value = s.face[d]
            for k in range(t.hits[d][t.follow_area][value]):
                if row[t.hit_cell[d][t.follow_area][value][k]] == 0:
                    return True
    return False


# --- bonuses ------------------------------------------------------------------------------------


def earn(t: Tables, s: State, seat: int, bonus: int, source: int, index: int, log: Log) -> None:
    """Receive a bonus: a fox or an action at once, a mark to be used next."""
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


def lose_unusable(t: Tables, s: State, seat: int, log: Log) -> None:
    """Lose the open bonuses that have no place; a place once gone never comes back."""
    for bonus in range(1, t.marks + 1):
        while s.open[seat][bonus] > 0 and s.fits[seat][t.bonus_area[bonus]] == 0:
            lose(s, seat, bonus, log)
    if t.choice and s.open[seat][t.choice] > 0:
        for bonus in range(1, t.marks + 1):
            if t.in_choice[bonus] and s.fits[seat][t.bonus_area[bonus]]:
                return
        lose(s, seat, t.choice, log)


def lose(s: State, seat: int, bonus: int, log: Log) -> None:
    s.open[seat][bonus] -= 1
    s.pending[seat] -= 1
    note(log, BONUS_LOST, seat, bonus, 0, 0)


def only_bonus_action(t: Tables, s: State, seat: int) -> int:
    """The one action that the only open bonus allows; -1 if there is a choice."""
    found = -1
    for bonus in range(1, t.marks + 1):
        if not wanted(t, s, seat, bonus):
            continue
        area = t.bonus_area[bonus]
        action = t.bonus_action[bonus]
        first = t.first_cell[area]
        if t.grid[area]:
            row = s.cells[seat]
            for cell in range(first, t.end_cell[area]):
                if row[cell] < t.full[area]:
                    if found >= 0:
                        return -1
                    found = action + cell - first
        elif not t.writes_value[area]:
            if s.fits[seat][area]:
                if found >= 0:
                    return -1
                found = action
        else:
            while action < t.actions and t.action_bonus[action] == bonus:
                if s.fits[seat][area] >> t.action_value[action] & 1:
                    if found >= 0:
                        return -1
                    found = action
                action += 1
    return found


def use_bonus(t: Tables, s: State, seat: int, action: int, log: Log) -> None:
    """Use an open bonus; the specific one where a choice is open too."""
    bonus = t.action_bonus[action]
    kind = bonus if s.open[seat][bonus] > 0 else t.choice
    s.open[seat][kind] -= 1
    s.pending[seat] -= 1
    note(log, BONUS_USED, seat, kind, 0, 0)
    mark(t, s, seat, t.action_area[action], t.action_cell[action], t.action_value[action], log)


# --- marks --------------------------------------------------------------------------------------


def mark(t: Tables, s: State, seat: int, area: int, cell: int, value: int, log: Log) -> None:
    """Mark a cell of a grid, or the next field of a row (cell -1), and collect what it gives."""
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
            s.fits[seat][area] &= ~(1 << t.number[cell])
    if before:
        return
    missing = s.missing[seat]
    for k in range(t.cell_groups[cell]):
        group = t.cell_group[cell][k]
        missing[group] -= 1
        if missing[group] == 0:
            note(log, LINE_COMPLETED, seat, group, 0, 0)
            if t.group_bonus[group]:
                earn(t, s, seat, t.group_bonus[group], BY_LINE, group, log)
    if t.bonus[cell] and value >= t.bonus_minimum[cell]:
        earn(t, s, seat, t.bonus[cell], BY_CELL, cell, log)


# --- chance and actions ---------------------------------------------------------------------------


def roll(t: Tables, s: State, faces: Ints, order: Ints, log: Log) -> None:
    """Throw the wanted dice: the faces come from outside, and the order that decides ties."""
    dice = rolling(t, s)
    for d in range(DICE):
        if dice >> d & 1:
            s.face[d] = faces[d]
    note(log, THROWN, dice, packed_faces(s), s.rolls, s.rerolls)
    if solo_serving(s):
        for _ in range(SOLO_TRAY):
            lowest = lowest_die(s, order)
            move(s, lowest, TRAY, LOWER, log)
        for d in range(DICE):
            if s.place[d] == POOL:
                move(s, d, ASIDE, HIGHER, log)
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


def lowest_die(s: State, order: Ints) -> int:
    """The lowest die of the pool; the order decides between equal ones."""
    face = s.face
    place = s.place
    lowest = -1
    for k in range(DICE):
        d = order[k]
        if place[d] == POOL and (lowest < 0 or face[d] < face[lowest]):
            lowest = d
    return lowest


def move(s: State, die: int, place: int, why: int, log: Log) -> None:
    note(log, MOVED, die, s.place[die], place, why)
    s.place[die] = place


def spend(s: State, seat: int, track: int, log: Log) -> None:
    s.spent[seat][track] += 1
    note(log, ACTION_SPENT, seat, track, s.spent[seat][track], 0)


def apply(t: Tables, s: State, seat: int, action: int, log: Log) -> None:
    """Carry out a legal action of a seat, and all that follows without a decision."""
    kind = t.action_kind[action]
    if kind == ENTER:
        enter(t, s, seat, action, log)
    elif kind == PASS:
        decline(t, s, seat, log)
    elif kind == REROLL:
        spend(s, seat, REROLLS, log)
        s.rerolls += 1
        s.stage[seat] = IDLE
        s.phase = THROW
    elif kind == RETURN:
        spend(s, seat, RETURNS, log)
        move(s, t.action_die[action], POOL, RETURNED, log)
        s.stage[seat] = IDLE
    else:
        use_bonus(t, s, seat, action, log)
    settle(t, s, seat, log)
    advance(t, s, log)


def decline(t: Tables, s: State, seat: int, log: Log) -> None:
    """Do nothing more at this stage."""
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


def next_field(s: State) -> int:
    """The die field for the next die taken: they are filled in order."""
    place = s.place
    field = FIELD
    for d in range(DICE):
        if place[d] >= FIELD:
            field += 1
    return field


def move_lower(s: State, face: int, log: Log) -> int:
    """Move the dice of the pool that show less to the tray; returns which."""
    place = s.place
    moved = 0
    for d in range(DICE):
        if place[d] == POOL and s.face[d] < face:
            move(s, d, TRAY, LOWER, log)
            moved |= 1 << d
    return moved


def enter(t: Tables, s: State, seat: int, action: int, log: Log) -> None:
    """Enter a die: from the pool, served, as an extra die, or as an additional cross."""
    die = t.action_die[action]
    area = t.action_area[action]
    stage = s.stage[seat]
    place = s.place[die]
    value = s.face[die] if stage == FOLLOW else value_of(t, s, die, area)
    if stage == PICK:
        field = next_field(s)
        note(log, TAKEN, seat, die, value, FROM_POOL)
        move(s, die, field, CHOSEN, log)
        moved = move_lower(s, s.face[die], log)
        s.stage[seat] = IDLE
        if area == t.follow_area:
            s.follow = moved
            s.stage[seat] = FOLLOW
    elif stage == SERVED:
        note(log, TAKEN, seat, die, value, FROM_TRAY if place == TRAY else FROM_FIELD)
        s.stage[seat] = EXTRA
    elif stage == EXTRA:
        spend(s, seat, EXTRAS, log)
        note(log, TAKEN, seat, die, value, AS_EXTRA)
        s.used[seat] |= 1 << die
    else:
        note(log, TAKEN, seat, die, value, AS_CROSS)
        s.follow &= ~(1 << die)
    mark(t, s, seat, area, t.action_cell[action], value, log)
    if stage == PICK and rolls_over(t, s):
        end_rolls(t, s, log)


# --- points -------------------------------------------------------------------------------------


def area_points(t: Tables, s: State, seat: int, area: int) -> int:
    """The points of one area as they stand."""
    row = s.cells[seat]
    scores = t.scores[area]
    if scores == BY_COUNT:
        return t.points[area][s.filled[seat][area]]
    total = 0
    if scores == SUM:
        for cell in range(t.first_cell[area], t.end_cell[area]):
            total += row[cell]
    elif scores == BY_GROUP:
        for g in range(t.first_group[area], t.end_group[area]):
            if s.missing[seat][g] == 0:
                total += t.group_points[g]
    elif scores == BY_ROW:
        for g in range(t.first_group[area], t.end_group[area]):
            if t.group_is_row[g]:
                total += t.points[area][t.group_size[g] - s.missing[seat][g]]
    else:
        for cell in range(t.first_cell[area] + 1, t.end_cell[area], 2):
            if row[cell]:
                total += row[cell - 1] - row[cell]
    return total


def fox_worth(s: State, lowest: int) -> int:
    """What each fox is worth: the lowest area, negative too unless the floor is agreed."""
    return 0 if s.fox_floor and lowest < 0 else lowest


def fox_value(t: Tables, s: State, seat: int) -> int:
    """What each fox of a seat is worth as things stand."""
    lowest = area_points(t, s, seat, 0)
    for area in range(1, t.areas):
        lowest = min(lowest, area_points(t, s, seat, area))
    return fox_worth(s, lowest)


def total_score(t: Tables, s: State, seat: int) -> int:
    """The areas and the foxes."""
    lowest = area_points(t, s, seat, 0)
    total = lowest
    for area in range(1, t.areas):
        points = area_points(t, s, seat, area)
        total += points
        lowest = min(lowest, points)
    return total + s.foxes[seat] * fox_worth(s, lowest)


def best_area(t: Tables, s: State, seat: int) -> int:
    """The points of the best single area, which breaks ties."""
    best = area_points(t, s, seat, 0)
    for area in range(1, t.areas):
        best = max(best, area_points(t, s, seat, area))
    return best


def winners(t: Tables, s: State) -> int:
    """The seats, as bits, with the highest total and among those the best single area."""
    mask = 0
    highest = 0
    tie = 0
    for seat in range(s.seats):
        total = total_score(t, s, seat)
        best = best_area(t, s, seat)
        if mask == 0 or total > highest or (total == highest and best > tie):
            mask = 1 << seat
            highest = total
            tie = best
        elif total == highest and best == tie:
            mask |= 1 << seat
    return mask
