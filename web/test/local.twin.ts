// What the page's own table shows, compared with what the server would have shown: Python plays games,
// and tests/test_local_table.py says where it has written what it saw.

import { readFileSync, writeFileSync } from 'node:fs'
import { isDeepStrictEqual } from 'node:util'
import { describe, expect, it } from 'vitest'
import { TableLog } from '../src/local/log'
import { Layout } from '../src/local/layout'
import { recordText } from '../src/local/record'
import type { Row, Setup } from '../src/local/state'
import { gameSeen } from '../src/local/seen'
import { gameView, legalPlaces, previews } from '../src/local/views'
import type { GameView, LayoutView, SheetView } from '../src/lib/wire'

interface Moment {
  input: Row
  entry: object
  game: GameView
  undo: number[]
  previews: Record<string, object>
}

interface Played {
  setup: Setup
  info: object
  moments: Moment[]
}

interface Told {
  layouts: Record<string, { layout: LayoutView; sheet: SheetView }>
  games: Played[]
}

/** Files that begin so: vite.config.ts runs this test only where there are any. */
const place = process.env.FOXTRAY_TWIN

const { layouts, games } = JSON.parse(readFileSync(`${place}.in.json`, 'utf8')) as Told

/** Builds the same table from the same inputs; throws at the first difference. */
function rebuild({ setup, info, moments }: Played): TableLog {
  const { layout, sheet } = layouts[setup.game]!
  const log = new TableLog('local-1', setup, new Layout(sheet, layout), [moments[0]!.input])
  for (const [i, moment] of moments.entries()) {
    if (i) log.accept(log.draft([moment.input]))
    const { game } = log.state.playing
    same(log.entries[i], moment.entry)
    same(gameView(game), moment.game)
    same(log.state.undoable(), moment.undo)
    for (const [seat, told] of Object.entries(moment.previews)) {
      same(previews(game, Number(seat)), told)
      // The same from what a live table shows.
      const seen = gameSeen(log.state.layout, moment.game, { ...setup, first: game.state.first })
      same(previews(seen, Number(seat)), told)
    }
    const seen = gameSeen(log.state.layout, moment.game, { ...setup, first: game.state.first })
    for (const seat of seen.awaiting()) same(legalPlaces(seen, seat), moment.game.seats[seat]!.legal)
    same(seen.awaiting(), moment.game.awaiting)
  }
  same(log.state.info(), info)
  return log
}

/** Quick where it holds, in words where it does not. */
function same(mine: unknown, told: unknown): void {
  if (!isDeepStrictEqual(mine, told)) expect(mine).toStrictEqual(told)
}

describe('The table in the page', () => {
  it('shows what the server shows', { timeout: 600_000 }, () => {
    const records = games.map((game) => recordText(rebuild(game).state))
    writeFileSync(`${place}.out.json`, JSON.stringify(records))
  })

  const planted: [string, (moment: any) => void][] = [
    ['a preview', ({ previews }) => ((Object.values(previews)[0] as any)[0].points += 1)],
    ['an event', ({ entry }) => (entry.events[0].event = 'passed')],
    ['a mark', ({ game }) => (game.seats[0].marks.g1 = 9)],
    ['the order of legal actions', ({ game }) => game.seats[game.awaiting[0]].legal.reverse()],
    ['undo', ({ undo }) => undo.push(3)],
  ]
  it.each(planted)('differs where %s differs', (_, plant) => {
    const game = structuredClone(games[0]!)
    const at = game.moments.find(({ entry, previews, game }: any) => {
      return entry.events?.length && Object.keys(previews).length && game.seats[game.awaiting[0]].legal.length > 1
    })
    plant(at)
    expect(() => rebuild(game)).toThrow()
  })
})
