// The games as a server would tell of them, with the words of their folders.

import { readdirSync, readFileSync } from 'node:fs'
import { vi } from 'vitest'
import type { GameInfo } from '../src/lib/wire'

const folders = new URL('../../src/foxtray/games/', import.meta.url)

function read(path: string): unknown {
  return JSON.parse(readFileSync(new URL(path, folders), 'utf8'))
}

/** The ids of the games that Foxtray brings along. */
export const GAMES = readdirSync(folders, { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && !entry.name.startsWith('_'))
  .map((entry) => entry.name)

export function gameInfo(id: string, language: string): GameInfo {
  const text = read(`${id}/text/${language}.json`) as Record<string, string>
  return { id, languages: [], bots: [], device: [], usual: {}, level: '', lesson: true, text }
}

/** Lets requests for the games be answered. */
export function answerForGames(): void {
  vi.stubGlobal('fetch', (address: string) => {
    const language = new URL(address, 'http://server').searchParams.get('language')!
    return Promise.resolve(Response.json({ games: GAMES.map((id) => gameInfo(id, language)) }))
  })
}
