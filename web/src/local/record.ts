// The `.fox` file of a local game (docs/notation.md), as `foxtray replay` reads it.

import { hex, sha256, utf8 } from '../lib/sha256'
import { commitmentOf } from './dice'
import type { Input } from './history'
import type { Layout } from './layout'
import type { TableState } from './state'

export const OPTIONS = ['solo_fallback', 'fox_floor'] as const
/** The newest version of the format. Files are written in the first, unless the game was given up. */
export const FORMAT = 2

export function digest(lines: string[]): string {
  return hex(sha256(utf8(lines.join('\n') + '\n')))
}

function* header(state: TableState): Generator<string> {
  const { setup } = state
  yield `rules ${setup.rules}`
  yield `game ${setup.game}`
  yield `seats ${setup.seats.length}`
  yield `first ${state.playing.options.first + 1}`
  for (const option of OPTIONS) if (setup[option]) yield `option ${option}=on`
  for (const [seat, { name, bot }] of setup.seats.entries()) {
    const called = (bot ?? name).split(/\s+/).filter(Boolean).join(' ')
    yield `name ${seat + 1} ${called || `Player ${seat + 1}`}`
  }
  if (!state.drawnFromSecret) {
    yield 'dice own'
    return
  }
  yield `dice secret ${commitmentOf(setup.secret)}`
  for (const seat of setup.seats.keys()) yield `entropy ${seat + 1} `
}

/** An input as the record has it. */
export function inputLine(layout: Layout, input: Input): string {
  if (!('throw' in input)) return `${input.seat + 1} ${layout.names.actions[input.action]}`
  const { faces, order } = input.throw
  const shown = faces.map((face) => face || '-').join('')
  return `throw ${shown} ${order.map((die) => layout.letters[die]).join('')}`
}

export function recordText(state: TableState): string {
  if (state.setup.record) return state.setup.record
  const { history, layout } = { history: state.playing, layout: state.layout }
  const version = state.isGivenUp ? FORMAT : 1
  const inputs = history.inputs.map((input) => inputLine(layout, input))
  const lines = [`foxtray ${version}`, ...header(state), ...inputs]
  if (state.over || state.isGivenUp) {
    if (state.drawnFromSecret) lines.push(`secret ${state.setup.secret}`)
    const totals = history.game.scores().map((score) => score.total)
    lines.push(state.isGivenUp ? 'given up' : `end ${totals.join(' ')}`)
    lines.push(`sha256 ${digest(lines)}`)
  }
  return lines.join('\n') + '\n'
}
