import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { Acting } from '../src/lib/acting.svelte'
import { NOTHING } from '../src/lib/choice'
import { Choosing } from '../src/lib/choosing.svelte'
import type { Place } from '../src/lib/game'
import { begin } from '../src/lib/i18n.svelte'
import { News } from '../src/lib/news.svelte'
import { Table } from '../src/lib/table.svelte'
import type { Sheet } from '../src/lib/game'
import { fakeWorld } from './world'

const place = (action: string, die: string | null, cell: string | null): Place => ({
  action, die, area: null, cell, mark: 1,
})
const ENTRIES = [place('a>x1', 'a', 'x1'), place('a>x2', 'a', 'x2'), place('b>x2', 'b', 'x2')]
const WINDOW = [place('pass', null, null), place('return:a', 'a', null)]

interface Moment {
  legal?: Place[]
  stage?: string
  rolling?: string[]
  places?: string[]
}

function sit(moment: Moment) {
  const fake = fakeWorld()
  const table = new Table('table', '', fake.world)
  const choosing = new Choosing(table)
  const acting = new Acting(table, choosing)
  table.open()
  let seq = 0
  const stand = ({ legal = [], stage = 'pick', rolling = [], places = ['pool'] }: Moment) => {
    const game = { awaiting: legal.length ? [0] : [], rolling, active: 0, places, seats: [{ legal, stage }] }
    const standing = { undo: [], deadlines: {}, game }
    if (!seq) {
      fake.receive({ ...standing, type: 'snapshot', seq: ++seq, you: { seat: 0, guests: [] }, table: { seats: [], dice: { kind: 'secret' } }, entries: [] })
    } else {
      const entries = [{ seq: seq + 1, at: 0, what: 'played' }]
      fake.receive({ ...standing, type: 'update', previous: seq, seq: ++seq, entries })
    }
    choosing.settle()
  }
  stand(moment)
  const sent = () => fake.last().sent.filter((message) => !['preview', 'ping'].includes(message.type as string))
  const answer = async () => {
    fake.receive({ type: 'ack', id: sent().at(-1)!.id, seq })
    await Promise.resolve()
    await Promise.resolve()
  }
  return { ...fake, table, choosing, acting, stand, sent, answer }
}

beforeEach(() => {
  vi.stubGlobal('document', new EventTarget())
  vi.stubGlobal('window', new EventTarget())
})
afterEach(() => void vi.unstubAllGlobals())

describe('choosing', () => {
  it('goes from a die to a cell to one action', () => {
    const { choosing } = sit({ legal: ENTRIES })
    expect([...choosing.usable]).toEqual(['a', 'b'])
    expect(choosing.firm).toBe(false)
    choosing.touchDie('a')
    expect([...choosing.places]).toEqual(['x1', 'x2'])
    expect(choosing.options.map((one) => one.action)).toEqual(['a>x1', 'a>x2'])
    expect(choosing.picked).toBeNull()
    choosing.touchCell('x2')
    expect(choosing.picked?.action).toBe('a>x2')
    choosing.touchDie('a')
    expect(choosing.touch).toBe(NOTHING)
  })

  it('offers a choice where one cell takes two dice', () => {
    const { choosing } = sit({ legal: ENTRIES })
    choosing.touchCell('x2')
    expect(choosing.picked).toBeNull()
    expect(choosing.options.map((one) => one.action)).toEqual(['a>x2', 'b>x2'])
    choosing.touchChoice(choosing.options[1]!)
    expect(choosing.picked?.action).toBe('b>x2')
  })

  it('shows what a look at a cell would pick, and picks nothing by it', () => {
    const { choosing } = sit({ legal: ENTRIES })
    choosing.peek = 'x1'
    expect(choosing.shown?.action).toBe('a>x1')
    expect(choosing.picked).toBeNull()
  })

  it('lets go of what is no longer legal, for good', () => {
    const it = sit({ legal: ENTRIES })
    it.choosing.touchDie('a')
    it.stand({ legal: [ENTRIES[2]!] })
    expect(it.choosing.touch).toBe(NOTHING)
    it.stand({ legal: ENTRIES })
    expect(it.choosing.touch).toBe(NOTHING)
  })

  it('takes a bonus with only one place for chosen', () => {
    expect(sit({ legal: [place('+x1', null, 'x1')] }).choosing.picked?.action).toBe('+x1')
    expect(sit({ legal: [place('a>x1', 'a', 'x1')] }).choosing.picked).toBeNull()
    expect(sit({ legal: [place('+x1', null, 'x1'), place('+x2', null, 'x2')] }).choosing.picked).toBeNull()
  })

  it('takes a die back by touching it, where that is possible', () => {
    const { choosing, acting } = sit({ legal: WINDOW, stage: 'window' })
    expect(choosing.ready.has('return')).toBe(true)
    choosing.touchDie('a')
    expect(choosing.picked?.action).toBe('return:a')
    expect(acting.label).toBe('act.return')
  })
})

describe('acting', () => {
  it('enters what is picked, once, and lets go of it when that is answered', async () => {
    const { choosing, acting, sent, answer } = sit({ legal: ENTRIES })
    expect(acting.can).toBe(false)
    choosing.touchCell('x1')
    acting.main()
    acting.main()
    acting.pass()
    expect(sent()).toMatchObject([{ type: 'play', action: 'a>x1' }])
    expect(sent()[0]).not.toHaveProperty('roll')
    expect(acting.pressed).toBe('primary')
    expect(choosing.picked?.action).toBe('a>x1')
    await answer()
    expect(choosing.touch).toBe(NOTHING)
    expect(acting.pressed).toBeNull()
  })

  it('keeps what was touched meanwhile', async () => {
    const { choosing, acting, answer } = sit({ legal: ENTRIES })
    choosing.touchCell('x1')
    acting.main()
    choosing.touchDie('b')
    await answer()
    expect(choosing.touch.die).toBe('b')
  })

  it('enters a picked cell that is touched again', () => {
    const { acting, sent } = sit({ legal: ENTRIES })
    acting.touchCell('x1')
    expect(sent()).toEqual([])
    acting.touchCell('x1')
    expect(sent()).toMatchObject([{ type: 'play', action: 'a>x1' }])
  })

  it('rolls again with one command', () => {
    const { acting, sent } = sit({ legal: [place('reroll', null, null), ...ENTRIES] })
    acting.reroll()
    expect(sent()).toMatchObject([{ type: 'play', action: 'reroll', roll: true }])
    expect(acting.pressed).toBe('reroll')
  })

  it('goes on to the next roll with one command', () => {
    const { acting, sent } = sit({ legal: WINDOW, stage: 'window' })
    expect([acting.label, acting.can, acting.mayPass]).toEqual(['act.roll', true, false])
    acting.main()
    expect(sent()).toMatchObject([{ type: 'play', action: 'pass', roll: true }])
    expect(acting.pressed).toBe('primary')
    expect(sit({ legal: WINDOW, stage: 'window', places: ['tray'] }).acting.label).toBe('act.end_rolls')
  })

  it('passes elsewhere without a roll', () => {
    const { acting, sent } = sit({ legal: [place('pass', null, null), ...ENTRIES], stage: 'extra' })
    expect([acting.passLabel, acting.mayPass]).toEqual(['act.done', true])
    acting.pass()
    expect(sent()[0]).toMatchObject({ type: 'play', action: 'pass' })
    expect(sent()[0]).not.toHaveProperty('roll')
    expect(acting.pressed).toBe('pass')
  })

  it('answers what was on the screen when it was pressed', async () => {
    const { acting, choosing, table, stand, sent, receive } = sit({ legal: ENTRIES })
    choosing.touchCell('x1')
    acting.main()
    expect(sent()).toMatchObject([{ type: 'play', seen: 1 }])
    stand({ legal: ENTRIES }) // another window was faster
    receive({ type: 'refused', id: sent()[0]!.id, code: 'stale', message: '' })
    await new Promise((done) => setTimeout(done))
    expect(table.refusal?.code).toBe('stale')
    expect(choosing.touch).toBe(NOTHING)
    acting.undo()
    expect(sent()[1]).toMatchObject({ type: 'undo', seen: 2 })
    const rolling = sit({ rolling: ['a'] })
    rolling.acting.main()
    expect(rolling.sent()).toMatchObject([{ type: 'roll', seen: 1 }])
  })

  it('throws the dice where they are wanted', () => {
    const { acting, sent } = sit({ rolling: ['a', 'b'] })
    expect([acting.label, acting.can, acting.myTurn]).toEqual(['act.roll', true, true])
    acting.main()
    expect(sent()).toMatchObject([{ type: 'roll' }])
  })
})

describe('news', () => {
  it('says what happened, then what is asked for', async () => {
    vi.stubGlobal('document', { documentElement: {}, addEventListener() {} })
    await begin('en')
    const { table } = sit({ legal: ENTRIES })
    const sheet = { dice: [], areas: [] } as unknown as Sheet
    const news = new News(table, sheet, () => 'Choose.')
    news.hear([
      { seq: 1, at: 0, what: 'threw', events: [{ event: 'thrown', dice: ['a'], faces: [3], roll: 1, reroll: 0 }] },
      { seq: 2, at: 0, what: 'played', events: [{ event: 'game_ended' }] },
    ])
    expect([...news.tumbling]).toEqual(['a'])
    expect(news.spoken).toMatch(/^Roll 1: .* The game is over\. Choose\.$/)
  })
})
