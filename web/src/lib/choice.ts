// From a list of legal actions to one of them, by touching dice, cells and values.
// What is legal comes from the server; here it is only sorted by what has been touched.

import type { Place } from './game'

export interface Touch {
  die: string | null
  cell: string | null
  action: string | null
}

export const NOTHING: Touch = { die: null, cell: null, action: null }

export function isEntry(place: Place): boolean {
  return place.cell !== null
}

export function isReturn(place: Place): boolean {
  return place.cell === null && place.die !== null
}

/** The dice that can be touched now. */
export function usableDice(legal: Place[]): Set<string> {
  return new Set(legal.flatMap((place) => (place.die === null ? [] : [place.die])))
}

/** The actions that still agree with what has been touched. */
export function candidates(legal: Place[], touch: Touch): Place[] {
  return legal.filter(
    (place) =>
      (place.cell !== null || isReturn(place)) &&
      (touch.die === null || place.die === touch.die) &&
      (touch.cell === null || place.cell === touch.cell) &&
      (touch.action === null || place.action === touch.action),
  )
}

/** The one action that is meant, once what was touched leaves only one. */
export function chosen(legal: Place[], touch: Touch): Place | null {
  if (touch === NOTHING || (!touch.die && !touch.cell && !touch.action)) return null
  const left = candidates(legal, touch)
  return left.length === 1 ? left[0]! : null
}

/** Cells to mark as offered: of the touched die, or of everything that is legal. */
export function offered(legal: Place[], touch: Touch): Set<string> {
  const wanted = candidates(legal, { ...touch, cell: null, action: null })
  return new Set(wanted.flatMap((place) => (place.cell === null ? [] : [place.cell])))
}

/** Touching a die: again lets go of it. */
export function touchDie(touch: Touch, die: string): Touch {
  return touch.die === die ? NOTHING : { die, cell: null, action: null }
}

/** Touching a cell keeps the touched die if it fits there, and lets go of it otherwise. */
export function touchCell(legal: Place[], touch: Touch, cell: string): Touch {
  const fits = candidates(legal, { die: touch.die, cell, action: null }).length > 0
  return { die: fits ? touch.die : null, cell, action: null }
}

/** What is left of a touch when other actions are legal. */
export function stillValid(legal: Place[], touch: Touch): Touch {
  return candidates(legal, touch).length ? touch : NOTHING
}
