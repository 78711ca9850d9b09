// Figures about the finished games of this device, in the form in which the server tells its own.

import type { Score, Sheet } from '../lib/game'
import type { Decided, ExclusionKind, GameStatistics, Opponent, Summary } from '../lib/wire'
import type { Kept, Result } from './store'

/** A finished game, seen by the owner of the device. */
interface Own {
  game: Kept
  seat: number
  score: Score
  result: Result
}

function owns(games: Kept[]): Own[] {
  return games.flatMap((game) => {
    const seat = game.setup.seats.findIndex(({ kind }) => kind === 'me')
    const score = game.result?.scores[seat]
    return game.result && score ? [{ game, seat, score, result: game.result }] : []
  })
}

function sum(values: number[]): number {
  return values.reduce((all, one) => all + one, 0)
}

function foxPoints({ foxes, fox_value }: Score): number {
  return foxes * fox_value
}

/** The games that count: not guided ones, of which the dice are known; those with real dice stand apart. */
function counting(games: Kept[], game: string, byHand = false): Own[] {
  return owns(games).filter(({ game: { setup } }) => setup.game === game && !setup.tutorial && setup.real_dice === byHand)
}

/** The games with real dice in short; null if there are none. */
export function apart(game: string, games: Kept[]): { game: string; games: number; mean: number; best: number } | null {
  const totals = counting(games, game, true).map(({ score }) => score.total)
  return totals.length ? { game, games: totals.length, mean: sum(totals) / totals.length, best: Math.max(...totals) } : null
}

/** The figures of one game; null if it was never finished here. */
export function figures(sheet: Sheet, games: Kept[]): GameStatistics | null {
  const mine = counting(games, sheet.id)
  if (!mine.length) return null
  const totals = mine.map(({ score }) => score.total).sort((a, b) => a - b)
  const alone = mine.filter(({ game }) => game.setup.seats.length === 1)
  const among = mine.filter(({ game }) => game.setup.seats.length > 1)
  const bands = alone.map(({ score }) =>
    sheet.ratings.findIndex(({ lowest }) => lowest === null || score.total >= lowest),
  )
  const areas = sheet.areas.map(({ colour }, area): [string, { mean: number; best: number }] => {
    const points = mine.map(({ score }) => score.areas[area] ?? 0)
    return [colour, { mean: sum(points) / mine.length, best: Math.max(...points) }]
  })
  return {
    games: mine.length,
    solo: alone.length,
    won: among.filter(({ result, seat }) => result.winners.includes(seat)).length,
    mean: sum(totals) / mine.length,
    best: totals.at(-1)!,
    areas: Object.fromEntries(areas),
    fox_mean: sum(mine.map(({ score }) => foxPoints(score))) / mine.length,
    ratings: sheet.ratings.map((_, band) => bands.filter((one) => one === band).length),
    totals,
  }
}

/** Which of two seats did better: by the total, then by the best area. */
function standing(one: Score, other: Score): number {
  return Math.sign(one.total - other.total || Math.max(...one.areas) - Math.max(...other.areas))
}

/** Head to head against the levels of bots, most games first. */
export function againstBots(games: Kept[]): Opponent[] {
  const tally = new Map<string, Opponent>()
  for (const { game, score, result } of owns(games)) {
    if (game.setup.tutorial || game.setup.real_dice) continue
    for (const [seat, { bot }] of game.setup.seats.entries()) {
      const other = result.scores[seat]
      if (!bot || !other) continue
      const line = tally.get(bot) ?? { name: bot, bot, games: 0, won: 0, lost: 0, shared: 0 }
      line.games++
      const better = standing(score, other)
      line[better > 0 ? 'won' : better < 0 ? 'lost' : 'shared']++
      tally.set(bot, line)
    }
  }
  return [...tally.values()].sort((a, b) => b.games - a.games)
}

/** How a finished game compares with the earlier ones of its kind on this device. */
export function summary(sheet: Sheet, over: Kept, games: Kept[]): Summary {
  const { seats, tutorial, real_dice } = over.setup
  const excluded: ExclusionKind[] = tutorial ? ['practice'] : real_dice ? ['real_dice'] : []
  const earlier = counting(excluded.length ? [] : games, sheet.id).filter(
    ({ game }) => game.id !== over.id && (game.setup.seats.length === 1) === (seats.length === 1),
  )
  const totals = earlier.map(({ score }) => score.total)
  return {
    games: totals.length,
    best: totals.length ? Math.max(...totals) : null,
    mean: totals.length ? sum(totals) / totals.length : null,
    decided: over.result && decided(sheet, over.result, earlier.map(({ score }) => score)),
    excluded,
  }
}

function parts(score: Score): number[] {
  return [...score.areas, foxPoints(score)]
}

/** What made the largest difference: to the next best seat, or to the average so far. */
function decided(sheet: Sheet, { scores, winners }: Result, earlier: Score[]): Decided | null {
  const areaAt = (at: number) => sheet.areas[at]?.colour ?? null
  const one = scores[winners[0] ?? 0]!
  if (scores.length === 1) {
    if (!earlier.length) return null
    const known = earlier.map(parts)
    const gaps = parts(one).map((part, at) => part - sum(known.map((row) => row[at]!)) / known.length)
    const better = sum(gaps) >= 0
    const at = gaps.indexOf(better ? Math.max(...gaps) : Math.min(...gaps))
    const points = Math.round(Math.abs(gaps[at]!))
    return points ? { how: better ? 'above' : 'below', area: areaAt(at), points, seat: null, other: null } : null
  }
  if (winners.length !== 1) return null
  const seat = winners[0]!
  const other = scores
    .map((_, i) => i)
    .filter((i) => i !== seat)
    .reduce((best, i) => (standing(scores[i]!, scores[best]!) > 0 ? i : best))
  const gaps = parts(one).map((part, at) => part - parts(scores[other]!)[at]!)
  if (one.total === scores[other]!.total) {
    const at = parts(one).indexOf(Math.max(...one.areas))
    return { how: 'tie', area: areaAt(at), points: gaps[at]!, seat, other }
  }
  const at = gaps.indexOf(Math.max(...gaps))
  return { how: 'winner', area: areaAt(at), points: gaps[at]!, seat, other }
}
