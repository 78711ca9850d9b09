// A daily result in a few symbols: how the points came, never which dice.

const BARS = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█']

/** The points of each round as a row of bars, the best one at full height. */
export function bars(points: readonly number[]): string {
  const most = Math.max(1, ...points)
  return points.map((n) => BARS[Math.round((Math.max(0, n) / most) * (BARS.length - 1))]).join('')
}

/** One star for each rating reached, from the lowest up. */
export function stars(rating: number, ratings: number): string {
  const reached = Math.max(0, Math.min(ratings, ratings - rating))
  return '★'.repeat(reached) + '☆'.repeat(ratings - reached)
}

/** What each round brought, from the totals after every step and the turn of every step. */
export function perRound(totals: readonly number[], turns: readonly number[], rounds: number): number[] {
  const last = Math.max(0, ...turns) + 1
  const perTurn = Math.max(1, last / rounds)
  const found = Array<number>(rounds).fill(0)
  for (let i = 1; i < totals.length; i++) {
    // What ends a turn is told with the next one: it belongs to the step before.
    const round = Math.min(rounds - 1, Math.floor((turns[i - 1] ?? 0) / perTurn))
    found[round]! += totals[i]! - totals[i - 1]!
  }
  return found
}

export interface Result {
  head: string
  points: string
  rating: number
  ratings: number
  foxes: number
  rounds: number[]
  link: string
}

export function shareText({ head, points, rating, ratings, foxes, rounds, link }: Result): string {
  const line = [stars(rating, ratings), points, '🦊'.repeat(foxes)].filter(Boolean).join(' ')
  return [head, line, bars(rounds), link].join('\n')
}
