// Cells, bonuses, dice and people in words.

import type { Area, Cell, Colour, Marks } from './game'
import { readBonus } from './game'
import type { SeatInfo } from './messages'
import { has, list, t } from './i18n.svelte'

export function dieName(colour: Colour, face: number | undefined): string {
  const name = t(`colour.${colour}`)
  return face ? t('die.name', { colour: name, face }) : name
}

/** A cell as a player would say it: colour and number, or colour and which field. */
export function cellName(area: Area, cell: Cell): string {
  const colour = t(`colour.${area.colour}`)
  if (!area.grid) {
    return t('cell.field', { colour, n: area.cells.indexOf(cell) + 1 })
  }
  if (area.row_dice.length) {
    const row = t(`colour.${area.row_dice[cell.row]!}`)
    return t('cell.rowed', { colour, number: cell.number, row })
  }
  const twins = area.cells.filter((other) => other.number === cell.number)
  if (twins.length === 1) return t('cell.number', { colour, number: cell.number })
  return t('cell.twin', { colour, number: cell.number, row: cell.row + 1 })
}

/** An area for those who hear it: what is marked, and the points. */
export function areaInWords(area: Area, marks: Marks, points: number): string {
  const colour = t(`colour.${area.colour}`)
  const found = area.cells.filter((cell) => marks[cell.name])
  if (!found.length) return t('area.empty', { colour, n: points })
  let what: string
  if (area.writes === 'value') {
    what = found.map((cell) => String(marks[cell.name])).join(', ')
  } else if (area.entry === 'staged') {
    what = found
      .map((cell) =>
        t((marks[cell.name] ?? 0) > 1 ? 'area.crossed' : 'area.circled', { number: cell.number }),
      )
      .join(', ')
  } else if (area.row_dice.length) {
    what = found
      .map((cell) => `${t(`colour.${area.row_dice[cell.row]!}`)} ${cell.number}`)
      .join(', ')
  } else if (area.grid) {
    what = found.map((cell) => String(cell.number)).join(', ')
  } else {
    what = t('area.fields', { n: found.length })
  }
  return t('area.marked', { colour, what, n: points })
}

export function bonusName(text: string): string {
  const bonus = readBonus(text)
  if (bonus.kind === 'mark') {
    const colour = t(`colour.${bonus.area!}`)
    return bonus.value
      ? t('bonus.value', { colour, value: bonus.value })
      : t('bonus.mark', { colour })
  }
  if (bonus.kind === 'action') return t(`track.${bonus.track!}`)
  return t(bonus.kind === 'fox' ? 'bonus.fox' : 'bonus.choice')
}

export function seatName(seats: SeatInfo[], seat: number): string {
  const info = seats[seat]
  if (info?.kind === 'bot' && info.bot) {
    const alike = seats.filter((other) => other.kind === 'bot' && other.bot === info.bot)
    return alike.length > 1 ? `${botName(info.bot)} ${alike.indexOf(info) + 1}` : botName(info.bot)
  }
  if (info?.name) return info.name
  return t('seat.number', { n: seat + 1 })
}

export function botName(bot: string): string {
  const key = `bot.${bot}`
  return has(key) ? t(key) : bot
}

/** A name of a list, where bots go by what they are called in the language of the page. */
export function calledOf(name: string, bots: string[] = []): string {
  return bots.includes(name) ? botName(name) : name
}

export function bonusList(bonuses: string[]): string {
  return list(bonuses.map(bonusName))
}
