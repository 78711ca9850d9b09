// What the server says about sheets and games; see geometry.py and views.py.

export type Colour =
  | 'white'
  | 'silver'
  | 'yellow'
  | 'blue'
  | 'green'
  | 'orange'
  | 'purple'
  | 'pink'

export interface Cell {
  name: string
  row: number
  column: number
  number: number
  minimum: number
  factor: number
  bonus: string | null
  bonus_minimum: number
}

export interface Line {
  kind: 'row' | 'column' | 'diagonal'
  index: number
  cells: string[]
  bonus: string | null
  points: number
}

export interface Area {
  colour: Colour
  letter: string
  grid: boolean
  entry: 'match' | 'staged' | 'at_least' | 'any' | 'rising' | 'falling'
  writes: 'cross' | 'value'
  scores: 'count' | 'groups' | 'rows' | 'sum' | 'pairs'
  adds_joker: boolean
  row_dice: Colour[]
  rows: number
  columns: number
  cells: Cell[]
  printed: [number, number][]
  lines: Line[]
  points: number[]
}

export interface Track {
  name: TrackName
  fields: number
  last: string | null
}

export type TrackName = 'reroll' | 'return' | 'extra'
export type GameId = 'clever' | 'twice'

export interface Sheet {
  id: GameId
  title: string
  dice: { colour: Colour; letter: string }[]
  die_fields: number
  may_decline: boolean
  areas: Area[]
  tracks: Track[]
  rounds: number[]
  round_bonus: (string | null)[]
  choice: string[]
  ratings: { lowest: number | null; title: string }[]
}

/** A legal action: the cell it would mark, and what would stand there. */
export interface Place {
  action: string
  die: string | null
  area: Colour | null
  cell: string | null
  mark: number
}

export interface Score {
  areas: number[]
  foxes: number
  fox_value: number
  total: number
}

export type Marks = Record<string, number>

export interface SeatView {
  marks: Marks
  tracks: Partial<Record<TrackName, [number, number]>>
  score: Score
  stage: string
  open: Record<string, number>
  crosses: string[]
  legal: Place[]
}

export interface GameView {
  game: GameId
  round: number
  rounds: number
  turn: number
  turns: number
  roll: number
  reroll: number
  active: number
  serving: boolean
  solo_serving: boolean
  over: boolean
  faces: number[]
  places: string[]
  rolling: string[]
  awaiting: number[]
  seats: SeatView[]
  winners: number[]
  rating: number | null
}

export interface Preview {
  action: string
  events: GameEvent[]
  points: number
  areas: number[]
  score: Score
}

export type GameEvent =
  | { event: 'round_started'; round: number }
  | { event: 'turn_started'; turn: number; seat: number; serving: boolean }
  | { event: 'thrown'; dice: Colour[]; faces: number[]; roll: number; reroll: number }
  | { event: 'taken'; seat: number; die: Colour; value: number; manner: Manner }
  | { event: 'moved'; die: Colour; origin: string; place: string; reason: string }
  | { event: 'marked'; seat: number; area: Colour; cell: string; mark: number; value: number }
  | { event: 'line_completed'; seat: number; area: Colour; kind: Line['kind']; index: number }
  | { event: 'bonus_earned'; seat: number; bonus: string; source: string; where: string }
  | { event: 'bonus_used'; seat: number; bonus: string }
  | { event: 'bonus_lost'; seat: number; bonus: string }
  | { event: 'track_circled'; seat: number; track: TrackName; count: number }
  | { event: 'action_spent'; seat: number; track: TrackName; count: number }
  | { event: 'passed'; seat: number; stage: string; forced: boolean }
  | { event: 'serving_started'; turn: number }
  | { event: 'turn_ended'; turn: number }
  | { event: 'round_ended'; round: number }
  | { event: 'game_ended' }

export type Manner = 'pool' | 'tray' | 'field' | 'extra' | 'cross'

/** What a bonus is, read from its text: `yellow`, `orange=4`, `reroll`, `fox`, `choice`. */
export interface Bonus {
  kind: 'mark' | 'action' | 'fox' | 'choice'
  area?: Colour
  value?: number
  track?: TrackName
}

const TRACKS: readonly string[] = ['reroll', 'return', 'extra']

export function readBonus(text: string): Bonus {
  if (text === 'fox' || text === 'choice') return { kind: text }
  if (TRACKS.includes(text)) return { kind: 'action', track: text as TrackName }
  const [area, value] = text.split('=')
  return { kind: 'mark', area: area as Colour, value: value ? Number(value) : undefined }
}

export function areaOf(sheet: Sheet, colour: string): Area {
  const found = sheet.areas.find((area) => area.colour === colour)
  if (!found) throw new Error(`no area ${colour}`)
  return found
}

export function colourOf(sheet: Sheet, letter: string): Colour {
  return sheet.dice.find((die) => die.letter === letter)?.colour ?? 'white'
}

/** The area of a cell and its index there. */
export function findCell(sheet: Sheet, name: string): { area: Area; cell: Cell; index: number } {
  for (const area of sheet.areas) {
    const index = area.cells.findIndex((cell) => cell.name === name)
    if (index >= 0) return { area, cell: area.cells[index]!, index }
  }
  throw new Error(`no cell ${name}`)
}
