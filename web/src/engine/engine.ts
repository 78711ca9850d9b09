// The rules in the page: what is translated from Python (docs/translator.md), with types and without
// buffers that a caller would have to bring along.

import * as chance from './generated/chance.js'
import { ACTIONS, DICE, ENTRY_WIDTH } from './generated/codes.js'
import { Log, State, type Tables } from './generated/records.js'
import * as rules from './generated/rules.js'

export * as codes from './generated/codes.js'
export * as rules from './generated/rules.js'
export { Log, State }
export type { Tables }

/** A seed as two 32-bit numbers. */
export interface Seed {
  low: number
  high: number
}

/** Six faces, and the order that decides between equal dice. */
export interface Throw {
  faces: number[]
  order: number[]
}

export interface Options {
  first?: number
  solo_fallback?: boolean
  fox_floor?: boolean
}

/** An entry of the log: a code and four numbers. */
export type Entry = [code: number, a: number, b: number, c: number, d: number]

const log = new Log()
const out = new Int32Array(ACTIONS)

function entries(): Entry[] {
  const found: Entry[] = []
  for (let k = 0; k < log.size; k += ENTRY_WIDTH) {
    found.push(Array.from(log.entries.subarray(k, k + ENTRY_WIDTH)) as Entry)
  }
  return found
}

/** The positions of the bits that are set, ascending. */
export function bits(mask: number): number[] {
  const found: number[] = []
  for (let k = 0; mask >> k > 0; k++) if ((mask >> k) & 1) found.push(k)
  return found
}

/** A game before it begins. */
export function newState(seats: number, options: Options = {}): State {
  const s = new State()
  s.seats = seats
  s.first = options.first ?? 0
  s.solo_fallback = options.solo_fallback ? 1 : 0
  s.fox_floor = options.fox_floor ? 1 : 0
  return s
}

export function copy(s: State): State {
  const other = new State()
  other.set(s)
  return other
}

/** Begin the game; like all steps it changes the state and returns what happened. */
export function begin(t: Tables, s: State): Entry[] {
  log.size = 0
  rules.begin(t, s, log)
  return entries()
}

export function apply(t: Tables, s: State, seat: number, action: number): Entry[] {
  log.size = 0
  rules.apply(t, s, seat, action, log)
  return entries()
}

export function roll(t: Tables, s: State, thrown: Throw): Entry[] {
  log.size = 0
  rules.roll(t, s, thrown.faces, thrown.order, log)
  return entries()
}

/** The seats that may act now. */
export function awaiting(t: Tables, s: State): number[] {
  return bits(rules.awaiting(t, s))
}

/** The dice to roll now; while there are any, no seat may act. */
export function rolling(t: Tables, s: State): number[] {
  return bits(rules.rolling(t, s))
}

export function legalActions(t: Tables, s: State, seat: number): number[] {
  return Array.from(out.subarray(0, rules.legal_actions(t, s, seat, out)))
}

/** The throw at an address: the same seed gives the same throws as `SeededDice` in Python. */
export function throwAt(seed: Seed, turn: number, rolls: number, rerolls: number): Throw {
  const thrown = { faces: new Array<number>(DICE).fill(0), order: new Array<number>(DICE).fill(0) }
  const where = chance.address(turn, rolls, rerolls)
  chance.throw_faces(seed.low, seed.high, where, thrown.faces)
  chance.throw_order(seed.low, seed.high, where, thrown.order)
  return thrown
}

/** The seat that starts, by the same seed. */
export function firstSeat(seed: Seed, seats: number): number {
  return chance.draw(seed.low, seed.high, chance.FIRST, 0, seats)
}
