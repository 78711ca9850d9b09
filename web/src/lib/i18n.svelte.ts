// The words in the chosen language: those of the page, loaded when they are needed, and those of the
// games, for which the server is asked.

import type { en } from '../i18n/en'
import { api, arriving, refusing } from './api'
import type { GameInfo } from './wire'
import { fill, pick, type Values } from './words'

export type Key = keyof typeof en
export type Catalogue = Record<Key, string>

export const LANGUAGES = ['en', 'de', 'nl', 'sr'] as const
export type Language = (typeof LANGUAGES)[number]

export const LANGUAGE_NAMES: Record<Language, string> = {
  en: 'English',
  de: 'Deutsch',
  nl: 'Nederlands',
  sr: 'Srpski',
}

const TAGS: Record<Language, string> = { en: 'en-GB', de: 'de', nl: 'nl', sr: 'sr-Latn' }

type Half = Record<string, Partial<Catalogue>>
// The build splits each catalogue (words.mjs): what the first screens say comes first.
const first = import.meta.glob<Half>('../i18n/*.ts', { query: '?first' })
const later = import.meta.glob<Half>('../i18n/*.ts', { query: '?later' })
let wantsAll = false

async function catalogueOf(wanted: Language): Promise<Pick<Words, 'catalogue' | 'complete'>> {
  const complete = wantsAll
  const halves = (complete ? [first, later] : [first]).map((half) => half[`../i18n/${wanted}.ts`]!())
  const loaded = await arriving(Promise.all(halves))
  return { catalogue: Object.assign({}, ...loaded.map((half) => half[wanted])), complete }
}

/** Makes sure that all texts of the page are there, also those of parts that are loaded later. */
export async function allWords(): Promise<void> {
  wantsAll = true
  while (!current.complete) {
    const wanted = current.language
    const found = await catalogueOf(wanted)
    if (current.language === wanted) current = { ...current, ...found }
  }
}
refusing.prepare = allWords

interface Words {
  language: Language
  catalogue: Partial<Catalogue>
  /** Whether the texts that come later are there. */
  complete: boolean
  /** Null before the server was asked. */
  games: GameInfo[] | null
}

let current = $state.raw<Words>({ language: 'en', catalogue: {}, complete: false, games: null })

export function language(): Language {
  return current.language
}

export function tag(): string {
  return TAGS[current.language]
}

export function t(key: Key, values?: Values): string {
  return has(key) ? fill(TAGS[current.language], current.catalogue[key]!, values) : ''
}

/** Whether there is such a text; one that has not come yet is set on its way. */
export function has(key: string): key is Key {
  const found = key in current.catalogue
  if (!found && !current.complete) allWords().catch(() => undefined)
  return found
}

/** The games there are; null before the server was asked. */
export function knownGames(): GameInfo[] | null {
  return current.games
}

/** A game by its id, if it is still there. */
export function gameOf(id: string): GameInfo | undefined {
  return current.games?.find((game) => game.id === id)
}

/** A word of a game; of one that is gone, what it is called without words. */
export function word(game: string, key: string, otherwise = ''): string {
  return gameOf(game)?.text[key] ?? otherwise
}

let chosen: Language = 'en'

/** The page's own words: enough to say why there are no games yet. */
export async function begin(wanted: Language): Promise<void> {
  chosen = wanted
  api.games(wanted).catch(() => undefined) // on its way when it is wanted, a moment later
  use({ language: wanted, ...(await catalogueOf(wanted)), games: null })
}

/** Changes the language; of several wishes the last one counts, whichever comes first. */
export async function speak(wanted: Language): Promise<void> {
  chosen = wanted
  const [found, { games }] = await Promise.all([catalogueOf(wanted), api.games(wanted)])
  if (chosen !== wanted) return
  use({ language: wanted, ...found, games })
  if (wantsAll) await allWords() // wanted meanwhile
  try {
    localStorage.setItem('language', wanted)
  } catch {
    // Storage may be forbidden; the choice then lasts as long as the page.
  }
}

function use(words: Words): void {
  current = words
  document.documentElement.lang = TAGS[words.language]
}

export function preferred(): Language {
  let saved: string | null = null
  try {
    saved = localStorage.getItem('language')
  } catch {
    // As above.
  }
  return pick([...(saved ? [saved] : []), ...navigator.languages], LANGUAGES, 'en')
}

/** A phrase as the beginning of a sentence. */
export function capital(text: string): string {
  return text.charAt(0).toLocaleUpperCase(tag()) + text.slice(1)
}

export function list(items: string[]): string {
  return new Intl.ListFormat(tag(), { type: 'conjunction' }).format(items)
}

export function date(ms: number): string {
  return new Intl.DateTimeFormat(tag(), { dateStyle: 'medium', timeStyle: 'short' }).format(ms)
}

/** A time in the past, as a distance from now in milliseconds: "2 hours ago". */
export function ago(ms: number): string {
  const format = new Intl.RelativeTimeFormat(tag(), { numeric: 'auto' })
  const seconds = Math.min(ms, 0) / 1000
  if (seconds > -60) return format.format(0, 'second')
  if (seconds > -3600) return format.format(Math.ceil(seconds / 60), 'minute')
  if (seconds > -86_400) return format.format(Math.ceil(seconds / 3600), 'hour')
  return format.format(Math.ceil(seconds / 86_400), 'day')
}

/** A day as the server counts them. */
export function day(ms: number): string {
  return new Intl.DateTimeFormat(tag(), { dateStyle: 'medium', timeZone: 'UTC' }).format(ms)
}

/** The time of day; another day is told, too. */
export function clockTime(ms: number): string {
  const near = ms - Date.now() < 20 * 3_600_000
  const style = near ? ({ timeStyle: 'short' } as const) : ({ weekday: 'short', hour: 'numeric', minute: '2-digit' } as const)
  return new Intl.DateTimeFormat(tag(), style).format(ms)
}

/** A day like 2026-11-17. */
export function dayName(text: string): string {
  return day(Date.parse(text))
}

export function decimal(value: number): string {
  return new Intl.NumberFormat(tag(), { maximumFractionDigits: 1 }).format(value)
}

/** A number with one decimal, also in a column of others. */
export function tenths(value: number): string {
  const style = { minimumFractionDigits: 1, maximumFractionDigits: 1 } as const
  return new Intl.NumberFormat(tag(), style).format(value).replace('-', '−')
}

/** So many seconds in words: whole minutes as minutes. */
export function span(seconds: number): string {
  const [value, unit] = seconds % 60 ? [seconds, 'second'] : [seconds / 60, 'minute']
  return new Intl.NumberFormat(tag(), { style: 'unit', unit, unitDisplay: 'long' }).format(value)
}

export function signed(value: number): string {
  return value > 0 ? `+${value}` : value < 0 ? `−${-value}` : '±0'
}

/** A change with its sign and one decimal. */
export function changed(value: number): string {
  const rounded = Math.round(value * 10) / 10
  const style = { minimumFractionDigits: 1, maximumFractionDigits: 1, signDisplay: 'exceptZero' } as const
  return new Intl.NumberFormat(tag(), style).format(rounded === 0 ? 0 : rounded).replace('-', '−')
}

export function percent(share: number): string {
  return new Intl.NumberFormat(tag(), { style: 'percent', maximumFractionDigits: 0 }).format(share)
}
