// One socket to one table: it comes back by itself, never loses a command, never repeats one.

import type { GameView, Preview } from './game'
import { patched } from './patch'
import type { Phrase } from './phrases.svelte'
import {
  CLOSE_GONE,
  PROTOCOL,
  type FromClient,
  type FromServer,
  type Hello,
  type Hinted,
  type Pace,
  type Problem,
  type TableCommand,
  type Update,
} from './wire'

type WithoutId<T> = T extends unknown ? Omit<T, 'id'> : never
/** A command before it is sent: then it gets its id. */
export type Command = WithoutId<TableCommand>
/** What is said once, and not kept. */
export type Telling = WithoutId<Pace>
export type Line = 'connecting' | 'open' | 'lost' | 'ended'
export type Answer = { ok: true; seq: number; table?: string; hint?: Hinted } | { ok: false; refusal: Problem }

export interface SocketLike {
  onopen: ((event: never) => void) | null
  onmessage: ((event: { data: string }) => void) | null
  onclose: ((event: { code: number }) => void) | null
  send(text: string): void
  close(): void
}

/** What the connection needs from the world around it; tests bring their own. */
export interface World {
  socket(): SocketLike
  now(): number
  later(run: () => void, ms: number): unknown
  cancel(timer: unknown): void
  id(): string
  keep(text: string): void
  kept(): string
}

export interface Listener {
  message(message: FromServer): void
  line(line: Line): void
  refused(refusal: Problem): void
  /** The commands that have no answer yet are others now. */
  unanswered(commands: Command[]): void
  outdated(): void
  /** The server says what time it is. */
  time(ms: number): void
}

interface Waiting {
  id: string
  command: Command
  sent: number
  answer: (answer: Answer) => void
}

export const RESEND_MS = 2500
export const PING_MS = 5000
export const SILENCE_MS = 12000
const BACKOFF_MS = [300, 700, 1500, 3000, 6000]

export class Connection {
  private socket: SocketLike | null = null
  private line: Line = 'connecting'
  private seen: number | null = null
  /** The game at that number, which patches change. */
  private game: GameView | null = null
  private legal: Hello['legal'] = 'mine'
  private heard = 0
  private pinged = 0
  private tries = 0
  private timer: unknown = null
  private waiting: Waiting[] = []
  private asked: { id: string; answer: (actions: Preview[], seq: number) => void } | null = null
  private stopped = false
  private readonly told = new Set<string>()

  constructor(
    private readonly world: World,
    private readonly listener: Listener,
    private readonly key: string,
  ) {
    for (const { id, command } of JSON.parse(world.kept() || '[]') as Waiting[]) {
      this.waiting.push({ id, command, sent: 0, answer: (answer) => this.report(answer) })
    }
  }

  open(): void {
    if (this.stopped) return
    this.world.cancel(this.timer)
    this.drop()
    this.setLine(this.line === 'lost' ? 'lost' : 'connecting')
    const socket = this.world.socket()
    this.socket = socket
    this.heard = this.world.now()
    socket.onopen = () => this.hello()
    socket.onmessage = (event) => {
      if (socket === this.socket) this.receive(JSON.parse(event.data) as FromServer)
    }
    socket.onclose = (event) => {
      if (socket === this.socket) this.closed(event.code)
    }
    this.timer = this.world.later(() => this.tick(), 1000)
  }

  close(): void {
    this.stopped = true
    this.world.cancel(this.timer)
    this.drop()
  }

  /** The network or the page has come back: do not wait for the next try. */
  wake(): void {
    if (this.line === 'ended' || this.stopped) return
    if (this.line !== 'open' || this.world.now() - this.heard > SILENCE_MS) this.open()
    else this.ping()
  }

  send(command: Command): Promise<Answer> {
    return new Promise((answer) => {
      const entry = { id: this.world.id(), command, sent: 0, answer }
      this.waiting.push(entry)
      this.remember()
      this.transmit(entry)
    })
  }

  /** Says something once: it is not kept, and nobody waits for an answer. */
  tell(message: Telling): void {
    const id = this.world.id()
    this.told.add(id)
    this.write({ ...message, id } as FromClient)
  }

  /** Asks for everything anew: who I am at this table has changed. */
  refresh(): void {
    this.seen = null
    this.hello()
  }

  /** The page knows the rules itself, or does not: says whether legal actions are to be told. */
  wantLegal(wanted: boolean): void {
    this.legal = wanted ? 'mine' : 'none'
    if (this.line === 'open') this.hello()
  }

  /** Whoever connects next is somebody else, and is told everything. */
  forget(): void {
    this.seen = null
  }

  get unanswered(): Command[] {
    return this.waiting.map(({ command }) => command)
  }

  preview(answer: (actions: Preview[], seq: number) => void, seat?: number): void {
    this.asked = { id: this.world.id(), answer }
    this.write({ type: 'preview', id: this.asked.id, ...(seat === undefined ? {} : { seat }) })
  }

  say(phrase: Phrase): void {
    if (this.line === 'open') this.write({ type: 'say', id: this.world.id(), phrase })
  }

  private report(answer: Answer): void {
    if (!answer.ok) this.listener.refused(answer.refusal)
  }

  private remember(): void {
    this.world.keep(JSON.stringify(this.waiting.map(({ id, command }) => ({ id, command }))))
    this.listener.unanswered(this.unanswered)
  }

  private hello(): void {
    this.write({ type: 'hello', since: this.seen, key: this.key, patches: true, legal: this.legal })
  }

  private ping(): void {
    this.pinged = this.world.now()
    this.write({ type: 'ping' })
  }

  private transmit(entry: Waiting): void {
    if (this.line !== 'open') return
    entry.sent = this.world.now()
    this.write({ ...entry.command, id: entry.id })
  }

  private write(message: FromClient): void {
    try {
      this.socket?.send(JSON.stringify(message))
    } catch {
      // A socket that is just closing; everything unanswered is sent again on the next one.
    }
  }

  private receive(message: FromServer): void {
    this.heard = this.world.now()
    switch (message.type) {
      case 'greeting':
        if (message.protocol !== PROTOCOL) this.listener.outdated()
        this.listener.time(message.time)
        break
      case 'snapshot':
        this.seen = message.seq
        this.game = message.game
        this.opened()
        break
      case 'update':
        if (this.seen === null) return // a snapshot is on its way
        if (message.previous > this.seen || (message.patch && message.previous !== this.seen)) {
          this.hello()
          return
        }
        if (message.seq < this.seen) return
        message = this.complete(message)
        this.seen = message.seq
        this.opened()
        break
      case 'ack':
        this.told.delete(message.id)
        this.settle(message.id, { ok: true, seq: message.seq, table: message.table })
        return
      case 'refused':
        if (message.id === null || !this.settle(message.id, { ok: false, refusal: message })) {
          const quiet = this.asked?.id === message.id || this.told.delete(message.id ?? '')
          if (!quiet) this.listener.refused(message)
        }
        return
      case 'hinted':
        this.settle(message.id, { ok: true, seq: message.seq, hint: message })
        return
      case 'previews':
        if (this.asked?.id === message.id) this.asked.answer(message.actions, message.seq)
        return
      case 'pong':
        this.listener.time(message.time)
        return
    }
    this.listener.message(message)
  }

  /** An update with the whole game, which may have come as a patch. */
  private complete({ patch, ...update }: Update): Update {
    if (patch && this.game) update.game = patched(this.game, patch)
    if (update.game) this.game = update.game
    return update
  }

  private settle(id: string, answer: Answer): boolean {
    const entry = this.waiting.find((waiting) => waiting.id === id)
    if (!entry) return false
    this.waiting = this.waiting.filter((waiting) => waiting !== entry)
    this.remember()
    entry.answer(answer)
    return true
  }

  private opened(): void {
    if (this.line === 'open') return
    this.tries = 0
    this.setLine('open')
    for (const entry of this.waiting) this.transmit(entry)
  }

  private tick(): void {
    const now = this.world.now()
    if (now - this.heard > SILENCE_MS) {
      this.closed(0)
      return
    }
    if (this.line === 'open') {
      if (now - this.pinged >= PING_MS) this.ping()
      for (const entry of this.waiting) {
        if (now - entry.sent >= RESEND_MS) this.transmit(entry)
      }
    }
    this.timer = this.world.later(() => this.tick(), 1000)
  }

  private closed(code: number): void {
    this.world.cancel(this.timer)
    this.drop()
    if (code === CLOSE_GONE) {
      this.setLine('ended')
      return
    }
    this.setLine('lost')
    const wait = BACKOFF_MS[Math.min(this.tries++, BACKOFF_MS.length - 1)]!
    this.timer = this.world.later(() => this.open(), wait * (0.75 + Math.random() / 2))
  }

  private drop(): void {
    const old = this.socket
    this.socket = null
    if (!old) return
    old.onopen = old.onmessage = old.onclose = null
    try {
      old.close()
    } catch {
      // It was never open.
    }
  }

  private setLine(line: Line): void {
    if (line === this.line) return
    this.line = line
    this.listener.line(line)
  }
}
