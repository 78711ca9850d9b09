"""Why an action is not allowed: a stable code and a sentence for the player."""

from __future__ import annotations

from typing import TYPE_CHECKING

from foxtray.core import codes, rules
from foxtray.core.layout import Action

if TYPE_CHECKING:
    from foxtray.game import Game

Reason = tuple[str, str]


def reason(game: Game, seat: int, action: Action) -> Reason:
    """Why a seat may not do this now; only for actions that are not legal."""
    s = game.state
    if action.game != game.sheet.id:
        return "other_game", f"{action} belongs to {action.game}, this is {game.sheet.id}"
    if game.over:
        return "game_over", "the game is over"
    if s.phase == codes.THROW:
        return "dice_wanted", "the dice are to be thrown first"
    if seat not in game.awaiting():
        return "not_awaited", f"seat {seat + 1} has nothing to decide now"
    if action.kind == codes.USE:
        return bonus_reason(game, seat, action)
    if s.pending[seat] and not (action.kind == codes.ENTER and s.stage[seat] == codes.FOLLOW):
        names = ", ".join(game.open_bonuses(seat))
        return "bonus_open", f"an open bonus has to be used first: {names}"
    by_kind = {
        codes.PASS: pass_reason,
        codes.REROLL: reroll_reason,
        codes.RETURN: return_reason,
        codes.ENTER: enter_reason,
    }
    return by_kind[action.kind](game, seat, action)


def pass_reason(game: Game, seat: int, action: Action) -> Reason:
    return "must_take", "a die that can be used has to be taken"


def reroll_reason(game: Game, seat: int, action: Action) -> Reason:
    if game.state.stage[seat] != codes.PICK:
        return "not_now", "a reroll is possible only right after one's own roll"
    return "no_reroll", "no reroll is left"


def return_reason(game: Game, seat: int, action: Action) -> Reason:
    if game.state.stage[seat] != codes.WINDOW:
        return "not_now", "a die can be returned only before one's own second and third roll"
    return "not_on_tray", f"the {game.sheet.dice[action.die]} die is not on the tray"


def bonus_reason(game: Game, seat: int, action: Action) -> Reason:
    if not rules.wanted(game.layout.tables, game.state, seat, action.bonus):
        return "no_bonus", "no such bonus is open"
    return place_reason(game, seat, action, action.value)


def enter_reason(game: Game, seat: int, action: Action) -> Reason:
    """A die cannot be entered: it is the wrong die, or it does not fit the place."""
    t, s = game.layout.tables, game.state
    stage, die = s.stage[seat], action.die
    colour, place = game.sheet.dice[die], s.place[die]
    if stage == codes.PICK and place != codes.POOL:
        return "not_in_pool", f"the {colour} die was not rolled, it cannot be taken"
    if stage == codes.WINDOW:
        return "not_now", "now return a die from the tray, or pass to go on"
    if stage == codes.FOLLOW and (not s.follow >> die & 1 or action.area != t.follow_area):
        return "not_moved", "now make additional crosses with the dice just moved, or pass"
    if stage == codes.EXTRA and s.used[seat] >> die & 1:
        return "used_already", f"the {colour} die was already an extra die in this turn"
    value = s.face[die] if stage == codes.FOLLOW else rules.value_of(t, s, die, action.area)
    own = t.die_first_area[die] <= action.area < t.die_end_area[die]
    if not own and stage != codes.FOLLOW:
        area = game.sheet.areas[action.area].colour
        return "wrong_area", f"the {colour} die cannot be entered in {area}"
    fits = fits_place(game, seat, action, value)
    if stage == codes.SERVED and place != codes.TRAY and fits:
        return "tray_first", "a die of the tray can be used, so only those are offered"
    return place_reason(game, seat, action, value)


def fits_place(game: Game, seat: int, action: Action, value: int) -> bool:
    """Whether a value fits a place."""
    t, s = game.layout.tables, game.state
    if action.cell < 0:
        return bool(s.fits[seat][action.area] >> value & 1)
    return t.number[action.cell] == value and s.cells[seat][action.cell] < t.full[action.area]


def place_reason(game: Game, seat: int, action: Action, value: int) -> Reason:
    """What is wrong with a place for a value."""
    t, s = game.layout.tables, game.state
    area = game.sheet.areas[action.area]
    if action.cell >= 0:
        name, number = game.layout.cell_names[action.cell], t.number[action.cell]
        if s.cells[seat][action.cell] >= t.full[action.area]:
            return "cell_taken", f"{name} is already crossed"
        return "wrong_number", f"{name} needs a {number}, this is a {value}"
    n = s.filled[seat][action.area]
    if n == len(area.cells):
        return "area_full", f"{area.colour} is full"
    if area.entry == "at_least":
        need = area.cells[n].minimum
        return "too_low", f"the next {area.colour} field needs at least {need}, this is a {value}"
    previous = s.cells[seat][t.first_cell[action.area] + n - 1]
    if area.entry == "rising":
        return "not_rising", f"{area.colour} must be higher than the {previous} before it"
    return "not_falling", f"{area.colour} must not be higher than the {previous} before it"
