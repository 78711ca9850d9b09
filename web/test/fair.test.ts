import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { de } from '../src/i18n/de'
import { en } from '../src/i18n/en'
import { nl } from '../src/i18n/nl'
import { sr } from '../src/i18n/sr'
import {
  diceFacts, judge, keptPromise, SecretDice, verify, type DiceFacts, type Verdict,
} from '../src/lib/fair'
import { entropyCommitment, Witness, type Shown } from '../src/lib/witness'

const page = readFileSync(new URL('../../docs/fair-dice.md', import.meta.url), 'utf8')
const RECORD = /```fox\n(.*?)```/s.exec(page)![1]!
const FACTS = diceFacts(RECORD)!
const [MINE, OTHER] = FACTS.entropies as [string, string]
const RIGHT: Verdict = { promise: true, throws: 3, wrong: 0 }

function storage() {
  const kept = new Map<string, string>()
  return {
    kept,
    getItem: (place: string) => kept.get(place) ?? null,
    setItem: (place: string, text: string) => void kept.set(place, text),
  }
}

/** A witness with the entropy of the example's first seat. */
function witness(saved = storage()) {
  if (!saved.kept.has('fair.t')) saved.kept.set('entropy.t', MINE)
  return new Witness('t', saved)
}

function shown(more: Partial<Shown> = {}, dice: Partial<Shown['dice']> = {}): Shown {
  const { commitment, commitments } = FACTS
  return {
    status: 'lobby',
    starting: false,
    dice: { commitment, commitments, entropies: [], again: false, ...dice },
    ...more,
  }
}

const STARTING = shown({ starting: true }, { entropies: ['', ''] })

/** A browser that was there from the lobby to the start. */
function whole() {
  const one = witness()
  one.see(shown())
  one.sit(0)
  one.reveal(STARTING, 0)
  return one
}

describe('the worked example of docs/fair-dice.md', () => {
  it('is right', () => {
    expect(keptPromise(FACTS)).toBe(true)
    expect(FACTS).toMatchObject({ format: 2, first: 1, seats: 2 })
    expect(new SecretDice(FACTS).faces(0, 1, 0)).toEqual([3, 5, 5, 2, 3, 3])
    expect(new SecretDice(FACTS).first(2)).toBe(1)
    expect(entropyCommitment(FACTS.commitment, 1, OTHER)).toBe(FACTS.commitments[1])
  })
  it.each([
    ['entropy', { entropies: [MINE, MINE] }],
    ['a commitment', { commitments: [FACTS.commitments[1]!, FACTS.commitments[0]!] }],
    ['who began', { first: 2 }],
    ['the secret', { secret: FACTS.secret.replace('00', '11') }],
  ] as [string, Partial<DiceFacts>][])('is wrong with another %s', (_, change) => {
    expect(keptPromise({ ...FACTS, ...change })).toBe(false)
    expect(verify({ ...FACTS, ...change }, []).promise).toBe(false)
  })
  it('needs no commitments and promises no first seat in the first format', () => {
    expect(keptPromise({ ...FACTS, format: 1, first: 2, commitments: [] })).toBe(true)
  })
})

it.each(Object.entries({ en, de, nl, sr }))('the page and the document tell the same limits: %s', (_, words) => {
  expect(page).toContain(words['fair.limits'])
})

describe('a witness', () => {
  it('commits to its part, for this table and this seat', () => {
    const one = witness()
    one.see(shown())
    expect(one.sit(0)).toEqual({ type: 'sit', seat: 0, commitment: FACTS.commitments[0] })
    expect(one.sit(1)).not.toMatchObject({ commitment: FACTS.commitments[0] })
  })
  it('gives its part at once where the dice have no secret', () => {
    const one = witness()
    one.see(shown({}, { commitment: null }))
    expect(one.sit(0)).toEqual({ type: 'sit', seat: 0, entropy: MINE })
  })
  it('keeps what it saw first, after a reload and in another window too', () => {
    const saved = storage()
    const one = witness(saved)
    const other = witness(saved)
    one.see(shown())
    other.see(shown({}, { commitment: 'f'.repeat(64) }))
    expect(witness(saved).kept).toEqual({ entropy: MINE, commitment: FACTS.commitment })
    one.sit(0)
    one.reveal(STARTING, 0)
    other.reveal(shown({ starting: true }, { entropies: ['', OTHER] }), 0)
    expect(witness(saved).kept.entropies).toEqual(['', ''])
  })
  it('draws a part of its own for each table, without storage too', () => {
    const parts = ['a', 'b'].map((id) => new Witness(id, null).kept.entropy)
    expect(parts[0]).toMatch(/^[0-9a-f]{32}$/)
    expect(parts[0]).not.toBe(parts[1])
    const broken = {
      getItem: () => { throw new Error('denied') },
      setItem: () => { throw new Error('denied') },
    }
    const one = new Witness('t', broken)
    one.see(shown())
    expect(one.kept.commitment).toBe(FACTS.commitment)
  })
  it('reveals at the start and not before', () => {
    const one = witness()
    one.see(shown())
    one.sit(0)
    expect(one.reveal(shown(), 0)).toBeNull()
    expect(one.reveal(STARTING, null)).toBeNull()
    expect(one.reveal(STARTING, 0)).toEqual({ type: 'reveal', entropy: MINE })
    expect(one.reveal(shown({ starting: true }, { entropies: [MINE, ''] }), 0)).toBeNull()
  })
  it('reveals nothing to a server that shows something else than before', () => {
    const one = witness()
    one.see(shown())
    one.sit(0)
    const other = { entropies: ['', ''], commitment: 'f'.repeat(64) }
    expect(one.reveal(shown({ starting: true }, other), 0)).toBeNull()
    const seats = { entropies: ['', ''], commitments: [FACTS.commitments[1]!, ''] }
    expect(one.reveal(shown({ starting: true }, seats), 0)).toBeNull()
    expect(one.kept.commitments).toBeUndefined()
  })
  it('has seen no start of a game that it joins later', () => {
    const one = witness()
    one.see(shown({ status: 'playing' }))
    expect(one.kept.commitment).toBeUndefined()
  })
})

describe('a judgement', () => {
  const of = (facts: Partial<DiceFacts> = {}, verdict = RIGHT, seat: number | null = 0, kept = whole().kept) =>
    judge({ ...FACTS, ...facts }, verdict, kept, seat, null)

  it('is yes for a browser that saw everything', () => {
    expect(of()).toEqual({ fair: 'yes', reasons: [], changed: [], leftOut: [], inClear: [] })
  })
  it('is no for rolls or promises that do not follow', () => {
    expect(of({}, { ...RIGHT, wrong: 1 })).toMatchObject({ fair: 'no', reasons: ['fair.bad'] })
    expect(of({}, { ...RIGHT, promise: false })).toMatchObject({ fair: 'no', reasons: ['fair.bad'] })
  })
  it('is no where the server chose its secret after it knew all numbers', () => {
    // Such a server writes commitments of the seats that fit; the record agrees with itself.
    const commitment = 'f'.repeat(64)
    const commitments = FACTS.entropies.map((text, i) => entropyCommitment(commitment, i, text))
    expect(of({ commitment, commitments })).toMatchObject({
      fair: 'no', reasons: ['fair.other_secret'], changed: [1],
    })
  })
  it('is no where a seat chose its number after mine was known', () => {
    const chosen = '5'.repeat(32)
    const commitments = [FACTS.commitments[0]!, entropyCommitment(FACTS.commitment, 1, chosen)]
    expect(of({ commitments, entropies: [MINE, chosen] })).toMatchObject({ fair: 'no', changed: [1] })
  })
  it('is no where a number that was given in clear, or a bot’s, was changed', () => {
    const one = witness()
    one.see(shown())
    one.sit(0)
    const commitments = [FACTS.commitments[0]!, '']
    for (const before of ['', OTHER]) {
      one.reveal(shown({ starting: true }, { commitments, entropies: ['', before] }), 0)
      const { kept } = one
      const then = { ...kept, entropies: ['', before] }
      const now = { commitments, entropies: [MINE, '5'.repeat(32)] }
      expect(of(now, RIGHT, 0, then)).toMatchObject({ fair: 'no', changed: [1] })
      const same = of({ commitments, entropies: [MINE, before] }, RIGHT, 0, then)
      expect(same).toMatchObject({ fair: 'yes', changed: [], inClear: before ? [1] : [] })
    }
  })
  it('is no where my number was not used', () => {
    const entropies = ['5'.repeat(32), OTHER]
    expect(of({ entropies })).toMatchObject({ fair: 'no', reasons: ['fair.not_mine'] })
  })
  it('names a seat that did not reveal', () => {
    expect(of({ entropies: [MINE, ''] })).toMatchObject({ fair: 'yes', leftOut: [1], changed: [] })
  })
  it('proves nothing to a browser that was left out', () => {
    const late = of({ entropies: ['', OTHER] })
    expect(late).toMatchObject({ fair: 'partly', reasons: ['fair.late'], leftOut: [0] })
    const one = witness()
    one.see(shown())
    one.sit(0)
    expect(of({ entropies: ['', OTHER] }, RIGHT, 0, one.kept)).toMatchObject({ reasons: ['fair.late'] })
  })
  it('proves little to one who watched, came later or plays on another device', () => {
    const unseen = { fair: 'partly', reasons: ['fair.unseen'] }
    expect(of({}, RIGHT, null)).toMatchObject(unseen)
    expect(of({}, RIGHT, 0, witness().kept)).toMatchObject(unseen)
    const lobby = new Witness('other', null)
    lobby.see(shown())
    expect(of({}, RIGHT, 0, lobby.kept)).toMatchObject(unseen)
    // Whoever watched from the beginning still notices another secret.
    expect(of({ commitment: 'f'.repeat(64) }, RIGHT, null, lobby.kept)).toMatchObject({ fair: 'no' })
  })
  it('says that the dice of an earlier game may be known', () => {
    const judged = judge({ ...FACTS, format: 1, commitments: [] }, RIGHT, witness().kept, 0, 'again')
    expect(judged).toMatchObject({ fair: 'partly', reasons: ['fair.again'] })
    const daily = judge({ ...FACTS, format: 1, commitments: [] }, RIGHT, witness().kept, 0, 'daily')
    expect(daily).toMatchObject({ fair: 'partly', reasons: ['fair.daily'] })
  })
})
