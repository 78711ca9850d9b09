import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { gameInfo, GAMES } from './games'

const web = new URL('..', import.meta.url).pathname
const words = GAMES.map((game) => gameInfo(game, 'en').text)
const colours = new Set(
  words.flatMap((text) =>
    Object.keys(text).flatMap((key) => (key.startsWith('colour.') ? [key.slice('colour.'.length)] : [])),
  ),
)

function files(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name)
    return entry.isDirectory() ? files(path) : [path]
  })
}
const texts = [join(web, 'index.html'), join(web, 'public/manifest.webmanifest'), ...files(join(web, 'src'))].map(
  // The platter is silver in every game: that is no die.
  (path) => [path, readFileSync(path, 'utf8').replaceAll(/silver platter/gi, '')] as const,
)

function naming(word: RegExp): string[] {
  return texts.flatMap(([path, text]) => (word.test(text) ? [path] : []))
}

describe('the page', () => {
  it('knows where to look', () => {
    expect(GAMES.length).toBeGreaterThan(1)
    expect(colours.size).toBeGreaterThan(5)
    expect(texts.length).toBeGreaterThan(50)
  })
  it.each(GAMES)('names no game: %s', (game) => {
    // As a name, an address or a key; the word itself may be plain English.
    expect(naming(new RegExp(`['"\`/.]${game}\\b`))).toEqual([])
  })
  it.each(words.map((text) => text.title!))('has no title of a game: %s', (title) => {
    expect(naming(new RegExp(title.replaceAll("'", "\\\\?'")))).toEqual([])
  })
  it.each([...colours])('names no colour of a die: %s', (colour) => {
    expect(naming(new RegExp(`(?<!\\w)${colour}(?!\\w|-space)`, 'i'))).toEqual([])
  })
})
