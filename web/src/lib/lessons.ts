// The guided first games: one expected input after the other, on the dice of the server's lessons.

import type { GameId } from './game'
import type { Entry } from './messages'

export const LESSONS: Record<GameId, string[]> = {
  clever: [
    'roll', 'w>b9', 'roll', 'b>b5', 'roll', 'reroll', 'roll', 'y>y6a', 'roll', 'g>g',
    'roll', 'g>g', 'roll', 'p>p', 'roll', 'o>o', 'y>y3a',
  ],
  twice: [
    'roll', 's>sg3', 'b>sb1', 'w>sp2', 'roll', 'y>y2a', 'roll', 'g>g', 'roll', 'y>y2a',
    'roll', 'g>g', 'roll', 'b>b', 'roll', 'w>p', 'b>b',
  ],
}

export interface Lesson {
  number: number
  of: number
  /** What to do now; null for the last words. */
  expect: string | null
  text: string
}

/** Where a guided game stands, from the inputs so far; null once it is played on by oneself. */
export function lessonFor(game: GameId, entries: Entry[]): Lesson | null {
  const steps = LESSONS[game]
  const at = entries.filter((entry) => entry.what === 'threw' || entry.what === 'played').length
  if (at > steps.length) return null
  return {
    number: at + 1,
    of: steps.length + 1,
    expect: steps[at] ?? null,
    text: `learn.${game}.${at + 1}`,
  }
}
