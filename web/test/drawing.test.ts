import { describe, expect, it } from 'vitest'
import { arrange, leastHeight } from '../src/lib/arranging'
import { draw, fitting, LEAST } from '../src/lib/drawing'
import type { Area, Sheet } from '../src/lib/game'
import { placed, SHAPES } from '../src/lib/shapes'
import { rules } from '../src/lib/paint'
import { steady } from '../src/lib/steady'

function row(count: number, scores: Area['scores']): Area {
  return {
    colour: 'green', letter: 'g', grid: false, entry: 'any', writes: 'value', scores,
    adds_joker: false, row_dice: [], rows: 1, columns: count, printed: [], lines: [], points: [],
    cells: Array.from({ length: count }, (_, i) => ({
      name: `g${i + 1}`, row: 0, column: i, number: 0, minimum: 0, factor: 1, bonus: null, bonus_minimum: 0,
    })),
  }
}

describe('a row of fields', () => {
  it('stands in one line where its cells stay large enough', () => {
    expect(fitting(row(12, 'sum'), 360)).toBe(12)
  })
  it.each([200, 248, 290, 316, 330, 360, 700])('never gets cells too small in %i pixels', (room) => {
    for (const count of [11, 12]) {
      const perRow = fitting(row(count, 'sum'), room)
      expect(room / perRow).toBeGreaterThanOrEqual(LEAST - 1e-9)
      expect(perRow).toBeLessThanOrEqual(count)
    }
  })
  it('keeps pairs together', () => {
    for (const room of [140, 200, 250, 290, 310]) expect(fitting(row(12, 'pairs'), room) % 2).toBe(0)
  })
})

describe('an arrangement', () => {
  const grid = (colour: string, rows: number, columns: number): Area => ({
    ...row(rows * columns, 'groups'), colour, grid: true, rows, columns,
    cells: row(rows * columns, 'groups').cells.map((cell, i) => ({ ...cell, row: Math.floor(i / columns), column: i % columns })),
  })
  const areas = [grid('a', 4, 4), grid('b', 3, 4), row(11, 'sum'), row(11, 'sum')]
  const colours = (width: number, height?: number) =>
    arrange(areas, width, height).shelves.map((shelf) => shelf.map(({ area }) => area.colour).join(' '))

  it('puts grids side by side where rows need the width', () => {
    expect(colours(352)).toEqual(['a b', 'green', 'green'])
  })
  it('keeps within the room that there is, and fills it', () => {
    for (const [width, height] of [[352, 300], [352, 400], [420, 380], [750, 720], [840, 800]] as const) {
      const found = arrange(areas, width, height)
      expect(found.height).toBeLessThanOrEqual(height)
      expect(found.unit).toBeGreaterThanOrEqual(LEAST)
      for (const shelf of found.shelves) {
        const wide = shelf.reduce((sum, { drawing }) => sum + drawing.width * found.unit, 0)
        expect(wide).toBeLessThanOrEqual(width)
      }
    }
  })
  it('never makes cells too small: rather the page is scrolled', () => {
    const low = arrange(areas, 352, 200)
    expect(low.unit).toBeCloseTo(LEAST)
    expect(low.height).toBe(arrange(areas, 352, 0).height)
    expect(leastHeight(areas, 352)).toBe(Math.ceil(low.height))
    const narrow = arrange(areas, 250)
    expect(narrow.unit).toBeGreaterThanOrEqual(LEAST)
    expect(narrow.shelves.at(-1)![0]!.drawing.width).toBeLessThan(11)
  })
  it('enlarges one area by folding it', () => {
    const lens = arrange([areas[2]!], 330, Infinity, 46)
    expect(lens.unit).toBeGreaterThanOrEqual(46)
  })
})

describe('a placed path', () => {
  it('moves and scales points, and only scales radii', () => {
    expect(placed('M-.85-.85H.85V.85H-.85Z', 2, 3, 2)).toBe('M 0.3 1.3 H 3.7 V 4.7 H 0.3 Z')
    expect(placed('M0-.5A.5.5 0 1 1 0 .5Z', 1, 1, 2)).toBe('M 1 0 A 1 1 0 1 1 1 2 Z')
    expect(placed('M-1 0A1 2 0 0 1 1 0 1 2 0 0 1 3 0', 0, 10, 0.5)).toBe(
      'M -0.5 10 A 0.5 1 0 0 1 0.5 10 0.5 1 0 0 1 1.5 10',
    )
  })
  it('leaves every shape closed and within its box', () => {
    for (const shape of Object.values(SHAPES)) {
      const path = placed(shape, 0, 0, 1)
      expect(path.endsWith('Z')).toBe(true)
      for (const number of path.match(/-?[\d.]+/g)!) expect(Math.abs(Number(number))).toBeLessThanOrEqual(1.05)
    }
  })
})

describe('what is steady', () => {
  it('stays the same object while it is equal', () => {
    const keep = steady()
    const first = keep('marks', { y1: 1, y2: 2 })
    expect(keep('marks', { y2: 2, y1: 1 })).toBe(first)
    expect(keep('other', { y1: 1, y2: 2 })).not.toBe(first)
    const second = keep('marks', { y1: 1, y2: 3 })
    expect(second).toEqual({ y1: 1, y2: 3 })
    expect(keep('marks', { y1: 1 })).not.toBe(second)
    const set = keep('cells', new Set(['a', 'b']))
    expect(keep('cells', new Set(['b', 'a']))).toBe(set)
    expect(keep('cells', new Set(['a', 'c']))).toEqual(new Set(['a', 'c']))
  })
})

describe('paint', () => {
  it('is told for light and dark pages, and for its game only', () => {
    const tones = (strong: string) => ({ strong, on: '#000001', soft: '#000002', ink: '#000003' })
    const paint = { light: tones('#aaaaaa'), dark: tones('#bbbbbb') }
    const sheet = { id: 'some', dice: [{ colour: 'grey', letter: 'y', shape: 'moon', paint }] } as unknown as Sheet
    expect(rules(sheet).split('\n')).toEqual([
      "[data-game='some'] { --grey-strong: #aaaaaa; --grey-on: #000001; --grey-soft: #000002; --grey-ink: #000003; }",
      ":root[data-theme='dark'] [data-game='some'] { --grey-strong: #bbbbbb; --grey-on: #000001; --grey-soft: #000002; --grey-ink: #000003; }",
    ])
  })
})

describe('a grid', () => {
  const grid = (more: Partial<Area>): Area => ({
    ...row(4, 'rows'), grid: true, rows: 2, columns: 2, points: [0, 1, 3],
    cells: row(4, 'rows').cells.map((cell, i) => ({ ...cell, row: i >> 1, column: i % 2 })), ...more,
  })
  const pays = { kind: 'row' as const, index: 0, cells: [], bonus: 'fox', points: 0 }
  it('has room for the points of its rows, for what they pay, and for both', () => {
    const scores = draw(grid({}), 0)
    expect(scores.rowPoints.map(({ y }) => y)).toEqual([0.5, 1.5])
    expect(scores.width).toBe(2.5)
    const both = draw(grid({ lines: [pays] }), 0)
    expect(both.width).toBeGreaterThan(scores.width)
    expect(both.rowPoints[0]!.x - both.lines[0]!.x).toBeGreaterThan(0.5)
    expect(draw(grid({ scores: 'count', lines: [pays] }), 0).rowPoints).toEqual([])
  })
  it('names the dice of its rows where they have some', () => {
    expect(draw(grid({}), 0).rowDice).toEqual([])
    expect(draw(grid({ row_dice: ['a', 'b'] }), 0).rowDice.length).toBe(2)
  })
})
