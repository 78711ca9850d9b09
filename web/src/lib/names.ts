// Cells, bonuses, dice and people in words.

import type { Area, Cell, Marks, Place, Sheet } from './game'
import { colourOf, findCell, readBonus } from './game'
import type { SeatInfo } from './wire'
import { capital, has, t, word } from './i18n.svelte'

export function gameName(game: string): string {
  return word(game, 'title', game)
}

/** Die and area have one name. */
export function colourName(game: string, colour: string): string {
  return word(game, `colour.${colour}`, colour)
}

/** A colour as a sentence needs it: a die that is taken, in an area, in a row. */
function colourIn(form: 'die' | 'area' | 'row', game: string, colour: string): string {
  return word(game, `${form}.${colour}`, colourName(game, colour))
}

export function inArea(game: string, colour: string): string {
  return colourIn('area', game, colour)
}

export function letterOf(game: string, colour: string): string {
  return word(game, `letter.${colour}`)
}

export function dieName(game: string, colour: string, face: number | undefined): string {
  const name = colourName(game, colour)
  return face ? t('die.name', { colour: name, face }) : name
}

/** A die as the object of a sentence: what somebody takes. */
export function dieTaken(game: string, colour: string, face: number | undefined): string {
  return face
    ? t('die.taken', { die: colourIn('die', game, colour), face })
    : colourName(game, colour)
}

/** A cell as a player would say it: its number or which field it is, and where. */
export function cellName(game: string, area: Area, cell: Cell): string {
  const where = inArea(game, area.colour)
  const { number } = cell
  if (!area.grid) return t('cell.field', { area: where, n: area.cells.indexOf(cell) + 1 })
  if (area.row_dice.length) {
    return t('cell.rowed', { number, row: colourIn('row', game, area.row_dice[cell.row]!) })
  }
  const twins = area.cells.filter((other) => other.number === number)
  if (twins.length === 1) return t('cell.number', { area: where, number })
  return t('cell.twin', { area: where, number, row: cell.row + 1 })
}

/** What an action does, as a player would say it: where it marks, or which die comes back. */
export function placeName(sheet: Sheet, faces: number[], place: Place): string {
  if (place.cell) {
    const { area, cell } = findCell(sheet, place.cell)
    const where = cellName(sheet.id, area, cell)
    return area.writes === 'value' ? t('choice.write', { value: place.mark, where }) : where
  }
  const die = sheet.dice.findIndex((one) => one.letter === place.die)
  if (die < 0) return ''
  return t('choice.return', { die: dieTaken(sheet.id, colourOf(sheet, place.die!), faces[die]) })
}

/** An action in a few words: what it marks, or what it does. */
export function actionName(sheet: Sheet, faces: number[], legal: Place[], action: string): string {
  const place = legal.find((one) => one.action === action)
  if (!place) return action
  if (action === 'reroll') return t('act.reroll')
  if (action === 'pass') return t('review.pass')
  const named = placeName(sheet, faces, place)
  if (!place.die || !place.cell) return capital(named || action)
  const face = faces[sheet.dice.findIndex((die) => die.letter === place.die)]
  return `${dieName(sheet.id, colourOf(sheet, place.die), face)} – ${named}`
}

/** An area for those who hear it: what is marked, and the points. */
export function areaInWords(game: string, area: Area, marks: Marks, points: number): string {
  const colour = colourName(game, area.colour)
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
      .map((cell) => `${colourName(game, area.row_dice[cell.row]!)} ${cell.number}`)
      .join(', ')
  } else if (area.grid) {
    what = found.map((cell) => String(cell.number)).join(', ')
  } else {
    what = t('area.fields', { n: found.length })
  }
  return t('area.marked', { colour, what, n: points })
}

export function bonusName(game: string, text: string): string {
  const bonus = readBonus(text)
  if (bonus.kind === 'mark') {
    const area = inArea(game, bonus.area!)
    return bonus.value ? t('bonus.value', { area, value: bonus.value }) : t('bonus.mark', { area })
  }
  if (bonus.kind === 'action') return t(`track.${bonus.track!}`)
  return t(bonus.kind === 'fox' ? 'bonus.fox' : 'bonus.choice')
}

/** A bonus as the object of a sentence: what somebody gets or spends. */
export function bonusGained(game: string, text: string): string {
  const bonus = readBonus(text)
  if (bonus.kind === 'mark') return bonusName(game, text)
  return t(`gain.${bonus.kind === 'action' ? bonus.track! : bonus.kind}`)
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
