// What is heard, felt and seen fly when something happens on the sheet that is shown. Everything is
// over within 300 milliseconds; sounds and sparks are loaded when they are first wanted.

import { untrack } from 'svelte'
import type { GameEvent } from './game'
import { calm, isOn } from './settings.svelte'
import type { Sound } from './sound'
import type { Table } from './table.svelte'

/** Milliseconds to vibrate. */
const BUZZ: Partial<Record<Sound, number[]>> = { mark: [12], bonus: [12, 40, 18], fox: [20, 40, 20, 40, 40] }

/** The sound for what happened: the rarest thing is heard. */
function soundOf(events: GameEvent[], seat: number): Sound | null {
  const mine = events.filter((event) => 'seat' in event && event.seat === seat)
  const earned = mine.filter((event) => event.event === 'bonus_earned')
  if (earned.some((event) => event.bonus === 'fox')) return 'fox'
  if (earned.length) return 'bonus'
  if (mine.some((event) => event.event === 'marked')) return 'mark'
  return events.some((event) => event.event === 'thrown') ? 'roll' : null
}

export class Effects {
  constructor(private readonly table: Table) {}

  follow(): void {
    $effect(() => {
      const events = this.table.news.flatMap((entry) => entry.events ?? [])
      if (events.length) untrack(() => this.react(events))
    })
  }

  private react(events: GameEvent[]): void {
    const { shownSeat, seat } = this.table
    const sound = soundOf(events, shownSeat)
    if (sound && isOn('sound')) void import('./sound').then(({ play }) => play(sound))
    const buzz = sound && BUZZ[sound]
    // Before the first touch a browser refuses, and says so in its console.
    if (buzz && seat !== null && isOn('buzz') && navigator.userActivation?.hasBeenActive) navigator.vibrate?.(buzz)
    if (calm()) return
    const own = events.filter((event) => 'seat' in event && event.seat === shownSeat)
    // What a round gives comes from nowhere on the sheet.
    if (!own.some((event) => event.event === 'bonus_earned' && event.source !== 'round')) return
    // With the frame, which lays out the page anyway.
    void import('./sparks').then(({ fly }) => requestAnimationFrame(() => fly(own)))
  }
}
