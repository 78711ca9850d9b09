// Dice that people roll by hand.

import { SOLO_TRAY } from './wire'

export interface Tie {
  /** The dice that are equal. */
  dice: number[]
  /** How many of them go to the platter. */
  take: number
}

/** In solo serving the lowest dice go to the platter: the equal ones that leave open which, if any. */
export function tieOf(rolled: [die: number, face: number][]): Tie | null {
  const border = rolled.map(([, face]) => face).sort((a, b) => a - b)[SOLO_TRAY - 1]
  if (border === undefined) return null
  const dice = rolled.filter(([, face]) => face === border).map(([die]) => die)
  const take = SOLO_TRAY - rolled.filter(([, face]) => face < border).length
  return take === dice.length ? null : { dice, take }
}
