import { describe, expect, it } from 'vitest'
import { tieOf } from '../src/lib/real_dice'
import { Table } from '../src/lib/table.svelte'
import { fakeWorld } from './world'

const rolled = (...faces: number[]) => faces.map((face, die) => [die, face] as [number, number])

describe('equal dice in solo serving', () => {
  it('leave nothing open where the three lowest are known', () => {
    expect(tieOf(rolled(1, 2, 3, 4, 5, 6))).toBeNull()
    expect(tieOf(rolled(3, 3, 3, 4, 5, 6))).toBeNull()
    expect(tieOf(rolled(1, 1, 2, 4, 4, 4))).toBeNull()
  })
  it('are asked for where they lie at the border', () => {
    expect(tieOf(rolled(1, 4, 4, 6, 4, 2))).toEqual({ dice: [1, 2, 4], take: 1 })
    expect(tieOf(rolled(5, 5, 5, 5, 5, 5))).toEqual({ dice: [0, 1, 2, 3, 4, 5], take: 3 })
  })
})

describe('a table with guests', () => {
  const seat = { kind: 'human', bot: null, ready: true, stand_in: null }
  const info = {
    seats: [{ ...seat, guest: false }, { ...seat, guest: true }, { ...seat, guest: false }],
    dice: { kind: 'real' },
  }
  const game = (active: number, rolling: string[], awaiting: number[]) => ({ active, rolling, awaiting, seats: [{}, {}, {}] })

  function sit() {
    const fake = fakeWorld()
    const table = new Table('t', '', fake.world)
    table['connection'].open()
    const told = (now: object) =>
      fake.receive({ type: 'snapshot', seq: 1, you: { seat: 0, guests: [1] }, table: info, game: now, undo: [], deadlines: {}, present: [], absent: [], watching: 0, thinking: false, entries: [] } as never)
    return { fake, table, told }
  }

  it('goes to whom the game waits for', () => {
    const { table, told } = sit()
    told(game(1, ['w'], []))
    expect(table.seat).toBe(1)
    expect(table.mayEnter).toBe(true)
    told(game(1, [], [0, 1]))
    expect(table.seat).toBe(1)
    told(game(1, [], [0]))
    expect(table.seat).toBe(0)
    told(game(2, ['w'], []))
    expect(table.mayEnter).toBe(false)
  })
  it('names the seat of a guest in a command', () => {
    const { fake, table, told } = sit()
    told(game(1, [], [1]))
    void table.send({ type: 'play', action: 'w@y:1' })
    const sent = fake.last().sent.filter((message) => message.type === 'play')
    expect(sent).toMatchObject([{ action: 'w@y:1', seat: 1 }])
    expect(fake.last().sent.filter((message) => message.type === 'preview')).toMatchObject([{ seat: 1 }])
  })
})
