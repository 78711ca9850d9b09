import { beforeAll, describe, expect, it, vi } from 'vitest'
import { choices, crux, focusOf, inOneLine, momentNear, strengthSoFar, wholeParts, type Decision, type SeatReview } from '../src/lib/coach'
import { allWords, speak } from '../src/lib/i18n.svelte'
import type { ReviewedGame } from '../src/lib/wire'
import { answerForGames } from './games'

vi.stubGlobal('document', { documentElement: {} })
answerForGames()

const open = [{ action: 'pass', line: [], points: 1, error: 0, win_chance: null, searched: true }]
const step = (at: number, price: number, alternatives = open) => ({ at, action: 'pass', price, alternatives })
const decision = (...steps: Decision['steps']) =>
  ({ kind: 'decision', at: steps[0]!.at, steps, price: 3 }) as unknown as Decision

describe('decisions of several steps', () => {
  const late = decision(step(3, 0, []), step(4, 0.5), step(5, 2.5))
  const forced = decision(step(8, 0, []), step(9, 0, []))
  const seat = {
    moments: [{ kind: 'roll', at: 2 }, late, { kind: 'roll', at: 7 }, forced, { kind: 'roll', at: 10 }],
  } as unknown as SeatReview

  it('has choices where more than one action was possible', () => {
    expect(choices(late).map(({ at }) => at)).toEqual([4, 5])
    expect(choices(forced).map(({ at }) => at)).toEqual([8])
  })

  it('finds the step that cost most', () => {
    expect(crux(late).at).toBe(5)
    expect(crux(forced).at).toBe(8)
  })

  it('finds the moment of each input, or the last one before it', () => {
    const found = [2, 3, 5, 6, 7, 8, 9, 10, 99].map((at) => seat.moments.indexOf(momentNear(seat, at)!))
    expect(found).toEqual([0, 1, 1, 1, 2, 3, 3, 4, 4])
    expect(momentNear(seat, 0)).toBe(seat.moments[0])
  })

  it('looks at a roll itself, and at the costliest step of a decision', () => {
    expect(seat.moments.map(focusOf)).toEqual([2, 5, 7, 8, 10])
  })
})

describe('a game in one line', () => {
  const seat = { result: 187, expected: 269.4, luck: -6.4, influence: 0, price: 76.4, correction: 0.4 } as SeatReview
  const costing = (price: number) => ({ price }) as Decision
  beforeAll(async () => {
    await speak('en')
    await allWords()
  })

  it('rounds like the summary of the server, so that the figures add up', () => {
    expect(wholeParts([269.4, -6.4, 0, -76.4, 0.4], 187)).toEqual([269, -6, 0, -76, 0])
    expect(wholeParts([10.5, -0.5], 10)).toEqual([11, -1])
  })

  it('names the five decisions below it if they cost the most', () => {
    const five = [20, 15, 10, 5, 5].map(costing)
    expect(inOneLine(seat, true, five)).toBe(
      '187 points. Expected with best play 269. Your dice were worth −6; decisions cost 76, most of them these five.',
    )
    expect(inOneLine(seat, false, five.slice(0, 4))).toBe(
      '187 points. Expected with best play 269. The dice were worth −6; decisions cost 76.',
    )
  })
})

describe('strength over time', () => {
  const game = (result: number, luck = 0) => ({ result, luck }) as ReviewedGame

  it('needs three games', () => {
    expect(strengthSoFar([game(100), game(110)])).toEqual([])
  })

  it('takes out the luck and tells the error of the mean', () => {
    const [only] = strengthSoFar([game(100, 10), game(80, -20), game(120, 10)])
    expect(only!.games).toBe(3)
    expect(only!.mean).toBeCloseTo(100)
    // Deviations of -10, 0 and 10: the variance is 100, that of the mean a third of it.
    expect(only!.error).toBeCloseTo(Math.sqrt(100 / 3))
  })

  it('forgets what was before the last ten games', () => {
    const course = strengthSoFar([...Array(4).fill(game(0)), ...Array(10).fill(game(90))])
    expect(course.map(({ games }) => games)).toEqual([3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14])
    expect(course.at(-1)).toEqual({ games: 14, mean: 90, error: 0 })
  })
})
