import { expect, it, vi } from 'vitest'
import { language, speak } from '../src/lib/i18n.svelte'

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
