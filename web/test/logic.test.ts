import { createHash, createHmac } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { bins, scaleFor } from '../src/lib/chart'
import { NOTHING, candidates, chosen, offered, stillValid, touchCell, touchDie, usableDice } from '../src/lib/choice'
import { draw, nearest } from '../src/lib/drawing'
import { diceFacts, keptPromise, SecretDice, verify } from '../src/lib/fair'
import type { Area, Place } from '../src/lib/game'
import { readBonus } from '../src/lib/game'
import { lessonFor } from '../src/lib/lessons'
import { readRules } from '../src/lib/markdown'
import { stepFrom } from '../src/lib/moment'
import { hex, hmac, sha256, unhex, utf8 } from '../src/lib/sha256'
import { fill, pick } from '../src/lib/words'

function place(action: string, die: string | null, cell: string | null): Place {
  return { action, die, area: null, cell, mark: 1 }
}

const LEGAL = [
  place('pass', null, null),
  place('reroll', null, null),
  place('w>y3a', 'w', 'y3a'),
  place('w>y3b', 'w', 'y3b'),
  place('y>y3a', 'y', 'y3a'),
  place('g>g', 'g', 'g4'),
]

describe('choosing', () => {
  it('offers the dice that have an action', () => {
    expect([...usableDice(LEGAL)]).toEqual(['w', 'y', 'g'])
  })
  it('chooses a die with one place at once', () => {
    expect(chosen(LEGAL, touchDie(NOTHING, 'g'))?.action).toBe('g>g')
    expect(chosen(LEGAL, touchDie(NOTHING, 'w'))).toBeNull()
    expect(chosen(LEGAL, NOTHING)).toBeNull()
  })
  it('narrows by cell, and keeps the die only where it fits', () => {
    const white = touchDie(NOTHING, 'w')
    expect([...offered(LEGAL, white)]).toEqual(['y3a', 'y3b'])
    expect(chosen(LEGAL, touchCell(LEGAL, white, 'y3b'))?.action).toBe('w>y3b')
    expect(touchCell(LEGAL, white, 'g4')).toEqual({ die: null, cell: 'g4', action: null })
  })
  it('asks which die, where two fit one cell', () => {
    const touch = touchCell(LEGAL, NOTHING, 'y3a')
    expect(candidates(LEGAL, touch).map((one) => one.action)).toEqual(['w>y3a', 'y>y3a'])
    expect(chosen(LEGAL, touch)).toBeNull()
  })
  it('asks which value, where one cell takes several', () => {
    const legal = [place('+b=2', null, 'b1'), place('+b=3', null, 'b1')]
    const touch = touchCell(legal, NOTHING, 'b1')
    expect(chosen(legal, touch)).toBeNull()
    expect(chosen(legal, { ...touch, action: '+b=3' })?.action).toBe('+b=3')
  })
  it('lets go of what is no longer possible', () => {
    const touch = touchDie(NOTHING, 'g')
    expect(stillValid(LEGAL, touch)).toBe(touch)
    expect(stillValid([], touch)).toBe(NOTHING)
    expect(touchDie(touch, 'g')).toBe(NOTHING)
  })
})

describe('hashes', () => {
  it('agrees with the platform for all lengths around a block', () => {
    for (let length = 0; length < 200; length++) {
      const bytes = Uint8Array.from({ length }, (_, i) => (i * 7 + length) & 255)
      expect(hex(sha256(bytes))).toBe(createHash('sha256').update(bytes).digest('hex'))
      expect(hex(hmac(bytes, utf8('throw 0 1 0')))).toBe(
        createHmac('sha256', bytes).update('throw 0 1 0').digest('hex'),
      )
    }
  })
  it('refuses what is not hexadecimal', () => {
    expect(() => unhex('0g')).toThrow()
    expect(hex(unhex('00ff'))).toBe('00ff')
  })
})

describe('fair dice', () => {
  const secret = '00112233445566778899aabbccddeeff'
  const commitment = createHash('sha256').update(unhex(secret)).digest('hex')
  const record = `foxtray 1\ndice secret ${commitment}\nentropy 1 0102\nentropy 2 \nsecret ${secret}\n`

  it('reads a record and checks its promise', () => {
    const facts = diceFacts(record)!
    expect(facts.entropies).toEqual(['0102', ''])
    expect(keptPromise(facts)).toBe(true)
    expect(keptPromise({ ...facts, secret: secret.replace('0', '1') })).toBe(false)
    expect(diceFacts('foxtray 1\ndice seed 7\n')).toBeNull()
  })
  it('gives the faces that Python gives', () => {
    // python: SecretDice(bytes.fromhex(secret), (bytes([1, 2]), b"")).throw(turn, 1, 0).faces
    const dice = new SecretDice(diceFacts(record)!)
    expect(dice.faces(0, 1, 0)).toEqual(PYTHON_FACES[0])
    expect(dice.faces(11, 0, 0)).toEqual(PYTHON_FACES[1])
    expect(dice.faces(3, 2, 4)).toEqual(PYTHON_FACES[2])
  })
  it('finds a roll that does not follow, or that the record does not have', () => {
    const right = { turn: 3, roll: 2, reroll: 4, faces: PYTHON_FACES[2]! }
    const told = (...rolls: string[]) => ({ ...diceFacts(record)!, rolls })
    const text = right.faces.join('')
    expect(verify(told(text), [right])).toEqual({ promise: true, throws: 1, wrong: 0 })
    const other = { ...right, faces: [6, ...right.faces.slice(1)] }
    expect(verify(told(`6${text.slice(1)}`), [other]).wrong).toBe(1)
    expect(verify(told(text), [other]).wrong).toBe(1)
    expect(verify(told(text, text), [right]).wrong).toBe(1)
    // A die that was not rolled shows nothing.
    const one = { ...right, faces: right.faces.map((face, i) => (i === 1 ? face : 0)) }
    expect(verify(told(`-${text[1]}----`), [one]).wrong).toBe(0)
  })
})
const PYTHON_FACES = [[3, 2, 5, 4, 3, 2], [4, 1, 5, 2, 4, 1], [3, 2, 4, 1, 2, 3]]

describe('drawing', () => {
  const row: Area = {
    colour: 'green', letter: 'g', grid: false, entry: 'at_least', writes: 'cross', scores: 'count',
    adds_joker: false, row_dice: [], rows: 1, columns: 11, printed: [], lines: [],
    points: [0, 1, 3, 6, 10, 15, 21, 28, 36, 45, 55, 66],
    cells: Array.from({ length: 11 }, (_, i) => ({
      name: `g${i + 1}`, row: 0, column: i, number: 0, minimum: 1, factor: 1,
      bonus: i === 3 ? 'extra' : null, bonus_minimum: 0,
    })),
  }
  it('wraps a long row', () => {
    expect(draw(row, 12).width).toBe(11)
    const wrapped = draw(row, 6)
    expect(wrapped.width).toBe(6)
    expect(wrapped.cells[6]!.box.x).toBeCloseTo(wrapped.cells[0]!.box.x)
    expect(wrapped.cells[6]!.box.y).toBeGreaterThan(wrapped.cells[0]!.box.y)
    expect(wrapped.height).toBeCloseTo(2 * draw(row, 12).height)
  })
  it('takes a touch beside a cell for the nearest one, within reach', () => {
    const { cells } = draw(row, 12)
    const among = [cells[2]!, cells[4]!]
    expect(nearest(among, 2.5, 1, 0.8)?.name).toBe('g3')
    expect(nearest(among, 3.4, 1, 1.5)?.name).toBe('g3')
    expect(nearest(among, 3.6, 1, 1.5)?.name).toBe('g5')
    expect(nearest(among, 4.5, 2.5, 0.8)).toBeNull()
    expect(nearest([], 4.5, 1, 9)).toBeNull()
  })
})

describe('words', () => {
  it('fills in and picks plural forms', () => {
    expect(fill('en-GB', '{n} {n#point|points} for {name}', { n: 1, name: 'A' })).toBe('1 point for A')
    expect(fill('sr-Latn', '{n#poen|poena|poena}', { n: 22 })).toBe('poena')
    expect(fill('sr-Latn', '{n#osoba gleda|osobe gledaju|osoba gleda}', { n: 3 })).toBe('osobe gledaju')
    expect(fill('de', '{n#Punkt|Punkte}', { n: 0 })).toBe('Punkte')
    expect(fill('en-GB', 'no {such}', {})).toBe('no {such}')
  })
  it('does not fill in what a name contains', () => {
    expect(fill('en-GB', '{name} wins', { name: '{n}', n: 3 })).toBe('{n} wins')
  })
  it('picks a language from those a browser wants', () => {
    const known = ['en', 'de', 'nl', 'sr'] as const
    expect(pick(['fr', 'de-AT'], known, 'en')).toBe('de')
    expect(pick(['hr-HR'], known, 'en')).toBe('sr')
    expect(pick(['fr'], known, 'en')).toBe('en')
  })
})

describe('small things', () => {
  it('reads bonuses', () => {
    expect(readBonus('orange=4')).toEqual({ kind: 'mark', area: 'orange', value: 4 })
    expect(readBonus('return')).toEqual({ kind: 'action', track: 'return' })
    expect(readBonus('fox')).toEqual({ kind: 'fox' })
  })
  it('reads rules without ever making HTML', () => {
    const blocks = readRules('# Title\n\n## 1. One\n\n1.1 Some *word*\nand <b>more</b> `code`.\n')
    expect(blocks.map((block) => [block.kind, block.number])).toEqual([
      ['title', ''], ['section', '1'], ['clause', '1.1'],
    ])
    expect(blocks[2]!.spans.map((span) => [span.style, span.text])).toEqual([
      ['plain', 'Some '], ['em', 'word'], ['plain', ' and <b>more</b> '], ['code', 'code'], ['plain', '.'],
    ])
  })
  it('scales charts in round numbers', () => {
    expect(scaleFor([0, 187]).ticks).toEqual([0, 50, 100, 150, 200])
    expect(scaleFor([-12, 90]).low).toBeLessThanOrEqual(-12)
    expect(scaleFor([338.1, 51], 3, null).ticks).toEqual([0, 100, 200, 300, 400])
    expect(scaleFor([273, 266], 3, null).ticks).toEqual([265, 270, 275])
    expect(bins([101, 119, 140]).map((bin) => bin.count)).toEqual([2, 0, 1])
    expect(bins([])).toEqual([])
  })
  it('reads the step of a replay, whatever an address says', () => {
    const texts = [null, '7', '99', '-3', '2.5', 'abc', '']
    expect(texts.map((text) => stepFrom(text, 40))).toEqual([0, 7, 40, 0, 2, 0, 0])
    expect(stepFrom('7', -1)).toBe(0)
  })
  it('knows where a lesson stands', () => {
    const lesson = { inputs: ['roll', 'y>y4b'], text: ['Roll.', 'Take yellow.', 'That is all.'] }
    const entry = { seq: 1, at: 0, what: 'threw' as const }
    const after = (count: number) => lessonFor(lesson, Array.from({ length: count }, () => entry))
    expect([0, 1, 2, 3].map(after)).toEqual([
      { number: 1, of: 3, expect: 'roll', text: 'Roll.' },
      { number: 2, of: 3, expect: 'y>y4b', text: 'Take yellow.' },
      { number: 3, of: 3, expect: null, text: 'That is all.' },
      null,
    ])
  })
})
