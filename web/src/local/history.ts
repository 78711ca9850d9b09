// A game as its inputs, with undo: the state is always what a replay of the inputs gives.

import type { Throw } from '../engine/engine'
import type { GameEvent } from '../lib/game'
import { Game, type Options, type Progress } from './game'
import type { Layout } from './layout'

/** What a game is made of: dice were rolled, or a seat acted. */
export type Input = { throw: Throw } | { seat: number; action: number }

export class History {
  readonly inputs: Input[] = []
  game: Game
  /** What happened before the first input. */
  readonly opening: GameEvent[]
  /** The game before each of the last inputs, as far back as undo can reach. */
  private before: Game[] = []

  constructor(
    readonly layout: Layout,
    readonly seats: number,
    readonly options: Options,
    /** Whether people roll the dice, so that a roll may be mistyped. */
    private readonly byHand: boolean,
  ) {
    const { game, events } = Game.begin(layout, seats, options)
    this.game = game
    this.opening = events
  }

  /** An independent copy; games and inputs do not change, so they are shared. */
  copy(): History {
    const twin = Object.assign(Object.create(History.prototype) as History, this)
    return Object.assign(twin, { inputs: [...this.inputs], before: [...this.before] })
  }

  add(input: Input): GameEvent[] {
    const { game, events } = step(this.game, input)
    this.before.push(this.game)
    this.game = game
    this.inputs.push(input)
    if ('throw' in input || events.some((event) => event.event === 'round_started')) this.before = []
    return events
  }

  /** Whether a seat can take an action back: not the one that ended the rolls, for others follow it. */
  mayUndo(seat: number): boolean {
    const at = this.lastOf(seat)
    if (at < 0) return false
    const phase = this.before[at]!.state.phase
    return (this.before[at + 1]?.state.phase ?? phase) === phase
  }

  /** Takes a seat's last action back; what others did since stays. Returns the action. */
  undo(seat: number): number {
    const at = this.lastOf(seat)
    const first = this.inputs.length - this.before.length + at
    const [undone, ...later] = this.inputs.splice(first)
    this.game = this.before[at]!
    this.before.length = at
    for (const input of later) this.add(input)
    return (undone as { action: number }).action
  }

  /** Whether nobody has acted on the last roll of real dice. */
  mayUndoThrow(): boolean {
    const last = this.inputs.at(-1)
    return this.byHand && last !== undefined && 'throw' in last
  }

  undoThrow(): void {
    const fresh = new History(this.layout, this.seats, this.options, this.byHand)
    for (const input of this.inputs.slice(0, -1)) fresh.add(input)
    this.inputs.pop()
    this.game = fresh.game
    this.before = fresh.before
  }

  /** The index of a seat's last action among those that undo can reach; -1 if there is none. */
  private lastOf(seat: number): number {
    if (this.game.over) return -1
    const recent = this.inputs.slice(this.inputs.length - this.before.length)
    return recent.findLastIndex((input) => 'seat' in input && input.seat === seat)
  }
}

export function step(game: Game, input: Input): Progress {
  return 'throw' in input ? game.roll(input.throw) : game.play(input.seat, input.action)
}
