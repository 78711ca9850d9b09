// Requests to the server; the live table has its own socket.

import type { GameEvent, GameId, GameView, Sheet } from './game'
import type { Refusal, TableInfo, You } from './messages'

export class Refused extends Error {
  constructor(
    readonly code: string,
    message: string,
    /** The line or the server failed, or wants a moment: the same question may be answered later. */
    readonly passing = false,
  ) {
    super(message)
  }
}

/** What comes over the line; if it does not come, nobody has refused it. */
export async function arriving<T>(coming: Promise<T>): Promise<T> {
  try {
    return await coming
  } catch {
    throw new Refused('offline', 'the server does not answer', true)
  }
}

async function request<T>(method: string, path: string, body?: unknown): Promise<T> {
  const response = await arriving(
    fetch(`/api/${path}`, {
      method,
      headers: body === undefined ? {} : { 'content-type': 'application/json' },
      body: body === undefined ? undefined : JSON.stringify(body),
    }),
  )
  if (!response.ok) {
    const problem = (await response.json().catch(() => ({}))) as Partial<Refusal>
    const { code = 'internal', message = response.statusText } = problem
    throw new Refused(code, message, response.status >= 500 || code === 'too_many')
  }
  if (response.status === 204) return undefined as T
  const kind = response.headers.get('content-type') ?? ''
  return arriving<T>(kind.includes('json') ? response.json() : response.text())
}

export interface TableLine {
  id: string
  game: GameId
  status: 'lobby' | 'playing' | 'over'
  names: string[]
  seat: number
  my_turn: boolean
  touched: number
  totals: number[]
  winners: number[]
  unplayable: string | null
}

export interface Me {
  player: { id: string; name: string } | null
  tables: TableLine[]
  best: Partial<Record<GameId, number>>
  protocol: number
  version: string
  bots: string[]
  loopback: boolean
}

export interface TableWish {
  game: GameId
  seats: { kind: 'me' | 'open' | 'bot'; bot?: string }[]
  solo_fallback?: boolean
  fox_floor?: boolean
  seed?: number
  same_dice?: { table: string; key: string }
  clock?: number
  tutorial?: boolean
}

export interface Step {
  number: number
  input: string | null
  seat: number | null
  events: GameEvent[]
  game: GameView
}

export interface GameLine {
  table: string
  game: GameId
  seats: number
  seat: number
  finished: number
  total: number
  areas: number[]
  foxes: number
  won: boolean
  names: string[]
  totals: number[]
  practice: boolean
  kept: boolean
}

export interface GameStatistics {
  games: number
  solo: number
  won: number
  mean: number
  best: number
  areas: Record<string, { mean: number; best: number }>
  fox_mean: number
  ratings: number[]
  totals: number[]
}

export interface Statistics {
  games: Partial<Record<GameId, GameStatistics>>
  opponents: {
    name: string
    bot: string | null
    games: number
    won: number
    lost: number
    shared: number
  }[]
}

export interface TableSnapshot {
  table: TableInfo
  you: You
  game: GameView | null
}

function query(values: Record<string, string | number | null | undefined>): string {
  const given = Object.entries(values).filter(([, value]) => value != null && value !== '')
  const text = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString()
  return text && `?${text}`
}

const sheets = new Map<GameId, Promise<Sheet>>()

export const api = {
  me: () => request<Me>('GET', 'me'),
  rename: (name: string) => request<{ id: string; name: string }>('PUT', 'me', { name }),
  forget: () => request<void>('DELETE', 'me'),
  deviceLink: () => request<{ code: string; url: string; expires: number }>('POST', 'me/link'),
  useLink: (code: string) => request<{ id: string; name: string }>('POST', 'link', { code }),
  games: (before?: number) =>
    request<{ games: GameLine[]; next: number | null }>('GET', `me/games${query({ before })}`),
  statistics: () => request<Statistics>('GET', 'me/statistics'),
  newTable: (wish: TableWish) =>
    request<{ id: string; you: You; table: TableInfo }>('POST', 'tables', wish),
  table: (id: string, key: string) =>
    request<TableSnapshot>('GET', `tables/${id}${query({ key })}`),
  steps: (id: string, key: string, first: number, count: number) =>
    request<{ count: number; steps: Step[] }>(
      'GET',
      `tables/${id}/steps${query({ first, count, key })}`,
    ),
  course: (id: string, key: string) =>
    request<{ totals: number[][]; turns: number[] }>('GET', `tables/${id}/course${query({ key })}`),
  record: (id: string, key: string) =>
    request<string>('GET', `tables/${id}/record${query({ key })}`),
  recordAddress: (id: string, key: string) => `/api/tables/${id}/record${query({ key })}`,
  qrAddress: (id: string, link: 'invite' | 'watch') => `/api/tables/${id}/qr.svg?link=${link}`,
  rules: (game: GameId, language: string) =>
    request<{ text: string }>('GET', `rules/${game}${query({ language })}`),
  sheet(game: GameId): Promise<Sheet> {
    let found = sheets.get(game)
    if (!found) {
      found = request<Sheet>('GET', `sheets/${game}`)
      found.catch(() => sheets.delete(game))
      sheets.set(game, found)
    }
    return found
  },
  /** All steps in pieces, so that none of them keeps the page busy for long. */
  async *allSteps(id: string, key: string): AsyncGenerator<Step[]> {
    for (let first = 0; ; ) {
      const part = await this.steps(id, key, first, 25)
      yield part.steps
      first += part.steps.length
      if (first >= part.count || !part.steps.length) return
    }
  },
}
