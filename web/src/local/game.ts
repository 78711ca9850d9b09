// A game by the translated rules; it never changes, so any moment can be kept.

import * as engine from '../engine/engine'
import { bits, codes, rules, type Entry, type State, type Throw } from '../engine/engine'
import type { GameEvent, Score } from '../lib/game'
import { readEvents } from './events'
import type { Layout } from './layout'

/** What the rules want to know before the first roll. */
export interface Options {
  first: number
  solo_fallback: boolean
  fox_floor: boolean
}

export interface Progress {
  game: Game
  events: GameEvent[]
}

/** Where a throw stands in the game: its dice depend on nothing else. */
export type Address = [turn: number, roll: number, reroll: number]

export class Game {
  constructor(
    readonly layout: Layout,
    readonly state: State,
  ) {}

  static begin(layout: Layout, seats: number, options: Options): Progress {
    const state = engine.newState(seats, options)
    return { game: new Game(layout, state), events: readEvents(layout, engine.begin(layout.tables, state)) }
  }

  get seats(): number {
    return this.state.seats
  }

  get over(): boolean {
    return this.state.phase === codes.OVER
  }

  get active(): number {
    return rules.active_seat(this.state)
  }

  get faces(): number[] {
    return Array.from(this.state.face)
  }

  /** The seats that may act now, in any order. */
  awaiting(): number[] {
    return engine.awaiting(this.layout.tables, this.state)
  }

  /** The dice to roll now; while there are any, no seat may act. */
  rolling(): number[] {
    return engine.rolling(this.layout.tables, this.state)
  }

  address(): Address | null {
    const { phase, turn, rolls, rerolls } = this.state
    return phase === codes.THROW ? [turn, rolls, rerolls] : null
  }

  /** The numbers of the actions that a seat may take now. */
  legal(seat: number): number[] {
    return engine.legalActions(this.layout.tables, this.state, seat)
  }

  score(seat: number): Score {
    const { tables } = this.layout
    const areas = Array.from({ length: tables.areas }, (_, area) =>
      rules.area_points(tables, this.state, seat, area),
    )
    const foxes = this.state.foxes[seat]!
    const fox_value = rules.fox_value(tables, this.state, seat)
    const total = areas.reduce((sum, points) => sum + points, foxes * fox_value)
    return { areas, foxes, fox_value, total }
  }

  scores(): Score[] {
    return Array.from({ length: this.seats }, (_, seat) => this.score(seat))
  }

  /** The seats that won; none before the end. */
  winners(): number[] {
    return this.over ? bits(rules.winners(this.layout.tables, this.state)) : []
  }

  /** After a legal action of a seat. */
  play(seat: number, action: number): Progress {
    return this.step((state) => engine.apply(this.layout.tables, state, seat, action))
  }

  /** After the wanted dice were rolled. */
  roll(thrown: Throw): Progress {
    return this.step((state) => engine.roll(this.layout.tables, state, thrown))
  }

  private step(change: (state: State) => Entry[]): Progress {
    const state = engine.copy(this.state)
    const events = readEvents(this.layout, change(state))
    return { game: new Game(this.layout, state), events }
  }
}
