// What just happened: marks and dice to animate, sentences for a screen reader.

import { untrack } from 'svelte'
import { findCell, type GameEvent, type Sheet } from './game'
import { facesBefore, tell } from './story'
import type { Table } from './table.svelte'
import type { Entry } from './wire'

const TUMBLE_MS = 300
/** How long a mark of somebody else is pointed out. */
const MOVED_MS = 2500

/** What somebody has just marked: the cells, and each in short. */
export interface Moved {
  cells: Set<string>
  marks: { colour: string; text: string }[]
}

export class News {
  /** The cells that were just marked on the sheet that is shown. */
  fresh = $state.raw<Set<string>>(new Set())
  /** The colours of the dice that were just thrown. */
  tumbling = $state.raw<Set<string>>(new Set())
  /** What others have just marked, by seat. */
  moved = $state.raw<Map<number, Moved>>(new Map())
  spoken = $state('')

  constructor(
    private readonly table: Table,
    private readonly sheet: Sheet,
    /** What the player is asked for now. */
    private readonly asked: () => string,
  ) {}

  /** Only news are news: not that somebody came, nor that the page speaks another language. */
  follow(): void {
    $effect(() => {
      const news = this.table.news
      untrack(() => this.hear(news))
      const timer = setTimeout(() => (this.tumbling = new Set()), TUMBLE_MS)
      return () => clearTimeout(timer)
    })
    $effect(() => {
      if (!this.moved.size) return
      const timer = setTimeout(() => (this.moved = new Map()), MOVED_MS)
      return () => clearTimeout(timer)
    })
  }

  /** Several seats may act at once, so what one did stays while another one does something. */
  private point(events: GameEvent[]): void {
    const found = new Map<number, Moved>()
    for (const event of events) {
      if (event.event !== 'marked' || event.seat === this.table.shownSeat) continue
      const { area, cell, index } = findCell(this.sheet, event.cell)
      const text = area.writes === 'value' ? event.mark : cell.number || `${index + 1}.`
      const before = found.get(event.seat) ?? { cells: new Set(), marks: [] }
      before.cells.add(event.cell)
      before.marks.push({ colour: area.colour, text: String(text) })
      found.set(event.seat, before)
    }
    if (found.size) this.moved = new Map([...this.moved, ...found])
  }

  hear(news: Entry[]): void {
    const { entries, info, shownSeat } = this.table
    const events = news.flatMap((entry) => entry.events ?? [])
    this.fresh = new Set(
      events.flatMap((event) =>
        event.event === 'marked' && event.seat === shownSeat ? [event.cell] : [],
      ),
    )
    this.point(events)
    this.tumbling = new Set(events.flatMap((event) => (event.event === 'thrown' ? event.dice : [])))
    const before = entries.length - news.length
    const told = news.flatMap((entry, i) =>
      tell(this.sheet, info?.seats ?? [], entry, facesBefore(entries, before + i)),
    )
    this.spoken = [...told.map((part) => part.text), this.asked()].join(' ')
  }
}
