// The guided first games: one expected input after the other, on dice that the server scripts.

import { gameOf, word } from './i18n.svelte'
import type { Entry } from './wire'

export interface Lesson {
  number: number
  of: number
  /** What to do now; null for the last words. */
  expect: string | null
  text: string
}

/** Where a guided game stands, from the inputs so far; null once it is played on by oneself. */
export function lessonFor(game: string, entries: Entry[]): Lesson | null {
  const steps = gameOf(game)?.lesson ?? []
  const at = entries.filter((entry) => entry.what === 'threw' || entry.what === 'played').length
  if (at > steps.length) return null
  return {
    number: at + 1,
    of: steps.length + 1,
    expect: steps[at] ?? null,
    text: word(game, `lesson.${at + 1}`),
  }
}
