"""The coach over HTTP: reviews of finished games, what they say together, and exercises."""

from __future__ import annotations

import asyncio
import gzip
import math
from collections.abc import Sequence

import msgspec
from starlette.responses import Response

from foxtray import bots
from foxtray.core.layout import Action
from foxtray.game import Game
from foxtray.games.registry import SHEETS
from foxtray.record import Record
from foxtray.review import read_review, words
from foxtray.server.coach.exercises import Exercise, game_at, is_right, next_interval
from foxtray.server.coach.reviewer import Request
from foxtray.server.http.api import (
    KEY,
    LANGUAGE,
    PRIVATE,
    Call,
    Endpoint,
    Parameter,
    finished,
    json_response,
    player_id,
)
from foxtray.server.protocol.messages import (
    Coach,
    CoachReport,
    DailyExercise,
    ExerciseAnswer,
    ExerciseList,
    ExerciseResult,
    ExerciseTry,
    ExerciseView,
    ReviewedGame,
    ReviewState,
    ReviewWords,
    Step,
    Steps,
    Strength,
)
from foxtray.server.protocol.refusals import Refusal
from foxtray.server.store import ExerciseRow, ReviewedRow
from foxtray.server.tables.day_open import check_closed
from foxtray.server.wall_clock import DAY, day_of
from foxtray.views import game_view

MANY = 5
"""Reviews that a player may have waiting."""
SHOWN = 10
"""Exercises in one answer."""
LEVEL = "strong"
"""A game can be reviewed if this level can play it."""


# --- reviews ------------------------------------------------------------------------------------


async def get_review_state(call: Call) -> ReviewState:
    """Whether there is a review, or how far it is; nobody has to make one."""
    table = await finished(call)
    if await call.services.store.coach.review(table.id) is not None:
        return ReviewState("done", 1.0)
    request = call.services.reviewer.find(table.id)
    return state_of(call, request) if request else ReviewState("none")


def state_of(call: Call, request: Request) -> ReviewState:
    return ReviewState(
        request.state,
        progress=request.progress,
        ahead=call.services.reviewer.ahead(request),
        problem=request.problem,
    )


async def post_review(call: Call) -> ReviewState:
    """Ask for a review, or how far it is."""
    table = await finished(call)
    # What a strong player would have done helps those who have yet to play the same dice.
    await check_closed(call.services.store, table.state)
    reviewer = call.services.reviewer
    if await call.services.store.coach.review(table.id) is not None:
        return ReviewState("done", 1.0)
    request = reviewer.find(table.id)
    if request is None or request.state == "failed":
        player = call.me
        if not bots.can_play(LEVEL, table.state.setup.game):
            raise Refusal("cannot_review")
        if reviewer.waiting_of(player.id) >= MANY:
            raise Refusal("review_waiting")
        # Names stay out of it: they change, and their owners may want them gone.
        text = await asyncio.to_thread(table.state.record_text, {})
        owners = [seat.earned for seat in table.state.seats]
        request = reviewer.ask(table.id, player.id, text, owners, table.state.begun)
    return state_of(call, request)


async def get_review(call: Call) -> Response:
    table = await finished(call)
    data = await call.services.store.coach.review(table.id)
    if data is None:
        raise Refusal("no_review")
    if "gzip" not in call.request.headers.get("accept-encoding", ""):
        return json_response(await asyncio.to_thread(gzip.decompress, data))
    headers = {**PRIVATE, "Content-Encoding": "gzip", "Vary": "Accept-Encoding"}
    return Response(data, media_type="application/json", headers=headers)


async def get_review_words(call: Call) -> ReviewWords:
    table = await finished(call)
    data = await call.services.store.coach.review(table.id)
    if data is None:
        raise Refusal("no_review")
    mine = table.state.seat_of(player_id(call))
    played_on = table.state.begun > 0
    return await asyncio.to_thread(in_words, data, call.query["language"], mine, played_on)


def in_words(data: bytes, language: str, mine: int | None, played_on: bool) -> ReviewWords:
    found = read_review(msgspec.json.decode(gzip.decompress(data)))
    summaries = [words.summary(each, language, own=each.seat == mine) for each in found.players]
    if played_on:
        where = words.say(language, "summary.played_on")
        summaries = [f"{where} {summary}" for summary in summaries]
    return ReviewWords(
        summaries,
        [
            {
                str(decision.at): words.sentences(found.game, decision, language)
                for decision in player.decisions
                if decision.reasons
            }
            for player in found.players
        ],
    )


async def get_line(call: Call) -> Steps:
    """Other actions than those that were played, from some moment on."""
    table = await finished(call)
    assert table.state.record
    seat, at = call.query["seat"], call.query["at"]
    actions = list(filter(None, call.query["actions"].split(",")))
    return await asyncio.to_thread(played_out, table.state.record, at, seat, actions)


def played_out(record: Record, at: int, seat: int, actions: Sequence[str]) -> Steps:
    """The game before an input, and after each of some actions instead of it."""
    if at > len(record.inputs):
        raise Refusal("no_such_moment")
    game = game_at(record, at)
    steps = [Step(0, None, None, [], game_view(game))]
    for number, action in enumerate(actions, 1):
        game, events = game.play(seat, Action.parse(record.setup.game, action))
        told = [event.as_dict() for event in events]
        steps.append(Step(number, f"{seat + 1} {action}", seat, told, game_view(game)))
    return Steps(len(steps), steps)


async def get_coach(call: Call) -> Coach:
    player, store = call.me.id, call.services.store.coach
    rows = await store.reviewed(player)
    found = {
        game: report([row for row in rows if row.game == game])
        for game in SHEETS
        if any(row.game == game for row in rows)
    }
    return Coach(found, await store.due_count(player, call.services.machine.now()))


def report(rows: Sequence[ReviewedRow]) -> CoachReport:
    """What some games of one kind say together."""
    counted = [row for row in rows if not row.hints and not row.apart]
    luck = [row.figures.luck for row in counted]
    games = len(counted) or 1
    kinds: dict[str, float] = {}
    areas = [0.0] * max((len(row.figures.areas) for row in counted), default=0)
    for row in counted:
        for kind, cost in row.figures.kinds.items():
            kinds[kind] = kinds.get(kind, 0.0) + cost / games
        for area, cost in enumerate(row.figures.areas):
            areas[area] += cost / games
    return CoachReport(
        games=[
            ReviewedGame(
                row.table,
                row.seats,
                row.finished,
                row.figures.result,
                row.figures.expected,
                row.figures.luck,
                row.figures.influence,
                row.figures.price,
                row.figures.correction,
                row.hints,
                row.apart,
            )
            for row in rows
        ],
        solo=strength([row for row in counted if row.seats == 1]),
        tables=strength([row for row in counted if row.seats > 1]),
        luck=mean(luck),
        luck_error=error(luck),
        kinds=kinds,
        areas=areas,
        foxes=mean([row.figures.foxes for row in counted]),
    )


def strength(rows: Sequence[ReviewedRow]) -> Strength | None:
    """The mean of some games without the luck in them."""
    if not rows:
        return None
    plain = [row.figures.result for row in rows]
    # What the others gave or took stays in: its mean is not 0, as that of luck is.
    without = [row.figures.result - row.figures.luck for row in rows]
    return Strength(len(rows), mean(without), error(without), mean(plain), error(plain))


def mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0


def error(values: Sequence[float]) -> float:
    """The standard error of a mean; 0 where nothing can be said."""
    if len(values) < 2:
        return 0.0
    centre = mean(values)
    return math.sqrt(sum((v - centre) ** 2 for v in values) / (len(values) - 1) / len(values))


# --- exercises ----------------------------------------------------------------------------------


async def get_exercises(call: Call) -> ExerciseList:
    store, now = call.services.store.coach, call.services.machine.now()
    rows = await store.due(call.me.id, now, SHOWN)
    views = [asked(row) for row in rows]
    return ExerciseList(views, await store.due_count(call.me.id, now))


async def get_daily_exercise(call: Call) -> DailyExercise:
    """The exercise of today; the first one who asks has it made."""
    game = call.game
    day = day_of(call.services.machine.now())
    row = await daily_row(call, game, day)
    return DailyExercise(await daily_view(call, row, day) if row else None)


async def daily_row(call: Call, game: str, day: int) -> ExerciseRow | None:
    """The exercise of a day; None while it is being made."""
    services = call.services
    name = f"daily-{game}-{day // DAY}"
    row = await services.store.coach.exercise(name)
    if row is None:
        if not bots.can_play(LEVEL, game):
            raise Refusal("cannot_review")
        made = services.daily_exercises.find(name, game)
        if made is None:
            return None
        row = ExerciseRow(name, None, game, msgspec.json.encode(made), day)
        await services.store.coach.add_exercise(row)
        row = await services.store.coach.exercise(name) or row
    return row


async def daily_view(call: Call, row: ExerciseRow, day: int) -> ExerciseView:
    store = call.services.store.coach
    answered = await store.answer_of(row.id, call.player.id) if call.player else None
    view = asked(row, told=answered is not None)
    count = await store.answers(row.id)
    return msgspec.structs.replace(
        view, day=day, answered=answered, solved=count.right, tried=count.answers
    )


def asked(row: ExerciseRow, *, told: bool = False) -> ExerciseView:
    """An exercise as it is shown before it is answered, or after."""
    exercise = msgspec.json.decode(row.data, type=Exercise)
    game = Game.from_position(exercise.position)
    answers = [ExerciseAnswer(a.action, list(a.line), a.points, a.error) for a in exercise.answers]
    return ExerciseView(
        row.id, row.game, exercise.seat, game_view(game), answers=answers if told else []
    )


async def post_exercise(call: Call) -> ExerciseResult:
    """Answer an exercise: one of mine, or that of a day."""
    store, player = call.services.store.coach, call.me
    row = await store.exercise(call.request.path_params["exercise"])
    if row is None or row.player not in (None, player.id):
        raise Refusal("no_exercise")
    exercise = msgspec.json.decode(row.data, type=Exercise)
    body: ExerciseTry = call.body
    cost = exercise.cost(body.action)
    if cost is None:
        raise Refusal("malformed_action", f"{body.action} is not possible here")
    right = is_right(cost)
    if row.player is None:
        if not await store.add_answer(row.id, player.id, body.action, right):
            # The first answer counts.
            before = await store.answer_of(row.id, player.id) or body.action
            cost = exercise.cost(before) or 0.0
            right = is_right(cost)
        return ExerciseResult(right, cost, await daily_view(call, row, row.due))
    now = call.services.machine.now()
    days = row.days
    if row.due <= now:  # who answers twice, even at once, gains nothing
        days = next_interval(row.days, right)
        if not await store.settle(row, now + days * DAY, days):
            left = await store.exercise(row.id)
            days = left.days if left else 0
    return ExerciseResult(right, cost, asked(row, told=True), days)


ENDPOINTS = (
    Endpoint("POST", "/api/tables/{table}/review", post_review,
             "Have a finished game reviewed, or ask how far the review is", ReviewState,
             query=(KEY,)),
    Endpoint("GET", "/api/tables/{table}/review", get_review,
             "The review of a finished game (docs/review.md)", dict, query=(KEY,),
             weight="heavy"),
    Endpoint("GET", "/api/tables/{table}/review/state", get_review_state,
             "Whether a finished game has a review", ReviewState, query=(KEY,)),
    Endpoint("GET", "/api/tables/{table}/review/words", get_review_words,
             "The review of a finished game in words", ReviewWords, query=(KEY, LANGUAGE),
             weight="heavy"),
    Endpoint("GET", "/api/tables/{table}/line", get_line,
             "What other actions would have led to", Steps, weight="heavy",
             query=(KEY, Parameter("at", "the number of the input that they replace", 0, 10_000, 0),
                    Parameter("seat", "who acts", 0, 3, 0),
                    Parameter("actions", "up to the next roll, separated by commas", default="",
                              longest=400))),
    Endpoint("GET", "/api/me/coach", get_coach, "What my reviewed games say together", Coach,
             weight="heavy"),
    Endpoint("GET", "/api/me/exercises", get_exercises, "My exercises that are due",
             ExerciseList, weight="heavy"),
    Endpoint("GET", "/api/exercises/daily/{game}", get_daily_exercise, "The exercise of today",
             DailyExercise),
    Endpoint("POST", "/api/exercises/{exercise}", post_exercise, "Answer an exercise",
             ExerciseResult, ExerciseTry),
)  # fmt: skip
