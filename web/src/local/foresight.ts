// What may be done at a live table, and what it would lead to: worked out in the page at once. What
// counts is still only what the server wrote.

import type { GameView, Preview } from '../lib/game'
import type { TableInfo } from '../lib/wire'
import { gameSeen } from './seen'
import type { Game } from './game'
import { layoutOf } from './surroundings'
import { legalPlaces, previews } from './views'

export interface Foresight {
  /** A view with the legal actions of some seats, as far as they are asked. */
  complete(view: GameView, info: TableInfo, seats: number[]): GameView
  previews(view: GameView, info: TableInfo, seat: number): Preview[]
}

export async function foresight(game: string): Promise<Foresight> {
  const layout = await layoutOf(game)
  const behind = (view: GameView, { first, options }: TableInfo): Game =>
    gameSeen(layout, view, {
      first: first ?? 0,
      solo_fallback: options.solo_fallback ?? false,
      fox_floor: options.fox_floor ?? false,
    })
  return {
    complete(view, info, seats) {
      const game = behind(view, info)
      const asked = seats.filter((seat) => view.awaiting.includes(seat))
      const known = view.seats.map((seat, i) => (asked.includes(i) ? { ...seat, legal: legalPlaces(game, i) } : seat))
      return { ...view, seats: known }
    },
    previews: (view, info, seat) => previews(behind(view, info), seat),
  }
}
