// How the areas of a sheet share a rectangle: which of them stand side by side, and how large a
// cell can be. It depends on the sheet and on the room alone, so nothing that is touched moves it.

import { draw, fitting, LEAST, type Drawing } from './drawing'
import type { Area } from './game'

/** Pixels around the drawing of an area; AreaSheet keeps to them. */
export interface Frame {
  /** The line above a grid, with its colour and points. */
  head: number
  /** The same beside a row. */
  gutter: number
  /** Padding and border, both sides together. */
  padX: number
  padY: number
  /** Between two areas. */
  gap: number
}

export const NARROW: Frame = { head: 24, gutter: 27, padX: 8, padY: 6, gap: 3 }
export const ROOMY: Frame = { head: 28, gutter: 84, padX: 14, padY: 10, gap: 5 }

/** From this width on there is room for the names of the areas. */
const ROOMY_WIDTH = 560
/** Pixels of a unit that nobody needs more of. */
const MOST = 72

export interface Arrangement {
  /** Pixels of a cell with its gap. */
  unit: number
  frame: Frame
  shelves: { area: Area; drawing: Drawing }[][]
  /** Pixels that the whole takes. */
  height: number
}

/** All ways to put areas on shelves, in their order. */
function shelvings(areas: Area[]): Area[][][] {
  const [first, ...rest] = areas
  if (!first) return [[]]
  return shelvings(rest).flatMap((shelves) => {
    const alone = [[first], ...shelves]
    const [next, ...others] = shelves
    return next ? [alone, [[first, ...next], ...others]] : [alone]
  })
}

function arranged(
  shelving: Area[][],
  frame: Frame,
  width: number,
  height: number,
  least: number,
): Arrangement {
  const shelves = shelving.map((shelf) =>
    shelf.map((area) => {
      const room = width - frame.gutter - frame.padX
      const perRow = shelf.length > 1 ? area.cells.length : fitting(area, room, least)
      return { area, drawing: draw(area, perRow) }
    }),
  )
  let unit = MOST
  let [unitsHigh, fixed] = [0, (shelves.length - 1) * frame.gap]
  const beside = (area: Area) => (area.grid ? 0 : frame.gutter)
  const above = (area: Area) => frame.padY + (area.grid ? frame.head : 0)
  for (const shelf of shelves) {
    const units = shelf.reduce((sum, { drawing }) => sum + drawing.width, 0)
    const taken = shelf.reduce((sum, { area }) => sum + beside(area) + frame.padX, (shelf.length - 1) * frame.gap)
    unit = Math.min(unit, (width - taken) / units)
    unitsHigh += Math.max(...shelf.map(({ drawing }) => drawing.height))
    fixed += Math.max(...shelf.map(({ area }) => above(area)))
  }
  // Where the height does not do, cells stay large enough, and the page is scrolled.
  unit = Math.min(unit, Math.max((height - fixed) / unitsHigh, least))
  return { unit, frame, shelves, height: fixed + unitsHigh * unit }
}

/** The arrangement with the largest cells; of those with equally large ones the lowest. */
export function arrange(areas: Area[], width: number, height = Infinity, least = LEAST): Arrangement {
  const frame = width < ROOMY_WIDTH ? NARROW : ROOMY
  const all = shelvings(areas).map((shelving) => arranged(shelving, frame, width, height, least))
  // Cells that are large enough come first, then being in sight as a whole.
  const fits = (one: Arrangement) => (one.unit >= least - 1e-6 ? 1 + Number(one.height <= height + 0.5) : 0)
  const [first, ...rest] = all
  return rest.reduce((best, one) => {
    if (fits(one) !== fits(best)) return fits(one) > fits(best) ? one : best
    if (Math.abs(one.unit / best.unit - 1) > 0.02) return one.unit > best.unit ? one : best
    return one.height < best.height ? one : best
  }, first!)
}

/** Pixels that the areas need at least in this width. */
export function leastHeight(areas: Area[], width: number): number {
  return Math.ceil(arrange(areas, width, 0).height)
}
