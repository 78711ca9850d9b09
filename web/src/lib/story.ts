// The log in words, written from events.

import type { GameEvent, Sheet } from './game'
import { findCell } from './game'
import type { Entry, SeatInfo } from './wire'
import { t } from './i18n.svelte'
import { bonusGained, bonusName, botName, cellName, colourName, dieName, dieTaken, seatName } from './names'

export interface Sentence {
  text: string
  kind: 'round' | 'turn' | 'throw' | 'plain' | 'quiet'
}

/** What all dice show when an entry begins, as the last throw before it said. */
export function facesBefore(entries: Entry[], index: number): number[] {
  for (let i = index - 1; i >= 0; i--) {
    const thrown = entries[i]!.events?.findLast((event) => event.event === 'thrown')
    if (thrown) return thrown.faces
  }
  return []
}

/** What an entry of the log means, in order; `faces` is what the dice show before it. */
export function tell(sheet: Sheet, seats: SeatInfo[], entry: Entry, faces: number[]): Sentence[] {
  const name = entry.seat == null ? '' : seatName(seats, entry.seat)
  const out: Sentence[] = []
  const say = (text: string, kind: Sentence['kind'] = 'plain') => out.push({ text, kind })
  switch (entry.what) {
    case 'sat':
    case 'left':
    case 'took_over':
    case 'resumed':
    case 'undid':
    case 'undid_throw':
    case 'hinted':
      say(t(`log.${entry.what}`, { name, bot: entry.bot ? botName(entry.bot) : '' }), 'quiet')
      break
    case 'started':
      say(t('log.started'), 'quiet')
      for (const seat of entry.left_out ?? []) {
        say(t('fair.left_out', { name: seatName(seats, seat) }), 'quiet')
      }
      break
  }
  out.push(...narrate(sheet, seats, entry.events ?? [], faces))
  return out
}

export function narrate(
  sheet: Sheet,
  seats: SeatInfo[],
  events: GameEvent[],
  faces: number[],
): Sentence[] {
  const out: Sentence[] = []
  const say = (text: string, kind: Sentence['kind'] = 'plain') => out.push({ text, kind })
  const who = (seat: number) => seatName(seats, seat)
  const faceOf = (die: string) => faces[sheet.dice.findIndex((known) => known.colour === die)]
  const tray: string[] = []
  const flush = () => {
    if (tray.length) {
      say(t('log.tray', { dice: tray.map((die) => colourName(sheet.id, die)).join(', ') }), 'quiet')
      tray.length = 0
    }
  }
  let taken: Extract<GameEvent, { event: 'taken' }> | null = null
  for (const event of events) {
    if (event.event !== 'moved' && !taken) flush() // after what it follows from
    switch (event.event) {
      case 'round_started':
        say(t('log.round', { n: event.round + 1 }), 'round')
        break
      case 'turn_started':
        say(t(event.serving ? 'log.solo_serving' : 'log.turn', { name: who(event.seat) }), 'turn')
        break
      case 'thrown': {
        faces = event.faces
        const shown = event.dice.map((die) => dieName(sheet.id, die, faceOf(die)))
        const key = event.reroll ? 'log.rethrown' : event.roll ? 'log.thrown' : 'log.served_throw'
        say(t(key, { n: event.roll, dice: shown.join(', ') }), 'throw')
        break
      }
      case 'taken':
        taken = event
        break
      case 'moved':
        if (event.reason === 'returned') {
          say(t('log.returned', { colour: colourName(sheet.id, event.die) }))
        } else if (event.place === 'tray' && event.reason === 'lower') tray.push(event.die)
        break
      case 'marked': {
        const { area, cell } = findCell(sheet, event.cell)
        const written = area.writes === 'value'
        const face = taken ? faceOf(taken.die) : undefined
        // Where two dice count together, what was entered is more than the die shows.
        const sum = taken && face && taken.value > face ? ` (${face} + ${taken.value - face})` : ''
        const values = {
          name: who(event.seat),
          cell: cellName(sheet.id, area, cell) + (written ? '' : sum),
          value: event.mark + (written ? sum : ''),
          die: taken ? dieTaken(sheet.id, taken.die, face) : '',
        }
        if (taken) {
          const manner = taken.manner
          say(t(written ? `log.wrote.${manner}` : `log.crossed.${manner}`, values))
        } else say(t(written ? 'log.wrote.bonus' : 'log.crossed.bonus', values))
        taken = null
        break
      }
      case 'bonus_earned':
        say(t('log.earned', { name: who(event.seat), bonus: bonusGained(sheet.id, event.bonus) }))
        break
      case 'bonus_lost':
        say(t('log.lost', { name: who(event.seat), bonus: bonusName(sheet.id, event.bonus) }))
        break
      case 'action_spent':
        say(t('log.spent', { name: who(event.seat), bonus: t(`gain.${event.track}`) }), 'quiet')
        break
      case 'passed':
        if (event.stage === 'pick' || event.stage === 'served') {
          say(t(event.forced ? 'log.nothing' : 'log.passed', { name: who(event.seat) }), 'quiet')
        }
        break
      case 'game_ended':
        say(t('log.ended'), 'round')
        break
    }
  }
  flush()
  return out
}
