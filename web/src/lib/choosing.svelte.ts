// What may be done now, and what has been touched of it.

import {
  NOTHING,
  candidates,
  chosen,
  isReturn,
  offered,
  stillValid,
  touchCell,
  touchDie,
  usableDice,
  type Touch,
} from './choice'
import type { Place, TrackName } from './game'
import { lessonFor } from './lessons'
import type { Table } from './table.svelte'

/** A seat's choice from dice, cells and values to one action; it sends nothing. */
export class Choosing {
  touch = $state.raw<Touch>(NOTHING)
  /** The cell under the pointer or the focus. */
  peek = $state<string | null>(null)

  constructor(private readonly table: Table) {}

  /** Where a guided game stands. */
  readonly lesson = $derived.by(() => {
    const { lesson, entries } = this.table
    return lesson && lessonFor(lesson, entries)
  })
  readonly awaited = $derived.by(() => {
    const { game, seat } = this.table
    return seat !== null && !!game?.awaiting.includes(seat)
  })
  readonly legal = $derived.by<Place[]>(() => {
    if (!this.awaited) return []
    const all = this.table.mine?.legal ?? []
    const expected = this.lesson?.expect
    return expected ? all.filter((place) => place.action === expected) : all
  })
  readonly may = $derived(new Set(this.legal.map((place) => place.action)))
  readonly stage = $derived.by(() => this.table.mine?.stage ?? 'idle')
  /** Between two rolls: a die may come back from the tray. */
  readonly window = $derived(this.awaited && this.stage === 'window')
  readonly usable = $derived(usableDice(this.legal))
  readonly places = $derived(offered(this.legal, this.touch))
  readonly picked = $derived(chosen(this.legal, this.touch))
  readonly bonus = $derived(this.legal.some((place) => place.action.startsWith('+')))
  /** The places on offer are those of one die or of a bonus, not of everything that is legal. */
  readonly firm = $derived(this.touch.die !== null || this.bonus)
  /** The actions that what was touched leaves open, to choose between. */
  readonly options = $derived.by<Place[]>(() => {
    if (!this.firm && this.touch.cell === null) return []
    const { die, cell } = this.touch
    return candidates(this.legal, { die, cell: this.firm ? null : cell, action: null })
  })
  /** What is picked, or would be by touching the cell that is looked at. */
  readonly shown = $derived.by<Place | null>(() => {
    if (this.picked || !this.peek) return this.picked
    return chosen(this.legal, touchCell(this.legal, this.touch, this.peek))
  })
  readonly preview = $derived.by(() => {
    return this.shown ? (this.table.previews.get(this.shown.action) ?? null) : null
  })
  /** The tracks of which an action can be used now. */
  readonly ready = $derived.by(() => {
    const found = new Set<TrackName>()
    if (this.may.has('reroll')) found.add('reroll')
    if (this.legal.some(isReturn)) found.add('return')
    if (this.stage === 'extra' && this.usable.size) found.add('extra')
    return found
  })

  touchDie(die: string): void {
    this.table.refusal = null
    this.touch = touchDie(this.touch, die)
    const back = `return:${die}`
    if (this.window && this.may.has(back) && this.touch.die) this.touch = { die, cell: null, action: back }
  }

  touchCell(cell: string): void {
    this.touch = touchCell(this.legal, this.touch, cell)
  }

  touchChoice(place: Place): void {
    this.touch = { die: this.touch.die, cell: place.cell, action: place.action }
  }

  letGo(): void {
    this.touch = NOTHING
  }

  /** Lets go of what is no longer legal; a bonus with only one cell is as good as chosen. */
  settle(): void {
    this.touch = stillValid(this.legal, this.touch)
    const [only, ...others] = this.legal
    if (this.touch !== NOTHING || !only?.cell || others.length || this.lesson) return
    if (only.action.startsWith('+')) this.touch = { die: null, cell: only.cell, action: null }
  }
}
