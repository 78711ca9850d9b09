// What the page's own table shows, compared with what the server would have shown: Python plays games,
// and tests/test_local_table.py says where it has written what it saw.

import { readFileSync, writeFileSync } from 'node:fs'
import { isDeepStrictEqual } from 'node:util'
import { describe, expect, it } from 'vitest'
import { TableLog } from '../src/local/log'
import { digest, recordText } from '../src/local/record'
import { gameFrom } from '../src/local/reading'
import { Layout } from '../src/local/layout'
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
  /** Finished records with every kind of dice, and how each game ended. */
  records: { text: string; game: GameView }[]
}

/** Files that begin so: vite.config.ts runs this test only where there are any. */
const place = process.env.FOXTRAY_TWIN

const { layouts, games, records } = JSON.parse(readFileSync(`${place}.in.json`, 'utf8')) as Told

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

describe('A record', () => {
  const layoutOf = async (game: string) => new Layout(layouts[game]!.sheet, layouts[game]!.layout)

  it('is opened as the game that it tells, and saved as it was', async () => {
    expect(records.length).toBeGreaterThan(4)
    for (const { text, game } of records) {
      const kept = await gameFrom(text, layoutOf, 5)
      const { state } = new TableLog(kept.id, kept.setup, await layoutOf(kept.setup.game), kept.rows)
      same(gameView(state.playing.game), game)
      expect([kept.status, kept.waiting]).toEqual([game.over ? 'over' : 'given_up', []])
      expect(recordText(state)).toBe(text)
      expect((await gameFrom(text, layoutOf, 9)).id).toBe(kept.id)
    }
  })

  const sealed = (lines: string[]) => [...lines, `sha256 ${digest(lines)}`, ''].join('\n')
  const changes: [string, (lines: string[]) => string[]][] = [
    ['another format', (lines) => ['foxtray 9', ...lines.slice(1)]],
    ['an unknown game', (lines) => lines.map((line) => line.replace(/^game .*/, 'game chess'))],
    ['five seats', (lines) => lines.map((line) => line.replace(/^seats .*/, 'seats 5'))],
    ['a strange option', (lines) => lines.flatMap((line) => (line.startsWith('first') ? [line, 'option luck=on'] : [line]))],
    ['names for too few', (lines) => lines.filter((line) => !line.startsWith('name 2'))],
    ['other dice', (lines) => lines.map((line) => line.replace(/^dice .*/, 'dice loaded'))],
    ['another roll', (lines) => lines.map((line) => line.replace(/^throw ([1-6])/, (_, face) => `throw ${7 - face}`))],
    ['a lost input', (lines) => lines.filter((_, i) => i !== lines.findIndex((line) => /^[1-4] /.test(line)))],
    ['an unknown action', (lines) => lines.map((line) => line.replace(/^1 .*/, '1 cheat'))],
    ['other totals', (lines) => lines.map((line) => line.replace(/^end .*/, 'end 999 999'))],
    ['more than its end', (lines) => [...lines, 'end 1 2']],
  ]
  it.each(changes)('is refused with %s, even with a new checksum', async (_, change) => {
    const { text } = records.find(({ game }) => game.over && game.seats.length === 2)!
    const lines = text.split('\n').slice(0, -2)
    expect((await gameFrom(sealed(lines), layoutOf, 5)).status).toBe('over')
    await expect(gameFrom(sealed(change(lines)), layoutOf, 5)).rejects.toMatchObject({ code: 'bad_record' })
  })

  it('is refused if it was changed, is unfinished, or follows other rules', async () => {
    const { text } = records[0]!
    const lines = text.split('\n').slice(0, -2)
    await expect(gameFrom(text.replace('name 1 ', 'name 1 x'), layoutOf, 5)).rejects.toMatchObject({ code: 'bad_record' })
    await expect(gameFrom(lines.slice(0, 20).join('\n') + '\n', layoutOf, 5)).rejects.toMatchObject({ code: 'not_over' })
    const other = lines.map((line) => line.replace(/^rules .*/, 'rules 999'))
    await expect(gameFrom(sealed(other), layoutOf, 5)).rejects.toMatchObject({ code: 'rules_changed' })
  })
})
