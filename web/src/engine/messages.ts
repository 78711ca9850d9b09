// What the page and the worker of its bots tell each other.

import type { Tables } from './generated/records.js'

export type Asked =
  | { type: 'load'; tables: Tables; nets: ArrayBuffer }
  | {
      type: 'decide'
      id: number
      /** All numbers of a `State`. */
      numbers: Int16Array
      seat: number
      level: string
      low: number
      high: number
    }

export type Answered =
  | { type: 'decided'; id: number; action: number; milliseconds: number }
  | { type: 'failed'; id: number; message: string }
