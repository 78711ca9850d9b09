// The games of this browser, in IndexedDB: each is an entry of its own, so that a damaged one takes
// no other with it. What was written by another tab is never overwritten.

import { DATABASE } from '../lib/device'
import type { Score } from '../lib/game'
import { LocalRefusal } from './refusal'
import type { Row, Setup } from './state'

/** How a finished game ended. */
export interface Result {
  finished: number
  scores: Score[]
  winners: number[]
}

/** A game as it is kept: all else is a replay of its rows. */
export interface Kept {
  id: string
  setup: Setup
  rows: Row[]
  /** When something last happened. */
  touched: number
  status: 'playing' | 'over' | 'given_up'
  /** The seats that the game waits for. */
  waiting: number[]
  result: Result | null
  /** The table of the server that keeps the game as well. */
  handed: string | null
}

export interface Listed {
  games: Kept[]
  /** The ids of entries that cannot be read. */
  damaged: string[]
}

export interface Store {
  /** A game; undefined if there is none. Refuses what is damaged. */
  get(id: string): Promise<Kept | undefined>
  /** All games, those that were played last first. */
  list(): Promise<Listed>
  /**
   * Keeps a game, if the rows that are kept so far are as many as expected: false if another tab has
   * written meanwhile. A new game has 0.
   */
  put(game: Kept, expected: number): Promise<boolean>
  remove(id: string): Promise<void>
}

const STATUSES = ['playing', 'over', 'given_up']

/** Whether an entry looks like a game; whether it can be replayed is known when it is opened. */
export function isKept(found: unknown): found is Kept {
  const game = found as Kept | null
  return (
    typeof game === 'object' &&
    game !== null &&
    typeof game.id === 'string' &&
    typeof game.setup?.game === 'string' &&
    Array.isArray(game.setup.seats) &&
    game.setup.seats.length >= 1 &&
    game.setup.seats.length <= 4 &&
    Array.isArray(game.rows) &&
    Array.isArray(game.waiting) &&
    STATUSES.includes(game.status) &&
    typeof game.touched === 'number' &&
    (game.status !== 'over' || Array.isArray(game.result?.scores))
  )
}

/** The entry of an id; refused if it is not a game, or another one. */
function checked(id: string, found: unknown): Kept | undefined {
  if (found === undefined) return undefined
  if (!isKept(found) || found.id !== id) throw new LocalRefusal('device_damaged')
  return found
}

/** Sorts entries into games and what is damaged. */
export function sorted(entries: [id: string, found: unknown][]): Listed {
  const games = entries.flatMap(([id, found]) => (isKept(found) && found.id === id ? [found] : []))
  const known = new Set(games.map((game) => game.id))
  return {
    games: games.sort((a, b) => b.touched - a.touched),
    damaged: entries.flatMap(([id]) => (known.has(id) ? [] : [id])),
  }
}

const GAMES = 'games'

export class BrowserStore implements Store {
  private opened: Promise<IDBDatabase> | null = null

  private database(): Promise<IDBDatabase> {
    this.opened ??= new Promise<IDBDatabase>((found, failed) => {
      const asked = indexedDB.open(DATABASE, 1)
      asked.onupgradeneeded = () => asked.result.createObjectStore(GAMES)
      asked.onsuccess = () => {
        // Another tab with a newer version of the page may change the database.
        asked.result.onversionchange = () => asked.result.close()
        asked.result.onclose = () => (this.opened = null)
        found(asked.result)
      }
      asked.onerror = () => failed(asked.error ?? new Error('no database'))
    }).catch((error: unknown) => {
      this.opened = null
      throw worded(error)
    })
    return this.opened
  }

  /** Does something in one transaction; what it returns counts only if all of it was written. */
  private async transact<T>(mode: IDBTransactionMode, work: (games: IDBObjectStore, done: (answer: T) => void) => void): Promise<T> {
    const database = await this.database()
    return new Promise<T>((found, failed) => {
      let answer: T
      try {
        const transaction = database.transaction(GAMES, mode)
        transaction.oncomplete = () => found(answer)
        transaction.onabort = () => failed(worded(transaction.error))
        work(transaction.objectStore(GAMES), (one) => (answer = one))
      } catch (error) {
        this.opened = null
        failed(worded(error))
      }
    })
  }

  async get(id: string): Promise<Kept | undefined> {
    const found = await this.transact<unknown>('readonly', (games, done) => {
      const asked = games.get(id)
      asked.onsuccess = () => done(asked.result)
    })
    return checked(id, found)
  }

  async list(): Promise<Listed> {
    const entries: [string, unknown][] = []
    await this.transact<void>('readonly', (games) => {
      const asked = games.openCursor()
      asked.onsuccess = () => {
        const cursor = asked.result
        if (!cursor) return
        entries.push([String(cursor.key), cursor.value as unknown])
        cursor.continue()
      }
    })
    return sorted(entries)
  }

  put(game: Kept, expected: number): Promise<boolean> {
    return this.transact<boolean>('readwrite', (games, done) => {
      const asked = games.get(game.id)
      asked.onsuccess = () => {
        const rows = (asked.result as Partial<Kept> | undefined)?.rows
        const fits = (Array.isArray(rows) ? rows.length : 0) === expected
        if (fits) games.put(game, game.id)
        done(fits)
      }
    })
  }

  async remove(id: string): Promise<void> {
    await this.transact<void>('readwrite', (games) => void games.delete(id))
  }
}

/** A failure of the browser's storage in words. */
function worded(error: unknown): LocalRefusal {
  const full = error instanceof DOMException && error.name === 'QuotaExceededError'
  return new LocalRefusal(full ? 'device_full' : 'device_storage', String(error))
}

/** Games in memory, for tests. */
export class MemoryStore implements Store {
  readonly entries = new Map<string, unknown>()

  async get(id: string): Promise<Kept | undefined> {
    return checked(id, structuredClone(this.entries.get(id)))
  }

  async list(): Promise<Listed> {
    return sorted(structuredClone([...this.entries]))
  }

  async put(game: Kept, expected: number): Promise<boolean> {
    const kept = this.entries.get(game.id) as Partial<Kept> | undefined
    if ((kept?.rows?.length ?? 0) !== expected) return false
    this.entries.set(game.id, structuredClone(game))
    return true
  }

  async remove(id: string): Promise<void> {
    this.entries.delete(id)
  }
}
