import { describe, expect, it } from 'vitest'
import { Connection, RESEND_MS, SILENCE_MS, type Line } from '../src/lib/connection'
import { CLOSE_GONE, PROTOCOL, type FromServer, type Problem } from '../src/lib/wire'
import { fakeWorld } from './world'

function setUp(kept = '') {
  const fake = fakeWorld(kept)
  const seen: FromServer[] = []
  const lines: Line[] = []
  const refusals: Problem[] = []
  let outdated = 0
  const times: number[] = []
  const connection = new Connection(
    fake.world,
    {
      message: (message) => void seen.push(message),
      line: (line) => void lines.push(line),
      refused: (refusal) => void refusals.push(refusal),
      unanswered: () => undefined,
      outdated: () => void outdated++,
      time: (ms) => void times.push(ms),
    },
    'key',
  )
  return { ...fake, connection, seen, lines, refusals, times, outdated: () => outdated }
}

const HELLO = { type: 'hello', key: 'key', patches: true, legal: 'mine' }
const snapshot = (seq: number) => ({ type: 'snapshot', seq })
const update = (previous: number, seq: number) => ({ type: 'update', previous, seq, entries: [] })

describe('connection', () => {
  it('says hello and takes a snapshot', () => {
    const it = setUp()
    it.connection.open()
    it.last().onopen!(undefined as never)
    expect(it.last().sent).toEqual([{ ...HELLO, since: null }])
    it.receive({ type: 'greeting', protocol: PROTOCOL, version: '', time: 7, absence: 60 })
    it.receive({ type: 'pong', time: 9 })
    expect(it.times).toEqual([7, 9])
    it.receive(snapshot(4))
    expect(it.lines).toEqual(['open'])
    expect(it.seen.map((message) => message.type)).toEqual(['greeting', 'snapshot'])
  })

  it('asks for a reload when the server speaks another protocol', () => {
    const it = setUp()
    it.connection.open()
    it.receive({ type: 'greeting', protocol: PROTOCOL + 1, version: '', time: 0 })
    expect(it.outdated()).toBe(1)
  })

  it('drops old news and resyncs on a gap', () => {
    const it = setUp()
    it.connection.open()
    it.receive(snapshot(4))
    it.receive(update(2, 3))
    expect(it.seen.length).toBe(1)
    it.receive(update(4, 5))
    expect(it.seen.length).toBe(2)
    it.receive(update(7, 8))
    expect(it.seen.length).toBe(2)
    expect(it.last().sent.at(-1)).toEqual({ ...HELLO, since: 5 })
    it.receive(update(5, 8))
    expect(it.seen.length).toBe(3)
  })

  it('tells the whole game, whether it comes whole or as a patch', () => {
    const it = setUp()
    const games = () => it.seen.map((message) => (message as { game?: unknown }).game)
    it.connection.open()
    it.receive({ ...snapshot(4), game: { round: 1, faces: [1] } })
    it.receive({ ...update(4, 5), patch: { faces: [2] } })
    it.receive({ ...update(5, 6), game: { round: 2, faces: [3] } })
    it.receive({ ...update(6, 7), patch: { round: 3 } })
    expect(games().slice(1)).toEqual([{ round: 1, faces: [2] }, { round: 2, faces: [3] }, { round: 3, faces: [3] }])
    expect(it.seen.some((message) => 'patch' in message)).toBe(false)
  })

  it('asks again when a patch is for another game than the one it has', () => {
    const it = setUp()
    it.connection.open()
    it.receive({ ...snapshot(4), game: { round: 1 } })
    it.receive({ ...update(3, 5), patch: { round: 9 } })
    expect(it.seen.length).toBe(1)
    expect(it.last().sent.at(-1)).toEqual({ ...HELLO, since: 4 })
    it.receive({ ...update(4, 5), game: { round: 2 } })
    it.receive({ ...update(5, 6), patch: { round: 3 } })
    expect(it.seen.at(-1)).toMatchObject({ seq: 6, game: { round: 3 } })
  })

  it('resends a command until it is answered, with one id', async () => {
    const it = setUp()
    it.connection.open()
    it.receive(snapshot(0))
    const answer = it.connection.send({ type: 'roll' })
    it.pass(RESEND_MS + 1000)
    const rolls = it.last().sent.filter((message) => message.type === 'roll')
    expect(rolls.length).toBeGreaterThan(1)
    expect(new Set(rolls.map((message) => message.id)).size).toBe(1)
    it.receive({ type: 'ack', id: rolls[0]!.id, seq: 1 })
    expect(await answer).toMatchObject({ ok: true, seq: 1 })
    expect(it.connection.unanswered).toEqual([])
  })

  it('carries a command over to the next socket', async () => {
    const it = setUp()
    it.connection.open()
    it.receive(snapshot(3))
    it.last().onclose!({ code: 1006 })
    expect(it.lines.at(-1)).toBe('lost')
    const answer = it.connection.send({ type: 'play', action: 'g>g' })
    it.pass(2000)
    expect(it.sockets.length).toBe(2)
    it.last().onopen!(undefined as never)
    expect(it.last().sent[0]).toMatchObject({ type: 'hello', since: 3 })
    it.receive(update(3, 3))
    expect(it.lines.at(-1)).toBe('open')
    const sent = it.last().sent.at(-1)!
    expect(sent).toMatchObject({ type: 'play', action: 'g>g' })
    it.receive({ type: 'refused', id: sent.id, code: 'game_over', message: '' })
    expect(await answer).toMatchObject({ ok: false, refusal: { code: 'game_over' } })
  })

  it('sends again what a reloaded page had not heard about', () => {
    const first = setUp()
    first.connection.open()
    first.receive(snapshot(0))
    void first.connection.send({ type: 'play', action: 'o>o', seen: 7 })
    const second = setUp(first.saved.text)
    second.connection.open()
    second.receive(snapshot(0))
    expect(second.last().sent.at(-1)).toEqual({ type: 'play', action: 'o>o', seen: 7, id: 'id1' })
    second.receive({ type: 'refused', id: 'id1', code: 'not_awaited', message: '' })
    expect(second.refusals.length).toBe(1)
    expect(second.saved.text).toBe('[]')
  })

  it('notices a silent server, and a page that wakes up', () => {
    const it = setUp()
    it.connection.open()
    it.receive(snapshot(0))
    it.pass(6000)
    expect(it.last().sent.some((message) => message.type === 'ping')).toBe(true)
    it.pass(SILENCE_MS)
    expect(it.lines).toContain('lost')
    const before = it.sockets.length
    it.connection.wake()
    expect(it.sockets.length).toBe(before + 1)
  })

  it('gives up where the server says that there is nothing', () => {
    const it = setUp()
    it.connection.open()
    it.last().onclose!({ code: CLOSE_GONE })
    expect(it.lines).toEqual(['ended'])
    it.pass(60_000)
    expect(it.sockets.length).toBe(1)
  })

  it.each([1006, 1012, 4000, 4003])('comes back after being closed with %i', (code) => {
    const it = setUp()
    it.connection.open()
    it.last().onclose!({ code })
    expect(it.lines).toEqual(['lost'])
    it.pass(2000)
    expect(it.sockets.length).toBe(2)
  })

  it('answers previews', () => {
    const it = setUp()
    it.connection.open()
    it.receive(snapshot(2))
    let found = -1
    it.connection.preview((actions, seq) => (found = actions.length * 10 + seq))
    it.receive({ type: 'previews', id: it.last().sent.at(-1)!.id, seq: 2, actions: [{}] })
    expect(found).toBe(12)
  })
})
