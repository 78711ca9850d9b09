// What the buttons of the table do, and what is written on them.

import type { Choosing } from './choosing.svelte'
import type { Command } from './connection'
import type { Place } from './game'
import type { Key } from './i18n.svelte'
import type { Table } from './table.svelte'

const PASS: Partial<Record<string, Key>> = {
  extra: 'act.done',
  follow: 'act.no_more',
  served: 'act.decline',
}

export class Acting {
  constructor(
    private readonly table: Table,
    private readonly choosing: Choosing,
  ) {}

  /** What was chosen stays chosen until the server has answered; it cannot be chosen twice. */
  readonly busy = $derived.by(() => this.table.waiting)
  readonly myTurn = $derived.by(() => this.choosing.awaited || this.table.mayRoll)
  /** The button that was pressed and has no answer yet. */
  readonly pressed = $derived.by(() => {
    const command = this.table.unanswered[0]
    if (command?.type === 'undo') return 'undo'
    if (command?.type === 'play' && command.action === 'reroll') return 'reroll'
    if (command?.type === 'play' && command.action === 'pass' && !command.roll) return 'pass'
    return command?.type === 'play' || command?.type === 'roll' ? 'primary' : null
  })
  /** Whether the main button takes nothing back, but goes on to the next roll. */
  private readonly goesOn = $derived.by(() => this.choosing.window && this.choosing.may.has('pass'))
  readonly can = $derived.by(() => {
    return this.choosing.picked !== null || this.table.mayRoll || this.goesOn
  })
  readonly label = $derived.by<Key>(() => {
    const { picked } = this.choosing
    if (picked) return picked.cell ? 'act.enter' : 'act.return'
    if (this.table.mayEnter) return 'act.enter_faces'
    if (this.table.mayRoll) return 'act.roll'
    if (!this.goesOn) return 'act.enter'
    return this.table.game?.places.includes('pool') ? 'act.roll' : 'act.end_rolls'
  })
  readonly passLabel = $derived.by<Key>(() => PASS[this.choosing.stage] ?? 'act.decline_roll')
  readonly mayPass = $derived.by(() => this.choosing.may.has('pass') && !this.choosing.window)

  /** The main button: what is picked, the dice, or on to the next roll. */
  main(): void {
    const { picked } = this.choosing
    if (picked) void this.play(picked.action)
    else if (this.table.mayEnter) this.table.entering = true
    else if (this.table.mayRoll) void this.answer({ type: 'roll' })
    else if (this.goesOn) void this.play('pass', true)
  }

  pass(): void {
    void this.play('pass')
  }

  reroll(): void {
    // In a guided game each step is told, also the roll that follows.
    void this.play('reroll', !this.choosing.lesson)
  }

  undo(): void {
    void this.answer({ type: 'undo' })
  }

  resume(): void {
    void this.send({ type: 'resume' })
  }

  /** Touching a cell picks it; touching what is picked enters it. */
  touchCell(cell: string): void {
    if (this.choosing.picked?.cell === cell) this.main()
    else this.choosing.touchCell(cell)
  }

  /** The same with a chip. */
  touchChoice(place: Place): void {
    if (this.choosing.picked?.action === place.action) this.main()
    else this.choosing.touchChoice(place)
  }

  private async play(action: string, roll = false): Promise<void> {
    const before = this.choosing.touch
    if (!(await this.answer(roll ? { type: 'play', action, roll } : { type: 'play', action }))) return
    if (this.choosing.touch === before) this.choosing.letGo()
    this.choosing.peek = null
  }

  /** Answers what is on the screen: if the game went on elsewhere, the server refuses it as stale. */
  private answer(command: Extract<Command, { type: 'play' | 'roll' | 'undo' }>): Promise<boolean> {
    return this.send({ ...command, seen: this.table.seq })
  }

  /** Sends a command, unless another one waits for its answer. */
  private async send(command: Command): Promise<boolean> {
    if (this.busy) return false
    await this.table.send(command)
    return true
  }
}
