// A game as the screens see it: the same views as the server's, from the page's own game.

import { bits, codes, rules } from '../engine/engine'
import type { GameView, Place, Preview, Score, SeatView } from '../lib/game'
import { beforeRound } from './events'
import type { Game } from './game'

export function gameView(game: Game): GameView {
  const { state, layout } = game
  const rounds = layout.sheet.rounds[game.seats - 1]!
  const winners = game.winners()
  return {
    game: layout.sheet.id,
    round: rules.round_of(state),
    rounds,
    turn: state.turn,
    turns: rounds * rules.turns_in_round(state),
    roll: state.rolls,
    reroll: state.rerolls,
    active: game.active,
    serving: state.phase === codes.SERVING,
    solo_serving: rules.solo_serving(state),
    over: game.over,
    faces: game.faces,
    places: Array.from(state.place, (place) => codes.PLACE_NAMES[place]!),
    rolling: game.rolling().map((die) => layout.letters[die]!),
    awaiting: game.awaiting(),
    seats: Array.from({ length: game.seats }, (_, seat) => seatView(game, seat)),
    winners,
    rating: game.over && game.seats === 1 ? rating(game) : null,
  }
}

/** The band of a solo total: the first whose lowest total it reaches. */
function rating(game: Game): number {
  const { total } = game.score(0)
  return game.layout.sheet.ratings.findIndex(({ lowest }) => lowest === null || total >= lowest)
}

function seatView(game: Game, seat: number): SeatView {
  const { state, layout } = game
  const follows = state.stage[seat] === codes.FOLLOW
  return {
    marks: named(layout.names.cells, state.cells[seat]!),
    tracks: Object.fromEntries(
      layout.sheet.tracks.map(({ name }) => {
        const track = codes.TRACK_NAMES.indexOf(name)
        return [name, [state.circled[seat]![track]!, state.spent[seat]![track]!]]
      }),
    ),
    score: game.score(seat),
    stage: state.pending[seat] ? 'bonus' : codes.STAGE_NAMES[state.stage[seat]!]!,
    open: named(layout.names.bonuses, state.open[seat]!),
    crosses: follows ? bits(state.follow).map((die) => layout.letters[die]!) : [],
    used: bits(state.used[seat]!).map((die) => layout.letters[die]!),
    legal: legalPlaces(game, seat),
  }
}

/** What is not zero, by its name. */
function named(names: string[], values: ArrayLike<number>): Record<string, number> {
  return Object.fromEntries(names.flatMap((name, i) => (values[i] ? [[name, values[i]!]] : [])))
}

export function legalPlaces(game: Game, seat: number): Place[] {
  return game.legal(seat).map((action) => placeView(game, seat, action))
}

/** A legal action with the cell it marks: the next field where a row is meant. */
function placeView(game: Game, seat: number, action: number): Place {
  const { state, layout } = game
  const { tables, names } = layout
  const text = names.actions[action]!
  const number = tables.action_die[action]!
  const die = number >= 0 ? layout.letters[number]! : null
  const area = tables.action_area[action]!
  if (area < 0) return { action: text, die, area: null, cell: null, mark: 0 }
  let cell = tables.action_cell[action]!
  let mark: number
  if (cell >= 0) mark = state.cells[seat]![cell]! + 1
  else {
    cell = tables.first_cell[area]! + state.filled[seat]![area]!
    const value = tables.action_value[action] || rules.value_of(tables, state, number, area)
    mark = tables.writes_value[area] ? value * tables.factor[cell]! : 1
  }
  return { action: text, die, area: layout.area(area), cell: names.cells[cell]!, mark }
}

/** What each legal action of a seat would set off itself: not the bonus of the next round. */
export function previews(game: Game, seat: number): Preview[] {
  const before = game.score(seat)
  return game.legal(seat).map((action) => {
    const { game: after, events } = game.play(seat, action)
    const own = beforeRound(events)
    const later = events.slice(own.length)
    const foxes = later.filter(
      (event) => event.event === 'bonus_earned' && event.seat === seat && event.bonus === 'fox',
    )
    const score = withoutFoxes(after.score(seat), foxes.length)
    return {
      action: game.layout.names.actions[action]!,
      events: own,
      points: score.total - before.total,
      areas: score.areas.map((points, area) => points - before.areas[area]!),
      score,
    }
  })
}

function withoutFoxes(score: Score, count: number): Score {
  const { areas, foxes, fox_value, total } = score
  return { areas, foxes: foxes - count, fox_value, total: total - count * fox_value }
}
