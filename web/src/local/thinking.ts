// How a bot decides at a table in the page.

import { Bots } from '../engine/bots'
import { randomBytes } from '../lib/sha256'
import type { Layout } from './layout'
import type { TableLog } from './log'

const loaded = new Map<string, Promise<Bots>>()

function botsOf(layout: Layout): Promise<Bots> {
  const game = layout.names.game
  const found = loaded.get(game) ?? Bots.load(game, layout.tables)
  loaded.set(game, found)
  found.catch(() => loaded.delete(game))
  return found
}

/** The action that a bot of a level takes for a seat. */
export async function choose({ state }: TableLog, seat: number, level: string): Promise<string> {
  const { layout, playing } = state
  const [low, high] = new Uint32Array(randomBytes(8).slice().buffer)
  const bots = await botsOf(layout)
  try {
    const action = await bots.decide(playing.game.state, seat, level, { low: low!, high: high! })
    return layout.names.actions[action]!
  } catch (error) {
    // Its nets may have arrived damaged: they are asked for again.
    loaded.delete(layout.names.game)
    throw error
  }
}
