// Reviews, exercises and what they say, asked for from the server.

import { request } from './api'
import type { SeatView } from './game'
import { list, signed, t } from './i18n.svelte'
import { bonusName } from './names'
import type {
  Coach,
  CoachTypes,
  DailyExercise,
  ExerciseList,
  ExerciseResult,
  ReviewedGame,
  ReviewState,
  ReviewWords,
  Steps,
} from './wire'

export type Review = CoachTypes.Review
export type SeatReview = CoachTypes.SeatReview
export type Decision = CoachTypes.Decision
export type Roll = CoachTypes.Roll
export type Influence = CoachTypes.Influence
export type Moment = CoachTypes.Moment
export type Choice = CoachTypes.Step

function query(values: Record<string, string | number>): string {
  return `?${new URLSearchParams(Object.entries(values).map(([name, value]) => [name, String(value)]))}`
}

/** The lines of the game that was looked at last, by what was asked for. */
let linesOf = ''
let lines = new Map<string, Steps>()

export const coach = {
  /** Asks for a review, or how far it is. */
  ask: (id: string, key: string) => request<ReviewState>('POST', `tables/${id}/review`, { key }),
  /** Whether there is a review. */
  state: (id: string, key: string) => request<ReviewState>('GET', `tables/${id}/review/state`, { key }),
  review: (id: string, key: string) => request<Review>('GET', `tables/${id}/review`, { key }),
  words: (id: string, key: string, language: string) =>
    request<ReviewWords>('GET', `tables/${id}/review/words${query({ language })}`, { key }),
  /** What other actions would have led to; asked once, as long as the same game is looked at. */
  async line(id: string, key: string, at: number, seat: number, actions: string[]): Promise<Steps> {
    if (linesOf !== id) [linesOf, lines] = [id, new Map()]
    const known = lines
    const asked = query({ at, seat, actions: actions.join(',') })
    const found = known.get(asked) ?? (await request<Steps>('GET', `tables/${id}/line${asked}`, { key }))
    known.set(asked, found)
    return found
  },
  figures: () => request<Coach>('GET', 'me/coach'),
  exercises: () => request<ExerciseList>('GET', 'me/exercises'),
  daily: (game: string) => request<DailyExercise>('GET', `exercises/daily/${game}`),
  answer: (id: string, action: string) =>
    request<ExerciseResult>('POST', `exercises/${id}`, { body: { action } }),
}

export function decisions(seat: SeatReview): Decision[] {
  return seat.moments.filter((moment): moment is Decision => moment.kind === 'decision')
}

/** The decisions that cost something beyond doubt, the costliest first. */
export function costliest(seat: SeatReview, most = 5): Decision[] {
  return decisions(seat)
    .filter((decision) => decision.price >= Math.max(0.5, 2 * decision.error))
    .sort((a, b) => b.price - a.price)
    .slice(0, most)
}

/** What a decision was about, and at which of its steps most was given away. */
export function decisionName(decision: Decision): string {
  const where = t('review.where', { round: decision.round + 1 })
  const stage = t(`review.stage.${decision.stage}` as 'review.stage.pick')
  const at = choices(decision).indexOf(crux(decision))
  return `${where} · ${stage}${at ? ` · ${t('review.step', { n: at + 1 })}` : ''}`
}

/** The parts as whole numbers that come to a total, each the nearest above or below, as the server tells them. */
export function wholeParts(parts: number[], total: number): number[] {
  const whole = parts.map(Math.floor)
  const missing = total - whole.reduce((a, b) => a + b, 0)
  const order = parts.map((_, i) => i).sort((a, b) => whole[a]! - parts[a]! - (whole[b]! - parts[b]!))
  for (const i of order.slice(0, missing)) whole[i]!++
  return whole
}

/** A game in one line, whose numbers add up; `own` for who played it, `five` the decisions that are listed below it. */
export function inOneLine(seat: SeatReview, own: boolean, five: Decision[]): string {
  const result = Math.round(seat.result)
  const parts = [seat.expected, seat.luck, seat.influence, -seat.price, seat.correction]
  const [expected, luck, influence, price, correction] = wholeParts(parts, result)
  const listed = five.reduce((sum, decision) => sum + decision.price, 0)
  const values = { n: result, expected: expected!, luck: luck ? signed(luck) : '0', price: -price! }
  const most = five.length === 5 && listed > seat.price / 2
  const line = most
    ? t(own ? 'review.line_five' : 'review.line_five_other', values)
    : t(own ? 'review.in_line' : 'review.in_line_other', values)
  const rest = ([['review.others', influence], ['review.correction', correction]] as const)
    .flatMap(([name, n]) => (n ? `${t(name)}: ${signed(n)}.` : []))
  return [line, ...rest].join(' ')
}

/** The moment to which an input of the record belongs, if any of this seat does. */
export function momentAt(seat: SeatReview, at: number): Moment | undefined {
  return seat.moments.find((moment) =>
    moment.kind === 'decision' ? moment.steps.some((step) => step.at === at) : moment.at === at,
  )
}

/** The steps of a decision at which there was a choice; a decision without any has one all the same. */
export function choices(decision: Decision): Choice[] {
  const open = decision.steps.filter((step) => step.alternatives.length)
  return open.length ? open : decision.steps.slice(0, 1)
}

/** The step that gave most away: often not the first, as bonuses follow from marks. */
export function crux(decision: Decision): Choice {
  return choices(decision).reduce((a, b) => (b.price > a.price ? b : a))
}

/** The moment that an address names; if it names none of this seat, the last one before it. */
export function momentNear(seat: SeatReview, at: number): Moment | undefined {
  return momentAt(seat, at) ?? seat.moments.findLast((moment) => moment.at <= at) ?? seat.moments[0]
}

/** The input at which a moment is looked at: the most costly step of a decision. */
export function focusOf(moment: Moment): number {
  return moment.kind === 'decision' ? crux(moment).at : moment.at
}

/** What a seat has to decide, and which bonus it has to use. */
export function asked(game: string, seat: SeatView): string {
  const stage = t(`review.stage.${seat.stage}` as 'review.stage.pick')
  if (seat.stage !== 'bonus') return stage
  const open = Object.entries(seat.open).flatMap(([bonus, count]) => Array<string>(count).fill(bonusName(game, bonus)))
  return `${stage}: ${list(open)}`
}

/** What a moment added to the expectation, or took from it. */
export function change(moment: Moment): number {
  if (moment.kind === 'roll') return moment.luck
  return moment.kind === 'influence' ? moment.gain : -moment.price
}

/** How many games a mean of the last games has, at most and at least. */
export const LAST = 10
const LEAST = 3

/** What I was worth after so many games: a mean without luck, and its standard error. */
export interface Standing {
  games: number
  mean: number
  error: number
}

/** My strength after each game: the mean without luck of the last games. */
export function strengthSoFar(games: ReviewedGame[]): Standing[] {
  const values = games.map((game) => game.result - game.luck)
  const standings: Standing[] = []
  for (let played = LEAST; played <= values.length; played++) {
    const last = values.slice(Math.max(0, played - LAST), played)
    const mean = last.reduce((a, b) => a + b) / last.length
    const squares = last.reduce((sum, value) => sum + (value - mean) ** 2, 0)
    standings.push({ games: played, mean, error: Math.sqrt(squares / (last.length - 1) / last.length) })
  }
  return standings
}
