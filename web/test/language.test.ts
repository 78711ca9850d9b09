import { describe, expect, it, vi } from 'vitest'
import { firstWords } from '../words.mjs'
import { en } from '../src/i18n/en'
import { allWords, begin, gameOf, has, knownGames, language, speak, t, word } from '../src/lib/i18n.svelte'
import { answerForGames } from './games'

const slow = vi.hoisted(() => {
  let arrive = () => {}
  const arrived = new Promise<void>((resolve) => (arrive = resolve))
  return { arrive: () => arrive(), arrived }
})
vi.mock('../src/i18n/de.ts?first', async () => {
  await slow.arrived
  return { de: {} }
})

it('speaks the language that was chosen last, whichever comes first', async () => {
  vi.stubGlobal('document', { documentElement: {} })
  answerForGames()
  const german = speak('de')
  await speak('nl')
  expect(language()).toBe('nl')
  slow.arrive()
  await german
  expect(language()).toBe('nl')
  expect(document.documentElement.lang).toBe('nl')
  await speak('de')
  expect(language()).toBe('de')
})

it('begins with its own words, and has those of the games with the next', async () => {
  vi.stubGlobal('document', { documentElement: {} })
  answerForGames()
  await begin('nl')
  expect(t('close')).toBe('Sluiten')
  expect(knownGames()).toBeNull()
  const [game] = (await speak('nl'), knownGames()!)
  expect(word(game!.id, 'title')).toBe(game!.text.title)
  await speak('en')
  expect(word(game!.id, 'title')).not.toBe(game!.text.title)
  expect(gameOf(game!.id)!.lesson).toEqual(game!.lesson)
})

it('has no words for a game that is gone', () => {
  expect(gameOf('gone')).toBeUndefined()
  expect(word('gone', 'title', 'gone')).toBe('gone')
})

it('keeps the language where the words of the games do not come', async () => {
  vi.stubGlobal('document', { documentElement: {} })
  answerForGames()
  await speak('en')
  vi.stubGlobal('fetch', () => Promise.reject(new TypeError('no line')))
  await expect(speak('sr')).rejects.toMatchObject({ code: 'offline', passing: true })
  expect([language(), t('close')]).toEqual(['en', 'Close'])
})

describe('the halves of a catalogue', () => {
  it('are what the first screens may say, and the rest', () => {
    const first = firstWords()
    const keys = Object.keys(en)
    expect(keys.filter(first)).toEqual(expect.arrayContaining(['loading', 'act.roll', 'log.passed', 'refused.offline']))
    expect(keys.filter((key) => !first(key))).toEqual(expect.arrayContaining(['admin.ban', 'fair.how', 'refused.seat_taken']))
  })

  it('come one after the other', { timeout: 120_000 }, async () => {
    vi.stubGlobal('document', { documentElement: {} })
    answerForGames()
    vi.resetModules()
    const page = await import('../src/lib/i18n.svelte')
    await page.begin('en')
    expect([page.t('act.roll'), page.t('admin.ban')]).toEqual([en['act.roll'], ''])
    // Asking for it was enough; a busy machine may need a while.
    await vi.waitFor(() => expect(page.t('admin.ban')).toBe(en['admin.ban']), { timeout: 60_000 })
    await page.speak('nl')
    expect(page.has('admin.ban')).toBe(true)
    expect(Object.keys(en).filter((key) => !page.has(key))).toEqual([])
  })

  it('are both there for parts that come later', async () => {
    await begin('sr')
    await allWords()
    expect(has('admin.ban')).toBe(true)
  })
})
