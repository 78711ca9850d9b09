import { describe, expect, it } from 'vitest'
import { bars, perRound, shareText, stars } from '../src/lib/share'

describe('a result to share', () => {
  it('shows the points of the rounds as bars, the best at full height', () => {
    expect(bars([0, 10, 20])).toBe('▁▅█')
    expect(bars([])).toBe('')
    expect(bars([-3, 0])).toBe('▁▁')
  })
  it('has a star for each rating reached', () => {
    expect(stars(0, 5)).toBe('★★★★★')
    expect(stars(4, 5)).toBe('★☆☆☆☆')
  })
  it('counts what each round brought, the end too', () => {
    // Two turns a round; the last step has the turn of the one before.
    const turns = [0, 0, 1, 2, 3, 3]
    const totals = [0, 5, 9, 9, 20, 26]
    const rounds = perRound(totals, turns, 2)
    expect(rounds).toEqual([9, 17])
    expect(rounds.reduce((a, b) => a + b, 0)).toBe(26)
  })
  it('tells no face and no area', () => {
    const text = shareText({
      head: 'Foxtray', points: '215 points', rating: 1, ratings: 3, foxes: 2, rounds: [1, 2], link: 'https://x/daily/clever',
    })
    expect(text).toBe('Foxtray\n★★☆ 215 points 🦊🦊\n▅█\nhttps://x/daily/clever')
  })
})
