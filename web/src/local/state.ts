// What a local table is: a replay of its log, whose inputs are those of a server's log.

import type { Throw } from '../engine/engine'
import { SUBSTITUTE, type DiceInfo, type EntryKind, type GameEvent, type SeatInfo, type TableInfo } from '../lib/wire'
import { commitmentOf, secretDice, seededDice, type Dice } from './dice'
import { History } from './history'
import type { Layout } from './layout'
import { LocalRefusal } from './refusal'

export interface SeatSetup {
  /** `me` is the owner of this device, a guest plays on it as well. */
  kind: 'me' | 'guest' | 'bot'
  /** The name of a person; empty if they gave none. */
  name: string
  /** The level of a bot. */
  bot?: string
}

/** What a table was made with. */
export interface Setup {
  game: string
  /** The version of the rules that it is played by. */
  rules: number
  seats: SeatSetup[]
  solo_fallback: boolean
  fox_floor: boolean
  tutorial: boolean
  real_dice: boolean
  /** The secret of the dice, in hexadecimal: told when the game is over. */
  secret: string
  created: number
  rematch_of: string | null
  /** The file that the game was read from: nobody on this device played it. */
  record?: string
}

/** What the log consists of. The names are those of the server's inputs. */
export type LogInput =
  | { t: 'started'; first: number }
  | { t: 'threw'; faces: number[]; order: number[]; by?: number }
  | { t: 'played'; seat: number; action: string; bot?: string }
  | { t: 'undid'; seat: number }
  | { t: 'undid_throw'; seat: number }
  | { t: 'took_over'; seat: number; bot: string; given_up: true }
  | { t: 'rematched'; table: string }

/** An input, when it was made, and the command that led to it: sent twice, it is carried out once. */
export type Row = LogInput & { at: number; command?: string }

export interface Happened {
  events: GameEvent[]
  undone?: string
}

const NOTHING: Happened = { events: [] }

export class TableState {
  history: History | null = null
  /** The seat that entered the faces of each roll, with real dice. */
  enteredBy: (number | undefined)[] = []
  /** How often faces were taken back since somebody last acted. */
  facesUndone = 0
  /** How often each seat took something back since the last roll. */
  undos: number[]
  givenUp = new Set<number>()
  rematch: string | null = null
  readonly dice: Dice | null

  constructor(
    readonly id: string,
    readonly setup: Setup,
    readonly layout: Layout,
  ) {
    this.undos = setup.seats.map(() => 0)
    this.dice = this.drawnFromSecret ? secretDice(setup.secret, setup.seats.length) : null
  }

  copy(): TableState {
    const twin = Object.assign(Object.create(TableState.prototype) as TableState, this)
    return Object.assign(twin, {
      history: this.history?.copy() ?? null,
      enteredBy: [...this.enteredBy],
      undos: [...this.undos],
      givenUp: new Set(this.givenUp),
    })
  }

  get drawnFromSecret(): boolean {
    return !this.setup.tutorial && !this.setup.real_dice && !this.setup.record
  }

  /** The game; a table on this device begins as soon as it is made. */
  get playing(): History {
    if (!this.history) throw new LocalRefusal('not_started')
    return this.history
  }

  get over(): boolean {
    return this.playing.game.over
  }

  /** Whether everybody on this device gave up, so that the secret may be told. */
  get isGivenUp(): boolean {
    return !this.over && this.people.every((seat) => this.givenUp.has(seat))
  }

  get status(): TableInfo['status'] {
    return this.history?.game.over ? 'over' : 'playing'
  }

  /** The seats that are played by people on this device: the owner's first. */
  get people(): number[] {
    const seats = this.setup.seats.flatMap(({ kind }, seat) => (kind === 'bot' ? [] : [seat]))
    return seats.sort((a, b) => Number(this.setup.seats[b]!.kind === 'me') - Number(this.setup.seats[a]!.kind === 'me'))
  }

  bot(seat: number): string | undefined {
    return this.setup.seats[seat]?.bot
  }

  /** The seats that the game waits for. */
  wanted(): number[] {
    const { game } = this.playing
    return game.rolling().length ? [game.active] : game.awaiting()
  }

  /** The seats that bots are to act for; they cannot roll real dice. */
  driven(): number[] {
    if (this.isGivenUp || (this.setup.real_dice && this.playing.game.rolling().length)) return []
    return this.wanted().filter((seat) => this.bot(seat))
  }

  mayUndoFaces(seat: number): boolean {
    return this.playing.mayUndoThrow() && this.enteredBy.at(-1) === seat
  }

  /** The seats that could take something back. */
  undoable(): number[] {
    if (this.over) return []
    const seats = this.setup.seats.map((_, seat) => seat)
    return seats.filter((seat) => this.playing.mayUndo(seat) || this.mayUndoFaces(seat))
  }

  /** The seat that begins: by the dice, or the first one if nothing is drawn. */
  first(): number {
    return this.dice ? this.dice.first(this.setup.seats.length) : 0
  }

  /** The throw that is wanted now, without the faces of dice that are not rolled. */
  throw(): Throw {
    const { game } = this.playing
    const address = game.address()
    if (!address) throw new LocalRefusal('no_throw')
    const script = this.setup.tutorial ? this.layout.names.lesson?.[this.enteredBy.length] : undefined
    const source = this.dice ?? seededDice(BigInt(this.layout.names.lesson_seed))
    const { faces, order } = script
      ? { faces: Array.from(script, Number), order: [0, 1, 2, 3, 4, 5] }
      : source.throw(address)
    const wanted = game.rolling()
    return { faces: faces.map((face, die) => (wanted.includes(die) ? face : 0)), order }
  }

  apply(input: LogInput): Happened {
    switch (input.t) {
      case 'started': {
        const { solo_fallback, fox_floor, seats } = this.setup
        const options = { first: input.first, solo_fallback, fox_floor }
        this.history = new History(this.layout, seats.length, options, this.setup.real_dice)
        return { events: this.history.opening }
      }
      case 'threw': {
        const { faces, order } = input
        const events = this.playing.add({ throw: { faces, order } })
        this.enteredBy.push(input.by)
        this.undos = this.undos.map(() => 0)
        return { events }
      }
      case 'played':
        this.facesUndone = 0
        return { events: this.playing.add({ seat: input.seat, action: this.layout.action(input.action) }) }
      case 'undid':
        this.undos[input.seat]!++
        return { events: [], undone: this.layout.names.actions[this.playing.undo(input.seat)] }
      case 'undid_throw':
        this.playing.undoThrow()
        this.enteredBy.pop()
        this.facesUndone++
        return NOTHING
      case 'took_over':
        this.givenUp.add(input.seat)
        return NOTHING
      case 'rematched':
        this.rematch = input.table
        return NOTHING
    }
  }

  // --- telling -----------------------------------------------------------------------------

  private seatInfo(seat: SeatSetup, number: number): SeatInfo {
    const bot = seat.bot ?? null
    const common = { name: bot ?? seat.name, bot, ready: true, hints: 0 }
    if (bot) return { kind: 'bot', ...common, stand_in: null, guest: false }
    const stand_in = this.givenUp.has(number) ? SUBSTITUTE : null
    return { kind: 'human', ...common, stand_in, guest: seat.kind === 'guest' }
  }

  private diceInfo(): DiceInfo {
    const { setup } = this
    const secret = this.drawnFromSecret ? setup.secret : null
    return {
      kind: setup.tutorial ? 'script' : setup.real_dice ? 'real' : 'secret',
      commitment: secret && commitmentOf(secret),
      commitments: secret ? setup.seats.map(() => '') : [],
      entropies: setup.real_dice ? [] : setup.seats.map(() => ''),
      left_out: [],
      secret: this.over || this.isGivenUp ? secret : null,
      seed: null,
      again: false,
    }
  }

  info(): TableInfo {
    const { setup } = this
    return {
      id: this.id,
      game: setup.game,
      status: this.status,
      seats: setup.seats.map((seat, number) => this.seatInfo(seat, number)),
      host: this.people[0] ?? null,
      options: { solo_fallback: setup.solo_fallback, fox_floor: setup.fox_floor },
      dice: this.diceInfo(),
      clock: 0,
      created: setup.created,
      tutorial: setup.tutorial,
      first: this.playing.options.first,
      rematch: this.rematch,
      rematch_key: null,
      rematch_of: setup.rematch_of,
      stand_in: SUBSTITUTE,
      starting: false,
      given_up: this.isGivenUp,
      daily: null,
      hints: false,
      copied: 0,
      offline: true,
    }
  }
}

/** The kind of an input as entries name it. */
export function kindOf(input: LogInput): EntryKind {
  return input.t
}
