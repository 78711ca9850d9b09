"""Games as plain data, for JSON."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypedDict, TypeVar, cast

from foxtray.core import codes, rules
from foxtray.core.codes import PlaceName
from foxtray.core.layout import Action
from foxtray.core.state import State
from foxtray.events import BonusEarned, EventView, before_round
from foxtray.game import Game, ScoreCard, Stage, bits
from foxtray.record import Record


def summary(record: Record, verified: bool) -> dict[str, Any]:
    """A replayed record: what was played, how it stands, and whether its dice are proven."""
    game = record.game
    cards = game.scores()
    outcome = game.outcome()
    colours = [area.colour for area in game.sheet.areas]
    return {
        "game": game.sheet.id,
        "seats": game.seats,
        "options": {"first": record.setup.first, **game.options},
        "finished": game.over,
        "totals": [card.total for card in cards],
        "winners": list(outcome.winners) if outcome else [],
        "players": [
            {
                "areas": dict(zip(colours, card.areas, strict=True)),
                "foxes": card.foxes,
                "fox_value": card.fox_value,
                "total": card.total,
                "marks": game.marks(seat),
            }
            for seat, card in enumerate(cards)
        ],
        "verified": verified,
        "left_out": record.setup.left_out(),
        "given_up": record.given_up,
    }


class PlaceView(TypedDict):
    """A legal action: the cell it would mark, and what would stand there; null where none."""

    action: str
    die: str | None
    area: str | None
    cell: str | None
    mark: int


class ScoreView(TypedDict):
    """Points as they stand; each fox is worth `fox_value`, the lowest area."""

    areas: list[int]
    foxes: int
    fox_value: int
    total: int


class SeatView(TypedDict):
    """A seat's sheet: open to everybody. `crosses` are dice that may still be crossed as well,
    `used` those that the seat has used as additional dice in this turn."""

    marks: dict[str, int]
    tracks: dict[str, tuple[int, int]]
    score: ScoreView
    stage: Stage
    open: dict[str, int]
    crosses: list[str]
    used: list[str]
    legal: list[PlaceView]


class GameView(TypedDict):
    """A game at one moment. `roll` is 0 before the first roll of a turn and in solo serving.

    `serving`: the rolls of this turn are over. `solo_serving`: alone, in the half of a round in
    which one is served.
    """

    game: str
    round: int
    rounds: int
    turn: int
    turns: int
    roll: int
    reroll: int
    active: int
    serving: bool
    solo_serving: bool
    over: bool
    faces: list[int]
    places: list[PlaceName]
    rolling: list[str]
    awaiting: list[int]
    seats: list[SeatView]
    winners: list[int]
    rating: int | None


class PreviewView(TypedDict):
    """What an action would set off, and the change it would bring."""

    action: str
    events: list[EventView]
    points: int
    areas: list[int]
    score: ScoreView


def game_view(
    game: Game, earlier: tuple[Game, GameView] | None = None, *, legal: bool = True
) -> GameView:
    """All there is to see of a game; faster with an earlier view, as most sheets stay the same.

    Without `legal`, the legal actions are left out: `legal` is empty. A seat whose view is the same
    object as in the earlier view also has the same choice.
    """
    seats = [seat_view(game, seat, earlier, legal=legal) for seat in range(game.seats)]
    return cast("GameView", {**table_view(game), "seats": seats})


def table_view(game: Game) -> dict[str, Any]:
    """A view without the seats."""
    sheet, s = game.sheet, game.state
    outcome = game.outcome()
    rounds = sheet.rounds[s.seats - 1]
    return {
        "game": sheet.id,
        "round": game.round,
        "rounds": rounds,
        "turn": s.turn,
        "turns": rounds * rules.turns_in_round(s),
        "roll": s.rolls,
        "reroll": s.rerolls,
        "active": game.active,
        "serving": game.serving,
        "solo_serving": rules.solo_serving(s),
        "over": game.over,
        "faces": s.face[:],
        "places": [codes.PLACE_NAMES[p] for p in s.place],
        "rolling": [sheet.dice[d].letter for d in game.rolling()],
        "awaiting": list(game.awaiting()),
        "winners": list(outcome.winners) if outcome else [],
        "rating": sheet.rating(outcome.totals[0]) if outcome and s.seats == 1 else None,
    }


def score_view(card: ScoreCard) -> ScoreView:
    return {
        "areas": list(card.areas),
        "foxes": card.foxes,
        "fox_value": card.fox_value,
        "total": card.total,
    }


def seat_view(
    game: Game, seat: int, earlier: tuple[Game, GameView] | None, *, legal: bool
) -> SeatView:
    state = game.state
    known = None
    if earlier and same_sheet(state, earlier[0].state, seat):
        known = earlier[1]["seats"][seat]
        if same_choice(state, earlier[0].state, seat):
            return known
    view = {
        "marks": known["marks"] if known else game.marks(seat),
        "tracks": known["tracks"] if known else game.tracks(seat),
        "score": known["score"] if known else score_view(game.score(seat)),
        "open": game.open_bonuses(seat) if state.pending[seat] else {},
        "legal": legal_view(game, seat) if legal else [],
    }
    return cast("SeatView", view | choice_view(game, seat))


def seat_patch(before: Game, now: Game, seat: int) -> dict[str, Any] | None:
    """What leads from a seat's view to a later one; None if it has the same sheet and choice.

    Legal actions are left out: a seat for which this is not None may have others than before.
    """
    then, state = before.state, now.state
    same = same_sheet(state, then, seat)
    if same and same_choice(state, then, seat):
        return None
    patch: dict[str, Any] = {}
    if not same:
        marks = zip(now.layout.cell_names, then.cells[seat], state.cells[seat], strict=False)
        parts = {
            "marks": {name: new or None for name, old, new in marks if new != old},
            "tracks": changed(before.tracks(seat), now.tracks(seat)),
            "score": changed(score_view(before.score(seat)), score_view(now.score(seat))),
        }
        patch = {name: part for name, part in parts.items() if part}
    if state.open[seat] != then.open[seat]:
        names = map(str, now.layout.bonuses)
        bonuses = zip(names, then.open[seat], state.open[seat], strict=False)
        patch["open"] = {name: new or None for name, old, new in bonuses if new != old}
    return patch | changed(choice_view(before, seat), choice_view(now, seat))


T = TypeVar("T")


def changed(before: Mapping[str, T], now: Mapping[str, T]) -> dict[str, T]:
    """The members that are others than before."""
    return {name: value for name, value in now.items() if value != before[name]}


def choice_view(game: Game, seat: int) -> dict[str, Any]:
    """What a seat has to decide, and the dice that it can or could decide about."""
    state, dice = game.state, game.sheet.dice
    follow = state.follow if state.stage[seat] == codes.FOLLOW else 0
    return {
        "stage": game.stage(seat),
        "crosses": [dice[d].letter for d in bits(follow)],
        "used": [dice[d].letter for d in bits(state.used[seat])],
    }


def legal_view(game: Game, seat: int) -> list[PlaceView]:
    """The legal actions of a seat, with the cells they mark."""
    return [place_view(game, seat, action) for action in game.legal(seat)]


def same_sheet(one: State, other: State, seat: int) -> bool:
    """Whether a seat's sheet is the same at two moments."""
    return (
        one.cells[seat] == other.cells[seat]
        and one.foxes[seat] == other.foxes[seat]
        and one.circled[seat] == other.circled[seat]
        and one.spent[seat] == other.spent[seat]
    )


def same_choice(one: State, other: State, seat: int) -> bool:
    """Whether a seat with the same sheet has the same choice at two moments."""
    if one.stage[seat] != other.stage[seat] or one.open[seat] != other.open[seat]:
        return False
    if one.used[seat] != other.used[seat]:
        return False
    if one.stage[seat] == codes.IDLE and not one.pending[seat]:
        return True
    return (
        one.turn == other.turn
        and one.phase == other.phase
        and one.rolls == other.rolls
        and one.follow == other.follow
        and one.face == other.face
        and one.place == other.place
    )


def place_view(game: Game, seat: int, action: Action) -> PlaceView:
    """A legal action with the cell it marks: the next field where a row is meant."""
    t, s, sheet = game.layout.tables, game.state, game.sheet
    die = sheet.dice[action.die].letter if action.die >= 0 else None
    if action.area < 0:
        return {"action": action.text, "die": die, "area": None, "cell": None, "mark": 0}
    cell = action.cell
    if cell >= 0:
        mark = s.cells[seat][cell] + 1
    else:
        cell = t.first_cell[action.area] + s.filled[seat][action.area]
        value = action.value or rules.value_of(t, s, action.die, action.area)
        mark = value * t.factor[cell] if t.writes_value[action.area] else 1
    return {
        "action": action.text,
        "die": die,
        "area": sheet.areas[action.area].colour,
        "cell": game.layout.cell_names[cell],
        "mark": mark,
    }


def previews(game: Game, seat: int) -> list[PreviewView]:
    """What each legal action of a seat would set off itself: not the bonus of the next round."""
    before = game.score(seat)
    found: list[PreviewView] = []
    for action in game.legal(seat):
        after, events = game.play(seat, action)
        own = before_round(events)
        card = without_foxes(
            after.score(seat),
            sum(
                isinstance(event, BonusEarned) and (event.seat, event.bonus) == (seat, "fox")
                for event in events[len(own) :]
            ),
        )
        found.append(
            {
                "action": action.text,
                "events": [event.as_dict() for event in own],
                "points": card.total - before.total,
                "areas": [b - a for a, b in zip(before.areas, card.areas, strict=True)],
                "score": score_view(card),
            }
        )
    return found


def without_foxes(card: ScoreCard, count: int) -> ScoreCard:
    """The points without some of the foxes."""
    total = card.total - count * card.fox_value
    return ScoreCard(card.areas, card.foxes - count, card.fox_value, total)
