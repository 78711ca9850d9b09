// Ready-made phrases, and whose are not wanted: there is no free text, so nobody has to moderate.

import { PHRASES } from './wire'

export type Phrase = (typeof PHRASES)[number]

/** The phrases that are pictures. */
export const REACTIONS = ['clap', 'laugh', 'surprised', 'sad', 'fox'] as const satisfies Phrase[]
export type Reaction = (typeof REACTIONS)[number]

export function isReaction(phrase: Phrase): phrase is Reaction {
  return (REACTIONS as readonly Phrase[]).includes(phrase)
}
export const WORDS = PHRASES.filter((phrase) => !isReaction(phrase))

const PLACE = 'phrases'
let off = $state(stored() === 'off')
/** Seats that were muted, by table; for as long as the page lives. */
let muted = $state.raw<ReadonlySet<string>>(new Set())

function stored(): string | null {
  try {
    return localStorage.getItem(PLACE)
  } catch {
    return null
  }
}

export function areMuted(): boolean {
  return off
}

export function muteAll(on: boolean): void {
  off = on
  try {
    localStorage.setItem(PLACE, on ? 'off' : 'on')
  } catch {
    // It lasts as long as the page.
  }
}

export function isMuted(table: string, seat: number): boolean {
  return off || muted.has(`${table} ${seat}`)
}

export function mute(table: string, seat: number, on: boolean): void {
  const next = new Set(muted)
  if (on) next.add(`${table} ${seat}`)
  else next.delete(`${table} ${seat}`)
  muted = next
}
