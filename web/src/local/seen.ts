// The game behind what is seen of it: a live table tells views, from which the rules can go on.

import { codes, newState, rules, type State } from '../engine/engine'
import type { GameView, SeatView } from '../lib/game'
import { Game, type Options } from './game'
import type { Layout } from './layout'

/** The game that a view shows. Only what is open to everybody is in it, and that is everything. */
export function gameSeen(layout: Layout, view: GameView, options: Options): Game {
  const state = newState(view.seats.length, options)
  state.turn = view.turn
  state.rolls = view.roll
  state.rerolls = view.reroll
  state.phase = phaseOf(view)
  state.face.set(view.faces)
  state.place.set(view.places.map((place) => codes.PLACE_NAMES.indexOf(place)))
  for (const [seat, one] of view.seats.entries()) fillSeat(layout, state, seat, one, view.serving)
  return new Game(layout, state)
}

function phaseOf(view: GameView): number {
  if (view.over) return codes.OVER
  if (view.rolling.length) return codes.THROW
  if (view.serving) return codes.SERVING
  return view.roll ? codes.CHOOSING : codes.OPENING
}

function fillSeat(layout: Layout, state: State, seat: number, seen: SeatView, serving: boolean): void {
  const { tables, names } = layout
  for (let line = 0; line < tables.lines; line++) state.missing[seat]![line] = tables.line_size[line]!
  for (const [name, mark] of Object.entries(seen.marks)) {
    const cell = names.cells.indexOf(name)
    const area = names.cell_area[cell]!
    state.cells[seat]![cell] = mark
    if (mark >= tables.full[area]!) state.filled[seat]![area]!++
    for (let k = 0; k < tables.cell_lines[cell]!; k++) state.missing[seat]![tables.cell_line[cell]![k]!]!--
  }
  for (let area = 0; area < tables.areas; area++) state.fits[seat]![area] = rules.fitting(tables, state, seat, area)
  for (const [name, [circled, spent]] of Object.entries(seen.tracks)) {
    const track = codes.TRACK_NAMES.indexOf(name as (typeof codes.TRACK_NAMES)[number])
    state.circled[seat]![track] = circled
    state.spent[seat]![track] = spent
  }
  state.foxes[seat] = seen.score.foxes
  state.used[seat] = maskOf(layout, seen.used)
  for (const [bonus, count] of Object.entries(seen.open)) {
    state.open[seat]![names.bonuses.indexOf(bonus)] = count
    state.pending[seat]! += count
  }
  if (seen.crosses.length) state.follow = maskOf(layout, seen.crosses)
  state.stage[seat] = stageOf(seen, serving)
}

function maskOf(layout: Layout, letters: string[]): number {
  return letters.reduce((mask, letter) => mask | (1 << layout.letters.indexOf(letter)), 0)
}

/** Open bonuses are asked for first; what a seat is asked for after them follows from the moment. */
function stageOf(seen: SeatView, serving: boolean): number {
  if (seen.stage !== 'bonus') return codes.STAGE_NAMES.indexOf(seen.stage)
  if (seen.crosses.length) return codes.FOLLOW
  return serving ? codes.EXTRA : codes.IDLE
}
