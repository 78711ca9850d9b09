// The words of the page in the chosen language. Catalogues are loaded when they are needed.

import type { en } from '../i18n/en'
import { arriving } from './api'
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

const loaders: Record<Language, () => Promise<Catalogue>> = {
  en: () => import('../i18n/en').then((module) => module.en),
  de: () => import('../i18n/de').then((module) => module.de),
  nl: () => import('../i18n/nl').then((module) => module.nl),
  sr: () => import('../i18n/sr').then((module) => module.sr),
}

let current = $state.raw<{ language: Language; catalogue: Catalogue | null }>({
  language: 'en',
  catalogue: null,
})

export function language(): Language {
  return current.language
}

export function tag(): string {
  return TAGS[current.language]
}

export function t(key: Key, values?: Values): string {
  const sentence = current.catalogue?.[key]
  return sentence === undefined ? key : fill(TAGS[current.language], sentence, values)
}

export function has(key: string): key is Key {
  return current.catalogue !== null && key in current.catalogue
}

let chosen: Language = 'en'

/** Changes the language; of several wishes the last one counts, whichever comes first. */
export async function speak(wanted: Language): Promise<void> {
  chosen = wanted
  const catalogue = await arriving(loaders[wanted]())
  if (chosen !== wanted) return
  current = { language: wanted, catalogue }
  document.documentElement.lang = TAGS[wanted]
  try {
    localStorage.setItem('language', wanted)
  } catch {
    // Storage may be forbidden; the choice then lasts as long as the page.
  }
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

export function list(items: string[]): string {
  return new Intl.ListFormat(tag(), { type: 'conjunction' }).format(items)
}

export function date(ms: number): string {
  return new Intl.DateTimeFormat(tag(), { dateStyle: 'medium', timeStyle: 'short' }).format(ms)
}

export function decimal(value: number): string {
  return new Intl.NumberFormat(tag(), { maximumFractionDigits: 1 }).format(value)
}

/** So many seconds in words: whole minutes as minutes. */
export function span(seconds: number): string {
  const [value, unit] = seconds % 60 ? [seconds, 'second'] : [seconds / 60, 'minute']
  return new Intl.NumberFormat(tag(), { style: 'unit', unit, unitDisplay: 'long' }).format(value)
}

export function signed(value: number): string {
  return value > 0 ? `+${value}` : value < 0 ? `−${-value}` : '±0'
}
