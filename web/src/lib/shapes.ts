// Every die has a shape of its own, so that nobody needs to see its colour.

import type { ShapeName } from './wire'

/** Paths in a box from -1 to 1. */
export const SHAPES: Record<ShapeName, string> = {
  circle: 'M0-.95A.95.95 0 1 1 0 .95 .95.95 0 1 1 0-.95Z',
  square: 'M-.85-.85H.85V.85H-.85Z',
  star: 'M0-1 .27-.66.71-.71.66-.27 1 0 .66.27.71.71.27.66 0 1-.27.66-.71.71-.66.27-1 0-.66-.27-.71-.71-.27-.66Z',
  diamond: 'M0-1.05 1.05 0 0 1.05-1.05 0Z',
  triangle: 'M0-1.05 1.05.85H-1.05Z',
  hexagon: 'M0-1 .87-.5V.5L0 1-.87.5V-.5Z',
  shield: 'M-.9-.1A.9.9 0 0 1 .9-.1V.55L.45 1H-.45L-.9.55Z',
  heart: 'M0 1-.85.1A.53.53 0 0 1 0-.62 .53.53 0 0 1 .85.1Z',
  pentagon: 'M0-1.05 1-.32 .62.85H-.62L-1-.32Z',
  drop: 'M0-1.05 .61-.08A.72.72 0 1 1-.61-.08Z',
  cross: 'M-.42-1H.42V-.42H1V.42H.42V1H-.42V.42H-1V-.42H-.42Z',
  moon: 'M1-.04A1 1 0 1 1 .26-.96 .62.62 0 0 0 1-.04Z',
}

const made = new Map<string, string>()

/** A path moved to x, y and scaled. A transform of its own would make the browser keep a layer's
    state for each of the hundred symbols of a sheet; a path that lies where it belongs is cheap. */
export function placed(path: string, x: number, y: number, scale: number): string {
  const key = `${path}|${x}|${y}|${scale}`
  let found = made.get(key)
  if (found === undefined) {
    found = place(path, x, y, scale)
    made.set(key, found)
  }
  return found
}

const TAKES: Record<string, string> = { M: 'xy', L: 'xy', H: 'x', V: 'y', A: 'ss011xy', Z: '' }

function place(path: string, x: number, y: number, scale: number): string {
  const parts = path.match(/[A-Za-z]|-?(?:\d+\.?\d*|\.\d+)/g) ?? []
  let takes = ''
  let at = 0
  return parts
    .map((part) => {
      if (part in TAKES) {
        takes = TAKES[part]!
        at = 0
        return part
      }
      const kind = takes[at++ % takes.length]
      const value = Number(part)
      if (kind === 'x') return round(x + value * scale)
      if (kind === 'y') return round(y + value * scale)
      return kind === 's' ? round(value * scale) : part
    })
    .join(' ')
}

function round(value: number): number {
  return Math.round(value * 1000) / 1000
}

/** A fox in a box of one unit: its outline, its head, its cheeks, its eyes and nose. */
export const FOX = [
  { fill: '#6f2704', path: 'M-.38-.37-.14-.18H.14L.38-.37 .4 .03 .12 .31 0 .4-.12 .31-.4 .03Z' },
  { fill: '#c8511b', path: 'M-.34-.31-.14-.14H.14L.34-.31 .36 .01 .08 .29 0 .36-.08 .29-.36 .01Z' },
  { fill: '#fff6ea', path: 'M-.36 .03-.1 .3 0 .38 .1 .3 .36 .03 .16 .08 0 .24-.16 .08Z' },
  {
    fill: '#2a1002',
    path: 'M-.18 0A.04 .04 0 1 1-.1 0A.04 .04 0 1 1-.18 0ZM.1 0A.04 .04 0 1 1 .18 0A.04 .04 0 1 1 .1 0ZM-.05 .3A.05 .05 0 1 1 .05 .3A.05 .05 0 1 1-.05 .3Z',
  },
]
