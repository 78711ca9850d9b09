// One table in the page: the only writer of its game in this tab. It speaks as a server does; a
// command becomes inputs, which are tried on a copy, kept, and only then told.

import { PROTOCOL, type Ack, type FromServer, type PaceName, type Refused, type Roll, type Snapshot, type TableCommand, type Update, type You } from '../lib/wire'
import { act, decide } from './commands'
import { newTable } from './creation'
import type { Layout } from './layout'
import { TableLog } from './log'
import { LocalRefusal } from './refusal'
import type { LogInput, Row } from './state'
import type { Kept, Store } from './store'
import { gameView, previews } from './views'

/** How many entries a snapshot contains, as at a server. */
const STORY = 60
/** How long bots pause, in milliseconds. */
const PAUSES: Record<PaceName, number> = { calm: 1000, quick: 300, instant: 0 }
/** Seconds after which somebody counts as away: nobody leaves a device by losing a line. */
const NEVER = 1e9
/** When a bot that failed is asked again. */
const AGAIN_MS = 3000

/** What a table needs from the world around it; tests bring their own. */
export interface Surroundings {
  store: Store
  layout(game: string): Promise<Layout>
  /** The action that a bot of a level takes for a seat. */
  choose(log: TableLog, seat: number, level: string): Promise<string>
  now(): number
  wait(ms: number): Promise<void>
  /** Tells other tabs that a game has gone on, and hears it from them. */
  tell(id: string): void
  hear(id: string, changed: () => void): () => void
}

type Told = (message: FromServer) => void

export class LocalTable {
  private readonly listeners = new Set<Told>()
  private working: Promise<unknown> = Promise.resolve()
  private pace: PaceName = 'quick'
  /** No pauses until a person is asked for something. */
  private skip = false
  private hurry: () => void = () => undefined
  private driving = false
  private deaf: () => void

  private constructor(
    private readonly around: Surroundings,
    private readonly layout: Layout,
    private kept: Kept,
    private log: TableLog,
  ) {
    this.deaf = around.hear(this.id, () => void this.inTurn(() => this.renew()))
  }

  /** Brings a game of this device back; refuses what is not there or cannot be replayed. */
  static async open(id: string, around: Surroundings): Promise<LocalTable> {
    const kept = await around.store.get(id)
    if (!kept) throw new LocalRefusal('no_table')
    const layout = await around.layout(kept.setup.game)
    if (kept.setup.rules !== layout.names.rules) throw new LocalRefusal('rules_changed')
    return new LocalTable(around, layout, kept, new TableLog(id, kept.setup, layout, kept.rows))
  }

  get id(): string {
    return this.kept.id
  }

  get state() {
    return this.log.state
  }

  /** The number of the last input. */
  get seq(): number {
    return this.log.seq
  }

  now(): number {
    return this.around.now()
  }

  /** Somebody listens; returns how to stop. While nobody does, bots rest. */
  listen(told: Told): () => void {
    this.listeners.add(told)
    void this.drive()
    return () => {
      this.listeners.delete(told)
      if (!this.listeners.size) {
        this.deaf()
        this.hurry()
      }
    }
  }

  greeting(): FromServer {
    return { type: 'greeting', protocol: PROTOCOL, version: '', time: this.around.now(), absence: NEVER }
  }

  snapshot(): Snapshot {
    const { state } = this
    const people = state.people
    return {
      type: 'snapshot',
      seq: this.log.seq,
      you: this.you(),
      table: state.info(),
      game: gameView(state.playing.game),
      undo: state.undoable().filter((seat) => people.includes(seat)),
      deadlines: {},
      present: state.setup.seats.map(() => true),
      absent: state.setup.seats.map(() => null),
      watching: 0,
      thinking: false,
      entries: state.setup.tutorial ? this.log.entries : this.log.entries.slice(-STORY),
    }
  }

  private you(): You {
    const [seat, ...guests] = this.state.people
    return {
      seat: seat ?? null, host: true, guests, may_sit: false, invite: null, watch: null, key: null, loopback: false,
    }
  }

  private update(since: number): Update {
    const { table, game, undo, deadlines } = this.snapshot()
    return {
      type: 'update', seq: this.log.seq, previous: since, entries: this.log.entries.slice(since), undo, deadlines, table, game: game!,
    }
  }

  previews(seat: number | null | undefined): ReturnType<typeof previews> {
    const held = seat ?? this.state.people[0]
    if (held === undefined || !this.state.people.includes(held)) throw new LocalRefusal('not_your_seat')
    return previews(this.state.playing.game, held)
  }

  /** Says how fast bots are to be; with skip, they do not pause until a person is asked. */
  setPace(pace: PaceName, skip: boolean): void {
    this.pace = pace
    this.skip ||= skip
    if (skip || pace === 'instant') this.hurry()
  }

  /** Carries out a command once, however often it comes. */
  execute(command: TableCommand): Promise<Ack | Refused> {
    return this.inTurn(async () => {
      try {
        return await this.carryOut(command)
      } catch (error) {
        return refusedBy(command.id, error)
      }
    })
  }

  private async carryOut(command: TableCommand): Promise<Ack> {
    const done = this.log.rows.findIndex((row) => row.command === command.id)
    if (done >= 0) return this.ack(command, done + 1)
    if (command.type === 'rematch') return this.rematch(command)
    if ('seen' in command) this.checkNotStale(command)
    const inputs = decide(this.state, command)
    if (inputs.length && !(await this.add(inputs, command.id))) throw new LocalRefusal('stale')
    return this.ack(command, this.log.seq)
  }

  private ack(command: TableCommand, seq: number): Ack {
    const table = command.type === 'rematch' ? this.state.rematch : null
    return { type: 'ack', id: command.id, seq, ...(table && { table }) }
  }

  /** Refuses the answer to something that was answered meanwhile, perhaps in another tab. */
  private checkNotStale({ seen, seat }: Pick<Roll, 'seen' | 'seat'>): void {
    const asked = seat ?? this.state.people[0]
    if (seen != null && asked !== undefined && this.log.askedSince(asked) > seen) throw new LocalRefusal('stale')
  }

  private async rematch(command: TableCommand): Promise<Ack> {
    if (!this.state.over) throw new LocalRefusal('not_over')
    if (!this.state.rematch) {
      const { setup } = this.kept
      const made = await newTable(this.around, { ...setup, rematch_of: this.id })
      if (!(await this.add([{ t: 'rematched', table: made }], command.id))) await this.around.store.remove(made)
    }
    return this.ack(command, this.log.seq)
  }

  /** Keeps inputs, and only then lets anybody know; false if another tab was faster. */
  private async add(inputs: LogInput[], command?: string): Promise<boolean> {
    const at = this.around.now()
    const last = inputs.length - 1
    const rows = inputs.map((input, i): Row => ({ ...input, at, ...(i === last && command && { command }) }))
    const draft = this.log.draft(rows)
    const next = keptAfter(this.kept, draft.state, [...this.log.rows, ...rows], at)
    const before = this.log.seq
    if (!(await this.around.store.put(next, before))) {
      await this.renew()
      return false
    }
    this.log.accept(draft)
    this.kept = next
    this.around.tell(this.id)
    this.broadcast(this.update(before))
    void this.drive()
    return true
  }

  /** Another tab has gone on with the game: reads it again. */
  private async renew(): Promise<void> {
    const kept = await this.around.store.get(this.id)
    if (!kept || kept.rows.length <= this.log.seq) return
    const before = this.log.seq
    this.kept = kept
    this.log = new TableLog(this.id, kept.setup, this.layout, kept.rows)
    this.broadcast(this.update(before))
    void this.drive()
  }

  private broadcast(message: FromServer): void {
    for (const told of this.listeners) told(message)
  }

  /** One after the other: a command is decided on what the one before has led to. */
  private inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.working.then(work)
    this.working = done.catch(() => undefined)
    return done
  }

  // --- bots --------------------------------------------------------------------------------

  /** Lets bots act as long as the game waits for one and somebody is here. */
  private async drive(): Promise<void> {
    if (this.driving) return
    this.driving = true
    try {
      while (this.listeners.size) {
        const driven = this.state.driven()
        if (this.state.wanted().some((seat) => !this.state.bot(seat))) this.skip = false
        const seat = driven[0]
        if (seat === undefined) return
        await this.pauseFor()
        if (this.state.driven().includes(seat)) await this.letAct(seat)
      }
    } finally {
      this.driving = false
    }
  }

  private async pauseFor(): Promise<void> {
    const ms = PAUSES[this.skip ? 'instant' : this.pace] * (0.6 + 0.8 * Math.random())
    if (!ms) return
    const hurried = new Promise<void>((hurry) => (this.hurry = hurry))
    await Promise.race([this.around.wait(ms), hurried])
  }

  private async letAct(seat: number): Promise<void> {
    const level = this.state.bot(seat)!
    const { log } = this
    const asked = log.askedSince(seat)
    try {
      const rolls = this.state.playing.game.rolling().length > 0
      const action = rolls ? '' : await this.around.choose(log, seat, level)
      await this.inTurn(async () => {
        const current = this.log === log && log.askedSince(seat) === asked
        if (!current || !this.state.driven().includes(seat)) return
        await this.add(act(this.state, seat, rolls ? { type: 'roll' } : { type: 'play', action }, level))
      })
    } catch (error) {
      this.broadcast(refusedBy(null, error))
      await this.around.wait(AGAIN_MS)
    }
  }
}

/** What is kept of a game after more rows. */
export function keptAfter(kept: Kept, state: TableLog['state'], rows: Row[], at: number): Kept {
  const { game } = state.playing
  const status = game.over ? 'over' : state.isGivenUp ? 'given_up' : 'playing'
  const result = game.over && !kept.result ? { finished: at, scores: game.scores(), winners: game.winners() } : kept.result
  return { ...kept, rows, touched: at, status, waiting: status === 'playing' ? state.wanted() : [], result }
}

export function refusedBy(id: string | null, error: unknown): Refused {
  const code = error instanceof LocalRefusal ? error.code : 'internal'
  if (code === 'internal') console.error(error)
  const message = error instanceof Error ? error.message : String(error)
  // What only this device can say is a code as well.
  return { type: 'refused', id, code: code as Refused['code'], message }
}
