// Fair dice before a game, as docs/fair-dice.md says: commits to a part of the dice, keeps what the
// server showed before, and reveals the part at the start.

import { hex, randomBytes, sha256, utf8 } from './sha256'

/** What a seat (from 0) tells of its entropy before it reveals it. */
export function entropyCommitment(commitment: string, seat: number, entropy: string): string {
  return hex(sha256(utf8(`foxtray entropy ${commitment} ${seat + 1} ${entropy}`)))
}

/** What a table tells of its dice, as far as it matters here. */
export interface Shown {
  status: string
  starting: boolean
  dice: { commitment: string | null; commitments: string[]; entropies: string[]; again: boolean }
}

/** What this browser keeps of a table. */
export interface Kept {
  /** Its own part of the dice. */
  entropy: string
  /** The seat that it committed for. */
  seat?: number
  /** The server's commitment, as it was shown before this browser gave anything. */
  commitment?: string
  /** What the seats had committed to, and revealed, before this browser revealed its own part. */
  commitments?: string[]
  entropies?: string[]
}

/** Remembers what a table showed before the start: what is shown later can be compared with it. */
export class Witness {
  private memory: Kept

  constructor(
    private readonly id: string,
    private readonly storage: Pick<Storage, 'getItem' | 'setItem'> | null = browserStorage(),
  ) {
    this.memory = { entropy: this.read(`entropy.${id}`) ?? hex(randomBytes(16)) }
    this.keep({})
  }

  /** Another window of this browser may have kept something first. */
  get kept(): Kept {
    const saved = this.read(`fair.${this.id}`)
    return saved ? (JSON.parse(saved) as Kept) : this.memory
  }

  /** Call with everything that the server shows, before anything is sent. */
  see({ status, dice }: Shown): void {
    if (status === 'lobby' && dice.commitment && !this.kept.commitment) {
      this.keep({ commitment: dice.commitment })
    }
  }

  /** The command to sit down: it commits to this browser's part, where the dice want one. */
  sit(seat: number) {
    const { entropy, commitment } = this.kept
    if (!commitment) return { type: 'sit', seat, entropy } as const
    this.keep({ seat })
    return { type: 'sit', seat, commitment: entropyCommitment(commitment, seat, entropy) } as const
  }

  /** The command to reveal this browser's part: once everything else is fixed, and as it was. */
  reveal({ starting, dice }: Shown, seat: number | null) {
    const { entropy, commitment, commitments } = this.kept
    if (!starting || seat === null || !commitment || dice.entropies[seat]) return null
    const mine = entropyCommitment(commitment, seat, entropy)
    if (dice.commitment !== commitment || dice.commitments[seat] !== mine) return null
    if (!commitments) this.keep({ commitments: dice.commitments, entropies: dice.entropies })
    return { type: 'reveal', entropy } as const
  }

  private keep(more: Partial<Kept>): void {
    this.memory = { ...this.kept, ...more }
    try {
      this.storage?.setItem(`fair.${this.id}`, JSON.stringify(this.memory))
    } catch {
      // Without storage it is known as long as the page is.
    }
  }

  private read(place: string): string | null {
    try {
      return this.storage?.getItem(place) ?? null
    } catch {
      return null
    }
  }
}

function browserStorage(): Storage | null {
  try {
    return localStorage
  } catch {
    return null
  }
}
