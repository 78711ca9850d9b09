// The table in the page as a whole: commands over its line, two tabs, a full or damaged store. The
// sheets' tables come from Python, as those of local.twin.ts do.

import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { SocketLike } from '../src/lib/connection'
import type { FromServer, GameView, LayoutView, SheetView, Snapshot, Update } from '../src/lib/wire'
import { newTable, type Wish } from '../src/local/creation'
import { Layout } from '../src/local/layout'
import { connect } from '../src/local/line'
import { LocalRefusal } from '../src/local/refusal'
import { isKept, MemoryStore, sorted, type Kept } from '../src/local/store'
import { LocalTable, type Surroundings } from '../src/local/table'

interface Told {
  layouts: Record<string, { layout: LayoutView; sheet: SheetView }>
}

const { layouts } = JSON.parse(readFileSync(`${process.env.FOXTRAY_TWIN}.in.json`, 'utf8')) as Told
const ME = { kind: 'me', name: 'Ana' } as const
const BEN = { kind: 'guest', name: 'Ben' } as const
const BOT = { kind: 'bot', name: '', bot: 'random' } as const
const PLAIN: Wish = {
  game: 'clever', seats: [ME], solo_fallback: false, fox_floor: false, tutorial: false, real_dice: false, rematch_of: null,
}

/** A browser whose tabs hear from each other. */
class Device {
  readonly store = new MemoryStore()
  readonly listeners = new Map<string, Set<() => void>>()
  time = 1000

  tab(): Surroundings {
    const own = new Set<() => void>()
    return {
      store: this.store,
      layout: async (game) => new Layout(layouts[game]!.sheet, layouts[game]!.layout),
      choose: async ({ state }, seat) => {
        const [action] = state.playing.game.legal(seat)
        return state.layout.names.actions[action!]!
      },
      now: () => this.time++,
      wait: async () => undefined,
      tell: (id) => {
        for (const heard of this.listeners.get(id) ?? []) if (!own.has(heard)) heard()
      },
      hear: (id, changed) => {
        own.add(changed)
        this.listeners.set(id, (this.listeners.get(id) ?? new Set()).add(changed))
        return () => this.listeners.get(id)?.delete(changed)
      },
    }
  }
}

/** What a command is answered. */
interface Answered {
  type: string
  code?: string
  seq?: number
  table?: string
}

/** A tab that shows a table: everything that it was told, and its last state. */
class Tab {
  readonly told: FromServer[] = []
  closed: number | null = null
  private ids = 0
  private readonly line: SocketLike

  constructor(
    private readonly name: string,
    device: Device,
    id: string,
    readonly ready = Promise.resolve(),
  ) {
    this.line = {
      onopen: () => this.line.send(JSON.stringify({ type: 'hello' })),
      onmessage: ({ data }) => void this.told.push(JSON.parse(data) as FromServer),
      onclose: ({ code }) => (this.closed = code),
      send: () => undefined,
      close: () => undefined,
    }
    this.ready = connect(this.line, id, device.tab())
  }

  get last(): Snapshot | Update {
    return this.told.findLast((message) => message.type === 'snapshot' || message.type === 'update') as Snapshot
  }

  get game(): GameView {
    return this.last.game as GameView
  }

  /** Sends a command and waits for its answer. */
  async send(command: object, id = `${this.name}${++this.ids}`): Promise<Answered> {
    this.line.send(JSON.stringify({ ...command, id }))
    const mine = (message: FromServer) => 'id' in message && message.id === id
    const before = this.told.filter(mine).length
    for (let i = 0; i < 1000; i++) {
      const answers = this.told.filter(mine)
      if (answers.length > before) return answers.at(-1)! as Answered
      await new Promise((done) => setTimeout(done))
    }
    throw new Error(`no answer to ${JSON.stringify(command)}`)
  }

  /** One step towards the end, by whoever on this device is asked. */
  async step(more: object = {}): Promise<Answered> {
    const { rolling, active, awaiting, seats } = this.game
    if (rolling.length) return this.send({ type: 'roll', seat: active, ...more })
    const seat = awaiting[0]!
    return this.send({ type: 'play', action: seats[seat]!.legal[0]!.action, seat, ...more })
  }

  close(): void {
    this.line.close()
  }
}

async function table(wish: Partial<Wish> = {}, device = new Device()): Promise<{ device: Device; id: string; tab: Tab }> {
  const id = await newTable(device.tab(), { ...PLAIN, ...wish })
  const tab = new Tab('a', device, id)
  await tab.ready
  return { device, id, tab }
}

const settled = () => new Promise((done) => setTimeout(done, 5))

describe('A table in the page', () => {
  it.each([
    ['alone', [ME]],
    ['together', [BEN, ME]],
    ['against bots', [ME, BOT, BOT]],
  ])('plays to the end %s, and keeps the result', async (_, seats) => {
    for (const game of Object.keys(layouts)) {
      const { device, id, tab } = await table({ game, seats: [...seats] })
      for (let i = 0; i < 2000 && !tab.game.over; i++) {
        const { rolling, active, awaiting } = tab.game
        const asked = rolling.length ? [active] : awaiting
        const person = asked.find((seat) => seats[seat]!.kind !== 'bot')
        if (person === undefined) await settled()
        else if (rolling.length) await tab.send({ type: 'roll', seat: active })
        else await tab.send({ type: 'play', action: tab.game.seats[person]!.legal[0]!.action, seat: person })
      }
      expect(tab.game.over).toBe(true)
      const kept = (await device.store.get(id))!
      expect(kept.status).toBe('over')
      expect(kept.result!.scores).toEqual(tab.game.seats.map((seat) => seat.score))
      const again = await tab.send({ type: 'rematch' })
      expect(again.table).toMatch(/^local-/)
      expect((await tab.send({ type: 'rematch' })).table).toBe(again.table)
      expect((await device.store.list()).games).toHaveLength(2)
    }
  })

  it('carries out a command once, however often it comes', async () => {
    const { device, id, tab } = await table()
    const first = await tab.send({ type: 'roll' }, 'same')
    expect((await tab.send({ type: 'roll' }, 'same')).seq).toBe(first.seq)
    // The page was closed before the answer came, and sends the command again when it is back.
    tab.close()
    const back = new Tab('b', device, id)
    await back.ready
    expect((await back.send({ type: 'roll' }, 'same')).seq).toBe(first.seq)
    expect((await device.store.get(id))!.rows).toHaveLength(2)
  })

  it('refuses what a server refuses', async () => {
    const { tab } = await table({ seats: [ME, BEN] })
    const code = async (command: object) => (await tab.send(command)).code
    const { active } = tab.game
    expect(await code({ type: 'roll', seat: 1 - active })).toBe('not_active')
    expect(await code({ type: 'roll', seat: 3 })).toBe('not_your_seat')
    expect(await code({ type: 'enter_faces', faces: [1, 1, 1, 1, 1, 1] })).toBe('not_real_dice')
    expect(await code({ type: 'undo', seat: active })).toBe('nothing_to_undo')
    expect(await code({ type: 'play', action: 'pass', seat: active })).toBe('stale')
    expect(await code({ type: 'play', action: 'nonsense', seat: active })).toBe('stale')
    expect(await code({ type: 'rematch' })).toBe('not_over')
    expect(await code({ type: 'start' })).toBe('already_started')
    expect(await code({ type: 'hint' })).toBe('no_hints')
    expect(tab.last.seq).toBe(1)
  })

  it('takes faces of real dice, and gives them back', async () => {
    const { tab } = await table({ real_dice: true })
    expect((await tab.send({ type: 'roll' })).code).toBe('real_dice')
    expect((await tab.send({ type: 'enter_faces', faces: [0, 1, 1, 1, 1, 7] })).code).toBe('wrong_faces')
    const faces = [3, 1, 5, 2, 6, 4]
    await tab.send({ type: 'enter_faces', faces })
    expect(tab.game.faces).toEqual(faces)
    expect(tab.last.undo).toEqual([0])
    await tab.send({ type: 'undo' })
    expect(tab.game.rolling).toHaveLength(6)
  })

  it('gives a game up for good, and tells the secret', async () => {
    const { device, id, tab } = await table({ seats: [ME, BEN] })
    expect((tab.last as Snapshot).table.dice.secret).toBeNull()
    await tab.send({ type: 'leave' })
    expect((tab.last as Snapshot).table.given_up).toBe(true)
    expect((tab.last as Snapshot).table.dice.secret).toMatch(/^[0-9a-f]{64}$/)
    expect((await tab.send({ type: 'roll' })).code).toBe('given_up')
    expect((await device.store.get(id))!.status).toBe('given_up')
  })

  it('rolls the script of a guided game', async () => {
    const { tab } = await table({ tutorial: true })
    await tab.send({ type: 'roll' })
    expect(tab.game.faces.join('')).toBe(layouts.clever!.layout.lesson![0])
  })
})

describe('Two tabs with the same game', () => {
  it('see what the other did', async () => {
    const { device, id, tab } = await table()
    const other = new Tab('b', device, id)
    await other.ready
    await tab.step()
    await settled()
    expect(other.game).toEqual(tab.game)
  })

  it('never overwrite each other', async () => {
    const { device, id, tab } = await table()
    const other = new Tab('b', device, id)
    await other.ready
    device.listeners.clear() // they cannot hear each other
    await tab.step()
    const faces = tab.game.faces
    const late = await other.step()
    expect(late.code).toBe('stale')
    expect(other.game.faces).toEqual(faces)
    expect((await device.store.get(id))!.rows).toHaveLength(2)
    expect((await other.step()).type).toBe('ack')
  })

  it('play bots once', async () => {
    const { device, id, tab } = await table({ seats: [ME, BOT] })
    const other = new Tab('b', device, id)
    await other.ready
    for (let i = 0; i < 400 && !tab.game.over; i++) {
      const { rolling, active, awaiting } = tab.game
      if (rolling.length ? active === 0 : awaiting.includes(0)) {
        await (i % 2 ? tab : other).send(
          rolling.length ? { type: 'roll' } : { type: 'play', action: tab.game.seats[0]!.legal[0]!.action },
        )
      }
      await settled()
    }
    expect(tab.game.over).toBe(true)
    expect(other.game).toEqual(tab.game)
    const fresh = new Tab('c', device, id)
    await fresh.ready
    expect(fresh.game).toEqual(tab.game)
  })
})

describe('What a browser keeps', () => {
  it('is refused in words if it is damaged, and no other game is', async () => {
    const { device, id } = await table()
    const spoilt: [string, (game: Kept) => unknown][] = [
      ['nothing', () => null],
      ['text', () => 'x'],
      ['no rows', (game) => ({ ...game, rows: [] })],
      ['a cut log', (game) => ({ ...game, rows: [{ t: 'played', seat: 0, action: 'w>y1a', at: 1 }] })],
      ['a strange input', (game) => ({ ...game, rows: [...game.rows, { t: 'dreamt', at: 1 }] })],
      ['a forged roll', (game) => ({ ...game, rows: [...game.rows, { t: 'threw', faces: [9, 9, 9, 9, 9, 9], order: [0, 1, 2, 3, 4, 5], at: 1 }] })],
      ['another id', (game) => ({ ...game, id: 'local-2' })],
      ['five seats', (game) => ({ ...game, setup: { ...game.setup, seats: Array(5).fill(ME) } })],
    ]
    for (const [what, change] of spoilt) {
      const bad = await newTable(device.tab(), PLAIN)
      device.store.entries.set(bad, change((await device.store.get(bad))!))
      const tab = new Tab('x', device, bad)
      await tab.ready
      const [refusal] = tab.told as unknown as [{ code: string }]
      expect([what, refusal.code]).toEqual([what, 'device_damaged'])
      expect(tab.closed).not.toBeNull()
      const { games } = await device.store.list()
      expect(games.map((game) => game.id)).toContain(id)
    }
    const good = new Tab('y', device, id)
    await good.ready
    expect((await good.step()).type).toBe('ack')
  })

  it('says so when there is no room, and goes on once there is', async () => {
    const { device, tab } = await table()
    const put = device.store.put.bind(device.store)
    device.store.put = async () => {
      throw new LocalRefusal('device_full')
    }
    expect((await tab.step()).code).toBe('device_full')
    expect(tab.game.rolling).toHaveLength(6) // nothing was told that was not kept
    device.store.put = put
    expect((await tab.step()).type).toBe('ack')
  })

  it('says that a game is not there', async () => {
    const tab = new Tab('x', new Device(), 'local-0000000000000000')
    await tab.ready
    expect(tab.told[0]).toMatchObject({ type: 'refused', code: 'no_table' })
  })

  it('does not open a game of other rules', async () => {
    const { device, id } = await table()
    const game = (await device.store.get(id))!
    device.store.entries.set(id, { ...game, setup: { ...game.setup, rules: 99 } })
    await expect(LocalTable.open(id, device.tab())).rejects.toThrow('rules_changed')
  })

  it('is listed without what is damaged', () => {
    expect(sorted([['a', { id: 'a' }], ['b', null]])).toEqual({ games: [], damaged: ['a', 'b'] })
    expect(isKept(undefined)).toBe(false)
  })
})
