// The guided first games: one expected input after the other, on dice that the server scripts.

import type { Entry, LessonText } from './wire'

export interface Lesson {
  number: number
  of: number
  /** What to do now; null for the last words. */
  expect: string | null
  text: string
}

/** Where a guided game stands, from the inputs so far; null once it is played on by oneself. */
export function lessonFor({ inputs, text }: LessonText, entries: Entry[]): Lesson | null {
  const at = entries.filter((entry) => entry.what === 'threw' || entry.what === 'played').length
  if (at > inputs.length) return null
  return { number: at + 1, of: inputs.length + 1, expect: inputs[at] ?? null, text: text[at] ?? '' }
}
