// The log of a local table in memory: its rows, what clients see of them, and the resulting state.

import type { Entry } from '../lib/wire'
import type { Layout } from './layout'
import { LocalRefusal } from './refusal'
import { kindOf, TableState, type Happened, type LogInput, type Row, type Setup } from './state'

/** Inputs that were tried on a copy and are ready to be written. */
export interface Draft {
  rows: Row[]
  entries: Entry[]
  state: TableState
}

export class TableLog {
  rows: Row[] = []
  entries: Entry[] = []
  state: TableState
  /** The number of the last input that changed what each seat is asked for, and what all are. */
  private asked = new Map<number | null, number>()

  constructor(
    readonly id: string,
    setup: Setup,
    layout: Layout,
    rows: Row[],
  ) {
    this.state = new TableState(id, setup, layout)
    try {
      this.accept(this.draft(rows, this.state))
      void this.state.playing
    } catch {
      throw new LocalRefusal('device_damaged')
    }
  }

  /** The number of the last input. */
  get seq(): number {
    return this.rows.length
  }

  /** The actions of other seats change nothing: every seat acts on its own sheet. */
  askedSince(seat: number): number {
    return Math.max(this.asked.get(seat) ?? 0, this.asked.get(null) ?? 0)
  }

  /** Tries inputs on a copy of the state. */
  draft(rows: Row[], state: TableState = this.state.copy()): Draft {
    const entries = rows.map((row, i) => entryOf(this.seq + 1 + i, row, checked(state, row)))
    return { rows, entries, state }
  }

  /** Adds a draft that has been written. */
  accept({ rows, entries, state }: Draft): void {
    this.state = state
    for (const [i, row] of rows.entries()) {
      this.rows.push(row)
      this.entries.push(entries[i]!)
      const everybody = row.t === 'threw' || row.t === 'undid_throw' || row.t === 'started'
      if (everybody) this.asked.set(null, this.seq)
      else if ('seat' in row) this.asked.set(row.seat, this.seq)
    }
  }
}

/** Carries out an input, unless the rules do not allow it: the engine trusts what it is given. */
function checked(state: TableState, input: LogInput): Happened {
  if (input.t === 'played') {
    const action = state.layout.action(input.action)
    if (!state.playing.game.legal(input.seat).includes(action)) throw new LocalRefusal('stale')
  } else if (input.t === 'threw') {
    const wanted = state.playing.game.rolling()
    const fits = input.faces.every((face, die) => (face >= 1 && face <= 6) === wanted.includes(die))
    if (!wanted.length || !fits || input.order.length !== 6) throw new LocalRefusal('wrong_faces')
  } else if (input.t === 'undid' && !state.playing.mayUndo(input.seat)) {
    throw new LocalRefusal('nothing_to_undo')
  } else if (input.t === 'undid_throw' && !state.playing.mayUndoThrow()) {
    throw new LocalRefusal('nothing_to_undo')
  }
  return state.apply(input)
}

/** An input as clients see it; what is empty is left out. */
function entryOf(seq: number, row: Row, { events, undone }: Happened): Entry {
  const seat = row.t === 'threw' ? row.by : 'seat' in row ? row.seat : undefined
  const action = undone ?? (row.t === 'played' ? row.action : undefined)
  const bot = 'bot' in row ? row.bot : undefined
  return {
    seq,
    at: row.at,
    what: kindOf(row),
    ...(seat !== undefined && { seat }),
    ...(action !== undefined && { action }),
    ...(bot !== undefined && { bot }),
    ...(events.length > 0 && { events }),
  }
}
