// Where the dice of a local game come from: a secret of this device, a seed, a script, or people.

import { firstSeat, throwAt, type Seed, type Throw } from '../engine/engine'
import { SecretDice } from '../lib/fair'
import { hex, randomBytes, sha256, unhex } from '../lib/sha256'
import type { Address } from './game'

export const SECRET_BYTES = 32
const LANE = 1n << 32n

export interface Dice {
  throw(address: Address): Throw
  /** The seat that begins. */
  first(seats: number): number
}

export function newSecret(): string {
  return hex(randomBytes(SECRET_BYTES))
}

export function commitmentOf(secret: string): string {
  return hex(sha256(unhex(secret)))
}

/** Fair dice as a server makes them, with nothing from the seats: they are all on this device. */
export function secretDice(secret: string, seats: number): Dice {
  const dice = new SecretDice({ secret, entropies: Array<string>(seats).fill('') })
  return {
    throw: (address) => dice.throw(...address),
    first: (seats) => dice.first(seats) - 1,
  }
}

export function seededDice(seed: bigint): Dice {
  const lanes: Seed = { low: Number(seed % LANE), high: Number(seed / LANE) }
  return {
    throw: ([turn, roll, reroll]) => throwAt(lanes, turn, roll, reroll),
    first: (seats) => firstSeat(lanes, seats),
  }
}
