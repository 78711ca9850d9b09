// Fair dice at the end of a game, as docs/fair-dice.md says: computes every roll again and compares the
// record with what the witness of this browser kept.

import type { CourseRoll } from './wire'
import { concat, hex, hmac, sha256, unhex, utf8 } from './sha256'
import { entropyCommitment, type Kept } from './witness'

export interface DiceFacts {
  /** The version of the record's format. */
  format: number
  /** The seat that began, from 1. */
  first: number
  seats: number
  commitment: string
  /** What the seats committed to: empty where nothing; none at all in the first format. */
  commitments: string[]
  entropies: string[]
  secret: string
  /** The faces of every roll, as the record has them. */
  rolls: string[]
}

/** The parts of a .fox record that tell how its dice were made; null without a secret. */
export function diceFacts(record: string): DiceFacts | null {
  const found: DiceFacts = {
    format: 1, first: 1, seats: 1, commitment: '', commitments: [], entropies: [], secret: '', rolls: [],
  }
  for (const line of record.split('\n')) {
    const [word, first = '', second = ''] = line.split(' ')
    if (word === 'foxtray') found.format = Number(first)
    else if (word === 'first') found.first = Number(first)
    else if (word === 'seats') found.seats = Number(first)
    else if (word === 'dice' && first === 'secret') found.commitment = second
    else if (word === 'commit') found.commitments.push(second === '-' ? '' : second)
    else if (word === 'entropy') found.entropies.push(second)
    else if (word === 'secret') found.secret = first
    else if (word === 'throw') found.rolls.push(first)
  }
  return found.commitment && found.secret ? found : null
}

export function keptPromise(facts: DiceFacts): boolean {
  const { commitment, commitments, entropies } = facts
  const seats = commitments.every(
    (told, i) => !told || !entropies[i] || told === entropyCommitment(commitment, i, entropies[i]),
  )
  const begins = facts.format < 2 || new SecretDice(facts).first(facts.seats) === facts.first
  return hex(sha256(unhex(facts.secret))) === commitment && seats && begins
}

export class SecretDice {
  private readonly seed: Uint8Array

  constructor(facts: Pick<DiceFacts, 'secret' | 'entropies'>) {
    const parts = facts.entropies.map((text) => {
      const bytes = unhex(text)
      return concat(Uint8Array.of(bytes.length >> 8, bytes.length & 255), bytes)
    })
    this.seed = hmac(unhex(facts.secret), concat(...parts))
  }

  faces(turn: number, roll: number, reroll: number): number[] {
    return this.throw(turn, roll, reroll).faces
  }

  /** The faces of all dice, and the order that decides between equal ones. */
  throw(turn: number, roll: number, reroll: number): { faces: number[]; order: number[] } {
    const draws = this.draws(`throw ${turn} ${roll} ${reroll}`)
    const faces = Array.from({ length: 6 }, () => 1 + below(6, draws))
    const order = [0, 1, 2, 3, 4, 5]
    for (let d = 5; d > 0; d--) {
      const k = below(d + 1, draws)
      ;[order[d], order[k]] = [order[k]!, order[d]!]
    }
    return { faces, order }
  }

  /** The seat that begins, from 1. */
  first(seats: number): number {
    return 1 + below(seats, this.draws('first'))
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
  /** The secret is the one that was committed to, the seats revealed what they had committed to, and
   * the seat began that the dice chose. */
  promise: boolean
  throws: number
  wrong: number
}

/** Recomputes every roll of a game from the revealed secret, and looks for it in the record. */
export function verify(facts: DiceFacts, rolls: readonly CourseRoll[]): Verdict {
  const dice = new SecretDice(facts)
  const wrong = rolls.filter(({ turn, roll, reroll, faces }, i) => {
    const right = dice.faces(turn, roll, reroll)
    const told = facts.rolls[i]
    return told !== faces.map((face) => face || '-').join('') || faces.some((face, d) => face && face !== right[d])
  })
  const missing = Math.abs(facts.rolls.length - rolls.length)
  return { promise: keptPromise(facts), throws: rolls.length, wrong: wrong.length + missing }
}

/** Sentences of the catalogue. */
export type Reason =
  | 'fair.bad'
  | 'fair.other_secret'
  | 'fair.not_mine'
  | 'fair.late'
  | 'fair.unseen'
  | 'fair.again'
  | 'fair.daily'
  | 'fair.device'

export interface Judgement {
  /** `no`: something is wrong. `partly`: the record agrees with itself, but it is not proven to this
   * browser that nobody chose the dice. */
  fair: 'yes' | 'partly' | 'no'
  reasons: Reason[]
  /** The other seats whose part was changed after this browser had revealed its own. */
  changed: number[]
  leftOut: number[]
  /** The seats whose part the server knew before the start. */
  inClear: number[]
}

/** What the record of a game proves to a browser that kept something; `seat` is its own, if any. */
export function judge(
  facts: DiceFacts,
  verdict: Verdict,
  kept: Kept,
  seat: number | null,
  shared: 'again' | 'daily' | 'device' | null,
): Judgement {
  const { commitments, entropies } = facts
  const wrong: Reason[] = []
  const open: Reason[] = []
  if (!verdict.promise || verdict.wrong) wrong.push('fair.bad')
  if (kept.commitment && kept.commitment !== facts.commitment) wrong.push('fair.other_secret')
  const seats = Array.from({ length: facts.seats }, (_, i) => i)
  const changed = seats.filter(
    (i) =>
      i !== seat &&
      kept.commitments &&
      ((commitments[i] ?? '') !== kept.commitments[i] ||
        // Where nothing was committed to, what was shown then counts.
        ((kept.entropies?.[i] || !kept.commitments[i]) && entropies[i] !== kept.entropies?.[i])),
  )
  const own = seat === null ? '' : (entropies[seat] ?? '')
  if (shared) open.push(`fair.${shared}`)
  else if (seat === null || seat !== kept.seat) open.push('fair.unseen')
  else if (!own) open.push('fair.late')
  else if (own !== kept.entropy) wrong.push('fair.not_mine')
  else if (!kept.commitments) open.push('fair.unseen')
  return {
    fair: wrong.length || changed.length ? 'no' : open.length ? 'partly' : 'yes',
    reasons: [...wrong, ...open],
    changed,
    leftOut: seats.filter((i) => commitments[i] && !entropies[i]),
    inClear: commitments.length ? seats.filter((i) => !commitments[i] && entropies[i]) : [],
  }
}
