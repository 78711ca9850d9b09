// Sheets and games as the page speaks of them; their types come from the server.

import { SHAPES } from './shapes'
import {
  TRACK_NAMES,
  type AreaView as Area,
  type CellView as Cell,
  type SheetView as Sheet,
  type TrackName,
} from './wire'

export type {
  AreaView as Area,
  CellView as Cell,
  GameEvent,
  GameView,
  LineView as Line,
  PlaceView as Place,
  PreviewView as Preview,
  ScoreView as Score,
  SeatView,
  SheetView as Sheet,
  TrackName,
} from './wire'

/** What stands in the cells of a seat, by their names. */
export type Marks = Record<string, number>

/** What a bonus is, read from its text: a colour, with a value or without, or a word. */
export interface Bonus {
  kind: 'mark' | 'action' | 'fox' | 'choice'
  area?: string
  value?: number
  track?: TrackName
}

export function readBonus(text: string): Bonus {
  if (text === 'fox' || text === 'choice') return { kind: text }
  const track = TRACK_NAMES.find((name) => name === text)
  if (track) return { kind: 'action', track }
  const [area, value] = text.split('=')
  return { kind: 'mark', area, value: value ? Number(value) : undefined }
}

/** The shape of a colour: that of its die. */
export function shapeOf(sheet: Sheet, colour: string): string {
  const die = sheet.dice.find((die) => die.colour === colour)
  return die ? SHAPES[die.shape] : ''
}

export function colourOf(sheet: Sheet, letter: string): string {
  return sheet.dice.find((die) => die.letter === letter)?.colour ?? ''
}

/** The area of a cell and its index there. */
export function findCell(sheet: Sheet, name: string): { area: Area; cell: Cell; index: number } {
  for (const area of sheet.areas) {
    const index = area.cells.findIndex((cell) => cell.name === name)
    if (index >= 0) return { area, cell: area.cells[index]!, index }
  }
  throw new Error(`no cell ${name}`)
}
