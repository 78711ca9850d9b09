// Requests to the server; the live table has its own socket.

import { isLocal } from './device'
import { painted } from './paint'
import { source } from './site'
import type {
  Comparison,
  Course,
  DailyRanking,
  DailyToday,
  GameList,
  History,
  LessonText,
  LinkMade,
  LinkUse,
  Match,
  Me,
  NameBody,
  PlayerInfo,
  Problem,
  RefusalCode,
  RulesText,
  SheetList,
  SheetView,
  Snapshot,
  Statistics,
  Step,
  Steps,
  Summary,
  TableMade,
  TableWish,
} from './wire'

/** What only this device can say: no room, no storage, a damaged game, a file that it cannot read. */
export type LocalCode = 'device_full' | 'device_storage' | 'device_damaged' | 'not_backup'

/** Why something was refused. That the server is silent, or that there is none, the page knows itself. */
export interface Refusal {
  readonly code: RefusalCode | LocalCode | 'offline' | 'no_server'
  readonly message: string
}

export class Refused extends Error implements Refusal {
  constructor(
    readonly code: Refusal['code'],
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

interface Extras {
  body?: unknown
  /** The key of the link that the page was opened with. */
  key?: string
}

/** What is to be there before a refusal can be put into words. */
export const refusing = { prepare: async () => {} }

const TABLES = 'tables/'

/** What is asked about a table of this device is answered here. */
async function local<T>(path: string): Promise<T> {
  const { answer } = await arriving(import('../local/requests'))
  return (await answer(path)) as T
}

export async function request<T>(method: string, path: string, { body, key }: Extras = {}): Promise<T> {
  if (isLocal(path.slice(TABLES.length))) return local<T>(path)
  const headers = new Headers()
  if (body !== undefined) headers.set('content-type', 'application/json')
  if (key) headers.set('foxtray-key', key)
  const address = source(path)
  if (!address) {
    await refusing.prepare().catch(() => undefined)
    throw new Refused('no_server', 'this needs a server')
  }
  const response = await arriving(
    fetch(address, {
      method,
      headers,
      body: body === undefined ? undefined : JSON.stringify(body),
    }),
  )
  if (!response.ok) {
    const problem = (await response.json().catch(() => ({}))) as Partial<Problem>
    const { code = 'internal', message = response.statusText } = problem
    await refusing.prepare().catch(() => undefined)
    throw new Refused(code, message, response.status >= 500 || code === 'too_many')
  }
  const kind = response.headers.get('content-type') ?? ''
  return arriving<T>(kind.includes('json') ? response.json() : response.text())
}

function query(values: Record<string, string | number | null | undefined>): string {
  const given = Object.entries(values).filter(([, value]) => value != null && value !== '')
  const text = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString()
  return text && `?${text}`
}

const kept = new Map<string, Promise<unknown>>()

/** What stays the same as long as the page does is asked for once, unless that fails. */
function once<T>(path: string): Promise<T> {
  const found = (kept.get(path) as Promise<T> | undefined) ?? request<T>('GET', path)
  kept.set(path, found)
  found.catch(() => kept.delete(path))
  return found
}

/** The pieces of the game that was looked at last, by their first step. */
let partsOf = ''
let parts = new Map<number, Steps>()

export const api = {
  me: () => request<Me>('GET', 'me'),
  rename: (name: string, invitation = '') =>
    request<PlayerInfo>('PUT', 'me', {
      body: { name, ...(invitation && { invitation }) } satisfies NameBody,
    }),
  forget: () => request<PlayerInfo>('DELETE', 'me'),
  deviceLink: () => request<LinkMade>('POST', 'me/link'),
  useLink: (code: string) => request<PlayerInfo>('POST', 'link', { body: { code } satisfies LinkUse }),
  history: (before?: number) => request<History>('GET', `me/games${query({ before })}`),
  statistics: () => request<Statistics>('GET', 'me/statistics'),
  newTable: (wish: TableWish) => request<TableMade>('POST', 'tables', { body: wish }),
  table: (id: string, key: string) => request<Snapshot>('GET', `tables/${id}`, { key }),
  steps: (id: string, key: string, first: number, count: number) =>
    request<Steps>('GET', `tables/${id}/steps${query({ first, count })}`, { key }),
  daily: () => request<DailyToday>('GET', 'daily'),
  playDaily: (game: string) => request<TableMade>('POST', `daily/${game}`),
  ranking: (game: string, day: string, span: DailyRanking['span'], among: DailyRanking['among']) =>
    request<DailyRanking>('GET', `daily/${game}/ranking${query({ day, span, among })}`),
  match: (id: string, key: string) => request<Match>('GET', `tables/${id}/match`, { key }),
  comparison: (id: string, other: string, key: string) =>
    request<Comparison>('GET', `tables/${id}/match/${other}`, { key }),
  summary: (id: string, key: string) => request<Summary>('GET', `tables/${id}/summary`, { key }),
  course: (id: string, key: string) => request<Course>('GET', `tables/${id}/course`, { key }),
  record: (id: string, key: string) => request<string>('GET', `tables/${id}/record`, { key }),
  qrAddress: (id: string, link: 'invite' | 'watch') => `/api/tables/${id}/qr.svg?link=${link}`,
  games: (language: string) => once<GameList>(`games${query({ language })}`),
  lesson: (game: string, language: string) => once<LessonText>(`lessons/${game}${query({ language })}`),
  rules: (game: string, language: string) =>
    request<RulesText>('GET', `rules/${game}${query({ language })}`),
  /** A sheet; it brings the colours of its dice along. */
  async sheet(game: string): Promise<SheetView> {
    const { sheets } = await once<SheetList>('sheets')
    // The server says why it has none.
    return painted(sheets.find((sheet) => sheet.id === game) ?? (await request('GET', `sheets/${game}`)))
  },
  /**
   * All steps in pieces, so that none of them keeps the page busy for long. What has come is kept: who
   * asks again after a failure goes on from there.
   */
  async *allSteps(id: string, key: string): AsyncGenerator<Step[]> {
    if (partsOf !== id) [partsOf, parts] = [id, new Map()]
    const known = parts
    for (let first = 0; ; ) {
      const part = known.get(first) ?? (await this.steps(id, key, first, 100))
      known.set(first, part)
      yield part.steps
      first += part.steps.length
      if (first >= part.count || !part.steps.length) return
    }
  },
}
