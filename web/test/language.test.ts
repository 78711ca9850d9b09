import { expect, it, vi } from 'vitest'
import { begin, gameOf, knownGames, language, speak, t, word } from '../src/lib/i18n.svelte'
import { answerForGames } from './games'

const slow = vi.hoisted(() => {
  let arrive = () => {}
  const arrived = new Promise<void>((resolve) => (arrive = resolve))
  return { arrive: () => arrive(), arrived }
})
vi.mock('../src/i18n/de', async () => {
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
