// A `.fox` file as a game of this device (docs/notation.md): replayed, and refused where it is not what
// it says. It can be replayed, not continued.

import { Refused } from '../lib/api'
import { LOCAL } from '../lib/device'
import { keptPromise, SecretDice, type DiceFacts } from '../lib/fair'
import { hex, sha256, utf8 } from '../lib/sha256'
import { SUBSTITUTE } from '../lib/wire'
import { seededDice, type Dice } from './dice'
import type { Layout } from './layout'
import { TableLog } from './log'
import { digest, FORMAT, OPTIONS } from './record'
import { LocalRefusal } from './refusal'
import type { LogInput, Row, Setup } from './state'
import type { Kept } from './store'
import { keptAfter } from './table'

export function isRecord(text: string): boolean {
  return text.startsWith('foxtray ')
}

/** What the lines of a record say, before it is known whether that can be true. */
class Lines {
  private at = 0

  constructor(private readonly lines: string[]) {}

  get word(): string {
    return this.lines[this.at]?.split(' ', 1)[0] ?? ''
  }

  get done(): boolean {
    return this.at === this.lines.length
  }

  /** The rest of the next line, which begins with a word. */
  take(word: string): string {
    if (this.word !== word) throw this.refusal()
    return this.lines[this.at++]!.slice(word.length + 1)
  }

  /** The rests of all next lines that begin with a word. */
  all(word: string): string[] {
    const found: string[] = []
    while (this.word === word && !this.done) found.push(this.take(word))
    return found
  }

  number(word: string, low: number, high: number): number {
    const found = Number(this.take(word))
    if (!Number.isInteger(found) || found < low || found > high) throw this.refusal()
    return found
  }

  /** The values of lines such as `name 1 Ana`: one for every seat, or none. */
  perSeat(word: string, seats: number): string[] {
    const found = this.all(word).map((line, seat) => {
      const [number, ...rest] = line.split(' ')
      if (number !== String(seat + 1)) throw this.refusal()
      return rest.join(' ')
    })
    if (found.length && found.length !== seats) throw this.refusal()
    return found
  }

  refusal(): LocalRefusal {
    return new LocalRefusal('bad_record', `line ${this.at + 1}`)
  }
}

/** A finished record as a game that is kept here. The same file has the same id. */
export async function gameFrom(text: string, layoutOf: (game: string) => Promise<Layout>, now: number): Promise<Kept> {
  try {
    return await replayed(text, layoutOf, now)
  } catch (error) {
    const told = error instanceof LocalRefusal && (error.code === 'rules_changed' || error.code === 'not_over')
    if (told || (error instanceof Refused && error.passing)) throw error
    throw new LocalRefusal('bad_record', String(error))
  }
}

async function replayed(text: string, layoutOf: (game: string) => Promise<Layout>, now: number): Promise<Kept> {
  const lines = text.split('\n')
  if (!/^sha256 /m.test(text)) throw new LocalRefusal('not_over')
  if (lines.pop() || lines.at(-1) !== `sha256 ${digest(lines.slice(0, -1))}`) throw new LocalRefusal('bad_record')
  const reader = new Lines(lines.slice(0, -1))
  const format = reader.number('foxtray', 1, FORMAT)
  const rules = reader.number('rules', 1, 1e6)
  const layout = await layoutOf(reader.take('game'))
  if (rules !== layout.names.rules) throw new LocalRefusal('rules_changed')
  const seats = reader.number('seats', 1, 4)
  const first = reader.number('first', 1, seats)
  const options = reader.all('option')
  const names = reader.perSeat('name', seats)
  const [kind, value = ''] = reader.take('dice').split(' ')
  const commitments = reader.perSeat('commit', seats).map((one) => (one === '-' ? '' : one))
  const entropies = reader.perSeat('entropy', seats)
  const setup: Setup = {
    game: layout.names.game,
    rules,
    seats: Array.from({ length: seats }, (_, seat) => ({ kind: 'guest', name: names[seat] ?? '' })),
    solo_fallback: options.includes('solo_fallback=on'),
    fox_floor: options.includes('fox_floor=on'),
    tutorial: false,
    real_dice: kind === 'own',
    secret: '',
    created: now,
    rematch_of: null,
    record: text,
  }
  if (options.length !== OPTIONS.filter((option) => setup[option]).length) throw reader.refusal()
  const id = LOCAL + hex(sha256(utf8(text))).slice(0, 16)
  const log = new TableLog(id, setup, layout, [{ t: 'started', first: first - 1, at: now }])
  const secret = /^secret ([0-9a-f]+)$/m.exec(text)?.[1] ?? ''
  const dice = diceOf(kind!, { format, first, seats, commitment: value, commitments, entropies, secret, rolls: [] })
  for (;;) {
    const input = inputFrom(layout, reader, seats)
    if (!input) break
    const address = log.state.playing.game.address()
    if (input.t === 'threw' && dice && address) {
      const right = dice.throw(address)
      const same = input.faces.every((face, die) => !face || face === right.faces[die])
      if (!same || right.order.join() !== input.order.join()) throw reader.refusal()
    }
    log.accept(log.draft([{ ...input, at: now }]))
  }
  if (secret) reader.take('secret')
  const { game } = log.state.playing
  if (game.over) {
    const totals = game.scores().map(({ total }) => total)
    if (reader.take('end') !== totals.join(' ')) throw reader.refusal()
  } else {
    if (reader.take('given') !== 'up') throw reader.refusal()
    const rows = setup.seats.map((_, seat): Row => ({ t: 'took_over', seat, bot: SUBSTITUTE, given_up: true, at: now }))
    log.accept(log.draft(rows))
  }
  if (!reader.done) throw reader.refusal()
  const kept: Kept = { id, setup, rows: [], touched: now, status: 'over', waiting: [], result: null, handed: null }
  return keptAfter(kept, log.state, log.rows, now)
}

/** The dice that the record names, if they can be computed again: for that, a secret must be told. */
function diceOf(kind: string, facts: DiceFacts): Dice | null {
  if (kind === 'seed') return seededDice(BigInt(facts.commitment))
  if (kind === 'own' || (kind === 'secret' && !facts.secret)) return null
  if (kind !== 'secret' || !keptPromise(facts)) throw new LocalRefusal('bad_record')
  const dice = new SecretDice(facts)
  return { throw: (address) => dice.throw(...address), first: (seats) => dice.first(seats) - 1 }
}

/** The next roll or action; null if something else follows. */
function inputFrom(layout: Layout, reader: Lines, seats: number): LogInput | null {
  if (reader.word === 'throw') {
    const [faces = '', order = ''] = reader.take('throw').split(' ')
    if (!/^[-1-6]{6}$/.test(faces) || [...order].sort().join() !== [...layout.letters].sort().join()) throw reader.refusal()
    return {
      t: 'threw',
      faces: Array.from(faces, (face) => (face === '-' ? 0 : Number(face))),
      order: Array.from(order, (letter) => layout.letters.indexOf(letter)),
    }
  }
  const seat = ['1', '2', '3', '4'].slice(0, seats).indexOf(reader.word)
  return seat < 0 ? null : { t: 'played', seat, action: reader.take(String(seat + 1)) }
}
