// A live table as the page sees it.

import { Connection, type Answer, type Command, type Line, type World } from './connection'
import { isLocal, localLine } from './device'
import type { GameView, Preview } from './game'
import { hex, randomBytes } from './sha256'
import type { Foresight } from '../local/foresight'
import type { Phrase } from './phrases.svelte'
import type { Entry, FromServer, LessonText, Notice, PaceName, Problem, TableInfo, You } from './wire'

/** Commands that act for one seat: mine, or that of a guest on this device. */
const OF_A_SEAT = ['roll', 'enter_faces', 'play', 'undo']

export function browserWorld(id: string): World {
  const scheme = location.protocol === 'https:' ? 'wss' : 'ws'
  const place = `unanswered.${id}`
  return {
    socket: () => isLocal(id) ? localLine(id) : new WebSocket(`${scheme}://${location.host}/api/tables/${id}/live`) as never,
    now: () => performance.now(),
    later: (run, ms) => setTimeout(run, ms),
    cancel: (timer) => clearTimeout(timer as number),
    id: () => hex(randomBytes(16)),
    keep(text) {
      try {
        sessionStorage.setItem(place, text)
      } catch {
        // Without storage an unanswered command is lost with the page, and only then.
      }
    },
    kept() {
      try {
        return sessionStorage.getItem(place) ?? ''
      } catch {
        return ''
      }
    },
  }
}

const previewed = (actions: Preview[]) => new Map(actions.map((preview) => [preview.action, preview]))

export class Table {
  line = $state<Line>('connecting')
  you = $state.raw<You>({ seat: null, host: false, guests: [], may_sit: false, invite: null, watch: null, key: null, loopback: false })
  info = $state.raw<TableInfo | null>(null)
  game = $state.raw<GameView | null>(null)
  /** The guided game, once it has come; null at other tables. */
  lesson = $state.raw<LessonText | null>(null)
  undo = $state.raw<number[]>([])
  deadlines = $state.raw<Record<string, number>>({})
  /** How far the server's clock is ahead of this one, in milliseconds. */
  ahead = $state(0)
  /** Seconds after which somebody who is away may be stood in for. */
  absence = $state(Infinity)
  present = $state.raw<boolean[]>([])
  absent = $state.raw<(number | null)[]>([])
  watching = $state(0)
  thinking = $state(false)
  entries = $state.raw<Entry[]>([])
  /** What the last update brought, to animate and to tell. */
  news = $state.raw<Entry[]>([])
  seq = $state(0)
  previews = $state.raw<Map<string, Preview>>(new Map())
  refusal = $state.raw<Problem | null>(null)
  notice = $state<Exclude<Notice['code'], 'storage_back'> | 'outdated' | null>(null)
  /** What was pressed and has no answer yet, here or before the page was loaded anew. */
  unanswered = $state.raw<Command[]>([])
  /** The seat that is played on this device at the moment, if there are guests. */
  private passedTo = $state<number | null>(null)
  /** Whether the faces of real dice are being entered. */
  entering = $state(false)
  /** Whether the phrases to choose from are shown. */
  talking = $state(false)
  /** What was said at the table last; a number tells one from the next. */
  said = $state.raw<{ seat: number; phrase: Phrase; number: number } | null>(null)

  private readonly connection: Connection
  /** The rules in the page, once they are there: then nothing is asked to see where actions lead. */
  private foresight: Foresight | null = null
  private readonly listeners: [EventTarget, string, () => void][] = []

  constructor(
    readonly id: string,
    key: string,
    world: World = browserWorld(id),
  ) {
    this.connection = new Connection(
      world,
      {
        message: (message) => this.receive(message),
        line: (line) => (this.line = line),
        refused: (refusal) => (this.refusal = refusal),
        unanswered: (commands) => (this.unanswered = commands),
        outdated: () => this.reload(),
        time: (ms) => (this.ahead = ms - Date.now()),
      },
      key,
    )
    this.unanswered = this.connection.unanswered
  }

  open(): void {
    const wake = () => document.visibilityState === 'visible' && this.connection.wake()
    this.listen(document, 'visibilitychange', wake)
    this.listen(window, 'online', wake)
    this.listen(window, 'pageshow', wake)
    this.connection.open()
  }

  /** Connects again, after the visitor has become a player. */
  reopen(): void {
    this.connection.forget()
    this.connection.open()
  }

  close(): void {
    for (const [target, name, run] of this.listeners) target.removeEventListener(name, run)
    this.connection.close()
  }

  private listen(target: EventTarget, name: string, run: () => void): void {
    target.addEventListener(name, run)
    this.listeners.push([target, name, run])
  }

  private reload(): void {
    // Once for each protocol: a page that stays old must not reload for ever.
    const last = sessionStorage.getItem('reloaded')
    if (last && Date.now() - Number(last) < 60_000) this.notice = 'outdated'
    else {
      sessionStorage.setItem('reloaded', String(Date.now()))
      location.reload()
    }
  }

  /** The seat that acts here: mine, or that of the guest who has the device. */
  get seat(): number | null {
    return this.passedTo ?? this.you.seat
  }

  /** My seat and those of my guests. */
  get held(): number[] {
    return this.you.seat === null ? [] : [this.you.seat, ...this.you.guests]
  }

  /** Lets a guest, or me, have the device. */
  passTo(seat: number): void {
    this.passedTo = seat
    this.ask()
  }

  /** The device goes to whom the game waits for; whoever has it keeps it as long as they are asked. */
  private passOn(): void {
    if (!this.you.guests.length || !this.game) {
      this.passedTo = null
      return
    }
    const { active, rolling, awaiting } = this.game
    const wanted = this.held.filter((seat) => (rolling.length ? seat === active : awaiting.includes(seat)))
    if (wanted.length && !wanted.includes(this.seat!)) this.passedTo = wanted[0]!
  }

  get realDice(): boolean {
    return this.info?.dice.kind === 'real'
  }

  /** Whether the faces of real dice are to be entered here: mine, a guest's, or those of a bot. */
  get mayEnter(): boolean {
    if (!this.realDice || !this.game?.rolling.length || this.you.seat === null) return false
    const owner = this.info!.seats[this.game.active]
    return this.held.includes(this.game.active) || !!(owner?.bot ?? owner?.stand_in)
  }

  /** Whose sheet is large: mine, or that of the active seat for those who only watch. */
  get shownSeat(): number {
    return this.seat ?? this.game?.active ?? 0
  }

  get waiting(): boolean {
    return this.unanswered.length > 0
  }

  get mine() {
    return this.seat === null ? null : (this.game?.seats[this.seat] ?? null)
  }

  get mayRoll(): boolean {
    if (!this.game?.rolling.length) return false
    return this.realDice ? this.mayEnter : this.game.active === this.seat
  }

  /** Whether the game waits for me, or for a guest on this device. */
  get myTurn(): boolean {
    return this.mayRoll || (this.seat !== null && !!this.game?.awaiting.includes(this.seat))
  }

  /** Whether somebody else is here to talk to. */
  get company(): boolean {
    const others = this.info?.seats.some((seat, i) => seat.kind === 'human' && !seat.guest && i !== this.you.seat)
    return this.you.seat !== null && !!others
  }

  get mayUndo(): boolean {
    return this.held.some((seat) => this.undo.includes(seat))
  }

  private seatOf(command: Command): number | null {
    if (command.type !== 'undo' || this.undo.includes(this.seat!)) return this.seat
    return this.held.find((seat) => this.undo.includes(seat)) ?? this.seat
  }

  async send(command: Command): Promise<Answer> {
    const seat = this.seatOf(command)
    if (OF_A_SEAT.includes(command.type) && seat !== this.you.seat && this.held.includes(seat!)) {
      command = { ...command, seat } as Command
    }
    const mine = this.you.seat
    const answer = await this.connection.send(command)
    // Nobody pressed anything for a reveal; one that came too late is told of at the end.
    if (command.type !== 'reveal') this.refusal = answer.ok ? null : answer.refusal
    // Who I am is told by snapshots only.
    const other = command.type === 'sit' ? command.seat !== mine : command.type === 'reseat' && command.guest
    if (answer.ok && other) {
      this.connection.refresh()
    }
    return answer
  }

  /** Says a phrase to everybody here; one that is lost on the way is not missed. */
  say(phrase: Phrase): void {
    this.connection.say(phrase)
  }

  /** Whether the game waits for bots, and for nobody else. */
  get botsOnly(): boolean {
    const { game, info } = this
    if (!game || !info || game.over) return false
    const wanted = game.rolling.length ? [game.active] : game.awaiting
    const driven = (seat: number) => info.seats[seat]?.kind === 'bot' || !!info.seats[seat]?.stand_in
    return wanted.length > 0 && wanted.every(driven)
  }

  /** Says how fast bots are to be; with skip, what they are doing now is not waited for. */
  pace(pace: PaceName, skip = false): void {
    this.connection.tell({ type: 'pace', pace, skip })
  }

  private receive(message: FromServer): void {
    switch (message.type) {
      case 'greeting':
        this.absence = message.absence
        break
      case 'snapshot':
        this.you = message.you
        this.info = message.table
        this.game = this.withLegal(message.game)
        this.undo = message.undo
        this.deadlines = message.deadlines
        this.present = message.present
        this.absent = message.absent
        this.watching = message.watching
        this.thinking = message.thinking
        this.entries = message.entries
        this.news = []
        this.seq = message.seq
        this.passOn()
        this.ask()
        break
      case 'update': {
        const fresh = message.entries.filter((entry) => entry.seq > this.seq)
        this.entries = [...this.entries, ...fresh]
        this.undo = message.undo
        this.deadlines = message.deadlines
        if (message.table) {
          this.info = message.table
          // Who I am is told by snapshots only, but a seat that is open or a bot's is not mine.
          const mine = this.you.seat
          if (mine !== null && this.info.seats[mine]?.kind !== 'human') {
            this.you = { ...this.you, seat: null, guests: [], invite: null, watch: null }
          }
          this.you = { ...this.you, guests: this.you.guests.filter((seat) => this.info!.seats[seat]?.guest) }
        }
        if (message.game) this.game = this.withLegal(message.game)
        if (fresh.length) this.news = fresh // what is told again is no news, and takes none away
        this.seq = message.seq
        this.passOn()
        if (fresh.length) this.refusal = null // the game went on
        // A question for previews is lost with its line, so whoever comes back asks again.
        if (fresh.length || !this.previews.size) this.ask()
        break
      }
      case 'presence':
        this.present = message.present
        this.absent = message.absent
        this.watching = message.watching
        this.thinking = message.thinking
        if (this.info) {
          const seats = this.info.seats.map((seat, i) =>
            message.names[i] === undefined ? seat : { ...seat, name: message.names[i]! },
          )
          this.info = { ...this.info, seats }
        }
        break
      case 'said':
        this.said = { seat: message.seat, phrase: message.phrase, number: (this.said?.number ?? 0) + 1 }
        break
      case 'notice':
        this.notice = message.code === 'storage_back' ? null : message.code
        break
    }
  }

  /** Loads the rules, after the table is drawn; what they say replaces what was asked. */
  async foresee(): Promise<void> {
    if (this.foresight || isLocal(this.id) || !this.info) return
    const { foresight } = await import('../local/foresight')
    this.foresight = await foresight(this.info.game)
    this.connection.wantLegal(false)
  }

  /** A game with the legal actions of those who play here, where the server does not tell them. */
  private withLegal(game: GameView | null): GameView | null {
    return (game && this.foresight?.complete(game, this.info!, this.held)) ?? game
  }

  /** Asks what my actions would lead to, so that a preview is there before it is wanted. */
  private ask(): void {
    this.previews = new Map()
    if (this.seat === null || !this.game?.awaiting.includes(this.seat)) return
    if (this.foresight) {
      this.previews = previewed(this.foresight.previews(this.game, this.info!, this.seat))
      return
    }
    const seq = this.seq
    const seat = this.seat
    this.connection.preview((actions, at) => {
      if (at === seq && seq === this.seq && seat === this.seat) {
        this.previews = previewed(actions)
      }
    }, seat === this.you.seat ? undefined : seat)
  }
}
