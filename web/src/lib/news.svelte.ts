// What just happened: marks and dice to animate, sentences for a screen reader.

import { untrack } from 'svelte'
import type { Sheet } from './game'
import { facesBefore, tell } from './story'
import type { Table } from './table.svelte'
import type { Entry } from './wire'

const TUMBLE_MS = 600

export class News {
  /** The cells that were just marked on the sheet that is shown. */
  fresh = $state.raw<Set<string>>(new Set())
  /** The colours of the dice that were just thrown. */
  tumbling = $state.raw<Set<string>>(new Set())
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
  }

  hear(news: Entry[]): void {
    const { entries, info, shownSeat } = this.table
    const events = news.flatMap((entry) => entry.events ?? [])
    this.fresh = new Set(
      events.flatMap((event) =>
        event.event === 'marked' && event.seat === shownSeat ? [event.cell] : [],
      ),
    )
    this.tumbling = new Set(events.flatMap((event) => (event.event === 'thrown' ? event.dice : [])))
    const before = entries.length - news.length
    const told = news.flatMap((entry, i) =>
      tell(this.sheet, info?.seats ?? [], entry, facesBefore(entries, before + i)),
    )
    this.spoken = [...told.map((part) => part.text), this.asked()].join(' ')
  }
}
