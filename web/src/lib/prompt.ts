// What the player is asked for, in one sentence.

import type { GameView, Sheet } from './game'
import { usableDice } from './choice'
import { colourOf } from './game'
import type { SeatInfo } from './wire'
import { list, t } from './i18n.svelte'
import { bonusName, dieTaken, inArea, seatName } from './names'

/** With guests on the device it is said who is asked. */
export function promptFor(
  sheet: Sheet,
  game: GameView,
  seats: SeatInfo[],
  seat: number | null,
): string {
  const text = sentenceFor(sheet, game, seats, seat)
  const guests = seat !== null && seats.some((other) => other.guest)
  return guests && !game.over ? t('prompt.for', { name: seatName(seats, seat), text }) : text
}

function sentenceFor(
  sheet: Sheet,
  game: GameView,
  seats: SeatInfo[],
  seat: number | null,
): string {
  if (game.over) return t('prompt.over')
  const others = game.awaiting.filter((other) => other !== seat)
  const waiting = list(others.map((other) => seatName(seats, other)))
  if (game.rolling.length) {
    if (game.active !== seat) return t('prompt.other_rolls', { name: seatName(seats, game.active) })
    if (game.seats.length === 1 && game.roll === 0) return t('prompt.roll_serving')
    return t('prompt.roll', { n: game.roll })
  }
  if (seat === null || !game.awaiting.includes(seat)) return t('prompt.waiting', { names: waiting })
  const mine = game.seats[seat]!
  const open = Object.entries(mine.open).flatMap(([bonus, count]) =>
    Array.from({ length: count }, () => bonusName(sheet.id, bonus)),
  )
  if (open.length) {
    return t(open.length > 1 ? 'prompt.bonuses' : 'prompt.bonus', { bonus: list(open) })
  }
  if (mine.crosses.length) {
    const usable = usableDice(mine.legal)
    const dice = mine.crosses.filter((die) => usable.has(die))
    const faceOf = (die: string) => game.faces[sheet.dice.findIndex((known) => known.letter === die)]
    return t('prompt.follow', {
      area: inArea(sheet.id, sheet.areas.find((area) => area.row_dice.length)?.colour ?? ''),
      dice: list(dice.map((die) => dieTaken(sheet.id, colourOf(sheet, die), faceOf(die)))),
    })
  }
  const usable = mine.legal.some((place) => place.cell)
  switch (mine.stage) {
    case 'pick':
      return t(usable ? 'prompt.pick' : 'prompt.pick_none')
    case 'window':
      return t(game.places.includes('pool') ? 'prompt.window' : 'prompt.window_last')
    case 'served':
      return t('prompt.served')
    default:
      return t('prompt.extra')
  }
}
