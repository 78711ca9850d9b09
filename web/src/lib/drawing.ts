// Where everything of an area is drawn, in units of one cell; pixels come from the screen.

import type { Area, Cell, Line } from './game'

export interface Box {
  x: number
  y: number
  w: number
  h: number
}

export interface Drawing {
  width: number
  height: number
  cells: { cell: Cell; box: Box; star: { x: number; y: number; points: number } | null }[]
  cellBonuses: { bonus: string; cell: Cell; x: number; y: number }[]
  printed: Box[]
  lines: { line: Line; x: number; y: number }[]
  /** Beside the rows: the die that a row belongs to, and the points of a row. */
  rowDice: { index: number; x: number; y: number }[]
  rowPoints: { index: number; x: number; y: number }[]
  scale: { points: number; count: number; x: number; y: number }[]
  pairs: Box[]
}

const GAP = 0.02
/** Pixels that a cell has at least, whatever the screen. */
const LEAST_CELL = 24.05
/** Pixels of a unit in which a cell is that large. */
export const LEAST = LEAST_CELL / (1 - 2 * GAP)
/** Pixels of the smallest writing on a sheet. */
export const LEAST_WRITING = 11.1
const BONUS = 0.86

function box(x: number, y: number): Box {
  return { x: x + GAP, y: y + GAP, w: 1 - 2 * GAP, h: 1 - 2 * GAP }
}

/** How many fields of a row stand side by side in so many pixels; the rest goes below. */
export function fitting(area: Area, room: number, least = LEAST): number {
  const count = area.cells.length
  const step = area.scores === 'pairs' ? 2 : 1
  const most = Math.max(step, Math.floor(room / least / step) * step)
  const rows = Math.ceil(count / most)
  return Math.ceil(count / rows / step) * step
}

export function draw(area: Area, perRow: number): Drawing {
  return area.grid ? drawGrid(area) : drawRow(area, Math.min(perRow, area.cells.length))
}

function drawGrid(area: Area): Drawing {
  const left = area.row_dice.length ? 0.42 : 0
  const rowPays = area.lines.some((line) => line.kind === 'row' && (line.bonus || line.points))
  const diagonal = area.lines.some((line) => line.kind === 'diagonal')
  const rowScores = area.scores === 'rows'
  const right = (rowPays || diagonal ? BONUS : 0) + (rowScores ? 0.5 : 0)
  const width = left + area.columns + right
  const below = area.rows + 0.46
  const lines: Drawing['lines'] = []
  for (const line of area.lines) {
    if (!line.bonus && !line.points) continue
    if (line.kind === 'row') {
      lines.push({ line, x: left + area.columns + BONUS / 2, y: line.index + 0.5 })
    } else if (line.kind === 'column') {
      lines.push({ line, x: left + line.index + 0.5, y: below })
    } else {
      lines.push({ line, x: left + area.columns + BONUS / 2, y: below })
    }
  }
  const scale = area.points.length ? scaleOf(area, width, area.rows + 1.16) : []
  const scaleRows = new Set(scale.map((step) => step.y)).size
  return {
    width,
    height: area.rows + 0.92 + 0.5 * scaleRows,
    cells: area.cells.map((cell) => ({ cell, box: box(left + cell.column, cell.row), star: null })),
    cellBonuses: [],
    printed: area.printed.map(([row, column]) => box(left + column, row)),
    lines,
    rowDice: area.row_dice.map((_, index) => ({ index, x: left / 2, y: index + 0.5 })),
    rowPoints: Array.from({ length: rowScores ? area.rows : 0 }, (_, index) => ({
      index,
      x: width - 0.25,
      y: index + 0.5,
    })),
    scale,
    pairs: [],
  }
}

function scaleOf(area: Area, width: number, y: number): Drawing['scale'] {
  const steps = area.points.slice(1)
  const perRow = steps.length > 8 ? Math.ceil(steps.length / 2) : steps.length
  const pitch = width / perRow
  return steps.map((points, i) => ({
    points,
    count: i + 1,
    x: ((i % perRow) + 0.5) * pitch,
    y: y + 0.5 * Math.floor(i / perRow),
  }))
}

function drawRow(area: Area, perRow: number): Drawing {
  const stars = area.points.length > 0
  const bonuses = area.cells.some((cell) => cell.bonus)
  const top = stars ? 0.5 : 0
  const pitch = top + 1 + (bonuses ? BONUS : 0)
  const cells: Drawing['cells'] = []
  const cellBonuses: Drawing['cellBonuses'] = []
  const pairs: Box[] = []
  area.cells.forEach((cell, i) => {
    const x = i % perRow
    const y = Math.floor(i / perRow) * pitch
    const points = area.points[i + 1]
    cells.push({
      cell,
      box: box(x, y + top),
      star: points === undefined ? null : { x: x + 0.5, y: y + 0.27, points },
    })
    if (cell.bonus) cellBonuses.push({ bonus: cell.bonus, cell, x: x + 0.5, y: y + top + 1.4 })
    if (area.scores === 'pairs' && i % 2 === 0) pairs.push({ x: x + 0.01, y: y + top, w: 1.98, h: 1 })
  })
  const rows = Math.ceil(area.cells.length / perRow)
  return {
    width: perRow,
    height: rows * pitch,
    cells,
    cellBonuses,
    printed: [],
    lines: [],
    rowDice: [],
    rowPoints: [],
    scale: [],
    pairs,
  }
}

/** The cell among some whose centre is nearest to a point, if it lies within reach; all in units. */
export function nearest(
  cells: Drawing['cells'],
  x: number,
  y: number,
  reach: number,
): Cell | null {
  let found: Cell | null = null
  let least = Infinity
  for (const { cell, box } of cells) {
    const [dx, dy] = [Math.abs(x - box.x - box.w / 2), Math.abs(y - box.y - box.h / 2)]
    if (dx > Math.max(reach, box.w / 2 + GAP) || dy > Math.max(reach, box.h / 2 + GAP)) continue
    const distance = Math.hypot(dx, dy)
    if (distance < least) [found, least] = [cell, distance]
  }
  return found
}
