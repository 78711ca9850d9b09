// What happened, read from the log of the rules: the same events as the server tells.

import { codes, type Entry } from '../engine/engine'
import type { GameEvent } from '../lib/wire'
import type { Layout } from './layout'

const FACE_BITS = 3

type Reader = (layout: Layout, a: number, b: number, c: number, d: number) => GameEvent

/** The cell, line, track or round that a bonus came from. */
function sourceName(layout: Layout, source: number, index: number): string {
  if (source === codes.BY_CELL) return layout.names.cells[index]!
  if (source === codes.BY_LINE) {
    const { area, line } = layout.line(index)
    return `${area} ${line.kind} ${line.index + 1}`
  }
  return source === codes.BY_TRACK ? codes.TRACK_NAMES[index]! : String(index + 1)
}

const READERS: Record<number, Reader> = {
  [codes.ROUND_STARTED]: (_, round) => ({ event: 'round_started', round }),
  [codes.TURN_STARTED]: (_, turn, seat, serving) => ({
    event: 'turn_started', turn, seat, serving: serving > 0,
  }),
  [codes.THROWN]: (layout, mask, packed, roll, reroll) => ({
    event: 'thrown',
    dice: layout.sheet.dice.flatMap((die, d) => ((mask >> d) & 1 ? [die.colour] : [])),
    faces: layout.sheet.dice.map((_, d) => (packed >> (FACE_BITS * d)) & 7),
    roll,
    reroll,
  }),
  [codes.TAKEN]: (layout, seat, die, value, manner) => ({
    event: 'taken', seat, die: layout.die(die), value, manner: codes.MANNER_NAMES[manner]!,
  }),
  [codes.MOVED]: (layout, die, origin, place, reason) => ({
    event: 'moved',
    die: layout.die(die),
    origin: codes.PLACE_NAMES[origin]!,
    place: codes.PLACE_NAMES[place]!,
    reason: codes.MOVE_NAMES[reason]!,
  }),
  [codes.MARKED]: (layout, seat, cell, mark, value) => ({
    event: 'marked', seat, area: layout.areaOf(cell), cell: layout.names.cells[cell]!, mark, value,
  }),
  [codes.LINE_COMPLETED]: (layout, seat, number) => {
    const { area, line } = layout.line(number)
    return { event: 'line_completed', seat, area, kind: line.kind, index: line.index }
  },
  [codes.BONUS_EARNED]: (layout, seat, bonus, source, index) => ({
    event: 'bonus_earned',
    seat,
    bonus: layout.names.bonuses[bonus]!,
    source: codes.SOURCE_NAMES[source]!,
    where: sourceName(layout, source, index),
  }),
  [codes.BONUS_USED]: (layout, seat, bonus) => ({
    event: 'bonus_used', seat, bonus: layout.names.bonuses[bonus]!,
  }),
  [codes.BONUS_LOST]: (layout, seat, bonus) => ({
    event: 'bonus_lost', seat, bonus: layout.names.bonuses[bonus]!,
  }),
  [codes.TRACK_CIRCLED]: (_, seat, track, count) => ({
    event: 'track_circled', seat, track: codes.TRACK_NAMES[track]!, count,
  }),
  [codes.ACTION_SPENT]: (_, seat, track, count) => ({
    event: 'action_spent', seat, track: codes.TRACK_NAMES[track]!, count,
  }),
  [codes.PASSED]: (_, seat, stage, forced) => ({
    event: 'passed', seat, stage: codes.STAGE_NAMES[stage]!, forced: forced > 0,
  }),
  [codes.SERVING_STARTED]: (_, turn) => ({ event: 'serving_started', turn }),
  [codes.TURN_ENDED]: (_, turn) => ({ event: 'turn_ended', turn }),
  [codes.ROUND_ENDED]: (_, round) => ({ event: 'round_ended', round }),
  [codes.GAME_ENDED]: () => ({ event: 'game_ended' }),
}

export function readEvents(layout: Layout, entries: Entry[]): GameEvent[] {
  return entries.map(([code, a, b, c, d]) => READERS[code]!(layout, a, b, c, d))
}

/** What a move itself sets off: everything before the next round begins, with its bonus. */
export function beforeRound(events: GameEvent[]): GameEvent[] {
  const next = events.findIndex((event) => event.event === 'round_started')
  return next < 0 ? events : events.slice(0, next)
}
