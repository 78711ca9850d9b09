import { describe, expect, it } from 'vitest'
import { clockFace, longAway, secondsLeft } from '../src/lib/clock'

describe('the turn clock', () => {
  it('counts by the server, whatever this clock shows', () => {
    expect(secondsLeft(100_000, 70_000, 0)).toBe(30)
    expect(secondsLeft(100_000, 40_000, 30_000)).toBe(30)
    expect(secondsLeft(100_000, 70_001, 0)).toBe(30)
    expect(secondsLeft(100_000, 100_000, 0)).toBe(0)
    expect(secondsLeft(100_000, 150_000, 0)).toBe(0)
  })
  it('says by the server who has been away for long enough, and for how long that is', () => {
    expect(longAway(100_000, 60, 159_999, 0)).toBe(false)
    expect(longAway(100_000, 60, 160_000, 0)).toBe(true)
    expect(longAway(100_000, 0.5, 100_500, 0)).toBe(true)
    // A clock that is ten minutes fast must not let somebody seem away, nor a slow one here.
    expect(longAway(100_000, 60, 710_000, -600_000)).toBe(false)
    expect(longAway(700_000, 60, 160_000, 600_000)).toBe(true)
  })
  it('looks like a clock', () => {
    expect([0, 9, 60, 61, 3600].map(clockFace)).toEqual(['0:00', '0:09', '1:00', '1:01', '60:00'])
  })
})
