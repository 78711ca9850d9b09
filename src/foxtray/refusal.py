"""Why an action is not allowed: a stable code and a sentence for the player."""

from __future__ import annotations

from typing import TYPE_CHECKING

from foxtray.core import codes, rules
from foxtray.core.layout import Action

if TYPE_CHECKING:
    from foxtray.game import Game

Reason = tuple[str, str]


def reason(game: Game, seat: int, action: Action) -> Reason:
    """Why a seat may not do this now; the action must be illegal."""
    s = game.state
    if action.game != game.sheet.id:
        return "other_game", f"{action} is an action of {action.game}, not of {game.sheet.id}"
    if game.over:
        return "game_over", "the game is over"
    if s.phase == codes.THROW:
        return "dice_wanted", "roll the dice first"
    if seat not in game.awaiting():
        return "not_awaited", f"seat {seat + 1} has nothing to decide now"
    if action.kind == codes.USE:
        return bonus_reason(game, seat, action)
    if s.pending[seat] and not (action.kind == codes.ENTER and s.stage[seat] == codes.FOLLOW):
        names = ", ".join(game.open_bonuses(seat))
        return "bonus_open", f"use your open bonuses first: {names}"
    by_kind = {
        codes.PASS: pass_reason,
        codes.REROLL: reroll_reason,
        codes.RETURN: return_reason,
        codes.ENTER: enter_reason,
    }
    return by_kind[action.kind](game, seat, action)


def pass_reason(game: Game, seat: int, action: Action) -> Reason:
    return "must_take", "you can use a die, so you must take one"


def reroll_reason(game: Game, seat: int, action: Action) -> Reason:
    if game.state.stage[seat] != codes.PICK:
        return "not_now", "you can re-roll only right after your own roll"
    return "no_reroll", "you have no re-rolls left"


def return_reason(game: Game, seat: int, action: Action) -> Reason:
    if game.state.stage[seat] != codes.WINDOW:
        return "not_now", "you can return a die only before your second or third roll"
    return "not_on_tray", f"the {game.sheet.dice[action.die].colour} die is not on the platter"


def bonus_reason(game: Game, seat: int, action: Action) -> Reason:
    if not rules.wanted(game.layout.tables, game.state, seat, action.bonus):
        return "no_bonus", "you have no open bonus for this"
    return place_reason(game, seat, action, action.value)


def enter_reason(game: Game, seat: int, action: Action) -> Reason:
    """Why a die cannot be entered: it is the wrong die, or it does not fit the place."""
    t, s = game.layout.tables, game.state
    stage, die = s.stage[seat], action.die
    colour, place = game.sheet.dice[die].colour, s.place[die]
    if stage == codes.PICK and place != codes.POOL:
        return "not_in_pool", f"the {colour} die is not in the pool; take a die you just rolled"
    if stage == codes.WINDOW:
        return "not_now", "return a die from the platter, or pass to roll"
    if stage == codes.FOLLOW and (action.area != t.follow_area or not rules.holds(s.follow, die)):
        return "not_moved", "make additional crosses with the dice just moved, or pass"
    if stage == codes.EXTRA and rules.holds(s.used[seat], die):
        return "used_already", f"you already used the {colour} die as an additional die this turn"
    value = s.face[die] if stage == codes.FOLLOW else rules.value_of(t, s, die, action.area)
    own = t.die_first_area[die] <= action.area < t.die_end_area[die]
    if not own and stage != codes.FOLLOW:
        area = game.sheet.areas[action.area].colour
        return "wrong_area", f"you cannot enter the {colour} die in {area}"
    fits = fits_place(game, seat, action, value)
    if stage == codes.SERVED and place != codes.TRAY and fits:
        return "tray_first", "you can use a die from the platter, so take one of those"
    return place_reason(game, seat, action, value)


def fits_place(game: Game, seat: int, action: Action, value: int) -> bool:
    """Whether a value fits a place."""
    t, s = game.layout.tables, game.state
    if action.cell < 0:
        return rules.holds(s.fits[seat][action.area], value)
    return t.number[action.cell] == value and s.cells[seat][action.cell] < t.full[action.area]


def place_reason(game: Game, seat: int, action: Action, value: int) -> Reason:
    """Why a value does not fit a place."""
    t, s = game.layout.tables, game.state
    area = game.sheet.areas[action.area]
    if action.cell >= 0:
        name, number = game.layout.cell_names[action.cell], t.number[action.cell]
        if s.cells[seat][action.cell] >= t.full[action.area]:
            return "cell_taken", f"{name} is already crossed off"
        return "wrong_number", f"{name} needs a {number}, but this is a {value}"
    n = s.filled[seat][action.area]
    if n == len(area.cells):
        return "area_full", f"{area.colour} is full"
    if area.entry == "at_least":
        need = area.cells[n].minimum
        return "too_low", f"the next {area.colour} field needs at least {need}, not {value}"
    previous = s.cells[seat][t.first_cell[action.area] + n - 1]
    if area.entry == "rising":
        return "not_rising", f"the next {area.colour} number must be higher than {previous}"
    return "not_falling", f"the next {area.colour} number must not be higher than {previous}"
