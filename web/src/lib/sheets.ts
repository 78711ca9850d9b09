// The sheets of several games at once.

import { api } from './api'
import type { Sheet } from './game'
import { load } from './load'

/** Asks for the sheets of games; each is told as it comes. An effect can return what is returned. */
export function loadSheets(games: string[], found: (sheet: Sheet) => void): () => void {
  const stops = games.map((game) => load(() => api.sheet(game), found))
  return () => stops.forEach((stop) => stop())
}
