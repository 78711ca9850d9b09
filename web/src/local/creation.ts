// New tables on this device: made, begun and kept at once.

import { LOCAL } from '../lib/device'
import { hex, randomBytes } from '../lib/sha256'
import { newSecret } from './dice'
import type { Layout } from './layout'
import { LocalRefusal } from './refusal'
import { TableState, type Row, type Setup } from './state'
import type { Store } from './store'

/** What a player wants; all else is decided here. */
export type Wish = Omit<Setup, 'rules' | 'secret' | 'created'>

interface Needed {
  store: Store
  layout(game: string): Promise<Layout>
  now(): number
}

/** Makes a table with dice of its own and begins the game; returns its id. */
export async function newTable({ store, layout, now }: Needed, wish: Wish): Promise<string> {
  const id = LOCAL + hex(randomBytes(8))
  const known = await layout(wish.game)
  const at = now()
  const setup: Setup = { ...wish, rules: known.names.rules, secret: newSecret(), created: at }
  const state = new TableState(id, setup, known)
  const started: Row = { t: 'started', first: state.first(), at }
  state.apply(started)
  const kept = { id, setup, rows: [started], touched: at, status: 'playing' as const, waiting: state.wanted(), result: null, handed: null }
  if (!(await store.put(kept, 0))) throw new LocalRefusal('internal')
  return id
}
