import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { Table } from '../src/lib/table.svelte'
import { fakeWorld } from './world'

const game = { awaiting: [0], rolling: [], active: 0, seats: [] }
const standing = { undo: [], deadlines: {}, game }
const snapshot = { ...standing, type: 'snapshot', seq: 1, you: { seat: 0, guests: [] }, entries: [] }
const update = (previous: number, seq: number) => {
  const entries = seq > previous ? [{ seq, at: 0, what: 'played' }] : []
  return { ...standing, type: 'update', previous, seq, entries }
}

function sit(kept = '') {
  const fake = fakeWorld(kept)
  const table = new Table('table', '', fake.world)
  table.open()
  fake.receive(snapshot)
  const sent = (type: string) => fake.last().sent.filter((message) => message.type === type)
  return { ...fake, table, sent }
}

beforeEach(() => {
  vi.stubGlobal('document', new EventTarget())
  vi.stubGlobal('window', new EventTarget())
})
afterEach(() => void vi.unstubAllGlobals())

describe('a table', () => {
  it('knows from the server when somebody counts as absent', () => {
    const it = sit()
    it.receive({ type: 'greeting', protocol: 1, version: '', time: 0, absence: 0.5 })
    expect(it.table.absence).toBe(0.5)
  })

  it('knows what was pressed until it is answered, after a reload too', async () => {
    const before = sit()
    const answer = before.table.send({ type: 'undo' })
    expect(before.table.unanswered).toEqual([{ type: 'undo' }])
    const after = sit(before.saved.text)
    expect(after.table.waiting).toBe(true)
    expect(after.table.unanswered).toEqual([{ type: 'undo' }])
    for (const it of [before, after]) {
      it.receive({ type: 'ack', id: it.sent('undo')[0]!.id, seq: 2 })
      expect(it.table.waiting).toBe(false)
    }
    expect(await answer).toMatchObject({ ok: true })
  })

  it('forgets a refusal when the game goes on', async () => {
    const it = sit()
    const answer = it.table.send({ type: 'roll' })
    it.receive({ type: 'refused', id: it.sent('roll')[0]!.id, code: 'no_throw', message: '' })
    await answer
    it.receive(update(1, 1))
    expect(it.table.refusal?.code).toBe('no_throw')
    it.receive(update(1, 2))
    expect(it.table.refusal).toBeNull()
  })

  it('keeps what is news while nothing new is told', () => {
    const it = sit()
    it.receive(update(1, 2))
    const { news } = it.table
    expect(news.map(({ seq }) => seq)).toEqual([2])
    it.receive(update(2, 2)) // the answer to a hello that says that legal actions are known
    expect(it.table.news).toBe(news)
  })

  it('knows that a seat which is open now is not mine', () => {
    const it = sit()
    it.receive({ ...update(1, 2), table: { seats: [{ kind: 'human' }] } })
    expect(it.table.seat).toBe(0)
    it.receive({ ...update(2, 3), table: { seats: [{ kind: 'open' }] } })
    expect(it.table.seat).toBeNull()
  })

  it('asks once more for the previews that a lost line did not bring', () => {
    const it = sit()
    expect(it.sent('preview').length).toBe(1)
    it.last().onclose!({ code: 1006 })
    it.pass(2000)
    it.receive(update(1, 1))
    const [asked, ...more] = it.sent('preview')
    expect(more).toEqual([])
    it.receive({ type: 'previews', id: asked!.id, seq: 1, actions: [{ action: 'g>g' }] })
    expect([...it.table.previews.keys()]).toEqual(['g>g'])
    it.receive(update(1, 1))
    expect(it.sent('preview').length).toBe(1)
  })
})
