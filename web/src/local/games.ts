// The games of this browser as a whole: listed, deleted, handed to a server, saved as a file and back.

import { Refused, request } from '../lib/api'
import { meet } from '../lib/player.svelte'
import type { GameKept, OfflineGame, OfflineSeat } from '../lib/wire'
import { TableLog } from './log'
import { gameFrom } from './reading'
import { recordText } from './record'
import { LocalRefusal } from './refusal'
import type { SeatSetup } from './state'
import { isKept, type Kept, type Listed } from './store'
import { layoutOf, store } from './surroundings'
import { keptAfter } from './table'

/** A file of games: what a browser keeps, and nothing else. */
interface Backup {
  format: 'foxtray games'
  version: 1
  games: Kept[]
}

/** What a file may hold, in characters: thousands of games. */
const LONGEST = 64_000_000

/** Lets a refusal of this device be told like one of the server. */
async function told<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw error instanceof LocalRefusal ? new Refused(error.code, error.message) : error
  }
}

export const listed = (): Promise<Listed> => told(() => store.list())

export const remove = (id: string): Promise<void> => told(() => store.remove(id))

async function kept(id: string): Promise<Kept> {
  const game = await store.get(id)
  if (!game) throw new LocalRefusal('no_table')
  return game
}

/** The table of the server that keeps a game as well, if it was handed over. */
export const handedTo = (id: string): Promise<string | null> => told(async () => (await kept(id)).handed)

function seatOf({ kind, bot }: SeatSetup): OfflineSeat {
  return bot ? { kind: 'bot', bot } : { kind: kind as 'me' | 'guest' }
}

/** Hands a finished game to the server; returns the table that keeps it there. */
export function handOver(id: string): Promise<string> {
  return told(async () => {
    const game = await kept(id)
    const layout = await layoutOf(game.setup.game)
    const { state } = new TableLog(id, game.setup, layout, game.rows)
    const seats = game.setup.seats.map(seatOf)
    const finished = game.result?.finished ?? game.touched
    const body = { record: recordText(state), seats, finished } satisfies OfflineGame
    const { id: table } = await request<GameKept>('POST', 'me/games', { body })
    // If another tab has written meanwhile, it is handed over again one day, which changes nothing.
    await store.put({ ...game, handed: table }, game.rows.length)
    await meet()
    return table
  })
}

/** All games as the text of one file. */
export function exported(): Promise<string> {
  return told(async () => {
    const { games } = await store.list()
    return JSON.stringify({ format: 'foxtray games', version: 1, games } satisfies Backup)
  })
}

export interface Imported {
  /** How many games are new or went on. */
  added: number
  /** How many could not be replayed, or were known already. */
  damaged: number
  known: number
}

/** Adds the games of such a file; a game that went further here stays as it is. */
export function imported(text: string): Promise<Imported> {
  return told(async () => {
    const found: Imported = { added: 0, damaged: 0, known: 0 }
    for (const game of gamesIn(text)) found[await adopt(game)]++
    return found
  })
}

/** Adds the game of a `.fox` file; returns its id. */
export function opened(text: string): Promise<string> {
  return told(async () => {
    const game = await gameFrom(text, layoutOf, Date.now())
    await store.put(game, 0) // or it is here already
    return game.id
  })
}

function gamesIn(text: string): unknown[] {
  try {
    if (text.length > LONGEST) throw new Error('too long')
    const { format, version, games } = JSON.parse(text) as Partial<Backup>
    if (format !== 'foxtray games' || version !== 1 || !Array.isArray(games)) throw new Error('another file')
    return games
  } catch {
    throw new LocalRefusal('not_backup')
  }
}

async function adopt(found: unknown): Promise<keyof Imported> {
  if (!isKept(found) || !/^local-[0-9a-f]{16}$/.test(found.id)) return 'damaged'
  let game: Kept
  try {
    const layout = await layoutOf(found.setup.game)
    const { state } = new TableLog(found.id, found.setup, layout, found.rows)
    game = keptAfter({ ...found, result: null }, state, found.rows, found.rows.at(-1)!.at)
  } catch (error) {
    if (error instanceof Refused && error.passing) throw error // the tables of the game did not come
    return 'damaged'
  }
  const here = await store.get(game.id).catch(() => undefined)
  const rows = here?.rows.length ?? 0
  if (rows >= game.rows.length) return 'known'
  return (await store.put(game, rows)) ? 'added' : 'known'
}
