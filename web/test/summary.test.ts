import { describe, expect, it } from 'vitest'
import type { Sheet } from '../src/lib/game'
import { summary } from '../src/local/statistics'
import type { Kept } from '../src/local/store'

const sheet = { id: 'clever', areas: [{ colour: 'yellow' }], ratings: [] } as unknown as Sheet
const game = (id: string, total: number, how = {}) =>
  ({
    id,
    setup: { game: 'clever', seats: [{ kind: 'me' }], tutorial: false, real_dice: false, ...how },
    result: { scores: [{ total, areas: [total], foxes: 0, fox_value: 0 }], winners: [0] },
  }) as unknown as Kept

describe('the summary of a game on this device', () => {
  const earlier = [game('a', 100), game('b', 120)]

  it('compares it with earlier ones', () => {
    const over = game('c', 150)
    expect(summary(sheet, over, [...earlier, over])).toMatchObject({ games: 2, best: 120, mean: 110, excluded: [] })
  })

  it.each([
    ['real_dice', { real_dice: true }],
    ['practice', { tutorial: true }],
  ])('compares one that does not count with nothing: %s', (why, how) => {
    const over = game('c', 150, how)
    const nothing = { games: 0, best: null, mean: null, decided: null, excluded: [why] }
    expect(summary(sheet, over, [...earlier, over])).toEqual(nothing)
  })
})
