// Checks the dice of a finished game in the browser: the same hashes as SecretDice in dice.py.

import type { GameEvent, Sheet } from './game'
import { concat, hex, hmac, sha256, unhex, utf8 } from './sha256'

export interface DiceFacts {
  commitment: string
  entropies: string[]
  secret: string
}

/** The parts of a .fox record that tell how its dice were made; null without a secret. */
export function diceFacts(record: string): DiceFacts | null {
  const found: DiceFacts = { commitment: '', entropies: [], secret: '' }
  for (const line of record.split('\n')) {
    const [word, first = '', second = ''] = line.split(' ')
    if (word === 'dice' && first === 'secret') found.commitment = second
    else if (word === 'entropy') found.entropies.push(second)
    else if (word === 'secret') found.secret = first
  }
  return found.commitment && found.secret ? found : null
}

export function keptPromise(facts: DiceFacts): boolean {
  return hex(sha256(unhex(facts.secret))) === facts.commitment
}

export class SecretDice {
  private readonly seed: Uint8Array

  constructor(facts: DiceFacts) {
    const parts = facts.entropies.map((text) => {
      const bytes = unhex(text)
      return concat(Uint8Array.of(bytes.length >> 8, bytes.length & 255), bytes)
    })
    this.seed = hmac(unhex(facts.secret), concat(...parts))
  }

  faces(turn: number, roll: number, reroll: number): number[] {
    const draws = this.draws(`throw ${turn} ${roll} ${reroll}`)
    return Array.from({ length: 6 }, () => 1 + below(6, draws))
  }

  private *draws(address: string): Generator<number, never> {
    for (let block = 0; ; block++) yield* hmac(this.seed, utf8(`${address} ${block}`))
  }
}

function below(outcomes: number, draws: Generator<number, never>): number {
  const share = Math.floor(256 / outcomes)
  for (;;) {
    const byte = draws.next().value
    if (byte < share * outcomes) return Math.floor(byte / share)
  }
}

export interface Verdict {
  promise: boolean
  throws: number
  wrong: number
}

/** Recomputes every throw of a game from the revealed secret; events are added as they arrive. */
export class Checker {
  readonly verdict: Verdict
  private readonly dice: SecretDice
  private turn = 0

  constructor(
    private readonly sheet: Sheet,
    facts: DiceFacts,
  ) {
    this.verdict = { promise: keptPromise(facts), throws: 0, wrong: 0 }
    this.dice = new SecretDice(facts)
  }

  add(events: Iterable<GameEvent>): void {
    for (const event of events) {
      if (event.event === 'turn_started') this.turn = event.turn
      if (event.event !== 'thrown') continue
      this.verdict.throws++
      const faces = this.dice.faces(this.turn, event.roll, event.reroll)
      const agrees = this.sheet.dice.every(
        (die, i) => !event.dice.includes(die.colour) || faces[i] === event.faces[i],
      )
      if (!agrees) this.verdict.wrong++
    }
  }
}
