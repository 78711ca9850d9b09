import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { de } from '../src/i18n/de'
import { en } from '../src/i18n/en'
import { nl } from '../src/i18n/nl'
import { sr } from '../src/i18n/sr'
import type { Table } from '../src/lib/table.svelte'
import type { Refusal } from '../src/lib/api'
import { REFUSAL_CODES, type RefusalCode } from '../src/lib/wire'

const others: Record<string, Record<string, string>> = { de, nl, sr }

function sources(folder: string): string {
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.name !== 'i18n')
    .map((entry) => {
      const path = join(folder, entry.name)
      return entry.isDirectory() ? sources(path) : readFileSync(path, 'utf8')
    })
    .join('\n')
}

const code = sources(new URL('../src', import.meta.url).pathname)
const placeholders = (text: string) =>
  [...new Set([...text.matchAll(/\{(\w+)/g)].map((match) => match[1]))].sort()

describe('catalogues', () => {
  it.each(Object.keys(others))('%s has every key and no other', (language) => {
    expect(Object.keys(others[language]!).sort()).toEqual(Object.keys(en).sort())
  })

  it.each(Object.keys(others))('%s fills in the same values', (language) => {
    for (const [key, text] of Object.entries(en)) {
      expect([key, placeholders(others[language]![key]!)]).toEqual([key, placeholders(text)])
    }
  })

  it.each(Object.keys(others))('%s is translated', (language) => {
    const same = Object.entries(en).filter(([key, text]) => text.replace(/\{[^}]*\}/g, '').length > 12 && others[language]![key] === text)
    expect(same).toEqual([])
  })

  it('has no key that nobody uses', () => {
    const prefixes = [...code.matchAll(/`([a-z_.]+\.)\$\{/g)].map((match) => match[1]!)
    const unused = Object.keys(en).filter(
      (key) =>
        !code.includes(`'${key}'`) && !prefixes.some((prefix) => key.startsWith(prefix)),
    )
    expect(unused).toEqual([])
  })

  it('has every key that is asked for', () => {
    const asked = [...code.matchAll(/\bt\(\s*'([^']+)'/g)].map((match) => match[1]!)
    expect(asked.filter((key) => !(key in en))).toEqual([])
  })

  it('knows every refusal of the server and of this device, and no other', () => {
    // A type that is complete: svelte-check says what is missing here.
    const own: Record<Exclude<Refusal['code'], RefusalCode>, true> = {
      offline: true, no_server: true, device_full: true, device_storage: true, device_damaged: true, not_backup: true,
    }
    const wanted = [...Object.keys(own), ...REFUSAL_CODES].map((code) => `refused.${code}`)
    const known = Object.keys(en).filter((key) => key.startsWith('refused.'))
    expect(known.sort()).toEqual(wanted.sort())
  })

  it('knows every notice of the server, and no other', () => {
    // A type that is complete: svelte-check says what is missing here.
    const shown: Record<NonNullable<Table['notice']>, true> = { storage_failing: true, outdated: true }
    const wanted = Object.keys(shown).map((code) => `notice.${code}`)
    const known = Object.keys(en).filter((key) => key.startsWith('notice.'))
    expect(known.sort()).toEqual(wanted.sort())
  })
})
