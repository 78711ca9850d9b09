// The messages of docs/protocol.md that this client uses.

import type { GameEvent, GameId, GameView, Preview } from './game'

export const PROTOCOL = 1

export interface SeatInfo {
  kind: 'human' | 'bot' | 'open'
  name: string
  bot: string | null
  ready: boolean
  stand_in: string | null
}

export interface DiceInfo {
  kind: 'secret' | 'seed' | 'script'
  commitment: string | null
  entropies: string[]
  secret: string | null
  seed: number | null
  again: boolean
}

export interface TableInfo {
  id: string
  game: GameId
  status: 'lobby' | 'playing' | 'over'
  seats: SeatInfo[]
  host: number | null
  options: Record<string, boolean>
  dice: DiceInfo
  clock: number
  pause: boolean
  created: number
  tutorial: boolean
  first: number | null
  rematch: string | null
}

export interface You {
  seat: number | null
  host: boolean
  invite: string | null
  watch: string | null
  key: string | null
  loopback: boolean
}

export interface Entry {
  seq: number
  at: number
  what:
    | 'sat'
    | 'left'
    | 'reseated'
    | 'started'
    | 'threw'
    | 'played'
    | 'undid'
    | 'took_over'
    | 'resumed'
    | 'paused'
    | 'rematched'
  seat?: number | null
  action?: string | null
  bot?: string | null
  events?: GameEvent[]
}

export interface Standing {
  seq: number
  undo: number[]
  deadlines: Record<string, number>
  entries: Entry[]
}

export interface Snapshot extends Standing {
  type: 'snapshot'
  you: You
  table: TableInfo
  game: GameView | null
  present: boolean[]
  absent: (number | null)[]
  watching: number
  thinking: boolean
}

export interface Update extends Standing {
  type: 'update'
  previous: number
  table?: TableInfo
  game?: GameView
}

export interface Presence {
  type: 'presence'
  present: boolean[]
  absent: (number | null)[]
  watching: number
  names: string[]
  thinking: boolean
}

export type Incoming =
  | { type: 'greeting'; protocol: number; version: string; time: number }
  | Snapshot
  | Update
  | Presence
  | { type: 'ack'; id: string; seq: number; table?: string }
  | { type: 'refused'; id: string | null; code: string; message: string }
  | { type: 'previews'; id: string; seq: number; actions: Preview[] }
  | { type: 'pong'; time: number }
  | { type: 'notice'; code: string; message: string }

export type Command =
  | { type: 'sit'; seat: number; entropy: string }
  | { type: 'leave' }
  | { type: 'reseat'; seat: number; bot: string | null }
  | { type: 'start' }
  | { type: 'roll' }
  | { type: 'play'; action: string }
  | { type: 'undo' }
  | { type: 'takeover'; seat: number; bot: string }
  | { type: 'resume' }
  | { type: 'pause'; on: boolean }
  | { type: 'rematch' }

export interface Refusal {
  code: string
  message: string
}
